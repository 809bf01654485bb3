#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Faults between a virtual machine and vaccd, with QEMU or UML in between.

  machine.py [--kernel 6.1|6.12|uml] [--stops N]

The machine is stopped and continued under load (QEMU); the daemon is stopped for five
seconds under load; the daemon is killed under load, and a new one takes its place
(QEMU), or the device is gone (UML). And the device has its true ID once (QEMU).
The last line is "N passed, N failed".
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
REPO = os.path.realpath(f"{HERE}/../../..")
VM = f"{REPO}/tools/vm/vm"

# Keeps a daemon there, whatever happens to it, until it ends by itself.
KEEPER = """\
#!/bin/sh
pid={folder}/pid.${{2##*/}}
trap 'kill $(cat $pid); stop=1' TERM
while [ -z "$stop" ]; do
	{program} "$@" &
	echo $! >$pid.new
	mv $pid.new $pid
	wait $! && break
	kill -0 $! 2>/dev/null && wait $!
done
"""

# Three that use the device, a line on what failed, and how long the longest call was.
LOAD = """\
dir=$(mktemp -d); cd $dir || exit 1
head -c 20000 /dev/urandom >in
vacc xor in 85 -o good || exit 1
for i in 1 2 3; do
	(
		n=0 bad=0 wrong=0 longest=0
		while [ ! -e stop ]; do
			begin=$(date +%s)
			if vacc xor in 85 -o out$i 2>err$i; then
				cmp -s good out$i || wrong=$((wrong + 1))
			else
				bad=$((bad + 1))
			fi
			took=$(($(date +%s) - begin))
			[ $took -le $longest ] || longest=$took
			n=$((n + 1))
		done
		echo "load $n $bad $wrong $longest"
	) &
done
echo ready
read line
touch stop
wait
"""

STATS = """\
vacc settle >/dev/null
vacc stats | grep -E '^(submitted|completed|failed|cancelled) '
"""

REBIND = """\
device=$(basename $(echo /sys/bus/virtio/drivers/virtio_accel/virtio*))
echo $device >/sys/bus/virtio/drivers/virtio_accel/unbind
echo $device >/sys/bus/virtio/drivers/virtio_accel/bind
vacc xor in 85 -o again && cmp good again && echo again
rmmod virtio_accel && echo unloaded
"""

GONE = """\
[ -e /dev/virtio-accel0 ] || echo again
rmmod virtio_accel && echo unloaded
"""


TRUE_ID = """\
insmod $VACC_OUT/vaccd_true_id.ko || exit 1
for d in /sys/bus/pci/devices/*; do
	[ $(cat $d/device) != 0x107c ] || echo "$(cat $d/vendor) $(cat $d/device)"
done
insmod $VACC_MODDIR/vacc_fence.ko && insmod $VACC_MODDIR/virtio_accel.ko || exit 1
for i in 1 2 3 4 5; do [ -e /dev/virtio-accel0 ] || sleep 1; done
grep -H . /sys/bus/virtio/drivers/virtio_accel/virtio*/device
grep virtio3 /proc/interrupts
head -c 5000 /dev/urandom >/run/in
vacc xor /run/in 85 -o /run/out && vacc xor /run/out 85 -o /run/again &&
	cmp /run/in /run/again && echo same
"""


class Machine:
    """A VM with a daemon that comes back, and a load in the guest."""

    def __init__(self, kernel, after, words=()):
        self.folder = tempfile.mkdtemp(prefix="vaccd-machine-")
        program = os.environ.get("VACC_VACCD", f"{REPO}/build/tools/vaccd")
        keeper = f"{self.folder}/keeper"
        with open(keeper, "w", encoding="utf-8") as file:
            file.write(KEEPER.format(folder=self.folder, program=program))
        os.chmod(keeper, 0o755)
        self.vm = subprocess.Popen(
            [VM, "--kernel", kernel, "--backend", "vaccd", "--timeout", "240",
             "--log", f"{self.folder}/log",
             *([] if kernel == "uml" else
               ["--qemu", f"-qmp unix:{self.folder}/qmp,server=on,wait=off"]), *words,
             "--", LOAD + after],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, VACC_VACCD=keeper))
        for line in self.vm.stdout:
            if line == "ready\n":
                return
        raise RuntimeError(f"the guest is not ready: {self.vm.wait()}")

    def signal(self, number):
        with open(f"{self.folder}/pid.vaccd0.sock", encoding="utf-8") as file:
            os.kill(int(file.read()), number)

    def qmp(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(f"{self.folder}/qmp")
        stream = connection.makefile("rw")
        stream.readline()

        def ask(command):
            stream.write(json.dumps({"execute": command}) + "\n")
            stream.flush()
            while "return" not in (answer := json.loads(stream.readline())):
                if "error" in answer:
                    raise RuntimeError(answer)
        ask("qmp_capabilities")
        return ask

    def end(self):
        """Lines of the guest, and the exit status."""
        out, _ = self.vm.communicate("stop\n", timeout=200)
        print("".join(f"     {line}\n" for line in out.splitlines()), end="")
        shutil.rmtree(self.folder, ignore_errors=True)
        return out.splitlines(), self.vm.returncode


def loads(lines):
    """Calls, failed ones, wrong ones, the longest in seconds."""
    found = [list(map(int, line.split()[1:])) for line in lines if line.startswith("load ")]
    if len(found) != 3:
        return 0, 0, 1, 999
    return (*(sum(column) for column in list(zip(*found))[:3]), max(f[3] for f in found))


def balanced(lines):
    """All that was submitted has ended."""
    numbers = {w[0]: int(w[1]) for w in (line.split() for line in lines) if len(w) == 2
               and w[1].isdigit()}
    return numbers.get("submitted", 0) > 0 and numbers["submitted"] == \
        numbers["completed"] + numbers["failed"] + numbers["cancelled"]


def stop_and_continue(args):
    machine = Machine(args.kernel, STATS)
    ask = machine.qmp()
    for _ in range(args.stops):
        ask("stop")
        time.sleep(0.01)
        ask("cont")
        time.sleep(0.05)
    lines, status = machine.end()
    calls, bad, wrong, _ = loads(lines)
    return status == 0 and calls > 3 and not bad and not wrong and balanced(lines)


def daemon_stopped(args):
    machine = Machine(args.kernel, STATS)
    machine.signal(signal.SIGSTOP)
    time.sleep(5)
    machine.signal(signal.SIGCONT)
    time.sleep(2)
    lines, status = machine.end()
    calls, bad, wrong, longest = loads(lines)
    return status == 0 and calls > 3 and not bad and not wrong and longest >= 4 and \
        balanced(lines)


def daemon_killed(args):
    uml = args.kernel == "uml"
    words = ["--modparam", "virtio_accel:command_timeout_ms=3000"]
    # UML warns when it cannot tell a daemon that is gone of the queue's end.
    if uml:
        words += ["--allow", r"^WARNING: .* at arch/um/drivers/virtio_uml\.c"]
    machine = Machine(args.kernel, GONE if uml else REBIND, words)
    machine.signal(signal.SIGKILL)
    time.sleep(8)
    lines, status = machine.end()
    calls, bad, wrong, longest = loads(lines)
    return status == 0 and calls > 3 and bad and not wrong and longest < 15 and \
        "again" in lines and "unloaded" in lines


def true_id(args):
    kernel = subprocess.run([f"{REPO}/tools/kernels/get", args.kernel], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="vaccd-machine-") as folder:
        shutil.copytree(f"{HERE}/../guest/true_id", folder, dirs_exist_ok=True)
        with open(f"{kernel}/makeargs", encoding="utf-8") as file:
            words = file.read().split()
        subprocess.run(["make", "-s", "-C", f"{kernel}/kdir", f"M={folder}", *words, "modules"],
                       check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([VM, "--kernel", args.kernel, "--backend", "vaccd", "--no-load",
                               "--out", folder, "--log", f"{folder}/log", "--timeout", "120",
                               "--", TRUE_ID],
                              stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        print("".join(f"     {line}\n" for line in done.stdout.splitlines()), end="")
        return done.returncode == 0 and "same" in done.stdout and \
            "0x1af4 0x107c" in done.stdout and ":0x003c" in done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=("6.1", "6.12", "uml"), default="6.1")
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--only", metavar="NAME")
    args = parser.parse_args()
    passed = failed = 0
    for test in (true_id, stop_and_continue, daemon_stopped, daemon_killed):
        if args.kernel == "uml" and test in (true_id, stop_and_continue):
            continue
        if args.only and args.only != test.__name__:
            continue
        try:
            good = test(args)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            print(f"     {error}")
            good = False
        print(f"{'ok  ' if good else 'FAIL'} {test.__name__}", flush=True)
        passed += bool(good)
        failed += not good
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
