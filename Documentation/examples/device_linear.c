// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What executes: matrix products, by a plain loop of floats instead of the engine's
 * own code, in place of whose linear.c this file is linked.
 * Hardware would be started here, and waited for.
 */
#include <float.h>

#include "f16.h"
#include "linear.h"

/* The bits that are promised are those of rounding each sum to binary32. */
static_assert(FLT_EVAL_METHOD == 0, "sums would be wider than binary32");

static float half(const u8 *from)
{
	u32 bits = eng_f16_to_f32(eng_get_le16(from));
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/*
 * One output at most a step, and no more than @macs terms of it: between steps the
 * queue looks whether the event's time is over, or the device lost. @work is this
 * product's until it is done.
 */
u64 eng_linear_step(const struct eng_linear *linear,
		    struct eng_linear_cursor *cursor, void *work, u64 macs)
{
	const u8 *in = linear->in + cursor->row * linear->in_stride;
	const u8 *weight = linear->weight + cursor->output * linear->weight_stride;
	u32 left = linear->in_features - cursor->term;
	u32 i, terms = min_t(u64, left, max_t(u64, macs, 1));
	float sum = 0;
	u32 bits;

	if (cursor->term)
		memcpy(&sum, work, sizeof(sum));
	for (i = cursor->term; i < cursor->term + terms; i++)
		sum += half(in + 2 * (u64)i) * half(weight + 2 * (u64)i);
	memcpy(work, &sum, sizeof(sum));
	cursor->term += terms;
	if (terms < left)
		return terms;

	memcpy(&bits, &sum, sizeof(bits));
	eng_put_le16(linear->out + cursor->row * linear->out_stride +
		     2 * cursor->output, eng_f32_to_f16(bits));
	cursor->term = 0;
	if (++cursor->row == linear->rows) {
		cursor->row = 0;
		cursor->output++;
	}
	return terms;
}

/* Weights are read as they lie in their buffer: none are packed to be kept. */
u64 eng_linear_panel_bytes(u32 in_features, u32 out_features)
{
	(void)in_features;
	(void)out_features;
	return U64_MAX;
}
