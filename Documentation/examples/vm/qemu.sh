#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
# A guest of QEMU, with Debian's own kernel, with the accelerator. In the repository, after
# make tools modules KERNEL=6.1
set -eu
kernel=$(tools/kernels/get 6.1)
run=$(mktemp -d)

build/tools/vaccd --socket "$run/vaccd.sock" &
trap 'kill $!; rm -r "$run"' EXIT
until [ -S "$run/vaccd.sock" ]; do sleep 0.1; done

# A guest with a disk of its own needs no such thing: it mounts our root.
/usr/bin/python3 tools/vm/initramfs.py "$run/initrd" Documentation/examples/vm/init \
	"$kernel/modules" virtio_pci 9pnet_virtio 9p

qemu-system-x86_64 -M q35,memory-backend=mem -m 1024 -smp 2 -cpu max \
	-object memory-backend-memfd,id=mem,size=1024M,share=on \
	-chardev socket,id=vaccd,path="$run/vaccd.sock",reconnect=1 \
	-device vhost-user-blk-pci,chardev=vaccd,num-queues=1,queue-size=256,disable-legacy=on \
	-nodefaults -display none -no-reboot -serial stdio \
	-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
	-kernel "$kernel/image" -initrd "$run/initrd" \
	-append "console=ttyS0 quiet panic=-1 TREE=$PWD MODULES=$PWD/build/modules/6.1"
