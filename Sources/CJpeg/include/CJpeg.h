#ifndef CJPEG_H
#define CJPEG_H

#pragma clang assume_nonnull begin

// What a decode of the JPEG behind a descriptor meets. The descriptor's position is moved.
typedef enum {
  CJPEG_WHOLE,    // nothing, or only what every viewer passes over
  CJPEG_DAMAGED,  // rows are missing, or data that cannot be decoded was filled in
} CJpegState;

// Decodes at an eighth of the size and throws the pixels away.
CJpegState cjpeg_state(int descriptor);

#pragma clang assume_nonnull end
#endif
