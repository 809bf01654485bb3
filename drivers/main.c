// SPDX-License-Identifier: GPL-2.0
/*
 * The module: its workqueues.
 */
#include <linux/module.h>

#include "core.h"
#include "virtio/virtio.h"

/*
 * Hand-over, timeouts and aborts.  Fences wait for it: what runs here allocates nothing
 * and waits for nobody.
 */
struct workqueue_struct *vacc_wq;

/*
 * Dismissals and the reaper: what waits for devices, for locks and for memory.  No fence
 * waits for it but by way of a device that has to be reset.
 */
struct workqueue_struct *vacc_slow_wq;

/* Resets and doubts: what ends such waits, and so must not stand in line behind them. */
struct workqueue_struct *vacc_reset_wq;

static int __init vacc_alloc_workqueues(void)
{
	vacc_wq = alloc_workqueue("virtio_accel", WQ_UNBOUND | WQ_MEM_RECLAIM,
				  0);
	if (!vacc_wq)
		return -ENOMEM;
	vacc_slow_wq = alloc_workqueue("virtio_accel_slow",
				       WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!vacc_slow_wq)
		goto free_wq;
	vacc_reset_wq = alloc_workqueue("virtio_accel_reset",
					WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!vacc_reset_wq)
		goto free_slow_wq;
	return 0;

free_slow_wq:
	destroy_workqueue(vacc_slow_wq);
free_wq:
	destroy_workqueue(vacc_wq);
	return -ENOMEM;
}

static void vacc_free_workqueues(void)
{
	destroy_workqueue(vacc_reset_wq);
	destroy_workqueue(vacc_slow_wq);
	destroy_workqueue(vacc_wq);
}

static int __init vacc_init(void)
{
	int err = vacc_virtio_check();

	if (!err)
		err = vacc_alloc_workqueues();
	if (err)
		return err;
	vacc_debug_init();
	err = vacc_virtio_init();
	if (!err)
		return 0;
	vacc_debug_exit();
	vacc_free_workqueues();
	return err;
}

/*
 * No other backend is registered and no file is open, as both pin the module.  What closed
 * files left may still be queued, and is waited for.
 */
static void __exit vacc_exit(void)
{
	vacc_virtio_exit();
	vacc_debug_exit();
	vacc_file_wait_all();
	vacc_free_workqueues();
}

module_init(vacc_init);
module_exit(vacc_exit);

MODULE_DESCRIPTION("Accelerators with an explicit lifecycle");
MODULE_LICENSE("GPL");
