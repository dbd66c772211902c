"""Runs the contenders of a row in turn, and looks at what they have made."""

import collections
import shutil
import statistics
import sys

from . import measure
from .contenders import OURS
from .pictures import look


class Results:
    """The figures of a row: for each contender one dictionary a round, or None where it sat out."""

    def __init__(self, row, count):
        self.row = row
        self.count = count
        self.figures = {contender.name: [] for contender in row.contenders}
        self.failures = {}

    @property
    def ours(self):
        return self.figures["minilab"]

    def median(self, name, figure):
        values = [each[figure] for each in self.figures[name] if each and figure in each]
        return statistics.median(values) if values else None

    def ratios(self, name, figure):
        """Theirs over ours, of each round that both were in."""
        return [
            theirs[figure] / ours[figure]
            for theirs, ours in zip(self.figures[name], self.ours)
            if theirs and ours and ours.get(figure)
        ]

    def between(self, first, second):
        """The wall time of one contender over another's, of each round that both were in."""
        pairs = zip(self.figures.get(first, []), self.figures.get(second, []))
        return [one["wall"] / other["wall"] for one, other in pairs if one and other]

    def best(self, group, figure):
        """The name of the group's fastest contender; None where none could be measured."""
        names = [
            contender.name
            for contender in self.row.contenders
            if contender.group == group and self.ratios(contender.name, figure)
        ]
        return min(
            names, key=lambda name: statistics.median(self.ratios(name, figure)), default=None
        )


def carry_out(row, folder, out, rounds):
    """Each round begins with another contender, so that a slow minute falls on all of them."""
    files = sorted(path.name for path in folder.iterdir())
    results = Results(row, len(files))
    contenders = list(row.contenders)
    for number in range(rounds):
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            sits_out = contender.name in results.failures or (contender.once and number > 0)
            figures = None if sits_out else one(row, contender, files, folder, out, results)
            results.figures[contender.name].append(figures)
            progress(f"{row.key}: round {number + 1} of {rounds}: {contender.name}")
    progress("")
    shutil.rmtree(out, ignore_errors=True)
    return results


def one(row, contender, files, folder, out, results):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    try:
        figures = measure.run(
            contender.words(files, out), folder, contender.environment, row.memory
        )
        if contender.makes and row.makes:
            check(out, len(files), *row.makes)
            if contender.group == OURS and row.verify:
                row.verify(folder, out)
        return figures
    except measure.Failed as failure:
        if contender.group == OURS:
            sys.exit(f"compare: {row.key}: {failure}")
        results.failures[contender.name] = str(failure)
        print(f"\n{row.key}: {contender.name} is left out: {failure}", file=sys.stderr)
        return None


def check(out, count, wanted, *sides):
    """Who has made less, or another size, was not faster."""
    made = collections.Counter()
    for path in out.rglob("*"):
        if ".minilab" in path.parts or not path.is_file():
            continue
        seen = look(path)
        if seen is None or seen[0] != wanted:
            raise measure.Failed(f"{path.name} is no {wanted}")
        longer = max(seen[1:])
        # A pixel more or less is a matter of rounding.
        made[next((side for side in sides if side and abs(side - longer) <= 1), None)] += 1
    for side in sides:
        if made[side] != count:
            raise measure.Failed(f"made {made[side]} of {count} pictures of {side} pixels")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
