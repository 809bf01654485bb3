// SPDX-License-Identifier: GPL-2.0
/*
 * virtio_accel_mock: reference devices in software.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "control.h"
#include "direct.h"
#include "engine/linear.h"
#include "loopback/loopback.h"

#define MOCK_MAX_DEVICES	64
#define MOCK_MIN_TIMEOUT_MS	100

static char *backend = "direct";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend,
		 "what devices are: direct, or loopback for devices on the virtio bus (default direct)");

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "devices to begin with, 0 to 64 (default 1)");

static unsigned int max_contexts = ENG_MAX_CONTEXTS;
module_param(max_contexts, uint, 0444);
MODULE_PARM_DESC(max_contexts, "contexts of a device, 1 to 64 (default 64)");

static unsigned int max_buffers = ENG_MAX_BUFFERS;
module_param(max_buffers, uint, 0444);
MODULE_PARM_DESC(max_buffers, "buffers of a context, 1 to 1024 (default 1024)");

static unsigned int max_programs = ENG_MAX_IMAGES;
module_param(max_programs, uint, 0444);
MODULE_PARM_DESC(max_programs, "programs of a context, 1 to 256 (default 256)");

static unsigned int max_queues = ENG_MAX_QUEUES;
module_param(max_queues, uint, 0444);
MODULE_PARM_DESC(max_queues, "queues of a context, 1 to 16 (default 16)");

static unsigned int max_events = ENG_MAX_EVENTS;
module_param(max_events, uint, 0444);
MODULE_PARM_DESC(max_events, "events of a context, 1 to 4096 (default 4096)");

static unsigned int max_bindings = ENG_MAX_BINDINGS;
module_param(max_bindings, uint, 0444);
MODULE_PARM_DESC(max_bindings,
		 "bindings of a submission, 1 to 256 (default 256)");

static unsigned long long max_buffer_bytes = ENG_MAX_BUFFER_BYTES;
module_param(max_buffer_bytes, ullong, 0444);
MODULE_PARM_DESC(max_buffer_bytes,
		 "bytes of a buffer, 1 to 2^30 (default 2^30)");

static unsigned long long max_artifact_bytes = ENG_MAX_ARTIFACT_BYTES;
module_param(max_artifact_bytes, ullong, 0444);
MODULE_PARM_DESC(max_artifact_bytes,
		 "bytes of a program's artifact, 1 to 2^30 (default 2^30)");

static unsigned long long max_scratch_bytes;
module_param(max_scratch_bytes, ullong, 0444);
MODULE_PARM_DESC(max_scratch_bytes,
		 "working memory of a device's submissions, and packed weights (default 0: an eighth of RAM)");

static unsigned int inline_limit = ENG_INLINE_LIMIT;
module_param(inline_limit, uint, 0444);
MODULE_PARM_DESC(inline_limit,
		 "bytes of work that may be done in the caller, 0 for none (default 65536)");

static unsigned int max_cpus;
module_param(max_cpus, uint, 0444);
MODULE_PARM_DESC(max_cpus,
		 "work items of a device that execute at a time (default 0: the kernel's choice)");

static unsigned int hang_limit_ms = 30000;
module_param(hang_limit_ms, uint, 0444);
MODULE_PARM_DESC(hang_limit_ms,
		 "how long pending work may stand still, at least 100 (default 30000)");

static unsigned int command_timeout_ms = 10000;
module_param(command_timeout_ms, uint, 0444);
MODULE_PARM_DESC(command_timeout_ms,
		 "bound of one command, at least 100 (default 10000)");

static char *engine = "auto";
module_param(engine, charp, 0444);
MODULE_PARM_DESC(engine,
		 "instructions that dense linear is computed with: auto, integer, avx2 or avx512 (default auto)");

static bool hold;
module_param(hold, bool, 0444);
MODULE_PARM_DESC(hold, "begin in hold mode, for tests (default N)");

/**
 * struct mock_device - a device of either kind
 * @node: in mock_devices
 * @control: its files
 * @direct: what it is, or NULL
 * @loopback: what it is, or NULL
 */
struct mock_device {
	struct list_head node;
	struct control_target control;
	struct direct_device *direct;
	struct loopback *loopback;
};

static DEFINE_MUTEX(mock_lock);
static LIST_HEAD(mock_devices);		/* mock_lock */
static unsigned int mock_added;		/* mock_lock: ever */
static bool mock_loopback;
static struct device *mock_parent;
static struct direct_config mock_config;

static bool mock_within(const char *name, u64 value, u64 low, u64 high)
{
	if (value >= low && value <= high)
		return true;
	pr_err("%s=%llu is not within %llu to %llu\n", name, value, low, high);
	return false;
}

static int mock_choose_engine(void)
{
	switch (eng_linear_choose(engine)) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_UNSUPPORTED:
		pr_err("engine=%s: this processor does not have it\n", engine);
		return -EOPNOTSUPP;
	default:
		pr_err("engine=%s is none of auto, integer, avx2 and avx512\n",
		       engine);
		return -EINVAL;
	}
}

static int mock_configure(void)
{
	u64 scratch = max_scratch_bytes ?:
		      (u64)totalram_pages() << PAGE_SHIFT >> 3;
	bool good = true;

	good &= mock_within("devices", devices, 0, MOCK_MAX_DEVICES);
	good &= mock_within("max_contexts", max_contexts, 1, ENG_MAX_CONTEXTS);
	good &= mock_within("max_buffers", max_buffers, 1, ENG_MAX_BUFFERS);
	good &= mock_within("max_programs", max_programs, 1, ENG_MAX_IMAGES);
	good &= mock_within("max_queues", max_queues, 1, ENG_MAX_QUEUES);
	good &= mock_within("max_events", max_events, 1, ENG_MAX_EVENTS);
	good &= mock_within("max_bindings", max_bindings, 1, ENG_MAX_BINDINGS);
	good &= mock_within("max_buffer_bytes", max_buffer_bytes, 1,
			    ENG_MAX_BUFFER_BYTES);
	good &= mock_within("max_artifact_bytes", max_artifact_bytes, 1,
			    ENG_MAX_ARTIFACT_BYTES);
	good &= mock_within("max_cpus", max_cpus, 0, WQ_MAX_ACTIVE);
	good &= mock_within("hang_limit_ms", hang_limit_ms,
			    MOCK_MIN_TIMEOUT_MS, U32_MAX);
	good &= mock_within("command_timeout_ms", command_timeout_ms,
			    MOCK_MIN_TIMEOUT_MS, U32_MAX);
	mock_loopback = !strcmp(backend, "loopback");
	if (!mock_loopback && strcmp(backend, "direct")) {
		pr_err("backend=%s is neither direct nor loopback\n", backend);
		good = false;
	}
	if (!good || loopback_configure())
		return -EINVAL;

	mock_config = (struct direct_config){
		.limits = {
			.max_contexts = max_contexts,
			.max_buffers = max_buffers,
			.max_images = max_programs,
			.max_queues = max_queues,
			.max_events = max_events,
			.max_bindings = max_bindings,
			.max_buffer_bytes = max_buffer_bytes,
			.max_artifact_bytes = max_artifact_bytes,
			.max_scratch_bytes = scratch,
			.inline_limit = inline_limit,
		},
		.workers = max_cpus,
		.hang_limit_ms = hang_limit_ms,
		.command_timeout_ms = command_timeout_ms,
		.hold = hold,
	};
	return 0;
}

/**
 * mock_taint() - mark the kernel as one that tests are done with
 *
 * Held or falsified work is no production use: whoever reads a report shall know.
 *
 * Context: Any.
 */
void mock_taint(void)
{
#ifdef TAINT_TEST
	add_taint(TAINT_TEST, LOCKDEP_STILL_OK);
#endif
}

static struct eng_device *mock_direct_engine(void *owner)
{
	struct mock_device *mock = owner;

	return mock->direct->engine;
}

static void mock_direct_hold(void *owner, bool hold)
{
	struct mock_device *mock = owner;

	direct_hold(mock->direct, hold);
}

static int mock_add_direct(struct mock_device *mock, const char *name)
{
	struct direct_device *direct = direct_add(mock_parent, name,
						  &mock_config);
	char number[16];

	if (IS_ERR(direct))
		return PTR_ERR(direct);
	mock->direct = direct;
	mock->control.owner = mock;
	mock->control.get = mock_direct_engine;
	mock->control.hold = mock_direct_hold;
	snprintf(number, sizeof(number), "%d", direct->instance);
	control_add(&mock->control, number);
	return 0;
}

static int mock_add_loopback(struct mock_device *mock, const char *name)
{
	const struct loopback_config config = {
		.limits = mock_config.limits,
		.workers = mock_config.workers,
		.hold = mock_config.hold,
	};
	struct loopback *loopback = loopback_add(mock_parent, name, &config);

	if (IS_ERR(loopback))
		return PTR_ERR(loopback);
	mock->loopback = loopback;
	loopback_files_add(loopback, &mock->control);
	return 0;
}

/**
 * mock_add() - add a device
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int mock_add(void)
{
	struct mock_device *mock = kzalloc(sizeof(*mock), GFP_KERNEL);
	char name[32];
	int err;

	if (!mock)
		return -ENOMEM;
	mutex_lock(&mock_lock);
	snprintf(name, sizeof(name), "virtio_accel_mock.%u", mock_added++);
	err = mock_loopback ? mock_add_loopback(mock, name) :
			      mock_add_direct(mock, name);
	if (err)
		kfree(mock);
	else
		list_add_tail(&mock->node, &mock_devices);
	mutex_unlock(&mock_lock);
	return err;
}

/* With the lock held.  First what tests use, then what they might be using. */
static void mock_remove_device(struct mock_device *mock)
{
	list_del(&mock->node);
	if (mock->direct)
		direct_unplug(mock->direct);
	else
		loopback_unplug(mock->loopback);
	control_remove(&mock->control);
	if (mock->direct)
		direct_free(mock->direct);
	else
		loopback_free(mock->loopback);
	kfree(mock);
}

static int mock_instance(const struct mock_device *mock)
{
	return mock->direct ? mock->direct->instance : mock->loopback->instance;
}

/**
 * mock_remove() - unplug a device
 * @instance: number of its node
 *
 * Context: May sleep.
 * Return: 0, or -ENOENT.
 */
int mock_remove(u32 instance)
{
	struct mock_device *mock;
	int err = -ENOENT;

	mutex_lock(&mock_lock);
	list_for_each_entry(mock, &mock_devices, node) {
		if (mock_instance(mock) == instance) {
			mock_remove_device(mock);
			err = 0;
			break;
		}
	}
	mutex_unlock(&mock_lock);
	return err;
}

static void mock_exit_all(void)
{
	struct mock_device *mock, *next;

	control_stop();
	mutex_lock(&mock_lock);
	list_for_each_entry_safe(mock, next, &mock_devices, node)
		mock_remove_device(mock);
	mutex_unlock(&mock_lock);
	control_exit();
	root_device_unregister(mock_parent);
}

static int __init mock_init(void)
{
	unsigned int i;
	int err;

	err = mock_configure();
	if (!err)
		err = mock_choose_engine();
	if (err)
		return err;
	mock_parent = root_device_register("virtio_accel_mock");
	if (IS_ERR(mock_parent))
		return PTR_ERR(mock_parent);

	control_init();
	for (i = 0; i < devices && !err; i++)
		err = mock_add();
	if (err)
		mock_exit_all();
	return err;
}
module_init(mock_init);

static void __exit mock_exit(void)
{
	mock_exit_all();
}
module_exit(mock_exit);

MODULE_DESCRIPTION("Reference device in software for virtio-accel");
MODULE_LICENSE("GPL");
