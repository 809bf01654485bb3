// SPDX-License-Identifier: GPL-2.0
/*
 * GET_INFO and STATS.
 */
#include <linux/string.h>

#include "core.h"

static u32 vacc_features(const struct vacc_device *dev)
{
	u32 features = dev->info.features;

	features |= VACC_FEATURE_IN_FENCE | VACC_FEATURE_RECORD |
		    VACC_FEATURE_SUBMIT_MANY;
	if (IS_ENABLED(CONFIG_SYNC_FILE))
		features |= VACC_FEATURE_SYNC_FILE;
	return features;
}

static void vacc_info_limits(const struct vacc_backend_info *from,
			     struct vacc_get_info *info)
{
	info->max_contexts = from->max_contexts;
	info->max_buffers_per_context = from->max_buffers_per_context;
	info->max_programs_per_context = from->max_programs_per_context;
	info->max_queues_per_context = from->max_queues_per_context;
	info->max_events_per_context = from->max_events_per_context;
	info->max_bindings = from->max_bindings;
	info->max_buffer_bytes = from->max_buffer_bytes;
	info->max_artifact_bytes = from->max_artifact_bytes;
	info->effective_bindings = from->effective_bindings;
	info->effective_artifact_bytes = from->effective_artifact_bytes;
}

static void vacc_info_quotas(struct vacc_call *call, struct vacc_get_info *info)
{
	struct vacc_device *dev = call->dev;

	info->total_bytes_limit = vacc_quota_total();
	info->total_bytes_used = atomic64_read(&dev->bytes);
	info->max_inflight_per_file = vacc_quota_inflight();
	info->inflight = atomic_read(&call->file->inflight);
	info->max_contexts_per_file = vacc_quota_contexts(dev);
}

static int vacc_info_scratch(struct vacc_device *dev, u64 *used, u64 *limit)
{
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);

	*used = 0;
	*limit = 0;
	if (!ops)
		return vacc_device_error(dev);
	if (ops->scratch)
		ops->scratch(dev->priv, used, limit);
	vacc_device_exit(dev);
	return 0;
}

static int vacc_info_formats(const struct vacc_device *dev,
			     struct vacc_array *formats)
{
	u32 known = dev->info.format_count;
	u32 i;
	int err;

	for (i = 0; i < min(known, formats->count); i++) {
		err = vacc_copy_element_out(formats, i, &dev->info.formats[i],
					    sizeof(dev->info.formats[i]));
		if (err)
			return err;
	}
	formats->count = known;
	return 0;
}

/**
 * vacc_get_info() - VACC_GET_INFO
 * @call: the call
 * @arg: struct vacc_get_info
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL for a stride of zero; -E2BIG for too
 * large a one; -EFAULT; -ENODEV.
 */
int vacc_get_info(struct vacc_call *call, void *arg)
{
	struct vacc_get_info *info = arg;
	struct vacc_array formats = info->formats;
	struct vacc_device *dev = call->dev;
	int err;

	if (info->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (formats.count && !formats.stride)
		return vacc_fail(call, -EINVAL, "an array needs a stride");
	memset(info, 0, sizeof(*info));
	memcpy(info->uuid, dev->info.uuid, sizeof(info->uuid));
	info->device_class = dev->info.device_class;
	info->vendor = dev->info.vendor;
	info->device = dev->info.device;
	info->features = vacc_features(dev);
	info->capabilities = dev->info.capabilities;
	vacc_info_limits(&dev->info, info);
	vacc_info_quotas(call, info);
	info->command_timeout_ms = dev->info.command_timeout_ms;
	info->hang_limit_ms = dev->info.hang_limit_ms;
	info->inline_limit = dev->info.inline_limit;
	info->binding_offset_align = dev->info.binding_offset_align;
	info->poll_latency_max_us = dev->info.poll_latency_max_us;
	info->instance = dev->instance;
	info->backend = dev->info.kind;
	info->engine_path = dev->info.engine_path;
	info->abi_version = VACC_ABI_VERSION;
	strscpy((char *)info->parent, dev->parent_name, sizeof(info->parent));
	err = vacc_info_scratch(dev, &info->scratch_bytes_used,
				&info->scratch_bytes_limit);
	if (err)
		return err;
	err = vacc_info_formats(dev, &formats);
	info->formats = formats;
	return err;
}

static void vacc_stats_objects(atomic_t from[VACC_KIND_COUNT],
			       struct vacc_object_counts *counts)
{
	counts->contexts = atomic_read(&from[VACC_KIND_CONTEXT]);
	counts->buffers = atomic_read(&from[VACC_KIND_BUFFER]);
	counts->programs = atomic_read(&from[VACC_KIND_PROGRAM]);
	counts->queues = atomic_read(&from[VACC_KIND_QUEUE]);
	counts->events = atomic_read(&from[VACC_KIND_EVENT]);
}

static int vacc_stats_work(struct vacc_device *dev, struct vacc_stats *stats)
{
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);
	struct vacc_work_counters counters = {};

	if (!ops)
		return vacc_device_error(dev);
	if (ops->counters)
		ops->counters(dev->priv, &counters);
	vacc_device_exit(dev);
	stats->commands = counters.commands;
	stats->uploaded_bytes = counters.uploaded_bytes;
	stats->launches = counters.launches;
	stats->busy_ns = counters.busy_ns;
	return 0;
}

/**
 * vacc_stats() - VACC_STATS
 * @call: the call
 * @arg: struct vacc_stats
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a flag, -ENODEV.
 */
int vacc_stats(struct vacc_call *call, void *arg)
{
	struct vacc_device *dev = call->dev;
	struct vacc_stats *stats = arg;
	u64 counts[4];
	u64 limit;
	int err;

	if (stats->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	memset(stats, 0, sizeof(*stats));
	vacc_stats_objects(dev->live, &stats->live);
	vacc_stats_objects(dev->zombie, &stats->zombie);
	stats->live_bytes = atomic64_read(&dev->bytes);
	vacc_queue_totals(dev, counts);
	stats->submitted = counts[VACC_COUNT_SUBMITTED];
	stats->completed = counts[VACC_COUNT_COMPLETED];
	stats->failed = counts[VACC_COUNT_FAILED];
	stats->cancelled = counts[VACC_COUNT_CANCELLED];
	stats->rejected = atomic64_read(&dev->rejected);
	stats->direct_bindings = atomic64_read(&dev->direct_bindings);
	stats->allocations = atomic64_read(&dev->allocations);
	stats->live_allocations = stats->live.buffers + stats->zombie.buffers;
	stats->readback_bytes = atomic64_read(&dev->read_bytes);
	stats->written_bytes = atomic64_read(&dev->written_bytes);
	err = vacc_stats_work(dev, stats);
	if (err)
		return err;
	return vacc_info_scratch(dev, &stats->scratch_bytes, &limit);
}
