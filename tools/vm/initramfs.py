# SPDX-License-Identifier: GPL-2.0
"""Write the initramfs of a QEMU guest: busybox, init, and the modules that it
takes to mount the host's root.

usage: initramfs.py FILE INIT MODULES NAME...   (MODULES: lib/modules/RELEASE)
"""
import lzma
import os
import stat
import sys


def module_order(modules, wanted):
    """Paths below lib/modules/RELEASE, each after what it depends on."""
    if not modules:
        return []   # all is built in
    depends = {}
    with open(os.path.join(modules, "modules.dep"), encoding="utf-8") as f:
        for line in f:
            path, _, rest = line.partition(":")
            depends[path] = rest.split()

    def name(path):
        return os.path.basename(path).split(".ko")[0].replace("-", "_")

    by_name = {name(path): path for path in depends}
    order = []

    def add(path):
        for other in depends[path]:
            add(other)
        if path not in order:
            order.append(path)

    for module in wanted:
        if module in by_name:   # else it is built in
            add(by_name[module])
    return order


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    return lzma.decompress(data) if path.endswith(".xz") else data


def write(target, init, modules, wanted):
    entries = [("bin", stat.S_IFDIR | 0o755, b"")]
    for folder in ("proc", "sys", "dev", "overlay", "modules"):
        entries.append((folder, stat.S_IFDIR | 0o755, b""))
    entries.append(("bin/busybox", stat.S_IFREG | 0o755, read("/bin/busybox")))
    entries.append(("init", stat.S_IFREG | 0o755, read(init)))
    names = []
    for path in module_order(modules, wanted):
        name = os.path.basename(path).removesuffix(".xz")
        entries.append((f"modules/{name}", stat.S_IFREG | 0o644,
                        read(os.path.join(modules, path))))
        names.append(name)
    entries.append(("modules/order", stat.S_IFREG | 0o644,
                    "".join(name + "\n" for name in names).encode()))
    entries.append(("TRAILER!!!", 0, b""))

    with open(target, "wb") as f:
        for number, (name, mode, data) in enumerate(entries, 1):
            path = name.encode() + b"\0"
            fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
            header = b"070701" + b"".join(b"%08X" % field for field in fields)
            for part in (header + path, data):
                f.write(part)
                f.write(b"\0" * (-len(part) % 4))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    write(*sys.argv[1:4], sys.argv[4:])
