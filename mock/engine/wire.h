/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Frames in pieces: a chain has memory that the driver wrote and memory for the
 * answer, each cut wherever the driver liked.
 *
 * The driver may change its memory at any moment.  What decides anything is
 * copied out once, and only the copy is looked at.
 */
#ifndef _ENG_WIRE_H
#define _ENG_WIRE_H

#include "env.h"

#include <linux/virtio_accel.h>

#define ENG_REQUEST_BYTES	((u32)sizeof(struct virtio_accel_req_hdr))
#define ENG_RESPONSE_BYTES	((u32)sizeof(struct virtio_accel_resp_hdr))

/**
 * struct eng_seg - a piece of memory
 * @base: where it begins
 * @len: bytes, nonzero
 */
struct eng_seg {
	void *base;
	u32 len;
};

/**
 * struct eng_chain - a request and the room for its response
 * @segs: readable pieces first, then writable ones
 * @room: elements that @segs may have
 * @readable: how many of them are readable
 * @writable: how many follow and are writable
 * @descriptors: descriptors that these come from, each of one or more pieces
 * @head: number by which the ring takes it back
 * @era: in which start of the ring it was popped
 * @bad: it has no shape that the protocol allows, or no room for a header
 * @opened: eng_chain_open() has been called
 * @opcode: from the header, once opened
 * @flags: from the header
 * @payload_bytes: from the header
 * @request_id: from the header
 * @readable_bytes: total of the readable pieces
 * @writable_bytes: total of the writable ones
 *
 * Who makes one fills in @segs to @descriptors, and zeroes the rest.
 */
struct eng_chain {
	struct eng_seg *segs;
	u32 room;
	u32 readable;
	u32 writable;
	u32 descriptors;
	u32 era;
	u16 head;
	bool bad;
	bool opened;
	u16 opcode;
	u16 flags;
	u32 payload_bytes;
	u64 request_id;
	u32 readable_bytes;
	u32 writable_bytes;
};

/**
 * struct eng_cursor - a place in a row of pieces
 * @seg: the piece
 * @count: pieces from here on
 * @offset: in the piece
 */
struct eng_cursor {
	const struct eng_seg *seg;
	u32 count;
	u32 offset;
};

struct eng_cursor eng_chain_request(const struct eng_chain *chain);
struct eng_cursor eng_chain_response(const struct eng_chain *chain);
void eng_cursor_skip(struct eng_cursor *cursor, u64 bytes);
void eng_cursor_get(struct eng_cursor *cursor, void *to, u64 bytes);
void eng_cursor_put(struct eng_cursor *cursor, const void *from, u64 bytes);

bool eng_chain_open(struct eng_chain *chain, u32 max_descriptors);
u32 eng_chain_answer(const struct eng_chain *chain, u16 status,
		     const void *payload, u32 payload_bytes, u32 data_bytes);

#endif /* _ENG_WIRE_H */
