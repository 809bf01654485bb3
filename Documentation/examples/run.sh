#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the examples, and compare what they print with what pages say that they print.
# For a machine with two reference devices, as root: see `make examples-check`.
set -u

build=$(dirname "$(realpath "$0")")/../../build/examples
failed=0

# expect TEXT PROGRAM [ARGUMENT]...: TEXT is the last line that it prints
expect() {
	text=$1
	program=$2
	shift 2
	said=$("$build/$program" "$@" 2>&1)
	status=$?
	echo "$said"
	if [ $status -ne 0 ] || [ "$(echo "$said" | tail -n 1)" != "$text" ]; then
		echo "examples: $program: exit status $status, and not: $text" >&2
		failed=1
	fi
}

expect 'complete, the last byte is 0xa5' fill
expect 'down             8 x 256, the first output is 0x5800' projections 8
expect '10000 fills on 8 queues, 10000 completed, each once' records
expect '8 inversions on each of two devices: 0x00 and 0x00' chain
expect '7 inversions on each of two devices: 0xff and 0xff' chain 7
expect 'device: 0x00 before, complete, 0xa5 after' gate device
[ ! -e /sys/kernel/debug/sync/sw_sync ] ||
	expect 'sw_sync: 0x00 before, complete, 0xa5 after' gate sw_sync
! modprobe -q vgem 2>/dev/null ||
	expect 'vgem: 0x00 before, complete, 0xa5 after' gate vgem
exit $failed
