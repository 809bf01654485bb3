// SPDX-License-Identifier: GPL-2.0
/*
 * The table of ioctls: numbers, sizes, and results that cannot be written.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "rig.h"

/**
 * struct ioctl_entry - what an ioctl says to an argument of zeros
 * @name: for people
 * @cmd: its number
 * @size: of its argument
 * @zero: what it returns then
 */
struct ioctl_entry {
	const char *name;
	unsigned int cmd;
	u32 size;
	int zero;
};

#define ENTRY(_cmd, _type, _zero) { #_cmd, _cmd, sizeof(struct _type), _zero }

static const struct ioctl_entry ioctl_entries[] = {
	ENTRY(VACC_GET_INFO, vacc_get_info, 0),
	ENTRY(VACC_STATS, vacc_stats, 0),
	ENTRY(VACC_LAST_ERROR, vacc_last_error, 0),
	ENTRY(VACC_CONTEXT_CREATE, vacc_context_create, 0),
	ENTRY(VACC_CONTEXT_DESTROY, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_BUFFER_CREATE, vacc_buffer_create, -EINVAL),
	ENTRY(VACC_BUFFER_DESTROY, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_BUFFER_QUERY, vacc_buffer_query, -ENOENT),
	ENTRY(VACC_BUFFER_WRITE, vacc_buffer_transfer, -EINVAL),
	ENTRY(VACC_BUFFER_READ, vacc_buffer_transfer, -EINVAL),
	ENTRY(VACC_PROGRAM_LOAD, vacc_program_load, -EINVAL),
	ENTRY(VACC_PROGRAM_UNLOAD, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_PROGRAM_QUERY, vacc_program_query, -ENOENT),
	ENTRY(VACC_QUEUE_CREATE, vacc_queue_create, -ENOENT),
	ENTRY(VACC_QUEUE_DESTROY, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_QUEUE_QUERY, vacc_queue_query, -ENOENT),
	ENTRY(VACC_QUEUE_SYNC, vacc_queue_sync, -ENOENT),
	ENTRY(VACC_SUBMIT, vacc_submit, -EINVAL),
	ENTRY(VACC_SUBMIT_MANY, vacc_submit_many, -EINVAL),
	ENTRY(VACC_EVENT_QUERY, vacc_event_query, -ENOENT),
	ENTRY(VACC_EVENT_WAIT, vacc_event_wait, -EINVAL),
	ENTRY(VACC_EVENT_CANCEL, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_EVENT_DESTROY, vacc_handle_arg, -ENOENT),
	ENTRY(VACC_EVENT_EXPORT, vacc_event_export, -ENOENT),
	ENTRY(VACC_EVENT_ATTRIBUTION, vacc_event_attribution, -ENOENT),
};

KUNIT_ARRAY_PARAM_DESC(ioctl, ioctl_entries, name);

#define IOCTL_ROOM	(PAGE_SIZE + 64)

/* An argument of zeros of a length, with one byte set at an offset unless it is 0. */
static long ioctl_sized(struct rig *rig, const struct ioctl_entry *entry,
			u32 size, u32 set, u8 *arg)
{
	long ret;

	memset(arg, 0, IOCTL_ROOM);
	memcpy(arg, &size, sizeof(size));
	if (set)
		arg[set] = 1;
	rig_put(rig, RIG_ARG, arg, IOCTL_ROOM);
	ret = rig_ioctl_at(rig, rig->file[0], entry->cmd, rig->user + RIG_ARG);
	rig_get(rig, RIG_ARG, arg, IOCTL_ROOM);
	return ret;
}

static void ioctl_size_edges(struct kunit *test)
{
	const struct ioctl_entry *entry = test->param_value;
	u8 *arg = kunit_kzalloc(test, IOCTL_ROOM, GFP_KERNEL);
	struct rig *rig = test->priv;
	const u32 small[] = { 0, 1, 4, entry->size - 8, entry->size - 1 };
	u32 last = entry->size + 7;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, arg);
	for (i = 0; i < ARRAY_SIZE(small); i++)
		KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, small[i], 0, arg),
				-EINVAL);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, entry->size, 0, arg),
			entry->zero);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, entry->size + 1, 0, arg),
			entry->zero);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, PAGE_SIZE, 0, arg),
			entry->zero);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, PAGE_SIZE + 1, 0, arg),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, U32_MAX, 0, arg), -E2BIG);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, last + 1, last, arg),
			-E2BIG);
	/* A byte beyond the argument is nobody's. */
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, last, last, arg),
			entry->zero);
	KUNIT_EXPECT_EQ(test, arg[last], 1);
}

/* What only the caller knows comes back as zero, what is beyond stays. */
static void ioctl_longer_result_is_padded(struct kunit *test)
{
	struct {
		struct vacc_stats stats;
		u8 unknown[8];
		u8 beyond[8];
	} arg = {};
	struct rig *rig = test->priv;
	u32 size = sizeof(arg) - sizeof(arg.beyond);

	arg.stats.size = size;
	memset(arg.beyond, 0xee, sizeof(arg.beyond));
	rig_put(rig, RIG_ARG, &arg, sizeof(arg));
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], VACC_STATS,
					   rig->user + RIG_ARG), 0);
	rig_get(rig, RIG_ARG, &arg, sizeof(arg));
	KUNIT_EXPECT_EQ(test, arg.stats.size, size);
	KUNIT_EXPECT_EQ(test, arg.stats.commands, 10ULL);
	KUNIT_EXPECT_NULL(test, memchr_inv(arg.unknown, 0, sizeof(arg.unknown)));
	KUNIT_EXPECT_NULL(test, memchr_inv(arg.beyond, 0xee, sizeof(arg.beyond)));
}

static void ioctl_bad_address(struct kunit *test)
{
	const struct ioctl_entry *entry = test->param_value;
	struct rig *rig = test->priv;
	unsigned long end = rig->twin_ro + PAGE_SIZE - 8;
	u32 size = entry->size;

	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], entry->cmd, 0),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], entry->cmd,
					   ~0UL - 7), -EFAULT);
	/* The size can be read, and then the memory ends: nothing is mapped after. */
	vm_munmap(rig->user + RIG_ARG + PAGE_SIZE, PAGE_SIZE);
	rig_put(rig, RIG_ARG + PAGE_SIZE - 8, &size, sizeof(size));
	end = rig->user + RIG_ARG + PAGE_SIZE - 8;
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], entry->cmd, end),
			-EFAULT);
}

/* The last column is for an argument that is not zero where it is unknown. */
static const struct ioctl_entry ioctl_reserved[] = {
	{ "VACC_BUFFER_EXPORT", VACC_BUFFER_EXPORT, 4, -EOPNOTSUPP },
	{ "VACC_BUFFER_SEAL", VACC_BUFFER_SEAL, 4, -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(ioctl_reserved, ioctl_reserved, name);

static void ioctl_reserved_is_refused(struct kunit *test)
{
	const struct ioctl_entry *entry = test->param_value;
	u8 *arg = kunit_kzalloc(test, IOCTL_ROOM, GFP_KERNEL);
	struct rig *rig = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, arg);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, entry->size - 1, 0, arg),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, entry->size, 0, arg),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ioctl_sized(rig, entry, entry->size + 9,
					  entry->size + 8, arg), entry->zero);
}

static bool ioctl_known(unsigned int nr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ioctl_entries); i++)
		if (_IOC_NR(ioctl_entries[i].cmd) == nr)
			return true;
	for (i = 0; i < ARRAY_SIZE(ioctl_reserved); i++)
		if (_IOC_NR(ioctl_reserved[i].cmd) == nr)
			return true;
	return false;
}

/* All other numbers, and known ones with anything else in the command. */
static void ioctl_unknown_numbers(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct file *filp = rig->file[0];
	unsigned long at = rig->user + RIG_ARG;
	unsigned int nr;

	for (nr = 0; nr < 256; nr++) {
		if (!ioctl_known(nr))
			KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, filp,
							   _IO(VACC_IOC_MAGIC, nr),
							   at), -ENOTTY);
		KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, filp, _IO('V', nr), at),
				-ENOTTY);
		KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, filp,
						   _IOR(VACC_IOC_MAGIC, nr, u32),
						   at), -ENOTTY);
		KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, filp,
						   _IOC(_IOC_NONE, VACC_IOC_MAGIC,
							nr, 1), at), -ENOTTY);
	}
}

/* The argument in a page that can be read and not be written. */
static long ioctl_read_only(struct rig *rig, unsigned int cmd, void *arg,
			    u32 bytes)
{
	memcpy(arg, &bytes, sizeof(bytes));
	rig_put(rig, rig->twin_rw - rig->user, arg, bytes);
	return rig_ioctl_at(rig, rig->file[0], cmd, rig->twin_ro);
}

#define READ_ONLY(rig, cmd, arg) ioctl_read_only(rig, cmd, arg, sizeof(*(arg)))

/* What was made for a caller who cannot be told is released, in the backend too. */
static void ioctl_copy_out_fault_abandons(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_context_create context = {};
	struct vacc_queue_create queue = { .context = rig_context(rig) };
	struct vacc_program_load load = {
		.context = queue.context,
		.payload = rig->user + RIG_DATA,
		.payload_bytes = 24,
		.resident_bytes = 64,
	};
	struct vacc_buffer_create buffer = {
		.context = queue.context,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = VIRTIO_ACCEL_USAGE_INPUT,
		.bytes = 5000,
		.alignment = 64,
	};
	struct fake *fake = &rig->fake;

	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_CONTEXT_CREATE, &context),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_QUEUE_CREATE, &queue), -EFAULT);
	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_PROGRAM_LOAD, &load), -EFAULT);
	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_BUFFER_CREATE, &buffer),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_CONTEXT_DESTROY], 1U);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_QUEUE_DESTROY], 1U);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_PROGRAM_UNLOAD], 1U);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_BUFFER_DESTROY], 1U);
	KUNIT_EXPECT_EQ(test, fake->live[VACC_KIND_CONTEXT], 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fake->dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY,
					      queue.context), 0);
}

/* A backend that does not release it yet: the reaper does, at close. */
static void ioctl_abandoned_is_reaped(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_queue_create queue = { .context = rig_context(rig) };

	fake_fail(&rig->fake, FAKE_QUEUE_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_QUEUE_CREATE, &queue), -EFAULT);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_QUEUE], 1);
	rig_close(rig, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_QUEUE], 0);
}

static void ioctl_export_fault_leaves_no_fd(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event_export export = {};
	struct rig_bench bench;
	int before = get_unused_fd_flags(0);
	int after;

	put_unused_fd(before);
	rig_bench(rig, &bench);
	export.handle = rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, READ_ONLY(rig, VACC_EVENT_EXPORT, &export),
			-EFAULT);
	after = get_unused_fd_flags(0);
	put_unused_fd(after);
	KUNIT_EXPECT_EQ(test, after, before);
}

static void ioctl_info(struct kunit *test)
{
	struct rig *rig = test->priv;
	const struct vacc_backend_info *from = &rig->fake.info;
	struct vacc_format formats[3] = {};
	struct vacc_get_info info = {
		.formats = rig_array(rig, RIG_ARRAY, 1, sizeof(formats[0])),
	};

	rig_put(rig, RIG_ARRAY, formats, sizeof(formats));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	KUNIT_EXPECT_MEMEQ(test, info.uuid, from->uuid, 16);
	KUNIT_EXPECT_EQ(test, info.vendor, from->vendor);
	KUNIT_EXPECT_EQ(test, info.device, from->device);
	KUNIT_EXPECT_EQ(test, info.capabilities, from->capabilities);
	KUNIT_EXPECT_EQ(test, info.features & from->features, from->features);
	KUNIT_EXPECT_EQ(test, info.max_contexts, from->max_contexts);
	KUNIT_EXPECT_EQ(test, info.effective_bindings, from->effective_bindings);
	KUNIT_EXPECT_EQ(test, info.effective_artifact_bytes,
			from->effective_artifact_bytes);
	KUNIT_EXPECT_EQ(test, info.hang_limit_ms, from->hang_limit_ms);
	KUNIT_EXPECT_EQ(test, info.command_timeout_ms, from->command_timeout_ms);
	KUNIT_EXPECT_EQ(test, info.scratch_bytes_used, 50ULL);
	KUNIT_EXPECT_EQ(test, info.scratch_bytes_limit, 60ULL);
	KUNIT_EXPECT_EQ(test, info.instance,
			(u32)vacc_device_instance(rig->fake.dev));
	KUNIT_EXPECT_STREQ(test, (char *)info.parent,
			   "the parent of a fake accelerato");
	/* Room for one, two are known. */
	KUNIT_EXPECT_EQ(test, info.formats.count, 2U);
	rig_get(rig, RIG_ARRAY, formats, sizeof(formats));
	KUNIT_EXPECT_EQ(test, formats[0].format, (u32)VACC_REF_FORMAT);
	KUNIT_EXPECT_EQ(test, formats[0].target[2], 3U);
	KUNIT_EXPECT_EQ(test, formats[1].format, 0U);
	info.formats.stride = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), -EINVAL);
	info.flags = 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), -EOPNOTSUPP);
}

/* Of a longer element the part that is unknown comes back as zero, of a shorter one none. */
static void ioctl_elements_of_other_lengths(struct kunit *test)
{
	struct {
		struct vacc_format format;
		u8 unknown[8];
	} seen[3];
	struct rig *rig = test->priv;
	struct vacc_get_info info = {
		.formats = rig_array(rig, RIG_ARRAY, 2, sizeof(seen[0])),
	};
	int i;

	memset(seen, 0xee, sizeof(seen));
	rig_put(rig, RIG_ARRAY, seen, sizeof(seen));
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	rig_get(rig, RIG_ARRAY, seen, sizeof(seen));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_MEMEQ(test, &seen[i].format,
				   &rig->fake.info.formats[i],
				   sizeof(seen[i].format));
		KUNIT_EXPECT_NULL(test, memchr_inv(seen[i].unknown, 0,
						   sizeof(seen[i].unknown)));
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(&seen[2], 0xee, sizeof(seen[2])));

	memset(seen, 0xee, sizeof(seen));
	rig_put(rig, RIG_ARRAY, seen, sizeof(seen));
	info.formats = rig_array(rig, RIG_ARRAY, 1, 4);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	rig_get(rig, RIG_ARRAY, seen, sizeof(seen));
	KUNIT_EXPECT_EQ(test, seen[0].format.format, (u32)VACC_REF_FORMAT);
	KUNIT_EXPECT_NULL(test, memchr_inv((u8 *)seen + 4, 0xee,
					   sizeof(seen) - 4));
	info.formats = rig_array(rig, 0, 1, 56);
	info.formats.ptr = 8;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), -EFAULT);
}

static void ioctl_last_error(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_last_error last = {};

	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_EQ(test, last.tid, 0U);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY, 7),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_EQ(test, last.tid, (u32)task_pid_vnr(current));
	KUNIT_EXPECT_EQ(test, last.nr, (u32)_IOC_NR(VACC_QUEUE_DESTROY));
	KUNIT_EXPECT_EQ(test, last.error, (u32)ENOENT);
	KUNIT_EXPECT_EQ(test, last.binding, VACC_NO_INDEX);
	KUNIT_EXPECT_NE(test, last.text[0], 0);
	KUNIT_EXPECT_EQ(test, last.text[sizeof(last.text) - 1], 0);
}

static struct kunit_case ioctl_cases[] = {
	KUNIT_CASE_PARAM(ioctl_size_edges, ioctl_gen_params),
	KUNIT_CASE(ioctl_longer_result_is_padded),
	KUNIT_CASE_PARAM(ioctl_bad_address, ioctl_gen_params),
	KUNIT_CASE_PARAM(ioctl_reserved_is_refused, ioctl_reserved_gen_params),
	KUNIT_CASE(ioctl_unknown_numbers),
	KUNIT_CASE(ioctl_copy_out_fault_abandons),
	KUNIT_CASE(ioctl_abandoned_is_reaped),
	KUNIT_CASE(ioctl_export_fault_leaves_no_fd),
	KUNIT_CASE(ioctl_info),
	KUNIT_CASE(ioctl_elements_of_other_lengths),
	KUNIT_CASE(ioctl_last_error),
	{}
};

static struct kunit_suite ioctl_suite = {
	.name = "virtio_accel_ioctl",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = ioctl_cases,
};

kunit_test_suite(ioctl_suite);
