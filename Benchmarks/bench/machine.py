"""What the figures were taken on."""

import os
import platform
import subprocess


def lines(folders):
    """`folders`: names and places whose file systems are told."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    said = [
        f"{processor()}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {system()}, "
        f"Linux {platform.release()}"
    ]
    for name, folder in folders:
        kind = subprocess.run(
            ["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True, check=False
        ).stdout.strip()
        flush = "" if name != "results" else (
            ", where flushing costs nothing" if kind == "tmpfs" else ", flushed by Minilab alone"
        )
        said.append(f"{name} on {kind}{flush}")
    load = os.getloadavg()[0]
    quiet = "" if load < 0.5 else ": not a quiet machine, figures are not worth much"
    said.append(f"load at the start {load:.1f}{quiet}")
    return said


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "processor unknown"


def system():
    with open("/etc/os-release", encoding="utf-8") as file:
        for line in file:
            if line.startswith("PRETTY_NAME="):
                return line.split("=", 1)[1].strip().strip('"')
    return "system unknown"
