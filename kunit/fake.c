// SPDX-License-Identifier: GPL-2.0
/*
 * The backend of the tests.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "fake.h"

#define FAKE_ALIVE	0x0a11feed

/* Bytes of the private areas of events, by what has happened to them. */
#define FAKE_PREPARED	0x11
#define FAKE_PRIVATE	0x5a
#define FAKE_DISCARDED	0xdd

/**
 * struct fake_obj - an object of the backend
 * @magic: FAKE_ALIVE while it is not released
 * @kind: what it is
 * @children: of a context
 * @parent: its context
 * @memory: of a buffer
 * @own: @memory is not the core's
 * @node: in the fake's @objects
 */
struct fake_obj {
	struct list_head node;
	u32 magic;
	enum vacc_kind kind;
	int children;
	struct fake_obj *parent;
	void *memory;
	bool own;
};

static void fake_enter(struct fake *fake, enum fake_op op)
{
	unsigned long flags;

	if (fake->hook)
		fake->hook(fake, op);
	spin_lock_irqsave(&fake->lock, flags);
	fake->calls[op]++;
	if (fake->stopped)
		fake->misuses++;
	spin_unlock_irqrestore(&fake->lock, flags);
}

/* Counts the call, and says whether it shall go wrong. */
static bool fake_fault_now(struct fake *fake, enum fake_op op,
			   struct vacc_result *result)
{
	struct fake_fault *fault = &fake->fault[op];
	bool now;

	fake_enter(fake, op);
	spin_lock_irq(&fake->lock);
	now = fault->nth && !--fault->nth;
	if (now)
		*result = fault->result;
	spin_unlock_irq(&fake->lock);
	return now;
}

static u16 fake_create(struct fake *fake, enum fake_op op, enum vacc_kind kind,
		       struct fake_obj *parent, void **handle)
{
	struct vacc_result result;
	struct fake_obj *obj;

	if (fake_fault_now(fake, op, &result))
		return result.status;
	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	obj->magic = FAKE_ALIVE;
	obj->kind = kind;
	obj->parent = parent;
	spin_lock_irq(&fake->lock);
	fake->live[kind]++;
	list_add(&obj->node, &fake->objects);
	if (parent && (parent->magic != FAKE_ALIVE ||
		       parent->kind != VACC_KIND_CONTEXT))
		fake->misuses++;
	if (parent)
		parent->children++;
	spin_unlock_irq(&fake->lock);
	*handle = obj;
	return VIRTIO_ACCEL_S_OK;
}

static void fake_obj_free(struct fake_obj *obj)
{
	if (obj->own)
		kvfree(obj->memory);
	kfree(obj);
}

static struct vacc_result fake_release(struct fake *fake, enum fake_op op,
				       enum vacc_kind kind,
				       struct fake_obj *obj)
{
	struct vacc_result result = vacc_done();

	if (fake_fault_now(fake, op, &result) &&
	    result.outcome == VACC_OUTCOME_REJECTED)
		return result;
	spin_lock_irq(&fake->lock);
	if (obj->magic != FAKE_ALIVE || obj->kind != kind || obj->children)
		fake->misuses++;
	obj->magic = 0;
	fake->live[kind]--;
	if (obj->parent)
		obj->parent->children--;
	list_del(&obj->node);
	spin_unlock_irq(&fake->lock);
	fake_obj_free(obj);
	return result;
}

static u16 fake_context_create(void *priv, void **context)
{
	return fake_create(priv, FAKE_CONTEXT_CREATE, VACC_KIND_CONTEXT, NULL,
			   context);
}

static struct vacc_result fake_context_destroy(void *priv, void *context)
{
	return fake_release(priv, FAKE_CONTEXT_DESTROY, VACC_KIND_CONTEXT,
			    context);
}

static u16 fake_buffer_create(void *priv, void *context,
			      const struct vacc_buffer_desc *desc,
			      void **buffer)
{
	struct fake_obj *obj;
	u16 status;

	status = fake_create(priv, FAKE_BUFFER_CREATE, VACC_KIND_BUFFER,
			     context, buffer);
	if (status != VIRTIO_ACCEL_S_OK)
		return status;
	obj = *buffer;
	obj->memory = desc->memory;
	if (!obj->memory) {
		obj->memory = kvzalloc(desc->bytes, GFP_KERNEL);
		obj->own = true;
	}
	return VIRTIO_ACCEL_S_OK;
}

static struct vacc_result fake_buffer_destroy(void *priv, void *buffer)
{
	return fake_release(priv, FAKE_BUFFER_DESTROY, VACC_KIND_BUFFER,
			    buffer);
}

static u16 fake_buffer_write(void *priv, void *buffer, u64 offset,
			     struct iov_iter *from)
{
	struct fake_obj *obj = buffer;
	struct fake *fake = priv;
	size_t bytes = iov_iter_count(from) - fake->short_by;
	struct vacc_result result;

	if (fake_fault_now(priv, FAKE_BUFFER_WRITE, &result))
		return result.status;
	if (copy_from_iter(obj->memory + offset, bytes, from) != bytes)
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	return VIRTIO_ACCEL_S_OK;
}

static u16 fake_buffer_read(void *priv, void *buffer, u64 offset,
			    struct iov_iter *to)
{
	struct fake_obj *obj = buffer;
	struct fake *fake = priv;
	size_t bytes = iov_iter_count(to) - fake->short_by;
	struct vacc_result result;

	if (fake_fault_now(priv, FAKE_BUFFER_READ, &result))
		return result.status;
	if (fake->lazy) {
		iov_iter_advance(to, bytes);
		return VIRTIO_ACCEL_S_OK;
	}
	if (copy_to_iter(obj->memory + offset, bytes, to) != bytes)
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	return VIRTIO_ACCEL_S_OK;
}

static u16 fake_program_load(void *priv, void *context,
			     const struct vacc_load *load, void **program)
{
	struct fake *fake = priv;

	fake->load = *load;
	memcpy(fake->payload, load->payload,
	       min_t(u64, load->payload_bytes, sizeof(fake->payload)));
	load->reason->command = 5;
	load->reason->launch = 6;
	load->reason->text = "the fake does not like it";
	return fake_create(priv, FAKE_PROGRAM_LOAD, VACC_KIND_PROGRAM, context,
			   program);
}

static struct vacc_result fake_program_unload(void *priv, void *program)
{
	return fake_release(priv, FAKE_PROGRAM_UNLOAD, VACC_KIND_PROGRAM,
			    program);
}

static void fake_program_info(void *priv, void *program,
			      struct vacc_program_info *info)
{
	*info = (struct vacc_program_info){
		.slot_count = 3,
		.command_count = FAKE_COMMANDS,
		.launch_count = 7,
		.max_scratch_bytes = 9,
	};
}

static void fake_program_slot(void *priv, void *program, u32 index,
			      struct vacc_program_slot *slot)
{
	slot->slot = 100 + index;
	slot->access = VIRTIO_ACCEL_ACCESS_READ;
	slot->min_bytes = 1000 + index;
}

static void fake_program_command(void *priv, void *program, u32 index,
				 struct vacc_attribution_row *row)
{
	struct fake *fake = priv;

	/* A row is handed over zeroed, and only for commands that there are. */
	if (index >= FAKE_COMMANDS || memchr_inv(row, 0, sizeof(*row))) {
		fake->misuses++;
		return;
	}
	*row = (struct vacc_attribution_row){
		.command = index,
		.operation = index == FAKE_DENSE ? VACC_NATIVE_DENSE_LINEAR :
						   VACC_NATIVE_COPY,
		.path = VACC_PATH_EAGER,
		.dispatches = 20 + index,
		.transfers = 30 + index,
	};
}

static u16 fake_queue_create(void *priv, void *context, void **queue)
{
	return fake_create(priv, FAKE_QUEUE_CREATE, VACC_KIND_QUEUE, context,
			   queue);
}

static struct vacc_result fake_queue_destroy(void *priv, void *queue)
{
	return fake_release(priv, FAKE_QUEUE_DESTROY, VACC_KIND_QUEUE, queue);
}

static void fake_queue_counters(void *priv, void *queue,
				struct vacc_work_counters *counters)
{
	*counters = (struct vacc_work_counters){ 1, 2, 3, 4 };
}

static void fake_counters(void *priv, struct vacc_work_counters *counters)
{
	*counters = (struct vacc_work_counters){ 10, 20, 30, 40 };
}

static void fake_scratch(void *priv, u64 *used, u64 *limit)
{
	*used = 50;
	*limit = 60;
}

static size_t fake_event_bytes(void *priv, void *program, u32 bindings)
{
	struct fake *fake = priv;

	fake_enter(fake, FAKE_EVENT_BYTES);
	return fake->private_bytes;
}

static void fake_keep_work(struct fake *fake, const struct vacc_submission *work)
{
	u32 count = min_t(u32, work->binding_count, ARRAY_SIZE(fake->binds));

	fake->work = *work;
	memcpy(fake->binds, work->bindings, count * sizeof(*work->bindings));
}

/* All of the private area says where an event is, and is zeroed at first. */
static void fake_move(struct fake *fake, struct vacc_event *event, int from,
		      int to)
{
	void *area = vacc_event_priv(event);
	unsigned long flags;

	spin_lock_irqsave(&fake->lock, flags);
	if (memchr_inv(area, from, fake->private_bytes))
		fake->misuses++;
	memset(area, to, fake->private_bytes);
	if (from == FAKE_PREPARED)
		fake->prepared--;
	if (to == FAKE_PREPARED)
		fake->prepared++;
	spin_unlock_irqrestore(&fake->lock, flags);
}

static u16 fake_event_prepare(void *priv, const struct vacc_submission *work)
{
	struct fake *fake = priv;
	struct vacc_result result;

	work->reason->binding = 1;
	work->reason->text = "the fake does not like it";
	if (fake_fault_now(fake, FAKE_EVENT_PREPARE, &result))
		return result.status;
	work->reason->text = NULL;
	fake_keep_work(fake, work);
	fake_move(fake, work->event, 0, FAKE_PREPARED);
	return VIRTIO_ACCEL_S_OK;
}

static void fake_add(struct fake *fake, struct vacc_event *event)
{
	fake_move(fake, event, FAKE_PREPARED, FAKE_PRIVATE);
	spin_lock_irq(&fake->lock);
	if (fake->event_count < FAKE_EVENTS)
		fake->events[fake->event_count++] = event;
	else
		fake->misuses++;
	spin_unlock_irq(&fake->lock);
	if (fake->run_here)
		fake_end(fake, fake->event_count - 1, VACC_EVENT_COMPLETE,
			 VIRTIO_ACCEL_S_OK);
}

static struct vacc_result fake_event_submit(void *priv, struct vacc_event *event)
{
	struct vacc_result result = vacc_done();
	struct fake *fake = priv;

	if (fake_fault_now(fake, FAKE_EVENT_SUBMIT, &result) &&
	    result.outcome == VACC_OUTCOME_REJECTED)
		fake_move(fake, event, FAKE_PREPARED, FAKE_DISCARDED);
	else
		fake_add(fake, event);
	return result;
}

/* A fault is one of the device's, which says so by the end of the event. */
static void fake_event_admit(void *priv, struct vacc_event *event)
{
	struct vacc_result result = vacc_done();
	struct fake *fake = priv;
	bool fault = fake_fault_now(fake, FAKE_EVENT_ADMIT, &result);

	fake_add(fake, event);
	if (!fault)
		return;
	if (result.outcome == VACC_OUTCOME_INDETERMINATE)
		vacc_event_indeterminate(event);
	else
		fake_end(fake, fake->event_count - 1, VACC_EVENT_FAILED,
			 result.status);
}

static void fake_event_discard(void *priv, struct vacc_event *event)
{
	fake_enter(priv, FAKE_EVENT_DISCARD);
	fake_move(priv, event, FAKE_PREPARED, FAKE_DISCARDED);
}

static bool fake_take(struct fake *fake, struct vacc_event *event)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&fake->lock, flags);
	for (i = 0; i < fake->event_count; i++)
		if (fake->events[i] == event)
			break;
	if (i == fake->event_count) {
		spin_unlock_irqrestore(&fake->lock, flags);
		return false;
	}
	fake->event_count--;
	memmove(&fake->events[i], &fake->events[i + 1],
		(fake->event_count - i) * sizeof(fake->events[0]));
	if (memchr_inv(vacc_event_priv(event), FAKE_PRIVATE,
		       fake->private_bytes))
		fake->misuses++;
	spin_unlock_irqrestore(&fake->lock, flags);
	return true;
}

static struct vacc_result fake_event_cancel(void *priv,
					    struct vacc_event *event)
{
	struct fake *fake = priv;
	struct vacc_result result;

	if (fake_fault_now(fake, FAKE_EVENT_CANCEL, &result))
		return result;
	if (fake->executing || !fake_take(fake, event))
		return vacc_rejected(VIRTIO_ACCEL_S_BUSY);
	vacc_event_done(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	return vacc_done();
}

static void fake_event_abort(void *priv, struct vacc_event *event)
{
	struct fake *fake = priv;

	fake_enter(fake, FAKE_EVENT_ABORT);
	if (!fake->executing && fake_take(fake, event))
		vacc_event_done(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
}

static void fake_event_destroy(void *priv, struct vacc_event *event)
{
	fake_enter(priv, FAKE_EVENT_DESTROY);
}

static void fake_event_wanted(void *priv, struct vacc_event *event)
{
	fake_enter(priv, FAKE_EVENT_WANTED);
}

/* Comes before the stop, and while calls may be under way. */
static void fake_interrupt(void *priv)
{
	struct fake *fake = priv;

	fake_enter(fake, FAKE_INTERRUPT);
	if (!vacc_device_dead(fake->dev))
		fake->misuses++;
}

static void fake_stop(void *priv)
{
	struct fake *fake = priv;

	fake_enter(fake, FAKE_STOP);
	spin_lock_irq(&fake->lock);
	fake->stopped = true;
	fake->event_count = 0;
	if (fake->prepared)
		fake->misuses++;
	spin_unlock_irq(&fake->lock);
}

static const struct vacc_backend_ops fake_ops = {
	.context_create = fake_context_create,
	.context_destroy = fake_context_destroy,
	.buffer_create = fake_buffer_create,
	.buffer_destroy = fake_buffer_destroy,
	.buffer_write = fake_buffer_write,
	.buffer_read = fake_buffer_read,
	.program_load = fake_program_load,
	.program_unload = fake_program_unload,
	.program_info = fake_program_info,
	.program_slot = fake_program_slot,
	.program_command = fake_program_command,
	.queue_create = fake_queue_create,
	.queue_destroy = fake_queue_destroy,
	.queue_counters = fake_queue_counters,
	.counters = fake_counters,
	.scratch = fake_scratch,
	.event_bytes = fake_event_bytes,
	.event_prepare = fake_event_prepare,
	.event_submit = fake_event_submit,
	.event_admit = fake_event_admit,
	.event_discard = fake_event_discard,
	.event_cancel = fake_event_cancel,
	.event_abort = fake_event_abort,
	.event_destroy = fake_event_destroy,
	.event_wanted = fake_event_wanted,
	.interrupt = fake_interrupt,
	.stop = fake_stop,
};

static const struct vacc_format fake_formats[] = {
	{ .format = VACC_REF_FORMAT, .target = { 1, 2, 3 } },
	{ .format = VACC_BATCH_FORMAT, .target = { 4, 5, 6 } },
};

static const struct vacc_backend_info fake_info = {
	.uuid = "fake-accelerator",
	.device_class = VIRTIO_ACCEL_CLASS_NPU,
	.vendor = 0x1111,
	.device = 0x2222,
	.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY |
			VIRTIO_ACCEL_CAP_SHARED_MEMORY |
			VIRTIO_ACCEL_CAP_EVENT_CANCEL,
	.max_contexts = 8,
	.max_buffers_per_context = 16,
	.max_programs_per_context = 4,
	.max_queues_per_context = 4,
	.max_events_per_context = 32,
	.max_bindings = 8,
	.max_buffer_bytes = 1 << 20,
	.max_artifact_bytes = 8192,
	.effective_bindings = 6,
	.effective_artifact_bytes = 4096,
	.kind = VACC_BACKEND_DIRECT,
	.features = VACC_FEATURE_MMAP | VACC_FEATURE_QUEUE_IN_ORDER |
		    VACC_FEATURE_ATTRIBUTION | VACC_FEATURE_TIMING,
	.engine_path = VACC_ENGINE_INTEGER,
	.inline_limit = 77,
	.binding_offset_align = 16,
	.poll_latency_max_us = 88,
	.command_timeout_ms = 100,
	.hang_limit_ms = 30000,
	.formats = fake_formats,
	.format_count = ARRAY_SIZE(fake_formats),
};

/* A backend that is not registered yet and does everything right. */
void fake_init(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	spin_lock_init(&fake->lock);
	INIT_LIST_HEAD(&fake->objects);
	fake->info = fake_info;
	fake->ops = fake_ops;
	fake->private_bytes = 40;
}

/* Frees what the core did not release, as a backend does after unregistration. */
void fake_cleanup(struct fake *fake)
{
	struct fake_obj *obj;
	struct fake_obj *next;

	list_for_each_entry_safe(obj, next, &fake->objects, node)
		fake_obj_free(obj);
	INIT_LIST_HEAD(&fake->objects);
}

/* Makes the n-th call from now fail. */
void fake_fail(struct fake *fake, enum fake_op op, unsigned int nth,
	       struct vacc_result result)
{
	spin_lock_irq(&fake->lock);
	fake->fault[op].nth = nth;
	fake->fault[op].result = result;
	spin_unlock_irq(&fake->lock);
}

/* Reports the event at an index; false where there is none. */
bool fake_end(struct fake *fake, unsigned int index, u32 state, u16 status)
{
	struct vacc_event *event = NULL;
	unsigned long flags;

	spin_lock_irqsave(&fake->lock, flags);
	if (index < fake->event_count)
		event = fake->events[index];
	spin_unlock_irqrestore(&fake->lock, flags);
	if (!event || !fake_take(fake, event))
		return false;
	vacc_event_done(event, state, status);
	return true;
}

/* The bytes of a buffer. */
void *fake_memory(void *buffer)
{
	return ((struct fake_obj *)buffer)->memory;
}
