#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Small float16 .npy files and their product, without NumPy.

oracle.py make FILE ROWS COLUMNS SEED    write a matrix of small numbers
oracle.py linear IN W OUT                write IN x transposed W: sums in f32, in
                                         order, rounded to f16 once
"""
import ast
import random
import struct
import sys


def write(path, rows, columns, values):
    head = ("{'descr': '<f2', 'fortran_order': False, 'shape': (%d, %d), }"
            % (rows, columns))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%de" % len(values), *values))


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    rows, columns = ast.literal_eval(data[10:10 + length].decode())["shape"]
    values = struct.unpack("<%de" % (rows * columns), data[10 + length:])
    return [values[r * columns:(r + 1) * columns] for r in range(rows)]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = f32(total + x * y)
    return total


def main(argv):
    if argv[0] == "make":
        rows, columns = int(argv[2]), int(argv[3])
        random.seed(int(argv[4]))
        write(argv[1], rows, columns,
              [random.gauss(0, 2) for _ in range(rows * columns)])
    else:
        inputs, weights = read(argv[1]), read(argv[2])
        write(argv[3], len(inputs), len(weights),
              [dot(x, w) for x in inputs for w in weights])


main(sys.argv[1:])
