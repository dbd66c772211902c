#ifndef CTOML_KEY_DOTS_H
#define CTOML_KEY_DOTS_H

#include <optional>
#include <string_view>

#include "include/ctoml.h"

namespace ctoml {

/* Each level of a dotted key costs toml++ a few stack frames when the table is taken down: about
 * 4 000 levels stay far below the 8 MB of a main thread's stack. A header's levels and those of a
 * key below it add up, so that each may have half as many. */
constexpr int dot_limit = 2000;

/* Where a header or an assignment has used up its dots, or nothing: other lines begin at the root
 * again. Counted are the dots outside strings and comments that no number has: at least every second
 * dot of any key, and none of a list of numbers. */
std::optional<ctoml_position> dots_beyond_limit(std::string_view text);

}  // namespace ctoml

#endif
