// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Building batch artifacts. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * struct slot - a slot as far as it is known
 * @number: its number
 * @access: what commands and the caller need
 * @type: element type
 * @align: offset_align
 * @min_bytes: least bound length
 * @row_unit: bytes of a row, 0 where no rows are taken from it
 */
struct slot {
	__u32 number;
	__u32 access;
	__u32 type;
	__u32 align;
	__u64 min_bytes;
	__u64 row_unit;
};

/**
 * struct list - records that grow in number
 * @items: the records
 * @count: how many
 * @room: how many fit
 * @bytes: of one
 * @max: how many there may be
 * @name: what they are, for the sentence
 */
struct list {
	void *items;
	size_t count;
	size_t room;
	size_t bytes;
	size_t max;
	const char *name;
};

/**
 * struct vacc_batch - a batch that is being built
 * @error: first error, negative, 0 for none
 * @why: its sentence
 * @flags: VACC_BATCH_NO_ALIAS or 0
 * @slots: struct slot, ascending
 * @commands: struct vacc_batch_command
 * @launches: struct vacc_batch_launch
 * @data: bytes of uploads
 */
struct vacc_batch {
	int error;
	char why[256];
	__u32 flags;
	struct list slots;
	struct list commands;
	struct list launches;
	struct list data;
};

/* Make the error of vacc_fail() the batch's, if it is the first. */
static int stick(struct vacc_batch *batch, int err)
{
	if (!err || batch->error)
		return err;
	batch->error = err;
	strncpy(batch->why, vacc_last_error(NULL), sizeof(batch->why) - 1);
	return err;
}

static int reserve(struct list *list, size_t more)
{
	size_t room = list->room ? list->room : 16;
	void *items;

	if (more > list->max - list->count)
		return vacc_fail(EINVAL, "a batch has at most %zu %s", list->max,
				 list->name);
	if (more <= list->room - list->count)
		return 0;
	while (room - list->count < more)
		room *= 2;
	if (room > SIZE_MAX / list->bytes)
		return vacc_fail(ENOMEM, "out of memory");
	items = realloc(list->items, room * list->bytes);
	if (!items)
		return vacc_fail(ENOMEM, "out of memory");
	list->items = items;
	list->room = room;
	return 0;
}

struct vacc_batch *vacc_batch_new(void)
{
	struct vacc_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->slots = (struct list) {
		.bytes = sizeof(struct slot),
		.max = VACC_BATCH_MAX_SLOTS, .name = "slots",
	};
	batch->commands = (struct list) {
		.bytes = sizeof(struct vacc_batch_command),
		.max = VACC_BATCH_MAX_COMMANDS, .name = "commands",
	};
	batch->launches = (struct list) {
		.bytes = sizeof(struct vacc_batch_launch),
		.max = VACC_BATCH_MAX_LAUNCHES, .name = "launches",
	};
	batch->data = (struct list) {
		.bytes = 1, .max = SIZE_MAX / 4, .name = "bytes of data",
	};
	return batch;
}

void vacc_batch_free(struct vacc_batch *batch)
{
	if (!batch)
		return;
	free(batch->slots.items);
	free(batch->commands.items);
	free(batch->launches.items);
	free(batch->data.items);
	free(batch);
}

int vacc_batch_flags(struct vacc_batch *batch, __u32 flags)
{
	batch->flags = flags;
	return 0;
}

/* Find a slot, or make it. */
static int get_slot(struct vacc_batch *batch, __u32 number, struct slot **slot)
{
	struct slot *slots = batch->slots.items;
	size_t low = 0, high = batch->slots.count;
	int err;

	if (number == VACC_BATCH_NO_SLOT)
		return vacc_fail(EINVAL, "a slot cannot have the number %u", number);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (slots[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == batch->slots.count || slots[low].number != number) {
		err = reserve(&batch->slots, 1);
		if (err)
			return err;
		slots = batch->slots.items;
		memmove(slots + low + 1, slots + low,
			(batch->slots.count - low) * sizeof(*slots));
		batch->slots.count++;
		slots[low] = (struct slot) {
			.number = number, .align = 1, .min_bytes = 1,
		};
	}
	*slot = &slots[low];
	return 0;
}

static int need(struct vacc_batch *batch, __u32 number, __u32 access, __u64 bytes,
		__u32 align)
{
	struct slot *slot;
	int err = get_slot(batch, number, &slot);

	if (err)
		return err;
	slot->access |= access;
	if (slot->min_bytes < bytes)
		slot->min_bytes = bytes;
	if (slot->align < align)
		slot->align = align;
	return 0;
}

int vacc_batch_slot(struct vacc_batch *batch, __u32 slot, __u32 access,
		    __u32 element_type, __u64 min_bytes, __u32 offset_align)
{
	__u32 align = vacc_type_bytes(element_type);
	struct slot *found;
	int err;

	if (!align)
		return stick(batch, vacc_fail(EINVAL, "there is no element type %u",
					      element_type));
	if (align < offset_align)
		align = offset_align;
	err = need(batch, slot, access, min_bytes, align);
	if (!err)
		err = get_slot(batch, slot, &found);
	if (err)
		return stick(batch, err);
	if (found->type && found->type != element_type)
		return stick(batch, vacc_fail(EINVAL, "slot %u has element type %s already",
					      slot, vacc_type_name(found->type)));
	found->type = element_type;
	return 0;
}

static int set_row_unit(struct vacc_batch *batch, __u32 number, __u64 bytes)
{
	struct slot *slot;
	int err = get_slot(batch, number, &slot);

	if (err)
		return err;
	if (!bytes || (slot->row_unit && slot->row_unit != bytes))
		return vacc_fail(EINVAL, "slot %u cannot have rows of %llu bytes", number,
				 (unsigned long long)bytes);
	slot->row_unit = bytes;
	if (slot->min_bytes < bytes)
		slot->min_bytes = bytes;
	return 0;
}

int vacc_batch_row_unit(struct vacc_batch *batch, __u32 slot, __u64 bytes)
{
	return stick(batch, set_row_unit(batch, slot, bytes));
}

static int append(struct vacc_batch *batch, const struct vacc_batch_command *command)
{
	struct vacc_batch_command *commands;
	int err = reserve(&batch->commands, 1);

	if (err)
		return stick(batch, err);
	commands = batch->commands.items;
	commands[batch->commands.count++] = *command;
	return 0;
}

/* A command of @op with no fields but the target. */
static struct vacc_batch_command command_of(__u16 op, __u32 slot, __u64 offset,
					    __u64 bytes)
{
	return (struct vacc_batch_command) {
		.op = htole16(op),
		.src_slot = htole32(VACC_BATCH_NO_SLOT),
		.dst_slot = htole32(slot),
		.dst_offset = htole64(offset),
		.bytes = htole64(bytes),
	};
}

static int need_range(struct vacc_batch *batch, __u32 slot, __u32 access, __u64 offset,
		      __u64 bytes)
{
	__u64 end;

	if (!bytes)
		return vacc_fail(EINVAL, "a command must move at least one byte");
	if (vacc_range_end(offset, bytes, &end))
		return vacc_fail(EINVAL, "a range in slot %u overflows", slot);
	return need(batch, slot, access, end, 1);
}

int vacc_batch_barrier(struct vacc_batch *batch, __u32 slot)
{
	struct vacc_batch_command command =
		command_of(VACC_BATCH_OP_BARRIER, slot, 0, 0);
	int err = slot == VACC_BATCH_NO_SLOT ? 0 : need(batch, slot, 0, 1, 1);

	return err ? stick(batch, err) : append(batch, &command);
}

int vacc_batch_copy(struct vacc_batch *batch, __u32 source, __u64 source_offset,
		    __u32 target, __u64 target_offset, __u64 bytes)
{
	struct vacc_batch_command command =
		command_of(VACC_BATCH_OP_COPY, target, target_offset, bytes);
	int err = need_range(batch, source, VIRTIO_ACCEL_ACCESS_READ, source_offset,
			     bytes);

	if (!err)
		err = need_range(batch, target, VIRTIO_ACCEL_ACCESS_WRITE, target_offset,
				 bytes);
	if (err)
		return stick(batch, err);
	command.src_slot = htole32(source);
	command.src_offset = htole64(source_offset);
	return append(batch, &command);
}

static int append_value(struct vacc_batch *batch, __u16 op, __u32 slot, __u32 access,
			__u64 offset, __u64 bytes, __u8 value)
{
	struct vacc_batch_command command = command_of(op, slot, offset, bytes);
	int err = need_range(batch, slot, access, offset, bytes);

	if (err)
		return stick(batch, err);
	command.value = value;
	return append(batch, &command);
}

int vacc_batch_fill(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes,
		    __u8 value)
{
	return append_value(batch, VACC_BATCH_OP_FILL, slot, VIRTIO_ACCEL_ACCESS_WRITE,
			    offset, bytes, value);
}

int vacc_batch_xor(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes,
		   __u8 value)
{
	return append_value(batch, VACC_BATCH_OP_XOR, slot,
			    VIRTIO_ACCEL_ACCESS_READ_WRITE, offset, bytes, value);
}

int vacc_batch_zero(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes)
{
	return append_value(batch, VACC_BATCH_OP_ZERO, slot, VIRTIO_ACCEL_ACCESS_WRITE,
			    offset, bytes, 0);
}

int vacc_batch_upload(struct vacc_batch *batch, __u32 slot, __u64 offset,
		      const void *data, __u64 bytes)
{
	struct vacc_batch_command command =
		command_of(VACC_BATCH_OP_UPLOAD, slot, offset, bytes);
	int err = need_range(batch, slot, VIRTIO_ACCEL_ACCESS_WRITE, offset, bytes);

	if (!err)
		err = bytes > SIZE_MAX ? vacc_fail(ENOMEM, "out of memory") :
		      reserve(&batch->data, bytes);
	if (err)
		return stick(batch, err);
	command.data_offset = htole64(batch->data.count);
	err = append(batch, &command);
	if (err)
		return err;
	memcpy((char *)batch->data.items + batch->data.count, data, bytes);
	batch->data.count += bytes;
	return 0;
}

static struct vacc_batch_region region_of(const struct vacc_matrix *matrix)
{
	return (struct vacc_batch_region) {
		.slot = htole32(matrix->slot),
		.type = htole16(VACC_TYPE_F16),
		.offset = htole64(matrix->offset),
		.row_stride = htole64(matrix->row_stride),
	};
}

static int need_matrix(struct vacc_batch *batch, const struct vacc_matrix *matrix,
		       __u32 access, __u32 rows, __u32 columns)
{
	__u64 end;

	if (!rows || !columns)
		return vacc_fail(EINVAL, "a launch has a dimension of 0");
	if (vacc_matrix_end(matrix->offset, matrix->row_stride, rows, 2ULL * columns,
			    &end))
		return vacc_fail(EINVAL, "a matrix in slot %u overflows", matrix->slot);
	return need(batch, matrix->slot, access, end, 2);
}

/* Note where the rows of a launch come from. */
static int need_rows(struct vacc_batch *batch, const struct vacc_dense *dense)
{
	struct slot *slot;
	__u64 unit;
	int err = get_slot(batch, dense->rows_slot, &slot);

	if (err)
		return err;
	if (slot->row_unit)
		return 0;
	if (dense->in.slot == dense->rows_slot)
		unit = dense->in.row_stride ? dense->in.row_stride :
		       2ULL * dense->in_features;
	else if (dense->out.slot == dense->rows_slot)
		unit = dense->out.row_stride ? dense->out.row_stride :
		       2ULL * dense->out_features;
	else
		return vacc_fail(EINVAL, "the bytes of a row of slot %u are not known",
				 dense->rows_slot);
	return set_row_unit(batch, dense->rows_slot, unit);
}

static int append_launch(struct vacc_batch *batch, const struct vacc_dense *dense)
{
	struct vacc_batch_launch *launches = batch->launches.items;
	bool fixed = dense->rows_slot == VACC_BATCH_NO_SLOT;
	__u32 rows = fixed ? dense->rows : !!dense->rows;
	int err = need_matrix(batch, &dense->in, VIRTIO_ACCEL_ACCESS_READ, rows,
			      dense->in_features);

	if (!err)
		err = need_matrix(batch, &dense->weight, VIRTIO_ACCEL_ACCESS_READ,
				  dense->out_features, dense->in_features);
	if (!err)
		err = need_matrix(batch, &dense->out, VIRTIO_ACCEL_ACCESS_WRITE, rows,
				  dense->out_features);
	if (!err && !fixed)
		err = need_rows(batch, dense);
	if (err)
		return err;
	launches[batch->launches.count++] = (struct vacc_batch_launch) {
		.in = region_of(&dense->in),
		.weight = region_of(&dense->weight),
		.out = region_of(&dense->out),
		.aux = { .slot = htole32(VACC_BATCH_NO_SLOT) },
		.rows = htole32(dense->rows),
		.in_features = htole32(dense->in_features),
		.out_features = htole32(dense->out_features),
		.rows_slot = htole32(dense->rows_slot),
		.in_type = htole16(VACC_TYPE_F16),
		.weight_type = htole16(VACC_TYPE_F16),
		.out_type = htole16(VACC_TYPE_F16),
		.accumulator_type = htole16(VACC_TYPE_F32),
		.epilogue = htole16(VACC_EPILOGUE_NONE),
	};
	return 0;
}

int vacc_batch_dense_linear(struct vacc_batch *batch,
			    const struct vacc_dense *launches, __u32 count)
{
	struct vacc_batch_command command =
		command_of(VACC_BATCH_OP_DENSE_LINEAR, VACC_BATCH_NO_SLOT, 0, 0);
	int err = reserve(&batch->launches, count);

	command.first_launch = htole32(batch->launches.count);
	command.launch_count = htole32(count);
	for (__u32 i = 0; !err && i < count; i++)
		err = append_launch(batch, &launches[i]);
	return err ? stick(batch, err) : append(batch, &command);
}

static void fill_header(const struct vacc_batch *batch, struct vacc_batch_header *h,
			size_t total)
{
	*h = (struct vacc_batch_header) {
		.magic = htole32(VACC_BATCH_MAGIC),
		.major = htole16(VACC_BATCH_MAJOR),
		.minor = htole16(VACC_BATCH_MINOR),
		.total_bytes = htole64(total),
		.flags = htole32(batch->flags),
		.slot_count = htole32(batch->slots.count),
		.slot_bytes = htole32(sizeof(struct vacc_batch_slot)),
		.command_count = htole32(batch->commands.count),
		.command_bytes = htole32(sizeof(struct vacc_batch_command)),
		.launch_count = htole32(batch->launches.count),
		.launch_bytes = htole32(sizeof(struct vacc_batch_launch)),
		.data_offset = htole64(total - batch->data.count),
		.data_bytes = htole64(batch->data.count),
		.resident_bytes = htole64(vacc_batch_resident(batch->slots.count,
							      batch->commands.count,
							      batch->launches.count,
							      batch->data.count)),
	};
}

static char *put(char *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

static char *put_slots(const struct vacc_batch *batch, char *to)
{
	const struct slot *slots = batch->slots.items;

	for (size_t i = 0; i < batch->slots.count; i++) {
		struct vacc_batch_slot record = {
			.slot = htole32(slots[i].number),
			/* Of barriers only: they take any. */
			.access = slots[i].access ? slots[i].access :
				  VIRTIO_ACCEL_ACCESS_READ,
			.element_type = htole16(slots[i].type),
			.offset_align = htole32(slots[i].align),
			.min_bytes = htole64(slots[i].min_bytes),
			.row_unit = htole64(slots[i].row_unit),
		};

		to = put(to, &record, sizeof(record));
	}
	return to;
}

int vacc_batch_finish(struct vacc_batch *batch, void **artifact, size_t *bytes)
{
	struct vacc_batch_header header;
	size_t total = sizeof(header) +
		       batch->slots.count * sizeof(struct vacc_batch_slot) +
		       batch->commands.count * sizeof(struct vacc_batch_command) +
		       batch->launches.count * sizeof(struct vacc_batch_launch) +
		       batch->data.count;
	char *start, *to;
	int err;

	*artifact = NULL;
	*bytes = 0;
	if (batch->error)
		return vacc_fail(-batch->error, "%s", batch->why);
	start = malloc(total);
	if (!start)
		return vacc_fail(ENOMEM, "out of memory");
	fill_header(batch, &header, total);
	to = put(start, &header, sizeof(header));
	to = put_slots(batch, to);
	to = put(to, batch->commands.items,
		 batch->commands.count * sizeof(struct vacc_batch_command));
	to = put(to, batch->launches.items,
		 batch->launches.count * sizeof(struct vacc_batch_launch));
	put(to, batch->data.items, batch->data.count);
	err = vacc_batch_check(start, total, NULL, 0);
	if (err) {
		free(start);
		return err;
	}
	*artifact = start;
	*bytes = total;
	return 0;
}
