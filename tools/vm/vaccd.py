# SPDX-License-Identifier: GPL-2.0
"""The devices of --backend vaccd: processes beside the VM."""
import os
import re
import shlex
import socket
import subprocess
import threading
import time

# Devices besides the one that the guest has at first.
SPARE = 2

# What the daemon's sanitizers say, and we of its end.
REPORT = re.compile(r"ERROR: \w+Sanitizer|runtime error: |vaccd: (?:ended before|did not end)")

# How QEMU may present it, with the ID that the driver is told. Its device type for any
# ID wants one that it has a name for, and 60 has none: this is a parameter server's.
GENERIC_ID = 38
TYPES = {"disk": 2, "generic": GENERIC_ID}


def generic_type():
    """QEMU's device type for any ID, or None; and why there is none."""
    done = subprocess.run(["qemu-system-x86_64", "-device", "help"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    found = re.search(r'"(vhost-user-(?:test-)?device-pci)"', done.stdout)
    if found:
        return found[1], None
    version = subprocess.run(["qemu-system-x86_64", "--version"], stdout=subprocess.PIPE,
                             text=True).stdout.split("\n")[0]
    return None, f"no vhost-user-device-pci: {version}"


class Vaccd:
    """A running vaccd, with its sockets in the run folder."""

    def __init__(self, build, run, number, words, setup=None):
        self.program = os.environ.get("VACC_VACCD", f"{build}/tools/vaccd")
        self.socket = f"{run}/vaccd{number}.sock"
        self.control_path = f"{run}/vaccd{number}.control"
        self.log_path = f"{run}/vaccd{number}.log"
        if not os.access(self.program, os.X_OK):
            raise FileNotFoundError(f"no {self.program}: run make tools")
        command = [self.program, "--socket", self.socket, "--control", self.control_path,
                   "--verbose"] + shlex.split(words)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=setup)
        self.control = self.connect()

    def connect(self):
        """A connection to its harness, as soon as it listens."""
        end = time.monotonic() + 10
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(self.control_path)
                return connection
            except OSError as error:
                connection.close()
                if self.process.poll() is not None or time.monotonic() > end:
                    with open(self.log_path, encoding="utf-8", errors="replace") as log:
                        raise FileNotFoundError(f"vaccd: {log.read() or error}") from error
                time.sleep(0.02)

    def stop(self):
        """End it as a service is ended; returns its log."""
        end = "vaccd: ended before the machine"
        self.control.close()
        if self.process.poll() is None:
            end = "vaccd: ended"
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                end = "vaccd: did not end"
                self.process.kill()
        status = self.process.wait()
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read() + f"{end}, exit status {status}\n"


class Relay(threading.Thread):
    """
    One serial line of the guest leads to the harness of all devices: what is for the
    second is a line "1:" and what its harness takes. The answer comes back as it is.
    """

    def __init__(self, devices):
        super().__init__(daemon=True)
        self.devices = devices
        self.ours, self.guests = socket.socketpair()
        self.start()

    def answer(self, line):
        number, _, command = line.partition(b":")
        control = self.devices[int(number)].control
        control.sendall(command)
        answer = b""
        while not re.search(rb"(?:^|\n)(?:ok|error .*)\n$", answer):
            data = control.recv(65536)
            if not data:
                return b"error 5 EIO\n"
            answer += data
        return answer

    def run(self):
        with self.ours.makefile("rwb", 0) as guest:
            for line in guest:
                try:
                    answer = self.answer(line)
                except (ValueError, IndexError, OSError):
                    answer = b"error 19 ENODEV\n"
                try:
                    guest.write(answer)
                except OSError:
                    return


class Devices:
    """
    All devices of a VM. The guest takes spare ones off the driver before it runs
    anything; "add" of the harness brings them there.
    """

    def __init__(self, build, run, words, kind, setup=None):
        self.all = []
        self.kind = kind
        try:
            for number in range(1 + SPARE):
                self.all.append(Vaccd(build, run, number, words, setup))
        except FileNotFoundError:
            self.stop()
            raise
        self.relay = Relay(self.all)

    def env(self, build):
        """For the guest: where the harness is, and what lets programs find it."""
        return {"VACCD_CONTROL": "/dev/ttyS1",
                "LD_PRELOAD": f"{build}/tools/vaccd-control.so"}

    def fds(self):
        """What the VM must be passed."""
        return [self.relay.guests.fileno()]

    def uml_words(self):
        """For the kernel's command line."""
        return [f"virtio_uml.device={vaccd.socket}:60" for vaccd in self.all] + \
            [f"ssl1=fd:{self.relay.guests.fileno()}"]

    def qemu_words(self, mem):
        """For QEMU, whose -m and -M they extend."""
        kind = "vhost-user-blk-pci,num-queues=1,queue-size=256"
        if self.kind == "generic":
            kind, why = generic_type()
            if why:
                raise FileNotFoundError(why)
            kind += f",virtio-id={GENERIC_ID},num_vqs=1,config_size=16"
        words = ["-object", f"memory-backend-memfd,id=mem,size={mem}M,share=on",
                 "-machine", "memory-backend=mem",
                 "-add-fd", f"fd={self.relay.guests.fileno()},set=60",
                 "-chardev", "serial,id=control,path=/dev/fdset/60",
                 "-serial", "chardev:control"]
        for number, vaccd in enumerate(self.all):
            words += ["-chardev", f"socket,id=vaccd{number},path={vaccd.socket},reconnect=1",
                      "-device", f"{kind},chardev=vaccd{number},disable-legacy=on"]
        return words

    def stop(self):
        """End them; returns their logs."""
        return "".join(vaccd.stop() for vaccd in self.all)


def reports(log):
    """Lines of its log that tell of trouble."""
    return [line for line in log.splitlines() if REPORT.search(line)]
