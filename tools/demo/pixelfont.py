# SPDX-License-Identifier: GPL-2.0
"""Letters of 5 x 7 pixels, and pictures written as PNG, without any package."""
import struct
import zlib

import numpy as np

WIDTH = 6       # with the gap to the next letter
HEIGHT = 7

# Seven rows of five bits each, as two hexadecimal digits.
GLYPHS = {
    "A": "0e11111f111111", "B": "1e11111e11111e", "C": "0e11101010110e",
    "D": "1e11111111111e", "E": "1f10101e10101f", "F": "1f10101e101010",
    "G": "0e11101711110f", "H": "1111111f111111", "I": "0e04040404040e",
    "J": "0702020202120c", "K": "11121418141211", "L": "1010101010101f",
    "M": "111b1515111111", "N": "11191915131311", "O": "0e11111111110e",
    "P": "1e11111e101010", "Q": "0e11111115120d", "R": "1e11111e141211",
    "S": "0f10100e01011e", "T": "1f040404040404", "U": "1111111111110e",
    "V": "11111111110a04", "W": "1111111515150a", "X": "11110a040a1111",
    "Y": "1111110a040404", "Z": "1f01020408101f",
    "0": "0e11131519110e", "1": "040c040404040e", "2": "0e11010204081f",
    "3": "1f02040201110e", "4": "02060a121f0202", "5": "1f101e0101110e",
    "6": "0608101e11110e", "7": "1f010204080808", "8": "0e11110e11110e",
    "9": "0e11110f01020c", "-": "0000000e000000", ".": "00000000000c0c",
    ",": "000000000c0408", ":": "000c0c000c0c00", "%": "18190204081303",
    "/": "00010204081000", "(": "02040808080402", ")": "08040202020408",
    "?": "0e110102040004", " ": "00000000000000",
}


def width(text, scale=1):
    return (len(text) * WIDTH - 1) * scale


def draw(picture, x, y, text, colour, scale=1):
    """Write text into an array [height, width, 3]; the left top corner is x, y."""
    for letter in text.upper():
        rows = bytes.fromhex(GLYPHS.get(letter, GLYPHS["?"]))
        bits = np.unpackbits(np.frombuffer(rows, np.uint8)).reshape(7, 8)[:, 3:]
        bits = bits.repeat(scale, axis=0).repeat(scale, axis=1).astype(bool)
        picture[y:y + bits.shape[0], x:x + bits.shape[1]][bits] = colour
        x += WIDTH * scale


def png(picture):
    """The bytes of a PNG file for an array [height, width, 3] of u8."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    height, wide, _ = picture.shape
    lines = np.zeros((height, 1 + wide * 3), np.uint8)     # each begins with filter 0
    lines[:, 1:] = picture.reshape(height, -1)
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", wide, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + chunk(b"IEND", b""))
