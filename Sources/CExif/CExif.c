#include "CExif.h"

#include <libexif/exif-data.h>
#include <libexif/exif-utils.h>
#include <stdlib.h>

static void remove_all(ExifContent *content) {
  while (content->count > 0) exif_content_remove_entry(content, content->entries[0]);
}

unsigned char *cexif_upright(
    const unsigned char *bytes, size_t count, size_t *result_count, bool *had_thumbnail) {
  *result_count = 0;
  *had_thumbnail = false;
  if (count > UINT16_MAX) return NULL;
  ExifData *data = exif_data_new();
  if (data == NULL) return NULL;
  // Maker notes and odd values are kept as they are: nothing is "fixed" on the way.
  exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
  exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  exif_data_load_data(data, bytes, (unsigned int) count);

  if (data->data != NULL) {
    // The memory that libexif was built with is the C library's.
    free(data->data);
    data->data = NULL;
    data->size = 0;
    *had_thumbnail = true;
  }
  remove_all(data->ifd[EXIF_IFD_1]);
  ExifEntry *orientation =
      exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (orientation != NULL && orientation->format == EXIF_FORMAT_SHORT &&
      orientation->components == 1) {
    exif_set_short(orientation->data, exif_data_get_byte_order(data), 1);
  }

  unsigned char *saved = NULL;
  unsigned int length = 0;
  exif_data_save_data(data, &saved, &length);
  exif_data_unref(data);
  *result_count = length;
  return saved;
}
