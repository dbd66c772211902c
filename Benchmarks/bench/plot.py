"""The picture of the figures: how many times Minilab's time each tool takes."""

import statistics

from .contenders import FLOOR, HAND, OURS, READY

COLORS = {READY: "#8a8f98", HAND: "#c9822b", FLOOR: "#dcdfe4"}


def draw(all_results, path):
    """False where there is nothing to draw with."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    rows = [results for results in all_results if results.row.is_race and bars(results)]
    if not rows:
        return False
    heights = [len(bars(results)) + 1.2 for results in rows]
    figure, panels = pyplot.subplots(
        len(rows), 1, figsize=(9, 0.27 * sum(heights) + 0.8), squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    for panel, results in zip(panels[:, 0], rows):
        draw_row(panel, results)
    figure.legend(
        handles=[Patch(color=color, label=group) for group, color in COLORS.items()],
        loc="upper right", ncols=3, frameon=False, fontsize=8,
    )
    figure.text(
        0.01, 0.995, "Wall time in times of Minilab's, the line: shorter is faster",
        fontsize=9, va="top", weight="bold",
    )
    figure.tight_layout(h_pad=0.4, rect=(0, 0, 1, 0.982))
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True


def bars(results):
    """Name, group and the ratios of each contender that could be measured, the fastest first."""
    found = [
        (contender.name, contender.group, results.ratios(contender.name, "wall"))
        for contender in results.row.contenders
        if contender.group != OURS
    ]
    return sorted((each for each in found if each[2]), key=lambda each: statistics.median(each[2]))


MOST = 6.0


def draw_row(panel, results):
    listed = bars(results)[::-1]
    for place, (name, group, ratios) in enumerate(listed):
        middle = statistics.median(ratios)
        shown = min(middle, MOST)
        panel.barh(place, shown, color=COLORS[group], height=0.72)
        if middle <= MOST:
            panel.plot([min(ratios), min(max(ratios), MOST)], [place, place], color="#333", lw=1)
        end = shown if middle > MOST else min(max(ratios), MOST)
        panel.text(end + 0.06, place, f"{middle:.2f}", va="center", fontsize=7)
    panel.axvline(1, color="#2b62c9", lw=1.4)
    panel.set_xlim(0, MOST + 0.5)
    panel.set_yticks(range(len(listed)), [name for name, _, _ in listed], fontsize=7)
    panel.tick_params(axis="x", labelsize=7)
    panel.set_title(results.row.title, fontsize=8, loc="left", pad=2)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
