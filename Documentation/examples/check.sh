#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Check that the program in README.md is Documentation/examples/fill.c.
# usage: check.sh [README]
#
# The README has it in a code block right after the line
#     <!-- Documentation/examples/fill.c -->
# Exit status 1 if the two differ, or if there is no such block.
set -u

here=$(cd "$(dirname "$0")" && pwd)
readme=${1:-$here/../../README.md}
[ -r "$readme" ] || { echo "check.sh: cannot read $readme" >&2; exit 1; }
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT

awk '
/^<!-- Documentation\/examples\/fill\.c -->$/ { marked = 1; next }
marked && /^```c$/ { marked = 0; inside = 1; next }
inside && /^```$/ { exit }
inside
' "$readme" >"$found"

[ -s "$found" ] || { echo "check.sh: $readme has no marked program" >&2; exit 1; }
diff -u "$here/fill.c" "$found" || {
	echo "check.sh: the program in $readme is not Documentation/examples/fill.c" >&2
	exit 1
}
