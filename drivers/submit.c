// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT.
 *
 * Everything that can fail is done first, the result is written to the caller, and only
 * then the backend gets the work.  From there on the call returns 0, unless the backend
 * refuses, and then nothing was submitted.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "submit.h"

static void vacc_submit_fill_bindings(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->found; i++) {
		const struct vacc_binding *binding = &state->bindings[i];
		struct vacc_buffer *buffer = state->buffers[i];

		state->backend_bindings[i] = (struct vacc_bind){
			.buffer = buffer->obj.backend,
			.offset = binding->offset,
			.bytes = binding->bytes,
			.slot = binding->slot,
			.access = binding->access,
			.element_type = binding->element_type ?
						binding->element_type :
						buffer->element_type,
		};
	}
}

static int vacc_submit_event_bytes(struct vacc_submit_state *state,
				   size_t *bytes)
{
	struct vacc_device *dev = state->call->dev;
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);

	if (!ops)
		return vacc_device_error(dev);
	*bytes = ops->event_bytes(dev->priv, state->program->obj.backend,
				  state->arg->bindings.count);
	vacc_device_exit(dev);
	return 0;
}

static int vacc_submit_compare_buffers(const void *a, const void *b)
{
	const struct vacc_buffer *x = *(struct vacc_buffer *const *)a;
	const struct vacc_buffer *y = *(struct vacc_buffer *const *)b;

	return x < y ? -1 : x > y;
}

/* An event uses each buffer once, at however many slots it is bound. */
static void vacc_submit_unique_buffers(struct vacc_submit_state *state)
{
	struct vacc_buffer **buffers = state->buffers;
	u32 unique = 1;
	u32 i;

	sort(buffers, state->found, sizeof(*buffers),
	     vacc_submit_compare_buffers, NULL);
	for (i = 1; i < state->found; i++) {
		if (buffers[i] == buffers[unique - 1])
			vacc_obj_put(&buffers[i]->obj);
		else
			buffers[unique++] = buffers[i];
	}
	state->found = unique;
}

static struct vacc_event *vacc_submit_alloc_event(struct vacc_submit_state *state)
{
	struct vacc_event *event;
	size_t bytes;
	int err;

	err = vacc_submit_event_bytes(state, &bytes);
	if (err)
		return ERR_PTR(err);
	event = vacc_event_alloc(state->call, state->found,
				 state->arg->timeout_ns ||
				 state->arg->flags & VACC_SUBMIT_TIMING, bytes);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->queue = state->queue;
	kref_get(&event->queue->ref);
	event->program = state->program;
	event->binding_count = state->arg->bindings.count;
	event->queue_handle = state->queue->obj.handle;
	event->user_data = state->arg->user_data;
	event->submit_flags = state->arg->flags;
	event->admission = VACC_ACCEPTED;
	memcpy(event->buffers, state->buffers,
	       state->found * sizeof(*state->buffers));
	event->obj.context = state->queue->obj.context;
	kref_get(&event->obj.context->ref);
	return event;
}

static void vacc_submit_give_room_back(struct vacc_file *file)
{
	vacc_file_leave(file);
	vacc_file_release_hold(file);
}

/* An event, its handle, and room among those in flight. */
static int vacc_submit_make_event(struct vacc_submit_state *state)
{
	struct vacc_file *file = state->call->file;
	struct vacc_event *event = vacc_submit_alloc_event(state);
	int err;

	if (IS_ERR(event))
		return PTR_ERR(event);
	if (!vacc_file_enter(file)) {
		vacc_event_put(event);
		return vacc_fail(state->call, -EAGAIN,
				 "the file has all pending events that max_inflight allows");
	}
	err = vacc_record_reserve(state->call, event);
	if (!err)
		err = vacc_attribution_make(state, event);
	if (!err)
		err = vacc_obj_reserve(state->call, &event->obj,
				       VACC_KIND_EVENT, event->obj.context);
	if (err) {
		vacc_submit_give_room_back(file);
		vacc_event_put(event);
		return err;
	}
	state->event = event;
	return 0;
}

static void vacc_submit_drop_event(struct vacc_submit_state *state)
{
	vacc_obj_unreserve(&state->event->obj);
	vacc_submit_give_room_back(state->call->file);
	vacc_event_put(state->event);
}

/* What the caller finds if it never looks again: accepted, and pending. */
static void vacc_submit_fill_result(struct vacc_submit_state *state)
{
	struct vacc_submit *arg = state->arg;

	arg->event = state->event->obj.handle;
	arg->admission = state->event->admission;
	arg->out_fence_fd = state->call->fd;
	vacc_event_report(state->event, &arg->state, &arg->status,
			  &arg->event_flags);
}

/* From here on the event has what it waits for. */
static void vacc_submit_fill_defer(struct vacc_submit_state *state)
{
	struct vacc_defer *defer = &state->event->defer;

	defer->waits = state->waits;
	defer->wait_count = state->wait_count;
	state->waits = NULL;
	state->wait_count = 0;
}

static u16 vacc_submit_prepare(struct vacc_submit_state *state,
			       const struct vacc_backend_ops *ops)
{
	struct vacc_submission work = {
		.queue = state->queue->obj.backend,
		.program = state->program->obj.backend,
		.bindings = state->backend_bindings,
		.binding_count = state->arg->bindings.count,
		.timeout_ns = state->arg->timeout_ns,
		.timed = state->arg->flags & VACC_SUBMIT_TIMING,
		.event = state->event,
		.reason = &state->call->reason,
	};

	return ops->event_prepare(state->call->dev->priv, &work);
}

static int vacc_submit_refused(struct vacc_submit_state *state, u16 status)
{
	atomic64_inc(&state->call->dev->rejected);
	return vacc_errno(status);
}

static void vacc_submit_deferred(struct vacc_submit_state *state)
{
	struct vacc_event *event = state->event;

	vacc_event_publish(event);
	vacc_event_arm(event, state->arg->timeout_ns);
	vacc_defer_release(event);
}

static void vacc_submit_admitted(struct vacc_submit_state *state,
				 struct vacc_result result)
{
	struct vacc_device *dev = state->call->dev;
	struct vacc_event *event = state->event;

	if (result.outcome == VACC_OUTCOME_INDETERMINATE)
		vacc_event_indeterminate(event);
	vacc_event_arm(event, state->arg->timeout_ns);
	atomic64_add(state->arg->bindings.count, &dev->direct_bindings);
	vacc_event_publish(event);
}

static int vacc_submit_now(struct vacc_submit_state *state,
			   const struct vacc_backend_ops *ops)
{
	struct vacc_event *event = state->event;
	struct vacc_result result;

	event->admitted = true;
	result = ops->event_submit(state->call->dev->priv, event);
	if (result.outcome != VACC_OUTCOME_REJECTED) {
		vacc_submit_admitted(state, result);
		return 0;
	}
	vacc_event_unlink_rejected(event);
	return vacc_submit_refused(state, result.status);
}

static int vacc_submit_prepared(struct vacc_submit_state *state,
				const struct vacc_backend_ops *ops)
{
	vacc_submit_fill_defer(state);
	vacc_event_link(state->event);
	if (!vacc_defer_begin(state->event))
		return vacc_submit_now(state, ops);
	vacc_submit_deferred(state);
	return 0;
}

/*
 * The point of no return.  The event is on its queue before the device has it, so that
 * it can end at once, and published before the registration lock is dropped, so that an
 * unplug finds it: no event is prepared, and neither handed over nor on a queue, when
 * the lock is free.
 */
static int vacc_submit_commit(struct vacc_submit_state *state)
{
	struct vacc_device *dev = state->call->dev;
	const struct vacc_backend_ops *ops;
	u16 status;
	int err;

	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	status = vacc_submit_prepare(state, ops);
	if (status == VIRTIO_ACCEL_S_OK)
		err = vacc_submit_prepared(state, ops);
	else
		err = vacc_submit_refused(state, status);
	vacc_device_exit(dev);
	return err;
}

/* Waits if asked to, and corrects what was written before.  Cannot fail any more. */
static void vacc_submit_follow(struct vacc_submit_state *state)
{
	struct vacc_event *event = state->event;

	if (state->arg->flags & VACC_SUBMIT_WAIT)
		vacc_wait_one(event, state->arg->deadline_ns);
	else if (event->admission == VACC_ACCEPTED)
		return;
	vacc_submit_fill_result(state);
	/* Where it faults, VACC_EVENT_QUERY tells. */
	if (vacc_copy_out(state->call, state->arg, sizeof(*state->arg)))
		return;
}

static int vacc_submit_out_fence(struct vacc_submit_state *state)
{
	if (!(state->arg->flags & VACC_SUBMIT_OUT_FENCE))
		return 0;
	return vacc_event_fd(state->call, state->event);
}

static void vacc_submit_drop_fence(struct vacc_call *call)
{
	if (call->fd < 0)
		return;
	put_unused_fd(call->fd);
	fput(call->fd_file);
}

/* Tells the caller of SUBMIT_MANY how many there are, before that can be changed. */
static int vacc_submit_say_done(struct vacc_submit_batch *many, u32 more)
{
	u32 __user *done;

	if (!many)
		return 0;
	done = many->call->uarg + offsetof(struct vacc_submit_many, done);
	return put_user(many->index + more, done);
}

/* Writes the provisional result and hands the work over. */
static int vacc_submit_hand_over(struct vacc_submit_state *state)
{
	struct vacc_call *call = state->call;
	int err;

	err = vacc_submit_out_fence(state);
	if (err)
		return err;
	vacc_submit_fill_result(state);
	err = vacc_copy_out(call, state->arg, sizeof(*state->arg));
	if (!err)
		err = vacc_submit_say_done(state->many, 1);
	if (!err)
		err = vacc_submit_commit(state);
	if (err) {
		vacc_submit_drop_fence(call);
		return err;
	}
	if (call->fd >= 0)
		fd_install(call->fd, call->fd_file);
	if (state->arg->flags & (VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_RECORD))
		vacc_event_want(state->event);
	return 0;
}

/* Uses that the event has not taken over. */
static void vacc_submit_put_objects(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->found; i++)
		vacc_obj_put(&state->buffers[i]->obj);
	if (state->program)
		vacc_obj_put(&state->program->obj);
	if (state->queue)
		vacc_obj_put(&state->queue->obj);
}

static int vacc_submit_resolved(struct vacc_submit_state *state)
{
	int err;

	vacc_submit_fill_bindings(state);
	vacc_submit_unique_buffers(state);
	err = vacc_submit_make_event(state);
	if (err)
		return err;
	err = vacc_submit_hand_over(state);
	if (err) {
		vacc_submit_drop_event(state);
		return err;
	}
	vacc_submit_follow(state);
	if (state->many)
		state->many->events[state->many->index] = state->event;
	else
		vacc_event_put(state->event);
	return 0;
}

static int vacc_submit_run(struct vacc_submit_state *state)
{
	int err;

	err = vacc_copy_array_in(&state->arg->bindings, state->bindings,
				 sizeof(*state->bindings),
				 sizeof(*state->bindings));
	if (err)
		return err;
	err = vacc_submit_resolve(state);
	if (!err)
		err = vacc_submit_resolved(state);
	if (err)
		vacc_submit_put_objects(state);
	return err;
}

static int vacc_submit_one(struct vacc_call *call, struct vacc_submit *arg,
			   struct vacc_submit_batch *many)
{
	struct vacc_submit_state state = {
		.call = call,
		.arg = arg,
		.many = many,
	};
	u32 count;
	int err;

	err = vacc_submit_check(call, arg);
	if (err)
		return err;
	count = arg->bindings.count;
	state.bindings = kvmalloc_array(count, sizeof(*state.bindings),
					GFP_KERNEL_ACCOUNT);
	state.buffers = kvmalloc_array(count, sizeof(*state.buffers),
				       GFP_KERNEL_ACCOUNT);
	state.backend_bindings = kvmalloc_array(count,
						sizeof(*state.backend_bindings),
						GFP_KERNEL_ACCOUNT);
	if (state.bindings && state.buffers && state.backend_bindings)
		err = vacc_submit_run(&state);
	else
		err = -ENOMEM;
	vacc_in_fence_release(&state);
	vacc_work_release(&state);
	kvfree(state.backend_bindings);
	kvfree(state.buffers);
	kvfree(state.bindings);
	return err;
}

/**
 * vacc_submit() - VACC_SUBMIT
 * @call: the call
 * @arg: struct vacc_submit
 *
 * Context: process.
 * Return: 0 when there is an event; otherwise nothing was submitted: -EOPNOTSUPP, -EINVAL,
 * -E2BIG, -ENOENT, -ERANGE, -EACCES; -EBADF for an in-fence; -ENOSPC; -EAGAIN where
 * reaping events or reading records makes room; -EFAULT; -ENOMEM; -EMFILE for an
 * out-fence; -ENODEV; -ENOEXEC where the bindings do not fit the program; or what else the
 * backend says.
 */
int vacc_submit(struct vacc_call *call, void *arg)
{
	return vacc_submit_one(call, arg, NULL);
}

static void __user *vacc_submit_element_at(const struct vacc_array *submits,
					   u32 index)
{
	return u64_to_user_ptr(submits->ptr + (u64)index * submits->stride);
}

static int vacc_submit_element(struct vacc_submit_batch *many,
			       const struct vacc_array *submits)
{
	struct vacc_call element = *many->call;
	struct vacc_submit arg;
	int err;

	element.uarg = vacc_submit_element_at(submits, many->index);
	element.usize = submits->stride;
	err = copy_struct_from_user(&arg, sizeof(arg), element.uarg,
				    element.usize);
	if (err)
		return err;
	if (arg.size < sizeof(arg) || arg.size > submits->stride)
		return vacc_fail(many->call, -EINVAL,
				 "the size of an element is not that of a submission");
	err = vacc_submit_one(&element, &arg, many);
	many->call->reason = element.reason;
	return err;
}

/*
 * Tells the caller of SUBMIT_MANY what was not submitted, as far as it can be written.
 * The element that was refused may say otherwise since before that.
 */
static void vacc_submit_say_not(struct vacc_submit_batch *many,
				const struct vacc_array *submits)
{
	struct vacc_submit __user *element;
	u32 i;

	for (i = many->index; i < submits->count; i++) {
		element = vacc_submit_element_at(submits, i);
		if (put_user(VACC_NOT_SUBMITTED, &element->admission) &&
		    fatal_signal_pending(current))
			return;
		cond_resched();
	}
	vacc_submit_say_done(many, 0);
}

static int vacc_submit_elements(struct vacc_submit_batch *many,
				const struct vacc_array *submits)
{
	int err = 0;

	while (many->index < submits->count && !err) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = vacc_submit_element(many, submits);
		if (!err)
			many->index++;
		cond_resched();
	}
	return err;
}

/**
 * vacc_submit_many() - VACC_SUBMIT_MANY
 * @call: the call
 * @arg: struct vacc_submit_many
 *
 * Context: process.
 * Return: 0 where any element was submitted; -EOPNOTSUPP for a flag; -EINVAL for a count or
 * a stride; -E2BIG; or what vacc_submit() returns for the first element.
 */
int vacc_submit_many(struct vacc_call *call, void *arg)
{
	struct vacc_submit_batch many = { .call = call };
	struct vacc_submit_many *submit = arg;
	u32 count = submit->submits.count;
	u32 i;
	int err;

	if (submit->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (submit->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	if (!count || count > VACC_MAX_SUBMITS)
		return vacc_fail(call, -EINVAL, "1 to 4096 submissions");
	err = vacc_check_array(&submit->submits, sizeof(struct vacc_submit));
	if (err)
		return err;
	many.events = kvcalloc(count, sizeof(*many.events), GFP_KERNEL_ACCOUNT);
	if (!many.events)
		return -ENOMEM;
	err = vacc_submit_elements(&many, &submit->submits);
	if (err)
		vacc_submit_say_not(&many, &submit->submits);
	for (i = 0; i < many.index; i++)
		vacc_event_put(many.events[i]);
	kvfree(many.events);
	if (many.index && err)
		vacc_error_note(call, err);
	return many.index ? 0 : err;
}
