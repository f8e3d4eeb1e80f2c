#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures queries of an index with bench_index and draws the curves.

usage: tools/index_curves.py [--plot-only] BENCH_INDEX FOLDER

Writes FOLDER/index-documents.tsv, index-size.tsv and index-length.tsv, and a picture (.svg) of each;
--plot-only draws the .tsv that are there. cmake --build build/release --target bench_index makes
BENCH_INDEX.
"""
import html
import math
import os
import subprocess
import sys

KINDS = {
    "documents": ("Listing documents, 64 MiB of text", "documents found"),
    "size": ("Listing documents by the size of the text", "bytes of text"),
    "length": ("Finding one pattern", "bytes of the pattern"),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 70, 20, 56, 50
COLORS = ["#0b6cb5", "#c2570c", "#3d7d2f"]


def powers(values):
    """Powers of ten from at most the least value to at least the greatest one."""
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def number(power):
    return f"{10 ** power:,}" if 0 <= power < 4 else f"10<tspan dy='-6' font-size='9'>{power}</tspan>"


def picture(title, axis, rows):
    """An SVG with both axes logarithmic; rows are (series, x, microseconds)."""
    xs, ys = powers([row[1] for row in rows]), powers([row[2] for row in rows])

    def place_x(value):
        share = (math.log10(value) - xs[0]) / max(xs[-1] - xs[0], 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def place_y(value):
        share = (math.log10(value) - ys[0]) / max(ys[-1] - ys[0], 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="15">{html.escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" '
        f'text-anchor="middle">{html.escape(axis)}</text>',
        f'<text x="16" y="{(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {(TOP + HEIGHT - BOTTOM) / 2})">microseconds a query</text>',
    ]
    for power in xs:
        x = place_x(10.0**power)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number(power)}</text>'
        )
    for power in ys:
        y = place_y(10.0**power)
        label = f"{10.0 ** power:g}"
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for i, series in enumerate(dict.fromkeys(row[0] for row in rows)):
        color = COLORS[i % len(COLORS)]
        points = [(place_x(x), place_y(y)) for name, x, y in rows if name == series]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
        out.append(
            f'<text x="{LEFT + 6 + 250 * i}" y="42" fill="{color}">{html.escape(series)}</text>'
        )
    return "\n".join(out) + "\n</svg>\n"


def main(arguments):
    plot_only = arguments[:1] == ["--plot-only"]
    arguments = arguments[plot_only:]
    if len(arguments) != 2:
        sys.exit(__doc__.strip())
    program, folder = arguments
    for kind, (title, axis) in KINDS.items():
        path = os.path.join(folder, f"index-{kind}")
        if not plot_only:
            with open(path + ".tsv", "w", encoding="utf-8") as table:
                subprocess.run([program, kind], stdout=table, check=True)
        with open(path + ".tsv", encoding="utf-8") as table:
            cells = [line.rstrip("\n").split("\t") for line in table][1:]
        rows = [(row[0], float(row[1]), float(row[4])) for row in cells]
        with open(path + ".svg", "w", encoding="utf-8") as file:
            file.write(picture(title, axis, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
