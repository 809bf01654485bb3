// SPDX-License-Identifier: GPL-2.0
/*
 * The operations of fences, in a module that stays.
 */
#include <linux/module.h>

#include "vacc_fence.h"

static const char *vacc_fence_driver_name(struct dma_fence *base)
{
	return container_of(base, struct vacc_fence, base)->driver;
}

static const char *vacc_fence_timeline_name(struct dma_fence *base)
{
	return container_of(base, struct vacc_fence, base)->timeline;
}

/* No .release: dma_fence_free() frees by RCU without calling into a module. */
static const struct dma_fence_ops vacc_fence_ops = {
	.get_driver_name = vacc_fence_driver_name,
	.get_timeline_name = vacc_fence_timeline_name,
};

/**
 * vacc_fence_init_v1() - make a fence
 * @fence: from kmalloc(), with its names filled in; from here on it is referenced
 *	by dma_fence_get() and dma_fence_put(), which frees it
 *
 * Each fence has a fence context of its own, so that no order among fences is ever
 * implied and merging keeps them all.
 *
 * Context: any; takes no lock.
 */
void vacc_fence_init_v1(struct vacc_fence *fence)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &vacc_fence_ops, &fence->lock,
		       dma_fence_context_alloc(1), 1);
}
EXPORT_SYMBOL_GPL(vacc_fence_init_v1);

/* With an init and no exit, delete_module(2) refuses with EBUSY. */
static int __init vacc_fence_module_init(void)
{
	return 0;
}
module_init(vacc_fence_module_init);

MODULE_DESCRIPTION("Fence operations for virtio-accel, not unloadable");
MODULE_LICENSE("GPL");
