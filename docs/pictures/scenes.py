"""Scenes for the pictures of these pages, drawn as SVG: the project's own, free of anyone's rights."""

import math

SKIES = {
    "evening": (("#27396b", "#d9776a", "#ffd699"), ("#8f6a86", "#5f5578", "#38436a"), ("#e39a7a", "#2b3f6b")),
    "noon": (("#2f7fc4", "#8cc3ea", "#e4f3fb"), ("#8aa9bd", "#5f8597", "#3a6170"), ("#9cc9df", "#24617f")),
    "morning": (("#8db4d8", "#f3c6b8", "#fff1d8"), ("#b59ab0", "#87799c", "#5b5a83"), ("#eec7bb", "#6f7ea6")),
    "night": (("#070b1f", "#16244d", "#34467c"), ("#232d52", "#1a2140", "#11162c"), ("#26356a", "#080d22")),
    "autumn": (("#5b7f95", "#c9cfc4", "#f6e3bd"), ("#9a7b5b", "#7d5236", "#553823"), ("#bfae8f", "#3e4c4a")),
    "storm": (("#20262e", "#57626d", "#a3a9a8"), ("#5c666b", "#414a50", "#2a3136"), ("#8b9597", "#262e35")),
}


def svg(width, height, view, body):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {view[0]} {view[1]}">{body}</svg>'
    )


def gradient(name, stops):
    marks = "".join(
        f'<stop offset="{n / (len(stops) - 1):.2f}" stop-color="{color}"/>' for n, color in enumerate(stops)
    )
    return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{marks}</linearGradient>'


def ridge(width, bottom, base, height, seed, fill):
    """A line of mountains, closed at the bottom."""
    points = []
    for x in range(0, width + 1, 10):
        rise = (
            math.sin(x / 130 + seed) * 0.6
            + math.sin(x / 47 + 2 * seed) * 0.28
            + math.sin(x / 19 + 3 * seed) * 0.07
        )
        points.append(f"{x},{base - height * abs(rise):.1f}")
    return f'<polygon fill="{fill}" points="0,{bottom} {" ".join(points)} {width},{bottom}"/>'


def fir(x, y, size):
    tiers = "".join(
        f'<polygon points="{x - size * w},{y - size * b} {x + size * w},{y - size * b} {x},{y - size * t}"/>'
        for w, b, t in ((0.34, 0.1, 0.62), (0.27, 0.42, 0.85), (0.19, 0.68, 1.05))
    )
    trunk = f'<rect x="{x - size * 0.04}" y="{y - size * 0.12}" width="{size * 0.08}" height="{size * 0.12}"/>'
    return f'<g fill="#16302b">{trunk}{tiers}</g>'


def house(x, y, roof="#b4442f"):
    return (
        f'<g transform="translate({x} {y})"><rect y="46" width="130" height="84" fill="#f3e6cf"/>'
        f'<polygon points="-14,48 65,-14 144,48" fill="{roof}"/>'
        '<rect x="48" y="78" width="34" height="52" fill="#5b3a2a"/>'
        '<rect x="12" y="68" width="26" height="26" fill="#ffcf5c"/>'
        '<rect x="92" y="68" width="26" height="26" fill="#ffcf5c"/></g>'
    )


def lake(sky, seed, width=1800, height=1200, wide=True):
    """Mountains at a lake under one of `SKIES`, with a house and firs on the shore."""
    colors, hills, water = SKIES[sky]
    w, h = (1350, 900) if wide else (900, 1200)
    shore = h * 0.68
    light = w * (0.35 + 0.3 * abs(math.sin(seed)))
    ripples = "".join(
        f'<rect x="{light + 130 * math.sin(n * 2.3 + seed) - 20 - n * 7:.0f}" y="{shore + 30 + n * h * 0.018:.0f}" '
        f'width="{40 + n * 15}" height="5" rx="2.5"/>'
        for n in range(15)
    )
    firs = "".join(
        fir(w * (0.06 + 0.83 * abs(math.sin(seed + n * 1.7))), h * (0.87 + 0.03 * n), h * (0.14 + 0.03 * n))
        for n in range(4)
    )
    body = (
        f'<defs>{gradient("sky", colors)}{gradient("water", water)}</defs>'
        f'<rect width="{w}" height="{shore + 20}" fill="url(#sky)"/>'
        f'<circle cx="{light:.0f}" cy="{h * 0.46:.0f}" r="{h * 0.07:.0f}" fill="#fff3d1"/>'
        + ridge(w, h, shore - 20, h * 0.3, seed, hills[0])
        + ridge(w, h, shore, h * 0.2, seed + 1.3, hills[1])
        + ridge(w, h, shore + 10, h * 0.1, seed + 2.7, hills[2])
        + f'<rect y="{shore}" width="{w}" height="{h - shore}" fill="url(#water)"/>'
        f'<g fill="#ffe3b0" opacity=".55">{ripples}</g>'
        f'<path d="M0 {h * 0.84} C {w * 0.24} {h * 0.8} {w * 0.37} {h * 0.875} {w * 0.58} {h * 0.91} '
        f'S {w * 0.89} {h * 0.95} {w} {h * 0.917} V{h} H0Z" fill="#1f4037"/>'
        + house(w * (0.15 + 0.1 * abs(math.cos(seed))), h * 0.765)
        + firs
    )
    return svg(width, height, (w, h), body)


def person(skin="#e0a988", hair="#4a3022", coat="#2f5d7c", wall=("#c9d6dc", "#9fb3bd"), width=1200, height=1600):
    """Head and shoulders before a wall, right of the middle."""
    body = (
        f'<defs>{gradient("wall", wall)}<radialGradient id="skin" cx=".45" cy=".4" r=".75">'
        f'<stop offset="0" stop-color="{skin}"/><stop offset="1" stop-color="{skin}" stop-opacity=".82"/>'
        '</radialGradient></defs>'
        '<rect width="900" height="1200" fill="url(#wall)"/>'
        '<rect x="60" y="90" width="230" height="330" fill="#f4efe4"/><rect x="80" y="110" width="190" height="290" fill="#7fa07a"/>'
        '<g transform="translate(510 560)">'
        f'<path d="M-330 640 C -330 330 -180 300 -95 260 L95 260 C 180 300 330 330 330 640 Z" fill="{coat}"/>'
        f'<path d="M-70 180 H70 V290 Q0 350 -70 290 Z" fill="{skin}"/><path d="M-70 215 Q0 275 70 215 V240 Q0 300 -70 240 Z" fill="#00000026"/>'
        f'<path d="M-185 -40 C -215 -300 215 -300 185 -40 L195 120 C 170 60 165 -20 150 -60 H-150 C -165 -20 -170 60 -195 120 Z" fill="{hair}"/>'
        f'<ellipse cx="0" cy="20" rx="158" ry="200" fill="{skin}"/><ellipse cx="0" cy="20" rx="158" ry="200" fill="url(#skin)"/>'
        f'<ellipse cx="-162" cy="35" rx="22" ry="42" fill="{skin}"/><ellipse cx="162" cy="35" rx="22" ry="42" fill="{skin}"/>'
        f'<path d="M-160 -20 C -165 -262 165 -262 160 -20 C 120 -110 30 -125 -20 -120 C -80 -112 -140 -80 -160 -20 Z" fill="{hair}"/>'
        '<g fill="#fff"><ellipse cx="-62" cy="10" rx="30" ry="17"/><ellipse cx="62" cy="10" rx="30" ry="17"/></g>'
        '<g fill="#3b2a20"><circle cx="-60" cy="11" r="13"/><circle cx="64" cy="11" r="13"/></g>'
        f'<g fill="none" stroke="{hair}" stroke-width="11" stroke-linecap="round"><path d="M-98 -30 Q-62 -48 -28 -32"/><path d="M28 -32 Q62 -48 98 -30"/></g>'
        '<path d="M0 20 Q-22 80 -18 92 Q0 104 20 92" fill="none" stroke="#00000040" stroke-width="8" stroke-linecap="round"/>'
        '<path d="M-52 136 Q0 168 52 136 Q0 150 -52 136 Z" fill="#a8443f" stroke="#a8443f" stroke-width="8" stroke-linejoin="round"/>'
        '<path d="M-95 262 L0 380 L95 262" fill="none" stroke="#ffffff" stroke-width="26"/>'
        "</g>"
    )
    return svg(width, height, (900, 1200), body)


def mug(color="#c7502f", width=1500, height=1000):
    """A mug on a table, photographed before a white wall."""
    body = (
        '<defs><linearGradient id="side" x1="0" x2="1" y1="0" y2="0"><stop offset="0" stop-color="#ffffff" stop-opacity=".35"/>'
        '<stop offset=".45" stop-color="#ffffff" stop-opacity="0"/><stop offset="1" stop-color="#000000" stop-opacity=".35"/></linearGradient>'
        f'{gradient("wall", ("#ffffff", "#f4f4f2"))}</defs>'
        '<rect width="1350" height="900" fill="url(#wall)"/><path d="M0 690 H1350 V900 H0 Z" fill="#e9e6e0"/>'
        '<ellipse cx="640" cy="768" rx="260" ry="38" fill="#00000030"/>'
        f'<path d="M790 380 h80 a110 110 0 0 1 0 230 h-80" fill="none" stroke="{color}" stroke-width="44"/>'
        f'<path d="M410 250 V700 Q415 770 490 778 H720 Q795 770 800 700 V250 Z" fill="{color}"/>'
        '<path d="M410 250 V700 Q415 770 490 778 H720 Q795 770 800 700 V250 Z" fill="url(#side)"/>'
        f'<ellipse cx="605" cy="250" rx="195" ry="46" fill="{color}"/><ellipse cx="605" cy="254" rx="172" ry="36" fill="#3a2115"/>'
        '<g fill="#fff6e8"><circle cx="605" cy="500" r="92"/></g>'
        f'<path d="M605 425 l24 50 54 7 -40 37 10 54 -48 -27 -48 27 10 -54 -40 -37 54 -7 Z" fill="{color}"/>'
    )
    return svg(width, height, (1350, 900), body)
