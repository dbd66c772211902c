#include "CExif.h"

#include <libexif/exif-tag.h>

unsigned int cexif_tag_count(void) { return exif_tag_table_count(); }

uint16_t cexif_tag(unsigned int row) { return (uint16_t) exif_tag_table_get_tag(row); }

const char *cexif_tag_name(unsigned int row) { return exif_tag_table_get_name(row); }
