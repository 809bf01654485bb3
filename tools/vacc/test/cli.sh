#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of the command line against a device, to be run as root where a mock has
# been loaded. The last line is "N passed, N failed".

here=$(cd "$(dirname "$0")" && pwd)
if ! command -v vacc >/dev/null; then
	PATH=$(cd "$here/../../../build/tools" && pwd):$PATH
fi
# shellcheck source=tools/vacc/test/shell.sh
. "$here/shell.sh"
begin
python=/usr/bin/python3
mock=/sys/kernel/debug/virtio_accel_mock

counts libvacc-test

# Programs that are run below
vacc program fill 3 0xa5 -o f.vamk
vacc program copy 4 7 -o c.vamk
vacc program xor 0 255 -o x.vamk
vacc program barrier 1 -o b.vamk

# info, list
shows '^uuid  *[!-~]' vacc info
shows '^max_bindings  *[1-9]' vacc info
shows '^device_node  */dev/virtio-accel' vacc info
shows '"max_buffer_bytes":[0-9]' vacc info --json
check 'info is JSON' sh -c "vacc info --json | $python -m json.tool"
shows '^/dev/virtio-accel[0-9]' vacc list
check 'list is JSON' sh -c "vacc list --json | $python -m json.tool"
first=$(vacc list | head -n 1 | cut -d ' ' -f 1)
shows "^device_node  *$first" vacc info --device "$first"
shows "^device_node  *$first" vacc info --device "${first#/dev/virtio-accel}"
shows "^device_node  *$first" vacc --device "$first" info
if command -v setpriv >/dev/null; then
	refuses 2 "no permission to open $first" \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$(command -v vacc)" info
fi

# copy, fill, xor: lengths around pages and pieces
for bytes in 1 4095 4096 4097 4194304 4194305; do
	head -c $bytes /dev/urandom >in.bin
	check "copy $bytes" vacc copy in.bin out.bin
	check "copy $bytes: same" cmp in.bin out.bin
	check "xor $bytes" vacc xor out.bin 0x5a -o xor.bin
	check "xor $bytes: other" sh -c '! cmp -s in.bin xor.bin'
	check "xor $bytes back" vacc xor xor.bin 90 -o xor.bin
	check "xor $bytes: same" cmp in.bin xor.bin
done
: >in.bin
check 'copy nothing' vacc copy in.bin out.bin
check 'copy nothing: same' cmp in.bin out.bin
check 'fill' vacc fill 5000 0xa5 -o out.bin
check 'fill: bytes' sh -c "tr -d '\245' <out.bin | cmp - /dev/null"
check 'fill: length' test "$(wc -c <out.bin)" = 5000
check 'fill with a unit' vacc fill 5M 0 -o out.bin
check 'fill with a unit: same' sh -c 'head -c 5242880 /dev/zero | cmp - out.bin'
refuses 2 'cannot write nowhere/out.bin' vacc copy in.bin nowhere/out.bin
refuses 1 'cannot write /dev/full' vacc fill 10 1 -o /dev/full
head -c 100000 /dev/urandom >in.bin
check 'copy to a pipe' sh -c 'vacc copy in.bin /dev/stdout | cmp - in.bin'
check 'copy from a pipe' sh -c 'cat in.bin | vacc copy /dev/stdin out.bin'
check 'copy from a pipe: same' cmp in.bin out.bin

# linear
$python "$here/oracle.py" make in.npy 150 17 1
$python "$here/oracle.py" make w.npy 9 17 2
$python "$here/oracle.py" linear in.npy w.npy want.npy
shows '^rows  *150' vacc linear in.npy w.npy -o out.npy
check 'linear: same bits' cmp want.npy out.npy
shows '"batches":3' vacc linear in.npy w.npy -o out.npy --batch 64 --json
check 'linear in batches: same bits' cmp want.npy out.npy
shows '"batches":150' vacc linear in.npy w.npy -o out.npy --batch 1 --json
check 'linear row by row: same bits' cmp want.npy out.npy
rm out.npy

# times of commands, where the device takes them
case $(vacc info) in
*TIMING*)
	shows '^command0 operation  *dense_linear$' \
		vacc linear in.npy w.npy -o out.npy --batch 64 --timing
	check 'linear with times: same bits' cmp want.npy out.npy
	shows '"command0":{"operation":"dense_linear","runs":3,"ns":[1-9][0-9]*}' \
		vacc linear in.npy w.npy -o out.npy --batch 64 --timing --json
	shows '^command0 operation  *fill$' vacc run f.vamk --bind 3=out.bin:w:64 --timing ;;
*)
	refuses 1 'this device does not attribute work' \
		vacc linear in.npy w.npy -o out.npy --timing
	check 'linear without times: no output' test ! -e out.npy
	refuses 1 'this device does not attribute work' \
		vacc linear in.npy w.npy -o out.npy --timing --json
	refuses 1 'this device does not attribute work' \
		vacc run f.vamk --bind 3=out.bin:w:64 --timing ;;
esac
rm -f out.npy

# npy FILE DESCR ORDER SHAPE BYTES: a file of zeros
npy()
{
	$python - "$@" <<'END'
import struct, sys
path, descr, order, shape, count = sys.argv[1:]
head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)
with open(path, "wb") as f:
    f.write(b"\x93NUMPY\2\0" + struct.pack("<I", len(head)) + head.encode())
    f.write(bytes(int(count)))
END
}

npy f32.npy '<f4' False '(2, 17)' 136
npy big.npy '>f2' False '(2, 17)' 68
npy fortran.npy '<f2' True '(2, 17)' 68
npy flat.npy '<f2' False '(17,)' 34
npy wide.npy '<f2' False '(2, 18)' 72
npy short.npy '<f2' False '(2, 17)' 67
npy long.npy '<f2' False '(2, 17)' 69
npy none.npy '<f2' False '(0, 17)' 0
npy huge.npy '<f2' False '(4294967296, 4294967296)' 0
npy evil.npy '<f2' '__import__("os").abort()' '(2, 17)' 68
head -c 20 in.npy >cut.npy
head -c 7 in.npy >stub.npy
echo hello, I am no array >text.npy
refuses 2 'type <f4' vacc linear f32.npy w.npy -o out.npy
refuses 2 'type >f2' vacc linear big.npy w.npy -o out.npy
refuses 2 'Fortran order' vacc linear fortran.npy w.npy -o out.npy
refuses 2 'has 1 dimensions' vacc linear flat.npy w.npy -o out.npy
refuses 2 'shapes do not fit: wide.npy has 18 columns, w.npy has 17' \
	vacc linear wide.npy w.npy -o out.npy
refuses 2 'truncated' vacc linear short.npy w.npy -o out.npy
refuses 2 '1 bytes more' vacc linear long.npy w.npy -o out.npy
refuses 2 'is empty' vacc linear none.npy w.npy -o out.npy
refuses 2 'shape that is too large' vacc linear huge.npy w.npy -o out.npy
refuses 2 'malformed' vacc linear evil.npy w.npy -o out.npy
refuses 2 'ends within its .npy header' vacc linear cut.npy w.npy -o out.npy
refuses 2 'ends within its .npy header' vacc linear stub.npy w.npy -o out.npy
refuses 2 'no .npy file' vacc linear text.npy w.npy -o out.npy
refuses 2 'Fortran order' vacc linear in.npy fortran.npy -o out.npy
refuses 2 'no number of rows' vacc linear in.npy w.npy -o out.npy --batch 0
check 'linear: no output of a failure' test ! -e out.npy
# A matrix of version 2, two rows of zeros, times anything.
npy zero.npy '<f2' False '(2, 17)' 68
check 'linear of zeros' vacc linear zero.npy w.npy -o out.npy
check 'linear of zeros: zeros' sh -c "tail -c 36 out.npy | tr -d '\0' | cmp - /dev/null"

# run
# A device that lists no formats does not look into programs: it knows no types of theirs.
describes=
vacc info | grep -q '^formats  *0x' && describes=1
printf 'hello' >hello.bin
check 'run fill' vacc run f.vamk --bind 3=out.bin:w:10
check 'run fill: bytes' test "$(od -An -tx1 out.bin | tr -d ' \n')" = a5a5a5a5a5a5a5a5a5a5
check 'run copy' vacc run c.vamk --bind 4=hello.bin:r --bind 7=out.bin:w:5
check 'run copy: same' cmp hello.bin out.bin
cp hello.bin rw.bin
shows '^runs  *2' vacc run x.vamk --bind 0=rw.bin:rw --repeat 2
check 'run xor twice: same' cmp hello.bin rw.bin
shows '"runs":3' vacc run x.vamk --bind 0=rw.bin:rw --repeat 3 --json
check 'run xor thrice: other' sh -c '! cmp -s hello.bin rw.bin'
check 'run barrier' vacc run b.vamk --bind 1=hello.bin:r
cp hello.bin 'a:r:5.bin'
check 'run with colons' vacc run c.vamk --bind '4=a:r:5.bin:r' --bind 7=out.bin:w:5
check 'run with colons: same' cmp hello.bin out.bin
check 'linear program' vacc program linear 200 17 9 -o l.vabt
check 'run linear' vacc run l.vabt --bind 0=in.npy:r --bind 1=w.npy:r \
	--bind 2=raw.bin:w:2700
tail -c 2700 want.npy >want.bin
check 'run linear: same bits' cmp want.bin raw.bin
check 'run linear to an array' vacc run l.vabt --bind 0=in.npy:r --bind 1=w.npy:r \
	--bind 2=out.npy:w:2700
type="'|u1'.*(2700,)"
[ -z "$describes" ] || type="'<f2'.*(1350,)"
check 'run linear to an array: its type' grep -aq "$type" out.npy
tail -c 2700 out.npy >raw.bin
check 'run linear to an array: same bits' cmp want.bin raw.bin
cp in.npy rw.npy
check 'run on an array' vacc run x.vamk --bind 0=rw.npy:rw --repeat 2
check 'run on an array: same' sh -c 'tail -c 5100 in.npy >a.bin; tail -c 5100 rw.npy | cmp - a.bin'
check 'run on an array: its shape' grep -aq '(150, 17)' rw.npy
rm -f out.bin
refuses 1 'the device did not do it' vacc run c.vamk --bind 4=hello.bin:r \
	--bind 7=out.bin:w:6
refuses 1 'the device did not do it' vacc run c.vamk --bind 4=hello.bin:r \
	--bind 8=out.bin:w:5
if [ -n "$describes" ]; then
	refuses 1 'the device did not do it' vacc run l.vabt --bind 0=f32.npy:r \
		--bind 1=w.npy:r --bind 2=out.bin:w:2700
else
	# Four rows of halves for all that it knows.
	shows '^runs  *1' vacc run l.vabt --bind 0=f32.npy:r --bind 1=w.npy:r \
		--bind 2=out.bin:w:2700
	rm out.bin
fi
refuses 2 'Fortran order' vacc run c.vamk --bind 4=fortran.npy:r --bind 7=out.bin:w:68
check 'run: no output of a failure' test ! -e out.bin
no_litter

# The harness of the mock
# waits PATTERN: until `vacc events` shows a line like it
waits()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		vacc events 2>/dev/null | grep -q -e "$1" && return 0
		sleep 0.2
	done
	return 1
}

# sequences: numbers of the events, oldest first
sequences()
{
	vacc events | sed 's/ .*//'
}

if [ -d $mock ]; then
	for number in "$mock"/[0-9]*; do
		number=${number##*/}
		break
	done
	export number
	check 'hold' vacc hold
	shows '^1$' cat "$mock/$number/hold"
	vacc fill 10 1 -o held.bin --device "$number" &
	check 'an event is held' waits '^#[0-9]'
	check 'no output yet' test ! -e held.bin
	check 'complete' vacc complete all
	wait $!
	check 'the work is done' test -e held.bin
	rm -f held.bin

	vacc fill 10 1 -o held.bin --device "$number" 2>held.err &
	check 'a second event' waits '^#[0-9]'
	check 'fail' vacc fail "$(sequences)" internal_error
	wait $! && fail 'failed work ends well'
	check 'failed: the reason' grep -q INTERNAL_ERROR held.err
	check 'failed: no output' test ! -e held.bin

	vacc fill 10 1 -o held.bin --device "$number" 2>held.err &
	check 'a third event' waits '^#[0-9]'
	check 'lose' vacc lose "$(sequences)"
	wait $! && fail 'lost work ends well'
	check 'lost: the reason' grep -q DEVICE_LOST held.err

	vacc fill 10 1 -o one.bin --device "$number" &
	one=$!
	check 'the first of two' waits '^#[0-9]'
	vacc fill 10 2 -o two.bin --device "$number" &
	two=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(sequences | wc -l)" = 2 ] && break
		sleep 0.2
	done
	# shellcheck disable=SC2046
	set -- $(sequences)
	check 'the second of two' test $# = 2
	check 'reorder' vacc reorder "$2" "$1"
	wait $one && wait $two
	check 'reordered work is done' test -e one.bin -a -e two.bin

	vacc fill 10 1 -o held.bin --device "$number" &
	check 'an event to release' waits '^#[0-9]'
	check 'release' vacc release
	wait $!
	check 'released work is done' test -e held.bin
	shows '^0$' cat "$mock/$number/hold"
	check 'hold off' vacc hold off
	check 'complete nothing' vacc complete all
	refuses 1 'has nothing that is' vacc complete '#999999'
	refuses 2 'does not understand' vacc complete nonsense
	refuses 2 'does not understand' vacc reorder nonsense

	before=$(vacc list | wc -l)
	check 'add' vacc add
	check 'one more' test "$(vacc list | wc -l)" = $((before + 1))
	added=$(vacc list | tail -n 1 | cut -d ' ' -f 1)
	check 'fill on it' vacc fill 10 1 -o held.bin --device "$added"
	check 'remove' vacc remove "$added"
	check 'one less' test "$(vacc list | wc -l)" = "$before"
	refuses 1 'has nothing that is' vacc remove 4242

	# A signal leaves no half-written file.
	check 'hold again' vacc hold
	vacc fill 10 1 -o killed.bin --device "$number" &
	check 'an event to kill' waits '^#[0-9]'
	shows "^ *$! vacc  *virtio-accel$number  *[0-9]*  *1  *[0-9]*  *1  *1  *1  *1 " \
		vacc clients
	check 'clients are JSON' sh -c 'vacc clients --json | '"$python"' -c "
import json, sys
[c] = json.load(sys.stdin)
assert c[\"pid\"] == '$!' and c[\"comm\"] == \"vacc\" and c[\"inflight\"] == 1, c
"'
	kill -TERM $!
	wait $! 2>/dev/null
	check 'killed: no output' sh -c '! ls killed.bin* 2>/dev/null'
	check 'killed: released' vacc release
fi

# settle, stats
shows '^zombie events  *0' vacc settle --timeout 20
shows '^live contexts  *0' vacc stats
shows '^live buffers  *0' vacc stats
shows '^live_bytes  *0' vacc stats
shows '^scratch_bytes  *0' vacc stats
shows '"zombie":{"contexts":0' vacc stats --json
check 'stats are JSON' sh -c "vacc stats --json | $python -m json.tool"
check 'counters add up' sh -c 'vacc stats --json | '"$python"' -c "
import json, sys
s = json.load(sys.stdin)
assert s[\"submitted\"] == s[\"completed\"] + s[\"failed\"] + s[\"cancelled\"], s
assert s[\"live_allocations\"] == 0 and s[\"completed\"] > 100, s
"'
no_litter
finish
