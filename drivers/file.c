// SPDX-License-Identifier: GPL-2.0
/*
 * Open files.
 */
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "core.h"

/* Files that are open, or closed and not reaped. */
static atomic_t vacc_files = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(vacc_files_gone);

static void vacc_file_free(struct kref *ref)
{
	struct vacc_file *file = container_of(ref, struct vacc_file, ref);
	unsigned long flags;

	spin_lock_irqsave(&file->dev->lock, flags);
	list_del(&file->node);
	spin_unlock_irqrestore(&file->dev->lock, flags);
	xa_destroy(&file->objects);
	vacc_device_put(file->dev);
	kfree(file);
	if (atomic_dec_and_test(&vacc_files))
		wake_up_all(&vacc_files_gone);
}

/**
 * vacc_file_wait_all() - wait until nothing of any closed file is left
 *
 * For the end of the module: no file is open and no device is registered then, so that
 * nothing is left to wait for but work that is queued.
 *
 * Context: may sleep.
 */
void vacc_file_wait_all(void)
{
	wait_event(vacc_files_gone, !atomic_read(&vacc_files));
}

/**
 * vacc_file_enter() - take room for one more event
 * @file: the file
 *
 * Events that have ended but that the device still has are bounded too.
 *
 * Context: any.
 * Return: whether there is room; then vacc_file_leave() and vacc_file_release_hold()
 * follow, once each.
 */
bool vacc_file_enter(struct vacc_file *file)
{
	u32 limit = vacc_quota_inflight();
	bool room;

	atomic_inc(&file->held);
	room = atomic_inc_return(&file->inflight) <= limit &&
	       atomic_read(&file->held) / 2 <= limit;
	if (!room) {
		vacc_file_leave(file);
		vacc_file_release_hold(file);
	}
	return room;
}

/**
 * vacc_file_leave() - one event of a file is not pending any more
 * @file: the file, which the caller keeps
 *
 * Context: any.
 */
void vacc_file_leave(struct vacc_file *file)
{
	atomic_dec(&file->inflight);
	if (wq_has_sleeper(&file->wait))
		wake_up_all(&file->wait);
}

/**
 * vacc_file_release_hold() - the device has let go of one event of a file
 * @file: the file, which the caller keeps
 *
 * Context: any.
 */
void vacc_file_release_hold(struct vacc_file *file)
{
	bool last = atomic_dec_and_test(&file->held);

	if (last && READ_ONCE(file->closed))
		vacc_file_kick_reaper(file);
	/* Where it was this that left no room. */
	if (wq_has_sleeper(&file->wait))
		wake_up_all(&file->wait);
}

/**
 * vacc_file_put() - let go of a file
 * @file: the file
 *
 * Context: any: the reaper has emptied it before the last reference goes.
 */
void vacc_file_put(struct vacc_file *file)
{
	kref_put(&file->ref, vacc_file_free);
}

/*
 * misc_open() holds its global mutex here: nothing is asked of the device, so that a
 * mute one cannot stop others from being opened.  The same mutex keeps the device from
 * being unregistered meanwhile.
 */
static int vacc_open(struct inode *inode, struct file *filp)
{
	struct vacc_device *dev = container_of(filp->private_data,
					       struct vacc_device, misc);
	struct vacc_file *file;

	if (vacc_device_dead(dev))
		return -ENODEV;
	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	kref_init(&file->ref);
	atomic_inc(&vacc_files);
	kref_get(&dev->ref);
	file->dev = dev;
	file->pid = task_tgid_nr(current);
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	mutex_init(&file->maps_lock);
	mt_init_flags(&file->maps, MT_FLAGS_ALLOC_RANGE);
	init_waitqueue_head(&file->wait);
	INIT_DELAYED_WORK(&file->reap, vacc_file_reap);
	spin_lock_init(&file->records_lock);
	INIT_LIST_HEAD(&file->records);
	spin_lock_init(&file->errors_lock);
	spin_lock_irq(&dev->lock);
	file->id = ++dev->file_ids;
	list_add_tail(&file->node, &dev->files);
	spin_unlock_irq(&dev->lock);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

/* Never waits for the device: the reaper does. */
static int vacc_release(struct inode *inode, struct file *filp)
{
	struct vacc_file *file = filp->private_data;
	struct vacc_device *dev = file->dev;
	int kind;

	xa_lock_irq(&file->objects);
	file->closed = true;
	for (kind = 0; kind < VACC_KIND_COUNT; kind++) {
		atomic_sub(file->counts[kind], &dev->live[kind]);
		atomic_add(file->counts[kind], &dev->zombie[kind]);
	}
	xa_unlock_irq(&file->objects);
	vacc_file_kick_reaper(file);
	vacc_file_put(file);
	return 0;
}

/* Whether vacc_file_enter() would find room. */
static bool vacc_file_room(const struct vacc_file *file)
{
	u32 limit = vacc_quota_inflight();

	return atomic_read(&file->inflight) < limit &&
	       (atomic_read(&file->held) + 1) / 2 <= limit;
}

static __poll_t vacc_poll(struct file *filp, poll_table *table)
{
	struct vacc_file *file = filp->private_data;
	struct vacc_device *dev = file->dev;
	__poll_t mask = 0;

	poll_wait(filp, &file->wait, table);
	if (vacc_record_readable(file))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (vacc_device_dead(dev))
		return mask | EPOLLERR | EPOLLHUP;
	if (vacc_file_room(file) && vacc_record_room(file))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

const struct file_operations vacc_fops = {
	.owner = THIS_MODULE,
	.open = vacc_open,
	.release = vacc_release,
	.read = vacc_read,
	.poll = vacc_poll,
	.mmap = vacc_mmap,
	.show_fdinfo = vacc_show_fdinfo,
	.unlocked_ioctl = vacc_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
