/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test stands on: a fake backend behind a device, open files, user memory, and
 * calls through the file operations.
 */
#ifndef _RIG_RIG_H
#define _RIG_RIG_H

#include <kunit/test.h>
#include <linux/uaccess.h>

#include "device.h"
#include "fake.h"
#include "quota.h"

#define RIG_FILES	4

/* User memory: an argument, arrays, bytes to transfer. */
#define RIG_ARG		0UL
#define RIG_ARRAY	(4 * PAGE_SIZE)
#define RIG_ARRAY2	(8 * PAGE_SIZE)
#define RIG_DATA	(16 * PAGE_SIZE)
#define RIG_USER_BYTES	(80 * PAGE_SIZE)

#define RIG_USAGE_ALL	VIRTIO_ACCEL_USAGE_MASK

/**
 * struct rig - one test's world
 * @test: the test
 * @fake: the backend
 * @file: open files; the first one is there from the start
 * @user: RIG_USER_BYTES of user memory, of the task that runs the test
 * @twin: a page that can be written at @twin_rw and not at @twin_ro
 * @twin_rw: user address of it
 * @twin_ro: user address of it
 * @later: work that rig_later() started
 * @later_fn: what it does
 * @unregistered: the device is gone
 * @dirty: leftovers at the end are no failure
 */
struct rig {
	struct kunit *test;
	struct fake fake;
	struct file *file[RIG_FILES];
	unsigned long user;
	struct file *twin;
	unsigned long twin_rw;
	unsigned long twin_ro;
	struct work_struct later;
	void (*later_fn)(struct rig *rig);
	bool unregistered;
	bool dirty;
};

/* test_*.c: .init is one of the first two, .exit is the third. */
int rig_init(struct kunit *test);
int rig_init_bare(struct kunit *test);
void rig_exit(struct kunit *test);

void rig_register(struct rig *rig);
void rig_unregister(struct rig *rig);
void rig_lose(struct rig *rig);
struct file *rig_open(struct rig *rig, unsigned int index);
void rig_close(struct rig *rig, unsigned int index);
void rig_flush(void);
void rig_settle(struct rig *rig);
void rig_later(struct rig *rig, void (*fn)(struct rig *rig));

void rig_put(struct rig *rig, unsigned long where, const void *from,
	     size_t bytes);
void rig_get(struct rig *rig, unsigned long where, void *to, size_t bytes);
long rig_ioctl_at(struct rig *rig, struct file *filp, unsigned int cmd,
		  unsigned long uarg);
long rig_ioctl_file(struct rig *rig, struct file *filp, unsigned int cmd,
		    void *arg, u32 bytes);
struct vacc_array rig_array(struct rig *rig, unsigned long where, u32 count,
			    u32 stride);

/* Sets the size of an argument and calls, on the first file. */
#define RIG_CALL(rig, cmd, arg) \
	rig_ioctl_file(rig, (rig)->file[0], cmd, arg, sizeof(*(arg)))

long rig_handle_call(struct rig *rig, unsigned int cmd, u32 handle);
u32 rig_context(struct rig *rig);
u32 rig_buffer_usage(struct rig *rig, u32 context, u64 bytes, u32 usage);
u32 rig_buffer(struct rig *rig, u32 context);
u32 rig_program(struct rig *rig, u32 context);
u32 rig_queue(struct rig *rig, u32 context);

/**
 * struct rig_bench - enough to submit: one of each
 * @context: a context
 * @queue: a queue
 * @program: a program
 * @buffer: a buffer of RIG_BUFFER_BYTES for every usage
 */
struct rig_bench {
	u32 context;
	u32 queue;
	u32 program;
	u32 buffer;
};

#define RIG_BUFFER_BYTES	4096

void rig_bench(struct rig *rig, struct rig_bench *bench);
long rig_submit(struct rig *rig, const struct rig_bench *bench,
		struct vacc_submit *submit);
u32 rig_event(struct rig *rig, const struct rig_bench *bench);
struct vacc_event *rig_event_of(struct rig *rig, u32 handle);
struct vacc_obj *rig_obj(struct rig *rig, u32 handle);
struct vacc_file *rig_file(struct rig *rig, unsigned int index);
void rig_query(struct rig *rig, u32 event, struct vacc_event_query *query);
void rig_queue_query(struct rig *rig, u32 queue, struct vacc_queue_query *query);
void rig_stats(struct rig *rig, struct vacc_stats *stats);
void rig_call(struct rig *rig, struct vacc_call *call);

#endif /* _RIG_RIG_H */
