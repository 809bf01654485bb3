/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A device with a context and a queue, and jobs: events with their memory. */
#ifndef _TEST_OBJECTS_RIG_H
#define _TEST_OBJECTS_RIG_H

#include <pthread.h>
#include <semaphore.h>

#include "artifact.h"
#include "engine.h"
#include "linear.h"
#include "test.h"

#define OK	VIRTIO_ACCEL_S_OK

#define USAGE_ALL	VIRTIO_ACCEL_USAGE_MASK
#define READ_ONLY	VIRTIO_ACCEL_ACCESS_READ
#define WRITE_ONLY	VIRTIO_ACCEL_ACCESS_WRITE
#define READ_WRITE	VIRTIO_ACCEL_ACCESS_READ_WRITE

#define PENDING		VIRTIO_ACCEL_EVENT_PENDING
#define COMPLETE	VIRTIO_ACCEL_EVENT_COMPLETE
#define FAILED		VIRTIO_ACCEL_EVENT_FAILED
#define CANCELLED	VIRTIO_ACCEL_EVENT_CANCELLED

struct rig {
	struct eng_device *device;
	struct eng_context *context;
	struct eng_queue *queue;
};

extern const struct eng_limits default_limits;

/* How a rig shall be where it matters; a zeroed one is an ordinary device. */
struct rig_options {
	const struct eng_limits *limits;
	u32 workers;
	bool hold;
	bool polled;				/* no done operation */
};

struct rig rig_make(struct rig_options options);
void rig_free(struct rig *rig);
struct eng_device_stats rig_stats(struct rig *rig);

struct area {
	u8 *memory;
	u64 bytes;
	struct eng_buffer *buffer;
};

struct area area_make(struct eng_context *context, u64 bytes, u32 usage);
void area_free(struct area *area);
bool area_is(const struct area *area, u8 value);

struct eng_image *image_make(struct eng_context *context, u8 op, u32 first,
			     u32 second, u8 operand);
/* Frees the payload. */
struct eng_image *image_load(struct eng_context *context, struct eng_load load);

#define JOB_COMMANDS	64

/* What the timed operation said, which must be in order. */
struct job_times {
	u32 calls;
	u32 commands;				/* that it was called for */
	u64 start_ns[JOB_COMMANDS];
	u64 end_ns[JOB_COMMANDS];
};

/*
 * An event and what is known of it.  Where @keep is not set its memory is freed in
 * the done operation, so that a later access is caught.
 */
struct job {
	struct eng_event *event;
	bool keep;
	bool here;
	u64 timeout_ns;
	bool timed;
	struct job_times times;
	u32 tag;
	u32 ends;				/* how often it was reported */
	u32 state;
	u16 status;
	u32 steps;				/* progress reports */
	u64 order;				/* of its end among all */
	pthread_t ended_by;
	bool gated;				/* stops at each progress report */
	bool gated_end;				/* stops in the done operation */
	sem_t reached, go_on;
};

void job_init(struct job *job);
void job_gate(struct job *job);
void job_open(struct job *job);
void job_fini(struct job *job);
u16 job_prepare(struct job *job, struct eng_queue *queue,
		struct eng_image *image, const struct eng_bind *binds, u32 count);
u16 job_submit(struct job *job, struct eng_queue *queue,
	       struct eng_image *image, const struct eng_bind *binds, u32 count);
u16 job_submit_area(struct job *job, struct eng_queue *queue,
		    struct eng_image *image, struct area *area, u8 access);
bool job_ended(struct job *job);
void job_wait(struct job *job);

struct eng_bind bind_of(struct area *area, u32 slot, u8 access);

void job_expect(struct job *job, u32 state, u16 status, const char *file,
		int line);

/* Waits for the end of a job, which comes once and is as it should be. */
#define EXPECT_ENDED(job, state, status)				\
	job_expect(job, state, status, __FILE__, __LINE__)

/* A product in this thread, by nothing but the chosen path. */
void linear_alone(const struct eng_linear *linear);

#endif /* _TEST_OBJECTS_RIG_H */
