/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What is left of an artifact once it is validated.  Only the files that load,
 * check and run programs look in here.
 */
#ifndef _VACC_ENGINE_SUMMARY_H
#define _VACC_ENGINE_SUMMARY_H

#include <linux/vacc_reference.h>
#include <linux/virtio_accel.h>

#include "program.h"

/* What commands do with a slot, besides VIRTIO_ACCEL_ACCESS_*. */
#define ENG_USED		4
#define ENG_USED_FOR_ROWS	8

/**
 * struct eng_slot - a slot, for a run to bind
 * @number: what artifact and binding call it
 * @access: access that a binding must have, 0 for any
 * @type: element type that it declares
 * @needs_type: element type that bound buffers must not contradict
 * @flags: VACC_SLOT_*
 * @uses: ENG_USED* and VIRTIO_ACCEL_ACCESS_* of all commands together
 * @offset_align: power of two that a binding's offset is a multiple of
 * @min_bytes: least bound length
 * @row_unit: bytes of one row where rows are taken from here, else 0
 */
struct eng_slot {
	u32 number;
	u8 access;
	u8 type;
	u8 needs_type;
	u8 flags;
	u8 uses;
	u32 offset_align;
	u64 min_bytes;
	u64 row_unit;
};

/**
 * struct eng_region - rows inside a bound range
 * @slot: index of the slot
 * @offset: of the first byte in the range
 * @stride: bytes from row to row
 * @row_bytes: bytes of a row
 */
struct eng_region {
	u32 slot;
	u64 offset;
	u64 stride;
	u64 row_bytes;
};

/**
 * struct eng_launch - one matrix product
 * @in: rows x in_features
 * @weight: out_features x in_features
 * @out: rows x out_features
 * @rows: rows, or their maximum
 * @in_features: terms of each sum
 * @out_features: outputs of each row
 * @rows_slot: index of the slot that rows are taken from, or ENG_NO_INDEX
 * @command: index of the command that it belongs to
 */
struct eng_launch {
	struct eng_region in;
	struct eng_region weight;
	struct eng_region out;
	u32 rows;
	u32 in_features;
	u32 out_features;
	u32 rows_slot;
	u32 command;
};

/**
 * struct eng_command - one command
 * @op: VACC_BATCH_OP_*
 * @value: byte of a fill or xor
 * @whole: moves all that is bound, whatever @bytes says
 * @src: index of the source's slot, or ENG_NO_INDEX
 * @dst: index of the destination's slot, or ENG_NO_INDEX
 * @first_launch: of a dense-linear
 * @launch_count: of a dense-linear
 * @src_offset: first byte in the source's range
 * @dst_offset: first byte in the destination's range
 * @bytes: how many
 * @data_offset: of an upload, in the program's data
 */
struct eng_command {
	u16 op;
	u8 value;
	bool whole;
	u32 src;
	u32 dst;
	u32 first_launch;
	u32 launch_count;
	u64 src_offset;
	u64 dst_offset;
	u64 bytes;
	u64 data_offset;
};

/**
 * struct eng_program - a program
 * @info: what it has
 * @no_alias: no two of its bindings may overlap
 * @slots: its slots by number
 * @commands: its commands in order
 * @launches: launches of its commands
 * @data: what uploads write
 *
 * One allocation with all that it points to.
 */
struct eng_program {
	struct eng_program_info info;
	bool no_alias;
	struct eng_slot *slots;
	struct eng_command *commands;
	struct eng_launch *launches;
	u8 *data;
};

struct eng_program *eng_program_alloc(u32 slots, u32 commands, u32 launches,
				      u64 data_bytes);
u32 eng_program_find_slot(const struct eng_program *program, u32 number);
u64 eng_launch_scratch(const struct eng_launch *launch, u32 rows,
		       bool in_overlaps, bool weight_overlaps);
u16 eng_refuse(struct eng_reason *reason, u16 status, const char *text);

u16 eng_ref_load(const struct eng_load *load, struct eng_program **program,
		 struct eng_reason *reason);
u16 eng_batch_load(const struct eng_load *load, struct eng_program **program,
		   struct eng_reason *reason);

/**
 * eng_target_is() - was an artifact built for this
 * @load: the load
 * @w0: first word of the target
 * @w1: second word
 * @w2: third word
 * @w3: fourth word; the others are zero
 *
 * Context: any.
 * Return: whether it was.
 */
static inline bool eng_target_is(const struct eng_load *load, u32 w0, u32 w1,
				 u32 w2, u32 w3)
{
	const u32 want[12] = { w0, w1, w2, w3 };

	return !memcmp(load->target, want, sizeof(want));
}

/**
 * eng_region_end() - where a region ends
 * @region: the region
 * @rows: its rows, not zero
 * @end: first byte after it, in the range
 *
 * Context: any.
 * Return: false where that does not fit 64 bits.
 */
static inline bool eng_region_end(const struct eng_region *region, u32 rows,
				  u64 *end)
{
	u64 last;

	return !check_mul_overflow((u64)(rows - 1), region->stride, &last) &&
	       !check_add_overflow(last, region->offset, &last) &&
	       !check_add_overflow(last, region->row_bytes, end);
}

/**
 * eng_region_packed() - bytes of a copy of a region
 * @region: the region
 * @rows: its rows
 *
 * Rows that overlap are copied as they lie; others are packed.
 *
 * Context: any.
 * Return: the bytes, which fit 64 bits where the region's end does.
 */
static inline u64 eng_region_packed(const struct eng_region *region, u32 rows)
{
	if (region->stride < region->row_bytes)
		return (rows - 1) * region->stride + region->row_bytes;
	return rows * region->row_bytes;
}

#endif /* _VACC_ENGINE_SUMMARY_H */
