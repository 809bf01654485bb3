// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "rig.h"

const struct eng_limits default_limits = {
	.max_contexts = ENG_MAX_CONTEXTS,
	.max_buffers = ENG_MAX_BUFFERS,
	.max_images = ENG_MAX_IMAGES,
	.max_queues = ENG_MAX_QUEUES,
	.max_events = ENG_MAX_EVENTS,
	.max_bindings = ENG_MAX_BINDINGS,
	.max_buffer_bytes = ENG_MAX_BUFFER_BYTES,
	.max_artifact_bytes = ENG_MAX_ARTIFACT_BYTES,
	.max_scratch_bytes = 1 << 20,
	.inline_limit = ENG_INLINE_LIMIT,
};

/* Guards what jobs know of their ends. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static u64 order;

static void rig_done(void *owner, u32 state, u16 status)
{
	struct job *job = owner;

	if (!job->keep) {
		free(job->event);
		job->event = NULL;
	}
	if (job->gated_end) {
		sem_post(&job->reached);
		while (sem_wait(&job->go_on))
			;
	}
	pthread_mutex_lock(&lock);
	job->ends++;
	job->state = state;
	job->status = status;
	job->order = ++order;
	job->ended_by = pthread_self();
	pthread_cond_broadcast(&ended);
	pthread_mutex_unlock(&lock);
}

static void rig_progress(void *owner)
{
	struct job *job = owner;

	__atomic_add_fetch(&job->steps, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&job->gated, __ATOMIC_SEQ_CST)) {
		sem_post(&job->reached);
		while (sem_wait(&job->go_on))
			;
	}
}

static void rig_timed(void *owner, u32 command, u64 start_ns, u64 end_ns)
{
	struct job *job = owner;
	struct job_times *times = &job->times;

	EXPECT(!job->ends);
	REQUIRE(command < JOB_COMMANDS);
	if (command == times->commands) {
		times->start_ns[command] = start_ns;
		times->commands++;
	}
	EXPECT_EQ(command, times->commands - 1);
	EXPECT_EQ(start_ns, times->start_ns[command]);
	EXPECT(end_ns >= times->end_ns[command]);
	times->end_ns[command] = end_ns;
	times->calls++;
}

static const struct eng_device_ops rig_ops = {
	.done = rig_done,
	.progress = rig_progress,
	.timed = rig_timed,
};

static const struct eng_device_ops polled_ops = {};

struct rig rig_make(struct rig_options options)
{
	struct eng_device_config config = {
		.name = "test",
		.ops = options.polled ? &polled_ops : &rig_ops,
		.limits = options.limits ? *options.limits : default_limits,
		.workers = options.workers,
		.hold = options.hold,
	};
	struct rig rig;

	REQUIRE(!eng_device_create(&config, &rig.device));
	REQUIRE(!eng_context_create(rig.device, 0, &rig.context));
	REQUIRE(!eng_queue_create(rig.context, 0, &rig.queue));
	return rig;
}

void rig_free(struct rig *rig)
{
	eng_device_stop(rig->device);
	eng_device_free(rig->device);
}

struct eng_device_stats rig_stats(struct rig *rig)
{
	struct eng_device_stats stats;

	eng_device_stats(rig->device, &stats);
	return stats;
}

struct area area_make(struct eng_context *context, u64 bytes, u32 usage)
{
	struct area area = { .memory = calloc(1, bytes), .bytes = bytes };
	struct eng_buffer_desc desc = {
		.bytes = bytes,
		.alignment = 8,
		.domain = VIRTIO_ACCEL_DOMAIN_SHARED,
		.usage = usage,
		.memory = area.memory,
	};

	REQUIRE(area.memory);
	REQUIRE(!eng_buffer_create(context, &desc, &area.buffer));
	return area;
}

/* The memory only: the buffer goes with its device, or went before. */
void area_free(struct area *area)
{
	free(area->memory);
}

bool area_is(const struct area *area, u8 value)
{
	u64 i;

	for (i = 0; i < area->bytes; i++) {
		if (area->memory[i] != value)
			return false;
	}
	return true;
}

struct eng_image *image_make(struct eng_context *context, u8 op, u32 first,
			     u32 second, u8 operand)
{
	struct vacc_ref_artifact artifact = ref_artifact(op, first, second,
							 operand);
	struct eng_load load = ref_load(&artifact);
	struct eng_image *image;

	REQUIRE(!eng_image_load(context, &load, &image, NULL));
	return image;
}

struct eng_image *image_load(struct eng_context *context, struct eng_load load)
{
	struct eng_image *image;

	REQUIRE(!eng_image_load(context, &load, &image, NULL));
	free((void *)load.payload);
	return image;
}

void job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	sem_init(&job->reached, 0, 0);
	sem_init(&job->go_on, 0, 0);
}

/* From now on each step waits for a post of go_on. */
void job_gate(struct job *job)
{
	__atomic_store_n(&job->gated, true, __ATOMIC_SEQ_CST);
}

/* No step waits any more. */
void job_open(struct job *job)
{
	__atomic_store_n(&job->gated, false, __ATOMIC_SEQ_CST);
	sem_post(&job->go_on);
}

void job_fini(struct job *job)
{
	free(job->event);
	sem_destroy(&job->go_on);
	sem_destroy(&job->reached);
}

u16 job_prepare(struct job *job, struct eng_queue *queue,
		struct eng_image *image, const struct eng_bind *binds, u32 count)
{
	struct eng_submission work = {
		.queue = queue,
		.image = image,
		.bindings = binds,
		.binding_count = count,
		.tag = job->tag,
		.process = 42,
		.timeout_ns = job->timeout_ns,
		.timed = job->timed,
		.owner = job,
	};
	struct eng_reason reason = {};
	size_t bytes = eng_event_bytes(image, count);
	u16 status;

	job->event = malloc(bytes);
	REQUIRE(job->event);
	memset(job->event, 0xa5, bytes);
	status = eng_event_prepare(job->event, &work, &reason);
	if (status) {
		EXPECT(status == VIRTIO_ACCEL_S_OUT_OF_MEMORY || reason.text);
		free(job->event);
		job->event = NULL;
	}
	return status;
}

u16 job_submit(struct job *job, struct eng_queue *queue,
	       struct eng_image *image, const struct eng_bind *binds, u32 count)
{
	u16 status = job_prepare(job, queue, image, binds, count);

	return status ?: eng_event_admit(job->event, job->here);
}

u16 job_submit_area(struct job *job, struct eng_queue *queue,
		    struct eng_image *image, struct area *area, u8 access)
{
	struct eng_bind bind = bind_of(area, 0, access);

	return job_submit(job, queue, image, &bind, 1);
}

bool job_ended(struct job *job)
{
	bool yes;

	pthread_mutex_lock(&lock);
	yes = job->ends;
	pthread_mutex_unlock(&lock);
	return yes;
}

void job_wait(struct job *job)
{
	pthread_mutex_lock(&lock);
	while (!job->ends)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
}

void job_expect(struct job *job, u32 state, u16 status, const char *file,
		int line)
{
	job_wait(job);
	test_equal(job->state, state, file, line, "state");
	test_equal(job->status, status, file, line, "status");
	test_equal(job->ends, 1, file, line, "ends");
}

struct eng_bind bind_of(struct area *area, u32 slot, u8 access)
{
	return (struct eng_bind){
		.buffer = area->buffer,
		.bytes = area->bytes,
		.slot = slot,
		.access = access,
	};
}

void linear_alone(const struct eng_linear *linear)
{
	struct eng_linear_cursor cursor = {};
	void *work = malloc(eng_linear_work_bytes());

	REQUIRE(work);
	while (!eng_linear_done(linear, &cursor))
		eng_linear_step(linear, &cursor, work, U64_MAX);
	free(work);
}
