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
#include <linux/slab.h>
#include <linux/sort.h>

#include "core.h"

#define VACC_SUBMIT_KNOWN	(VACC_SUBMIT_AUTO_DESTROY |	\
				 VACC_SUBMIT_WAIT |		\
				 VACC_SUBMIT_OUT_FENCE)

/**
 * struct vacc_submit_state - a submission under way
 * @call: the call
 * @arg: the caller's argument
 * @bindings: the caller's bindings
 * @queue: where it runs
 * @program: what runs
 * @buffers: what the bindings name, as far as they were found; later each once
 * @found: how many
 * @backend_bindings: for the backend
 * @event: the event
 */
struct vacc_submit_state {
	struct vacc_call *call;
	struct vacc_submit *arg;
	struct vacc_binding *bindings;
	struct vacc_queue *queue;
	struct vacc_program *program;
	struct vacc_buffer **buffers;
	u32 found;
	struct vacc_bind *backend_bindings;
	struct vacc_event *event;
};

static int vacc_submit_check_support(struct vacc_call *call,
				     const struct vacc_submit *arg)
{
	if (arg->flags & ~VACC_SUBMIT_KNOWN)
		return vacc_fail(call, -EOPNOTSUPP,
				 "a flag that this device or kernel does not have");
	if ((arg->flags & VACC_SUBMIT_OUT_FENCE) && !IS_ENABLED(CONFIG_SYNC_FILE))
		return vacc_fail(call, -EOPNOTSUPP,
				 "this kernel has no sync_file");
	if (arg->kind != VACC_SUBMIT_PROGRAM || arg->priority)
		return vacc_fail(call, -EOPNOTSUPP,
				 "a kind or a priority that is reserved");
	if (arg->data || arg->data_bytes)
		return vacc_fail(call, -EOPNOTSUPP, "data are reserved");
	if (arg->in_fences.count || arg->work.count)
		return vacc_fail(call, -EOPNOTSUPP,
				 "in-fences and attribution are not there yet");
	return 0;
}

static int vacc_submit_check(struct vacc_call *call,
			     const struct vacc_submit *arg)
{
	int err = vacc_submit_check_support(call, arg);

	if (err)
		return err;
	if (arg->flags & VACC_SUBMIT_WAIT) {
		if (!vacc_deadline_valid(arg->deadline_ns))
			return vacc_fail(call, -EINVAL, "no such time");
	} else if (arg->deadline_ns) {
		return vacc_fail(call, -EINVAL, "a deadline needs WAIT");
	}
	if (!arg->bindings.count)
		return vacc_fail(call, -EINVAL,
				 "a submission needs a binding");
	if (arg->bindings.count > VIRTIO_ACCEL_MAX_BINDINGS)
		return vacc_fail(call, -EINVAL,
				 "more bindings than any device takes");
	return 0;
}

static int vacc_submit_bad_binding(struct vacc_submit_state *state, u32 index,
				   int error, const char *text)
{
	state->call->reason.binding = index;
	return vacc_fail(state->call, error, text);
}

/* Scalars, before any handle is looked at. */
static int vacc_submit_check_scalars(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->arg->bindings.count; i++) {
		const struct vacc_binding *binding = &state->bindings[i];

		if (!binding->bytes)
			return vacc_submit_bad_binding(state, i, -EINVAL,
						       "a binding cannot be empty");
		if (binding->access < VIRTIO_ACCEL_ACCESS_READ ||
		    binding->access > VIRTIO_ACCEL_ACCESS_READ_WRITE)
			return vacc_submit_bad_binding(state, i, -EINVAL,
						       "no such access");
		if (binding->element_type >= VACC_TYPE_COUNT)
			return vacc_submit_bad_binding(state, i, -EINVAL,
						       "no such element type");
	}
	return 0;
}

static int vacc_submit_find(struct vacc_submit_state *state)
{
	struct vacc_call *call = state->call;
	struct vacc_obj *obj;
	u32 i;

	obj = vacc_obj_get(call, state->arg->queue, VACC_KIND_QUEUE);
	if (!obj)
		return vacc_fail(call, -ENOENT, "no such queue in this file");
	state->queue = container_of(obj, struct vacc_queue, obj);
	obj = vacc_obj_get(call, state->arg->program, VACC_KIND_PROGRAM);
	if (!obj)
		return vacc_fail(call, -ENOENT, "no such program in this file");
	state->program = container_of(obj, struct vacc_program, obj);
	for (i = 0; i < state->arg->bindings.count; i++) {
		obj = vacc_obj_get(call, state->bindings[i].buffer,
				   VACC_KIND_BUFFER);
		if (!obj)
			return vacc_submit_bad_binding(state, i, -ENOENT,
						       "no such buffer in this file");
		state->buffers[i] = container_of(obj, struct vacc_buffer, obj);
		state->found++;
	}
	return 0;
}

static int vacc_submit_check_contexts(struct vacc_submit_state *state)
{
	struct vacc_context *context = state->queue->obj.context;
	u32 i;

	if (state->program->obj.context != context)
		return vacc_fail(state->call, -EINVAL,
				 "the program belongs to another context than the queue");
	for (i = 0; i < state->found; i++)
		if (state->buffers[i]->obj.context != context)
			return vacc_submit_bad_binding(state, i, -EINVAL,
						       "the buffer belongs to another context");
	return 0;
}

static int vacc_submit_check_ranges(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->found; i++) {
		const struct vacc_binding *binding = &state->bindings[i];
		u64 bytes = state->buffers[i]->bytes;

		if (binding->offset > bytes ||
		    binding->bytes > bytes - binding->offset)
			return vacc_submit_bad_binding(state, i, -ERANGE,
						       "the range leaves the buffer");
	}
	return 0;
}

static bool vacc_submit_access_allowed(u32 access, u32 usage)
{
	if (usage & VIRTIO_ACCEL_USAGE_MUTABLE)
		return true;
	switch (access) {
	case VIRTIO_ACCEL_ACCESS_READ:
		return usage & VIRTIO_ACCEL_USAGE_INPUT;
	case VIRTIO_ACCEL_ACCESS_WRITE:
		return usage & VIRTIO_ACCEL_USAGE_OUTPUT;
	default:
		return false;
	}
}

static int vacc_submit_check_access(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->found; i++)
		if (!vacc_submit_access_allowed(state->bindings[i].access,
						state->buffers[i]->usage))
			return vacc_submit_bad_binding(state, i, -EACCES,
						       "the buffer's usage does not allow this access");
	return 0;
}

static int vacc_submit_compare_slots(const void *a, const void *b)
{
	u32 x = *(const u32 *)a;
	u32 y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static int vacc_submit_check_slots(struct vacc_submit_state *state)
{
	u32 count = state->found;
	u32 *slots;
	u32 i;
	int err = 0;

	slots = kvmalloc_array(count, sizeof(*slots), GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		slots[i] = state->bindings[i].slot;
	sort(slots, count, sizeof(*slots), vacc_submit_compare_slots, NULL);
	for (i = 1; i < count && !err; i++)
		if (slots[i] == slots[i - 1])
			err = vacc_fail(state->call, -EINVAL,
					"a slot is bound twice");
	kvfree(slots);
	return err;
}

static int vacc_submit_check_types(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->found; i++) {
		u32 asserted = state->bindings[i].element_type;
		u32 type = state->buffers[i]->element_type;

		if (asserted && type && asserted != type)
			return vacc_submit_bad_binding(state, i, -EINVAL,
						       "the buffer has another element type");
	}
	return 0;
}

static int vacc_submit_check_limit(struct vacc_submit_state *state)
{
	const struct vacc_backend_info *info = &state->call->dev->info;

	if (state->found > min(info->max_bindings, info->effective_bindings))
		return vacc_fail(state->call, -ENOSPC,
				 "more bindings than the device takes");
	return 0;
}

/* All checks of the core, in the order that linux/vacc.h promises. */
static int vacc_submit_resolve(struct vacc_submit_state *state)
{
	static int (*const checks[])(struct vacc_submit_state *state) = {
		vacc_submit_check_scalars,
		vacc_submit_find,
		vacc_submit_check_contexts,
		vacc_submit_check_ranges,
		vacc_submit_check_access,
		vacc_submit_check_slots,
		vacc_submit_check_types,
		vacc_submit_check_limit,
	};
	int err = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(checks) && !err; i++)
		err = checks[i](state);
	return err;
}

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
	event = vacc_event_alloc(state->call, state->found, bytes);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->queue = state->queue;
	kref_get(&event->queue->ref);
	event->program = state->program;
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
	err = vacc_obj_reserve(state->call, &event->obj, VACC_KIND_EVENT,
			       event->obj.context);
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

static struct vacc_result
vacc_submit_to_backend(struct vacc_submit_state *state,
		       const struct vacc_backend_ops *ops)
{
	struct vacc_submission work = {
		.queue = state->queue->obj.backend,
		.program = state->program->obj.backend,
		.bindings = state->backend_bindings,
		.binding_count = state->arg->bindings.count,
		.timeout_ns = state->arg->timeout_ns,
		.may_run_here = true,
		.event = state->event,
		.reason = &state->call->reason,
	};

	return ops->submit(state->call->dev->priv, &work);
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

/*
 * The point of no return.  The event is on its queue before the backend has it, so that
 * it can end at once, and published before the registration lock is dropped, so that an
 * unplug finds it.
 */
static int vacc_submit_commit(struct vacc_submit_state *state)
{
	struct vacc_device *dev = state->call->dev;
	struct vacc_event *event = state->event;
	const struct vacc_backend_ops *ops;
	struct vacc_result result;

	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	vacc_event_link(event);
	result = vacc_submit_to_backend(state, ops);
	if (result.outcome != VACC_OUTCOME_REJECTED) {
		vacc_submit_admitted(state, result);
		vacc_device_exit(dev);
		return 0;
	}
	vacc_event_unlink_rejected(event);
	vacc_device_exit(dev);
	atomic64_inc(&dev->rejected);
	return vacc_errno(result.status);
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
		err = vacc_submit_commit(state);
	if (err) {
		vacc_submit_drop_fence(call);
		return err;
	}
	if (call->fd >= 0) {
		fd_install(call->fd, call->fd_file);
		vacc_event_want(state->event);
	}
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

/**
 * vacc_submit() - VACC_SUBMIT
 * @call: the call
 * @arg: struct vacc_submit
 *
 * Context: process.
 * Return: 0 when there is an event; otherwise nothing was submitted: -EOPNOTSUPP, -EINVAL,
 * -E2BIG, -ENOENT, -ERANGE, -EACCES; -ENOSPC; -EAGAIN where reaping events makes room;
 * -EFAULT; -ENOMEM; -EMFILE, -ENFILE for an out-fence; -ENODEV; -ENOEXEC where the
 * bindings do not fit the program; or what else the backend says.
 */
int vacc_submit(struct vacc_call *call, void *arg)
{
	struct vacc_submit_state state = { .call = call, .arg = arg };
	u32 count;
	int err;

	err = vacc_submit_check(call, arg);
	if (err)
		return err;
	count = state.arg->bindings.count;
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
	kvfree(state.backend_bindings);
	kvfree(state.buffers);
	kvfree(state.bindings);
	return err;
}
