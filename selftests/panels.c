// SPDX-License-Identifier: GPL-2.0
/*
 * R6 where weights are kept packed: the bits are the same whatever was kept and whatever
 * was written in between, through calls, commands and mappings.  The device's counters say
 * whether any were kept.
 */
#include <endian.h>
#include <fcntl.h>
#include "vacc_test.h"

#define TERMS		512
#define OUTPUTS		96
#define WEIGHTS		(TERMS * OUTPUTS)
#define WEIGHT_BYTES	(2 * WEIGHTS)

/* A product with one row, and what its weights should be. */
struct product {
	struct _test_data_dev *self;
	int fd;
	__u32 context, queue;
	__u32 program;
	__u32 in, out;
	struct vacc_buffer_create weights;
	__u16 x[TERMS];
	__u16 w[WEIGHTS];
};

static __u64 seed = 1;

/* Large enough for sums to differ where one weight does. */
static __u16 number(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 32 & 0x83ff) | (13 + (seed >> 60) % 4) << 10;
}

/* The integer path packs none, and there is nothing else without vectors. */
static bool keeps(int node)
{
	return vt_counter(node, "engine_path") > VACC_ENGINE_INTEGER;
}

static __u32 load(struct product *p, __u32 terms, __u32 outputs, __u32 stride)
{
	struct vt_batch b = {};
	__u32 program = 0;

	vt_batch_slot(&b, 0, VT_READ, 2ULL * terms);
	vt_batch_slot(&b, 1, VT_READ, (__u64)(outputs - 1) * stride + 2ULL * terms);
	vt_batch_slot(&b, 2, VT_WRITE, 2ULL * outputs);
	vt_batch_launch(&b, 0, 1, 2, 1, terms, outputs)->weight.row_stride = htole64(stride);
	vt_batch_linear(&b, 0, 1);
	return vt_load_batch(p->fd, p->context, &b, &program) ? 0 : program;
}

static int make(struct product *p, struct _test_data_dev *self, int fd, __u32 context,
		__u32 queue, __u32 flags)
{
	unsigned int i;

	p->self = self;
	p->fd = fd;
	p->context = context;
	p->queue = queue;
	for (i = 0; i < TERMS; i++)
		p->x[i] = number();
	for (i = 0; i < WEIGHTS; i++)
		p->w[i] = number();
	p->program = load(p, TERMS, OUTPUTS, 2 * TERMS);
	p->weights = vt_buffer_desc(p->context, WEIGHT_BYTES, VT_USAGE_ALL);
	p->weights.flags = flags;
	return p->program ? vt_buffer(p->fd, p->context, sizeof(p->x), VT_USAGE_ALL, &p->in) ?:
	       vt_buffer(p->fd, p->context, 2 * OUTPUTS, VT_USAGE_ALL, &p->out) ?:
	       vt_buffer_create(p->fd, &p->weights) ?:
	       vt_write(p->fd, p->in, 0, p->x, sizeof(p->x)) ?:
	       vt_write(p->fd, p->weights.handle, 0, p->w, sizeof(p->w)) : -EILSEQ;
}

static int make_here(struct product *p, struct _test_data_dev *self, __u32 flags)
{
	return make(p, self, self->fd, self->context, self->queue, flags);
}

/* One launch, by @program of that shape, with weights from @at on; 1 for wrong bits. */
static int launch_shape(struct product *p, __u32 program, __u32 at, __u32 terms, __u32 outputs,
			__u32 stride)
{
	__u16 out[OUTPUTS], want[OUTPUTS];
	struct vacc_binding b[3];
	unsigned int o;
	int r;

	b[0] = vt_bind(p->in, 0, VT_READ, 0, sizeof(p->x));
	b[1] = vt_bind(p->weights.handle, 1, VT_READ, at, WEIGHT_BYTES - at);
	b[2] = vt_bind(p->out, 2, VT_WRITE, 0, sizeof(out));
	for (o = 0; o < outputs; o++)
		vt_linear(p->x, (__u16 *)((char *)p->w + at + o * stride), &want[o], 1, terms, 1);
	r = vt_set(p->fd, p->out, 0, 0xee, sizeof(out)) ?:
	    vt_run(p->fd, p->queue, program, b, 3) ?: vt_read(p->fd, p->out, 0, out, sizeof(out));
	return r ?: memcmp(want, out, 2 * outputs) != 0;
}

static int launch(struct product *p)
{
	return launch_shape(p, p->program, 0, TERMS, OUTPUTS, 2 * TERMS);
}

/* Until launches find packed weights, if they are kept; how many did, or -1. */
static long long hits(struct product *p, unsigned int launches)
{
	long long before = vt_counter(p->self->node, "panels_hits");

	while (launches--)
		if (launch(p))
			return -1;
	return vt_counter(p->self->node, "panels_hits") - before;
}

static bool possible(struct product *p)
{
	struct vacc_buffer_query query = {};

	return !vt_buffer_query(p->fd, p->weights.handle, &query) &&
	       (query.buffer_flags & VACC_BUFFER_PANELS_POSSIBLE);
}

/* What the flag says while nothing is in the way: over virtio it is not known. */
static bool flagged(struct product *p)
{
	return p->self->info.backend == VACC_BACKEND_DIRECT && keeps(p->self->node);
}

TEST_F(dev, r6_kept_weights)
{
	long long bytes = vt_counter(self->node, "panels_bytes");
	long long panels = vt_counter(self->node, "panels");
	bool kept = keeps(self->node);
	struct product p;
	unsigned int i;

	ASSERT_LE(0, bytes);
	ASSERT_OK(make_here(&p, self, 0));
	EXPECT_EQ(flagged(&p), possible(&p));
	EXPECT_EQ(0, hits(&p, 1));
	EXPECT_EQ(bytes, vt_counter(self->node, "panels_bytes"));
	EXPECT_EQ(0, hits(&p, 1));
	EXPECT_EQ(panels + kept, vt_counter(self->node, "panels"));
	EXPECT_EQ(bytes + kept * WEIGHT_BYTES, vt_counter(self->node, "panels_bytes"));
	EXPECT_EQ(kept * 3, hits(&p, 3));
	/* Another input, the same weights. */
	for (i = 0; i < TERMS; i++)
		p.x[i] = number();
	ASSERT_OK(vt_write(p.fd, p.in, 0, p.x, sizeof(p.x)));
	EXPECT_EQ(kept * 2, hits(&p, 2));
	ASSERT_OK(vt_handle(p.fd, VACC_BUFFER_DESTROY, p.weights.handle));
	EXPECT_EQ(panels, vt_counter(self->node, "panels"));
	EXPECT_EQ(bytes, vt_counter(self->node, "panels_bytes"));
}

/* What is closed with its file is forgotten, too. */
TEST_F(dev, r6_kept_and_closed)
{
	long long bytes = vt_counter(self->node, "panels_bytes");
	__u32 context, queue;
	struct product p;
	int fd;

	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(&p, self, fd, context, queue, 0));
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	close(fd);
	ASSERT_OK(vt_settle(self->fd, NULL));
	EXPECT_EQ(bytes, vt_counter(self->node, "panels_bytes"));
}

/* The bytes from @at on are written in way @how, here and there. */
static int change(struct product *p, unsigned int how, __u32 at, __u32 count)
{
	__u16 *w = p->w + at / 2;
	struct vacc_binding b[2];
	__u32 program = 0;
	unsigned int i;
	int r;

	b[0] = vt_bind(p->weights.handle, 0, VT_WRITE, at, count);
	switch (how) {
	case 0:
		for (i = 0; i < count / 2; i++)
			w[i] = number();
		return vt_write(p->fd, p->weights.handle, at, w, count);
	case 1:
		memset(w, 0x3a, count);
		r = vt_load_fill(p->fd, p->context, 0x3a, &program);
		r = r ?: vt_run(p->fd, p->queue, program, b, 1);
		break;
	case 2:
		for (i = 0; i < count; i++)
			((__u8 *)w)[i] ^= 5;
		b[0].access = VT_READ_WRITE;
		r = vt_load_ref(p->fd, p->context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT, 5,
				&program);
		r = r ?: vt_run(p->fd, p->queue, program, b, 1);
		break;
	default:
		memcpy(w, p->x, count);
		b[0] = vt_bind(p->in, 0, VT_READ, 0, count);
		b[1] = vt_bind(p->weights.handle, 1, VT_WRITE, at, count);
		r = vt_load_ref(p->fd, p->context, VACC_REF_OP_COPY, 0, 1, 0, &program);
		r = r ?: vt_run(p->fd, p->queue, program, b, 2);
		break;
	}
	return r ?: vt_handle(p->fd, VACC_PROGRAM_UNLOAD, program);
}

/* Written by a call, or by commands: the first, the last, and those in between. */
TEST_F(dev, r6_writes_between)
{
	const __u32 places[] = { 0, WEIGHT_BYTES - 4, 5000 };
	struct product p;
	unsigned int how, i;

	ASSERT_OK(make_here(&p, self, 0));
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	for (how = 0; how < 4; how++) {
		for (i = 0; i < ARRAY_SIZE(places); i++) {
			ASSERT_OK(change(&p, how, places[i], 4));
			EXPECT_EQ(0, hits(&p, 1)) TH_LOG("way %u, place %u", how, i);
			EXPECT_EQ(keeps(self->node), hits(&p, 2));
		}
	}
	/* Again and again: nothing is packed in vain, and nothing is missed. */
	for (i = 0; i < 10; i++) {
		ASSERT_OK(change(&p, i % 4, 2 * i * TERMS, 4));
		EXPECT_EQ(0, hits(&p, 1));
		EXPECT_EQ(0, vt_counter(self->node, "panels"));
	}
	EXPECT_EQ(keeps(self->node), hits(&p, 2));
	EXPECT_EQ(flagged(&p), possible(&p));
}

/* Weights of other shapes and strides over each other, each with what it reads. */
TEST_F(dev, r6_shapes_of_the_same_weights)
{
	const struct { __u32 at, terms, outputs, stride; } shapes[] = {
		{ 0, TERMS, OUTPUTS, 2 * TERMS }, { 0, TERMS, OUTPUTS - 1, 2 * TERMS },
		{ 2, TERMS, OUTPUTS - 1, 2 * TERMS }, { 0, TERMS - 1, OUTPUTS, 2 * TERMS },
		{ 0, TERMS, OUTPUTS, 2 * TERMS - 2 }, { 100, TERMS, OUTPUTS, 2 },
	};
	__u32 programs[ARRAY_SIZE(shapes)];
	unsigned int i, round;
	struct product p;

	ASSERT_OK(make_here(&p, self, 0));
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		programs[i] = load(&p, shapes[i].terms, shapes[i].outputs, shapes[i].stride);
		ASSERT_NE(0, programs[i]);
	}
	for (round = 0; round < 8; round++) {
		for (i = 0; i < ARRAY_SIZE(shapes); i++) {
			ASSERT_OK(launch_shape(&p, programs[i], shapes[i].at, shapes[i].terms,
					       shapes[i].outputs, shapes[i].stride))
				TH_LOG("shape %u, round %u", i, round);
		}
		if (round % 3 == 2)
			ASSERT_OK(change(&p, round % 4, 1000 * round, 4));
	}
}

/* 0 or -errno, and the address in *map. */
static int map_weights(struct product *p, int prot, void *map)
{
	void *at = mmap(NULL, WEIGHT_BYTES, prot, MAP_SHARED, p->fd, p->weights.mmap_offset);

	*(void **)map = at;
	return at == MAP_FAILED ? -errno : 0;
}

static bool no_mmap(struct __test_metadata *_metadata, struct product *p)
{
	void *map;

	if (p->self->info.features & VACC_FEATURE_MMAP)
		return false;
	EXPECT_ERRNO(EOPNOTSUPP, map_weights(p, PROT_READ, &map));
	EXPECT_FALSE(possible(p));
	return true;
}

/* A mapping that can be written to ends it for ever, and each write is seen. */
TEST_F(dev, r6_writable_mapping)
{
	struct product p;
	unsigned int i;
	__u16 *map;

	ASSERT_OK(make_here(&p, self, 0));
	if (no_mmap(_metadata, &p))
		return;
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	EXPECT_EQ(flagged(&p), possible(&p));
	ASSERT_OK(map_weights(&p, PROT_READ | PROT_WRITE, &map));
	EXPECT_FALSE(possible(&p));
	EXPECT_EQ(0, vt_counter(self->node, "panels"));
	EXPECT_EQ(0, vt_counter(self->node, "panels_bytes"));
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(0, hits(&p, 3));
		p.w[i * 7001] = number();
		map[i * 7001] = p.w[i * 7001];
	}
	EXPECT_EQ(0, hits(&p, 3));
	munmap(map, WEIGHT_BYTES);
	EXPECT_FALSE(possible(&p));
	EXPECT_EQ(0, hits(&p, 3));
}

/* So does one that could become writable. */
TEST_F(dev, r6_mapping_made_writable)
{
	struct product p;
	__u16 *map;

	ASSERT_OK(make_here(&p, self, 0));
	if (no_mmap(_metadata, &p))
		return;
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	ASSERT_OK(map_weights(&p, PROT_READ, &map));
	EXPECT_FALSE(possible(&p));
	EXPECT_EQ(0, hits(&p, 3));
	ASSERT_EQ(0, mprotect(map, WEIGHT_BYTES, PROT_READ | PROT_WRITE));
	p.w[5] = number();
	map[5] = p.w[5];
	EXPECT_EQ(0, hits(&p, 1));
	munmap(map, WEIGHT_BYTES);
}

/* What can never be written to does not, nor what does not come about. */
TEST_F(dev, r6_read_only_mappings)
{
	char name[64];
	__u32 context, queue;
	struct product p;
	__u16 *map;
	int fd;

	ASSERT_OK(make_here(&p, self, VACC_BUFFER_NO_WRITE_MAP));
	if (no_mmap(_metadata, &p))
		return;
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	EXPECT_ERRNO(EACCES, map_weights(&p, PROT_READ | PROT_WRITE, &map));
	EXPECT_EQ(flagged(&p), possible(&p));
	ASSERT_OK(map_weights(&p, PROT_READ, &map));
	EXPECT_EQ(flagged(&p), possible(&p));
	EXPECT_EQ(keeps(self->node), hits(&p, 1));
	EXPECT_EQ(0, memcmp(map, p.w, WEIGHT_BYTES));
	EXPECT_EQ(-1, mprotect(map, WEIGHT_BYTES, PROT_READ | PROT_WRITE));
	ASSERT_OK(change(&p, 0, 4000, 4));
	EXPECT_EQ(p.w[2001], map[2001]);
	EXPECT_EQ(0, hits(&p, 2));
	EXPECT_EQ(keeps(self->node), hits(&p, 1));
	munmap(map, WEIGHT_BYTES);

	/* A file that is open for reading makes no other mappings. */
	snprintf(name, sizeof(name), "/dev/virtio-accel%d", self->node);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(&p, self, fd, context, queue, 0));
	ASSERT_OK(map_weights(&p, PROT_READ, &map));
	EXPECT_EQ(-1, mprotect(map, WEIGHT_BYTES, PROT_READ | PROT_WRITE));
	EXPECT_EQ(flagged(&p), possible(&p));
	EXPECT_EQ(keeps(self->node), hits(&p, 3));
	munmap(map, WEIGHT_BYTES);
	close(fd);
}

TEST_HARNESS_MAIN
