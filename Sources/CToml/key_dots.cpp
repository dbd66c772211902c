#include "key_dots.h"

#include <algorithm>

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A character of a number, a date or a bare key, other than the dot. */
bool is_bare(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '+' || c == ':';
}

/* The end of the string that begins at `start` with `quote`: behind its closing quotes, or the end
 * of the line or text where it is not closed, which is an error for the parser to tell. */
size_t end_of_string(std::string_view text, size_t start) {
  const char quote = text[start];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool is_multi_line = text.substr(start, 3) == triple;
  size_t at = start + (is_multi_line ? 3 : 1);
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (is_multi_line && text.substr(at, 3) == triple) {
      return at + 3;
    } else if (!is_multi_line && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else {
      at += 1;
    }
  }
  return text.size();
}

}  // namespace

std::optional<ctoml_position> ctoml::dots_beyond_limit(std::string_view text) {
  int count = 0;
  int open_brackets = 0;
  bool number_has_dot = false;
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
      number_has_dot = false;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') {
      const bool is_between_digits =
          at > 0 && is_digit(text[at - 1]) && at + 1 < text.size() && is_digit(text[at + 1]);
      if (is_between_digits && !number_has_dot) {
        number_has_dot = true;
      } else if (++count > dot_limit) {
        ctoml_position position = {1, 1};
        for (const char before : text.substr(0, at)) {
          if (before == '\n') {
            position = {position.line + 1, 1};
          } else if ((before & 0xC0) != 0x80) {
            position.column += 1;
          }
        }
        return position;
      }
    } else if (!is_bare(c)) {
      number_has_dot = false;
      if (c == '[' || c == '{') open_brackets += 1;
      if ((c == ']' || c == '}') && open_brackets > 0) open_brackets -= 1;
      if (c == '\n' && open_brackets == 0) count = 0;
    }
    at += 1;
  }
  return std::nullopt;
}
