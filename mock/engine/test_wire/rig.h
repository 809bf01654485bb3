/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A port, and requests to it.  Every piece of a chain is memory of its own, so that
 * the sanitizer sees what leaves it.
 */
#ifndef _TEST_WIRE_RIG_H
#define _TEST_WIRE_RIG_H

#include "port.h"
#include "test.h"

#define OK			VIRTIO_ACCEL_S_OK
#define UNSUPPORTED		VIRTIO_ACCEL_S_UNSUPPORTED
#define INCOMPATIBLE		VIRTIO_ACCEL_S_INCOMPATIBLE
#define INVALID			VIRTIO_ACCEL_S_INVALID_ARGUMENT
#define OUT_OF_BOUNDS		VIRTIO_ACCEL_S_OUT_OF_BOUNDS
#define BUSY			VIRTIO_ACCEL_S_BUSY
#define RESOURCE_LIMIT		VIRTIO_ACCEL_S_RESOURCE_LIMIT
#define DEADLINE_EXPIRED	VIRTIO_ACCEL_S_DEADLINE_EXPIRED
#define DEVICE_LOST		VIRTIO_ACCEL_S_DEVICE_LOST
#define DENIED			VIRTIO_ACCEL_S_PERMISSION_DENIED
#define STALE			VIRTIO_ACCEL_S_STALE_OBJECT
#define INTERNAL_ERROR		VIRTIO_ACCEL_S_INTERNAL_ERROR

/* A "status" of what was not answered at all. */
#define NO_ANSWER		0x10000

#define PENDING			VIRTIO_ACCEL_EVENT_PENDING
#define COMPLETE		VIRTIO_ACCEL_EVENT_COMPLETE
#define FAILED			VIRTIO_ACCEL_EVENT_FAILED
#define CANCELLED		VIRTIO_ACCEL_EVENT_CANCELLED

#define USAGE_ALL		VIRTIO_ACCEL_USAGE_MASK
#define HOST			VIRTIO_ACCEL_DOMAIN_HOST
#define READ_ONLY		VIRTIO_ACCEL_ACCESS_READ
#define WRITE_ONLY		VIRTIO_ACCEL_ACCESS_WRITE
#define READ_WRITE		VIRTIO_ACCEL_ACCESS_READ_WRITE

/* What response memory has where nothing was written. */
#define UNTOUCHED		0xa5

struct rig {
	struct eng_port *port;
	u64 context;
	u64 queue;
	u64 next_request;
	u32 resets_wanted;
};

/* The device of the protocol's own vectors. */
extern const struct eng_port_config default_config;

/* An empty context and a queue in it are there; @config may be NULL. */
void rig_make(struct rig *rig, const struct eng_port_config *config);
void rig_free(struct rig *rig);
void rig_restart(struct rig *rig);		/* reset; as if made now */

/*
 * A frame is built by appending; lengths and the request ID come with send.
 */
struct frame {
	u16 opcode;
	u16 flags;
	u64 request_id;			/* 0: the rig's next */
	bool no_id;			/* 0 it shall be */
	s64 lie;			/* added to the payload length */
	u32 bytes;
	u8 payload[1 << 17];
};

struct frame *frame_new(u16 opcode);
void frame_add(struct frame *frame, u64 value, u32 bytes);
void frame_add_bytes(struct frame *frame, const void *from, u32 bytes);
void frame_set(struct frame *frame, u32 offset, u64 value, u32 bytes);

/* How a chain is cut: readable and writable pieces of so many bytes, 0 for one. */
struct cut {
	u32 readable;
	u32 writable;
	u32 first_readable;		/* bytes of the first piece, or 0 */
	u32 first_writable;
	u32 room;			/* writable bytes, 0 for what is usual */
	bool none;			/* no writable bytes */
};

struct reply {
	u32 used;
	u32 status;			/* or NO_ANSWER */
	u32 payload_bytes;
	u64 object;			/* first 8 bytes of the payload */
	u8 bytes[1 << 17];		/* header too */
};

/* All that is true of every answer is expected here.  Frees the frame. */
u32 rig_send(struct rig *rig, struct frame *frame, const struct cut *cut,
	     struct reply *reply);
/* Raw bytes instead of a frame. */
u32 rig_send_raw(struct rig *rig, const void *request, u32 bytes,
		 const struct cut *cut, struct reply *reply);

/* Status of a request whose payload is an object. */
u32 rig_object(struct rig *rig, u16 opcode, u64 id);

u64 rig_context(struct rig *rig);
u64 rig_buffer(struct rig *rig, u64 bytes, u32 usage);
u64 rig_program(struct rig *rig, u8 op, u8 operand);
u64 rig_queue(struct rig *rig);
u32 rig_write(struct rig *rig, u64 buffer, u64 offset, const void *from,
	      u32 bytes);
u32 rig_read(struct rig *rig, u64 buffer, u64 offset, void *to, u32 bytes);

struct frame *frame_buffer(u64 context, u64 bytes, u64 alignment, u8 domain,
			   u32 usage);
struct frame *frame_transfer(u16 opcode, u64 buffer, u64 offset, u64 bytes);
struct frame *frame_program(u64 context, u8 op, u8 operand);
struct frame *frame_submit(u64 queue, u64 program, u32 count, u64 timeout_ns);
void frame_bind(struct frame *frame, u64 buffer, u64 offset, u64 bytes,
		u32 slot, u8 access);

/* A fill of a whole buffer. */
u64 rig_submit(struct rig *rig, u64 program, u64 buffer, u64 bytes,
	       u64 timeout_ns);
u32 rig_poll(struct rig *rig, u64 event, u16 *error);
u32 rig_wait(struct rig *rig, u64 event, u16 *error);

void rig_hold(struct rig *rig, bool hold);
void rig_fault(struct rig *rig, enum eng_method method,
	       enum eng_fault_kind kind, u16 status);

/* What a refused request must leave as it is. */
struct snapshot {
	struct eng_port_stats stats;
	struct eng_audit audit;
	struct eng_device_stats engine;
};

void rig_snapshot(struct rig *rig, struct snapshot *snapshot);
/* @called: the backend may have been asked, and has created nothing. */
void rig_unchanged(struct rig *rig, const struct snapshot *before, bool called,
		   const char *file, int line);

#define EXPECT_UNCHANGED(rig, before) \
	rig_unchanged(rig, before, false, __FILE__, __LINE__)

/* At the end of tests: nothing was misused and nothing is live but by the rig. */
void rig_clean(struct rig *rig, const char *file, int line);

#define EXPECT_CLEAN(rig)	rig_clean(rig, __FILE__, __LINE__)

#endif /* _TEST_WIRE_RIG_H */
