/* SPDX-License-Identifier: GPL-2.0 */
/* The accelerator as the benchmarks use it. */
#ifndef BENCH_ACCEL_H
#define BENCH_ACCEL_H

#include <stdbool.h>
#include <libvacc.h>

#define ACCEL_BINDS	3

/**
 * struct accel - an open device with a context and a queue
 * @dev: the device
 * @info: what it is
 * @context: the context
 * @queue: the queue
 */
struct accel {
	struct vacc_device *dev;
	struct vacc_get_info info;
	struct vacc_context context;
	struct vacc_queue queue;
};

/**
 * struct job - a program with what it is bound to
 * @accel: where it runs
 * @program: the program
 * @binds: its bindings
 * @count: how many
 */
struct job {
	struct accel *accel;
	struct vacc_program program;
	struct vacc_bind binds[ACCEL_BINDS];
	unsigned int count;
};

/* All of these end the program where something fails. */
void accel_open(struct accel *accel);
void accel_close(struct accel *accel);
void accel_need(const struct accel *accel, int err, const char *what);
const char *accel_engine(const struct accel *accel);

/* A buffer that programs may read and write; @map: mapped for writing, else never. */
void accel_buffer(const struct accel *accel, size_t bytes, bool map, struct vacc_buffer *buffer);

/* Load the 24-byte program @artifact. */
void accel_job(struct job *job, struct accel *accel, const struct vacc_ref_artifact *artifact);
/* Load what @batch has become; frees it. */
void accel_batch_job(struct job *job, struct accel *accel, struct vacc_batch *batch);
void accel_bind(struct job *job, const struct vacc_buffer *buffer, unsigned int slot,
		unsigned int access);
void accel_job_end(struct job *job);

/* Submit a job and wait in the same call, the event goes by itself. */
void accel_run(void *job);

/* Write to, or read a number after a word from, a control file of the reference device. */
void accel_control(const struct accel *accel, const char *file, const char *text);
unsigned long long accel_counter(const struct accel *accel, const char *file, const char *word);

#endif /* BENCH_ACCEL_H */
