// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device and its contexts: what there is, and its end.
 */
#include "object.h"

/**
 * eng_device_create() - make a device
 * @config: how it shall be
 * @device: it
 *
 * Context: May sleep.
 * Return: OK, or OUT_OF_MEMORY.
 */
u16 eng_device_create(const struct eng_device_config *config,
		      struct eng_device **device)
{
	struct eng_device *dev = eng_zalloc(sizeof(*dev));

	if (!dev)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (!eng_pool_start(&dev->pool, config->name, config->workers)) {
		eng_free(dev);
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	}

	dev->ops = config->ops;
	dev->limits = config->limits;
	eng_atomic_set(&dev->held, config->hold);
	eng_mutex_init(&dev->tree);
	eng_spin_init(&dev->sums);
	INIT_LIST_HEAD(&dev->contexts);
	INIT_LIST_HEAD(&dev->panels);
	*device = dev;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_device_stop() - end execution for good
 * @device: the device
 *
 * Pending events fail with DEVICE_LOST, executing ones too at their next step.
 * Afterwards no buffer and no event is touched any more and nothing is admitted.
 * Objects stay.  A second call finds nothing to do, or waits for the same.
 *
 * Context: May sleep.  Waits for work that is executing, at most for a step.
 */
void eng_device_stop(struct eng_device *device)
{
	struct eng_queue *queue;
	u64 number = 0;

	eng_atomic_set(&device->stopped, 1);
	while ((queue = eng_queue_next(device, number))) {
		number = queue->number;
		eng_queue_stop(queue);
	}
	eng_panels_clear(device);
}

static void eng_context_free(struct eng_context *context)
{
	while (!list_empty(&context->queues)) {
		struct eng_queue *queue;

		queue = list_first_entry(&context->queues, struct eng_queue,
					 node);
		list_del_init(&queue->node);
		eng_queue_free(queue);
	}
	while (!list_empty(&context->images)) {
		struct eng_image *image;

		image = list_first_entry(&context->images, struct eng_image,
					 node);
		list_del_init(&image->node);
		eng_image_free(image);
	}
	while (!list_empty(&context->buffers)) {
		struct eng_buffer *buffer;

		buffer = list_first_entry(&context->buffers,
					  struct eng_buffer, node);
		list_del_init(&buffer->node);
		eng_buffer_free(buffer);
	}
	list_del_init(&context->node);
	eng_free(context);
}

/**
 * eng_device_free() - free a device and all objects that it still has
 * @device: a device that is stopped and that no other call uses
 *
 * Context: May sleep.
 */
void eng_device_free(struct eng_device *device)
{
	while (!list_empty(&device->contexts))
		eng_context_free(list_first_entry(&device->contexts,
						  struct eng_context, node));
	eng_pool_stop(&device->pool);
	eng_spin_fini(&device->sums);
	eng_mutex_fini(&device->tree);
	eng_free(device);
}

static void eng_context_stats(struct eng_context *context,
			      struct eng_device_stats *stats)
{
	struct list_head *queues = &context->queues;
	struct list_head *node;

	stats->buffers += context->buffer_count;
	stats->images += context->image_count;
	stats->queues += context->queue_count;
	for (node = queues->next; node != queues; node = node->next) {
		struct eng_queue *queue =
			container_of(node, struct eng_queue, node);

		eng_spin_lock(&queue->lock);
		stats->events += queue->unfinished;
		eng_work_add(&stats->work, &queue->counters);
		eng_spin_unlock(&queue->lock);
	}
}

/**
 * eng_device_stats() - look at a device
 * @device: the device
 * @stats: what it has and what it did
 *
 * Each queue's share is consistent; the sums are exact when nothing executes.
 *
 * Context: May sleep.
 */
void eng_device_stats(struct eng_device *device, struct eng_device_stats *stats)
{
	struct list_head *contexts = &device->contexts;
	struct list_head *node;

	memset(stats, 0, sizeof(*stats));
	eng_mutex_lock(&device->tree);
	stats->contexts = device->context_count;
	for (node = contexts->next; node != contexts; node = node->next)
		eng_context_stats(container_of(node, struct eng_context, node),
				  stats);
	eng_spin_lock(&device->sums);
	eng_work_add(&stats->work, &device->retired);
	stats->scratch_bytes = device->scratch_bytes;
	stats->panels = device->panels_packed;
	stats->panels_bytes = device->panels_bytes;
	stats->panels_hits = device->panels_hits;
	eng_spin_unlock(&device->sums);
	eng_mutex_unlock(&device->tree);

	stats->direct_bindings = eng_atomic64_get(&device->direct_bindings);
}

/**
 * eng_device_scratch() - how much working memory submissions have
 * @device: the device
 * @used: bytes that are charged
 * @limit: how many may be
 *
 * Context: Any task.
 */
void eng_device_scratch(struct eng_device *device, u64 *used, u64 *limit)
{
	eng_spin_lock(&device->sums);
	*used = device->scratch_bytes;
	eng_spin_unlock(&device->sums);
	*limit = device->limits.max_scratch_bytes;
}

/**
 * eng_context_create() - make a context
 * @device: where
 * @flags: 0
 * @context: it
 *
 * Context: May sleep.
 * Return: OK, UNSUPPORTED, RESOURCE_LIMIT or OUT_OF_MEMORY.
 */
u16 eng_context_create(struct eng_device *device, u32 flags,
		       struct eng_context **context)
{
	struct eng_context *ctx;

	if (flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;

	ctx = eng_zalloc(sizeof(*ctx));
	if (!ctx)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	ctx->device = device;
	INIT_LIST_HEAD(&ctx->buffers);
	INIT_LIST_HEAD(&ctx->images);
	INIT_LIST_HEAD(&ctx->queues);

	eng_mutex_lock(&device->tree);
	if (device->context_count >= device->limits.max_contexts) {
		eng_mutex_unlock(&device->tree);
		eng_free(ctx);
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	}
	device->context_count++;
	list_add_tail(&ctx->node, &device->contexts);
	eng_mutex_unlock(&device->tree);

	*context = ctx;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_context_destroy() - end a context
 * @context: the context
 *
 * Context: May sleep.
 * Return: OK, or BUSY where it has children.
 */
u16 eng_context_destroy(struct eng_context *context)
{
	struct eng_device *device = context->device;

	eng_mutex_lock(&device->tree);
	if (context->buffer_count || context->image_count ||
	    context->queue_count) {
		eng_mutex_unlock(&device->tree);
		return VIRTIO_ACCEL_S_BUSY;
	}
	device->context_count--;
	list_del_init(&context->node);
	eng_mutex_unlock(&device->tree);

	eng_free(context);
	return VIRTIO_ACCEL_S_OK;
}
