#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CJpeg.h"
#include "Errors.h"
#include "Planes.h"

// Behind jpeglib.h: the message codes need its types.
#include <jerror.h>

// As many scans as libvips reads of a file: more of them make a small file slow, and nothing else.
#define MOST_SCANS 100
#define BUFFER_SIZE (1 << 16)

// MARK: The old file

typedef struct {
  struct jpeg_source_mgr manager;
  const CJpegFiles *files;
  JOCTET buffer[BUFFER_SIZE];
} Source;

static void ignore_source(j_decompress_ptr info) { (void) info; }

static boolean fill(j_decompress_ptr info) {
  Source *source = (Source *) info->src;
  size_t count = source->files->read(source->files->context, source->buffer, BUFFER_SIZE);
  if (count == 0) {
    WARNMS(info, JWRN_JPEG_EOF);
    // As if the file ended here; the decoder fills in the rest.
    source->buffer[0] = 0xff;
    source->buffer[1] = JPEG_EOI;
    count = 2;
  }
  source->manager.next_input_byte = source->buffer;
  source->manager.bytes_in_buffer = count;
  return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
  Source *source = (Source *) info->src;
  while (count > (long) source->manager.bytes_in_buffer) {
    count -= (long) source->manager.bytes_in_buffer;
    fill(info);
  }
  if (count <= 0) return;
  source->manager.next_input_byte += count;
  source->manager.bytes_in_buffer -= (size_t) count;
}

static void open_source(j_decompress_ptr info, Source *source, const CJpegFiles *files) {
  source->files = files;
  source->manager.init_source = ignore_source;
  source->manager.fill_input_buffer = fill;
  source->manager.skip_input_data = skip;
  source->manager.resync_to_restart = jpeg_resync_to_restart;
  source->manager.term_source = ignore_source;
  source->manager.bytes_in_buffer = 0;
  info->src = &source->manager;
}

// MARK: The new file

typedef struct {
  struct jpeg_destination_mgr manager;
  const CJpegFiles *files;
  bool *has_failed;
  JOCTET buffer[BUFFER_SIZE];
} Target;

static void begin(j_compress_ptr info) {
  Target *target = (Target *) info->dest;
  target->manager.next_output_byte = target->buffer;
  target->manager.free_in_buffer = BUFFER_SIZE;
}

static void write_bytes(j_compress_ptr info, const JOCTET *bytes, size_t count) {
  Target *target = (Target *) info->dest;
  if (count == 0 || target->files->write(target->files->context, bytes, count)) return;
  *target->has_failed = true;
  ERREXIT(info, JERR_FILE_WRITE);
}

static boolean flush(j_compress_ptr info) {
  Target *target = (Target *) info->dest;
  // Called only where the buffer is full, whatever its counters say.
  write_bytes(info, target->buffer, BUFFER_SIZE);
  begin(info);
  return TRUE;
}

static void end(j_compress_ptr info) {
  Target *target = (Target *) info->dest;
  write_bytes(info, target->buffer, BUFFER_SIZE - target->manager.free_in_buffer);
  begin(info);
}

static void open_target(
  j_compress_ptr info, Target *target, const CJpegFiles *files, bool *has_failed
) {
  target->files = files;
  target->has_failed = has_failed;
  target->manager.init_destination = begin;
  target->manager.empty_output_buffer = flush;
  target->manager.term_destination = end;
  info->dest = &target->manager;
}

// MARK: What is moved

static void count_scans(j_common_ptr info) {
  if (((j_decompress_ptr) info)->input_scan_number > MOST_SCANS) ERREXIT(info, JERR_BAD_PROGRESSION);
}

// A file with less than a bit for each block has lost its end; to know that first keeps a few bytes
// from costing gigabytes.
static bool is_too_short(j_decompress_ptr info, uint64_t length) {
  if (info->arith_code) return false;
  uint64_t blocks = 0;
  for (int index = 0; index < info->num_components; index++) {
    const jpeg_component_info *component = &info->comp_info[index];
    blocks += (uint64_t) component->width_in_blocks * component->height_in_blocks;
  }
  return length < blocks / 8;
}

static bool fits(j_decompress_ptr info, const CJpegMove *move) {
  if (info->image_width != move->stored_width || info->image_height != move->stored_height) {
    return false;
  }
  if (move->width == 0 || move->width > info->image_width
      || move->x > info->image_width - move->width || move->height == 0
      || move->height > info->image_height || move->y > info->image_height - move->height) {
    return false;
  }
  uint32_t unit_width = 8;
  uint32_t unit_height = 8;
  if (info->num_components > 1) {
    unit_width *= (uint32_t) info->max_h_samp_factor;
    unit_height *= (uint32_t) info->max_v_samp_factor;
  }
  uint32_t column = move->mirrors_x ? move->x + move->width : move->x;
  uint32_t row = move->mirrors_y ? move->y + move->height : move->y;
  return column % unit_width == 0 && row % unit_height == 0;
}

// The new file's header, from the old one's.
static void describe(j_decompress_ptr source, j_compress_ptr target, const CJpegMove *move) {
  jpeg_copy_critical_parameters(source, target);
  target->image_width = move->swaps ? move->height : move->width;
  target->image_height = move->swaps ? move->width : move->height;
#if JPEG_LIB_VERSION >= 70
  target->jpeg_width = target->image_width;
  target->jpeg_height = target->image_height;
#endif
  if (target->num_components == 1) {
    // Alone in its scans, a component has MCUs of one block, whatever its factors say.
    target->comp_info[0].h_samp_factor = 1;
    target->comp_info[0].v_samp_factor = 1;
  }
  if (move->swaps) {
    for (int index = 0; index < target->num_components; index++) {
      jpeg_component_info *component = &target->comp_info[index];
      int factor = component->h_samp_factor;
      component->h_samp_factor = component->v_samp_factor;
      component->v_samp_factor = factor;
    }
    for (int index = 0; index < NUM_QUANT_TBLS; index++) {
      JQUANT_TBL *table = target->quant_tbl_ptrs[index];
      if (table == NULL) continue;
      for (int row = 0; row < DCTSIZE; row++) {
        for (int column = 0; column < row; column++) {
          UINT16 value = table->quantval[row * DCTSIZE + column];
          table->quantval[row * DCTSIZE + column] = table->quantval[column * DCTSIZE + row];
          table->quantval[column * DCTSIZE + row] = value;
        }
      }
    }
  }
  target->optimize_coding = TRUE;
  // Some libraries would rather have progressive ones.
  target->scan_info = NULL;
  target->num_scans = 0;
  if (source->progressive_mode) jpeg_simple_progression(target);
  // The segments that say so are among those that the caller brings.
  target->write_JFIF_header = FALSE;
  target->write_Adobe_marker = FALSE;
}

typedef struct {
  struct jpeg_decompress_struct old;
  struct jpeg_compress_struct new;
  Errors errors;
  struct jpeg_progress_mgr progress;
  Source source;
  Target target;
  bool is_writing;
  bool was_damaged;
  bool has_failed_to_write;
} Work;

static CJpegOutcome run(Work *work, const CJpegMove *move, const CJpegFiles *files) {
  if (setjmp(work->errors.back) != 0) {
    if (work->errors.manager.msg_code == JERR_OUT_OF_MEMORY) return CJPEG_NO_MEMORY;
    if (work->has_failed_to_write) return CJPEG_NOT_WRITTEN;
    // What damaged data has been taken for need not be possible to write.
    return work->is_writing && !work->was_damaged ? CJPEG_NOT_MOVED : CJPEG_NOT_READ;
  }
  j_decompress_ptr old = &work->old;
  j_compress_ptr new = &work->new;
  jpeg_create_decompress(old);
  jpeg_create_compress(new);
  open_source(old, &work->source, files);
  open_target(new, &work->target, files, &work->has_failed_to_write);
  jpeg_read_header(old, TRUE);
  if (!fits(old, move)) return CJPEG_NOT_MOVED;
  if (is_too_short(old, files->length)) return CJPEG_NOT_READ;
  work->progress.progress_monitor = count_scans;
  old->progress = &work->progress;
  // Rows are asked for once and then used where they are.
  old->mem->max_memory_to_use = LONG_MAX;
  jvirt_barray_ptr *coefficients = jpeg_read_coefficients(old);

  work->was_damaged = work->errors.is_damaged;
  work->is_writing = true;
  describe(old, new, move);
  jvirt_barray_ptr *planes = cjpeg_planes(old, new, coefficients, move);
  jpeg_write_coefficients(new, planes);
  // The file's start has been written into the buffer.
  end(new);
  write_bytes(new, files->segments, files->segments_length);
  jpeg_finish_compress(new);
  // What stands behind the last scan is asked for only here.
  work->is_writing = false;
  jpeg_finish_decompress(old);
  if (work->errors.is_damaged) return CJPEG_MOVED_DAMAGED;
  return work->errors.has_warned ? CJPEG_MOVED_WARNED : CJPEG_MOVED;
}

CJpegOutcome cjpeg_move(const CJpegMove *move, const CJpegFiles *files) {
  Work *work = calloc(1, sizeof *work);
  if (work == NULL) return CJPEG_NO_MEMORY;
  work->old.err = cjpeg_listen(&work->errors);
  work->new.err = work->old.err;
  CJpegOutcome outcome = run(work, move, files);
  jpeg_destroy_compress(&work->new);
  jpeg_destroy_decompress(&work->old);
  free(work);
  return outcome;
}
