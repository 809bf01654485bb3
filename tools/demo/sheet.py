#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Draw a contact sheet of what the demo's network saw and what it made of it.

    sheet.py FOLDER PICTURE.png

FOLDER holds predictions.npy.  The sheet shows the first 200 test images, below
each the predicted class; a wrong one has a red frame and the true class too.
"""
import os
import sys

import numpy as np

import fmnist
import pixelfont

COLUMNS, ROWS = 20, 10
SCALE = 2
SIDE = 28 * SCALE
FRAME = 2
CELL_X, CELL_Y = SIDE + 12, SIDE + 32
MARGIN = 16
TOP = 64

PAPER, INK, PALE, RED = (250, 250, 247), (40, 40, 40), (125, 125, 125), (205, 20, 30)


def centred(picture, middle, y, text, colour):
    pixelfont.draw(picture, middle - pixelfont.width(text) // 2, y, text, colour)


def sheet(images, labels, classes):
    picture = np.empty((TOP + ROWS * CELL_Y + MARGIN, 2 * MARGIN + COLUMNS * CELL_X, 3), np.uint8)
    picture[:] = PAPER
    right = int((classes == labels).sum())
    pixelfont.draw(picture, MARGIN + 6, 16, f"Fashion-MNIST: {right} of {len(labels)} right "
                   f"({100 * right / len(labels):.2f} %)", INK, 2)
    count = COLUMNS * ROWS
    wrong = int((classes[:count] != labels[:count]).sum())
    pixelfont.draw(picture, MARGIN + 6, 40, f"The first {count} test images, with the predicted "
                   f"class. {wrong} are wrong:", INK)
    x = MARGIN + 6 + pixelfont.width(f"The first {count} test images, with the predicted class. "
                                     f"{wrong} are wrong:") + 8
    pixelfont.draw(picture, x, 40, "red frame, and what it is", RED)
    for i in range(count):
        x = MARGIN + i % COLUMNS * CELL_X + (CELL_X - SIDE) // 2
        y = TOP + i // COLUMNS * CELL_Y
        bad = classes[i] != labels[i]
        picture[y - FRAME:y + SIDE + FRAME, x - FRAME:x + SIDE + FRAME] = RED if bad else PAPER
        image = images[i].repeat(SCALE, axis=0).repeat(SCALE, axis=1)
        picture[y:y + SIDE, x:x + SIDE] = 255 - image[:, :, None]
        middle = x + SIDE // 2
        centred(picture, middle, y + SIDE + 5, fmnist.CLASSES[classes[i]], RED if bad else INK)
        if bad:
            centred(picture, middle, y + SIDE + 15, fmnist.CLASSES[labels[i]], PALE)
    return picture


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    images, labels = fmnist.load("t10k")
    classes = np.load(os.path.join(sys.argv[1], "predictions.npy"), allow_pickle=False)
    if classes.dtype != np.uint8 or classes.shape != labels.shape or classes.max() > 9:
        raise ValueError("predictions.npy is not a class for each test image")
    with open(sys.argv[2], "wb") as f:
        f.write(pixelfont.png(sheet(images, labels, classes)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        print(f"sheet.py: {error}", file=sys.stderr)
        sys.exit(1)
