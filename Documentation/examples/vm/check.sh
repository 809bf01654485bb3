#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the guests of Documentation/userspace/vm.rst and compare: each line of the page's block after
# ".. output of the guest" must be one that the guest has printed, whatever number is in "seconds".
# usage: check.sh [uml.sh | qemu.sh]...	(default: both)
# The last line is "N passed, N failed".
set -u

cd "$(dirname "$(realpath "$0")")/../../.." || exit 1
page=Documentation/userspace/vm.rst
want=$(mktemp) got=$(mktemp) || exit 1
trap 'rm -f "$want" "$got"' EXIT
seconds='s/^\(seconds *\).*/\1N/'

awk '/^\.\. output of the guest$/ { inside = 1; next }
inside && /^	/ { print substr($0, 2); seen = 1 }
inside && seen && /^[^	]/ { exit }' "$page" | sed "$seconds" >"$want"
[ -s "$want" ] || { echo "check.sh: $page has no output"; echo '0 passed, 1 failed'; exit 1; }

passed=0 failed=0
[ $# -gt 0 ] || set -- uml.sh qemu.sh
for guest; do
	timeout -k 10 300 "Documentation/examples/vm/$guest" </dev/null 2>&1 | tr -d '\r' |
		tee "$got"
	sed -i "$seconds" "$got"
	if grep -Fvxf "$got" "$want" >&2; then
		echo "FAIL $guest: these lines of $page did not come"
		failed=$((failed + 1))
	else
		echo "ok   $guest"
		passed=$((passed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
