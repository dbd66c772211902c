#define _GNU_SOURCE
#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

int cv4l2_open(const char *path) { return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC); }

int cv4l2_adopt(int descriptor) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  static FILE *nowhere = NULL;
  pthread_mutex_lock(&turn);
  if (!nowhere) nowhere = fopen("/dev/null", "we");
  if (!nowhere) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
  // Without this the library adds controls of its own to some cameras (brightness in software, kept in
  // shared memory from one program to the next) and hides the formats of the device behind those it
  // makes of them.
  setenv("LIBV4LCONTROL_CONTROLS", "0", 0);
  // What the library reports is in errno too.
  v4l2_log_file = nowhere;
  // The stream is changed for the call, not descriptor 1: other threads write there, and a child
  // started meanwhile inherits it.
  FILE *standard_output = stdout;
  stdout = nowhere;
  int result = v4l2_fd_open(descriptor, 0);
  int error = errno;
  stdout = standard_output;
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}

int cv4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  return v4l2_ioctl(descriptor, request, argument);
}

int cv4l2_kernel_ioctl(int descriptor, unsigned long request, void *argument) {
  return ioctl(descriptor, request, argument);
}

void *cv4l2_map(int descriptor, size_t length, int64_t offset) {
  void *start = v4l2_mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
  return start == MAP_FAILED ? NULL : start;
}

int cv4l2_unmap(void *start, size_t length) { return v4l2_munmap(start, length); }

int cv4l2_close(int descriptor) { return v4l2_close(descriptor); }
