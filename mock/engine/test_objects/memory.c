// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Memory that is not there: each allocation of each call fails in turn.  What cannot do
 * without says so and keeps nothing; what only makes things fast is done without.
 */
#include "linear.h"
#include "rig.h"

#define WORKERS	3
#define FEATURES	2900	/* a square of them is spread, and kept */

/* The allocation of this thread that fails, counted from the next; 0 for none. */
static __thread u32 fail_at;

static bool fails(void)
{
	return fail_at && !--fail_at;
}

/* What the linker gives whoever calls malloc() and calloc(). */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

/* How often each call failed, and how often it did without. */
struct sweep {
	u32 refused;
	u32 spared;
};

/*
 * Call with no memory at the first, second... allocation until there is none that could
 * fail.  What succeeds is undone each time.
 */
#define SWEEP(sweep, call, undo)						\
	do {									\
		bool met_ = true;						\
		u16 status_;							\
		u32 n_;								\
										\
		for (n_ = 1; met_; n_++) {					\
			fail_at = n_;						\
			status_ = (call);					\
			met_ = !fail_at;					\
			fail_at = 0;						\
			if (status_ == OK) {					\
				(sweep)->spared += met_;			\
				undo;						\
				continue;					\
			}							\
			EXPECT(met_);						\
			EXPECT_EQ(status_, VIRTIO_ACCEL_S_OUT_OF_MEMORY);	\
			(sweep)->refused++;					\
		}								\
	} while (0)

static void expect_only(const struct rig *rig, u32 images, u32 events)
{
	struct eng_device_stats stats;

	eng_device_stats(rig->device, &stats);
	EXPECT_EQ(stats.contexts, 1);
	EXPECT_EQ(stats.queues, 1);
	EXPECT_EQ(stats.buffers, 0);
	EXPECT_EQ(stats.images, images);
	EXPECT_EQ(stats.events, events);
	EXPECT_EQ(stats.scratch_bytes, 0);
}

TEST(memory_of_device)
{
	struct eng_device_config config = {
		.name = "test",
		.limits = default_limits,
		.workers = WORKERS,
	};
	struct eng_device_ops ops = {};
	struct eng_device *device;
	struct sweep sweep = {};

	config.ops = &ops;
	SWEEP(&sweep, eng_device_create(&config, &device), {
		eng_device_stop(device);
		eng_device_free(device);
	});
	EXPECT(sweep.refused >= 2);
	EXPECT_EQ(sweep.spared, 0);
}

TEST(memory_of_objects)
{
	struct vacc_ref_artifact artifact = ref_artifact(VACC_REF_OP_FILL, 0,
							 VACC_REF_NO_SLOT, 1);
	struct eng_load small = ref_load(&artifact), batch = fills_load(20, 8, 1);
	struct rig rig = rig_make((struct rig_options){ .workers = WORKERS });
	struct sweep context_sweep = {}, buffer_sweep = {}, image_sweep = {}, queue_sweep = {};
	u8 memory[64] = {};
	struct eng_buffer_desc desc = {
		.bytes = sizeof(memory),
		.alignment = 1,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = USAGE_ALL,
		.memory = memory,
	};
	struct eng_context *context;
	struct eng_buffer *buffer;
	struct eng_image *image;
	struct eng_queue *queue;

	SWEEP(&context_sweep, eng_context_create(rig.device, 0, &context),
	      EXPECT_EQ(eng_context_destroy(context), OK));
	EXPECT(context_sweep.refused >= 1);
	SWEEP(&buffer_sweep, eng_buffer_create(rig.context, &desc, &buffer),
	      EXPECT_EQ(eng_buffer_destroy(buffer), OK));
	EXPECT(buffer_sweep.refused >= 1);
	SWEEP(&image_sweep, eng_image_load(rig.context, &small, &image, NULL),
	      EXPECT_EQ(eng_image_unload(image), OK));
	SWEEP(&image_sweep, eng_image_load(rig.context, &batch, &image, NULL),
	      EXPECT_EQ(eng_image_unload(image), OK));
	EXPECT(image_sweep.refused >= 4);
	SWEEP(&queue_sweep, eng_queue_create(rig.context, 0, &queue),
	      EXPECT_EQ(eng_queue_destroy(queue), OK));
	EXPECT(queue_sweep.refused >= 1);
	expect_only(&rig, 0, 0);
	free((void *)batch.payload);
	rig_free(&rig);
}

/* A program of its own working memory and many bindings. */
TEST(memory_of_submission)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *image = image_load(rig.context, linear_load(3, 40));
	struct area area = area_make(rig.context, 2 * 3 * 40, USAGE_ALL);
	struct area weights = area_make(rig.context, 2 * 40 * 40, USAGE_ALL);
	struct eng_bind binds[] = {
		bind_of(&area, 0, READ_WRITE),
		bind_of(&weights, 1, READ_ONLY),
	};
	struct eng_submission work = {
		.queue = rig.queue, .image = image, .bindings = binds, .binding_count = 2,
	};
	struct eng_event *event = malloc(eng_event_bytes(image, 2));
	struct sweep sweep = {};

	REQUIRE(event);
	SWEEP(&sweep, eng_event_prepare(event, &work, NULL), eng_event_discard(event));
	EXPECT(sweep.refused >= 1);
	EXPECT_EQ(rig_stats(&rig).events, 0);
	EXPECT_EQ(rig_stats(&rig).scratch_bytes, 0);
	EXPECT_EQ(rig_stats(&rig).direct_bindings, 0);
	free(event);
	rig_free(&rig);
	area_free(&area);
	area_free(&weights);
}

/* A row of features, the weights of a square, and the bits that come out alone. */
struct row {
	struct area in, weights, out;
	struct eng_image *image;
	struct eng_bind binds[3];
	u8 want[2 * FEATURES];
};

static void row_make(struct row *row, struct eng_context *context)
{
	struct eng_linear linear;
	u32 i;

	row->in = area_make(context, 2 * FEATURES, USAGE_ALL);
	row->weights = area_make(context, 2 * FEATURES * FEATURES, USAGE_ALL);
	row->out = area_make(context, 2 * FEATURES, USAGE_ALL);
	for (i = 0; i < FEATURES; i++)
		eng_put_le16(row->in.memory + 2 * i, 0x2c00 + i * 7 % 0x1400);
	for (i = 0; i < FEATURES * FEATURES; i++)
		eng_put_le16(row->weights.memory + 2 * i, 0x2c00 + i * 13 % 0x1400 +
			     (i % 3 ? 0x8000 : 0));
	linear = (struct eng_linear){
		.in = row->in.memory, .in_stride = 2 * FEATURES,
		.weight = row->weights.memory, .weight_stride = 2 * FEATURES,
		.out = row->want, .out_stride = 2 * FEATURES,
		.rows = 1, .in_features = FEATURES, .out_features = FEATURES,
	};
	linear_alone(&linear);
	row->image = image_load(context, row_load(FEATURES, FEATURES, 2 * FEATURES));
	row->binds[0] = bind_of(&row->in, 0, READ_ONLY);
	row->binds[1] = bind_of(&row->weights, 1, READ_ONLY);
	row->binds[2] = bind_of(&row->out, 2, WRITE_ONLY);
}

static void row_free(struct row *row)
{
	area_free(&row->in);
	area_free(&row->weights);
	area_free(&row->out);
}

/* Whether the nth allocation was met; the product is right with it and without. */
static bool row_runs(struct row *row, struct rig *rig, u32 nth, struct sweep *sweep)
{
	struct job job;
	u16 status;
	bool met;

	job_init(&job);
	/* The first is the event's own memory, which is the caller's. */
	fail_at = nth + 1;
	status = job_submit(&job, rig->queue, row->image, row->binds, 3);
	met = !fail_at;
	fail_at = 0;
	if (status) {
		EXPECT(met);
		EXPECT_EQ(status, VIRTIO_ACCEL_S_OUT_OF_MEMORY);
		sweep->refused++;
	} else {
		EXPECT_ENDED(&job, COMPLETE, OK);
		EXPECT(!memcmp(row->out.memory, row->want, sizeof(row->want)));
		memset(row->out.memory, 0, row->out.bytes);
		sweep->spared += met;
	}
	job_fini(&job);
	EXPECT_EQ(rig_stats(rig).events, 0);
	EXPECT_EQ(rig_stats(rig).scratch_bytes, 0);
	return met;
}

/*
 * Processors beside the queue's own and kept panels are there to be fast.  Each nth
 * allocation fails in a new queue, in the second launch of the weights, which keeps them.
 */
TEST(memory_of_teams_and_panels)
{
	struct eng_limits limits = default_limits;
	struct sweep sweep = {};
	struct row row;
	bool met = true;
	u64 alone = 0;
	u32 nth;

	limits.max_scratch_bytes = 64 << 20;
	EXPECT_EQ(eng_linear_choose("auto"), OK);
	for (nth = 1; met; nth++) {
		struct rig rig = rig_make((struct rig_options){ .limits = &limits,
								.workers = WORKERS });

		row_make(&row, rig.context);
		met = row_runs(&row, &rig, nth, &sweep);
		row_runs(&row, &rig, nth, &sweep);
		row_runs(&row, &rig, U32_MAX - 1, &sweep);
		alone += 3 - rig_stats(&rig).work.done.spread;
		rig_free(&rig);
		row_free(&row);
	}
	EXPECT_EQ(eng_linear_choose("integer"), OK);
	EXPECT(sweep.refused >= 1);
	/* The team and each area of it but the executor's. */
	EXPECT(sweep.spared >= WORKERS);
	EXPECT(alone >= WORKERS);
}
