#include "CWebP.h"

#include <webp/decode.h>

bool cwebp_pixels(
    const unsigned char *bytes, size_t length, unsigned char *pixels, int width, int height) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return false;
  if (WebPGetFeatures(bytes, length, &config.input) != VP8_STATUS_OK) return false;
  if (config.input.has_animation || config.input.has_alpha) return false;
  if (width < 1 || height < 1) return false;
  // A scaler that has nothing to do would still smooth colors in a way of its own.
  if (config.input.width != width || config.input.height != height) {
    config.options.use_scaling = 1;
    config.options.scaled_width = width;
    config.options.scaled_height = height;
  }
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = pixels;
  config.output.u.RGBA.stride = width * 3;
  config.output.u.RGBA.size = (size_t) width * (size_t) height * 3;
  return WebPDecode(bytes, length, &config) == VP8_STATUS_OK;
}
