#include "Errors.h"

// Behind jpeglib.h: the message codes need its types.
#include <jerror.h>

static void on_error(j_common_ptr info) {
  Errors *errors = (Errors *) info->err;
  errors->is_damaged = true;
  longjmp(errors->back, 1);
}

static void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  Errors *errors = (Errors *) info->err;
  switch (info->err->msg_code) {
    // Bytes between segments, odd headers: the picture is whole.
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      errors->has_warned = true;
      break;
    default:
      errors->is_damaged = true;
  }
}

struct jpeg_error_mgr *cjpeg_listen(Errors *errors) {
  struct jpeg_error_mgr *manager = jpeg_std_error(&errors->manager);
  manager->error_exit = on_error;
  manager->emit_message = on_message;
  errors->is_damaged = false;
  errors->has_warned = false;
  return manager;
}
