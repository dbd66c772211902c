#include "include/ctoml.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// What toml++ 3.3 takes for granted of a text and has not looked at, as that a key begins behind "[".
struct unexpected {};

}  // namespace

// So a wrong text is an error like any other, and ends no process.
#undef NDEBUG
#define TOML_ASSERT(condition) \
  do {                         \
    if (!(condition)) throw unexpected(); \
  } while (false)
#include <toml++/toml.h>

#include "key_dots.h"

struct ctoml_node {
  ctoml_kind kind = ctoml_kind_table;
  ctoml_position position = {1, 1};
  std::string key;
  ctoml_position key_position = {0, 0};
  std::string text;
  int64_t integer = 0;
  double number = 0;
  bool boolean = false;
  std::vector<ctoml_node> children;
};

struct ctoml_document {
  std::unique_ptr<ctoml_node> root;
  std::string message;
  ctoml_position position = {1, 1};
};

namespace {

struct failure {
  std::string message;
  ctoml_position position;
};

ctoml_position position_of(const toml::source_region &region) {
  return {region.begin.line, region.begin.column};
}

failure too_deep(ctoml_position position) {
  return {"nested too deeply (more than " + std::to_string(ctoml_depth_limit) + " levels)",
          position};
}

template <typename Value>
std::string spelled(const Value &value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

bool stands_before(const ctoml_node &left, const ctoml_node &right) {
  return std::pair(left.key_position.line, left.key_position.column) <
         std::pair(right.key_position.line, right.key_position.column);
}

ctoml_node copied(const toml::node &source, int depth) {
  ctoml_node node;
  node.position = position_of(source.source());
  if (depth > ctoml_depth_limit) throw too_deep(node.position);
  if (const auto *table = source.as_table()) {
    node.kind = ctoml_kind_table;
    for (const auto &[key, value] : *table) {
      node.children.push_back(copied(value, depth + 1));
      node.children.back().key = key.str();
      node.children.back().key_position = position_of(key.source());
    }
    // toml++ keeps a table sorted by key; a person's order is that of the text.
    std::sort(node.children.begin(), node.children.end(), stands_before);
  } else if (const auto *array = source.as_array()) {
    node.kind = ctoml_kind_array;
    for (const auto &item : *array) node.children.push_back(copied(item, depth + 1));
  } else if (const auto *text = source.as_string()) {
    node.kind = ctoml_kind_string;
    node.text = text->get();
  } else if (const auto *integer = source.as_integer()) {
    node.kind = ctoml_kind_integer;
    node.integer = integer->get();
  } else if (const auto *number = source.as_floating_point()) {
    node.kind = ctoml_kind_float;
    node.number = number->get();
  } else if (const auto *flag = source.as_boolean()) {
    node.kind = ctoml_kind_boolean;
    node.boolean = flag->get();
  } else {
    node.kind = ctoml_kind_date;
    if (const auto *date = source.as_date()) node.text = spelled(date->get());
    if (const auto *time = source.as_time()) node.text = spelled(time->get());
    if (const auto *moment = source.as_date_time()) node.text = spelled(moment->get());
  }
  return node;
}

bool is_continuation(char byte) { return (byte & 0xc0) == 0x80; }

bool is_unexpected(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const unexpected &) {
    return true;
  } catch (const toml::parse_error &) {
  }
  return false;
}

// The character that toml++ did not expect: the last one of the shortest beginning of the text that it
// stumbles over.
failure unexpected_in(std::string_view text) {
  size_t good = 0, bad = text.size();
  while (bad - good > 1) {
    size_t middle = good + (bad - good) / 2;
    while (middle < bad && is_continuation(text[middle])) ++middle;
    if (middle == bad) {
      middle = good + (bad - good) / 2;
      while (middle > good && is_continuation(text[middle])) --middle;
      if (middle == good) break;
    }
    (is_unexpected(text.substr(0, middle)) ? bad : good) = middle;
  }
  size_t start = bad > 0 ? bad - 1 : 0;
  while (start > 0 && is_continuation(text[start])) --start;
  const size_t line_start = text.substr(0, start).rfind('\n') + 1;
  const std::string_view line = text.substr(line_start, start - line_start);
  const auto columns = std::count_if(line.begin(), line.end(),
                                     [](char byte) { return !is_continuation(byte); });
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(start), '\n');
  const std::string_view found = text.substr(start, bad - start);
  std::ostringstream message;
  const bool is_header = line.find_first_not_of(" \t") < line.find('[') + 1;
  message << "Error while parsing " << (is_header ? "key: expected a key" : "text: expected TOML")
          << ", saw '";
  if (found == "\n") {
    message << "\\n";
  } else if (found.size() == 1 && (found[0] < 0x20 || found[0] == 0x7f)) {
    message << "\\x" << std::hex << (found[0] >> 4 & 15) << (found[0] & 15);
  } else {
    message << found;
  }
  message << "'";
  return {message.str(), {static_cast<uint32_t>(lines + 1), static_cast<uint32_t>(columns + 1)}};
}

void parse(std::string_view text, ctoml_document &document) {
  try {
    // toml++ bounds the depth of brackets but not of dotted keys, and takes its tables down
    // recursively: enough dots would overflow the stack whatever happens afterwards.
    if (const auto position = ctoml::dots_beyond_limit(text)) throw too_deep(*position);
    const toml::table table = toml::parse(text);
    document.root = std::make_unique<ctoml_node>(copied(table, 0));
    document.root->position = {1, 1};
  } catch (const toml::parse_error &error) {
    document.message = error.description();
    document.position = position_of(error.source());
  } catch (const failure &failure) {
    document.message = failure.message;
    document.position = failure.position;
  } catch (const unexpected &) {
    const auto found = unexpected_in(text);
    document.message = found.message;
    document.position = found.position;
  }
}

ctoml_text text_of(const std::string &text) { return {text.data(), text.size()}; }

}  // namespace

ctoml_document *ctoml_parse(const char *bytes, size_t length) {
  try {
    auto document = std::make_unique<ctoml_document>();
    try {
      parse({bytes, length}, *document);
    } catch (const std::bad_alloc &) {
      return nullptr;
    } catch (const std::exception &error) {
      document->root.reset();
      document->message = error.what();
    }
    return document.release();
  } catch (...) {
    return nullptr;
  }
}

void ctoml_free(ctoml_document *document) { delete document; }

const ctoml_node *ctoml_root(const ctoml_document *document) { return document->root.get(); }

ctoml_text ctoml_error_message(const ctoml_document *document) {
  return text_of(document->message);
}

ctoml_position ctoml_error_position(const ctoml_document *document) { return document->position; }

ctoml_kind ctoml_node_kind(const ctoml_node *node) { return node->kind; }
ctoml_position ctoml_node_position(const ctoml_node *node) { return node->position; }
ctoml_text ctoml_node_text(const ctoml_node *node) { return text_of(node->text); }
int64_t ctoml_node_integer(const ctoml_node *node) { return node->integer; }
double ctoml_node_float(const ctoml_node *node) { return node->number; }
bool ctoml_node_boolean(const ctoml_node *node) { return node->boolean; }
size_t ctoml_node_count(const ctoml_node *node) { return node->children.size(); }

const ctoml_node *ctoml_node_child(const ctoml_node *node, size_t index) {
  return &node->children[index];
}

ctoml_text ctoml_node_key(const ctoml_node *node) { return text_of(node->key); }
ctoml_position ctoml_node_key_position(const ctoml_node *node) { return node->key_position; }
