// SPDX-License-Identifier: GPL-2.0
/* vacc program: looking at programs, and making small ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dump.h"
#include "input.h"
#include "output.h"

#define MAX_PROGRAM	(1ULL << 30)

/* Read a program that is well-formed; free(@data) later. */
static int read_program(const char *path, void **data, size_t *bytes)
{
	char why[256];
	int status = input_file(path, MAX_PROGRAM, data, bytes);

	if (status)
		return status;
	if (!vacc_artifact_check(*data, *bytes, why, sizeof(why)))
		return 0;
	free(*data);
	*data = NULL;
	return bad("%s is no valid program: %s", path, why);
}

static int dump(const struct options *options)
{
	void *data;
	size_t bytes;
	int status = read_program(options->argv[1], &data, &bytes);

	if (!status)
		dump_program(data, bytes);
	free(data);
	return status;
}

static int check(const struct options *options)
{
	void *data;
	size_t bytes;
	int status = read_program(options->argv[1], &data, &bytes);

	if (!status)
		printf("%s is a valid program of %zu bytes\n", options->argv[1], bytes);
	free(data);
	return status;
}

/* Parse argument @i, which @what is, up to @max; else the reason is said. */
static bool parse(const struct options *options, int i, const char *what, uint64_t max,
		  uint32_t *number)
{
	uint64_t value;

	if (number_parse(options->argv[i], 0, max, false, &value)) {
		*number = value;
		return true;
	}
	bad("%s is no %s", options->argv[i], what);
	return false;
}

#define MAX_SLOT	(VACC_REF_NO_SLOT - 1ULL)

static int make_ref(const struct options *options)
{
	const char *verb = options->argv[0];
	struct vacc_ref_artifact artifact;
	uint32_t slot, second;
	bool copies = !strcmp(verb, "copy");

	if (!parse(options, 1, "slot", MAX_SLOT, &slot))
		return EXIT_BAD;
	if (!strcmp(verb, "barrier")) {
		vacc_ref_barrier(&artifact, slot);
		return output_file(options->output, &artifact, sizeof(artifact));
	}
	if (!(copies ? parse(options, 2, "slot", MAX_SLOT, &second) :
		       parse(options, 2, "byte: 0 to 255, or 0x00 to 0xff", 255, &second)))
		return EXIT_BAD;
	if (copies && slot == second)
		return bad("source and target are both slot %u", slot);
	if (copies)
		vacc_ref_copy(&artifact, slot, second);
	else if (!strcmp(verb, "fill"))
		vacc_ref_fill(&artifact, slot, second);
	else
		vacc_ref_xor(&artifact, slot, second);
	return output_file(options->output, &artifact, sizeof(artifact));
}

static int make_linear(const struct options *options)
{
	uint32_t rows, in, out;
	struct vacc_batch *batch;
	struct vacc_dense dense;
	void *artifact = NULL;
	size_t bytes;
	int status;

	if (!parse(options, 1, "number of rows", UINT32_MAX, &rows) ||
	    !parse(options, 2, "number of features", UINT32_MAX, &in) ||
	    !parse(options, 3, "number of features", UINT32_MAX, &out))
		return EXIT_BAD;
	batch = vacc_batch_new();
	if (!batch)
		return broken("out of memory");
	dense = vacc_dense(0, 1, 2, rows, in, out);
	dense.rows_slot = 0;
	for (uint32_t slot = 0; slot < 3; slot++)
		vacc_batch_slot(batch, slot, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_dense_linear(batch, &dense, 1);
	if (vacc_batch_finish(batch, &artifact, &bytes))
		status = bad("there is no such program: %s", vacc_last_error(NULL));
	else
		status = output_file(options->output, artifact, bytes);
	free(artifact);
	vacc_batch_free(batch);
	return status;
}

static const struct {
	const char *name;
	int arguments;
	bool writes;
	int (*run)(const struct options *options);
} verbs[] = {
	{ "dump", 2, false, dump },
	{ "check", 2, false, check },
	{ "barrier", 2, true, make_ref },
	{ "copy", 3, true, make_ref },
	{ "fill", 3, true, make_ref },
	{ "xor", 3, true, make_ref },
	{ "linear", 4, true, make_linear },
};

int cmd_program(const struct options *options)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, options->argv[0]))
			continue;
		if (options->argc != verbs[i].arguments)
			return bad("vacc program %s takes %d argument%s, not %d",
				   verbs[i].name, verbs[i].arguments - 1,
				   verbs[i].arguments == 2 ? "" : "s",
				   options->argc - 1);
		if (verbs[i].writes && !options->output)
			return bad("the output file is missing: -o FILE");
		if (!verbs[i].writes && options->output)
			return bad("vacc program %s writes no file", verbs[i].name);
		return verbs[i].run(options);
	}
	return bad("vacc program has no verb %s, see vacc program --help",
		   options->argv[0]);
}
