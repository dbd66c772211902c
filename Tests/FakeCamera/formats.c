#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

unsigned camera_buffer_type(const struct camera *c) {
  return c->description.is_multiplanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
                                       : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

static unsigned in_range(unsigned wish, unsigned least, unsigned most, unsigned step) {
  if (wish <= least) return least;
  if (wish >= most) return most;
  return least + (wish - least) / step * step;
}

// Like the USB driver: an unknown format becomes the first, and any size the nearest.
void formats_agree(
    const struct camera *c,
    struct v4l2_pix_format *pixels,
    const struct format **format,
    const struct size **size) {
  const struct description *d = &c->description;
  *format = &d->format[0];
  for (unsigned i = 0; i < d->formats; i++)
    if (d->format[i].code == pixels->pixelformat) *format = &d->format[i];
  *size = &(*format)->size[0];
  unsigned nearest = ~0u;
  for (unsigned i = 0; i < (*format)->sizes; i++) {
    const struct size *candidate = &(*format)->size[i];
    unsigned distance = (unsigned)(abs((int)candidate->width - (int)pixels->width) +
                                   abs((int)candidate->height - (int)pixels->height));
    if (distance < nearest) {
      nearest = distance;
      *size = candidate;
    }
  }
  unsigned asked = pixels->bytesperline;
  struct v4l2_pix_format answer = {
      .width = (*size)->width,
      .height = (*size)->height,
      .pixelformat = (*format)->code,
      .field = V4L2_FIELD_NONE,
      .priv = V4L2_PIX_FMT_PRIV_MAGIC,
  };
  if ((*format)->is_range) {
    const struct v4l2_frmsize_stepwise *range = &(*format)->range;
    answer.width = in_range(pixels->width, range->min_width, range->max_width, range->step_width);
    answer.height =
        in_range(pixels->height, range->min_height, range->max_height, range->step_height);
  }
  unsigned depth = picture_depth(answer.pixelformat);
  answer.colorspace = depth ? V4L2_COLORSPACE_SRGB : V4L2_COLORSPACE_JPEG;
  if (depth) {
    unsigned least = answer.width * depth + (*size)->padding;
    // A longer row is granted, and stays until another one is asked for.
    answer.bytesperline = asked > least && asked < 4 * least ? asked : least;
    answer.sizeimage = answer.bytesperline * answer.height;
    if (depth == 1 && answer.pixelformat != V4L2_PIX_FMT_GREY) answer.sizeimage = answer.sizeimage * 3 / 2;
  } else {
    answer.sizeimage = answer.width * answer.height * 2;
  }
  *pixels = answer;
}

static void to_planes(const struct v4l2_pix_format *pixels, struct v4l2_pix_format_mplane *planes) {
  memset(planes, 0, sizeof *planes);
  planes->width = pixels->width;
  planes->height = pixels->height;
  planes->pixelformat = pixels->pixelformat;
  planes->field = pixels->field;
  planes->colorspace = pixels->colorspace;
  planes->num_planes = 1;
  planes->plane_fmt[0].sizeimage = pixels->sizeimage;
  planes->plane_fmt[0].bytesperline = pixels->bytesperline;
}

int formats_get(struct camera *c, struct v4l2_format *format) {
  if (format->type != camera_buffer_type(c)) return -EINVAL;
  if (c->description.is_multiplanar)
    to_planes(&c->agreed, &format->fmt.pix_mp);
  else
    format->fmt.pix = c->agreed;
  return 0;
}

int formats_set(struct camera *c, struct v4l2_format *argument, bool is_trial) {
  if (argument->type != camera_buffer_type(c)) return -EINVAL;
  if (!is_trial && (c->buffers || c->description.is_busy)) return -EBUSY;
  struct v4l2_pix_format pixels = argument->fmt.pix;
  if (c->description.is_multiplanar) {
    const struct v4l2_pix_format_mplane *planes = &argument->fmt.pix_mp;
    pixels = (struct v4l2_pix_format){
        .width = planes->width, .height = planes->height, .pixelformat = planes->pixelformat};
  }
  const struct format *format;
  const struct size *size;
  formats_agree(c, &pixels, &format, &size);
  if (!is_trial) {
    c->agreed = pixels;
    c->format = format;
    c->size = size;
  }
  if (c->description.is_multiplanar)
    to_planes(&pixels, &argument->fmt.pix_mp);
  else
    argument->fmt.pix = pixels;
  return 0;
}

static const struct format *find_format(const struct camera *c, uint32_t code) {
  for (unsigned i = 0; i < c->description.formats; i++)
    if (c->description.format[i].code == code) return &c->description.format[i];
  return NULL;
}

int formats_enumerate(const struct camera *c, struct v4l2_fmtdesc *entry) {
  if (entry->type != camera_buffer_type(c) || entry->index >= c->description.formats) return -EINVAL;
  const struct format *format = &c->description.format[entry->index];
  entry->pixelformat = format->code;
  entry->flags = picture_depth(format->code) ? 0 : V4L2_FMT_FLAG_COMPRESSED;
  memcpy(entry->description, format->title, sizeof format->title);
  return 0;
}

int formats_enumerate_sizes(const struct camera *c, struct v4l2_frmsizeenum *entry) {
  const struct format *format = find_format(c, entry->pixel_format);
  if (!format) return -EINVAL;
  if (format->is_range) {
    if (entry->index) return -EINVAL;
    bool is_continuous = format->range.step_width == 1 && format->range.step_height == 1;
    entry->type = is_continuous ? V4L2_FRMSIZE_TYPE_CONTINUOUS : V4L2_FRMSIZE_TYPE_STEPWISE;
    entry->stepwise = format->range;
    return 0;
  }
  if (entry->index >= format->sizes) return -EINVAL;
  entry->type = V4L2_FRMSIZE_TYPE_DISCRETE;
  entry->discrete.width = format->size[entry->index].width;
  entry->discrete.height = format->size[entry->index].height;
  return 0;
}

// The rate of the description and its half.
int formats_enumerate_intervals(const struct camera *c, struct v4l2_frmivalenum *entry) {
  if (entry->index > 1 || !find_format(c, entry->pixel_format)) return -EINVAL;
  unsigned rate = c->description.rate ? c->description.rate : 1000;
  entry->type = V4L2_FRMIVAL_TYPE_DISCRETE;
  entry->discrete = (struct v4l2_fract){entry->index + 1, rate};
  return 0;
}

int formats_parameters(struct camera *c, struct v4l2_streamparm *argument, bool sets) {
  if (argument->type != camera_buffer_type(c)) return -EINVAL;
  struct v4l2_fract wish = argument->parm.capture.timeperframe;
  if (sets && c->is_streaming) return -EBUSY;
  if (sets && wish.numerator && wish.denominator) {
    unsigned rate = c->description.rate ? c->description.rate : 1000;
    bool is_half = (uint64_t)wish.numerator * rate * 2 > (uint64_t)wish.denominator * 3;
    c->interval = (struct v4l2_fract){is_half ? 2 : 1, rate};
  }
  memset(&argument->parm, 0, sizeof argument->parm);
  argument->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
  argument->parm.capture.timeperframe = c->interval;
  return 0;
}
