// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Queues. */
#include <string.h>

#include "internal.h"

int vacc_queue_create(const struct vacc_context *context, struct vacc_queue *queue)
{
	struct vacc_queue_create arg = {
		.size = sizeof(arg),
		.context = context->handle,
	};
	int err;

	memset(queue, 0, sizeof(*queue));
	err = vacc_check_handle(context->dev, context->handle, "context");
	if (!err)
		err = vacc_ioctl(context->dev, VACC_QUEUE_CREATE, &arg);
	if (err)
		return err;
	queue->dev = context->dev;
	queue->owner = context->owner;
	queue->handle = arg.handle;
	queue->context = context->handle;
	return 0;
}

int vacc_queue_destroy(struct vacc_queue *queue)
{
	return vacc_drop(queue->dev, VACC_QUEUE_DESTROY, &queue->handle, "queue");
}

int vacc_queue_query(struct vacc_device *dev, const struct vacc_queue *queue,
		     struct vacc_queue_query *query)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = queue->handle;
	if (!vacc_check_owner(dev, queue->dev, queue->owner)) {
		query->state = VACC_QUEUE_FAILED;
		query->status = VIRTIO_ACCEL_S_STALE_OBJECT;
		return 0;
	}
	return vacc_ioctl(dev, VACC_QUEUE_QUERY, query);
}

int vacc_queue_sync(struct vacc_device *dev, const struct vacc_queue *queue,
		    __u64 deadline_ns, __u32 *status)
{
	struct vacc_queue_sync arg = {
		.size = sizeof(arg),
		.handle = queue->handle,
		.deadline_ns = deadline_ns,
	};
	int err;

	if (status)
		*status = VIRTIO_ACCEL_S_STALE_OBJECT;
	if (!vacc_check_owner(dev, queue->dev, queue->owner))
		return vacc_fail(ENOENT, "the queue is of another device");
	err = vacc_ioctl(dev, VACC_QUEUE_SYNC, &arg);
	if (status)
		*status = arg.status;
	return err;
}
