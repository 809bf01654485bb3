#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
# A guest of User Mode Linux with the accelerator. In the repository, after
# make tools modules KERNEL=uml
set -eu
linux=$(tools/kernels/get uml)/image
run=$(mktemp -d)

build/tools/vaccd --socket "$run/vaccd.sock" &
trap 'kill $!; rm -r "$run"' EXIT
until [ -S "$run/vaccd.sock" ]; do sleep 0.1; done

"$linux" mem=512M root=/dev/root rootfstype=hostfs ro con=null con0=null,fd:1 ssl=null quiet \
	virtio_uml.device="$run/vaccd.sock:60" \
	init="$PWD/Documentation/examples/vm/guest.sh" TREE="$PWD" MODULES="$PWD/build/modules/uml"
