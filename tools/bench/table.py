# SPDX-License-Identifier: GPL-2.0
"""The rows of make bench as a table, for people and for Documentation."""

HEAD = ("what", "shape", "ours", "peer", "unit", "ratio", "goal", "met", "peer is")


def number(value):
    return f"{value:.4g}"


def cells(row):
    goal = row["goal"]
    return (row["name"], row["shape"], number(row["ours"]), number(row["peer"]), row["unit"],
            f"{row['ratio']:.2f}", "" if goal is None else f"{goal:.2f}",
            {True: "yes", False: "no", None: ""}[row["met"]], row["peer_name"])


def grid(rows, rule):
    lines = [HEAD] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines]
    if rule:
        bar = "  ".join("=" * width for width in widths)
        text = [bar, text[0], bar, *text[1:], bar]
    return "\n".join(text)


def text(rows):
    return grid(rows, False)


def machine():
    """The CPU's own name, and what the kernel says of it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "an unknown CPU"


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(".. SPDX-License-Identifier: GPL-2.0\n"
                   ".. Written by tools/bench/run --table; not edited by hand.\n\n"
                   f"Measured on {machine()}, one virtual machine with two CPUs that others "
                   "use too:\nratios count, absolute figures move.\n\n")
        file.write(grid(rows, True) + "\n")
