// SPDX-License-Identifier: GPL-2.0
/* Programs as text. */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "dump.h"

static const char *const ref_ops[] = { "barrier", "copy", "fill", "xor" };
static const char *const accesses[] = { "?", "r", "w", "rw" };

static unsigned long long get64(__le64 value)
{
	return le64toh(value);
}

static void dump_ref(const void *artifact)
{
	struct vacc_ref_artifact a;

	memcpy(&a, artifact, sizeof(a));
	printf("program VAMK %u.%u, %zu bytes, resident %u, binding ABI %u\n", a.major,
	       a.minor, sizeof(a), VACC_REF_RESIDENT, a.binding_abi);
	printf("  %s", ref_ops[a.op]);
	if (a.op == VACC_REF_OP_COPY)
		printf(" slot %u to slot %u\n", le32toh(a.first), le32toh(a.second));
	else if (a.op == VACC_REF_OP_BARRIER)
		printf(" at slot %u\n", le32toh(a.first));
	else
		printf(" slot %u with 0x%02x\n", le32toh(a.first), a.operand);
}

static void dump_header(const struct vacc_batch_header *h)
{
	printf("program VABT %u.%u, %llu bytes, resident %llu%s\n", le16toh(h->major),
	       le16toh(h->minor), get64(h->total_bytes),
	       get64(h->resident_bytes),
	       le32toh(h->flags) & VACC_BATCH_NO_ALIAS ? ", no alias" : "");
	printf("%u slots, %u commands, %u launches, %llu bytes of data\n",
	       le32toh(h->slot_count), le32toh(h->command_count),
	       le32toh(h->launch_count), get64(h->data_bytes));
}

static void dump_slot(const struct vacc_batch_slot *s)
{
	printf("  slot %u: %s, %s, at least %llu bytes, offset a multiple of %u",
	       le32toh(s->slot), accesses[s->access & 3],
	       vacc_type_name(le16toh(s->element_type)), get64(s->min_bytes),
	       le32toh(s->offset_align));
	if (s->row_unit)
		printf(", rows of %llu bytes", get64(s->row_unit));
	putchar('\n');
}

static void dump_region(const char *name, const struct vacc_batch_region *r,
			const char *rows, __u32 columns)
{
	printf("      %-6s [%s, %u] %s at slot %u + %llu", name, rows, columns,
	       vacc_type_name(le16toh(r->type)), le32toh(r->slot),
	       get64(r->offset));
	if (r->row_stride)
		printf(", a row every %llu bytes", get64(r->row_stride));
	putchar('\n');
}

static void dump_launch(__u32 index, const struct vacc_batch_launch *l)
{
	char rows[40], outs[16];

	if (le32toh(l->rows_slot) == VACC_BATCH_NO_SLOT)
		snprintf(rows, sizeof(rows), "%u", le32toh(l->rows));
	else
		snprintf(rows, sizeof(rows), "<=%u from slot %u", le32toh(l->rows),
			 le32toh(l->rows_slot));
	snprintf(outs, sizeof(outs), "%u", le32toh(l->out_features));
	printf("    launch %u:\n", index);
	dump_region("in", &l->in, rows, le32toh(l->in_features));
	dump_region("weight", &l->weight, outs, le32toh(l->in_features));
	dump_region("out", &l->out, rows, le32toh(l->out_features));
}

static void dump_range(__u32 slot, __u64 offset)
{
	printf("slot %u + %llu", slot, (unsigned long long)offset);
}

static void dump_command(__u32 index, const struct vacc_batch_command *c,
			 const char *launches)
{
	static const char *const ops[] = {
		"barrier", "copy", "fill", "xor", "zero", "upload", "dense_linear",
	};
	__u32 op = le16toh(c->op), slot = le32toh(c->dst_slot);

	printf("  command %u: %s", index, ops[op]);
	switch (op) {
	case VACC_BATCH_OP_BARRIER:
		if (slot != VACC_BATCH_NO_SLOT)
			printf(" at slot %u", slot);
		break;
	case VACC_BATCH_OP_DENSE_LINEAR:
		printf(", %u launches\n", le32toh(c->launch_count));
		for (__u32 i = 0; i < le32toh(c->launch_count); i++) {
			__u32 number = le32toh(c->first_launch) + i;
			struct vacc_batch_launch l;

			memcpy(&l, launches + (size_t)number * sizeof(l), sizeof(l));
			dump_launch(number, &l);
		}
		return;
	case VACC_BATCH_OP_COPY:
		printf(" %llu bytes from ", get64(c->bytes));
		dump_range(le32toh(c->src_slot), le64toh(c->src_offset));
		printf(" to ");
		dump_range(slot, le64toh(c->dst_offset));
		break;
	default:
		printf(" %llu bytes at ", get64(c->bytes));
		dump_range(slot, le64toh(c->dst_offset));
		if (op == VACC_BATCH_OP_UPLOAD)
			printf(" from data + %llu", get64(c->data_offset));
		else if (op != VACC_BATCH_OP_ZERO)
			printf(" with 0x%02x", c->value);
	}
	putchar('\n');
}

static void dump_batch(const char *artifact)
{
	const char *slots = artifact + sizeof(struct vacc_batch_header);
	const char *commands, *launches;
	struct vacc_batch_header h;

	memcpy(&h, artifact, sizeof(h));
	commands = slots + (size_t)le32toh(h.slot_count) * sizeof(struct vacc_batch_slot);
	launches = commands + (size_t)le32toh(h.command_count) *
			      sizeof(struct vacc_batch_command);
	dump_header(&h);
	for (__u32 i = 0; i < le32toh(h.slot_count); i++) {
		struct vacc_batch_slot s;

		memcpy(&s, slots + (size_t)i * sizeof(s), sizeof(s));
		dump_slot(&s);
	}
	for (__u32 i = 0; i < le32toh(h.command_count); i++) {
		struct vacc_batch_command c;

		memcpy(&c, commands + (size_t)i * sizeof(c), sizeof(c));
		dump_command(i, &c, launches);
	}
}

void dump_program(const void *artifact, size_t bytes)
{
	if (vacc_probe_format(artifact, bytes) == VACC_REF_FORMAT)
		dump_ref(artifact);
	else
		dump_batch(artifact);
}
