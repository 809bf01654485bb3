# SPDX-License-Identifier: GPL-2.0
"""Run things beside each other, in an order that they give.

A task has needs (tags of others), a cost, and a tag; needs of which there is no
task count as met. One that failed has ended as well: what needs it then says itself
what it misses.
"""
import concurrent.futures


def choose(waiting, running, tag, clash):
    """The costliest task that can start now, or None."""
    not_ended = {tag(task) for task in [*waiting, *running]}
    ready = [task for task in waiting
             if not not_ended & set(task.needs)
             and not any(clash(task, other) for other in running)]
    return max(ready, key=lambda task: task.cost) if ready else None


def run(tasks, work, tag, clash, jobs):
    """Call work(task) for each task, at most jobs at a time. {task: result}"""
    waiting, running, results = list(tasks), {}, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            while len(running) < jobs:
                task = choose(waiting, running.values(), tag, clash)
                if task is None:
                    break
                waiting.remove(task)
                running[pool.submit(work, task)] = task
            if not running:
                names = ", ".join(tag(task) for task in waiting)
                raise ValueError(f"each of these needs another of them: {names}")
            ended, _ = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                results[running.pop(future)] = future.result()
    return results
