/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A test is a function; a table's row is a case of its own:
 *
 *	TEST(copy_overlapping)			M7
 *	{
 *		CASE("towards the end");
 *		CHECK(a == b);
 *	}
 *
 * A case fails at its first failed check; the test goes on where it can.
 */
#ifndef _ENGINE_TEST_H
#define _ENGINE_TEST_H

#include <stdio.h>

#include "env.h"

#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define __aligned(n)	__attribute__((__aligned__(n)))

struct test {
	const char *name;
	void (*run)(void);
	bool paths;
	struct test *next;
};

void test_register(struct test *test);
void test_case(const char *format, ...) __printf(1, 2);
void test_fail(const char *file, int line, const char *format, ...)
	__printf(3, 4);

#define TEST(n)		TEST_ENTRY(n, false)

/* Run once for each path of dense linear. */
#define TEST_PATHS(n)	TEST_ENTRY(n, true)

#define TEST_ENTRY(n, paths)						\
	static void test_##n(void);					\
	static struct test test_##n##_entry = { #n, test_##n, paths, NULL }; \
	__attribute__((constructor)) static void test_##n##_register(void) \
	{								\
		test_register(&test_##n##_entry);			\
	}								\
	static void test_##n(void)

#define CASE(...)	test_case(__VA_ARGS__)

#define CHECK(cond)							\
	do {								\
		if (!(cond))						\
			test_fail(__FILE__, __LINE__, "%s", #cond);	\
	} while (0)

#define CHECK_EQ(got, want)						\
	do {								\
		unsigned long long got_ = (got), want_ = (want);	\
									\
		if (got_ != want_)					\
			test_fail(__FILE__, __LINE__,			\
				  "%s is 0x%llx, must be 0x%llx",	\
				  #got, got_, want_);			\
	} while (0)

/* So many outputs of sums of @terms terms were compared: totals are printed. */
void test_outputs(u64 count, u32 terms, u64 differ);

/* Numbers that only look random: the same in every run. */
u64 test_random(void);
u32 test_below(u32 limit);
void test_seed(u64 seed);

/* Whether to take much longer and look at much more. */
bool test_in_full(void);

#endif /* _ENGINE_TEST_H */
