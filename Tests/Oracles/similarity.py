#!/usr/bin/env python3
"""Compares reduced photographs with a Lanczos reduction of the full decode, beside Pillow's `draft`.

    similarity.py MINILAB [--side N] JPEG...

Minilab and Pillow's `draft` both let the JPEG decoder make the picture smaller first, which saves most
of the time. The reference decodes every pixel. Each result is compared with it by the structural
similarity (SSIM, Wang and others 2004) of luma in Gaussian windows of 11 x 11 pixels. Prints a line for
each picture, then median and minimum of both. The exit status is 1 where Minilab's median or minimum is
the lower one.

Debian: python3-numpy python3-pil
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

Image.MAX_IMAGE_PIXELS = None

PROFILE = """profile = 1
[input]
max-pixels = 1_000_000_000
[[step]]
op = "orient"
[[step]]
op = "thumbnail-preview"
max-side = {side}
[[output]]
path = "{{index}}.png"
format = "png"
effort = 1
color = "keep"
metadata = "none"
"""

WINDOW = 11
SIGMA = 1.5


def luma(image):
    return numpy.asarray(image.convert("L"), dtype=numpy.float64)


def smooth(plane):
    """The Gaussian average around each pixel that has a whole window."""
    at = numpy.arange(WINDOW) - WINDOW // 2
    weights = numpy.exp(-(at**2) / (2 * SIGMA**2))
    weights /= weights.sum()
    for axis in (0, 1):
        count = plane.shape[axis] - WINDOW + 1
        plane = sum(
            weight * numpy.take(plane, range(index, index + count), axis=axis)
            for index, weight in enumerate(weights)
        )
    return plane


def similarity(one, other):
    a, b = luma(one), luma(other)
    mean_a, mean_b = smooth(a), smooth(b)
    variance_a = smooth(a * a) - mean_a**2
    variance_b = smooth(b * b) - mean_b**2
    covariance = smooth(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    bottom = (mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2)
    return float((top / bottom).mean())


def upright(path):
    return ImageOps.exif_transpose(Image.open(path))


def with_draft(path, side):
    image = Image.open(path)
    image.draft(image.mode, (side, side))
    image = ImageOps.exif_transpose(image)
    image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=None)
    return image


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("minilab")
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("photos", nargs="+")
    told = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        profile = f"{scratch}/profile.toml"
        with open(profile, "w") as file:
            file.write(PROFILE.format(side=told.side))
        ours, theirs = [], []
        for number, photo in enumerate(told.photos):
            out = f"{scratch}/{number}"
            words = [told.minilab, "run", profile, photo, "-o", out, "--quiet"]
            subprocess.run(words, check=True)
            made = Image.open(f"{out}/1.png")
            reference = upright(photo).resize(made.size, Image.Resampling.LANCZOS)
            drafted = with_draft(photo, told.side)
            if drafted.size != made.size:
                sys.exit(f"{photo}: {made.size}, and Pillow makes {drafted.size}")
            ours.append(similarity(made, reference))
            theirs.append(similarity(drafted, reference))
            print(f"{ours[-1]:.4f} {theirs[-1]:.4f} {os.path.basename(photo)}", flush=True)

    good = True
    for name, of in (("median", statistics.median), ("minimum", min)):
        good &= of(ours) >= of(theirs)
        print(f"{name}: {of(ours):.4f} here, {of(theirs):.4f} with Pillow's draft")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
