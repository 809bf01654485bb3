/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device, written down once more: what it must answer to a frame, and what is
 * in its buffers.  It shares nothing with the engine but the numbers of the
 * protocol; it is slow, has no threads and fails nowhere.
 *
 *	model_request(m, frame, bytes, descriptors, room, &answer);
 *	the device's answer must be that one
 *	if (answer.creates)
 *		model_created(m, the ID in the device's answer);
 */
#ifndef _FUZZ_MODEL_H
#define _FUZZ_MODEL_H

#include "port.h"

#define MODEL_OBJECTS	128
#define MODEL_BINDINGS	4

enum model_kind {
	MODEL_NONE,
	MODEL_CONTEXT,
	MODEL_BUFFER,
	MODEL_PROGRAM,
	MODEL_QUEUE,
	MODEL_EVENT,
	MODEL_KINDS,
};

struct model_range {
	u32 buffer;
	u64 offset;
	u64 bytes;
	u32 slot;
};

/**
 * struct model_object - an object; links are indices of others
 * @kind: MODEL_NONE where there is none
 * @id: its number
 * @context: where it belongs
 * @users: events that are not destroyed and use it
 * @bytes: length of a buffer
 * @charge: of a buffer or program, against its quota
 * @usage: of a buffer
 * @data: of a buffer
 * @op: of a program
 * @operand: of a program
 * @first: of a program, its first slot
 * @second: of a program, its second slot
 * @queue: of an event
 * @program: of an event
 * @ranges: of an event
 * @count: of an event, its ranges
 * @state: of an event
 * @error: of an event
 * @late: of an event: its time is over
 * @sequence: of an event: its number in the harness
 */
struct model_object {
	enum model_kind kind;
	u64 id;
	u32 context;
	u32 users;
	u64 bytes;
	u64 charge;
	u32 usage;
	u8 *data;
	u8 op;
	u8 operand;
	u32 first;
	u32 second;
	u32 queue;
	u32 program;
	struct model_range ranges[MODEL_BINDINGS];
	u32 count;
	u16 state;
	u16 error;
	bool late;
	u64 sequence;
};

struct model {
	const struct eng_port_config *config;
	bool hold;
	bool lost;
	u32 made;			/* what the last request creates */
	struct model_object objects[MODEL_OBJECTS];
};

/**
 * struct model_answer - what must come back
 * @silent: nothing at all
 * @unknown: the model has no opinion, do not ask
 * @status: the status
 * @creates: the payload is a new object
 * @bytes: length of the payload
 * @payload: the payload, where it creates nothing
 */
struct model_answer {
	bool silent;
	bool unknown;
	u16 status;
	bool creates;
	u32 bytes;
	u8 payload[4096];
};

void model_init(struct model *m, const struct eng_port_config *config);
void model_reset(struct model *m);
void model_lose(struct model *m);

void model_request(struct model *m, const u8 *frame, u32 bytes, u32 descriptors,
		   u32 room, struct model_answer *answer);
struct model_object *model_created(struct model *m, u64 id);

u32 model_count(const struct model *m, enum model_kind kind);
struct model_object *model_nth(struct model *m, enum model_kind kind, u32 n);
struct model_object *model_pending(struct model *m, u32 n);

void model_execute(struct model *m, struct model_object *event);
void model_fail(struct model_object *event, u16 error);

#endif /* _FUZZ_MODEL_H */
