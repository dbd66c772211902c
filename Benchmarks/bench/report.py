"""The figures as Markdown."""

import statistics

from .contenders import OURS

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def spread(values, digits=2):
    """Median, least and greatest."""
    if not values:
        return "–"
    middle = f"{statistics.median(values):.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def verdicts(results):
    """For each bar: what is asked, what was measured, of whom, and whether it holds."""
    said = []
    for bar in results.row.bars:
        name = bar.name or results.best(bar.group, bar.figure)
        if name is None or not results.figures.get(name):
            said.append((bar.text, wanted(bar), "not measured", None))
        elif bar.group == OURS:
            value = max(each[bar.figure] for each in results.ours if each)
            said.append((bar.text, "", f"{value:.0f}", value <= bar.factor))
        else:
            ratios = results.ratios(name, bar.figure)
            if bar.is_most:
                ratios = [1 / ratio for ratio in ratios]
            middle = statistics.median(ratios) if ratios else 0
            holds = middle <= bar.factor if bar.is_most else middle >= bar.factor
            whom = "" if bar.name else f" ({name})"
            said.append((bar.text + whom, wanted(bar), spread(ratios), holds))
    if results.row.told:
        first, second, text = results.row.told
        ratios = results.between(first, second)
        said.append((text, "", spread(ratios) if ratios else "not measured", None))
    return said


def wanted(bar):
    return f"at {'most' if bar.is_most else 'least'} {bar.factor:g}"


def mark(holds):
    return {True: "holds", False: "**falls short**", None: "–"}[holds]


def summary(all_results):
    lines = ["| workload | against | wanted | measured | |", "|---|---|---|---|---|"]
    for results in all_results:
        title = results.row.title
        for text, asked, measured, holds in verdicts(results):
            lines.append(f"| {title} | {text} | {asked} | {measured} | {mark(holds)} |")
            title = ""
    return lines


def special(growth, dispatch):
    lines = []
    if growth:
        more = 100 * (growth["late"] / growth["early"] - 1)
        lines.append(
            f"| {growth['pictures']} pictures, one worker that is not replaced: its memory | "
            f"after 500: {growth['early']:.1f} MB, at the end: {growth['late']:.1f} MB | "
            f"at most 10 % more | {more:+.1f} % | {mark(more < 10)} |"
        )
    if dispatch:
        lines.append(
            f"| {dispatch['items']} pictures that are only copied: the coordinator's processor time "
            f"an item | all processes {dispatch['all']:.2f} ms; wall {dispatch['wall']:.2f} ms, "
            f"up to date {dispatch['again']:.3f} ms | at most 0.2 ms | "
            f"{dispatch['coordinator']:.3f} ms | {mark(dispatch['coordinator'] <= 0.2)} |"
        )
    return lines


def table(results):
    """Every contender of a row."""
    row = results.row
    memory = any(each and "tree" in each for each in results.ours)
    lines = [f"### {row.key}: {row.title}", ""]
    lines.append(
        "| tool | kind | wall s | ratio of wall | processor s | ratio of processor | largest process MB |"
        + (" all processes MB |" if memory else "")
    )
    lines.append("|---|---|---|---|---|---|---|" + ("---|" if memory else ""))
    for contender in row.contenders:
        name = contender.name
        if not any(results.figures[name]):
            why = "failed" if name in results.failures else "not measured"
            lines.append(f"| {name} | {contender.group} | {why} | | | | |" + (" |" if memory else ""))
            continue
        cells = [
            name,
            contender.group,
            f"{results.median(name, 'wall'):.3g}",
            spread(results.ratios(name, "wall")) if contender.group != OURS else "1",
            f"{results.median(name, 'cpu'):.3g}",
            spread(results.ratios(name, "cpu")) if contender.group != OURS else "1",
            f"{results.median(name, 'largest'):.0f}",
        ]
        if memory:
            cells.append(f"{results.median(name, 'tree'):.0f}")
        lines.append("| " + " | ".join(cells) + " |")
    once = [each.name for each in row.contenders if each.once and any(results.figures[each.name])]
    if once:
        lines += ["", f"In the first round alone, as they are slow: {', '.join(once)}."]
    return lines


def whole(date, machine, versions, rounds, all_results, growth, dispatch, picture):
    lines = [BEGIN, ""]
    lines += [f"Measured on {date}.", ""] + [f"- {line}" for line in machine + versions]
    lines += [f"- rounds: {rounds}", ""]
    lines += summary(all_results) + special(growth, dispatch) + [""]
    if picture:
        lines += [f"![How many times Minilab's time the others take]({picture})", ""]
    for results in all_results:
        lines += table(results) + [""]
    return lines + [END]


def put(path, lines):
    """Into a page, in place of the figures that are there."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(before + "\n".join(lines) + after, encoding="utf-8")
