#define _GNU_SOURCE
#include "CVipsShim.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static CVipsKind kind_of(GParamSpec *spec) {
  GType type = G_PARAM_SPEC_VALUE_TYPE(spec);
  if (type == VIPS_TYPE_ARRAY_IMAGE) return CVIPS_IMAGES;
  if (type == VIPS_TYPE_ARRAY_DOUBLE) return CVIPS_DOUBLES;
  if (type == VIPS_TYPE_ARRAY_INT) return CVIPS_INTS;
  if (type == VIPS_TYPE_BLOB) return CVIPS_BLOB;
  if (g_type_is_a(type, VIPS_TYPE_IMAGE)) return CVIPS_IMAGE;
  if (g_type_is_a(type, VIPS_TYPE_SOURCE)) return CVIPS_SOURCE;
  if (g_type_is_a(type, VIPS_TYPE_TARGET)) return CVIPS_TARGET;
  if (g_type_is_a(type, VIPS_TYPE_INTERPOLATE)) return CVIPS_INTERPOLATE;
  if (G_TYPE_IS_ENUM(type)) return CVIPS_ENUM;
  if (G_TYPE_IS_FLAGS(type)) return CVIPS_FLAGS;
  if (type == G_TYPE_INT) return CVIPS_INT;
  if (type == G_TYPE_UINT64) return CVIPS_UINT64;
  if (type == G_TYPE_DOUBLE) return CVIPS_DOUBLE;
  if (type == G_TYPE_BOOLEAN) return CVIPS_BOOL;
  if (type == G_TYPE_STRING || type == VIPS_TYPE_REF_STRING) return CVIPS_STRING;
  return CVIPS_OTHER;
}

static void fill_range(GParamSpec *spec, CVipsArgument *argument) {
  if (G_IS_PARAM_SPEC_INT(spec)) {
    GParamSpecInt *number = G_PARAM_SPEC_INT(spec);
    argument->minimum = number->minimum;
    argument->maximum = number->maximum;
    argument->fallback = number->default_value;
  } else if (G_IS_PARAM_SPEC_UINT64(spec)) {
    GParamSpecUInt64 *number = G_PARAM_SPEC_UINT64(spec);
    argument->minimum = (double) number->minimum;
    argument->maximum = (double) number->maximum;
    argument->fallback = (double) number->default_value;
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    GParamSpecDouble *number = G_PARAM_SPEC_DOUBLE(spec);
    argument->minimum = number->minimum;
    argument->maximum = number->maximum;
    argument->fallback = number->default_value;
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    argument->maximum = 1;
    argument->fallback = G_PARAM_SPEC_BOOLEAN(spec)->default_value;
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    argument->fallback = G_PARAM_SPEC_ENUM(spec)->default_value;
  }
}

int cvips_arguments(VipsObject *object, CVipsArgument *into, int room) {
  const char **names;
  int *flags;
  int n = 0;
  if (vips_object_get_args(object, &names, &flags, &n) != 0) return 0;
  int found = 0;
  for (int i = 0; i < n; i++) {
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), names[i]);
    if (spec == NULL) continue;
    CVipsArgument argument = {
        // The spec's own name lives as long as the class; the list's does not.
        .name = g_param_spec_get_name(spec),
        .blurb = g_param_spec_get_blurb(spec),
        .kind = kind_of(spec),
        .type = G_PARAM_SPEC_VALUE_TYPE(spec),
        .is_input = (flags[i] & VIPS_ARGUMENT_INPUT) != 0,
        .is_output = (flags[i] & VIPS_ARGUMENT_OUTPUT) != 0,
        .is_required = (flags[i] & VIPS_ARGUMENT_REQUIRED) != 0,
        .is_deprecated = (flags[i] & VIPS_ARGUMENT_DEPRECATED) != 0,
    };
    fill_range(spec, &argument);
    if (into != NULL && found < room) into[found] = argument;
    found++;
  }
  return found;
}

int cvips_enum_value(GType type, const char *nick) {
  GEnumClass *class = g_type_class_ref(type);
  GEnumValue *value = g_enum_get_value_by_nick(class, nick);
  int number = value == NULL ? -1 : value->value;
  g_type_class_unref(class);
  return number;
}

const char *cvips_enum_nick(GType type, int n) {
  GEnumClass *class = g_type_class_ref(type);
  const char *nick = NULL;
  // The last value of libvips' enumerations counts the others.
  if (n >= 0 && n < (int) class->n_values - 1) nick = class->values[n].value_nick;
  g_type_class_unref(class);
  return nick;
}

typedef struct {
  void (*each)(const char *name, void *context);
  void *context;
} Visit;

static void *visit_operation(VipsObjectClass *class, void *data) {
  Visit *visit = data;
  if (!G_TYPE_IS_ABSTRACT(G_TYPE_FROM_CLASS(class))) visit->each(class->nickname, visit->context);
  return NULL;
}

void cvips_each_operation(void (*each)(const char *name, void *context), void *context) {
  Visit visit = {each, context};
  vips_class_map_all(VIPS_TYPE_OPERATION, (VipsClassMapFn) visit_operation, &visit);
}

const char *cvips_description(VipsObject *object) {
  return VIPS_OBJECT_GET_CLASS(object)->description;
}

bool cvips_is_foreign(VipsObject *object) {
  return VIPS_IS_FOREIGN(object) ||
         strcmp(VIPS_OBJECT_GET_CLASS(object)->nickname, "system") == 0;
}

bool cvips_is_deprecated(VipsObject *object) {
  return (VIPS_OPERATION_GET_CLASS(object)->flags & VIPS_OPERATION_DEPRECATED) != 0;
}

void cvips_set_int(GObject *object, const char *name, int value) {
  g_object_set(object, name, value, NULL);
}

void cvips_set_uint64(GObject *object, const char *name, guint64 value) {
  g_object_set(object, name, value, NULL);
}

void cvips_set_double(GObject *object, const char *name, double value) {
  g_object_set(object, name, value, NULL);
}

void cvips_set_bool(GObject *object, const char *name, bool value) {
  g_object_set(object, name, (gboolean) value, NULL);
}

void cvips_set_string(GObject *object, const char *name, const char *value) {
  g_object_set(object, name, value, NULL);
}

void cvips_set_object(GObject *object, const char *name, void *value) {
  g_object_set(object, name, value, NULL);
}

static void set_boxed(GObject *object, const char *name, GType type, void *area) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, type);
  g_value_take_boxed(&value, area);
  g_object_set_property(object, name, &value);
  g_value_unset(&value);
}

void cvips_set_images(GObject *object, const char *name, VipsImage **values, int n) {
  set_boxed(object, name, VIPS_TYPE_ARRAY_IMAGE, vips_array_image_new(values, n));
}

void cvips_set_doubles(GObject *object, const char *name, const double *values, int n) {
  set_boxed(object, name, VIPS_TYPE_ARRAY_DOUBLE, vips_array_double_new(values, n));
}

void cvips_set_ints(GObject *object, const char *name, const int *values, int n) {
  set_boxed(object, name, VIPS_TYPE_ARRAY_INT, vips_array_int_new(values, n));
}

void cvips_set_blob(GObject *object, const char *name, const void *bytes, size_t n) {
  set_boxed(object, name, VIPS_TYPE_BLOB, vips_blob_copy(bytes, n));
}

VipsImage *cvips_get_image(GObject *object, const char *name) {
  VipsImage *image = NULL;
  g_object_get(object, name, &image, NULL);
  return image;
}

int cvips_get_int(GObject *object, const char *name) {
  int value = 0;
  g_object_get(object, name, &value, NULL);
  return value;
}

double cvips_get_double(GObject *object, const char *name) {
  double value = 0;
  g_object_get(object, name, &value, NULL);
  return value;
}

bool cvips_get_bool(GObject *object, const char *name) {
  gboolean value = FALSE;
  g_object_get(object, name, &value, NULL);
  return value;
}

int cvips_get_doubles(GObject *object, const char *name, double *into, int room) {
  VipsArrayDouble *array = NULL;
  g_object_get(object, name, &array, NULL);
  if (array == NULL) return 0;
  int n = 0;
  double *values = vips_array_double_get(array, &n);
  for (int i = 0; i < n && i < room; i++) into[i] = values[i];
  vips_area_unref(VIPS_AREA(array));
  return n;
}

void *cvips_get_blob(GObject *object, const char *name, size_t *length) {
  VipsBlob *blob = NULL;
  *length = 0;
  g_object_get(object, name, &blob, NULL);
  if (blob == NULL) return NULL;
  const void *bytes = vips_blob_get(blob, length);
  void *copy = g_memdup2(bytes, *length);
  vips_area_unref(VIPS_AREA(blob));
  return copy;
}

int cvips_memory_file(const void *bytes, size_t n) {
  int file = memfd_create("bytes", MFD_CLOEXEC);
  if (file < 0) return -1;
  // Memory is written in one go, or there is too little of it.
  if (write(file, bytes, n) != (ssize_t) n) {
    close(file);
    return -1;
  }
  return file;
}

void cvips_unref(void *object) {
  g_object_unref(object);
}

typedef struct {
  CVipsFill fill;
  void (*release)(void *context);
  void *context;
} Generation;

static void generation_free(void *data) {
  Generation *generation = data;
  generation->release(generation->context);
  g_free(generation);
}

static int generate(VipsRegion *region, void *sequence, void *a, void *b, gboolean *stop) {
  (void) sequence;
  (void) b;
  (void) stop;
  Generation *generation = a;
  VipsRect *area = &region->valid;
  bool filled = generation->fill(
      generation->context, area->left, area->top, area->width, area->height,
      VIPS_REGION_ADDR(region, area->left, area->top), (size_t) VIPS_REGION_LSKIP(region));
  return filled ? 0 : -1;
}

VipsImage *cvips_generated(
    int width, int height, int bands, VipsBandFormat format, VipsInterpretation interpretation,
    CVipsFill fill, void (*release)(void *context), void *context) {
  Generation *generation = g_new(Generation, 1);
  *generation = (Generation){fill, release, context};
  VipsImage *image = vips_image_new();
  g_object_set_data_full(G_OBJECT(image), "cvips-generation", generation, generation_free);
  vips_image_init_fields(
      image, width, height, bands, format, VIPS_CODING_NONE, interpretation, 1, 1);
  // Whatever reads it keeps to the order of the rows, as it does with a decoder.
  vips_image_set_int(image, VIPS_META_SEQUENTIAL, 1);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_FATSTRIP, NULL) != 0 ||
      vips_image_generate(image, NULL, generate, NULL, generation, NULL) != 0) {
    g_object_unref(image);
    return NULL;
  }
  return image;
}

VipsImage *cvips_memory_like(VipsImage *other, int width, int height) {
  VipsImage *image = vips_image_new_memory();
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_ANY, other, NULL) == 0) {
    // Whoever follows the work on the other one is not told of it in this one's name, which may live longer.
    image->progress_signal = NULL;
    image->Xsize = width;
    image->Ysize = height;
    // Its rows can be read in any order.
    vips_image_remove(image, VIPS_META_SEQUENTIAL);
    if (vips_image_write_prepare(image) == 0) return image;
  }
  g_object_unref(image);
  return NULL;
}

// libvips' kernels add up the places of their samples from a region's first row on, so that with another
// region they may choose the coefficients beside. Of pictures that are decoded from top to bottom libvips
// makes so many rows at a time ("sequential line cache" in its reducev.cpp), whoever asks for them.
enum { PULLED_ROWS = 10 };

int cvips_pull(VipsImage *image, VipsImage *memory) {
  if (vips_image_pio_input(image) != 0) return -1;
  VipsRegion *from = vips_region_new(image);
  VipsRegion *to = vips_region_new(memory);
  VipsRect all = {0, 0, image->Xsize, image->Ysize};
  int failed = vips_region_image(to, &all);
  for (int top = 0; failed == 0 && top < image->Ysize; top += PULLED_ROWS) {
    VipsRect strip = {0, top, image->Xsize, VIPS_MIN(PULLED_ROWS, image->Ysize - top)};
    failed = vips_region_prepare_to(from, to, &strip, 0, top);
  }
  g_object_unref(from);
  g_object_unref(to);
  return failed == 0 ? 0 : -1;
}

static void *count_object(VipsObject *object, void *count, void *unused) {
  (void) object;
  (void) unused;
  *(int *) count += 1;
  return NULL;
}

int cvips_live_objects(void) {
  int count = 0;
  vips_object_map((VipsSListMap2Fn) count_object, &count, NULL);
  return count;
}

const void *cvips_metadata_blob(VipsImage *image, const char *name, size_t *length) {
  const void *bytes = NULL;
  *length = 0;
  if (vips_image_get_typeof(image, name) != VIPS_TYPE_BLOB) return NULL;
  if (vips_image_get_blob(image, name, &bytes, length) != 0) {
    vips_error_clear();
    return NULL;
  }
  return bytes;
}

void cvips_set_metadata_blob(VipsImage *image, const char *name, const void *bytes, size_t n) {
  vips_image_set_blob_copy(image, name, bytes, n);
}

enum { LOG_ROOM = 64, LOG_TEXT = 512, LOG_DOMAIN = 32 };

static struct {
  GMutex mutex;
  int count;
  int dropped;
  struct {
    char domain[LOG_DOMAIN];
    char text[LOG_TEXT];
    int level;
  } messages[LOG_ROOM];
} log_list;

static void keep(const char *domain, GLogLevelFlags level, const char *text) {
  // INFO and DEBUG tell of libvips' inner life and are off unless asked for.
  if ((level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_MESSAGE) return;
  g_mutex_lock(&log_list.mutex);
  if (log_list.count < LOG_ROOM) {
    int i = log_list.count++;
    g_strlcpy(log_list.messages[i].domain, domain ? domain : "", LOG_DOMAIN);
    g_strlcpy(log_list.messages[i].text, text ? text : "", LOG_TEXT);
    log_list.messages[i].level = level & G_LOG_LEVEL_MASK;
  } else {
    log_list.dropped++;
  }
  g_mutex_unlock(&log_list.mutex);
}

static void log_handler(const char *domain, GLogLevelFlags level, const char *text, gpointer data) {
  (void) data;
  keep(domain, level, text);
}

static GLogWriterOutput log_writer(
    GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data) {
  (void) data;
  const char *domain = NULL;
  const char *text = NULL;
  for (gsize i = 0; i < n; i++) {
    // A length of -1 says that the value ends with NUL; anything else is no text we can print.
    if (fields[i].length != -1) continue;
    if (strcmp(fields[i].key, "GLIB_DOMAIN") == 0) domain = fields[i].value;
    if (strcmp(fields[i].key, "MESSAGE") == 0) text = fields[i].value;
  }
  keep(domain, level, text);
  return G_LOG_WRITER_HANDLED;
}

static void drop_print(const char *text) {
  (void) text;
}

void cvips_log_install(void) {
  static gsize installed = 0;
  if (!g_once_init_enter(&installed)) return;
  g_log_set_default_handler(log_handler, NULL);
  // g_log_set_writer_func may be called once in a process.
  g_log_set_writer_func(log_writer, NULL, NULL);
  g_set_print_handler(drop_print);
  g_set_printerr_handler(drop_print);
  g_once_init_leave(&installed, 1);
}

void cvips_log_take(
    void (*each)(const char *domain, int level, const char *text, void *context), void *context,
    int *dropped) {
  g_mutex_lock(&log_list.mutex);
  for (int i = 0; i < log_list.count; i++) {
    each(
        log_list.messages[i].domain, log_list.messages[i].level, log_list.messages[i].text,
        context);
  }
  *dropped = log_list.dropped;
  log_list.count = 0;
  log_list.dropped = 0;
  g_mutex_unlock(&log_list.mutex);
}

static gint64 (*write_once)(VipsTarget *, const void *, size_t);

static gint64 write_again(VipsTarget *target, const void *data, size_t length) {
  gint64 written;
  // libvips itself does so for reads.
  do written = write_once(target, data, length);
  while (written < 0 && errno == EINTR);
  return written;
}

void cvips_retry_interrupted_writes(VipsTarget *target) {
  static gsize is_set;
  if (!g_once_init_enter(&is_set)) return;
  VipsTargetClass *class = VIPS_TARGET_GET_CLASS(target);
  write_once = class->write;
  class->write = write_again;
  g_once_init_leave(&is_set, 1);
}
