/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Requests that are refused, with the check that nothing else has happened. */
#ifndef _TEST_WIRE_CLASS_H
#define _TEST_WIRE_CLASS_H

#include "split.h"

static inline void refuse(struct rig *rig, struct frame *frame,
			  const struct cut *cut, u32 status, const char *file,
			  int line)
{
	struct snapshot before;

	rig_snapshot(rig, &before);
	test_equal(rig_send(rig, frame, cut, NULL), status, file, line,
		   "the status");
	rig_unchanged(rig, &before, false, file, line);
}

#define REFUSED(rig, frame, status) \
	refuse(rig, frame, NULL, status, __FILE__, __LINE__)
#define REFUSED_CUT(rig, frame, cut, status) \
	refuse(rig, frame, cut, status, __FILE__, __LINE__)

static inline struct frame *frame_object(u16 opcode, u64 id)
{
	struct frame *frame = frame_new(opcode);

	frame_add(frame, id, 8);
	return frame;
}

/* @frame with @bytes at @offset of its payload replaced. */
static inline struct frame *frame_with(struct frame *frame, u32 offset,
				       u64 value, u32 bytes)
{
	frame_set(frame, offset, value, bytes);
	return frame;
}

/* Byte offsets in payloads. */
#define BUFFER_CONTEXT		0
#define BUFFER_BYTES		8
#define BUFFER_ALIGNMENT	16
#define BUFFER_DOMAIN		24
#define BUFFER_USAGE		32
#define TRANSFER_BUFFER		0
#define TRANSFER_OFFSET		8
#define TRANSFER_BYTES		16
#define LOAD_CONTEXT		0
#define LOAD_FLAGS		12
#define LOAD_PAYLOAD		64
#define LOAD_RESIDENT		72
#define SUBMIT_QUEUE		0
#define SUBMIT_PROGRAM		8
#define SUBMIT_COUNT		16
#define SUBMIT_FLAGS		20
#define BIND			32
#define BIND_OFFSET		(BIND + 8)
#define BIND_BYTES		(BIND + 16)
#define BIND_SLOT		(BIND + 24)
#define BIND_ACCESS		(BIND + 28)
#define BIND_RESERVED		(BIND + 29)

#endif /* _TEST_WIRE_CLASS_H */
