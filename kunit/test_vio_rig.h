/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtio driver on a ring of its own, with a device that answers as a test says
 * and keeps what it was asked.  There is no core above: tests call the backend.
 */
#ifndef _TEST_VIO_RIG_H
#define _TEST_VIO_RIG_H

#include <kunit/test.h>
#include <linux/virtio.h>

#include "../drivers/virtio/virtio.h"

#define VIO_FRAME_BYTES	256
#define VIO_FRAMES	16
#define VIO_RING	256

/**
 * struct vio_bytes - some bytes
 * @count: how many
 * @data: they
 */
struct vio_bytes {
	u32 count;
	u8 data[VIO_FRAME_BYTES];
};

/**
 * struct vio_frame - a chain as the device has seen it
 * @head: its first descriptor
 * @opcode: of its header
 * @room: writable bytes
 * @out: readable descriptors
 * @in: writable descriptors
 * @request: the readable bytes
 */
struct vio_frame {
	u16 head;
	u16 opcode;
	u32 room;
	u32 out;
	u32 in;
	struct vio_bytes request;
};

/**
 * struct vio_event - stands for an event of the core
 * @priv: the backend's private area
 * @handle: of the event
 * @done: how often its end was reported
 * @state: with which state
 * @status: with which status
 * @indeterminate: how often it was said that nobody knows whether it was admitted
 */
struct vio_event {
	void *priv;
	u32 handle;
	u32 done;
	u32 state;
	u16 status;
	u32 indeterminate;
};

/**
 * struct vio_rig - one test's world
 * @test: the test
 * @vdev: the device
 * @config: its configuration
 * @features: what it offers
 * @status: its status byte
 * @ring: descriptors of its ring
 * @vq: the virtqueue, while there is one
 * @next: next entry of the available ring
 * @serving: the device is at work
 * @probed: the driver is bound
 * @hold: opcode that is not answered before vio_release(), or 0
 * @held: such a frame, if @holding
 * @holding: there is one
 * @answer_to: opcode that is answered by @answer, once; or 0
 * @answer: the bytes
 * @answer_used: used length instead of how many they are, if not 0
 * @frames: what came, the oldest first
 * @frame_count: how many
 */
struct vio_rig {
	struct kunit *test;
	struct virtio_device vdev;
	struct virtio_accel_config config;
	u64 features;
	u8 status;
	u32 ring;
	struct virtqueue *vq;
	u16 next;
	unsigned long serving;
	bool probed;
	u16 hold;
	struct vio_frame held;
	bool holding;
	u16 answer_to;
	struct vio_bytes answer;
	u32 answer_used;
	struct vio_frame frames[VIO_FRAMES];
	u32 frame_count;
};

/**
 * struct vio_rule - a rule that a device may break
 * @name: of the rule
 * @run: proves it
 */
struct vio_rule {
	const char *name;
	void (*run)(struct kunit *test);
};

/* What GET_DEVICE_INFO answers by default. */
extern const struct virtio_accel_device_info vio_info;

struct vio_rig *vio_rig_make(struct kunit *test);
int vio_rig_probe(struct vio_rig *rig);
struct vacc_session *vio_session(struct vio_rig *rig);
void vio_rig_free(struct vio_rig *rig);
void vio_rig_forget(struct vio_rig *rig);
const struct vio_frame *vio_rig_frame(struct vio_rig *rig, u16 opcode);
void vio_answer(struct vio_rig *rig, u16 opcode, const struct vio_bytes *bytes);
void vio_release(struct vio_rig *rig, const struct vio_bytes *bytes);
void vio_put(struct vio_bytes *bytes, u16 status, u64 id, const void *payload,
	     u32 count);

/* The case for an array of rules. */
void vio_rule(struct kunit *test);

/* test_vio_driver.c: what is static in the driver. */
extern u32 vio_tag;
extern u32 vio_unmappable;
int vio_validate(struct virtio_device *vdev);
bool vio_named(const char *list, const char *name);
int vio_probe(struct virtio_device *vdev);
void vio_remove(struct virtio_device *vdev);
void vio_command_timeout(u32 ms);
u16 vio_parse(struct vacc_request *request, u32 used);
bool vio_poll_decode(const struct virtio_accel_event_state *wire, u32 *state,
		     u16 *status);
u16 vio_ask_info(struct vacc_session *session,
		 struct virtio_accel_device_info *wire);

#endif /* _TEST_VIO_RIG_H */
