// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that go while they are used, and devices that do not come.
 */
#include <linux/anon_inodes.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "rig.h"

/* How a device goes, and what everybody hears of it. */
struct unplug_way {
	const char *name;
	void (*go)(struct rig *rig);
	int error;
};

static const struct unplug_way unplug_ways[] = {
	{ "unplugged", rig_unregister, -ENODEV },
	{ "lost", rig_lose, -EIO },
};

KUNIT_ARRAY_PARAM_DESC(unplug_way, unplug_ways, name);

/* Every ioctl, whatever its argument. */
static void unplug_calls_fail(struct kunit *test)
{
	const struct unplug_way *way = test->param_value;
	static const unsigned int cmds[] = {
		VACC_GET_INFO, VACC_STATS, VACC_LAST_ERROR, VACC_CONTEXT_CREATE,
		VACC_CONTEXT_DESTROY, VACC_BUFFER_CREATE, VACC_BUFFER_DESTROY,
		VACC_BUFFER_QUERY, VACC_BUFFER_WRITE, VACC_BUFFER_READ,
		VACC_BUFFER_EXPORT, VACC_PROGRAM_LOAD, VACC_PROGRAM_UNLOAD,
		VACC_PROGRAM_QUERY, VACC_QUEUE_CREATE, VACC_QUEUE_DESTROY,
		VACC_QUEUE_QUERY, VACC_QUEUE_SYNC, VACC_SUBMIT, VACC_EVENT_QUERY,
		VACC_EVENT_WAIT, VACC_EVENT_CANCEL, VACC_EVENT_DESTROY,
		VACC_EVENT_EXPORT,
	};
	struct rig *rig = test->priv;
	struct vacc_file *file;
	unsigned long at;
	int i;

	rig_context(rig);
	KUNIT_EXPECT_TRUE(test, vacc_fops.poll(rig->file[0], NULL) ==
				(EPOLLOUT | EPOLLWRNORM));
	way->go(rig);
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], cmds[i],
						   rig->user + RIG_ARG),
				way->error);
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0],
					   _IO(VACC_IOC_MAGIC, 0xff), 0),
			-ENOTTY);
	KUNIT_EXPECT_TRUE(test, vacc_fops.poll(rig->file[0], NULL) ==
				(EPOLLERR | EPOLLHUP));
	at = vm_mmap(rig->file[0], 0, PAGE_SIZE, PROT_READ, MAP_SHARED,
		     PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, (long)at, way->error);
	KUNIT_EXPECT_EQ(test, rig_nodes, 0);
	file = rig_file(rig, 0);
	KUNIT_EXPECT_EQ(test, file->counts[VACC_KIND_CONTEXT], 1U);
}

/* Pending events end as lost, in the order that they were in, exactly once. */
static void unplug_fails_events(struct kunit *test)
{
	const struct unplug_way *way = test->param_value;
	struct vacc_event *events[5];
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 second;
	int i;

	rig_bench(rig, &bench);
	second = rig_queue(rig, bench.context);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		struct vacc_submit submit = {
			.queue = i & 1 ? second : bench.queue,
			.timeout_ns = 3600ULL * NSEC_PER_SEC,
		};

		KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
		events[i] = rig_event_of(rig, submit.event);
	}
	fake_end(&rig->fake, 1, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	way->go(rig);
	rig_settle(rig);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		bool done = i == 1;

		KUNIT_EXPECT_EQ(test, vacc_event_state(events[i]),
				(u32)(done ? VACC_EVENT_COMPLETE :
					     VACC_EVENT_FAILED));
		KUNIT_EXPECT_EQ(test, events[i]->status,
				(u32)(done ? VIRTIO_ACCEL_S_OK :
					     VIRTIO_ACCEL_S_DEVICE_LOST));
		KUNIT_EXPECT_EQ(test, events[i]->flags,
				(u32)VACC_EVENT_QUIESCENT);
		KUNIT_EXPECT_EQ(test,
				dma_fence_get_status(&events[i]->fence->base),
				done ? 1 : way->error);
		KUNIT_EXPECT_FALSE(test, events[i]->clock &&
				   timer_pending(&events[i]->clock->timer));
		/* A report that comes too late. */
		vacc_event_done(events[i], VACC_EVENT_COMPLETE,
				VIRTIO_ACCEL_S_OK);
		KUNIT_EXPECT_EQ(test, events[i]->status,
				(u32)(done ? VIRTIO_ACCEL_S_OK :
					     VIRTIO_ACCEL_S_DEVICE_LOST));
		vacc_event_put(events[i]);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_INTERRUPT], 1U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_STOP], 1U);
}

/* An indeterminate one has ended too: after the stop nothing runs. */
static void unplug_ends_indeterminate(struct kunit *test)
{
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	fake_fail(&rig->fake, FAKE_EVENT_SUBMIT, 1,
		  vacc_indeterminate(VIRTIO_ACCEL_S_INTERNAL_ERROR));
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	event = rig_event_of(rig, submit.event);
	rig_unregister(rig);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_TRUE(test, event->flags & VACC_EVENT_QUIESCENT);
	vacc_event_put(event);
}

static void unplug_wakes_a_wait(struct kunit *test)
{
	const struct unplug_way *way = test->param_value;
	struct vacc_wait_entry entry = {};
	struct vacc_event_wait wait = { .deadline_ns = VACC_NO_DEADLINE };
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	entry.handle = rig_event(rig, &bench);
	rig_put(rig, RIG_ARRAY, &entry, sizeof(entry));
	wait.events = rig_array(rig, RIG_ARRAY, 1, sizeof(entry));
	rig_later(rig, way->go);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait),
			way->error);
	flush_work(&rig->later);
}

static void unplug_wakes_a_sync(struct kunit *test)
{
	const struct unplug_way *way = test->param_value;
	struct vacc_queue_sync sync = { .deadline_ns = VACC_NO_DEADLINE };
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	sync.handle = bench.queue;
	rig_later(rig, way->go);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_SYNC, &sync),
			way->error);
	flush_work(&rig->later);
}

/* There is an event, so the call succeeds and says how it ended. */
static void unplug_ends_a_submit(struct kunit *test)
{
	struct vacc_submit submit = {
		.flags = VACC_SUBMIT_WAIT,
		.deadline_ns = VACC_NO_DEADLINE,
	};
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_later(rig, rig_unregister);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_EQ(test, submit.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, submit.status, (u32)VIRTIO_ACCEL_S_DEVICE_LOST);
	flush_work(&rig->later);
}

/* Room that never comes: the wait for it ends with the device. */
static void unplug_ends_a_quota(struct kunit *test)
{
	const struct unplug_way *way = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_buffer_create create = {
		.context = rig_context(rig),
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = 1,
		.bytes = PAGE_SIZE,
		.alignment = 1,
	};

	rig->fake.dev->info.command_timeout_ms = 60000;
	rig_quota_set(PAGE_SIZE, 100, 0);
	rig_buffer(rig, create.context);
	atomic_inc(&rig->fake.dev->zombie[VACC_KIND_BUFFER]);
	rig_later(rig, way->go);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_CREATE, &create),
			way->error);
	flush_work(&rig->later);
	atomic_dec(&rig->fake.dev->zombie[VACC_KIND_BUFFER]);
}

/* A mapping is memory, also when everything else is gone. */
static void unplug_keeps_mappings(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_buffer_query query = {
		.handle = rig_buffer(rig, rig_context(rig)),
	};
	unsigned long at;
	u32 word = 0;

	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_QUERY, &query), 0);
	at = vm_mmap(rig->file[0], 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_SHARED, query.mmap_offset);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	rig_unregister(rig);
	KUNIT_EXPECT_EQ(test, put_user(0x12345678U, (u32 __user *)at), 0);
	KUNIT_EXPECT_EQ(test, get_user(word, (u32 __user *)at), 0);
	KUNIT_EXPECT_EQ(test, word, 0x12345678U);
	KUNIT_EXPECT_EQ(test, vm_munmap(at, PAGE_SIZE), 0);
}

/* What a call loses because the device goes is told as the device's end. */
static void unplug_lose_hook(struct fake *fake, enum fake_op op)
{
	struct rig *rig = container_of(fake, struct rig, fake);
	const struct unplug_way *way = fake->hook_data;

	if (op != FAKE_QUEUE_CREATE)
		return;
	rig_later(rig, way->go);
	while (!vacc_device_dead(fake->dev))
		schedule_timeout_uninterruptible(1);
}

static void unplug_call_under_way(struct kunit *test)
{
	struct vacc_queue_create create = {};
	struct rig *rig = test->priv;
	const struct unplug_way *way = test->param_value;

	create.context = rig_context(rig);
	rig->fake.hook_data = (void *)way;
	rig->fake.hook = unplug_lose_hook;
	fake_fail(&rig->fake, FAKE_QUEUE_CREATE, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_DEVICE_LOST));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create),
			way->error);
	rig->fake.hook = NULL;
	flush_work(&rig->later);
}

/* A call of the backend that is under way is waited for. */
static void unplug_hook(struct fake *fake, enum fake_op op)
{
	struct rig *rig = container_of(fake, struct rig, fake);

	if (op != FAKE_QUEUE_CREATE)
		return;
	rig_later(rig, rig_unregister);
	while (!vacc_device_dead(fake->dev))
		schedule_timeout_uninterruptible(1);
	schedule_timeout_uninterruptible(2);
	KUNIT_EXPECT_FALSE(rig->test, fake->stopped);
}

static void unplug_waits_for_calls(struct kunit *test)
{
	struct vacc_queue_create create = {};
	struct rig *rig = test->priv;

	create.context = rig_context(rig);
	rig->fake.hook = unplug_hook;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create), 0);
	rig->fake.hook = NULL;
	flush_work(&rig->later);
	KUNIT_EXPECT_TRUE(test, rig->fake.stopped);
}

static struct kunit_case unplug_cases[] = {
	KUNIT_CASE_PARAM(unplug_calls_fail, unplug_way_gen_params),
	KUNIT_CASE_PARAM(unplug_fails_events, unplug_way_gen_params),
	KUNIT_CASE(unplug_ends_indeterminate),
	KUNIT_CASE_PARAM(unplug_wakes_a_wait, unplug_way_gen_params),
	KUNIT_CASE_PARAM(unplug_wakes_a_sync, unplug_way_gen_params),
	KUNIT_CASE(unplug_ends_a_submit),
	KUNIT_CASE_PARAM(unplug_ends_a_quota, unplug_way_gen_params),
	KUNIT_CASE(unplug_keeps_mappings),
	KUNIT_CASE_PARAM(unplug_call_under_way, unplug_way_gen_params),
	KUNIT_CASE(unplug_waits_for_calls),
	{}
};

static struct kunit_suite unplug_suite = {
	.name = "virtio_accel_unplug",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = unplug_cases,
};

/* Registration that fails leaves nothing; the next one gets the number. */
static void register_fails(struct kunit *test)
{
	struct fake *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct rig *rig = test->priv;
	struct vacc_device *dev;

	KUNIT_ASSERT_NOT_NULL(test, other);
	fake_init(other);
	rig_register(rig);
	rig_node_error = -EBUSY;
	dev = vacc_device_register(NULL, "", &other->info, &other->ops, other);
	KUNIT_EXPECT_PTR_EQ(test, dev, ERR_PTR(-EBUSY));
	rig_node_error = 0;
	dev = vacc_device_register(NULL, "", &other->info, &other->ops, other);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	other->dev = dev;
	KUNIT_EXPECT_EQ(test, vacc_device_instance(dev),
			vacc_device_instance(rig->fake.dev) + 1);
	KUNIT_EXPECT_EQ(test, rig_nodes, 2);
	vacc_device_unregister(dev);
	KUNIT_EXPECT_EQ(test, rig_nodes, 1);
	KUNIT_EXPECT_EQ(test, other->misuses, 0);
}

static void register_copies_formats(struct kunit *test)
{
	struct vacc_format format = { .format = 0x77 };
	struct vacc_format seen = {};
	struct vacc_get_info info = {};
	struct rig *rig = test->priv;

	rig->fake.info.formats = &format;
	rig->fake.info.format_count = 1;
	rig_register(rig);
	format.format = 0x88;
	info.formats = rig_array(rig, RIG_ARRAY, 1, sizeof(seen));
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	rig_get(rig, RIG_ARRAY, &seen, sizeof(seen));
	KUNIT_EXPECT_EQ(test, seen.format, 0x77U);
}

static void register_without_formats(struct kunit *test)
{
	struct vacc_get_info info = {};
	struct rig *rig = test->priv;

	rig->fake.info.formats = NULL;
	rig->fake.info.format_count = 0;
	rig_register(rig);
	info.formats = rig_array(rig, RIG_ARRAY, 1, sizeof(struct vacc_format));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	KUNIT_EXPECT_EQ(test, info.formats.count, 0U);
}

static const struct file_operations no_fops = {
	.owner = THIS_MODULE,
};

/* Who opens while the device goes gets an error, not a dead file. */
static void register_open_of_a_dead_device(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct file *filp;

	rig_register(rig);
	rig_unregister(rig);
	filp = anon_inode_getfile("virtio_accel_kunit", &no_fops,
				  &rig->fake.dev->misc, O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filp));
	KUNIT_EXPECT_EQ(test, vacc_fops.open(file_inode(filp), filp), -ENODEV);
	fput(filp);
	flush_delayed_fput();
}

static struct kunit_case register_cases[] = {
	KUNIT_CASE(register_fails),
	KUNIT_CASE(register_copies_formats),
	KUNIT_CASE(register_without_formats),
	KUNIT_CASE(register_open_of_a_dead_device),
	{}
};

static struct kunit_suite register_suite = {
	.name = "virtio_accel_register",
	.init = rig_init_bare,
	.exit = rig_exit,
	.test_cases = register_cases,
};

kunit_test_suites(&unplug_suite, &register_suite);
