// SPDX-License-Identifier: GPL-2.0
/* The four operations of the 24-byte format, and when they happen. */
#include "vacc_test.h"

static int op(int fd, __u32 context, __u8 which, __u8 operand, __u32 *program)
{
	return vt_load_ref(fd, context, which, 0,
			   which == VACC_REF_OP_COPY ? 1 : VACC_REF_NO_SLOT, operand, program);
}

/* M7: a barrier takes one binding of any access and moves nothing. */
TEST_F(dev, m7_barrier)
{
	__u32 barrier, access, buffer = vt_any_buffer(self->fd, self->context, 64);
	struct vacc_binding b[2];

	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_BARRIER, 9,
			      VACC_REF_NO_SLOT, 0, &barrier));
	ASSERT_OK(vt_set(self->fd, buffer, 0, 0x3d, 64));
	for (access = VT_READ; access <= VT_READ_WRITE; access++) {
		b[0] = vt_bind(buffer, 9, access, 1, access);
		EXPECT_OK(vt_run(self->fd, self->queue, barrier, b, 1));
	}
	b[1] = vt_bind(buffer, 10, VT_READ, 0, 64);
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, barrier, b, 2));
	b[0].slot = 8;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, barrier, b, 1));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0x3d, 64));
}

/* M7: copy, between buffers, bindings in any order, guards intact. */
TEST_F(dev, m7_copy)
{
	__u32 source, target, copy;
	struct vacc_binding b[2];
	char text[64];

	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VIRTIO_ACCEL_USAGE_TRANSFER_DST |
			    VIRTIO_ACCEL_USAGE_INPUT, &source));
	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VT_USAGE_TRANSFER |
			    VIRTIO_ACCEL_USAGE_OUTPUT, &target));
	ASSERT_OK(vt_write(self->fd, source, 5, "copy me", 7));
	ASSERT_OK(vt_set(self->fd, target, 0, 0xee, 64));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_COPY, 3, 7, 0, &copy));
	b[0] = vt_bind(target, 7, VT_WRITE, 11, 7);
	b[1] = vt_bind(source, 3, VT_READ, 5, 7);
	ASSERT_OK(vt_run(self->fd, self->queue, copy, b, 2));
	ASSERT_OK(vt_read(self->fd, target, 0, text, 64));
	EXPECT_EQ(0, memcmp(text + 11, "copy me", 7));
	EXPECT_EQ((char)0xee, text[10]);
	EXPECT_EQ((char)0xee, text[18]);

	/* 64 to 32 bytes, and the other way round. */
	b[0] = vt_bind(target, 7, VT_WRITE, 0, 32);
	b[1] = vt_bind(source, 3, VT_READ, 0, 64);
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, copy, b, 2));
	b[0].bytes = 64;
	b[1].bytes = 32;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, copy, b, 2));
	memset(text, 0, sizeof(text));
	ASSERT_OK(vt_read(self->fd, target, 0, text, 64));
	EXPECT_EQ((char)0xee, text[0]);
	EXPECT_EQ(0, memcmp(text + 11, "copy me", 7));
	EXPECT_EQ((char)0xee, text[63]);
}

/* M7: an overlap in one buffer is safe in both directions, also over many steps. */
TEST_F(dev, m7_copy_is_memmove)
{
	const struct { size_t src, dst, bytes; } table[] = {
		{ 0, 1, 63 }, { 1, 0, 63 }, { 0, 32, 64 }, { 32, 0, 64 }, { 7, 7, 100 },
		{ 0, 1, 999999 }, { 1, 0, 999999 }, { 0, 65536, 900000 }, { 65536, 0, 900000 },
		{ 0, 65537, 900000 }, { 65537, 3, 900000 }, { 0, 500000, 500000 },
		{ 4096, 0, 262144 }, { 0, 4096, 262144 }, { 10, 700000, 300000 },
	};
	const size_t bytes = 1000000;
	unsigned char *want = malloc(bytes), *got = malloc(bytes);
	__u32 buffer = vt_any_buffer(self->fd, self->context, bytes), copy;
	struct vacc_binding b[2];
	unsigned int i;
	size_t j;

	ASSERT_TRUE(want && got);
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_COPY, 0, &copy));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (j = 0; j < bytes; j++)
			want[j] = j * 2654435761u >> 13;
		ASSERT_OK(vt_write(self->fd, buffer, 0, want, bytes));
		b[0] = vt_bind(buffer, 0, VT_READ, table[i].src, table[i].bytes);
		b[1] = vt_bind(buffer, 1, VT_WRITE, table[i].dst, table[i].bytes);
		ASSERT_OK(vt_run(self->fd, self->queue, copy, b, 2));
		memmove(want + table[i].dst, want + table[i].src, table[i].bytes);
		ASSERT_OK(vt_read(self->fd, buffer, 0, got, bytes));
		EXPECT_EQ(0, memcmp(want, got, bytes)) TH_LOG("row %u", i);
	}
	free(want);
	free(got);
}

/* M7: from 4 MiB on bytes take another way, unless they overlap; at odd ends they do not. */
TEST_F(dev, m7_many_bytes)
{
	enum { MANY = (4 << 20) + 777 };
	const struct { __u8 which; size_t src, dst; } table[] = {
		{ VACC_REF_OP_COPY, 3, MANY + 3 }, { VACC_REF_OP_COPY, MANY + 64, 64 },
		{ VACC_REF_OP_COPY, MANY + 9, 9 }, { VACC_REF_OP_COPY, 0, 1 },
		{ VACC_REF_OP_COPY, 70000, 3 }, { VACC_REF_OP_FILL, 0, 5 },
		{ VACC_REF_OP_FILL, 0, 4096 }, { VACC_REF_OP_XOR, 0, 7 },
	};
	const size_t bytes = 2 * MANY + 100;
	unsigned char *want = malloc(bytes), *got = malloc(bytes);
	__u32 buffer = vt_any_buffer(self->fd, self->context, bytes), program[4];
	struct vacc_binding b[2];
	unsigned int i;
	size_t j;

	ASSERT_TRUE(want && got && buffer);
	for (i = VACC_REF_OP_COPY; i <= VACC_REF_OP_XOR; i++) {
		ASSERT_OK(op(self->fd, self->context, i, i == VACC_REF_OP_COPY ? 0 : 0xa7,
			     &program[i]));
	}
	for (j = 0; j < bytes; j++)
		want[j] = j * 2654435761u >> 13;
	ASSERT_OK(vt_write(self->fd, buffer, 0, want, bytes));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		bool copy = table[i].which == VACC_REF_OP_COPY;
		unsigned char *to = want + table[i].dst;

		b[0] = vt_bind(buffer, 0, VT_READ, table[i].src, MANY);
		b[copy] = vt_bind(buffer, copy,
				  table[i].which == VACC_REF_OP_XOR ? VT_READ_WRITE : VT_WRITE,
				  table[i].dst, MANY);
		ASSERT_OK(vt_run(self->fd, self->queue, program[table[i].which], b, 1 + copy));
		if (copy)
			memmove(to, want + table[i].src, MANY);
		else if (table[i].which == VACC_REF_OP_FILL)
			memset(to, 0xa7, MANY);
		for (j = 0; table[i].which == VACC_REF_OP_XOR && j < MANY; j++)
			to[j] ^= 0xa7;
		ASSERT_OK(vt_read(self->fd, buffer, 0, got, bytes));
		EXPECT_EQ(0, memcmp(want, got, bytes)) TH_LOG("row %u", i);
	}
	free(want);
	free(got);
}

/* M7: fill writes one byte value into the bound range alone. */
TEST_F(dev, m7_fill)
{
	const size_t lengths[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 4095, 4096, 4097, 200000 };
	__u32 buffer = vt_any_buffer(self->fd, self->context, 262144), fill;
	struct vacc_binding b;
	unsigned int i, value;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t at = 32 + i % 8;

		value = 0xff - 19 * i;
		ASSERT_OK(vt_load_fill(self->fd, self->context, value, &fill));
		ASSERT_OK(vt_set(self->fd, buffer, 0, ~value, 262144));
		b = vt_bind(buffer, 0, VT_WRITE, at, lengths[i]);
		ASSERT_OK(vt_run(self->fd, self->queue, fill, &b, 1));
		EXPECT_EQ(1, vt_all(self->fd, buffer, 0, ~value, at));
		EXPECT_EQ(1, vt_all(self->fd, buffer, at, value, lengths[i]));
		EXPECT_EQ(1, vt_all(self->fd, buffer, at + lengths[i], ~value,
				    262144 - at - lengths[i]));
	}
	b.access = VT_READ_WRITE;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, fill, &b, 1));
	b.access = VT_READ;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, fill, &b, 1));
}

/* M7: xor with each value, at each alignment. */
TEST_F(dev, m7_xor)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 512), xor;
	unsigned char want[512], got[512];
	struct vacc_binding b;
	unsigned int value, i;

	for (value = 0; value < 256; value++) {
		size_t at = 1 + value % 16, bytes = 100 + value;

		ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, value, &xor));
		for (i = 0; i < sizeof(want); i++)
			want[i] = i * 7 + value;
		ASSERT_OK(vt_write(self->fd, buffer, 0, want, sizeof(want)));
		b = vt_bind(buffer, 0, VT_READ_WRITE, at, bytes);
		ASSERT_OK(vt_run(self->fd, self->queue, xor, &b, 1));
		for (i = at; i < at + bytes; i++)
			want[i] ^= value;
		ASSERT_OK(vt_read(self->fd, buffer, 0, got, sizeof(got)));
		ASSERT_EQ(0, memcmp(want, got, sizeof(got))) TH_LOG("value %u", value);
		ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, xor));
	}
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, 1, &xor));
	b.access = VT_WRITE;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, xor, &b, 1));
}

/* Copy and xor move bits: signalling NaNs stay what they are. */
TEST_F(dev, signalling_nans_survive)
{
	const __u16 halves[] = { 0x7c01, 0x7d00, 0xfc01, 0xfdff, 0x7e01, 0xffff, 0x7c00, 0x8000 };
	const __u32 floats[] = { 0x7f800001, 0x7fa00000, 0xff800001, 0xffbfffff };
	__u32 a = vt_any_buffer(self->fd, self->context, 64), copy, xor;
	unsigned char want[32], got[32];
	struct vacc_binding b[2];
	int i;

	memcpy(want, halves, 16);
	memcpy(want + 16, floats, 16);
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_COPY, 0, &copy));
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, 0, &xor));
	ASSERT_OK(vt_write(self->fd, a, 0, want, 32));
	b[0] = vt_bind(a, 0, VT_READ, 0, 32);
	b[1] = vt_bind(a, 1, VT_WRITE, 32, 32);
	ASSERT_OK(vt_run(self->fd, self->queue, copy, b, 2));
	b[0] = vt_bind(a, 0, VT_READ_WRITE, 0, 64);
	ASSERT_OK(vt_run(self->fd, self->queue, xor, b, 1));
	for (i = 0; i < 2; i++) {
		ASSERT_OK(vt_read(self->fd, a, 32 * i, got, 32));
		EXPECT_EQ(0, memcmp(want, got, 32));
	}
}

/* M8: a held event's program has not run: nothing is written, and it reads late. */
TEST_F(dev, m8_nothing_before_execution)
{
	__u32 source, target, copy, event;
	struct vacc_queue_query q;
	struct vacc_binding b[2];

	source = vt_any_buffer(self->fd, self->context, 64);
	target = vt_any_buffer(self->fd, self->context, 64);
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_COPY, 0, &copy));
	ASSERT_OK(vt_set(self->fd, source, 0, 0x11, 64));
	ASSERT_OK(vt_set(self->fd, target, 0, 0xee, 64));
	b[0] = vt_bind(source, 0, VT_READ, 0, 64);
	b[1] = vt_bind(target, 1, VT_WRITE, 0, 64);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, copy, b, 2, &event));
	vt_sleep_ms(50);
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, event));
	EXPECT_EQ(1, vt_all(self->fd, target, 0, 0xee, 64));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(0, q.commands);
	ASSERT_OK(vt_set(self->fd, source, 0, 0x22, 64));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	EXPECT_EQ(1, vt_all(self->fd, target, 0, 0x22, 64));
}

/* M8: what is complete is complete to the last byte. */
TEST_F(dev, m8_complete_output)
{
	const size_t bytes = 8 << 20;
	__u32 buffer = vt_any_buffer(self->fd, self->context, bytes), fill, i;
	struct vacc_binding b = vt_bind(buffer, 0, VT_WRITE, 0, bytes);

	for (i = 0; i < 8; i++) {
		ASSERT_OK(vt_load_fill(self->fd, self->context, 0x40 + i, &fill));
		ASSERT_OK(vt_run(self->fd, self->queue, fill, &b, 1));
		ASSERT_EQ(1, vt_all(self->fd, buffer, bytes - 4096, 0x40 + i, 4096));
		ASSERT_EQ(1, vt_all(self->fd, buffer, 0, 0x40 + i, bytes));
	}
}

/* M9: fill 0xa5 and xor 0xff on zeros, the xor first: ff, then a5. */
TEST_F(dev, m9_order_of_the_harness)
{
	__u32 buffer, fill, xor, filled, xored;
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, 4,
		VIRTIO_ACCEL_USAGE_TRANSFER_SRC | VIRTIO_ACCEL_USAGE_OUTPUT |
		VIRTIO_ACCEL_USAGE_MUTABLE);
	struct vacc_binding w, rw;

	desc.domain = VIRTIO_ACCEL_DOMAIN_SHARED;
	desc.alignment = 1;
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	buffer = desc.handle;
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_FILL, 0xa5, &fill));
	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, 0xff, &xor));
	w = vt_bind(buffer, 0, VT_WRITE, 0, 4);
	rw = vt_bind(buffer, 0, VT_READ_WRITE, 0, 4);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &w, 1, &filled));
	ASSERT_OK(vt_start(self->fd, self->queue, xor, &rw, 1, &xored));
	ASSERT_OK(vt_control(self->node, "complete", "%u", xored));
	EXPECT_OK(vt_event_wait(self->fd, xored, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xff, 4));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, filled));
	ASSERT_OK(vt_control(self->node, "complete", "%u", filled));
	EXPECT_OK(vt_event_wait(self->fd, filled, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xa5, 4));
}

/* M9: the same with a whole order at once. */
TEST_F(dev, m9_reorder)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64), fills[3], events[3], xor, last;
	struct vacc_binding w = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	struct vacc_binding rw = vt_bind(buffer, 0, VT_READ_WRITE, 0, 64);
	int i;

	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, 0xff, &xor));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_load_fill(self->fd, self->context, 0x10 * (i + 1), &fills[i]));
		ASSERT_OK(vt_start(self->fd, self->queue, fills[i], &w, 1, &events[i]));
	}
	ASSERT_OK(vt_start(self->fd, self->queue, xor, &rw, 1, &last));
	/* 0x30, 0x10, inverted; the second fill is left. */
	ASSERT_OK(vt_control(self->node, "reorder", "%u %u %u", events[2], events[0], last));
	EXPECT_OK(vt_event_wait(self->fd, last, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, events[0]));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, events[1]));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, events[2]));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xef, 64));
}

/* A queue runs in order where the device says so. */
TEST_F(dev, a_queue_runs_in_order)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 200000), fills[7], xor, event = 0;
	struct vacc_binding w = vt_bind(buffer, 0, VT_WRITE, 0, 200000);
	struct vacc_binding rw = vt_bind(buffer, 0, VT_READ_WRITE, 0, 200000);
	unsigned int i, n = 200;

	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_XOR, 0xff, &xor));
	for (i = 0; i < 7; i++) {
		ASSERT_OK(vt_load_fill(self->fd, self->context, i, &fills[i]));
	}
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_start(self->fd, self->queue, fills[i % 7], &w, 1, &event));
		if (!(self->info.features & VACC_FEATURE_QUEUE_IN_ORDER)) {
			ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
		}
		ASSERT_OK(vt_start(self->fd, self->queue, xor, &rw, 1, &event));
	}
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xff ^ (n - 1) % 7, 200000));
}

/* Independent queues do not wait for each other. */
TEST_F(dev, queues_are_independent)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 128), other, fill, held, event;
	struct vacc_binding b = vt_bind(buffer, 0, VT_WRITE, 0, 64);

	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x66, &fill));
	ASSERT_OK(vt_queue(self->fd, self->context, &other));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &b, 1, &held));
	b.offset = 64;
	ASSERT_OK(vt_start(self->fd, other, fill, &b, 1, &event));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	EXPECT_OK(vt_queue_sync(self->fd, other, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0, 64));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 64, 0x66, 64));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, held));
}

/*
 * R3: a copy between buffers of different element types is refused.  Types live in the
 * core: a device behind the wire does not know them, and copies bytes.
 */
TEST_F(dev, r3_copy_between_types)
{
	struct vacc_buffer_create d = vt_buffer_desc(self->context, 64, VT_USAGE_ALL);
	__u32 from[3], to[3], copy, i, j;
	const __u32 types[3] = { VACC_TYPE_UNTYPED, VACC_TYPE_F16, VACC_TYPE_U8 };
	struct vacc_binding b[2];

	ASSERT_OK(op(self->fd, self->context, VACC_REF_OP_COPY, 0, &copy));
	for (i = 0; i < 3; i++) {
		d.element_type = types[i];
		ASSERT_OK(vt_buffer_create(self->fd, &d));
		from[i] = d.handle;
		ASSERT_OK(vt_buffer_create(self->fd, &d));
		to[i] = d.handle;
		ASSERT_OK(vt_set(self->fd, from[i], 0, 0x5f, 64));
	}
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			bool fits = !types[i] || !types[j] || i == j ||
				    self->info.backend == VACC_BACKEND_VIRTIO;

			ASSERT_OK(vt_set(self->fd, to[j], 0, 0, 64));
			b[0] = vt_bind(from[i], 0, VT_READ, 0, 64);
			b[1] = vt_bind(to[j], 1, VT_WRITE, 0, 64);
			EXPECT_EQ(fits ? 0 : -ENOEXEC, vt_run(self->fd, self->queue, copy, b, 2))
				TH_LOG("%u to %u", types[i], types[j]);
			EXPECT_EQ(1, vt_all(self->fd, to[j], 0, fits ? 0x5f : 0, 64));
		}
	}
}

TEST_HARNESS_MAIN
