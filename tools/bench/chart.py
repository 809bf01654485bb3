# SPDX-License-Identifier: GPL-2.0
"""Ratios of a family as bars, with a tick where the goal is."""
from html import escape

LEFT, BAR, LINE, TOP = 420, 360, 22, 40


def scale(rows):
    return max([1.5] + [max(row["ratio"], row["goal"] or 0) for row in rows])


def bar(row, y, most):
    width = BAR * min(row["ratio"], most) / most
    color = {True: "#3a7d44", False: "#b3392f", None: "#6b7280"}[row["met"]]
    label = escape(f"{row['name'].split(': ', 1)[-1]}, {row['shape']} / {row['peer_name']}")
    parts = [f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{label}</text>',
             f'<rect x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="14" fill="{color}"/>',
             f'<text x="{LEFT + width + 6:.1f}" y="{y + 14}">{row["ratio"]:.2f}</text>']
    if row["goal"] is not None:
        at = LEFT + BAR * row["goal"] / most
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y}" y2="{y + 20}" '
                     'stroke="#111" stroke-width="2"/>')
    return "\n".join(parts)


def write(path, family, rows):
    height = TOP + LINE * len(rows) + 12
    most = scale(rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + BAR + 80}" '
                   f'height="{height}" font-family="sans-serif" font-size="11">\n'
                   f'<text x="8" y="22" font-size="15">{escape(family)}: ours over the peer '
                   '(longer is better; the tick is the goal)</text>\n')
        for i, row in enumerate(rows):
            file.write(bar(row, TOP + LINE * i, most) + "\n")
        file.write("</svg>\n")
