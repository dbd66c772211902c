"""Files that are made to cost a decoder its memory, its time or its life: each a function of its bytes.

All is made here, by hand: nothing of it is somebody's exploit, and no library is needed to write it.
"""

import gzip
import io
import struct
import zlib

# Building blocks.


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, rest=b"", color=2, depth=8, interlace=0, ancillary=b""):
    """A PNG with this header and, behind the ancillary chunks, the rest as its data."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    body = chunk(b"IHDR", header) + ancillary + chunk(b"IDAT", rest) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def zeros(count):
    """So many zero bytes, deflated: about a thousandth of that. Whole megabytes are one block again and again."""
    block, rest = divmod(count, 1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    last = packer.compress(bytes(rest)) + packer.flush()
    # Adler-32 of zeros: 1, and how many there were.
    return b"\x78\xda" + first * block + last + struct.pack(">HH", count % 65521, 1)


def good_png(side=40):
    """A picture of a gradient, with nothing wrong."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 6, y * 6, 90)) for x in range(side)) for y in range(side)
    )
    return png(side, side, zlib.compress(rows))


def marker(code, body):
    return struct.pack(">BBH", 0xFF, code, len(body) + 2) + body


def tables(ac=0):
    """One code of one bit in each: a difference of nothing, and an end of block, or of 2^14 of them (0xE0)."""
    codes = ((0x00, 0), (0x10, ac))
    return marker(0xDB, b"\0" + b"\x01" * 64) + b"".join(
        marker(0xC4, bytes([kind]) + b"\x01" + bytes(15) + bytes([value])) for kind, value in codes
    )


def jpeg(width, height, scans, progressive=False, segments=b"", components=1, ac=0):
    parts = b"".join(bytes((i + 1, 0x11, 0)) for i in range(components))
    frame = struct.pack(">BHHB", 8, height, width, components) + parts
    kind = 0xC2 if progressive else 0xC0
    return b"\xff\xd8" + segments + tables(ac) + marker(kind, frame) + scans + b"\xff\xd9"


def scan(data, first=0, last=63, shift=0):
    return marker(0xDA, bytes((1, 1, 0x00, first, last, shift))) + data


def good_jpeg():
    """Gray, 64 x 64: each block is two bits, both zero."""
    return jpeg(64, 64, scan(bytes(16)))


def tiff(entries, data=b"", big=False, link=0):
    """One directory, little-endian. `entries`: (tag, type, count, value); data begins at `offset(…)`."""
    entries = sorted(entries)
    if big:
        head = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)
        body = struct.pack("<Q", len(entries))
        body += b"".join(struct.pack("<HHQQ", *entry) for entry in entries)
        return head + body + struct.pack("<Q", link) + data
    head = struct.pack("<2sHI", b"II", 42, 8)
    body = struct.pack("<H", len(entries))
    body += b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return head + body + struct.pack("<I", link) + data


def offset(count, big=False):
    """Where data begins behind a directory of so many entries."""
    return 16 + 8 + 20 * count + 8 if big else 8 + 2 + 12 * count + 4


def gray_tiff(width, height, strips, compression=1, rows=None, big=False, more=()):
    """`strips`: the bytes of one strip."""
    wide = 16 if big else 4
    entries = [
        (256, wide, 1, width),
        (257, wide, 1, height),
        (258, 3, 1, 8),
        (259, 3, 1, compression),
        (262, 3, 1, 1),
        (277, 3, 1, 1),
        (278, wide, 1, rows or height),
        (279, wide, 1, len(strips)),
        *more,
    ]
    place = offset(len(entries) + 1, big)
    return tiff(entries + [(273, wide, 1, place)], strips, big)


def box(kind, body):
    return struct.pack(">I", len(body) + 8) + kind + body


def full(kind, body, version=0, flags=0):
    return box(kind, struct.pack(">I", version << 24 | flags) + body)


def heif(width, height, brand=b"avif", codec=b"av01", data=bytes(64), items=1, extra=b"", setup=None):
    """A HEIF container of one coded picture that claims a size."""
    setup = setup or box(b"av1C", b"\x81\x00\x0c\x00")
    infos = b"".join(
        full(b"infe", struct.pack(">HH4s", i + 1, 0, codec) + b"\0", version=2) for i in range(items)
    )
    properties = full(b"ispe", struct.pack(">II", width, height)) + setup
    properties += full(b"pixi", b"\x03\x08\x08\x08")
    uses = b"".join(struct.pack(">HB", i + 1, 3) + b"\x81\x82\x03" for i in range(items))
    uses = full(b"ipma", struct.pack(">I", items) + uses)

    def meta(place):
        places = b"".join(
            struct.pack(">HHHII", i + 1, 0, 1, place, len(data)) for i in range(items)
        )
        return full(
            b"meta",
            full(b"hdlr", struct.pack(">I4s", 0, b"pict") + bytes(13))
            + full(b"pitm", struct.pack(">H", 1))
            + full(b"iloc", struct.pack(">BBH", 0x44, 0, items) + places)
            + full(b"iinf", struct.pack(">H", items) + infos)
            + box(b"iprp", box(b"ipco", properties) + uses)
            + extra,
        )

    head = box(b"ftyp", brand + bytes(4) + b"mif1" + brand)
    length = len(head) + len(meta(0)) + 8
    return head + meta(length) + box(b"mdat", data)


def svg(body, size='width="100" height="100"'):
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    return (head + size + ">" + body + "</svg>").encode()


def exif(directory):
    return marker(0xE1, b"Exif\0\0" + directory)


# Headers that claim more than there is.

FAR = 60_000


def pdf(box_text, content=b"0 0 100 100 re f"):
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [" + box_text + b"] /Contents 4 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    text = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return text + table + end % (len(objects) + 1, len(text))


def jxl_header(side):
    """A bare codestream whose size header is written in full: two times 30 bits."""
    bits = []

    def put(value, count):
        bits.extend(value >> i & 1 for i in range(count))

    put(0, 1)  # not small
    put(3, 2)  # 30 bits follow
    put(side - 1, 30)
    put(0, 3)  # no ratio
    put(3, 2)
    put(side - 1, 30)
    put(1, 1)  # all default
    while len(bits) % 8:
        bits.append(0)
    body = bytes(sum(bit << i for i, bit in enumerate(bits[n : n + 8])) for n in range(0, len(bits), 8))
    return b"\xff\x0a" + body + bytes(200)


def jp2(side):
    size = struct.pack(">HHIIIIIIIIH", 41, 0, side, side, 0, 0, side, side, 0, 0, 1) + b"\x07\x01\x01"
    coding = struct.pack(">HBBHBBBBBB", 12, 0, 0, 1, 0, 5, 4, 4, 0, 1)
    quant = struct.pack(">HB", 19, 0x40) + bytes([0x48] * 16)
    part = struct.pack(">HHIBB", 10, 0, 0, 0, 1)
    return b"\xff\x4f\xff\x51" + size + b"\xff\x52" + coding + b"\xff\x5c" + quant + b"\xff\x90" + part + b"\xff\x93\xff\xd9"


def exr(side):
    def attribute(name, kind, value):
        return name + b"\0" + kind + b"\0" + struct.pack("<I", len(value)) + value

    channels = b"G\0" + struct.pack("<IBBBBII", 1, 0, 0, 0, 0, 1, 1) + b"\0"
    window = struct.pack("<iiii", 0, 0, side - 1, side - 1)
    return (
        struct.pack("<II", 20000630, 2)
        + attribute(b"channels", b"chlist", channels)
        + attribute(b"compression", b"compression", b"\0")
        + attribute(b"dataWindow", b"box2i", window)
        + attribute(b"displayWindow", b"box2i", window)
        + attribute(b"lineOrder", b"lineOrder", b"\0")
        + attribute(b"pixelAspectRatio", b"float", struct.pack("<f", 1))
        + attribute(b"screenWindowCenter", b"v2f", struct.pack("<ff", 0, 0))
        + attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1))
        + b"\0"
        + bytes(64)
    )


def fits(*cards):
    text = "".join(card.ljust(80) for card in (*cards, "END"))
    return text.ljust((len(text) + 2879) // 2880 * 2880).encode() + bytes(2880)


def headers():
    tga = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 65535, 65535, 24, 0)
    bmp = b"BM" + struct.pack("<IHHI", 154, 0, 0, 54)
    bmp += struct.pack("<IiiHHIIiiII", 40, FAR, FAR, 1, 24, 0, 0, 0, 0, 0, 0)
    dds = b"DDS " + struct.pack("<IIIIIII", 124, 0x1007, FAR, FAR, FAR * 4, 0, 0) + bytes(44)
    dds += struct.pack("<IIIIIIII", 32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000) + bytes(20)
    icon = struct.pack("<HHH", 0, 1, 1) + struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, 40, 22)
    icon += struct.pack("<IiiHHIIiiII", 40, FAR, FAR * 2, 1, 32, 0, 0, 0, 0, 0, 0)
    gif = b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6)
    gif += b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0;"
    riff = struct.pack("<I", (16383) | (16383) << 14)
    lossless = b"\x2f" + riff
    extended = b"\0\0\0\0" + struct.pack("<I", 0xFFFFFF)[:3] + struct.pack("<I", 0xFFFFFF)[:3]

    def webp(kind, body):
        body += b"\0" * (len(body) % 2)
        inner = b"WEBP" + kind + struct.pack("<I", len(body)) + body
        return b"RIFF" + struct.pack("<I", len(inner)) + inner

    return {
        "png": png(FAR, FAR, zlib.compress(bytes(100))),
        "png-largest.png": png(2**31 - 1, 2**31 - 1, b""),
        "png-interlaced.png": png(FAR, FAR, zlib.compress(bytes(100)), interlace=1),
        "jpg": jpeg(65500, 65500, scan(bytes(100)), components=1),
        "jpg-progressive.jpg": jpeg(65500, 65500, scan(bytes(100), last=0), progressive=True),
        "tif": gray_tiff(FAR, FAR, bytes(100)),
        "tif-largest.tif": gray_tiff(2**32 - 1, 2**32 - 1, bytes(100)),
        "tif-tile.tif": gray_tiff(FAR, FAR, bytes(100), more=((322, 4, 1, 2**31 - 16), (323, 4, 1, 2**31 - 16))),
        "tif-rows.tif": gray_tiff(100, 100, bytes(100), rows=2**32 - 1, more=((317, 3, 1, 9),)),
        "bigtiff.tif": gray_tiff(2**40, 2**40, bytes(100), big=True),
        "bigtiff-close.tif": gray_tiff(FAR, FAR, bytes(100), big=True),
        "webp": webp(b"VP8L", lossless + bytes(64)),
        "webp-extended.webp": webp(b"VP8X", extended),
        "gif": gif,
        "avif": heif(65535, 65535),
        "avif-largest.avif": heif(2**32 - 1, 2**32 - 1),
        "heic": heif(65535, 65535, brand=b"heic", codec=b"hvc1", setup=box(b"hvcC", bytes(23))),
        "svg": svg("<rect/>", 'width="60000" height="60000"'),
        "svg-largest.svg": svg("<rect/>", 'width="1e9" height="1e9"'),
        "pdf": pdf(b"0 0 1e9 1e9"),
        "jxl": jxl_header(1 << 30),
        "jp2": jp2(FAR),
        "jp2-largest.jp2": jp2(2**32 - 1),
        "ppm": b"P6 60000 60000 255\n" + bytes(100),
        "ppm-digits.ppm": b"P6 " + b"9" * 5000 + b" 1 255\n" + bytes(100),
        "pfm": b"PF\n60000 60000\n-1.0\n" + bytes(100),
        "hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 60000 +X 60000\n" + bytes(100),
        "bmp": bmp + bytes(100),
        "tga": tga + bytes(100),
        "ico": icon + bytes(100),
        "psd": b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, 30000, 30000, 8, 3) + bytes(12) + bytes(100),
        "dds": dds + bytes(100),
        "xpm": b'/* XPM */\nstatic char *a[] = {\n"60000 60000 2 1",\n"a c #000000",\n"b c #ffffff",\n"ab"};\n',
        "fits": fits("SIMPLE  =                    T", "BITPIX  =                    8",
                     "NAXIS   =                    2", "NAXIS1  =                60000",
                     "NAXIS2  =                60000"),
        "fits-axes.fits": fits("SIMPLE  =                    T", "BITPIX  =                    8",
                               "NAXIS   =                  999"),
        "exr": exr(FAR),
    }


# What the limits of a header let through, and a decoder holds as a whole.


def held():
    side = 17_000
    blocks = ((side + 7) // 8) ** 2
    frame = b"GIF89a" + struct.pack("<HHBBB", 16000, 16000, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    frame += b"," + struct.pack("<HHHHB", 0, 0, 16000, 16000, 0) + b"\x02\x02\x44\x01\0;"
    return {
        "progressive.jpg": jpeg(side, side, scan(bytes(blocks // 8 + 1), last=0), progressive=True),
        "frame.gif": frame,
        "states.pdf": pdf(b"0 0 100 100", b"q " * 3_000_000),
    }


# Little data that becomes much.


def inflating():
    assert zlib.decompress(zeros(3_000_000)) == bytes(3_000_000)
    text = b"Comment\0\0" + zeros(200 << 20)
    profile = b"p\0\0" + zeros(200 << 20)
    international = b"XML:com.adobe.xmp\0\1\0\0\0" + zeros(200 << 20)
    small = zlib.compress(b"\0\0\0\0" * 10)
    icc = bytearray(100 << 20)
    icc[0:4] = struct.pack(">I", len(icc))
    icc[36:40] = b"acsp"
    icc[12:24] = b"mntrRGB XYZ "
    packed = gzip.compress(svg("<g>" + " " * (60 << 20) + "</g>"), 9)
    lzw = zeros(4 << 30)
    return {
        "more-than-rows.png": png(10, 10, zeros(1 << 30)),
        "text.png": png(1, 10, small, ancillary=chunk(b"zTXt", text)),
        "profile.png": png(1, 10, small, ancillary=chunk(b"iCCP", profile)),
        "xmp.png": png(1, 10, small, ancillary=chunk(b"iTXt", international)),
        "many-texts.png": png(1, 10, small, ancillary=chunk(b"tEXt", b"a\0b") * 80_000),
        "deflated.tif": gray_tiff(17_000, 17_000, zeros(17_000 * 17_000), compression=8, rows=17_000),
        "deflated-more.tif": gray_tiff(10, 10, lzw, compression=8),
        "profile.tif": gray_tiff(10, 10, bytes(100) + bytes(icc), more=((34675, 7, len(icc), 250),)),
        "packed.svg": packed,
    }


# Structures that lead nowhere, or everywhere.


def structures():
    frames = b"GIF89a" + struct.pack("<HHBBB", 4, 4, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    frames += (b"!\xf9\x04\0\0\0\0\0," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0") * 100_000
    large = b"GIF89a" + struct.pack("<HHBBB", 16000, 16000, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    large += (b"!\xf9\x04\0\0\0\0\0," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0") * 5_000
    # 125 x 125 blocks: one code ends them all.
    many_scans = scan(bytes(2000), last=0) + scan(bytes(2), first=1, last=1) * 200_000
    own = struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", 2)
    own += struct.pack("<HHII", 0x8769, 4, 1, 8) + struct.pack("<HHII", 0x0112, 3, 1, 6) + struct.pack("<I", 8)
    wide = struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", 5000)
    wide += b"".join(struct.pack("<HHII", 0x9000 + i % 4000, 7, 0xFFFFFFF0, 8) for i in range(5000))
    wide += struct.pack("<I", 8)
    mpf = b"MPF\0" + struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", 2)
    mpf += struct.pack("<HHII", 0xB001, 4, 1, 0x7FFFFFFF) + struct.pack("<HHII", 0xB002, 7, 0x7FFFFFF0, 8)
    mpf += struct.pack("<I", 8)
    irb = b"Photoshop 3.0\0" + (b"8BIM\x04\x04\0\0" + struct.pack(">I", 0)) * 5000
    packet = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + b"<a>" * 20_000
    profile = b"".join(
        marker(0xE2, b"ICC_PROFILE\0" + bytes((i, 255)) + bytes(65_000)) for i in range(1, 256)
    )
    chain = io.BytesIO()
    chain.write(struct.pack("<2sHI", b"II", 42, 8))
    for index in range(50_000):
        place = 8 + index * 18
        chain.write(struct.pack("<HHHIII", 1, 254, 4, 1, 0, place + 18))
    bogus = [(1000 + i, 4, 1, i) for i in range(30_000)]
    circle = gray_tiff(10, 10, bytes(100))
    circle = circle[: 8 + 2 + 9 * 12] + struct.pack("<I", 8) + circle[8 + 2 + 9 * 12 + 4 :]
    grid = full(b"iref", box(b"dimg", struct.pack(">HH", 1, 5000) + struct.pack(">H", 1) * 5000))
    uses = "".join(
        f'<g id="g{i}">' + f'<use xlink:href="#g{i - 1}"/>' * 20 + "</g>" for i in range(1, 12)
    )
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 20}">' for i in range(1, 12))
    lol = f'<!DOCTYPE svg [<!ENTITY e0 "lol">{entities}]>'.encode() + svg("<text>&e11;</text>")
    outside = '<image xlink:href="file:///etc/passwd" width="9" height="9"/>'
    outside += '<image xlink:href="http://127.0.0.1:9/a.png" width="9" height="9"/>'
    outside += '<image xlink:href="../neighbor.png" width="9" height="9"/>'
    blur = '<filter id="f"><feGaussianBlur stdDeviation="1e6"/></filter>'
    noise = '<filter id="f"><feTurbulence numOctaves="2147483647" baseFrequency="1"/></filter>'
    morph = '<filter id="f"><feMorphology operator="dilate" radius="20000"/></filter>'
    filtered = '<rect width="4000" height="4000" filter="url(#f)"/>'
    canvas = 'width="4000" height="4000"'
    pattern = '<pattern id="p" width="1e-6" height="1e-6" patternUnits="userSpaceOnUse"><rect width="1" height="1" fill="url(#p)"/></pattern><rect width="100" height="100" fill="url(#p)"/>'
    return {
        "frames.gif": frames + b";",
        "large-frames.gif": large + b";",
        "scans.jpg": jpeg(1000, 1000, many_scans, progressive=True, ac=0xE0),
        "restarts.jpg": jpeg(60_000, 4_000, scan(b"\xff\xd0" * 500_000), segments=marker(0xDD, b"\0\1")),
        "markers.jpg": jpeg(64, 64, scan(bytes(16)), segments=marker(0xFE, b"") * 200_000),
        "icc.jpg": jpeg(64, 64, scan(bytes(16)), segments=profile),
        "exif-loop.jpg": jpeg(64, 64, scan(bytes(16)), segments=exif(own)),
        "exif-wide.jpg": jpeg(64, 64, scan(bytes(16)), segments=exif(wide)),
        "mpf-loop.jpg": jpeg(64, 64, scan(bytes(16)), segments=marker(0xE2, mpf)),
        "photoshop.jpg": jpeg(64, 64, scan(bytes(16)), segments=marker(0xED, irb)),
        "xmp-deep.jpg": jpeg(64, 64, scan(bytes(16)), segments=marker(0xE1, packet)),
        "circle.tif": circle,
        "chain.tif": chain.getvalue(),
        "tags.tif": gray_tiff(10, 10, bytes(100), more=bogus),
        "grid.heic": heif(512, 512, brand=b"heic", codec=b"grid", extra=grid, data=bytes(8)),
        "boxes.avif": heif(64, 64)[:24] + box(b"meta", bytes(4) + b"\0\0\0\x08free" * 200_000),
        "deep.svg": svg("<g>" * 200_000 + "</g>" * 200_000),
        "uses.svg": svg('<g id="g0"><rect width="1" height="1"/></g>' + uses + '<use xlink:href="#g11"/>'),
        "entities.svg": lol,
        "outside.svg": svg(outside),
        "blur.svg": svg(blur + filtered, canvas),
        "noise.svg": svg(noise + filtered, canvas),
        "morphology.svg": svg(morph + filtered, canvas),
        "pattern.svg": svg(pattern),
        "digits.pgm": b"P2 4000 4000 255\n" + b"1" * 4_000_000,
        "nested.xpm": b"/* XPM */\n" + b"/* " * 300_000,
    }
