// SPDX-License-Identifier: GPL-2.0
/* vacc copy, vacc fill, vacc xor: bytes of files, piece by piece. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"
#include "output.h"
#include "progress.h"

#define PIECE	(4ULL << 20)

#define SOURCE_SLOT	0
#define TARGET_SLOT	1

/**
 * struct job - bytes that go through the device
 * @session: device
 * @program: what is done to each piece
 * @source: what is read, where @copies
 * @target: what is written
 * @copies: whether the program goes from @source to @target
 * @access: of the target
 * @piece: bytes of a piece
 * @data: memory for one
 */
struct job {
	struct session session;
	struct vacc_program program;
	struct vacc_buffer source;
	struct vacc_buffer target;
	bool copies;
	uint32_t access;
	uint64_t piece;
	char *data;
};

/* Make ready for pieces of a job of at most @bytes. */
static int job_open(struct job *job, const struct options *options, uint64_t bytes,
		    const struct vacc_ref_artifact *artifact)
{
	struct vacc_get_info info;
	struct vacc_context *context = &job->session.context;
	int status = session_open(&job->session, options);

	if (status)
		return status;
	if (vacc_info(job->session.dev, &info, NULL, 0))
		return failed(job->session.dev, "cannot get information");
	job->piece = bytes < PIECE ? bytes : PIECE;
	if (job->piece > info.max_buffer_bytes)
		job->piece = info.max_buffer_bytes;
	job->data = malloc(job->piece);
	if (!job->data)
		return broken("out of memory");
	if (vacc_program_load(context, artifact, sizeof(*artifact), &job->program))
		return failed(job->session.dev, "cannot load the program");
	if (vacc_buffer_create(context, job->piece, NULL, &job->target) ||
	    (job->copies && vacc_buffer_create(context, job->piece, NULL, &job->source)))
		return failed(job->session.dev, "cannot create a buffer");
	return 0;
}

static void job_close(struct job *job)
{
	free(job->data);
	session_close(&job->session);
}

/* Let the device work on @bytes of @data, which become the result. */
static int job_piece(struct job *job, uint64_t bytes)
{
	const struct vacc_bind binds[] = {
		{ &job->target, TARGET_SLOT, job->access, 0, 0, bytes },
		{ &job->source, SOURCE_SLOT, VIRTIO_ACCEL_ACCESS_READ, 0, 0, bytes },
	};
	const struct vacc_buffer *in = job->copies ? &job->source : &job->target;
	bool has_input = job->copies || job->access != VIRTIO_ACCEL_ACCESS_WRITE;

	if (has_input && vacc_buffer_write(in, 0, job->data, bytes))
		return failed(job->session.dev, "cannot write to the device");
	if (vacc_submit_wait(&job->session.queue, &job->program, binds,
			     job->copies ? 2 : 1, 0))
		return failed(job->session.dev, "the device did not do it");
	if (vacc_buffer_read(&job->target, 0, job->data, bytes))
		return failed(job->session.dev, "cannot read from the device");
	return 0;
}

static int job_pieces(struct job *job, int fd, const char *path, struct output *output)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint64_t done = 0;

	if (size >= 0)
		lseek(fd, 0, SEEK_SET);
	for (;;) {
		ssize_t n = input_read(fd, job->data, job->piece, path);
		int status;

		if (n < 0)
			return EXIT_BAD;
		if (!n)
			break;
		status = job_piece(job, n);
		if (!status)
			status = output_write(output, job->data, n);
		if (status)
			return status;
		done += n;
		progress_show("bytes", done, size > 0 ? size : 0);
	}
	progress_clear();
	return 0;
}

static int run_on_file(struct job *job, const struct options *options,
		       const struct vacc_ref_artifact *artifact, const char *from,
		       const char *to)
{
	struct output output = OUTPUT_CLOSED;
	int fd = input_open(from), status;

	if (fd < 0)
		return EXIT_BAD;
	status = job_open(job, options, PIECE, artifact);
	if (!status)
		status = output_open(&output, to);
	if (!status)
		status = job_pieces(job, fd, from, &output);
	if (!status)
		status = output_commit(&output);
	output_abandon(&output);
	job_close(job);
	close(fd);
	return status;
}

int cmd_copy(const struct options *options)
{
	struct job job = { .copies = true, .access = VIRTIO_ACCEL_ACCESS_WRITE };
	struct vacc_ref_artifact artifact;

	vacc_ref_copy(&artifact, SOURCE_SLOT, TARGET_SLOT);
	return run_on_file(&job, options, &artifact, options->argv[0], options->argv[1]);
}

/* Parse a byte; where it is none the reason is said. */
static bool parse_value(const char *text, uint8_t *value)
{
	uint64_t number;

	if (number_parse(text, 0, 255, false, &number)) {
		*value = number;
		return true;
	}
	bad("%s is no byte: 0 to 255, or 0x00 to 0xff", text);
	return false;
}

int cmd_xor(const struct options *options)
{
	struct job job = { .access = VIRTIO_ACCEL_ACCESS_READ_WRITE };
	struct vacc_ref_artifact artifact;
	uint8_t value;

	if (!options->output)
		return bad("the output file is missing: -o FILE");
	if (!parse_value(options->argv[1], &value))
		return EXIT_BAD;
	vacc_ref_xor(&artifact, TARGET_SLOT, value);
	return run_on_file(&job, options, &artifact, options->argv[0], options->output);
}

static int fill_pieces(struct job *job, uint64_t bytes, struct output *output)
{
	for (uint64_t done = 0; done < bytes;) {
		uint64_t n = bytes - done < job->piece ? bytes - done : job->piece;
		int status = job_piece(job, n);

		if (!status)
			status = output_write(output, job->data, n);
		if (status)
			return status;
		done += n;
		progress_show("bytes", done, bytes);
	}
	progress_clear();
	return 0;
}

int cmd_fill(const struct options *options)
{
	struct job job = { .access = VIRTIO_ACCEL_ACCESS_WRITE };
	struct output output = OUTPUT_CLOSED;
	struct vacc_ref_artifact artifact;
	uint64_t bytes;
	uint8_t value;
	int status;

	if (!options->output)
		return bad("the output file is missing: -o FILE");
	if (!number_parse(options->argv[0], 1, INT64_MAX, true, &bytes))
		return bad("%s is no number of bytes", options->argv[0]);
	if (!parse_value(options->argv[1], &value))
		return EXIT_BAD;
	vacc_ref_fill(&artifact, TARGET_SLOT, value);
	status = job_open(&job, options, bytes, &artifact);
	if (!status)
		status = output_open(&output, options->output);
	if (!status)
		status = fill_pieces(&job, bytes, &output);
	if (!status)
		status = output_commit(&output);
	output_abandon(&output);
	job_close(&job);
	return status;
}
