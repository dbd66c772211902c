"""The rows of the table: what is to be made of what, by whom, and how far ahead we want to be."""

import dataclasses
import typing

from . import contenders as c
from . import coefficients
from .contenders import FLOOR, HAND, ONE_THREAD, OURS, READY, Contender

THUMBNAIL = "thumbnail.toml"
SIZES = (1600, 1024, 512, 256)


@dataclasses.dataclass
class Bar:
    """We want a figure of theirs to be at least so many times ours."""

    text: str
    group: str
    factor: float
    figure: str = "wall"
    # Of the group; empty for the best of it.
    name: str = ""
    # Ours at most so many times theirs, in place of theirs at least so many times ours.
    is_most: bool = False


@dataclasses.dataclass
class Row:
    key: str
    title: str
    inputs: str
    contenders: list
    bars: list
    # Of each picture: the format and the longer sides of what is made.
    makes: tuple = ()
    rounds: int = 5
    memory: bool = False
    # Others do the same work, and the plot shows them.
    is_race: bool = True
    # Inputs that some contenders take beside those of the row.
    also: tuple = ()
    # Two contenders, and in words what the first one's wall time over the second's tells.
    told: tuple = ()
    # Of the inputs and of what Minilab has made of them; raises what is wrong.
    verify: typing.Callable = None


def photos(programs):
    return Row(
        "photos",
        "photos to 1024 pixels",
        "photos",
        thumbnail_contenders(programs, 1024, ffmpeg=True)
        + [
            Contender("decode alone × 2", FLOOR, c.loops(programs, "floor:decode", 1024), "floor", makes=False),
            Contender(
                "djpeg -scale 1/2 × 2", FLOOR,
                c.each('for f; do djpeg -scale 1/2 -outfile /dev/null "$f"; done'), "djpeg", makes=False,
            ),
            Contender(
                "cjpeg × 2", FLOOR,
                c.each('for f; do cjpeg -quality 82 -outfile /dev/null ../pixels/"${f%.*}.ppm"; done'),
                "cjpeg", makes=False,
            ),
        ],
        [
            Bar("the best ready-made", READY, 1.4),
            Bar("the best hand-tuned", HAND, 1.0),
            Bar("processor time over that of djpeg 1/2", FLOOR, 1.4, "cpu", "djpeg -scale 1/2 × 2", True),
        ],
        ("jpeg", 1024),
        also=("pixels",),
    )


def thumbnail_contenders(programs, side, ffmpeg=False, many=False, draft=True):
    thumbnail = c.thumbnails(side)
    listed = [
        Contender("minilab", OURS, c.minilab(programs, THUMBNAIL, "--set", f"thumbnail-preview.max-side={side}"), "minilab"),
        Contender("vipsthumbnail", READY, c.shell(f'{thumbnail} "$@"'), "vipsthumbnail"),
        Contender("xargs -P2 -n1 vipsthumbnail", READY, c.each(f'{thumbnail} "$@"'), "vipsthumbnail", once=many),
        Contender("mogrify", READY, c.mogrify(side), "mogrify", once=True),
        Contender("gm mogrify", READY, c.gm_mogrify(side), "gm", once=many),
        Contender("gm batch", READY, c.gm_batch(side), "gm", once=True),
        Contender("vipsthumbnail × 2", HAND, c.each(f'{thumbnail} "$@"', c.in_eight), "vipsthumbnail", ONE_THREAD),
        Contender("pyvips × 2", HAND, c.loops(programs, "vips:each", side), "pyvips", ONE_THREAD),
        Contender("Pillow × 2", HAND, c.loops(programs, "pillow:each", side), "pillow"),
        Contender(
            "Debian's Pillow × 2", HAND, c.loops(programs, "pillow:each", side, python=c.DEBIAN_PYTHON), "debian-pillow"
        ),
    ]
    if ffmpeg:
        listed.append(Contender("xargs -P2 -n1 ffmpeg", READY, c.ffmpeg(side), "ffmpeg", once=True))
    return listed


def sizes(programs):
    return Row(
        "sizes",
        "photos to 1600, 1024, 512 and 256 pixels",
        "photos",
        [
            Contender("minilab", OURS, c.minilab(programs, "sizes.toml"), "minilab"),
            Contender("vipsthumbnail", READY, c.shell(c.all_sizes(SIZES)), "vipsthumbnail", once=True),
            Contender("xargs -P2 -n1 vipsthumbnail", READY, c.each(c.all_sizes(SIZES)), "vipsthumbnail"),
            Contender("xargs -P2 -n1 convert -write", READY, c.convert_chain(SIZES), "convert"),
            Contender("vipsthumbnail × 2", HAND, c.each(c.all_sizes(SIZES), c.in_eight), "vipsthumbnail", ONE_THREAD),
            Contender("pyvips × 2, a decode a size", HAND, c.loops(programs, "vips:each", *SIZES), "pyvips", ONE_THREAD),
            Contender("pyvips × 2, one decode", HAND, c.loops(programs, "vips:once", *SIZES), "pyvips", ONE_THREAD),
            Contender("Pillow × 2, one decode", HAND, c.loops(programs, "pillow:once", *SIZES), "pillow"),
        ],
        [
            Bar("the best ready-made", READY, 2.4),
            Bar("vipsthumbnail × 2", HAND, 2.0, name="vipsthumbnail × 2"),
            Bar("pyvips with one decode", HAND, 1.0, name="pyvips × 2, one decode"),
        ],
        ("jpeg", *SIZES),
        rounds=3,
    )


def badge(programs):
    mark = {"MARK": str(c.MARK)}
    return Row(
        "badge",
        "photos upright, 4:3 around what draws the eye, round, with a mark, to WebP of 1024 and 256 pixels",
        "photos",
        [
            Contender("minilab", OURS, c.minilab(programs, "badge.toml"), "minilab"),
            Contender("xargs -P2 -n1 convert", READY, c.convert_badge(1024, 256), "convert"),
            Contender("pyvips × 2, a decode a size", HAND, c.loops(programs, "vips:badge-each", 1024, 256), "pyvips", {**ONE_THREAD, **mark}),
            Contender("pyvips × 2, one decode", HAND, c.loops(programs, "vips:badge-once", 1024, 256), "pyvips", {**ONE_THREAD, **mark}),
        ],
        [Bar("the best ready-made", READY, 2.0), Bar("the best hand-tuned", HAND, 1.3)],
        ("webp", 1024, 256),
        rounds=3,
    )


def small(programs):
    return Row(
        "small",
        "2000 pictures of 640 pixels to 256",
        "small",
        thumbnail_contenders(programs, 256, many=True),
        [Bar("the best ready-made", READY, 2.0), Bar("the best hand-tuned", HAND, 1.0)],
        ("jpeg", 256),
        rounds=4,
    )


def mix(programs):
    return Row(
        "mix",
        "200 PNG, TIFF and WebP of 1600 pixels to 1024",
        "mix",
        thumbnail_contenders(programs, 1024, many=True),
        [Bar("the best ready-made", READY, 1.3), Bar("the best hand-tuned", HAND, 1.0)],
        ("jpeg", 1024),
        rounds=3,
    )


def orient(programs):
    turn = "jpegtran -copy all -optimize -rotate 90 -outfile OUT/\"$f\" \"$f\""
    return Row(
        "orient",
        "200 JPEGs of 3 megapixels turned upright without a loss",
        "sideways",
        [
            Contender("minilab", OURS, c.minilab(programs, "upright.toml"), "minilab"),
            Contender("xargs -P2 -n1 jpegtran", READY, c.each(f"for f; do {turn}; done"), "jpegtran"),
            Contender("jpegtran × 2", HAND, c.each(f"for f; do {turn}; done", c.in_eight), "jpegtran"),
            Contender("exiftran × 2", HAND, c.each('for f; do exiftran -a -o OUT/"$f" "$f"; done', c.in_eight), "exiftran"),
        ],
        [Bar("jpegtran under xargs", READY, 1.0, name="xargs -P2 -n1 jpegtran")],
        ("jpeg", 2048),
        verify=coefficients.compare,
    )


def giant_jpeg(programs):
    return Row(
        "giant-jpeg",
        "one JPEG of 576 megapixels to 1024 pixels",
        "giant-jpeg",
        [
            Contender(
                "minilab", OURS,
                c.minilab(programs, THUMBNAIL, "--set", "input.max-pixels=1000000000"), "minilab",
            ),
            Contender("vipsthumbnail", READY, c.shell(f'{c.thumbnails(1024)} "$@"'), "vipsthumbnail"),
            Contender("pyvips", HAND, c.loops(programs, "vips:each", 1024), "pyvips", ONE_THREAD),
            Contender("djpeg -scale 1/8", FLOOR, c.each('djpeg -scale 1/8 -outfile /dev/null "$1"'), "djpeg", makes=False),
        ],
        [
            Bar("vipsthumbnail", READY, 1.0, name="vipsthumbnail"),
            Bar("megabytes of all processes, under 100", OURS, 100, "tree", "minilab", True),
        ],
        ("jpeg", 1024),
        memory=True,
        rounds=3,
    )


def giant_tiff(programs):
    return Row(
        "giant-tiff",
        "one TIFF of 30 000 × 30 000 pixels, cut to an ellipse and turned by 3°",
        "giant-tiff",
        [Contender("minilab", OURS, c.minilab(programs, "mask-and-turn.toml"), "minilab")],
        [Bar("megabytes of all processes, under 600", OURS, 600, "tree", "minilab", True)],
        ("jpeg", None),
        memory=True,
        rounds=1,
    )


def workers(programs):
    def with_jobs(jobs):
        return c.minilab(programs, THUMBNAIL, "--jobs", jobs)

    return Row(
        "workers",
        "photos to 1024 pixels, two workers against one",
        "photos",
        [
            Contender("minilab", OURS, with_jobs(2), "minilab"),
            Contender("minilab --jobs 1", HAND, with_jobs(1), "minilab"),
            Contender("decode alone × 2", FLOOR, c.loops(programs, "floor:decode", 1024), "floor", makes=False),
            Contender(
                "decode alone", FLOOR, c.loops(programs, "floor:decode", 1024), "floor", {"PROCESSES": "1"}, makes=False
            ),
        ],
        [Bar("one worker", HAND, 1.85)],
        ("jpeg", 1024),
        is_race=False,
        told=("decode alone", "decode alone × 2", "two bare decoders against one: what the machine gives"),
    )


def start(programs):
    return Row(
        "start",
        "one picture of 640 pixels to 256: what it takes to start",
        "one",
        [
            Contender("minilab", OURS, c.minilab(programs, THUMBNAIL, "--set", "thumbnail-preview.max-side=256"), "minilab"),
            Contender("vipsthumbnail", READY, c.shell(f'exec {c.thumbnails(256)} "$@"'), "vipsthumbnail"),
        ],
        [Bar("vipsthumbnail, at most twice its time", READY, 2.0, "wall", "vipsthumbnail", True)],
        ("jpeg", 256),
        rounds=15,
        is_race=False,
    )


ROWS = [photos, sizes, badge, small, mix, orient, giant_jpeg, giant_tiff, workers, start]
