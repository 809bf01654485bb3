// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The batch format: what a loader takes, and what it answers to the rest.
 *
 * Statuses.  What a later version or another device might mean is UNSUPPORTED: an
 * unknown feature bit, flag, operation, element type or epilogue, an aux region.
 * Another target or version, and another resident charge of the load than the
 * header's, are INCOMPATIBLE.  Counts above VACC_BATCH_MAX_* are RESOURCE_LIMIT,
 * before anything is allocated.  All else that breaks a rule is INVALID_ARGUMENT,
 * every overflow of offsets and products among it.  Several faults: header before
 * slots before launches before commands, records in their order, and last what takes
 * all of them.
 *
 * Header, in this order:
 *  - the load's target (INCOMPATIBLE);
 *  - the payload has at least the length of a header; the magic;
 *  - major and minor are 1 and 0 (INCOMPATIBLE);
 *  - required_features is 0, flags has no unknown bit (UNSUPPORTED);
 *  - total_bytes is the payload's length; reserved bytes are 0;
 *  - slots and commands are not empty; counts keep their bounds (RESOURCE_LIMIT);
 *  - record lengths are those of 1.0;
 *  - header, slots, commands, launches and data lie one after another without gaps:
 *    data_offset and data_bytes follow from the rest;
 *  - resident_bytes is what vacc_batch_resident() says; the load says the same
 *    (INCOMPATIBLE).
 * Slots:
 *  - flags (UNSUPPORTED), reserved; the number is not VACC_BATCH_NO_SLOT and comes
 *    once, in any order; access is one of the three; the element type exists
 *    (UNSUPPORTED); offset_align is a power of two; min_bytes is not 0;
 *  - some command uses the slot (a barrier that stands at it is a use; so is a
 *    launch that takes its rows from it), and access covers all uses;
 *  - row_unit is not 0 if and only if a launch takes its rows from it.
 * Commands:
 *  - op (UNSUPPORTED), flags (UNSUPPORTED), reserved; fields that the operation does
 *    not use are 0, or VACC_BATCH_NO_SLOT;
 *  - slots that are named are declared; bytes is not 0; offset + bytes keeps within
 *    the slot's min_bytes, and of an upload within the data.  These ranges are
 *    bytes: element types do not align them;
 *  - both slots of a copy have the same element type, or one is untyped.  They may be
 *    the same slot, and the ranges may overlap;
 *  - data without any upload are refused; uploads may share data;
 *  - launches of a dense-linear: at least one, and each launch belongs to exactly one
 *    command, in any order.
 * Launches:
 *  - types are f16, f16, f16, f32, epilogue is none, aux.slot is none (UNSUPPORTED);
 *    reserved; the rest of aux is 0; no dimension is 0;
 *  - each region's slot is declared; its type is the launch's, and the slot's where
 *    that has one; offset and stride are multiples of the element;
 *  - rows of the output do not overlap: its row_stride is 0 or at least a row.  Rows
 *    of the other two may;
 *  - a region whose rows are fixed ends within the slot's min_bytes.  One whose rows
 *    vary has room for one row there; the rest is compared with the bound range at
 *    submission.  With rows at their maximum no end overflows;
 *  - rows_slot is declared and has a row_unit; rows * row_unit fits 64 bits and is
 *    not below min_bytes.
 *
 * At submission (check.c, INCOMPATIBLE): as many bindings as slots, each at a
 * slot; access equal to the slot's; no buffer's element type contradicts the slot's,
 * a region's or that of the other end of a copy; the offset is a multiple of
 * offset_align, and of the element size where a launch uses the slot; at least
 * min_bytes; a range that gives rows is a multiple of row_unit, and rows do not
 * exceed the launch's; regions end within their ranges; with NO_ALIAS no two bound
 * ranges overlap.
 */
#include "batch.h"

static u16 check_counts(const struct vacc_batch_header *h, struct eng_reason *reason)
{
	if (!le32_to_cpu(h->slot_count))
		return eng_refuse(reason, ENG_INVALID, "the batch has no slots");
	if (!le32_to_cpu(h->command_count))
		return eng_refuse(reason, ENG_INVALID, "the batch has no commands");
	if (le32_to_cpu(h->slot_count) > VACC_BATCH_MAX_SLOTS)
		return eng_refuse(reason, ENG_LIMIT, "too many slots");
	if (le32_to_cpu(h->command_count) > VACC_BATCH_MAX_COMMANDS)
		return eng_refuse(reason, ENG_LIMIT, "too many commands");
	if (le32_to_cpu(h->launch_count) > VACC_BATCH_MAX_LAUNCHES)
		return eng_refuse(reason, ENG_LIMIT, "too many launches");
	if (le32_to_cpu(h->slot_bytes) != sizeof(struct vacc_batch_slot) ||
	    le32_to_cpu(h->command_bytes) != sizeof(struct vacc_batch_command) ||
	    le32_to_cpu(h->launch_bytes) != sizeof(struct vacc_batch_launch))
		return eng_refuse(reason, ENG_INVALID,
				  "a record length is not that of version 1.0");
	return ENG_OK;
}

/* Counts keep their bounds, so that the sum of the records fits easily. */
static u16 check_sections(const struct vacc_batch_header *h, u64 total,
			  struct eng_reason *reason)
{
	u64 records = sizeof(*h) +
		(u64)le32_to_cpu(h->slot_count) * sizeof(struct vacc_batch_slot) +
		(u64)le32_to_cpu(h->command_count) * sizeof(struct vacc_batch_command) +
		(u64)le32_to_cpu(h->launch_count) * sizeof(struct vacc_batch_launch);

	if (total < records || le64_to_cpu(h->data_offset) != records ||
	    le64_to_cpu(h->data_bytes) != total - records)
		return eng_refuse(reason, ENG_INVALID,
				  "the sections do not fill the artifact exactly");
	return ENG_OK;
}

static u16 check_resident(const struct vacc_batch_header *h,
			  const struct eng_load *load, struct eng_reason *reason)
{
	u64 resident = vacc_batch_resident(le32_to_cpu(h->slot_count),
					   le32_to_cpu(h->command_count),
					   le32_to_cpu(h->launch_count),
					   le64_to_cpu(h->data_bytes));

	if (le64_to_cpu(h->resident_bytes) != resident)
		return eng_refuse(reason, ENG_INVALID,
				  "the artifact's resident charge does not follow from its counts");
	if (load->resident_bytes != resident)
		return eng_refuse(reason, ENG_INCOMPATIBLE,
				  "the declared resident charge is not the artifact's");
	return ENG_OK;
}

static u16 check_header(const struct eng_load *load, struct vacc_batch_header *h,
			struct eng_reason *reason)
{
	u16 status;

	if (!eng_target_is(load, VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			   VACC_BATCH_TARGET2, VACC_BATCH_TARGET3))
		return eng_refuse(reason, ENG_INCOMPATIBLE,
				  "the artifact was built for another target");
	if (load->payload_bytes < sizeof(*h))
		return eng_refuse(reason, ENG_INVALID,
				  "the artifact is shorter than its header");
	memcpy(h, load->payload, sizeof(*h));
	if (le32_to_cpu(h->magic) != VACC_BATCH_MAGIC)
		return eng_refuse(reason, ENG_INVALID, "the magic is not VABT");
	if (le16_to_cpu(h->major) != VACC_BATCH_MAJOR ||
	    le16_to_cpu(h->minor) != VACC_BATCH_MINOR)
		return eng_refuse(reason, ENG_INCOMPATIBLE,
				  "the version of the artifact is not 1.0");
	if (h->required_features)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "the batch needs a feature that the device does not have");
	if (le32_to_cpu(h->flags) & ~VACC_BATCH_NO_ALIAS)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "the batch has an unknown flag");
	if (le64_to_cpu(h->total_bytes) != load->payload_bytes)
		return eng_refuse(reason, ENG_INVALID,
				  "the artifact has another length than it says");
	if (h->reserved0 || !eng_batch_zero(h->reserved1, sizeof(h->reserved1)))
		return eng_refuse(reason, ENG_INVALID,
				  "a reserved byte of the header is not zero");
	status = check_counts(h, reason);
	if (status == ENG_OK)
		status = check_sections(h, load->payload_bytes, reason);
	if (status == ENG_OK)
		status = check_resident(h, load, reason);
	return status;
}

static u16 check_slot(const struct vacc_batch_slot *r, struct eng_slot *slot,
		      struct eng_reason *reason)
{
	slot->number = le32_to_cpu(r->slot);
	slot->access = r->access;
	slot->type = le16_to_cpu(r->element_type);
	slot->needs_type = slot->type;
	slot->offset_align = le32_to_cpu(r->offset_align);
	slot->min_bytes = le64_to_cpu(r->min_bytes);
	slot->row_unit = le64_to_cpu(r->row_unit);

	if (r->flags)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "a slot has an unknown flag");
	if (r->reserved)
		return eng_refuse(reason, ENG_INVALID,
				  "a reserved byte of a slot is not zero");
	if (slot->number == VACC_BATCH_NO_SLOT)
		return eng_refuse(reason, ENG_INVALID,
				  "a slot has the number that stands for none");
	if (!slot->access || slot->access > VIRTIO_ACCEL_ACCESS_READ_WRITE)
		return eng_refuse(reason, ENG_INVALID,
				  "a slot's access is neither read nor write nor both");
	if (le16_to_cpu(r->element_type) >= VACC_TYPE_COUNT)
		return eng_refuse(reason, ENG_UNSUPPORTED,
				  "a slot has an unknown element type");
	if (!is_power_of_2(slot->offset_align))
		return eng_refuse(reason, ENG_INVALID,
				  "a slot's offset_align is not a power of two");
	if (!slot->min_bytes)
		return eng_refuse(reason, ENG_INVALID, "a slot's min_bytes is zero");
	return ENG_OK;
}

static int compare_slots(const void *a, const void *b)
{
	u32 x = ((const struct eng_slot *)a)->number;
	u32 y = ((const struct eng_slot *)b)->number;

	return x < y ? -1 : x > y;
}

static u16 read_slots(struct eng_batch *b)
{
	struct eng_program *p = b->program;
	struct vacc_batch_slot record;
	u32 i;

	for (i = 0; i < p->info.slot_count; i++) {
		u16 status;

		memcpy(&record, b->slots + i * sizeof(record), sizeof(record));
		status = check_slot(&record, &p->slots[i], b->reason);
		if (status != ENG_OK)
			return status;
	}
	eng_sort(p->slots, p->info.slot_count, sizeof(*p->slots), compare_slots);
	for (i = 1; i < p->info.slot_count; i++)
		if (p->slots[i - 1].number == p->slots[i].number)
			return eng_refuse(b->reason, ENG_INVALID,
					  "a slot is declared twice");
	return ENG_OK;
}

/* What takes all records: nothing is declared in vain, access covers its uses. */
static u16 check_uses(struct eng_batch *b)
{
	const struct eng_program *p = b->program;
	u32 i;

	for (i = 0; i < p->info.slot_count; i++) {
		const struct eng_slot *slot = &p->slots[i];

		if (!slot->uses)
			return eng_refuse(b->reason, ENG_INVALID,
					  "no command uses one of the slots");
		if (slot->uses & VIRTIO_ACCEL_ACCESS_READ_WRITE & ~slot->access)
			return eng_refuse(b->reason, ENG_INVALID,
					  "a slot's access does not cover its uses");
		if (slot->row_unit && !(slot->uses & ENG_USED_FOR_ROWS))
			return eng_refuse(b->reason, ENG_INVALID,
					  "no launch takes rows from a slot with a row_unit");
	}
	for (i = 0; i < p->info.launch_count; i++) {
		if (p->launches[i].command != ENG_NO_INDEX)
			continue;
		b->reason->launch = i;
		return eng_refuse(b->reason, ENG_INVALID,
				  "no command has one of the launches");
	}
	if (b->data_bytes && !b->has_upload)
		return eng_refuse(b->reason, ENG_INVALID, "no upload uses the data");
	return ENG_OK;
}

static u16 read_records(struct eng_batch *b)
{
	u16 status = read_slots(b);

	if (status == ENG_OK)
		status = eng_batch_launches(b);
	if (status == ENG_OK)
		status = eng_batch_commands(b);
	if (status == ENG_OK)
		status = check_uses(b);
	return status;
}

/**
 * eng_batch_load() - load an artifact of the batch format
 * @load: the artifact
 * @program: where the program goes
 * @reason: filled in where it is refused
 *
 * Context: process context, may sleep.
 * Return: as eng_program_load().
 */
u16 eng_batch_load(const struct eng_load *load, struct eng_program **program,
		   struct eng_reason *reason)
{
	struct vacc_batch_header h;
	struct eng_batch b = { .reason = reason };
	struct eng_program *p;
	u16 status = check_header(load, &h, reason);

	if (status != ENG_OK)
		return status;
	b.data_bytes = le64_to_cpu(h.data_bytes);
	p = eng_program_alloc(le32_to_cpu(h.slot_count), le32_to_cpu(h.command_count),
			      le32_to_cpu(h.launch_count), b.data_bytes);
	if (!p)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	b.program = p;
	b.slots = (const u8 *)load->payload + sizeof(h);
	b.commands = b.slots + p->info.slot_count * sizeof(struct vacc_batch_slot);
	b.launches = b.commands +
		     p->info.command_count * sizeof(struct vacc_batch_command);
	p->no_alias = le32_to_cpu(h.flags) & VACC_BATCH_NO_ALIAS;

	status = read_records(&b);
	if (status != ENG_OK) {
		eng_program_free(p);
		return status;
	}
	memcpy(p->data, b.launches +
	       p->info.launch_count * sizeof(struct vacc_batch_launch), b.data_bytes);
	*program = p;
	return ENG_OK;
}
