// SPDX-License-Identifier: GPL-2.0
/*
 * A transport and a device, for the virtio driver alone.
 */
#include <linux/io.h>
#include <linux/slab.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "test_vio_rig.h"

/* Made by the device of what has no ID given by a test. */
#define VIO_OBJECT	0x6f626a6563740000ULL

const struct virtio_accel_device_info vio_info = {
	.uuid = "of a unit test",
	.device_class = cpu_to_le16(VIRTIO_ACCEL_CLASS_NPU),
	.vendor = cpu_to_le32(1),
	.device = cpu_to_le32(2),
	.capabilities = cpu_to_le64(VIRTIO_ACCEL_CAP_HOST_MEMORY |
				    VIRTIO_ACCEL_CAP_EVENT_CANCEL),
	.max_contexts = cpu_to_le32(8),
	.max_buffers_per_context = cpu_to_le32(16),
	.max_programs_per_context = cpu_to_le32(16),
	.max_queues_per_context = cpu_to_le32(4),
	.max_events_per_context = cpu_to_le32(32),
	.max_bindings_per_submission = cpu_to_le32(16),
	.max_buffer_bytes = cpu_to_le64(1 << 20),
	.max_artifact_bytes = cpu_to_le64(1 << 20),
};

static struct vio_rig *vio_rig_of(struct virtio_device *vdev)
{
	return container_of(vdev, struct vio_rig, vdev);
}

/* A successful answer, or any other, in order. */
void vio_put(struct vio_bytes *bytes, u16 status, u64 id, const void *payload,
	     u32 count)
{
	const struct virtio_accel_resp_hdr header = {
		.status = cpu_to_le16(status),
		.payload_bytes = cpu_to_le32(count),
		.request_id = cpu_to_le64(id),
	};

	memcpy(bytes->data, &header, sizeof(header));
	if (count)
		memcpy(bytes->data + sizeof(header), payload, count);
	bytes->count = sizeof(header) + count;
}

static void vio_default_answer(const struct vio_frame *frame,
			       struct vio_bytes *bytes)
{
	const struct virtio_accel_req_hdr *header = (const void *)frame->request.data;
	struct virtio_accel_object object = { cpu_to_le64(VIO_OBJECT) };
	struct virtio_accel_event_state pending = {};
	const struct virtio_accel_resp_hdr *answer = (const void *)bytes->data;
	u64 id = le64_to_cpu(header->request_id);

	switch (frame->opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		vio_put(bytes, 0, id, &vio_info, sizeof(vio_info));
		break;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
	case VIRTIO_ACCEL_OP_SUBMIT:
		vio_put(bytes, 0, id, &object, sizeof(object));
		break;
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		vio_put(bytes, 0, id, &pending, sizeof(pending));
		break;
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		memset(bytes->data, 0, sizeof(bytes->data));
		vio_put(bytes, 0, id, bytes->data + sizeof(*answer),
			frame->room - sizeof(*answer));
		break;
	default:
		vio_put(bytes, 0, id, NULL, 0);
		break;
	}
}

static void vio_read(struct vio_frame *frame, const struct vring_desc *desc)
{
	u32 length = le32_to_cpu((__force __le32)desc->len);
	const void *from = phys_to_virt(le64_to_cpu((__force __le64)desc->addr));
	struct vio_bytes *to = &frame->request;

	length = min_t(u32, length, sizeof(to->data) - to->count);
	memcpy(to->data + to->count, from, length);
	to->count += length;
}

static u16 vio_next(const struct vring_desc *desc)
{
	return le16_to_cpu((__force __le16)desc->next);
}

static bool vio_has(const struct vring_desc *desc, u16 flag)
{
	return le16_to_cpu((__force __le16)desc->flags) & flag;
}

static void vio_take(struct vio_rig *rig, u16 head, struct vio_frame *frame)
{
	const struct vring *vring = virtqueue_get_vring(rig->vq);
	const struct vring_desc *desc = &vring->desc[head];
	const struct virtio_accel_req_hdr *header;

	memset(frame, 0, sizeof(*frame));
	frame->head = head;
	for (;;) {
		if (vio_has(desc, VRING_DESC_F_WRITE)) {
			frame->room += le32_to_cpu((__force __le32)desc->len);
			frame->in++;
		} else {
			vio_read(frame, desc);
			frame->out++;
		}
		if (!vio_has(desc, VRING_DESC_F_NEXT))
			break;
		desc = &vring->desc[vio_next(desc)];
	}
	header = (const void *)frame->request.data;
	frame->opcode = le16_to_cpu(header->opcode);
}

/* Whatever the used length says, only what there is room for is written. */
static void vio_reply(struct vio_rig *rig, const struct vio_frame *frame,
		      const struct vio_bytes *bytes, u32 used)
{
	const struct vring *vring = virtqueue_get_vring(rig->vq);
	const struct vring_desc *desc = &vring->desc[frame->head];
	u16 index = le16_to_cpu((__force __le16)vring->used->idx);
	struct vring_used_elem *elem = &vring->used->ring[index % vring->num];
	u32 done = 0;
	u32 length;

	for (;;) {
		length = min_t(u32, bytes->count - done,
			       le32_to_cpu((__force __le32)desc->len));
		if (vio_has(desc, VRING_DESC_F_WRITE)) {
			memcpy(phys_to_virt(le64_to_cpu((__force __le64)desc->addr)),
			       bytes->data + done, length);
			done += length;
		}
		if (!vio_has(desc, VRING_DESC_F_NEXT))
			break;
		desc = &vring->desc[vio_next(desc)];
	}
	elem->id = (__force __virtio32)cpu_to_le32(frame->head);
	elem->len = (__force __virtio32)cpu_to_le32(used);
	/* The entry before the index that says that it is there. */
	smp_wmb();
	vring->used->idx = (__force __virtio16)cpu_to_le16(index + 1);
}

static void vio_serve(struct vio_rig *rig, const struct vio_frame *frame)
{
	struct vio_bytes bytes;

	if (rig->frame_count < VIO_FRAMES)
		rig->frames[rig->frame_count++] = *frame;
	if (frame->opcode == rig->hold) {
		rig->held = *frame;
		rig->holding = true;
		return;
	}
	if (frame->opcode == rig->answer_to) {
		rig->answer_to = 0;
		vio_reply(rig, frame, &rig->answer, rig->answer_used ?
			  rig->answer_used : rig->answer.count);
		return;
	}
	vio_default_answer(frame, &bytes);
	vio_reply(rig, frame, &bytes, bytes.count);
}

static bool vio_waiting(struct vio_rig *rig)
{
	const struct vring *vring = virtqueue_get_vring(rig->vq);

	return rig->next != le16_to_cpu((__force __le16)READ_ONCE(vring->avail->idx));
}

/* Answers at once; what the driver sends meanwhile is served by who is at it. */
static bool vio_notify(struct virtqueue *vq)
{
	struct vio_rig *rig = vio_rig_of(vq->vdev);
	const struct vring *vring = virtqueue_get_vring(vq);
	struct vio_frame *frame;
	u16 head;

	frame = kmalloc(sizeof(*frame), GFP_ATOMIC);
	while (frame && vio_waiting(rig)) {
		if (test_and_set_bit(0, &rig->serving))
			break;
		while (vio_waiting(rig)) {
			head = le16_to_cpu((__force __le16)
					   vring->avail->ring[rig->next++ % vring->num]);
			vio_take(rig, head, frame);
			vio_serve(rig, frame);
			vring_interrupt(0, vq);
		}
		clear_bit(0, &rig->serving);
	}
	kfree(frame);
	return true;
}

static void vio_get(struct virtio_device *vdev, unsigned int offset, void *buf,
		    unsigned int bytes)
{
	const u8 *config = (const u8 *)&vio_rig_of(vdev)->config;

	memcpy(buf, config + offset, bytes);
}

static u8 vio_get_status(struct virtio_device *vdev)
{
	return vio_rig_of(vdev)->status;
}

static void vio_set_status(struct virtio_device *vdev, u8 status)
{
	vio_rig_of(vdev)->status = status;
}

static void vio_reset(struct virtio_device *vdev)
{
	struct vio_rig *rig = vio_rig_of(vdev);

	rig->status = 0;
	rig->holding = false;
}

static int vio_find_vqs(struct virtio_device *vdev, unsigned int count,
			struct virtqueue *vqs[], struct virtqueue_info info[],
			struct irq_affinity *affinity)
{
	struct vio_rig *rig = vio_rig_of(vdev);

	rig->next = 0;
	rig->vq = vring_create_virtqueue(0, rig->ring, PAGE_SIZE, vdev, true,
					 false, false, vio_notify,
					 info[0].callback, info[0].name);
	vqs[0] = rig->vq;
	return rig->vq ? 0 : -ENOMEM;
}

static void vio_del_vqs(struct virtio_device *vdev)
{
	struct vio_rig *rig = vio_rig_of(vdev);

	vring_del_virtqueue(rig->vq);
	rig->vq = NULL;
}

static u64 vio_get_features(struct virtio_device *vdev)
{
	return vio_rig_of(vdev)->features;
}

static int vio_finalize_features(struct virtio_device *vdev)
{
	vring_transport_features(vdev);
	return 0;
}

static const struct virtio_config_ops vio_config_ops = {
	.get = vio_get,
	.get_status = vio_get_status,
	.set_status = vio_set_status,
	.reset = vio_reset,
	.find_vqs = vio_find_vqs,
	.del_vqs = vio_del_vqs,
	.get_features = vio_get_features,
	.finalize_features = vio_finalize_features,
};

/* A device that nobody is bound to, and that may still be changed. */
struct vio_rig *vio_rig_make(struct kunit *test)
{
	struct vio_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig->test = test;
	rig->features = BIT_ULL(VIRTIO_F_VERSION_1);
	rig->ring = VIO_RING;
	rig->config = (struct virtio_accel_config){
		.protocol_major = cpu_to_le16(1),
		.command_queue_count = cpu_to_le16(1),
		.max_chain_descriptors = cpu_to_le16(16),
		.max_request_bytes = cpu_to_le32(1 << 16),
		.max_response_bytes = cpu_to_le32(1 << 16),
	};
	rig->vdev.config = &vio_config_ops;
	rig->vdev.features = rig->features;
	rig->vdev.dev.init_name = "virtio-of-a-test";
	INIT_LIST_HEAD(&rig->vdev.vqs);
	spin_lock_init(&rig->vdev.vqs_list_lock);
	vio_tag = 0;
	return rig;
}

/* As the bus would. */
int vio_rig_probe(struct vio_rig *rig)
{
	int err = vio_validate(&rig->vdev);

	if (err)
		return err;
	virtio_add_status(&rig->vdev, VIRTIO_CONFIG_S_FEATURES_OK);
	err = vio_probe(&rig->vdev);
	rig->probed = !err;
	return err;
}

struct vacc_session *vio_session(struct vio_rig *rig)
{
	struct vacc_vio *vio = rig->vdev.priv;

	return vio->session;
}

void vio_rig_free(struct vio_rig *rig)
{
	if (rig->probed)
		vio_remove(&rig->vdev);
	rig->probed = false;
	vio_tag = 0;
	vio_unmappable = 0;
	KUNIT_EXPECT_NULL(rig->test, rig->vq);
}

/* What came so far is not looked at any more. */
void vio_rig_forget(struct vio_rig *rig)
{
	rig->frame_count = 0;
}

/* The first frame of a kind. */
const struct vio_frame *vio_rig_frame(struct vio_rig *rig, u16 opcode)
{
	u32 i;

	for (i = 0; i < rig->frame_count; i++)
		if (rig->frames[i].opcode == opcode)
			return &rig->frames[i];
	return NULL;
}

/* How the next frame of a kind is answered. */
void vio_answer(struct vio_rig *rig, u16 opcode, const struct vio_bytes *bytes)
{
	rig->answer = *bytes;
	rig->answer_used = 0;
	rig->answer_to = opcode;
}

/* Answers a frame that was held back. */
void vio_release(struct vio_rig *rig, const struct vio_bytes *bytes)
{
	struct vio_bytes usual;

	KUNIT_ASSERT_TRUE(rig->test, rig->holding);
	rig->holding = false;
	if (!bytes) {
		vio_default_answer(&rig->held, &usual);
		bytes = &usual;
	}
	vio_reply(rig, &rig->held, bytes, bytes->count);
	vring_interrupt(0, rig->vq);
}

void vio_rule(struct kunit *test)
{
	const struct vio_rule *rule = test->param_value;

	rule->run(test);
}
