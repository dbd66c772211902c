#ifndef CJPEG_H
#define CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CJpegPixels.h"

#pragma clang assume_nonnull begin

// What a decode of the JPEG behind a descriptor meets. The descriptor's position is moved.
typedef enum {
  CJPEG_WHOLE,    // nothing, or only what every viewer passes over
  CJPEG_DAMAGED,  // rows are missing, or data that cannot be decoded was filled in
} CJpegState;

// Decodes at an eighth of the size and throws the pixels away.
CJpegState cjpeg_state(int descriptor);

// How blocks of coefficients are moved, none of which is decoded.
typedef struct {
  // As it is stored now, in pixels. Other sizes in the file are refused.
  uint32_t stored_width;
  uint32_t stored_height;
  // What is kept of it.
  uint32_t x;
  uint32_t y;
  uint32_t width;
  uint32_t height;
  // The kept columns, or rows, are read from their end.
  bool mirrors_x;
  bool mirrors_y;
  // And then they become rows, or columns.
  bool swaps;
} CJpegMove;

// Where the old file comes from and the new one goes to, in order, by two callbacks.
typedef struct {
  void *_Nullable context;
  // Fills a part of a buffer; 0 at the end of the file, or where it cannot be read.
  size_t (*read)(void *_Nullable context, uint8_t *buffer, size_t count);
  // False where the bytes could not be written.
  bool (*write)(void *_Nullable context, const uint8_t *bytes, size_t count);
  // Of the old file, in bytes.
  uint64_t length;
  // What the new file has between its start and its tables: whole segments.
  const uint8_t *_Nullable segments;
  size_t segments_length;
} CJpegFiles;

typedef enum {
  CJPEG_MOVED,          // all of it
  CJPEG_MOVED_WARNED,   // all of it; something beside the picture was odd
  CJPEG_MOVED_DAMAGED,  // with something filled in for what could not be read
  CJPEG_NOT_READ,       // the old file is too damaged
  CJPEG_NOT_MOVED,      // the file is such that its blocks cannot be moved so
  CJPEG_NOT_WRITTEN,    // a write has failed
  CJPEG_NO_MEMORY,
} CJpegOutcome;

// Moves the coefficients of a JPEG into a new one, with code tables made for it and progressive where
// the old one was.
//
// The edges at which the new picture begins must lie between whole MCUs of the old one.
CJpegOutcome cjpeg_move(const CJpegMove *move, const CJpegFiles *files);

#pragma clang assume_nonnull end
#endif
