// SPDX-License-Identifier: GPL-2.0
/* The batch format: what loads, what binds, what its commands do. */
#include <endian.h>
#include "vacc_test.h"

/* R5: every command, in the order of the list. */
TEST_F(dev, r5_commands_in_order)
{
	struct vt_batch b = {};
	struct vacc_binding bind[2];
	unsigned char want[256], got[256];
	__u32 a, c, program, i;

	vt_batch_slot(&b, 10, VT_READ_WRITE, 128);
	vt_batch_slot(&b, 4, VT_READ_WRITE, 128);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 10, 0, 128, 0x11);
	vt_batch_upload(&b, 10, 16, "captured bytes", 14);
	vt_batch_copy(&b, 10, 0, 4, 32, 64);
	vt_batch_barrier(&b, 4);
	vt_batch_set(&b, VACC_BATCH_OP_XOR, 4, 40, 30, 0x0f);
	vt_batch_barrier(&b, VACC_BATCH_NO_SLOT);
	vt_batch_set(&b, VACC_BATCH_OP_ZERO, 10, 100, 28, 0);
	vt_batch_copy(&b, 4, 0, 4, 1, 127);
	vt_batch_copy(&b, 10, 5, 10, 4, 100);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &program));
	a = vt_any_buffer(self->fd, self->context, 256);
	c = vt_any_buffer(self->fd, self->context, 256);
	ASSERT_OK(vt_set(self->fd, a, 0, 0xee, 256));
	ASSERT_OK(vt_set(self->fd, c, 0, 0xdd, 256));
	/* Ranges longer than min_bytes are fine; what is beyond stays. */
	bind[0] = vt_bind(a, 10, VT_READ_WRITE, 50, 150);
	bind[1] = vt_bind(c, 4, VT_READ_WRITE, 64, 128);
	ASSERT_OK(vt_run(self->fd, self->queue, program, bind, 2));

	memset(want, 0xdd, 128);		/* slot 4 */
	memset(want + 128, 0x11, 128);		/* slot 10 */
	memcpy(want + 128 + 16, "captured bytes", 14);
	memcpy(want + 32, want + 128, 64);
	for (i = 40; i < 70; i++)
		want[i] ^= 0x0f;
	memset(want + 128 + 100, 0, 28);
	memmove(want + 1, want, 127);
	memmove(want + 128 + 4, want + 128 + 5, 100);
	ASSERT_OK(vt_read(self->fd, c, 64, got, 128));
	EXPECT_EQ(0, memcmp(want, got, 128));
	ASSERT_OK(vt_read(self->fd, a, 50, got, 128));
	EXPECT_EQ(0, memcmp(want + 128, got, 128));
	EXPECT_EQ(1, vt_all(self->fd, a, 0, 0xee, 50));
	EXPECT_EQ(1, vt_all(self->fd, a, 178, 0xee, 78));
	EXPECT_EQ(1, vt_all(self->fd, c, 0, 0xdd, 64));
	EXPECT_EQ(1, vt_all(self->fd, c, 192, 0xdd, 64));
}

/* R5: the bytes of an upload are those of the load, each time. */
TEST_F(dev, r5_uploads_are_captured)
{
	struct vt_batch b = {};
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64);
	struct vacc_binding bind = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	struct vacc_program_load load;
	char text[16];
	size_t bytes;
	void *artifact;

	vt_batch_slot(&b, 0, VT_WRITE, 16);
	vt_batch_upload(&b, 0, 0, "0123456789abcdef", 16);
	vt_batch_upload(&b, 0, 4, "WXYZ", 4);
	artifact = vt_batch_encode(&b, &bytes);
	load = vt_batch_load_desc(self->context, artifact, bytes);
	ASSERT_OK(vt_program_load(self->fd, &load));
	memset(artifact, 0xff, bytes);
	free(artifact);
	ASSERT_OK(vt_run(self->fd, self->queue, load.handle, &bind, 1));
	ASSERT_OK(vt_set(self->fd, buffer, 0, 0, 16));
	ASSERT_OK(vt_run(self->fd, self->queue, load.handle, &bind, 1));
	ASSERT_OK(vt_read(self->fd, buffer, 0, text, 16));
	EXPECT_EQ(0, memcmp(text, "0123WXYZ89abcdef", 16));
}

/*
 * A batch of every kind of record, for spoiling: two slots, a fill, an upload, a
 * copy, a dense-linear of one launch.
 */
static struct vt_batch sample(void)
{
	struct vt_batch b = {};

	vt_batch_slot(&b, 0, VT_READ_WRITE, 64);
	vt_batch_slot(&b, 1, VT_READ_WRITE, 64);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 0, 0, 32, 0x77);
	vt_batch_upload(&b, 1, 0, "12345678", 8);
	vt_batch_copy(&b, 0, 0, 1, 32, 16);
	vt_batch_launch(&b, 0, 1, 0, 2, 2, 3);
	b.launches[0].out.offset = htole64(48);
	vt_batch_linear(&b, 0, 1);
	return b;
}

enum {
	HEADER = 0, SLOT0 = 96, FILL = 160, UPLOAD = 224, COPY = 288, LINEAR = 352,
	LAUNCH = 416, DATA = 544, END = 552,
};

#define FIELD(what, base, type, member, ...) \
	{ what #member, (base) + offsetof(struct type, member), \
	  sizeof(((struct type *)0)->member), __VA_ARGS__ }
#define H(member, ...)	FIELD("header ", HEADER, vacc_batch_header, member, __VA_ARGS__)
#define S(member, ...)	FIELD("slot ", SLOT0, vacc_batch_slot, member, __VA_ARGS__)
#define C(which, member, ...) \
	FIELD(#which " ", which, vacc_batch_command, member, __VA_ARGS__)
#define L(member, ...)	FIELD("launch ", LAUNCH, vacc_batch_launch, member, __VA_ARGS__)

/* R1, R4, R5: one field changed at a time. */
TEST_F(dev, r1_r4_r5_fields)
{
	static const struct {
		const char *what;
		size_t offset, width;
		__u64 value;
		int error;
	} table[] = {
		H(magic, 0x54424157, EINVAL),
		H(major, 2, ENOEXEC), H(major, 0, ENOEXEC), H(minor, 1, ENOEXEC),
		H(total_bytes, END + 1, EINVAL), H(total_bytes, END - 1, EINVAL),
		H(total_bytes, 0, EINVAL), H(total_bytes, ~0ULL, EINVAL),
		H(flags, 2, EOPNOTSUPP), H(flags, 1u << 31, EOPNOTSUPP),
		H(reserved0, 1, EINVAL),
		H(required_features, 1, EOPNOTSUPP),
		H(required_features, 1ULL << 63, EOPNOTSUPP),
		H(slot_count, 0, EINVAL), H(slot_count, 1, EINVAL), H(slot_count, 3, EINVAL),
		H(slot_count, VACC_BATCH_MAX_SLOTS + 1, ENOSPC), H(slot_count, ~0u, ENOSPC),
		H(slot_bytes, 0, EINVAL), H(slot_bytes, 31, EINVAL), H(slot_bytes, 64, EINVAL),
		H(command_count, 0, EINVAL), H(command_count, 3, EINVAL),
		H(command_count, VACC_BATCH_MAX_COMMANDS + 1, ENOSPC),
		H(command_count, ~0u, ENOSPC),
		H(command_bytes, 63, EINVAL), H(command_bytes, 128, EINVAL),
		H(launch_count, 0, EINVAL), H(launch_count, 2, EINVAL),
		H(launch_count, VACC_BATCH_MAX_LAUNCHES + 1, ENOSPC),
		H(launch_count, ~0u, ENOSPC),
		H(launch_bytes, 0, EINVAL), H(launch_bytes, 127, EINVAL),
		H(data_offset, DATA + 1, EINVAL), H(data_offset, 0, EINVAL),
		H(data_bytes, 7, EINVAL), H(data_bytes, 9, EINVAL), H(data_bytes, ~0ULL, EINVAL),
		H(resident_bytes, 64, EINVAL), H(resident_bytes, 0, EINVAL),
		H(reserved1, 1, EINVAL),
		S(slot, 1, EINVAL), S(slot, 2, EINVAL), S(slot, ~0u, EINVAL),
		S(access, 0, EINVAL), S(access, VT_READ, EINVAL), S(access, VT_WRITE, EINVAL),
		S(access, 4, EINVAL),
		S(reserved, 1, EINVAL),
		S(element_type, VACC_TYPE_COUNT, EOPNOTSUPP),
		S(element_type, VACC_TYPE_U8, EINVAL),
		S(flags, 1, EOPNOTSUPP),
		S(offset_align, 0, EINVAL), S(offset_align, 3, EINVAL),
		S(min_bytes, 0, EINVAL), S(min_bytes, 59, EINVAL),
		S(row_unit, 4, EINVAL),
		C(FILL, op, 7, EOPNOTSUPP), C(FILL, op, 63, EOPNOTSUPP),
		C(FILL, op, 64, EOPNOTSUPP), C(FILL, op, VACC_BATCH_OP_VENDOR, EOPNOTSUPP),
		C(FILL, op, 0xffff, EOPNOTSUPP),
		C(FILL, op, VACC_BATCH_OP_BARRIER, EINVAL), C(FILL, op, VACC_BATCH_OP_ZERO, EINVAL),
		C(FILL, flags, 1, EOPNOTSUPP), C(FILL, reserved0, 1, EINVAL),
		C(FILL, reserved1, 1, EINVAL),
		C(FILL, first_launch, 1, EINVAL), C(FILL, launch_count, 1, EINVAL),
		C(FILL, src_slot, 0, EINVAL), C(FILL, src_offset, 1, EINVAL),
		C(FILL, dst_slot, 2, EINVAL), C(FILL, dst_slot, ~0u, EINVAL),
		C(FILL, dst_offset, 33, EINVAL), C(FILL, dst_offset, ~0ULL, EINVAL),
		C(FILL, dst_offset, ~0ULL - 31, EINVAL),
		C(FILL, bytes, 0, EINVAL), C(FILL, bytes, 65, EINVAL),
		C(FILL, bytes, ~0ULL, EINVAL),
		C(FILL, data_offset, 1, EINVAL),
		C(UPLOAD, data_offset, 1, EINVAL), C(UPLOAD, data_offset, ~0ULL, EINVAL),
		C(UPLOAD, data_offset, ~0ULL - 7, EINVAL), C(UPLOAD, bytes, 9, EINVAL),
		C(UPLOAD, bytes, 0, EINVAL), C(UPLOAD, value, 1, EINVAL),
		C(UPLOAD, dst_offset, 57, EINVAL), C(UPLOAD, src_slot, 1, EINVAL),
		C(COPY, src_slot, 2, EINVAL), C(COPY, src_slot, ~0u, EINVAL),
		C(COPY, src_offset, 49, EINVAL), C(COPY, src_offset, ~0ULL - 15, EINVAL),
		C(COPY, dst_offset, 49, EINVAL), C(COPY, bytes, 0, EINVAL),
		C(COPY, bytes, 33, EINVAL),
		C(COPY, value, 1, EINVAL), C(COPY, data_offset, 8, EINVAL),
		C(LINEAR, launch_count, 0, EINVAL), C(LINEAR, launch_count, 2, EINVAL),
		C(LINEAR, first_launch, 1, EINVAL), C(LINEAR, first_launch, ~0u, EINVAL),
		C(LINEAR, bytes, 1, EINVAL), C(LINEAR, dst_slot, 0, EINVAL),
		C(LINEAR, dst_offset, 1, EINVAL), C(LINEAR, value, 1, EINVAL),
		L(rows, 0, EINVAL), L(in_features, 0, EINVAL), L(out_features, 0, EINVAL),
		L(rows, 3, EINVAL), L(rows, ~0u, EINVAL), L(in_features, 17, EINVAL),
		L(in_features, ~0u, EINVAL), L(out_features, ~0u, EINVAL),
		L(rows, 1u << 31, EINVAL), L(in_features, 1u << 31, EINVAL),
		L(rows_slot, 2, EINVAL), L(rows_slot, 0, EINVAL),
		L(in_type, VACC_TYPE_BF16, EOPNOTSUPP), L(in_type, 0, EOPNOTSUPP),
		L(weight_type, VACC_TYPE_I8, EOPNOTSUPP), L(out_type, VACC_TYPE_F32, EOPNOTSUPP),
		L(accumulator_type, VACC_TYPE_F16, EOPNOTSUPP),
		L(epilogue, 1, EOPNOTSUPP), L(reserved, 1, EINVAL),
		L(aux.slot, 0, EOPNOTSUPP), L(aux.type, VACC_TYPE_F16, EINVAL),
		L(aux.offset, 2, EINVAL), L(aux.row_stride, 2, EINVAL),
		L(in.slot, 2, EINVAL), L(in.slot, ~0u, EINVAL), L(in.type, VACC_TYPE_F32, EINVAL),
		L(in.type, 0, EINVAL), L(in.reserved, 1, EINVAL), L(in.offset, 1, EINVAL),
		L(in.offset, 58, EINVAL), L(in.offset, ~0ULL - 1, EINVAL),
		L(in.row_stride, 3, EINVAL), L(in.row_stride, 62, EINVAL),
		L(in.row_stride, ~0ULL - 1, EINVAL), L(in.row_stride, 1ULL << 63, EINVAL),
		L(weight.offset, 54, EINVAL), L(weight.row_stride, 32, EINVAL),
		L(weight.type, VACC_TYPE_U8, EINVAL),
		L(out.offset, 54, EINVAL), L(out.row_stride, 4, EINVAL),
		L(out.row_stride, 12, EINVAL), L(out.slot, 3, EINVAL),
	};
	struct vt_batch b = sample();
	struct vacc_program_load load;
	struct vacc_stats before, after;
	unsigned char *artifact;
	unsigned int i;
	size_t bytes;

	artifact = vt_batch_encode(&b, &bytes);
	ASSERT_EQ(END, bytes);
	load = vt_batch_load_desc(self->context, artifact, bytes);
	ASSERT_OK(vt_program_load(self->fd, &load));
	ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, load.handle));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		unsigned char saved[16];
		size_t width = table[i].width;

		/* Arrays of reserved bytes or words: their last. */
		size_t at = table[i].offset + (width > 8 || width == 7 ? width - 1 : 0);

		width = width > 8 || width == 7 ? 1 : width == 6 ? 2 : width;
		memcpy(saved, artifact + at, width);
		memcpy(artifact + at, &table[i].value, width);
		EXPECT_ERRNO(table[i].error, vt_program_load(self->fd, &load))
			TH_LOG("%s = %#llx", table[i].what, (unsigned long long)table[i].value);
		memcpy(artifact + at, saved, width);
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
	/* What the load itself says. */
	load.resident_bytes++;
	EXPECT_ERRNO(ENOEXEC, vt_program_load(self->fd, &load));
	load.resident_bytes--;
	load.target[11] = 1;
	EXPECT_ERRNO(ENOEXEC, vt_program_load(self->fd, &load));
	load.target[11] = 0;
	load.format = VACC_REF_FORMAT;
	EXPECT_ERRNO(ENOEXEC, vt_program_load(self->fd, &load));
	load.format = VACC_BATCH_FORMAT;
	EXPECT_OK(vt_program_load(self->fd, &load));
	free(artifact);
}

/* Every prefix, and one byte more. */
TEST_F(dev, prefixes)
{
	struct vt_batch b = sample();
	struct vacc_program_load load;
	size_t bytes, n;
	void *artifact = vt_batch_encode(&b, &bytes);

	artifact = realloc(artifact, bytes + 1);
	ASSERT_NE(NULL, artifact);
	((char *)artifact)[bytes] = 0;
	for (n = 1; n <= bytes + 1; n++) {
		load = vt_batch_load_desc(self->context, artifact, n);
		load.resident_bytes = 64 + bytes - 96;
		EXPECT_EQ(n == bytes ? 0 : -EINVAL, vt_program_load(self->fd, &load))
			TH_LOG("%zu bytes", n);
	}
	free(artifact);
}

/*
 * Every single bit flipped: it is refused, or it loads, and then it runs, and writes
 * nothing outside of what is bound.
 */
TEST_F(dev, bit_flips)
{
	struct vt_batch b = sample();
	__u32 buffer = vt_any_buffer(self->fd, self->context, 4096);
	struct vacc_binding bind[2];
	struct vacc_program_load load;
	unsigned int loaded = 0, ran = 0;
	unsigned char *artifact;
	size_t bytes, bit;
	int r;

	ASSERT_OK(vt_set(self->fd, buffer, 0, 0x99, 4096));
	artifact = vt_batch_encode(&b, &bytes);
	for (bit = 0; bit < 8 * bytes; bit++) {
		load = vt_batch_load_desc(self->context, artifact, bytes);
		artifact[bit / 8] ^= 1 << bit % 8;
		r = vt_program_load(self->fd, &load);
		artifact[bit / 8] ^= 1 << bit % 8;
		if (r) {
			ASSERT_TRUE(r == -EINVAL || r == -ENOEXEC || r == -EOPNOTSUPP ||
				    r == -ENOSPC) TH_LOG("bit %zu: %d", bit, r);
			continue;
		}
		loaded++;
		bind[0] = vt_bind(buffer, 0, VT_READ_WRITE, 1024, 64);
		bind[1] = vt_bind(buffer, 1, VT_READ_WRITE, 2048, 64);
		r = vt_run(self->fd, self->queue, load.handle, bind, 2);
		ASSERT_TRUE(r == 0 || r == -ENOEXEC) TH_LOG("bit %zu: %d", bit, r);
		ran += !r;
		ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, load.handle));
		if (bit % 64 && bit < 8 * bytes - 1)
			continue;
		ASSERT_EQ(1, vt_all(self->fd, buffer, 0, 0x99, 1024)) TH_LOG("bit %zu", bit);
		ASSERT_EQ(1, vt_all(self->fd, buffer, 1088, 0x99, 960)) TH_LOG("bit %zu", bit);
		ASSERT_EQ(1, vt_all(self->fd, buffer, 2112, 0x99, 1984)) TH_LOG("bit %zu", bit);
	}
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0x99, 1024));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 1088, 0x99, 960));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 2112, 0x99, 1984));
	/* The value of the fill and the uploaded bytes are free: 72 bits at least. */
	EXPECT_LE(72, loaded);
	EXPECT_LE(72, ran);
	free(artifact);
}

/* R7: every command is judged before the first executes. */
TEST_F(dev, r7_all_or_nothing)
{
	struct vt_batch b = {};
	struct vacc_buffer_create typed = vt_buffer_desc(self->context, 256, VT_USAGE_ALL);
	__u32 buffer = vt_any_buffer(self->fd, self->context, 4096), program, event;
	struct vacc_stats before, after;
	struct vacc_binding bind[2], bad[2];
	unsigned int i;

	typed.element_type = VACC_TYPE_F32;
	ASSERT_OK(vt_buffer_create(self->fd, &typed));
	vt_batch_slot(&b, 0, VT_READ_WRITE, 64)->offset_align = htole32(16);
	vt_batch_slot(&b, 1, VT_WRITE, 64)->element_type = htole16(VACC_TYPE_F16);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 0, 0, 64, 0xab);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 1, 0, 64, 0xcd);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &program));
	ASSERT_OK(vt_set(self->fd, buffer, 0, 0x44, 4096));
	bind[0] = vt_bind(buffer, 0, VT_READ_WRITE, 0, 64);
	bind[1] = vt_bind(buffer, 1, VT_WRITE, 1024, 64);
	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (i = 0; i < 8; i++) {
		/* Types live in the core: a device behind the wire does not know them. */
		if (self->info.backend == VACC_BACKEND_VIRTIO && (i == 5 || i == 6))
			continue;
		memcpy(bad, bind, sizeof(bad));
		switch (i) {
		case 0:
			bad[1].bytes = 63;
			break;
		case 1:
			bad[1].slot = 2;
			break;
		case 2:
			bad[1].access = VT_READ_WRITE;
			break;
		case 3:
			bad[1].access = VT_READ;
			break;
		case 4:
			bad[0].offset = 8;
			break;
		case 5:
			bad[1].element_type = VACC_TYPE_U8;
			break;
		case 6:
			bad[1].buffer = typed.handle;
			bad[1].offset = 0;
			break;
		case 7:
			bad[0].bytes = 1;
			break;
		}
		EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, bad, 2, &event))
			TH_LOG("case %u", i);
	}
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, bind, 1, &event));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.commands, after.commands);
	EXPECT_EQ(before.submitted, after.submitted);
	EXPECT_EQ(before.direct_bindings, after.direct_bindings);
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0x44, 4096));
	EXPECT_EQ(1, vt_all(self->fd, typed.handle, 0, 0, 256));
	ASSERT_OK(vt_run(self->fd, self->queue, program, bind, 2));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xab, 64));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 1024, 0xcd, 64));
}

/* NO_ALIAS: overlapping bindings are refused, touching ones are not. */
TEST_F(dev, no_alias)
{
	struct vt_batch b = { .flags = VACC_BATCH_NO_ALIAS };
	__u32 buffer = vt_any_buffer(self->fd, self->context, 4096), strict, loose;
	struct vacc_binding bind[2];

	vt_batch_slot(&b, 0, VT_WRITE, 64);
	vt_batch_slot(&b, 1, VT_WRITE, 64);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 0, 0, 64, 1);
	vt_batch_set(&b, VACC_BATCH_OP_FILL, 1, 0, 64, 2);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &strict));
	b.flags = 0;
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &loose));
	bind[0] = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	bind[1] = vt_bind(buffer, 1, VT_WRITE, 63, 64);
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, strict, bind, 2));
	EXPECT_OK(vt_run(self->fd, self->queue, loose, bind, 2));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 1, 63));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 63, 2, 64));
	bind[1].offset = 64;
	EXPECT_OK(vt_run(self->fd, self->queue, strict, bind, 2));
	bind[0].bytes = 65;
	EXPECT_ERRNO(ENOEXEC, vt_run(self->fd, self->queue, strict, bind, 2));
	EXPECT_OK(vt_run(self->fd, self->queue, loose, bind, 2));
}

TEST_F(dev, query)
{
	struct vt_batch b = sample();
	struct vacc_program_slot slots[3];
	struct vacc_program_query q;
	__u32 program;

	b.slots[0].offset_align = htole32(256);
	b.slots[1].element_type = htole16(VACC_TYPE_F16);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &program));
	memset(slots, 0xff, sizeof(slots));
	ASSERT_OK(vt_program_query(self->fd, program, &q, slots, 3));
	EXPECT_EQ(VACC_BATCH_FORMAT, q.format);
	EXPECT_EQ(vacc_batch_resident(2, 4, 1, 8), q.resident_bytes);
	if (self->info.backend == VACC_BACKEND_VIRTIO) {
		EXPECT_EQ(0, q.known);
		return;
	}
	EXPECT_EQ(1, q.known);
	EXPECT_EQ(4, q.command_count);
	EXPECT_EQ(1, q.launch_count);
	ASSERT_EQ(2, q.slots.count);
	EXPECT_EQ(0, slots[0].slot);
	EXPECT_EQ(VT_READ_WRITE, slots[0].access);
	EXPECT_EQ(256, slots[0].offset_align);
	EXPECT_EQ(64, slots[0].min_bytes);
	EXPECT_EQ(0, slots[0].row_unit);
	EXPECT_EQ(0, slots[0].flags);
	EXPECT_EQ(1, slots[1].slot);
	EXPECT_EQ(VACC_TYPE_F16, slots[1].element_type);
	/* A launch reads it as f16: it is bound aligned. */
	EXPECT_EQ(2, slots[1].offset_align);
	EXPECT_EQ(~0u, slots[2].slot);
	/* The output, 2 rows of 3, may lie over the input: at most it is put aside. */
	EXPECT_LE(1, q.max_scratch_bytes);
	EXPECT_LE(q.max_scratch_bytes, 64);
}

/* As many slots as a submission takes bindings, one command each. */
TEST_F(dev, many_slots)
{
	const __u32 n = self->info.effective_bindings < VT_BATCH_MAX ?
			self->info.effective_bindings : VT_BATCH_MAX;
	__u32 buffer = vt_any_buffer(self->fd, self->context, 4096), program, i;
	struct vacc_binding bind[VT_BATCH_MAX];
	struct vt_batch b = {};

	for (i = 0; i < n; i++) {
		vt_batch_slot(&b, 0xfffffffe - i * 7, VT_WRITE, 8);
		vt_batch_set(&b, VACC_BATCH_OP_FILL, 0xfffffffe - i * 7, 0, 8, i);
		bind[n - 1 - i] = vt_bind(buffer, 0xfffffffe - i * 7, VT_WRITE, 16 * i, 8);
	}
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &program));
	ASSERT_OK(vt_run(self->fd, self->queue, program, bind, n));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, vt_all(self->fd, buffer, 16 * i, i, 8));
		ASSERT_EQ(1, vt_all(self->fd, buffer, 16 * i + 8, 0, 8));
	}
}

TEST_HARNESS_MAIN
