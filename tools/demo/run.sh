#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Classify the test images of Fashion-MNIST on the kernel's reference device, in a
# VM, and check the result on the host: see README.md.
# usage: [KERNEL=6.1|6.12|uml] [BACKEND=direct] run.sh
set -eu

kernel=${KERNEL:-6.1}
backend=${BACKEND:-direct}
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
out=build/demo
cd "$repo"

say() { echo "demo: $*"; }

say "packages"
tools/kernels/packages build vm dataset-fashion-mnist python3-numpy zlib1g-dev

say "building the tools, and the modules for kernel $kernel"
make --no-print-directory -s tools "modules-$kernel"

mkdir -p "$out"
rm -f "$out/hidden.npy" "$out/logits.npy" "$out/predictions.npy" "$out/predictions.png"
say "booting kernel $kernel, backend $backend"
tools/vm/vm --kernel "$kernel" --backend "$backend" --out "$out" -- \
	build/tools/fashion --weights tools/demo/weights --least 0.87 </dev/null

export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$here/sheet.py" "$out" "$out/predictions.png"
say "the pictures are in $out/predictions.png"
say "recomputing the first 200 images on this CPU"
/usr/bin/python3 "$here/oracle.py" --count 200 "$out"
