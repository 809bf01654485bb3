// SPDX-License-Identifier: GPL-2.0
/*
 * Weights that stay packed: how much memory that takes at most, and that a submission
 * does without where there is none.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../mock/engine/object.h"

#define PANELS_TERMS	256
#define PANELS_OUTPUTS	128
#define PANELS_STRIDE	(2 * PANELS_TERMS)
#define PANELS_BYTES	(PANELS_OUTPUTS * PANELS_STRIDE)

/* A launch with these bytes of panels, of which memory cannot be had in one piece. */
#define PANELS_TOO_LONG	32768
#define PANELS_TOO_MANY	65536

struct panels_rig {
	struct eng_device *device;
	struct eng_context *context;
	struct eng_queue *queue;
	struct eng_buffer *weights;
	struct eng_buffer *out;
	struct eng_image *image;
	struct eng_event *event;
};

struct panels_artifact {
	struct vacc_batch_header header;
	struct vacc_batch_slot slots[3];
	struct vacc_batch_command command;
	struct vacc_batch_launch launch;
};

static struct vacc_batch_region panels_region(u32 slot, u64 stride)
{
	return (struct vacc_batch_region){
		.slot = cpu_to_le32(slot),
		.type = cpu_to_le16(VACC_TYPE_F16),
		.row_stride = cpu_to_le64(stride),
	};
}

static struct vacc_batch_slot panels_slot(u32 slot, u8 access, u64 bytes)
{
	return (struct vacc_batch_slot){
		.slot = cpu_to_le32(slot),
		.access = access,
		.offset_align = cpu_to_le32(2),
		.min_bytes = cpu_to_le64(bytes),
	};
}

/* Input, weights and output of one row are at slots 0 to 2. */
static void panels_build(struct panels_artifact *a, u32 terms, u32 outputs, u64 stride)
{
	u64 weights = (outputs - 1) * stride + 2 * terms;

	*a = (struct panels_artifact){
		.header = {
			.magic = cpu_to_le32(VACC_BATCH_MAGIC),
			.major = cpu_to_le16(VACC_BATCH_MAJOR),
			.minor = cpu_to_le16(VACC_BATCH_MINOR),
			.total_bytes = cpu_to_le64(sizeof(*a)),
			.slot_count = cpu_to_le32(3),
			.slot_bytes = cpu_to_le32(sizeof(a->slots[0])),
			.command_count = cpu_to_le32(1),
			.command_bytes = cpu_to_le32(sizeof(a->command)),
			.launch_count = cpu_to_le32(1),
			.launch_bytes = cpu_to_le32(sizeof(a->launch)),
			.data_offset = cpu_to_le64(sizeof(*a)),
			.resident_bytes = cpu_to_le64(vacc_batch_resident(3, 1, 1, 0)),
		},
		.slots = {
			panels_slot(0, VIRTIO_ACCEL_ACCESS_READ, 2 * terms),
			panels_slot(1, VIRTIO_ACCEL_ACCESS_READ, weights),
			panels_slot(2, VIRTIO_ACCEL_ACCESS_WRITE, 2 * outputs),
		},
		.command = {
			.op = cpu_to_le16(VACC_BATCH_OP_DENSE_LINEAR),
			.launch_count = cpu_to_le32(1),
			.src_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
			.dst_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
		},
		.launch = {
			.in = panels_region(0, 0),
			.weight = panels_region(1, stride),
			.out = panels_region(2, 0),
			.aux.slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
			.rows = cpu_to_le32(1),
			.in_features = cpu_to_le32(terms),
			.out_features = cpu_to_le32(outputs),
			.rows_slot = cpu_to_le32(VACC_BATCH_NO_SLOT),
			.in_type = cpu_to_le16(VACC_TYPE_F16),
			.weight_type = cpu_to_le16(VACC_TYPE_F16),
			.out_type = cpu_to_le16(VACC_TYPE_F16),
			.accumulator_type = cpu_to_le16(VACC_TYPE_F32),
		},
	};
}

static struct eng_image *panels_load(struct kunit *test, struct eng_context *context,
				     u32 terms, u32 outputs, u64 stride)
{
	struct panels_artifact *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	struct eng_load load = {
		.format = VACC_BATCH_FORMAT,
		.target = { VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			    VACC_BATCH_TARGET2, VACC_BATCH_TARGET3 },
		.payload = a,
		.payload_bytes = sizeof(*a),
		.resident_bytes = vacc_batch_resident(3, 1, 1, 0),
	};
	struct eng_image *image = NULL;

	KUNIT_ASSERT_NOT_NULL(test, a);
	panels_build(a, terms, outputs, stride);
	KUNIT_ASSERT_EQ(test, eng_image_load(context, &load, &image, NULL),
			(u16)VIRTIO_ACCEL_S_OK);
	return image;
}

static struct eng_buffer *panels_buffer(struct kunit *test, struct eng_context *context,
					u64 bytes)
{
	struct eng_buffer_desc desc = {
		.bytes = bytes,
		.alignment = 8,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = VIRTIO_ACCEL_USAGE_MASK,
		.memory = kunit_kzalloc(test, bytes, GFP_KERNEL),
	};
	struct eng_buffer *buffer = NULL;

	KUNIT_ASSERT_NOT_NULL(test, desc.memory);
	KUNIT_ASSERT_EQ(test, eng_buffer_create(context, &desc, &buffer),
			(u16)VIRTIO_ACCEL_S_OK);
	return buffer;
}

static const struct eng_device_ops panels_ops;

static void panels_make(struct kunit *test, struct panels_rig *rig, u64 limit)
{
	struct eng_device_config config = {
		.name = "panels",
		.ops = &panels_ops,
		.limits = {
			.max_contexts = 1,
			.max_buffers = 2,
			.max_images = 2,
			.max_queues = 1,
			.max_events = 1,
			.max_bindings = 3,
			.max_buffer_bytes = SZ_1M,
			.max_artifact_bytes = SZ_1M,
			.max_scratch_bytes = limit,
			.inline_limit = SZ_1M,
		},
	};

	KUNIT_ASSERT_EQ(test, eng_device_create(&config, &rig->device),
			(u16)VIRTIO_ACCEL_S_OK);
	KUNIT_ASSERT_EQ(test, eng_context_create(rig->device, 0, &rig->context),
			(u16)VIRTIO_ACCEL_S_OK);
	KUNIT_ASSERT_EQ(test, eng_queue_create(rig->context, 0, &rig->queue),
			(u16)VIRTIO_ACCEL_S_OK);
	rig->weights = panels_buffer(test, rig->context, 4 * PANELS_TOO_MANY);
	rig->out = panels_buffer(test, rig->context, 2 * PANELS_TOO_MANY);
	rig->image = panels_load(test, rig->context, PANELS_TERMS, PANELS_OUTPUTS,
				 PANELS_STRIDE);
}

static void panels_end(struct panels_rig *rig)
{
	eng_device_stop(rig->device);
	eng_device_free(rig->device);
}

static u16 panels_prepare(struct kunit *test, struct panels_rig *rig,
			  struct eng_image *image, u64 at)
{
	struct eng_bind binds[] = {
		{ rig->weights, 0, 2 * PANELS_TOO_LONG, 0, VIRTIO_ACCEL_ACCESS_READ },
		{ rig->weights, at, rig->weights->bytes - at, 1, VIRTIO_ACCEL_ACCESS_READ },
		{ rig->out, 0, rig->out->bytes, 2, VIRTIO_ACCEL_ACCESS_WRITE },
	};
	struct eng_submission work = {
		.queue = rig->queue,
		.image = image,
		.bindings = binds,
		.binding_count = ARRAY_SIZE(binds),
	};

	rig->event = kunit_kzalloc(test, eng_event_bytes(image, ARRAY_SIZE(binds)),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->event);
	return eng_event_prepare(rig->event, &work, NULL);
}

/* In the caller, so that it has ended. */
static void panels_launch(struct kunit *test, struct panels_rig *rig, u64 at)
{
	u16 status;

	KUNIT_ASSERT_EQ(test, panels_prepare(test, rig, rig->image, at),
			(u16)VIRTIO_ACCEL_S_OK);
	KUNIT_ASSERT_EQ(test, eng_event_admit(rig->event, true), (u16)VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, eng_event_state(rig->event, &status),
			(u32)VIRTIO_ACCEL_EVENT_COMPLETE);
}

static void panels_expect(struct kunit *test, struct panels_rig *rig, u32 panels, u64 bytes,
			  u64 hits)
{
	struct eng_device_stats stats;

	eng_device_stats(rig->device, &stats);
	KUNIT_EXPECT_EQ(test, stats.panels, panels);
	KUNIT_EXPECT_EQ(test, stats.panels_bytes, bytes);
	KUNIT_EXPECT_EQ(test, stats.panels_hits, hits);
}

static void panels_settle(struct kunit *test, struct panels_rig *rig, u64 at)
{
	int i;

	for (i = 0; i < 3; i++)
		panels_launch(test, rig, at);
}

/* Within max_scratch_bytes, to the byte, and what was used last stays. */
static void panels_budget(struct kunit *test)
{
	struct panels_rig rig;

	panels_make(test, &rig, PANELS_BYTES - 1);
	panels_settle(test, &rig, 0);
	panels_expect(test, &rig, 0, 0, 0);
	panels_end(&rig);

	panels_make(test, &rig, 2 * PANELS_BYTES - 1);
	panels_settle(test, &rig, 0);
	panels_expect(test, &rig, 1, PANELS_BYTES, 1);
	panels_settle(test, &rig, 2);
	panels_expect(test, &rig, 1, PANELS_BYTES, 1);
	/* Until the first has not been used for long; the machine may be up for less. */
	list_first_entry(&rig.device->panels, struct eng_panels, node)->used_ns = 0;
	panels_settle(test, &rig, 2);
	panels_expect(test, &rig, 1, PANELS_BYTES, 3);
	panels_launch(test, &rig, 0);
	panels_expect(test, &rig, 1, PANELS_BYTES, 3);
	KUNIT_EXPECT_EQ(test, eng_buffer_destroy(rig.weights), (u16)VIRTIO_ACCEL_S_OK);
	panels_expect(test, &rig, 0, 0, 3);
	panels_end(&rig);
}

/* An allocation that fails is not charged, and the submission goes on. */
static void panels_without_memory(struct kunit *test)
{
	struct eng_panels *panels;
	struct eng_image *image;
	struct panels_rig rig;
	int i;

	panels_make(test, &rig, 1ULL << 40);
	image = panels_load(test, rig.context, PANELS_TOO_LONG, PANELS_TOO_MANY, 2);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, panels_prepare(test, &rig, image, 0),
				(u16)VIRTIO_ACCEL_S_OK);
		eng_event_discard(rig.event);
		panels_expect(test, &rig, 0, 0, 0);
		KUNIT_ASSERT_EQ(test, rig.device->panels_count, 1U);
		panels = list_first_entry(&rig.device->panels, struct eng_panels, node);
		KUNIT_EXPECT_EQ(test, panels->bytes,
				2ULL * PANELS_TOO_LONG * PANELS_TOO_MANY);
		KUNIT_EXPECT_NULL(test, panels->memory);
		/* As if a launch had read the weights: the next one wants memory. */
		panels->seen = true;
	}
	panels_settle(test, &rig, 0);
	panels_expect(test, &rig, 1, PANELS_BYTES, 1);
	panels_end(&rig);
}

static int panels_init(struct kunit *test)
{
	eng_linear_choose("auto");
	if (eng_linear_path() == VACC_ENGINE_INTEGER)
		kunit_skip(test, "no path of this processor packs weights");
	return 0;
}

static void panels_exit(struct kunit *test)
{
	eng_linear_choose("integer");
}

static struct kunit_case panels_cases[] = {
	KUNIT_CASE(panels_budget),
	KUNIT_CASE(panels_without_memory),
	{}
};

static struct kunit_suite panels_suite = {
	.name = "virtio_accel_engine_panels",
	.init = panels_init,
	.exit = panels_exit,
	.test_cases = panels_cases,
};

kunit_test_suite(panels_suite);
