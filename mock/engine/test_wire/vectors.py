#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Turn the protocol's vectors.json into elements of a C table.

usage: vectors.py FILE
Where FILE does not exist the table is empty.
"""

import json
import pathlib
import sys


def elements(vectors):
    """Yield one initializer for each vector."""
    for section in ("frames", "edge_cases"):
        for vector in vectors[section]:
            label = vector.get("expected") or vector.get("opcode") or vector.get("status") or ""
            words = [vector["name"], vector["kind"], label, vector["hex"]]
            edge = "true" if section == "edge_cases" else "false"
            yield "{ %s, %s }," % (", ".join('"%s"' % word for word in words), edge)


def main():
    """Print the table of the file that is named."""
    path = pathlib.Path(sys.argv[1])
    if path.exists():
        print("\n".join(elements(json.loads(path.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()
