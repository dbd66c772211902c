"""Pictures, a profile, runs over them, and what must be true after each of them."""

import collections
import hashlib
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import zlib

from injector import Injector

PROFILE = """profile = 1
[[step]]
op = "orient"
[[output]]
name = "large"
path = "{{dir}}/{{stem}}-{{output}}.{{ext}}"
format = "jpeg"
quality = {quality}
[[output]]
name = "small"
path = "{{dir}}/small/{{stem}}.{{ext}}"
format = "webp"
quality = {quality}
  [[output.step]]
  op = "thumbnail-preview"
  max-side = 100
"""

Outcome = collections.namedtuple("Outcome", "status text events")

# Longer than any of these runs takes, so that one that hangs is found.
PATIENCE = 90


def png(width, height, seed):
    """A picture of noise on a slope, so that outputs have some weight."""
    chance = random.Random(seed)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        noise = chance.randbytes(width * 3)
        rows += bytes((x // 3 + y + noise[x] // 4) & 255 for x in range(width * 3))

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(rows), 1))
        + chunk(b"IEND", b"")
    )


def ppm(width, height, seed):
    chance = random.Random(seed)
    return b"P6 %d %d 255\n" % (width, height) + chance.randbytes(width * height * 3)


def make_pictures(folder, count):
    """PNG files, and JPEG files where `cjpeg` is there, in two folders."""
    cjpeg = shutil.which("cjpeg")
    for index in range(count):
        place = os.path.join(folder, "ab"[index % 2])
        os.makedirs(place, exist_ok=True)
        if index % 3 == 2 and cjpeg:
            words = [cjpeg, "-quality", "90", "-outfile", f"{place}/{index:03}.jpg"]
            subprocess.run(words, input=ppm(160, 120, index), check=True)
        else:
            with open(f"{place}/{index:03}.png", "wb") as file:
                file.write(png(160 + index % 5, 120, index))


def brief(text):
    """The beginning and the end of what was said."""
    return text if len(text) <= 700 else f"{text[:300]} [...] {text[-300:]}"


def digest(path):
    """As the ledger has it."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()[:16]


def finals(root):
    """Everything below the root but what is Minilab's own."""
    found = []
    for folder, folders, names in os.walk(root):
        if folder == root and ".minilab" in folders:
            folders.remove(".minilab")
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def tree(root):
    return {name: digest(os.path.join(root, name)) for name in finals(root)}


class Lab:
    """One scratch folder; `faults` collects what should not be."""

    def __init__(self, minilab, profile=None, pictures=None, count=12, keep=False):
        self.minilab = os.path.abspath(minilab)
        self.scratch = tempfile.mkdtemp(prefix="minilab-faults-")
        self.keep = keep
        self.given = os.path.abspath(profile) if profile else None
        self.profile = self.given or os.path.join(self.scratch, "profile.toml")
        self.inputs = os.path.join(self.scratch, "in")
        if pictures:
            shutil.copytree(pictures, self.inputs, symlinks=True)
        else:
            make_pictures(self.inputs, count)
        self.out = os.path.join(self.scratch, "out")
        self.injector = Injector(self.scratch)
        self.faults = []
        self.round = ""
        # What a run of each variant of the profile makes.
        self.wanted = {}
        self.variant = None
        self._learn()

    def close(self):
        if self.keep or self.faults:
            print(f"kept: {self.scratch}")
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def fault(self, text):
        line = f"{self.round}: {text}"
        self.faults.append(line)
        # One fault is often told of for each file; the first tell what it is.
        if sum(known.startswith(self.round) for known in self.faults) <= 4:
            print("FAULT", line, flush=True)

    # MARK: Runs

    def use(self, variant):
        """Another profile under the same name, if the profile is our own."""
        if not self.given and variant != self.variant:
            with open(self.profile, "w") as file:
                file.write(PROFILE.format(quality={"A": 80, "B": 70}[variant]))
        self.variant = variant

    def words(self, *more):
        jobs = ("--jobs", "2", "--json")
        return [self.minilab, "run", self.profile, self.inputs, "-o", self.out, *jobs, *more]

    def start(self, *more, **faults):
        added = self.injector.environment(self.out, self.inputs, **faults)
        environment = {**os.environ, **added}
        # To files: nobody has to read while the run is being disturbed.
        self.texts = [tempfile.TemporaryFile(dir=self.scratch) for _ in range(2)]
        return subprocess.Popen(
            self.words(*more), stdout=self.texts[0], stderr=self.texts[1], env=environment
        )

    def finish(self, process):
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.fault(f"the run was not over after {PATIENCE} s")
            status = -9
        texts = []
        for file in self.texts:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
            file.close()
        events = []
        for line in texts[0].split("\n")[:-1]:
            try:
                events.append(json.loads(line))
            except ValueError:
                self.fault(f"a line of events is no JSON: {line[:200]}")
        return Outcome(status, texts[1], events)

    def run(self, *more, **faults):
        return self.finish(self.start(*more, **faults))

    def _learn(self):
        """Makes what an undisturbed run makes, and counts its calls."""
        for variant in "AB":
            self.round = f"the undisturbed run ({variant})"
            self.use(variant)
            self.empty()
            outcome = self.run()
            if outcome.status != 0:
                raise SystemExit(f"faults: {self.round}: {outcome.status}: {outcome.text}")
            self.wanted[variant] = tree(self.out)
        self.counts = self.injector.counts
        self.round = "a second undisturbed run"
        self.check_end("B")

    def mend(self):
        """After a fault the next round begins with what is right again."""
        if any(fault.startswith(self.round) for fault in self.faults):
            self.empty()
            self.run()

    def empty(self):
        """A fresh output root; the folder itself may be a mounted one."""
        if os.path.ismount(self.out):
            for name in os.listdir(self.out):
                path = os.path.join(self.out, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        else:
            shutil.rmtree(self.out, ignore_errors=True)
            os.makedirs(self.out)

    # MARK: What must be true

    def check_names(self, allowed, must_stay=True):
        """No final name holds anything but a whole file, and none that was there is gone.

        `allowed`: for each path the digests that its file may have; None: it may be missing.
        """
        there = tree(self.out)
        for path, found in there.items():
            if found not in allowed.get(path, ()):
                size = os.path.getsize(os.path.join(self.out, path))
                self.fault(f"{path} is no whole output ({size} bytes)")
        for path, digests in allowed.items():
            if must_stay and None not in digests and path not in there:
                self.fault(f"{path} is gone")

    def check_told(self, outcome, wanted):
        """What is told to be done is there."""
        for event in outcome.events:
            if event.get("event") != "item" or event.get("status") != "done":
                continue
            for output in event["outputs"]:
                path = os.path.join(self.out, output["path"])
                if not os.path.exists(path) or digest(path) != wanted.get(output["path"]):
                    self.fault(f"{output['path']} was told to be done, and is not")

    def check_ledger(self):
        """Where a file is the one that the ledger has written down, its content is, too."""
        own = os.path.join(self.out, ".minilab")
        if not os.path.exists(os.path.join(own, "ledger.sqlite")):
            return
        with tempfile.TemporaryDirectory(dir=self.scratch) as copy:
            for ending in ("", "-wal", "-journal"):
                name = "ledger.sqlite" + ending
                if os.path.exists(os.path.join(own, name)):
                    shutil.copy(os.path.join(own, name), copy)
            try:
                database = sqlite3.connect(os.path.join(copy, "ledger.sqlite"))
                rows = database.execute(
                    "SELECT path, size, modified, changed, digest FROM output WHERE state = 1"
                ).fetchall()
                database.close()
            except sqlite3.Error as error:
                # A run that could not even make its tables.
                if "no such table" not in str(error):
                    self.fault(f"the ledger cannot be read: {error}")
                return
        for path, size, modified, changed, wanted in rows:
            file = os.path.join(os.fsencode(self.out), path)
            if not os.path.exists(file):
                continue
            status = os.lstat(file)
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if stamp == (size, modified, changed) and digest(file) != wanted:
                self.fault(f"the ledger has {path} for what it is not")

    def check_manners(self, outcome, statuses):
        """The run ends as it should, and says so once."""
        if outcome.status not in statuses:
            wanted = " or ".join(str(status) for status in sorted(statuses))
            self.fault(f"status {outcome.status} and not {wanted}: {brief(outcome.text)}")
        for word in ("Fatal error", "SystemError", "DatabaseError", "Swift."):
            if word in outcome.text:
                self.fault(f"a person was told of a {word}: {brief(outcome.text)}")
        stops = outcome.text.count("stopped early")
        if stops > 1:
            self.fault(f"told {stops} times why it stops")
        failed = [event for event in outcome.events if event.get("status") == "failed"]
        for event in failed:
            if event["error"]["code"] in ("crashed", "timeout", "out-of-memory"):
                self.fault(f"a worker has died: {event['error']['text']}")
        if outcome.status in (1, 2) and not outcome.text.strip():
            self.fault("it did not say why it failed")

    def check_end(self, variant):
        """The next run ends with what an undisturbed one makes, and the one after it does nothing."""
        outcome = self.run()
        if outcome.status != 0:
            self.fault(f"the next run: status {outcome.status}: {brief(outcome.text)}")
        self.compare(self.wanted[variant], "the next run")
        self.check_ledger()
        last = self.run()
        open_items = [
            event
            for event in last.events
            if event.get("event") == "item" and event.get("reason") != "up-to-date"
        ]
        if last.status != 0 or open_items:
            self.fault(f"the run after it had something to do: {open_items[:2]} {brief(last.text)}")
        return outcome

    def check_stop(self, outcome, mark):
        """Storage that fails for good ends the run, with one message, before it has tried everything."""
        if outcome.status == 1 and outcome.text.count("stopped early") != 1:
            self.fault(f"it did not stop: {brief(outcome.text)}")
        # Two workers, each with one unit in work, one that waits and one on its way to the disk.
        failed = sum(event.get("status") == "failed" for event in outcome.events)
        if failed > 6:
            self.fault(f"{failed} items failed before it stopped, by {mark}")

    def compare(self, wanted, who, tidy=True):
        there = tree(self.out)
        for path in sorted(set(there) | set(wanted)):
            if there.get(path) != wanted.get(path):
                words = "lacks" if path not in there else "has another" if path in wanted else "has"
                self.fault(f"{who} {words} {path}")
        temporaries = os.path.join(self.out, ".minilab", "tmp")
        left = os.listdir(temporaries) if tidy and os.path.isdir(temporaries) else []
        if left:
            self.fault(f"{who} left {left[:3]}")
        own = os.listdir(os.path.join(self.out, ".minilab"))
        strange = [
            name
            for name in own
            if name not in ("lock", "report.json", "tmp") and not name.startswith("ledger")
        ]
        if strange:
            self.fault(f"{who} left {strange}")
