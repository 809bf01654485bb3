/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels differ for who implements a virtio transport.
 */
#ifndef _LOOPBACK_COMPAT_H
#define _LOOPBACK_COMPAT_H

#include <linux/version.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

/* What a driver asks of the only virtqueue. */
struct loopback_vq_info {
	vq_callback_t *callback;
	const char *name;
	bool ctx;
};

/* Arguments of find_vqs() after the number and the array of virtqueues. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define LOOPBACK_VQ_ARGS						\
	vq_callback_t *callbacks[], const char * const names[],		\
	const bool *ctx, struct irq_affinity *desc
#define LOOPBACK_VQ_INFO						\
	{ callbacks[0], names[0], ctx && ctx[0] }
#else
#define LOOPBACK_VQ_ARGS						\
	struct virtqueue_info infos[], struct irq_affinity *desc
#define LOOPBACK_VQ_INFO						\
	{ infos[0].callback, infos[0].name, infos[0].ctx }
#endif

#endif /* _LOOPBACK_COMPAT_H */
