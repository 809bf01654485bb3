/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Bytes that are more than the caches hold.
 *
 * To store to a line of memory the processor reads it first, which takes as long as writing
 * it, and pushes out another.  Both are for nothing where all of the line is written and
 * nobody looks at it soon.  x86 has two ways around that: strings, where the processor says
 * that it is quick with them, and stores that go past the caches.  Neither needs a register
 * of the FPU.  The kernel's own functions know the first at most, and in the UML, which
 * patches no instructions, none; those of userspace choose by themselves.
 */
#ifndef _VACC_ENGINE_BULK_H
#define _VACC_ENGINE_BULK_H

#include "env.h"

/* What is shorter is copied and filled as usual, for whoever reads it next. */
#define ENG_BULK_BYTES	0x400000

#if defined(__KERNEL__) && defined(__x86_64__)

#include <linux/kasan-checks.h>

#include <asm/cpufeature.h>

#define ENG_BULK_LINE	64

/* Where most is read when it is asked for so much ahead. */
#define ENG_BULK_AHEAD	1024

static inline bool eng_bulk_has_strings(void)
{
	return boot_cpu_has(X86_FEATURE_ERMS);
}

/* @to is aligned to a line; @words are those of whole lines. */
static inline void eng_bulk_copy_strings(void *to, const void *from,
					 size_t words)
{
	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : :
		     "memory");
}

static inline void eng_bulk_fill_strings(void *to, u64 pattern, size_t words)
{
	asm volatile("rep stosq" : "+D" (to), "+c" (words) : "a" (pattern) :
		     "memory");
}

static inline void eng_bulk_store(u64 *to, u64 value)
{
	asm volatile("movnti %1, %0" : "=m" (*to) : "r" (value));
}

static inline void eng_bulk_copy_past(u64 *to, const u8 *from, size_t words)
{
	u32 i;

	for (; words; words -= 8, to += 8, from += ENG_BULK_LINE) {
		/* Once, and soon: not to be kept either. */
		__builtin_prefetch(from + ENG_BULK_AHEAD, 0, 0);
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			eng_bulk_store(to + i, eng_get_u64(from + 8 * i));
	}
}

static inline void eng_bulk_fill_past(u64 *to, u64 pattern, size_t words)
{
	u32 i;

	for (; words; words -= 8, to += 8) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			eng_bulk_store(to + i, pattern);
	}
}

/* Bytes before the first whole line. */
static inline size_t eng_bulk_head(const void *to, size_t bytes)
{
	return min_t(size_t, -(uintptr_t)to & (ENG_BULK_LINE - 1), bytes);
}

/**
 * eng_bulk_copy() - copy a part of many bytes
 * @to: where to
 * @from: where from; does not overlap @to
 * @bytes: how many
 *
 * Who sees the end of it must not look before eng_bulk_end().
 *
 * Context: any.
 */
static inline void eng_bulk_copy(void *to, const void *from, size_t bytes)
{
	size_t head = eng_bulk_head(to, bytes);
	size_t lines = (bytes - head) & ~(size_t)(ENG_BULK_LINE - 1);
	size_t tail = bytes - head - lines;

	/* KASAN does not see into assembly. */
	kasan_check_read(from, bytes);
	kasan_check_write(to, bytes);
	memcpy(to, from, head);
	to += head;
	from += head;
	if (eng_bulk_has_strings())
		eng_bulk_copy_strings(to, from, lines / 8);
	else
		eng_bulk_copy_past(to, from, lines / 8);
	memcpy(to + lines, from + lines, tail);
}

/**
 * eng_bulk_fill() - fill a part of many bytes
 * @to: where
 * @value: with what
 * @bytes: how many
 *
 * Context: any; as eng_bulk_copy().
 */
static inline void eng_bulk_fill(void *to, u8 value, size_t bytes)
{
	size_t head = eng_bulk_head(to, bytes);
	size_t lines = (bytes - head) & ~(size_t)(ENG_BULK_LINE - 1);
	size_t tail = bytes - head - lines;
	u64 pattern = value * 0x0101010101010101ULL;

	kasan_check_write(to, bytes);
	memset(to, value, head);
	to += head;
	if (eng_bulk_has_strings())
		eng_bulk_fill_strings(to, pattern, lines / 8);
	else
		eng_bulk_fill_past(to, pattern, lines / 8);
	memset(to + lines, value, tail);
}

/**
 * eng_bulk_end() - let others see what was copied and filled
 *
 * Context: any.
 */
static inline void eng_bulk_end(void)
{
	/* Stores that go past the caches are not in the order of others. */
	asm volatile("sfence" : : : "memory");
}

#else

static inline void eng_bulk_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static inline void eng_bulk_fill(void *to, u8 value, size_t bytes)
{
	memset(to, value, bytes);
}

static inline void eng_bulk_end(void)
{
}

#endif

#endif /* _VACC_ENGINE_BULK_H */
