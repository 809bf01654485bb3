/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A valid batch with something of everything, for tests that break it.
 */
#ifndef _ENGINE_TEST_SAMPLE_H
#define _ENGINE_TEST_SAMPLE_H

#include "build.h"

/* Indices of its slots, numbered 10, 3, 7, 20 and 1. */
#define SAMPLE_ARENA	0
#define SAMPLE_SOURCE	1
#define SAMPLE_IN	2
#define SAMPLE_WEIGHT	3
#define SAMPLE_OUT	4
#define SAMPLE_N	5

#define SAMPLE_COUNT		9
#define SAMPLE_LAUNCH_COUNT	3
#define SAMPLE_DATA_BYTES	10

#define SAMPLE_SLOTS	sizeof(struct vacc_batch_header)
#define SAMPLE_COMMANDS	(SAMPLE_SLOTS + SAMPLE_N * sizeof(struct vacc_batch_slot))
#define SAMPLE_LAUNCHES	\
	(SAMPLE_COMMANDS + SAMPLE_COUNT * sizeof(struct vacc_batch_command))
#define SAMPLE_DATA	\
	(SAMPLE_LAUNCHES + SAMPLE_LAUNCH_COUNT * sizeof(struct vacc_batch_launch))

static inline void sample_batch(struct batch *b)
{
	const struct matrix in = { 7, 0, 0 }, weight = { 20, 0, 0 }, out = { 1, 0, 0 };

	batch_init(b);
	batch_slot(b, 10, RW, VACC_TYPE_UNTYPED, 4, 4096, 0);
	batch_slot(b, 3, R, VACC_TYPE_UNTYPED, 1, 64, 0);
	batch_slot(b, 7, R, VACC_TYPE_F16, 2, 16, 16);
	batch_slot(b, 20, R, VACC_TYPE_F16, 2, 80, 0);
	batch_slot(b, 1, W, VACC_TYPE_F16, 2, 10, 0);

	batch_command(b, VACC_BATCH_OP_BARRIER);
	batch_command(b, VACC_BATCH_OP_BARRIER)->dst_slot = cpu_to_le32(10);
	batch_copy(b, 3, 8, 10, 0, 40);
	batch_set(b, VACC_BATCH_OP_FILL, 10, 100, 50, 0xa5);
	batch_set(b, VACC_BATCH_OP_XOR, 10, 90, 50, 0xff);
	batch_set(b, VACC_BATCH_OP_ZERO, 10, 110, 8, 0);
	batch_upload(b, 10, 112, "\1\2\3\4\5\6\7\10\11\12", SAMPLE_DATA_BYTES);

	/* 8 terms, 5 outputs: up to 6 rows; one row; 3 rows inside the arena. */
	batch_launch(b, in, weight, out, 6, 8, 5, 7);
	batch_linear(b, 1);
	batch_launch(b, in, weight, out, 1, 8, 5, NONE);
	batch_launch(b, (struct matrix){ 10, 0, 32 }, weight,
		     (struct matrix){ 10, 1024, 16 }, 3, 8, 5, NONE);
	batch_linear(b, 2);
}

#endif /* _ENGINE_TEST_SAMPLE_H */
