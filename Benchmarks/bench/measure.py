"""Runs one command and tells what it took."""

import os
import pathlib
import subprocess
import tempfile
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    pass


def run(words, folder, environment=None, memory=False):
    """Seconds of wall and of processor, of it those of the first process alone (`own`); megabytes.

    `largest` is the largest process, as the kernel counts. With `memory` the whole tree is looked at
    every 30 ms and `tree` is the most that its processes had together, what they share counted once.
    """
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in words],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        watch = TreeWatch(process.pid) if memory else None
        # Looked at before it is gone: it tells what it has used without its children.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        own = own_seconds(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = watch.end() if watch else None
        if process.returncode != 0:
            said.seek(0)
            text = said.read().decode(errors="replace")[-2000:]
            raise Failed(f"{words[0]} ended with {process.returncode}: {text}")
    figures = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "own": own,
        "largest": usage.ru_maxrss / 1024,
    }
    if peak is not None:
        figures["tree"] = peak
    return figures


def own_seconds(process):
    user, system = stat_fields(process)[11:13]
    return (int(user) + int(system)) / TICK


def stat_fields(process):
    """Of proc(5)'s `stat`, from the third on: what comes before may have spaces in it."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def descendants(root):
    """Process IDs of a process and all that it has started."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                children.setdefault(int(stat_fields(entry)[1]), []).append(int(entry))
            except (OSError, IndexError):
                pass
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, [])
    return found


def resident(process):
    """Megabytes of a process, its part of what is shared included; 0 where it has gone."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


class TreeWatch:
    """Looks at a tree of processes from a thread of its own."""

    def __init__(self, root):
        self.root = root
        self.peak = 0.0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.is_over.wait(0.03):
            self.peak = max(self.peak, sum(map(resident, descendants(self.root))))

    def end(self):
        self.is_over.set()
        self.thread.join()
        return self.peak


def memory_of(process):
    """Megabytes of a process, as `ps` has them."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0
