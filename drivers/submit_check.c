// SPDX-License-Identifier: GPL-2.0
/*
 * What the core checks of a submission.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "submit.h"

#define VACC_SUBMIT_KNOWN	(VACC_SUBMIT_AUTO_DESTROY |		\
				 VACC_SUBMIT_RECORD |			\
				 VACC_SUBMIT_WAIT |			\
				 VACC_SUBMIT_IGNORE_FENCE_ERRORS |	\
				 VACC_SUBMIT_ATTRIBUTION |		\
				 VACC_SUBMIT_TIMING |			\
				 VACC_SUBMIT_OUT_FENCE)

/* What the caller requires must be there: nothing runs without it. */
static int vacc_submit_check_required(struct vacc_call *call,
				      const struct vacc_submit *arg)
{
	u32 features = call->dev->info.features;

	if (arg->flags & VACC_SUBMIT_REPLAY_ONLY)
		return vacc_fail(call, -EOPNOTSUPP,
				 "this device has no work to replay");
	if (arg->flags & VACC_SUBMIT_CAPTURED)
		return vacc_fail(call, -EOPNOTSUPP,
				 "this device does not use captured work");
	if (arg->flags & ~VACC_SUBMIT_KNOWN)
		return vacc_fail(call, -EOPNOTSUPP,
				 "a flag that this device or kernel does not have");
	if ((arg->flags & VACC_SUBMIT_ATTRIBUTION || arg->work.count) &&
	    !(features & VACC_FEATURE_ATTRIBUTION))
		return vacc_fail(call, -EOPNOTSUPP,
				 "this device does not attribute work");
	if (arg->flags & VACC_SUBMIT_TIMING && !(features & VACC_FEATURE_TIMING))
		return vacc_fail(call, -EOPNOTSUPP,
				 "this device does not time work");
	return 0;
}

static int vacc_submit_check_support(struct vacc_call *call,
				     const struct vacc_submit *arg)
{
	int err = vacc_submit_check_required(call, arg);

	if (err)
		return err;
	if ((arg->flags & VACC_SUBMIT_OUT_FENCE) && !IS_ENABLED(CONFIG_SYNC_FILE))
		return vacc_fail(call, -EOPNOTSUPP,
				 "this kernel has no sync_file");
	if (arg->kind != VACC_SUBMIT_PROGRAM || arg->priority)
		return vacc_fail(call, -EOPNOTSUPP,
				 "a kind or a priority that is reserved");
	if (arg->data || arg->data_bytes)
		return vacc_fail(call, -EOPNOTSUPP, "data are reserved");
	return 0;
}

/**
 * vacc_submit_check() - check what can be checked without looking anything up
 * @call: the call
 * @arg: the argument
 *
 * Context: any.
 * Return: 0, -EOPNOTSUPP or -EINVAL.
 */
int vacc_submit_check(struct vacc_call *call, const struct vacc_submit *arg)
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
	if (arg->in_fences.count > VACC_MAX_IN_FENCES)
		return vacc_fail(call, -EINVAL, "at most 64 in-fences");
	if (arg->work.count > VACC_MAX_WORK)
		return vacc_fail(call, -EINVAL,
				 "work for more commands than any program has");
	if (arg->work.count && !(arg->flags & VACC_SUBMIT_ATTRIBUTION))
		return vacc_fail(call, -EINVAL, "work needs ATTRIBUTION");
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

/**
 * vacc_submit_resolve() - look up what a submission names, and check it
 * @state: the submission, with its bindings
 *
 * All checks of the core, in the order that linux/vacc.h promises.
 *
 * Context: process.
 * Return: 0 or an errno; what was found is in @state in either case.
 */
int vacc_submit_resolve(struct vacc_submit_state *state)
{
	static int (*const checks[])(struct vacc_submit_state *state) = {
		vacc_in_fence_read,
		vacc_work_read,
		vacc_submit_check_scalars,
		vacc_submit_find,
		vacc_in_fence_find,
		vacc_submit_check_contexts,
		vacc_submit_check_ranges,
		vacc_submit_check_access,
		vacc_submit_check_slots,
		vacc_submit_check_types,
		vacc_work_check,
		vacc_submit_check_limit,
	};
	int err = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(checks) && !err; i++)
		err = checks[i](state);
	return err;
}
