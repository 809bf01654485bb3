#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the device of device.c as any other is tested: its products bit by bit, its process
# against hostile front ends, and the whole through the ioctls, in a VM.
# usage: device.sh [DEVICE [LINEAR]]
# DEVICE is a program that takes the options of device.c, LINEAR a source file in place of
# device_linear.c; of another DEVICE without it, products are not tested alone.
# The last line is "N passed, N failed", with what was skipped if anything was.
set -u

device=${1:+$(realpath "$1")}
linear=${2:+$(realpath "$2")}
cd "$(dirname "$(realpath "$0")")/../.." || exit 1
build=$PWD/build
device=${device:-$build/examples/device}
[ $# -gt 0 ] || linear=$PWD/Documentation/examples/device_linear.c
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# Those that need no other options than device.c has.
process='half_ messages_that random_rings notifications_of stop new_page come_back'
process="$process memory_tables_under memory_taken killed one_front"
selftests='abi context buffer transfer program submit event queue fence linear batch'

{
	rm -f "$build/engine-sample/engine/linear.o"	# perhaps of another file
	[ -z "$linear" ] || make --no-print-directory -C mock/engine/test O="$build/engine-sample" \
		LINEAR="$linear" check || echo '0 passed, 1 failed'
	make --no-print-directory -C tools/vaccd O="$build/tools" \
		VACCD="$device" VACCD_ASAN="$device" ARGS="$process" check || echo '0 passed, 1 failed'
	VACC_SCALE=${VACC_SCALE:-8} VACC_VACCD=$device tools/vm/vm --kernel uml --backend vaccd -- \
		"vacc info; selftests/run.sh $selftests" </dev/null || echo '0 passed, 1 failed'
} 2>&1 | tee "$out"

# What the page shows of device.c.
if [ $# -eq 0 ] && awk '/^It prints, among others::$/ { inside = 1; next }
		inside && /^	/ { print substr($0, 2); seen = 1; next }
		inside && seen { exit }' Documentation/device/own-device.rst | grep -Fvxf "$out"
then
	echo 'device.sh: Documentation/device/own-device.rst shows these lines, vacc info does not'
	echo '0 passed, 1 failed' >>"$out"
fi

awk '
/^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; skipped += $5 }
END {
	print passed + 0 " passed, " failed + 0 " failed" (skipped ? ", " skipped " skipped" : "")
	exit !passed || failed
}' "$out"
