#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The program of the README, built from its text, does what the README says.
# As a test program: TAP on standard output; -l lists the tests.

dir=$(dirname "$(realpath "$0")")

if [ "$1" = -l ]; then
	printf '# FIXTURE VARIANT TEST\nglobal program\n'
	exit 4
fi
echo 'TAP version 13'
echo '1..1'
out=$("$dir/readme-program" 2>&1)
status=$?
if [ $status -eq 0 ] && [ "$out" = 'complete, the last byte is 0xa5' ]; then
	echo 'ok 1 global.program'
else
	echo "# exit status $status: $out"
	echo 'not ok 1 global.program'
	exit 1
fi
