#!/usr/bin/env python3
"""Compares the colors of a picture that Minilab has made of another with those that ArgyllCMS gives.

    colors.py INPUT OUTPUT.png [X,Y ...]

INPUT is decoded by Pillow, its profile evaluated by ArgyllCMS' `xicclu` (relative colorimetric; Debian
package argyll), black point compensation and sRGB are computed here. No code is shared with libvips or
LittleCMS. INPUT and OUTPUT must have the same size and hold the same pixels: no steps, `format = "png"`.

Prints the mean and the greatest difference (CIEDE2000) over a grid of about 2000 pixels, and the wanted
sRGB levels at each X,Y: what tests record. An untagged CMYK picture is evaluated through the profile
that libvips has for it: `--cmyk FILE`, made by `vips profile_load cmyk FILE`.
"""

import math
import re
import struct
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

D50 = numpy.array([0.9642, 1.0, 0.8249])
# IEC 61966-2-1, adapted to D50 by Bradford's matrix.
SRGB = numpy.array(
    [[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]]
)


def xyz_of_lab(lab):
    fy = (lab[:, 0] + 16) / 116
    f = numpy.stack([fy + lab[:, 1] / 500, fy, fy - lab[:, 2] / 200], 1)
    return numpy.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29)) * D50


def lab_of_xyz(xyz):
    t = xyz / D50
    f = numpy.where(t > (6 / 29) ** 3, numpy.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return numpy.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1
    )


def srgb_of_xyz(xyz):
    light = numpy.clip(xyz @ numpy.linalg.inv(SRGB).T, 0, 1)
    return numpy.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def xyz_of_srgb(level):
    light = numpy.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    return light @ SRGB.T


def xicclu(profile, numbers, function="f", intent="r"):
    """Device to Lab (`f`) or Lab to device (`b`)."""
    text = "".join(" ".join(f"{n:.7f}" for n in row) + "\n" for row in numbers)
    command = ["xicclu", "-s1", f"-f{function}", f"-i{intent}", "-pl", profile]
    out = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    rows = []
    for line in out.splitlines():
        found = re.search(r"-> (?:\S+ -> )?([-\d. e]+) \[", line)
        if found:
            rows.append([float(n) for n in found.group(1).split()])
    if len(rows) != len(numbers):
        raise SystemExit(f"xicclu gave {len(rows)} colors of {len(numbers)}:\n{out[:500]}")
    return numpy.array(rows)


def curve(data, level):
    """A `para` curve, which xicclu does not know (ICC.1:2010, 10.16)."""
    kind, = struct.unpack(">H", data[8:10])
    p = numpy.array(struct.unpack(f">{[1, 3, 4, 5, 7][kind]}i", data[12 : 12 + 4 * [1, 3, 4, 5, 7][kind]]))
    g, a, b, c, d, e, f = numpy.append(p / 65536, [0] * 7)[:7] if kind > 2 else [p[0] / 65536, 1, 0, 0, 0, 0, 0]
    if kind in (1, 2):
        raise SystemExit("a curve of a kind that this tool does not know")
    return numpy.where(level >= d, (a * level + b) ** g + e, c * level + f)


def matrix_xyz(profile, device):
    """Through primaries and formulas of version 4; nothing for other profiles."""
    tags = {}
    for n in range(struct.unpack(">I", profile[128:132])[0]):
        name, start, length = struct.unpack(">4sII", profile[132 + 12 * n : 144 + 12 * n])
        tags[name] = profile[start : start + length]
    if b"A2B0" in tags or tags.get(b"rTRC", b"")[:4] != b"para":
        return None
    light = numpy.stack([curve(tags[n], device[:, i]) for i, n in enumerate((b"rTRC", b"gTRC", b"bTRC"))], 1)
    columns = [struct.unpack(">3i", tags[n][8:20]) for n in (b"rXYZ", b"gXYZ", b"bXYZ")]
    return light @ (numpy.array(columns) / 65536)


def black_point(profile, space):
    """The darkest color, as Adobe's paper on black point compensation has it: neutral."""
    if space == "CMYK":
        # The inks of perceptual black, and how dark they look.
        try:
            inks = xicclu(profile, [[0, 0, 0]], "b", "p")
        except (SystemExit, subprocess.CalledProcessError):
            inks = [[1, 1, 1, 1]]
        lab = xicclu(profile, inks)
    else:
        lab = xicclu(profile, [[0] * (1 if space == "GRAY" else 3)])
    lab[0, 1:] = 0
    lab[0, 0] = min(lab[0, 0], 50)
    return xyz_of_lab(lab)[0]


def compensated(xyz, black):
    """Black goes to zero, white stays: a straight line in XYZ."""
    scale = D50 / (D50 - black)
    return xyz * scale - black * scale


def delta_e(one, two):
    """CIEDE2000 (Sharma, Wu, Dalal 2005)."""
    l1, a1, b1 = one.T
    l2, a2, b2 = two.T
    c = (numpy.hypot(a1, b1) + numpy.hypot(a2, b2)) / 2
    g = (1 - numpy.sqrt(c**7 / (c**7 + 25**7))) / 2
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = numpy.hypot(a1, b1), numpy.hypot(a2, b2)
    h1, h2 = (numpy.degrees(numpy.arctan2(b, a)) % 360 for b, a in ((b1, a1), (b2, a2)))
    dh = (h2 - h1 + 180) % 360 - 180
    dh = numpy.where(c1 * c2 == 0, 0, dh)
    dl, dc, dhh = l2 - l1, c2 - c1, 2 * numpy.sqrt(c1 * c2) * numpy.sin(numpy.radians(dh / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = numpy.where(c1 * c2 == 0, h1 + h2, (h1 + dh / 2) % 360)
    t = (
        1
        - 0.17 * numpy.cos(numpy.radians(h - 30))
        + 0.24 * numpy.cos(numpy.radians(2 * h))
        + 0.32 * numpy.cos(numpy.radians(3 * h + 6))
        - 0.20 * numpy.cos(numpy.radians(4 * h - 63))
    )
    sl = 1 + 0.015 * (l - 50) ** 2 / numpy.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = (
        -2
        * numpy.sqrt(c**7 / (c**7 + 25**7))
        * numpy.sin(numpy.radians(60 * numpy.exp(-(((h - 275) / 25) ** 2))))
    )
    return numpy.sqrt(
        (dl / sl) ** 2 + (dc / sc) ** 2 + (dhh / sh) ** 2 + rt * (dc / sc) * (dhh / sh)
    )


def wanted(image, points, general):
    """XYZ (D50) of the picture's pixels at these points."""
    pixels = numpy.array([numpy.atleast_1d(image.getpixel(p)) for p in points], float)
    if image.mode == "LAB":
        lab = pixels * [100 / 255, 1, 1]
        # Pillow has 128 for neutral.
        lab[:, 1:] -= 128
        return xyz_of_lab(lab)
    bands = {"L": 1, "LA": 1, "I;16": 1, "I": 1, "RGB": 3, "RGBA": 3, "CMYK": 4}[image.mode]
    device = pixels[:, :bands] / (65535 if image.mode.startswith("I") else 255)
    profile = image.info.get("icc_profile")
    if profile is None and image.mode != "CMYK":
        return xyz_of_srgb(numpy.repeat(device, 3, 1) if bands == 1 else device)
    space = {1: "GRAY", 3: "RGB", 4: "CMYK"}[bands]
    if profile is not None and profile[16:20].decode().strip() != space:
        # It says nothing of this picture.
        if space == "CMYK":
            profile = None
        else:
            return xyz_of_srgb(numpy.repeat(device, 3, 1) if bands == 1 else device)
    xyz = matrix_xyz(profile, device) if profile is not None else None
    if xyz is not None:
        return xyz
    with tempfile.NamedTemporaryFile(suffix=".icc") as file:
        file.write(profile or open(general, "rb").read())
        file.flush()
        xyz = xyz_of_lab(xicclu(file.name, device))
        return compensated(xyz, black_point(file.name, space))


def main(arguments):
    general = None
    if "--cmyk" in arguments:
        at = arguments.index("--cmyk")
        general = arguments[at + 1]
        del arguments[at : at + 2]
    source = Image.open(arguments[0])
    made = Image.open(arguments[1])
    made.load()
    if source.mode in ("P", "1"):
        source = source.convert("RGB")
    if made.mode != "RGB":
        made = made.convert("RGB")
    if source.size != made.size:
        raise SystemExit(f"sizes differ: {source.size} and {made.size}")
    asked = [tuple(int(n) for n in a.split(",")) for a in arguments[2:]]
    step = max(1, math.isqrt(source.width * source.height // 2000))
    grid = [(x, y) for y in range(0, source.height, step) for x in range(0, source.width, step)]
    want = srgb_of_xyz(wanted(source, grid + asked, general))
    have = numpy.array([made.getpixel(p) for p in grid], float) / 255
    difference = delta_e(
        lab_of_xyz(xyz_of_srgb(want[: len(grid)])), lab_of_xyz(xyz_of_srgb(have))
    )
    print(f"mean {difference.mean():.3f}  greatest {difference.max():.3f}  {arguments[0]}")
    for point, level in zip(asked, want[len(grid) :]):
        shown = ", ".join(f"{n:.1f}" for n in level * 255)
        print(f"  {point}: [{shown}], made {list(made.getpixel(point))}")


if __name__ == "__main__":
    main(sys.argv[1:])
