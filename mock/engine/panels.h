/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Panels: weights of launches with one row, kept packed between submissions.
 *
 * They are copies of what lies in a buffer.  So whoever writes to a buffer says so
 * before the first byte and after the last, and a buffer that others can write to has
 * none, see eng_buffer_expose().
 */
#ifndef _VACC_ENGINE_PANELS_H
#define _VACC_ENGINE_PANELS_H

#include "env_sync.h"

struct eng_buffer;
struct eng_device;
struct eng_job;
struct eng_launch;
struct eng_linear;
struct eng_run;

/* Products of one device, at most: a launch goes through those of its buffer. */
#define ENG_PANELS_MOST		512

/* Fewer weights stay in a cache, and are worth nothing more. */
#define ENG_PANELS_MIN_BYTES	65536

/*
 * What was used less than this ago does not make room for others' panels.  Else
 * launches in turns, of more weights than there is room for, would each push out those
 * of the next one.
 */
#define ENG_PANELS_REST_NS	10000000000ULL

/**
 * struct eng_weights - what a launch with one row reads: panels are found by this
 * @offset: first byte in the buffer
 * @stride: bytes from output to output
 * @in_features: terms of each sum
 * @out_features: outputs
 * @path: VACC_ENGINE_*, which panels are made for
 */
struct eng_weights {
	u64 offset;
	u64 stride;
	u32 in_features;
	u32 out_features;
	u32 path;
};

/**
 * struct eng_panels - the packed weights of a product
 * @node: on the device's list, what was used last is last
 * @sibling: on the buffer's list
 * @device: the device
 * @weights: what they are packed from
 * @end: the byte in the buffer after the last of @weights
 * @bytes: size of the panels
 * @memory: they, from the next address on that is aligned; or NULL
 * @used_ns: when a launch looked for them
 * @generation: number of writes to @weights that have begun
 * @users: launches that read or make them
 * @seen: a launch has read @weights since the last write to them
 * @packed: they are complete, and made since then
 * @dropped: on no list any more: the last user frees them
 *
 * All is the sums lock's, but for the contents of @memory: those are the only user's
 * until @packed, and nobody writes to them after that.
 */
struct eng_panels {
	struct list_head node;
	struct list_head sibling;
	struct eng_device *device;
	struct eng_weights weights;
	u64 end;
	u64 bytes;
	void *memory;
	u64 used_ns;
	u64 generation;
	u32 users;
	bool seen;
	bool packed;
	bool dropped;
};

/**
 * struct eng_write - a write to a buffer that is under way
 * @node: on the buffer's list
 * @buffer: the buffer; NULL where none is under way, or its panels cannot be
 * @start: first byte
 * @end: the byte after the last
 */
struct eng_write {
	struct list_head node;
	struct eng_buffer *buffer;
	u64 start;
	u64 end;
};

/**
 * struct eng_use - what the command at work in a queue does to panels
 * @buffers: of the event's bindings, in their order
 * @write: what it writes
 * @panels: of the launch, or NULL; the launch is one of their users
 * @generation: of @panels when packing began
 * @looked: it was looked for panels
 * @packed: @panels can be read; else they are made on the way
 */
struct eng_use {
	struct eng_buffer *const *buffers;
	struct eng_write write;
	struct eng_panels *panels;
	u64 generation;
	bool looked;
	bool packed;
};

void eng_panels_drop(struct eng_buffer *buffer);
void eng_panels_clear(struct eng_device *device);
bool eng_panels_yield(struct eng_device *device, u64 bytes, struct list_head *gone);
void eng_panels_free(struct list_head *gone);
void eng_panels_prepare(const struct eng_run *run, struct eng_buffer *const *buffers);

void eng_use_write(struct eng_use *use, const struct eng_run *run, u32 slot, u64 offset,
		   u64 bytes);
void eng_use_panels(struct eng_use *use, const struct eng_run *run,
		    const struct eng_launch *launch, const struct eng_job *job,
		    struct eng_linear *linear);
void eng_use_end(struct eng_use *use, bool complete);

#endif /* _VACC_ENGINE_PANELS_H */
