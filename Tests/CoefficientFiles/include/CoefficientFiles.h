#ifndef COEFFICIENT_FILES_H
#define COEFFICIENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// For tests: JPEG files by their coefficients, written and read through libjpeg alone.

typedef enum { COEFFICIENT_GRAY, COEFFICIENT_YCC, COEFFICIENT_RGB, COEFFICIENT_CMYK, COEFFICIENT_YCCK } CoefficientColors;

typedef struct {
  uint32_t width;
  uint32_t height;
  CoefficientColors colors;
  // Sampling factors of the components.
  uint8_t across[4];
  uint8_t down[4];
  bool is_progressive;
  bool is_arithmetic;
  uint32_t restart_interval;
  // What the coefficients are drawn from.
  uint32_t seed;
} CoefficientSpec;

// A file with quantization tables that are no mirror images of themselves, and coefficients without a
// picture in them. `bytes` is the caller's to free; null where libjpeg has refused.
uint8_t *_Nullable coefficient_write(const CoefficientSpec *spec, size_t *length);

// Numbers in a row: width, height, the color space as libjpeg counts, the number of components; for
// each component its id, factors across and down, width and height in blocks, and quantization table;
// then for each component its coefficients, block by block. What is returned is the caller's to free;
// null for a file that does not decode without any warning.
int32_t *_Nullable coefficient_read(const uint8_t *bytes, size_t length, size_t *count);

#pragma clang assume_nonnull end
#endif
