/* A C face over toml++: text in, a tree of values with their positions out.
 *
 * Whatever toml++ throws is caught here; what it parsed is copied, so that a document owns all its
 * memory. A document is never changed after it was made and may be read from any thread. */
#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Deeper nesting is refused, whether by brackets or by dots in keys. */
enum { ctoml_depth_limit = 64 };

typedef struct ctoml_document ctoml_document;
typedef struct ctoml_node ctoml_node;

typedef enum {
  ctoml_kind_string,
  ctoml_kind_integer,
  ctoml_kind_float,
  ctoml_kind_boolean,
  ctoml_kind_date, /* a date, a time or both; read as text */
  ctoml_kind_array,
  ctoml_kind_table,
} ctoml_kind;

/* Both count from 1, the column in code points. */
typedef struct {
  uint32_t line;
  uint32_t column;
} ctoml_position;

/* Bytes that belong to the document; UTF-8, not ended by NUL and possibly with NUL inside. */
typedef struct {
  const char *_Nonnull bytes;
  size_t length;
} ctoml_text;

/* Parses TOML 1.0. Returns NULL on memory exhaustion only: a document may hold an error instead of
 * a tree. The caller frees it with ctoml_free. */
ctoml_document *_Nullable ctoml_parse(const char *_Nonnull bytes, size_t length);
void ctoml_free(ctoml_document *_Nullable document);

/* The table of the whole text; NULL where the text is no TOML. */
const ctoml_node *_Nullable ctoml_root(const ctoml_document *_Nonnull document);

/* What is wrong with the text, in the words of toml++; empty where nothing is. */
ctoml_text ctoml_error_message(const ctoml_document *_Nonnull document);
ctoml_position ctoml_error_position(const ctoml_document *_Nonnull document);

ctoml_kind ctoml_node_kind(const ctoml_node *_Nonnull node);
ctoml_position ctoml_node_position(const ctoml_node *_Nonnull node);

/* Each of these belongs to one kind, and is 0, false or empty for the others. */
ctoml_text ctoml_node_text(const ctoml_node *_Nonnull node); /* string and date */
int64_t ctoml_node_integer(const ctoml_node *_Nonnull node);
double ctoml_node_float(const ctoml_node *_Nonnull node);
bool ctoml_node_boolean(const ctoml_node *_Nonnull node);

/* The items of an array or the values of a table, in the order of the text; an index must be below
 * the count. */
size_t ctoml_node_count(const ctoml_node *_Nonnull node);
const ctoml_node *_Nonnull ctoml_node_child(const ctoml_node *_Nonnull node, size_t index);

/* The key under which a table holds this node, and where it is written. Empty in an array. */
ctoml_text ctoml_node_key(const ctoml_node *_Nonnull node);
ctoml_position ctoml_node_key_position(const ctoml_node *_Nonnull node);

#ifdef __cplusplus
}
#endif

#endif
