// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The batch format: launches.  The rules stand in batch.c.
 */
#include "batch.h"

static u16 check_kind(const struct vacc_batch_launch *r, struct eng_reason *reason)
{
	if (le16_to_cpu(r->in_type) != VACC_TYPE_F16 ||
	    le16_to_cpu(r->weight_type) != VACC_TYPE_F16 ||
	    le16_to_cpu(r->out_type) != VACC_TYPE_F16 ||
	    le16_to_cpu(r->accumulator_type) != VACC_TYPE_F32)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "the device multiplies f16 by f16 in f32 to f16 only");
	if (le16_to_cpu(r->epilogue) != VACC_EPILOGUE_NONE)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "the device has no epilogues");
	if (le32_to_cpu(r->aux.slot) != VACC_BATCH_NO_SLOT)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "the device takes no aux region");
	if (r->aux.type || r->aux.reserved || r->aux.offset || r->aux.row_stride)
		return eng_refuse(reason, ENG_INVALID,
				  "an aux region that is none is not zero");
	if (!eng_batch_zero(r->reserved, sizeof(r->reserved)) ||
	    r->in.reserved || r->weight.reserved || r->out.reserved)
		return eng_refuse(reason, ENG_INVALID,
				  "a reserved field of the launch is not zero");
	if (!r->rows || !r->in_features || !r->out_features)
		return eng_refuse(reason, ENG_INVALID,
				  "a dimension of the launch is zero");
	return ENG_OK;
}

/* Where a region may end: its fixed rows, or one, are in the slot's min_bytes. */
static u16 check_extent(const struct eng_slot *slot, const struct eng_region *region,
			u32 rows, bool varies, struct eng_reason *reason)
{
	u64 end;

	if (!eng_region_end(region, rows, &end))
		return eng_refuse(reason, ENG_INVALID, "the end of a region overflows");
	if (varies && !eng_region_end(region, 1, &end))
		return eng_refuse(reason, ENG_INVALID, "the end of a region overflows");
	if (end > slot->min_bytes)
		return eng_refuse(reason, ENG_INVALID,
				  "a region does not end within its slot's min_bytes");
	return ENG_OK;
}

/* All three types are f16, which the launch has been checked for. */
static u16 read_region(struct eng_batch *b, const struct vacc_batch_region *r,
		       u8 uses, u32 features, struct eng_region *region)
{
	const u64 element = 2;
	struct eng_slot *slot;
	u64 stride = le64_to_cpu(r->row_stride);
	u16 status = eng_batch_use(b, le32_to_cpu(r->slot), uses, &region->slot);

	if (status != ENG_OK)
		return status;
	slot = &b->program->slots[region->slot];
	if (le16_to_cpu(r->type) != VACC_TYPE_F16)
		return eng_refuse(b->reason, ENG_INVALID,
				  "a region has another element type than its launch");
	if (slot->type != VACC_TYPE_UNTYPED && slot->type != VACC_TYPE_F16)
		return eng_refuse(b->reason, ENG_INVALID,
				  "a region has another element type than its slot");
	region->offset = le64_to_cpu(r->offset);
	region->row_bytes = features * element;
	region->stride = stride ? stride : region->row_bytes;
	if (region->offset % element || region->stride % element)
		return eng_refuse(b->reason, ENG_INVALID,
				  "a region's offset or stride is not aligned to its elements");
	if (uses == VIRTIO_ACCEL_ACCESS_WRITE && region->stride < region->row_bytes)
		return eng_refuse(b->reason, ENG_INVALID,
				  "rows of the output overlap");
	/* Also an untyped slot is bound aligned, and to no other type's buffer. */
	slot->needs_type = VACC_TYPE_F16;
	slot->offset_align = max_t(u32, slot->offset_align, element);
	return ENG_OK;
}

static u16 read_rows_slot(struct eng_batch *b, u32 number, struct eng_launch *launch)
{
	const struct eng_slot *slot;
	u64 most;
	u16 status;

	launch->rows_slot = ENG_NO_INDEX;
	if (number == VACC_BATCH_NO_SLOT)
		return ENG_OK;
	status = eng_batch_use(b, number, ENG_USED_FOR_ROWS, &launch->rows_slot);
	if (status != ENG_OK)
		return status;
	slot = &b->program->slots[launch->rows_slot];
	if (!slot->row_unit)
		return eng_refuse(b->reason, ENG_INVALID,
				  "rows are taken from a slot without row_unit");
	if (check_mul_overflow((u64)launch->rows, slot->row_unit, &most))
		return eng_refuse(b->reason, ENG_INVALID,
				  "rows times row_unit overflows");
	if (most < slot->min_bytes)
		return eng_refuse(b->reason, ENG_INVALID,
				  "the most rows are fewer than min_bytes has");
	return ENG_OK;
}

static u16 read_regions(struct eng_batch *b, const struct vacc_batch_launch *r,
			struct eng_launch *launch)
{
	const struct eng_slot *slots = b->program->slots;
	bool varies = launch->rows_slot != ENG_NO_INDEX;
	u16 status;

	status = read_region(b, &r->in, VIRTIO_ACCEL_ACCESS_READ,
			     launch->in_features, &launch->in);
	if (status == ENG_OK)
		status = check_extent(&slots[launch->in.slot], &launch->in,
				      launch->rows, varies, b->reason);
	if (status == ENG_OK)
		status = read_region(b, &r->weight, VIRTIO_ACCEL_ACCESS_READ,
				     launch->in_features, &launch->weight);
	if (status == ENG_OK)
		status = check_extent(&slots[launch->weight.slot], &launch->weight,
				      launch->out_features, false, b->reason);
	if (status == ENG_OK)
		status = read_region(b, &r->out, VIRTIO_ACCEL_ACCESS_WRITE,
				     launch->out_features, &launch->out);
	if (status == ENG_OK)
		status = check_extent(&slots[launch->out.slot], &launch->out,
				      launch->rows, varies, b->reason);
	return status;
}

static u16 read_launch(struct eng_batch *b, const struct vacc_batch_launch *r,
		       struct eng_launch *launch)
{
	u16 status = check_kind(r, b->reason);

	if (status != ENG_OK)
		return status;
	launch->rows = le32_to_cpu(r->rows);
	launch->in_features = le32_to_cpu(r->in_features);
	launch->out_features = le32_to_cpu(r->out_features);
	launch->command = ENG_NO_INDEX;
	status = read_rows_slot(b, le32_to_cpu(r->rows_slot), launch);
	if (status == ENG_OK)
		status = read_regions(b, r, launch);
	return status;
}

/* Bindings may overlap in any way, but for those of different slots if told so. */
static void note_scratch(struct eng_program *program, const struct eng_launch *launch)
{
	u64 bytes = eng_launch_scratch(launch, launch->rows,
				       !program->no_alias ||
				       launch->in.slot == launch->out.slot,
				       !program->no_alias ||
				       launch->weight.slot == launch->out.slot);

	program->info.max_scratch_bytes = max(program->info.max_scratch_bytes, bytes);
}

/**
 * eng_batch_launches() - read an artifact's launches
 * @b: the artifact, its slots read
 *
 * Context: process context, may sleep.
 * Return: as eng_program_load().
 */
u16 eng_batch_launches(struct eng_batch *b)
{
	struct eng_program *p = b->program;
	struct vacc_batch_launch record;
	u32 i;

	for (i = 0; i < p->info.launch_count; i++) {
		u16 status;

		memcpy(&record, b->launches + (size_t)i * sizeof(record),
		       sizeof(record));
		status = read_launch(b, &record, &p->launches[i]);
		if (status != ENG_OK) {
			b->reason->launch = i;
			return status;
		}
		note_scratch(p, &p->launches[i]);
		if (i % ENG_BATCH_TURN == 0)
			eng_resched();
	}
	return ENG_OK;
}
