/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reading a batch artifact: what its files share.
 */
#ifndef _VACC_ENGINE_BATCH_H
#define _VACC_ENGINE_BATCH_H

#include "summary.h"

#define ENG_OK			VIRTIO_ACCEL_S_OK
#define ENG_UNSUPPORTED		VIRTIO_ACCEL_S_UNSUPPORTED
#define ENG_INCOMPATIBLE	VIRTIO_ACCEL_S_INCOMPATIBLE
#define ENG_INVALID		VIRTIO_ACCEL_S_INVALID_ARGUMENT
#define ENG_LIMIT		VIRTIO_ACCEL_S_RESOURCE_LIMIT

/* Records between two chances for others to run. */
#define ENG_BATCH_TURN		1024

/**
 * struct eng_batch - an artifact while it is read
 * @program: what it becomes
 * @slots: its records of slots
 * @commands: its records of commands
 * @launches: its records of launches
 * @data_bytes: bytes of its data
 * @has_upload: a command uses the data
 * @reason: why it is refused
 */
struct eng_batch {
	struct eng_program *program;
	const u8 *slots;
	const u8 *commands;
	const u8 *launches;
	u64 data_bytes;
	bool has_upload;
	struct eng_reason *reason;
};

u16 eng_batch_launches(struct eng_batch *b);
u16 eng_batch_commands(struct eng_batch *b);

/**
 * eng_batch_use() - note what a record does with a slot
 * @b: the artifact
 * @number: the slot's number
 * @uses: VIRTIO_ACCEL_ACCESS_* and ENG_USED*
 * @index: where its index goes
 *
 * Context: any.
 * Return: OK, or INVALID_ARGUMENT where there is no such slot.
 */
static inline u16 eng_batch_use(struct eng_batch *b, u32 number, u8 uses, u32 *index)
{
	*index = eng_program_find_slot(b->program, number);
	if (*index == ENG_NO_INDEX)
		return eng_refuse(b->reason, ENG_INVALID,
				  "it names a slot that is not declared");
	b->program->slots[*index].uses |= uses | ENG_USED;
	return ENG_OK;
}

/**
 * eng_batch_zero() - is something all zero
 * @from: its first byte
 * @bytes: its length
 *
 * Context: any.
 * Return: whether it is.
 */
static inline bool eng_batch_zero(const void *from, size_t bytes)
{
	const u8 *p = from;

	while (bytes--)
		if (*p++)
			return false;
	return true;
}

#endif /* _VACC_ENGINE_BATCH_H */
