// SPDX-License-Identifier: GPL-2.0
/*
 * What fdinfo says, to the byte, at every moment of a file's and a device's life.
 */
#include <linux/seq_file.h>

#include "rig.h"

#define FDINFO_BYTES	2048

/* The text of a file, without its first four lines, which name the device and the file. */
static const char *fdinfo_text(struct rig *rig, unsigned int index)
{
	char *text = kunit_kzalloc(rig->test, FDINFO_BYTES, GFP_KERNEL);
	struct seq_file m = { .buf = text, .size = FDINFO_BYTES - 1 };
	int line;

	KUNIT_ASSERT_NOT_NULL(rig->test, text);
	vacc_fops.show_fdinfo(&m, rig->file[index]);
	KUNIT_ASSERT_FALSE(rig->test, seq_has_overflowed(&m));
	for (line = 0; line < 4; line++) {
		text = strchr(text, '\n');
		KUNIT_ASSERT_NOT_NULL(rig->test, text);
		text++;
	}
	return text;
}

static void fdinfo_of_all_kinds(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	char expected[512];
	u32 second;

	rig_bench(rig, &bench);
	second = rig_queue(rig, bench.context);
	rig_buffer(rig, bench.context);
	rig_buffer(rig, bench.context);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	KUNIT_ASSERT_TRUE(test, fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0));
	snprintf(expected, sizeof(expected),
		 "vacc-state:\tlive\n"
		 "vacc-contexts:\t1\n"
		 "vacc-buffers:\t3\n"
		 "vacc-programs:\t1\n"
		 "vacc-queues:\t2\n"
		 "vacc-events:\t2\n"
		 "vacc-bytes:\t%llu\n"
		 "vacc-inflight:\t1\n"
		 "vacc-queue-%u-depth:\t1\n"
		 "vacc-queue-%u-busy:\t4 ns\n"
		 "vacc-queue-%u-depth:\t0\n"
		 "vacc-queue-%u-busy:\t4 ns\n",
		 (u64)atomic64_read(&rig->fake.dev->bytes), bench.queue,
		 bench.queue, second, second);
	KUNIT_EXPECT_STREQ(test, fdinfo_text(rig, 0), expected);
}

static const char fdinfo_nothing[] =
	"vacc-state:\tlive\n"
	"vacc-contexts:\t0\n"
	"vacc-buffers:\t0\n"
	"vacc-programs:\t0\n"
	"vacc-queues:\t0\n"
	"vacc-events:\t0\n"
	"vacc-bytes:\t0\n"
	"vacc-inflight:\t0\n";

/* Each file has its own, and its own number. */
static void fdinfo_of_two_files(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_open(rig, 1);
	rig_bench(rig, &bench);
	KUNIT_EXPECT_STREQ(test, fdinfo_text(rig, 1), fdinfo_nothing);
	KUNIT_EXPECT_EQ(test, rig_file(rig, 0)->id, 1ULL);
	KUNIT_EXPECT_EQ(test, rig_file(rig, 1)->id, 2ULL);
	KUNIT_EXPECT_EQ(test, rig_file(rig, 0)->pid, task_tgid_nr(current));
}

/* While a device goes nobody waits for it, and nothing is asked of it. */
static void fdinfo_does_not_wait(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_device *dev = rig->fake.dev;
	char depth[64], busy[64];
	struct rig_bench bench;
	const char *text;

	rig_bench(rig, &bench);
	snprintf(depth, sizeof(depth), "vacc-queue-%u-depth:\t0\n", bench.queue);
	snprintf(busy, sizeof(busy), "vacc-queue-%u-busy", bench.queue);
	KUNIT_EXPECT_NOT_NULL(test, strstr(fdinfo_text(rig, 0), busy));
	down_write(&dev->registration);
	text = fdinfo_text(rig, 0);
	up_write(&dev->registration);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, depth));
	KUNIT_EXPECT_NULL(test, strstr(text, busy));
}

static void fdinfo_after_unplug(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	char expected[512];
	u64 bytes;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	bytes = atomic64_read(&rig->fake.dev->bytes);
	rig_unregister(rig);
	snprintf(expected, sizeof(expected),
		 "vacc-state:\tgone\n"
		 "vacc-contexts:\t1\n"
		 "vacc-buffers:\t1\n"
		 "vacc-programs:\t1\n"
		 "vacc-queues:\t1\n"
		 "vacc-events:\t1\n"
		 "vacc-bytes:\t%llu\n"
		 "vacc-inflight:\t0\n"
		 "vacc-queue-%u-depth:\t0\n", bytes, bench.queue);
	KUNIT_EXPECT_STREQ(test, fdinfo_text(rig, 0), expected);
}

/* Bytes are charged from publication to the end, whatever happens between. */
static void fdinfo_bytes(struct kunit *test)
{
	struct vacc_buffer_create create = {
		.size = sizeof(create),
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = RIG_USAGE_ALL,
		.alignment = 1,
		.bytes = RIG_BUFFER_BYTES,
	};
	struct rig *rig = test->priv;
	struct vacc_file *file = rig_file(rig, 0);
	u32 context = rig_context(rig), buffer;

	create.context = context;
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)rig->twin_rw, &create,
					   sizeof(create)), 0UL);
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], VACC_BUFFER_CREATE,
					   rig->twin_ro), (long)-EFAULT);
	KUNIT_EXPECT_EQ(test, file->bytes, 0ULL);
	buffer = rig_buffer(rig, context);
	KUNIT_EXPECT_EQ(test, file->bytes, (u64)RIG_BUFFER_BYTES);
	/* One that the device will not release is still there. */
	fake_fail(&rig->fake, FAKE_BUFFER_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY, buffer),
			(long)-EBUSY);
	KUNIT_EXPECT_EQ(test, file->bytes, (u64)RIG_BUFFER_BYTES);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY, buffer),
			0L);
	KUNIT_EXPECT_EQ(test, file->bytes, 0ULL);
	/* What was made for a call that failed comes back where it cannot go. */
	fake_fail(&rig->fake, FAKE_BUFFER_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], VACC_BUFFER_CREATE,
					   rig->twin_ro), (long)-EFAULT);
	KUNIT_EXPECT_EQ(test, file->bytes, (u64)RIG_BUFFER_BYTES);
}

/* A closed file is known for as long as something of it is left. */
static void fdinfo_files_of_a_device(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_device *dev = rig->fake.dev;

	rig_open(rig, 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&dev->files), (size_t)2);
	rig_close(rig, 1);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&dev->files), (size_t)1);
}

static struct kunit_case fdinfo_cases[] = {
	KUNIT_CASE(fdinfo_of_all_kinds),
	KUNIT_CASE(fdinfo_of_two_files),
	KUNIT_CASE(fdinfo_does_not_wait),
	KUNIT_CASE(fdinfo_after_unplug),
	KUNIT_CASE(fdinfo_bytes),
	KUNIT_CASE(fdinfo_files_of_a_device),
	{}
};

static struct kunit_suite fdinfo_suite = {
	.name = "virtio_accel_fdinfo",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = fdinfo_cases,
};

kunit_test_suite(fdinfo_suite);
