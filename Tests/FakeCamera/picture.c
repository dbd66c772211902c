#include "camera.h"

#include <string.h>

struct color {
  uint8_t y, u, v, rgb[3];
};

// The bars of a test card: white, yellow, cyan, green, magenta, red, blue, black at 75 %, in BT.601 of
// limited range.
static const struct color bars[8] = {
    {180, 128, 128, {191, 191, 191}}, {162, 44, 142, {191, 191, 0}}, {131, 156, 44, {0, 191, 191}},
    {112, 72, 58, {0, 191, 0}},       {84, 184, 198, {191, 0, 191}}, {65, 100, 212, {191, 0, 0}},
    {35, 212, 114, {0, 0, 191}},      {16, 128, 128, {0, 0, 0}},
};
static const struct color white = {235, 128, 128, {255, 255, 255}};

unsigned picture_depth(uint32_t code) {
  switch (code) {
  case V4L2_PIX_FMT_GREY:
  case V4L2_PIX_FMT_NV12:
  case V4L2_PIX_FMT_YUV420: return 1;
  case V4L2_PIX_FMT_YUYV:
  case V4L2_PIX_FMT_UYVY: return 2;
  case V4L2_PIX_FMT_RGB24:
  case V4L2_PIX_FMT_BGR24: return 3;
  default: return 0;
  }
}

static struct color color_at(const struct v4l2_pix_format *f, unsigned x, unsigned y, unsigned light) {
  bool is_corner = y >= f->height * 3 / 4 && x < f->width / 2;
  struct color color = is_corner ? white : bars[x * 8 / f->width];
  color.y = (uint8_t)(16 + (color.y - 16) * light / 256);
  for (int i = 0; i < 3; i++) color.rgb[i] = (uint8_t)(color.rgb[i] * light / 256);
  return color;
}

static void draw_pixel(
    const struct v4l2_pix_format *f, uint8_t *to, unsigned x, unsigned y, struct color color) {
  uint8_t *row = to + (size_t)y * f->bytesperline;
  uint8_t *below = to + (size_t)f->bytesperline * f->height;
  switch (f->pixelformat) {
  // Gray is of full range.
  case V4L2_PIX_FMT_GREY: row[x] = (uint8_t)((color.y - 16) * 255 / 219); break;
  case V4L2_PIX_FMT_YUYV:
    row[2 * x] = color.y;
    row[2 * x + 1] = x % 2 ? color.v : color.u;
    break;
  case V4L2_PIX_FMT_UYVY:
    row[2 * x + 1] = color.y;
    row[2 * x] = x % 2 ? color.v : color.u;
    break;
  case V4L2_PIX_FMT_NV12:
    row[x] = color.y;
    if (y % 2 == 0) below[(size_t)y / 2 * f->bytesperline + x] = x % 2 ? color.v : color.u;
    break;
  case V4L2_PIX_FMT_YUV420: {
    row[x] = color.y;
    size_t at = (size_t)y / 2 * (f->bytesperline / 2) + x / 2;
    below[at] = color.u;
    below[(size_t)f->bytesperline / 2 * (f->height / 2) + at] = color.v;
    break;
  }
  case V4L2_PIX_FMT_RGB24: memcpy(row + 3 * x, color.rgb, 3); break;
  case V4L2_PIX_FMT_BGR24:
    for (int i = 0; i < 3; i++) row[3 * x + i] = color.rgb[2 - i];
    break;
  }
}

size_t picture_draw(
    const struct v4l2_pix_format *format,
    const struct recording *recording,
    unsigned sequence,
    unsigned brightness,
    uint8_t *to,
    size_t room) {
  if (recording->records) {
    size_t at = recording->starts[sequence % recording->records];
    const uint8_t *head = recording->bytes + at;
    size_t length = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
    if (length > room) length = room;
    memcpy(to, head + 4, length);
    return length;
  }
  if (!picture_depth(format->pixelformat) || format->sizeimage > room) return 0;
  // A color of its own stands in the padding, so that it shows where it is taken for picture.
  memset(to, 0xEE, format->sizeimage);
  for (unsigned y = 0; y < format->height; y++)
    for (unsigned x = 0; x < format->width; x++)
      draw_pixel(format, to, x, y, color_at(format, x, y, brightness));
  return format->sizeimage;
}
