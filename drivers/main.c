// SPDX-License-Identifier: GPL-2.0
/*
 * The module: one workqueue for all that ends later.
 */
#include <linux/module.h>

#include "core.h"
#include "virtio/virtio.h"

/*
 * Timeouts, aborts and the reaper.  Fences wait for it, so it must make progress
 * when memory is short.
 */
struct workqueue_struct *vacc_wq;

static int __init vacc_init(void)
{
	int err;

	vacc_wq = alloc_workqueue("virtio_accel", WQ_UNBOUND | WQ_MEM_RECLAIM,
				  0);
	if (!vacc_wq)
		return -ENOMEM;
	err = vacc_virtio_init();
	if (err)
		destroy_workqueue(vacc_wq);
	return err;
}

/*
 * No other backend is registered and no file is open, as both pin the module.  What closed
 * files left may still be queued, and is waited for.
 */
static void __exit vacc_exit(void)
{
	vacc_virtio_exit();
	vacc_file_wait_all();
	destroy_workqueue(vacc_wq);
}

module_init(vacc_init);
module_exit(vacc_exit);

MODULE_DESCRIPTION("Accelerators with an explicit lifecycle");
MODULE_LICENSE("GPL");
