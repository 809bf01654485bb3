# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Cases that need no device: sourced after shell.sh, in the working folder.

# Help
shows 'usage: vacc' vacc --help
shows 'usage: vacc' vacc -h
for command in info list copy fill xor linear run program stats clients settle hold release \
	       complete fail lose reorder events add remove; do
	shows "^usage: vacc $command" vacc $command --help
	shows "^  $command " vacc --help
done

# Nobody has one open, or this may not look.
shows '^    pid process' vacc clients
shows '^\[.*\]$' vacc clients --json

# Command lines
refuses 2 'a command is missing' vacc
refuses 2 'no command frob' vacc frob
refuses 2 'option --frob' vacc --frob info
refuses 2 'option --frob is not known to vacc info' vacc info --frob
refuses 2 'option --output is not known' vacc info --output x
refuses 2 'needs a value' vacc info --device
refuses 2 'takes no value' vacc info --json=yes
refuses 2 'one too many' vacc info x
refuses 2 'argument is missing' vacc copy x
refuses 2 'output file is missing' vacc fill 1 1
refuses 2 'output file is missing' vacc xor x 1
refuses 2 'output file is missing' vacc linear x y

# No device
refuses 2 'no device /dev/virtio-accel999' vacc info --device 999
refuses 2 'no device /dev/virtio-accel999' vacc --device 999 info
refuses 2 'no device /nowhere' vacc stats --device=/nowhere
refuses 2 'not an accelerator' vacc info --device /dev/null
refuses 2 'not the device node' vacc info --device /etc/passwd
refuses 2 'no device' vacc fill 1 1 -o f.bin --device 999
check 'no output without a device' test ! -e f.bin

# Numbers
refuses 2 'no number of bytes' vacc fill 0 1 -o f.bin
refuses 2 'no number of bytes' vacc fill 1x 1 -o f.bin
refuses 2 'no number of bytes' vacc fill -o f.bin -- -1 1
refuses 2 'no byte' vacc fill 1 256 -o f.bin
refuses 2 'no byte' vacc fill 1 0x100 -o f.bin
refuses 2 'no number of seconds' vacc settle --timeout x

# Input files
refuses 2 'cannot read nowhere.bin' vacc copy nowhere.bin out.bin
refuses 2 'is a folder' vacc copy . out.bin
refuses 2 'cannot read nowhere.npy' vacc linear nowhere.npy w.npy -o out.npy

# Programs
check 'fill program' vacc program fill 3 0xa5 -o f.vamk
check 'its length' test "$(wc -c <f.vamk)" = 24
check 'its bytes' test "$(od -An -tx1 f.vamk | tr -d ' \n')" = \
	56414d4b0100020103000000ffffffffa500000000000000
shows 'fill slot 3 with 0xa5' vacc program dump f.vamk
shows 'valid program of 24 bytes' vacc program check f.vamk
check 'copy program' vacc program copy 4 7 -o c.vamk
shows 'copy slot 4 to slot 7' vacc program dump c.vamk
check 'xor program' vacc program xor 0 255 -o x.vamk
shows 'xor slot 0 with 0xff' vacc program dump x.vamk
check 'barrier program' vacc program barrier 1 -o b.vamk
shows 'barrier at slot 1' vacc program dump b.vamk
check 'linear program' vacc program linear 100 3 5 -o l.vabt
shows 'valid program of 384 bytes' vacc program check l.vabt
shows '^program VABT 1.0, 384 bytes' vacc program dump l.vabt
shows '^3 slots, 1 commands, 1 launches' vacc program dump l.vabt
shows 'slot 0: r, f16, at least 6 bytes, .* rows of 6 bytes' vacc program dump l.vabt
shows 'command 0: dense_linear, 1 launches' vacc program dump l.vabt
shows 'weight \[5, 3\] f16 at slot 1 + 0' vacc program dump l.vabt
shows 'out    \[<=100 from slot 0, 5\] f16' vacc program dump l.vabt
refuses 2 'no verb frob' vacc program frob
refuses 2 'takes 1 argument, not 0' vacc program dump
refuses 2 'takes 2 arguments, not 1' vacc program fill 3 -o g.vamk
refuses 2 'output file is missing' vacc program fill 3 4
refuses 2 'writes no file' vacc program dump f.vamk -o g.vamk
refuses 2 'is no slot' vacc program fill x 4 -o g.vamk
refuses 2 'is no slot' vacc program fill 4294967295 4 -o g.vamk
refuses 2 'is no byte' vacc program fill 3 400 -o g.vamk
refuses 2 'both slot 3' vacc program copy 3 3 -o g.vamk
refuses 2 'dimension of 0' vacc program linear 1 0 1 -o g.vabt
refuses 2 'cannot write nowhere/g' vacc program fill 3 4 -o nowhere/g.vamk
refuses 2 'is a folder' vacc program fill 3 4 -o .
head -c 23 f.vamk >short.vamk
refuses 2 'not 23' vacc program check short.vamk
head -c 383 l.vabt >short.vabt
refuses 2 'says 384 bytes, there are 383' vacc program dump short.vabt
(cat l.vabt; printf x) >long.vabt
refuses 2 'there are 385' vacc program check long.vabt
: >empty.vamk
refuses 2 'not a program' vacc program check empty.vamk
refuses 2 'not a program' vacc program check /etc/passwd

# Output files
echo old >old.bin
ln -s old.bin link.bin
check 'through a link' vacc program fill 3 0xa5 -o link.bin
check 'the link stays' test -L link.bin
check 'its file is new' cmp f.vamk old.bin
check 'not to a file' vacc program fill 3 4 -o /dev/null
check 'it stays what it is' test -c /dev/null
(umask 027; vacc program fill 3 4 -o mode.bin)
check 'mode by umask' test "$(stat -c %a mode.bin)" = 640
refuses 1 'cannot write /dev/full' vacc program fill 3 4 -o /dev/full
check 'full standard output' sh -c '! vacc program dump f.vamk >/dev/full 2>/dev/null'

# Bindings
refuses 2 'binding is missing' vacc run f.vamk
for bind in x =y:r x=y:r 0=y 0=y:q 0=:r 0=y:r:5 0=y:w 0=y:w:0 0=y:w:x 0=y:w:5:f17 \
	    4294967295=y:r 0=y:w:5:f16:f16; do
	refuses 2 "binding $bind " vacc run f.vamk --bind "$bind"
done
refuses 2 'slot 3 is bound twice' vacc run f.vamk --bind 3=a:w:1 --bind 3=b:w:1
refuses 2 'no number of times' vacc run f.vamk --bind 3=a:w:1 --repeat 0
refuses 2 'cannot read nowhere.bin' vacc run x.vamk --bind 0=nowhere.bin:rw
refuses 2 'is no valid program' vacc run short.vamk --bind 3=a:w:1
: >empty.bin
refuses 2 'empty.bin is empty' vacc run x.vamk --bind 0=empty.bin:rw

# The mock's harness
refuses 2 'neither on nor off' vacc hold maybe
refuses 2 'is no status' vacc fail 1 NO_SUCH_STATUS --device 0
refuses 2 'is no status' vacc fail 1 0 --device 0
refuses 2 'is no number of a device' vacc remove x
refuses 2 'is no device' vacc hold --device /dev/null
no_litter
