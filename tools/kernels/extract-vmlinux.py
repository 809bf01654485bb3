#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Write the vmlinux inside an x86 bzImage to stdout.

An uncompressed kernel boots in half the time in an emulator. Where the
payload lies is told by the boot protocol header (2.08 and up).
"""
import lzma
import struct
import subprocess
import sys
import zlib


def extract(image):
    if image[0x202:0x206] != b"HdrS":
        raise ValueError("not a bzImage")
    setup = (image[0x1F1] or 4) + 1
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = setup * 512 + offset
    payload = image[start:start + length - 4]  # the last 4 bytes are its size
    if payload.startswith(b"\xfd7zXZ"):
        return lzma.decompress(payload)
    if payload.startswith(b"\x1f\x8b"):
        return zlib.decompress(payload, 31)
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dc"], input=payload, check=True,
                              stdout=subprocess.PIPE).stdout
    if payload.startswith(b"\x7fELF"):
        return payload
    raise ValueError(f"unknown compression {payload[:4].hex()}")


with open(sys.argv[1], "rb") as f:
    vmlinux = extract(f.read())
if not vmlinux.startswith(b"\x7fELF"):
    sys.exit("extract-vmlinux: the payload is no ELF file")
sys.stdout.buffer.write(vmlinux)
