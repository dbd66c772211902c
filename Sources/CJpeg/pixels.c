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

// A level below 0 is a warning; the first one is enough.
static void on_message(j_common_ptr info, int level) {
  if (level < 0) on_error(info);
}

typedef struct {
  struct jpeg_progress_mgr manager;
  j_common_ptr info;
} Progress;

// As many as libvips reads: a file of a thousand scans keeps a decoder busy for hours.
enum { MOST_SCANS = 100 };

static void on_progress(j_common_ptr info) {
  if (((j_decompress_ptr) info)->input_scan_number >= MOST_SCANS) on_error(info);
}

static bool is_wanted(j_decompress_ptr info, int bands) {
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
      info->out_color_space = JCS_GRAYSCALE;
      return bands == 1;
    case JCS_YCbCr:
    case JCS_RGB:
      info->out_color_space = JCS_RGB;
      return bands == 3;
    default:
      return false;
  }
}

bool cjpeg_pixels(
    const unsigned char *bytes, size_t length, int reduction, unsigned char *pixels, size_t width,
    size_t height, int bands) {
  struct jpeg_decompress_struct info;
  Errors errors;
  Progress progress = {.manager = {.progress_monitor = on_progress}};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  // Written between setjmp and longjmp, so they must not live in registers.
  volatile bool is_whole = false;
  unsigned char *volatile row = NULL;
  if (setjmp(errors.back) == 0) {
    jpeg_create_decompress(&info);
    info.progress = &progress.manager;
    jpeg_mem_src(&info, bytes, (unsigned long) length);
    jpeg_read_header(&info, TRUE);
    info.scale_num = 1;
    info.scale_denom = (unsigned int) reduction;
    if (is_wanted(&info, bands)) {
      jpeg_start_decompress(&info);
      size_t row_length = (size_t) info.output_width * (size_t) bands;
      // libjpeg's last column and row can be of less than a whole reduced pixel.
      if (info.output_width >= width && info.output_height >= height) {
        row = malloc(row_length);
        size_t wanted = width * (size_t) bands;
        bool is_fit = row_length == wanted;
        while (row != NULL && info.output_scanline < info.output_height) {
          size_t y = info.output_scanline;
          bool is_shown = y < height;
          unsigned char *into = is_shown && is_fit ? pixels + y * wanted : row;
          JSAMPROW rows[1] = {into};
          jpeg_read_scanlines(&info, rows, 1);
          if (is_shown && !is_fit) {
            for (size_t i = 0; i < wanted; i++) pixels[y * wanted + i] = into[i];
          }
        }
        if (row != NULL) {
          jpeg_finish_decompress(&info);
          is_whole = true;
        }
      }
    }
  }
  free(row);
  jpeg_destroy_decompress(&info);
  return is_whole;
}
