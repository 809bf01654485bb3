// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for room on the ring: for as long as the device goes on, and in order.
 */
#include <linux/delay.h>
#include <linux/workqueue.h>

#include "rig.h"
#include "test_vio_rig.h"

#define RING_TIMEOUT_MS	100
#define RING_OBJECT	5

/**
 * struct ring_caller - somebody who waits for room
 * @work: the call, in a task of its own
 * @session: where
 * @destroy: a queue's destruction, else the creation of a context
 * @status: what came of it
 * @ended: whether it has
 */
struct ring_caller {
	struct work_struct work;
	struct vacc_session *session;
	bool destroy;
	u16 status;
	bool ended;
};

static void ring_call(struct work_struct *work)
{
	struct ring_caller *caller = container_of(work, struct ring_caller, work);
	void *context;

	caller->status = caller->destroy ?
		vacc_vio_destroy(caller->session, VIRTIO_ACCEL_OP_DESTROY_QUEUE,
				 RING_OBJECT) :
		vacc_vio_ops.context_create(caller->session, &context);
	WRITE_ONCE(caller->ended, true);
}

static u32 ring_waiting(struct vacc_session *session)
{
	struct list_head *at;
	u32 count = 0;

	spin_lock_irq(&session->lock);
	list_for_each(at, &session->turns)
		count++;
	spin_unlock_irq(&session->lock);
	return count;
}

/* Begins a call, and waits until it waits. */
static void ring_begin(struct kunit *test, struct ring_caller *caller,
		       struct vacc_session *session, bool destroy)
{
	u32 before = ring_waiting(session);
	int tries;

	*caller = (struct ring_caller){ .session = session, .destroy = destroy };
	INIT_WORK_ONSTACK(&caller->work, ring_call);
	queue_work(system_unbound_wq, &caller->work);
	for (tries = 0; tries < 2000 && ring_waiting(session) == before; tries++)
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(test, ring_waiting(session), before + 1);
}

static void ring_end(struct ring_caller *caller)
{
	flush_work(&caller->work);
	destroy_work_on_stack(&caller->work);
}

static struct vacc_session *ring_probe(struct kunit *test, u32 ring)
{
	struct vio_rig *rig = vio_rig_make(test);

	test->priv = rig;
	rig->ring = ring;
	rig->config.max_chain_descriptors = cpu_to_le16(4);
	KUNIT_ASSERT_EQ(test, vio_rig_probe(rig), 0);
	vio_rig_forget(rig);
	return vio_session(rig);
}

/* The caller's reference is what it lives by until it is sent. */
static struct vacc_request *ring_post(struct kunit *test, struct vacc_session *session)
{
	struct virtio_accel_object object = { cpu_to_le64(RING_OBJECT) };
	struct vacc_request *request;

	request = vacc_request_alloc(session, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, &object,
				     sizeof(object), 0, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, request);
	vacc_ring_post(request);
	return request;
}

/* A ring that takes one frame at a time, and the device keeps one. */
static struct vacc_session *ring_make(struct kunit *test, u32 timeout_ms)
{
	struct vacc_session *session = ring_probe(test, 4);
	struct vio_rig *rig = test->priv;

	vio_command_timeout(timeout_ms);
	rig->hold = VIRTIO_ACCEL_OP_DESTROY_CONTEXT;
	vacc_request_put(ring_post(test, session));
	KUNIT_ASSERT_TRUE(test, rig->holding);
	return session;
}

static void ring_exit(struct kunit *test)
{
	if (test->priv)
		vio_rig_free(test->priv);
	vio_command_timeout(10000);
}

/* Others get answers meanwhile: it is no fault of the device that this one gets no room. */
static void ring_goes_on(struct kunit *test)
{
	struct vacc_session *session = ring_make(test, 10 * RING_TIMEOUT_MS);
	struct ring_caller caller;
	int i;

	/* For longer than the timeout, with pauses that are far from it. */
	mutex_lock(&session->vio->lock);
	ring_begin(test, &caller, session, false);
	for (i = 0; i < 15; i++) {
		msleep(RING_TIMEOUT_MS);
		spin_lock_irq(&session->lock);
		session->returned++;
		spin_unlock_irq(&session->lock);
	}
	KUNIT_EXPECT_FALSE(test, READ_ONCE(session->failed));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(caller.ended));
	vio_release(test->priv, NULL);
	ring_end(&caller);
	KUNIT_EXPECT_EQ(test, caller.status, (u16)VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, ring_waiting(session), 0U);
	mutex_unlock(&session->vio->lock);
}

static void ring_stands_still(struct kunit *test)
{
	struct vacc_session *session = ring_make(test, 10 * RING_TIMEOUT_MS);
	struct vacc_vio *vio = session->vio;
	struct ring_caller caller;

	/* Calls keep the device from going; here it is its own lock. */
	mutex_lock(&vio->lock);
	ring_begin(test, &caller, session, false);
	ring_end(&caller);
	mutex_unlock(&vio->lock);
	KUNIT_EXPECT_EQ(test, caller.status, (u16)VIRTIO_ACCEL_S_DEVICE_LOST);
	rig_flush();
	KUNIT_EXPECT_EQ(test, vio->resets, 1U);
}

/* Who came first is first, whoever is woken first; nobody who comes later is before. */
static void ring_in_turn(struct kunit *test)
{
	struct vacc_session *session = ring_make(test, 10000);
	struct vio_rig *rig = test->priv;
	struct ring_caller callers[3];
	int i;

	for (i = 0; i < 3; i++)
		ring_begin(test, &callers[i], session, i == 1);
	vio_rig_forget(rig);
	vio_release(rig, NULL);
	for (i = 0; i < 3; i++) {
		ring_end(&callers[i]);
		KUNIT_EXPECT_EQ(test, callers[i].status, (u16)VIRTIO_ACCEL_S_OK);
	}
	KUNIT_ASSERT_EQ(test, rig->frame_count, 3U);
	KUNIT_EXPECT_EQ(test, rig->frames[0].opcode, (u16)VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	KUNIT_EXPECT_EQ(test, rig->frames[1].opcode, (u16)VIRTIO_ACCEL_OP_DESTROY_QUEUE);
	KUNIT_EXPECT_EQ(test, rig->frames[2].opcode, (u16)VIRTIO_ACCEL_OP_CREATE_CONTEXT);
}

/* A frame that cannot be mapped fails alone. */
static void ring_unmapped_call(struct kunit *test)
{
	struct vacc_session *session = ring_probe(test, VIO_RING);
	struct vio_rig *rig = test->priv;
	void *context;

	vio_unmappable = 1;
	KUNIT_EXPECT_EQ(test, vacc_vio_ops.context_create(session, &context),
			(u16)VIRTIO_ACCEL_S_OUT_OF_MEMORY);
	KUNIT_EXPECT_EQ(test, rig->frame_count, 0U);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(session->failed));
	KUNIT_EXPECT_EQ(test, vacc_vio_ops.context_create(session, &context),
			(u16)VIRTIO_ACCEL_S_OK);
	vacc_vio_ops.context_destroy(session, context);
}

/* Where others are under way it waits for their answers, which give memory back. */
static void ring_unmapped_beside_others(struct kunit *test)
{
	struct vacc_session *session = ring_probe(test, VIO_RING);
	struct vio_rig *rig = test->priv;
	struct ring_caller caller;

	rig->hold = VIRTIO_ACCEL_OP_DESTROY_CONTEXT;
	vacc_request_put(ring_post(test, session));
	vio_unmappable = U32_MAX;
	ring_begin(test, &caller, session, false);
	vio_unmappable = 0;
	vio_release(rig, NULL);
	ring_end(&caller);
	KUNIT_EXPECT_EQ(test, caller.status, (u16)VIRTIO_ACCEL_S_OK);
}

/* Nobody waits for what was posted, and the device has nothing to return: tried again. */
static void ring_unmapped_post(struct kunit *test)
{
	struct vacc_session *session = ring_probe(test, VIO_RING);
	struct vio_rig *rig = test->priv;
	struct vacc_request *request;
	int tries;

	vio_unmappable = 3;
	request = ring_post(test, session);
	KUNIT_EXPECT_FALSE(test, list_empty(&session->unsent));
	for (tries = 0; tries < 2000 && !READ_ONCE(rig->frame_count); tries++)
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(test, rig->frame_count, 1U);
	KUNIT_EXPECT_TRUE(test, list_empty(&session->unsent));
	KUNIT_EXPECT_EQ(test, vio_unmappable, 0U);
	vacc_request_put(request);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_goes_on),
	KUNIT_CASE(ring_stands_still),
	KUNIT_CASE(ring_in_turn),
	KUNIT_CASE(ring_unmapped_call),
	KUNIT_CASE(ring_unmapped_beside_others),
	KUNIT_CASE(ring_unmapped_post),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "virtio_accel_vio_ring",
	.exit = ring_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
