#include "CJpeg.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <jpeglib.h>
// Behind jpeglib.h: the message codes need its types.
#include <jerror.h>

typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf back;
  bool is_damaged;
} Errors;

static void on_error(j_common_ptr info) {
  Errors *errors = (Errors *) info->err;
  errors->is_damaged = true;
  longjmp(errors->back, 1);
}

static void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  Errors *errors = (Errors *) info->err;
  switch (info->err->msg_code) {
    // Bytes between segments, odd headers: the picture is whole.
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      break;
    default:
      errors->is_damaged = true;
  }
}

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
  Errors errors = {.is_damaged = false};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
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
