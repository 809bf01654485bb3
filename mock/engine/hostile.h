/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hostility of a device, to test a driver: replies are lost, late, doubled or
 * falsified when they are returned to it.
 *
 * The device itself stays honest, and its engine does what it said or did not say.
 */
#ifndef _ENG_HOSTILE_H
#define _ENG_HOSTILE_H

#include "env_sync.h"
#include "wire.h"

/**
 * enum eng_hostility - what happens to a reply
 * @ENG_HOSTILE_MUTE: it is never returned
 * @ENG_HOSTILE_LATE: it is returned after @value others, or with value 0 when
 *	eng_ring_push_held() is called
 * @ENG_HOSTILE_STALE: it is returned after the next start of the ring, by its old
 *	number, before the first reply there
 * @ENG_HOSTILE_DUPLICATE: it is returned twice
 * @ENG_HOSTILE_SWAP: it waits for the next, and both exchange their request IDs
 * @ENG_HOSTILE_USED_LENGTH: its used length is @value
 * @ENG_HOSTILE_USED_ID: its number in the ring is @value
 * @ENG_HOSTILE_STATUS: its status is @value
 * @ENG_HOSTILE_FLAGS: its header flags are @value
 * @ENG_HOSTILE_PAYLOAD_LENGTH: its payload length is @value
 * @ENG_HOSTILE_REQUEST_ID: its request ID is @value
 * @ENG_HOSTILE_OBJECT: the first 8 bytes of its payload are @value
 * @ENG_HOSTILE_EVENT_STATE: the state in it is @value
 * @ENG_HOSTILE_EVENT_ERROR: the error in it is @value
 * @ENG_HOSTILE_COUNT: how many there are
 */
enum eng_hostility {
	ENG_HOSTILE_MUTE,
	ENG_HOSTILE_LATE,
	ENG_HOSTILE_STALE,
	ENG_HOSTILE_DUPLICATE,
	ENG_HOSTILE_SWAP,
	ENG_HOSTILE_USED_LENGTH,
	ENG_HOSTILE_USED_ID,
	ENG_HOSTILE_STATUS,
	ENG_HOSTILE_FLAGS,
	ENG_HOSTILE_PAYLOAD_LENGTH,
	ENG_HOSTILE_REQUEST_ID,
	ENG_HOSTILE_OBJECT,
	ENG_HOSTILE_EVENT_STATE,
	ENG_HOSTILE_EVENT_ERROR,
	ENG_HOSTILE_COUNT,
};

/**
 * struct eng_hostile_rule - when and how
 * @what: how
 * @opcode: of which requests, or 0 for all that have a header
 * @skip: replies to them that pass before
 * @count: replies that it meets then, or 0 for all
 * @value: see enum eng_hostility
 */
struct eng_hostile_rule {
	enum eng_hostility what;
	u16 opcode;
	u64 skip;
	u64 count;
	u64 value;
};

/**
 * struct eng_hostile_reply - an element of the used ring
 * @id: number of the chain
 * @used: length
 * @times: how often it is put there
 */
struct eng_hostile_reply {
	u32 id;
	u32 used;
	u32 times;
};

#define ENG_HOSTILE_RULES	16
#define ENG_HOSTILE_HELD	64

/* A reply that waits: for a number of others, or for ever. */
struct eng_hostile_held {
	struct eng_hostile_reply reply;
	u64 wait;
	bool stale;
	bool started;			/* stale ones: the ring has stopped */
};

/**
 * struct eng_hostile - hostility of a device
 * @lock: of all
 * @rules: what to do
 * @rule_count: how many
 * @met: replies that were changed
 * @held: replies that wait
 * @held_count: how many
 * @swap: the reply that waits for the next to exchange request IDs
 * @swap_id: its request ID
 * @swap_segs: the pieces of its header
 * @swap_count: how many, 0 where none waits
 */
struct eng_hostile {
	struct eng_spin lock;
	struct eng_hostile_rule rules[ENG_HOSTILE_RULES];
	u32 rule_count;
	u64 met;
	struct eng_hostile_held held[ENG_HOSTILE_HELD];
	u32 held_count;
	struct eng_hostile_reply swap;
	u64 swap_id;
	struct eng_seg swap_segs[sizeof(struct virtio_accel_resp_hdr)];
	u32 swap_count;
};

void eng_hostile_init(struct eng_hostile *hostile);
void eng_hostile_fini(struct eng_hostile *hostile);
u16 eng_hostile_add(struct eng_hostile *hostile,
		    const struct eng_hostile_rule *rule);
void eng_hostile_clear(struct eng_hostile *hostile);
u64 eng_hostile_met(struct eng_hostile *hostile);
const char *eng_hostility_name(enum eng_hostility what);

void eng_hostile_falsify(struct eng_hostile *hostile, struct eng_chain *chain,
			 struct eng_hostile_reply *reply);
bool eng_hostile_due(struct eng_hostile *hostile, bool all,
		     struct eng_hostile_reply *reply);
void eng_hostile_stopped(struct eng_hostile *hostile);

#endif /* _ENG_HOSTILE_H */
