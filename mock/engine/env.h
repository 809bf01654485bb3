/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the engine needs of its surroundings, in the kernel and in userspace.
 *
 * Engine code includes this header and uapi headers, nothing else; then the
 * same files build into the kernel module and into programs.  Locks and threads
 * are another header's.
 */
#ifndef _VACC_ENGINE_ENV_H
#define _VACC_ENGINE_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Sizes come from users: a request that cannot be met is an answer, no cause
 * for a warning, and is charged to who asks.
 */
#define ENG_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

static inline void *eng_alloc(size_t bytes)
{
	return kvmalloc(bytes, ENG_GFP);
}

static inline void *eng_zalloc(size_t bytes)
{
	return kvzalloc(bytes, ENG_GFP);
}

static inline void eng_free(const void *memory)
{
	kvfree(memory);
}

static inline void eng_resched(void)
{
	cond_resched();
}

static inline u64 eng_div64(u64 a, u64 b)
{
	return div64_u64(a, b);
}

static inline void eng_sort(void *base, size_t count, size_t bytes,
			    int (*compare)(const void *, const void *))
{
	sort(base, count, bytes, compare, NULL);
}

#else /* __KERNEL__ */

#include <assert.h>
#include <endian.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define le16_to_cpu(x)	le16toh((u16)(x))
#define le32_to_cpu(x)	le32toh((u32)(x))
#define le64_to_cpu(x)	le64toh((u64)(x))
#define cpu_to_le16(x)	((__le16)htole16(x))
#define cpu_to_le32(x)	((__le32)htole32(x))
#define cpu_to_le64(x)	((__le64)htole64(x))

#ifndef U8_MAX
#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define min(a, b) \
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) \
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(t, a, b) \
	({ t a_ = (a); __typeof__(a_) b_ = (b); a_ < b_ ? a_ : b_; })
#define max_t(t, a, b) \
	({ t a_ = (a); __typeof__(a_) b_ = (b); a_ > b_ ? a_ : b_; })

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

static inline bool is_power_of_2(u64 n)
{
	return n && !(n & (n - 1));
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

static inline void *eng_alloc(size_t bytes)
{
	return malloc(bytes ? bytes : 1);
}

static inline void *eng_zalloc(size_t bytes)
{
	return calloc(1, bytes ? bytes : 1);
}

static inline void eng_free(const void *memory)
{
	free((void *)memory);
}

static inline void eng_resched(void)
{
}

static inline u64 eng_div64(u64 a, u64 b)
{
	return a / b;
}

static inline void eng_sort(void *base, size_t count, size_t bytes,
			    int (*compare)(const void *, const void *))
{
	qsort(base, count, bytes, compare);
}

#endif /* __KERNEL__ */

/**
 * eng_top_bit() - index of the highest set bit
 * @x: not zero
 *
 * Context: any.
 * Return: 0 to 63.
 */
static __always_inline unsigned int eng_top_bit(u64 x)
{
	/* Where there is an instruction, the compiler schedules it best. */
#if defined(__x86_64__) || defined(__aarch64__)
	return 63 ^ __builtin_clzll(x);
#else
	return fls64(x) - 1;
#endif
}

/**
 * eng_divide_up() - how many parts of a size something takes
 * @a: what is to be divided
 * @b: the size of a part, not zero
 *
 * Context: any.
 * Return: the parts, of which the last may be smaller.
 */
static inline u32 eng_divide_up(u32 a, u32 b)
{
	return a / b + (a % b != 0);
}

/*
 * Buffers and artifacts lie at any address: data are reached byte by byte.  Compilers make
 * one instruction of that, but in the UML, where memcpy() is any function, by this name only.
 */

static inline u16 eng_get_le16(const void *from)
{
	__le16 v;

	__builtin_memcpy(&v, from, sizeof(v));
	return le16_to_cpu(v);
}

static inline void eng_put_le16(void *to, u16 value)
{
	__le16 v = cpu_to_le16(value);

	__builtin_memcpy(to, &v, sizeof(v));
}

static inline u64 eng_get_u64(const void *from)
{
	u64 v;

	__builtin_memcpy(&v, from, sizeof(v));
	return v;
}

static inline void eng_put_u64(void *to, u64 value)
{
	__builtin_memcpy(to, &value, sizeof(value));
}

#endif /* _VACC_ENGINE_ENV_H */
