#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test how results are counted."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import counts  # noqa: E402

KTAP = """\
KTAP version 1
1..1
    KTAP version 1
    # Subtest: suite
    1..3
    ok 1 plain
        KTAP version 1
        # Subtest: with parameters
        ok 1 first
        not ok 2 second
    not ok 2 parameters
    ok 3 left_out # SKIP no such thing
not ok 1 suite
"""


class Counting(unittest.TestCase):
    def expect(self, text, passed, failed, skipped=0):
        result = counts.ktap(text)
        self.assertEqual((result.passed, result.failed, result.skipped),
                         (passed, failed, skipped))

    def test_innermost_results_count(self):
        self.expect(KTAP, 2, 1, 1)

    def test_what_a_plan_promises_must_come(self):
        self.expect("1..3\nok 1 a\n", 1, 2)
        self.expect("1..1\n    1..2\n    ok 1 a\nok 1 suite\n", 1, 1)

    def test_a_suite_without_results(self):
        self.expect("1..1\nnot ok 1 suite\n", 0, 1)
        self.expect("", 0, 0)

    def test_last_line(self):
        text = "1 passed, 0 failed\nselftests: 12 passed, 3 failed, 4 skipped\nmake: Error 1\n"
        self.assertEqual(str(counts.last_line(text)), "12 passed, 3 failed, 4 skipped")
        self.assertIsNone(counts.last_line("all passed, 0 failed\n"))

    def test_a_bad_end_is_a_failure(self):
        self.assertEqual(counts.conclude(125, counts.Counts(passed=3), "x").failed, 1)
        self.assertEqual(counts.conclude(1, counts.Counts(3, 2), "x").failed, 2)
        self.assertEqual(counts.conclude(0, None, "x").failed, 1)
        self.assertEqual(counts.conclude(0, counts.Counts(), "x").failed, 1)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=2).result
    broken = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - broken} passed, {broken} failed")
    sys.exit(0 if outcome.wasSuccessful() else 1)
