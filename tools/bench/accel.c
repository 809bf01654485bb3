// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "accel.h"
#include "measure.h"

#define CONTROL	"/sys/kernel/debug/virtio_accel_mock/%u/%s"

void accel_need(const struct accel *accel, int err, const char *what)
{
	if (err)
		die("cannot %s: %s", what, vacc_last_error(accel->dev));
}

const char *accel_engine(const struct accel *accel)
{
	static const char * const names[] = { "unknown", "integer", "avx2", "avx512" };

	return names[accel->info.engine_path <= VACC_ENGINE_AVX512 ? accel->info.engine_path : 0];
}

void accel_open(struct accel *accel)
{
	memset(accel, 0, sizeof(*accel));
	accel_need(accel, vacc_open(NULL, &accel->dev), "open a device");
	accel_need(accel, vacc_info(accel->dev, &accel->info, NULL, 0), "ask what it is");
	accel_need(accel, vacc_context_create(accel->dev, &accel->context), "create a context");
	accel_need(accel, vacc_queue_create(&accel->context, &accel->queue), "create a queue");
}

void accel_close(struct accel *accel)
{
	vacc_close(accel->dev);
}

void accel_buffer(const struct accel *accel, size_t bytes, bool map, struct vacc_buffer *buffer)
{
	const struct vacc_buffer_options options = {
		.usage = VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_OUTPUT |
			 VIRTIO_ACCEL_USAGE_TRANSFER_SRC | VIRTIO_ACCEL_USAGE_TRANSFER_DST |
			 VIRTIO_ACCEL_USAGE_MUTABLE,
	};

	accel_need(accel, vacc_buffer_create(&accel->context, bytes, &options, buffer),
		   "create a buffer");
	if (map)
		accel_need(accel, vacc_buffer_map(buffer, PROT_READ | PROT_WRITE), "map a buffer");
}

void accel_job(struct job *job, struct accel *accel, const struct vacc_ref_artifact *artifact)
{
	memset(job, 0, sizeof(*job));
	job->accel = accel;
	accel_need(accel, vacc_program_load(&accel->context, artifact, sizeof(*artifact),
					    &job->program), "load a program");
}

void accel_batch_job(struct job *job, struct accel *accel, struct vacc_batch *batch)
{
	void *artifact;
	size_t bytes;

	memset(job, 0, sizeof(*job));
	job->accel = accel;
	accel_need(accel, vacc_batch_finish(batch, &artifact, &bytes), "build a program");
	accel_need(accel, vacc_program_load(&accel->context, artifact, bytes, &job->program),
		   "load a program");
	free(artifact);
	vacc_batch_free(batch);
}

void accel_bind(struct job *job, const struct vacc_buffer *buffer, unsigned int slot,
		unsigned int access)
{
	job->binds[job->count++] = (struct vacc_bind){
		.buffer = buffer, .slot = slot, .access = access,
	};
}

void accel_job_end(struct job *job)
{
	accel_need(job->accel, vacc_program_unload(&job->program), "unload a program");
}

void accel_run(void *arg)
{
	static const struct vacc_submit_options options = {
		.flags = VACC_SUBMIT_WAIT | VACC_SUBMIT_AUTO_DESTROY,
		.deadline_ns = VACC_NO_DEADLINE,
	};
	const struct job *job = arg;
	struct vacc_event event;
	int err;

	err = vacc_submit(&job->accel->queue, &job->program, job->binds, job->count, &options,
			  &event);
	accel_need(job->accel, err, "submit");
	if (event.state != VACC_EVENT_COMPLETE)
		die("a submission ended as %s, %s", vacc_state_name(event.state),
		    vacc_status_name(event.status));
}

static FILE *control_open(const struct accel *accel, const char *file, const char *mode)
{
	char path[128];
	FILE *stream;

	snprintf(path, sizeof(path), CONTROL, accel->info.instance, file);
	stream = fopen(path, mode);
	if (!stream)
		die("cannot open %s: %s", path, strerror(errno));
	return stream;
}

void accel_control(const struct accel *accel, const char *file, const char *text)
{
	FILE *stream = control_open(accel, file, "w");

	fputs(text, stream);
	if (fclose(stream))
		die("%s does not take %s: %s", file, text, strerror(errno));
}

unsigned long long accel_counter(const struct accel *accel, const char *file, const char *word)
{
	FILE *stream = control_open(accel, file, "r");
	unsigned long long value = 0, got;
	char name[64];

	while (fscanf(stream, "%63s %llu", name, &got) == 2)
		if (!strcmp(name, word))
			value = got;
	fclose(stream);
	return value;
}
