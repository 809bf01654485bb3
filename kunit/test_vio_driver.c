// SPDX-License-Identifier: GPL-2.0
/*
 * The virtio driver, compiled once more, so that the tests reach what is static in it.
 * What it calls in the core is replaced: a test sees what would be reported.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "test_vio_rig.h"

/* Lower half of the ID of every request that has none of its own. */
u32 vio_tag;

static void *vio_event_priv(struct vacc_event *event)
{
	return &((struct vio_event *)event)->priv;
}

static u32 vio_event_handle(const struct vacc_event *event)
{
	return ((const struct vio_event *)event)->handle;
}

static void vio_event_done(struct vacc_event *event, u32 state, u16 status)
{
	struct vio_event *vio_event = (struct vio_event *)event;

	vio_event->state = state;
	vio_event->status = status;
	vio_event->done++;
}

static void vio_event_indeterminate(struct vacc_event *event)
{
	((struct vio_event *)event)->indeterminate++;
}

/* The device is its session. */
static struct vacc_device *vio_device_register(struct device *parent,
					       const char *parent_name,
					       const struct vacc_backend_info *info,
					       const struct vacc_backend_ops *ops,
					       void *priv)
{
	return priv;
}

static void vio_device_gone(struct vacc_device *dev)
{
	vacc_vio_ops.interrupt(dev);
	vacc_vio_ops.stop(dev);
}

#define vacc_event_priv		vio_event_priv
#define vacc_event_handle	vio_event_handle
#define vacc_event_done		vio_event_done
#define vacc_event_indeterminate	vio_event_indeterminate
#define vacc_device_register	vio_device_register
#define vacc_device_unregister	vio_device_gone
#define vacc_device_lose	vio_device_gone

/* Requests get an ID that a test has set. */
static struct vacc_request *vio_request_alloc(struct vacc_session *session,
					      u16 opcode, const void *payload,
					      u32 payload_bytes, u32 expected,
					      gfp_t gfp);

#define vacc_request_alloc	vio_request_alloc
#include "../drivers/virtio/request.c"
#undef vacc_request_alloc

struct vacc_request *vacc_request_alloc(struct vacc_session *session, u16 opcode,
					const void *payload, u32 payload_bytes,
					u32 expected, gfp_t gfp)
{
	struct vacc_request *request;

	request = vio_request_alloc(session, opcode, payload, payload_bytes,
				    expected, gfp);
	if (request)
		request->tag = vio_tag;
	return request;
}

/* Memory that cannot be mapped for the device, as often as this says. */
u32 vio_unmappable;

static int vio_add_sgs(struct virtqueue *vq, struct scatterlist *sgs[], unsigned int out,
		       unsigned int in, void *data, gfp_t gfp)
{
	if (!vio_unmappable)
		return virtqueue_add_sgs(vq, sgs, out, in, data, gfp);
	vio_unmappable--;
	return -ENOMEM;
}

#include "../drivers/virtio/config.c"
#define virtqueue_add_sgs	vio_add_sgs
#include "../drivers/virtio/ring.c"
#undef virtqueue_add_sgs
#include "../drivers/virtio/linear.c"
#include "../drivers/virtio/transfer.c"
#include "../drivers/virtio/event.c"
#include "../drivers/virtio/poll.c"
#include "../drivers/virtio/object.c"
#include "../drivers/virtio/doubt.c"
#include "../drivers/virtio/session.c"
#include "../drivers/virtio/driver.c"

int vio_validate(struct virtio_device *vdev)
{
	return vacc_vio_driver.validate(vdev);
}

bool vio_named(const char *list, const char *name)
{
	return vacc_vio_named(list, name);
}

int vio_probe(struct virtio_device *vdev)
{
	return vacc_vio_driver.probe(vdev);
}

void vio_remove(struct virtio_device *vdev)
{
	vacc_vio_driver.remove(vdev);
}

void vio_command_timeout(u32 ms)
{
	command_timeout_ms = ms;
}

u16 vio_parse(struct vacc_request *request, u32 used)
{
	return vacc_request_parse(request, used);
}

bool vio_poll_decode(const struct virtio_accel_event_state *wire, u32 *state,
		     u16 *status)
{
	return vacc_poll_decode(wire, state, status);
}

u16 vio_ask_info(struct vacc_session *session,
		 struct virtio_accel_device_info *wire)
{
	return vacc_session_ask_info(session, wire);
}
