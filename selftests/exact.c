// SPDX-License-Identifier: GPL-2.0
/*
 * R6 by numbers: as many outputs of dense-linear as a wrong order of the sum, which
 * shows in few of them, cannot hide among; shapes around the edges of whatever the
 * device may cut them into, numbers of all kinds, outputs over inputs and weights.
 * All is compared with a loop of floats.
 */
#include "vacc_test.h"

/* As many as these on UML. */
#define OUTPUTS		500000
#define LONG_OUTPUTS	10000
#define LONG_SUM	4096

struct shape {
	__u32 rows, terms, outputs;
	/* Where the packed matrices begin in one arena, and its size, in halves. */
	size_t in, weight, out, size;
};

struct totals {
	__u64 outputs;
	__u64 differ;
};

struct device {
	int fd;
	__u32 context;
	__u32 queue;
};

static __u64 seed = 1;

static __u32 number(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 32;
}

/* Numbers of one kind. */
static __u16 half_of(unsigned int kind)
{
	__u16 sign = number() & 0x8000, fraction = number() & 0x3ff;

	switch (kind % 6) {
	case 0:		/* 2^-6 to 2^3 */
		return sign | (9 + number() % 10) << 10 | fraction;
	case 1:		/* any pattern */
		return number();
	case 2:		/* subnormal, or large enough to overflow */
		return sign | (number() & 1 ? 0 : 27 + number() % 4) << 10 | fraction;
	case 3:		/* zeros of both signs */
		return number() % 4 ? sign : sign | 15 << 10;
	case 4:		/* infinities and NaNs, but few */
		return sign | (number() % 500 ? 13 + number() % 4 : 31) << 10 |
		       (number() & 1 ? fraction : 0);
	default:	/* all finite ones */
		return sign | number() % 31 << 10 | fraction;
	}
}

/* Widening is looked up: half.c takes long for it. */
static float widen(__u16 half)
{
	static float table[65536];
	static bool filled;
	unsigned int i;

	for (i = 0; !filled && i < 65536; i++)
		table[i] = vt_half_to_float(i);
	filled = true;
	return table[half];
}

static void oracle(const __u16 *arena, const struct shape *s, __u16 *out)
{
	const __u16 *in = arena + s->in, *weight = arena + s->weight;
	size_t r, o, i;

	for (r = 0; r < s->rows; r++) {
		for (o = 0; o < s->outputs; o++) {
			float sum = 0;

			for (i = 0; i < s->terms; i++)
				sum += widen(in[r * s->terms + i]) *
				       widen(weight[o * s->terms + i]);
			out[r * s->outputs + o] = vt_float_to_half(sum);
		}
	}
}

static int device_linear(const struct device *d, __u16 *arena, const struct shape *s)
{
	struct vacc_binding binding;
	struct vacc_batch_launch *l;
	struct vt_batch b = {};
	__u32 buffer, program;

	vt_batch_slot(&b, 0, VT_READ_WRITE, 2 * s->size);
	l = vt_batch_launch(&b, 0, 0, 0, s->rows, s->terms, s->outputs);
	l->in.offset = htole64(2 * s->in);
	l->weight.offset = htole64(2 * s->weight);
	l->out.offset = htole64(2 * s->out);
	vt_batch_linear(&b, 0, 1);
	return vt_load_batch(d->fd, d->context, &b, &program) ?:
	       vt_buffer(d->fd, d->context, 2 * s->size, VT_USAGE_ALL, &buffer) ?:
	       vt_write(d->fd, buffer, 0, arena, 2 * s->size) ?:
	       (binding = vt_bind(buffer, 0, VT_READ_WRITE, 0, 2 * s->size),
		vt_run(d->fd, d->queue, program, &binding, 1)) ?:
	       vt_read(d->fd, buffer, 0, arena, 2 * s->size) ?:
	       vt_handle(d->fd, VACC_BUFFER_DESTROY, buffer) ?:
	       vt_handle(d->fd, VACC_PROGRAM_UNLOAD, program);
}

/* Apart, or the output over one, both, or parts of the others. */
static void place(struct shape *s, unsigned int how)
{
	size_t in = (size_t)s->rows * s->terms, weight = (size_t)s->outputs * s->terms;
	size_t out = (size_t)s->rows * s->outputs;

	s->in = 0;
	s->weight = in;
	s->size = in + weight + out;
	switch (how % 6) {
	case 0:
	case 1:
		s->out = in + weight;
		break;
	case 2:
		s->out = 0;
		break;
	case 3:
		s->out = in;
		break;
	case 4:
		s->weight = 0;
		s->out = 0;
		break;
	default:
		s->weight = number() % (in + out + 1);
		s->out = number() % (in + weight + 1);
		s->in = number() % (weight + out + 1);
		break;
	}
}

/* All of the arena must be what it was but for the outputs. */
static int compare(const struct device *d, const struct shape *s, unsigned int kind,
		   struct totals *totals)
{
	size_t count = (size_t)s->rows * s->outputs, i;
	__u16 *arena = malloc(2 * s->size), *want = malloc(2 * s->size);
	__u16 *out = malloc(2 * count);
	int r;

	for (i = 0; i < s->size; i++)
		arena[i] = htole16(want[i] = half_of(kind + (i < s->weight ? 0 : kind / 6)));
	oracle(want, s, out);
	memcpy(want + s->out, out, 2 * count);
	r = device_linear(d, arena, s);
	for (i = 0; !r && i < s->size; i++) {
		if (le16toh(arena[i]) == want[i])
			continue;
		if (i < s->out || i >= s->out + count)
			r = 1;
		totals->differ++;
	}
	totals->outputs += r ? 0 : count;
	free(out);
	free(want);
	free(arena);
	return r;
}

static void say(const char *what, const struct totals *totals)
{
	ksft_print_msg("%s: %llu outputs, %llu differ\n", what,
		       (unsigned long long)totals->outputs,
		       (unsigned long long)totals->differ);
}

/* Each edge in each place, and each pair of them next to each other sooner or later. */
TEST_F_TIMEOUT(dev, r6_edges, 600)
{
	const __u32 edges[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257,
	};
	const struct device d = { self->fd, self->context, self->queue };
	unsigned int n = ARRAY_SIZE(edges), i;
	struct totals totals = {};
	struct shape s;

	for (i = 0; i < n || totals.outputs < vt_scale(OUTPUTS); i++) {
		s.rows = edges[i % n];
		s.terms = edges[(5 * i + i / n) % n];
		s.outputs = edges[(8 * i + 2 * (i / n) + 3) % n];
		place(&s, i + i / n);
		ASSERT_OK(compare(&d, &s, i + i / 7, &totals))
			TH_LOG("%u x %u x %u, shape %u", s.rows, s.terms, s.outputs, i);
	}
	say("edges", &totals);
	EXPECT_EQ(0, totals.differ);
}

TEST_F_TIMEOUT(dev, r6_4096_terms_and_more, 600)
{
	const __u32 rows[] = { 1, 64, 17, 33 }, terms[] = { LONG_SUM, 4097, 4160, 5000 };
	const struct device d = { self->fd, self->context, self->queue };
	unsigned int i, n = ARRAY_SIZE(rows);
	struct totals totals = {};
	struct shape s;

	for (i = 0; i < n || totals.outputs < vt_scale(LONG_OUTPUTS); i++) {
		s.rows = rows[i % n];
		s.terms = terms[i / 2 % n];
		s.outputs = 1 + number() % (vt_scale(100) + 5);
		place(&s, i / 3);
		ASSERT_OK(compare(&d, &s, i, &totals))
			TH_LOG("%u x %u x %u", s.rows, s.terms, s.outputs);
	}
	say("sums of 4096 terms and more", &totals);
	EXPECT_EQ(0, totals.differ);
}

TEST_HARNESS_MAIN
