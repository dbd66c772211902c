#ifndef CJPEG_PIXELS_H
#define CJPEG_PIXELS_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// Decodes a JPEG that is wholly in memory, as gray or RGB, in one go.
//
// `reduction`: 1, 2, 4 or 8. `width` × `height` are what is wanted of the reduced picture, from its
// upper left corner; each row of `pixels` has `width` × `bands` bytes, `bands` being 1 or 3.
//
// False where anything about the file is unusual — another size or kind than is wanted, CMYK, a
// warning of the decoder, a file that ends early — and for what is no JPEG. The pixels are worth
// nothing then, and the picture must be read by someone who tells what is wrong with it.
bool cjpeg_pixels(
    const unsigned char *bytes, size_t length, int reduction, unsigned char *pixels, size_t width,
    size_t height, int bands);

// How pixels are encoded.
typedef struct {
  int quality;  // 1 to 100
  bool is_progressive;
  bool has_own_tables;         // code tables made for the picture
  bool halves_colors;          // every second along both axes
  const unsigned char *_Nullable profile;  // an ICC profile
  size_t profile_length;
} CJpegEncoding;

// Encodes gray or RGB pixels, rows of `width` × `bands` bytes, into memory that is the caller's to free.
// The file has no metadata but the color profile.
//
// NULL where it cannot be done.
unsigned char *_Nullable cjpeg_encoded(
    const unsigned char *pixels, size_t width, size_t height, int bands,
    const CJpegEncoding *encoding, size_t *length);

#pragma clang assume_nonnull end
#endif
