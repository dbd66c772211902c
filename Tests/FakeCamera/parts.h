// What the parts of the camera are to one another. All are called with its lock held.
#ifndef PARTS_H
#define PARTS_H

#include "camera.h"

// The V4L2_BUF_TYPE_… that its requests name.
unsigned camera_buffer_type(const struct camera *camera);

// Makes of a wish what the camera can do, and says which of its formats and sizes that is.
void formats_agree(
    const struct camera *camera,
    struct v4l2_pix_format *pixels,
    const struct format **format,
    const struct size **size);

// Each answers one request: 0 or minus an errno.
int formats_get(struct camera *camera, struct v4l2_format *format);
int formats_set(struct camera *camera, struct v4l2_format *format, bool is_trial);
int formats_enumerate(const struct camera *camera, struct v4l2_fmtdesc *entry);
int formats_enumerate_sizes(const struct camera *camera, struct v4l2_frmsizeenum *entry);
int formats_enumerate_intervals(const struct camera *camera, struct v4l2_frmivalenum *entry);
int formats_parameters(struct camera *camera, struct v4l2_streamparm *parameters, bool sets);

int controls_query(struct camera *camera, struct v4l2_queryctrl *query);
int controls_query_choice(const struct camera *camera, struct v4l2_querymenu *query);
int controls_set(struct camera *camera, struct v4l2_control *control);
int controls_get(struct camera *camera, struct v4l2_control *control);

#endif
