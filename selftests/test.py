#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test the runner of the test programs with programs that are none."""
import os
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))

NAME = "fake"

# Its only test is a process group of its own and outlives it, as those of kselftest may.
LEAVES = """\
#!/usr/bin/python3
import os, sys, time
print("TAP version 13\\n1..1", flush=True)
if os.fork() == 0:
    os.setpgid(0, 0)
    with open(os.environ["PID_FILE"], "w") as f:
        f.write(str(os.getpid()))
    time.sleep(1000)
while not os.path.exists(os.environ["PID_FILE"]):
    time.sleep(0.01)
"""
HANGS = LEAVES + "time.sleep(1000)\n"
ENDS = LEAVES + 'print("ok 1 dev.only")\n'


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Running(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = temporary.name

    def run_program(self, text, limit, *words):
        """Status, output, and the process that the program has left."""
        path = os.path.join(self.dir, NAME)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, 0o755)
        with open(os.path.join(self.dir, "programs"), "w", encoding="utf-8") as f:
            f.write(NAME + "\n")
        pid_file = os.path.join(self.dir, "pid")
        env = dict(os.environ, VACC_SELFTESTS=self.dir, VACC_TIMEOUT=str(limit),
                   PID_FILE=pid_file)
        done = subprocess.run([os.path.join(HERE, "run.sh"), *words], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        pid = None
        if os.path.exists(pid_file):
            with open(pid_file, encoding="utf-8") as f:
                pid = int(f.read())
            deadline = time.monotonic() + 10
            while alive(pid) and time.monotonic() < deadline:
                time.sleep(0.01)
        return done.returncode, done.stdout, pid

    def test_a_hung_program_is_ended_with_its_tests(self):
        status, text, pid = self.run_program(HANGS, 2)
        self.assertEqual(status, 1)
        self.assertIn(f"{NAME}: it did not end in 2 s\n", text)
        self.assertTrue(text.endswith("\n0 passed, 2 failed, 0 skipped\n"), text)
        self.assertFalse(alive(pid))

    def test_what_an_ended_program_left_is_ended(self):
        status, text, pid = self.run_program(ENDS, 30)
        self.assertEqual(status, 0)
        self.assertTrue(text.endswith("\n1 passed, 0 failed, 0 skipped\n"), text)
        self.assertFalse(alive(pid))

    def test_a_program_without_a_tag_is_not_asked(self):
        status, text, pid = self.run_program(ENDS, 30, "-t", "race")
        self.assertEqual(status, 1)
        self.assertIn("nothing fits", text)
        self.assertIsNone(pid)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=2).result
    broken = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - broken} passed, {broken} failed")
    sys.exit(0 if outcome.wasSuccessful() else 1)
