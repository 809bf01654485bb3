// SPDX-License-Identifier: GPL-2.0
/* R6: dense-linear, bit for bit. */
#include <endian.h>
#include <math.h>
#include "vacc_test.h"

#define F16_NAN	0x7e00

static int load(int fd, __u32 context, __u32 rows, __u32 in, __u32 out, __u32 *program)
{
	struct vt_batch b = {};

	vt_batch_slot(&b, 0, VT_READ, 2ULL * rows * in);
	vt_batch_slot(&b, 1, VT_READ, 2ULL * out * in);
	vt_batch_slot(&b, 2, VT_WRITE, 2ULL * rows * out);
	vt_batch_launch(&b, 0, 1, 2, rows, in, out);
	vt_batch_linear(&b, 0, 1);
	return vt_load_batch(fd, context, &b, program);
}

/* One launch over three packed matrices that the device gets and gives back. */
static int linear(int fd, __u32 context, __u32 queue, const __u16 *in, const __u16 *weight,
		  __u16 *out, __u32 rows, __u32 in_features, __u32 out_features)
{
	__u64 in_bytes = 2ULL * rows * in_features, w_bytes = 2ULL * out_features * in_features;
	__u64 out_bytes = 2ULL * rows * out_features;
	__u32 a, w, o, program;
	struct vacc_binding b[3];
	int r;

	r = load(fd, context, rows, in_features, out_features, &program) ?:
	    vt_buffer(fd, context, in_bytes, VT_USAGE_ALL, &a) ?:
	    vt_buffer(fd, context, w_bytes, VT_USAGE_ALL, &w) ?:
	    vt_buffer(fd, context, out_bytes, VT_USAGE_ALL, &o) ?:
	    vt_write(fd, a, 0, in, in_bytes) ?: vt_write(fd, w, 0, weight, w_bytes) ?:
	    vt_set(fd, o, 0, 0xee, out_bytes);
	if (r)
		return r;
	b[0] = vt_bind(a, 0, VT_READ, 0, in_bytes);
	b[1] = vt_bind(w, 1, VT_READ, 0, w_bytes);
	b[2] = vt_bind(o, 2, VT_WRITE, 0, out_bytes);
	return vt_run(fd, queue, program, b, 3) ?: vt_read(fd, o, 0, out, out_bytes) ?:
	       vt_handle(fd, VACC_BUFFER_DESTROY, a) ?: vt_handle(fd, VACC_BUFFER_DESTROY, w) ?:
	       vt_handle(fd, VACC_BUFFER_DESTROY, o) ?:
	       vt_handle(fd, VACC_PROGRAM_UNLOAD, program);
}

/* One sum. */
static int dot(int fd, __u32 context, __u32 queue, const __u16 *in, const __u16 *weight,
	       __u32 terms)
{
	__u16 out = 0xdead;
	int r = linear(fd, context, queue, in, weight, &out, 1, terms, 1);

	return r ?: out;
}

#define DOT(in, weight, terms) \
	dot(self->fd, self->context, self->queue, in, weight, terms)

static __u16 h(float value)
{
	return vt_float_to_half(value);
}

static void fill(__u16 *matrix, unsigned int terms, float value)
{
	while (terms--)
		matrix[terms] = h(value);
}

static __u32 random_word(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 32;
}

/* The oracle against its own table, before it judges anybody. */
TEST(oracle)
{
	const struct { __u32 bits; __u16 half; } table[] = {
		{ 0x477FE000, 0x7BFF }, { 0x477FEFFF, 0x7BFF }, { 0x477FF000, 0x7C00 },
		{ 0x47C35000, 0x7C00 }, { 0x3F801000, 0x3C00 }, { 0x3F803000, 0x3C02 },
		{ 0x3EFFFF37, 0x3800 }, { 0x387FE000, 0x0400 }, { 0x38000000, 0x0200 },
		{ 0x33800000, 0x0001 }, { 0x33000001, 0x0001 }, { 0x33000000, 0x0000 },
		{ 0xB3000000, 0x8000 }, { 0xB3000001, 0x8001 }, { 0xC77FF000, 0xFC00 },
		{ 0x7F800001, 0x7E00 }, { 0xFFC00000, 0x7E00 }, { 0x80000000, 0x8000 },
	};
	unsigned int i;
	float value;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		memcpy(&value, &table[i].bits, 4);
		EXPECT_EQ(table[i].half, vt_float_to_half(value))
			TH_LOG("%08x", table[i].bits);
	}
	for (i = 0; i < 65536; i++) {
		bool nan = (i & 0x7fff) > 0x7c00;

		ASSERT_EQ(nan ? F16_NAN : i, vt_float_to_half(vt_half_to_float(i)));
	}
}

TEST_F(dev, r6_long_sums)
{
	static __u16 in[2050], weight[2050];
	unsigned int i;

	/* 2050 ones: an f16 accumulator sticks at 2048. */
	fill(in, 2050, 1);
	fill(weight, 2050, 1);
	EXPECT_EQ(0x6801, DOT(in, weight, 2050));
	EXPECT_EQ(0x6800, DOT(in, weight, 2049));	/* a tie, to even */
	EXPECT_EQ(0x6800, DOT(in, weight, 2048));
	EXPECT_EQ(0x67ff, DOT(in, weight, 2047));
	weight[0] = h(2);
	EXPECT_EQ(0x6802, DOT(in, weight, 2050));	/* 2051: a tie, to even */

	/* Large terms that cancel leave the small one. */
	for (i = 0; i < 33; i++) {
		in[i] = h(256);
		weight[i] = h(i < 16 ? 256 : -256);
	}
	in[32] = h(1);
	weight[32] = h(1);
	EXPECT_EQ(0x3c00, DOT(in, weight, 33));
	/* Too large for f16, not for the sum. */
	fill(in, 1024, 64);
	fill(weight, 1024, 64);
	EXPECT_EQ(0x7c00, DOT(in, weight, 1024));
	fill(weight, 1024, -64);
	EXPECT_EQ(0xfc00, DOT(in, weight, 1024));
}

/* The sum is taken in the order of the terms, and no other. */
TEST_F(dev, r6_order_of_the_sum)
{
	static __u16 in[64], weight[64];

	/* 2^24 + 1 + 1 ... stays where it is; 1 + 1 ... + 2^24 does not. */
	fill(in, 64, 1);
	fill(weight, 64, 1);
	in[0] = h(4096);
	weight[0] = h(4096);
	in[63] = h(-4096);
	weight[63] = h(4096);
	EXPECT_EQ(h(0), DOT(in, weight, 64));
	in[0] = h(1);
	weight[0] = h(1);
	in[62] = h(4096);
	weight[62] = h(4096);
	EXPECT_EQ(h(62), DOT(in, weight, 64));
}

/* Zeros, infinities and NaNs; nothing is skipped because it is zero. */
TEST_F(dev, r6_special_values)
{
	const __u16 inf = 0x7c00, nan = 0x7e01, snan = 0x7d00, minus_nan = 0xfe00;
	const struct { __u16 in[3], weight[3]; __u16 want; } table[] = {
		{ { 0 }, { inf }, F16_NAN },
		{ { inf }, { 0 }, F16_NAN },
		{ { h(1), nan }, { h(1), h(1) }, F16_NAN },
		{ { h(1), snan }, { h(1), 0 }, F16_NAN },
		{ { minus_nan }, { h(1) }, F16_NAN },
		{ { h(1), h(1), h(1) }, { h(1), minus_nan, h(1) }, F16_NAN },
		{ { inf, 0xfc00 }, { h(1), h(1) }, F16_NAN },
		{ { inf, inf }, { h(1), h(-1) }, F16_NAN },
		{ { inf }, { h(2) }, 0x7c00 },
		{ { inf, h(-1) }, { h(-2), h(1) }, 0xfc00 },
		{ { h(-1) }, { 0 }, 0x0000 },
		{ { 0x8000 }, { h(1) }, 0x0000 },
		{ { h(1), h(-1) }, { h(1), h(1) }, 0x0000 },
		{ { 0x0001 }, { h(1) }, 0x0001 },
		{ { 0x8001 }, { h(1) }, 0x8001 },
		{ { 0x0001 }, { h(0.5) }, 0x0000 },	/* a tie, to even */
		{ { 0x8001 }, { h(0.5) }, 0x8000 },
		{ { 0x0003 }, { h(0.5) }, 0x0002 },
		{ { 0x0001 }, { h(0.75) }, 0x0001 },
		{ { 0x03ff, 0x0001 }, { h(1), h(1) }, 0x0400 },
		{ { 0x7bff, h(16) }, { h(1), h(1) }, 0x7c00 },
		{ { 0x7bff, h(15.99) }, { h(1), h(1) }, 0x7bff },
		{ { 0x0001, 0x0001 }, { 0x0001, h(0.5) }, 0x0001 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		EXPECT_EQ(table[i].want, DOT(table[i].in, table[i].weight, 3)) TH_LOG("row %u", i);
	}
}

/* A float as a sum of three products of halves, each partial sum exact. */
static void split(__u32 bits, __u16 in[3], __u16 weight[3])
{
	float value, rest;
	int i;

	memcpy(&value, &bits, 4);
	rest = fabsf(value);
	for (i = 0; i < 3; i++) {
		int exponent, scale;
		float part;

		frexpf(rest, &exponent);
		exponent -= 11;			/* eleven bits of it */
		part = truncf(ldexpf(rest, -exponent));
		rest -= ldexpf(part, exponent);
		scale = exponent < -24 ? -24 : exponent > 15 ? 15 : exponent;
		in[i] = h(ldexpf(part, exponent - scale));
		weight[i] = h(copysignf(ldexpf(1, scale), value));
	}
}

/* Rounding of the sum, at the patterns that go wrong most. */
TEST_F(dev, r6_rounding)
{
	const struct { __u32 bits; __u16 half; } table[] = {
		{ 0x477FE000, 0x7BFF }, { 0x477FEFFF, 0x7BFF }, { 0x477FF000, 0x7C00 },
		{ 0x47C35000, 0x7C00 }, { 0x3F801000, 0x3C00 }, { 0x3F803000, 0x3C02 },
		{ 0x3F801001, 0x3C01 }, { 0x3F800FFF, 0x3C00 }, { 0x3EFFFF37, 0x3800 },
		{ 0x387FE000, 0x0400 }, { 0x387FDFFF, 0x03ff }, { 0x38000000, 0x0200 },
		{ 0x33800000, 0x0001 }, { 0x33C00000, 0x0002 }, { 0x33BFFFFF, 0x0001 },
		{ 0x33000001, 0x0001 }, { 0x33000000, 0x0000 }, { 0xB3000000, 0x8000 },
		{ 0xB3000001, 0x8001 }, { 0xC77FF000, 0xFC00 }, { 0xC77FEFFF, 0xFBFF },
	};
	__u16 in[3], weight[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		split(table[i].bits, in, weight);
		EXPECT_EQ(table[i].half, DOT(in, weight, 3)) TH_LOG("%08x", table[i].bits);
	}
}

/* All halves times one are themselves; NaNs are canonical.  Times others: the oracle. */
TEST_F(dev, r6_all_halves)
{
	const __u16 weights[] = { 0x3c00, 0x3800, 0x4000, 0xbc00, 0x0001, 0x7bff, 0x3555 };
	static __u16 in[65536], out[65536], want[65536];
	unsigned int i, j;

	for (i = 0; i < 65536; i++)
		in[i] = i;
	for (j = 0; j < ARRAY_SIZE(weights); j++) {
		ASSERT_OK(linear(self->fd, self->context, self->queue, in, &weights[j], out,
				 65536, 1, 1));
		vt_linear(in, &weights[j], want, 65536, 1, 1);
		for (i = 0; i < 65536; i++) {
			ASSERT_EQ(want[i], out[i]) TH_LOG("%04x times %04x", i, weights[j]);
			if (!j && i != 0x8000) {
				ASSERT_EQ((i & 0x7fff) > 0x7c00 ? F16_NAN : i, out[i]);
			}
		}
	}
}

/* FNV-1a, of outputs as they come. */
static __u64 digest(__u64 hash, const __u16 *outputs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		hash = (hash ^ (outputs[i] & 0xff)) * 0x100000001b3;
		hash = (hash ^ outputs[i] >> 8) * 0x100000001b3;
	}
	return hash;
}

/* Random matrices of many shapes, any bits in some of them. */
TEST_F(dev, r6_random)
{
	const __u32 rows[] = { 1, 2, 3, 5, 17 }, ins[] = { 1, 2, 3, 7, 8, 16, 31, 33, 100, 785 };
	const __u32 outs[] = { 1, 2, 5, 8, 17, 64 };
	static __u16 in[17 * 785], weight[64 * 785], out[17 * 64], want[17 * 64];
	unsigned int r, i, o, j, shape = 0, outputs = 0;
	__u64 seed = 42, hash = 0xcbf29ce484222325;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		for (i = 0; i < ARRAY_SIZE(ins); i++) {
			for (o = 0; o < ARRAY_SIZE(outs); o++) {
				bool wild = ++shape % 4 == 0;

				/* Either any pattern, or magnitudes from 2^-6 to 2^3. */
				for (j = 0; j < rows[r] * ins[i]; j++)
					in[j] = wild ? random_word(&seed) :
						(random_word(&seed) & 0x83ff) |
						(9 + random_word(&seed) % 10) << 10;
				for (j = 0; j < outs[o] * ins[i]; j++)
					weight[j] = wild ? random_word(&seed) :
						(random_word(&seed) & 0x83ff) |
						(9 + random_word(&seed) % 10) << 10;
				ASSERT_OK(linear(self->fd, self->context, self->queue, in, weight,
						 out, rows[r], ins[i], outs[o]));
				vt_linear(in, weight, want, rows[r], ins[i], outs[o]);
				for (j = 0; j < rows[r] * outs[o]; j++) {
					ASSERT_EQ(want[j], out[j])
						TH_LOG("%u x %u x %u, output %u", rows[r],
						       ins[i], outs[o], j);
				}
				hash = digest(hash, out, rows[r] * outs[o]);
				outputs += rows[r] * outs[o];
			}
		}
	}
	/* tools/ci/cpus compares it between processors. */
	TH_LOG("digest of %u outputs by %s: %016llx", outputs, vt_engine_name(&self->info),
	       (unsigned long long)hash);
}

/* Products that are worth it are spread over processors: by rows, and by outputs. */
TEST_F(dev, r6_spread)
{
	const struct { __u32 rows, ins, outs; bool spread; } table[] = {
		{ 1000, 70, 128, true }, { 33, 300, 900, true }, { 33, 300, 130, false },
	};
	/* A process has two threads where the machine has one processor. */
	bool several = sysconf(_SC_NPROCESSORS_ONLN) > 1 || !strcmp(vt_backend(), "vaccd");
	static __u16 in[70000], weight[270000], out[128000], want[128000];
	long long before, spread = 0;
	__u64 seed = 5;
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(in); j++)
		in[j] = (random_word(&seed) & 0x83ff) | (10 + random_word(&seed) % 6) << 10;
	for (j = 0; j < ARRAY_SIZE(weight); j++)
		weight[j] = (random_word(&seed) & 0x83ff) | (10 + random_word(&seed) % 6) << 10;
	before = vt_counter(self->node, "launches_spread");
	ASSERT_LE(0, before);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_OK(linear(self->fd, self->context, self->queue, in, weight, out,
				 table[i].rows, table[i].ins, table[i].outs));
		vt_linear(in, weight, want, table[i].rows, table[i].ins, table[i].outs);
		for (j = 0; j < table[i].rows * table[i].outs; j++)
			ASSERT_EQ(want[j], out[j]) TH_LOG("product %u, output %u", i, j);
		spread += several && table[i].spread;
		EXPECT_EQ(before + spread, vt_counter(self->node, "launches_spread"));
	}
}

/* A buffer with three overlapping matrices; the same by the oracle on a copy. */
static int aliased(int fd, __u32 context, __u32 queue, size_t in, size_t weight, size_t out,
		   __u32 rows, __u32 in_features, __u32 out_features)
{
	enum { WORDS = 8192 };
	static __u16 memory[WORDS], want[WORDS], got[WORDS];
	static __u16 result[WORDS];
	struct vacc_binding b[3];
	__u32 buffer, program;
	__u64 seed = in * 31 + weight * 7 + out;
	unsigned int i;
	int r;

	for (i = 0; i < WORDS; i++)
		memory[i] = (random_word(&seed) & 0x83ff) | (12 + random_word(&seed) % 5) << 10;
	memcpy(want, memory, sizeof(want));
	vt_linear(want + in, want + weight, result, rows, in_features, out_features);
	memcpy(want + out, result, 2 * rows * out_features);
	r = load(fd, context, rows, in_features, out_features, &program) ?:
	    vt_buffer(fd, context, sizeof(memory), VT_USAGE_ALL, &buffer) ?:
	    vt_write(fd, buffer, 0, memory, sizeof(memory));
	b[0] = vt_bind(buffer, 0, VT_READ, 2 * in, 2ULL * rows * in_features);
	b[1] = vt_bind(buffer, 1, VT_READ, 2 * weight, 2ULL * out_features * in_features);
	b[2] = vt_bind(buffer, 2, VT_WRITE, 2 * out, 2ULL * rows * out_features);
	r = r ?: vt_run(fd, queue, program, b, 3) ?: vt_read(fd, buffer, 0, got, sizeof(got)) ?:
	    vt_handle(fd, VACC_BUFFER_DESTROY, buffer) ?:
	    vt_handle(fd, VACC_PROGRAM_UNLOAD, program);
	return r ?: memcmp(want, got, sizeof(got)) != 0;
}

/* Aliasing inside a launch: as if its inputs had been read first. */
TEST_F(dev, r6_aliasing)
{
	const struct { __u32 in, weight, out, rows, ins, outs; } table[] = {
		{ 0, 1024, 2048, 8, 16, 16 },		/* none */
		{ 0, 1024, 0, 8, 16, 16 },		/* in place */
		{ 0, 0, 0, 16, 16, 16 },		/* all three */
		{ 0, 1024, 1024, 16, 16, 16 },		/* over the weights */
		{ 0, 1024, 1, 8, 16, 16 },		/* a little later */
		{ 1, 1024, 0, 8, 16, 16 },		/* a little earlier */
		{ 0, 1024, 100, 8, 16, 16 },
		{ 100, 1024, 0, 8, 16, 16 },
		{ 0, 1024, 127, 8, 16, 4 },		/* the last element */
		{ 31, 1024, 0, 8, 16, 4 },
		{ 0, 1024, 0, 8, 16, 3 },		/* a smaller output */
		{ 0, 1024, 0, 8, 3, 16 },		/* a larger one */
		{ 0, 4096, 0, 64, 30, 40 },
		{ 0, 1900, 0, 64, 30, 40 },		/* over both */
		{ 0, 4096, 900, 64, 30, 40 },
		{ 0, 100, 50, 1, 100, 1 },
	};
	struct vacc_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		EXPECT_OK(aliased(self->fd, self->context, self->queue, table[i].in,
				  table[i].weight, table[i].out, table[i].rows, table[i].ins,
				  table[i].outs)) TH_LOG("row %u", i);
	}
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(self->before.scratch_bytes, stats.scratch_bytes);
}

/* Launches run in order: the second sees what the first wrote, in place too. */
TEST_F(dev, r6_launches_in_order)
{
	static __u16 x[8 * 16], w1[16 * 16], w2[16 * 16], y[8 * 16], want[8 * 16];
	__u32 buffer = vt_any_buffer(self->fd, self->context, 8192), program;
	struct vacc_binding b[3];
	struct vt_batch batch = {};
	__u64 seed = 7;
	unsigned int i;

	for (i = 0; i < 256; i++) {
		w1[i] = (random_word(&seed) & 0x83ff) | 12 << 10;
		w2[i] = (random_word(&seed) & 0x83ff) | 12 << 10;
		if (i < 128)
			x[i] = (random_word(&seed) & 0x83ff) | 14 << 10;
	}
	vt_linear(x, w1, y, 8, 16, 16);
	vt_linear(y, w2, want, 8, 16, 16);
	vt_batch_slot(&batch, 0, VT_READ_WRITE, sizeof(x));
	vt_batch_slot(&batch, 1, VT_READ, sizeof(w1) + sizeof(w2));
	vt_batch_launch(&batch, 0, 1, 0, 8, 16, 16);
	vt_batch_launch(&batch, 0, 1, 0, 8, 16, 16)->weight.offset = htole64(sizeof(w1));
	vt_batch_linear(&batch, 0, 2);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &batch, &program));
	ASSERT_OK(vt_write(self->fd, buffer, 0, x, sizeof(x)));
	ASSERT_OK(vt_write(self->fd, buffer, 1024, w1, sizeof(w1)));
	ASSERT_OK(vt_write(self->fd, buffer, 1024 + sizeof(w1), w2, sizeof(w2)));
	b[0] = vt_bind(buffer, 0, VT_READ_WRITE, 0, sizeof(x));
	b[1] = vt_bind(buffer, 1, VT_READ, 1024, sizeof(w1) + sizeof(w2));
	ASSERT_OK(vt_run(self->fd, self->queue, program, b, 2));
	ASSERT_OK(vt_read(self->fd, buffer, 0, y, sizeof(y)));
	EXPECT_EQ(0, memcmp(want, y, sizeof(y)));
}

/* Strides: rows apart, rows of an input over each other, gaps never written. */
TEST_F(dev, r6_strides)
{
	enum { ROWS = 5, IN = 6, OUT = 4 };
	const struct { __u32 in, weight, out; } table[] = {
		{ 0, 0, 0 }, { 12, 12, 8 }, { 20, 16, 30 }, { 2, 12, 8 }, { 12, 4, 10 },
		{ 100, 100, 100 }, { 2, 2, 8 },
	};
	static __u16 memory[3072], want[3072], in[ROWS * IN], weight[OUT * IN], out[ROWS * OUT];
	__u32 buffer = vt_any_buffer(self->fd, self->context, sizeof(memory)), program;
	struct vacc_binding b[3];
	unsigned int t, r, i;
	__u64 seed = 3;

	for (t = 0; t < ARRAY_SIZE(table); t++) {
		__u32 si = (table[t].in ?: 2 * IN) / 2, sw = (table[t].weight ?: 2 * IN) / 2;
		__u32 so = (table[t].out ?: 2 * OUT) / 2;
		struct vacc_batch_launch *l;
		struct vt_batch batch = {};

		for (i = 0; i < 3072; i++)
			memory[i] = (random_word(&seed) & 0x83ff) | 14 << 10;
		memcpy(want, memory, sizeof(want));
		/* Offsets in the bound ranges too: 8, 4 and 6 bytes. */
		for (r = 0; r < ROWS; r++)
			memcpy(in + r * IN, memory + 4 + r * si, 2 * IN);
		for (r = 0; r < OUT; r++)
			memcpy(weight + r * IN, memory + 1024 + 2 + r * sw, 2 * IN);
		vt_linear(in, weight, out, ROWS, IN, OUT);
		for (r = 0; r < ROWS; r++)
			memcpy(want + 2048 + 3 + r * so, out + r * OUT, 2 * OUT);
		vt_batch_slot(&batch, 0, VT_READ, 8 + 2 * ((ROWS - 1) * si + IN));
		vt_batch_slot(&batch, 1, VT_READ, 4 + 2 * ((OUT - 1) * sw + IN));
		vt_batch_slot(&batch, 2, VT_WRITE, 6 + 2 * ((ROWS - 1) * so + OUT));
		l = vt_batch_launch(&batch, 0, 1, 2, ROWS, IN, OUT);
		l->in.row_stride = htole64(table[t].in);
		l->in.offset = htole64(8);
		l->weight.row_stride = htole64(table[t].weight);
		l->weight.offset = htole64(4);
		l->out.row_stride = htole64(table[t].out);
		l->out.offset = htole64(6);
		vt_batch_linear(&batch, 0, 1);
		ASSERT_OK(vt_load_batch(self->fd, self->context, &batch, &program));
		ASSERT_OK(vt_write(self->fd, buffer, 0, memory, sizeof(memory)));
		for (i = 0; i < 3; i++) {
			b[i] = vt_bind(buffer, i, i == 2 ? VT_WRITE : VT_READ, 2048 * i,
				       le64toh(batch.slots[i].min_bytes));
		}
		ASSERT_OK(vt_run(self->fd, self->queue, program, b, 3));
		ASSERT_OK(vt_read(self->fd, buffer, 0, memory, sizeof(memory)));
		EXPECT_EQ(0, memcmp(want, memory, sizeof(memory))) TH_LOG("row %u", t);
	}
}

/* rows_slot: one program for every number of rows; an offset moves the window. */
TEST_F(dev, r6_rows_of_a_binding)
{
	enum { MOST = 16, IN = 5, OUT = 3 };
	static __u16 in[MOST * IN], weight[OUT * IN], want[MOST * OUT], got[MOST * OUT];
	__u32 a = vt_any_buffer(self->fd, self->context, 4096), program, event;
	struct vt_batch batch = {};
	struct vacc_binding b[3];
	unsigned int i, rows, first;
	__u64 seed = 11;

	for (i = 0; i < MOST * IN; i++)
		in[i] = (random_word(&seed) & 0x83ff) | 14 << 10;
	for (i = 0; i < OUT * IN; i++)
		weight[i] = (random_word(&seed) & 0x83ff) | 14 << 10;
	vt_linear(in, weight, want, MOST, IN, OUT);
	vt_batch_slot(&batch, 0, VT_READ, 2 * IN)->row_unit = htole64(2 * IN);
	vt_batch_slot(&batch, 1, VT_READ, sizeof(weight));
	vt_batch_slot(&batch, 2, VT_WRITE, 2 * OUT);
	vt_batch_launch(&batch, 0, 1, 2, MOST, IN, OUT)->rows_slot = htole32(0);
	vt_batch_linear(&batch, 0, 1);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &batch, &program));
	ASSERT_OK(vt_write(self->fd, a, 0, in, sizeof(in)));
	ASSERT_OK(vt_write(self->fd, a, 1024, weight, sizeof(weight)));
	b[1] = vt_bind(a, 1, VT_READ, 1024, sizeof(weight));
	for (rows = 1; rows <= MOST; rows++) {
		first = (MOST - rows) / 2;
		ASSERT_OK(vt_set(self->fd, a, 2048, 0xee, 2048));
		b[0] = vt_bind(a, 0, VT_READ, first * 2 * IN, rows * 2 * IN);
		b[2] = vt_bind(a, 2, VT_WRITE, 2048, MOST * 2 * OUT);
		ASSERT_OK(vt_run(self->fd, self->queue, program, b, 3));
		ASSERT_OK(vt_read(self->fd, a, 2048, got, sizeof(got)));
		EXPECT_EQ(0, memcmp(got, want + first * OUT, rows * 2 * OUT))
			TH_LOG("%u rows", rows);
		EXPECT_EQ(1, vt_all(self->fd, a, 2048 + rows * 2 * OUT, 0xee, 512));
		/* One output element short. */
		b[2].bytes = rows * 2 * OUT - 1;
		EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, b, 3, &event));
		b[2].bytes++;
		EXPECT_OK(vt_run(self->fd, self->queue, program, b, 3));
		/* No whole rows. */
		b[0].bytes--;
		EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, b, 3, &event));
	}
	b[0] = vt_bind(a, 0, VT_READ, 0, (MOST + 1) * 2 * IN);
	b[2].bytes = 2048;
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, b, 3, &event));
	/* An offset that is not a multiple of an element. */
	b[0] = vt_bind(a, 0, VT_READ, 1, 2 * IN);
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, program, b, 3, &event));
}

/* Working memory is charged from submission on, and given back. */
TEST_F(dev, scratch_is_charged)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 65536), program, event;
	struct vacc_stats before, held, after;
	struct vacc_program_query q;
	struct vacc_binding b[3];

	ASSERT_OK(load(self->fd, self->context, 64, 64, 64, &program));
	ASSERT_OK(vt_program_query(self->fd, program, &q, NULL, 0));
	b[0] = vt_bind(buffer, 0, VT_READ, 0, 8192);
	b[1] = vt_bind(buffer, 1, VT_READ, 8192, 8192);
	b[2] = vt_bind(buffer, 2, VT_WRITE, 0, 8192);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(vt_start(self->fd, self->queue, program, b, 3, &event));
	ASSERT_OK(vt_get_stats(self->fd, &held));
	if (self->info.backend == VACC_BACKEND_DIRECT) {
		EXPECT_EQ(8192, q.max_scratch_bytes);
		EXPECT_EQ(before.scratch_bytes + 8192, held.scratch_bytes);
	}
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.scratch_bytes, after.scratch_bytes);
}

TEST_HARNESS_MAIN
