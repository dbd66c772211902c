// A camera as its driver sees it: it answers V4L2 requests and fills buffers at its own pace. How the
// requests come to it is no matter of this file.
//
// Its description is text, one statement a line, words separated by spaces:
//
//   driver|card|bus TEXT
//   capabilities NUMBER          V4L2_CAP_…, instead of capture and streaming
//   multiplanar                  frames come in planes, and only so
//   refuse NUMBER                opening fails with this errno
//   rate N                       frames in a second; 0: as fast as they are taken, none ever lost
//   dark N                       the first N frames grow from dark to bright
//   input NAME | silent NAME     a socket with and one without a signal; none stands for one
//   format CODE TITLE            then its sizes:
//   size W H [pad=BYTES] [frames=PATH]
//   range W W STEP H H STEP      all sizes in steps, instead of sizes
//   control ID TYPE MIN MAX STEP DEFAULT TITLE
//   flags ID NUMBER              V4L2_CTRL_FLAG_… of a control
//   needs ID OTHER VALUE         the control is inactive unless the other one has this value
//   menu ID INDEX TITLE
//   fault KIND                   busy | nospace
//   fault KIND@N | KIND@N*       at frame N, once or in each stream:
//                                flagged | short | eio | stall | unplug
//   back MILLISECONDS            after which an unplugged camera is there again, as new
//
// A file of `frames` has records: the length in four bytes, the least first, and the bytes. Frame N is
// record N, beginning again after the last. Other frames are drawn: eight bars of the colors of a test
// card at three quarters of full brightness, and white in the left half of the lowest quarter.
#ifndef CAMERA_H
#define CAMERA_H

#include <linux/videodev2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_FORMATS = 16, MOST_SIZES = 16, MOST_CONTROLS = 64, MOST_CHOICES = 64 };
enum { MOST_FAULTS = 16, MOST_INPUTS = 8, MOST_BUFFERS = 32 };

struct recording {
  uint8_t *bytes;
  size_t count;
  size_t *starts;
  size_t records;
};

struct size {
  unsigned width, height;
  unsigned padding;
  struct recording recording;
};

struct format {
  uint32_t code;
  char title[32];
  unsigned sizes;
  struct size size[MOST_SIZES];
  bool is_range;
  struct v4l2_frmsize_stepwise range;
};

struct control {
  struct v4l2_queryctrl query;
  int value;
  // 0 where it is always active.
  uint32_t needs;
  int needed_value;
};

enum fault_kind { FLAGGED, SHORT, EIO_FAULT, STALL, UNPLUG, FAULT_KINDS };

struct fault {
  enum fault_kind kind;
  unsigned frame;
  bool is_repeated, is_over;
};

struct description {
  char driver[16], card[32], bus[32];
  uint32_t capabilities;
  bool is_multiplanar;
  int refusal;
  unsigned rate, dark;
  unsigned inputs;
  struct v4l2_input input[MOST_INPUTS];
  unsigned formats;
  struct format format[MOST_FORMATS];
  unsigned controls;
  struct control control[MOST_CONTROLS];
  unsigned choices;
  struct v4l2_querymenu choice[MOST_CHOICES];
  unsigned faults;
  struct fault fault[MOST_FAULTS];
  bool is_busy, has_no_space;
  // 0 where it does not come back.
  int64_t return_after;
};

// Times are of CLOCK_MONOTONIC, in nanoseconds.
struct camera {
  pthread_mutex_t lock;
  struct description description;
  // As it was, for when it comes back.
  struct description original;
  int64_t unplugged;
  bool is_gone;
  int generation;

  unsigned input;
  const struct format *format;
  struct v4l2_pix_format agreed;
  const struct size *size;
  struct v4l2_fract interval;

  // The open file that has asked for the buffers; 0 for none.
  uint64_t owner;
  unsigned buffers;
  size_t buffer_length;
  uint8_t *memory;
  bool is_streaming;
  // Every frame is an error until the stream is stopped.
  bool is_broken;
  unsigned queued, filled;
  unsigned queue[MOST_BUFFERS];
  struct {
    unsigned buffer;
    unsigned sequence;
    int64_t time;
  } done[MOST_BUFFERS];
  // Of the frame that comes next.
  unsigned sequence;
  int64_t due;
};

// Reads a description. Returns false and says why on standard error.
bool description_read(struct description *description, const char *text, const char *name);

void camera_start(struct camera *camera, const struct description *description);

// The request of an open file. Returns 0 or minus an errno; never waits. Planes of a buffer are an
// array of ours.
int camera_request(struct camera *camera, uint64_t file, unsigned long request, void *argument);

// The file is closed.
void camera_release(struct camera *camera, uint64_t file);

// How long until something can be taken, in nanoseconds; 0 where it can, -1 for never. What it is
// are flags of poll(2).
int64_t camera_wait(struct camera *camera, short *events);

// How often it was plugged in again; -1 while it is unplugged.
int camera_generation(struct camera *camera);

// The bytes of the buffers from an offset on; 0 behind their end.
void camera_read(struct camera *camera, uint8_t *to, size_t count, uint64_t offset);

// Draws a frame and returns how many bytes it has. `brightness` is of 256.
size_t picture_draw(
    const struct v4l2_pix_format *format,
    const struct recording *recording,
    unsigned sequence,
    unsigned brightness,
    uint8_t *to,
    size_t room);

// Bytes of a pixel in the first plane; 0 of compressed and unknown formats.
unsigned picture_depth(uint32_t code);

int64_t now(void);

#endif
