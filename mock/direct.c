// SPDX-License-Identifier: GPL-2.0
/*
 * The direct backend: the seam's operations are the engine's functions.
 *
 * An event of the engine lives in the private area of the core's event.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "compat.h"
#include "control.h"
#include "direct.h"
#include "engine/linear.h"

/* Bindings are handed on as they come. */
static_assert(sizeof(struct vacc_bind) == sizeof(struct eng_bind));
static_assert(offsetof(struct vacc_bind, buffer) ==
	      offsetof(struct eng_bind, buffer));
static_assert(offsetof(struct vacc_bind, offset) ==
	      offsetof(struct eng_bind, offset));
static_assert(offsetof(struct vacc_bind, bytes) ==
	      offsetof(struct eng_bind, bytes));
static_assert(offsetof(struct vacc_bind, slot) ==
	      offsetof(struct eng_bind, slot));
static_assert(offsetof(struct vacc_bind, access) ==
	      offsetof(struct eng_bind, access));
static_assert(offsetof(struct vacc_bind, element_type) ==
	      offsetof(struct eng_bind, element_type));
static_assert(VACC_S_TRY_AGAIN == ENG_S_TRY_AGAIN);
static_assert(VACC_NO_INDEX == ENG_NO_INDEX);

static const struct vacc_format direct_formats[] = {
	{
		.format = VACC_REF_FORMAT,
		.target = {
			VACC_REF_TARGET0, VACC_REF_TARGET1,
			VACC_REF_TARGET2, VACC_REF_TARGET3,
		},
	},
	{
		.format = VACC_BATCH_FORMAT,
		.target = {
			VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			VACC_BATCH_TARGET2, VACC_BATCH_TARGET3,
		},
	},
};

/* A copy of this length does not keep a processor for long. */
#define DIRECT_COPY_BYTES	SZ_1M

static struct vacc_result direct_result(u16 status)
{
	return status ? vacc_rejected(status) : vacc_done();
}

static void direct_reason(struct vacc_reason *to, const struct eng_reason *from)
{
	if (!to || !from->text)
		return;
	to->command = from->command;
	to->launch = from->launch;
	to->binding = from->binding;
	to->text = from->text;
}

static u16 direct_context_create(void *priv, void **context)
{
	struct direct_device *direct = priv;
	struct eng_context *made;
	u16 status = eng_context_create(direct->engine, 0, &made);

	if (!status)
		*context = made;
	return status;
}

static struct vacc_result direct_context_destroy(void *priv, void *context)
{
	return direct_result(eng_context_destroy(context));
}

static u16 direct_buffer_create(void *priv, void *context,
				const struct vacc_buffer_desc *desc,
				void **buffer)
{
	struct eng_buffer_desc eng = {
		.bytes = desc->bytes,
		.alignment = desc->alignment,
		.domain = desc->domain,
		.usage = desc->usage,
		.element_type = desc->element_type,
		.memory = desc->memory,
	};
	struct eng_buffer *made;
	u16 status = eng_buffer_create(context, &eng, &made);

	if (!status)
		*buffer = made;
	return status;
}

static struct vacc_result direct_buffer_destroy(void *priv, void *buffer)
{
	return direct_result(eng_buffer_destroy(buffer));
}

static u16 direct_buffer_write(void *priv, void *buffer, u64 offset,
			       struct iov_iter *from)
{
	size_t left = iov_iter_count(from);
	struct eng_write write;
	void *memory;
	u16 status;

	status = eng_buffer_reach(buffer, VIRTIO_ACCEL_USAGE_TRANSFER_DST,
				  offset, left, &memory);
	if (status)
		return status;
	eng_write_begin(&write, buffer, offset, left);
	while (!status && left) {
		size_t piece = min_t(size_t, left, DIRECT_COPY_BYTES);

		if (copy_from_iter(memory, piece, from) != piece)
			status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
		memory += piece;
		left -= piece;
		cond_resched();
	}
	eng_write_end(&write);
	return status;
}

static u16 direct_buffer_read(void *priv, void *buffer, u64 offset,
			      struct iov_iter *to)
{
	size_t left = iov_iter_count(to);
	void *memory;
	u16 status;

	status = eng_buffer_reach(buffer, VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
				  offset, left, &memory);
	while (!status && left) {
		size_t piece = min_t(size_t, left, DIRECT_COPY_BYTES);

		if (copy_to_iter(memory, piece, to) != piece)
			return VIRTIO_ACCEL_S_INTERNAL_ERROR;
		memory += piece;
		left -= piece;
		cond_resched();
	}
	return status;
}

static bool direct_buffer_panels(void *priv, void *buffer)
{
	return eng_buffer_panels(buffer);
}

static void direct_buffer_expose(void *priv, void *buffer)
{
	eng_buffer_expose(buffer);
}

static u16 direct_program_load(void *priv, void *context,
			       const struct vacc_load *load, void **program)
{
	struct eng_load eng = {
		.format = load->format,
		.payload = load->payload,
		.payload_bytes = load->payload_bytes,
		.resident_bytes = load->resident_bytes,
	};
	struct eng_reason reason = {};
	struct eng_image *made;
	u16 status;

	memcpy(eng.target, load->target, sizeof(eng.target));
	status = eng_image_load(context, &eng, &made, &reason);
	if (status)
		direct_reason(load->reason, &reason);
	else
		*program = made;
	return status;
}

static struct vacc_result direct_program_unload(void *priv, void *program)
{
	return direct_result(eng_image_unload(program));
}

static void direct_program_info(void *priv, void *program,
				struct vacc_program_info *info)
{
	struct eng_program_info eng;

	eng_program_info(eng_image_program(program), &eng);
	info->slot_count = eng.slot_count;
	info->command_count = eng.command_count;
	info->launch_count = eng.launch_count;
	info->max_scratch_bytes = eng.max_scratch_bytes;
}

static void direct_program_slot(void *priv, void *program, u32 index,
				struct vacc_program_slot *slot)
{
	eng_program_slot(eng_image_program(program), index, slot);
}

static void direct_program_command(void *priv, void *program, u32 index,
				   struct vacc_attribution_row *row)
{
	eng_program_attribute(eng_image_program(program), index, row);
}

static u16 direct_queue_create(void *priv, void *context, void **queue)
{
	struct eng_queue *made;
	u16 status = eng_queue_create(context, 0, &made);

	if (!status)
		*queue = made;
	return status;
}

static struct vacc_result direct_queue_destroy(void *priv, void *queue)
{
	return direct_result(eng_queue_destroy(queue));
}

static void direct_work_counters(struct vacc_work_counters *to,
				 const struct eng_work_counters *from)
{
	to->commands = from->done.commands;
	to->uploaded_bytes = from->done.uploaded_bytes;
	to->launches = from->done.launches;
	to->busy_ns = from->busy_ns;
}

static void direct_queue_counters(void *priv, void *queue,
				  struct vacc_work_counters *counters)
{
	struct eng_work_counters eng;

	eng_queue_counters(queue, &eng);
	direct_work_counters(counters, &eng);
}

static void direct_counters(void *priv, struct vacc_work_counters *counters)
{
	struct direct_device *direct = priv;
	struct eng_device_stats stats;

	eng_device_stats(direct->engine, &stats);
	direct_work_counters(counters, &stats.work);
}

static void direct_scratch(void *priv, u64 *used, u64 *limit)
{
	struct direct_device *direct = priv;

	eng_device_scratch(direct->engine, used, limit);
}

static size_t direct_event_bytes(void *priv, void *program, u32 bindings)
{
	return eng_event_bytes(program, bindings);
}

static u16 direct_event_prepare(void *priv, const struct vacc_submission *work)
{
	struct eng_event *event = vacc_event_priv(work->event);
	struct eng_submission eng = {
		.queue = work->queue,
		.image = work->program,
		.bindings = (const struct eng_bind *)work->bindings,
		.binding_count = work->binding_count,
		.tag = vacc_event_handle(work->event),
		.timeout_ns = work->timeout_ns,
		.timed = work->timed,
		.owner = work->event,
		.process = task_tgid_nr(current),
	};
	struct eng_reason reason = {};
	u16 status;

	status = eng_event_prepare(event, &eng, &reason);
	if (status)
		direct_reason(work->reason, &reason);
	return status;
}

static struct vacc_result direct_event_submit(void *priv,
					      struct vacc_event *event)
{
	return direct_result(eng_event_admit(vacc_event_priv(event), true));
}

/* A device that is stopped would refuse, but that comes after the last admission. */
static void direct_event_admit(void *priv, struct vacc_event *event)
{
	eng_event_admit(vacc_event_priv(event), false);
}

static void direct_event_discard(void *priv, struct vacc_event *event)
{
	eng_event_discard(vacc_event_priv(event));
}

static struct vacc_result direct_event_cancel(void *priv,
					      struct vacc_event *event)
{
	return direct_result(eng_event_cancel(vacc_event_priv(event)));
}

static void direct_event_abort(void *priv, struct vacc_event *event)
{
	eng_event_abort(vacc_event_priv(event));
}

static void direct_stop(void *priv)
{
	struct direct_device *direct = priv;

	eng_device_stop(direct->engine);
}

static const struct vacc_backend_ops direct_backend_ops = {
	.context_create = direct_context_create,
	.context_destroy = direct_context_destroy,
	.buffer_create = direct_buffer_create,
	.buffer_destroy = direct_buffer_destroy,
	.buffer_write = direct_buffer_write,
	.buffer_read = direct_buffer_read,
	.buffer_panels = direct_buffer_panels,
	.buffer_expose = direct_buffer_expose,
	.program_load = direct_program_load,
	.program_unload = direct_program_unload,
	.program_info = direct_program_info,
	.program_slot = direct_program_slot,
	.program_command = direct_program_command,
	.queue_create = direct_queue_create,
	.queue_destroy = direct_queue_destroy,
	.queue_counters = direct_queue_counters,
	.counters = direct_counters,
	.scratch = direct_scratch,
	.event_bytes = direct_event_bytes,
	.event_prepare = direct_event_prepare,
	.event_submit = direct_event_submit,
	.event_admit = direct_event_admit,
	.event_discard = direct_event_discard,
	.event_cancel = direct_event_cancel,
	.event_abort = direct_event_abort,
	.stop = direct_stop,
};

static void direct_done(void *owner, u32 state, u16 status)
{
	vacc_event_done(owner, state, status);
}

static void direct_progress(void *owner)
{
	vacc_event_progress(owner);
}

static void direct_timed(void *owner, u32 command, u64 start_ns, u64 end_ns)
{
	vacc_event_timed(owner, command, start_ns, end_ns);
}

static const struct eng_device_ops direct_engine_ops = {
	.done = direct_done,
	.progress = direct_progress,
	.timed = direct_timed,
};

static void direct_info(struct vacc_backend_info *info,
			const struct direct_config *config)
{
	const struct eng_limits *limits = &config->limits;

	*info = (struct vacc_backend_info){
		.device_class = VIRTIO_ACCEL_CLASS_NPU,
		.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY |
				VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
				VIRTIO_ACCEL_CAP_SHARED_MEMORY |
				VIRTIO_ACCEL_CAP_EVENT_CANCEL,
		.max_contexts = limits->max_contexts,
		.max_buffers_per_context = limits->max_buffers,
		.max_programs_per_context = limits->max_images,
		.max_queues_per_context = limits->max_queues,
		.max_events_per_context = limits->max_events,
		.max_bindings = limits->max_bindings,
		.max_buffer_bytes = limits->max_buffer_bytes,
		.max_artifact_bytes = limits->max_artifact_bytes,
		.effective_bindings = limits->max_bindings,
		.effective_artifact_bytes = limits->max_artifact_bytes,
		.kind = VACC_BACKEND_DIRECT,
		.features = VACC_FEATURE_QUEUE_IN_ORDER | VACC_FEATURE_MMAP |
			    VACC_FEATURE_ATTRIBUTION | VACC_FEATURE_TIMING,
		.engine_path = eng_linear_path(),
		.inline_limit = limits->inline_limit,
		.binding_offset_align = 64,
		.command_timeout_ms = config->command_timeout_ms,
		.hang_limit_ms = config->hang_limit_ms,
		.formats = direct_formats,
		.format_count = ARRAY_SIZE(direct_formats),
	};
	memcpy(info->uuid, "virtio-accelmock", sizeof(info->uuid));
}

/**
 * direct_add() - make a device and its node
 * @parent: parent in sysfs, or NULL
 * @name: name of the device as a parent
 * @config: how it shall be
 *
 * Context: May sleep.
 * Return: the device, or an error pointer.
 */
struct direct_device *direct_add(struct device *parent, const char *name,
				 const struct direct_config *config)
{
	struct eng_device_config engine = {
		.ops = &direct_engine_ops,
		.limits = config->limits,
		.workers = config->workers,
		.hold = config->hold,
	};
	struct vacc_backend_info info;
	struct direct_device *direct;
	int err;

	direct = kzalloc(sizeof(*direct), GFP_KERNEL);
	if (!direct)
		return ERR_PTR(-ENOMEM);
	strscpy(direct->name, name, sizeof(direct->name));

	engine.name = direct->name;
	if (eng_device_create(&engine, &direct->engine)) {
		err = -ENOMEM;
		goto err_free;
	}
	if (config->hold)
		mock_taint();

	direct_info(&info, config);
	direct->vacc = vacc_device_register(parent, direct->name, &info,
					    &direct_backend_ops, direct);
	if (IS_ERR(direct->vacc)) {
		err = PTR_ERR(direct->vacc);
		goto err_engine;
	}
	direct->instance = vacc_device_instance(direct->vacc);
	return direct;

err_engine:
	eng_device_stop(direct->engine);
	eng_device_free(direct->engine);
err_free:
	kfree(direct);
	return ERR_PTR(err);
}

/**
 * direct_unplug() - take a device away, also under open files
 * @direct: the device; the engine stays until direct_free()
 *
 * Context: May sleep.
 */
void direct_unplug(struct direct_device *direct)
{
	vacc_device_unregister(direct->vacc);
	direct->vacc = NULL;
}

/**
 * direct_free() - free a device that is unplugged and out of everybody's reach
 * @direct: the device
 *
 * Context: May sleep.
 */
void direct_free(struct direct_device *direct)
{
	eng_device_free(direct->engine);
	kfree(direct);
}

/**
 * direct_hold() - begin or end hold mode
 * @direct: the device
 * @hold: whether events shall stay pending
 *
 * Context: May sleep.
 */
void direct_hold(struct direct_device *direct, bool hold)
{
	if (hold)
		mock_taint();
	eng_harness_hold(direct->engine, hold);
}
