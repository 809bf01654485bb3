/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Numbers of objects: opaque to a driver, never reused, never another kind's.
 *
 *	63      42 41       21 20  18 17    0
 *	epoch      generation  kind   slot
 *
 * A slot that has had all its generations is retired until the next epoch.  No
 * epoch comes twice.
 */
#ifndef _ENG_IDS_H
#define _ENG_IDS_H

#include "env_sync.h"

enum eng_kind {
	ENG_KIND_NONE,
	ENG_KIND_CONTEXT,
	ENG_KIND_BUFFER,
	ENG_KIND_IMAGE,
	ENG_KIND_QUEUE,
	ENG_KIND_EVENT,
	ENG_KIND_COUNT,
};

#define ENG_ID_SLOT_BITS	18
#define ENG_ID_KIND_BITS	3
#define ENG_ID_GENERATION_BITS	21
#define ENG_ID_EPOCH_BITS	22
#define ENG_ID_MAX_SLOTS	(1U << ENG_ID_SLOT_BITS)
#define ENG_ID_MAX_GENERATION	((1U << ENG_ID_GENERATION_BITS) - 1)
#define ENG_ID_MAX_EPOCH	((1U << ENG_ID_EPOCH_BITS) - 1)

/* Slots are made by so many. */
#define ENG_ID_CHUNK		256

struct eng_id_slot {
	void *object;			/* NULL until it is published */
	u32 generation;
	u32 next;			/* free one, or ENG_ID_MAX_SLOTS */
	bool taken;
};

/**
 * struct eng_ids - numbers of one kind
 * @kind: the kind
 * @max: slots that there may be
 * @generations: after so many a slot is retired
 * @epoch: part of all numbers that are given now
 * @count: slots that there are
 * @first: free slot that is taken next, or ENG_ID_MAX_SLOTS
 * @last: free slot that is taken last
 * @chunks: the slots
 */
struct eng_ids {
	enum eng_kind kind;
	u32 max;
	u32 generations;
	u32 epoch;
	u32 count;
	u32 first;
	u32 last;
	struct eng_id_slot **chunks;
};

u16 eng_ids_init(struct eng_ids *ids, enum eng_kind kind, u64 max,
		 u32 generations);
void eng_ids_fini(struct eng_ids *ids);
void eng_ids_restart(struct eng_ids *ids, u32 epoch);
u16 eng_ids_reserve(struct eng_ids *ids, struct eng_mutex *lock, u64 *id);
void eng_ids_publish(struct eng_ids *ids, u64 id, void *object);
void *eng_ids_find(const struct eng_ids *ids, u64 id);
void eng_ids_drop(struct eng_ids *ids, u64 id);
void *eng_ids_next(const struct eng_ids *ids, u32 *slot);

#endif /* _ENG_IDS_H */
