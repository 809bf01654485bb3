# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the shell tests share: sourced, with vacc in PATH.

passed=0
failed=0

pass()
{
	passed=$((passed + 1))
}

fail()
{
	failed=$((failed + 1))
	echo "FAIL $*"
}

# check NAME COMMAND...: passes if the command succeeds
check()
{
	name=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		pass
	else
		fail "$name: status $?: $(head -c 400 "$work/log")"
	fi
}

# shows PATTERN COMMAND...: passes if it succeeds and prints a line like PATTERN
shows()
{
	pattern=$1
	shift
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status = 0 ] && grep -q -e "$pattern" "$work/out"; then
		pass
	else
		fail "$*: status $status, no '$pattern' in:" \
			"$(head -c 400 "$work/out" "$work/err")"
	fi
}

# refuses STATUS PATTERN COMMAND...: passes if it fails so, with nothing on standard
# output and one sentence like PATTERN on standard error
refuses()
{
	want=$1
	pattern=$2
	shift 2
	"$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	if [ $status = "$want" ] && [ ! -s "$work/out" ] &&
	   [ "$(wc -l <"$work/err")" = 1 ] && grep -q '^vacc: ' "$work/err" &&
	   grep -q -e "$pattern" "$work/err"; then
		pass
	else
		fail "$*: status $status, not $want, or no '$pattern' in:" \
			"$(head -c 400 "$work/out" "$work/err")"
	fi
}

# no_litter: passes if no half-written file is left in the working folder
no_litter()
{
	set -- "$work"/*.??????
	for file; do
		case $file in
		*.npy.?????? | *.bin.?????? | *.vamk.?????? | *.vabt.??????)
			[ ! -e "$file" ] || { fail "$file is left behind"; return; } ;;
		esac
	done
	pass
}

# counts PROGRAM...: runs tests of C and adds what they count
counts()
{
	"$@" >"$work/out" 2>&1 || [ $? = 1 ] || fail "$1 died"
	grep -v ' passed, ' "$work/out"
	# shellcheck disable=SC2046
	set -- $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/out")
	if [ $# = 2 ]; then
		passed=$((passed + $1))
		failed=$((failed + $2))
	else
		fail "tests in C did not end"
	fi
}

begin()
{
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
	cd "$work" || exit 1
}

finish()
{
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
