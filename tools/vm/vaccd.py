# SPDX-License-Identifier: GPL-2.0
"""The device of --backend vaccd: a process beside the VM."""
import os
import re
import shlex
import socket
import subprocess
import time

# What the daemon's sanitizers say.
REPORT = re.compile(r"ERROR: \w+Sanitizer|runtime error: ")


class Vaccd:
    """A running vaccd, with its sockets in the run folder."""

    def __init__(self, build, run, words, setup=None):
        self.program = os.environ.get("VACC_VACCD", f"{build}/tools/vaccd")
        self.socket = f"{run}/vaccd.sock"
        self.control_path = f"{run}/vaccd.control"
        self.log_path = f"{run}/vaccd.log"
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

    def uml_words(self):
        """For the kernel's command line; the control connection must be passed on."""
        fd = self.control.fileno()
        os.set_inheritable(fd, True)
        return [f"virtio_uml.device={self.socket}:60", f"ssl1=fd:{fd}"]

    def qemu_words(self, mem):
        """For QEMU, whose -m and -M they extend. The device's ID is that of a disk."""
        return ["-object", f"memory-backend-memfd,id=mem,size={mem}M,share=on",
                "-machine", "memory-backend=mem",
                "-chardev", f"socket,id=vaccd,path={self.socket},reconnect=1",
                "-device", "vhost-user-blk-pci,chardev=vaccd,num-queues=1,queue-size=256,"
                           "disable-legacy=on",
                "-chardev", f"socket,id=control,path={self.control_path}",
                "-serial", "chardev:control"]

    def stop(self):
        """End it as a service is ended; returns its log."""
        self.control.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        status = self.process.wait()
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read() + f"vaccd: exit status {status}\n"


def reports(log):
    """Lines of its log that tell of trouble."""
    return [line for line in log.splitlines() if REPORT.search(line)]
