#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Check that pages show what the examples are and do: the program in README.md is
# Documentation/examples/fill.c, the frames in Documentation/protocol/frames.rst are what
# frames.c prints, and vaccd.1 has the options of vaccd --help (build/tools/vaccd).
# usage: check.sh [README]
#
# The README has the program in a code block right after the line
#     <!-- Documentation/examples/fill.c -->
# and the page of frames has, in this order, every line of the output that begins with
# "=", ">" or "<", behind a tab. Exit status 1 if something differs or is not there.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/examples
page=$here/../protocol/frames.rst
readme=${1:-$here/../../README.md}
[ -r "$readme" ] || { echo "check.sh: cannot read $readme" >&2; exit 1; }
found=$(mktemp) || exit 1
trap 'rm -f "$found" "$found.frames"' EXIT

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

make -s -C "$here" O="$build" "$build/frames" >/dev/null || exit 1
"$build/frames" >"$found.frames" || exit 1
sed -n 's/^	\([=<>] .*\)/\1/p' "$page" >"$found"
[ -s "$found" ] || { echo "check.sh: $page has no frames" >&2; exit 1; }
grep '^[=<>] ' "$found.frames" | diff -u - "$found" || {
	echo "check.sh: the frames in $page are not what Documentation/examples/frames.c prints" >&2
	exit 1
}

# options: those of a text, each once
options() { grep -oE -- '--[a-z-]+' | sort -u; }

vaccd=$here/../../build/tools/vaccd
[ -x "$vaccd" ] || { echo "check.sh: no $vaccd: run make tools" >&2; exit 1; }
"$vaccd" --help | options >"$found"
sed -e '/^\.SH EXAMPLES/,$d' -e 's/\\-/-/g' "$here/../../tools/vaccd/vaccd.1" | options |
	diff -u "$found" - || {
	echo "check.sh: vaccd.1 does not have the options of vaccd --help" >&2
	exit 1
}
