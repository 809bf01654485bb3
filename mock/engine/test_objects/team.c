// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Products that are spread over processors: the same bits, and the same ends. */
#include "linear.h"
#include "rig.h"

#define WORKERS	4

/* A product whose output lies over its input, and what shall come out. */
struct product {
	u32 rows, features;
	struct area area, weights;
	u8 *want;
	struct eng_image *image;
	struct eng_bind binds[2];
	struct job job;
};

static u64 state;

/* Of moderate size, so that sums stay finite and order matters. */
static void randomize(u8 *to, u64 bytes)
{
	u64 i;

	for (i = 0; i < bytes; i += 2) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		eng_put_le16(to + i, 0x2c00 + (state >> 40) % 0x1400 + (state >> 63 << 15));
	}
}

static void multiply_alone(struct product *p)
{
	struct eng_linear linear = {
		.in = p->area.memory, .in_stride = 2 * p->features,
		.weight = p->weights.memory, .weight_stride = 2 * p->features,
		.out = p->want, .out_stride = 2 * p->features,
		.rows = p->rows, .in_features = p->features, .out_features = p->features,
	};

	linear_alone(&linear);
}

static void product_make(struct product *p, struct eng_context *context, u32 rows, u32 features)
{
	u64 bytes = 2ULL * rows * features;

	*p = (struct product){ .rows = rows, .features = features };
	p->area = area_make(context, bytes, USAGE_ALL);
	p->weights = area_make(context, 2ULL * features * features, USAGE_ALL);
	p->want = malloc(bytes);
	REQUIRE(p->want);
	randomize(p->area.memory, bytes);
	randomize(p->weights.memory, 2ULL * features * features);
	multiply_alone(p);
	p->image = image_load(context, linear_load(rows, features));
	p->binds[0] = bind_of(&p->area, 0, READ_WRITE);
	p->binds[1] = bind_of(&p->weights, 1, READ_ONLY);
	job_init(&p->job);
}

static void product_submit(struct product *p, struct eng_queue *queue)
{
	REQUIRE(!job_submit(&p->job, queue, p->image, p->binds, 2));
}

static bool product_is_right(const struct product *p)
{
	return !memcmp(p->area.memory, p->want, p->area.bytes);
}

/* Its device has gone. */
static void product_free(struct product *p)
{
	job_fini(&p->job);
	area_free(&p->area);
	area_free(&p->weights);
	free(p->want);
}

static struct rig team_rig(u32 workers)
{
	struct eng_limits limits = default_limits;

	limits.max_scratch_bytes = 64 << 20;
	return rig_make((struct rig_options){ .limits = &limits, .workers = workers });
}

static u64 spread(struct rig *rig)
{
	return rig_stats(rig).work.done.spread;
}

/* One after the other in one queue, with and without: parts are of outputs or of rows. */
static const struct {
	u32 rows, features;
	bool spread;
} shapes[] = {
	{ 512, 129, true },	/* by rows, two units of outputs */
	{ 1030, 100, true },	/* by rows, the last unit short */
	{ 32, 520, true },	/* by outputs, the last unit short */
	{ 1, 2900, true },	/* one row */
	{ 33, 128, false },	/* small */
	{ 2, 2049, true },
	{ 128, 256, true },	/* just enough */
	{ 127, 256, false },	/* just too little */
	{ 1000, 260, true },	/* several steps */
};

static void run_shapes(u32 workers)
{
	struct rig rig = team_rig(workers);
	struct product p[ARRAY_SIZE(shapes)];
	u64 want = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		product_make(&p[i], rig.context, shapes[i].rows, shapes[i].features);
		product_submit(&p[i], rig.queue);
		EXPECT_ENDED(&p[i].job, COMPLETE, OK);
		EXPECT(product_is_right(&p[i]));
		want += shapes[i].spread && workers > 1;
		EXPECT_EQ(spread(&rig), want);
	}
	rig_free(&rig);
	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		product_free(&p[i]);
}

TEST(team_bits)
{
	EXPECT_EQ(eng_linear_choose("auto"), OK);
	run_shapes(WORKERS);
	run_shapes(2);
	EXPECT_EQ(eng_linear_choose("integer"), OK);
}

TEST(team_of_one)
{
	EXPECT_EQ(eng_linear_choose("auto"), OK);
	run_shapes(1);
	EXPECT_EQ(eng_linear_choose("integer"), OK);
}

/* Each part makes, and then reads, its own panels of the weights. */
TEST(team_panels)
{
	struct rig rig = team_rig(WORKERS);
	struct product p;
	u32 i;
	u8 *in;

	EXPECT_EQ(eng_linear_choose("auto"), OK);
	product_make(&p, rig.context, 1, 3000);
	in = malloc(p.area.bytes);
	REQUIRE(in);
	memcpy(in, p.area.memory, p.area.bytes);
	for (i = 0; i < 4; i++) {
		product_submit(&p, rig.queue);
		EXPECT_ENDED(&p.job, COMPLETE, OK);
		EXPECT(product_is_right(&p));
		memcpy(p.area.memory, in, p.area.bytes);
		job_fini(&p.job);
		job_init(&p.job);
	}
	EXPECT_EQ(spread(&rig), 4);
	/* The first is noted, the second packs. */
	if (eng_linear_path() != VACC_ENGINE_INTEGER)
		EXPECT_EQ(rig_stats(&rig).panels_hits, 2);
	EXPECT_EQ(eng_linear_choose("integer"), OK);
	free(in);
	rig_free(&rig);
	product_free(&p);
}

/* By the integer path, which takes longer: few of them. */
TEST(team_integer)
{
	struct rig rig = team_rig(WORKERS);
	struct product p;

	product_make(&p, rig.context, 64, 384);
	product_submit(&p, rig.queue);
	EXPECT_ENDED(&p.job, COMPLETE, OK);
	EXPECT(product_is_right(&p));
	EXPECT_EQ(spread(&rig), 1);
	rig_free(&rig);
	product_free(&p);
}

/* More queues than workers: parts that nobody begins are taken back. */
TEST(team_crowd)
{
	struct rig rig = team_rig(2);
	struct eng_queue *queues[5];
	struct product p[5];
	u32 i, round;

	EXPECT_EQ(eng_linear_choose("auto"), OK);
	for (i = 0; i < 5; i++) {
		REQUIRE(!eng_queue_create(rig.context, 0, &queues[i]));
		product_make(&p[i], rig.context, 100 + i, 500);
	}
	for (round = 0; round < 3; round++) {
		u8 *in[5];

		for (i = 0; i < 5; i++) {
			in[i] = malloc(p[i].area.bytes);
			REQUIRE(in[i]);
			memcpy(in[i], p[i].area.memory, p[i].area.bytes);
		}
		for (i = 0; i < 5; i++)
			product_submit(&p[i], queues[i]);
		for (i = 0; i < 5; i++) {
			EXPECT_ENDED(&p[i].job, COMPLETE, OK);
			EXPECT(product_is_right(&p[i]));
			memcpy(p[i].area.memory, in[i], p[i].area.bytes);
			free(in[i]);
			job_fini(&p[i].job);
			job_init(&p[i].job);
		}
	}
	EXPECT_EQ(spread(&rig), 15);
	EXPECT_EQ(eng_linear_choose("integer"), OK);
	rig_free(&rig);
	for (i = 0; i < 5; i++)
		product_free(&p[i]);
}

/* An abort and the end of the device come between two steps; then nobody is at work. */
TEST(team_abort)
{
	struct rig rig = team_rig(WORKERS);
	struct product p, next;

	product_make(&p, rig.context, 300, 512);
	p.job.keep = true;
	job_gate(&p.job);
	product_submit(&p, rig.queue);
	/* Before the first step, and after it. */
	while (sem_wait(&p.job.reached))
		;
	sem_post(&p.job.go_on);
	while (sem_wait(&p.job.reached))
		;
	eng_event_abort(p.job.event);
	job_open(&p.job);
	EXPECT_ENDED(&p.job, CANCELLED, OK);
	memset(p.area.memory, 0, p.area.bytes);
	memset(p.weights.memory, 0, p.weights.bytes);

	/* The next one begins anew. */
	product_make(&next, rig.context, 64, 384);
	product_submit(&next, rig.queue);
	EXPECT_ENDED(&next.job, COMPLETE, OK);
	EXPECT(product_is_right(&next));
	rig_free(&rig);
	product_free(&p);
	product_free(&next);
}

TEST(team_stop)
{
	struct rig rig = team_rig(WORKERS);
	struct product p;

	product_make(&p, rig.context, 300, 512);
	product_submit(&p, rig.queue);
	while (!__atomic_load_n(&p.job.steps, __ATOMIC_SEQ_CST))
		sched_yield();
	eng_device_stop(rig.device);
	EXPECT_ENDED(&p.job, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	memset(p.area.memory, 0, p.area.bytes);
	eng_device_free(rig.device);
	product_free(&p);
}
