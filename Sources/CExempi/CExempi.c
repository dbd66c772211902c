#include "CExempi.h"

#include <exempi-2.0/exempi/xmp.h>
#include <stdlib.h>
#include <string.h>

struct cexempi_packet {
  XmpPtr xmp;
};

cexempi_packet *cexempi_open(const char *bytes, size_t count) {
  cexempi_packet *packet = malloc(sizeof *packet);
  if (packet == NULL) return NULL;
  if (!xmp_init()) {
    free(packet);
    return NULL;
  }
  packet->xmp = xmp_new_empty();
  if (packet->xmp == NULL || !xmp_parse(packet->xmp, bytes, count)) {
    cexempi_close(packet);
    return NULL;
  }
  return packet;
}

void cexempi_close(cexempi_packet *packet) {
  if (packet->xmp != NULL) xmp_free(packet->xmp);
  xmp_terminate();
  free(packet);
}

void cexempi_visit(
    cexempi_packet *packet, void *context,
    void (*visit)(void *context, const char *schema, const char *path)) {
  XmpIteratorPtr iterator = xmp_iterator_new(packet->xmp, NULL, NULL, XMP_ITER_PROPERTIES);
  if (iterator == NULL) return;
  XmpStringPtr schema = xmp_string_new();
  XmpStringPtr path = xmp_string_new();
  while (xmp_iterator_next(iterator, schema, path, NULL, NULL)) {
    // A schema itself comes first, without a path.
    if (xmp_string_len(path) == 0) continue;
    visit(context, xmp_string_cstr(schema), xmp_string_cstr(path));
  }
  xmp_string_free(path);
  xmp_string_free(schema);
  xmp_iterator_free(iterator);
}

bool cexempi_get(
    cexempi_packet *packet, const char *schema, const char *path, char *value, size_t size) {
  XmpStringPtr text = xmp_string_new();
  bool found = xmp_get_property(packet->xmp, schema, path, text, NULL);
  if (found) {
    strncpy(value, xmp_string_cstr(text), size - 1);
    value[size - 1] = '\0';
  }
  xmp_string_free(text);
  return found;
}

void cexempi_remove(cexempi_packet *packet, const char *schema, const char *path) {
  xmp_delete_property(packet->xmp, schema, path);
}

void cexempi_set(
    cexempi_packet *packet, const char *schema, const char *path, const char *value) {
  xmp_set_property(packet->xmp, schema, path, value, 0);
}

char *cexempi_write(cexempi_packet *packet, size_t *count) {
  *count = 0;
  XmpStringPtr text = xmp_string_new();
  char *copy = NULL;
  if (xmp_serialize(
          packet->xmp, text, XMP_SERIAL_OMITPACKETWRAPPER | XMP_SERIAL_USECOMPACTFORMAT, 0)) {
    size_t length = xmp_string_len(text);
    copy = malloc(length + 1);
    if (copy != NULL) {
      memcpy(copy, xmp_string_cstr(text), length);
      copy[length] = '\0';
      *count = length;
    }
  }
  xmp_string_free(text);
  return copy;
}
