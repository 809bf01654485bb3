// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo/FD: what an open file has, and nothing of any other.
 *
 * Whoever reads it may not wait for a device: counters of the backend are left out while
 * the device is going.
 */
#include <linux/seq_file.h>

#include "core.h"

static void vacc_fdinfo_objects(struct seq_file *m, struct vacc_file *file)
{
	u32 counts[VACC_KIND_COUNT];
	u64 bytes;

	xa_lock_irq(&file->objects);
	memcpy(counts, file->counts, sizeof(counts));
	bytes = file->bytes;
	xa_unlock_irq(&file->objects);
	seq_printf(m, "vacc-contexts:\t%u\n", counts[VACC_KIND_CONTEXT]);
	seq_printf(m, "vacc-buffers:\t%u\n", counts[VACC_KIND_BUFFER]);
	seq_printf(m, "vacc-programs:\t%u\n", counts[VACC_KIND_PROGRAM]);
	seq_printf(m, "vacc-queues:\t%u\n", counts[VACC_KIND_QUEUE]);
	seq_printf(m, "vacc-events:\t%u\n", counts[VACC_KIND_EVENT]);
	seq_printf(m, "vacc-bytes:\t%llu\n", bytes);
	seq_printf(m, "vacc-inflight:\t%d\n", atomic_read(&file->inflight));
}

/*
 * The file's queue with the lowest handle above another, as a user of it.  A device has
 * few queues, a file many objects: the former are searched.
 */
static struct vacc_queue *vacc_fdinfo_next(struct vacc_file *file, u32 handle)
{
	struct vacc_device *dev = file->dev;
	struct vacc_queue *queue, *next = NULL;

	xa_lock_irq(&file->objects);
	spin_lock(&dev->lock);
	list_for_each_entry(queue, &dev->queues, node) {
		if (queue->obj.file != file || !queue->obj.ready ||
		    queue->obj.handle <= handle)
			continue;
		if (!next || queue->obj.handle < next->obj.handle)
			next = queue;
	}
	spin_unlock(&dev->lock);
	if (next)
		atomic_inc(&next->obj.users);
	xa_unlock_irq(&file->objects);
	return next;
}

static void vacc_fdinfo_busy(struct seq_file *m, struct vacc_queue *queue)
{
	struct vacc_device *dev = queue->obj.file->dev;
	struct vacc_work_counters counters = {};
	const struct vacc_backend_ops *ops = vacc_device_try_enter(dev);
	bool known;

	if (!ops)
		return;
	known = !!ops->queue_counters;
	if (known)
		ops->queue_counters(dev->priv, queue->obj.backend, &counters);
	vacc_device_exit(dev);
	if (known)
		seq_printf(m, "vacc-queue-%u-busy:\t%llu ns\n",
			   queue->obj.handle, counters.busy_ns);
}

static void vacc_fdinfo_queue(struct seq_file *m, struct vacc_queue *queue)
{
	seq_printf(m, "vacc-queue-%u-depth:\t%u\n", queue->obj.handle,
		   READ_ONCE(queue->pending_count));
	vacc_fdinfo_busy(m, queue);
}

/**
 * vacc_show_fdinfo() - describe an open file
 * @m: where to
 * @filp: the open file
 *
 * Context: process, holding no lock of ours.
 */
void vacc_show_fdinfo(struct seq_file *m, struct file *filp)
{
	struct vacc_file *file = filp->private_data;
	struct vacc_device *dev = file->dev;
	struct vacc_queue *queue;
	u32 handle = 0;

	seq_puts(m, "vacc-driver:\tvirtio_accel\n");
	seq_printf(m, "vacc-device:\t%s\n", dev->name);
	seq_printf(m, "vacc-backend:\t%s\n", vacc_backend_name(dev));
	seq_printf(m, "vacc-client-id:\t%llu\n", file->id);
	seq_printf(m, "vacc-state:\t%s\n",
		   vacc_device_dead(dev) ? "gone" : "live");
	vacc_fdinfo_objects(m, file);
	while ((queue = vacc_fdinfo_next(file, handle))) {
		handle = queue->obj.handle;
		vacc_fdinfo_queue(m, queue);
		vacc_obj_put(&queue->obj);
	}
}
