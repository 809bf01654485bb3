/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels differ for who implements a virtio transport.
 */
#ifndef _LOOPBACK_COMPAT_H
#define _LOOPBACK_COMPAT_H

#include <linux/version.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

/*
 * Defines @function for struct virtio_config_ops, which calls
 *	int one(struct virtio_device *vdev, struct virtqueue **vq,
 *		vq_callback_t *callback, const char *queue, bool ctx);
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define LOOPBACK_FIND_VQS(function, one)					\
static int function(struct virtio_device *vdev, unsigned int nvqs,	\
		struct virtqueue *vqs[], vq_callback_t *callbacks[],	\
		const char * const names[], const bool *ctx,		\
		struct irq_affinity *desc)				\
{									\
	if (nvqs != 1 || !names[0])					\
		return -ENOENT;						\
	return one(vdev, vqs, callbacks[0], names[0], ctx && ctx[0]);	\
}
#else
#define LOOPBACK_FIND_VQS(function, one)					\
static int function(struct virtio_device *vdev, unsigned int nvqs,	\
		struct virtqueue *vqs[], struct virtqueue_info infos[],	\
		struct irq_affinity *desc)				\
{									\
	if (nvqs != 1 || !infos[0].name)				\
		return -ENOENT;						\
	return one(vdev, vqs, infos[0].callback, infos[0].name,		\
		   infos[0].ctx);					\
}
#endif

#endif /* _LOOPBACK_COMPAT_H */
