"""Lets one call of a run go wrong: the part of faults.c that stands outside of the run."""

import errno
import mmap
import os
import shutil
import struct
import subprocess
import sys

FAMILIES = (
    "open read write flush rename mkdir cut close stat unlink list".split()
)
SIDES = ("out", "in", "ledger", "report")
ROLES = ("coordinator", "worker")

# The layout of `struct shared` in faults.c.
COUNTS = len(FAMILIES) * len(SIDES) * len(ROLES)
MATCHED = 4 * COUNTS
FIRED = MATCHED + 4
SYNCED = (FIRED + 4 + 7) // 8 * 8
VICTIM = SYNCED + 8
SIZE = VICTIM + 512


class Fault:
    """What is to go wrong: which call on which files in which processes, and how."""

    def __init__(self, call, side, do, at=1, times=1, role="any"):
        self.call, self.side, self.do = call, side, do
        self.at, self.times, self.role = at, times, role

    @property
    def words(self):
        return (
            f"call={self.call} side={self.side} role={self.role}"
            f" at={self.at} times={self.times} do={self.do}"
        )

    def __str__(self):
        kind, _, value = self.do.partition(":")
        what = errno.errorcode[int(value)] if kind == "error" else self.do
        span = "once" if self.times == 1 else "from there on"
        who = "" if self.role == "any" else f" of the {self.role}"
        return f"{what} at {self.call} {self.at}{who}, on {self.side}, {span}"


def failing(number):
    return f"error:{number}"


class Injector:
    def __init__(self, scratch):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            sys.exit("faults: a C compiler is needed (Debian: gcc)")
        here = os.path.dirname(os.path.abspath(__file__))
        self.library = os.path.join(scratch, "faults.so")
        self.page = os.path.join(scratch, "page")
        words = [compiler, "-O2", "-shared", "-fPIC", "-o", self.library]
        subprocess.run([*words, os.path.join(here, "faults.c"), "-ldl"], check=True)

    def environment(self, out, inputs, fault=None, boot=None, clock=None):
        """For one run: its counts begin at zero."""
        with open(self.page, "wb") as file:
            file.write(bytes(max(SIZE, mmap.PAGESIZE)))
        added = {
            "LD_PRELOAD": self.library,
            "MINILAB_FAULT_FILE": self.page,
            "MINILAB_FAULT_OUT": os.path.realpath(out),
            "MINILAB_FAULT_IN": os.path.realpath(inputs),
        }
        if fault:
            added["MINILAB_FAULT"] = fault.words
        if boot:
            added["MINILAB_FAULT_BOOT"] = boot
        if clock:
            added["MINILAB_FAULT_CLOCK"] = str(clock)
        return added

    def _read(self):
        with open(self.page, "rb") as file:
            return file.read(SIZE)

    @property
    def counts(self):
        """How many calls there were, by family, side and role."""
        numbers = iter(struct.unpack_from(f"{COUNTS}I", self._read()))
        return {
            (family, side, role): next(numbers)
            for family in FAMILIES
            for side in SIDES
            for role in ROLES
        }

    @property
    def fired(self):
        return struct.unpack_from("I", self._read(), FIRED)[0]

    @property
    def synced_journal(self):
        """How much of the ledger's journal was on the disk, in bytes."""
        return struct.unpack_from("Q", self._read(), SYNCED)[0]

    @property
    def victim(self):
        return self._read()[VICTIM:].split(b"\0")[0].decode("utf-8", "replace")
