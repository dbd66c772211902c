#ifndef CJXL_H
#define CJXL_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// Counts the frames of a JPEG XL that are shown one after the other. No pixel is decoded.
//
// 1 where it is no animation, 0 for what is no JPEG XL; of one that is damaged, those up to the damage.
// `goes_on`: set where what was counted is all that is known up to the end of `bytes`, and more of the file
// could tell of more.
size_t cjxl_frames(const unsigned char *bytes, size_t length, bool *goes_on);

#pragma clang assume_nonnull end
#endif
