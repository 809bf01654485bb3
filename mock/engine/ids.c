// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Numbers of objects.  Free slots are taken in the order in which they became
 * free, so that all of them age alike.
 */
#include "ids.h"

#include <linux/virtio_accel.h>

#define ENG_ID_KIND_SHIFT	ENG_ID_SLOT_BITS
#define ENG_ID_GENERATION_SHIFT	(ENG_ID_KIND_SHIFT + ENG_ID_KIND_BITS)
#define ENG_ID_EPOCH_SHIFT	(ENG_ID_GENERATION_SHIFT + ENG_ID_GENERATION_BITS)

static struct eng_id_slot *eng_ids_at(const struct eng_ids *ids, u32 slot)
{
	return &ids->chunks[slot / ENG_ID_CHUNK][slot % ENG_ID_CHUNK];
}

static u64 eng_ids_number(const struct eng_ids *ids, u32 slot)
{
	return (u64)ids->epoch << ENG_ID_EPOCH_SHIFT |
	       (u64)eng_ids_at(ids, slot)->generation << ENG_ID_GENERATION_SHIFT |
	       (u64)ids->kind << ENG_ID_KIND_SHIFT | slot;
}

/* The slot of a number that is out: one comparison covers all its parts. */
static struct eng_id_slot *eng_ids_slot(const struct eng_ids *ids, u64 id)
{
	u32 index = id & (ENG_ID_MAX_SLOTS - 1);
	struct eng_id_slot *slot;

	if (index >= ids->count)
		return NULL;
	slot = eng_ids_at(ids, index);
	return slot->taken && eng_ids_number(ids, index) == id ? slot : NULL;
}

static void eng_ids_append(struct eng_ids *ids, u32 index)
{
	eng_ids_at(ids, index)->next = ENG_ID_MAX_SLOTS;
	if (ids->first == ENG_ID_MAX_SLOTS)
		ids->first = index;
	else
		eng_ids_at(ids, ids->last)->next = index;
	ids->last = index;
}

/**
 * eng_ids_init() - begin to number
 * @ids: the numbers
 * @kind: of what
 * @max: how many objects there may be at a time
 * @generations: how often a slot is used, or 0 for as often as possible
 *
 * Context: May sleep.
 * Return: OK, or OUT_OF_MEMORY.
 */
u16 eng_ids_init(struct eng_ids *ids, enum eng_kind kind, u64 max,
		 u32 generations)
{
	memset(ids, 0, sizeof(*ids));
	ids->kind = kind;
	ids->max = min_t(u64, max, ENG_ID_MAX_SLOTS);
	ids->generations = generations ?: ENG_ID_MAX_GENERATION;
	ids->generations = min_t(u32, ids->generations, ENG_ID_MAX_GENERATION);
	ids->epoch = 1;
	ids->first = ENG_ID_MAX_SLOTS;
	ids->chunks = eng_zalloc((ids->max / ENG_ID_CHUNK + 1) *
				 sizeof(*ids->chunks));
	return ids->chunks ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_OUT_OF_MEMORY;
}

/**
 * eng_ids_fini() - end numbering
 * @ids: the numbers; zeroed ones do no harm
 *
 * Context: May sleep.
 */
void eng_ids_fini(struct eng_ids *ids)
{
	u32 i;

	for (i = 0; i * ENG_ID_CHUNK < ids->count; i++)
		eng_free(ids->chunks[i]);
	eng_free(ids->chunks);
	memset(ids, 0, sizeof(*ids));
}

/**
 * eng_ids_restart() - make all numbers stale and begin anew
 * @ids: the numbers
 * @epoch: one that has not been before
 *
 * Context: Any task.
 */
void eng_ids_restart(struct eng_ids *ids, u32 epoch)
{
	u32 i;

	ids->epoch = epoch;
	ids->first = ENG_ID_MAX_SLOTS;
	for (i = 0; i < ids->count; i++) {
		*eng_ids_at(ids, i) = (struct eng_id_slot){ .generation = 1 };
		eng_ids_append(ids, i);
	}
}

static bool eng_ids_take(struct eng_ids *ids, u64 *id)
{
	struct eng_id_slot *slot;

	if (ids->first == ENG_ID_MAX_SLOTS)
		return false;
	slot = eng_ids_at(ids, ids->first);
	slot->taken = true;
	slot->object = NULL;
	*id = eng_ids_number(ids, ids->first);
	ids->first = slot->next;
	return true;
}

static void eng_ids_add(struct eng_ids *ids, struct eng_id_slot *chunk)
{
	u32 end = min_t(u32, ids->max, ids->count + ENG_ID_CHUNK);

	ids->chunks[ids->count / ENG_ID_CHUNK] = chunk;
	while (ids->count < end) {
		u32 index = ids->count++;

		eng_ids_at(ids, index)->generation = 1;
		eng_ids_append(ids, index);
	}
}

/**
 * eng_ids_reserve() - get a number that resolves to nothing yet
 * @ids: the numbers
 * @lock: lock under which others look at them, or NULL; not held while memory
 *	is allocated
 * @id: the number
 *
 * Context: May sleep.  One caller at a time.
 * Return: OK, RESOURCE_LIMIT or OUT_OF_MEMORY.
 */
u16 eng_ids_reserve(struct eng_ids *ids, struct eng_mutex *lock, u64 *id)
{
	struct eng_id_slot *chunk;
	bool taken;

	if (lock)
		eng_mutex_lock(lock);
	taken = eng_ids_take(ids, id);
	if (lock)
		eng_mutex_unlock(lock);
	if (taken)
		return VIRTIO_ACCEL_S_OK;
	if (ids->count == ids->max)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;

	chunk = eng_zalloc(ENG_ID_CHUNK * sizeof(*chunk));
	if (!chunk)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (lock)
		eng_mutex_lock(lock);
	eng_ids_add(ids, chunk);
	taken = eng_ids_take(ids, id);
	if (lock)
		eng_mutex_unlock(lock);
	return taken ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_RESOURCE_LIMIT;
}

/**
 * eng_ids_publish() - let a number resolve
 * @ids: the numbers
 * @id: a number that was reserved
 * @object: what it stands for
 *
 * Context: Any task.
 */
void eng_ids_publish(struct eng_ids *ids, u64 id, void *object)
{
	struct eng_id_slot *slot = eng_ids_slot(ids, id);

	if (slot)
		slot->object = object;
}

/**
 * eng_ids_find() - resolve a number
 * @ids: the numbers
 * @id: any number at all
 *
 * Context: Any task.
 * Return: the object, or NULL where the number is stale, of another kind, or was
 * never given.
 */
void *eng_ids_find(const struct eng_ids *ids, u64 id)
{
	struct eng_id_slot *slot = eng_ids_slot(ids, id);

	return slot ? slot->object : NULL;
}

/**
 * eng_ids_drop() - end a number, published or not
 * @ids: the numbers
 * @id: the number
 *
 * Context: Any task.
 */
void eng_ids_drop(struct eng_ids *ids, u64 id)
{
	struct eng_id_slot *slot = eng_ids_slot(ids, id);

	if (!slot)
		return;
	slot->taken = false;
	slot->object = NULL;
	if (slot->generation < ids->generations) {
		slot->generation++;
		eng_ids_append(ids, id & (ENG_ID_MAX_SLOTS - 1));
	}
}

/**
 * eng_ids_next() - go through all objects
 * @ids: the numbers
 * @slot: 0 to begin with
 *
 * Context: Any task.
 * Return: the next published object, or NULL at the end.
 */
void *eng_ids_next(const struct eng_ids *ids, u32 *slot)
{
	while (*slot < ids->count) {
		const struct eng_id_slot *s = eng_ids_at(ids, (*slot)++);

		if (s->taken && s->object)
			return s->object;
	}
	return NULL;
}
