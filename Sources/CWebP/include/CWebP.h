#ifndef CWEBP_H
#define CWEBP_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// Decodes a WebP that is wholly in memory, as RGB, in one go.
//
// `width` × `height` are what is wanted of the whole picture: its own size, or less, to which libwebp then
// reduces it as it decodes. Each row of `pixels` has `width` × 3 bytes.
//
// False where the file is an animation, has transparency, ends early or is damaged, and for what is no
// WebP. The pixels are worth nothing then, and the picture must be read by someone who tells what is
// wrong with it.
bool cwebp_pixels(
    const unsigned char *bytes, size_t length, unsigned char *pixels, int width, int height);

#pragma clang assume_nonnull end
#endif
