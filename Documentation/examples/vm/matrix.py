#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Matrices of binary16 in .npy files.

usage: matrix.py write FILE ROW...    (each row: numbers with commas between)
       matrix.py show FILE
"""
import ast
import struct
import sys


def write(path, rows):
    """Version 1.0, its header filled up to 128 bytes."""
    rows = [[float(number) for number in row.split(",")] for row in rows]
    text = f"{{'descr': '<f2', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])})}}"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", 118) + text.ljust(117).encode() + b"\n")
        for row in rows:
            file.write(struct.pack(f"<{len(rows[0])}e", *row))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    columns = ast.literal_eval(data[10:begin].decode())["shape"][1]
    for row in struct.iter_unpack(f"<{columns}e", data[begin:]):
        print(*(f"{number:g}" for number in row))


if len(sys.argv) > 3 and sys.argv[1] == "write":
    write(sys.argv[2], sys.argv[3:])
elif len(sys.argv) == 3 and sys.argv[1] == "show":
    show(sys.argv[2])
else:
    sys.exit(__doc__.strip())
