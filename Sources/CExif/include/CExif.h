#ifndef CEXIF_H
#define CEXIF_H

// The tags that libexif knows, with their names in the EXIF standard.

#include <stdint.h>

#pragma clang assume_nonnull begin

// How many rows the table has.
unsigned int cexif_tag_count(void);

// The number of a row's tag. Tags of the GPS and the interoperability directory share numbers.
uint16_t cexif_tag(unsigned int row);

// The name of a row's tag, which lives as long as the program; NULL where it has none.
const char *_Nullable cexif_tag_name(unsigned int row);

#pragma clang assume_nonnull end
#endif
