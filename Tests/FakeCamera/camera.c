#include "parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t period(const struct camera *c) {
  return 1000000000LL * c->interval.numerator / c->interval.denominator;
}

// MARK: Stream

static struct fault *find_fault(struct camera *c, enum fault_kind kind, unsigned frame) {
  for (unsigned i = 0; i < c->description.faults; i++) {
    struct fault *fault = &c->description.fault[i];
    if (fault->kind == kind && fault->frame == frame && !fault->is_over) return fault;
  }
  return NULL;
}

static bool happens(struct camera *c, enum fault_kind kind, unsigned frame) {
  struct fault *fault = find_fault(c, kind, frame);
  if (fault && !fault->is_repeated) fault->is_over = true;
  return fault;
}

static void free_buffers(struct camera *c) {
  free(c->memory);
  c->memory = NULL;
  c->buffers = c->queued = c->filled = 0;
  c->owner = 0;
}

static void start_state(struct camera *c) {
  free_buffers(c);
  c->is_streaming = c->is_broken = false;
  c->input = 0;
  c->interval = (struct v4l2_fract){1, c->description.rate ? c->description.rate : 1000};
  struct v4l2_pix_format pixels = {.pixelformat = c->description.format[0].code};
  formats_agree(c, &pixels, &c->format, &c->size);
  c->agreed = pixels;
}

void camera_start(struct camera *c, const struct description *description) {
  memset(c, 0, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
  c->description = *description;
  c->original = *description;
  start_state(c);
}

// Lets the time pass: frames that are due fill buffers, or are lost where there is none.
static void advance(struct camera *c) {
  if (c->is_gone) {
    int64_t after = c->description.return_after;
    if (!after || now() < c->unplugged + after) return;
    c->description = c->original;
    // It is unplugged once.
    for (unsigned i = 0; i < c->description.faults; i++)
      if (c->description.fault[i].kind == UNPLUG) c->description.fault[i].is_over = true;
    c->is_gone = false;
    c->generation++;
    start_state(c);
  }
  while (c->is_streaming && !c->is_broken && !c->is_gone) {
    bool is_paced = c->description.rate > 0;
    if (is_paced ? now() < c->due : !c->queued) return;
    if (find_fault(c, STALL, c->sequence)) return;
    bool is_unplugged = find_fault(c, UNPLUG, c->sequence);
    if (is_unplugged || find_fault(c, EIO_FAULT, c->sequence)) {
      // The frames before it are taken first, so that tests know how many there were.
      if (c->filled) return;
      happens(c, is_unplugged ? UNPLUG : EIO_FAULT, c->sequence);
      c->is_gone = is_unplugged;
      c->is_broken = !is_unplugged;
      c->unplugged = now();
      return;
    }
    if (c->queued) {
      c->done[c->filled].buffer = c->queue[0];
      c->done[c->filled].sequence = c->sequence;
      c->done[c->filled].time = is_paced ? c->due : now();
      c->filled++;
      memmove(c->queue, c->queue + 1, --c->queued * sizeof *c->queue);
    }
    c->sequence++;
    c->due += period(c);
  }
}

static void describe(struct camera *c, struct v4l2_buffer *buffer, unsigned index) {
  buffer->index = index;
  buffer->field = V4L2_FIELD_NONE;
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
  for (unsigned i = 0; i < c->queued; i++)
    if (c->queue[i] == index) buffer->flags |= V4L2_BUF_FLAG_QUEUED;
  uint32_t offset = (uint32_t)(index * c->buffer_length);
  if (c->description.is_multiplanar) {
    buffer->length = 1;
    buffer->m.planes[0].length = (uint32_t)c->buffer_length;
    buffer->m.planes[0].m.mem_offset = offset;
  } else {
    buffer->length = (uint32_t)c->buffer_length;
    buffer->m.offset = offset;
  }
}

static int request_buffers(struct camera *c, uint64_t file, struct v4l2_requestbuffers *argument) {
  if (argument->type != camera_buffer_type(c) || argument->memory != V4L2_MEMORY_MMAP) return -EINVAL;
  if (c->is_streaming || c->description.is_busy) return -EBUSY;
  free_buffers(c);
  if (argument->count > MOST_BUFFERS) argument->count = MOST_BUFFERS;
  argument->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP;
  if (!argument->count) return 0;
  c->buffer_length = (c->agreed.sizeimage + 4095) & ~4095ul;
  c->memory = calloc(argument->count, c->buffer_length);
  if (!c->memory) return -ENOMEM;
  c->buffers = argument->count;
  c->owner = file;
  return 0;
}

static int query_buffer(struct camera *c, struct v4l2_buffer *buffer) {
  if (buffer->type != camera_buffer_type(c) || buffer->index >= c->buffers) return -EINVAL;
  describe(c, buffer, buffer->index);
  return 0;
}

static int queue_buffer(struct camera *c, struct v4l2_buffer *buffer) {
  if (buffer->type != camera_buffer_type(c) || buffer->index >= c->buffers) return -EINVAL;
  for (unsigned i = 0; i < c->queued; i++)
    if (c->queue[i] == buffer->index) return -EINVAL;
  for (unsigned i = 0; i < c->filled; i++)
    if (c->done[i].buffer == buffer->index) return -EINVAL;
  c->queue[c->queued++] = buffer->index;
  describe(c, buffer, buffer->index);
  return 0;
}

static int dequeue_buffer(struct camera *c, struct v4l2_buffer *buffer) {
  if (buffer->type != camera_buffer_type(c) || !c->is_streaming) return -EINVAL;
  if (c->is_broken) return -EIO;
  if (!c->filled) return -EAGAIN;
  unsigned index = c->done[0].buffer, sequence = c->done[0].sequence;
  int64_t time = c->done[0].time;
  memmove(c->done, c->done + 1, --c->filled * sizeof *c->done);
  unsigned dark = c->description.dark;
  unsigned brightness = sequence < dark ? 256 * (sequence + 1) / (dark + 1) : 256;
  size_t used = picture_draw(&c->agreed, &c->size->recording, sequence, brightness,
                             c->memory + index * c->buffer_length, c->buffer_length);
  if (happens(c, SHORT, sequence)) used /= 2;
  describe(c, buffer, index);
  if (happens(c, FLAGGED, sequence)) buffer->flags |= V4L2_BUF_FLAG_ERROR;
  if (c->description.is_multiplanar)
    buffer->m.planes[0].bytesused = (uint32_t)used;
  else
    buffer->bytesused = (uint32_t)used;
  buffer->sequence = sequence;
  buffer->timestamp.tv_sec = time / 1000000000;
  buffer->timestamp.tv_usec = time % 1000000000 / 1000;
  return 0;
}

static int stream_on(struct camera *c, unsigned type) {
  if (type != camera_buffer_type(c) || !c->buffers) return -EINVAL;
  if (c->description.has_no_space) return -ENOSPC;
  if (c->is_streaming) return 0;
  c->is_streaming = true;
  c->sequence = 0;
  c->due = now() + period(c);
  return 0;
}

static int stream_off(struct camera *c, unsigned type) {
  if (type != camera_buffer_type(c)) return -EINVAL;
  for (unsigned i = 0; i < c->description.faults && c->is_streaming; i++) {
    struct fault *fault = &c->description.fault[i];
    if (fault->kind == STALL && fault->frame == c->sequence && !fault->is_repeated)
      fault->is_over = true;
  }
  c->is_streaming = c->is_broken = false;
  c->queued = c->filled = 0;
  return 0;
}

// MARK: Requests

static int query_capabilities(const struct camera *c, struct v4l2_capability *answer) {
  memset(answer, 0, sizeof *answer);
  memcpy(answer->driver, c->description.driver, sizeof answer->driver);
  memcpy(answer->card, c->description.card, sizeof answer->card);
  memcpy(answer->bus_info, c->description.bus, sizeof answer->bus_info);
  answer->version = 6 << 16 | 1 << 8;
  answer->device_caps = c->description.capabilities;
  // Of all nodes of the camera together: each can also have one for metadata.
  answer->capabilities =
      c->description.capabilities | V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_META_CAPTURE | V4L2_CAP_DEVICE_CAPS;
  if (c->description.is_multiplanar) answer->capabilities &= ~(uint32_t)V4L2_CAP_VIDEO_CAPTURE;
  return 0;
}

static int enumerate_input(const struct camera *c, struct v4l2_input *argument) {
  unsigned index = argument->index;
  if (index >= (c->description.inputs ? c->description.inputs : 1)) return -EINVAL;
  *argument = c->description.input[index];
  if (c->description.inputs) return 0;
  strcpy((char *)argument->name, "Camera 1");
  argument->type = V4L2_INPUT_TYPE_CAMERA;
  return 0;
}

static int set_input(struct camera *c, const int *index) {
  if (*index < 0 || (unsigned)*index >= (c->description.inputs ? c->description.inputs : 1))
    return -EINVAL;
  if (c->buffers) return -EBUSY;
  c->input = (unsigned)*index;
  return 0;
}

static bool is_for_owner(unsigned long request) {
  switch (request) {
  case VIDIOC_S_FMT:
  case VIDIOC_REQBUFS:
  case VIDIOC_QBUF:
  case VIDIOC_DQBUF:
  case VIDIOC_STREAMON:
  case VIDIOC_STREAMOFF: return true;
  default: return false;
  }
}

static int answer(struct camera *c, uint64_t file, unsigned long request, void *argument) {
  switch (request) {
  case VIDIOC_QUERYCAP: return query_capabilities(c, argument);
  case VIDIOC_ENUMINPUT: return enumerate_input(c, argument);
  case VIDIOC_G_INPUT: return *(int *)argument = (int)c->input, 0;
  case VIDIOC_S_INPUT: return set_input(c, argument);
  case VIDIOC_ENUM_FMT: return formats_enumerate(c, argument);
  case VIDIOC_ENUM_FRAMESIZES: return formats_enumerate_sizes(c, argument);
  case VIDIOC_ENUM_FRAMEINTERVALS: return formats_enumerate_intervals(c, argument);
  case VIDIOC_G_FMT: return formats_get(c, argument);
  case VIDIOC_TRY_FMT: return formats_set(c, argument, true);
  case VIDIOC_S_FMT: return formats_set(c, argument, false);
  case VIDIOC_G_PARM: return formats_parameters(c, argument, false);
  case VIDIOC_S_PARM: return formats_parameters(c, argument, true);
  case VIDIOC_QUERYCTRL: return controls_query(c, argument);
  case VIDIOC_QUERYMENU: return controls_query_choice(c, argument);
  case VIDIOC_G_CTRL: return controls_get(c, argument);
  case VIDIOC_S_CTRL: return controls_set(c, argument);
  case VIDIOC_REQBUFS: return request_buffers(c, file, argument);
  case VIDIOC_QUERYBUF: return query_buffer(c, argument);
  case VIDIOC_QBUF: return queue_buffer(c, argument);
  case VIDIOC_DQBUF: return dequeue_buffer(c, argument);
  case VIDIOC_STREAMON: return stream_on(c, *(unsigned *)argument);
  case VIDIOC_STREAMOFF: return stream_off(c, *(unsigned *)argument);
  default: return -ENOTTY;
  }
}

int camera_request(struct camera *c, uint64_t file, unsigned long request, void *argument) {
  pthread_mutex_lock(&c->lock);
  advance(c);
  bool is_foreign = c->owner && c->owner != file && is_for_owner(request);
  int result = c->is_gone ? -ENODEV : is_foreign ? -EBUSY : answer(c, file, request, argument);
  pthread_mutex_unlock(&c->lock);
  return result;
}

void camera_release(struct camera *c, uint64_t file) {
  pthread_mutex_lock(&c->lock);
  if (c->owner == file) {
    stream_off(c, camera_buffer_type(c));
    free_buffers(c);
  }
  pthread_mutex_unlock(&c->lock);
}

int64_t camera_wait(struct camera *c, short *events) {
  pthread_mutex_lock(&c->lock);
  advance(c);
  int64_t wait = 0;
  *events = 0;
  if (c->is_gone)
    *events = POLLERR | POLLHUP;
  else if (!c->is_streaming || c->is_broken)
    *events = POLLERR;
  else if (c->filled)
    *events = POLLIN | POLLRDNORM;
  else if (find_fault(c, STALL, c->sequence) || !c->queued)
    wait = -1;
  else
    wait = c->due > now() ? c->due - now() : 1;
  pthread_mutex_unlock(&c->lock);
  return wait;
}

int camera_generation(struct camera *c) {
  pthread_mutex_lock(&c->lock);
  advance(c);
  int generation = c->is_gone ? -1 : c->generation;
  pthread_mutex_unlock(&c->lock);
  return generation;
}

void camera_read(struct camera *c, uint8_t *to, size_t count, uint64_t offset) {
  pthread_mutex_lock(&c->lock);
  uint64_t length = c->memory ? c->buffers * c->buffer_length : 0;
  size_t there = offset < length ? (size_t)(length - offset) : 0;
  if (there > count) there = count;
  if (there) memcpy(to, c->memory + offset, there);
  memset(to + there, 0, count - there);
  pthread_mutex_unlock(&c->lock);
}
