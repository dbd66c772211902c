#!/usr/bin/env python3
"""Peers of the comparison that are loops and not programs, each in two processes.

    thumbnails.py pyvips SIDE QUALITY OUT FILE…     libvips through pyvips, as its authors advise
    thumbnails.py floor SIDE QUALITY OUT FILE…      decoding alone, at the same shrink: no resize, no
                                                    encode, no file. Nothing can be faster than this.
"""

import ctypes
import functools
import multiprocessing
import os
import sys

PROCESSES = 2
CHUNK = 4


def thumbnail(side, quality, out, name):
    import pyvips

    pyvips.cache_set_max(0)
    image = pyvips.Image.thumbnail(name, side, height=side, size="down")
    stem = os.path.splitext(os.path.basename(name))[0]
    image.jpegsave(os.path.join(out, stem + ".jpg"), Q=quality, strip=True)


@functools.cache
def turbojpeg():
    library = ctypes.CDLL("libturbojpeg.so.0")
    library.tjInitDecompress.restype = ctypes.c_void_p
    return library, ctypes.c_void_p(library.tjInitDecompress())


def decode(side, _quality, _out, name):
    library, handle = turbojpeg()
    with open(name, "rb") as file:
        data = file.read()
    width, height, sampling, space = (ctypes.c_int() for _ in range(4))
    failed = library.tjDecompressHeader3(
        handle, data, ctypes.c_ulong(len(data)), *map(ctypes.byref, (width, height, sampling, space))
    )
    if failed:
        sys.exit(f"{name}: no JPEG")
    shrink = 8
    while shrink > 1 and max(width.value, height.value) < side * shrink:
        shrink //= 2
    columns, rows = (-(-length.value // shrink) for length in (width, height))
    pixels = ctypes.create_string_buffer(columns * rows * 3)
    accurate_dct = 4096
    failed = library.tjDecompress2(
        handle, data, ctypes.c_ulong(len(data)), pixels, columns, 0, rows, 0, accurate_dct
    )
    if failed:
        sys.exit(f"{name}: damaged")


def main():
    kind, side, quality, out, *files = sys.argv[1:]
    work = {"pyvips": thumbnail, "floor": decode}[kind]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        call = functools.partial(work, int(side), int(quality), out)
        for _ in pool.imap_unordered(call, files, chunksize=CHUNK):
            pass
        pool.close()
        # Joined, so that their use of the processor is counted.
        pool.join()


if __name__ == "__main__":
    main()
