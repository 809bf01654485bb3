// SPDX-License-Identifier: GPL-2.0
/* PROGRAM_LOAD, PROGRAM_UNLOAD and PROGRAM_QUERY, and the 24-byte format. */
#include "vacc_test.h"

#define FILL	vt_ref(VACC_REF_OP_FILL, 2, VACC_REF_NO_SLOT, 0xa5)
#define COPY	vt_ref(VACC_REF_OP_COPY, 3, 7, 0)

/* M5: what is wrong with a load, one thing at a time. */
TEST_F(dev, m5_loads)
{
	struct vacc_ref_artifact fill = FILL;
	const struct vacc_program_load good = vt_ref_load(self->context, &fill, sizeof(fill));
	struct vacc_program_load load = good;
	struct vacc_stats before, after;
	int i;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	load.payload_bytes = self->info.max_artifact_bytes + 1;
	EXPECT_ERRNO(ENOSPC, vt_program_load(self->fd, &load));
	load.payload_bytes = ~0ULL;
	EXPECT_ERRNO(ENOSPC, vt_program_load(self->fd, &load));
	load.payload_bytes = 0;
	EXPECT_ERRNO(EINVAL, vt_program_load(self->fd, &load));
	load = good;
	load.format = 0;
	EXPECT_ERRNO(EOPNOTSUPP, vt_program_load(self->fd, &load));
	load.format = VACC_REF_FORMAT + 1;
	EXPECT_ERRNO(EOPNOTSUPP, vt_program_load(self->fd, &load));
	for (i = 0; i < 12; i++) {
		load = good;
		load.target[i] ^= 1;
		EXPECT_ERRNO(ENOEXEC, vt_program_load(self->fd, &load)) TH_LOG("target %d", i);
	}
	load = good;
	for (i = 0; i < 64; i++) {
		int r;

		load.resident_bytes = 64 ^ 1ULL << i;
		r = vt_program_load(self->fd, &load);
		/* Over the wire a charge beyond the device's quota is refused before that. */
		if (r == -ENOSPC && self->info.backend == VACC_BACKEND_VIRTIO &&
		    load.resident_bytes > self->info.max_buffer_bytes / 16)
			continue;
		EXPECT_EQ(-ENOEXEC, r) TH_LOG("charge %d", i);
	}
	load = good;
	load.payload = 8;
	EXPECT_ERRNO(EFAULT, vt_program_load(self->fd, &load));
	load.payload = ~0ULL - 8;
	EXPECT_ERRNO(EFAULT, vt_program_load(self->fd, &load));
	load = good;
	load.context = 0;
	EXPECT_ERRNO(ENOENT, vt_program_load(self->fd, &load));
	load.context = self->queue;
	EXPECT_ERRNO(ENOENT, vt_program_load(self->fd, &load));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
	load = good;
	EXPECT_OK(vt_program_load(self->fd, &load));
	EXPECT_NE(0, load.handle);
}

/* M5: the 24 bytes. */
TEST_F(dev, m5_artifacts)
{
	const struct { __u8 op; __u32 first, second; __u8 operand; int result; } table[] = {
		{ VACC_REF_OP_BARRIER, 0, VACC_REF_NO_SLOT, 0, 0 },
		{ VACC_REF_OP_BARRIER, 0, VACC_REF_NO_SLOT, 1, -EINVAL },
		{ VACC_REF_OP_BARRIER, 0, 1, 0, -EINVAL },
		{ VACC_REF_OP_COPY, 0, 1, 0, 0 },
		{ VACC_REF_OP_COPY, 0xfffffffe, 0, 0, 0 },
		{ VACC_REF_OP_COPY, 1, 1, 0, -EINVAL },
		{ VACC_REF_OP_COPY, 0, 1, 1, -EINVAL },
		{ VACC_REF_OP_FILL, 4096, VACC_REF_NO_SLOT, 0xff, 0 },
		{ VACC_REF_OP_FILL, 0, 0, 0xff, -EINVAL },
		{ VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT, 0, 0 },
		{ VACC_REF_OP_XOR, 0, 1, 0, -EINVAL },
		{ 4, 0, VACC_REF_NO_SLOT, 0, -EOPNOTSUPP },
		{ 255, 0, VACC_REF_NO_SLOT, 0, -EOPNOTSUPP },
	};
	struct vacc_program_load load;
	struct vacc_ref_artifact a;
	unsigned int i;
	char more[32] = "";
	__u32 program;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		EXPECT_EQ(table[i].result,
			  vt_load_ref(self->fd, self->context, table[i].op, table[i].first,
				      table[i].second, table[i].operand, &program))
			TH_LOG("row %u", i);
	}
	a = FILL;
	memcpy(more, &a, sizeof(a));
	for (i = 1; i <= 32; i++) {
		load = vt_ref_load(self->context, more, i);
		EXPECT_EQ(i == 24 ? 0 : -EINVAL, vt_program_load(self->fd, &load))
			TH_LOG("%u bytes", i);
	}
	/* At any address. */
	memmove(more + 3, more, sizeof(a));
	load = vt_ref_load(self->context, more + 3, sizeof(a));
	EXPECT_OK(vt_program_load(self->fd, &load));
}

/* What a 24-byte artifact is worth, by its description alone. */
static int judge(const struct vacc_ref_artifact *a)
{
	unsigned int i;

	if (memcmp(a->magic, "VAMK", 4))
		return -EINVAL;
	if (a->major != 1 || a->minor != 0 || a->binding_abi != 1)
		return -ENOEXEC;
	for (i = 0; i < sizeof(a->reserved); i++)
		if (a->reserved[i])
			return -EINVAL;
	if (a->op > VACC_REF_OP_XOR)
		return -EOPNOTSUPP;
	if (a->op == VACC_REF_OP_COPY)
		return a->first == a->second || a->operand ? -EINVAL : 0;
	if (a->second != VACC_REF_NO_SLOT || (a->op == VACC_REF_OP_BARRIER && a->operand))
		return -EINVAL;
	return 0;
}

/*
 * Every single bit flipped: refused as its meaning says, or it does what the bytes
 * really say, between guards.
 */
static int flip_bits(int fd, __u32 context, __u32 queue, struct vacc_ref_artifact good,
		     const char **what)
{
	__u32 a, b, bit;
	int r;

	*what = "create";
	r = vt_buffer(fd, context, 96, VT_USAGE_ALL, &a) ?:
	    vt_buffer(fd, context, 96, VT_USAGE_ALL, &b);
	for (bit = 0; !r && bit < 8 * sizeof(good); bit++) {
		struct vacc_ref_artifact flipped = good;
		struct vacc_program_load load = vt_ref_load(context, &flipped, sizeof(flipped));
		struct vacc_binding bind[2];
		unsigned int want = 0x11, count = 1;

		((char *)&flipped)[bit / 8] ^= 1 << bit % 8;
		*what = "load";
		r = vt_program_load(fd, &load);
		if (r != judge(&flipped))
			return r ?: 1;
		if (r) {
			r = 0;
			continue;
		}
		*what = "run";
		bind[0] = vt_bind(a, flipped.first, VT_READ, 32, 32);
		switch (flipped.op) {
		case VACC_REF_OP_COPY:
			bind[1] = vt_bind(b, flipped.second, VT_WRITE, 32, 32);
			count = 2;
			want = 0x22;
			break;
		case VACC_REF_OP_FILL:
			bind[0].access = VT_WRITE;
			want = flipped.operand;
			break;
		case VACC_REF_OP_XOR:
			bind[0].access = VT_READ_WRITE;
			want = 0x22 ^ flipped.operand;
			break;
		}
		r = vt_set(fd, a, 0, 0x11, 96) ?: vt_set(fd, a, 32, 0x22, 32) ?:
		    vt_set(fd, b, 0, 0x11, 96) ?: vt_run(fd, queue, load.handle, bind, count) ?:
		    vt_handle(fd, VACC_PROGRAM_UNLOAD, load.handle);
		if (r)
			return r;
		*what = "result";
		if (flipped.op == VACC_REF_OP_COPY)
			r = vt_all(fd, b, 32, want, 32) != 1 || vt_all(fd, a, 32, 0x22, 32) != 1;
		else if (flipped.op == VACC_REF_OP_BARRIER)
			r = vt_all(fd, a, 32, 0x22, 32) != 1;
		else
			r = vt_all(fd, a, 32, want, 32) != 1;
		*what = "guards";
		r = r ?: vt_all(fd, a, 0, 0x11, 32) != 1 || vt_all(fd, a, 64, 0x11, 32) != 1 ||
			 vt_all(fd, b, 0, 0x11, 32) != 1 || vt_all(fd, b, 64, 0x11, 32) != 1;
	}
	return r;
}

/* M5 */
TEST_F(dev, m5_bit_flips)
{
	const struct vacc_ref_artifact good[] = {
		FILL, COPY,
		vt_ref(VACC_REF_OP_BARRIER, 0, VACC_REF_NO_SLOT, 0),
		vt_ref(VACC_REF_OP_XOR, 1, VACC_REF_NO_SLOT, 0x3c),
	};
	const char *what;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_OK(flip_bits(self->fd, self->context, self->queue, good[i], &what))
			TH_LOG("artifact %u: %s", i, what);
	}
}

/* The artifact is read once: what becomes of its bytes later does not matter. */
TEST_F(dev, payload_may_change_after_the_load)
{
	struct vacc_ref_artifact fill = FILL;
	struct vacc_program_load load = vt_ref_load(self->context, &fill, sizeof(fill));
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64);
	struct vacc_binding b = vt_bind(buffer, 2, VT_WRITE, 0, 64);

	ASSERT_OK(vt_program_load(self->fd, &load));
	memset(&fill, 0xff, sizeof(fill));
	ASSERT_OK(vt_run(self->fd, self->queue, load.handle, &b, 1));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xa5, 64));
}

struct flipper {
	volatile int stop;
	struct vacc_ref_artifact *artifact;
};

static void *flip_operand(void *arg)
{
	struct flipper *f = arg;

	while (!f->stop) {
		__atomic_store_n(&f->artifact->operand, 0x11, __ATOMIC_RELAXED);
		sched_yield();
		__atomic_store_n(&f->artifact->operand, 0x22, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

/* While another thread changes the bytes, the program is one or the other. */
TEST_F(dev, payload_that_changes_during_the_load)
{
	struct vacc_ref_artifact fill = FILL;
	struct vacc_program_load load = vt_ref_load(self->context, &fill, sizeof(fill));
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64);
	struct vacc_binding b = vt_bind(buffer, 2, VT_WRITE, 0, 64);
	struct flipper f = { .artifact = &fill };
	unsigned int i, n = vt_scale(2000);
	unsigned char bytes[64];
	pthread_t thread;

	fill.operand = 0x11;
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip_operand, &f));
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_program_load(self->fd, &load));
		ASSERT_OK(vt_run(self->fd, self->queue, load.handle, &b, 1));
		ASSERT_OK(vt_read(self->fd, buffer, 0, bytes, 64));
		ASSERT_TRUE(bytes[0] == 0x11 || bytes[0] == 0x22);
		ASSERT_EQ(0, memcmp(bytes, bytes + 1, 63));
		ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, load.handle));
	}
	f.stop = 1;
	pthread_join(thread, NULL);
}

TEST_F(dev, query_of_the_small_format)
{
	const struct { __u8 op; __u32 slots; __u32 access[2]; } table[] = {
		{ VACC_REF_OP_BARRIER, 1, { 0 } },
		{ VACC_REF_OP_COPY, 2, { VT_READ, VT_WRITE } },
		{ VACC_REF_OP_FILL, 1, { VT_WRITE } },
		{ VACC_REF_OP_XOR, 1, { VT_READ_WRITE } },
	};
	struct vacc_program_slot slots[4];
	struct vacc_program_query q;
	__u32 program;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		bool copy = table[i].op == VACC_REF_OP_COPY;

		ASSERT_OK(vt_load_ref(self->fd, self->context, table[i].op, 5,
				      copy ? 9 : VACC_REF_NO_SLOT, 0, &program));
		memset(slots, 0xff, sizeof(slots));
		ASSERT_OK(vt_program_query(self->fd, program, &q, slots, 4));
		EXPECT_EQ(self->context, q.context);
		EXPECT_EQ(VACC_REF_FORMAT, q.format);
		EXPECT_EQ(64, q.resident_bytes);
		if (self->info.backend == VACC_BACKEND_VIRTIO) {
			EXPECT_EQ(0, q.known);
			EXPECT_EQ(0, q.slots.count);
			continue;
		}
		EXPECT_EQ(1, q.known);
		EXPECT_EQ(1, q.command_count);
		EXPECT_EQ(0, q.launch_count);
		EXPECT_EQ(0, q.max_scratch_bytes);
		ASSERT_EQ(table[i].slots, q.slots.count);
		for (j = 0; j < table[i].slots; j++) {
			EXPECT_EQ(j ? 9 : 5, slots[j].slot);
			EXPECT_EQ(table[i].access[j], slots[j].access);
			EXPECT_EQ(0, slots[j].element_type);
			EXPECT_EQ(copy ? VACC_SLOT_EQUAL_LENGTHS : 0, slots[j].flags);
			EXPECT_EQ(1, slots[j].offset_align);
			EXPECT_EQ(0, slots[j].reserved);
			EXPECT_EQ(1, slots[j].min_bytes);
			EXPECT_EQ(0, slots[j].row_unit);
		}
		EXPECT_EQ(~0u, slots[j].slot);
		/* Less room gets as many as fit, and the number of all. */
		memset(slots, 0xff, sizeof(slots));
		ASSERT_OK(vt_program_query(self->fd, program, &q, slots, 1));
		EXPECT_EQ(table[i].slots, q.slots.count);
		EXPECT_EQ(5, slots[0].slot);
		EXPECT_EQ(~0u, slots[1].slot);
		EXPECT_ERRNO(EFAULT, vt_program_query(self->fd, program, &q, (void *)8, 1));
	}
}

TEST_F(dev, bad_handles)
{
	const __u32 bad[] = { 0, ~0u, 1u << 31, self->queue, self->context };
	struct vacc_program_query q;
	unsigned int i;
	__u32 program;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, bad[i]));
		EXPECT_ERRNO(ENOENT, vt_program_query(self->fd, bad[i], &q, NULL, 0));
	}
	ASSERT_OK(vt_load_fill(self->fd, self->context, 1, &program));
	EXPECT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, program));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, program));
	EXPECT_ERRNO(ENOENT, vt_program_query(self->fd, program, &q, NULL, 0));
}

/* M1: create until refused, destroy one, create one. */
TEST_F(dev, m1_limit_of_programs)
{
	unsigned int n = 0;
	__u32 program, last = 0;
	int r;

	while (!(r = vt_load_fill(self->fd, self->context, 1, &program))) {
		last = program;
		ASSERT_GE(self->info.max_programs_per_context, ++n);
	}
	EXPECT_ERRNO(ENOSPC, r);
	EXPECT_EQ(256, n);
	ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, last));
	EXPECT_OK(vt_load_fill(self->fd, self->context, 1, &program));
	EXPECT_ERRNO(ENOSPC, vt_load_fill(self->fd, self->context, 1, &program));
}

/* The resident charge counts against the quota of bytes while it is loaded. */
TEST_F(dev, charge)
{
	struct vacc_stats s0, s1;
	__u32 program;

	ASSERT_OK(vt_get_stats(self->fd, &s0));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 1, &program));
	ASSERT_OK(vt_get_stats(self->fd, &s1));
	EXPECT_EQ(s0.live_bytes + 64, s1.live_bytes);
	ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, program));
	ASSERT_OK(vt_get_stats(self->fd, &s1));
	EXPECT_EQ(s0.live_bytes, s1.live_bytes);
}

TEST_HARNESS_MAIN
