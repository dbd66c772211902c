#include "CJxl.h"

#include <jxl/decode.h>

static size_t frames(
    JxlDecoder *decoder, const unsigned char *bytes, size_t length, bool *goes_on) {
  if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FRAME) != JXL_DEC_SUCCESS) {
    return 0;
  }
  if (JxlDecoderSetInput(decoder, bytes, length) != JXL_DEC_SUCCESS) return 0;
  size_t count = 0;
  for (;;) {
    switch (JxlDecoderProcessInput(decoder)) {
      case JXL_DEC_BASIC_INFO: {
        JxlBasicInfo info;
        if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) return 0;
        if (!info.have_animation) return 1;
        break;
      }
      case JXL_DEC_FRAME:
        count++;
        break;
      case JXL_DEC_NEED_MORE_INPUT:
        *goes_on = true;
        return count;
      default:
        // The end, or no further.
        return count;
    }
  }
}

size_t cjxl_frames(const unsigned char *bytes, size_t length, bool *goes_on) {
  *goes_on = false;
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (!decoder) return 0;
  size_t count = frames(decoder, bytes, length, goes_on);
  JxlDecoderDestroy(decoder);
  return count;
}
