#ifndef CEXIF_H
#define CEXIF_H

// A thin face over libexif for whole EXIF blocks: "Exif\0\0" and a TIFF structure, as JPEG's APP1
// and libvips' `exif-data` hold them.

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// The block without its embedded thumbnail and with orientation 1: what is true of a picture whose
// rows are upright. `had_thumbnail` tells whether one was dropped. The caller frees the result with
// `free`. NULL where the block cannot be read.
unsigned char *_Nullable cexif_upright(
    const unsigned char *bytes, size_t count, size_t *result_count, bool *had_thumbnail);

#pragma clang assume_nonnull end
#endif
