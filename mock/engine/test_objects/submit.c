// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Submission and what it executes: M6, M7, M13. */
#include "rig.h"

/* A second context with one of each, foreign to the rig's. */
struct foreign {
	struct eng_context *context;
	struct eng_queue *queue;
	struct eng_image *image;
	struct area area;
};

static struct foreign foreign_make(struct rig *rig)
{
	struct foreign f;

	REQUIRE(!eng_context_create(rig->device, 0, &f.context));
	REQUIRE(!eng_queue_create(f.context, 0, &f.queue));
	f.image = image_make(f.context, VACC_REF_OP_FILL, 0, VACC_REF_NO_SLOT, 1);
	f.area = area_make(f.context, 64, USAGE_ALL);
	return f;
}

TEST(m6_rejections)
{
	struct rig rig = rig_make((struct rig_options){});
	struct foreign f = foreign_make(&rig);
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct eng_image *copy = image_make(rig.context, VACC_REF_OP_COPY, 0, 1, 0);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct area input = area_make(rig.context, 64, VIRTIO_ACCEL_USAGE_INPUT);
	struct area output = area_make(rig.context, 64,
				       VIRTIO_ACCEL_USAGE_OUTPUT);
	struct eng_bind bind = bind_of(&area, 0, WRITE_ONLY);
	struct eng_bind two[2] = { bind, bind_of(&area, 1, WRITE_ONLY) };
	struct job job;

	job_init(&job);
	/* One context. */
	EXPECT_EQ(job_submit(&job, f.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	EXPECT_EQ(job_submit(&job, rig.queue, f.image, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.buffer = f.area.buffer;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	/* ... before the range, the range before permission. */
	bind.bytes = 65;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.buffer = input.buffer;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	bind.bytes = 64;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_PERMISSION_DENIED);
	/* The range of the second before the permission of the first. */
	two[0].buffer = input.buffer;
	two[1].offset = 1;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	two[1].offset = ~0ULL - 3;
	two[1].bytes = 8;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	/* Permissions. */
	bind = bind_of(&output, 0, READ_ONLY);
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_PERMISSION_DENIED);
	bind.access = READ_WRITE;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_PERMISSION_DENIED);
	bind.access = 0;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.access = 4;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	/* Counts and slots. */
	bind = bind_of(&area, 0, WRITE_ONLY);
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 0),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.bytes = 0;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	two[0] = bind_of(&area, 1, READ_ONLY);
	two[1] = bind_of(&area, 1, WRITE_ONLY);
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	/* Shape. */
	two[0].slot = 0;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, two, 2),
		  VIRTIO_ACCEL_S_INCOMPATIBLE);
	two[1].slot = 2;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_INCOMPATIBLE);
	two[1].slot = 1;
	two[1].bytes = 63;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_INCOMPATIBLE);
	two[1].bytes = 64;
	two[1].access = READ_WRITE;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_INCOMPATIBLE);

	/* Nothing is retained, nothing was counted, nothing was written. */
	EXPECT_EQ(rig_stats(&rig).events, 0);
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 0);
	EXPECT_EQ(job.ends, 0);
	EXPECT(area_is(&area, 0));
	EXPECT_EQ(eng_buffer_destroy(area.buffer), OK);
	EXPECT_EQ(eng_buffer_destroy(input.buffer), OK);
	EXPECT_EQ(eng_buffer_destroy(output.buffer), OK);
	EXPECT_EQ(eng_image_unload(fill), OK);
	EXPECT_EQ(eng_image_unload(copy), OK);
	EXPECT_EQ(eng_queue_destroy(rig.queue), OK);
	EXPECT_EQ(eng_context_destroy(rig.context), OK);

	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
	area_free(&input);
	area_free(&output);
	area_free(&f.area);
}

TEST(m6_element_types)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	u8 memory[8];
	struct eng_buffer_desc desc = {
		.bytes = 8,
		.alignment = 1,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = USAGE_ALL,
		.element_type = VACC_TYPE_U8,
		.memory = memory,
	};
	struct eng_bind bind = { .bytes = 8, .access = WRITE_ONLY };
	struct job job;

	REQUIRE(!eng_buffer_create(rig.context, &desc, &bind.buffer));
	job_init(&job);
	bind.element_type = VACC_TYPE_F16;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.element_type = VACC_TYPE_COUNT;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	bind.element_type = VACC_TYPE_U8;
	EXPECT_EQ(job_submit(&job, rig.queue, fill, &bind, 1), OK);
	EXPECT_ENDED(&job, COMPLETE, OK);
	rig_free(&rig);
	job_fini(&job);
}

static void run(struct rig *rig, struct eng_image *image,
		const struct eng_bind *binds, u32 count)
{
	struct job job;

	job_init(&job);
	REQUIRE(!job_submit(&job, rig->queue, image, binds, count));
	EXPECT_ENDED(&job, COMPLETE, OK);
	job_fini(&job);
}

TEST(m7_operations)
{
	struct rig rig = rig_make((struct rig_options){});
	struct area a = area_make(rig.context, 1000, USAGE_ALL);
	struct area b = area_make(rig.context, 1000, USAGE_ALL);
	struct eng_bind bind = bind_of(&a, 3, READ_ONLY);
	struct eng_bind two[2] = { bind_of(&b, 7, WRITE_ONLY),
				   bind_of(&a, 3, READ_ONLY) };
	u8 access;

	for (access = READ_ONLY; access <= READ_WRITE; access++) {
		bind.access = access;
		run(&rig, image_make(rig.context, VACC_REF_OP_BARRIER, 3,
				     VACC_REF_NO_SLOT, 0), &bind, 1);
	}
	EXPECT(area_is(&a, 0));
	bind.access = WRITE_ONLY;
	run(&rig, image_make(rig.context, VACC_REF_OP_FILL, 3, VACC_REF_NO_SLOT,
			     0xa5), &bind, 1);
	EXPECT(area_is(&a, 0xa5));
	run(&rig, image_make(rig.context, VACC_REF_OP_COPY, 3, 7, 0), two, 2);
	EXPECT(area_is(&b, 0xa5));
	bind = bind_of(&b, 3, READ_WRITE);
	run(&rig, image_make(rig.context, VACC_REF_OP_XOR, 3, VACC_REF_NO_SLOT,
			     0xff), &bind, 1);
	EXPECT(area_is(&b, 0x5a));
	EXPECT(area_is(&a, 0xa5));
	rig_free(&rig);
	area_free(&a);
	area_free(&b);
}

/* Across many steps too. */
TEST(m7_overlapping_copy)
{
	u64 bytes = 3 * ENG_STEP_BUDGET + 17;
	struct rig rig = rig_make((struct rig_options){});
	struct area area = area_make(rig.context, bytes + 100, USAGE_ALL);
	struct eng_image *copy = image_make(rig.context, VACC_REF_OP_COPY, 0, 1, 0);
	struct eng_bind two[2] = { bind_of(&area, 0, READ_ONLY),
				   bind_of(&area, 1, WRITE_ONLY) };
	u8 *expected = malloc(bytes + 100);
	u32 forth;
	u64 i;

	REQUIRE(expected);
	for (forth = 0; forth < 2; forth++) {
		for (i = 0; i < bytes + 100; i++)
			area.memory[i] = i * 7 + i / 251;
		two[forth].offset = 0;
		two[!forth].offset = 100;
		two[0].bytes = bytes;
		two[1].bytes = bytes;
		memcpy(expected, area.memory, bytes + 100);
		memmove(expected + two[1].offset, expected + two[0].offset,
			bytes);
		run(&rig, copy, two, 2);
		EXPECT(!memcmp(area.memory, expected, bytes + 100));
	}
	free(expected);
	rig_free(&rig);
	area_free(&area);
}

TEST(m13_direct_bindings)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *copy = image_make(rig.context, VACC_REF_OP_COPY, 0, 1, 0);
	struct area a = area_make(rig.context, 64, USAGE_ALL);
	struct area b = area_make(rig.context, 64, USAGE_ALL);
	struct eng_bind two[2] = { bind_of(&a, 0, READ_ONLY),
				   bind_of(&b, 1, WRITE_ONLY) };
	struct job job;

	job_init(&job);
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 0);
	REQUIRE(!job_submit(&job, rig.queue, copy, two, 2));
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 2);
	/* What is bound is the memory at the time of execution. */
	memset(a.memory, 0x33, 64);
	eng_harness_hold(rig.device, false);
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT(area_is(&b, 0x33));
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 2);
	two[1].bytes = 65;
	EXPECT_EQ(job_submit(&job, rig.queue, copy, two, 2),
		  VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 2);
	rig_free(&rig);
	job_fini(&job);
	area_free(&a);
	area_free(&b);
}

/* More bindings than are resolved on the stack. */
TEST(many_bindings)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *barrier = image_make(rig.context, VACC_REF_OP_BARRIER, 0,
					       VACC_REF_NO_SLOT, 0);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct eng_bind binds[ENG_MAX_BINDINGS + 1];
	struct job job;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(binds); i++)
		binds[i] = bind_of(&area, i, READ_ONLY);
	job_init(&job);
	EXPECT_EQ(job_submit(&job, rig.queue, barrier, binds, ENG_MAX_BINDINGS),
		  VIRTIO_ACCEL_S_INCOMPATIBLE);
	EXPECT_EQ(job_submit(&job, rig.queue, barrier, binds,
			     ENG_MAX_BINDINGS + 1),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	binds[ENG_MAX_BINDINGS - 1].slot = 0;
	EXPECT_EQ(job_submit(&job, rig.queue, barrier, binds, ENG_MAX_BINDINGS),
		  VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

TEST(prepared_and_discarded)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct eng_bind bind = bind_of(&area, 0, WRITE_ONLY);
	struct job job;

	job_init(&job);
	REQUIRE(!job_prepare(&job, rig.queue, fill, &bind, 1));
	/* It is in use, and nobody's to cancel. */
	EXPECT_EQ(eng_buffer_destroy(area.buffer), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_event_cancel(job.event), VIRTIO_ACCEL_S_BUSY);
	eng_event_discard(job.event);
	EXPECT_EQ(job.ends, 0);
	EXPECT_EQ(eng_buffer_destroy(area.buffer), OK);
	EXPECT_EQ(eng_image_unload(fill), OK);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}
