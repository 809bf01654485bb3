// SPDX-License-Identifier: GPL-2.0
/*
 * The module: what the core's own main.c does, for the copy of the core in here.
 * The suites run when it is loaded.
 */
#include <linux/module.h>

#include "../drivers/core.h"

struct workqueue_struct *vacc_wq;
struct workqueue_struct *vacc_slow_wq;
struct workqueue_struct *vacc_reset_wq;

static int __init rig_module_init(void)
{
	vacc_wq = alloc_workqueue("virtio_accel_kunit",
				  WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!vacc_wq)
		return -ENOMEM;
	vacc_slow_wq = alloc_workqueue("virtio_accel_kunit_slow",
				       WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!vacc_slow_wq)
		goto free_wq;
	vacc_reset_wq = alloc_workqueue("virtio_accel_kunit_reset",
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

static void __exit rig_module_exit(void)
{
	vacc_file_wait_all();
	destroy_workqueue(vacc_reset_wq);
	destroy_workqueue(vacc_slow_wq);
	destroy_workqueue(vacc_wq);
}

module_init(rig_module_init);
module_exit(rig_module_exit);

MODULE_DESCRIPTION("Unit tests of virtio-accel");
MODULE_LICENSE("GPL");
