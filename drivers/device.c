// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: registration, and an end that open files survive.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "core.h"

static DEFINE_IDA(vacc_instances);

static void vacc_device_free(struct kref *ref)
{
	struct vacc_device *dev = container_of(ref, struct vacc_device, ref);

	kfree(dev->info.formats);
	kfree(dev);
}

/**
 * vacc_device_put() - let go of a device
 * @dev: the device
 *
 * Context: any.
 */
void vacc_device_put(struct vacc_device *dev)
{
	kref_put(&dev->ref, vacc_device_free);
}

/**
 * vacc_device_enter() - begin calling the backend
 * @dev: the device
 *
 * Context: may sleep.  Touch no user memory and wait for nothing up to
 * vacc_device_exit().
 * Return: the operations, or NULL, and then there is nothing to exit, where the device
 * is gone.
 */
const struct vacc_backend_ops *vacc_device_enter(struct vacc_device *dev)
{
	down_read(&dev->registration);
	if (!dev->gone)
		return dev->ops;
	up_read(&dev->registration);
	return NULL;
}

/**
 * vacc_device_try_enter() - begin calling the backend, without waiting for anybody
 * @dev: the device
 *
 * Context: as vacc_device_enter().
 * Return: as vacc_device_enter(); also NULL while the device is going.
 */
const struct vacc_backend_ops *vacc_device_try_enter(struct vacc_device *dev)
{
	if (!down_read_trylock(&dev->registration))
		return NULL;
	if (dev->gone) {
		up_read(&dev->registration);
		return NULL;
	}
	return dev->ops;
}

/**
 * vacc_device_exit() - end calling the backend
 * @dev: the device
 *
 * Context: after vacc_device_enter() or vacc_device_try_enter() returned operations.
 */
void vacc_device_exit(struct vacc_device *dev)
{
	up_read(&dev->registration);
}

/**
 * vacc_device_peek() - the backend, for who may not take the registration lock
 * @dev: the device
 *
 * Context: work on vacc_wq, which the end of a device flushes before it stops the
 * backend.
 * Return: the operations, valid as long as the work runs, or NULL where the device is
 * gone.
 */
const struct vacc_backend_ops *vacc_device_peek(struct vacc_device *dev)
{
	return READ_ONCE(dev->gone) ? NULL : dev->ops;
}

static struct vacc_device *vacc_device_alloc(const struct vacc_backend_info *info,
					     const struct vacc_backend_ops *ops,
					     void *priv)
{
	struct vacc_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	kref_init(&dev->ref);
	init_rwsem(&dev->registration);
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->files);
	INIT_LIST_HEAD(&dev->queues);
	init_waitqueue_head(&dev->wait);
	dev->info = *info;
	dev->info.formats = kmemdup(info->formats,
				    info->format_count * sizeof(*info->formats),
				    GFP_KERNEL);
	if (!dev->info.formats && info->format_count) {
		kfree(dev);
		return NULL;
	}
	dev->ops = ops;
	dev->events_polled = !!ops->event_wanted;
	dev->events_linger = !!ops->event_destroy;
	dev->priv = priv;
	return dev;
}

/**
 * vacc_device_register() - give userspace a node for a backend
 * @parent: parent in sysfs, or NULL
 * @parent_name: name that GET_INFO reports, shortened to 31 bytes
 * @info: what the device is; copied
 * @ops: operations; they stay until vacc_device_unregister() has returned
 * @priv: their first argument
 *
 * The operations may be called before this returns.
 *
 * Context: may sleep.
 * Return: the device, -ENOMEM, or what misc_register() returns: -EBUSY where no minor
 * is free.
 */
struct vacc_device *vacc_device_register(struct device *parent,
					 const char *parent_name,
					 const struct vacc_backend_info *info,
					 const struct vacc_backend_ops *ops,
					 void *priv)
{
	struct vacc_device *dev = vacc_device_alloc(info, ops, priv);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	strscpy(dev->parent_name, parent_name, sizeof(dev->parent_name));
	dev->instance = ida_alloc(&vacc_instances, GFP_KERNEL);
	if (dev->instance < 0) {
		err = dev->instance;
		goto err_put;
	}
	snprintf(dev->name, sizeof(dev->name), "virtio-accel%d", dev->instance);
	dev->misc.minor = MISC_DYNAMIC_MINOR;
	dev->misc.name = dev->name;
	dev->misc.fops = &vacc_fops;
	dev->misc.parent = parent;
	dev->misc.mode = 0600;
	dev->misc.groups = vacc_sysfs_groups;
	err = misc_register(&dev->misc);
	if (err)
		goto err_ida;
	vacc_debug_add(dev);
	return dev;

err_ida:
	ida_free(&vacc_instances, dev->instance);
err_put:
	vacc_device_put(dev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(vacc_device_register);

static void vacc_device_wake(struct vacc_device *dev)
{
	struct vacc_file *file;

	wake_up_all(&dev->wait);
	spin_lock_irq(&dev->lock);
	list_for_each_entry(file, &dev->files, node)
		wake_up_all(&file->wait);
	spin_unlock_irq(&dev->lock);
}

static void vacc_device_end(struct vacc_device *dev, int error)
{
	const struct vacc_backend_ops *ops = dev->ops;

	dev->dead_error = error;
	/* Pairs with vacc_device_dead(). */
	smp_store_release(&dev->dead, true);
	if (ops->interrupt)
		ops->interrupt(dev->priv);
	vacc_device_wake(dev);
	vacc_debug_remove(dev);
	misc_deregister(&dev->misc);

	down_write(&dev->registration);
	WRITE_ONCE(dev->gone, true);
	up_write(&dev->registration);

	/* Nothing is deferred any more: what workers have taken they hand over now. */
	vacc_defer_discard_all(dev);
	flush_workqueue(vacc_wq);
	ops->stop(dev->priv);
	vacc_queue_fail_all(dev, VIRTIO_ACCEL_S_DEVICE_LOST, error);
	vacc_device_wake(dev);
	ida_free(&vacc_instances, dev->instance);
	vacc_device_put(dev);
}

/**
 * vacc_device_unregister() - take the node away, also under open files
 * @dev: the device, registered and not lost; gone for the caller when this returns
 *
 * Wakes every wait, ends every pending event as failed with DEVICE_LOST and its fence
 * with -ENODEV.  Open files stay, their calls fail with -ENODEV and their mappings stay
 * valid.  When this returns no call of the backend is under way and none will come; the
 * backend frees whatever it still has.
 *
 * Context: may sleep, not from vacc_wq; waits for calls of the backend that are under
 * way.
 */
void vacc_device_unregister(struct vacc_device *dev)
{
	vacc_device_end(dev, -ENODEV);
}
EXPORT_SYMBOL_GPL(vacc_device_unregister);

/**
 * vacc_device_lose() - take the node away because the device has to be reset
 * @dev: the device, registered and not lost; gone for the caller when this returns
 *
 * As vacc_device_unregister(), and instead of it, with -EIO for -ENODEV.  One of both
 * ends each registration, once; what comes back is registered anew and is another
 * device, for which files have to be opened again.
 *
 * Context: may sleep, not from vacc_wq; waits for calls of the backend that are under
 * way.
 */
void vacc_device_lose(struct vacc_device *dev)
{
	vacc_device_end(dev, -EIO);
}
EXPORT_SYMBOL_GPL(vacc_device_lose);

/**
 * vacc_device_instance() - the number in the name of the node
 * @dev: the device
 *
 * Context: any.
 * Return: N of /dev/virtio-accelN.
 */
int vacc_device_instance(const struct vacc_device *dev)
{
	return dev->instance;
}
EXPORT_SYMBOL_GPL(vacc_device_instance);
