#ifndef CTOML_KEY_DOTS_H
#define CTOML_KEY_DOTS_H

#include <optional>
#include <string_view>

#include "include/ctoml.h"

namespace ctoml {

/* Each level of a dotted key costs toml++ a few stack frames when the table is taken down: about
 * 4 000 levels stay far below the 8 MB of a main thread's stack. */
constexpr int dot_limit = 4000;

/* Where a text has used up its dots, or nothing. Counted are the dots outside strings and comments
 * that no number has: at least every second dot of any key, and none of a list of numbers. */
std::optional<ctoml_position> dots_beyond_limit(std::string_view text);

}  // namespace ctoml

#endif
