#include "CoefficientFiles.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf back;
} Errors;

static void give_up(j_common_ptr info) { longjmp(((Errors *) info->err)->back, 1); }

static void refuse_warnings(j_common_ptr info, int level) {
  if (level < 0) give_up(info);
}

static struct jpeg_error_mgr *listen(Errors *errors) {
  struct jpeg_error_mgr *manager = jpeg_std_error(&errors->manager);
  manager->error_exit = give_up;
  manager->emit_message = refuse_warnings;
  return manager;
}

static uint32_t draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 12;
}

static const J_COLOR_SPACE spaces[] = {
  JCS_GRAYSCALE, JCS_YCbCr, JCS_RGB, JCS_CMYK, JCS_YCCK,
};
static const int counts[] = {1, 3, 3, 4, 4};

static JDIMENSION in_blocks(uint32_t pixels, int factor, int largest) {
  uint32_t unit = 8u * (uint32_t) largest;
  return (pixels * (uint32_t) factor + unit - 1) / unit;
}

static JDIMENSION whole(JDIMENSION blocks, int factor) {
  JDIMENSION unit = (JDIMENSION) factor;
  return (blocks + unit - 1) / unit * unit;
}

static void fill(j_compress_ptr info, jvirt_barray_ptr array, JDIMENSION w, JDIMENSION h,
                 uint32_t *state) {
  for (JDIMENSION row = 0; row < h; row++) {
    JBLOCKROW blocks = info->mem->access_virt_barray((j_common_ptr) info, array, row, 1, TRUE)[0];
    for (JDIMENSION column = 0; column < w; column++) {
      for (int index = 0; index < DCTSIZE2; index++) {
        bool has = index == 0 || draw(state) % 5 == 0;
        blocks[column][index] = (JCOEF) (has ? (int) (draw(state) % 41) - 20 : 0);
      }
    }
  }
}

uint8_t *coefficient_write(const CoefficientSpec *spec, size_t *length) {
  struct jpeg_compress_struct info;
  Errors errors;
  info.err = listen(&errors);
  unsigned char *volatile kept = NULL;
  unsigned char *bytes = NULL;
  unsigned long size = 0;
  if (setjmp(errors.back) != 0) {
    jpeg_destroy_compress(&info);
    free(kept);
    return NULL;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, &size);
  int count = counts[spec->colors];
  info.image_width = spec->width;
  info.image_height = spec->height;
  info.input_components = count;
  info.in_color_space = spaces[spec->colors];
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, spaces[spec->colors]);
  int largest_h = 1;
  int largest_v = 1;
  for (int index = 0; index < count; index++) {
    info.comp_info[index].h_samp_factor = spec->across[index];
    info.comp_info[index].v_samp_factor = spec->down[index];
    if (spec->across[index] > largest_h) largest_h = spec->across[index];
    if (spec->down[index] > largest_v) largest_v = spec->down[index];
  }
  for (int table = 0; table < NUM_QUANT_TBLS; table++) {
    if (info.quant_tbl_ptrs[table] == NULL) continue;
    for (int index = 0; index < DCTSIZE2; index++) {
      info.quant_tbl_ptrs[table]->quantval[index] = (UINT16) (1 + index + table);
    }
  }
  info.optimize_coding = !spec->is_arithmetic;
  info.arith_code = spec->is_arithmetic;
  info.restart_interval = spec->restart_interval;
  if (spec->is_progressive) jpeg_simple_progression(&info);

  jvirt_barray_ptr arrays[4];
  JDIMENSION widths[4];
  JDIMENSION heights[4];
  for (int index = 0; index < count; index++) {
    int h = spec->across[index];
    int v = spec->down[index];
    widths[index] = whole(in_blocks(spec->width, h, largest_h), h);
    heights[index] = whole(in_blocks(spec->height, v, largest_v), v);
    arrays[index] = info.mem->request_virt_barray(
      (j_common_ptr) &info, JPOOL_IMAGE, TRUE, widths[index], heights[index], (JDIMENSION) v);
  }
  info.mem->realize_virt_arrays((j_common_ptr) &info);
  jpeg_write_coefficients(&info, arrays);
  uint32_t state = spec->seed;
  for (int index = 0; index < count; index++) {
    fill(&info, arrays[index], widths[index], heights[index], &state);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  kept = bytes;
  *length = size;
  return kept;
}

int32_t *coefficient_read(const uint8_t *bytes, size_t length, size_t *count) {
  struct jpeg_decompress_struct info;
  Errors errors;
  info.err = listen(&errors);
  int32_t *volatile kept = NULL;
  if (setjmp(errors.back) != 0) {
    jpeg_destroy_decompress(&info);
    free(kept);
    return NULL;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, length);
  jpeg_read_header(&info, TRUE);
  jvirt_barray_ptr *arrays = jpeg_read_coefficients(&info);
  size_t total = 4;
  for (int index = 0; index < info.num_components; index++) {
    jpeg_component_info *component = &info.comp_info[index];
    size_t blocks = (size_t) component->width_in_blocks * component->height_in_blocks;
    total += 5 + DCTSIZE2 + blocks * DCTSIZE2;
  }
  kept = malloc(total * sizeof(int32_t));
  if (kept == NULL) give_up((j_common_ptr) &info);
  int32_t *next = kept;
  *next++ = (int32_t) info.image_width;
  *next++ = (int32_t) info.image_height;
  *next++ = (int32_t) info.jpeg_color_space;
  *next++ = info.num_components;
  for (int index = 0; index < info.num_components; index++) {
    jpeg_component_info *component = &info.comp_info[index];
    *next++ = component->component_id;
    // Alone, a component is coded the same whatever its factors are.
    *next++ = info.num_components == 1 ? 1 : component->h_samp_factor;
    *next++ = info.num_components == 1 ? 1 : component->v_samp_factor;
    *next++ = (int32_t) component->width_in_blocks;
    *next++ = (int32_t) component->height_in_blocks;
    for (int entry = 0; entry < DCTSIZE2; entry++) {
      *next++ = component->quant_table == NULL ? 0 : component->quant_table->quantval[entry];
    }
  }
  for (int index = 0; index < info.num_components; index++) {
    jpeg_component_info *component = &info.comp_info[index];
    for (JDIMENSION row = 0; row < component->height_in_blocks; row++) {
      JBLOCKROW blocks =
        info.mem->access_virt_barray((j_common_ptr) &info, arrays[index], row, 1, FALSE)[0];
      for (JDIMENSION column = 0; column < component->width_in_blocks; column++) {
        for (int entry = 0; entry < DCTSIZE2; entry++) *next++ = blocks[column][entry];
      }
    }
  }
  *count = total;
  jpeg_destroy_decompress(&info);
  return kept;
}
