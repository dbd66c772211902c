#include "parts.h"

#include <errno.h>

static struct control *find_control(struct camera *c, uint32_t id) {
  for (unsigned i = 0; i < c->description.controls; i++)
    if (c->description.control[i].query.id == id) return &c->description.control[i];
  return NULL;
}

static bool is_inactive(struct camera *c, const struct control *control) {
  if (!control->needs) return false;
  const struct control *other = find_control(c, control->needs);
  return !other || other->value != control->needed_value;
}

int controls_query(struct camera *c, struct v4l2_queryctrl *query) {
  struct control *best = NULL;
  bool is_next = query->id & V4L2_CTRL_FLAG_NEXT_CTRL;
  uint32_t id = query->id & V4L2_CTRL_ID_MASK;
  for (unsigned i = 0; i < c->description.controls; i++) {
    struct control *control = &c->description.control[i];
    uint32_t other = control->query.id;
    bool fits = is_next ? other > id && (!best || other < best->query.id) : other == id;
    if (fits) best = control;
  }
  if (!best) return -EINVAL;
  *query = best->query;
  if (is_inactive(c, best)) query->flags |= V4L2_CTRL_FLAG_INACTIVE;
  return 0;
}

static const struct v4l2_querymenu *find_choice(const struct camera *c, uint32_t id, uint32_t index) {
  for (unsigned i = 0; i < c->description.choices; i++) {
    const struct v4l2_querymenu *choice = &c->description.choice[i];
    if (choice->id == id && choice->index == index) return choice;
  }
  return NULL;
}

int controls_query_choice(const struct camera *c, struct v4l2_querymenu *query) {
  const struct v4l2_querymenu *choice = find_choice(c, query->id, query->index);
  if (!choice) return -EINVAL;
  *query = *choice;
  return 0;
}

int controls_set(struct camera *c, struct v4l2_control *argument) {
  struct control *control = find_control(c, argument->id);
  if (!control || control->query.flags & V4L2_CTRL_FLAG_DISABLED) return -EINVAL;
  // Some drivers take the value of an inactive control and forget it; this one says so.
  if (control->query.flags & V4L2_CTRL_FLAG_READ_ONLY || is_inactive(c, control)) return -EACCES;
  if (control->query.flags & V4L2_CTRL_FLAG_GRABBED) return -EBUSY;
  int value = argument->value;
  const struct v4l2_queryctrl *query = &control->query;
  if (query->type == V4L2_CTRL_TYPE_MENU || query->type == V4L2_CTRL_TYPE_INTEGER_MENU) {
    if (!find_choice(c, query->id, (uint32_t)value)) return -EINVAL;
  } else if (query->type != V4L2_CTRL_TYPE_BUTTON) {
    if (value < query->minimum) value = query->minimum;
    if (value > query->maximum) value = query->maximum;
  }
  // A button counts how often it was pushed.
  control->value = query->type == V4L2_CTRL_TYPE_BUTTON ? control->value + 1 : value;
  return 0;
}

int controls_get(struct camera *c, struct v4l2_control *argument) {
  const struct control *control = find_control(c, argument->id);
  if (!control) return -EINVAL;
  argument->value = control->value;
  return 0;
}
