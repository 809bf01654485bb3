// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The 24-byte format: one operation on one or two slots.
 *
 * The format is public and older than this reader.  What is refused, and how, in
 * this order:
 *
 *	target or resident charge			INCOMPATIBLE
 *	length, magic					INVALID_ARGUMENT
 *	major, minor, binding ABI			INCOMPATIBLE
 *	reserved bytes					INVALID_ARGUMENT
 *	operation unknown				UNSUPPORTED
 *	second slot of a barrier, fill or xor present	INVALID_ARGUMENT
 *	both slots of a copy the same			INVALID_ARGUMENT
 *	operand of a barrier or copy not zero		INVALID_ARGUMENT
 *
 * Every slot number is valid where a slot is used, 0xffffffff too.
 */
#include "summary.h"

#define OK		VIRTIO_ACCEL_S_OK
#define INVALID		VIRTIO_ACCEL_S_INVALID_ARGUMENT
#define INCOMPATIBLE	VIRTIO_ACCEL_S_INCOMPATIBLE
#define UNSUPPORTED	VIRTIO_ACCEL_S_UNSUPPORTED

static u16 check_envelope(const struct eng_load *load,
			  struct vacc_ref_artifact *a, struct eng_reason *reason)
{
	static const u8 zero[sizeof(a->reserved)];

	if (!eng_target_is(load, VACC_REF_TARGET0, VACC_REF_TARGET1,
			   VACC_REF_TARGET2, VACC_REF_TARGET3))
		return eng_refuse(reason, INCOMPATIBLE,
				  "the artifact was built for another target");
	if (load->resident_bytes != VACC_REF_RESIDENT)
		return eng_refuse(reason, INCOMPATIBLE,
				  "the resident charge of this format is 64");
	if (load->payload_bytes != sizeof(*a))
		return eng_refuse(reason, INVALID,
				  "an artifact of this format has 24 bytes");
	memcpy(a, load->payload, sizeof(*a));
	if (memcmp(a->magic, "VAMK", sizeof(a->magic)))
		return eng_refuse(reason, INVALID, "the magic is not VAMK");
	if (a->major != VACC_REF_VERSION_MAJOR || a->minor != VACC_REF_VERSION_MINOR)
		return eng_refuse(reason, INCOMPATIBLE,
				  "the version of the artifact is not 1.0");
	if (a->binding_abi != VACC_REF_BINDING_ABI)
		return eng_refuse(reason, INCOMPATIBLE, "the binding ABI is not 1");
	if (memcmp(a->reserved, zero, sizeof(zero)))
		return eng_refuse(reason, INVALID, "a reserved byte is not zero");
	return OK;
}

static u16 check_operation(const struct vacc_ref_artifact *a,
			   struct eng_reason *reason)
{
	switch (a->op) {
	case VACC_REF_OP_COPY:
		if (a->first == a->second)
			return eng_refuse(reason, INVALID,
					  "source and target are the same slot");
		break;
	case VACC_REF_OP_BARRIER:
	case VACC_REF_OP_FILL:
	case VACC_REF_OP_XOR:
		if (le32_to_cpu(a->second) != VACC_REF_NO_SLOT)
			return eng_refuse(reason, INVALID,
					  "the operation has one slot only");
		break;
	default:
		return eng_refuse(reason, UNSUPPORTED,
				  "the device does not know this operation");
	}
	if ((a->op == VACC_REF_OP_COPY || a->op == VACC_REF_OP_BARRIER) && a->operand)
		return eng_refuse(reason, INVALID, "the operation has no operand");
	return OK;
}

static void add_slot(struct eng_program *program, u32 index, u32 number, u8 access)
{
	program->slots[index] = (struct eng_slot){
		.number = number,
		.access = access,
		.offset_align = 1,
		.min_bytes = 1,
	};
}

static void build_copy(struct eng_program *program, u32 first, u32 second)
{
	struct eng_command *command = program->commands;

	command->src = first > second;
	command->dst = !command->src;
	add_slot(program, command->src, first, VIRTIO_ACCEL_ACCESS_READ);
	add_slot(program, command->dst, second, VIRTIO_ACCEL_ACCESS_WRITE);
	program->slots[0].flags = VACC_SLOT_EQUAL_LENGTHS;
	program->slots[1].flags = VACC_SLOT_EQUAL_LENGTHS;
}

/**
 * eng_ref_load() - load an artifact of the 24-byte format
 * @load: the artifact
 * @program: where the program goes
 * @reason: filled in where it is refused
 *
 * Context: process context, may sleep.
 * Return: as eng_program_load().
 */
u16 eng_ref_load(const struct eng_load *load, struct eng_program **program,
		 struct eng_reason *reason)
{
	static const u8 access[] = {
		[VACC_REF_OP_BARRIER] = 0,
		[VACC_REF_OP_FILL] = VIRTIO_ACCEL_ACCESS_WRITE,
		[VACC_REF_OP_XOR] = VIRTIO_ACCEL_ACCESS_READ_WRITE,
	};
	struct vacc_ref_artifact a;
	struct eng_program *p;
	u16 status;

	status = check_envelope(load, &a, reason);
	if (status == OK)
		status = check_operation(&a, reason);
	if (status != OK)
		return status;
	p = eng_program_alloc(a.op == VACC_REF_OP_COPY ? 2 : 1, 1, 0, 0);
	if (!p)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	/* The four operations have the same numbers in a batch. */
	p->commands->op = a.op;
	p->commands->value = a.operand;
	p->commands->whole = true;
	p->commands->src = ENG_NO_INDEX;
	if (a.op == VACC_REF_OP_COPY)
		build_copy(p, le32_to_cpu(a.first), le32_to_cpu(a.second));
	else
		add_slot(p, 0, le32_to_cpu(a.first), access[a.op]);
	*program = p;
	return OK;
}
