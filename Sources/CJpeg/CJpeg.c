#include "CJpeg.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "Errors.h"

CJpegState cjpeg_state(int descriptor) {
  int own = dup(descriptor);
  if (own < 0) return CJPEG_DAMAGED;
  FILE *file = fdopen(own, "rb");
  if (file == NULL) {
    close(own);
    return CJPEG_DAMAGED;
  }
  rewind(file);

  struct jpeg_decompress_struct info;
  Errors errors;
  info.err = cjpeg_listen(&errors);
  // Written between setjmp and longjmp, so it must not live in a register.
  JSAMPLE *volatile row = NULL;
  if (setjmp(errors.back) == 0) {
    jpeg_create_decompress(&info);
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    info.scale_num = 1;
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    row = malloc((size_t) info.output_width * (size_t) info.output_components);
    if (row == NULL) errors.is_damaged = true;
    JSAMPROW rows[1] = {row};
    while (row != NULL && !errors.is_damaged && info.output_scanline < info.output_height) {
      jpeg_read_scanlines(&info, rows, 1);
    }
  }
  free(row);
  jpeg_destroy_decompress(&info);
  fclose(file);
  return errors.is_damaged ? CJPEG_DAMAGED : CJPEG_WHOLE;
}
