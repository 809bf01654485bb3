// SPDX-License-Identifier: GPL-2.0
/* The batch checker: each rule, and damaged artifacts. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "libvacc.h"
#include "test.h"

/*
 * The artifact that is damaged has these records; slots come in the order of
 * their numbers.
 */
enum { IN, WEIGHT, OUT, BYTES, MORE, ROWS, SLOT_COUNT };
enum { BARRIER, BARRIER_AT, COPY, FILL, XOR, ZERO, UPLOAD, DENSE, VARY, COMMAND_COUNT };
enum { FIXED, STRIDED, VARYING, LAUNCH_COUNT };

static void *make(size_t *bytes)
{
	struct vacc_batch *batch = vacc_batch_new();
	struct vacc_dense fixed[2] = {
		vacc_dense(IN, WEIGHT, OUT, 4, 3, 5),
		vacc_dense(IN, WEIGHT, OUT, 2, 3, 2),
	};
	struct vacc_dense varying = vacc_dense(ROWS, WEIGHT, OUT, 8, 3, 5);
	void *artifact = NULL;

	fixed[1].out.row_stride = 10;
	varying.rows_slot = ROWS;
	for (__u32 slot = IN; slot <= OUT; slot++)
		vacc_batch_slot(batch, slot, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_slot(batch, MORE, 0, VACC_TYPE_U8, 0, 0);
	vacc_batch_barrier(batch, VACC_BATCH_NO_SLOT);
	vacc_batch_barrier(batch, BYTES);
	vacc_batch_copy(batch, BYTES, 4, MORE, 8, 16);
	vacc_batch_fill(batch, BYTES, 0, 16, 1);
	vacc_batch_xor(batch, BYTES, 0, 20, 2);
	vacc_batch_zero(batch, MORE, 1, 3);
	vacc_batch_upload(batch, BYTES, 0, "hello", 5);
	vacc_batch_dense_linear(batch, fixed, 2);
	vacc_batch_dense_linear(batch, &varying, 1);
	vacc_batch_finish(batch, &artifact, bytes);
	vacc_batch_free(batch);
	return artifact;
}

/**
 * struct rule - one field that is made wrong
 * @name: the field
 * @at: where it is
 * @width: its width
 * @value: the wrong value
 * @error: what the check returns
 * @why: a part of its sentence
 */
struct rule {
	const char *name;
	size_t at;
	size_t width;
	__u64 value;
	int error;
	const char *why;
};

#define FIELD(base, type, field, value, error, why) \
	{ #field, (base) + offsetof(struct type, field), \
	  sizeof(((struct type *)0)->field), value, error, why }
#define SLOTS		sizeof(struct vacc_batch_header)
#define COMMANDS	(SLOTS + SLOT_COUNT * sizeof(struct vacc_batch_slot))
#define LAUNCHES	(COMMANDS + COMMAND_COUNT * sizeof(struct vacc_batch_command))
#define H(field, value, error, why) \
	FIELD(0, vacc_batch_header, field, value, error, why)
#define S(i, field, value, error, why) \
	FIELD(SLOTS + (i) * 32, vacc_batch_slot, field, value, error, why)
#define C(i, field, value, error, why) \
	FIELD(COMMANDS + (i) * 64, vacc_batch_command, field, value, error, why)
#define L(i, field, value, error, why) \
	FIELD(LAUNCHES + (i) * 128, vacc_batch_launch, field, value, error, why)
#define NO		VACC_BATCH_NO_SLOT

static const struct rule rules[] = {
	H(magic, 0, -EINVAL, "magic"),
	H(major, 2, -ENOEXEC, "version 2.0"),
	H(minor, 1, -ENOEXEC, "version 1.1"),
	H(required_features, 1ULL << 63, -EOPNOTSUPP, "features"),
	H(flags, 2, -EOPNOTSUPP, "flags"),
	H(total_bytes, 5, -EINVAL, "says 5 bytes"),
	H(reserved0, 1, -EINVAL, "reserved"),
	H(reserved1[15], 1, -EINVAL, "reserved"),
	H(slot_count, 0, -EINVAL, "no slots"),
	H(command_count, 0, -EINVAL, "no commands"),
	H(slot_count, VACC_BATCH_MAX_SLOTS + 1, -ENOSPC, "slots"),
	H(command_count, VACC_BATCH_MAX_COMMANDS + 1, -ENOSPC, "commands"),
	H(launch_count, VACC_BATCH_MAX_LAUNCHES + 1, -ENOSPC, "launches"),
	H(slot_count, VACC_BATCH_MAX_SLOTS, -EINVAL, "records"),
	H(slot_bytes, 40, -EINVAL, "slot records of 40"),
	H(command_bytes, 0, -EINVAL, "command records of 0"),
	H(launch_bytes, ~0U, -EINVAL, "launch records"),
	H(launch_count, LAUNCH_COUNT - 1, -EINVAL, "right after the records"),
	H(data_offset, 0, -EINVAL, "right after the records"),
	H(data_bytes, 4, -EINVAL, "do not make up"),
	H(data_bytes, ~0ULL, -EINVAL, "do not make up"),
	H(resident_bytes, 64, -EINVAL, "resident"),

	S(IN, slot, NO, -EINVAL, "has no number"),
	S(IN, slot, OUT, -EINVAL, "twice"),
	S(IN, access, 0, -EINVAL, "access 0"),
	S(IN, access, 4, -EINVAL, "access 4"),
	S(IN, access, 2, -EINVAL, "access allows"),
	S(OUT, access, 1, -EINVAL, "access allows"),
	S(BYTES, access, 2, -EINVAL, "access allows"),
	S(BYTES, access, 1, -EINVAL, "access allows"),
	S(IN, reserved, 1, -EINVAL, "reserved"),
	S(IN, element_type, VACC_TYPE_COUNT, -EOPNOTSUPP, "element type"),
	S(IN, element_type, VACC_TYPE_F32, -EINVAL, "another element type"),
	S(BYTES, element_type, VACC_TYPE_I8, -EINVAL, "between element types"),
	S(IN, flags, 1, -EOPNOTSUPP, "flags"),
	S(IN, offset_align, 0, -EINVAL, "power of two"),
	S(IN, offset_align, 6, -EINVAL, "power of two"),
	S(IN, min_bytes, 0, -EINVAL, "min_bytes 0"),
	S(IN, min_bytes, 23, -EINVAL, "beyond min_bytes"),
	S(WEIGHT, min_bytes, 29, -EINVAL, "beyond min_bytes"),
	S(OUT, min_bytes, 39, -EINVAL, "beyond min_bytes"),
	S(BYTES, min_bytes, 19, -EINVAL, "beyond min_bytes"),
	S(ROWS, min_bytes, 5, -EINVAL, "beyond min_bytes"),
	S(ROWS, min_bytes, 49, -EINVAL, "fewer rows"),
	S(ROWS, row_unit, 0, -EINVAL, "no row_unit"),
	S(ROWS, row_unit, 1ULL << 61, -EINVAL, "overflows"),
	S(IN, row_unit, 6, -EINVAL, "gives no rows"),
	S(ROWS, slot, 77, -EINVAL, "not declared"),

	C(COPY, op, 7, -EOPNOTSUPP, "operation 7"),
	C(COPY, op, 64, -EOPNOTSUPP, "operation 64"),
	C(COPY, op, VACC_BATCH_OP_VENDOR, -EOPNOTSUPP, "operation 32768"),
	C(COPY, flags, 1, -EOPNOTSUPP, "flags"),
	C(COPY, reserved0, 1, -EINVAL, "reserved"),
	C(COPY, reserved1[6], 1, -EINVAL, "reserved"),
	C(COPY, first_launch, 1, -EINVAL, "does not use"),
	C(COPY, launch_count, 1, -EINVAL, "does not use"),
	C(COPY, value, 1, -EINVAL, "does not use"),
	C(COPY, data_offset, 1, -EINVAL, "does not use"),
	C(COPY, src_slot, 77, -EINVAL, "not declared"),
	C(COPY, src_slot, NO, -EINVAL, "not declared"),
	C(COPY, dst_slot, NO, -EINVAL, "not declared"),
	C(COPY, dst_slot, IN, -EINVAL, "access allows"),
	C(COPY, bytes, 0, -EINVAL, "no bytes"),
	C(COPY, bytes, 17, -EINVAL, "beyond min_bytes"),
	C(COPY, src_offset, 5, -EINVAL, "beyond min_bytes"),
	C(COPY, src_offset, ~0ULL, -EINVAL, "overflows"),
	C(COPY, dst_offset, ~0ULL - 14, -EINVAL, "overflows"),
	C(BARRIER, src_slot, BYTES, -EINVAL, "does not use"),
	C(BARRIER, dst_slot, 77, -EINVAL, "not declared"),
	C(BARRIER, bytes, 1, -EINVAL, "does not use"),
	C(BARRIER_AT, dst_offset, 1, -EINVAL, "does not use"),
	C(BARRIER_AT, value, 1, -EINVAL, "does not use"),
	C(FILL, src_slot, BYTES, -EINVAL, "does not use"),
	C(FILL, src_offset, 1, -EINVAL, "does not use"),
	C(FILL, bytes, 0, -EINVAL, "no bytes"),
	C(XOR, dst_slot, MORE, -EINVAL, "access allows"),
	C(XOR, data_offset, 1, -EINVAL, "does not use"),
	C(ZERO, value, 1, -EINVAL, "does not use"),
	C(ZERO, dst_offset, 24, -EINVAL, "beyond min_bytes"),
	C(UPLOAD, value, 1, -EINVAL, "does not use"),
	C(UPLOAD, data_offset, 1, -EINVAL, "data that are not there"),
	C(UPLOAD, data_offset, ~0ULL, -EINVAL, "data that are not there"),
	C(UPLOAD, bytes, 6, -EINVAL, "data that are not there"),
	C(DENSE, launch_count, 0, -EINVAL, "no launches"),
	C(DENSE, launch_count, 4, -EINVAL, "not there"),
	C(DENSE, launch_count, ~0U, -EINVAL, "not there"),
	C(DENSE, first_launch, ~0U, -EINVAL, "not there"),
	C(DENSE, launch_count, 3, -EINVAL, "two commands"),
	C(DENSE, launch_count, 1, -EINVAL, "no command"),
	C(DENSE, dst_slot, OUT, -EINVAL, "does not use"),
	C(DENSE, bytes, 1, -EINVAL, "does not use"),

	L(FIXED, rows, 0, -EINVAL, "dimension"),
	L(FIXED, in_features, 0, -EINVAL, "dimension"),
	L(FIXED, out_features, 0, -EINVAL, "dimension"),
	L(VARYING, rows, 0, -EINVAL, "dimension"),
	L(FIXED, rows, 5, -EINVAL, "beyond min_bytes"),
	L(FIXED, in_features, 4, -EINVAL, "beyond min_bytes"),
	L(FIXED, out_features, 6, -EINVAL, "beyond min_bytes"),
	L(FIXED, rows, ~0U, -EINVAL, "beyond min_bytes"),
	L(FIXED, in_type, VACC_TYPE_BF16, -EOPNOTSUPP, "types"),
	L(FIXED, weight_type, 0, -EOPNOTSUPP, "types"),
	L(FIXED, out_type, VACC_TYPE_F32, -EOPNOTSUPP, "types"),
	L(FIXED, accumulator_type, VACC_TYPE_F16, -EOPNOTSUPP, "types"),
	L(FIXED, epilogue, 1, -EOPNOTSUPP, "epilogue"),
	L(FIXED, reserved[2], 1, -EINVAL, "reserved"),
	L(FIXED, aux.slot, IN, -EOPNOTSUPP, "aux"),
	L(FIXED, aux.type, VACC_TYPE_F16, -EINVAL, "aux"),
	L(FIXED, aux.reserved, 1, -EINVAL, "aux"),
	L(FIXED, aux.offset, 2, -EINVAL, "aux"),
	L(FIXED, aux.row_stride, 2, -EINVAL, "aux"),
	L(FIXED, in.slot, NO, -EINVAL, "not declared"),
	L(FIXED, out.slot, IN, -EINVAL, "access allows"),
	L(FIXED, in.slot, MORE, -EINVAL, "access allows"),
	L(FIXED, in.type, VACC_TYPE_U8, -EINVAL, "a type other"),
	L(FIXED, weight.reserved, 1, -EINVAL, "reserved"),
	L(FIXED, in.offset, 1, -EINVAL, "not aligned"),
	L(FIXED, out.row_stride, 11, -EINVAL, "not aligned"),
	L(FIXED, in.offset, 2, -EINVAL, "beyond min_bytes"),
	L(FIXED, weight.row_stride, 8, -EINVAL, "beyond min_bytes"),
	L(FIXED, in.offset, ~0ULL - 1, -EINVAL, "overflows"),
	L(FIXED, in.row_stride, ~0ULL - 1, -EINVAL, "overflows"),
	L(STRIDED, out.row_stride, 2, -EINVAL, "overlap"),
	L(VARYING, out.row_stride, 1ULL << 62, -EINVAL, "overflows"),
	L(VARYING, rows_slot, 77, -EINVAL, "not declared"),
	L(VARYING, rows_slot, IN, -EINVAL, "no row_unit"),

	/* What is allowed. */
	H(flags, VACC_BATCH_NO_ALIAS, 0, ""),
	S(IN, offset_align, 1U << 31, 0, ""),
	S(IN, min_bytes, ~0ULL, 0, ""),
	S(IN, access, 3, 0, ""),
	S(IN, element_type, VACC_TYPE_UNTYPED, 0, ""),
	C(BARRIER, dst_slot, IN, 0, ""),
	C(BARRIER_AT, dst_slot, NO, 0, ""),
	C(COPY, src_offset, 3, 0, ""),
	C(UPLOAD, bytes, 1, 0, ""),
	L(STRIDED, in.row_stride, 2, 0, ""),
	L(FIXED, out.row_stride, 10, 0, ""),
	L(VARYING, rows, ~0U, 0, ""),
};

static void apply(const struct rule *rule, __u8 *artifact)
{
	for (size_t i = 0; i < rule->width; i++)
		artifact[rule->at + i] = rule->value >> 8 * i;
}

static void test_rules(const __u8 *good, size_t bytes)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		__u8 *artifact = malloc(bytes);
		char why[256], name[512];
		int err;

		memcpy(artifact, good, bytes);
		apply(&rules[i], artifact);
		err = vacc_batch_check(artifact, bytes, why, sizeof(why));
		snprintf(name, sizeof(name), "%s = %llu: got %d, \"%s\"", rules[i].name,
			 (unsigned long long)rules[i].value, err, why);
		CHECK_NAMED(err == rules[i].error && strstr(why, rules[i].why) &&
			    (err || !*why), name);
		free(artifact);
	}
}

/* Data that nothing uploads. */
static void test_idle_data(const __u8 *good, size_t bytes)
{
	__u8 *artifact = malloc(bytes);
	struct vacc_batch_command *c;
	char why[256];

	memcpy(artifact, good, bytes);
	c = (void *)(artifact + COMMANDS + UPLOAD * sizeof(*c));
	c->op = htole16(VACC_BATCH_OP_ZERO);
	CHECK(vacc_batch_check(artifact, bytes, why, sizeof(why)) == -EINVAL);
	CHECK(strstr(why, "no command uploads"));
	free(artifact);
}

static void test_lengths(const __u8 *good, size_t bytes)
{
	bool refused = true;
	__u8 *copy;

	for (size_t length = 0; length < bytes; length++) {
		copy = malloc(length ? length : 1);
		memcpy(copy, good, length);
		refused = refused && vacc_batch_check(copy, length, NULL, 0) < 0;
		free(copy);
	}
	CHECK_NAMED(refused, "every prefix is refused");
	copy = calloc(1, bytes + 1);
	memcpy(copy, good, bytes);
	CHECK(vacc_batch_check(copy, bytes + 1, NULL, 0) == -EINVAL);
	free(copy);
}

/* Whatever the check lets pass can be shown, too. */
static void check_and_dump(const __u8 *artifact, size_t bytes)
{
	char why[256];
	int err = vacc_batch_check(artifact, bytes, why, sizeof(why));

	if (!err)
		dump_program(artifact, bytes);
	if (err ? !*why : *why)
		CHECK_NAMED(false, "a sentence comes with an error, and with nothing else");
}

static void test_damage(const __u8 *good, size_t bytes)
{
	__u8 *artifact = malloc(bytes);
	int saved = test_silence(stdout);

	memcpy(artifact, good, bytes);
	for (size_t bit = 0; bit < 8 * bytes; bit++) {
		artifact[bit / 8] ^= 1 << bit % 8;
		check_and_dump(artifact, bytes);
		artifact[bit / 8] ^= 1 << bit % 8;
	}
	srand(1);
	for (int i = 0; i < 200000; i++) {
		for (int k = rand() % 4; k >= 0; k--)
			artifact[(SLOTS * (k > 1)) + rand() % (bytes - SLOTS)] = rand();
		check_and_dump(artifact, bytes);
		memcpy(artifact, good, bytes);
	}
	test_unsilence(stdout, saved);
	CHECK_NAMED(true, "damaged artifacts do no harm");
	free(artifact);
}

/* Artifacts may lie at any address. */
static void test_unaligned(const __u8 *good, size_t bytes)
{
	__u8 *copy = malloc(bytes + 1);

	memcpy(copy + 1, good, bytes);
	CHECK(!vacc_batch_check(copy + 1, bytes, NULL, 0));
	free(copy);
}

void test_check(void)
{
	size_t bytes = 0;
	__u8 *good = make(&bytes);

	CHECK(good && bytes == LAUNCHES + LAUNCH_COUNT * 128 + 5);
	if (!good)
		return;
	CHECK(!vacc_batch_check(good, bytes, NULL, 0));
	test_rules(good, bytes);
	test_idle_data(good, bytes);
	test_lengths(good, bytes);
	test_damage(good, bytes);
	test_unaligned(good, bytes);
	free(good);
}
