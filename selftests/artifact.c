// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "artifact.h"

struct vacc_ref_artifact vt_ref(__u8 op, __u32 first, __u32 second, __u8 operand)
{
	return (struct vacc_ref_artifact) {
		.magic = { 'V', 'A', 'M', 'K' },
		.major = 1,
		.op = op,
		.binding_abi = 1,
		.first = htole32(first),
		.second = htole32(second),
		.operand = operand,
	};
}

struct vacc_program_load vt_ref_load(__u32 context, const void *payload, __u64 bytes)
{
	return (struct vacc_program_load) {
		.size = sizeof(struct vacc_program_load),
		.context = context,
		.format = 0x56414d4b,
		.target = { 0x56414d4b, 0x00010000, 0x54455354, 0x4f4e4c59 },
		.payload = (uintptr_t)payload,
		.payload_bytes = bytes,
		.resident_bytes = 64,
	};
}

int vt_load_ref(int fd, __u32 context, __u8 op, __u32 first, __u32 second,
		__u8 operand, __u32 *program)
{
	struct vacc_ref_artifact artifact = vt_ref(op, first, second, operand);
	struct vacc_program_load load = vt_ref_load(context, &artifact, sizeof(artifact));
	int r = vt_program_load(fd, &load);

	*program = load.handle;
	return r;
}

static void full(const char *what)
{
	fprintf(stderr, "# too many %s for struct vt_batch\n", what);
	abort();
}

struct vacc_batch_slot *vt_batch_slot(struct vt_batch *b, __u32 slot, __u8 access,
				      __u64 min_bytes)
{
	struct vacc_batch_slot *s = &b->slots[b->slot_count];

	if (b->slot_count++ == VT_BATCH_MAX)
		full("slots");
	*s = (struct vacc_batch_slot) {
		.slot = htole32(slot),
		.access = access,
		.offset_align = htole32(1),
		.min_bytes = htole64(min_bytes),
	};
	return s;
}

static struct vacc_batch_command *command(struct vt_batch *b, __u16 op)
{
	struct vacc_batch_command *c = &b->commands[b->command_count];

	if (b->command_count++ == VT_BATCH_MAX)
		full("commands");
	*c = (struct vacc_batch_command) {
		.op = htole16(op),
		.src_slot = htole32(VACC_BATCH_NO_SLOT),
		.dst_slot = htole32(VACC_BATCH_NO_SLOT),
	};
	return c;
}

struct vacc_batch_command *vt_batch_barrier(struct vt_batch *b, __u32 slot)
{
	struct vacc_batch_command *c = command(b, VACC_BATCH_OP_BARRIER);

	c->dst_slot = htole32(slot);
	return c;
}

struct vacc_batch_command *vt_batch_copy(struct vt_batch *b, __u32 src, __u64 src_offset,
					 __u32 dst, __u64 dst_offset, __u64 bytes)
{
	struct vacc_batch_command *c = command(b, VACC_BATCH_OP_COPY);

	c->src_slot = htole32(src);
	c->src_offset = htole64(src_offset);
	c->dst_slot = htole32(dst);
	c->dst_offset = htole64(dst_offset);
	c->bytes = htole64(bytes);
	return c;
}

struct vacc_batch_command *vt_batch_set(struct vt_batch *b, __u16 op, __u32 dst,
					__u64 offset, __u64 bytes, __u8 value)
{
	struct vacc_batch_command *c = command(b, op);

	c->dst_slot = htole32(dst);
	c->dst_offset = htole64(offset);
	c->bytes = htole64(bytes);
	c->value = value;
	return c;
}

struct vacc_batch_command *vt_batch_upload(struct vt_batch *b, __u32 dst, __u64 offset,
					   const void *from, __u32 bytes)
{
	struct vacc_batch_command *c = command(b, VACC_BATCH_OP_UPLOAD);

	if (bytes > sizeof(b->data) - b->data_bytes)
		full("bytes of data");
	c->dst_slot = htole32(dst);
	c->dst_offset = htole64(offset);
	c->bytes = htole64(bytes);
	c->data_offset = htole64(b->data_bytes);
	memcpy(b->data + b->data_bytes, from, bytes);
	b->data_bytes += bytes;
	return c;
}

static struct vacc_batch_region f16_at(__u32 slot)
{
	return (struct vacc_batch_region) {
		.slot = htole32(slot), .type = htole16(VACC_TYPE_F16),
	};
}

struct vacc_batch_launch *vt_batch_launch(struct vt_batch *b, __u32 in, __u32 weight,
					  __u32 out, __u32 rows, __u32 in_features,
					  __u32 out_features)
{
	struct vacc_batch_launch *l = &b->launches[b->launch_count];

	if (b->launch_count++ == VT_BATCH_MAX)
		full("launches");
	*l = (struct vacc_batch_launch) {
		.in = f16_at(in),
		.weight = f16_at(weight),
		.out = f16_at(out),
		.aux = { .slot = htole32(VACC_BATCH_NO_SLOT) },
		.rows = htole32(rows),
		.in_features = htole32(in_features),
		.out_features = htole32(out_features),
		.rows_slot = htole32(VACC_BATCH_NO_SLOT),
		.in_type = htole16(VACC_TYPE_F16),
		.weight_type = htole16(VACC_TYPE_F16),
		.out_type = htole16(VACC_TYPE_F16),
		.accumulator_type = htole16(VACC_TYPE_F32),
	};
	return l;
}

struct vacc_batch_command *vt_batch_linear(struct vt_batch *b, __u32 first, __u32 count)
{
	struct vacc_batch_command *c = command(b, VACC_BATCH_OP_DENSE_LINEAR);

	c->first_launch = htole32(first);
	c->launch_count = htole32(count);
	return c;
}

void *vt_batch_encode(const struct vt_batch *b, size_t *bytes)
{
	size_t slots = b->slot_count * 32, commands = b->command_count * 64;
	size_t launches = b->launch_count * 128, head = 96;
	size_t total = head + slots + commands + launches + b->data_bytes;
	struct vacc_batch_header h = {
		.magic = htole32(0x54424156),
		.major = htole16(1),
		.total_bytes = htole64(total),
		.flags = htole32(b->flags),
		.slot_count = htole32(b->slot_count),
		.slot_bytes = htole32(32),
		.command_count = htole32(b->command_count),
		.command_bytes = htole32(64),
		.launch_count = htole32(b->launch_count),
		.launch_bytes = htole32(128),
		.data_offset = htole64(total - b->data_bytes),
		.data_bytes = htole64(b->data_bytes),
		.resident_bytes = htole64(64 + total - head),
	};
	char *artifact = malloc(total), *p = artifact;

	_Static_assert(sizeof(h) == 96 && sizeof(b->slots[0]) == 32 &&
		       sizeof(b->commands[0]) == 64 && sizeof(b->launches[0]) == 128,
		       "sizes of the records");
	if (!artifact)
		abort();
	p = mempcpy(p, &h, sizeof(h));
	p = mempcpy(p, b->slots, slots);
	p = mempcpy(p, b->commands, commands);
	p = mempcpy(p, b->launches, launches);
	memcpy(p, b->data, b->data_bytes);
	*bytes = total;
	return artifact;
}

struct vacc_program_load vt_batch_load_desc(__u32 context, const void *payload,
					    size_t bytes)
{
	return (struct vacc_program_load) {
		.size = sizeof(struct vacc_program_load),
		.context = context,
		.format = 0x56414254,
		.target = { 0x56414254, 0x00010000, 0x52454644, 0x00463136 },
		.payload = (uintptr_t)payload,
		.payload_bytes = bytes,
		.resident_bytes = 64 + bytes - 96,
	};
}

int vt_load_batch(int fd, __u32 context, const struct vt_batch *b, __u32 *program)
{
	struct vacc_program_load load;
	size_t bytes;
	void *artifact = vt_batch_encode(b, &bytes);
	int r;

	load = vt_batch_load_desc(context, artifact, bytes);
	r = vt_program_load(fd, &load);
	*program = load.handle;
	free(artifact);
	return r;
}
