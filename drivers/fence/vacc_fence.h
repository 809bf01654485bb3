/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fences that outlive whoever made them.
 *
 * A sync_file may call the operations of a fence long after the event, the file, the
 * device and the driver that made it are gone, and nothing pins a module for that.
 * So the operations live alone in vacc_fence.ko, which cannot be unloaded, and a
 * fence is an object of its own that refers to nothing.
 *
 * The layout and the symbol are frozen: an upgraded driver works with the
 * vacc_fence.ko that is loaded.  A change is a new structure and a new symbol.
 */
#ifndef _VACC_FENCE_H
#define _VACC_FENCE_H

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

/**
 * struct vacc_fence - fence of one event
 * @base: the fence; first, as dma_fence_free() frees the whole object by it
 * @lock: protects @base's callbacks; innermost, nothing is taken under it
 * @driver: name of the driver, zero-terminated
 * @timeline: device and process, zero-terminated; a label, not an order
 */
struct vacc_fence {
	struct dma_fence base;
	spinlock_t lock; /* callbacks of @base */
	char driver[16];
	char timeline[32];
};

void vacc_fence_init_v1(struct vacc_fence *fence);

#endif /* _VACC_FENCE_H */
