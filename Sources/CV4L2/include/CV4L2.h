#ifndef CV4L2_H
#define CV4L2_H

// What Swift cannot reach by itself: the variadic functions of libv4l2, and the numbers of the
// requests, which are macros with arguments. Thin: each function is one call, sets errno as the
// call does, and retries nothing.

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// open(2) for reading and writing, not blocking and not inherited by children.
int cv4l2_open(const char *path);

// Hands an open device to libv4l2 (v4l2_fd_open). From then on cv4l2_ioctl, cv4l2_map and
// cv4l2_close reach it through the library; before, they reach the kernel. On failure the
// descriptor stays the caller's. A plugin of the library greets on standard output: nothing of that
// gets there.
int cv4l2_adopt(int descriptor);

int cv4l2_ioctl(int descriptor, unsigned long request, void *argument);

// ioctl(2): what the kernel itself says of a device that libv4l2 has adopted.
int cv4l2_kernel_ioctl(int descriptor, unsigned long request, void *argument);

// Memory shared with the device, to be given back with cv4l2_unmap; NULL on failure.
void *_Nullable cv4l2_map(int descriptor, size_t length, int64_t offset);
int cv4l2_unmap(void *start, size_t length);

int cv4l2_close(int descriptor);

static const unsigned long CV4L2_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long CV4L2_ENUMINPUT = VIDIOC_ENUMINPUT;
static const unsigned long CV4L2_G_INPUT = VIDIOC_G_INPUT;
static const unsigned long CV4L2_S_INPUT = VIDIOC_S_INPUT;
static const unsigned long CV4L2_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long CV4L2_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long CV4L2_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long CV4L2_G_FMT = VIDIOC_G_FMT;
static const unsigned long CV4L2_TRY_FMT = VIDIOC_TRY_FMT;
static const unsigned long CV4L2_S_FMT = VIDIOC_S_FMT;
static const unsigned long CV4L2_G_PARM = VIDIOC_G_PARM;
static const unsigned long CV4L2_S_PARM = VIDIOC_S_PARM;
static const unsigned long CV4L2_QUERYCTRL = VIDIOC_QUERYCTRL;
static const unsigned long CV4L2_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long CV4L2_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long CV4L2_S_CTRL = VIDIOC_S_CTRL;
static const unsigned long CV4L2_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_STREAMOFF = VIDIOC_STREAMOFF;

// The answers to a format's "default", as the kernel's header works them out.
static inline uint32_t cv4l2_default_encoding(uint32_t colorspace) {
  return V4L2_MAP_YCBCR_ENC_DEFAULT(colorspace);
}
static inline uint32_t cv4l2_default_quantization(_Bool is_rgb, uint32_t colorspace) {
  return V4L2_MAP_QUANTIZATION_DEFAULT(is_rgb, colorspace, V4L2_YCBCR_ENC_DEFAULT);
}

#pragma clang assume_nonnull end
#endif
