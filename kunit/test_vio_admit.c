// SPDX-License-Identifier: GPL-2.0
/*
 * What the virtio driver does where nobody waits: submissions that are admitted, and
 * events that are aborted.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "rig.h"
#include "test_vio_rig.h"

#define ADMIT_TIMEOUT_NS	NSEC_PER_SEC
#define ADMIT_EVENT		77

/**
 * struct admit - a test's session and what is submitted there
 * @rig: the device
 * @session: the driver's
 * @any: stands for queue, program and buffer
 */
struct admit {
	struct vio_rig *rig;
	struct vacc_session *session;
	struct vacc_object *any;
};

static void admit_make(struct kunit *test, struct admit *admit, u32 ring)
{
	admit->rig = vio_rig_make(test);
	test->priv = admit->rig;
	admit->rig->ring = ring;
	admit->rig->config.max_chain_descriptors = cpu_to_le16(4);
	KUNIT_ASSERT_EQ(test, vio_rig_probe(admit->rig), 0);
	admit->session = vio_session(admit->rig);
	admit->any = vacc_session_object(admit->session);
	KUNIT_ASSERT_NOT_NULL(test, admit->any);
	admit->any->id = 1;
	vio_rig_forget(admit->rig);
}

static void admit_exit(struct kunit *test)
{
	if (test->priv)
		vio_rig_free(test->priv);
	vio_command_timeout(10000);
}

static struct vacc_event *admit_event(struct vio_event *event)
{
	return (struct vacc_event *)event;
}

static void admit_prepare(struct admit *admit, struct vio_event *event)
{
	struct vacc_bind bind = { .buffer = admit->any, .bytes = 1, .access = 1 };
	struct vacc_submission work = {
		.queue = admit->any,
		.program = admit->any,
		.bindings = &bind,
		.binding_count = 1,
		.timeout_ns = ADMIT_TIMEOUT_NS,
		.event = admit_event(event),
	};

	KUNIT_ASSERT_EQ(admit->rig->test,
			vacc_vio_ops.event_prepare(admit->session, &work), 0);
	KUNIT_EXPECT_EQ(admit->rig->test, admit->rig->frame_count, 0U);
}

static void admit_go(struct admit *admit, struct vio_event *event)
{
	vacc_vio_ops.event_admit(admit->session, admit_event(event));
}

/* How the next SUBMIT, of an event without a handle, is answered. */
static void admit_answer(struct admit *admit, u16 status, u64 id, u32 payload)
{
	u64 request = (u64)admit->session->next_id << 32;
	struct virtio_accel_object object = { cpu_to_le64(id) };
	struct vio_bytes bytes;

	vio_put(&bytes, status, request, &object, payload);
	vio_answer(admit->rig, VIRTIO_ACCEL_OP_SUBMIT, &bytes);
}

static u32 admit_frames(struct admit *admit, u16 opcode)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < admit->rig->frame_count; i++)
		count += admit->rig->frames[i].opcode == opcode;
	return count;
}

/* The device is told what is left of the timeout; the answer begins the polls. */
static void admit_accepted(struct kunit *test)
{
	const struct virtio_accel_submit *payload;
	struct vio_event event = {};
	const struct vio_frame *frame;
	struct admit admit;
	u64 told;

	admit_make(test, &admit, VIO_RING);
	admit.rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	admit_prepare(&admit, &event);
	KUNIT_EXPECT_EQ(test, admit.session->pending, 0U);
	msleep(30);
	admit_answer(&admit, 0, ADMIT_EVENT, 8);
	admit_go(&admit, &event);
	frame = vio_rig_frame(admit.rig, VIRTIO_ACCEL_OP_SUBMIT);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	payload = (const void *)frame->request.data +
		  sizeof(struct virtio_accel_req_hdr);
	told = le64_to_cpu(payload->timeout_ns);
	KUNIT_EXPECT_LE(test, told, ADMIT_TIMEOUT_NS - 30 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GT(test, told, 0ULL);
	KUNIT_EXPECT_EQ(test, event.done, 0U);
	KUNIT_EXPECT_EQ(test, event.indeterminate, 0U);
	KUNIT_EXPECT_EQ(test, admit.session->pending, 1U);
	KUNIT_EXPECT_TRUE(test, admit.rig->holding);
}

/* With no time left there is still a bound, as none is infinite. */
static void admit_late(struct kunit *test)
{
	const struct virtio_accel_submit *payload;
	struct vio_event event = {};
	const struct vio_frame *frame;
	struct admit admit;

	admit_make(test, &admit, VIO_RING);
	admit.rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	admit_prepare(&admit, &event);
	msleep(ADMIT_TIMEOUT_NS / NSEC_PER_MSEC + 20);
	admit_go(&admit, &event);
	frame = vio_rig_frame(admit.rig, VIRTIO_ACCEL_OP_SUBMIT);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	payload = (const void *)frame->request.data +
		  sizeof(struct virtio_accel_req_hdr);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(payload->timeout_ns), 1ULL);
}

/**
 * struct admit_row - an answer to what nobody waits for
 * @name: of the row
 * @status: of the answer
 * @payload: bytes of its payload
 * @id: of the event in it
 * @done: the event ends
 * @told: with which status
 * @indeterminate: nobody knows whether it was admitted
 */
struct admit_row {
	const char *name;
	u16 status;
	u32 payload;
	u64 id;
	u32 done;
	u16 told;
	u32 indeterminate;
};

#define INTERNAL	VIRTIO_ACCEL_S_INTERNAL_ERROR

static const struct admit_row admit_rows[] = {
	{ "rejected", 7, 0, 0, 1, 7, 0 },
	{ "rejected by what is unknown", 0x77, 0, 0, 1, INTERNAL, 0 },
	{ "accepted without an event", 0, 0, 0, 1, INTERNAL, 0 },
	{ "accepted with event zero", 0, 8, 0, 1, INTERNAL, 0 },
	{ "with half an event", 9, 4, 5, 1, INTERNAL, 0 },
	{ "indeterminate", 9, 8, ADMIT_EVENT, 0, 0, 1 },
	{ "indeterminate by what is unknown", 0x77, 8, ADMIT_EVENT, 0, 0, 1 },
};

KUNIT_ARRAY_PARAM_DESC(admit_row, admit_rows, name);

/* A rejection is how the event ends. */
static void admit_answers(struct kunit *test)
{
	const struct admit_row *row = test->param_value;
	struct vio_event event = {};
	struct admit admit;

	admit_make(test, &admit, VIO_RING);
	admit.rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	admit_prepare(&admit, &event);
	admit_answer(&admit, row->status, row->id, row->payload);
	admit_go(&admit, &event);
	KUNIT_EXPECT_EQ(test, event.done, row->done);
	if (row->done)
		KUNIT_EXPECT_EQ(test, event.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, event.status, row->told);
	KUNIT_EXPECT_EQ(test, event.indeterminate, row->indeterminate);
	KUNIT_EXPECT_EQ(test, admit.rig->holding, !row->done);
	KUNIT_EXPECT_EQ(test, admit.session->pending, row->done ? 0U : 1U);
	KUNIT_EXPECT_FALSE(test, admit.session->failed);
	/* And it can be done with, without a word to the device. */
	if (!row->done)
		return;
	vacc_vio_ops.event_destroy(admit.session, admit_event(&event));
	KUNIT_EXPECT_NULL(test, event.priv);
	KUNIT_EXPECT_EQ(test, admit.rig->frame_count, 1U);
}

static void admit_discarded(struct kunit *test)
{
	struct vio_event event = {};
	struct admit admit;

	admit_make(test, &admit, VIO_RING);
	admit_prepare(&admit, &event);
	KUNIT_EXPECT_NOT_NULL(test, event.priv);
	vacc_vio_ops.event_discard(admit.session, admit_event(&event));
	KUNIT_EXPECT_NULL(test, event.priv);
	KUNIT_EXPECT_EQ(test, admit.session->pending, 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&admit.session->events));
	KUNIT_EXPECT_EQ(test, admit.rig->frame_count, 0U);
}

/* Without room they wait, in order; what is aborted there is never sent. */
static void admit_without_room(struct kunit *test)
{
	struct vio_event events[3] = {};
	struct admit admit;
	int i;

	/* Three descriptors for a SUBMIT, four that it leaves, and one. */
	admit_make(test, &admit, 8);
	admit.rig->hold = VIRTIO_ACCEL_OP_SUBMIT;
	for (i = 0; i < 3; i++) {
		vio_rig_forget(admit.rig);
		admit_prepare(&admit, &events[i]);
		admit_go(&admit, &events[i]);
	}
	KUNIT_EXPECT_EQ(test, admit.rig->frame_count, 0U);
	KUNIT_EXPECT_EQ(test, admit.session->pending, 3U);
	vacc_vio_ops.event_abort(admit.session, admit_event(&events[1]));
	KUNIT_EXPECT_EQ(test, events[1].done, 1U);
	KUNIT_EXPECT_EQ(test, events[1].state, (u32)VACC_EVENT_CANCELLED);
	vacc_vio_ops.event_destroy(admit.session, admit_event(&events[1]));
	KUNIT_EXPECT_NULL(test, events[1].priv);
	/* The answer makes room, for the last one. */
	vio_release(admit.rig, NULL);
	KUNIT_EXPECT_TRUE(test, admit.rig->holding);
	KUNIT_EXPECT_EQ(test, admit_frames(&admit, VIRTIO_ACCEL_OP_SUBMIT), 1U);
	KUNIT_EXPECT_TRUE(test, list_empty(&admit.session->unsent));
	KUNIT_EXPECT_EQ(test, events[0].done + events[2].done, 0U);
}

/* What is left when the session ends is freed: the leak detector looks. */
static void admit_lost(struct kunit *test)
{
	struct vio_event events[2] = {};
	struct admit admit;
	int i;

	admit_make(test, &admit, 8);
	admit.rig->hold = VIRTIO_ACCEL_OP_SUBMIT;
	for (i = 0; i < 2; i++) {
		vio_rig_forget(admit.rig);
		admit_prepare(&admit, &events[i]);
		admit_go(&admit, &events[i]);
	}
	KUNIT_EXPECT_FALSE(test, list_empty(&admit.session->unsent));
	vio_rig_free(admit.rig);
	/* The core ends them. */
	KUNIT_EXPECT_EQ(test, events[0].done + events[1].done, 0U);
}

/* The next poll is a cancellation. */
static void admit_aborted(struct kunit *test)
{
	struct vio_event event = {};
	struct admit admit;

	admit_make(test, &admit, VIO_RING);
	admit.rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	admit_prepare(&admit, &event);
	admit_go(&admit, &event);
	KUNIT_ASSERT_TRUE(test, admit.rig->holding);
	vacc_vio_ops.event_abort(admit.session, admit_event(&event));
	KUNIT_EXPECT_EQ(test, admit_frames(&admit, VIRTIO_ACCEL_OP_CANCEL_EVENT), 0U);
	vio_release(admit.rig, NULL);
	KUNIT_EXPECT_EQ(test, admit_frames(&admit, VIRTIO_ACCEL_OP_CANCEL_EVENT), 1U);
	KUNIT_EXPECT_EQ(test, event.done, 1U);
	KUNIT_EXPECT_EQ(test, event.state, (u32)VACC_EVENT_CANCELLED);
	KUNIT_EXPECT_EQ(test, admit.session->pending, 0U);
}

/* One that has begun is polled on. */
static void admit_abort_refused(struct kunit *test)
{
	struct vio_event event = {};
	struct vio_bytes busy;
	struct admit admit;

	admit_make(test, &admit, VIO_RING);
	admit.rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	admit_prepare(&admit, &event);
	admit_go(&admit, &event);
	vacc_vio_ops.event_abort(admit.session, admit_event(&event));
	vio_put(&busy, VIRTIO_ACCEL_S_BUSY, (u64)admit.session->next_id << 32,
		NULL, 0);
	vio_answer(admit.rig, VIRTIO_ACCEL_OP_CANCEL_EVENT, &busy);
	vio_release(admit.rig, NULL);
	KUNIT_EXPECT_EQ(test, event.done, 0U);
	/* The pause before the next round is some microseconds. */
	msleep(50);
	KUNIT_EXPECT_TRUE(test, admit.rig->holding);
	KUNIT_EXPECT_EQ(test, admit_frames(&admit, VIRTIO_ACCEL_OP_CANCEL_EVENT), 1U);
	KUNIT_EXPECT_EQ(test, admit_frames(&admit, VIRTIO_ACCEL_OP_POLL_EVENT), 2U);
	KUNIT_EXPECT_FALSE(test, admit.session->failed);
}

/* Nobody waits for the answer, so nobody else finds out that there is none. */
static void admit_unanswered(struct kunit *test)
{
	struct vio_event event = {};
	struct admit admit;
	struct vacc_vio *vio;

	vio_command_timeout(200);
	admit_make(test, &admit, VIO_RING);
	vio = admit.rig->vdev.priv;
	admit.rig->hold = VIRTIO_ACCEL_OP_SUBMIT;
	admit_prepare(&admit, &event);
	admit_go(&admit, &event);
	msleep(100);
	KUNIT_EXPECT_FALSE(test, admit.session->failed);
	msleep(300);
	rig_flush();
	KUNIT_EXPECT_EQ(test, vio->resets, 1U);
	KUNIT_EXPECT_EQ(test, event.done, 0U);
}

static struct kunit_case admit_cases[] = {
	KUNIT_CASE(admit_accepted),
	KUNIT_CASE(admit_late),
	KUNIT_CASE_PARAM(admit_answers, admit_row_gen_params),
	KUNIT_CASE(admit_discarded),
	KUNIT_CASE(admit_without_room),
	KUNIT_CASE(admit_lost),
	KUNIT_CASE(admit_aborted),
	KUNIT_CASE(admit_abort_refused),
	KUNIT_CASE(admit_unanswered),
	{}
};

static struct kunit_suite admit_suite = {
	.name = "virtio_accel_vio_admit",
	.exit = admit_exit,
	.test_cases = admit_cases,
};

kunit_test_suite(admit_suite);
