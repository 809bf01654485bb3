// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Weights that stay packed: the bits are those without, whatever is written when; and
 * what is kept, for how long, and in how much memory.
 *
 * Each buffer of weights has a twin that is exposed, so that nothing is kept of it.
 */
#include <unistd.h>

#include "object.h"
#include "rig.h"

#define TERMS		512
#define OUTPUTS		96
#define STRIDE		(2 * TERMS)
#define BYTES		(OUTPUTS * STRIDE)

/* More than one step packs. */
#define MANY		2048

struct scene {
	struct rig rig;
	struct area in, weights, twin, out, twin_out;
	struct eng_image *row;
};

static u64 state = 1;

static u32 number(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

/* Finite, and large enough for sums to differ where one weight does. */
static void randomize(struct area *area)
{
	u64 i;

	for (i = 0; i + 2 <= area->bytes; i += 2)
		eng_put_le16(area->memory + i,
			     (number() & 0x83ff) | (13 + number() % 4) << 10);
}

static void copy_to_twin(struct scene *s)
{
	memcpy(s->twin.memory, s->weights.memory, s->weights.bytes);
}

/* False, and nothing is made, where this processor has no path that packs. */
static bool scene_make(struct scene *s, u32 outputs, u64 weight_bytes, u64 limit)
{
	struct eng_limits limits = default_limits;
	struct rig_options options = { .limits = &limits };

	eng_linear_choose("auto");
	if (eng_linear_path() == VACC_ENGINE_INTEGER)
		return false;
	limits.max_scratch_bytes = limit;
	s->rig = rig_make(options);
	s->in = area_make(s->rig.context, STRIDE, USAGE_ALL);
	s->weights = area_make(s->rig.context, weight_bytes, USAGE_ALL);
	s->twin = area_make(s->rig.context, weight_bytes, USAGE_ALL);
	s->out = area_make(s->rig.context, 2 * outputs, USAGE_ALL);
	s->twin_out = area_make(s->rig.context, 2 * outputs, USAGE_ALL);
	s->row = image_load(s->rig.context, row_load(TERMS, outputs, STRIDE));
	eng_buffer_expose(s->twin.buffer);
	randomize(&s->in);
	randomize(&s->weights);
	copy_to_twin(s);
	return true;
}

static void scene_free(struct scene *s)
{
	rig_free(&s->rig);
	area_free(&s->in);
	area_free(&s->weights);
	area_free(&s->twin);
	area_free(&s->out);
	area_free(&s->twin_out);
	eng_linear_choose("integer");
}

static void run(struct eng_queue *queue, struct eng_image *image,
		const struct eng_bind *binds, u32 count)
{
	struct job job;

	job_init(&job);
	job.here = true;
	REQUIRE(!job_submit(&job, queue, image, binds, count));
	EXPECT_ENDED(&job, COMPLETE, OK);
	job_fini(&job);
}

static void bind_row(struct eng_bind *binds, struct scene *s, struct area *weights, u64 at,
		     struct area *out)
{
	binds[0] = bind_of(&s->in, 0, READ_ONLY);
	binds[1] = bind_of(weights, 1, READ_ONLY);
	binds[1].offset = at;
	binds[1].bytes -= at;
	binds[2] = bind_of(out, 2, WRITE_ONLY);
}

static void launch(struct scene *s, struct eng_image *image, u64 at)
{
	struct eng_bind binds[3];

	bind_row(binds, s, &s->weights, at, &s->out);
	run(s->rig.queue, image, binds, 3);
	bind_row(binds, s, &s->twin, at, &s->twin_out);
	run(s->rig.queue, image, binds, 3);
	EXPECT(!memcmp(s->out.memory, s->twin_out.memory, s->out.bytes));
}

static void command(struct scene *s, struct eng_image *image, u64 at, u64 bytes)
{
	struct area *areas[] = { &s->weights, &s->twin };
	u32 i;

	for (i = 0; i < 2; i++) {
		struct eng_bind bind = bind_of(areas[i], 0, WRITE_ONLY);

		bind.offset = at;
		bind.bytes = bytes;
		run(s->rig.queue, image, &bind, 1);
	}
}

static void expect(struct scene *s, u32 panels, u64 bytes, u64 hits)
{
	struct eng_device_stats stats = rig_stats(&s->rig);

	EXPECT_EQ(stats.panels, panels);
	EXPECT_EQ(stats.panels_bytes, bytes);
	EXPECT_EQ(stats.panels_hits, hits);
}

TEST(panels_of_the_third_launch)
{
	struct scene s;

	if (!scene_make(&s, OUTPUTS, BYTES, 1 << 20))
		return;
	launch(&s, s.row, 0);
	expect(&s, 0, 0, 0);
	launch(&s, s.row, 0);
	expect(&s, 1, BYTES, 0);
	launch(&s, s.row, 0);
	expect(&s, 1, BYTES, 1);
	launch(&s, s.row, 0);
	expect(&s, 1, BYTES, 2);
	/* Input may change as it likes. */
	randomize(&s.in);
	launch(&s, s.row, 0);
	expect(&s, 1, BYTES, 3);
	EXPECT_EQ(eng_buffer_destroy(s.weights.buffer), OK);
	expect(&s, 0, 0, 3);
	scene_free(&s);
}

/* Until launches read panels, whatever was before. */
static void settle(struct scene *s, struct eng_image *image, u64 at)
{
	launch(s, image, at);
	launch(s, image, at);
	launch(s, image, at);
}

TEST(panels_of_none)
{
	struct eng_image *few, *rows;
	struct eng_bind binds[2];
	struct scene s;
	u32 i;

	if (!scene_make(&s, OUTPUTS, BYTES, 1 << 20))
		return;
	/* Few weights, several rows, output in the middle of weights, no path for it. */
	few = image_load(s.rig.context, row_load(TERMS, 32, STRIDE));
	settle(&s, few, 0);
	rows = image_load(s.rig.context, linear_load(2, 200));
	for (i = 0; i < 3; i++) {
		binds[0] = bind_of(&s.twin, 0, READ_WRITE);
		binds[1] = bind_of(&s.weights, 1, READ_ONLY);
		run(s.rig.queue, rows, binds, 2);
	}
	rows = image_load(s.rig.context, linear_load(1, 200));
	for (i = 0; i < 3; i++) {
		binds[0] = bind_of(&s.weights, 0, READ_WRITE);
		binds[0].offset = 3000;
		binds[0].bytes -= 3000;
		binds[1] = bind_of(&s.weights, 1, READ_ONLY);
		run(s.rig.queue, rows, binds, 2);
	}
	copy_to_twin(&s);
	eng_linear_choose("integer");
	settle(&s, s.row, 0);
	expect(&s, 0, 0, 0);
	EXPECT(!eng_buffer_panels(s.weights.buffer));
	eng_linear_choose("auto");
	EXPECT(eng_buffer_panels(s.weights.buffer));
	EXPECT(!eng_buffer_panels(s.twin.buffer));
	scene_free(&s);
}

/* Each kind of a write to the first, last and middle weights is seen. */
TEST(panels_and_commands)
{
	static const u64 places[] = { 0, BYTES - 6, 40000 };
	struct eng_image *fill, *upload, *xor, *copy, *row;
	struct eng_bind binds[3];
	struct scene s;
	u64 hits = 0;
	u32 i, p;

	if (!scene_make(&s, OUTPUTS, BYTES, 1 << 20))
		return;
	fill = image_load(s.rig.context, fills_load(2, 6, 0x31));
	upload = image_load(s.rig.context, upload_load(6, 0x3a));
	xor = image_make(s.rig.context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT, 3);
	copy = image_make(s.rig.context, VACC_REF_OP_COPY, 0, 1, 0);
	row = image_load(s.rig.context, row_load(TERMS, 3, STRIDE));
	for (p = 0; p < ARRAY_SIZE(places); p++) {
		for (i = 0; i < 5; i++) {
			settle(&s, s.row, 0);
			hits++;
			expect(&s, 1, BYTES, hits);
			switch (i) {
			case 0:
				command(&s, fill, places[p], 6);
				break;
			case 1:
				command(&s, upload, places[p], 6);
				break;
			case 2:
				binds[0] = bind_of(&s.weights, 0, READ_WRITE);
				binds[0].offset = places[p];
				binds[0].bytes = 6;
				run(s.rig.queue, xor, binds, 1);
				break;
			case 3:
				binds[0] = bind_of(&s.in, 0, READ_ONLY);
				binds[0].bytes = 6;
				binds[1] = bind_of(&s.weights, 1, WRITE_ONLY);
				binds[1].offset = places[p];
				binds[1].bytes = 6;
				run(s.rig.queue, copy, binds, 2);
				break;
			case 4:
				/* Three outputs of a launch, its weights elsewhere. */
				bind_row(binds, &s, &s.twin, 0, &s.weights);
				binds[2].offset = places[p];
				binds[2].bytes = 6;
				run(s.rig.queue, row, binds, 3);
				break;
			}
			copy_to_twin(&s);
			expect(&s, 0, BYTES, hits);
		}
	}
	scene_free(&s);
}

/* What is written beside weights leaves their panels alone; so do reads. */
TEST(panels_and_writes_beside)
{
	struct eng_image *fill;
	struct eng_bind binds[3];
	struct eng_write write;
	struct scene s;

	if (!scene_make(&s, OUTPUTS, BYTES + 1000, 1 << 20))
		return;
	fill = image_load(s.rig.context, fills_load(2, 6, 0x31));
	settle(&s, s.row, 500);
	expect(&s, 1, BYTES, 1);
	command(&s, fill, 494, 6);
	command(&s, fill, 500 + BYTES, 6);
	expect(&s, 1, BYTES, 1);
	/* The launch's own output, too. */
	bind_row(binds, &s, &s.weights, 500, &s.weights);
	binds[1].bytes = BYTES;
	binds[2].bytes = 2 * OUTPUTS;
	run(s.rig.queue, s.row, binds, 3);
	expect(&s, 1, BYTES, 2);
	EXPECT(!memcmp(s.weights.memory, s.twin_out.memory, s.out.bytes));
	copy_to_twin(&s);
	/* And one that is under way. */
	eng_write_begin(&write, s.weights.buffer, 0, 500);
	launch(&s, s.row, 500);
	expect(&s, 1, BYTES, 3);
	eng_write_end(&write);
	command(&s, fill, 495, 6);
	expect(&s, 0, BYTES, 3);
	settle(&s, s.row, 500);
	command(&s, fill, 499 + BYTES, 6);
	expect(&s, 0, BYTES, 4);
	scene_free(&s);
}

/* Shapes over each other in one buffer, and writes between launches, in any order. */
static void any_order(const char *path)
{
	enum { SHAPES = 6, PLACES = 3 };
	static const u64 places[PLACES] = { 0, 2, 2 * STRIDE };
	static const struct {
		u32 terms, outputs;
		u64 stride;
	} shapes[SHAPES] = {
		{ TERMS, OUTPUTS, STRIDE }, { TERMS, OUTPUTS - 1, STRIDE },
		{ TERMS - 7, OUTPUTS, STRIDE }, { TERMS, OUTPUTS, STRIDE - 2 },
		{ TERMS, OUTPUTS, 6 }, { 1, OUTPUTS, STRIDE },
	};
	struct eng_image *images[SHAPES], *fill, *xor;
	struct scene s;
	u32 i, at;

	if (!scene_make(&s, OUTPUTS, BYTES + 3 * STRIDE, 16 << 20))
		return;
	if (eng_linear_choose(path)) {
		scene_free(&s);
		return;
	}
	for (i = 0; i < SHAPES; i++)
		images[i] = image_load(s.rig.context,
				       row_load(shapes[i].terms, shapes[i].outputs,
						shapes[i].stride));
	fill = image_load(s.rig.context, fills_load(1, 2, 0x3b));
	xor = image_make(s.rig.context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT, 1);
	for (i = 0; i < 1500; i++) {
		at = number() % (s.weights.bytes / 2) * 2;
		switch (number() % 30) {
		case 0:
			command(&s, fill, at, 2);
			break;
		case 1:
			randomize(&s.in);
			break;
		case 2: {
			struct eng_bind bind = bind_of(&s.weights, 0, READ_WRITE);

			bind.offset = at;
			bind.bytes = 1 + number() % (s.weights.bytes - at);
			run(s.rig.queue, xor, &bind, 1);
			copy_to_twin(&s);
			break;
		}
		case 3: {
			struct eng_write write;

			eng_write_begin(&write, s.weights.buffer, at, 2);
			eng_put_le16(s.weights.memory + at, 0x3800 | number() % 1024);
			eng_write_end(&write);
			copy_to_twin(&s);
			break;
		}
		default:
			launch(&s, images[number() % SHAPES], places[number() % PLACES]);
			break;
		}
	}
	if (eng_linear_path() == VACC_ENGINE_INTEGER)
		EXPECT_EQ(rig_stats(&s.rig).panels_hits, 0);
	else
		EXPECT(rig_stats(&s.rig).panels_hits > 200);
	scene_free(&s);
}

TEST(panels_in_any_order)
{
	any_order("integer");
	any_order("avx2");
	any_order("avx512");
}

/* A launch in several steps, stopped before the second. */
static void begin(struct scene *s, struct job *job)
{
	struct eng_bind binds[3];

	bind_row(binds, s, &s->weights, 0, &s->out);
	job_init(job);
	job_gate(job);
	REQUIRE(!job_submit(job, s->rig.queue, s->row, binds, 3));
	sem_wait(&job->reached);
	sem_post(&job->go_on);
	sem_wait(&job->reached);
}

static void finish(struct job *job)
{
	job_open(job);
	EXPECT_ENDED(job, COMPLETE, OK);
	job_fini(job);
}

/* A write while panels are made: they are not kept. */
TEST(panels_and_a_write_meanwhile)
{
	const u64 bytes = MANY * STRIDE;
	struct eng_write write;
	struct scene s;
	struct job job;
	u32 i;

	if (!scene_make(&s, MANY, bytes, 8 << 20))
		return;
	for (i = 0; i < 2; i++) {
		launch(&s, s.row, 0);
		begin(&s, &job);
		expect(&s, 0, bytes, i);
		eng_write_begin(&write, s.weights.buffer, i ? bytes - 2 : 0, 2);
		if (!i)
			eng_write_end(&write);
		finish(&job);
		expect(&s, 0, bytes, i);
		if (i)
			eng_write_end(&write);
		settle(&s, s.row, 0);
		expect(&s, 1, bytes, i + 1);
		eng_write_begin(&write, s.weights.buffer, 0, 2);
		eng_write_end(&write);
	}
	/* Nor are any made as long as one is under way. */
	eng_write_begin(&write, s.weights.buffer, 100, 2);
	settle(&s, s.row, 0);
	expect(&s, 0, bytes, 2);
	eng_write_end(&write);
	launch(&s, s.row, 0);
	launch(&s, s.row, 0);
	expect(&s, 1, bytes, 3);
	scene_free(&s);
}

/* One launch packs; another one at the same time does without. */
TEST(panels_of_two_queues)
{
	const u64 bytes = MANY * STRIDE;
	struct eng_queue *first, *second;
	struct area out;
	struct scene s;
	struct job job;

	if (!scene_make(&s, MANY, bytes, 8 << 20))
		return;
	launch(&s, s.row, 0);
	first = s.rig.queue;
	REQUIRE(!eng_queue_create(s.rig.context, 0, &second));
	begin(&s, &job);
	s.rig.queue = second;
	out = s.out;
	s.out = area_make(s.rig.context, 2 * MANY, USAGE_ALL);
	launch(&s, s.row, 0);
	expect(&s, 0, bytes, 0);
	finish(&job);
	expect(&s, 1, bytes, 0);
	/* Both read them, and they stay for who does, whoever writes. */
	launch(&s, s.row, 0);
	expect(&s, 1, bytes, 1);
	s.rig.queue = first;
	begin(&s, &job);
	expect(&s, 1, bytes, 2);
	eng_buffer_expose(s.weights.buffer);
	expect(&s, 0, bytes, 2);
	finish(&job);
	expect(&s, 0, 0, 2);
	EXPECT(!memcmp(out.memory, s.twin_out.memory, out.bytes));
	area_free(&out);
	scene_free(&s);
}

/* A launch that packs ends early, or its buffer is exposed: nothing is left. */
TEST(panels_given_up)
{
	const u64 bytes = MANY * STRIDE;
	struct scene s;
	struct job job;

	if (!scene_make(&s, MANY, bytes, 8 << 20))
		return;
	launch(&s, s.row, 0);
	begin(&s, &job);
	eng_event_abort(job.event);
	job_open(&job);
	EXPECT_ENDED(&job, CANCELLED, OK);
	job_fini(&job);
	expect(&s, 0, bytes, 0);
	launch(&s, s.row, 0);
	expect(&s, 1, bytes, 0);
	launch(&s, s.row, 0);
	expect(&s, 1, bytes, 1);
	scene_free(&s);

	REQUIRE(scene_make(&s, MANY, bytes, 8 << 20));
	launch(&s, s.row, 0);
	begin(&s, &job);
	EXPECT(eng_buffer_panels(s.weights.buffer));
	eng_buffer_expose(s.weights.buffer);
	EXPECT(!eng_buffer_panels(s.weights.buffer));
	expect(&s, 0, bytes, 0);
	finish(&job);
	expect(&s, 0, 0, 0);
	/* For ever, and what is written unseen is seen. */
	settle(&s, s.row, 0);
	randomize(&s.weights);
	copy_to_twin(&s);
	settle(&s, s.row, 0);
	expect(&s, 0, 0, 0);
	scene_free(&s);
}

/* As if what was used up to now had not been for long. */
static void rest(struct scene *s)
{
	struct list_head *list = &s->rig.device->panels;
	struct list_head *node;

	eng_spin_lock(&s->rig.device->sums);
	for (node = list->next; node != list; node = node->next)
		container_of(node, struct eng_panels, node)->used_ns -= ENG_PANELS_REST_NS;
	eng_spin_unlock(&s->rig.device->sums);
}

/* What was used last of what has been resting stays. */
TEST(panels_make_room)
{
	struct scene s;

	if (!scene_make(&s, OUTPUTS, BYTES + 8, 3 * BYTES - 1))
		return;
	settle(&s, s.row, 0);
	settle(&s, s.row, 2);
	expect(&s, 2, 2 * BYTES, 2);
	/* No room: as before. */
	settle(&s, s.row, 4);
	expect(&s, 2, 2 * BYTES, 2);
	launch(&s, s.row, 0);
	expect(&s, 2, 2 * BYTES, 3);
	/* The second is the oldest now. */
	rest(&s);
	launch(&s, s.row, 4);
	expect(&s, 2, 2 * BYTES, 3);
	launch(&s, s.row, 0);
	launch(&s, s.row, 4);
	expect(&s, 2, 2 * BYTES, 5);
	/* Which is known no more. */
	launch(&s, s.row, 2);
	launch(&s, s.row, 2);
	launch(&s, s.row, 2);
	expect(&s, 2, 2 * BYTES, 5);
	scene_free(&s);

	/* Never any room, to the byte. */
	REQUIRE(scene_make(&s, OUTPUTS, BYTES, BYTES - 1));
	settle(&s, s.row, 0);
	expect(&s, 0, 0, 0);
	scene_free(&s);
	REQUIRE(scene_make(&s, OUTPUTS, BYTES, BYTES));
	settle(&s, s.row, 0);
	expect(&s, 1, BYTES, 1);
	scene_free(&s);
}

/* As many as are taken note of. */
TEST(panels_of_many_products)
{
	struct scene s;
	u32 i;

	if (!scene_make(&s, OUTPUTS, BYTES + 2 * ENG_PANELS_MOST, 1 << 20))
		return;
	for (i = 0; i < ENG_PANELS_MOST; i++)
		launch(&s, s.row, 2 * i);
	settle(&s, s.row, 2 * ENG_PANELS_MOST);
	expect(&s, 0, 0, 0);
	EXPECT_EQ(s.rig.device->panels_count, ENG_PANELS_MOST);
	rest(&s);
	settle(&s, s.row, 2 * ENG_PANELS_MOST);
	expect(&s, 1, BYTES, 1);
	EXPECT_EQ(s.rig.device->panels_count, ENG_PANELS_MOST);
	/* The first has made room, the second not. */
	launch(&s, s.row, 2);
	launch(&s, s.row, 2);
	expect(&s, 2, 2 * BYTES, 2);
	scene_free(&s);
}

/* Working memory comes first, but not before what is in use. */
TEST(panels_and_scratch)
{
	const u64 bytes = MANY * STRIDE;
	struct eng_image *staged;
	struct eng_bind binds[2];
	struct job job, other;
	struct area in;
	struct scene s;

	if (!scene_make(&s, MANY, bytes, bytes + 100))
		return;
	in = area_make(s.rig.context, 128, USAGE_ALL);
	staged = image_load(s.rig.context, linear_load(8, 8));
	binds[0] = bind_of(&in, 0, READ_WRITE);
	binds[1] = bind_of(&s.twin, 1, READ_ONLY);
	settle(&s, s.row, 0);
	expect(&s, 1, bytes, 1);
	begin(&s, &job);
	expect(&s, 1, bytes, 2);
	job_init(&other);
	EXPECT_EQ(job_submit(&other, s.rig.queue, staged, binds, 2), ENG_S_TRY_AGAIN);
	finish(&job);
	expect(&s, 1, bytes, 2);
	EXPECT_EQ(job_submit(&other, s.rig.queue, staged, binds, 2), OK);
	EXPECT_ENDED(&other, COMPLETE, OK);
	expect(&s, 0, 0, 2);
	job_fini(&other);
	area_free(&in);
	scene_free(&s);
}

TEST(panels_at_stop)
{
	struct scene s;
	struct job job;

	if (!scene_make(&s, MANY, MANY * STRIDE, 8 << 20))
		return;
	launch(&s, s.row, 0);
	begin(&s, &job);
	job_open(&job);
	eng_device_stop(s.rig.device);
	job_wait(&job);
	expect(&s, 0, 0, 0);
	job_fini(&job);
	scene_free(&s);
}

/* Launches, writes of the same bytes, and working memory, all at once. */
struct crowd {
	struct scene scene;
	struct eng_queue *queue;
	struct area out;
	u32 stop;
};

static void *crowd_launch(void *arg)
{
	struct crowd *crowd = arg;
	struct scene *s = &crowd->scene;
	struct eng_bind binds[3];
	u32 i;

	bind_row(binds, s, &s->weights, 0, &crowd->out);
	for (i = 0; i < 400; i++) {
		memset(crowd->out.memory, 0, crowd->out.bytes);
		run(crowd->queue, s->row, binds, 3);
		EXPECT(!memcmp(crowd->out.memory, s->twin_out.memory, crowd->out.bytes));
	}
	return NULL;
}

static void *crowd_write(void *arg)
{
	struct crowd *crowd = arg;
	struct eng_device *device = crowd->scene.rig.device;
	struct eng_write write;
	struct list_head gone;

	while (!__atomic_load_n(&crowd->stop, __ATOMIC_SEQ_CST)) {
		eng_write_begin(&write, crowd->scene.weights.buffer, 1000, 2);
		usleep(50);
		eng_write_end(&write);
		usleep(1000);
		INIT_LIST_HEAD(&gone);
		eng_spin_lock(&device->sums);
		eng_panels_yield(device, device->limits.max_scratch_bytes, &gone);
		eng_spin_unlock(&device->sums);
		eng_panels_free(&gone);
		usleep(1000);
	}
	return NULL;
}

TEST(panels_in_a_crowd)
{
	struct crowd crowds[2] = {};
	pthread_t threads[2], writer;
	u32 i;

	if (!scene_make(&crowds[0].scene, OUTPUTS, BYTES, 1 << 20))
		return;
	launch(&crowds[0].scene, crowds[0].scene.row, 0);
	for (i = 0; i < 2; i++) {
		crowds[i].scene = crowds[0].scene;
		crowds[i].out = area_make(crowds[0].scene.rig.context, 2 * OUTPUTS, USAGE_ALL);
		REQUIRE(!eng_queue_create(crowds[0].scene.rig.context, 0, &crowds[i].queue));
	}
	REQUIRE(!pthread_create(&writer, NULL, crowd_write, &crowds[0]));
	for (i = 0; i < 2; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, crowd_launch, &crowds[i]));
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&crowds[0].stop, 1, __ATOMIC_SEQ_CST);
	pthread_join(writer, NULL);
	settle(&crowds[0].scene, crowds[0].scene.row, 0);
	EXPECT_EQ(rig_stats(&crowds[0].scene.rig).panels, 1);
	EXPECT(rig_stats(&crowds[0].scene.rig).panels_hits > 10);
	for (i = 0; i < 2; i++)
		area_free(&crowds[i].out);
	scene_free(&crowds[0].scene);
}
