#include "Planes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Turning and mirroring blocks of a cosine transform: x and y of the pixels change places where rows
// and columns of the coefficients do, and an axis is mirrored where every second coefficient along it
// changes its sign, as cos((2(7 − x) + 1) u π / 16) = (−1)^u cos((2x + 1) u π / 16).

// Rows of blocks that are made at once. Where rows become columns a block of each old row is read, and
// its neighbors with it: cheaper by far than to come back for them.
#define STRIP 16

typedef struct {
  // The rows of the old component.
  JBLOCKROW *old_rows;
  // Where the new component's first block is in the old one, or behind where it is read backwards.
  JDIMENSION left;
  JDIMENSION top;
  bool mirrors_x;
  bool mirrors_y;
  bool swaps;
  // −1 where a coefficient of the new block changes its sign.
  JCOEF signs[DCTSIZE2];
  // Of the new component, in blocks.
  JDIMENSION width;
  JDIMENSION height;
  // The strip that has been made last, and its first row.
  JBLOCKROW *rows;
  JBLOCKARRAY strip;
  JDIMENSION strip_start;
  JDIMENSION strip_height;
  bool has_strip;
} Plane;

static inline JDIMENSION along(JDIMENSION start, bool is_mirrored, JDIMENSION index) {
  return is_mirrored ? start - 1 - index : start + index;
}

static void change_signs(const JCOEF *signs, const JCOEF *from, JCOEF *to) {
  for (int index = 0; index < DCTSIZE2; index++) {
    to[index] = (JCOEF) ((from[index] ^ signs[index]) - signs[index]);
  }
}

static void transpose(const JCOEF *signs, const JCOEF *from, JCOEF *to) {
  for (int row = 0; row < DCTSIZE; row++) {
    for (int column = 0; column < DCTSIZE; column++) {
      int index = row * DCTSIZE + column;
      to[index] = (JCOEF) ((from[column * DCTSIZE + row] ^ signs[index]) - signs[index]);
    }
  }
}

static void make_swapped(Plane *plane, JDIMENSION start, JDIMENSION count) {
  for (JDIMENSION column = 0; column < plane->width; column++) {
    JBLOCKROW old_row = plane->old_rows[along(plane->top, plane->mirrors_y, column)];
    for (JDIMENSION row = 0; row < count; row++) {
      JDIMENSION old_column = along(plane->left, plane->mirrors_x, start + row);
      transpose(plane->signs, old_row[old_column], plane->strip[row][column]);
    }
  }
}

static void make_straight(Plane *plane, JDIMENSION start, JDIMENSION count) {
  for (JDIMENSION row = 0; row < count; row++) {
    JBLOCKROW old_row = plane->old_rows[along(plane->top, plane->mirrors_y, start + row)];
    if (!plane->mirrors_x && !plane->mirrors_y) {
      // Only read from here on.
      plane->rows[row] = old_row + plane->left;
      continue;
    }
    for (JDIMENSION column = 0; column < plane->width; column++) {
      JDIMENSION old_column = along(plane->left, plane->mirrors_x, column);
      change_signs(plane->signs, old_row[old_column], plane->strip[row][column]);
    }
  }
}

// Stands where libjpeg's own memory manager hands out rows of an array.
static JBLOCKARRAY rows_of(
  j_common_ptr info, jvirt_barray_ptr array, JDIMENSION start, JDIMENSION count, boolean writable
) {
  (void) info;
  (void) writable;
  Plane *plane = (Plane *) (void *) array;
  JDIMENSION strip_end = plane->strip_start + plane->strip_height;
  if (!plane->has_strip || start < plane->strip_start || start + count > strip_end) {
    // Rows that fill up the last MCUs are asked for, and not looked at.
    JDIMENSION rest = start < plane->height ? plane->height - start : 0;
    JDIMENSION made = rest < plane->strip_height ? rest : plane->strip_height;
    if (plane->swaps) {
      make_swapped(plane, start, made);
    } else {
      make_straight(plane, start, made);
    }
    plane->strip_start = start;
    plane->has_strip = true;
  }
  return plane->rows + (start - plane->strip_start);
}

static JDIMENSION in_blocks(uint32_t pixels, int factor, int largest_factor) {
  uint64_t unit = (uint64_t) DCTSIZE * (uint64_t) largest_factor;
  return (JDIMENSION) (((uint64_t) pixels * (uint64_t) factor + unit - 1) / unit);
}

static void prepare(
  Plane *plane, j_decompress_ptr old, j_compress_ptr new, int index, jvirt_barray_ptr coefficients,
  const CJpegMove *move
) {
  const jpeg_component_info *from = &old->comp_info[index];
  const jpeg_component_info *to = &new->comp_info[index];
  int largest_h = 1;
  int largest_v = 1;
  for (int other = 0; other < new->num_components; other++) {
    if (new->comp_info[other].h_samp_factor > largest_h) {
      largest_h = new->comp_info[other].h_samp_factor;
    }
    if (new->comp_info[other].v_samp_factor > largest_v) {
      largest_v = new->comp_info[other].v_samp_factor;
    }
  }
  plane->width = in_blocks(new->image_width, to->h_samp_factor, largest_h);
  plane->height = in_blocks(new->image_height, to->v_samp_factor, largest_v);
  plane->mirrors_x = move->mirrors_x;
  plane->mirrors_y = move->mirrors_y;
  plane->swaps = move->swaps;
  uint32_t column = move->mirrors_x ? move->x + move->width : move->x;
  uint32_t row = move->mirrors_y ? move->y + move->height : move->y;
  plane->left = in_blocks(column, from->h_samp_factor, old->max_h_samp_factor);
  plane->top = in_blocks(row, from->v_samp_factor, old->max_v_samp_factor);
  for (int y = 0; y < DCTSIZE; y++) {
    for (int x = 0; x < DCTSIZE; x++) {
      bool is_odd_in_x = (move->swaps ? y : x) % 2 == 1;
      bool is_odd_in_y = (move->swaps ? x : y) % 2 == 1;
      bool changes = (move->mirrors_x && is_odd_in_x) != (move->mirrors_y && is_odd_in_y);
      plane->signs[y * DCTSIZE + x] = changes ? -1 : 0;
    }
  }

  struct jpeg_memory_mgr *memory = new->mem;
  j_common_ptr owner = (j_common_ptr) new;
  plane->old_rows =
    memory->alloc_large(owner, JPOOL_IMAGE, from->height_in_blocks * sizeof(JBLOCKROW));
  for (JDIMENSION old_row = 0; old_row < from->height_in_blocks; old_row++) {
    plane->old_rows[old_row] =
      old->mem->access_virt_barray((j_common_ptr) old, coefficients, old_row, 1, FALSE)[0];
  }
  // Whole MCUs, so that what is asked for at once is in one strip.
  JDIMENSION factor = (JDIMENSION) to->v_samp_factor;
  plane->strip_height = (STRIP + factor - 1) / factor * factor;
  plane->strip = memory->alloc_barray(owner, JPOOL_IMAGE, plane->width, plane->strip_height);
  plane->rows = memory->alloc_small(owner, JPOOL_IMAGE, plane->strip_height * sizeof(JBLOCKROW));
  memcpy(plane->rows, plane->strip, plane->strip_height * sizeof(JBLOCKROW));
  plane->strip_start = 0;
  plane->has_strip = false;
}

jvirt_barray_ptr *cjpeg_planes(
  j_decompress_ptr old, j_compress_ptr new, jvirt_barray_ptr *coefficients, const CJpegMove *move
) {
  size_t count = (size_t) new->num_components;
  j_common_ptr owner = (j_common_ptr) new;
  Plane *planes = new->mem->alloc_small(owner, JPOOL_IMAGE, count * sizeof(Plane));
  jvirt_barray_ptr *arrays =
    new->mem->alloc_small(owner, JPOOL_IMAGE, count * sizeof(jvirt_barray_ptr));
  for (size_t index = 0; index < count; index++) {
    prepare(&planes[index], old, new, (int) index, coefficients[index], move);
    arrays[index] = (jvirt_barray_ptr) (void *) &planes[index];
  }
  new->mem->access_virt_barray = rows_of;
  return arrays;
}
