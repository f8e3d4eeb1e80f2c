# SPDX-License-Identifier: MIT OR Apache-2.0
"""Bar charts of speeds as SVG, for the pages that bench_report.py generates."""

import html
import math

ROW, BAR, TOP, LEFT, WIDTH, RIGHT = 24, 9, 64, 150, 560, 130
COLOURS = ("#1f5a94", "#b9c2cb")  # trawl, what it is compared with
FONT = 'font-family="sans-serif" font-size="%d"'


def ticks(least, most):
    """Powers of ten that enclose the speeds: the axis is logarithmic."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [10.0 ** power for power in range(first, max(last, first + 1) + 1)]


def text(x, y, content, size=12, anchor="start", weight="normal", colour="#222222"):
    # A white outline below the letters keeps them readable where lines cross.
    return ('<text x="%.1f" y="%.1f" %s text-anchor="%s" font-weight="%s" fill="%s" '
            'stroke="white" stroke-width="3" paint-order="stroke">%s</text>'
            % (x, y, FONT % size, anchor, weight, colour, html.escape(content)))


def bar(x, y, width, colour):
    return ('<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>'
            % (x, y, max(width, 1), BAR, colour))


def bars(title, legend, rows, line=None):
    """An SVG document. `legend`: a word for each colour. `rows`: (name, speeds, note), speeds in
    GB/s in the order of the legend, None where there is none; the note stands behind the bars.
    `line`: None, or (speed, word), drawn across all rows."""
    speeds = [speed for _, values, _ in rows for speed in values if speed] or [1.0]
    marks = ticks(min(speeds), max(speeds + ([line[0]] if line else [])))
    scale = WIDTH / math.log10(marks[-1] / marks[0])
    height = TOP + ROW * len(rows) + 34
    bottom = TOP + ROW * len(rows)

    def place(speed):
        return LEFT + scale * math.log10(speed / marks[0])

    total = LEFT + WIDTH + RIGHT
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
           % (total, height, total, height),
           '<rect width="100%" height="100%" fill="white"/>',
           text(LEFT, 20, title, 14, weight="bold")]
    x = LEFT
    for word, colour in zip(legend, COLOURS):
        out += [bar(x, 33, 18, colour), text(x + 24, 42, word)]
        x += 40 + 7 * len(word)
    for mark in marks:
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/>'
                   % (place(mark), TOP - 4, place(mark), bottom))
        out.append(text(place(mark), bottom + 16, "%g" % mark, anchor="middle"))
    out.append(text(LEFT + WIDTH, bottom + 30, "GB of text a second, logarithmic", 11, "end"))
    if line:
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#aa3333" '
                   'stroke-dasharray="4 3"/>'
                   % (place(line[0]), TOP - 8, place(line[0]), bottom))
        out.append(text(place(line[0]), TOP - 12, line[1], 11, "middle", colour="#aa3333"))
    for number, (name, values, note) in enumerate(rows):
        y = TOP + ROW * number
        out.append(text(LEFT - 8, y + 14, name, anchor="end"))
        shown = [speed for speed in values if speed]
        for offset, (speed, colour) in enumerate(zip(values, COLOURS)):
            if speed:
                top = y + 2 + BAR * offset if len(values) > 1 else y + 5
                out.append(bar(LEFT, top, place(speed) - LEFT, colour))
        if shown:
            out.append(text(place(max(shown)) + 6, y + 14, note, 11))
    return "\n".join(out + ["</svg>"]) + "\n"
