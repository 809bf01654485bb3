// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <sched.h>

#include "backend.h"
#include "rig.h"

const struct eng_port_config default_config = {
	.name = "test",
	.limits = {
		.max_contexts = 64,
		.max_buffers = 1024,
		.max_images = 256,
		.max_queues = 16,
		.max_events = 4096,
		.max_bindings = 256,
		.max_buffer_bytes = 0x40000000,
		.max_artifact_bytes = 0x1000000,
		.max_scratch_bytes = 0x1000000,
		.inline_limit = 65536,
	},
	.workers = 2,
	.uuid = "virtio-accelmock",
	.device_class = VIRTIO_ACCEL_CLASS_NPU,
	.vendor = 0x12345678,
	.device = 0x9abcdef0,
	.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY |
			VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
			VIRTIO_ACCEL_CAP_EVENT_CANCEL,
	.max_chain = 256,
	.max_request = 0x20000,
	.max_response = 0x20000,
	.max_buffer_memory = 0x4000000,
	.max_program_memory = 0x10000,
};

static void rig_needs_reset(void *owner)
{
	struct rig *rig = owner;

	rig->resets_wanted++;
}

static const struct eng_port_ops rig_ops = {
	.needs_reset = rig_needs_reset,
};

static void rig_begin(struct rig *rig)
{
	rig->context = rig_context(rig);
	rig->queue = rig_queue(rig);
}

void rig_make(struct rig *rig, const struct eng_port_config *config)
{
	struct eng_port_config c = config ? *config : default_config;

	memset(rig, 0, sizeof(*rig));
	rig->next_request = 1;
	c.ops = &rig_ops;
	c.owner = rig;
	REQUIRE(eng_port_create(&c, &rig->port) == OK);
	rig_begin(rig);
}

void rig_free(struct rig *rig)
{
	eng_port_free(rig->port);
}

void rig_restart(struct rig *rig)
{
	eng_port_reset(rig->port);
	rig_hold(rig, false);
	rig->resets_wanted = 0;
	rig_begin(rig);
}

u64 rig_context(struct rig *rig)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	static struct reply reply;

	frame_add(frame, 0, 8);
	rig_send(rig, frame, NULL, &reply);
	return reply.status ? 0 : reply.object;
}

u64 rig_queue(struct rig *rig)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
	static struct reply reply;

	frame_add(frame, rig->context, 8);
	frame_add(frame, 0, 8);
	rig_send(rig, frame, NULL, &reply);
	return reply.status ? 0 : reply.object;
}

u64 rig_buffer(struct rig *rig, u64 bytes, u32 usage)
{
	static struct reply reply;

	rig_send(rig, frame_buffer(rig->context, bytes, 64, HOST, usage), NULL,
		 &reply);
	return reply.status ? 0 : reply.object;
}

u64 rig_program(struct rig *rig, u8 op, u8 operand)
{
	static struct reply reply;

	rig_send(rig, frame_program(rig->context, op, operand), NULL, &reply);
	return reply.status ? 0 : reply.object;
}

u32 rig_write(struct rig *rig, u64 buffer, u64 offset, const void *from,
	      u32 bytes)
{
	struct frame *frame = frame_transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER,
					     buffer, offset, bytes);

	frame_add_bytes(frame, from, bytes);
	return rig_send(rig, frame, NULL, NULL);
}

u32 rig_read(struct rig *rig, u64 buffer, u64 offset, void *to, u32 bytes)
{
	static struct reply reply;

	rig_send(rig, frame_transfer(VIRTIO_ACCEL_OP_READ_BUFFER, buffer, offset,
				     bytes), NULL, &reply);
	if (!reply.status) {
		EXPECT_EQ(reply.payload_bytes, bytes);
		memcpy(to, reply.bytes + ENG_RESPONSE_BYTES, bytes);
	}
	return reply.status;
}

u32 rig_object(struct rig *rig, u16 opcode, u64 id)
{
	struct frame *frame = frame_new(opcode);

	frame_add(frame, id, 8);
	return rig_send(rig, frame, NULL, NULL);
}

u64 rig_submit(struct rig *rig, u64 program, u64 buffer, u64 bytes,
	       u64 timeout_ns)
{
	struct frame *frame = frame_submit(rig->queue, program, 1, timeout_ns);
	static struct reply reply;

	frame_bind(frame, buffer, 0, bytes, 0, WRITE_ONLY);
	rig_send(rig, frame, NULL, &reply);
	return reply.status ? 0 : reply.object;
}

/* NO_ANSWER for a poll that fails. */
u32 rig_poll(struct rig *rig, u64 event, u16 *error)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_POLL_EVENT);
	static struct reply reply;

	frame_add(frame, event, 8);
	rig_send(rig, frame, NULL, &reply);
	if (error)
		*error = reply.status ? reply.status : reply.object >> 16;
	if (reply.status)
		return NO_ANSWER;
	EXPECT_EQ(reply.object >> 32, 0);
	return reply.object & 0xffff;
}

u32 rig_wait(struct rig *rig, u64 event, u16 *error)
{
	u32 state;

	while ((state = rig_poll(rig, event, error)) == PENDING)
		sched_yield();
	return state;
}

void rig_hold(struct rig *rig, bool hold)
{
	eng_port_hold(rig->port, hold);
}

void rig_fault(struct rig *rig, enum eng_method method,
	       enum eng_fault_kind kind, u16 status)
{
	struct eng_fault fault = {
		.method = method,
		.kind = kind,
		.call = 1,
		.status = status,
	};

	EXPECT_EQ(eng_faults_add(eng_port_faults(rig->port), &fault), OK);
}

void rig_snapshot(struct rig *rig, struct snapshot *snapshot)
{
	struct eng_device *engine = eng_port_engine_get(rig->port);

	memset(snapshot, 0, sizeof(*snapshot));
	eng_port_stats(rig->port, &snapshot->stats);
	eng_faults_audit(eng_port_faults(rig->port), &snapshot->audit);
	if (engine) {
		eng_device_stats(engine, &snapshot->engine);
		eng_port_engine_put(rig->port);
	}
}

void rig_unchanged(struct rig *rig, const struct snapshot *before, bool called,
		   const char *file, int line)
{
	struct snapshot after;
	bool same;

	rig_snapshot(rig, &after);
	same = !memcmp(&before->stats, &after.stats, sizeof(after.stats)) &&
	       !memcmp(&before->engine, &after.engine, sizeof(after.engine));
	if (called)
		same &= !memcmp(before->audit.live, after.audit.live,
				sizeof(after.audit.live));
	else
		same &= !memcmp(&before->audit, &after.audit,
				sizeof(after.audit));
	test_expect(same, file, line, "no state has changed");
}

void rig_clean(struct rig *rig, const char *file, int line)
{
	struct snapshot now;
	u32 kind;

	rig_snapshot(rig, &now);
	test_equal(now.audit.double_release, 0, file, line, "double releases");
	test_equal(now.audit.use_after_release, 0, file, line,
		   "uses after release");
	test_equal(now.audit.parent_before_child, 0, file, line,
		   "parents released before children");
	for (kind = 1; kind < ENG_KIND_COUNT; kind++)
		test_equal(now.audit.live[kind] - now.stats.live[kind],
			   now.stats.quarantined, file, line,
			   "live objects without a number");
	test_equal(now.stats.live[ENG_KIND_EVENT], 0, file, line, "live events");
	test_equal(now.stats.live[ENG_KIND_BUFFER], 0, file, line,
		   "live buffers");
	test_equal(now.stats.live[ENG_KIND_IMAGE], 0, file, line,
		   "live programs");
	test_equal(now.stats.buffer_memory, 0, file, line, "buffer memory");
	test_equal(now.stats.program_memory, 0, file, line, "program memory");
	test_equal(now.engine.events, 0, file, line, "engine's events");
	test_equal(now.engine.buffers, 0, file, line, "engine's buffers");
}
