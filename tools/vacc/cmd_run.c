// SPDX-License-Identifier: GPL-2.0
/* vacc run: any program over files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "cli.h"
#include "input.h"
#include "progress.h"
#include "report.h"
#include "timing.h"

#define MAX_PROGRAM	(1ULL << 30)
#define NS_PER_S	1000000000.0

/**
 * struct run - a run of a program
 * @session: device
 * @program: the program
 * @binds: files
 * @count: how many
 * @repeat: how often it runs
 * @timing: what that takes, if wanted
 * @data: the artifact
 * @bytes: its length
 */
struct run {
	struct session session;
	struct vacc_program program;
	struct bind *binds;
	unsigned int count;
	uint64_t repeat;
	struct timing timing;
	void *data;
	size_t bytes;
};

static int parse(struct run *run, const struct options *options)
{
	run->repeat = 1;
	if (options->repeat &&
	    !number_parse(options->repeat, 1, UINT32_MAX, false, &run->repeat))
		return bad("%s is no number of times", options->repeat);
	if (!options->bind_count)
		return bad("a binding is missing: --bind SLOT=FILE:ACCESS[:BYTES]");
	run->binds = calloc(options->bind_count, sizeof(*run->binds));
	if (!run->binds)
		return broken("out of memory");
	for (; run->count < options->bind_count; run->count++) {
		struct bind *bind = &run->binds[run->count];
		int status = bind_parse(bind, options->binds[run->count]);

		if (status) {
			bind_close(bind);
			return status;
		}
		for (unsigned int i = 0; i < run->count; i++) {
			if (run->binds[i].slot == bind->slot) {
				bind_close(bind);
				return bad("slot %u is bound twice", bind->slot);
			}
		}
	}
	return 0;
}

static int read_files(struct run *run, const char *path)
{
	char why[256];
	int status = input_file(path, MAX_PROGRAM, &run->data, &run->bytes);

	if (status)
		return status;
	if (vacc_artifact_check(run->data, run->bytes, why, sizeof(why)))
		return bad("%s is no valid program: %s", path, why);
	for (unsigned int i = 0; !status && i < run->count; i++)
		status = bind_read(&run->binds[i]);
	return status;
}

/* Give files without a type that of their slots. */
static int take_types(struct run *run)
{
	struct vacc_program_slot *slots;
	struct vacc_program_query query;
	int status = 0;

	slots = calloc(VACC_BATCH_MAX_SLOTS, sizeof(*slots));
	if (!slots)
		return broken("out of memory");
	if (vacc_program_query(&run->program, &query, slots, VACC_BATCH_MAX_SLOTS)) {
		status = failed(run->session.dev, "cannot query the program");
		query.slots.count = 0;
	}
	for (__u32 i = 0; i < query.slots.count && i < VACC_BATCH_MAX_SLOTS; i++) {
		for (unsigned int k = 0; k < run->count; k++) {
			struct bind *bind = &run->binds[k];

			if (bind->slot == slots[i].slot && !bind->has_type &&
			    vacc_type_bytes(slots[i].element_type))
				bind->type = slots[i].element_type;
		}
	}
	free(slots);
	return status;
}

static int open_objects(struct run *run, const struct options *options)
{
	int status = session_open(&run->session, options);

	if (status)
		return status;
	if (vacc_program_load(&run->session.context, run->data, run->bytes,
			      &run->program))
		return failed(run->session.dev, "cannot load the program");
	status = take_types(run);
	for (unsigned int i = 0; !status && i < run->count; i++)
		status = bind_create(&run->binds[i], &run->session);
	return status;
}

static int submit_all(struct run *run)
{
	struct vacc_bind *binds = calloc(run->count, sizeof(*binds));
	int status = binds ? 0 : broken("out of memory");

	for (unsigned int i = 0; binds && i < run->count; i++) {
		binds[i].buffer = &run->binds[i].buffer;
		binds[i].slot = run->binds[i].slot;
		binds[i].access = run->binds[i].access;
	}
	for (uint64_t i = 0; !status && i < run->repeat; i++) {
		status = timing_submit(&run->timing, &run->session, &run->program,
				       binds, run->count);
		if (!status)
			progress_show("runs", i + 1, run->repeat);
	}
	progress_clear();
	free(binds);
	return status;
}

static int write_files(struct run *run)
{
	int status = 0;

	for (unsigned int i = 0; !status && i < run->count; i++)
		status = bind_write(&run->binds[i], &run->session);
	for (unsigned int i = 0; !status && i < run->count; i++)
		status = bind_commit(&run->binds[i]);
	return status;
}

static void print_result(const struct run *run, bool json, double seconds)
{
	struct report report;

	report_begin(&report, json);
	report_number(&report, "runs", run->repeat);
	report_seconds(&report, "seconds", seconds);
	timing_report(&run->timing, &report);
	report_end(&report);
}

int cmd_run(const struct options *options)
{
	struct run run = { .timing.wanted = options->timing };
	double seconds = 0;
	int status = parse(&run, options);

	if (!status)
		status = read_files(&run, options->argv[0]);
	if (!status)
		status = open_objects(&run, options);
	if (!status) {
		uint64_t start = vacc_deadline(0);

		status = submit_all(&run);
		seconds = (vacc_deadline(0) - start) / NS_PER_S;
	}
	if (!status)
		status = write_files(&run);
	if (!status)
		print_result(&run, options->json, seconds);
	for (unsigned int i = 0; i < run.count; i++)
		bind_close(&run.binds[i]);
	free(run.binds);
	timing_free(&run.timing);
	free(run.data);
	session_close(&run.session);
	return status;
}
