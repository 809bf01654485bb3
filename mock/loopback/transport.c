// SPDX-License-Identifier: GPL-2.0
/*
 * The transport: what the virtio core and the driver ask of the device.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "compat.h"
#include "loopback.h"

static void loopback_get(struct virtio_device *vdev, unsigned int offset,
			 void *to, unsigned int bytes)
{
	struct loopback *loopback = to_loopback(vdev);
	unsigned int there = 0;

	spin_lock_irq(&loopback->lock);
	if (offset < sizeof(loopback->config)) {
		there = min_t(size_t, bytes,
			      sizeof(loopback->config) - offset);
		memcpy(to, loopback->config + offset, there);
	}
	spin_unlock_irq(&loopback->lock);
	memset(to + there, 0, bytes - there);
}

/* There is nothing that a driver could set. */
static void loopback_set(struct virtio_device *vdev, unsigned int offset,
			 const void *from, unsigned int bytes)
{
}

static u32 loopback_generation(struct virtio_device *vdev)
{
	return READ_ONCE(to_loopback(vdev)->generation);
}

static u8 loopback_get_status(struct virtio_device *vdev)
{
	return READ_ONCE(to_loopback(vdev)->status);
}

static void loopback_set_status(struct virtio_device *vdev, u8 status)
{
	struct loopback *loopback = to_loopback(vdev);
	u8 before;

	spin_lock_irq(&loopback->lock);
	before = loopback->status;
	/* This bit is the device's. */
	loopback->status = status | (before & VIRTIO_CONFIG_S_NEEDS_RESET);
	spin_unlock_irq(&loopback->lock);
	if ((status & ~before & VIRTIO_CONFIG_S_DRIVER_OK) && loopback->vq)
		loopback_serve_start(loopback);
}

static void loopback_reset(struct virtio_device *vdev)
{
	struct loopback *loopback = to_loopback(vdev);

	loopback_serve_stop(loopback);
	spin_lock_irq(&loopback->lock);
	loopback->status = 0;
	loopback->counters.resets++;
	spin_unlock_irq(&loopback->lock);
}

static u64 loopback_get_features(struct virtio_device *vdev)
{
	return BIT_ULL(VIRTIO_F_VERSION_1) |
	       READ_ONCE(to_loopback(vdev)->features);
}

static int loopback_finalize_features(struct virtio_device *vdev)
{
	vring_transport_features(vdev);
	if (!__virtio_test_bit(vdev, VIRTIO_F_VERSION_1))
		return -EINVAL;
	return vdev->features & ~loopback_get_features(vdev) ? -EINVAL : 0;
}

static const char *loopback_bus_name(struct virtio_device *vdev)
{
	return to_loopback(vdev)->name;
}

static bool loopback_notify(struct virtqueue *vq)
{
	struct loopback *loopback = to_loopback(vq->vdev);
	unsigned long flags;

	spin_lock_irqsave(&loopback->lock, flags);
	loopback->counters.kicks++;
	spin_unlock_irqrestore(&loopback->lock, flags);
	loopback_serve_kick(loopback);
	return true;
}

static void loopback_del_vqs(struct virtio_device *vdev)
{
	struct loopback *loopback = to_loopback(vdev);

	if (!loopback->vq)
		return;
	/* A driver that has not reset the device has its callbacks ended here. */
	loopback_serve_stop(loopback);
	vring_del_virtqueue(loopback->vq);
	loopback->vq = NULL;
	free_pages_exact(loopback->pages, loopback->pages_bytes);
	loopback_serve_release(loopback);
}

static int loopback_find_vq(struct virtio_device *vdev, struct virtqueue **vq,
			    const struct loopback_vq_info *info)
{
	struct loopback *loopback = to_loopback(vdev);
	u32 size = loopback_ring_size();
	int err;

	if (loopback->vq)
		return -EBUSY;
	err = loopback_serve_prepare(loopback);
	if (err)
		return err;
	loopback->pages_bytes = vring_size(size, SMP_CACHE_BYTES);
	loopback->pages = alloc_pages_exact(loopback->pages_bytes,
					    GFP_KERNEL | __GFP_ZERO);
	if (!loopback->pages) {
		err = -ENOMEM;
		goto err_release;
	}
	loopback->vq = vring_new_virtqueue(0, size, SMP_CACHE_BYTES, vdev, true,
					   info->ctx, loopback->pages,
					   loopback_notify, info->callback,
					   info->name);
	if (!loopback->vq) {
		err = -ENOMEM;
		goto err_pages;
	}
	loopback->vq->num_max = size;
	*vq = loopback->vq;
	return 0;

err_pages:
	free_pages_exact(loopback->pages, loopback->pages_bytes);
err_release:
	loopback_serve_release(loopback);
	return err;
}

static int loopback_find_vqs(struct virtio_device *vdev, unsigned int count,
			     struct virtqueue *vqs[], LOOPBACK_VQ_ARGS)
{
	const struct loopback_vq_info info = LOOPBACK_VQ_INFO;

	if (count != 1 || !info.name)
		return -ENOENT;
	return loopback_find_vq(vdev, &vqs[0], &info);
}

const struct virtio_config_ops loopback_config_ops = {
	.get = loopback_get,
	.set = loopback_set,
	.generation = loopback_generation,
	.get_status = loopback_get_status,
	.set_status = loopback_set_status,
	.reset = loopback_reset,
	.find_vqs = loopback_find_vqs,
	.del_vqs = loopback_del_vqs,
	.get_features = loopback_get_features,
	.finalize_features = loopback_finalize_features,
	.bus_name = loopback_bus_name,
};

/**
 * loopback_needs_reset() - the device works no more until it is reset
 * @owner: the device
 *
 * One that is being reset, or that no driver has, tells nobody.
 *
 * Context: Any, under no lock of the device.
 */
void loopback_needs_reset(void *owner)
{
	struct loopback *loopback = owner;
	unsigned long flags;
	bool tell;

	spin_lock_irqsave(&loopback->lock, flags);
	tell = loopback->running;
	if (tell)
		loopback->status |= VIRTIO_CONFIG_S_NEEDS_RESET;
	spin_unlock_irqrestore(&loopback->lock, flags);
	if (tell)
		virtio_config_changed(&loopback->vdev);
}
