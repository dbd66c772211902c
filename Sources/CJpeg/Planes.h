#ifndef CJPEG_PLANES_H
#define CJPEG_PLANES_H

#include <stdio.h>

#include <jpeglib.h>

#include "CJpeg.h"

// The moved coefficients of each component, as `jpeg_write_coefficients` wants them, made while it
// asks for them: a second copy of all coefficients is never held.
//
// `coefficients`: as `jpeg_read_coefficients` has given them. `new` has its header already. What is
// returned lives as long as `new`, and reads what `old` holds.
jvirt_barray_ptr *cjpeg_planes(
  j_decompress_ptr old, j_compress_ptr new, jvirt_barray_ptr *coefficients, const CJpegMove *move
);

#endif
