/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the virtio backend, with the numbers that vectors have in them.
 */
#ifndef _TEST_VIO_ACT_H
#define _TEST_VIO_ACT_H

#include "test_vio_rig.h"

/**
 * struct vio_args - what a set of vectors has in it
 * @id: of every request
 * @context: ID of a context
 * @buffer: of a buffer
 * @program: of a program
 * @queue: of a queue
 * @event: of an event
 * @desc: of ALLOCATE_BUFFER
 * @offset: of transfers
 * @data: of transfers
 * @bytes: of @data
 * @load: of LOAD_PROGRAM, but for the artifact
 * @artifact: that
 * @binds: of SUBMIT
 * @bind_count: how many
 * @timeout_ns: of SUBMIT
 * @failed: error of the event that failed
 * @indeterminate: status of the submission that is
 * @info: what the device says of itself
 */
struct vio_args {
	u64 id;
	u64 context;
	u64 buffer;
	u64 program;
	u64 queue;
	u64 event;
	struct vacc_buffer_desc desc;
	u64 offset;
	u8 data[8];
	u32 bytes;
	struct vacc_load load;
	u8 artifact[8];
	struct vacc_bind binds[2];
	u32 bind_count;
	u64 timeout_ns;
	u16 failed;
	u16 indeterminate;
	struct vacc_backend_info info;
};

/**
 * struct vio_act - a call of the backend, and what came of it
 * @rig: the rig
 * @args: with what
 * @session: of @rig
 * @event: of a submission
 * @status: what was returned
 * @outcome: likewise
 * @object: a handle that was made
 * @wire: what the device says of itself
 * @data: what was read
 */
struct vio_act {
	struct vio_rig *rig;
	const struct vio_args *args;
	struct vacc_session *session;
	struct vio_event event;
	u16 status;
	enum vacc_outcome outcome;
	void *object;
	struct virtio_accel_device_info wire;
	u8 data[8];
};

struct vio_act *act_make(struct kunit *test, u32 chain,
			 const struct vio_args *args);
void act_do(struct vio_act *act, u16 opcode);
void act_event(struct vio_act *act);
void act_cancel(struct vio_act *act);
void act_destroy_event(struct vio_act *act);

#endif /* _TEST_VIO_ACT_H */
