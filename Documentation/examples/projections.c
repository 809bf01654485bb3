// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The projections of a transformer layer, on the device: seven matrix products
 * in four programs, over three large buffers.  What lies between the programs is
 * the host's: attention, norms, activations, residuals.
 *
 * usage: projections [ROWS]          run them for ROWS tokens, 1 to 128
 *        projections --artifact FILE write the first program to FILE
 */
#include <libvacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A small model: 4 heads of 64, of which keys and values have one; f16 has 2 bytes. */
#define MODEL		256u
#define KEYS		64u
#define INNER		512u
#define MOST_ROWS	128u
#define MATRIX(out, in)	(2ul * (out) * (in))

/* All weights lie in one buffer, one after the other: where each begins. */
enum {
	WQ = 0,
	WK = WQ + MATRIX(MODEL, MODEL),
	WV = WK + MATRIX(KEYS, MODEL),
	WO = WV + MATRIX(KEYS, MODEL),
	WGATE = WO + MATRIX(MODEL, MODEL),
	WUP = WGATE + MATRIX(INNER, MODEL),
	WDOWN = WUP + MATRIX(INNER, MODEL),
	WEIGHT_BYTES = WDOWN + MATRIX(MODEL, INNER),
};

/* Every program has these slots. */
enum { IN, WEIGHT, OUT, SLOTS };

struct part {
	__u64 weight;		/* first byte in the buffer of weights */
	__u32 out_features;
};

/* A program: rows of @in_features times each part, side by side in rows of OUT. */
struct step {
	const char *name;
	__u32 in_features;
	__u32 count;
	struct part parts[3];
};

#define STEPS	4

static const struct step steps[STEPS] = {
	{ "q, k, v", MODEL, 3, { { WQ, MODEL }, { WK, KEYS }, { WV, KEYS } } },
	{ "attention output", MODEL, 1, { { WO, MODEL } } },
	{ "gate, up", MODEL, 2, { { WGATE, INNER }, { WUP, INNER } } },
	{ "down", INNER, 1, { { WDOWN, MODEL } } },
};

static __u32 out_features(const struct step *step)
{
	__u32 sum = 0;

	for (__u32 i = 0; i < step->count; i++)
		sum += step->parts[i].out_features;
	return sum;
}

/* One command with a launch for each part. */
static int build(const struct step *step, void **artifact, size_t *bytes)
{
	const __u64 out_row = 2ul * out_features(step);
	struct vacc_batch *batch = vacc_batch_new();
	struct vacc_dense launches[3];
	__u64 column = 0;
	int err;

	if (!batch)
		return -1;
	for (__u32 i = 0; i < step->count; i++) {
		const struct part *part = &step->parts[i];

		launches[i] = vacc_dense(IN, WEIGHT, OUT, MOST_ROWS, step->in_features,
					 part->out_features);
		launches[i].weight.offset = part->weight;
		launches[i].out.offset = column;
		launches[i].out.row_stride = out_row;
		launches[i].rows_slot = IN;
		column += 2ul * part->out_features;
	}
	for (__u32 slot = 0; slot < SLOTS; slot++)
		vacc_batch_slot(batch, slot, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_flags(batch, VACC_BATCH_NO_ALIAS);
	vacc_batch_dense_linear(batch, launches, step->count);
	err = vacc_batch_finish(batch, artifact, bytes);
	vacc_batch_free(batch);
	return err;
}

static int load(struct vacc_context *context, const struct step *step,
		struct vacc_program *program)
{
	void *artifact = NULL;
	size_t bytes;
	int err = build(step, &artifact, &bytes);

	if (!err)
		err = vacc_program_load(context, artifact, bytes, program);
	free(artifact);
	return err;
}

static int write_artifact(const char *path)
{
	FILE *file = fopen(path, "wb");
	void *artifact = NULL;
	size_t bytes = 0;
	int err = !file || build(&steps[0], &artifact, &bytes) ||
		  fwrite(artifact, bytes, 1, file) != 1;

	if (file && fclose(file))
		err = 1;
	free(artifact);
	return err;
}

/* Weight number n is 1, -1 or 0 and inputs are 1: easy to check by hand. */
static void fill_weights(__u16 *weights)
{
	static const __u16 values[] = { 0x3c00, 0x3c00, 0xbc00, 0x0000 };

	for (size_t i = 0; i < WEIGHT_BYTES / 2; i++)
		weights[i] = values[i % 4];
}

struct layer {
	struct vacc_queue queue;
	struct vacc_program programs[STEPS];
	struct vacc_buffer weights;
	struct vacc_buffer in;
	struct vacc_buffer out;
};

static int make(struct vacc_device *dev, struct layer *layer)
{
	const struct vacc_buffer_options f16 = { .element_type = VACC_TYPE_F16 };
	struct vacc_context context;
	__u16 *weights = malloc(WEIGHT_BYTES);
	int err = !weights || vacc_context_create(dev, &context) ||
		  vacc_queue_create(&context, &layer->queue) ||
		  vacc_buffer_create(&context, WEIGHT_BYTES, &f16, &layer->weights) ||
		  vacc_buffer_create(&context, MATRIX(MOST_ROWS, INNER), &f16,
				     &layer->in) ||
		  vacc_buffer_create(&context, MATRIX(MOST_ROWS, 2 * INNER), &f16,
				     &layer->out) ||
		  vacc_buffer_map(&layer->in, PROT_READ | PROT_WRITE) ||
		  vacc_buffer_map(&layer->out, PROT_READ);

	for (size_t i = 0; !err && i < STEPS; i++)
		err = load(&context, &steps[i], &layer->programs[i]);
	if (!err) {
		fill_weights(weights);
		err = vacc_buffer_write(&layer->weights, 0, weights, WEIGHT_BYTES);
	}
	free(weights);
	return err;
}

static int run(struct layer *layer, size_t i, __u32 rows)
{
	const struct step *step = &steps[i];
	const __u64 in_bytes = MATRIX(rows, step->in_features);
	const __u64 out_bytes = MATRIX(rows, out_features(step));
	const struct vacc_bind binds[] = {
		{ &layer->in, IN, VIRTIO_ACCEL_ACCESS_READ, 0, 0, in_bytes },
		{ &layer->weights, WEIGHT, VIRTIO_ACCEL_ACCESS_READ, 0, 0, 0 },
		{ &layer->out, OUT, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, out_bytes },
	};
	__u16 *in = layer->in.map;

	/* Here the host does its part.  This one just sets every input to 1. */
	for (size_t k = 0; k < in_bytes / 2; k++)
		in[k] = 0x3c00;
	return vacc_submit_wait(&layer->queue, &layer->programs[i], binds, SLOTS, 0);
}

int main(int argc, char **argv)
{
	long rows = argc == 2 ? atol(argv[1]) : 8;
	struct vacc_device *dev = NULL;
	struct layer layer = { 0 };
	int err;

	if (argc == 3 && !strcmp(argv[1], "--artifact"))
		return write_artifact(argv[2]);
	if (argc > 2 || rows < 1 || rows > MOST_ROWS)
		return fputs("usage: projections [ROWS] | --artifact FILE\n", stderr), 2;
	err = vacc_open(NULL, &dev) || make(dev, &layer);
	for (size_t i = 0; !err && i < STEPS; i++) {
		const __u16 *out = layer.out.map;

		err = run(&layer, i, rows);
		if (!err)
			printf("%-16s %ld x %u, the first output is 0x%04x\n",
			       steps[i].name, rows, out_features(&steps[i]), out[0]);
	}
	if (err)
		fprintf(stderr, "projections: %s\n", vacc_last_error(dev));
	vacc_close(dev);
	return !!err;
}
