// SPDX-License-Identifier: GPL-2.0
/* The batch builder. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libvacc.h"
#include "test.h"

/**
 * struct built - an artifact, taken apart
 * @err: what finishing it returned
 * @bytes: its length
 * @all: its bytes
 * @h: its header
 * @slots: its slots
 * @commands: its commands
 * @launches: its launches
 * @data: its data
 */
struct built {
	int err;
	size_t bytes;
	void *all;
	const struct vacc_batch_header *h;
	const struct vacc_batch_slot *slots;
	const struct vacc_batch_command *commands;
	const struct vacc_batch_launch *launches;
	const __u8 *data;
};

static struct built finish(struct vacc_batch *batch)
{
	struct built b = { 0 };

	b.err = vacc_batch_finish(batch, &b.all, &b.bytes);
	vacc_batch_free(batch);
	if (b.err)
		return b;
	b.h = b.all;
	b.slots = (const void *)(b.h + 1);
	b.commands = (const void *)(b.slots + le32toh(b.h->slot_count));
	b.launches = (const void *)(b.commands + le32toh(b.h->command_count));
	b.data = (const void *)(b.launches + le32toh(b.h->launch_count));
	return b;
}

static void test_layout(void)
{
	CHECK(sizeof(struct vacc_batch_header) == 96);
	CHECK(sizeof(struct vacc_batch_slot) == 32);
	CHECK(sizeof(struct vacc_batch_command) == 64);
	CHECK(sizeof(struct vacc_batch_region) == 24);
	CHECK(sizeof(struct vacc_batch_launch) == 128);
}

static void test_commands(void)
{
	struct vacc_batch *batch = vacc_batch_new();
	struct built b;

	CHECK(!vacc_batch_flags(batch, VACC_BATCH_NO_ALIAS));
	CHECK(!vacc_batch_barrier(batch, VACC_BATCH_NO_SLOT));
	CHECK(!vacc_batch_copy(batch, 9, 1, 4, 2, 10));
	CHECK(!vacc_batch_fill(batch, 4, 0, 3, 0xa5));
	CHECK(!vacc_batch_xor(batch, 2, 100, 1, 0x0f));
	CHECK(!vacc_batch_zero(batch, 5, 1, 7));
	CHECK(!vacc_batch_upload(batch, 5, 0, "hello", 5));
	CHECK(!vacc_batch_upload(batch, 5, 3, "you", 3));
	CHECK(!vacc_batch_barrier(batch, 6));
	b = finish(batch);
	CHECK(!b.err && b.bytes == 96 + 5 * 32 + 8 * 64 + 8);
	if (b.err)
		return;
	CHECK(!memcmp(b.all, "VABT\1\0\0\0", 8));
	CHECK(le64toh(b.h->total_bytes) == b.bytes && le32toh(b.h->flags) == 1);
	CHECK(le64toh(b.h->data_offset) == b.bytes - 8);
	CHECK(le64toh(b.h->resident_bytes) == 64 + 5 * 32 + 8 * 64 + 8);
	/* Slots come in order: 2, 4, 5, 6, 9. */
	CHECK(le32toh(b.slots[0].slot) == 2 && b.slots[0].access == 3);
	CHECK(le64toh(b.slots[0].min_bytes) == 101);
	CHECK(le32toh(b.slots[1].slot) == 4 && b.slots[1].access == 2);
	CHECK(le64toh(b.slots[1].min_bytes) == 12);
	CHECK(le32toh(b.slots[2].slot) == 5 && le64toh(b.slots[2].min_bytes) == 8);
	CHECK(le32toh(b.slots[3].slot) == 6 && b.slots[3].access == 1);
	CHECK(le32toh(b.slots[4].slot) == 9 && b.slots[4].access == 1);
	CHECK(le64toh(b.slots[4].min_bytes) == 11);
	CHECK(le32toh(b.commands[0].dst_slot) == VACC_BATCH_NO_SLOT);
	CHECK(le16toh(b.commands[1].op) == VACC_BATCH_OP_COPY &&
	      le32toh(b.commands[1].src_slot) == 9 &&
	      le64toh(b.commands[1].src_offset) == 1 &&
	      le32toh(b.commands[1].dst_slot) == 4 &&
	      le64toh(b.commands[1].dst_offset) == 2 &&
	      le64toh(b.commands[1].bytes) == 10);
	CHECK(b.commands[2].value == 0xa5 && b.commands[3].value == 0x0f);
	CHECK(le64toh(b.commands[6].data_offset) == 5 && !memcmp(b.data, "helloyou", 8));
	free(b.all);
}

static void test_dense(void)
{
	struct vacc_batch *batch = vacc_batch_new();
	struct vacc_dense dense[2] = {
		vacc_dense(0, 1, 2, 4, 3, 5),
		vacc_dense(2, 3, 4, 100, 5, 7),
	};
	struct built b;

	dense[0].out.row_stride = 20;
	dense[1].in.row_stride = 20;
	dense[1].out.offset = 6;
	dense[1].rows_slot = 2;
	CHECK(!vacc_batch_slot(batch, 3, VIRTIO_ACCEL_ACCESS_WRITE, VACC_TYPE_F16, 1000,
			       64));
	CHECK(!vacc_batch_dense_linear(batch, dense, 2));
	b = finish(batch);
	CHECK(!b.err);
	if (b.err)
		return;
	CHECK(le32toh(b.h->slot_count) == 5 && le32toh(b.h->launch_count) == 2);
	CHECK(le64toh(b.slots[0].min_bytes) == 4 * 3 * 2);
	CHECK(le32toh(b.slots[0].offset_align) == 2);
	CHECK(le64toh(b.slots[1].min_bytes) == 5 * 3 * 2);
	/* Four rows of 10 bytes, 20 apart; one row of it is enough for the other. */
	CHECK(le64toh(b.slots[2].min_bytes) == 3 * 20 + 10 && b.slots[2].access == 3);
	CHECK(le64toh(b.slots[2].row_unit) == 20);
	CHECK(le64toh(b.slots[3].min_bytes) == 1000 && b.slots[3].access == 3);
	CHECK(le16toh(b.slots[3].element_type) == VACC_TYPE_F16 &&
	      le32toh(b.slots[3].offset_align) == 64);
	CHECK(le64toh(b.slots[4].min_bytes) == 6 + 14 && !b.slots[4].row_unit);
	CHECK(le32toh(b.commands[0].launch_count) == 2);
	CHECK(le32toh(b.launches[1].rows_slot) == 2 && le32toh(b.launches[1].rows) == 100);
	CHECK(le32toh(b.launches[0].aux.slot) == VACC_BATCH_NO_SLOT);
	free(b.all);
}

/* A batch with one mistake: what finishing it returns. */
static int mistake(int (*make)(struct vacc_batch *batch))
{
	struct vacc_batch *batch = vacc_batch_new();
	int err = make(batch);
	struct built b;

	/* What is right afterwards does not help. */
	vacc_batch_zero(batch, 0, 0, 1);
	b = finish(batch);
	free(b.all);
	return err && b.err == err ? err : 0;
}

static int no_bytes(struct vacc_batch *batch)
{
	return vacc_batch_fill(batch, 0, 0, 0, 1);
}

static int no_slot(struct vacc_batch *batch)
{
	return vacc_batch_zero(batch, VACC_BATCH_NO_SLOT, 0, 1);
}

static int overflow(struct vacc_batch *batch)
{
	return vacc_batch_copy(batch, 0, ~0ULL, 1, 0, 1);
}

static int unknown_type(struct vacc_batch *batch)
{
	return vacc_batch_slot(batch, 0, 0, VACC_TYPE_COUNT, 0, 0);
}

static int two_types(struct vacc_batch *batch)
{
	vacc_batch_slot(batch, 0, 0, VACC_TYPE_U8, 0, 0);
	return vacc_batch_slot(batch, 0, 0, VACC_TYPE_F16, 0, 0);
}

static int no_dimension(struct vacc_batch *batch)
{
	struct vacc_dense dense = vacc_dense(0, 1, 2, 1, 0, 1);

	return vacc_batch_dense_linear(batch, &dense, 1);
}

static int no_rows(struct vacc_batch *batch)
{
	struct vacc_dense dense = vacc_dense(0, 1, 2, 0, 1, 1);

	dense.rows_slot = 0;
	return vacc_batch_dense_linear(batch, &dense, 1);
}

static int large_matrix(struct vacc_batch *batch)
{
	struct vacc_dense dense = vacc_dense(0, 1, 2, ~0U, ~0U, 1);

	dense.in.row_stride = 1ULL << 33;
	return vacc_batch_dense_linear(batch, &dense, 1);
}

static int unknown_rows(struct vacc_batch *batch)
{
	struct vacc_dense dense = vacc_dense(0, 1, 2, 1, 1, 1);

	dense.rows_slot = 7;
	return vacc_batch_dense_linear(batch, &dense, 1);
}

static int two_units(struct vacc_batch *batch)
{
	vacc_batch_row_unit(batch, 0, 8);
	return vacc_batch_row_unit(batch, 0, 16);
}

static int many_slots(struct vacc_batch *batch)
{
	int err = 0;

	/* Downwards, so that each is put in front. */
	for (__u32 i = VACC_BATCH_MAX_SLOTS + 1; !err && i; i--)
		err = vacc_batch_zero(batch, i, 0, 1);
	return err;
}

static int many_commands(struct vacc_batch *batch)
{
	int err = 0;

	for (__u32 i = 0; !err && i <= VACC_BATCH_MAX_COMMANDS; i++)
		err = vacc_batch_zero(batch, 0, 0, 1);
	return err;
}

static void test_mistakes(void)
{
	struct vacc_batch *batch;
	struct built b;

	CHECK(mistake(no_bytes) == -EINVAL);
	CHECK(mistake(no_slot) == -EINVAL);
	CHECK(mistake(overflow) == -EINVAL);
	CHECK(mistake(unknown_type) == -EINVAL);
	CHECK(mistake(two_types) == -EINVAL);
	CHECK(mistake(no_dimension) == -EINVAL);
	CHECK(mistake(no_rows) == -EINVAL);
	CHECK(mistake(large_matrix) == -EINVAL);
	CHECK(mistake(unknown_rows) == -EINVAL);
	CHECK(mistake(two_units) == -EINVAL);
	CHECK(mistake(many_slots) == -EINVAL);
	CHECK(mistake(many_commands) == -EINVAL);

	b = finish(vacc_batch_new());
	CHECK(b.err == -EINVAL && strstr(vacc_last_error(NULL), "no slots"));
	batch = vacc_batch_new();
	vacc_batch_flags(batch, 2);
	vacc_batch_zero(batch, 0, 0, 1);
	b = finish(batch);
	CHECK(b.err == -EOPNOTSUPP);
	batch = vacc_batch_new();
	vacc_batch_zero(batch, 0, 0, 1);
	vacc_batch_slot(batch, 1, 1, 0, 0, 0);
	b = finish(batch);
	CHECK(b.err == -EINVAL && strstr(vacc_last_error(NULL), "slot 1 is not used"));
	batch = vacc_batch_new();
	vacc_batch_zero(batch, 0, 0, 1);
	vacc_batch_slot(batch, 0, 0, 0, 0, 24);
	b = finish(batch);
	CHECK(b.err == -EINVAL && strstr(vacc_last_error(NULL), "power of two"));
	vacc_batch_free(NULL);
}

static void test_twice(void)
{
	struct vacc_batch *batch = vacc_batch_new();
	size_t first, second;
	void *a, *b;

	vacc_batch_zero(batch, 0, 0, 1);
	CHECK(!vacc_batch_finish(batch, &a, &first));
	vacc_batch_zero(batch, 0, 0, 2);
	CHECK(!vacc_batch_finish(batch, &b, &second));
	CHECK(second == first + 64 && !vacc_batch_check(a, first, NULL, 0));
	free(a);
	free(b);
	vacc_batch_free(batch);
}

void test_batch(void)
{
	test_layout();
	test_commands();
	test_dense();
	test_mistakes();
	test_twice();
}
