// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "artifact.h"
#include "test.h"

struct vacc_ref_artifact ref_artifact(u8 op, u32 first, u32 second, u8 operand)
{
	return (struct vacc_ref_artifact){
		.magic = { 'V', 'A', 'M', 'K' },
		.major = VACC_REF_VERSION_MAJOR,
		.minor = VACC_REF_VERSION_MINOR,
		.op = op,
		.binding_abi = VACC_REF_BINDING_ABI,
		.first = cpu_to_le32(first),
		.second = cpu_to_le32(second),
		.operand = operand,
	};
}

struct eng_load ref_load(const struct vacc_ref_artifact *artifact)
{
	return (struct eng_load){
		.format = VACC_REF_FORMAT,
		.target = { VACC_REF_TARGET0, VACC_REF_TARGET1,
			    VACC_REF_TARGET2, VACC_REF_TARGET3 },
		.payload = artifact,
		.payload_bytes = sizeof(*artifact),
		.resident_bytes = VACC_REF_RESIDENT,
	};
}

/* Room for all records; the numbers are in the header. */
static struct vacc_batch_header *batch(u32 slots, u32 commands, u32 launches,
				       u64 data_bytes)
{
	u64 data = sizeof(struct vacc_batch_header) +
		   slots * sizeof(struct vacc_batch_slot) +
		   commands * sizeof(struct vacc_batch_command) +
		   launches * sizeof(struct vacc_batch_launch);
	struct vacc_batch_header *header = calloc(1, data + data_bytes);

	REQUIRE(header);
	header->magic = cpu_to_le32(VACC_BATCH_MAGIC);
	header->major = cpu_to_le16(VACC_BATCH_MAJOR);
	header->minor = cpu_to_le16(VACC_BATCH_MINOR);
	header->total_bytes = cpu_to_le64(data + data_bytes);
	header->slot_count = cpu_to_le32(slots);
	header->slot_bytes = cpu_to_le32(sizeof(struct vacc_batch_slot));
	header->command_count = cpu_to_le32(commands);
	header->command_bytes = cpu_to_le32(sizeof(struct vacc_batch_command));
	header->launch_count = cpu_to_le32(launches);
	header->launch_bytes = cpu_to_le32(sizeof(struct vacc_batch_launch));
	header->data_offset = cpu_to_le64(data);
	header->data_bytes = cpu_to_le64(data_bytes);
	header->resident_bytes =
		cpu_to_le64(vacc_batch_resident(slots, commands, launches,
						data_bytes));
	return header;
}

static struct vacc_batch_slot *batch_slots(struct vacc_batch_header *header)
{
	return (struct vacc_batch_slot *)(header + 1);
}

static struct vacc_batch_command *
batch_commands(struct vacc_batch_header *header)
{
	return (struct vacc_batch_command *)(batch_slots(header) +
					     le32_to_cpu(header->slot_count));
}

static struct vacc_batch_launch *batch_launch(struct vacc_batch_header *header)
{
	return (struct vacc_batch_launch *)(batch_commands(header) +
					    le32_to_cpu(header->command_count));
}

static struct eng_load batch_load(const struct vacc_batch_header *header)
{
	return (struct eng_load){
		.format = VACC_BATCH_FORMAT,
		.target = { VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			    VACC_BATCH_TARGET2, VACC_BATCH_TARGET3 },
		.payload = header,
		.payload_bytes = le64_to_cpu(header->total_bytes),
		.resident_bytes = le64_to_cpu(header->resident_bytes),
	};
}

static struct vacc_batch_slot slot(u32 number, u8 access, u64 bytes)
{
	return (struct vacc_batch_slot){
		.slot = cpu_to_le32(number),
		.access = access,
		.offset_align = cpu_to_le32(1),
		.min_bytes = cpu_to_le64(bytes),
	};
}

struct eng_load fills_load(u32 count, u64 bytes, u8 value)
{
	struct vacc_batch_header *header = batch(1, count, 0, 0);
	struct vacc_batch_command *commands = batch_commands(header);
	u32 i;

	*batch_slots(header) = slot(0, VIRTIO_ACCEL_ACCESS_WRITE, bytes);
	for (i = 0; i < count; i++) {
		commands[i] = (struct vacc_batch_command){
			.op = cpu_to_le16(VACC_BATCH_OP_FILL),
			.src_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
			.bytes = cpu_to_le64(bytes),
			.value = value,
		};
	}
	return batch_load(header);
}

struct eng_load upload_load(u64 bytes, u8 value)
{
	struct vacc_batch_header *header = batch(1, 1, 0, bytes);

	*batch_slots(header) = slot(0, VIRTIO_ACCEL_ACCESS_WRITE, bytes);
	*batch_commands(header) = (struct vacc_batch_command){
		.op = cpu_to_le16(VACC_BATCH_OP_UPLOAD),
		.src_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
		.bytes = cpu_to_le64(bytes),
	};
	memset((u8 *)header + le64_to_cpu(header->data_offset), value, bytes);
	return batch_load(header);
}

static void dense_linear(struct vacc_batch_header *header, u32 rows, u32 in_features,
			 u32 out_features)
{
	struct vacc_batch_region region = {
		.type = cpu_to_le16(VACC_TYPE_F16),
	};

	*batch_commands(header) = (struct vacc_batch_command){
		.op = cpu_to_le16(VACC_BATCH_OP_DENSE_LINEAR),
		.launch_count = cpu_to_le32(1),
		.src_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
		.dst_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
	};
	*batch_launch(header) = (struct vacc_batch_launch){
		.in = region,
		.weight = region,
		.out = region,
		.aux = { .slot = cpu_to_le32(VACC_BATCH_NO_SLOT) },
		.rows = cpu_to_le32(rows),
		.in_features = cpu_to_le32(in_features),
		.out_features = cpu_to_le32(out_features),
		.rows_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
		.in_type = cpu_to_le16(VACC_TYPE_F16),
		.weight_type = cpu_to_le16(VACC_TYPE_F16),
		.out_type = cpu_to_le16(VACC_TYPE_F16),
		.accumulator_type = cpu_to_le16(VACC_TYPE_F32),
	};
}

struct eng_load linear_load(u32 rows, u32 features)
{
	struct vacc_batch_header *header = batch(2, 1, 1, 0);
	struct vacc_batch_slot *slots = batch_slots(header);

	slots[0] = slot(0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 2ULL * rows * features);
	slots[0].offset_align = cpu_to_le32(2);
	slots[1] = slot(1, VIRTIO_ACCEL_ACCESS_READ, 2ULL * features * features);
	slots[1].offset_align = cpu_to_le32(2);
	dense_linear(header, rows, features, features);
	batch_launch(header)->weight.slot = cpu_to_le32(1);
	return batch_load(header);
}

struct eng_load row_load(u32 in_features, u32 out_features, u64 stride)
{
	struct vacc_batch_header *header = batch(3, 1, 1, 0);
	struct vacc_batch_slot *slots = batch_slots(header);
	u32 i;

	slots[0] = slot(0, VIRTIO_ACCEL_ACCESS_READ, 2ULL * in_features);
	slots[1] = slot(1, VIRTIO_ACCEL_ACCESS_READ,
			(out_features - 1) * stride + 2ULL * in_features);
	slots[2] = slot(2, VIRTIO_ACCEL_ACCESS_WRITE, 2ULL * out_features);
	for (i = 0; i < 3; i++)
		slots[i].offset_align = cpu_to_le32(2);
	dense_linear(header, 1, in_features, out_features);
	batch_launch(header)->weight.slot = cpu_to_le32(1);
	batch_launch(header)->weight.row_stride = cpu_to_le64(stride);
	batch_launch(header)->out.slot = cpu_to_le32(2);
	return batch_load(header);
}
