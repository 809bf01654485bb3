#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Inputs that fuzzers begin with: seeds.py commands|ring FOLDER

They are written in what commands.c and ring.c read: actions and their numbers.
"""
import os
import struct
import sys

GOOD = bytes(2)         # a request without damage, in one piece
CONTEXT = bytes([1]) + GOOD
QUEUE = bytes([9, 0]) + GOOD
HOLD, LET_GO, COMPLETE, FAIL, LOSE, RESET, COMPARE = (bytes([n]) for n in range(15, 22))


def buffer(size, kind=1):
    return bytes([3, 0, size, kind]) + GOOD


def program(operation, operand=0):
    return bytes([7, 0, operation] + ([operand] if operation >= 2 else [])) + GOOD


def write(which, size, value):
    return bytes([5, which, 0, size, value]) + GOOD


def read(which, size):
    return bytes([6, which, 0, size]) + GOOD


def submit(which, ranges, how=0):
    text = bytes([11, 0, which, how])
    for target, offset, size in ranges:
        text += bytes([target, offset, size, 0])
    return text + GOOD


def on_object(action, which=0):
    return bytes([action, which]) + GOOD


def commands():
    base = CONTEXT + QUEUE + buffer(64) + buffer(100) + program(2, 0xa5) + program(1)
    whole = [(0, 0, 64)]
    copy = [(0, 1, 20), (1, 30, 20)]
    poll, cancel, destroy = (on_object(n) for n in (12, 13, 14))
    ends = [on_object(n) for n in (14, 10, 8, 8, 4, 4, 2)]
    yield b"\0" + base + submit(0, whole) + poll + read(0, 64) + b"".join(ends)
    yield b"\0" + base + write(0, 64, 3) + submit(1, copy) + poll + read(1, 100) + destroy
    yield b"\1" + base + submit(0, whole) + submit(1, copy) + COMPLETE + b"\1" + read(1, 100) + \
        COMPLETE + b"\0" + read(0, 64) + poll + COMPARE
    yield b"\1" + base + submit(0, whole) + cancel + poll + destroy + submit(0, whole) + LET_GO
    yield b"\1" + base + submit(0, whole) + FAIL + b"\0\3" + poll + submit(0, whole) + LOSE + \
        poll + CONTEXT + RESET + CONTEXT
    yield b"\1" + base + submit(0, whole, 64) + poll + submit(0, whole, 32) + cancel + poll
    yield b"\0" + base + program(3, 0x0f) + HOLD + submit(2, whole) + on_object(4) + LET_GO
    yield b"\0" + bytes([0]) + GOOD + CONTEXT * 4 + buffer(200) * 7


def ring():
    def desc(index, flags, block, size, following=None):
        head = bytes([0, index, flags | (4 if following is not None else 0)])
        if following is not None:
            head += bytes([following])
        return head + bytes([block, size])

    def request(block, opcode, numbers, by_id=None):
        what = (opcode >> 8) << 4 | (opcode & 15)
        text = bytes([90, block, what, len(numbers) + (by_id is not None) |
                      (32 if by_id is not None else 0)])
        if by_id is not None:
            text += bytes([by_id])
        return text + bytes(numbers)

    def chain(head, block):
        return desc(head, 1, block, 64, head + 1) + desc(head + 1, 2, block + 8, 120)

    offer, serve = 140, bytes([206, 0])
    context = request(0, 0x100, [0]) + desc(0, 1, 0, 24, 1) + desc(1, 2, 8, 120)
    info = request(20, 1, []) + desc(2, 1, 20, 16, 3) + desc(3, 2, 28, 120)
    yield context + bytes([offer, 0]) + serve
    yield info + bytes([offer, 2]) + context + bytes([offer, 0]) + bytes([206, 3, 9, 1])
    yield context + bytes([offer, 0]) + serve + \
        request(40, 0x400, [0], by_id=1) + desc(4, 1, 40, 32, 5) + desc(5, 2, 50, 120) + \
        bytes([offer, 4]) + serve
    yield chain(0, 0) + bytes([offer, 0, 200]) + struct.pack("<H", 40) + serve
    yield desc(0, 1, 0, 16, 0) + bytes([offer, 0]) + serve


def main(name, folder):
    os.makedirs(folder, exist_ok=True)
    for i, seed in enumerate({"commands": commands, "ring": ring}[name]()):
        with open(os.path.join(folder, f"seed{i}"), "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
