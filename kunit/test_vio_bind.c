// SPDX-License-Identifier: GPL-2.0
/*
 * Which devices the driver binds to: what they say of themselves, configurations,
 * features.  The names of parameters are lines of the conformance report.
 */
#include <linux/virtio_config.h>

#include "test_vio_rig.h"

/**
 * struct info_row - a change of what a device says of itself
 * @name: of the rule
 * @offset: of the field
 * @bytes: of the field
 * @value: that it has
 * @good: allowed
 */
struct info_row {
	const char *name;
	u32 offset;
	u32 bytes;
	u64 value;
	bool good;
};

#define INFO(name_, field_, value_, good_)				\
	{								\
		.name = "device_info " name_,				\
		.offset = offsetof(struct virtio_accel_device_info, field_), \
		.bytes = sizeof_field(struct virtio_accel_device_info, field_), \
		.value = value_,					\
		.good = good_,						\
	}

static const struct info_row info_rows[] = {
	INFO("class other", device_class, 0, true),
	INFO("class DSP", device_class, 3, true),
	INFO("class 4", device_class, 4, false),
	INFO("class 0xffff", device_class, 0xffff, false),
	INFO("reserved 1", reserved, 1, false),
	INFO("reserved 0x8000", reserved, 0x8000, false),
	INFO("any vendor", vendor, 0xffffffff, true),
	INFO("any device", device, 0xffffffff, true),
	INFO("no capability", capabilities, 0, false),
	INFO("no memory, but cancellation", capabilities, 0x4, false),
	INFO("host memory", capabilities, 0x1, true),
	INFO("device memory", capabilities, 0x2, true),
	INFO("shared memory", capabilities, 0x20, true),
	INFO("external memory", capabilities, 0x9, false),
	INFO("secure contexts", capabilities, 0x11, false),
	INFO("unknown capabilities", capabilities, 0xffffffffffffffe7, true),
	INFO("unknown capabilities, but no memory", capabilities,
	     0xffffffffffffffc4, false),
	INFO("no contexts", max_contexts, 0, false),
	INFO("one context", max_contexts, 1, true),
	INFO("no buffers", max_buffers_per_context, 0, false),
	INFO("most buffers", max_buffers_per_context, 0xffffffff, true),
	INFO("no programs", max_programs_per_context, 0, false),
	INFO("most programs", max_programs_per_context, 0xffffffff, true),
	INFO("no queues", max_queues_per_context, 0, false),
	INFO("most queues", max_queues_per_context, 0xffffffff, true),
	INFO("no events", max_events_per_context, 0, false),
	INFO("most events", max_events_per_context, 0xffffffff, true),
	INFO("no bindings", max_bindings_per_submission, 0, false),
	INFO("one binding", max_bindings_per_submission, 1, true),
	INFO("4096 bindings", max_bindings_per_submission, 4096, true),
	INFO("4097 bindings", max_bindings_per_submission, 4097, false),
	INFO("most bindings", max_bindings_per_submission, 0xffffffff, false),
	INFO("no bytes of a buffer", max_buffer_bytes, 0, false),
	INFO("most bytes of a buffer", max_buffer_bytes, 0xffffffffffffffff, true),
	INFO("no bytes of an artifact", max_artifact_bytes, 0, false),
	INFO("most bytes of an artifact", max_artifact_bytes, 0xffffffffffffffff,
	     true),
};

KUNIT_ARRAY_PARAM_DESC(info_row, info_rows, name);

/* A device that says what it may not is not bound to. */
static void info_limits(struct kunit *test)
{
	const struct info_row *row = test->param_value;
	struct vio_rig *rig = vio_rig_make(test);
	struct virtio_accel_device_info wire = vio_info;
	__le64 value = cpu_to_le64(row->value);
	struct vacc_backend_info info = {};
	struct vio_bytes bytes;

	memcpy((u8 *)&wire + row->offset, &value, row->bytes);
	KUNIT_EXPECT_EQ(test, vacc_vio_decode_info(&wire, &info),
			row->good ? 0 : -EINVAL);
	vio_put(&bytes, 0, 1ULL << 32, &wire, sizeof(wire));
	vio_answer(rig, VIRTIO_ACCEL_OP_GET_DEVICE_INFO, &bytes);
	KUNIT_EXPECT_EQ(test, vio_rig_probe(rig), row->good ? 0 : -EINVAL);
	vio_rig_free(rig);
}

/* Counts of objects are signed in the core. */
static void info_contexts(struct kunit *test)
{
	struct virtio_accel_device_info wire = vio_info;
	struct vacc_backend_info info = {};

	wire.max_contexts = cpu_to_le32(0xffffffff);
	KUNIT_EXPECT_EQ(test, vacc_vio_decode_info(&wire, &info), 0);
	KUNIT_EXPECT_EQ(test, info.max_contexts, (u32)INT_MAX);
}

/**
 * struct config_row - a configuration
 * @name: of the rule
 * @config: it: major, minor, queues, chain, request, response
 * @good: allowed
 */
struct config_row {
	const char *name;
	u32 config[6];
	bool good;
};

static const struct config_row config_rows[] = {
	{ "config of major 1", { 1, 0, 1, 16, 65536, 65536 }, true },
	{ "config of major 0", { 0, 0, 1, 16, 65536, 65536 }, false },
	{ "config of major 2", { 2, 0, 1, 16, 65536, 65536 }, false },
	{ "config of major 0xffff", { 0xffff, 0, 1, 16, 65536, 65536 }, false },
	{ "config of minor 1", { 1, 1, 1, 16, 65536, 65536 }, true },
	{ "config of minor 0xffff", { 1, 0xffff, 1, 16, 65536, 65536 }, true },
	{ "config of no queue", { 1, 0, 0, 16, 65536, 65536 }, false },
	{ "config of 2 queues", { 1, 0, 2, 16, 65536, 65536 }, false },
	{ "config of 0xffff queues", { 1, 0, 0xffff, 16, 65536, 65536 }, false },
	{ "config of chains of 0", { 1, 0, 1, 0, 65536, 65536 }, false },
	{ "config of chains of 1", { 1, 0, 1, 1, 65536, 65536 }, false },
	{ "config of chains of 2", { 1, 0, 1, 2, 65536, 65536 }, true },
	{ "config of chains of 256", { 1, 0, 1, 256, 65536, 65536 }, true },
	{ "config of chains of 257", { 1, 0, 1, 257, 65536, 65536 }, false },
	{ "config of chains of 0xffff", { 1, 0, 1, 0xffff, 65536, 65536 }, false },
	{ "config of requests of 0", { 1, 0, 1, 16, 0, 65536 }, false },
	{ "config of requests of 96", { 1, 0, 1, 16, 96, 65536 }, false },
	{ "config of requests of 97", { 1, 0, 1, 16, 97, 65536 }, true },
	{ "config of requests of 16 MiB", { 1, 0, 1, 16, 16777216, 65536 }, true },
	{ "config of requests of more", { 1, 0, 1, 16, 16777217, 65536 }, false },
	{ "config of requests of most", { 1, 0, 1, 16, 0xffffffff, 65536 }, false },
	{ "config of responses of 0", { 1, 0, 1, 16, 65536, 0 }, false },
	{ "config of responses of 91", { 1, 0, 1, 16, 65536, 91 }, false },
	{ "config of responses of 92", { 1, 0, 1, 16, 65536, 92 }, true },
	{ "config of responses of 16 MiB", { 1, 0, 1, 16, 65536, 16777216 }, true },
	{ "config of responses of more", { 1, 0, 1, 16, 65536, 16777217 }, false },
	{ "config of responses of most", { 1, 0, 1, 16, 65536, 0xffffffff }, false },
};

KUNIT_ARRAY_PARAM_DESC(config_row, config_rows, name);

static void config_set(struct vio_rig *rig, const u32 *config)
{
	rig->config = (struct virtio_accel_config){
		.protocol_major = cpu_to_le16(config[0]),
		.protocol_minor = cpu_to_le16(config[1]),
		.command_queue_count = cpu_to_le16(config[2]),
		.max_chain_descriptors = cpu_to_le16(config[3]),
		.max_request_bytes = cpu_to_le32(config[4]),
		.max_response_bytes = cpu_to_le32(config[5]),
	};
}

/* What is refused is refused before there is a queue. */
static void config_bounds(struct kunit *test)
{
	const struct config_row *row = test->param_value;
	struct vio_rig *rig = vio_rig_make(test);

	config_set(rig, row->config);
	KUNIT_EXPECT_EQ(test, vio_validate(&rig->vdev), row->good ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, vio_rig_probe(rig), row->good ? 0 : -EINVAL);
	if (!row->good)
		KUNIT_EXPECT_EQ(test, rig->frame_count, 0U);
	vio_rig_free(rig);
}

/* Chains that are longer than the ring, and as long. */
static void config_ring(struct kunit *test)
{
	struct vio_rig *rig = vio_rig_make(test);

	rig->ring = 8;
	rig->config.max_chain_descriptors = cpu_to_le16(9);
	KUNIT_EXPECT_EQ(test, vio_rig_probe(rig), -EINVAL);
	KUNIT_EXPECT_EQ(test, rig->frame_count, 0U);
	rig->config.max_chain_descriptors = cpu_to_le16(8);
	KUNIT_EXPECT_EQ(test, vio_rig_probe(rig), 0);
	vio_rig_free(rig);
}

/* Offered is enough to be refused; bits of the ring and of transports are not ours. */
static void feature_bits(struct kunit *test)
{
	struct vio_rig *rig = vio_rig_make(test);
	u32 bit;
	bool good;

	for (bit = 0; bit < 64; bit++) {
		rig->features = BIT_ULL(VIRTIO_F_VERSION_1) | BIT_ULL(bit);
		good = bit >= 24 && bit < 50;
		KUNIT_EXPECT_EQ_MSG(test, vio_validate(&rig->vdev),
				    good ? 0 : -ENODEV, "bit %u", bit);
	}
	KUNIT_EXPECT_EQ(test, rig->frame_count, 0U);
}

/* Names of devices, whole ones, anywhere in the list. */
static void device_names(struct kunit *test)
{
	static const struct {
		const char *list;
		const char *name;
		bool good;
	} rows[] = {
		{ "virtio3", "virtio3", true },
		{ "virtio3", "virtio31", false },
		{ "virtio31", "virtio3", false },
		{ "virtio3,virtio5", "virtio3", true },
		{ "virtio3,virtio5", "virtio5", true },
		{ "virtio3,virtio5", "virtio4", false },
		{ "virtio3,virtio5", "virtio3,virtio5", false },
		{ "virtio3,", "virtio5", false },
		{ ",virtio5", "virtio5", true },
		{ ",", "virtio5", false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, vio_named(rows[i].list, rows[i].name),
				    rows[i].good, "row %u", i);
}

static const struct vio_rule bind_rules[] = {
	{ "config of chains longer than the ring", config_ring },
	{ "features of every bit", feature_bits },
	{ "device_info most contexts", info_contexts },
};

KUNIT_ARRAY_PARAM_DESC(bind_rule, bind_rules, name);

static struct kunit_case bind_cases[] = {
	KUNIT_CASE_PARAM(info_limits, info_row_gen_params),
	KUNIT_CASE_PARAM(config_bounds, config_row_gen_params),
	KUNIT_CASE_PARAM(vio_rule, bind_rule_gen_params),
	KUNIT_CASE(device_names),
	{}
};

static struct kunit_suite bind_suite = {
	.name = "virtio_accel_vio_bind",
	.test_cases = bind_cases,
};

kunit_test_suite(bind_suite);
