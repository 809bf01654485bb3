// SPDX-License-Identifier: GPL-2.0
/* The library on a device: work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libvacc.h"
#include "test.h"

#define SLOTS	20	/* more than what the library keeps on its stack */
#define WAIT	vacc_deadline(10000000000ULL)

/**
 * struct work - what the tests share
 * @dev: device
 * @queue: queue
 * @fill: program that fills slot 0 with 0xa5
 * @buffer: buffer of 8 bytes
 */
struct work {
	struct vacc_device *dev;
	struct vacc_queue queue;
	struct vacc_program fill;
	struct vacc_buffer buffer;
};

static struct vacc_bind bind_of(const struct work *w, __u64 offset)
{
	return (struct vacc_bind) {
		.buffer = &w->buffer, .access = VIRTIO_ACCEL_ACCESS_WRITE,
		.offset = offset,
	};
}

static void test_submit(struct work *w)
{
	struct vacc_bind bind = bind_of(w, 4);
	struct vacc_submit_options options = { .user_data = 77 };
	struct vacc_event_query query;
	struct vacc_event event, other;
	char bytes[8];

	CHECK(!vacc_submit(&w->queue, &w->fill, &bind, 1, &options, &event));
	CHECK(event.handle && event.admission == VACC_ACCEPTED &&
	      event.out_fence_fd == -1);
	CHECK(!vacc_wait(w->dev, &event, WAIT));
	CHECK(event.state == VACC_EVENT_COMPLETE && !vacc_event_error(&event));
	CHECK(vacc_event_outcome(w->dev, &event) == VACC_OUTCOME_SUCCEEDED);
	CHECK(!vacc_event_query(w->dev, &event, &query) && query.user_data == 77);
	CHECK(!vacc_event_query(w->dev, &event, NULL));
	CHECK(vacc_event_cancel(&event) == -EBUSY);
	other = event;
	CHECK(!vacc_event_destroy(&event) && !event.handle);
	CHECK(vacc_event_destroy(&other) == -ENOENT);
	CHECK(vacc_wait(w->dev, &other, 0) == -ENOENT);
	/* The rest of the buffer was bound, and nothing else. */
	CHECK(!vacc_buffer_read(&w->buffer, 0, bytes, 8));
	CHECK(!memcmp(bytes, "\0\0\0\0\245\245\245\245", 8));
	bind.offset = 8;
	CHECK(vacc_submit(&w->queue, &w->fill, &bind, 1, NULL, &event) == -ERANGE);
	bind.offset = ~0ULL;
	bind.bytes = 2;
	CHECK(vacc_submit(&w->queue, &w->fill, &bind, 1, NULL, &event) == -ERANGE);
	CHECK(!event.handle);
}

static void test_submit_wait(struct work *w)
{
	struct vacc_bind bind = bind_of(w, 0);
	struct vacc_stats before, after;

	CHECK(!vacc_stats(w->dev, &before));
	CHECK(!vacc_submit_wait(&w->queue, &w->fill, &bind, 1, 0));
	CHECK(!vacc_stats(w->dev, &after));
	CHECK(after.live.events == before.live.events &&
	      after.completed >= before.completed + 1);
	bind.slot = 1;
	CHECK(vacc_submit_wait(&w->queue, &w->fill, &bind, 1, 0) == -ENOEXEC);
	bind.slot = 0;
	CHECK(vacc_submit_wait(&w->queue, &w->fill, &bind, 0, 0) == -EINVAL);
	CHECK(vacc_submit_wait(&w->queue, &w->fill, &bind,
			       VIRTIO_ACCEL_MAX_BINDINGS + 1, 0) == -EINVAL);
}

static void test_auto_destroy(struct work *w)
{
	struct vacc_submit_options options = { .flags = VACC_SUBMIT_AUTO_DESTROY };
	struct vacc_bind bind = bind_of(w, 0);
	struct vacc_queue_query query;
	struct vacc_event event;
	__u32 status = 1;

	CHECK(!vacc_submit(&w->queue, &w->fill, &bind, 1, &options, &event));
	CHECK(!vacc_queue_sync(w->dev, &w->queue, WAIT, &status) && !status);
	CHECK(vacc_event_query(w->dev, &event, NULL) == -ENOENT);
	CHECK(!vacc_queue_query(w->dev, &w->queue, &query));
	CHECK(query.state == VACC_QUEUE_READY && query.submitted == query.completed);
}

/* Many bindings and many events: more than the library has room for on its stack. */
static void test_many(struct work *w, const struct vacc_context *context)
{
	struct vacc_batch *batch = vacc_batch_new();
	struct vacc_bind binds[SLOTS];
	struct vacc_event events[SLOTS];
	struct vacc_program program;
	void *artifact = NULL;
	size_t bytes = 0;
	char out[8];
	__u32 first;

	for (__u32 i = 0; i < SLOTS; i++) {
		vacc_batch_fill(batch, i, 0, 1, i);
		binds[i] = bind_of(w, i % 8);
		binds[i].slot = i;
		binds[i].bytes = 1;
	}
	CHECK(!vacc_batch_finish(batch, &artifact, &bytes));
	vacc_batch_free(batch);
	CHECK(!vacc_program_load(context, artifact, bytes, &program));
	for (__u32 i = 0; i < SLOTS; i++)
		CHECK(!vacc_submit(&w->queue, &program, binds, SLOTS, NULL, &events[i]));
	CHECK(!vacc_wait_many(w->dev, events, SLOTS, 0, WAIT, &first) && first < SLOTS);
	CHECK(!vacc_wait_many(w->dev, events, SLOTS, VACC_WAIT_ALL, WAIT, NULL));
	for (__u32 i = 0; i < SLOTS; i++) {
		CHECK(events[i].state == VACC_EVENT_COMPLETE);
		CHECK(!vacc_event_destroy(&events[i]));
	}
	CHECK(!vacc_buffer_read(&w->buffer, 0, out, 8));
	CHECK(!memcmp(out, "\20\21\22\23\14\15\16\17", 8));
	CHECK(!vacc_program_unload(&program));
	free(artifact);
}

/* R9, R10: what is of another open of the device is foreign. */
static void test_foreign(struct work *w)
{
	struct vacc_bind bind = bind_of(w, 0);
	struct vacc_queue_query state;
	struct vacc_event_query query;
	struct vacc_device *other;
	struct vacc_context context;
	struct vacc_queue queue;
	struct vacc_event event;

	CHECK(!vacc_open(vacc_path(w->dev), &other));
	CHECK(!vacc_context_create(other, &context));
	CHECK(!vacc_queue_create(&context, &queue));
	CHECK(!vacc_submit(&w->queue, &w->fill, &bind, 1, NULL, &event));
	CHECK(!vacc_wait(w->dev, &event, WAIT));
	CHECK(vacc_event_outcome(w->dev, &event) == VACC_OUTCOME_SUCCEEDED);
	CHECK(vacc_event_outcome(other, &event) == VACC_OUTCOME_INDETERMINATE);
	CHECK(!vacc_event_query(other, &event, &query) &&
	      query.state == VACC_EVENT_PENDING &&
	      query.event_flags == VACC_EVENT_INDETERMINATE);
	CHECK(vacc_wait(other, &event, WAIT) == -ENOENT);
	CHECK(event.state == VACC_EVENT_COMPLETE);
	CHECK(!vacc_queue_query(other, &queue, &state) && state.state == VACC_QUEUE_READY);
	CHECK(!vacc_queue_query(w->dev, &queue, &state) &&
	      state.state == VACC_QUEUE_FAILED);
	CHECK(vacc_queue_sync(w->dev, &queue, WAIT, NULL) == -ENOENT);
	/* Handles are small numbers: the same ones exist in both. */
	CHECK(vacc_submit(&queue, &w->fill, &bind, 1, NULL, &event) == -ENOENT);
	CHECK(strstr(vacc_last_error(other), "another device"));
	vacc_close(other);
	CHECK(!vacc_settle(w->dev, WAIT));
	/* One that is closed stays foreign, also to one that is opened later. */
	CHECK(!vacc_open(vacc_path(w->dev), &other));
	CHECK(!vacc_queue_query(other, &queue, &state) &&
	      state.state == VACC_QUEUE_FAILED);
	vacc_close(other);
}

static void test_dense(struct work *w, const struct vacc_context *context)
{
	/* f16: 1 2 3 / 4 5 6 times 1 0 1 / 2 2 2 is 4 12 / 10 30 */
	static const __u16 in[] = { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600 };
	static const __u16 weight[] = { 0x3c00, 0, 0x3c00, 0x4000, 0x4000, 0x4000 };
	static const __u16 want[] = { 0x4400, 0x4a00, 0x4900, 0x4f80 };
	struct vacc_dense dense = vacc_dense(0, 1, 2, 100, 3, 2);
	struct vacc_batch *batch = vacc_batch_new();
	struct vacc_program program;
	struct vacc_buffer buffers[3];
	struct vacc_bind binds[3];
	void *artifact = NULL;
	size_t bytes = 0;
	__u16 out[4];

	dense.rows_slot = 0;
	vacc_batch_dense_linear(batch, &dense, 1);
	CHECK(!vacc_batch_finish(batch, &artifact, &bytes));
	vacc_batch_free(batch);
	CHECK(!vacc_program_load(context, artifact, bytes, &program));
	free(artifact);
	for (__u32 i = 0; i < 3; i++) {
		CHECK(!vacc_buffer_create(context, i < 2 ? 12 : 8, NULL, &buffers[i]));
		binds[i] = (struct vacc_bind) {
			.buffer = &buffers[i], .slot = i,
			.access = i < 2 ? VIRTIO_ACCEL_ACCESS_READ :
				  VIRTIO_ACCEL_ACCESS_WRITE,
		};
	}
	CHECK(!vacc_buffer_write(&buffers[0], 0, in, sizeof(in)));
	CHECK(!vacc_buffer_write(&buffers[1], 0, weight, sizeof(weight)));
	CHECK(!vacc_submit_wait(&w->queue, &program, binds, 3, 0));
	CHECK(!vacc_buffer_read(&buffers[2], 0, out, sizeof(out)));
	CHECK(!memcmp(out, want, sizeof(want)));
	/* Half the input is one row. */
	binds[0].bytes = 6;
	CHECK(!vacc_submit_wait(&w->queue, &program, binds, 3, 0));
	binds[0].bytes = 7;
	CHECK(vacc_submit_wait(&w->queue, &program, binds, 3, 0) == -ENOEXEC);
}

static void test_attribution(struct work *w)
{
	const struct vacc_work two[2] = { 0 };
	const struct vacc_work said = {
		.participant_start = 1, .participant_count = 2, .token_count = 3,
		.phase = 4, .node_index = 5, .batching_form = 6,
	};
	struct vacc_submit_options options = {
		.flags = VACC_SUBMIT_ATTRIBUTION | VACC_SUBMIT_TIMING,
		.work = &said, .work_count = 1,
	};
	struct vacc_bind bind = bind_of(w, 0);
	struct vacc_attribution_row row;
	struct vacc_event_query query;
	struct vacc_event event;
	__u32 count = 0;

	if (!(vacc_features(w->dev) & VACC_FEATURE_ATTRIBUTION)) {
		CHECK(vacc_submit(&w->queue, &w->fill, &bind, 1, &options, &event) ==
		      -EOPNOTSUPP);
		CHECK(!strcmp(vacc_last_error(w->dev),
			      "this device does not attribute work"));
		CHECK(!vacc_submit(&w->queue, &w->fill, &bind, 1, NULL, &event));
		CHECK(vacc_event_attribution(w->dev, &event, &row, 1, &count) ==
		      -EOPNOTSUPP);
		return;
	}
	CHECK(!vacc_submit(&w->queue, &w->fill, &bind, 1, &options, &event));
	CHECK(!vacc_wait(w->dev, &event, WAIT));
	CHECK(!vacc_event_attribution(w->dev, &event, &row, 1, &count) && count == 1);
	CHECK(!row.command && row.operation == VACC_NATIVE_FILL && row.transfers == 1);
	CHECK(!memcmp(&row.work, &said, sizeof(said)));
	CHECK(row.start_ns && row.start_ns <= row.end_ns);
	CHECK(!vacc_event_query(w->dev, &event, &query));
	CHECK(query.start_ns == row.start_ns && query.end_ns == row.end_ns);
	CHECK(!vacc_event_attribution(w->dev, &event, NULL, 0, NULL));
	event.owner++;
	CHECK(vacc_event_attribution(w->dev, &event, &row, 1, &count) == -ENOENT);
	event.owner--;
	options.work = two;
	options.work_count = 2;
	CHECK(vacc_submit(&w->queue, &w->fill, &bind, 1, &options, &event) == -EINVAL);
}

void test_device_work(struct vacc_device *dev, const struct vacc_context *context)
{
	struct vacc_ref_artifact fill;
	struct work w = { .dev = dev };

	vacc_ref_fill(&fill, 0, 0xa5);
	CHECK(!vacc_queue_create(context, &w.queue));
	CHECK(!vacc_program_load(context, &fill, sizeof(fill), &w.fill));
	CHECK(!vacc_buffer_create(context, 8, NULL, &w.buffer));
	test_submit(&w);
	test_submit_wait(&w);
	test_auto_destroy(&w);
	test_many(&w, context);
	test_foreign(&w);
	test_dense(&w, context);
	test_attribution(&w);
}
