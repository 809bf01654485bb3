// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Frames in pieces: cursors, the shape of a chain, headers.
 */
#include "bulk.h"
#include "wire.h"

/* A copy of this length does not keep a processor for long. */
#define ENG_COPY_BYTES	0x100000

/* A frame with as many is one of several: a ring has no room for many pieces. */
#define ENG_FRAME_BULK_BYTES	0x80000

/**
 * eng_chain_request() - the beginning of what the driver wrote
 * @chain: the chain
 *
 * Context: Any.
 * Return: a cursor at the first byte of the request's header.
 */
struct eng_cursor eng_chain_request(const struct eng_chain *chain)
{
	return (struct eng_cursor){
		.seg = chain->segs,
		.count = chain->readable,
	};
}

/**
 * eng_chain_response() - the beginning of the room for the answer
 * @chain: the chain
 *
 * Context: Any.
 * Return: a cursor at the first byte of the response's header.
 */
struct eng_cursor eng_chain_response(const struct eng_chain *chain)
{
	return (struct eng_cursor){
		.seg = chain->segs + chain->readable,
		.count = chain->writable,
	};
}

/* What is left of the piece, at most @bytes; 0 at the end of all. */
static u32 eng_cursor_piece(const struct eng_cursor *cursor, u64 bytes)
{
	if (!cursor->count)
		return 0;
	return min_t(u64, bytes, cursor->seg->len - cursor->offset);
}

static void eng_cursor_move(struct eng_cursor *cursor, u32 piece)
{
	cursor->offset += piece;
	if (cursor->offset == cursor->seg->len) {
		cursor->seg++;
		cursor->count--;
		cursor->offset = 0;
	}
}

/**
 * eng_cursor_skip() - go on without looking
 * @cursor: the cursor
 * @bytes: how far
 *
 * Context: Any.
 */
void eng_cursor_skip(struct eng_cursor *cursor, u64 bytes)
{
	u32 piece;

	while ((piece = eng_cursor_piece(cursor, bytes))) {
		eng_cursor_move(cursor, piece);
		bytes -= piece;
	}
}

static void eng_cursor_copy(void *to, const void *from, u32 piece, bool bulk)
{
	if (bulk)
		eng_bulk_copy(to, from, piece);
	else
		memcpy(to, from, piece);
}

/**
 * eng_cursor_get() - copy out and go on
 * @cursor: the cursor
 * @to: where to copy
 * @bytes: how many; that they are there has been checked
 *
 * Each byte is read once.
 *
 * Context: May sleep.
 */
void eng_cursor_get(struct eng_cursor *cursor, void *to, u64 bytes)
{
	bool bulk = bytes >= ENG_FRAME_BULK_BYTES;
	u8 *next = to;
	u32 piece;

	while ((piece = eng_cursor_piece(cursor, min_t(u64, bytes,
						       ENG_COPY_BYTES)))) {
		eng_cursor_copy(next, (u8 *)cursor->seg->base + cursor->offset,
				piece, bulk);
		eng_cursor_move(cursor, piece);
		next += piece;
		bytes -= piece;
		if (bytes >= ENG_COPY_BYTES)
			eng_resched();
	}
	if (bulk)
		eng_bulk_end();
}

/**
 * eng_cursor_put() - copy in and go on
 * @cursor: the cursor
 * @from: what to copy
 * @bytes: how many; that there is room has been checked
 *
 * Context: May sleep.
 */
void eng_cursor_put(struct eng_cursor *cursor, const void *from, u64 bytes)
{
	bool bulk = bytes >= ENG_FRAME_BULK_BYTES;
	const u8 *next = from;
	u32 piece;

	while ((piece = eng_cursor_piece(cursor, min_t(u64, bytes,
						       ENG_COPY_BYTES)))) {
		eng_cursor_copy((u8 *)cursor->seg->base + cursor->offset, next,
				piece, bulk);
		eng_cursor_move(cursor, piece);
		next += piece;
		bytes -= piece;
		if (bytes >= ENG_COPY_BYTES)
			eng_resched();
	}
	if (bulk)
		eng_bulk_end();
}

/* Total of @count pieces, or 0 where one is empty or the total too large. */
static u32 eng_total(const struct eng_seg *seg, u32 count)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!seg[i].len || !seg[i].base)
			return 0;
		total += seg[i].len;
		if (total > U32_MAX)
			return 0;
	}
	return total;
}

/**
 * eng_chain_open() - check the shape of a chain and copy its header out
 * @chain: the chain
 * @max_descriptors: descriptors that it may have
 *
 * Context: Any task.
 * Return: whether it can be answered at all; if not it is marked as bad.
 */
bool eng_chain_open(struct eng_chain *chain, u32 max_descriptors)
{
	struct virtio_accel_req_hdr header;
	struct eng_cursor cursor;
	u32 in, out;

	if (chain->opened)
		return !chain->bad;
	chain->opened = true;
	if (chain->bad || !chain->readable || !chain->writable ||
	    chain->descriptors < VIRTIO_ACCEL_MIN_CHAIN ||
	    chain->descriptors > max_descriptors)
		goto bad;

	in = eng_total(chain->segs, chain->readable);
	out = eng_total(chain->segs + chain->readable, chain->writable);
	if (in < ENG_REQUEST_BYTES || out < ENG_RESPONSE_BYTES ||
	    in > U32_MAX - out)
		goto bad;

	cursor = eng_chain_request(chain);
	eng_cursor_get(&cursor, &header, sizeof(header));
	chain->opcode = le16_to_cpu(header.opcode);
	chain->flags = le16_to_cpu(header.flags);
	chain->payload_bytes = le32_to_cpu(header.payload_bytes);
	chain->request_id = le64_to_cpu(header.request_id);
	chain->readable_bytes = in;
	chain->writable_bytes = out;
	return true;
bad:
	chain->bad = true;
	return false;
}

/**
 * eng_chain_answer() - write a response
 * @chain: an opened chain that is not bad and has the room
 * @status: VIRTIO_ACCEL_S_*
 * @payload: what follows the header, or NULL
 * @payload_bytes: its length
 * @data_bytes: what was written there already, instead of a payload
 *
 * The header is written last.
 *
 * Context: Any task.
 * Return: the used length.
 */
u32 eng_chain_answer(const struct eng_chain *chain, u16 status,
		     const void *payload, u32 payload_bytes, u32 data_bytes)
{
	struct virtio_accel_resp_hdr header = {
		.status = cpu_to_le16(status),
		.payload_bytes = cpu_to_le32(payload_bytes + data_bytes),
		.request_id = cpu_to_le64(chain->request_id),
	};
	struct eng_cursor cursor = eng_chain_response(chain);
	struct eng_cursor begin = cursor;

	if (payload_bytes) {
		eng_cursor_skip(&cursor, sizeof(header));
		eng_cursor_put(&cursor, payload, payload_bytes);
	}
	eng_cursor_put(&begin, &header, sizeof(header));
	return sizeof(header) + payload_bytes + data_bytes;
}
