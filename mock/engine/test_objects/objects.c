// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Contexts, buffers, programs, queues: M1 to M5. */
#include "rig.h"

static struct eng_limits small_limits(void)
{
	struct eng_limits limits = default_limits;

	limits.max_contexts = 2;
	limits.max_buffers = 2;
	limits.max_images = 2;
	limits.max_queues = 2;
	limits.max_events = 2;
	limits.max_bindings = 2;
	limits.max_buffer_bytes = 4096;
	limits.max_artifact_bytes = 24;
	return limits;
}

TEST(m1_limits)
{
	struct eng_limits limits = small_limits();
	struct rig rig = rig_make((struct rig_options){ .limits = &limits });
	struct vacc_ref_artifact artifact = ref_artifact(VACC_REF_OP_BARRIER, 0,
							 VACC_REF_NO_SLOT, 0);
	struct eng_load load = ref_load(&artifact);
	struct eng_context *context, *other;
	struct eng_image *image, *third;
	struct eng_queue *queue;
	struct area a, b;
	struct eng_buffer *buffer;
	struct eng_buffer_desc desc = {
		.bytes = 4096,
		.alignment = 1,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = USAGE_ALL,
	};

	/* One of each but buffers and programs is there. */
	EXPECT_EQ(eng_context_create(rig.device, 0, &context), OK);
	EXPECT_EQ(eng_context_create(rig.device, 0, &other),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(eng_context_destroy(context), OK);
	EXPECT_EQ(eng_context_create(rig.device, 0, &context), OK);

	EXPECT_EQ(eng_queue_create(rig.context, 0, &queue), OK);
	EXPECT_EQ(eng_queue_create(rig.context, 0, &queue),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(eng_queue_create(context, 0, &queue), OK);

	EXPECT_EQ(eng_image_load(rig.context, &load, &image, NULL), OK);
	EXPECT_EQ(eng_image_load(rig.context, &load, &image, NULL), OK);
	EXPECT_EQ(eng_image_load(rig.context, &load, &third, NULL),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(eng_image_unload(image), OK);
	EXPECT_EQ(eng_image_load(rig.context, &load, &image, NULL), OK);
	load.payload_bytes = 25;
	EXPECT_EQ(eng_image_load(context, &load, &image, NULL),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);

	a = area_make(rig.context, 4096, USAGE_ALL);
	b = area_make(rig.context, 1, USAGE_ALL);
	desc.memory = a.memory;
	EXPECT_EQ(eng_buffer_create(rig.context, &desc, &buffer),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(eng_buffer_destroy(b.buffer), OK);
	desc.bytes = 4097;
	EXPECT_EQ(eng_buffer_create(rig.context, &desc, &buffer),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	desc.bytes = 4096;
	EXPECT_EQ(eng_buffer_create(rig.context, &desc, &buffer), OK);

	rig_free(&rig);
	area_free(&a);
	area_free(&b);
}

TEST(m1_limits_of_submissions)
{
	struct eng_limits limits = small_limits();
	struct rig rig = rig_make((struct rig_options){ .limits = &limits,
							.hold = true });
	struct eng_image *image = image_make(rig.context, VACC_REF_OP_BARRIER, 0,
					     VACC_REF_NO_SLOT, 0);
	struct area area = area_make(rig.context, 16, USAGE_ALL);
	struct eng_bind three[3] = {
		bind_of(&area, 0, READ_ONLY),
		bind_of(&area, 1, READ_ONLY),
		bind_of(&area, 2, READ_ONLY),
	};
	struct job jobs[3];
	u32 i;

	for (i = 0; i < 3; i++)
		job_init(&jobs[i]);
	EXPECT_EQ(job_submit(&jobs[0], rig.queue, image, three, 3),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(job_submit(&jobs[0], rig.queue, image, three, 1), OK);
	EXPECT_EQ(job_submit(&jobs[1], rig.queue, image, three, 1), OK);
	EXPECT_EQ(job_submit(&jobs[2], rig.queue, image, three, 1),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	eng_harness_hold(rig.device, false);
	EXPECT_ENDED(&jobs[0], COMPLETE, OK);
	EXPECT_EQ(job_submit(&jobs[2], rig.queue, image, three, 1), OK);
	EXPECT_ENDED(&jobs[1], COMPLETE, OK);
	EXPECT_ENDED(&jobs[2], COMPLETE, OK);

	rig_free(&rig);
	for (i = 0; i < 3; i++)
		job_fini(&jobs[i]);
	area_free(&area);
}

TEST(m2_flags)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_context *context;
	struct eng_queue *queue;
	u32 bit;

	for (bit = 0; bit < 32; bit++) {
		EXPECT_EQ(eng_context_create(rig.device, 1u << bit, &context),
			  VIRTIO_ACCEL_S_UNSUPPORTED);
		EXPECT_EQ(eng_queue_create(rig.context, 1u << bit, &queue),
			  VIRTIO_ACCEL_S_UNSUPPORTED);
	}
	EXPECT_EQ(rig_stats(&rig).contexts, 1);
	EXPECT_EQ(rig_stats(&rig).queues, 1);
	rig_free(&rig);
}

TEST(m3_buffers)
{
	static const struct {
		u64 bytes;
		u64 alignment;
		u32 domain;
		u32 usage;
		u32 type;
		u16 status;
	} cases[] = {
		{ 0, 1, 1, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 0, 1, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 3, 1, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, ~0ULL, 1, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 1, 0, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 1, 4, 1, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 1, 1, 0, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 1, 1, 1, 0x20, 0, VIRTIO_ACCEL_S_UNSUPPORTED },
		{ 1, 1, 1, 1, VACC_TYPE_COUNT, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ ENG_MAX_BUFFER_BYTES + 1, 1, 1, 1, 0,
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT },
		{ ~0ULL, 1, 1, 1, 0, VIRTIO_ACCEL_S_RESOURCE_LIMIT },
		{ 64, 64, 1, 1, VACC_TYPE_F16, OK },
	};
	struct rig rig = rig_make((struct rig_options){});
	u8 *memory = aligned_alloc(64, 128);
	struct eng_buffer *buffer;
	u32 i;

	REQUIRE(memory);

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct eng_buffer_desc desc = {
			.bytes = cases[i].bytes,
			.alignment = cases[i].alignment,
			.domain = cases[i].domain,
			.usage = cases[i].usage,
			.element_type = cases[i].type,
			.memory = memory,
		};

		EXPECT_EQ(eng_buffer_create(rig.context, &desc, &buffer),
			  cases[i].status);
		/* Memory that is not there, or not where it was said to be. */
		desc.memory = NULL;
		EXPECT(eng_buffer_create(rig.context, &desc, &buffer));
		desc.memory = memory + 1;
		EXPECT(desc.alignment == 1 ||
		       eng_buffer_create(rig.context, &desc, &buffer));
	}
	EXPECT_EQ(rig_stats(&rig).buffers, 1);
	rig_free(&rig);
	free(memory);
}

TEST(m3_properties)
{
	static const struct {
		u32 domain;
		u32 usage;
		u32 properties;
	} cases[] = {
		{ VIRTIO_ACCEL_DOMAIN_HOST, VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
		  VACC_PROP_HOST_VISIBLE },
		{ VIRTIO_ACCEL_DOMAIN_HOST, VIRTIO_ACCEL_USAGE_OUTPUT,
		  VACC_PROP_HOST_VISIBLE | VACC_PROP_DIRECT_BINDING },
		{ VIRTIO_ACCEL_DOMAIN_DEVICE, VIRTIO_ACCEL_USAGE_TRANSFER_DST,
		  VACC_PROP_DEVICE_LOCAL },
		{ VIRTIO_ACCEL_DOMAIN_DEVICE, VIRTIO_ACCEL_USAGE_MUTABLE,
		  VACC_PROP_DEVICE_LOCAL | VACC_PROP_DIRECT_BINDING },
		{ VIRTIO_ACCEL_DOMAIN_SHARED, VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
		  VACC_PROP_HOST_VISIBLE | VACC_PROP_DIRECT_BINDING },
	};
	struct rig rig = rig_make((struct rig_options){});
	u8 *memory = aligned_alloc(16, 64);
	struct eng_buffer_info info;
	struct eng_buffer *buffer;
	u32 i;

	REQUIRE(memory);

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct eng_buffer_desc desc = {
			.bytes = 33,
			.alignment = 16,
			.domain = cases[i].domain,
			.usage = cases[i].usage,
			.memory = memory,
		};

		REQUIRE(!eng_buffer_create(rig.context, &desc, &buffer));
		eng_buffer_info(buffer, &info);
		EXPECT_EQ(info.allocation_bytes, 33);
		EXPECT_EQ(info.alignment, 16);
		EXPECT_EQ(info.properties, cases[i].properties);
	}
	rig_free(&rig);
	free(memory);
}

TEST(m4_transfers)
{
	static const struct {
		u64 offset;
		u64 bytes;
		u16 status;
	} cases[] = {
		{ 0, 4096, OK },
		{ 4095, 1, OK },
		{ 0, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 4096, 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
		{ 4095, 2, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ 4096, 1, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ ~0ULL, 1, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ ~0ULL - 3, 8, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ 8, ~0ULL - 3, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ 1ULL << 32, 1ULL << 32, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
		{ 1ULL << 63, 1ULL << 63, VIRTIO_ACCEL_S_OUT_OF_BOUNDS },
	};
	struct rig rig = rig_make((struct rig_options){});
	struct area source = area_make(rig.context, 4096,
				       VIRTIO_ACCEL_USAGE_TRANSFER_SRC);
	struct area target = area_make(rig.context, 4096,
				       VIRTIO_ACCEL_USAGE_TRANSFER_DST);
	void *at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		void *expected = NULL;

		if (!cases[i].status)
			expected = source.memory + cases[i].offset;
		at = NULL;
		EXPECT_EQ(eng_buffer_reach(source.buffer,
					   VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
					   cases[i].offset, cases[i].bytes,
					   &at),
			  cases[i].status);
		EXPECT(at == expected);
		EXPECT_EQ(eng_buffer_reach(target.buffer,
					   VIRTIO_ACCEL_USAGE_TRANSFER_DST,
					   cases[i].offset, cases[i].bytes,
					   &at),
			  cases[i].status);
		/* The wrong way: permission comes before all else. */
		EXPECT_EQ(eng_buffer_reach(source.buffer,
					   VIRTIO_ACCEL_USAGE_TRANSFER_DST,
					   cases[i].offset, cases[i].bytes,
					   &at),
			  VIRTIO_ACCEL_S_PERMISSION_DENIED);
		EXPECT_EQ(eng_buffer_reach(target.buffer,
					   VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
					   cases[i].offset, cases[i].bytes,
					   &at),
			  VIRTIO_ACCEL_S_PERMISSION_DENIED);
	}
	rig_free(&rig);
	area_free(&source);
	area_free(&target);
}

static u16 try_load(struct rig *rig, const struct eng_load *load)
{
	struct eng_reason reason = {};
	struct eng_image *image;
	u16 status = eng_image_load(rig->context, load, &image, &reason);

	if (!status)
		EXPECT_EQ(eng_image_unload(image), OK);
	return status;
}

TEST(m5_program_load)
{
	struct eng_limits limits = default_limits;
	struct vacc_ref_artifact artifact = ref_artifact(VACC_REF_OP_FILL, 0,
							 VACC_REF_NO_SLOT, 1);
	struct eng_load good = ref_load(&artifact);
	struct eng_load load = good;
	struct rig rig;

	limits.max_artifact_bytes = 24;
	rig = rig_make((struct rig_options){ .limits = &limits });
	EXPECT_EQ(try_load(&rig, &good), OK);

	/* Over the limit comes before an unknown format. */
	load.payload_bytes = 25;
	load.format++;
	EXPECT_EQ(try_load(&rig, &load), VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	load.payload_bytes = 24;
	load.target[0]++;
	EXPECT_EQ(try_load(&rig, &load), VIRTIO_ACCEL_S_UNSUPPORTED);
	load.format--;
	artifact.reserved[6] = 1;
	EXPECT_EQ(try_load(&rig, &load), VIRTIO_ACCEL_S_INCOMPATIBLE);
	load.target[0]--;
	load.target[11] = 1;
	EXPECT_EQ(try_load(&rig, &load), VIRTIO_ACCEL_S_INCOMPATIBLE);
	load.target[11] = 0;
	load.resident_bytes = 63;
	EXPECT_EQ(try_load(&rig, &load), VIRTIO_ACCEL_S_INCOMPATIBLE);
	EXPECT_EQ(try_load(&rig, &good), VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	artifact.reserved[6] = 0;
	artifact.major = 2;
	EXPECT_EQ(try_load(&rig, &good), VIRTIO_ACCEL_S_INCOMPATIBLE);
	artifact.major = 1;
	artifact.op = 4;
	EXPECT_EQ(try_load(&rig, &good), VIRTIO_ACCEL_S_UNSUPPORTED);
	artifact.op = VACC_REF_OP_XOR;
	EXPECT_EQ(try_load(&rig, &good), OK);
	EXPECT_EQ(rig_stats(&rig).images, 0);
	rig_free(&rig);
}

TEST(destroy_of_what_is_in_use)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *image = image_make(rig.context, VACC_REF_OP_FILL, 0,
					     VACC_REF_NO_SLOT, 9);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;

	job_init(&job);
	EXPECT_EQ(job_submit_area(&job, rig.queue, image, &area, WRITE_ONLY), OK);
	EXPECT_EQ(eng_buffer_destroy(area.buffer), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_image_unload(image), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_queue_destroy(rig.queue), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_context_destroy(rig.context), VIRTIO_ACCEL_S_BUSY);

	eng_harness_hold(rig.device, false);
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT(area_is(&area, 9));
	EXPECT_EQ(eng_queue_destroy(rig.queue), OK);
	EXPECT_EQ(eng_context_destroy(rig.context), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_image_unload(image), OK);
	EXPECT_EQ(eng_context_destroy(rig.context), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_buffer_destroy(area.buffer), OK);
	EXPECT_EQ(eng_context_destroy(rig.context), OK);
	EXPECT_EQ(rig_stats(&rig).contexts, 0);

	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* What is alive is freed with the device: the sanitizer sees to that. */
TEST(device_free_frees_all)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_context *context;
	struct eng_queue *queue;
	struct area area, other;
	struct job job;
	u32 i;

	area = area_make(rig.context, 64, USAGE_ALL);
	for (i = 0; i < 5; i++) {
		REQUIRE(!eng_context_create(rig.device, 0, &context));
		REQUIRE(!eng_queue_create(context, 0, &queue));
		REQUIRE(!eng_queue_create(context, 0, &queue));
		image_make(context, VACC_REF_OP_BARRIER, i, VACC_REF_NO_SLOT, 0);
	}
	other = area_make(context, 64, USAGE_ALL);
	job_init(&job);
	EXPECT_EQ(job_submit_area(&job, rig.queue,
				  image_make(rig.context, VACC_REF_OP_FILL, 0,
					     VACC_REF_NO_SLOT, 9),
				  &area, WRITE_ONLY), OK);
	rig_free(&rig);
	EXPECT_ENDED(&job, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT(area_is(&area, 0));
	job_fini(&job);
	area_free(&area);
	area_free(&other);
}
