"""The chart of bench/pairs, as SVG: how costs grow with elements and with
nodes, on logarithmic axes, and how often Duet's time goes into the best
rival's."""
import math

WIDTH, PANEL, MARGIN, BAR = 900, 300, 60, 15
COLOURS = {'duet': '#d62728', 'limit': '#7f7f7f', 'numpy': '#1f77b4',
           'jax': '#2ca02c', 'torch': '#ff7f0e', 'tf': '#9467bd'}
NAMES = {'duet': 'Duet', 'limit': 'limit', 'numpy': 'NumPy', 'jax': 'JAX',
         'torch': 'PyTorch', 'tf': 'TensorFlow'}
PANELS = [('growth elements/', 'x * 1.0001 + 0.5: ns an element over n'),
          ('chain_e1 ', 'tanh, exp and four more: ns an element over n'),
          ('trace first/', 'trace, compile, first run: ns a node over nodes')]


def text(x, y, words, anchor='start', size=11):
    words = words.replace('&', '&amp;').replace('<', '&lt;')
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" '
            f'text-anchor="{anchor}">{words}</text>')


def curves(table, start):
    """{who: [(n, best)]} of the rows whose names begin so and end in n."""
    found = {}
    for (key, threads), row in table.items():
        if threads == 1 and key.startswith(start):
            for who, value in row.items():
                point = int(key[len(start):]), value[1]
                found.setdefault(who, []).append(point)
    return {who: sorted(points) for who, points in found.items()}


def label(power):
    return f'1e{power}' if abs(power) > 3 else f'{10.0 ** power:g}'


def panel(table, start, title, top):
    """One diagram: a grid of powers of ten, and a line for each system."""
    lines = curves(table, start)
    points = [point for line in lines.values() for point in line]
    if not points:
        return []
    ends = [(math.floor(math.log10(min(p[axis] for p in points))),
             math.ceil(math.log10(max(p[axis] for p in points))))
            for axis in (0, 1)]
    room = WIDTH - 2 * MARGIN - 60, PANEL - 70

    def place(point):
        part = [(math.log10(value) - low) / max(high - low, 1)
                for value, (low, high) in zip(point, ends)]
        return MARGIN + part[0] * room[0], top + 30 + (1 - part[1]) * room[1]

    out = [text(MARGIN, top + 16, title, size=13)]
    for power in range(ends[0][0], ends[0][1] + 1):
        x, low = place((10.0 ** power, 10.0 ** ends[1][0]))
        out.append(f'<path d="M{x:.1f} {low:.1f}V{top + 30}" stroke="#ddd"/>')
        out.append(text(x, low + 14, label(power), 'middle'))
    for power in range(ends[1][0], ends[1][1] + 1):
        x, y = place((10.0 ** ends[0][0], 10.0 ** power))
        out.append(f'<path d="M{x:.1f} {y:.1f}h{room[0]}" stroke="#ddd"/>')
        out.append(text(x - 6, y + 4, label(power), 'end'))
    for number, (who, line) in enumerate(lines.items()):
        way = ' '.join(f'{x:.1f},{y:.1f}' for x, y in map(place, line))
        out.append(f'<polyline points="{way}" fill="none" stroke-width="2" '
                   f'stroke="{COLOURS[who]}"/>')
        out.append(f'<g fill="{COLOURS[who]}">'
                   + text(WIDTH - MARGIN - 50, top + 40 + 16 * number,
                          NAMES[who]) + '</g>')
    return out


def bars(table, top):
    """(the diagram, its height): the times of the best rivals."""
    rows = []
    for (key, threads), row in table.items():
        rivals = {who: value for who, value in row.items()
                  if who not in ('duet', 'limit')}
        if threads == 1 and 'duet' in row and rivals:
            rate = row['duet'][2] == 'GFLOP/s'
            ratios = {who: value[1] / row['duet'][1] if not rate
                      else row['duet'][1] / value[1]
                      for who, value in rivals.items()}
            who = min(ratios, key=ratios.get)
            rows.append((ratios[who], key, who))
    rows.sort()
    out = [text(MARGIN, top + 16, 'How often Duet’s time goes into that of '
                'the best rival, one thread (logarithmic)', size=13)]
    middle, decade = MARGIN + 260, 80
    for number, (ratio, key, who) in enumerate(rows):
        y = top + 30 + BAR * number
        end = middle + decade * math.log10(ratio)
        out.append(f'<rect x="{min(middle, end):.1f}" y="{y}" height="11" '
                   f'width="{abs(end - middle):.1f}" '
                   f'fill="{COLOURS[who]}"/>')
        out.append(text(middle - 90, y + 10, key, 'end'))
        out.append(text(max(end, middle) + 6, y + 10,
                        f'{ratio:.3g} ({NAMES[who]})'))
    out.append(f'<path d="M{middle} {top + 24}v{BAR * len(rows) + 8}" '
               'stroke="#000"/>')
    return out, 50 + BAR * len(rows)


def draw(table):
    body = []
    for number, (start, title) in enumerate(PANELS):
        body += panel(table, start, title, PANEL * number)
    shown, height = bars(table, PANEL * len(PANELS))
    height += PANEL * len(PANELS)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{height}" font-family="sans-serif">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
            + '\n'.join(body + shown) + '\n</svg>\n')
