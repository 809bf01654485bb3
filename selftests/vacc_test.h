/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every test program includes, once.
 *
 * The fixture "dev" is the device under test: an open file with a context and a
 * queue.  Its one variant is the backend that VACC_BACKEND names, so that the
 * same tests, in the same number, run on each backend, under names that say which
 * one it was: dev.direct.round_trip.  At the end of a test the file is closed,
 * and the device must count as much live as before: a leak fails the test.
 */
#ifndef VACC_TEST_H
#define VACC_TEST_H

#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include "artifact.h"
#include "control.h"
#include "half.h"
#include "raw.h"

/* Emulated and debug kernels are slow. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	120

#define EXPECT_OK(call)		EXPECT_EQ(0, (call))
#define ASSERT_OK(call)		ASSERT_EQ(0, (call))
#define EXPECT_ERRNO(error, call) EXPECT_EQ(-(error), (call))
#define ASSERT_ERRNO(error, call) ASSERT_EQ(-(error), (call))

/* An address for a field of 64 bits. */
#define VT_PTR(p)		((__u64)(uintptr_t)(p))

FIXTURE(dev) {
	int fd;
	int node;
	__u32 context;
	__u32 queue;
	struct vacc_get_info info;
	struct vacc_stats before;
};

FIXTURE_VARIANT(dev) {
	int unused;
};

static struct __fixture_variant_metadata vt_variant;

static void __attribute__((constructor(KSELFTEST_PRIO_TEST))) vt_register_variant(void)
{
	vt_variant.name = vt_backend();
	__register_fixture_variant(&_dev_fixture_object, &vt_variant);
}

FIXTURE_SETUP(dev)
{
	self->node = vt_node();
	ASSERT_LE(0, self->node);
	vt_release_all(self->node);
	self->fd = vt_open_node(self->node);
	ASSERT_LE(0, self->fd);
	ASSERT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &self->before));
	ASSERT_OK(vt_get_info(self->fd, &self->info));
	ASSERT_OK(vt_context(self->fd, &self->context));
	ASSERT_OK(vt_queue(self->fd, self->context, &self->queue));
}

FIXTURE_TEARDOWN(dev)
{
	int watch;

	vt_release_all(self->node);
	watch = vt_open_node(self->node);
	EXPECT_LE(0, watch);
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_OK(vt_settle(watch, &self->before));
	close(watch);
}

/* A buffer that everything is allowed with. */
static inline __u32 vt_any_buffer(int fd, __u32 context, __u64 bytes)
{
	__u32 buffer;

	return vt_buffer(fd, context, bytes, VT_USAGE_ALL, &buffer) ? 0 : buffer;
}

#endif /* VACC_TEST_H */
