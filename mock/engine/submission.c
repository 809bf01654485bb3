// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Submissions: what is checked, charged and reserved before an event is admitted.
 */
#include "object.h"
#include "team.h"

/* So many bindings are resolved on the stack. */
#define ENG_FEW_BINDINGS	8

static u16 eng_refuse(struct eng_reason *reason, u32 binding, u16 status,
		      const char *text)
{
	reason->command = ENG_NO_INDEX;
	reason->launch = ENG_NO_INDEX;
	reason->binding = binding;
	reason->text = text;
	return status;
}

static bool eng_usage_allows(u32 usage, u8 access)
{
	if (usage & VIRTIO_ACCEL_USAGE_MUTABLE)
		return true;
	if (access == VIRTIO_ACCEL_ACCESS_READ)
		return usage & VIRTIO_ACCEL_USAGE_INPUT;
	if (access == VIRTIO_ACCEL_ACCESS_WRITE)
		return usage & VIRTIO_ACCEL_USAGE_OUTPUT;
	return false;
}

static u16 eng_check_objects(const struct eng_submission *work,
			     struct eng_reason *reason)
{
	const struct eng_context *context = work->queue->context;
	const struct eng_limits *limits = &context->device->limits;
	u32 i;

	if (!work->binding_count)
		return eng_refuse(reason, ENG_NO_INDEX,
				  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
				  "nothing is bound");
	if (work->binding_count > limits->max_bindings)
		return eng_refuse(reason, ENG_NO_INDEX,
				  VIRTIO_ACCEL_S_RESOURCE_LIMIT,
				  "more bindings than the device takes");
	if (work->image->context != context)
		return eng_refuse(reason, ENG_NO_INDEX,
				  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
				  "queue and program are of different contexts");
	for (i = 0; i < work->binding_count; i++) {
		if (work->bindings[i].buffer->context != context)
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
					  "the buffer is of another context");
	}
	return VIRTIO_ACCEL_S_OK;
}

static u16 eng_check_ranges(const struct eng_submission *work,
			    struct eng_reason *reason)
{
	u32 i;

	for (i = 0; i < work->binding_count; i++) {
		const struct eng_bind *bind = &work->bindings[i];
		u64 total = bind->buffer->bytes;

		if (!bind->bytes)
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
					  "the range is empty");
		if (bind->offset > total || bind->bytes > total - bind->offset)
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_OUT_OF_BOUNDS,
					  "the range leaves its buffer");
	}
	return VIRTIO_ACCEL_S_OK;
}

static u16 eng_check_access(const struct eng_submission *work,
			    struct eng_reason *reason)
{
	u32 i, j;

	for (i = 0; i < work->binding_count; i++) {
		const struct eng_bind *bind = &work->bindings[i];

		if (bind->access < VIRTIO_ACCEL_ACCESS_READ ||
		    bind->access > VIRTIO_ACCEL_ACCESS_READ_WRITE)
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
					  "no such access");
		if (!eng_usage_allows(bind->buffer->usage, bind->access))
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_PERMISSION_DENIED,
					  "the buffer's usage does not allow it");
	}
	for (i = 1; i < work->binding_count; i++) {
		for (j = 0; j < i; j++) {
			if (work->bindings[i].slot == work->bindings[j].slot)
				return eng_refuse(reason, i,
						  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
						  "the slot is bound twice");
		}
	}
	return VIRTIO_ACCEL_S_OK;
}

static u16 eng_check_types(const struct eng_submission *work,
			   struct eng_reason *reason)
{
	u32 i;

	for (i = 0; i < work->binding_count; i++) {
		const struct eng_bind *bind = &work->bindings[i];
		u32 has = bind->buffer->element_type;

		if (bind->element_type >= VACC_TYPE_COUNT ||
		    (bind->element_type && has && bind->element_type != has))
			return eng_refuse(reason, i,
					  VIRTIO_ACCEL_S_INVALID_ARGUMENT,
					  "the buffer has another element type");
	}
	return VIRTIO_ACCEL_S_OK;
}

/* Fits the bindings to the program and finds out what that costs. */
static u16 eng_event_plan(struct eng_event *event,
			  const struct eng_submission *work,
			  struct eng_reason *reason)
{
	struct eng_range few[ENG_FEW_BINDINGS] = {};
	struct eng_range *ranges = few;
	struct eng_plan plan;
	u16 status;
	u32 i;

	if (work->binding_count > ENG_FEW_BINDINGS) {
		ranges = eng_alloc(work->binding_count * sizeof(*ranges));
		if (!ranges)
			return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	}
	for (i = 0; i < work->binding_count; i++) {
		const struct eng_bind *bind = &work->bindings[i];

		ranges[i] = (struct eng_range){
			.mem = bind->buffer->memory + bind->offset,
			.bytes = bind->bytes,
			.offset = bind->offset,
			.slot = bind->slot,
			.access = bind->access,
			.element_type = bind->element_type ?:
					bind->buffer->element_type,
		};
	}
	status = eng_run_init(eng_event_run(event), work->image->program,
			      ranges, work->binding_count, &plan, reason);
	if (ranges != few)
		eng_free(ranges);
	if (status)
		return status;

	event->big = plan.macs >= ENG_TEAM_MACS;
	event->scratch_bytes = plan.scratch_bytes;
	event->cost = min_t(u64, eng_plan_cost(&plan) + (u64)ENG_COMMAND_COST *
			    (work->image->command_count - 1), U32_MAX);
	return VIRTIO_ACCEL_S_OK;
}

static void eng_scratch_uncharge(struct eng_device *device, u64 bytes)
{
	if (!bytes)
		return;
	eng_spin_lock(&device->sums);
	device->scratch_bytes -= bytes;
	eng_spin_unlock(&device->sums);
}

static u16 eng_scratch_reserve(struct eng_device *device,
			       struct eng_event *event,
			       struct eng_reason *reason)
{
	u64 limit = device->limits.max_scratch_bytes;
	u64 bytes = event->scratch_bytes;
	struct list_head gone;
	void *scratch;
	bool full;

	if (!bytes)
		return VIRTIO_ACCEL_S_OK;
	if (bytes > limit || bytes > SIZE_MAX)
		return eng_refuse(reason, ENG_NO_INDEX,
				  VIRTIO_ACCEL_S_RESOURCE_LIMIT,
				  "needs more working memory than max_scratch_bytes");

	INIT_LIST_HEAD(&gone);
	eng_spin_lock(&device->sums);
	full = !eng_panels_yield(device, bytes, &gone);
	if (!full)
		device->scratch_bytes += bytes;
	eng_spin_unlock(&device->sums);
	eng_panels_free(&gone);
	if (full)
		return eng_refuse(reason, ENG_NO_INDEX, ENG_S_TRY_AGAIN,
				  "pending work has the working memory of max_scratch_bytes");

	scratch = eng_alloc(bytes);
	if (!scratch) {
		eng_scratch_uncharge(device, bytes);
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	}
	eng_run_set_scratch(eng_event_run(event), scratch);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_event_bytes() - how much memory an event needs
 * @image: what it is going to run
 * @binding_count: how many bindings
 *
 * Context: Any.
 * Return: bytes, of memory that is aligned to 8.
 */
size_t eng_event_bytes(const struct eng_image *image, u32 binding_count)
{
	return eng_event_run_offset(binding_count) +
	       eng_run_bytes(image->program);
}

/**
 * eng_event_prepare() - check work and take all that it needs
 * @event: eng_event_bytes() of memory, any contents
 * @work: the work
 * @reason: filled in where it is refused; may be NULL
 *
 * If it succeeds, eng_event_admit() or eng_event_discard() must follow.  Else
 * nothing is kept.  This is the part that allocates.
 *
 * Context: May sleep.
 * Return: OK, INVALID_ARGUMENT, RESOURCE_LIMIT, OUT_OF_BOUNDS, PERMISSION_DENIED,
 * INCOMPATIBLE, OUT_OF_MEMORY or ENG_S_TRY_AGAIN.
 */
u16 eng_event_prepare(struct eng_event *event,
		      const struct eng_submission *work,
		      struct eng_reason *reason)
{
	struct eng_context *context = work->queue->context;
	struct eng_reason ignored;
	u16 status;
	u32 i;

	if (!reason)
		reason = &ignored;
	status = eng_check_objects(work, reason);
	if (!status)
		status = eng_check_ranges(work, reason);
	if (!status)
		status = eng_check_access(work, reason);
	if (!status)
		status = eng_check_types(work, reason);
	if (status)
		return status;

	memset(event, 0, sizeof(*event));
	INIT_LIST_HEAD(&event->node);
	event->queue = work->queue;
	event->image = work->image;
	event->owner = work->owner;
	event->tag = work->tag;
	event->process = work->process;
	event->binding_count = work->binding_count;
	event->timed = work->timed;
	event->timed_command = ENG_NO_INDEX;
	if (work->timeout_ns &&
	    check_add_overflow(eng_now_ns(), work->timeout_ns,
			       &event->deadline_ns))
		event->deadline_ns = 0;

	status = eng_event_plan(event, work, reason);
	if (!status)
		status = eng_queue_prepare(work->queue,
					   eng_run_work_bytes(work->image->program));
	if (status)
		return status;
	if (event->big)
		eng_run_set_team(eng_event_run(event), eng_queue_team(work->queue));
	if (eng_atomic_inc(&context->events) >
	    context->device->limits.max_events) {
		eng_atomic_dec(&context->events);
		return eng_refuse(reason, ENG_NO_INDEX,
				  VIRTIO_ACCEL_S_RESOURCE_LIMIT,
				  "the context has its max_events");
	}
	status = eng_scratch_reserve(context->device, event, reason);
	if (status) {
		eng_atomic_dec(&context->events);
		return status;
	}

	eng_atomic_inc(&work->image->users);
	for (i = 0; i < work->binding_count; i++) {
		event->buffers[i] = work->bindings[i].buffer;
		eng_atomic_inc(&event->buffers[i]->users);
	}
	eng_panels_prepare(eng_event_run(event), event->buffers);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_event_release() - give back what an event has, but for its scratch
 * @event: the event
 *
 * Context: Any task.
 * Return: the scratch memory, for eng_free().
 */
void *eng_event_release(struct eng_event *event)
{
	struct eng_context *context = event->queue->context;
	u32 i;

	for (i = 0; i < event->binding_count; i++)
		eng_atomic_dec(&event->buffers[i]->users);
	eng_atomic_dec(&event->image->users);
	eng_scratch_uncharge(context->device, event->scratch_bytes);
	eng_atomic_dec(&context->events);
	return eng_run_scratch(eng_event_run(event));
}

/**
 * eng_event_discard() - give up an event that was prepared and not admitted
 * @event: the event, whose memory may go then
 *
 * Context: May sleep.
 */
void eng_event_discard(struct eng_event *event)
{
	eng_free(eng_event_release(event));
}
