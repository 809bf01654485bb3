#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
# In the guest, as its first process: load the driver, look at the device, multiply two
# matrices. TREE (this repository) and MODULES come from the kernel's command line.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /mnt

# [driver]
# QEMU presents the device as a disk, ID 2: the driver must be told, and which one it is.
disk=$(grep -l 0x0002 /sys/bus/virtio/devices/*/device 2>/dev/null)
disk=${disk%/device}
insmod "$MODULES/vacc_fence.ko"
# shellcheck disable=SC2086 # two parameters, or none
insmod "$MODULES/virtio_accel.ko" ${disk:+device_id=2 device=${disk##*/}}

# [work]
export PATH="$TREE/build/tools:$TREE/Documentation/examples/vm:$PATH"
vacc list
vacc info | grep -E '^(class|backend|max_contexts|effective_bindings) '
cd /mnt || exit
matrix.py write x.npy 1,2,3 4,5,6
matrix.py write w.npy 1,0,0 0,1,0 0,0,1 1,1,1
vacc linear x.npy w.npy -o y.npy 2>&1 | cat	# no progress bar
matrix.py show y.npy
# [end]

sync
/bin/busybox poweroff -f
