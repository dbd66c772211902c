#include "camera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t code_of(const char *text) {
  char bytes[4] = {' ', ' ', ' ', ' '};
  for (int i = 0; i < 4 && text[i] > ' '; i++) bytes[i] = text[i];
  return v4l2_fourcc(bytes[0], bytes[1], bytes[2], bytes[3]);
}

// What follows the first word.
static const char *after_word(const char *text) {
  const char *space = strchr(text, ' ');
  return space ? space + 1 : "";
}

static bool read_recording(struct recording *recording, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  fseek(file, 0, SEEK_END);
  recording->count = (size_t)ftell(file);
  rewind(file);
  recording->bytes = malloc(recording->count + 1);
  bool is_read = fread(recording->bytes, 1, recording->count, file) == recording->count;
  fclose(file);
  size_t room = 0;
  for (size_t at = 0; is_read && at + 4 <= recording->count;) {
    const uint8_t *head = recording->bytes + at;
    size_t length = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
    if (at + 4 + length > recording->count) return false;
    if (recording->records == room) {
      room = room ? 2 * room : 64;
      recording->starts = realloc(recording->starts, room * sizeof *recording->starts);
    }
    recording->starts[recording->records++] = at;
    at += 4 + length;
  }
  return is_read && recording->records > 0;
}

static bool read_size(struct description *d, const char *rest) {
  if (!d->formats) return false;
  struct format *format = &d->format[d->formats - 1];
  if (format->sizes == MOST_SIZES) return false;
  struct size *size = &format->size[format->sizes++];
  if (sscanf(rest, "%u %u", &size->width, &size->height) != 2) return false;
  const char *padding = strstr(rest, "pad=");
  if (padding) size->padding = (unsigned)atoi(padding + 4);
  const char *frames = strstr(rest, "frames=");
  return !frames || read_recording(&size->recording, frames + 7);
}

static bool read_range(struct description *d, const char *rest) {
  if (!d->formats) return false;
  struct format *format = &d->format[d->formats - 1];
  struct v4l2_frmsize_stepwise *range = &format->range;
  format->is_range = true;
  return sscanf(rest, "%u %u %u %u %u %u", &range->min_width, &range->max_width, &range->step_width,
                &range->min_height, &range->max_height, &range->step_height) == 6;
}

static bool read_control(struct description *d, const char *rest) {
  if (d->controls == MOST_CONTROLS) return false;
  struct control *control = &d->control[d->controls++];
  struct v4l2_queryctrl *query = &control->query;
  int id, type;
  char title[32];
  if (sscanf(rest, "%i %i %i %i %i %i %31[^\n]", &id, &type, &query->minimum, &query->maximum,
             &query->step, &query->default_value, title) != 7)
    return false;
  query->id = (uint32_t)id;
  query->type = (uint32_t)type;
  memcpy(query->name, title, sizeof title);
  control->value = query->default_value;
  return true;
}

static struct control *find_control(struct description *d, int id) {
  for (unsigned i = 0; i < d->controls; i++)
    if (d->control[i].query.id == (uint32_t)id) return &d->control[i];
  return NULL;
}

static bool read_flags(struct description *d, const char *rest) {
  int id, flags;
  if (sscanf(rest, "%i %i", &id, &flags) != 2) return false;
  struct control *control = find_control(d, id);
  if (control) control->query.flags = (uint32_t)flags;
  return control;
}

static bool read_need(struct description *d, const char *rest) {
  int id, other, value;
  if (sscanf(rest, "%i %i %i", &id, &other, &value) != 3) return false;
  struct control *control = find_control(d, id);
  if (!control) return false;
  control->needs = (uint32_t)other;
  control->needed_value = value;
  return true;
}

static bool read_choice(struct description *d, const char *rest) {
  if (d->choices == MOST_CHOICES) return false;
  struct v4l2_querymenu *choice = &d->choice[d->choices++];
  int id, index;
  char title[32];
  if (sscanf(rest, "%i %i %31[^\n]", &id, &index, title) != 3) return false;
  struct control *control = find_control(d, id);
  if (!control) return false;
  choice->id = (uint32_t)id;
  choice->index = (uint32_t)index;
  if (control->query.type == V4L2_CTRL_TYPE_INTEGER_MENU)
    choice->value = atoll(title);
  else
    memcpy(choice->name, title, sizeof title);
  return true;
}

static bool read_fault(struct description *d, const char *rest) {
  static const char *const names[FAULT_KINDS] = {"flagged", "short", "eio", "stall", "unplug"};
  if (!strcmp(rest, "busy")) return d->is_busy = true;
  if (!strcmp(rest, "nospace")) return d->has_no_space = true;
  const char *at = strchr(rest, '@');
  if (!at || d->faults == MOST_FAULTS) return false;
  for (int kind = 0; kind < FAULT_KINDS; kind++) {
    if (strncmp(rest, names[kind], (size_t)(at - rest)) || names[kind][at - rest]) continue;
    char *end;
    unsigned frame = (unsigned)strtoul(at + 1, &end, 10);
    d->fault[d->faults++] =
        (struct fault){.kind = (enum fault_kind)kind, .frame = frame, .is_repeated = *end == '*'};
    return true;
  }
  return false;
}

static bool read_input(struct description *d, const char *name, uint32_t status) {
  if (d->inputs == MOST_INPUTS) return false;
  struct v4l2_input *input = &d->input[d->inputs];
  input->index = d->inputs++;
  input->type = V4L2_INPUT_TYPE_CAMERA;
  input->status = status;
  snprintf((char *)input->name, sizeof input->name, "%s", name);
  return true;
}

static bool read_format(struct description *d, const char *rest) {
  if (d->formats == MOST_FORMATS) return false;
  struct format *format = &d->format[d->formats++];
  format->code = code_of(rest);
  snprintf(format->title, sizeof format->title, "%s", after_word(rest));
  return true;
}

static bool read_line(struct description *d, const char *word, const char *rest) {
  if (!strcmp(word, "driver")) return snprintf(d->driver, sizeof d->driver, "%s", rest) >= 0;
  if (!strcmp(word, "card")) return snprintf(d->card, sizeof d->card, "%s", rest) >= 0;
  if (!strcmp(word, "bus")) return snprintf(d->bus, sizeof d->bus, "%s", rest) >= 0;
  if (!strcmp(word, "capabilities")) return (d->capabilities = (uint32_t)strtoul(rest, NULL, 0)) != 0;
  if (!strcmp(word, "refuse")) return (d->refusal = atoi(rest)) > 0;
  if (!strcmp(word, "rate")) return sscanf(rest, "%u", &d->rate) == 1;
  if (!strcmp(word, "dark")) return sscanf(rest, "%u", &d->dark) == 1;
  if (!strcmp(word, "input")) return read_input(d, rest, 0);
  if (!strcmp(word, "silent")) return read_input(d, rest, V4L2_IN_ST_NO_SIGNAL);
  if (!strcmp(word, "format")) return read_format(d, rest);
  if (!strcmp(word, "size")) return read_size(d, rest);
  if (!strcmp(word, "range")) return read_range(d, rest);
  if (!strcmp(word, "control")) return read_control(d, rest);
  if (!strcmp(word, "flags")) return read_flags(d, rest);
  if (!strcmp(word, "needs")) return read_need(d, rest);
  if (!strcmp(word, "menu")) return read_choice(d, rest);
  if (!strcmp(word, "fault")) return read_fault(d, rest);
  if (!strcmp(word, "back")) return (d->return_after = atoll(rest) * 1000000) > 0;
  if (!strcmp(word, "multiplanar")) {
    d->is_multiplanar = true;
    d->capabilities = V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
    return true;
  }
  return false;
}

bool description_read(struct description *d, const char *text, const char *name) {
  memset(d, 0, sizeof *d);
  strcpy(d->driver, "fakecamera");
  strcpy(d->card, "Fake Camera");
  strcpy(d->bus, "usb-fake-1");
  d->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
  d->rate = 30;
  char *copy = strdup(text), *rest = copy;
  bool is_good = true;
  for (char *line; (line = strsep(&rest, "\n")) && is_good;) {
    char word[16];
    if (sscanf(line, "%15s", word) != 1 || *word == '#') continue;
    is_good = read_line(d, word, after_word(line));
    if (!is_good) fprintf(stderr, "%s: cannot be read: %s\n", name, line);
  }
  free(copy);
  return is_good;
}
