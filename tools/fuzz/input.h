/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a fuzzer, taken one after the other; behind their end are zeros.
 */
#ifndef _FUZZ_INPUT_H
#define _FUZZ_INPUT_H

#include "env.h"

struct input {
	const u8 *next;
	size_t left;
};

static inline u8 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->next++;
}

static inline u64 take_bytes(struct input *in, u32 count)
{
	u64 value = 0;
	u32 i;

	for (i = 0; i < count; i++)
		value |= (u64)take(in) << 8 * i;
	return value;
}

/* A number at the edge of something, a small one, or any. */
static inline u64 take_number(struct input *in)
{
	static const u64 edges[] = {
		0, 1, 2, 7, 8, 15, 16, 17, 24, 63, 64, 65, 255, 256, 4095, 4096,
		4097, 8192, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, U64_MAX - 4095,
		U64_MAX - 7, U64_MAX - 1, U64_MAX,
	};
	u8 how = take(in);

	if (how < 128)
		return how;
	if (how < 192)
		return edges[how % ARRAY_SIZE(edges)];
	return take_bytes(in, how < 224 ? 2 : 8);
}

#endif /* _FUZZ_INPUT_H */
