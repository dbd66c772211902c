"""The pictures that everybody works on: made once, with libvips through pyvips, and kept."""

import hashlib
import os
import pathlib
import shutil
import sys

from .pictures import look

# Where Debian's picture packages put their files; README.md names the packages.
PACKAGED = ("/usr/share/backgrounds", "/usr/share/wallpapers")
MEGAPIXELS = (5, 30)
FEWEST = 20

# What is made changes: the number goes up, and everybody's kept pictures are made anew.
VERSION = 1


class Inputs:
    """Folders of pictures below a cache, each made when it is first asked for."""

    def __init__(self, cache, photos):
        self.cache = pathlib.Path(cache) / f"inputs-{VERSION}"
        self.own_photos = photos
        if photos:
            # All others are made of the photos.
            own = hashlib.sha256(os.path.abspath(photos).encode()).hexdigest()[:12]
            self.cache = pathlib.Path(cache) / f"inputs-{VERSION}-{own}"

    def make(self, names):
        for name in names:
            self.folder(name)

    def folder(self, name):
        folder = self.cache / name
        if not folder.is_dir():
            print(f"making the inputs: {name}", file=sys.stderr, flush=True)
            half = folder.with_name(folder.name + "-half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            getattr(self, "make_" + name.replace("-", "_"))(half)
            half.rename(folder)
        return folder

    def make_photos(self, folder):
        found = photographs([self.own_photos] if self.own_photos else PACKAGED)
        if len(found) < FEWEST:
            sys.exit(
                f"compare: {len(found)} photos of {MEGAPIXELS[0]} to {MEGAPIXELS[1]} megapixels, "
                f"{FEWEST} are needed: install the packages that README.md names, or give --photos"
            )
        for number, path in enumerate(found):
            # Names of our own: the packages have the same name in many folders.
            shutil.copyfile(path, folder / f"{number:03}.jpg")

    def make_small(self, folder):
        """2000 pictures of 640 pixels: parts of the photos in three sizes of detail."""
        for number, photo in self.parts(2000, 1600):
            part = cut(photo, 1 / (1 + number % 3 * 0.6), number)
            made = part.thumbnail_image(640, height=640, size="down")
            made.jpegsave(str(folder / f"{number:04}.jpg"), Q=88, strip=True)

    def make_mix(self, folder):
        """200 pictures of 1600 pixels: PNG, TIFF with LZW, lossy WebP, in turn."""
        for number, photo in self.parts(200, 2560):
            part = cut(photo, 1 / (1 + number % 2 / 2), number)
            made = part.thumbnail_image(1600, height=1600, size="both")
            name = str(folder / f"{number:03}")
            if number % 3 == 0:
                made.pngsave(name + ".png", strip=True)
            elif number % 3 == 1:
                made.tiffsave(name + ".tif", compression="lzw", predictor="horizontal", strip=True)
            else:
                made.webpsave(name + ".webp", Q=85, strip=True)

    def make_sideways(self, folder):
        """200 JPEGs of 2048 × 1536, whole blocks along both sides, that say: turn me right."""
        for number, photo in self.parts(200, 2560):
            part = cut(photo, 1 / (1 + number % 2 / 2), number)
            made = part.thumbnail_image(2048, height=1536, size="force").copy()
            made.set_type(GINT, "orientation", 6)
            made.jpegsave(str(folder / f"{number:03}.jpg"), Q=88)

    def make_giant_jpeg(self, folder):
        tiled(self.busiest(), 24000).jpegsave(str(folder / "giant.jpg"), Q=85, strip=True)

    def make_giant_tiff(self, folder):
        tiled(self.busiest(), 30000).tiffsave(str(folder / "giant.tif"), strip=True)

    def make_pixels(self, folder):
        """The photos at 1024 pixels, not encoded: what an encoder alone takes."""
        for photo in self.photos():
            reduced(photo, 1024).write_to_file(str(folder / f"{photo.stem}.ppm"))

    def make_many(self, folder):
        """10 000 names of the small pictures, each a file of its own."""
        small = sorted(self.folder("small").iterdir())
        for number in range(10_000):
            shutil.copyfile(small[number % len(small)], folder / f"{number:05}.jpg")

    def make_tiny(self, folder):
        """10 000 pictures of 16 pixels: nothing to compute."""
        import pyvips

        data = pyvips.Image.black(16, 16, bands=3).jpegsave_buffer(strip=True)
        for number in range(10_000):
            (folder / f"{number:05}.jpg").write_bytes(data)

    def make_one(self, folder):
        shutil.copyfile(sorted(self.folder("small").iterdir())[0], folder / "one.jpg")

    def photos(self):
        return sorted(self.folder("photos").iterdir())

    def busiest(self):
        """The photo with the most detail, by what its pixels take."""

        def detail(path):
            _, width, height = look(path)
            return path.stat().st_size / (width * height)

        return max(self.photos(), key=detail)

    def parts(self, count, side):
        """So many times a number and a photo, each photo reduced once to a longer side."""
        photos = self.photos()
        for place, path in enumerate(photos):
            photo = reduced(path, side).copy_memory()
            for number in range(place, count, len(photos)):
                yield number, photo


def photographs(folders):
    """The JPEGs in the range of sizes; a link to a picture is not a second picture."""
    found = []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            seen = look(path)
            if seen and seen[0] == "jpeg":
                if MEGAPIXELS[0] <= seen[1] * seen[2] / 1e6 <= MEGAPIXELS[1]:
                    found.append(path)
    return found


GINT = 24  # GLib's number of the type of whole numbers


def opened(path):
    import pyvips

    return srgb(pyvips.Image.new_from_file(str(path)).autorot())


def srgb(image):
    return image.colourspace("srgb") if image.interpretation != "srgb" else image


def reduced(path, side):
    import pyvips

    return srgb(pyvips.Image.thumbnail(str(path), side, height=side, size="down"))


def cut(image, scale, number):
    """A part of a picture in its own proportions; where it lies depends on the number."""
    width, height = max(1, int(image.width * scale)), max(1, int(image.height * scale))
    across, down = (number * 7 % 11) / 10, (number * 5 % 7) / 6
    return image.crop(
        int((image.width - width) * across), int((image.height - height) * down), width, height
    )


def tiled(photo, side):
    image = opened(photo).copy_memory()
    across, down = -(-side // image.width), -(-side // image.height)
    return image.replicate(across, down).crop(0, 0, side, side)
