// SPDX-License-Identifier: GPL-2.0
/*
 * Attribution and timing: what the commands of a submission do for whom, and when.
 *
 * The rows are made before the backend gets the work, from what the submission says of
 * its commands and what the backend knows of them, and stay with the event.  Only times
 * are added later.  Until the event has ended they belong to the backend, so nothing is
 * locked: who has seen the end sees the times.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "submit.h"

/**
 * struct vacc_attribution - what an event tells of its commands
 * @bytes: charged for it
 * @count: rows, one a command
 * @rows: the rows
 */
struct vacc_attribution {
	u64 bytes;
	u32 count;
	struct vacc_attribution_row rows[];
};

static int vacc_work_bad(struct vacc_submit_state *state, u32 index,
			 const char *text)
{
	state->call->reason.command = index;
	return vacc_fail(state->call, -EINVAL, text);
}

static int vacc_work_check_scalars(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->arg->work.count; i++) {
		const struct vacc_work *work = &state->work[i];
		u32 end;

		if (work->reserved)
			return vacc_work_bad(state, i,
					     "a reserved field of the work is not zero");
		if (check_add_overflow(work->participant_start,
				       work->participant_count, &end))
			return vacc_work_bad(state, i,
					     "the participants do not end within 32 bits");
	}
	return 0;
}

/**
 * vacc_work_read() - read what a submission says of its commands
 * @state: the submission, whose number of them is within VACC_MAX_WORK
 *
 * Context: process, holding no lock.
 * Return: 0; -EINVAL for a stride, a reserved field or a range; -E2BIG; -EFAULT; -ENOMEM.
 */
int vacc_work_read(struct vacc_submit_state *state)
{
	const struct vacc_array *array = &state->arg->work;
	int err;

	if (!array->count)
		return 0;
	err = vacc_check_array(array, sizeof(*state->work));
	if (err)
		return err;
	state->work = kvmalloc_array(array->count, sizeof(*state->work),
				     GFP_KERNEL_ACCOUNT);
	if (!state->work)
		return -ENOMEM;
	err = vacc_copy_array_in(array, state->work, sizeof(*state->work),
				 sizeof(*state->work));
	return err ? err : vacc_work_check_scalars(state);
}

/**
 * vacc_work_release() - free what vacc_work_read() has read
 * @state: the submission
 *
 * Context: process.
 */
void vacc_work_release(struct vacc_submit_state *state)
{
	kvfree(state->work);
}

static bool vacc_work_is_missing(const struct vacc_work *work,
				 const struct vacc_attribution_row *row)
{
	return row->operation == VACC_NATIVE_DENSE_LINEAR &&
	       (!work->participant_count || !work->token_count);
}

/* Commands of the program, as the backend counts them. */
static u32 vacc_work_commands(struct vacc_submit_state *state,
			      const struct vacc_backend_ops *ops)
{
	struct vacc_program_info info = {};

	ops->program_info(state->call->dev->priv, state->program->obj.backend,
			  &info);
	return info.command_count;
}

static int vacc_work_compare(struct vacc_submit_state *state,
			     const struct vacc_backend_ops *ops)
{
	u32 count = state->arg->work.count;
	u32 i;

	if (count != vacc_work_commands(state, ops))
		return vacc_fail(state->call, -EINVAL,
				 "the program has another number of commands than the work");
	for (i = 0; i < count; i++) {
		struct vacc_attribution_row row = {};

		ops->program_command(state->call->dev->priv,
				     state->program->obj.backend, i, &row);
		if (vacc_work_is_missing(&state->work[i], &row))
			return vacc_work_bad(state, i,
					     "a dense-linear needs participants and tokens");
	}
	return 0;
}

/**
 * vacc_work_check() - compare what was said of the commands with the program
 * @state: the submission, its program found
 *
 * Context: process.
 * Return: 0; -EINVAL where the number of commands is another, or a dense-linear has no
 * participants or tokens; -ENODEV.
 */
int vacc_work_check(struct vacc_submit_state *state)
{
	struct vacc_device *dev = state->call->dev;
	const struct vacc_backend_ops *ops;
	int err;

	if (!state->work)
		return 0;
	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	err = vacc_work_compare(state, ops);
	vacc_device_exit(dev);
	return err;
}

static void vacc_attribution_fill(struct vacc_submit_state *state,
				  const struct vacc_backend_ops *ops,
				  struct vacc_attribution *attribution)
{
	u32 i;

	for (i = 0; i < attribution->count; i++) {
		struct vacc_attribution_row *row = &attribution->rows[i];

		ops->program_command(state->call->dev->priv,
				     state->program->obj.backend, i, row);
		if (state->work)
			row->work = state->work[i];
		else
			row->work.node_index = VACC_NO_INDEX;
	}
}

/* The program does not change, so that its number of commands still holds later. */
static int vacc_attribution_count(struct vacc_submit_state *state, u32 *count)
{
	struct vacc_device *dev = state->call->dev;
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);

	if (!ops)
		return vacc_device_error(dev);
	*count = vacc_work_commands(state, ops);
	vacc_device_exit(dev);
	return 0;
}

static int vacc_attribution_alloc(struct vacc_submit_state *state,
				  struct vacc_event *event, u32 count)
{
	struct vacc_attribution *attribution;
	u64 bytes = struct_size(attribution, rows, count);
	int err;

	err = vacc_quota_charge(state->call, bytes,
				"the attribution does not fit max_total_bytes");
	if (err)
		return err;
	attribution = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!attribution) {
		vacc_quota_uncharge(state->call->dev, bytes);
		return -ENOMEM;
	}
	attribution->bytes = bytes;
	attribution->count = count;
	event->attribution = attribution;
	event->obj.bytes = bytes;
	return 0;
}

/**
 * vacc_attribution_make() - make the rows of an event, if it shall have some
 * @state: the submission, its program found
 * @event: its event, of which nobody else knows
 *
 * Context: process, holding no lock.
 * Return: 0; -ENOSPC, -EAGAIN where they do not fit the device's quota; -ENOMEM; -EINTR;
 * -ENODEV.
 */
int vacc_attribution_make(struct vacc_submit_state *state,
			  struct vacc_event *event)
{
	struct vacc_device *dev = state->call->dev;
	const struct vacc_backend_ops *ops;
	u32 count;
	int err;

	if (!(state->arg->flags & VACC_SUBMIT_ATTRIBUTION))
		return 0;
	err = vacc_attribution_count(state, &count);
	if (!err)
		err = vacc_attribution_alloc(state, event, count);
	if (err)
		return err;
	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	vacc_attribution_fill(state, ops, event->attribution);
	vacc_device_exit(dev);
	return 0;
}

/**
 * vacc_attribution_free() - free the rows of an event
 * @event: the event, which nobody has any more
 *
 * Context: any.
 */
void vacc_attribution_free(struct vacc_event *event)
{
	struct vacc_attribution *attribution = event->attribution;
	u64 bytes;

	if (!attribution)
		return;
	bytes = attribution->bytes;
	kvfree(attribution);
	vacc_quota_uncharge(event->obj.file->dev, bytes);
}

/**
 * vacc_event_timed() - say when a command was executed, as far as it is
 * @event: an event whose submission asked for timing
 * @command: index of the command; they come in order
 * @start_ns: when it began, CLOCK_MONOTONIC
 * @end_ns: when it was complete, or how far it has come
 *
 * One caller at a time, and none once the event is reported.
 *
 * Context: any, before the event is reported.
 */
void vacc_event_timed(struct vacc_event *event, u32 command, u64 start_ns,
		      u64 end_ns)
{
	struct vacc_attribution *attribution = event->attribution;
	struct vacc_event_clock *clock = event->clock;

	if (!clock->start_ns)
		clock->start_ns = start_ns;
	clock->end_ns = end_ns;
	if (!attribution || command >= attribution->count)
		return;
	attribution->rows[command].start_ns = start_ns;
	attribution->rows[command].end_ns = end_ns;
}
EXPORT_SYMBOL_GPL(vacc_event_timed);

static int vacc_attribution_copy_out(const struct vacc_attribution *attribution,
				     struct vacc_array *rows)
{
	u32 room = min(rows->count, attribution->count);
	u32 i;
	int err;

	for (i = 0; i < room; i++) {
		err = vacc_copy_element_out(rows, i, &attribution->rows[i],
					    sizeof(attribution->rows[i]));
		if (err)
			return err;
		cond_resched();
	}
	rows->count = attribution->count;
	return 0;
}

static int vacc_attribution_of(struct vacc_call *call, struct vacc_event *event,
			       struct vacc_array *rows)
{
	if (!event->attribution)
		return vacc_fail(call, -EINVAL,
				 "the event was submitted without ATTRIBUTION");
	/* From its end on nobody writes to the rows. */
	if (vacc_event_state(event) == VACC_EVENT_PENDING)
		return vacc_fail(call, -EBUSY, "the event is pending");
	return vacc_attribution_copy_out(event->attribution, rows);
}

static int vacc_attribution_check(struct vacc_call *call,
				  const struct vacc_event_attribution *arg)
{
	if (!(call->dev->info.features & VACC_FEATURE_ATTRIBUTION))
		return vacc_fail(call, -EOPNOTSUPP,
				 "this device does not attribute work");
	if (arg->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (arg->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	if (arg->rows.count && !arg->rows.stride)
		return vacc_fail(call, -EINVAL, "an array needs a stride");
	return 0;
}

/**
 * vacc_event_attribution() - VACC_EVENT_ATTRIBUTION
 * @call: the call
 * @arg: struct vacc_event_attribution
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag, or where the device does not attribute work; -EINVAL
 * for a reserved field, a stride of zero, or an event that was submitted without it;
 * -E2BIG for too large a stride; -ENOENT; -EBUSY while the event is pending; -EFAULT.
 */
int vacc_event_attribution(struct vacc_call *call, void *arg)
{
	struct vacc_event_attribution *attribution = arg;
	struct vacc_event *event;
	int err;

	err = vacc_attribution_check(call, attribution);
	if (err)
		return err;
	event = vacc_event_get(call, attribution->handle);
	if (!event)
		return -ENOENT;
	err = vacc_attribution_of(call, event, &attribution->rows);
	vacc_event_put(event);
	return err;
}
