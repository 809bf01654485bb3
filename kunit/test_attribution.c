// SPDX-License-Identifier: GPL-2.0
/*
 * Attribution and timing: what is refused and when, and what comes back.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include "rig.h"

#define ROW_BYTES	sizeof(struct vacc_attribution_row)

/* Where the tests have their rows of user memory. */
#define ROWS	RIG_DATA

/* Work with a value of its own in each field of each command. */
static void work_fill(struct vacc_work work[FAKE_COMMANDS])
{
	int i;

	for (i = 0; i < FAKE_COMMANDS; i++)
		work[i] = (struct vacc_work){
			.participant_start = 100 + i,
			.participant_count = 200 + i,
			.token_count = (3ULL << 32) + i,
			.phase = 400 + i,
			.node_index = 500 + i,
			.batching_form = 600 + i,
		};
}

/**
 * struct work_check - one thing wrong at a time, and two where the order matters
 * @name: for people
 * @flags: VACC_SUBMIT_*
 * @count: of the array
 * @stride: of the array
 * @nowhere: there is no memory at its address
 * @index: which element differs
 * @work: how that is
 * @queue: the queue, 0 for one that is there
 * @bytes: bound, 0 for all of the buffer
 * @error: what comes of it
 * @command: command that is to blame, or VACC_NO_INDEX
 */
struct work_check {
	const char *name;
	u32 flags;
	u32 count;
	u32 stride;
	bool nowhere;
	u32 index;
	struct vacc_work work;
	u32 queue;
	u64 bytes;
	int error;
	u32 command;
};

#define GOOD	{ .participant_count = 1, .token_count = 1 }
#define STRIDE	sizeof(struct vacc_work)
#define ATTRIBUTED VACC_SUBMIT_ATTRIBUTION
#define NOBODY	VACC_NO_INDEX
#define NO_OBJ	999

static const struct work_check work_checks[] = {
	{ "none", ATTRIBUTED, 0, 0, false, 0, GOOD, 0, 0, 0, NOBODY },
	{ "none with a stride", ATTRIBUTED, 0, 1, false, 0, GOOD, 0, 0, 0, NOBODY },
	{ "all", ATTRIBUTED, 5, STRIDE, false, 0, GOOD, 0, 0, 0, NOBODY },
	{ "one too few", ATTRIBUTED, 4, STRIDE, false, 0, GOOD, 0, 0, -EINVAL,
	  NOBODY },
	{ "one too many", ATTRIBUTED, 6, STRIDE, false, 0, GOOD, 0, 0, -EINVAL,
	  NOBODY },
	{ "without attribution", 0, 5, STRIDE, false, 0, GOOD, 0, 0, -EINVAL,
	  NOBODY },
	{ "with timing alone", VACC_SUBMIT_TIMING, 5, STRIDE, false, 0, GOOD, 0, 0,
	  -EINVAL, NOBODY },
	{ "as many as can be, and one", ATTRIBUTED, VACC_MAX_WORK + 1, STRIDE,
	  true, 0, GOOD, NO_OBJ, 0, -EINVAL, NOBODY },
	{ "2^32-1", ATTRIBUTED, U32_MAX, STRIDE, true, 0, GOOD, NO_OBJ, 0, -EINVAL,
	  NOBODY },
	{ "no stride", ATTRIBUTED, 5, 0, false, 0, GOOD, 0, 0, -EINVAL, NOBODY },
	{ "short stride", ATTRIBUTED, 5, STRIDE - 1, false, 0, GOOD, 0, 0, -EINVAL,
	  NOBODY },
	{ "long stride", ATTRIBUTED, 5, 2 * STRIDE, false, 0, GOOD, 0, 0, 0,
	  NOBODY },
	{ "stride above a page", ATTRIBUTED, 5, PAGE_SIZE + 8, false, 0, GOOD, 0, 0,
	  -E2BIG, NOBODY },
	{ "nowhere", ATTRIBUTED, 5, STRIDE, true, 0, GOOD, 0, 0, -EFAULT, NOBODY },
	{ "reserved", ATTRIBUTED, 5, STRIDE, false, 4,
	  { .participant_count = 1, .token_count = 1, .reserved = 1 }, 0, 0,
	  -EINVAL, 4 },
	{ "participants at the end", ATTRIBUTED, 5, STRIDE, false, 1,
	  { .participant_start = 1, .participant_count = U32_MAX - 1,
	    .token_count = 1 }, 0, 0, 0, NOBODY },
	{ "participants past the end", ATTRIBUTED, 5, STRIDE, false, 1,
	  { .participant_start = 1, .participant_count = U32_MAX,
	    .token_count = 1 }, 0, 0, -EINVAL, 1 },
	{ "dense-linear without participants", ATTRIBUTED, 5, STRIDE, false,
	  FAKE_DENSE, { .token_count = 1 }, 0, 0, -EINVAL, FAKE_DENSE },
	{ "dense-linear without tokens", ATTRIBUTED, 5, STRIDE, false, FAKE_DENSE,
	  { .participant_count = 1 }, 0, 0, -EINVAL, FAKE_DENSE },
	{ "copy without participants and tokens", ATTRIBUTED, 5, STRIDE, false, 3,
	  {}, 0, 0, 0, NOBODY },
	{ "reserved before handles", ATTRIBUTED, 5, STRIDE, false, 0,
	  { .reserved = 1 }, NO_OBJ, 0, -EINVAL, 0 },
	{ "handles before the number", ATTRIBUTED, 4, STRIDE, false, 0, GOOD, NO_OBJ,
	  0, -ENOENT, NOBODY },
	{ "ranges before the number", ATTRIBUTED, 4, STRIDE, false, 0, GOOD, 0,
	  RIG_BUFFER_BYTES + 1, -ERANGE, NOBODY },
};

KUNIT_ARRAY_PARAM_DESC(work_check, work_checks, name);

/* The element at each stride; what is between them is zero. */
static void work_put(struct rig *rig, const struct work_check *check)
{
	struct vacc_work work = GOOD;
	u32 i;

	if (check->nowhere)
		return;
	for (i = 0; i < min_t(u32, check->count, 6); i++)
		rig_put(rig, ROWS + i * check->stride,
			i == check->index ? &check->work : &work, sizeof(work));
}

static void work_expect_nothing(struct rig *rig, s64 bytes)
{
	struct vacc_device *dev = rig->fake.dev;
	struct kunit *test = rig->test;

	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_PREPARE], 0U);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->live[VACC_KIND_EVENT]), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->bytes), bytes);
}

static u32 last_command(struct rig *rig)
{
	struct vacc_last_error last = {};

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_EQ(rig->test, last.nr, (u32)_IOC_NR(VACC_SUBMIT));
	return last.command;
}

static void work_is_checked(struct kunit *test)
{
	const struct work_check *check = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_submit submit = {
		.flags = check->flags,
		.queue = check->queue,
		.work = rig_array(rig, ROWS, check->count, check->stride),
	};
	struct vacc_binding binding = {
		.access = VIRTIO_ACCEL_ACCESS_READ,
		.bytes = check->bytes ? check->bytes : 16,
	};
	struct rig_bench bench;
	s64 bytes;

	rig_bench(rig, &bench);
	binding.buffer = bench.buffer;
	rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
	submit.bindings = rig_array(rig, RIG_ARRAY, 1, sizeof(binding));
	work_put(rig, check);
	if (check->nowhere)
		submit.work.ptr = 0;
	bytes = atomic64_read(&rig->fake.dev->bytes);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), check->error);
	if (!check->error) {
		KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT], 1U);
		return;
	}
	work_expect_nothing(rig, bytes);
	/* Two of them are no calls of the core's that give a reason. */
	if (check->error == -EINVAL)
		KUNIT_EXPECT_EQ(test, last_command(rig), check->command);
}

/* R8: what the device does not have is refused before all else. */
struct work_missing {
	const char *name;
	u32 features;
	u32 flags;
	u32 count;
	int error;
	const char *text;
};

#define NO_ATTRIBUTION	"this device does not attribute work"
#define NO_TIMING	"this device does not time work"

static const struct work_missing work_missings[] = {
	{ "attribution", VACC_FEATURE_TIMING, ATTRIBUTED, 0, -EOPNOTSUPP,
	  NO_ATTRIBUTION },
	{ "work", VACC_FEATURE_TIMING, 0, VACC_MAX_WORK + 1, -EOPNOTSUPP,
	  NO_ATTRIBUTION },
	{ "timing", VACC_FEATURE_ATTRIBUTION, VACC_SUBMIT_TIMING, 0, -EOPNOTSUPP,
	  NO_TIMING },
	{ "both", 0, ATTRIBUTED | VACC_SUBMIT_TIMING, 0, -EOPNOTSUPP,
	  NO_ATTRIBUTION },
	{ "replay only", VACC_FEATURE_ATTRIBUTION | VACC_FEATURE_TIMING,
	  VACC_SUBMIT_REPLAY_ONLY, 0, -EOPNOTSUPP,
	  "this device has no work to replay" },
	{ "captured", VACC_FEATURE_ATTRIBUTION | VACC_FEATURE_TIMING,
	  VACC_SUBMIT_CAPTURED, 0, -EOPNOTSUPP,
	  "this device does not use captured work" },
	{ "timing that is there", VACC_FEATURE_TIMING, VACC_SUBMIT_TIMING, 0, -EINVAL,
	  "a deadline needs WAIT" },
	{ "attribution that is there", VACC_FEATURE_ATTRIBUTION, ATTRIBUTED, 0,
	  -EINVAL, "a deadline needs WAIT" },
};

KUNIT_ARRAY_PARAM_DESC(work_missing, work_missings, name);

static void work_fails_closed(struct kunit *test)
{
	const struct work_missing *missing = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_submit submit = {
		.flags = missing->flags,
		.queue = NO_OBJ,
		.work.count = missing->count,
		.deadline_ns = 1,
	};
	struct vacc_last_error last = {};
	struct rig_bench bench;
	s64 bytes;

	rig_bench(rig, &bench);
	bytes = atomic64_read(&rig->fake.dev->bytes);
	rig->fake.dev->info.features = missing->features;
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), missing->error);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_STREQ(test, (char *)last.text, missing->text);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_BYTES], 0U);
	work_expect_nothing(rig, bytes);
}

static long rows_get(struct rig *rig, u32 event, u32 count, u32 stride,
		     struct vacc_event_attribution *arg)
{
	*arg = (struct vacc_event_attribution){
		.handle = event,
		.rows = rig_array(rig, ROWS, count, stride),
	};
	return RIG_CALL(rig, VACC_EVENT_ATTRIBUTION, arg);
}

static u32 rows_submit(struct rig *rig, const struct rig_bench *bench, u32 flags,
		       const struct vacc_work *work)
{
	struct vacc_submit submit = { .flags = flags };

	if (work) {
		rig_put(rig, RIG_ARRAY2, work, FAKE_COMMANDS * sizeof(*work));
		submit.work = rig_array(rig, RIG_ARRAY2, FAKE_COMMANDS,
					sizeof(*work));
	}
	KUNIT_ASSERT_EQ(rig->test, rig_submit(rig, bench, &submit), 0);
	return submit.event;
}

static void rows_expect(struct rig *rig, u32 index,
			const struct vacc_attribution_row *row,
			const struct vacc_work *work, u64 start_ns, u64 end_ns)
{
	struct kunit *test = rig->test;

	KUNIT_EXPECT_EQ(test, row->command, index);
	KUNIT_EXPECT_EQ(test, row->operation,
			(u32)(index == FAKE_DENSE ? VACC_NATIVE_DENSE_LINEAR :
						    VACC_NATIVE_COPY));
	KUNIT_EXPECT_EQ(test, row->path, (u32)VACC_PATH_EAGER);
	KUNIT_EXPECT_EQ(test, row->dispatches, 20 + index);
	KUNIT_EXPECT_EQ(test, row->transfers, 30 + index);
	KUNIT_EXPECT_EQ(test, row->reserved, 0U);
	KUNIT_EXPECT_MEMEQ(test, &row->work, work, sizeof(*work));
	KUNIT_EXPECT_EQ(test, row->start_ns, start_ns);
	KUNIT_EXPECT_EQ(test, row->end_ns, end_ns);
}

/* R12: one row a command, in order, each with what was said of it. */
static void rows_of_each_command(struct kunit *test)
{
	const size_t bytes = FAKE_COMMANDS * sizeof(struct vacc_work);
	struct vacc_work *work = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct vacc_attribution_row *rows;
	struct vacc_event_attribution arg;
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 event;
	u32 i;

	rows = kunit_kzalloc(test, FAKE_COMMANDS * ROW_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, work);
	KUNIT_ASSERT_NOT_NULL(test, rows);
	rig_bench(rig, &bench);
	work_fill(work);
	event = rows_submit(rig, &bench, ATTRIBUTED | VACC_SUBMIT_TIMING, work);
	KUNIT_EXPECT_TRUE(test, rig->fake.work.timed);
	/* It was copied. */
	memset(work, 0xff, bytes);
	rig_put(rig, RIG_ARRAY2, work, bytes);
	work_fill(work);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, FAKE_COMMANDS, ROW_BYTES, &arg),
			-EBUSY);
	/* The last does not begin, and one that is not there is nobody's. */
	for (i = 0; i < FAKE_COMMANDS - 1; i++) {
		vacc_event_timed(rig->fake.events[0], i, 1000 + 10 * i, 1001 + 10 * i);
		vacc_event_timed(rig->fake.events[0], i, 1000 + 10 * i, 1007 + 10 * i);
	}
	rig_query(rig, event, &query);
	KUNIT_EXPECT_EQ(test, query.start_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, query.end_ns, 0ULL);
	vacc_event_timed(rig->fake.events[0], FAKE_COMMANDS, 5000, 5001);
	fake_end(&rig->fake, 0, VACC_EVENT_CANCELLED, 0);
	KUNIT_ASSERT_EQ(test, rows_get(rig, event, FAKE_COMMANDS, ROW_BYTES, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.rows.count, (u32)FAKE_COMMANDS);
	rig_get(rig, ROWS, rows, FAKE_COMMANDS * ROW_BYTES);
	for (i = 0; i < FAKE_COMMANDS - 1; i++)
		rows_expect(rig, i, &rows[i], &work[i], 1000 + 10 * i, 1007 + 10 * i);
	rows_expect(rig, i, &rows[i], &work[i], 0, 0);
	rig_query(rig, event, &query);
	KUNIT_EXPECT_EQ(test, query.start_ns, 1000ULL);
	KUNIT_EXPECT_EQ(test, query.end_ns, 5001ULL);
	/* Again, and again the same. */
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, ROW_BYTES, &arg), 0);
	rig_get(rig, ROWS, rows, ROW_BYTES);
	rows_expect(rig, 0, &rows[0], &work[0], 1000, 1007);
}

/* Each without the other, and neither. */
static void rows_and_times_apart(struct kunit *test)
{
	const struct vacc_work none = { .node_index = ~0U };
	struct vacc_attribution_row row;
	struct vacc_event_attribution arg;
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 event;

	rig_bench(rig, &bench);
	event = rows_submit(rig, &bench, ATTRIBUTED, NULL);
	KUNIT_EXPECT_FALSE(test, rig->fake.work.timed);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, ROW_BYTES, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.rows.count, (u32)FAKE_COMMANDS);
	rig_get(rig, ROWS, &row, sizeof(row));
	rows_expect(rig, 0, &row, &none, 0, 0);

	event = rows_submit(rig, &bench, VACC_SUBMIT_TIMING, NULL);
	KUNIT_EXPECT_TRUE(test, rig->fake.work.timed);
	vacc_event_timed(rig->fake.events[0], 0, 70, 71);
	vacc_event_timed(rig->fake.events[0], 1, 72, 73);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, ROW_BYTES, &arg), -EINVAL);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, ROW_BYTES, &arg), -EINVAL);
	rig_query(rig, event, &query);
	KUNIT_EXPECT_EQ(test, query.start_ns, 70ULL);
	KUNIT_EXPECT_EQ(test, query.end_ns, 73ULL);

	event = rows_submit(rig, &bench, 0, NULL);
	KUNIT_EXPECT_FALSE(test, rig->fake.work.timed);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, ROW_BYTES, &arg), -EINVAL);
}

/* Room, strides and addresses. */
static void rows_are_copied_out(struct kunit *test)
{
	u8 bytes[2 * ROW_BYTES + 32];
	struct vacc_event_attribution arg;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 event;

	rig_bench(rig, &bench);
	event = rows_submit(rig, &bench, ATTRIBUTED, NULL);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 0, 0, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.rows.count, (u32)FAKE_COMMANDS);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, 0, &arg), -EINVAL);

	/* Two of a newer caller's: its own bytes are zero, what is beyond stays. */
	memset(bytes, 0xee, sizeof(bytes));
	rig_put(rig, ROWS, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 2, ROW_BYTES + 8, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.rows.count, (u32)FAKE_COMMANDS);
	rig_get(rig, ROWS, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, bytes[0], 0);
	KUNIT_EXPECT_EQ(test, *(u32 *)(bytes + ROW_BYTES + 8), 1U);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + ROW_BYTES, 0, 8));
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + 2 * ROW_BYTES + 8, 0, 8));
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + 2 * ROW_BYTES + 16, 0xee, 16));

	/* Older ones: they get what they know. */
	memset(bytes, 0xee, sizeof(bytes));
	rig_put(rig, ROWS, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 2, 24, &arg), 0);
	rig_get(rig, ROWS, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, *(u32 *)(bytes + 24), 1U);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + 48, 0xee, 16));

	arg = (struct vacc_event_attribution){
		.handle = event,
		.rows = { 1, ROW_BYTES, 0 },
	};
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_ATTRIBUTION, &arg), -EFAULT);
	arg.rows.ptr = ~0ULL - 8;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_ATTRIBUTION, &arg), -EFAULT);
}

static void rows_call_is_checked(struct kunit *test)
{
	struct vacc_event_attribution arg = { .flags = 1, .reserved = 1 };
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 event;

	rig_bench(rig, &bench);
	event = rows_submit(rig, &bench, ATTRIBUTED, NULL);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_ATTRIBUTION, &arg), -EOPNOTSUPP);
	arg.flags = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_ATTRIBUTION, &arg), -EINVAL);
	KUNIT_EXPECT_EQ(test, rows_get(rig, NO_OBJ, 1, 0, &arg), -EINVAL);
	KUNIT_EXPECT_EQ(test, rows_get(rig, NO_OBJ, 0, 0, &arg), -ENOENT);
	KUNIT_EXPECT_EQ(test, rows_get(rig, bench.queue, 0, 0, &arg), -ENOENT);
	/* Another file does not have it. */
	arg = (struct vacc_event_attribution){ .handle = event };
	KUNIT_EXPECT_EQ(test, rig_ioctl_file(rig, rig_open(rig, 1),
					     VACC_EVENT_ATTRIBUTION, &arg,
					     sizeof(arg)), -ENOENT);
	/* It goes with the event. */
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, event), 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 0, 0, &arg), -ENOENT);
	/* Without the feature nothing else is looked at. */
	rig->fake.dev->info.features &= ~VACC_FEATURE_ATTRIBUTION;
	KUNIT_EXPECT_EQ(test, rows_get(rig, event, 1, 0, &arg), -EOPNOTSUPP);
}

/* Rows are charged for as long as the event is there, and bounded by the quota. */
static void rows_are_charged(struct kunit *test)
{
	struct vacc_submit submit = { .flags = ATTRIBUTED };
	struct vacc_last_error last = {};
	struct rig *rig = test->priv;
	struct vacc_stats stats;
	struct rig_bench bench;
	u32 event;
	s64 before, charge;

	rig_bench(rig, &bench);
	before = atomic64_read(&rig->fake.dev->bytes);
	event = rows_submit(rig, &bench, ATTRIBUTED, NULL);
	charge = atomic64_read(&rig->fake.dev->bytes) - before;
	KUNIT_EXPECT_GE(test, charge, (s64)(FAKE_COMMANDS * ROW_BYTES));
	KUNIT_EXPECT_LE(test, charge, (s64)(FAKE_COMMANDS * ROW_BYTES + 64));
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.live_bytes, (u64)(before + charge));
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), before + charge);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, event), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), before);

	/* One byte too few, then enough. */
	rig_quota_set(before + charge - 1, 1, 0);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -ENOSPC);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_STREQ(test, (char *)last.text,
			   "the attribution does not fit max_total_bytes");
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT], 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), before);
	rig_quota_set(before + charge, 1, 0);
	/* What the backend refuses is given back. */
	fake_fail(&rig->fake, FAKE_EVENT_SUBMIT, 1, vacc_rejected(VIRTIO_ACCEL_S_INCOMPATIBLE));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -ENOEXEC);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), before);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
}

/* A record says what the query would have. */
static void times_in_records(struct kunit *test)
{
	struct vacc_submit submit = {
		.flags = VACC_SUBMIT_RECORD | VACC_SUBMIT_AUTO_DESTROY |
			 VACC_SUBMIT_TIMING,
		.user_data = 77,
	};
	struct rig *rig = test->priv;
	struct file *filp = rig->file[0];
	struct vacc_record record;
	struct rig_bench bench;
	loff_t pos = 0;
	ssize_t bytes;

	rig_bench(rig, &bench);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	vacc_event_timed(rig->fake.events[0], 0, 123, 456);
	vacc_event_timed(rig->fake.events[0], 4, 500, 789);
	fake_end(&rig->fake, 0, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_BUSY);
	bytes = filp->f_op->read(filp, (char __user *)rig->user + RIG_DATA,
				 sizeof(record), &pos);
	KUNIT_ASSERT_EQ(test, bytes, (ssize_t)sizeof(record));
	rig_get(rig, RIG_DATA, &record, sizeof(record));
	KUNIT_EXPECT_EQ(test, record.user_data, 77ULL);
	KUNIT_EXPECT_EQ(test, record.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, record.start_ns, 123LL);
	KUNIT_EXPECT_EQ(test, record.end_ns, 789LL);
}

/* Behind a fence it is handed over later, and is timed all the same. */
static void times_of_what_waits(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_in_fence fence = { .kind = VACC_FENCE_EVENT };
	struct vacc_submit submit = {
		.flags = VACC_SUBMIT_TIMING | ATTRIBUTED,
		.in_fences = rig_array(rig, RIG_ARRAY2, 1, sizeof(fence)),
	};
	struct vacc_attribution_row row;
	struct vacc_event_attribution arg;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	fence.value = rig_event(rig, &bench);
	rig_put(rig, RIG_ARRAY2, &fence, sizeof(fence));
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_TRUE(test, rig->fake.work.timed);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	rig_settle(rig);
	KUNIT_ASSERT_EQ(test, rig->fake.calls[FAKE_EVENT_ADMIT], 1U);
	vacc_event_timed(rig->fake.events[0], 0, 10, 20);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, rows_get(rig, submit.event, 1, ROW_BYTES, &arg), 0);
	rig_get(rig, ROWS, &row, sizeof(row));
	KUNIT_EXPECT_EQ(test, row.start_ns, 10ULL);
	KUNIT_EXPECT_EQ(test, row.end_ns, 20ULL);
}

static struct kunit_case attribution_cases[] = {
	KUNIT_CASE_PARAM(work_is_checked, work_check_gen_params),
	KUNIT_CASE_PARAM(work_fails_closed, work_missing_gen_params),
	KUNIT_CASE(rows_of_each_command),
	KUNIT_CASE(rows_and_times_apart),
	KUNIT_CASE(rows_are_copied_out),
	KUNIT_CASE(rows_call_is_checked),
	KUNIT_CASE(rows_are_charged),
	KUNIT_CASE(times_in_records),
	KUNIT_CASE(times_of_what_waits),
	{}
};

static struct kunit_suite attribution_suite = {
	.name = "virtio_accel_attribution",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = attribution_cases,
};

kunit_test_suite(attribution_suite);
