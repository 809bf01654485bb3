/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of the library and the command line. */
#ifndef VACC_TEST_H
#define VACC_TEST_H

#include <stdbool.h>
#include <stdio.h>

/* Counts one test case; says which failed. */
void test_case(bool passed, const char *file, int line, const char *what);

#define CHECK(condition) \
	test_case(condition, __FILE__, __LINE__, #condition)

/* The same, with a name of its own. */
#define CHECK_NAMED(condition, name) \
	test_case(condition, __FILE__, __LINE__, name)

/* Have standard output, or standard error, thrown away, and back. */
int test_silence(FILE *stream);
void test_unsilence(FILE *stream, int saved);

/* Print how many cases passed and failed; returns the exit status. */
int test_finish(void);

void test_artifact(void);
void test_batch(void);
void test_check(void);
void test_npy(void);
void test_options(void);
void test_progress(void);
void test_text(void);

/* With a device. */
struct vacc_context;
struct vacc_device;

void test_objects(struct vacc_device *dev, const struct vacc_context *context);
void test_device_work(struct vacc_device *dev, const struct vacc_context *context);

#endif /* VACC_TEST_H */
