"""How each tool is asked to do the work of a row."""

import dataclasses
import pathlib
import shutil
import subprocess
import typing

HERE = pathlib.Path(__file__).resolve().parent.parent
PROFILES = HERE / "profiles"
LOOPS = HERE / "loops.py"
MARK = HERE.parent / "profiles/watermark.png"
# Its Pillow decodes with the libjpeg that all others here have; PyPI's brings one of its own.
DEBIAN_PYTHON = "/usr/bin/python3"
QUALITY = 82
WEBP_QUALITY = 80

OURS = "minilab"
READY = "ready-made"
HAND = "hand-tuned"
FLOOR = "floor"

ONE_THREAD = {"VIPS_CONCURRENCY": "1"}


@dataclasses.dataclass
class Contender:
    """A tool as it is used for one row."""

    name: str
    group: str
    # Of the files' names, which are below the working folder, and of the folder for the results.
    words: typing.Callable[[list, pathlib.Path], list]
    program: str
    environment: dict = dataclasses.field(default_factory=dict)
    # So slow that it takes part in the first round alone.
    once: bool = False
    # False for what only reads.
    makes: bool = True


class Programs:
    """Where the tools are, and what they say of their versions."""

    def __init__(self, minilab, python):
        self.minilab = minilab
        self.python = python
        self.versions = {}

    def version(self, program):
        """What it says of itself in one line; None where it is not there."""
        if program not in self.versions:
            self.versions[program] = self.ask(program)
        return self.versions[program]

    def ask(self, program):
        python = [self.python, "-c"]
        asked = {
            "minilab": [self.minilab, "--version"],
            "vipsthumbnail": ["vipsthumbnail", "--vips-version"],
            "pyvips": [*python, "import pyvips; print('pyvips', pyvips.__version__)"],
            "pillow": [
                *python,
                "import PIL; from PIL import features as f; print('Pillow', PIL.__version__,"
                " 'with libjpeg-turbo', f.version('libjpeg_turbo'))",
            ],
            "debian-pillow": [
                DEBIAN_PYTHON, "-c",
                "import PIL; from PIL import features as f; print('Pillow', PIL.__version__,"
                " 'of Debian, with libjpeg-turbo', f.version('libjpeg_turbo'))",
            ],
            "cjpeg": ["sh", "-c", "cjpeg -version </dev/null 2>&1"],
            "floor": [
                *python, "import ctypes; ctypes.CDLL('libturbojpeg.so.0'); print('libturbojpeg.so.0')",
            ],
            "jpegtran": ["sh", "-c", "jpegtran -version </dev/null 2>&1"],
            "exiftran": ["dpkg-query", "-W", "-f", "exiftran ${Version}", "exiftran"],
            "gm": ["gm", "version"],
            "ffmpeg": ["ffmpeg", "-version"],
        }.get(program, [program, "-version"])
        try:
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
        except OSError:
            return None
        if program not in ("jpegtran", "cjpeg") and done.returncode != 0:
            return None
        lines = (done.stdout or done.stderr).strip().splitlines()
        # Where ImageMagick is not installed, something else may have its name.
        if program in ("convert", "mogrify") and not any("ImageMagick" in line for line in lines):
            return None
        return lines[0].strip()[:90] if lines and shutil.which(asked[0]) else None


# Words of command lines


def minilab(programs, profile, *more):
    return lambda files, out: [
        programs.minilab, "run", "-q", PROFILES / profile, ".", "-o", out, *more
    ]


def loops(programs, work, *sides, python=None):
    """`python`: where it is not the one that was asked for."""
    listed = ",".join(str(side) for side in sides)
    return lambda files, out: [python or programs.python, LOOPS, work, listed, out, *files]


def each(script, portion=1):
    """A shell script for each portion of the files, two at a time; its files are `"$@"`."""
    return lambda files, out: [
        "sh", "-c", f'printf "%s\\0" * | xargs -0 -P2 -n {portion(files) if callable(portion) else portion} sh -c "$1" sh',
        "sh", script.replace("OUT", str(out)),
    ]


def in_eight(files):
    """Portions few enough for few starts, and small enough to keep both processes busy."""
    return max(1, -(-len(files) // 8))


def thumbnails(side, ending=".jpg"):
    """`vipsthumbnail` for the files that follow."""
    return f"vipsthumbnail -s '{side}x{side}>' -o 'OUT/%s{ending}[Q={QUALITY},strip]'"


def all_sizes(sides):
    return "; ".join(f'{thumbnails(side, f"-{side}.jpg")} "$@"' for side in sides)


def shell(script):
    """A shell script with all files as `"$@"`."""
    return lambda files, out: ["sh", "-c", script.replace("OUT", str(out)), "sh", *files]


def mogrify(side):
    """With a size hint, so that the decoder shrinks and leaves enough for a good resize."""
    return lambda files, out: [
        "mogrify", "-path", out, "-define", f"jpeg:size={2 * side}x{2 * side}", "-auto-orient",
        "-resize", f"{side}x{side}>", "-strip", "-background", "white", "-alpha", "remove",
        "-quality", QUALITY, "-format", "jpg", *files,
    ]


def gm_mogrify(side):
    return lambda files, out: [
        "gm", "mogrify", "-output-directory", out, "-size", f"{2 * side}x{2 * side}",
        "-auto-orient", "-resize", f"{side}x{side}>", "+profile", "*", "-quality", QUALITY,
        "-format", "jpg", *files,
    ]


def gm_batch(side):
    """One process that reads commands, as its manual advises for many files."""
    command = (
        f"convert -size {2 * side}x{2 * side} '%s' -auto-orient -resize '{side}x{side}>' "
        f"+profile '*' -quality {QUALITY} OUT/%s\\n"
    )
    return shell(f'for f; do printf "{command}" "$f" "${{f%.*}}.jpg"; done | gm batch -')


def convert_chain(sides):
    """One decode, each size from the one before, two processes at once."""
    writes = " ".join(
        f"-resize '{side}x{side}>' "
        + (f'-write OUT/"${{f%.*}}"-{side}.jpg' if side != sides[-1] else f'OUT/"${{f%.*}}"-{side}.jpg')
        for side in sides
    )
    return each(
        f'for f; do convert -define jpeg:size={2 * sides[0]}x{2 * sides[0]} "$f" -auto-orient '
        f"-strip -quality {QUALITY} {writes}; done"
    )


def convert_badge(side, small):
    """Without a look at what draws the eye, which it does not have: around the middle."""
    height = side * 3 // 4
    radius = height // 2
    mark = round(side * 0.18)
    inset = round(side * 0.025)
    return each(
        f'for f; do convert -define jpeg:size={2 * side}x{2 * side} "$f" -auto-orient -strip '
        f"-resize {side}x{height}^ -gravity center -extent {side}x{height} "
        f"'(' -size {side}x{height} xc:black -fill white -draw "
        f"'circle {side // 2},{radius} {side // 2},0' ')' -alpha off -compose CopyOpacity -composite "
        f"'(' '{MARK}' -resize {mark}x -channel A -evaluate multiply 0.7 +channel ')' "
        f"-gravity southeast -geometry +{inset}+{inset} -compose over -composite "
        f'-quality {WEBP_QUALITY} -write OUT/"${{f%.*}}"-{side}.webp '
        f'-resize {small}x OUT/"${{f%.*}}"-{small}.webp; done'
    )


def ffmpeg(side):
    """Turns by the tag by itself."""
    return each(
        f'for f; do ffmpeg -v error -threads 1 -i "$f" -vf "scale=w={side}:h={side}:'
        f'force_original_aspect_ratio=decrease:flags=lanczos" -q:v 4 -map_metadata -1 '
        f'-frames:v 1 OUT/"${{f%.*}}.jpg"; done'
    )
