// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Artifacts: what bytes are, and the 24-byte programs. */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static const __u8 ref_magic[4] = { 'V', 'A', 'M', 'K' };
static const __u8 batch_magic[4] = { 'V', 'A', 'B', 'T' };

__u32 vacc_probe_format(const void *payload, size_t bytes)
{
	if (bytes < sizeof(ref_magic))
		return 0;
	if (!memcmp(payload, ref_magic, sizeof(ref_magic)))
		return VACC_REF_FORMAT;
	if (!memcmp(payload, batch_magic, sizeof(batch_magic)))
		return VACC_BATCH_FORMAT;
	return 0;
}

int vacc_artifact_init(struct vacc_artifact *artifact, const void *payload,
		       size_t bytes)
{
	static const __u32 ref_target[] = {
		VACC_REF_TARGET0, VACC_REF_TARGET1, VACC_REF_TARGET2, VACC_REF_TARGET3,
	};
	static const __u32 batch_target[] = {
		VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
		VACC_BATCH_TARGET2, VACC_BATCH_TARGET3,
	};
	struct vacc_batch_header header;

	memset(artifact, 0, sizeof(*artifact));
	artifact->format = vacc_probe_format(payload, bytes);
	artifact->payload = payload;
	artifact->payload_bytes = bytes;
	switch (artifact->format) {
	case VACC_REF_FORMAT:
		memcpy(artifact->target, ref_target, sizeof(ref_target));
		artifact->resident_bytes = VACC_REF_RESIDENT;
		return 0;
	case VACC_BATCH_FORMAT:
		if (bytes < sizeof(header))
			return vacc_fail(EINVAL, "a batch of %zu bytes is shorter than its header",
					 bytes);
		memcpy(&header, payload, sizeof(header));
		memcpy(artifact->target, batch_target, sizeof(batch_target));
		artifact->resident_bytes = le64toh(header.resident_bytes);
		return 0;
	default:
		return vacc_fail(EINVAL, "this is not a program of a known format");
	}
}

static void build(struct vacc_ref_artifact *artifact, __u8 op, __u32 first,
		  __u32 second, __u8 operand)
{
	memset(artifact, 0, sizeof(*artifact));
	memcpy(artifact->magic, ref_magic, sizeof(ref_magic));
	artifact->major = VACC_REF_VERSION_MAJOR;
	artifact->minor = VACC_REF_VERSION_MINOR;
	artifact->op = op;
	artifact->binding_abi = VACC_REF_BINDING_ABI;
	artifact->first = htole32(first);
	artifact->second = htole32(second);
	artifact->operand = operand;
}

void vacc_ref_barrier(struct vacc_ref_artifact *artifact, __u32 slot)
{
	build(artifact, VACC_REF_OP_BARRIER, slot, VACC_REF_NO_SLOT, 0);
}

void vacc_ref_copy(struct vacc_ref_artifact *artifact, __u32 source, __u32 target)
{
	build(artifact, VACC_REF_OP_COPY, source, target, 0);
}

void vacc_ref_fill(struct vacc_ref_artifact *artifact, __u32 slot, __u8 value)
{
	build(artifact, VACC_REF_OP_FILL, slot, VACC_REF_NO_SLOT, value);
}

void vacc_ref_xor(struct vacc_ref_artifact *artifact, __u32 slot, __u8 value)
{
	build(artifact, VACC_REF_OP_XOR, slot, VACC_REF_NO_SLOT, value);
}

/*
 * Check what depends on the operation of a 24-byte program.  Where a slot is used
 * every number is one, VACC_REF_NO_SLOT too.
 */
static int check_operands(const struct vacc_ref_artifact *a)
{
	if (a->op == VACC_REF_OP_COPY && a->first == a->second)
		return vacc_fail(EINVAL, "the copy has slot %u at both ends",
				 le32toh(a->first));
	if (a->op != VACC_REF_OP_COPY && le32toh(a->second) != VACC_REF_NO_SLOT)
		return vacc_fail(EINVAL, "there is a second slot, which only a copy has");
	if (a->operand && (a->op == VACC_REF_OP_BARRIER || a->op == VACC_REF_OP_COPY))
		return vacc_fail(EINVAL, "there is an operand, which only fill and xor have");
	return 0;
}

static int check_ref(const void *payload, size_t bytes)
{
	static const __u8 zero[sizeof(((struct vacc_ref_artifact *)0)->reserved)];
	struct vacc_ref_artifact a;

	if (bytes != sizeof(a))
		return vacc_fail(EINVAL, "a program of this format has %zu bytes, not %zu",
				 sizeof(a), bytes);
	memcpy(&a, payload, sizeof(a));
	if (a.major != VACC_REF_VERSION_MAJOR || a.minor != VACC_REF_VERSION_MINOR)
		return vacc_fail(ENOEXEC, "version %u.%u is not 1.0", a.major, a.minor);
	if (a.binding_abi != VACC_REF_BINDING_ABI)
		return vacc_fail(ENOEXEC, "binding ABI %u is not 1", a.binding_abi);
	if (memcmp(a.reserved, zero, sizeof(zero)))
		return vacc_fail(EINVAL, "reserved bytes are not zero");
	if (a.op > VACC_REF_OP_XOR)
		return vacc_fail(EOPNOTSUPP, "operation %u is not known", a.op);
	return check_operands(&a);
}

int vacc_artifact_check(const void *payload, size_t bytes, char *why, size_t room)
{
	int err;

	switch (vacc_probe_format(payload, bytes)) {
	case VACC_REF_FORMAT:
		err = check_ref(payload, bytes);
		break;
	case VACC_BATCH_FORMAT:
		return vacc_batch_check(payload, bytes, why, room);
	default:
		err = vacc_fail(EINVAL, "this is not a program of a known format");
	}
	if (why && room)
		snprintf(why, room, "%s", err ? vacc_last_error(NULL) : "");
	return err;
}
