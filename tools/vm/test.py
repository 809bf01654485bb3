#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test tools/vm: the log scanner alone, then the runner on each kernel.

usage: test.py [KERNEL]...      (default: uml 6.1; "none": the scanner alone)
"""
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
import kernellog  # noqa: E402
import vaccd  # noqa: E402

HARMLESS = """\
[    0.000000] Linux version 6.1.0-57-amd64 (debian-kernel@lists.debian.org)
[    0.000000] KERNEL supported cpus:
[    0.000000] random: crng init done
[    0.000000] kasan: KernelAddressSanitizer initialized
[    0.010000] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on
[    0.020000] clocksource: Marking clocksource 'tsc' as unstable, because of skew
[    0.030000] rcu: RCU event tracing is enabled.
[    0.040000] watchdog: Delayed init of the lockup detector failed: -19
[    0.050000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
[    0.060000] kmemleak: Kernel memory leak detector initialized (mem pool available: 15730)
[    0.070000] virtio_accel: loading out-of-tree module taints kernel.
[    0.080000] virtio_accel: module verification failed: signature missing - tainting kernel
[    0.090000] kmemleak: 0 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
[    0.100000] vacc 0: program refused: a BUG in it
[    0.110000] FAULT_INJECTION: forcing a failure.
[    0.120000] debug: unmapping init memory
"""

TROUBLE = """\
[    1.000000] WARNING: CPU: 0 PID: 12 at mm/slub.c:12 kfree+0x1/0x2
[    1.000000] WARNING: possible circular locking dependency detected
[    1.000000][   T12] WARNING: suspicious RCU usage
[    1.000000] [ BUG: bad unlock balance detected! ] sleeping function called from invalid context
[    1.000000] BUG: KASAN: slab-use-after-free in foo+0x1/0x2
[    1.000000] BUG: sleeping function called from invalid context at mm/x.c:1
[    1.000000] BUG: kernel NULL pointer dereference, address: 0000000000000000
[    1.000000] BUG kmalloc-64 (Tainted: G): Poison overwritten
[    1.000000] kernel BUG at drivers/x.c:12!
[    1.000000] Oops: 0002 [#1] PREEMPT SMP NOPTI
[    1.000000] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
[    1.000000] general protection fault, probably for non-canonical address 0x1
[    1.000000] Kernel panic - not syncing: sysrq triggered crash
[    1.000000] INFO: task cat:12 blocked for more than 120 seconds.
[    1.000000] rcu: INFO: rcu_preempt self-detected stall on CPU
[    1.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [cat:12]
[    1.000000] UBSAN: array-index-out-of-bounds in x.c:1:2
[    1.000000] ODEBUG: free active (active state 0) object: 00000000 object type: timer_list
[    1.000000] list_add corruption. prev->next should be next
[    1.000000] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
unreferenced object 0x00000000616f0000 (size 64):
<4>[    1.000000] WARNING: CPU: 0 PID: 12 at x.c:1 f+0x1/0x2
"""

DAEMON_TROUBLE = """\
==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1
==12==ERROR: LeakSanitizer: detected memory leaks
control.c:12:3: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented
vaccd: ended before the machine, exit status 1
vaccd: did not end, exit status -9
"""


class Scanner(unittest.TestCase):
    def test_harmless_lines_pass(self):
        self.assertEqual(kernellog.reports(HARMLESS), [])

    def test_each_report_is_found(self):
        for line in TROUBLE.splitlines():
            with self.subTest(line=line):
                self.assertEqual(kernellog.reports(f"ok\n{line}\r\nok\n"), [(1, line)])

    def test_each_report_of_the_daemon_is_found(self):
        for line in DAEMON_TROUBLE.splitlines():
            with self.subTest(line=line):
                self.assertEqual(vaccd.reports(f"taken 1\n{line}\nbad 0\n"), [line])
        self.assertEqual(vaccd.reports("vaccd: ready\nvaccd: ended, exit status 0\n"), [])

    def test_allowed_reports_pass(self):
        line = "[    1.0] WARNING: CPU: 0 PID: 1 at virtio_uml.c:1 vu_del_vqs+0x1/0x2\n"
        self.assertEqual(kernellog.reports(line, ["vu_del_vqs"]), [])
        self.assertEqual(len(kernellog.reports(line, ["other"])), 1)


class Runner(unittest.TestCase):
    kernel = "uml"

    def vm(self, *words, options=(), stdin=b""):
        return subprocess.run(
            [f"{HERE}/vm", "--kernel", self.kernel, "--no-load", "--timeout", "180", "--log",
             f"build/vm-log/test-{self.kernel}.log", *options, "--", *words],
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=f"{HERE}/../..", check=False)

    def check(self, done, status, message=b""):
        self.assertEqual(done.returncode, status, done.stderr[-8000:].decode(errors="replace"))
        self.assertIn(message, done.stderr)

    def test_exit_statuses(self):
        # One boot each, which takes long where all is emulated.
        for status in (0, 1, 2, 139, 255) if self.kernel == "uml" else (0, 255):
            with self.subTest(status=status):
                done = self.vm(f"exit {status}")
                self.check(done, status)
                self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_a_signal_arrives_as_128_and_more(self):
        self.check(self.vm("kill -SEGV $$"), 139)

    def test_bytes_pass_unchanged(self):
        data = bytes(range(256)) * 4099
        done = self.vm("tee /dev/stderr", stdin=data)
        self.check(done, 0)
        self.assertTrue(done.stdout == data and done.stderr == data)

    def test_stdin_that_nobody_reads(self):
        done = self.vm("echo done", stdin=b"x" * (3 << 20))
        self.check(done, 0)
        self.assertEqual(done.stdout, b"done\n")

    def test_stdin_and_output_are_live(self):
        words = [f"{HERE}/vm", "--kernel", self.kernel, "--no-load", "--timeout", "180",
                 "--", "cat"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for line in (b"one\n", b"two\n"):
                process.stdin.write(line)
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), line)
            process.stdin.close()
            self.assertEqual(process.wait(), 0)

    def test_words_stay_words(self):
        done = self.vm("printf", "%s|", "a b", "$HOME", "'")
        self.check(done, 0)
        self.assertEqual(done.stdout, b"a b|$HOME|'|")

    def test_only_the_output_folder_is_the_hosts(self):
        stray = os.path.join(HERE, "stray-file")
        done = self.vm(f"pwd; echo x >{stray} && cat {stray} && echo $VACC_KERNEL >/vacc-out/test-out")
        self.check(done, 0)
        repo = os.path.realpath(f"{HERE}/../..")
        self.assertEqual(done.stdout.decode(), f"{repo}\nx\n")
        self.assertFalse(os.path.exists(stray))
        with open(f"{repo}/build/vm-out/test-out", encoding="utf-8") as f:
            self.assertEqual(f.read(), self.kernel + "\n")
        os.unlink(f"{repo}/build/vm-out/test-out")

    def test_a_process_left_behind_does_not_hold_the_vm(self):
        start = time.monotonic()
        self.check(self.vm("sleep 1000 & echo x"), 0)
        self.assertLess(time.monotonic() - start, 60)

    def test_a_panic_is_told(self):
        done = self.vm("echo before; sleep 1; echo c >/proc/sysrq-trigger; echo after")
        self.check(done, 125, b"Kernel panic")
        self.assertEqual(done.stdout, b"before\n")

    def test_a_report_is_told_though_the_command_succeeds(self):
        command = "echo '<4>WARNING: CPU: 0 PID: 1 at nowhere' >/dev/kmsg"
        self.check(self.vm(command), 125, b"the kernel reported: ")
        self.check(self.vm(command, options=["--allow", "at nowhere"]), 0)

    def test_a_hang_is_told(self):
        # An emulated machine that has little of this one boots longer than half a minute.
        limit = "20" if self.kernel == "uml" else "60"
        done = self.vm("echo before; sleep 1000", options=["--timeout", limit])
        self.check(done, 124, b"vm: hang")
        self.assertEqual(done.stdout, b"before\n")

    def test_a_module_that_does_not_load_is_told(self):
        self.check(self.vm("true", options=["--modparam", "nonsense"]), 126, b"--modparam")
        self.check(self.vm("true", options=["--kernel", "2.4"]), 126, b"invalid choice")


def suite(kernels):
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    tests = unittest.TestSuite([load(Scanner)])
    for kernel in kernels:
        tests.addTest(load(type(f"Runner_{kernel}", (Runner,), {"kernel": kernel})))
    return tests


def main():
    kernels = sys.argv[1:] or ["uml", "6.1"]
    tests = suite([] if kernels == ["none"] else kernels)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    bad = {str(test).split(" [", maxsplit=1)[0] for test, _ in result.failures + result.errors}
    print(f"{result.testsRun - len(bad)} passed, {len(bad)} failed")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
