#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Seeds for test/fuzz.c: seeds.py FOLDER."""
import os
import struct
import sys

RING = 0x300    # descriptors, offered, used; requests come behind it


def request(opcode, payload=b"", number=1):
    return struct.pack("<HHIQ", opcode, 0, len(payload), number) + payload


def ring(requests):
    """Memory with a ring of 16 that offers these requests."""
    desc, data = b"", b""
    for i, one in enumerate(requests):
        desc += struct.pack("<QIHH", RING + len(data), len(one), 1, 2 * i + 1)
        data += one
        desc += struct.pack("<QIHH", RING + len(data), 96, 2, 0)
        data += bytes(96)
    avail = struct.pack("<HH", 0, len(requests))
    avail += b"".join(struct.pack("<H", 2 * i) for i in range(len(requests)))
    return desc.ljust(0x100, b"\0") + avail.ljust(0x200, b"\0") + data


def message(number, payload=b"", fds=0):
    return struct.pack("<BBH", number, fds << 1 | 1, len(payload)) + payload


def main(folder):
    context = struct.pack("<QQ", 1, 0)
    memory = ring([request(1), request(0x100, bytes(8)), request(0x400, context, 2),
                   request(0x200, struct.pack("<QQQQII", 1, 64, 64, 1, 31, 0), 3),
                   request(0x501, struct.pack("<Q", 5), 4)])
    blocks = (len(memory) + 15) // 16
    begin = bytes([blocks]) + memory.ljust(16 * blocks, b"\0")
    stop = message(11, bytes(8))
    seeds = [b"\0", b"\0" + message(1) + message(15) + message(16, bytes(8)), begin,
             begin + stop, begin + message(24, struct.pack("<III", 0, 16, 0) + bytes(16)),
             begin + message(18, bytes(8)) + message(18, struct.pack("<II", 0, 1)),
             begin + stop + message(31, struct.pack("<QQHHI", 0, 0, 1, 16, 0))]
    os.makedirs(folder, exist_ok=True)
    for i, seed in enumerate(seeds):
        with open(os.path.join(folder, f"seed{i}"), "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    main(sys.argv[1])
