"""svg.py FILE KIND: what a picture of gnuplot shows, in the units of its axes, so that a test can compare it with the numbers.
The file must be well-formed. KIND is bars (of each colour the heights from left to right),
dots (of each colour x and y of each, those on lines too) or texts (all of them). A third word names the logarithmic axes. Axes are read from their ticks: a short line and a number."""
import math
import re
import sys
import xml.etree.ElementTree as ElementTree

NAME = '{http://www.w3.org/2000/svg}'
LINK = '{http://www.w3.org/1999/xlink}href'


def numbers(text):
    return [float(n) for n in re.findall(r'-?\d+\.?\d*', text)]


def number(text):
    try:
        return float((text or '').strip())
    except ValueError:
        return None


def ticks(root):
    """Places and values of the ticks of both axes: a path of two points beside a text that is a number."""
    across, up = [], []
    for group in root.iter(NAME + 'g'):
        paths, texts = group.findall(NAME + 'path'), group.findall(f'{NAME}g/{NAME}text')
        if not paths or len(texts) != 1 or number(texts[0].text) is None:
            continue
        points = numbers(paths[0].get('d'))
        if len(points) == 4 and points[1] == points[3]:
            up.append((points[1], number(texts[0].text)))
        elif len(points) == 4 and points[0] == points[2]:
            across.append((points[0], number(texts[0].text)))
    return across, up


def scale(marks, log=False):
    """Values from places, by the first and the last tick."""
    (p, v), (q, w) = marks[0], marks[-1]
    if log:
        return lambda at: math.exp(math.log(v) + (at - p) * (math.log(w) - math.log(v)) / (q - p))
    return lambda at: v + (at - p) * (w - v) / (q - p)


def show(rows):
    for colour, values in rows.items():
        print(colour.replace(' ', ''), *[f'{v:.3g}' for v in values])


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    kind, log = sys.argv[2], sys.argv[3:]
    if kind == 'texts':
        for text in root.iter(NAME + 'text'):
            print((text.text or '').strip())
        return
    across, up = ticks(root)
    y, rows = scale(up, 'y' in log), {}
    if kind == 'bars':
        base = max(p for p, _ in up)
        for bar in root.iter(NAME + 'polygon'):
            points = numbers(bar.get('points'))
            if abs(points[1] - base) < 0.1:
                rows.setdefault(bar.get('fill'), []).append(y(points[5]))
    elif kind == 'dots':
        x = scale(across, 'x' in log)
        for group in root.iter(NAME + 'g'):
            for dot in group.findall(NAME + 'use'):
                at = numbers(dot.get('transform') or '')
                if len(at) >= 2 and at[1] > min(p for p, _ in up) - 1:  # not the legend's
                    rows.setdefault(dot.get('color') or group.get('color'), []).extend((x(at[0]), y(at[1])))
    show(rows)


main()
