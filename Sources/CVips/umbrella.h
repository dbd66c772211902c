// GLib is a module of its own: libvips and the host share one.
#include "../CGLib/umbrella.h"
#include <vips/vips.h>
