// SPDX-License-Identifier: GPL-2.0
/*
 * Attribution and timing.  Where the device has them, what they say; where it does not,
 * that they are refused before anything runs.  Every test has both.
 */
#include "vacc_test.h"

#define ATTRIBUTES(info) ((info).features & VACC_FEATURE_ATTRIBUTION)
#define TIMES(info)	((info).features & VACC_FEATURE_TIMING)

#define BOTH		(VACC_SUBMIT_ATTRIBUTION | VACC_SUBMIT_TIMING)

/* The same for 32 and 64 bits: nothing is left to padding. */
#define AT(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)

AT(vacc_work, participant_start, 0);
AT(vacc_work, participant_count, 4);
AT(vacc_work, token_count, 8);
AT(vacc_work, phase, 16);
AT(vacc_work, node_index, 20);
AT(vacc_work, batching_form, 24);
AT(vacc_work, reserved, 28);
_Static_assert(sizeof(struct vacc_work) == 32, "size");
AT(vacc_attribution_row, command, 0);
AT(vacc_attribution_row, operation, 4);
AT(vacc_attribution_row, path, 8);
AT(vacc_attribution_row, dispatches, 12);
AT(vacc_attribution_row, transfers, 16);
AT(vacc_attribution_row, reserved, 20);
AT(vacc_attribution_row, work, 24);
AT(vacc_attribution_row, start_ns, 56);
AT(vacc_attribution_row, end_ns, 64);
_Static_assert(sizeof(struct vacc_attribution_row) == 72, "size");
AT(vacc_event_attribution, handle, 8);
AT(vacc_event_attribution, rows, 16);
_Static_assert(sizeof(struct vacc_event_attribution) == 32, "size");
AT(vacc_submit, work, 64);
AT(vacc_submit, user_data, 80);

/* Every operation of a batch, in one program over two buffers of f16. */
enum {
	FILL, UPLOAD, COPY, XOR, BARRIER, ZERO, LINEAR, LINEAR2, COMMANDS,
};

static const struct vacc_attribution_row want[COMMANDS] = {
	[FILL] = { .operation = VACC_NATIVE_FILL, .transfers = 1 },
	[UPLOAD] = { .operation = VACC_NATIVE_UPLOAD, .transfers = 1 },
	[COPY] = { .operation = VACC_NATIVE_COPY, .transfers = 1 },
	[XOR] = { .operation = VACC_NATIVE_XOR, .dispatches = 1 },
	[BARRIER] = { .operation = VACC_NATIVE_BARRIER },
	[ZERO] = { .operation = VACC_NATIVE_ZERO, .transfers = 1 },
	[LINEAR] = { .operation = VACC_NATIVE_DENSE_LINEAR, .dispatches = 3 },
	[LINEAR2] = { .operation = VACC_NATIVE_DENSE_LINEAR, .dispatches = 1 },
};

struct all {
	__u32 program, data, weights;
	struct vacc_binding bind[2];
};

static int make(int fd, __u32 context, struct all *all)
{
	struct vt_batch b = {};
	int i, r;

	vt_batch_slot(&b, 0, VT_READ_WRITE, 64);
	vt_batch_slot(&b, 1, VT_READ_WRITE, 64);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 0, 0, 32, 0x11);
	vt_batch_upload(&b, 1, 0, "12345678", 8);
	vt_batch_copy(&b, 0, 0, 1, 32, 16);
	vt_batch_set(&b, VACC_BATCH_OP_XOR, 0, 0, 32, 0xff);
	vt_batch_barrier(&b, VACC_BATCH_NO_SLOT);
	vt_batch_set(&b, VACC_BATCH_OP_ZERO, 1, 0, 64, 0);
	for (i = 0; i < 4; i++)
		vt_batch_launch(&b, 0, 1, 0, 2, 2, 2);
	vt_batch_linear(&b, 0, 3);
	vt_batch_linear(&b, 3, 1);
	r = vt_load_batch(fd, context, &b, &all->program) ?:
	    vt_buffer(fd, context, 64, VT_USAGE_ALL, &all->data) ?:
	    vt_buffer(fd, context, 64, VT_USAGE_ALL, &all->weights);
	all->bind[0] = vt_bind(all->data, 0, VT_READ_WRITE, 0, 64);
	all->bind[1] = vt_bind(all->weights, 1, VT_READ_WRITE, 0, 64);
	return r;
}

/* A value of its own in each field of each command. */
static void say(struct vacc_work work[COMMANDS])
{
	__u32 i;

	for (i = 0; i < COMMANDS; i++)
		work[i] = (struct vacc_work) {
			.participant_start = 10 + i,
			.participant_count = 20 + i,
			.token_count = (3ULL << 40) + i,
			.phase = 40 + i,
			.node_index = i == COPY ? ~0u : 50 + i,
			.batching_form = 60 + i,
		};
}

static struct vacc_submit submission(__u32 queue, struct all *all, __u32 flags,
				     const struct vacc_work *work)
{
	struct vacc_submit s = vt_submit_desc(queue, all->program, all->bind, 2);

	s.flags = flags;
	if (work)
		s.work = (struct vacc_array) { COMMANDS, sizeof(*work), VT_PTR(work) };
	return s;
}

static int rows_get(int fd, __u32 event, struct vacc_attribution_row *rows, __u32 room,
		    __u32 stride, __u32 *count)
{
	struct vacc_event_attribution arg = {
		.size = sizeof(arg), .handle = event,
		.rows = { room, stride, VT_PTR(rows) },
	};
	int r = vt_ioctl(fd, VACC_EVENT_ATTRIBUTION, &arg);

	if (count)
		*count = arg.rows.count;
	return r;
}

/* The submission is refused, and was not made. */
static int refused(int fd, __u32 queue, struct vacc_submit *s)
{
	struct vacc_queue_query before, after;
	int r = vt_queue_query(fd, queue, &before) ?: vt_submit(fd, s);

	if (vt_queue_query(fd, queue, &after) || before.submitted != after.submitted)
		return 1;
	return r;
}

/* R8: what the device does not have is refused, whatever else is wrong. */
TEST_F(dev, r8_requirements_fail_closed)
{
	const struct { __u32 flag; bool there; } table[] = {
		{ VACC_SUBMIT_ATTRIBUTION, ATTRIBUTES(self->info) },
		{ VACC_SUBMIT_TIMING, TIMES(self->info) },
		{ VACC_SUBMIT_REPLAY_ONLY, false },
		{ VACC_SUBMIT_CAPTURED, false },
	};
	struct vacc_work work[COMMANDS];
	struct vacc_submit s;
	struct all all;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, &all));
	ASSERT_OK(vt_set(self->fd, all.data, 0, 0xaa, 64));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].there)
			continue;
		s = submission(self->queue, &all, table[i].flag, NULL);
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s))
			TH_LOG("flag %#x", table[i].flag);
		/* Before counts, and before handles. */
		s = submission(~0u, &all, table[i].flag | VACC_SUBMIT_WAIT, NULL);
		s.deadline_ns = ~0ULL;
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s))
			TH_LOG("flag %#x", table[i].flag);
	}
	say(work);
	s = submission(self->queue, &all, 0, work);
	EXPECT_ERRNO(ATTRIBUTES(self->info) ? EINVAL : EOPNOTSUPP,
		     refused(self->fd, self->queue, &s));
	EXPECT_EQ(1, vt_all(self->fd, all.data, 0, 0xaa, 64));
	/* The backends of this project have both, or neither. */
	EXPECT_EQ(self->info.backend == VACC_BACKEND_DIRECT, !!ATTRIBUTES(self->info));
	EXPECT_EQ(self->info.backend == VACC_BACKEND_DIRECT, !!TIMES(self->info));
}

/* R12: a row for each command, in order: what it was, and what was said of it. */
TEST_F(dev, r12_rows)
{
	struct vacc_attribution_row rows[COMMANDS], row;
	struct vacc_work work[COMMANDS], said[COMMANDS];
	struct vacc_submit s;
	__u32 count, event, i;
	struct all all;

	ASSERT_OK(make(self->fd, self->context, &all));
	say(work);
	memcpy(said, work, sizeof(said));
	s = submission(self->queue, &all, VACC_SUBMIT_ATTRIBUTION | VACC_SUBMIT_WAIT, work);
	s.deadline_ns = VACC_NO_DEADLINE;
	if (!ATTRIBUTES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
		ASSERT_OK(vt_start(self->fd, self->queue, all.program, all.bind, 2, &event));
		EXPECT_ERRNO(EOPNOTSUPP, rows_get(self->fd, event, rows, COMMANDS,
						  sizeof(row), NULL));
		EXPECT_ERRNO(EOPNOTSUPP, rows_get(self->fd, ~0u, rows, COMMANDS, 0, NULL));
		return;
	}
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_EQ(VACC_EVENT_COMPLETE, s.state);
	memset(work, 0xff, sizeof(work));
	memset(rows, 0xff, sizeof(rows));
	ASSERT_OK(rows_get(self->fd, s.event, rows, COMMANDS, sizeof(row), &count));
	EXPECT_EQ(COMMANDS, count);
	for (i = 0; i < COMMANDS; i++) {
		row = want[i];
		row.command = i;
		row.path = VACC_PATH_EAGER;
		row.work = said[i];
		EXPECT_EQ(0, memcmp(&row, &rows[i], sizeof(row))) TH_LOG("command %u", i);
	}
	EXPECT_EQ(VACC_NATIVE_BARRIER, rows[BARRIER].operation);
	EXPECT_EQ(0, rows[BARRIER].dispatches + rows[BARRIER].transfers);
	/* And for a program of one command. */
	ASSERT_OK(vt_load_fill(self->fd, self->context, 7, &all.program));
	all.bind[0].access = VT_WRITE;
	s = vt_submit_desc(self->queue, all.program, all.bind, 1);
	s.flags = VACC_SUBMIT_ATTRIBUTION;
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(rows_get(self->fd, s.event, rows, COMMANDS, sizeof(row), &count));
	EXPECT_EQ(1, count);
	row = want[FILL];
	row.work.node_index = ~0u;
	EXPECT_EQ(0, memcmp(&row, &rows[0], sizeof(row)));
}

/* R12: what is said has to fit the program. */
TEST_F(dev, r12_work_is_checked)
{
	const struct {
		const char *what;
		__u32 count, stride, index;
		struct vacc_work work;
		int error;
		__u32 command;
	} table[] = {
		{ "one too few", COMMANDS - 1, sizeof(struct vacc_work), 0,
		  { .token_count = 1 }, EINVAL, ~0u },
		{ "one too many", COMMANDS + 1, sizeof(struct vacc_work), 0,
		  { .token_count = 1 }, EINVAL, ~0u },
		{ "too many for all", VACC_MAX_WORK + 1, sizeof(struct vacc_work), 0,
		  { .token_count = 1 }, EINVAL, ~0u },
		{ "short stride", COMMANDS, sizeof(struct vacc_work) - 4, 0,
		  { .token_count = 1 }, EINVAL, ~0u },
		{ "reserved", COMMANDS, sizeof(struct vacc_work), XOR,
		  { .reserved = 1 }, EINVAL, XOR },
		{ "participants past 2^32", COMMANDS, sizeof(struct vacc_work), COPY,
		  { .participant_start = ~0u, .participant_count = 1 }, EINVAL, COPY },
		{ "no participants", COMMANDS, sizeof(struct vacc_work), LINEAR2,
		  { .token_count = 1 }, EINVAL, LINEAR2 },
		{ "no tokens", COMMANDS, sizeof(struct vacc_work), LINEAR,
		  { .participant_count = 1 }, EINVAL, LINEAR },
		{ "neither, of a copy", COMMANDS, sizeof(struct vacc_work), COPY,
		  { .phase = 1 }, 0, ~0u },
	};
	struct vacc_work work[COMMANDS + 1] = {};
	struct vacc_last_error last;
	struct vacc_submit s;
	struct all all;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, &all));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		say(work);
		work[table[i].index] = table[i].work;
		s = submission(self->queue, &all, VACC_SUBMIT_ATTRIBUTION, work);
		s.work.count = table[i].count;
		s.work.stride = table[i].stride;
		if (!ATTRIBUTES(self->info)) {
			EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
			continue;
		}
		if (!table[i].error) {
			EXPECT_OK(vt_submit(self->fd, &s)) TH_LOG("%s", table[i].what);
			continue;
		}
		EXPECT_ERRNO(table[i].error, refused(self->fd, self->queue, &s))
			TH_LOG("%s", table[i].what);
		ASSERT_OK(vt_last_error(self->fd, &last));
		EXPECT_EQ(table[i].command, last.command) TH_LOG("%s", table[i].what);
	}
	say(work);
	s = submission(self->queue, &all, VACC_SUBMIT_ATTRIBUTION, work);
	s.work.ptr = 8;
	EXPECT_ERRNO(ATTRIBUTES(self->info) ? EFAULT : EOPNOTSUPP,
		     refused(self->fd, self->queue, &s));
}

/* A beginning and an end for each command, one after the other. */
TEST_F(dev, times_of_commands)
{
	struct vacc_attribution_row rows[COMMANDS];
	struct vacc_record record;
	struct vacc_event_query q;
	struct vacc_submit s;
	__u64 before, last, after;
	struct all all;
	__u32 i;

	ASSERT_OK(make(self->fd, self->context, &all));
	s = submission(self->queue, &all, BOTH | VACC_SUBMIT_RECORD, NULL);
	if (!TIMES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
		s.flags = VACC_SUBMIT_TIMING;
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
		s.flags = VACC_SUBMIT_RECORD;
	}
	before = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_EQ(1, vt_read_records(self->fd, &record, 1));
	after = vt_now();
	ASSERT_EQ(VACC_EVENT_COMPLETE, record.state);
	ASSERT_OK(vt_event_query(self->fd, s.event, &q));
	EXPECT_EQ(record.start_ns, (__s64)q.start_ns);
	EXPECT_EQ(record.end_ns, (__s64)q.end_ns);
	if (!TIMES(self->info)) {
		EXPECT_EQ(0, q.start_ns);
		EXPECT_EQ(0, q.end_ns);
		return;
	}
	ASSERT_OK(rows_get(self->fd, s.event, rows, COMMANDS, sizeof(rows[0]), NULL));
	last = before;
	for (i = 0; i < COMMANDS; i++) {
		EXPECT_LE(last, rows[i].start_ns) TH_LOG("command %u", i);
		EXPECT_LE(rows[i].start_ns, rows[i].end_ns) TH_LOG("command %u", i);
		last = rows[i].end_ns;
	}
	EXPECT_LE(last, after);
	EXPECT_EQ(rows[0].start_ns, q.start_ns);
	EXPECT_EQ(last, q.end_ns);
}

/* Rows without times, and times without rows. */
TEST_F(dev, each_without_the_other)
{
	struct vacc_attribution_row rows[COMMANDS];
	struct vacc_event_query q;
	struct vacc_submit s;
	struct all all;
	__u32 count, i;

	ASSERT_OK(make(self->fd, self->context, &all));
	s = submission(self->queue, &all, VACC_SUBMIT_ATTRIBUTION, NULL);
	if (!ATTRIBUTES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
	} else {
		ASSERT_OK(vt_submit(self->fd, &s));
		ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
		ASSERT_OK(rows_get(self->fd, s.event, rows, COMMANDS, sizeof(rows[0]), NULL));
		for (i = 0; i < COMMANDS; i++) {
			EXPECT_EQ(i, rows[i].command);
			EXPECT_EQ(0, rows[i].start_ns);
			EXPECT_EQ(0, rows[i].end_ns);
			EXPECT_EQ(0, rows[i].work.participant_count);
			EXPECT_EQ(~0u, rows[i].work.node_index);
		}
		ASSERT_OK(vt_event_query(self->fd, s.event, &q));
		EXPECT_EQ(0, q.start_ns);
		EXPECT_EQ(0, q.end_ns);
	}
	s = submission(self->queue, &all, VACC_SUBMIT_TIMING, NULL);
	if (!TIMES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
		return;
	}
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_event_query(self->fd, s.event, &q));
	EXPECT_LT(0, q.start_ns);
	EXPECT_LE(q.start_ns, q.end_ns);
	EXPECT_ERRNO(EINVAL, rows_get(self->fd, s.event, rows, COMMANDS, sizeof(rows[0]),
				      &count));
}

/* What is held has nothing to tell yet; what never ran has no times. */
TEST_F(dev, before_and_without_execution)
{
	struct vacc_attribution_row rows[COMMANDS];
	struct vacc_submit held, cancelled;
	struct vacc_event_query q;
	struct all all;
	__u64 released;
	__u32 count, i;

	ASSERT_OK(make(self->fd, self->context, &all));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	held = submission(self->queue, &all, BOTH, NULL);
	cancelled = held;
	if (!ATTRIBUTES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &held));
		return;
	}
	ASSERT_OK(vt_submit(self->fd, &held));
	ASSERT_OK(vt_submit(self->fd, &cancelled));
	EXPECT_ERRNO(EBUSY, rows_get(self->fd, held.event, rows, COMMANDS, sizeof(rows[0]),
				     NULL));
	ASSERT_OK(vt_event_query(self->fd, held.event, &q));
	EXPECT_EQ(0, q.start_ns);
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, cancelled.event));
	ASSERT_OK(rows_get(self->fd, cancelled.event, rows, COMMANDS, sizeof(rows[0]),
			   &count));
	EXPECT_EQ(COMMANDS, count);
	for (i = 0; i < COMMANDS; i++) {
		EXPECT_EQ(want[i].operation, rows[i].operation);
		EXPECT_EQ(0, rows[i].start_ns);
		EXPECT_EQ(0, rows[i].end_ns);
	}
	/* Time in the queue is not execution. */
	vt_sleep_ms(20);
	released = vt_now();
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, held.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(rows_get(self->fd, held.event, rows, COMMANDS, sizeof(rows[0]), NULL));
	EXPECT_LE(released, rows[0].start_ns);
	EXPECT_LE(rows[0].start_ns, rows[COMMANDS - 1].end_ns);
}

/* Room, strides of older and newer callers, addresses. */
TEST_F(dev, copy_out)
{
	unsigned char bytes[3 * 80];
	struct vacc_attribution_row *rows = (void *)bytes;
	struct vacc_event_attribution arg = { .size = sizeof(arg) };
	struct vacc_submit s;
	struct all all;
	__u32 count, i;

	ASSERT_OK(make(self->fd, self->context, &all));
	s = submission(self->queue, &all, ATTRIBUTES(self->info) ? VACC_SUBMIT_ATTRIBUTION : 0,
		       NULL);
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	arg.handle = s.event;
	if (!ATTRIBUTES(self->info)) {
		EXPECT_ERRNO(EOPNOTSUPP, rows_get(self->fd, s.event, rows, 0, 0, &count));
		arg.reserved = 1;
		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_EVENT_ATTRIBUTION, &arg));
		return;
	}
	EXPECT_OK(rows_get(self->fd, s.event, NULL, 0, 0, &count));
	EXPECT_EQ(COMMANDS, count);
	EXPECT_ERRNO(EINVAL, rows_get(self->fd, s.event, rows, 1, 0, NULL));
	EXPECT_ERRNO(ENOENT, rows_get(self->fd, self->queue, rows, 0, 0, NULL));
	memset(bytes, 0xee, sizeof(bytes));
	EXPECT_OK(rows_get(self->fd, s.event, rows, 2, 80, &count));
	EXPECT_EQ(COMMANDS, count);
	EXPECT_EQ(1, bytes[80]);
	for (i = 72; i < 80; i++) {
		EXPECT_EQ(0, bytes[i]);
		EXPECT_EQ(0, bytes[80 + i]);
		EXPECT_EQ(0xee, bytes[160 + i]);
	}
	memset(bytes, 0xee, sizeof(bytes));
	EXPECT_OK(rows_get(self->fd, s.event, rows, 3, 8, &count));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i, bytes[8 * i]);
		EXPECT_EQ(want[i].operation, bytes[8 * i + 4]);
	}
	EXPECT_EQ(0xee, bytes[24]);
	EXPECT_ERRNO(EFAULT, rows_get(self->fd, s.event, (void *)8, 1, sizeof(*rows), NULL));
	arg.reserved = 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_EVENT_ATTRIBUTION, &arg));
	arg.flags = 1;
	EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_EVENT_ATTRIBUTION, &arg));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, s.event));
	EXPECT_ERRNO(ENOENT, rows_get(self->fd, s.event, rows, 0, 0, NULL));
}

/* Rows are charged until the event is destroyed. */
TEST_F(dev, rows_are_charged)
{
	struct vacc_stats before, during, after;
	struct vacc_submit s;
	struct all all;
	__u64 least;

	ASSERT_OK(make(self->fd, self->context, &all));
	s = submission(self->queue, &all, ATTRIBUTES(self->info) ? VACC_SUBMIT_ATTRIBUTION : 0,
		       NULL);
	least = ATTRIBUTES(self->info) ? COMMANDS * sizeof(struct vacc_attribution_row) : 0;
	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &during));
	EXPECT_LE(before.live_bytes + least, during.live_bytes);
	EXPECT_GE(before.live_bytes + least + (least ? 64 : 0), during.live_bytes);
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, s.event));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
}

/* Each element of SUBMIT_MANY has its own. */
TEST_F(dev, in_submit_many)
{
	struct vacc_attribution_row rows[COMMANDS];
	struct vacc_work work[COMMANDS];
	struct vacc_submit s[3];
	__u32 done, i;
	struct all all;

	ASSERT_OK(make(self->fd, self->context, &all));
	say(work);
	s[0] = submission(self->queue, &all, 0, NULL);
	s[1] = submission(self->queue, &all, BOTH, work);
	s[2] = submission(self->queue, &all, BOTH, work);
	s[2].work.count--;
	EXPECT_OK(vt_submit_many(self->fd, s, 3, &done));
	EXPECT_EQ(VACC_ACCEPTED, s[0].admission);
	EXPECT_EQ(VACC_NOT_SUBMITTED, s[2].admission);
	if (!ATTRIBUTES(self->info)) {
		EXPECT_EQ(1, done);
		EXPECT_EQ(VACC_NOT_SUBMITTED, s[1].admission);
		return;
	}
	EXPECT_EQ(2, done);
	ASSERT_OK(vt_event_wait(self->fd, s[1].event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(rows_get(self->fd, s[1].event, rows, COMMANDS, sizeof(rows[0]), NULL));
	for (i = 0; i < COMMANDS; i++)
		EXPECT_EQ(0, memcmp(&work[i], &rows[i].work, sizeof(work[i])));
	EXPECT_LT(0, rows[0].start_ns);
}

/* R14: the reason is named, and nothing else is to blame. */
TEST_F(dev, r14_reasons)
{
	struct vacc_last_error last;
	struct vacc_submit s;
	struct all all;

	ASSERT_OK(make(self->fd, self->context, &all));
	s = submission(self->queue, &all, VACC_SUBMIT_REPLAY_ONLY, NULL);
	EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_NE(0, last.tid);
	EXPECT_EQ(_IOC_NR(VACC_SUBMIT), last.nr);
	EXPECT_EQ(EOPNOTSUPP, last.error);
	EXPECT_EQ(~0u, last.command);
	EXPECT_EQ(~0u, last.launch);
	EXPECT_EQ(~0u, last.binding);
	EXPECT_STREQ("this device has no work to replay", (char *)last.text);
	if (ATTRIBUTES(self->info))
		return;
	s = submission(self->queue, &all, VACC_SUBMIT_ATTRIBUTION, NULL);
	EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_STREQ("this device does not attribute work", (char *)last.text);
	s = submission(self->queue, &all, VACC_SUBMIT_TIMING, NULL);
	EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, self->queue, &s));
	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_STREQ("this device does not time work", (char *)last.text);
}

TEST_HARNESS_MAIN
