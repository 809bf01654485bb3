/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Program artifacts of the reference device.
 *
 * Two formats.  The small one (VACC_REF_*) is 24 bytes and does one operation.
 * The batch format (VACC_BATCH_*) is an ordered list of commands over numbered
 * slots, with the data of uploads inside.  All fields are little-endian, all
 * reserved bytes are zero and are checked.
 */
#ifndef _UAPI_LINUX_VACC_REFERENCE_H
#define _UAPI_LINUX_VACC_REFERENCE_H

#include <linux/types.h>

/* The 24-byte format: "VAMK". */
#define VACC_REF_FORMAT			0x56414d4b
#define VACC_REF_TARGET0		0x56414d4b
#define VACC_REF_TARGET1		0x00010000
#define VACC_REF_TARGET2		0x54455354
#define VACC_REF_TARGET3		0x4f4e4c59
#define VACC_REF_BYTES			24
#define VACC_REF_RESIDENT		64
#define VACC_REF_VERSION_MAJOR		1
#define VACC_REF_VERSION_MINOR		0
#define VACC_REF_BINDING_ABI		1
#define VACC_REF_NO_SLOT		0xffffffff

#define VACC_REF_OP_BARRIER		0
#define VACC_REF_OP_COPY		1
#define VACC_REF_OP_FILL		2
#define VACC_REF_OP_XOR			3

/**
 * struct vacc_ref_artifact - the 24-byte program
 * @magic: the ASCII bytes "VAMK"
 * @major: 1
 * @minor: 0
 * @op: VACC_REF_OP_*
 * @binding_abi: 1
 * @first: slot of a barrier, fill or xor; source slot of a copy
 * @second: target slot of a copy, else VACC_REF_NO_SLOT
 * @operand: byte of a fill or xor, else 0
 * @reserved: 0
 */
struct vacc_ref_artifact {
	__u8 magic[4];
	__u8 major;
	__u8 minor;
	__u8 op;
	__u8 binding_abi;
	__le32 first;
	__le32 second;
	__u8 operand;
	__u8 reserved[7];
};

/* The batch format: "VABT". */
#define VACC_BATCH_FORMAT		0x56414254
#define VACC_BATCH_TARGET0		0x56414254
#define VACC_BATCH_TARGET1		0x00010000
#define VACC_BATCH_TARGET2		0x52454644
#define VACC_BATCH_TARGET3		0x00463136
#define VACC_BATCH_MAGIC		0x54424156	/* bytes "VABT" */
#define VACC_BATCH_MAJOR		1
#define VACC_BATCH_MINOR		0

/* What a loader refuses to look at, whatever the device's own limits. */
#define VACC_BATCH_MAX_SLOTS		4096
#define VACC_BATCH_MAX_COMMANDS		65536
#define VACC_BATCH_MAX_LAUNCHES		65536

/* Header flags. */
#define VACC_BATCH_NO_ALIAS		(1 << 0)

/* No slot: an absent region, or rows that are fixed. */
#define VACC_BATCH_NO_SLOT		0xffffffff

/* Operations.  0x8000 and up are a vendor's, the rest is reserved. */
#define VACC_BATCH_OP_BARRIER		0
#define VACC_BATCH_OP_COPY		1
#define VACC_BATCH_OP_FILL		2
#define VACC_BATCH_OP_XOR		3
#define VACC_BATCH_OP_ZERO		4
#define VACC_BATCH_OP_UPLOAD		5
#define VACC_BATCH_OP_DENSE_LINEAR	6
#define VACC_BATCH_OP_VENDOR		0x8000

/* Element types: of slots and regions here, of buffers in vacc.h. */
#define VACC_TYPE_UNTYPED		0
#define VACC_TYPE_U8			1
#define VACC_TYPE_I8			2
#define VACC_TYPE_I32			3
#define VACC_TYPE_F16			4
#define VACC_TYPE_BF16			5
#define VACC_TYPE_F32			6
#define VACC_TYPE_F64			7
#define VACC_TYPE_COUNT			8

/* Epilogues of a launch. */
#define VACC_EPILOGUE_NONE		0

/**
 * struct vacc_batch_header - what a batch artifact begins with
 * @magic: VACC_BATCH_MAGIC
 * @major: VACC_BATCH_MAJOR
 * @minor: VACC_BATCH_MINOR
 * @total_bytes: bytes of the whole artifact
 * @flags: VACC_BATCH_NO_ALIAS or 0
 * @reserved0: 0
 * @required_features: bits that the device must know; none is assigned
 * @slot_count: records of struct vacc_batch_slot, right after the header
 * @slot_bytes: sizeof(struct vacc_batch_slot)
 * @command_count: records of struct vacc_batch_command, after the slots
 * @command_bytes: sizeof(struct vacc_batch_command)
 * @launch_count: records of struct vacc_batch_launch, after the commands
 * @launch_bytes: sizeof(struct vacc_batch_launch)
 * @data_offset: where the data begin: right after the launches
 * @data_bytes: bytes of data, up to the end of the artifact
 * @resident_bytes: vacc_batch_resident() of the numbers above
 * @reserved1: 0
 *
 * The record sizes stand here so that a later version may lengthen records; a
 * 1.0 loader takes only its own.
 */
struct vacc_batch_header {
	__le32 magic;
	__le16 major;
	__le16 minor;
	__le64 total_bytes;
	__le32 flags;
	__le32 reserved0;
	__le64 required_features;
	__le32 slot_count;
	__le32 slot_bytes;
	__le32 command_count;
	__le32 command_bytes;
	__le32 launch_count;
	__le32 launch_bytes;
	__le64 data_offset;
	__le64 data_bytes;
	__le64 resident_bytes;
	__u8 reserved1[16];
};

/**
 * struct vacc_batch_slot - a slot that a submission binds
 * @slot: its number, each once
 * @access: VIRTIO_ACCEL_ACCESS_*, covering every use of the slot
 * @reserved: 0
 * @element_type: VACC_TYPE_*; untyped takes any
 * @flags: 0
 * @offset_align: power of two that the binding's offset is a multiple of
 * @min_bytes: least length of the bound range, nonzero
 * @row_unit: bytes of one row where a launch takes its rows from here, else 0
 */
struct vacc_batch_slot {
	__le32 slot;
	__u8 access;
	__u8 reserved;
	__le16 element_type;
	__le32 flags;
	__le32 offset_align;
	__le64 min_bytes;
	__le64 row_unit;
};

/**
 * struct vacc_batch_region - a matrix inside a bound range
 * @slot: the slot's number, or VACC_BATCH_NO_SLOT for none
 * @type: VACC_TYPE_*
 * @reserved: 0
 * @offset: first byte, counted from the start of the bound range
 * @row_stride: bytes from row to row, 0 where rows are packed
 */
struct vacc_batch_region {
	__le32 slot;
	__le16 type;
	__le16 reserved;
	__le64 offset;
	__le64 row_stride;
};

/**
 * struct vacc_batch_command - one command of a batch
 * @op: VACC_BATCH_OP_*
 * @flags: 0
 * @reserved0: 0
 * @first_launch: of DENSE_LINEAR: index of its first launch
 * @launch_count: of DENSE_LINEAR: its launches, nonzero
 * @src_slot: of COPY: where bytes come from, else VACC_BATCH_NO_SLOT
 * @dst_slot: of COPY, FILL, XOR, ZERO, UPLOAD: where they go; of BARRIER: the
 *	slot that it stands at, or VACC_BATCH_NO_SLOT; else VACC_BATCH_NO_SLOT
 * @src_offset: of COPY: first source byte in its bound range
 * @dst_offset: first destination byte in its bound range
 * @bytes: bytes that are moved, nonzero where anything is
 * @data_offset: of UPLOAD: first byte, counted from the artifact's data
 * @value: of FILL and XOR: the byte
 * @reserved1: 0
 *
 * A field that an operation does not use is zero, or VACC_BATCH_NO_SLOT where
 * it names a slot.
 */
struct vacc_batch_command {
	__le16 op;
	__le16 flags;
	__le32 reserved0;
	__le32 first_launch;
	__le32 launch_count;
	__le32 src_slot;
	__le32 dst_slot;
	__le64 src_offset;
	__le64 dst_offset;
	__le64 bytes;
	__le64 data_offset;
	__u8 value;
	__u8 reserved1[7];
};

/**
 * struct vacc_batch_launch - one matrix product of a DENSE_LINEAR
 * @in: rows x in_features
 * @weight: out_features x in_features
 * @out: rows x out_features
 * @aux: none for now: slot VACC_BATCH_NO_SLOT, the rest zero
 * @rows: rows, or their maximum where @rows_slot names a slot; nonzero
 * @in_features: terms of each sum, nonzero
 * @out_features: outputs of each row, nonzero
 * @rows_slot: VACC_BATCH_NO_SLOT, or the slot whose bound length, divided by
 *	its row_unit, is the number of rows of a submission
 * @in_type: VACC_TYPE_F16
 * @weight_type: VACC_TYPE_F16
 * @out_type: VACC_TYPE_F16
 * @accumulator_type: VACC_TYPE_F32
 * @epilogue: VACC_EPILOGUE_NONE
 * @reserved: 0
 */
struct vacc_batch_launch {
	struct vacc_batch_region in;
	struct vacc_batch_region weight;
	struct vacc_batch_region out;
	struct vacc_batch_region aux;
	__le32 rows;
	__le32 in_features;
	__le32 out_features;
	__le32 rows_slot;
	__le16 in_type;
	__le16 weight_type;
	__le16 out_type;
	__le16 accumulator_type;
	__le16 epilogue;
	__le16 reserved[3];
};

/**
 * vacc_batch_resident() - resident charge of a batch
 * @slots: number of slots
 * @commands: number of commands
 * @launches: number of launches
 * @data_bytes: bytes of data, below 2^62
 *
 * Return: what @resident_bytes of the header and of the load must say.
 */
static inline __u64 vacc_batch_resident(__u32 slots, __u32 commands,
					__u32 launches, __u64 data_bytes)
{
	return 64 + (__u64)slots * sizeof(struct vacc_batch_slot) +
	       (__u64)commands * sizeof(struct vacc_batch_command) +
	       (__u64)launches * sizeof(struct vacc_batch_launch) + data_bytes;
}

#endif /* _UAPI_LINUX_VACC_REFERENCE_H */
