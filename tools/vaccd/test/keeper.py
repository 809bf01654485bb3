#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Stands between a front end and vaccd, and keeps one there: tools/vm takes it for vaccd.

  keeper.py --socket PATH ...     as of vaccd, which gets PATH.real instead

The program is $KEEPER_VACCD. It is started again when it has been killed, its number is
in PATH.pid. After a SIGUSR1 the next message of vaccd is cut in the middle, and after a
SIGUSR2 the next of the front end; then both connections are closed. SIGTERM ends both.
"""
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

HEADER = struct.Struct("<III")      # request, flags, bytes that follow
FDS = 32


def receive(source):
    """A whole message and its descriptors, which come with its beginning."""
    data, fds, wanted = b"", [], HEADER.size
    while len(data) < wanted:
        more, more_fds, _, _ = socket.recv_fds(source, wanted - len(data), FDS)
        fds += more_fds
        if not more:
            raise ConnectionResetError
        data += more
        if len(data) == HEADER.size:
            wanted += HEADER.unpack(data)[2]
    return data, fds


class Keeper:
    def __init__(self, words):
        self.words = list(words)
        at = self.words.index("--socket") + 1
        self.path, self.real = self.words[at], self.words[at] + ".real"
        self.words[at] = self.real
        self.cut = {"daemon": False, "front": False}
        self.daemon = None
        self.pair = None
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(8)

    def start(self):
        self.daemon = subprocess.Popen([os.environ["KEEPER_VACCD"], *self.words],
                                       stdin=subprocess.DEVNULL)
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.write(str(self.daemon.pid))
        os.rename(self.path + ".new", self.path + ".pid")

    def connect(self):
        """A connection to vaccd, or None where it has ended."""
        while self.daemon.poll() is None:
            try:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect(self.real)
                return connection
            except OSError:
                connection.close()
                time.sleep(0.01)
        return None

    def close(self):
        for connection in self.pair or ():
            connection.close()
        self.pair = None

    def accept(self):
        front, _ = self.listener.accept()
        daemon = self.connect()
        if daemon:
            self.pair = (front, daemon)
        else:
            front.close()

    def pass_on(self, source):
        """The next message; False at the end."""
        front, daemon = self.pair
        target, name = (daemon, "front") if source is front else (front, "daemon")
        try:
            data, fds = receive(source)
            cut, self.cut[name] = self.cut[name], False
            if cut:
                data = data[:len(data) // 2]
                print(f"keeper: the {name}'s message is cut", file=sys.stderr, flush=True)
            socket.send_fds(target, [data], fds)
            for fd in fds:
                os.close(fd)
            return not cut
        except OSError:
            return False

    def run(self):
        while True:
            if self.daemon.poll() is not None:
                if self.daemon.returncode == 0:
                    return 0
                self.close()
                self.start()
            waited = list(self.pair) if self.pair else [self.listener]
            ready, _, _ = select.select(waited, [], [], 0.1)
            for source in ready:
                if source is self.listener:
                    self.accept()
                elif self.pair and not self.pass_on(source):
                    self.close()


def main():
    keeper = Keeper(sys.argv[1:])

    def end(_number, _frame):
        keeper.daemon.terminate()
        keeper.daemon.wait()
        sys.exit(keeper.daemon.returncode)

    signal.signal(signal.SIGUSR1, lambda *_: keeper.cut.update(daemon=True))
    signal.signal(signal.SIGUSR2, lambda *_: keeper.cut.update(front=True))
    signal.signal(signal.SIGTERM, end)
    with open(keeper.path + ".keeper", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    keeper.start()
    return keeper.run()


if __name__ == "__main__":
    sys.exit(main())
