// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the virtio backend whose requests have an ID that is known.
 */
#include <linux/bvec.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "test_vio_act.h"

/* A rig whose driver is bound, on chains of some length. */
struct vio_act *act_make(struct kunit *test, u32 chain,
			 const struct vio_args *args)
{
	struct vio_act *act = kunit_kzalloc(test, sizeof(*act), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, act);
	test->priv = vio_rig_make(test);
	act->rig = test->priv;
	act->args = args;
	act->rig->config.max_chain_descriptors = cpu_to_le16(chain);
	KUNIT_ASSERT_EQ(test, vio_rig_probe(act->rig), 0);
	act->session = vio_session(act->rig);
	vio_rig_forget(act->rig);
	return act;
}

/* The next request has the ID of the vectors, or one that comes so much earlier. */
static void act_arm(struct vio_act *act, u32 earlier)
{
	act->session->next_id = (act->args->id >> 32) - earlier;
	vio_tag = lower_32_bits(act->args->id);
}

static void *act_object(struct vio_act *act, u64 id)
{
	struct vacc_object *object = vacc_session_object(act->session);

	KUNIT_ASSERT_NOT_NULL(act->rig->test, object);
	object->id = id;
	return object;
}

static void act_result(struct vio_act *act, struct vacc_result result)
{
	act->status = result.status;
	act->outcome = result.outcome;
}

static void act_transfer(struct vio_act *act, bool write)
{
	void *buffer = act_object(act, act->args->buffer);
	u32 bytes = act->args->bytes;
	unsigned long page = get_zeroed_page(GFP_KERNEL);
	struct iov_iter iter;
	struct bio_vec bvec;

	KUNIT_ASSERT_NE(act->rig->test, page, 0UL);
	if (write)
		memcpy((void *)page, act->args->data, bytes);
	bvec_set_page(&bvec, virt_to_page((void *)page), bytes, 0);
	iov_iter_bvec(&iter, write ? ITER_SOURCE : ITER_DEST, &bvec, 1, bytes);
	act_arm(act, 0);
	if (write)
		act->status = vacc_vio_ops.buffer_write(act->session, buffer,
							act->args->offset, &iter);
	else
		act->status = vacc_vio_ops.buffer_read(act->session, buffer,
						       act->args->offset, &iter);
	memcpy(act->data, (void *)page, bytes);
	free_page(page);
}

static void act_load(struct vio_act *act)
{
	struct vacc_load load = act->args->load;
	void *context = act_object(act, act->args->context);

	load.payload = act->args->artifact;
	act_arm(act, 0);
	act->status = vacc_vio_ops.program_load(act->session, context, &load,
						&act->object);
}

static void act_submit(struct vio_act *act, u32 earlier)
{
	const struct vio_args *args = act->args;
	struct vacc_bind binds[ARRAY_SIZE(args->binds)];
	struct vacc_submission work = {
		.queue = act_object(act, args->queue),
		.program = act_object(act, args->program),
		.bindings = binds,
		.binding_count = args->bind_count,
		.timeout_ns = args->timeout_ns,
		.event = (struct vacc_event *)&act->event,
	};
	u32 i;

	memcpy(binds, args->binds, sizeof(binds));
	for (i = 0; i < args->bind_count; i++)
		binds[i].buffer = act_object(act, args->buffer);
	act->event.handle = lower_32_bits(args->id);
	/* The polls that follow are the test's to answer. */
	act->rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	act_arm(act, earlier);
	act->status = vacc_vio_ops.event_prepare(act->session, &work);
	KUNIT_ASSERT_EQ(act->rig->test, act->status, 0);
	act_result(act, vacc_vio_ops.event_submit(act->session, work.event));
}

/* An event of the vectors' ID, and its first poll, which has the vectors' ID too. */
void act_event(struct vio_act *act)
{
	struct virtio_accel_object object = { cpu_to_le64(act->args->event) };
	struct vio_rig *rig = act->rig;
	struct vio_bytes accepted;

	vio_put(&accepted, 0, act->args->id - (1ULL << 32), &object,
		sizeof(object));
	vio_answer(rig, VIRTIO_ACCEL_OP_SUBMIT, &accepted);
	act_submit(act, 1);
	KUNIT_ASSERT_EQ(rig->test, act->outcome, VACC_OUTCOME_DONE);
	KUNIT_ASSERT_TRUE(rig->test, rig->holding);
}

void act_cancel(struct vio_act *act)
{
	act_arm(act, 0);
	act_result(act, vacc_vio_ops.event_cancel(act->session,
						  (struct vacc_event *)&act->event));
}

void act_destroy_event(struct vio_act *act)
{
	struct virtio_accel_event_state state = {
		.state = cpu_to_le16(VIRTIO_ACCEL_EVENT_COMPLETE),
	};
	struct vio_bytes complete;

	vio_put(&complete, 0, act->args->id, &state, sizeof(state));
	vio_release(act->rig, &complete);
	KUNIT_EXPECT_EQ(act->rig->test, act->event.done, 1U);
	act_arm(act, 0);
	vacc_vio_ops.event_destroy(act->session,
				   (struct vacc_event *)&act->event);
	KUNIT_EXPECT_NULL(act->rig->test, act->event.priv);
}

static void act_create(struct vio_act *act, u16 opcode)
{
	const struct vacc_backend_ops *ops = &vacc_vio_ops;
	void *context = act_object(act, act->args->context);

	act_arm(act, 0);
	if (opcode == VIRTIO_ACCEL_OP_CREATE_CONTEXT)
		act->status = ops->context_create(act->session, &act->object);
	else if (opcode == VIRTIO_ACCEL_OP_ALLOCATE_BUFFER)
		act->status = ops->buffer_create(act->session, context,
						 &act->args->desc, &act->object);
	else
		act->status = ops->queue_create(act->session, context,
						&act->object);
}

static void act_destroy(struct vio_act *act, u64 id,
			struct vacc_result (*destroy)(void *priv, void *object))
{
	void *object = act_object(act, id);

	act_arm(act, 0);
	act_result(act, destroy(act->session, object));
}

void act_do(struct vio_act *act, u16 opcode)
{
	const struct vacc_backend_ops *ops = &vacc_vio_ops;
	const struct vio_args *args = act->args;

	switch (opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		act_arm(act, 0);
		act->status = vio_ask_info(act->session, &act->wire);
		break;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		act_create(act, opcode);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
		act_destroy(act, args->context, ops->context_destroy);
		break;
	case VIRTIO_ACCEL_OP_FREE_BUFFER:
		act_destroy(act, args->buffer, ops->buffer_destroy);
		break;
	case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
		act_destroy(act, args->program, ops->program_unload);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
		act_destroy(act, args->queue, ops->queue_destroy);
		break;
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		act_transfer(act, opcode == VIRTIO_ACCEL_OP_WRITE_BUFFER);
		break;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		act_load(act);
		break;
	case VIRTIO_ACCEL_OP_SUBMIT:
		act_submit(act, 0);
		break;
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		act_event(act);
		break;
	case VIRTIO_ACCEL_OP_CANCEL_EVENT:
		act_event(act);
		act_cancel(act);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_EVENT:
		act_event(act);
		act_destroy_event(act);
		break;
	default:
		KUNIT_FAIL(act->rig->test, "opcode %#x", opcode);
	}
}
