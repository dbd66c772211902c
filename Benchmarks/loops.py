#!/usr/bin/env python3
"""Contenders that are loops and not programs, each in two processes of one thread, or as many as PROCESSES
says.

    loops.py WORK SIDES OUT FILE…

WORK is a name of the table below; SIDES are the longer sides of what is made, the largest first.
"""

import ctypes
import functools
import multiprocessing
import os
import sys

PROCESSES = int(os.environ.get("PROCESSES", 2))
QUALITY = 82
WEBP_QUALITY = 80


def stem(name):
    return os.path.splitext(os.path.basename(name))[0]


# libvips through pyvips


def vips_thumbnail(name, side, **options):
    import pyvips

    pyvips.cache_set_max(0)
    return pyvips.Image.thumbnail(name, side, height=options.pop("height", side), **options)


def vips_jpeg(image, out, name, side):
    if image.hasalpha():
        image = image.flatten(background=255)
    image.jpegsave(f"{out}/{stem(name)}-{side}.jpg", Q=QUALITY, strip=True)


def vips_each(out, sides, name):
    """As its authors advise: a thumbnail for each size, each from the file."""
    for side in sides:
        vips_jpeg(vips_thumbnail(name, side, size="down"), out, name, side)


def vips_once(out, sides, name):
    """Tuned by hand: decoded once, the largest held, the others made of it."""
    largest = vips_thumbnail(name, sides[0], size="down").copy_memory()
    vips_jpeg(largest, out, name, sides[0])
    for side in sides[1:]:
        vips_jpeg(largest.thumbnail_image(side, height=side, size="down"), out, name, side)


@functools.cache
def vips_circle(width, height):
    import pyvips

    radius = min(width, height) / 2
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<circle cx="{width / 2}" cy="{height / 2}" r="{radius}" fill="#fff"/></svg>'
    )
    return pyvips.Image.svgload_buffer(drawing.encode())[3].copy_memory()


@functools.cache
def vips_mark(width):
    import pyvips

    mark = pyvips.Image.thumbnail(os.environ["MARK"], max(1, round(width * 0.18)), height=10_000)
    alpha = mark[3] * 0.7
    return mark[0:3].bandjoin(alpha.cast("uchar")).copy(interpretation="srgb").copy_memory()


def vips_badge(name, side):
    """4:3 around what draws the eye, a round picture, a mark in its corner."""
    import pyvips

    height = side * 3 // 4
    image = vips_thumbnail(name, side, height=height, crop="attention").copy_memory()
    image = image.bandjoin(vips_circle(image.width, image.height))
    mark = vips_mark(image.width)
    inset = round(image.width * 0.025)
    return image.composite2(
        mark,
        "over",
        x=image.width - mark.width - inset,
        y=image.height - mark.height - inset,
    )


def vips_webp(image, out, name, side):
    image.webpsave(f"{out}/{stem(name)}-{side}.webp", Q=WEBP_QUALITY, strip=True)


def vips_badge_each(out, sides, name):
    for side in sides:
        vips_webp(vips_badge(name, side), out, name, side)


def vips_badge_once(out, sides, name):
    largest = vips_badge(name, sides[0]).copy_memory()
    vips_webp(largest, out, name, sides[0])
    for side in sides[1:]:
        vips_webp(largest.thumbnail_image(side, height=side), out, name, side)


# Pillow


def pillow_open(name, side):
    from PIL import Image, ImageOps

    image = Image.open(name)
    # The decoder shrinks as far as leaves this much; other formats take no notice.
    image.draft("RGB", (side, side))
    # It would copy a picture that is upright already.
    return ImageOps.exif_transpose(image) if image.getexif().get(0x0112, 1) != 1 else image


def pillow_jpeg(image, out, name, side):
    from PIL import Image

    if image.mode == "RGBA":
        flat = Image.new("RGB", image.size, "white")
        flat.paste(image, mask=image.getchannel("A"))
        image = flat
    elif image.mode not in ("RGB", "L"):
        image = image.convert("RGB")
    image.save(f"{out}/{stem(name)}-{side}.jpg", quality=QUALITY)


def pillow_each(out, sides, name):
    for side in sides:
        image = pillow_open(name, side)
        image.thumbnail((side, side))
        pillow_jpeg(image, out, name, side)


def pillow_once(out, sides, name):
    image = pillow_open(name, sides[0])
    for side in sides:
        image.thumbnail((side, side))
        pillow_jpeg(image, out, name, side)


# What nobody can be faster than: the decoder alone, at the shrink that is used, and the encoder alone


@functools.cache
def turbojpeg():
    library = ctypes.CDLL("libturbojpeg.so.0")
    library.tjInitDecompress.restype = ctypes.c_void_p
    library.tjInitCompress.restype = ctypes.c_void_p
    return (
        library,
        ctypes.c_void_p(library.tjInitDecompress()),
        ctypes.c_void_p(library.tjInitCompress()),
    )


ACCURATE_DCT = 4096
RGB, SAMPLING_420 = 0, 2


def decode(name, leaves):
    """Pixels, columns and rows, by the largest shrink that leaves so many on the longer side."""
    library, handle, _ = turbojpeg()
    with open(name, "rb") as file:
        data = file.read()
    width, height, sampling, space = (ctypes.c_int() for _ in range(4))
    failed = library.tjDecompressHeader3(
        handle, data, ctypes.c_ulong(len(data)), *map(ctypes.byref, (width, height, sampling, space))
    )
    if failed:
        sys.exit(f"{name}: no JPEG")
    shrink = 8
    while shrink > 1 and max(width.value, height.value) < leaves * shrink:
        shrink //= 2
    columns, rows = (-(-length.value // shrink) for length in (width, height))
    pixels = ctypes.create_string_buffer(columns * rows * 3)
    failed = library.tjDecompress2(
        handle, data, ctypes.c_ulong(len(data)), pixels, columns, 0, rows, RGB, ACCURATE_DCT
    )
    if failed:
        sys.exit(f"{name}: damaged")
    return pixels, columns, rows


def floor_decode(out, sides, name):
    # 1.3 is the least that a good kernel needs behind the decoder's.
    decode(name, 1.3 * sides[0])


def floor_encode(out, sides, name):
    """Of pictures of these sizes: the files are the results of another run."""
    library, _, handle = turbojpeg()
    pixels, columns, rows = decode(name, 1)
    result, length = ctypes.c_void_p(), ctypes.c_ulong()
    library.tjCompress2(
        handle, pixels, columns, 0, rows, RGB, ctypes.byref(result), ctypes.byref(length),
        SAMPLING_420, QUALITY, ACCURATE_DCT,
    )
    library.tjFree(result)


WORK = {
    "vips:each": vips_each,
    "vips:once": vips_once,
    "vips:badge-each": vips_badge_each,
    "vips:badge-once": vips_badge_once,
    "pillow:each": pillow_each,
    "pillow:once": pillow_once,
    "floor:decode": floor_decode,
    "floor:encode": floor_encode,
}


def main():
    name, sides, out, *files = sys.argv[1:]
    work = functools.partial(WORK[name], out, [int(side) for side in sides.split(",")])
    portion = max(1, min(16, len(files) // (8 * PROCESSES)))
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        for _ in pool.imap_unordered(work, files, chunksize=portion):
            pass
        pool.close()
        # Joined, so that their use of the processor is counted.
        pool.join()


if __name__ == "__main__":
    main()
