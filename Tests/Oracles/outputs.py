#!/usr/bin/env python3
"""Checks a table of (kind of input) x (format of output) with decoders and a CMS that are not ours.

    outputs.py MINILAB [CORPUS]

Inputs are made by numpy, Pillow and exiftool. Outputs are decoded by Pillow (JPEG, WebP, GIF), djxl (JPEG XL),
heif-convert (AVIF, HEIC) and two small readers here (PNG, TIFF), none of which is libvips; wanted colors
come from ArgyllCMS, through colors.py. exiftool judges tags. CORPUS is a folder of pictures with a
MANIFEST.tsv; its special pictures become inputs, too. The exit status is 1 where anything is wrong.

Debian: argyll argyll-ref libgs9-common libheif-examples libimage-exiftool-perl libjxl-tools libvips-tools
python3-numpy python3-pil
"""

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import colors  # noqa: E402

FORMATS = ["jpeg", "png", "webp", "tiff", "gif", "avif", "heif", "jxl"]
DEEP = {"png", "tiff", "jxl"}
ALPHA = {"png", "webp", "tiff", "gif", "avif", "heif", "jxl"}
METADATA = {
    "jpeg": {"exif", "xmp", "iptc"},
    "tiff": {"exif", "xmp", "iptc"},
    "gif": set(),
}
PROFILES = "/usr/share/color/argyll/ref/"
GHOSTSCRIPT = "/usr/share/color/icc/ghostscript/"
SIDE, STEP = 60, 10


def read(path):
    with open(path, "rb") as file:
        return file.read()


# What the inputs show: flat fields, so that coding at quality 100 and palettes are exact enough.


def fields(bands, maximum=255, seed=3):
    """Levels of 36 fields, from 0 to 1, on the given grid of levels."""
    dice = numpy.random.RandomState(seed)
    grid = dice.randint(20, 236, (SIDE // STEP, SIDE // STEP, bands)) / 255
    grid[0, 0], grid[0, 1] = 0, 1
    grid = numpy.round(grid * maximum) / maximum
    return grid.repeat(STEP, 0).repeat(STEP, 1)


# Writers.


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(levels, depth=8, kind=None, extra=()):
    """A PNG of levels from 0 to 1; `kind`: its color type."""
    height, width, bands = levels.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[bands] if kind is None else kind
    values = numpy.round(levels * (2**depth - 1)).astype(int)
    if depth == 16:
        rows = values.astype(">u2").reshape(height, -1).view(numpy.uint8)
    elif depth == 8:
        rows = values.astype(numpy.uint8).reshape(height, -1)
    else:
        bits = (values.reshape(height, -1, 1) >> numpy.arange(depth - 1, -1, -1)) & 1
        rows = numpy.packbits(bits.reshape(height, -1).astype(numpy.uint8), axis=1)
    body = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(extra)
        + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")
    )


def icc_chunk(profile):
    return chunk(b"iCCP", b"icc\0\0" + zlib.compress(profile))


def tiff(values, photometric, profile=None, alpha=False):
    """An uncompressed TIFF of integers of 8 or 16 bit, a strip a picture."""
    height, width, bands = values.shape
    bits = values.dtype.itemsize * 8
    tags = {
        256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * bands), 259: (3, [1]),
        262: (3, [photometric]), 277: (3, [bands]), 278: (4, [height]),
        279: (4, [values.nbytes]),
    }
    if alpha:
        tags[338] = (3, [2])
    if photometric == 5:
        tags[332] = (3, [1])
    if profile:
        tags[34675] = (7, list(profile))
    tags[273] = (4, [0])
    end = 8 + 2 + 12 * len(tags) + 4
    outside = b""
    entries = b""
    for tag, (kind, numbers) in sorted(tags.items()):
        data = struct.pack("<%d%s" % (len(numbers), {3: "H", 4: "I", 7: "B"}[kind]), *numbers)
        if tag == 273:
            data = b"here"
        if len(data) > 4:
            value = struct.pack("<I", end + len(outside))
            outside += data + b"\0" * (len(data) % 2)
        else:
            value = data.ljust(4, b"\0")
        entries += struct.pack("<HHI", tag, kind, len(numbers)) + value
    entries = entries.replace(b"here", struct.pack("<I", end + len(outside)))
    return (
        b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + entries + b"\0\0\0\0" + outside
        + values.astype(values.dtype.newbyteorder("<")).tobytes()
    )


def pillow(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def image(levels, mode=None):
    values = numpy.round(levels * 255).astype(numpy.uint8)
    return Image.fromarray(values[:, :, 0] if values.shape[2] == 1 else values, mode)


# Readers: each gives levels from 0 to 1, and the bits of a sample.


def read_png(data):
    offset, body, palette, clear = 8, b"", None, b""
    while offset < len(data):
        length, name = struct.unpack(">I4s", data[offset : offset + 8])
        content = data[offset + 8 : offset + 8 + length]
        if name == b"IHDR":
            width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", content)
        elif name == b"PLTE":
            palette = numpy.frombuffer(content, numpy.uint8).reshape(-1, 3)
        elif name == b"tRNS":
            clear = content
        elif name == b"IDAT":
            body += content
        offset += 12 + length
    if interlaced:
        raise SystemExit("an interlaced PNG")
    bands = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    pixel = max(1, bands * depth // 8)
    stride = (width * bands * depth + 7) // 8
    raw = zlib.decompress(body)
    above = numpy.zeros(stride, int)
    rows = []
    for y in range(height):
        start = y * (stride + 1)
        row = numpy.frombuffer(raw, numpy.uint8, stride, start + 1).astype(int)
        rule = raw[start]
        if rule == 2:
            row = (row + above) & 255
        elif rule:
            for x in range(stride):
                left = row[x - pixel] if x >= pixel else 0
                corner = above[x - pixel] if x >= pixel else 0
                up = above[x]
                near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
                row[x] = (row[x] + {1: left, 3: (left + up) // 2, 4: near}[rule]) & 255
        rows.append(row)
        above = row
    rows = numpy.array(rows, numpy.uint8)
    if depth == 16:
        values = rows.reshape(height, -1, 2)
        levels = (values[:, :, 0].astype(int) * 256 + values[:, :, 1]).reshape(height, width, bands)
    elif depth == 8:
        levels = rows.reshape(height, width, bands).astype(int)
    else:
        bits = numpy.unpackbits(rows, axis=1)[:, : width * depth].reshape(height, width, depth)
        levels = (bits * (1 << numpy.arange(depth - 1, -1, -1))).sum(2)[:, :, None]
    if palette is None:
        return levels / (2**depth - 1), depth
    found = palette[levels[:, :, 0]] / 255
    if clear:
        table = numpy.full(256, 255)
        table[: len(clear)] = list(clear)
        found = numpy.dstack([found, table[levels[:, :, 0]] / 255])
    return found, 8


def read_tiff(data):
    order = "<" if data[:2] == b"II" else ">"
    start, = struct.unpack(order + "I", data[4:8])
    tags = {}
    for n in range(struct.unpack(order + "H", data[start : start + 2])[0]):
        at = start + 2 + 12 * n
        tag, kind, count = struct.unpack(order + "HHI", data[at : at + 8])
        letter = {3: "H", 4: "I"}.get(kind)
        if letter:
            size = struct.calcsize(letter) * count
            place = at + 8 if size <= 4 else struct.unpack(order + "I", data[at + 8 : at + 12])[0]
            tags[tag] = struct.unpack(f"{order}{count}{letter}", data[place : place + size])
    width, height, bands = tags[256][0], tags[257][0], tags.get(277, [1])[0]
    depth = tags[258][0]
    if tags[259][0] != 1 or depth not in (8, 16):
        raise SystemExit("a TIFF that this reader does not know")
    body = b"".join(data[o : o + n] for o, n in zip(tags[273], tags[279]))
    values = numpy.frombuffer(body, numpy.dtype(f"{order}u{depth // 8}"), width * height * bands)
    return values.reshape(height, width, bands) / (2**depth - 1), depth


def through_png(command, data, suffix):
    with tempfile.TemporaryDirectory() as folder:
        source, made = f"{folder}/a{suffix}", f"{folder}/a.png"
        with open(source, "wb") as file:
            file.write(data)
        subprocess.run(command + [source, made], check=True, capture_output=True)
        return read_png(read(made))


def decoded(path, name):
    data = read(path)
    if name == "png":
        return read_png(data)
    if name == "tiff":
        return read_tiff(data)
    if name == "jxl":
        return through_png(["djxl"], data, ".jxl")
    if name in ("avif", "heif"):
        return through_png(["heif-convert", "-q", "100"], data, "." + name)
    opened = Image.open(io.BytesIO(data))
    if opened.mode == "P":
        opened = opened.convert("RGBA" if "transparency" in opened.info else "RGB")
    values = numpy.array(opened)
    return values.reshape(values.shape[0], values.shape[1], -1) / 255, 8


# The table of inputs.


class Kind:
    """An input, what is seen of it, and what is to be told.

    `levels`: from 0 to 1, in the space that `profile` and `space` name; the last band is alpha where
    `alpha` is set. `kept`: the samples must come through as they are.
    """

    def __init__(self, name, suffix, data, levels, space, profile=None, **more):
        self.name, self.suffix, self.data, self.levels = name, suffix, data, levels
        self.space, self.profile = space, profile
        self.alpha = more.get("alpha", False)
        self.deep = more.get("deep", False)
        self.notes = set(more.get("notes", ()))
        self.tags = more.get("tags", False)
        self.kept = profile is None and space in ("GRAY", "RGB")

    def seen(self):
        """sRGB levels of the fields without alpha."""
        bands = {"GRAY": 1, "RGB": 3, "CMYK": 4, "LAB": 3}[self.space]
        device = self.levels[STEP // 2 :: STEP, STEP // 2 :: STEP, :bands].reshape(-1, bands)
        if self.space == "LAB":
            xyz = colors.xyz_of_lab(device * [100, 255, 255] - [0, 128, 128])
        elif self.profile is None:
            return device.repeat(3, 1) if bands == 1 else device
        else:
            xyz = colors.matrix_xyz(self.profile, device)
            if xyz is None:
                with tempfile.NamedTemporaryFile(suffix=".icc") as file:
                    file.write(self.profile)
                    file.flush()
                    lab = colors.xicclu(file.name, device)
                    black = colors.black_point(file.name, self.space)
                xyz = colors.compensated(colors.xyz_of_lab(lab), black)
        return colors.srgb_of_xyz(xyz)


def general_cmyk(folder):
    """The profile that libvips has for CMYK without one: bytes, and no arithmetic of it."""
    source, made = f"{folder}/g.png", f"{folder}/g.tif"
    with open(source, "wb") as file:
        file.write(png(fields(3)))
    subprocess.run(["vips", "icc_export", source, made, "--output-profile", "cmyk"], check=True)
    return Image.open(made).info["icc_profile"]


def kinds(folder):
    rgb, gray = fields(3), fields(1)
    deep, deep_gray = fields(3, 65535), fields(1, 65535)
    # From clear to opaque, and half of the fields opaque.
    alpha = numpy.where(fields(1, seed=5) > 0.5, 1, fields(1, seed=6))
    inks = fields(4, seed=8) * 0.7
    p3, clay, prophoto = (
        read(PROFILES + n) for n in ("DisplayP3.icm", "ClayRGB1998.icm", "ProPhoto.icm")
    )
    dark_gray, cmyk = read(GHOSTSCRIPT + "sgray.icc"), read(GHOSTSCRIPT + "default_cmyk.icc")
    junk = bytes(numpy.random.RandomState(1).randint(0, 256, 3000).astype(numpy.uint8))
    converted = {"color-converted"}
    dropped = {"profile-dropped"}
    yield Kind("RGB", ".png", png(rgb), rgb, "RGB")
    yield Kind("RGB, 16 bit", ".png", png(deep, 16), deep, "RGB", deep=True)
    yield Kind("gray", ".png", png(gray), gray, "GRAY")
    yield Kind("gray, 16 bit", ".png", png(deep_gray, 16), deep_gray, "GRAY", deep=True)
    for name, base, bits in (
        ("RGB with alpha", rgb, 8), ("RGB with alpha, 16 bit", deep, 16),
        ("gray with alpha", gray, 8), ("gray with alpha, 16 bit", deep_gray, 16),
    ):
        levels = numpy.dstack([base, alpha])
        space = "GRAY" if base.shape[2] == 1 else "RGB"
        yield Kind(name, ".png", png(levels, bits), levels, space, alpha=True, deep=bits == 16)
    values = numpy.round(deep * 65535).astype(numpy.uint16)
    yield Kind("RGB, 16 bit, TIFF", ".tif", tiff(values, 2), deep, "RGB", deep=True)
    levels = numpy.dstack([deep, alpha])
    values = numpy.round(levels * 65535).astype(numpy.uint16)
    yield Kind(
        "RGB with alpha, 16 bit, TIFF", ".tif", tiff(values, 2, alpha=True), levels, "RGB",
        deep=True, alpha=True,
    )
    for bits in (1, 2, 4):
        few = fields(1, 2**bits - 1)
        yield Kind(f"gray, {bits} bit", ".png", png(few, bits), few, "GRAY")
    index = numpy.arange(36).reshape(6, 6).repeat(STEP, 0).repeat(STEP, 1)[:, :, None]
    table = numpy.round(rgb[::STEP, ::STEP].reshape(-1, 3) * 255).astype(numpy.uint8)
    plte = chunk(b"PLTE", table.tobytes())
    yield Kind("palette", ".png", png(index / 255, 8, 3, [plte]), rgb, "RGB")
    clear = numpy.where(numpy.arange(36) % 3 == 0, 0, 255).astype(numpy.uint8)
    holes = clear[index[:, :, 0]][:, :, None] / 255
    yield Kind(
        "palette with transparency", ".png",
        png(index / 255, 8, 3, [plte, chunk(b"tRNS", clear.tobytes())]),
        numpy.dstack([rgb, holes]), "RGB", alpha=True,
    )
    for name, profile in (("Display P3", p3), ("Adobe RGB", clay)):
        yield Kind(
            name, ".jpg",
            pillow(image(rgb), "JPEG", quality=100, subsampling=0, icc_profile=profile),
            rgb, "RGB", profile, notes=converted,
        )
    yield Kind(
        "ProPhoto, 16 bit", ".png", png(deep, 16, extra=[icc_chunk(prophoto)]), deep, "RGB",
        prophoto, deep=True, notes=converted,
    )
    levels = numpy.dstack([rgb, alpha])
    yield Kind(
        "Display P3 with alpha", ".png", png(levels, extra=[icc_chunk(p3)]), levels, "RGB", p3,
        alpha=True, notes=converted,
    )
    yield Kind(
        "gray with a profile", ".png", png(gray, extra=[icc_chunk(dark_gray)]), gray, "GRAY",
        dark_gray, notes=converted,
    )
    grays = numpy.round(gray * 255).astype(numpy.uint8)
    bytes8 = numpy.round(rgb * 255).astype(numpy.uint8)
    yield Kind("gray with a profile for RGB", ".tif", tiff(grays, 1, p3), gray, "GRAY", notes=dropped)
    yield Kind("RGB with a profile for gray", ".tif", tiff(bytes8, 2, dark_gray), rgb, "RGB", notes=dropped)
    yield Kind("RGB with a broken profile", ".tif", tiff(bytes8, 2, junk), rgb, "RGB", notes=dropped)
    levels = numpy.round(inks * 255) / 255
    ink = numpy.round(inks * 255).astype(numpy.uint8)
    general = general_cmyk(folder)
    yield Kind(
        "CMYK with a profile, TIFF", ".tif", tiff(ink, 5, cmyk), levels, "CMYK", cmyk,
        notes=converted,
    )
    yield Kind("CMYK, TIFF", ".tif", tiff(ink, 5), levels, "CMYK", general, notes=converted)
    # Pillow writes inverted inks and Adobe's mark, as Photoshop does.
    pressed = Image.fromarray(ink, "CMYK")
    for name, profile in (("CMYK with a profile, JPEG", cmyk), ("CMYK, JPEG", None)):
        more = {"icc_profile": profile} if profile else {}
        yield Kind(
            name, ".jpg", pillow(pressed, "JPEG", quality=100, subsampling=0, **more), levels,
            "CMYK", profile or general, notes=converted,
        )
    lab = fields(3, seed=9) * [0.8, 0.3, 0.3] + [0.1, 0.35, 0.35]
    coded = numpy.round(lab * 255).astype(int)
    signed = numpy.dstack([coded[:, :, 0], (coded[:, :, 1:] - 128) % 256]).astype(numpy.uint8)
    yield Kind("Lab", ".tif", tiff(signed, 8), coded / 255, "LAB", notes=converted)
    # Colors are on the edge of what is seen in one row; what turns the picture is only the tag.
    for orientation in range(1, 9):
        stored = turned(rgb, INVERSE[orientation])
        yield Kind(
            f"orientation {orientation}", ".jpg",
            tagged(
                pillow(image(stored), "JPEG", quality=100, subsampling=0), ".jpg",
                f"-EXIF:Orientation#={orientation}", *RICH,
            ),
            rgb, "RGB", tags=True,
        )


def turned(levels, orientation):
    """As a viewer sees what is stored (EXIF 2.32, 4.6.4, tag 0x0112)."""
    return {
        1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1], 5: lambda a: a.transpose(1, 0, 2),
        6: lambda a: numpy.rot90(a, -1), 7: lambda a: numpy.rot90(a, 2).transpose(1, 0, 2),
        8: lambda a: numpy.rot90(a, 1),
    }[orientation](levels)


INVERSE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}

RICH = [
    "-EXIF:Make=Maker", "-EXIF:Artist=José", "-EXIF:Copyright=© Ærø",
    "-EXIF:DateTimeOriginal=2020:01:02 03:04:05", "-EXIF:GPSLatitude=43.5",
    "-EXIF:GPSLatitudeRef=N", "-XMP-dc:Rights=© Ærø", "-XMP-photoshop:City=Lieu",
    "-XMP-exif:GPSLatitude=43.5", "-IPTC:City=Lieu", "-IPTC:CopyrightNotice=Notice",
    "-IPTC:CodedCharacterSet=UTF8",
]


def tagged(data, suffix, *tags):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a{suffix}"
        with open(path, "wb") as file:
            file.write(data)
        subprocess.run(["exiftool", "-q", "-m", "-overwrite_original", *tags, path], check=True)
        return read(path)


def tags_of(path):
    command = ["exiftool", "-j", "-G1", "-a", "-n", "-m", path]
    printed = subprocess.run(command, capture_output=True).stdout
    return json.loads(printed.decode("utf-8", "replace"))[0]


# Comparing.

FAULTS = []


def fault(*words):
    FAULTS.append(" ".join(str(w) for w in words))
    print("FAULT", FAULTS[-1])


def run(minilab, folder, profile, inputs):
    """The events of a run by the names of the inputs."""
    with open(f"{folder}/p.toml", "w") as file:
        file.write("profile = 1\n" + profile)
    command = [minilab, "run", f"{folder}/p.toml", inputs, "-o", f"{folder}/out", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    if not events:
        raise SystemExit(f"nothing was run: {done.stderr}")
    return {event["input"]: event for event in events if event["event"] == "item"}


def profile_of_table():
    text = '[input]\nformats = "all"\n[[step]]\nop = "orient"\n'
    for name in FORMATS:
        options = {
            "tiff": 'compression = "none"', "png": "effort = 3", "gif": "dither = 0",
            "jpeg": 'quality = 100\nsubsampling = "4:4:4"', "jxl": "lossless = true",
        }.get(name, "lossless = true")
        text += f'[[output]]\nname = "{name}"\nformat = "{name}"\n{options}\n'
        text += f'path = "{{stem}}.{name}"\nmetadata = "no-location"\n'
    return text


def check(kind, name, event, path):
    where = f"{kind.name} as {name}:"
    levels, depth = decoded(path, name)
    if levels.shape[:2] != (SIDE, SIDE):
        return fault(where, "size", levels.shape)
    if (depth == 16) != (kind.deep and name in DEEP):
        fault(where, depth, "bit")
    center = levels[STEP // 2 :: STEP, STEP // 2 :: STEP]
    made = center.reshape(-1, center.shape[2])
    has_alpha = made.shape[1] in (2, 4)
    opacity = kind.levels[STEP // 2 :: STEP, STEP // 2 :: STEP, -1].reshape(-1)
    if not kind.alpha:
        opacity = numpy.ones(len(made))
    if kind.alpha and name in ALPHA and not has_alpha:
        fault(where, "no transparency")
    shown = made[:, -1] if has_alpha else numpy.ones(len(made))
    made = made[:, :-1] if has_alpha else made
    made = made.repeat(3, 1) if made.shape[1] == 1 else made
    seen = kind.seen()
    wanted = opacity
    if name == "gif":
        wanted = (opacity >= 0.5).astype(float)
    if name in ALPHA and kind.alpha and abs(shown - wanted).max() > 1.5 / 255:
        fault(where, "transparency differs by", abs(shown - wanted).max())
    if name not in ALPHA:
        # White shows through.
        seen = seen * opacity[:, None] + 1 - opacity[:, None]
        visible = numpy.ones(len(made), bool)
    else:
        # A codec may do what it likes with what nobody sees.
        visible = shown > 0.2
    difference = colors.delta_e(
        colors.lab_of_xyz(colors.xyz_of_srgb(seen[visible])),
        colors.lab_of_xyz(colors.xyz_of_srgb(made[visible])),
    )
    if difference.mean() >= 2:
        fault(where, f"colors differ by {difference.mean():.2f} in the mean")
    exact = kind.kept and name in ("png", "tiff", "jxl") and kind.suffix != ".jpg"
    levels_off = abs(seen - made)[visible].max()
    if exact and levels_off > 1.01 / (65535 if kind.deep else 255):
        fault(where, "levels differ by", levels_off)
    if kind.tags:
        check_tags(where, name, path)
    return difference.mean()


def check_tags(where, name, path):
    tags = tags_of(path)
    for tag, value in tags.items():
        if "GPS" in tag or tag.endswith((":City", ":Country")) or "Lieu" in str(value):
            fault(where, "a place:", tag, value)
    for tag in ("IFD0:Orientation", "XMP-tiff:Orientation"):
        if tags.get(tag, 1) != 1:
            fault(where, tag, tags[tag])
    kinds = METADATA.get(name, {"exif", "xmp"})
    wanted = {}
    if "exif" in kinds:
        wanted |= {
            "IFD0:Make": "Maker", "IFD0:Artist": "José", "IFD0:Copyright": "© Ærø",
            "ExifIFD:DateTimeOriginal": "2020:01:02 03:04:05",
        }
    if "xmp" in kinds:
        wanted["XMP-dc:Rights"] = "© Ærø"
    if "iptc" in kinds:
        wanted["IPTC:CopyrightNotice"] = "Notice"
    for tag, value in wanted.items():
        if tags.get(tag) != value:
            fault(where, tag, "is", tags.get(tag))


def check_notes(kind, event):
    found = {note["code"] for note in event["notes"]}
    wanted = set(kind.notes)
    if kind.alpha:
        wanted.add("alpha-flattened")
        if "palette" not in kind.name:
            wanted.add("alpha-reduced")
    if kind.deep:
        wanted.add("depth-reduced")
    if kind.tags:
        # GIF holds no metadata, and most formats no IPTC.
        wanted.add("metadata-dropped")
    if found != wanted:
        fault(f"{kind.name}: notes", sorted(found), "and not", sorted(wanted))


def table(minilab):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/in")
        all_kinds = list(kinds(folder))
        for number, kind in enumerate(all_kinds):
            with open(f"{folder}/in/{number}{kind.suffix}", "wb") as file:
                file.write(kind.data)
        events = run(minilab, folder, profile_of_table(), f"{folder}/in")
        for number, kind in enumerate(all_kinds):
            event = events[f"{number}{kind.suffix}"]
            if event["status"] != "done":
                fault(kind.name, event)
                continue
            check_notes(kind, event)
            means = []
            for name in FORMATS:
                mean = check(kind, name, event, f"{folder}/out/{number}.{name}")
                means.append("    -" if mean is None else f"{mean:5.2f}")
            print(f"{kind.name:32}", *means)


# Films and pages.


def frames_of(path):
    opened = Image.open(path)
    frames, delays = [], []
    for number in range(getattr(opened, "n_frames", 1)):
        opened.seek(number)
        frames.append(numpy.array(opened.convert("RGBA"), float))
        delays.append(opened.info.get("duration"))
    return frames, delays, opened.info.get("loop")


def films(minilab):
    """Frames, delays and loops through steps, and what each frame shows."""
    delays = [30, 70, 250, 20, 1000]
    pictures = []
    for number in range(len(delays)):
        levels = fields(3, seed=20)
        levels[10:20, 10 * number : 10 * number + 10] = [1, 1, 0]
        pictures.append(image(levels))
    steps = {
        "orient": ("", lambda a: a),
        "crop": ('op = "crop"\nrect = [10, 0, 40, 50]\n', lambda a: a[:50, 10:50]),
        "preview": (
            'op = "thumbnail-preview"\nmax-side = 30\n',
            lambda a: a.reshape(30, 2, 30, 2, -1).mean((1, 3)),
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/in")
        for loop, name in ((0, "ever"), (4, "four"), (None, "once")):
            more = {} if loop is None else {"loop": loop}
            for suffix in ("gif", "webp"):
                if suffix == "webp" and loop is None:
                    more = {"loop": 1}
                coding = {"lossless": True} if suffix == "webp" else {}
                pictures[0].save(
                    f"{folder}/in/{name}-{suffix}.{suffix}", save_all=True,
                    append_images=pictures[1:], duration=delays, **more, **coding,
                )
        text = '[input]\npages = "all"\n'
        outputs = []
        for name, (step, _) in steps.items():
            for made in ("gif", "webp"):
                outputs.append((name, made))
                coding = "dither = 0" if made == "gif" else "lossless = true"
                text += f'[[output]]\nname = "{name}-{made}"\nformat = "{made}"\n{coding}\n'
                text += f'path = "{{stem}}-{name}.{made}"\n'
                text += f"[[output.step]]\n{step}" if step else ""
        events = run(minilab, folder, text, f"{folder}/in")
        for file, event in sorted(events.items()):
            if event["notes"]:
                fault(file, "notes", event["notes"])
            stem, kind = file.split(".")
            source, times, loop = frames_of(f"{folder}/in/{file}")
            # GIF counts how often a film begins again, WebP how often it is shown.
            plays = (1 if loop is None else loop and loop + 1) if kind == "gif" else loop
            for name, made in outputs:
                where = f"{file} through {name} as {made}:"
                frames, found, again = frames_of(f"{folder}/out/{stem}-{name}.{made}")
                shown = (1 if again is None else again and again + 1) if made == "gif" else again
                if found != times or shown != plays:
                    fault(where, "delays", found, "plays", shown, "and not", times, plays)
                if len(frames) != len(source):
                    fault(where, len(frames), "frames")
                    continue
                for number, (one, two) in enumerate(zip(source, frames)):
                    wanted = steps[name][1](one)
                    if wanted.shape != two.shape:
                        fault(where, "size", two.shape)
                    # A reduction has more colors than a palette, and another kernel than a box.
                    elif (difference := abs(wanted - two).mean()) > (0.6 if name != "preview" else 9):
                        fault(where, "frame", number, "differs by", difference)
    print("films: 6 inputs through 6 outputs")


# Notes.


def exif(*entries):
    """An EXIF block: its first directory, and one of the exposure; `entries`: (place, tag, bytes)."""
    directories = {0: [], 1: []}
    for place, tag, value in entries:
        directories[place].append((tag, value))
    directories[0].append((0x8769, None))
    second = 8 + 6 + 12 * len(directories[0]) + sum(len(v or b"") for _, v in directories[0])
    data = b"II*\0\x08\0\0\0"
    for place in (0, 1):
        values = len(data) + 6 + 12 * len(directories[place])
        data += struct.pack("<H", len(directories[place]))
        outside = b""
        for tag, value in sorted(directories[place]):
            if value is None:
                data += struct.pack("<HHII", tag, 4, 1, second)
            else:
                data += struct.pack("<HHII", tag, 7, len(value), values + len(outside))
                outside += value
        data += b"\0\0\0\0" + outside
    return data


def loss_cases():
    """A profile, an input's name and bytes, and all notes that are due: no more and no less."""
    rgb, deep = fields(3), fields(3, 65535)
    half = numpy.dstack([rgb, numpy.full((SIDE, SIDE, 1), 0.5)])
    hard = numpy.dstack([rgb, (fields(1, seed=4) > 0.5).astype(float)])
    p3 = read(PROFILES + "DisplayP3.icm")
    plain = pillow(image(rgb), "JPEG", quality=95)
    film = [image(fields(3, seed=n)) for n in (1, 2, 3)]
    more = {"save_all": True, "append_images": film[1:]}
    gif = pillow(film[0], "GIF", duration=[50, 60, 70], loop=0, **more)
    uneven = pillow(film[0], "WEBP", duration=[33, 33, 33], loop=0, lossless=True, **more)
    pages = pillow(film[0], "TIFF", save_all=True, append_images=film[1:])
    apng = pillow(film[0], "PNG", duration=100, **more)
    small = pillow(image(rgb).resize((16, 16)), "JPEG")
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/t.jpg", "wb") as file:
            file.write(small)
        thumbnail = tagged(plain, ".jpg", "-EXIF:Make=Maker", f"-ThumbnailImage<={folder}/t.jpg")
    note = exif((0, 0x010F, b"Maker\0"), (1, 0x927C, b"Maker note of some length"))
    noted = plain[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 8) + b"Exif\0\0" + note + plain[2:]
    rich = tagged(plain, ".jpg", "-EXIF:Artist=A", "-XMP-dc:Rights=B", "-IPTC:Keywords=C")
    comment = tagged(plain, ".jpg", "-Comment=D")

    def output(name, keys=""):
        return f'[[output]]\nformat = "{name}"\n{keys}\n'

    everything = '[input]\npages = "all"\n'
    yield output("webp"), "a.png", png(rgb), []
    yield output("jpeg"), "a.png", png(half), ["alpha-flattened"]
    yield output("gif"), "a.png", png(half), ["alpha-reduced"]
    yield output("gif"), "a.png", png(hard), []
    yield output("webp"), "a.png", png(half), []
    for name in ("jpeg", "webp", "gif", "avif", "heif"):
        yield output(name), "a.png", png(deep, 16), ["depth-reduced"]
    for name in ("tiff", "jxl"):
        yield output(name), "a.png", png(deep, 16), []
    yield output("png", "bit-depth = 8"), "a.png", png(deep, 16), ["depth-reduced"]
    yield output("png", "bit-depth = 16"), "a.png", png(rgb), []
    yield output("heif", "bit-depth = 10"), "a.png", png(deep, 16), ["depth-reduced"]
    yield output("webp"), "a.gif", gif, ["pages-dropped"]
    yield everything + output("webp"), "a.gif", gif, []
    yield everything + output("jpeg", 'pages = "first"'), "a.gif", gif, ["pages-dropped"]
    yield everything + output("tiff"), "a.gif", gif, ["timing-changed"]
    yield everything + output("gif"), "a.webp", uneven, ["timing-changed"]
    yield everything + output("webp", "quality = 80"), "a.webp", uneven, []
    yield output("png", "effort = 1"), "a.tif", pages, ["pages-dropped"]
    yield everything + output("tiff", 'compression = "lzw"'), "a.tif", pages, []
    split = 'path = "{stem}-{page}.{ext}"'
    yield '[input]\npages = "split"\n' + output("webp", split), "a.tif", pages, []
    yield everything + output("webp"), "a.png", apng, ["pages-dropped"]
    yield output("webp"), "a.gif", pillow(film[0], "GIF"), []
    colored = png(rgb, extra=[icc_chunk(p3)])
    yield output("webp", 'color = "keep"'), "a.png", colored, []
    yield output("webp", 'color = "keep"\nembed-profile = false'), "a.png", colored, ["profile-dropped"]
    yield output("webp", "embed-profile = false"), "a.png", colored, ["color-converted"]
    plain_profile = png(rgb, extra=[icc_chunk(read(PROFILES + "sRGB.icm"))])
    yield output("webp", "embed-profile = false"), "a.png", plain_profile, []
    wide = '[[step]]\nop = "resize"\nwidth = %d\nenlarge = true\n'
    yield wide % 90 + output("png"), "a.png", png(rgb), ["enlarged"]
    yield wide % 30 + output("png"), "a.png", png(rgb), []
    yield output("gif"), "a.jpg", rich, ["metadata-dropped"]
    yield output("webp"), "a.jpg", rich, ["metadata-dropped"]
    yield output("tiff"), "a.jpg", rich, []
    yield output("gif", 'metadata = "none"'), "a.jpg", rich, []
    yield output("webp", 'metadata = ["exif"]'), "a.jpg", rich, []
    yield output("png"), "a.jpg", comment, ["metadata-dropped"]
    yield output("png", 'metadata = "copyright"'), "a.jpg", comment, []
    yield output("webp"), "a.jpg", thumbnail, ["thumbnail-dropped"]
    yield output("webp", 'metadata = "none"'), "a.jpg", thumbnail, []
    yield output("jpeg"), "a.jpg", thumbnail, ["copied"]
    spoken = pillow(film[0], "GIF", comment=b"Somebody said this")
    yield output("png"), "a.gif", spoken, ["metadata-dropped"]
    yield output("jpeg"), "a.gif", spoken, []
    yield output("gif"), "a.gif", spoken, ["copied"]
    yield output("tiff"), "a.jpg", noted, ["maker-notes-moved"]
    yield output("webp"), "a.jpg", noted, []
    yield output("jpeg", "quality = 90"), "a.jpg", noted, []


def losses(minilab):
    """Each loss is told, and none where nothing was lost."""
    count = 0
    for text, name, data, wanted in loss_cases():
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/in")
            with open(f"{folder}/in/{name}", "wb") as file:
                file.write(data)
            event = run(minilab, folder, text, f"{folder}/in")[name]
        found = sorted(note["code"] for note in event["notes"])
        if event["status"] != "done" or found != wanted:
            fault(repr(text), name, found, "and not", wanted, event.get("error", ""))
        count += 1
    print(f"losses: {count} cases")


# The corpus.

SPECIAL = [
    "jpeg-cmyk/", "icc-jpeg/", "jpeg-odd/", "png-other/sharp/", "tiff/pillow/", "tiff/twelvemonkeys/",
    "webp/twelvemonkeys/", "hdr-gainmap/", "pngsuite/", "orient-jpeg/libvips/",
]


def corpus(minilab, root):
    """Special pictures as PNG, against what Pillow decodes and ArgyllCMS makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        cmyk = f"{folder}/cmyk.icc"
        with open(cmyk, "wb") as file:
            file.write(general_cmyk(folder))
        names = {}
        os.mkdir(f"{folder}/in")
        for line in read(root + "/MANIFEST.tsv").decode().splitlines()[1:]:
            name = line.split("\t")[0]
            if name.startswith(tuple(SPECIAL)) and name.endswith(
                (".jpg", ".png", ".tif", ".webp")
            ) and not name.endswith(MISREAD):
                own = f"{len(names)}{os.path.splitext(name)[1]}"
                with open(f"{folder}/in/{own}", "wb") as file:
                    file.write(read(f"{root}/{name}"))
                names[own] = name
        text = '[input]\nmax-pixels = 4_000_000\n[[output]]\nformat = "png"\n'
        # A named option, or an untouched picture would be copied.
        text += 'effort = 1\npath = "{stem}.png"\n'
        events = run(minilab, folder, text, f"{folder}/in")
        count = 0
        for own, name in names.items():
            event = events.get(own)
            if event is None or event["status"] != "done":
                continue
            made, _ = read_png(read(f"{folder}/out/{os.path.splitext(own)[0]}.png"))
            try:
                mean = compare(f"{folder}/in/{own}", made, cmyk)
            except (OSError, ValueError, KeyError, SyntaxError, subprocess.CalledProcessError) as error:
                print(f"      {name}: {type(error).__name__} {str(error)[:60]}")
                continue
            if mean is None:
                continue
            count += 1
            if mean >= 2:
                fault(f"{name}: colors differ by {mean:.2f} in the mean")
        print(f"corpus: {count} of {len(names)} special pictures compared")


# Pillow reads planes of 16 bit as if they had 8.
MISREAD = ("planar-16.tif",)


def compare(path, made, cmyk):
    """The mean difference; nothing where Pillow sees another picture than it should."""
    source = Image.open(path)
    if source.mode in ("P", "1", "PA"):
        source = source.convert("RGBA" if "transparency" in source.info else "RGB")
    if source.mode in ("F", "YCbCr", "RGBX", "I"):
        return None
    orientation = source.getexif().get(274, 1)
    if orientation != 1 or source.size != (made.shape[1], made.shape[0]):
        return None
    if source.mode in ("RGBA", "LA"):
        opaque = numpy.array(source.getchannel("A")) == 255
    else:
        opaque = numpy.ones((source.height, source.width), bool)
    step = max(1, int((source.width * source.height / 1000) ** 0.5))
    points = [
        (x, y) for y in range(0, source.height, step) for x in range(0, source.width, step)
        if opaque[y, x]
    ]
    if not points:
        return None
    want = colors.srgb_of_xyz(colors.wanted(source, points, cmyk))
    have = numpy.array([made[y, x] for x, y in points])
    have = have[:, :-1] if have.shape[1] in (2, 4) else have
    have = have.repeat(3, 1) if have.shape[1] == 1 else have
    return colors.delta_e(
        colors.lab_of_xyz(colors.xyz_of_srgb(want)), colors.lab_of_xyz(colors.xyz_of_srgb(have))
    ).mean()


def main(arguments):
    if len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    minilab = os.path.abspath(arguments[0])
    print(" " * 32, *(f"{name:>5}" for name in FORMATS))
    table(minilab)
    films(minilab)
    losses(minilab)
    if len(arguments) == 2:
        corpus(minilab, arguments[1])
    raise SystemExit(1 if FAULTS else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
