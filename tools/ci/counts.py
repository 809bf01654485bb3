# SPDX-License-Identifier: GPL-2.0
"""Run a suite, pass its output on, and read its counts."""
import os
import re
import shutil
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
LINE = re.compile(r"^(?:\S+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
RESULT = re.compile(r"^(\s*)(not ok|ok) \d+(?: -)?\s*(.*?)(?:\s*# (SKIP\b.*))?$")
# Of the kernel's harness, our own programs, and what they expected.
BAD = re.compile(r"\s*not ok |FAIL|# .*(Expected|:FAIL)")
PLAN = re.compile(r"^(\s*)1\.\.(\d+)$")


class Counts:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def total(self):
        return self.passed + self.failed + self.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def last_line(text):
    """The counts of the last counting line, or None."""
    for line in reversed(text.splitlines()):
        match = LINE.match(line.strip())
        if match:
            return Counts(*(int(n or 0) for n in match.groups()))
    return None


def bad_lines(text):
    """The lines that tell of failures, or the last one."""
    lines = text.splitlines()
    return [line for line in lines if BAD.match(line)] or lines[-1:]


def ktap(text):
    """The counts of the innermost results of a (K)TAP text. What a plan
    promises and the text does not have counts as failed."""
    counts = Counts()
    seen = {}       # results by indentation, below the current point
    plans = {}
    for line in text.splitlines():
        match = PLAN.match(line)
        if match:
            plans[len(match[1])] = int(match[2])
            seen[len(match[1])] = 0
            continue
        match = RESULT.match(line)
        if not match:
            continue
        indent = len(match[1])
        inner = [level for level in seen if level > indent]
        has_children = any(seen[level] for level in inner)
        for level in inner:
            counts.failed += max(0, plans.get(level, 0) - seen[level])
            seen.pop(level)
            plans.pop(level, None)
        seen[indent] = seen.get(indent, 0) + 1
        if has_children:
            continue
        if match[4]:
            counts.skipped += 1
        elif match[2] == "ok":
            counts.passed += 1
        else:
            counts.failed += 1
    for level, number in plans.items():
        counts.failed += max(0, number - seen.get(level, 0))
    return counts


def run(words, log=None, quiet=False, env=None):
    """Run words in the repository. (exit status, what it wrote)

    Quiet still shows the progress of what takes long."""
    text = []
    file = open(log, "w", encoding="utf-8", errors="replace") if log else None
    with subprocess.Popen(words, cwd=REPO, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=env, encoding="utf-8",
                          errors="replace") as process:
        for line in process.stdout:
            text.append(line)
            if file:
                file.write(line)
                file.flush()
            if not quiet or line.startswith(("kernels: ", "packages: ")):
                sys.stdout.write(line)
                sys.stdout.flush()
    if file:
        file.close()
    return process.returncode, "".join(text)


def covered(name):
    """Words for a VM that leaves what it executes in build/coverage/NAME, and its command's."""
    out = os.path.join(REPO, "build/coverage", name)
    shutil.rmtree(out, ignore_errors=True)
    return ["--out", out], ["tools/coverage/guest"]


def conclude(status, counts, what):
    """Counts for a run: one that ended badly, or tested nothing, has failed."""
    if counts is None or not counts.total():
        print(f"{what}: no result, exit status {status}")
        return Counts(failed=1)
    if status and not counts.failed:
        print(f"{what}: exit status {status} though no test failed")
        counts.failed += 1
    return counts
