"""What is asked of Minilab alone, and is no matter of who is faster."""

import os
import shutil
import statistics
import subprocess

from . import measure
from .contenders import PROFILES

THUMBNAIL = PROFILES / "thumbnail.toml"


def growth(programs, inputs, out, quick):
    """Megabytes of a worker that is not replaced, after 500 pictures and after 10 000."""
    folder = inputs.folder("many")
    last = 1000 if quick else 10_000
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    words = [
        programs.minilab, "run", "--json", "--jobs", "1", str(THUMBNAIL), ".", "-o", str(out),
        "--set", "thumbnail-preview.max-side=256",
    ]
    environment = {**os.environ, "MINILAB_RECYCLE_AFTER": "0"}
    seen = {}
    workers = set()
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        count = 0
        for line in process.stdout:
            count += line.startswith(b'{"event":"item"')
            if count in (500, last) and count not in seen:
                worker = [each for each in measure.descendants(process.pid) if each != process.pid]
                workers.update(worker)
                seen[count] = sum(map(measure.memory_of, worker))
    shutil.rmtree(out, ignore_errors=True)
    if process.returncode != 0 or len(workers) != 1 or len(seen) != 2:
        raise measure.Failed(f"growth: {process.returncode}, workers {workers}, seen {seen}")
    return {"early": seen[500], "late": seen[last], "pictures": last}


def dispatch(programs, inputs, out, rounds):
    """Milliseconds of processor that the coordinator takes for an item which is nothing to do."""
    folder = inputs.folder("tiny")
    count = len(list(folder.iterdir()))
    words = [programs.minilab, "run", "-q", PROFILES / "copy.toml", ".", "-o", out]
    figures = []
    for _ in range(rounds):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        figures.append(measure.run(words, folder))
    again = [measure.run(words, folder) for _ in range(rounds)]
    shutil.rmtree(out, ignore_errors=True)
    per_item = 1000 / count
    return {
        "items": count,
        "coordinator": statistics.median(each["own"] for each in figures) * per_item,
        "all": statistics.median(each["cpu"] for each in figures) * per_item,
        "wall": statistics.median(each["wall"] for each in figures) * per_item,
        "again": statistics.median(each["wall"] for each in again) * per_item,
    }
