#define _GNU_SOURCE
#include "CVipsShim.h"

#include <dlfcn.h>
#include <stdatomic.h>

// libvips 8.14 asks whether the threads of a pipeline have met an error when the first of them has found
// nothing more to do, and waits for the others after that: what goes wrong in the last areas of a picture is lost, and
// pixels that nobody has made count as made (https://github.com/libvips/libvips/pull/4116). So every pipeline is run
// through this function of the same name, which notes errors where they happen, and asks when all threads have ended.

typedef struct {
  VipsThreadStartFn start;
  VipsThreadpoolAllocateFn allocate;
  VipsThreadpoolWorkFn work;
  VipsThreadpoolProgressFn progress;
  void *context;
  atomic_bool has_failed;
} Pipeline;

static VipsThreadState *start(VipsImage *image, void *context) {
  Pipeline *pipeline = context;
  VipsThreadState *state = pipeline->start(image, pipeline->context);
  if (state == NULL) atomic_store(&pipeline->has_failed, true);
  return state;
}

static int seen(Pipeline *pipeline, int result) {
  if (result != 0) atomic_store(&pipeline->has_failed, true);
  return result;
}

static int allocate(VipsThreadState *state, void *context, gboolean *stop) {
  Pipeline *pipeline = context;
  return seen(pipeline, pipeline->allocate(state, pipeline->context, stop));
}

static int work(VipsThreadState *state, void *context) {
  Pipeline *pipeline = context;
  return seen(pipeline, pipeline->work(state, pipeline->context));
}

static int progress(void *context) {
  Pipeline *pipeline = context;
  return seen(pipeline, pipeline->progress(pipeline->context));
}

int vips_threadpool_run(
    VipsImage *image,
    VipsThreadStartFn start_function,
    VipsThreadpoolAllocateFn allocate_function,
    VipsThreadpoolWorkFn work_function,
    VipsThreadpoolProgressFn progress_function,
    void *context) {
  typedef int (*Run)(
      VipsImage *, VipsThreadStartFn, VipsThreadpoolAllocateFn, VipsThreadpoolWorkFn, VipsThreadpoolProgressFn, void *);
  static _Atomic(Run) own;
  Run run = atomic_load(&own);
  if (run == NULL) {
    run = (Run) dlsym(RTLD_NEXT, "vips_threadpool_run");
    if (run == NULL) {
      vips_error("vips_threadpool_run", "not found in libvips");
      return -1;
    }
    atomic_store(&own, run);
  }
  Pipeline pipeline = {
      start_function, allocate_function, work_function, progress_function, context, false};
  int result = run(
      image, start, allocate, work, progress_function == NULL ? NULL : progress, &pipeline);
  return atomic_load(&pipeline.has_failed) ? -1 : result;
}
