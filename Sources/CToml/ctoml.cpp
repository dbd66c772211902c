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
