#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the test programs, as root on a machine with the device.
#
# usage: run.sh [-o PATTERN]... [-t TAG]... [PATTERN]...
#
# PATTERN is a shell pattern for PROGRAM or PROGRAM.TEST: mmap, 'event.cancel*'.
# Without one everything runs. TAG takes those tests of it that the file "tags"
# gives one of these tags. The programs come from $VACC_SELFTESTS, or from
# build/selftests of this tree. The last line is
#     N passed, N failed, N skipped
# and the exit status 1 if anything failed or nothing ran. A program that
# crashes, or does not end in $VACC_TIMEOUT seconds (600), counts as failed, and
# so does a skip that allowed-skips does not list for this kernel and backend.
# What a program leaves running is killed at its end.

here=$(dirname "$(realpath "$0")")
dir=${VACC_SELFTESTS:-$here/../build/selftests}
limit=${VACC_TIMEOUT:-600}
where=${VACC_KERNEL:-unknown}/${VACC_BACKEND:-direct}

patterns=
tags=
while [ $# -gt 0 ]; do
	case $1 in
	-o | -t) [ $# -gt 1 ] || { echo "run.sh: $1 needs a word" >&2; exit 2; } ;;
	esac
	case $1 in
	-o) shift ;;
	-t) tags="$tags $2"; shift 2; continue ;;
	-*) sed -n '3,19s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
	patterns="$patterns $1"
	shift
done
[ -r "$dir/programs" ] || { echo "run.sh: no $dir/programs: make selftests" >&2; exit 2; }

passed=0 failed=0 skipped=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'end_session; exit 130' INT TERM HUP
tag_list=$(grep -v '^#' "$here/tags" | tr '\t' ' ')
set -f	# patterns are for case, not for files

# matches NAME: a pattern fits it
matches() {
	for pattern in $patterns; do
		# shellcheck disable=SC2254 # patterns, on purpose
		case $1 in $pattern) return 0 ;; esac
	done
	return 1
}

# tagged NAME: if there are tags, the list has one for PROGRAM.TEST, or for any test of PROGRAM
tagged() {
	[ -n "$tags" ] || return 0
	while read -r listed words; do
		case $1 in *.*) ;; *) listed=${listed%%.*} ;; esac
		# shellcheck disable=SC2254 # a pattern, on purpose
		case $1 in $listed) ;; *) continue ;; esac
		for tag in $tags; do
			case " $words " in *" $tag "*) return 0 ;; esac
		done
	done <<-END
	$tag_list
	END
	return 1
}

# tests PROGRAM: the names of its tests
tests() {
	"$dir/$1" -l 2>&1 | awk '!/^#|^-/ && NF { print $NF }'
}

# choose PROGRAM: sets $choice to its arguments; fails if nothing of it is wanted
choose() {
	choice=
	whole=
	tagged "$1" || return 1
	if [ -z "$patterns" ] || matches "$1"; then
		[ -n "$tags" ] || return 0
		whole=1
	fi
	for test in $(tests "$1"); do
		[ -n "$whole" ] || matches "$1.$test" || continue
		! tagged "$1.$test" || choice="$choice -t $test"
	done
	[ -n "$choice" ]
}

# allowed PROGRAM.TEST: the list has this skip for $where
allowed() {
	while read -r listed pattern why; do
		# shellcheck disable=SC2254 # patterns, on purpose
		case $1 in $listed) ;; *) continue ;; esac
		# shellcheck disable=SC2254
		case $where in $pattern) [ -n "$why" ] && return 0 ;; esac
	done <"$here/allowed-skips"
	return 1
}

# end_session: kill what is left of a program. Each test of it is a process group of
# its own, and may have the pipe to tee open for as long as it lives.
end_session() {
	read -r session 2>/dev/null <"$out/session" || return 0
	set +f
	for file in /proc/[0-9]*/stat; do
		read -r stat 2>/dev/null <"$file" || continue
		# Its name may have blanks: state, parent, group and session follow.
		# shellcheck disable=SC2086 # a list of words
		set -- ${stat##*) }
		[ "$4" != "$session" ] || kill -KILL "${stat%% *}" 2>/dev/null
	done
	set -f
}

bad() {
	failed=$((failed + 1))
	echo "# FAILED: $*"
}

# count PROGRAM STATUS: add up what it said in $out/log
count() {
	awk '
	/^1\.\.[0-9]+$/ { print "plan", substr($0, 4) }
	/^(not )?ok [0-9]+ / {
		result = $1 == "not" ? "failed" : "passed"
		sub(/^(not )?ok [0-9]+ (- )?/, "")
		name = $1
		sub(/.*\./, "", name)
		if (match($0, /# SKIP/)) {
			result = "skipped"
			reason = substr($0, RSTART + 6)
		} else
			reason = ""
		print result, name, reason
	}' "$out/log" >"$out/results"
	plan=0 seen=0 before=$failed
	while read -r result name reason; do
		[ "$result" = plan ] || seen=$((seen + 1))
		case $result in
		plan) plan=$name ;;
		passed) passed=$((passed + 1)) ;;
		failed) bad "$1.$name" ;;
		skipped)
			if [ -z "$reason" ]; then
				bad "$1.$name: skipped without a reason"
			elif allowed "$1.$name"; then
				skipped=$((skipped + 1))
			else
				bad "$1.$name: allowed-skips has no such skip for $where: $reason"
			fi ;;
		esac
	done <"$out/results"
	while [ $seen -lt "$plan" ]; do
		seen=$((seen + 1))
		bad "$1: no result of test $seen"
	done
	case $2 in
	0) [ "$plan" -gt 0 ] || bad "$1: it ran nothing" ;;
	4) [ "$plan" -gt 0 ] || bad "$1: it skipped, and says nothing" ;;
	124 | 137) bad "$1: it did not end in $limit s" ;;
	*) [ "$failed" -gt "$before" ] || bad "$1: exit status $2" ;;
	esac
}

while read -r program; do
	choose "$program" || continue
	echo "# program $program"
	began=$(date +%s)
	# shellcheck disable=SC2016,SC2086 # for the other shell; a list of arguments
	{ setsid -w sh -c 'echo $$ >"$0"; exec timeout -k 10 "$@"' "$out/session" \
		"$limit" "$dir/$program" $choice </dev/null 2>&1
	  echo $? >"$out/status"
	  end_session; } | tee "$out/log"
	count "$program" "$(cat "$out/status")"
	echo "# program $program: $(($(date +%s) - began)) s"
done <"$dir/programs"

[ $((passed + failed + skipped)) -gt 0 ] || bad "nothing fits:$patterns$tags"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
