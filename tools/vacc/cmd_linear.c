// SPDX-License-Identifier: GPL-2.0
/* vacc linear: a matrix product over .npy files, in batches of rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"
#include "npy.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "timing.h"

#define BATCH_BYTES	(4ULL << 20)
#define BATCH_MACS	(1ULL << 26)
#define WRITE_PIECE	(1ULL << 20)
#define NS_PER_S	1000000000.0

#define IN_SLOT		0
#define WEIGHT_SLOT	1
#define OUT_SLOT	2

/**
 * struct matrix - a float16 matrix in a file
 * @path: the file
 * @fd: it, open where the next row begins
 * @rows: rows
 * @columns: columns
 */
struct matrix {
	const char *path;
	int fd;
	uint64_t rows;
	uint64_t columns;
};

/**
 * struct linear - a product under way
 * @session: device
 * @program: one launch for up to @batch rows
 * @in: input matrix
 * @weight: weight matrix
 * @in_buffer: rows of the input
 * @weight_buffer: the weights
 * @out_buffer: rows of the output
 * @batch: rows to hand over at a time
 * @batches: how often that was
 * @timing: what that took, if wanted
 * @data: memory for them
 */
struct linear {
	struct session session;
	struct vacc_program program;
	struct matrix in;
	struct matrix weight;
	struct vacc_buffer in_buffer;
	struct vacc_buffer weight_buffer;
	struct vacc_buffer out_buffer;
	uint64_t batch;
	uint64_t batches;
	struct timing timing;
	char *data;
};

static int matrix_open(struct matrix *matrix, const char *path)
{
	struct npy npy;
	int status;

	matrix->path = path;
	matrix->fd = input_open(path);
	if (matrix->fd < 0)
		return EXIT_BAD;
	status = npy_read(&npy, matrix->fd, path);
	if (status)
		return status;
	if (npy_type(&npy) != VACC_TYPE_F16) {
		char descr[32];

		snprintf(descr, sizeof(descr), "%c%c%u", npy.order, npy.kind,
			 npy.item_bytes);
		return bad("%s has elements of type %s, not little-endian float16 (<f2)",
			   path, descr);
	}
	if (npy.fortran)
		return bad("%s is in Fortran order, not in C order", path);
	if (npy.dims != 2)
		return bad("%s has %u dimensions, not 2", path, npy.dims);
	if (!npy.shape[0] || !npy.shape[1])
		return bad("%s is empty: its shape is (%llu, %llu)", path,
			   (unsigned long long)npy.shape[0],
			   (unsigned long long)npy.shape[1]);
	if (npy.shape[1] > UINT32_MAX)
		return bad("%s has more columns than a device can take", path);
	matrix->rows = npy.shape[0];
	matrix->columns = npy.shape[1];
	return 0;
}

static void matrix_close(struct matrix *matrix)
{
	if (matrix->fd >= 0)
		close(matrix->fd);
}

/* Read @bytes more of a matrix; it has them, unless the file changes. */
static int matrix_read(struct matrix *matrix, void *data, size_t bytes)
{
	ssize_t n = input_read(matrix->fd, data, bytes, matrix->path);

	if (n < 0)
		return EXIT_BAD;
	if ((size_t)n < bytes)
		return bad("%s is truncated: its shape needs more bytes", matrix->path);
	return 0;
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Decide how many rows to hand over at a time. */
static int choose_batch(struct linear *l, const struct options *options)
{
	uint64_t widest = l->in.columns > l->weight.rows ? l->in.columns : l->weight.rows;
	uint64_t macs, batch = min_of(l->in.rows, UINT32_MAX);

	if (options->batch) {
		if (!number_parse(options->batch, 1, UINT32_MAX, false, &l->batch))
			return bad("%s is no number of rows", options->batch);
		l->batch = min_of(l->batch, batch);
		return 0;
	}
	/* Neither product can overflow: both factors are below 2^32. */
	macs = l->in.columns * l->weight.rows;
	batch = min_of(batch, BATCH_BYTES / (2 * widest));
	batch = min_of(batch, BATCH_MACS / macs);
	l->batch = batch ? batch : 1;
	return 0;
}

static int open_files(struct linear *l, const struct options *options)
{
	uint64_t elements;
	int status;

	if (!options->output)
		return bad("the output file is missing: -o FILE");
	status = matrix_open(&l->in, options->argv[0]);
	if (!status)
		status = matrix_open(&l->weight, options->argv[1]);
	if (status)
		return status;
	if (l->in.columns != l->weight.columns)
		return bad("the shapes do not fit: %s has %llu columns, %s has %llu",
			   l->in.path, (unsigned long long)l->in.columns,
			   l->weight.path, (unsigned long long)l->weight.columns);
	if (l->weight.rows > UINT32_MAX)
		return bad("%s has more rows than a device can take", l->weight.path);
	if (__builtin_mul_overflow(l->in.rows, l->weight.rows, &elements) ||
	    elements > INT64_MAX / 4)
		return bad("the output is too large for a file");
	return choose_batch(l, options);
}

static int load_program(struct linear *l)
{
	struct vacc_dense dense = vacc_dense(IN_SLOT, WEIGHT_SLOT, OUT_SLOT, l->batch,
					     l->in.columns, l->weight.rows);
	struct vacc_batch *batch = vacc_batch_new();
	void *artifact = NULL;
	size_t bytes;
	int status = 0;

	if (!batch)
		return broken("out of memory");
	dense.rows_slot = IN_SLOT;
	vacc_batch_slot(batch, IN_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_slot(batch, WEIGHT_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_slot(batch, OUT_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_dense_linear(batch, &dense, 1);
	if (vacc_batch_finish(batch, &artifact, &bytes))
		status = broken("cannot build the program: %s", vacc_last_error(NULL));
	else if (vacc_program_load(&l->session.context, artifact, bytes, &l->program))
		status = failed(l->session.dev, "cannot load the program");
	free(artifact);
	vacc_batch_free(batch);
	return status;
}

static int load_weights(struct linear *l)
{
	uint64_t bytes = l->weight_buffer.bytes, n;
	char *data = malloc(min_of(bytes, WRITE_PIECE));
	int status = data ? 0 : broken("out of memory");

	for (uint64_t done = 0; !status && done < bytes; done += n) {
		n = min_of(bytes - done, WRITE_PIECE);
		status = matrix_read(&l->weight, data, n);
		if (!status && vacc_buffer_write(&l->weight_buffer, done, data, n))
			status = failed(l->session.dev, "cannot write to the device");
	}
	free(data);
	return status;
}

static int open_objects(struct linear *l, const struct options *options)
{
	const struct vacc_buffer_options f16 = { .element_type = VACC_TYPE_F16 };
	uint64_t in_bytes = l->batch * l->in.columns * 2;
	uint64_t out_bytes = l->batch * l->weight.rows * 2;
	struct vacc_context *context = &l->session.context;
	int status = session_open(&l->session, options);

	if (status)
		return status;
	if (vacc_buffer_create(context, in_bytes, &f16, &l->in_buffer) ||
	    vacc_buffer_create(context, l->weight.rows * l->weight.columns * 2, &f16,
			       &l->weight_buffer) ||
	    vacc_buffer_create(context, out_bytes, &f16, &l->out_buffer))
		return failed(l->session.dev, "cannot create a buffer");
	status = load_program(l);
	if (!status)
		status = load_weights(l);
	if (status)
		return status;
	l->data = malloc(in_bytes > out_bytes ? in_bytes : out_bytes);
	return l->data ? 0 : broken("out of memory");
}

static int run_batch(struct linear *l, uint64_t rows, struct output *output)
{
	uint64_t in_bytes = rows * l->in.columns * 2;
	uint64_t out_bytes = rows * l->weight.rows * 2;
	const struct vacc_bind binds[] = {
		{ &l->in_buffer, IN_SLOT, VIRTIO_ACCEL_ACCESS_READ, 0, 0, in_bytes },
		{ &l->weight_buffer, WEIGHT_SLOT, VIRTIO_ACCEL_ACCESS_READ, 0, 0, 0 },
		{ &l->out_buffer, OUT_SLOT, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, out_bytes },
	};
	int status = matrix_read(&l->in, l->data, in_bytes);

	if (status)
		return status;
	if (vacc_buffer_write(&l->in_buffer, 0, l->data, in_bytes))
		return failed(l->session.dev, "cannot write to the device");
	status = timing_submit(&l->timing, &l->session, &l->program, binds, 3);
	if (status)
		return status;
	if (vacc_buffer_read(&l->out_buffer, 0, l->data, out_bytes))
		return failed(l->session.dev, "cannot read from the device");
	return output_write(output, l->data, out_bytes);
}

static int run_batches(struct linear *l, struct output *output)
{
	const uint64_t shape[] = { l->in.rows, l->weight.rows };
	char header[NPY_BUILT];
	int status = output_write(output, header, npy_build(header, "<f2", shape, 2));

	for (uint64_t done = 0; !status && done < l->in.rows;) {
		uint64_t rows = min_of(l->in.rows - done, l->batch);

		status = run_batch(l, rows, output);
		done += rows;
		l->batches++;
		if (!status)
			progress_show("rows", done, l->in.rows);
	}
	progress_clear();
	return status;
}

static void print_result(const struct linear *l, const struct options *options,
			 double seconds)
{
	struct report report;

	report_begin(&report, options->json);
	report_text(&report, "output", options->output);
	report_number(&report, "rows", l->in.rows);
	report_number(&report, "in_features", l->in.columns);
	report_number(&report, "out_features", l->weight.rows);
	report_number(&report, "batches", l->batches);
	report_seconds(&report, "seconds", seconds);
	timing_report(&l->timing, &report);
	report_end(&report);
}

int cmd_linear(const struct options *options)
{
	struct linear l = {
		.in.fd = -1,
		.weight.fd = -1,
		.timing.wanted = options->timing,
	};
	struct output output = OUTPUT_CLOSED;
	uint64_t start = vacc_deadline(0);
	int status = open_files(&l, options);

	if (!status)
		status = open_objects(&l, options);
	if (!status)
		status = output_open(&output, options->output);
	if (!status)
		status = run_batches(&l, &output);
	if (!status)
		status = output_commit(&output);
	if (!status)
		print_result(&l, options, (vacc_deadline(0) - start) / NS_PER_S);
	output_abandon(&output);
	free(l.data);
	timing_free(&l.timing);
	session_close(&l.session);
	matrix_close(&l.in);
	matrix_close(&l.weight);
	return status;
}
