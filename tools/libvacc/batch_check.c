// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Whether a batch artifact is well-formed: every rule of version 1.0, written
 * from the format and not from what the device does.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DATA_LIMIT	(1ULL << 62)

/**
 * struct slot - a declared slot
 * @number: its number
 * @access: declared access
 * @type: element type
 * @min_bytes: least bound length
 * @row_unit: bytes of a row, 0 where no rows are taken from it
 * @used: whether a command uses it
 * @gives_rows: whether a launch takes its rows from it
 */
struct slot {
	__u32 number;
	__u32 access;
	__u32 type;
	__u64 min_bytes;
	__u64 row_unit;
	bool used;
	bool gives_rows;
};

/**
 * struct check - a check under way
 * @bytes: the artifact
 * @slots: slots by number
 * @slot_count: how many
 * @command_count: commands
 * @launch_count: launches
 * @data_bytes: bytes of data
 * @commands: first command record
 * @launches: first launch record
 * @launched: which launches a command has
 * @uploads: whether a command uploads data
 */
struct check {
	const __u8 *bytes;
	struct slot *slots;
	__u32 slot_count;
	__u32 command_count;
	__u32 launch_count;
	__u64 data_bytes;
	const __u8 *commands;
	const __u8 *launches;
	bool *launched;
	bool uploads;
};

static bool all_zero(const __u8 *bytes, size_t count)
{
	while (count--) {
		if (*bytes++)
			return false;
	}
	return true;
}

static int compare_slots(const void *a, const void *b)
{
	__u32 x = ((const struct slot *)a)->number;
	__u32 y = ((const struct slot *)b)->number;

	return (x > y) - (x < y);
}

static struct slot *find_slot(struct check *check, __u32 number)
{
	struct slot key = { .number = number };

	return bsearch(&key, check->slots, check->slot_count, sizeof(key),
		       compare_slots);
}

static int check_counts(const struct vacc_batch_header *h)
{
	__u32 slots = le32toh(h->slot_count), commands = le32toh(h->command_count);
	__u32 launches = le32toh(h->launch_count);

	if (!slots)
		return vacc_fail(EINVAL, "there are no slots");
	if (!commands)
		return vacc_fail(EINVAL, "there are no commands");
	if (slots > VACC_BATCH_MAX_SLOTS)
		return vacc_fail(ENOSPC, "%u slots are more than %u", slots,
				 VACC_BATCH_MAX_SLOTS);
	if (commands > VACC_BATCH_MAX_COMMANDS)
		return vacc_fail(ENOSPC, "%u commands are more than %u", commands,
				 VACC_BATCH_MAX_COMMANDS);
	if (launches > VACC_BATCH_MAX_LAUNCHES)
		return vacc_fail(ENOSPC, "%u launches are more than %u", launches,
				 VACC_BATCH_MAX_LAUNCHES);
	if (le32toh(h->slot_bytes) != sizeof(struct vacc_batch_slot))
		return vacc_fail(EINVAL, "slot records of %u bytes are not of version 1.0",
				 le32toh(h->slot_bytes));
	if (le32toh(h->command_bytes) != sizeof(struct vacc_batch_command))
		return vacc_fail(EINVAL, "command records of %u bytes are not of version 1.0",
				 le32toh(h->command_bytes));
	if (le32toh(h->launch_bytes) != sizeof(struct vacc_batch_launch))
		return vacc_fail(EINVAL, "launch records of %u bytes are not of version 1.0",
				 le32toh(h->launch_bytes));
	return 0;
}

static int check_header(const struct vacc_batch_header *h, size_t bytes)
{
	__u64 records, data_bytes = le64toh(h->data_bytes);
	int err;

	if (le32toh(h->magic) != VACC_BATCH_MAGIC)
		return vacc_fail(EINVAL, "the magic number is not that of a batch");
	if (le16toh(h->major) != VACC_BATCH_MAJOR || le16toh(h->minor) != VACC_BATCH_MINOR)
		return vacc_fail(ENOEXEC, "version %u.%u is not 1.0", le16toh(h->major),
				 le16toh(h->minor));
	if (h->required_features)
		return vacc_fail(EOPNOTSUPP, "features that nobody knows are required");
	if (le32toh(h->flags) & ~VACC_BATCH_NO_ALIAS)
		return vacc_fail(EOPNOTSUPP, "the header has unknown flags");
	if (le64toh(h->total_bytes) != bytes)
		return vacc_fail(EINVAL, "the header says %llu bytes, there are %zu",
				 (unsigned long long)le64toh(h->total_bytes), bytes);
	if (h->reserved0 || !all_zero(h->reserved1, sizeof(h->reserved1)))
		return vacc_fail(EINVAL, "reserved bytes of the header are not zero");
	err = check_counts(h);
	if (err)
		return err;
	records = sizeof(*h) +
		  (__u64)le32toh(h->slot_count) * sizeof(struct vacc_batch_slot) +
		  (__u64)le32toh(h->command_count) * sizeof(struct vacc_batch_command) +
		  (__u64)le32toh(h->launch_count) * sizeof(struct vacc_batch_launch);
	if (le64toh(h->data_offset) != records)
		return vacc_fail(EINVAL, "the data do not begin right after the records");
	if (data_bytes >= DATA_LIMIT || records + data_bytes != bytes)
		return vacc_fail(EINVAL, "records and data do not make up the artifact");
	if (le64toh(h->resident_bytes) !=
	    vacc_batch_resident(le32toh(h->slot_count), le32toh(h->command_count),
				le32toh(h->launch_count), data_bytes))
		return vacc_fail(EINVAL, "the resident charge does not follow from the counts");
	return 0;
}

static int check_slot(__u32 i, const struct vacc_batch_slot *s)
{
	__u32 align = le32toh(s->offset_align);

	if (s->flags)
		return vacc_fail(EOPNOTSUPP, "slot record %u has unknown flags", i);
	if (s->reserved)
		return vacc_fail(EINVAL, "slot record %u has a reserved byte that is not zero",
				 i);
	if (le32toh(s->slot) == VACC_BATCH_NO_SLOT)
		return vacc_fail(EINVAL, "slot record %u has no number", i);
	if (!s->access || s->access > VIRTIO_ACCEL_ACCESS_READ_WRITE)
		return vacc_fail(EINVAL, "slot record %u has access %u", i, s->access);
	if (le16toh(s->element_type) >= VACC_TYPE_COUNT)
		return vacc_fail(EOPNOTSUPP, "slot record %u has unknown element type %u",
				 i, le16toh(s->element_type));
	if (!align || (align & (align - 1)))
		return vacc_fail(EINVAL, "slot record %u has offset_align no power of two",
				 i);
	if (!s->min_bytes)
		return vacc_fail(EINVAL, "slot record %u has min_bytes 0", i);
	return 0;
}

static int check_slots(struct check *check)
{
	const __u8 *records = check->bytes + sizeof(struct vacc_batch_header);

	for (__u32 i = 0; i < check->slot_count; i++) {
		struct vacc_batch_slot s;
		int err;

		memcpy(&s, records + i * sizeof(s), sizeof(s));
		err = check_slot(i, &s);
		if (err)
			return err;
		check->slots[i] = (struct slot) {
			.number = le32toh(s.slot),
			.access = s.access,
			.type = le16toh(s.element_type),
			.min_bytes = le64toh(s.min_bytes),
			.row_unit = le64toh(s.row_unit),
		};
	}
	qsort(check->slots, check->slot_count, sizeof(*check->slots), compare_slots);
	for (__u32 i = 1; i < check->slot_count; i++) {
		if (check->slots[i].number == check->slots[i - 1].number)
			return vacc_fail(EINVAL, "slot %u is there twice",
					 check->slots[i].number);
	}
	return 0;
}

/**
 * struct where - what is being checked, for sentences
 * @kind: "command" or "launch"
 * @index: its index
 */
struct where {
	const char *kind;
	__u32 index;
};

/* Note the use of a slot and return it, or NULL where it is not allowed. */
static struct slot *use_slot(struct check *check, struct where at, __u32 number,
			     __u32 access)
{
	struct slot *slot = find_slot(check, number);

	if (!slot) {
		vacc_fail(EINVAL, "%s %u uses a slot that is not declared", at.kind,
			  at.index);
		return NULL;
	}
	if ((slot->access & access) != access) {
		vacc_fail(EINVAL, "%s %u does more with slot %u than its access allows",
			  at.kind, at.index, number);
		return NULL;
	}
	slot->used = true;
	return slot;
}

/* Check that [@offset, @offset + @bytes) is always within the bound range. */
static int use_range(struct check *check, struct where at, __u32 number, __u32 access,
		     __u64 offset, __u64 bytes)
{
	struct slot *slot = use_slot(check, at, number, access);
	__u64 end;

	if (!slot)
		return -EINVAL;
	if (!bytes)
		return vacc_fail(EINVAL, "%s %u moves no bytes", at.kind, at.index);
	if (vacc_range_end(offset, bytes, &end))
		return vacc_fail(EINVAL, "%s %u has a range that overflows", at.kind,
				 at.index);
	if (end > slot->min_bytes)
		return vacc_fail(EINVAL, "%s %u reaches beyond min_bytes of slot %u",
				 at.kind, at.index, number);
	return 0;
}

static int check_region(struct check *check, __u32 i, const char *name,
			const struct vacc_batch_region *r, __u32 access, bool fixed,
			__u32 rows, __u32 columns)
{
	struct where at = { "launch", i };
	__u64 stride = le64toh(r->row_stride), offset = le64toh(r->offset);
	__u64 row_bytes = 2ULL * columns, end;
	struct slot *slot;

	if (r->reserved)
		return vacc_fail(EINVAL, "launch %u has a reserved field of %s that is not zero",
				 i, name);
	if (le16toh(r->type) != VACC_TYPE_F16)
		return vacc_fail(EINVAL, "launch %u has %s of a type other than its own", i,
				 name);
	slot = use_slot(check, at, le32toh(r->slot), access);
	if (!slot)
		return -EINVAL;
	if (slot->type != VACC_TYPE_UNTYPED && slot->type != VACC_TYPE_F16)
		return vacc_fail(EINVAL, "launch %u has %s in slot %u of another element type",
				 i, name, slot->number);
	if (offset % 2 || stride % 2)
		return vacc_fail(EINVAL, "launch %u has %s that is not aligned", i, name);
	if (access == VIRTIO_ACCEL_ACCESS_WRITE && stride && stride < row_bytes)
		return vacc_fail(EINVAL, "launch %u has rows of %s that overlap", i, name);
	if (vacc_matrix_end(offset, stride, rows, row_bytes, &end))
		return vacc_fail(EINVAL, "launch %u has %s of a size that overflows", i,
				 name);
	if (!fixed && vacc_matrix_end(offset, stride, 1, row_bytes, &end))
		return vacc_fail(EINVAL, "launch %u has %s of a size that overflows", i,
				 name);
	if (end > slot->min_bytes)
		return vacc_fail(EINVAL, "launch %u has %s beyond min_bytes of slot %u", i,
				 name, slot->number);
	return 0;
}

static int check_rows_slot(struct check *check, __u32 i, __u32 number, __u32 rows)
{
	struct slot *slot = use_slot(check, (struct where) { "launch", i }, number, 0);
	__u64 most;

	if (!slot)
		return -EINVAL;
	if (!slot->row_unit)
		return vacc_fail(EINVAL, "launch %u takes rows from slot %u, which has no row_unit",
				 i, number);
	if (__builtin_mul_overflow(slot->row_unit, rows, &most))
		return vacc_fail(EINVAL, "launch %u has rows of a size that overflows", i);
	if (most < slot->min_bytes)
		return vacc_fail(EINVAL, "launch %u has fewer rows than min_bytes of slot %u",
				 i, number);
	slot->gives_rows = true;
	return 0;
}

static int check_launch(struct check *check, __u32 i)
{
	__u32 rows, in_features, out_features;
	struct vacc_batch_launch l;
	bool fixed;
	int err;

	memcpy(&l, check->launches + (size_t)i * sizeof(l), sizeof(l));
	rows = le32toh(l.rows);
	in_features = le32toh(l.in_features);
	out_features = le32toh(l.out_features);
	fixed = le32toh(l.rows_slot) == VACC_BATCH_NO_SLOT;
	if (le16toh(l.in_type) != VACC_TYPE_F16 ||
	    le16toh(l.weight_type) != VACC_TYPE_F16 ||
	    le16toh(l.out_type) != VACC_TYPE_F16 ||
	    le16toh(l.accumulator_type) != VACC_TYPE_F32)
		return vacc_fail(EOPNOTSUPP, "launch %u has types other than f16, summed in f32",
				 i);
	if (le16toh(l.epilogue) != VACC_EPILOGUE_NONE)
		return vacc_fail(EOPNOTSUPP, "launch %u has an epilogue", i);
	if (le32toh(l.aux.slot) != VACC_BATCH_NO_SLOT)
		return vacc_fail(EOPNOTSUPP, "launch %u has an aux region", i);
	if (l.aux.type || l.aux.reserved || l.aux.offset || l.aux.row_stride)
		return vacc_fail(EINVAL, "launch %u has remains of an aux region", i);
	if (!all_zero((const __u8 *)l.reserved, sizeof(l.reserved)))
		return vacc_fail(EINVAL, "launch %u has reserved fields that are not zero", i);
	if (!rows || !in_features || !out_features)
		return vacc_fail(EINVAL, "launch %u has a dimension of 0", i);
	if (!fixed) {
		err = check_rows_slot(check, i, le32toh(l.rows_slot), rows);
		if (err)
			return err;
	}
	err = check_region(check, i, "an input", &l.in, VIRTIO_ACCEL_ACCESS_READ, fixed,
			   rows, in_features);
	if (!err)
		err = check_region(check, i, "weights", &l.weight,
				   VIRTIO_ACCEL_ACCESS_READ, true, out_features,
				   in_features);
	if (!err)
		err = check_region(check, i, "an output", &l.out,
				   VIRTIO_ACCEL_ACCESS_WRITE, fixed, rows, out_features);
	return err;
}

/* What fields of a command mean something, by operation. */
#define HAS_LAUNCHES	(1 << 0)
#define HAS_SOURCE	(1 << 1)
#define HAS_TARGET	(1 << 2)
#define HAS_BYTES	(1 << 3)
#define HAS_DATA	(1 << 4)
#define HAS_VALUE	(1 << 5)

static const __u32 fields[] = {
	[VACC_BATCH_OP_BARRIER] = HAS_TARGET,
	[VACC_BATCH_OP_COPY] = HAS_SOURCE | HAS_TARGET | HAS_BYTES,
	[VACC_BATCH_OP_FILL] = HAS_TARGET | HAS_BYTES | HAS_VALUE,
	[VACC_BATCH_OP_XOR] = HAS_TARGET | HAS_BYTES | HAS_VALUE,
	[VACC_BATCH_OP_ZERO] = HAS_TARGET | HAS_BYTES,
	[VACC_BATCH_OP_UPLOAD] = HAS_TARGET | HAS_BYTES | HAS_DATA,
	[VACC_BATCH_OP_DENSE_LINEAR] = HAS_LAUNCHES,
};

static int check_fields(__u32 i, const struct vacc_batch_command *c)
{
	__u32 op = le16toh(c->op), has;

	if (op >= sizeof(fields) / sizeof(fields[0]))
		return vacc_fail(EOPNOTSUPP, "command %u has unknown operation %u", i, op);
	has = fields[op];
	if (c->flags)
		return vacc_fail(EOPNOTSUPP, "command %u has unknown flags", i);
	if (c->reserved0 || !all_zero(c->reserved1, sizeof(c->reserved1)))
		return vacc_fail(EINVAL, "command %u has reserved bytes that are not zero", i);
	if ((!(has & HAS_LAUNCHES) && (c->first_launch || c->launch_count)) ||
	    (!(has & HAS_SOURCE) &&
	     (le32toh(c->src_slot) != VACC_BATCH_NO_SLOT || c->src_offset)) ||
	    (!(has & HAS_TARGET) && le32toh(c->dst_slot) != VACC_BATCH_NO_SLOT) ||
	    (!(has & HAS_BYTES) && (c->bytes || c->dst_offset)) ||
	    (!(has & HAS_DATA) && c->data_offset) ||
	    (!(has & HAS_VALUE) && c->value))
		return vacc_fail(EINVAL, "command %u has a field that its operation does not use",
				 i);
	return 0;
}

static int claim_launches(struct check *check, __u32 i, __u32 first, __u32 count)
{
	if (!count)
		return vacc_fail(EINVAL, "command %u has no launches", i);
	if (first > check->launch_count || count > check->launch_count - first)
		return vacc_fail(EINVAL, "command %u has launches that are not there", i);
	for (__u32 k = first; k < first + count; k++) {
		if (check->launched[k])
			return vacc_fail(EINVAL, "launch %u belongs to two commands", k);
		check->launched[k] = true;
	}
	return 0;
}

static int check_copy(struct check *check, struct where at,
		      const struct vacc_batch_command *c)
{
	struct slot *source, *target;
	int err = use_range(check, at, le32toh(c->src_slot), VIRTIO_ACCEL_ACCESS_READ,
			    le64toh(c->src_offset), le64toh(c->bytes));

	if (!err)
		err = use_range(check, at, le32toh(c->dst_slot),
				VIRTIO_ACCEL_ACCESS_WRITE, le64toh(c->dst_offset),
				le64toh(c->bytes));
	if (err)
		return err;
	source = find_slot(check, le32toh(c->src_slot));
	target = find_slot(check, le32toh(c->dst_slot));
	if (source->type && target->type && source->type != target->type)
		return vacc_fail(EINVAL, "command %u copies between element types", at.index);
	return 0;
}

static int check_command(struct check *check, __u32 i)
{
	struct where at = { "command", i };
	struct vacc_batch_command c;
	__u32 access = VIRTIO_ACCEL_ACCESS_WRITE;
	__u64 end;
	int err;

	memcpy(&c, check->commands + (size_t)i * sizeof(c), sizeof(c));
	err = check_fields(i, &c);
	if (err)
		return err;
	switch (le16toh(c.op)) {
	case VACC_BATCH_OP_BARRIER:
		if (le32toh(c.dst_slot) == VACC_BATCH_NO_SLOT)
			return 0;
		return use_slot(check, at, le32toh(c.dst_slot), 0) ? 0 : -EINVAL;
	case VACC_BATCH_OP_COPY:
		return check_copy(check, at, &c);
	case VACC_BATCH_OP_DENSE_LINEAR:
		return claim_launches(check, i, le32toh(c.first_launch),
				      le32toh(c.launch_count));
	case VACC_BATCH_OP_XOR:
		access = VIRTIO_ACCEL_ACCESS_READ_WRITE;
		break;
	case VACC_BATCH_OP_UPLOAD:
		check->uploads = true;
		if (vacc_range_end(le64toh(c.data_offset), le64toh(c.bytes), &end) ||
		    end > check->data_bytes)
			return vacc_fail(EINVAL, "command %u uploads data that are not there",
					 i);
		break;
	}
	return use_range(check, at, le32toh(c.dst_slot), access, le64toh(c.dst_offset),
			 le64toh(c.bytes));
}

/* Check that nothing is there in vain. */
static int check_uses(const struct check *check)
{
	for (__u32 i = 0; i < check->launch_count; i++) {
		if (!check->launched[i])
			return vacc_fail(EINVAL, "launch %u belongs to no command", i);
	}
	for (__u32 i = 0; i < check->slot_count; i++) {
		const struct slot *slot = &check->slots[i];

		if (!slot->used)
			return vacc_fail(EINVAL, "slot %u is not used", slot->number);
		if (slot->row_unit && !slot->gives_rows)
			return vacc_fail(EINVAL, "slot %u has a row_unit, but gives no rows",
					 slot->number);
	}
	if (check->data_bytes && !check->uploads)
		return vacc_fail(EINVAL, "there are data that no command uploads");
	return 0;
}

static int check_all(struct check *check)
{
	int err = check_slots(check);

	for (__u32 i = 0; !err && i < check->launch_count; i++)
		err = check_launch(check, i);
	for (__u32 i = 0; !err && i < check->command_count; i++)
		err = check_command(check, i);
	return err ? err : check_uses(check);
}

static int check_batch(const void *artifact, size_t bytes)
{
	struct vacc_batch_header h;
	struct check check = { .bytes = artifact };
	int err;

	if (bytes < sizeof(h))
		return vacc_fail(EINVAL, "%zu bytes are shorter than the header", bytes);
	memcpy(&h, artifact, sizeof(h));
	err = check_header(&h, bytes);
	if (err)
		return err;
	check.slot_count = le32toh(h.slot_count);
	check.command_count = le32toh(h.command_count);
	check.launch_count = le32toh(h.launch_count);
	check.data_bytes = le64toh(h.data_bytes);
	check.commands = check.bytes + sizeof(h) +
			 (size_t)check.slot_count * sizeof(struct vacc_batch_slot);
	check.launches = check.commands +
			 (size_t)check.command_count * sizeof(struct vacc_batch_command);
	check.slots = calloc(check.slot_count, sizeof(*check.slots));
	check.launched = calloc(check.launch_count + 1, sizeof(*check.launched));
	if (check.slots && check.launched)
		err = check_all(&check);
	else
		err = vacc_fail(ENOMEM, "out of memory");
	free(check.slots);
	free(check.launched);
	return err;
}

int vacc_batch_check(const void *artifact, size_t bytes, char *why, size_t room)
{
	int err = check_batch(artifact, bytes);

	if (why && room)
		snprintf(why, room, "%s", err ? vacc_last_error(NULL) : "");
	return err;
}
