// SPDX-License-Identifier: GPL-2.0
/* CONTEXT_CREATE and CONTEXT_DESTROY. */
#include "vacc_test.h"

TEST_F(dev, create_and_destroy)
{
	__u32 a, b;

	ASSERT_OK(vt_context(self->fd, &a));
	ASSERT_OK(vt_context(self->fd, &b));
	EXPECT_NE(0, a);
	EXPECT_NE(a, b);
	EXPECT_NE(self->context, a);
	EXPECT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, a));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_CONTEXT_DESTROY, a));
	EXPECT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, b));
}

/* M2: flags are reserved, and nothing is created. */
TEST_F(dev, m2_context_flags)
{
	struct vacc_stats before, after;
	int bit;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (bit = 0; bit < 32; bit++) {
		struct vacc_context_create arg = {
			.size = sizeof(arg), .flags = 1u << bit, .handle = 123,
		};

		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_CONTEXT_CREATE, &arg));
		EXPECT_EQ(123, arg.handle);
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live.contexts, after.live.contexts);
}

TEST_F(dev, handles_that_do_not_exist)
{
	const __u32 never[] = { 0, ~0u, 1u << 31, self->queue + 1000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(never); i++) {
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_CONTEXT_DESTROY, never[i]));
	}
	/* of another kind */
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_CONTEXT_DESTROY, self->queue));
}

/* A context goes last. */
TEST_F(dev, busy_while_it_has_children)
{
	__u32 context, buffer, program, queue;

	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_CONTEXT_DESTROY, self->context));
	ASSERT_OK(vt_context(self->fd, &context));

	ASSERT_OK(vt_buffer(self->fd, context, 64, VT_USAGE_ALL, &buffer));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));

	ASSERT_OK(vt_load_fill(self->fd, context, 1, &program));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, program));

	ASSERT_OK(vt_queue(self->fd, context, &queue));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));

	EXPECT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
}

/* A destroyed handle is not given out again soon. */
TEST_F(dev, handles_are_not_reused)
{
	__u32 first, context;
	unsigned int i;

	ASSERT_OK(vt_context(self->fd, &first));
	ASSERT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, first));
	for (i = 0; i < 200; i++) {
		ASSERT_OK(vt_context(self->fd, &context));
		ASSERT_NE(first, context);
		ASSERT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	}
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_CONTEXT_DESTROY, first));
}

/* One file has its share of the contexts; another is still served. */
TEST_F(dev, share_of_a_file)
{
	__u32 contexts[4], other;
	char old[32] = "";
	unsigned int n;
	int fd;

	ASSERT_OK(vt_parameter("virtio_accel", "max_contexts_per_file", old, "4"));
	/* The first is the fixture's. */
	for (n = 1; n < 4; n++) {
		EXPECT_OK(vt_context(self->fd, &contexts[n]));
	}
	EXPECT_ERRNO(ENOSPC, vt_context(self->fd, &other));
	fd = vt_open_node(self->node);
	EXPECT_LE(0, fd);
	EXPECT_OK(vt_context(fd, &other));
	close(fd);
	EXPECT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, contexts[1]));
	EXPECT_OK(vt_context(self->fd, &other));
	EXPECT_ERRNO(ENOSPC, vt_context(self->fd, &contexts[1]));
	ASSERT_OK(vt_parameter("virtio_accel", "max_contexts_per_file", NULL, old));
}

/* M1: the device's limit, over files: create until refused, destroy one, create one. */
TEST_F(dev, m1_limit_of_the_device)
{
	struct { int fd; __u32 handle; } have[256];
	unsigned int n = 0;
	__u32 context;
	int fd = -1, r, i;

	for (;;) {
		fd = vt_open_node(self->node);
		ASSERT_LE(0, fd);
		r = vt_context(fd, &context);
		if (r)
			break;
		ASSERT_GT(ARRAY_SIZE(have), n);
		have[n].fd = fd;
		have[n++].handle = context;
	}
	EXPECT_ERRNO(ENOSPC, r);
	EXPECT_EQ(self->info.max_contexts, n + 1);
	ASSERT_OK(vt_handle(have[0].fd, VACC_CONTEXT_DESTROY, have[0].handle));
	EXPECT_OK(vt_context(fd, &context));
	for (i = 0; i < (int)n; i++)
		close(have[i].fd);
	close(fd);
}

/* A close gives contexts back, without waiting for the reaper. */
TEST_F(dev, contexts_of_closed_files_come_back)
{
	unsigned int i, round;
	__u32 context;

	for (round = 0; round < 8; round++) {
		int fd = vt_open_node(self->node);

		ASSERT_LE(0, fd);
		for (i = 1; i < self->info.max_contexts; i++) {
			ASSERT_OK(vt_context(fd, &context));
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
