/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A test is a function; a failed expectation says where and lets it go on, a
 * failed requirement ends the program, as nothing after it would mean anything.
 *
 * What stands between RULE() and the next one, or the end of the test, proves one
 * line of the conformance report.
 */
#ifndef _TEST_WIRE_TEST_H
#define _TEST_WIRE_TEST_H

#include <stdio.h>
#include <stdlib.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

void test_add(struct test *test);
void test_expect(int good, const char *file, int line, const char *what);
void test_equal(long long a, long long b, const char *file, int line,
		const char *what);
void test_rule(const char *format, ...);
void test_note(const char *format, ...);

#define TEST(name_)							\
static void test_##name_(void);						\
static void __attribute__((constructor)) add_##name_(void)		\
{									\
	static struct test test = {					\
		.name = #name_,						\
		.run = test_##name_,					\
	};								\
									\
	test_add(&test);						\
}									\
									\
static void test_##name_(void)

#define RULE(...)	test_rule(__VA_ARGS__)

/* Precedes what the next failed expectation says. */
#define NOTE(...)	test_note(__VA_ARGS__)

#define EXPECT(good)	test_expect(!!(good), __FILE__, __LINE__, #good)

/* The value first, what it should be second. */
#define EXPECT_EQ(a, b)	test_equal(a, b, __FILE__, __LINE__, #a " is " #b)

#define REQUIRE(good)							\
	do {								\
		if (!(good)) {						\
			test_expect(0, __FILE__, __LINE__, #good);	\
			exit(1);					\
		}							\
	} while (0)

#endif /* _TEST_WIRE_TEST_H */
