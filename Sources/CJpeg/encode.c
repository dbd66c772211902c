#include "CJpegPixels.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf back;
} Errors;

static void on_error(j_common_ptr info) {
  longjmp(((Errors *) info->err)->back, 1);
}

static void on_message(j_common_ptr info, int level) {
  (void) info;
  (void) level;
}

// As libvips sets up its encoder.
static void set_up(j_compress_ptr info, int bands, const CJpegEncoding *encoding) {
  info->input_components = bands;
  info->in_color_space = bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(info);
  info->optimize_coding = encoding->has_own_tables;
  jpeg_set_quality(info, encoding->quality, TRUE);
  if (encoding->is_progressive) jpeg_simple_progression(info);
  if (!encoding->halves_colors) {
    for (int i = 0; i < bands; i++) {
      info->comp_info[i].h_samp_factor = 1;
      info->comp_info[i].v_samp_factor = 1;
    }
  }
  info->write_JFIF_header = FALSE;
}

unsigned char *cjpeg_encoded(
    const unsigned char *pixels, size_t width, size_t height, int bands,
    const CJpegEncoding *encoding, size_t *length) {
  struct jpeg_compress_struct info;
  Errors errors;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  unsigned char *bytes = NULL;
  unsigned long count = 0;
  // Written between setjmp and longjmp, so it must not live in a register.
  volatile bool is_whole = false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, &count);
  if (setjmp(errors.back) == 0) {
    info.image_width = (JDIMENSION) width;
    info.image_height = (JDIMENSION) height;
    set_up(&info, bands, encoding);
    jpeg_start_compress(&info, TRUE);
    if (encoding->profile != NULL && encoding->profile_length > 0) {
      jpeg_write_icc_profile(&info, encoding->profile, (unsigned int) encoding->profile_length);
    }
    size_t row_length = width * (size_t) bands;
    while (info.next_scanline < info.image_height) {
      // Only read from.
      JSAMPROW rows[1] = {(JSAMPROW) (pixels + info.next_scanline * row_length)};
      jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    is_whole = true;
  }
  jpeg_destroy_compress(&info);
  if (is_whole) {
    *length = count;
    return bytes;
  }
  free(bytes);
  return NULL;
}
