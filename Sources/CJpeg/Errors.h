#ifndef CJPEG_ERRORS_H
#define CJPEG_ERRORS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include <jpeglib.h>

// What libjpeg says while it reads or writes, kept and never printed.
typedef struct {
  struct jpeg_error_mgr manager;
  // Where an error leads: set by whoever calls libjpeg.
  jmp_buf back;
  // Rows are missing, or data that cannot be decoded was filled in.
  bool is_damaged;
  // Something was odd, and the picture is whole.
  bool has_warned;
} Errors;

// To be given to libjpeg; the errors live as long as what they are given to.
struct jpeg_error_mgr *cjpeg_listen(Errors *errors);

#endif
