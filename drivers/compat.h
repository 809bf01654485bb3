/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels from 6.1 on differ.  The only file that knows versions.
 *
 * Stable kernels carry backports: ask for the macro where there is one.
 */
#ifndef _VACC_COMPAT_H
#define _VACC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/uio.h>
#include <linux/version.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

#ifndef ITER_SOURCE
#define ITER_SOURCE	WRITE
#define ITER_DEST	READ
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
static inline int vacc_timer_delete(struct timer_list *timer)
{
	return del_timer(timer);
}

static inline int vacc_timer_delete_sync(struct timer_list *timer)
{
	return del_timer_sync(timer);
}
#else
static inline int vacc_timer_delete(struct timer_list *timer)
{
	return timer_delete(timer);
}

static inline int vacc_timer_delete_sync(struct timer_list *timer)
{
	return timer_delete_sync(timer);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vacc_vm_flags_mod(struct vm_area_struct *vma,
				     vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void vacc_vm_flags_mod(struct vm_area_struct *vma,
				     vm_flags_t set, vm_flags_t clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void
vacc_hrtimer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*function)(struct hrtimer *timer),
		   clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#else
static inline void
vacc_hrtimer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*function)(struct hrtimer *timer),
		   clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_setup(timer, function, clock, mode);
}
#endif

/* The first 64 features that a device offers, and whether it has others. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
static inline u64 vacc_virtio_features(struct virtio_device *vdev, bool *beyond)
{
	*beyond = false;
	return vdev->config->get_features(vdev);
}
#else
static inline u64 vacc_virtio_features(struct virtio_device *vdev, bool *beyond)
{
	u64 all[ARRAY_SIZE(vdev->features_array)];
	u32 i;

	virtio_get_features(vdev, all);
	*beyond = false;
	for (i = 1; i < ARRAY_SIZE(all); i++)
		*beyond |= all[i];
	return all[0];
}
#endif

/* What a driver asks of the only virtqueue, for who implements a transport. */
struct vacc_vq_info {
	vq_callback_t *callback;
	const char *name;
	bool ctx;
};

/* Arguments of find_vqs() after the number and the array of virtqueues. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define VACC_FIND_VQS_ARGS						\
	vq_callback_t *callbacks[], const char * const names[],		\
	const bool *ctx, struct irq_affinity *desc
#define VACC_FIND_VQS_INFO						\
	{ callbacks[0], names[0], ctx && ctx[0] }
#else
#define VACC_FIND_VQS_ARGS						\
	struct virtqueue_info infos[], struct irq_affinity *desc
#define VACC_FIND_VQS_INFO						\
	{ infos[0].callback, infos[0].name, infos[0].ctx }
#endif

#endif /* _VACC_COMPAT_H */
