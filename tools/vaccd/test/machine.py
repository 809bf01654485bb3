#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Faults between a virtual machine and vaccd, with QEMU or UML in between.

  machine.py [--kernel 6.1|6.12|uml] [--stops N] [--only NAME]

One machine goes through all of it, with three that use the device all the time: it is
stopped and continued (QEMU); the daemon is stopped for five seconds; connections end in
the middle of a message; the daemon is killed, and a new one takes its place. At last the
device has its true ID (QEMU). Where QEMU has a device type of any ID, another machine
uses that. The last line is "N passed, N failed, N skipped".
"""
import argparse
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
REPO = os.path.realpath(f"{HERE}/../../..")
VM = f"{REPO}/tools/vm/vm"
sys.path.insert(0, f"{REPO}/tools/vm")
import vaccd  # noqa: E402

# Lines of the host are executed one after the other. "load" has three use the device
# until "end", each at least twice, which says of each: calls, failed ones, wrong ones, the
# longest in seconds.
GUEST = """\
dir=$(mktemp -d); cd $dir || exit 1
head -c 20000 /dev/urandom >in
vacc xor in 85 -o good || exit 1
load() {
	rm -f stop
	for i in 1 2 3; do
		use $i &
	done
}
use() {
	n=0 bad=0 wrong=0 longest=0
	while [ ! -e stop ] || [ $n -lt 2 ]; do
		begin=$(date +%s)
		if vacc --device=/dev/virtio-accel0 xor in 85 -o out$1 2>err$1; then
			cmp -s good out$1 || wrong=$((wrong + 1))
		else
			bad=$((bad + 1))
		fi
		took=$(($(date +%s) - begin))
		[ $took -le $longest ] || longest=$took
		n=$((n + 1))
	done
	echo "load $n $bad $wrong $longest"
}
end() { touch stop; wait; }
balance() {
	vacc settle >/dev/null && vacc stats | grep -E '^(submitted|completed|failed|cancelled) '
}
works() { vacc $1 xor in 85 -o again && cmp good again; }
driver=/sys/bus/virtio/drivers/virtio_accel
rebind() {
	first=${VACCD_DEVICES%%,*}
	[ ! -e $driver/$first ] || echo $first >$driver/unbind
	echo $first >$driver/bind
}
recover() {
	for try in 1 2 3 4 5 6 7 8 9 10; do works && return; sleep 1; done
	return 1
}
appear() {
	for try in 1 2 3 4 5 6 7 8 9 10; do [ -e $1 ] && return; sleep 1; done
	return 1
}
echo '--- 0'
while read -r line; do
	eval "$line"
	echo "--- $?"
done
"""

UNLOAD = "end; rmmod virtio_accel && [ ! -e /dev/virtio-accel0 ]"

RELOAD = """\
insmod $VACC_MODDIR/virtio_accel.ko {params} && appear /dev/virtio-accel0 && works"""

# As lspci -n, and the virtio ID of whatever the driver has then.
TRUE_ID = """\
rmmod virtio_accel && insmod {module} && insmod $VACC_MODDIR/virtio_accel.ko && \
appear /dev/virtio-accel0 && \
grep -H . /sys/bus/pci/devices/*/device /sys/bus/virtio/drivers/virtio_accel/virtio*/device && \
grep -e "$(basename /sys/bus/virtio/drivers/virtio_accel/virtio*)-" /proc/interrupts && works"""

# Those that wait for a daemon that is gone shall not wait for long.
HURRY = "echo 3000 >/sys/module/virtio_accel/parameters/command_timeout_ms; load"

# What a daemon says of a driver that knows another.
GONE = "the driver has objects of a device that is gone"

PLATFORM = "/sys/bus/platform/drivers/virtio-uml"


class Failed(Exception):
    """What is not as it should be."""


def expect(good, what):
    if not good:
        raise Failed(what)


class Machine:
    """A VM, a keeper for each of its devices, and a shell in the guest."""

    def __init__(self, kernel, words=()):
        self.folder = tempfile.mkdtemp(prefix="vaccd-machine-")
        self.uml = kernel == "uml"
        if self.uml:
            # It warns when it cannot tell a daemon that is gone of the queue's end.
            words = [*words, "--allow", r"^WARNING: .* at arch/um/drivers/virtio_uml\.c"]
        else:
            words = [*words, "--qemu", f"-qmp unix:{self.folder}/qmp,server=on,wait=off"]
        program = os.environ.get("VACC_VACCD", f"{REPO}/build/tools/vaccd")
        self.vm = subprocess.Popen(
            [VM, "--kernel", kernel, "--backend", "vaccd", "--timeout", "900",
             *words, "--", GUEST],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, VACC_VACCD=f"{HERE}/keeper.py", KEEPER_VACCD=program,
                     TMPDIR=self.folder))
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.answer()

    def read(self):
        for line in self.vm.stdout:
            print(f"     {line}", end="", flush=True)
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def answer(self):
        lines = []
        while True:
            try:
                line = self.lines.get(timeout=90)
            except queue.Empty:
                raise Failed("the guest does not answer") from None
            expect(line is not None, "the machine has ended")
            if line.startswith("--- "):
                return int(line[4:]), lines
            lines.append(line)

    def run(self, line):
        """What a line of shell writes in the guest; it must succeed."""
        self.vm.stdin.write(line + "\n")
        self.vm.stdin.flush()
        status, lines = self.answer()
        expect(not status, f"exit status {status}: {line}")
        return lines

    def signal(self, number, of="pid", device=0):
        """A signal for the daemon of a device, or for its keeper."""
        run, = (f for f in os.listdir(self.folder) if f.startswith("vacc-vm-"))
        path = f"{self.folder}/{run}/vaccd{device}.sock.{of}"
        with open(path, encoding="utf-8") as file:
            os.kill(int(file.read()), number)

    def log(self, device=0):
        """What the daemons of a device have said."""
        run, = (f for f in os.listdir(self.folder) if f.startswith("vacc-vm-"))
        with open(f"{self.folder}/{run}/vaccd{device}.log", encoding="utf-8") as file:
            return file.read()

    def qmp(self, *commands):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(60)
            connection.connect(f"{self.folder}/qmp")
            stream = connection.makefile("rw")
            stream.readline()
            for command in ("qmp_capabilities", *commands):
                if isinstance(command, float):
                    time.sleep(command)
                    continue
                stream.write(json.dumps({"execute": command}) + "\n")
                stream.flush()
                while "return" not in (answer := json.loads(stream.readline())):
                    expect("error" not in answer, answer)

    def end(self):
        """The exit status."""
        try:
            self.vm.stdin.close()
            return self.vm.wait(120)
        finally:
            self.vm.terminate()
            self.vm.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def calls(lines):
    """Calls, failed ones, wrong ones, the longest in seconds."""
    found = [list(map(int, line.split()[1:])) for line in lines if line.startswith("load ")]
    expect(len(found) == 3, "one of those that use the device is missing")
    every, bad, wrong, _ = map(sum, zip(*found))
    longest = max(f[3] for f in found)
    expect(every > 3, "hardly any calls")
    expect(not wrong, f"{wrong} wrong results")
    return bad, longest


def expect_balance(machine):
    """All that was submitted has ended."""
    numbers = {w[0]: int(w[1]) for w in map(str.split, machine.run("balance"))}
    expect(numbers["submitted"] > 0 and numbers["submitted"] ==
           numbers["completed"] + numbers["failed"] + numbers["cancelled"], numbers)


def stop_and_continue(machine, args):
    machine.run("load")
    machine.qmp(*("stop", 0.01, "cont", 0.05) * args.stops)
    bad, _ = calls(machine.run("end"))
    expect(not bad, f"{bad} failed calls")
    expect_balance(machine)


def daemon_stopped(machine, _args):
    machine.run("load")
    machine.signal(signal.SIGSTOP)
    time.sleep(5)
    machine.signal(signal.SIGCONT)
    time.sleep(2)
    bad, longest = calls(machine.run("end"))
    expect(not bad, f"{bad} failed calls")
    expect(longest >= 1, "nobody noticed")
    expect_balance(machine)


def expect_noticed(machine):
    """Calls have failed, and soon."""
    time.sleep(8)
    bad, longest = calls(machine.run("end"))
    expect(bad, "nobody noticed")
    expect(longest < 15, f"a call took {longest} s")


def daemon_replaced(machine, _args):
    """Nobody uses the device meanwhile: the first answer of the new one tells the driver."""
    machine.run("rebind && works")
    before = machine.log().count(GONE)
    machine.signal(signal.SIGKILL)
    end = time.monotonic() + 30
    while machine.log().count(GONE) == before:
        expect(time.monotonic() < end, "no new daemon")
        time.sleep(0.1)
    machine.run("! works 2>lost && grep 'the device is lost' lost")
    machine.run("recover && works")


def cut(machine, number):
    """A connection ends within a message: calls fail at worst, and it comes back."""
    machine.run(HURRY)
    machine.qmp("stop", 0.2)
    machine.signal(number, of="keeper")
    machine.qmp("cont")
    expect_noticed(machine)
    machine.run("rebind && works")


def daemon_cut(machine, _args):
    cut(machine, signal.SIGUSR1)


def front_cut(machine, _args):
    cut(machine, signal.SIGUSR2)


def kill_under_load(machine):
    machine.run(HURRY)
    time.sleep(1)
    machine.signal(signal.SIGKILL)
    expect_noticed(machine)


def daemon_killed(machine, _args):
    kill_under_load(machine)
    machine.run("rebind && works")
    machine.run(UNLOAD)
    machine.run(RELOAD.format(params="$VACC_CORE_PARAMS"))


def uml_restarted(machine, _args):
    """Unbound before the daemon goes, a device of UML finds the next one."""
    machine.run(f"echo virtio-uml.1 >{PLATFORM}/unbind")
    machine.signal(signal.SIGKILL, device=1)
    time.sleep(1)
    machine.run(f"echo virtio-uml.1 >{PLATFORM}/bind && appear /dev/virtio-accel1 && "
                "works --device=/dev/virtio-accel1")


def uml_cut(machine, _args):
    """What ends within a message is no device; the next attempt finds one."""
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        machine.run(f"echo virtio-uml.1 >{PLATFORM}/unbind")
        machine.signal(number, of="keeper", device=1)
        machine.run(f"! echo virtio-uml.1 >{PLATFORM}/bind && [ ! -e /dev/virtio-accel1 ]")
        machine.run(f"echo virtio-uml.1 >{PLATFORM}/bind && appear /dev/virtio-accel1 && "
                    "works --device=/dev/virtio-accel1")


def uml_killed(machine, _args):
    """The device is gone for good, as the spare one that is there then."""
    kill_under_load(machine)
    machine.run("[ ! -e /dev/virtio-accel0 ] && works --device=/dev/virtio-accel1")
    machine.run(UNLOAD)
    machine.run("insmod $VACC_MODDIR/virtio_accel.ko && appear /dev/virtio-accel0 && works")


def true_id(machine, args):
    kernel = subprocess.run([f"{REPO}/tools/kernels/get", args.kernel], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    folder = f"{REPO}/build/true_id/{args.kernel}"
    shutil.copytree(f"{HERE}/../guest/true_id", folder, dirs_exist_ok=True)
    with open(f"{kernel}/makeargs", encoding="utf-8") as file:
        words = file.read().split()
    # What a make above us was told, O= above all, is not for the kernel's.
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS")}
    subprocess.run(["make", "-s", "-C", f"{kernel}/kdir", f"M={folder}", *words, "modules"],
                   check=True, stdout=subprocess.DEVNULL, env=env)
    lines = machine.run(TRUE_ID.format(module=f"{folder}/vaccd_true_id.ko"))
    expect(sum(line.endswith(":0x107c") for line in lines) == 1, "no PCI device 1af4:107c")
    expect(sum(line.endswith(":0x003c") for line in lines) == 1, "no virtio device 60")
    expect(any("-commands" in line or "virtio" in line and "MSI" in line for line in lines),
           "no interrupt")


def generic_device(args):
    """A device type of QEMU that has any ID; it wants one that QEMU knows a name of."""
    machine = Machine(args.kernel, ["--vaccd-type", "generic"])
    try:
        machine.run("works")
        lines = machine.run("cat /sys/bus/virtio/drivers/virtio_accel/virtio*/device")
        expect(lines == [f"{vaccd.GENERIC_ID:#06x}"], lines)
    finally:
        status = machine.end()
    expect(not status, f"the machine's exit status is {status}")


class Results:
    def __init__(self, only):
        self.only = only
        self.passed = self.failed = self.skipped = 0

    def run(self, test, *args):
        if self.only and test.__name__ not in self.only:
            return
        start = time.monotonic()
        try:
            test(*args)
            good = True
        except (Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            print(f"     {type(error).__name__}: {error}")
            good = False
        print(f"{'ok  ' if good else 'FAIL'} {test.__name__}, "
              f"{time.monotonic() - start:.0f} s", flush=True)
        self.passed += good
        self.failed += not good

    def skip(self, test, why):
        if not self.only or test.__name__ in self.only:
            print(f"SKIP {test.__name__}: {why}", flush=True)
            self.skipped += 1

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def no_report(machine):
    status = machine.end()
    expect(not status, f"the machine's exit status is {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=("6.1", "6.12", "uml"), default="6.1")
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--only", metavar="NAME", action="append")
    args = parser.parse_args()
    results = Results(args.only)
    tests = (stop_and_continue, daemon_stopped, daemon_replaced, daemon_killed, daemon_cut,
             front_cut, true_id)
    if args.kernel == "uml":
        tests = (daemon_stopped, uml_restarted, uml_cut, uml_killed)
    try:
        machine = Machine(args.kernel)
    except Failed as error:
        print(f"     {error}\n0 passed, 1 failed")
        return 1
    try:
        for test in tests:
            results.run(test, machine, args)
    finally:
        results.run(no_report, machine)
    if args.kernel != "uml":
        why = vaccd.generic_type()[1]
        if why:
            results.skip(generic_device, why)
        else:
            results.run(generic_device, args)
    print(results)
    return results.failed != 0


if __name__ == "__main__":
    sys.exit(main())
