#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Recompute the first images on this machine's CPU, and require the same bits.

    oracle.py [--count N] FOLDER

FOLDER is where the demo left hidden.npy (the first layer's output, before the
ReLU), logits.npy and predictions.npy.  Nothing of the device or its library is
used: both layers start again from the pictures and the weights.  Any image
whose bits differ makes the exit status 1.
"""
import argparse
import os
import sys

import numpy as np

import fmnist


def read(folder, name, dtype, shape):
    a = np.load(os.path.join(folder, name), allow_pickle=False)
    if a.dtype != dtype or a.ndim != len(shape) or a.shape[1:] != shape[1:] or len(a) < shape[0]:
        raise ValueError(f"{name} is {a.dtype} {a.shape}, not {np.dtype(dtype)} {shape}")
    return a


def first_difference(name, got, want):
    """Name the first bits that differ; the rows that agree come back as booleans."""
    got, want = got.view(np.uint16), want.view(np.uint16)
    for row, column in np.argwhere(got != want)[:1]:
        print(f"oracle: {name} of image {row}, output {column}: "
              f"{got[row, column]:#06x}, must be {want[row, column]:#06x}")
    return (got == want).all(axis=1)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    p.add_argument("--count", type=int, default=200, help="images to recompute (200)")
    p.add_argument("folder", metavar="FOLDER", help="where the demo left its results")
    args = p.parse_args()

    w1, w2 = fmnist.weights()
    images, _ = fmnist.load("t10k", args.count)
    hidden = read(args.folder, "hidden.npy", np.float16, (args.count, len(w1)))[:args.count]
    logits = read(args.folder, "logits.npy", np.float16, (args.count, len(w2)))[:args.count]
    classes = read(args.folder, "predictions.npy", np.uint8, (args.count,))[:args.count]

    my_hidden = fmnist.dense_linear(fmnist.inputs(images), w1)
    my_logits = fmnist.dense_linear(fmnist.relu(my_hidden), w2)
    same = first_difference("first layer", hidden, my_hidden)
    same &= first_difference("second layer", logits, my_logits)
    same &= classes == np.argmax(my_logits, axis=1)
    print(f"oracle: {int(same.sum())}/{args.count} identical")
    return 0 if same.all() else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        print(f"oracle: {error}", file=sys.stderr)
        sys.exit(1)
