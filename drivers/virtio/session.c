// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the life of a device between two resets.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/virtio_config.h>

#include "virtio.h"

/* What a session that nobody waits in any more still has to undo at the device. */
static void vacc_session_orphan_work(struct work_struct *work);

static struct vacc_session *vacc_session_alloc(struct vacc_vio *vio)
{
	struct vacc_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return NULL;
	session->vio = vio;
	session->vdev = vio->vdev;
	session->next_id = 1;
	spin_lock_init(&session->lock);
	INIT_LIST_HEAD(&session->inflight);
	INIT_LIST_HEAD(&session->unsent);
	INIT_LIST_HEAD(&session->turns);
	INIT_LIST_HEAD(&session->objects);
	INIT_LIST_HEAD(&session->events);
	INIT_LIST_HEAD(&session->orphans);
	init_waitqueue_head(&session->room);
	INIT_WORK(&session->orphan_work, vacc_session_orphan_work);
	vacc_ring_watch_init(session);
	vacc_poll_init(session);
	vacc_doubt_init(session);
	return session;
}

/**
 * vacc_session_object() - make a handle
 * @session: the session
 *
 * Context: may sleep.
 * Return: the handle, without an ID yet, or NULL.
 */
struct vacc_object *vacc_session_object(struct vacc_session *session)
{
	struct vacc_object *object = kzalloc(sizeof(*object),
					     GFP_KERNEL_ACCOUNT);

	if (!object)
		return NULL;
	spin_lock_irq(&session->lock);
	list_add(&object->node, &session->objects);
	spin_unlock_irq(&session->lock);
	return object;
}

/**
 * vacc_session_forget() - free a handle
 * @session: the session
 * @object: the handle
 *
 * Context: may sleep.
 */
void vacc_session_forget(struct vacc_session *session,
			 struct vacc_object *object)
{
	spin_lock_irq(&session->lock);
	list_del(&object->node);
	spin_unlock_irq(&session->lock);
	kfree(object);
}

/* The core does not destroy one by one what an unplugged device had. */
static void vacc_session_free(struct vacc_session *session)
{
	struct vacc_object *object, *next;

	list_for_each_entry_safe(object, next, &session->objects, node)
		kfree(object);
	kfree(session);
}

/**
 * vacc_session_fail() - have a device reset that cannot be trusted any more
 * @session: the session
 *
 * Context: any, under no lock of the session.
 */
void vacc_session_fail(struct vacc_session *session)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&session->lock, flags);
	first = !session->failed && !session->dying;
	session->failed = true;
	spin_unlock_irqrestore(&session->lock, flags);
	if (first)
		vacc_vio_schedule_reset(session->vio);
}

/**
 * vacc_session_interrupt() - end all waiting
 * @priv: the session
 *
 * Context: may sleep.
 */
void vacc_session_interrupt(void *priv)
{
	struct vacc_session *session = priv;
	struct vacc_request *request;

	spin_lock_irq(&session->lock);
	session->dying = true;
	list_for_each_entry(request, &session->inflight, node)
		complete_all(&request->done);
	spin_unlock_irq(&session->lock);
	wake_up_all(&session->room);
}

static void vacc_session_lose_list(struct list_head *requests)
{
	struct vacc_request *request;

	while (!list_empty(requests)) {
		request = list_first_entry(requests, struct vacc_request, node);
		list_del_init(&request->node);
		vacc_request_lose(request);
	}
}

/* Takes the ring away; what it had can be touched by nobody else afterwards. */
static void vacc_session_close_ring(struct vacc_session *session)
{
	struct virtqueue *vq = session->vq;
	LIST_HEAD(lost);

	if (!vq)
		return;
	virtio_break_device(session->vdev);
	virtio_reset_device(session->vdev);
	spin_lock_irq(&session->lock);
	while (virtqueue_detach_unused_buf(vq))
		;
	list_splice_init(&session->inflight, &lost);
	session->vq = NULL;
	spin_unlock_irq(&session->lock);
	/* Some transports stop only here, and only here callbacks are over. */
	session->vdev->config->del_vqs(session->vdev);
	vacc_session_lose_list(&lost);
}

/**
 * vacc_session_stop() - stop the device
 * @priv: the session, which was interrupted
 *
 * Break, reset, detach, delete the queue; only then memory is let go.
 *
 * Context: may sleep.
 */
void vacc_session_stop(void *priv)
{
	struct vacc_session *session = priv;

	vacc_poll_stop(session);
	vacc_ring_watch_stop(session);
	vacc_doubt_stop(session);
	cancel_work_sync(&session->orphan_work);
	vacc_session_close_ring(session);
	/* Answers that were under way may have left some more. */
	cancel_work_sync(&session->orphan_work);
	vacc_vio_events_lose(session);
}

/* What a request that nobody waits for has made at the device goes again. */
static u16 vacc_session_undo_opcode(u16 opcode)
{
	switch (opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		return VIRTIO_ACCEL_OP_DESTROY_CONTEXT;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		return VIRTIO_ACCEL_OP_FREE_BUFFER;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		return VIRTIO_ACCEL_OP_UNLOAD_PROGRAM;
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		return VIRTIO_ACCEL_OP_DESTROY_QUEUE;
	default:
		return 0;
	}
}

static void vacc_session_undo(struct vacc_request *request)
{
	u16 opcode = vacc_session_undo_opcode(request->opcode);
	struct virtio_accel_object object;

	if (!opcode || request->status != VIRTIO_ACCEL_S_OK)
		return;
	memcpy(&object, vacc_request_payload(request), sizeof(object));
	vacc_vio_destroy(request->session, opcode, le64_to_cpu(object.id));
}

static struct vacc_request *vacc_session_orphan(struct vacc_session *session)
{
	struct vacc_request *request;

	spin_lock_irq(&session->lock);
	request = list_first_entry_or_null(&session->orphans,
					   struct vacc_request, node);
	if (request)
		list_del_init(&request->node);
	spin_unlock_irq(&session->lock);
	return request;
}

static void vacc_session_orphan_work(struct work_struct *work)
{
	struct vacc_session *session = container_of(work, struct vacc_session,
						    orphan_work);
	struct vacc_request *request;

	while ((request = vacc_session_orphan(session))) {
		if (!READ_ONCE(session->dying))
			vacc_session_undo(request);
		vacc_request_put(request);
	}
}

/* What is left on the list when the session ends needs no undoing, only freeing. */
static void vacc_session_drop_orphans(struct vacc_session *session)
{
	struct vacc_request *request;

	while ((request = vacc_session_orphan(session)))
		vacc_request_put(request);
}

static int vacc_session_open_ring(struct vacc_session *session)
{
	const struct vacc_vio_config *config = &session->vio->config;
	struct virtqueue *vq;
	u32 size;

	vq = virtio_find_single_vq(session->vdev, vacc_ring_callback,
				   "command");
	if (IS_ERR(vq))
		return PTR_ERR(vq);
	size = virtqueue_get_vring_size(vq);
	if (config->max_chain > size) {
		dev_err(&session->vdev->dev,
			"wants chains of %u descriptors on a ring of %u\n",
			config->max_chain, size);
		session->vdev->config->del_vqs(session->vdev);
		return -EINVAL;
	}
	session->reserve = size < 2 * VACC_VIO_RESERVE ? 0 : VACC_VIO_RESERVE;
	session->chain = min(config->max_chain, size - session->reserve);
	spin_lock_irq(&session->lock);
	session->vq = vq;
	spin_unlock_irq(&session->lock);
	virtio_device_ready(session->vdev);
	return 0;
}

static u16 vacc_session_ask_info(struct vacc_session *session,
				 struct virtio_accel_device_info *wire)
{
	struct vacc_request *request;
	u16 status;

	request = vacc_request_alloc(session, VIRTIO_ACCEL_OP_GET_DEVICE_INFO,
				     NULL, 0, sizeof(*wire), GFP_KERNEL);
	if (!request)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_request_call(request);
	if (status == VIRTIO_ACCEL_S_OK)
		memcpy(wire, vacc_request_payload(request), sizeof(*wire));
	vacc_request_put(request);
	return status;
}

/* What fits one frame, whatever the device's own limits. */
static void vacc_session_limits(struct vacc_session *session)
{
	const struct vacc_vio_config *config = &session->vio->config;
	struct vacc_backend_info *info = &session->info;
	const u32 header = sizeof(struct virtio_accel_req_hdr);
	u64 pages = vacc_session_linear(session) ?
		    VACC_VIO_LINEAR_BYTES :
		    (u64)(session->chain - 2) * PAGE_SIZE;
	u64 bytes;

	bytes = config->max_request - header -
		min_t(u32, sizeof(struct virtio_accel_load_program),
		      config->max_request - header);
	info->effective_artifact_bytes = min3(info->max_artifact_bytes, bytes,
					      pages);
	bytes = config->max_request - header - sizeof(struct virtio_accel_submit);
	bytes = min(bytes, pages);
	info->effective_bindings =
		min_t(u64, info->max_bindings,
		      bytes / sizeof(struct virtio_accel_binding));
}

static int vacc_session_get_info(struct vacc_session *session)
{
	struct vacc_backend_info *info = &session->info;
	struct virtio_accel_device_info wire;
	int err = -EIO;

	if (vacc_session_ask_info(session, &wire) == VIRTIO_ACCEL_S_OK)
		err = vacc_vio_decode_info(&wire, info);
	if (err) {
		dev_err(&session->vdev->dev,
			"does not say what it is, or not what protocol 1.0 allows\n");
		return err;
	}
	vacc_session_limits(session);
	info->kind = VACC_BACKEND_VIRTIO;
	info->binding_offset_align = 1;
	info->poll_latency_max_us = 1000;
	info->command_timeout_ms = vacc_vio_command_timeout_ms();
	info->hang_limit_ms = vacc_vio_hang_limit_ms();
	return 0;
}

static int vacc_session_register(struct vacc_session *session)
{
	struct device *parent = &session->vdev->dev;
	struct vacc_device *dev;

	dev = vacc_device_register(parent, dev_name(parent), &session->info,
				   &vacc_vio_ops, session);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	session->dev = dev;
	return 0;
}

/**
 * vacc_session_begin() - bring a device up and register it
 * @vio: the device, whose features are negotiated and that has no session
 *
 * Context: may sleep; the caller holds @vio->lock.
 * Return: 0; -EIO or -EINVAL where the device is not as it should be; -ENOMEM; or what
 * the transport says.
 */
int vacc_session_begin(struct vacc_vio *vio)
{
	struct vacc_session *session = vacc_session_alloc(vio);
	int err;

	lockdep_assert_held(&vio->lock);
	if (!session)
		return -ENOMEM;
	/* The callback finds it here. */
	vio->session = session;
	err = vacc_session_open_ring(session);
	if (err)
		goto err_free;
	err = vacc_session_get_info(session);
	if (!err)
		err = vacc_session_register(session);
	if (!err)
		return 0;
	vacc_session_interrupt(session);
	vacc_session_stop(session);
	vacc_session_drop_orphans(session);
err_free:
	vio->session = NULL;
	vacc_session_free(session);
	return err;
}

/**
 * vacc_session_end() - take a device down
 * @vio: the device
 * @lost: it is to be reset, not gone
 *
 * Context: may sleep; the caller holds @vio->lock.
 */
void vacc_session_end(struct vacc_vio *vio, bool lost)
{
	struct vacc_session *session = vio->session;

	lockdep_assert_held(&vio->lock);
	if (!session)
		return;
	if (lost)
		vacc_device_lose(session->dev);
	else
		vacc_device_unregister(session->dev);
	vio->session = NULL;
	vacc_session_drop_orphans(session);
	vacc_session_free(session);
}
