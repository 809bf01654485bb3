#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test how results are counted and how suites are ordered."""
import collections
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import counts  # noqa: E402
import full  # noqa: E402
import schedule  # noqa: E402
import suites  # noqa: E402

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

    def test_lines_that_tell_of_failures(self):
        self.assertEqual([line.strip() for line in counts.bad_lines(KTAP)],
                         ["not ok 2 second", "not ok 2 parameters", "not ok 1 suite"])
        text = "# x.c:3:a:Expected 1 (1) == r (2)\nok 1 b\nFAIL gcc\nend\n"
        self.assertEqual(counts.bad_lines(text), [text.splitlines()[0], "FAIL gcc"])
        self.assertEqual(counts.bad_lines("something\nSegmentation fault\n"),
                         ["Segmentation fault"])
        self.assertEqual(counts.bad_lines(""), [])

    def test_a_bad_end_is_a_failure(self):
        self.assertEqual(counts.conclude(125, counts.Counts(passed=3), "x").failed, 1)
        self.assertEqual(counts.conclude(1, counts.Counts(3, 2), "x").failed, 2)
        self.assertEqual(counts.conclude(0, None, "x").failed, 1)
        self.assertEqual(counts.conclude(0, counts.Counts(), "x").failed, 1)


Task = collections.namedtuple("Task", "name needs cost group", defaults=((), 1, ""))


def together(one, other):
    return bool(one.group) and one.group == other.group


class Scheduling(unittest.TestCase):
    def order(self, tasks, jobs=1):
        """The names as they start, and how many ran at once at most."""
        started, running, most = [], [], []
        lock = threading.Lock()

        def work(task):
            with lock:
                self.assertFalse(any(together(task, other) for other in running))
                started.append(task.name)
                running.append(task)
                most.append(len(running))
            threading.Event().wait(0.02)
            with lock:
                running.remove(task)
            return task.name.upper()

        results = schedule.run(tasks, work, lambda task: task.name, together, jobs)
        self.assertEqual(results, {task: task.name.upper() for task in tasks})
        return started, max(most)

    def test_costly_ones_start_first(self):
        tasks = [Task("a"), Task("b", cost=5), Task("c", cost=3)]
        self.assertEqual(self.order(tasks), (["b", "c", "a"], 1))

    def test_needs_come_before(self):
        tasks = [Task("a", ("b", "nobody"), 9), Task("b", ("c",), 8), Task("c")]
        self.assertEqual(self.order(tasks, 3), (["c", "b", "a"], 1))

    def test_they_run_beside_each_other(self):
        tasks = [Task(name) for name in "abcdef"]
        self.assertEqual(self.order(tasks, 3)[1], 3)

    def test_those_that_clash_do_not(self):
        tasks = [Task(name, group="vm") for name in "abc"] + [Task("d")]
        self.assertEqual(self.order(tasks, 4)[1], 2)

    def test_a_circle_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "a, b"):
            self.order([Task("a", ("b",)), Task("b", ("a",))])

    def test_an_error_of_the_work_comes_out(self):
        def work(_task):
            raise KeyError("x")

        with self.assertRaises(KeyError):
            schedule.run([Task("a")], work, lambda task: task.name, together, 2)

    def test_the_suites(self):
        """Each need is a suite, and each suite has a log of its own."""
        for table in (suites.CHECK, full.FULL):
            tags = {suites.tag(one) for one in table}
            for one in table:
                self.assertLessEqual(set(one.needs), tags, one)
            self.assertEqual(len({suites.file_name(one) for one in table}), len(table))
        one, other = [one for one in suites.CHECK if one.name == "cli"]
        self.assertFalse(suites.clash(one, other))
        self.assertTrue(suites.clash(one, one))


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=2).result
    broken = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - broken} passed, {broken} failed")
    sys.exit(0 if outcome.wasSuccessful() else 1)
