"""What the header of a picture says: format and size, read without a library."""


def look(path):
    """`("jpeg", width, height)`, or None for what is none of the formats that are compared."""
    with open(path, "rb") as file:
        head = file.read(30)
        if head[:2] == b"\xff\xd8":
            return jpeg(file)
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return webp(head)
        if head[:8] == b"\x89PNG\r\n\x1a\n":
            return "png", int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    return None


def jpeg(file):
    """From the frame header (ITU-T T.81, B.2.2)."""
    file.seek(2)
    while True:
        marker = file.read(2)
        if len(marker) < 2 or marker[0] != 0xFF:
            return None
        length = int.from_bytes(file.read(2), "big")
        if 0xC0 <= marker[1] <= 0xCF and marker[1] not in (0xC4, 0xC8, 0xCC):
            body = file.read(5)
            return "jpeg", int.from_bytes(body[3:5], "big"), int.from_bytes(body[1:3], "big")
        file.seek(length - 2, 1)


def webp(head):
    """From the first chunk (RFC 9649)."""
    kind, body = head[12:16], head[20:]
    if kind == b"VP8X":
        return "webp", 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return "webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = (int.from_bytes(body[at : at + 2], "little") & 0x3FFF for at in (6, 8))
    return "webp", width, height
