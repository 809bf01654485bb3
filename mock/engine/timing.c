// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * When the commands of an event were executed, for those who asked.
 *
 * A timed event executes a command at a time, so that every command has a beginning
 * and an end of its own.  One that takes several steps is told of after each.
 */
#include "object.h"

/**
 * eng_timing_flags() - how to make a step of an event
 * @event: the event
 *
 * Context: Any.
 * Return: ENG_STEP_*.
 */
u32 eng_timing_flags(const struct eng_event *event)
{
	return event->timed ? ENG_STEP_ONE_COMMAND : 0;
}

/**
 * eng_timing_step() - tell the owner of a step that was made
 * @event: the event
 * @command: index of the command that the step was of
 * @start_ns: when the step began
 * @end_ns: when it was over
 *
 * Context: The caller is the queue's executor; no lock is held.
 */
void eng_timing_step(struct eng_event *event, u32 command, u64 start_ns,
		     u64 end_ns)
{
	const struct eng_device_ops *ops = event->queue->device->ops;

	if (!event->timed)
		return;
	if (command != event->timed_command) {
		event->timed_command = command;
		event->timed_start_ns = start_ns;
	}
	if (ops->timed)
		ops->timed(event->owner, command, event->timed_start_ns, end_ns);
}
