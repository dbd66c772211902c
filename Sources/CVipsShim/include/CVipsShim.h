#ifndef CVIPS_SHIM_H
#define CVIPS_SHIM_H

// What Swift cannot take from libvips itself: macros, GType constants, GValue handling, and the
// log handlers. No function here keeps a reference that its comment does not name.

#include <stdbool.h>
#include <stddef.h>
#include <vips/vips.h>

#pragma clang assume_nonnull begin

// What an operation's argument holds.
typedef enum {
  CVIPS_OTHER,
  CVIPS_IMAGE,
  CVIPS_IMAGES,
  CVIPS_INT,
  CVIPS_UINT64,
  CVIPS_DOUBLE,
  CVIPS_BOOL,
  CVIPS_STRING,
  CVIPS_ENUM,
  CVIPS_FLAGS,
  CVIPS_INTS,
  CVIPS_DOUBLES,
  CVIPS_BLOB,
  CVIPS_SOURCE,
  CVIPS_TARGET,
  CVIPS_INTERPOLATE,
} CVipsKind;

typedef struct {
  const char *name;   // the class owns the text
  const char *blurb;  // the class owns the text
  CVipsKind kind;
  GType type;
  bool is_input;
  bool is_output;
  bool is_required;
  bool is_deprecated;
  double minimum;  // of numbers
  double maximum;
  double fallback;  // the default of a number, enum or boolean
} CVipsArgument;

// The number of arguments of an object; `cvips_arguments` fills as many as fit.
int cvips_arguments(VipsObject *object, CVipsArgument *_Nullable into, int room);

// The value of an enumeration's nick, or -1.
int cvips_enum_value(GType type, const char *nick);
// The nick of the n-th value of an enumeration, or NULL past the end. The class owns the text.
const char *_Nullable cvips_enum_nick(GType type, int n);

// Calls `each` with the nickname of every operation that can be made.
void cvips_each_operation(
    void (*each)(const char *name, void *_Nullable context), void *_Nullable context);

// The description of an operation: its blurb. The class owns the text.
const char *cvips_description(VipsObject *object);
// True where the operation loads, saves, or runs a program.
bool cvips_is_foreign(VipsObject *object);
bool cvips_is_deprecated(VipsObject *object);

void cvips_set_int(GObject *object, const char *name, int value);
void cvips_set_uint64(GObject *object, const char *name, guint64 value);
void cvips_set_double(GObject *object, const char *name, double value);
void cvips_set_bool(GObject *object, const char *name, bool value);
void cvips_set_string(GObject *object, const char *name, const char *value);
// The object is given another reference by the property.
void cvips_set_object(GObject *object, const char *name, void *value);
// The values are copied; the pictures are given another reference each.
void cvips_set_images(GObject *object, const char *name, VipsImage *_Nonnull *_Nonnull values, int n);
void cvips_set_doubles(GObject *object, const char *name, const double *values, int n);
void cvips_set_ints(GObject *object, const char *name, const int *values, int n);
void cvips_set_blob(GObject *object, const char *name, const void *bytes, size_t n);

// Lets writes of targets go on where a signal has interrupted them before the first byte.
void cvips_retry_interrupted_writes(VipsTarget *target);

// A reference the caller releases, or NULL.
VipsImage *_Nullable cvips_get_image(GObject *object, const char *name);
int cvips_get_int(GObject *object, const char *name);
double cvips_get_double(GObject *object, const char *name);
bool cvips_get_bool(GObject *object, const char *name);
// Fills as many as fit, returns how many there are.
int cvips_get_doubles(GObject *object, const char *name, double *_Nullable into, int room);
// Bytes that the caller frees with g_free, or NULL.
void *_Nullable cvips_get_blob(GObject *object, const char *name, size_t *length);

// An open file in memory that holds these bytes, and that the caller closes; -1 where there is none.
int cvips_memory_file(const void *bytes, size_t n);

void cvips_unref(void *object);

// Fills an area of a picture: `pixels` is the first sample of its first row, each next row begins
// `stride` bytes further. Called from threads of libvips, several at once. Returns false on failure.
typedef bool (*CVipsFill)(
    void *context, int left, int top, int width, int height, void *pixels, size_t stride);
// A picture whose pixels `fill` makes when they are asked for, to be read top to bottom. The caller
// releases the reference; with the picture `release` is called with the context, once. NULL where
// there is no memory; the context is then released already.
VipsImage *_Nullable cvips_generated(
    int width, int height, int bands, VipsBandFormat format, VipsInterpretation interpretation,
    CVipsFill fill, void (*release)(void *context), void *context);

// A picture in memory with the metadata of another one and a size of its own. The caller fills its
// pixels, whose first is at `data`, and releases the reference. NULL where there is no memory.
VipsImage *_Nullable cvips_memory_like(VipsImage *other, int width, int height);
// Computes the pixels of a picture into one in memory of the same shape, in the calling thread, top to
// bottom. 0, or -1 where they cannot be made.
int cvips_pull(VipsImage *image, VipsImage *memory);

// How many libvips objects there are in this process.
int cvips_live_objects(void);

// Reads a blob of metadata: borrowed from the image, or NULL.
const void *_Nullable cvips_metadata_blob(VipsImage *image, const char *name, size_t *length);
// Puts a copy of the bytes into the metadata.
void cvips_set_metadata_blob(VipsImage *image, const char *name, const void *bytes, size_t n);

// Takes over GLib's log: messages go into a list of at most 64 with 512 bytes each, the rest are
// only counted. Safe from any thread. Nothing is printed any more.
void cvips_log_install(void);
// Empties the list. `each` is called for every kept message.
void cvips_log_take(
    void (*each)(const char *domain, int level, const char *text, void *_Nullable context),
    void *_Nullable context, int *dropped);

#pragma clang assume_nonnull end
#endif
