// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Scripted faults, three-way results and the audit.
 */
#include <unistd.h>

#include "backend.h"
#include "class.h"

static u64 ids[ENG_KIND_COUNT];

static const u16 destroys[ENG_KIND_COUNT] = {
	[ENG_KIND_CONTEXT] = VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
	[ENG_KIND_BUFFER] = VIRTIO_ACCEL_OP_FREE_BUFFER,
	[ENG_KIND_IMAGE] = VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
	[ENG_KIND_QUEUE] = VIRTIO_ACCEL_OP_DESTROY_QUEUE,
	[ENG_KIND_EVENT] = VIRTIO_ACCEL_OP_DESTROY_EVENT,
};

static const enum eng_method releases[ENG_KIND_COUNT] = {
	[ENG_KIND_CONTEXT] = ENG_CONTEXT_DESTROY,
	[ENG_KIND_BUFFER] = ENG_BUFFER_DESTROY,
	[ENG_KIND_IMAGE] = ENG_IMAGE_UNLOAD,
	[ENG_KIND_QUEUE] = ENG_QUEUE_DESTROY,
	[ENG_KIND_EVENT] = ENG_EVENT_DESTROY,
};

static struct frame *submit_frame(struct rig *rig)
{
	struct frame *frame = frame_submit(rig->queue, ids[ENG_KIND_IMAGE], 1, 0);

	frame_bind(frame, ids[ENG_KIND_BUFFER], 0, 64, 0, WRITE_ONLY);
	return frame;
}

static struct frame *create_frame(struct rig *rig, enum eng_kind kind)
{
	struct frame *frame;

	switch (kind) {
	case ENG_KIND_CONTEXT:
		frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
		frame_add(frame, 0, 8);
		return frame;
	case ENG_KIND_QUEUE:
		frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
		frame_add(frame, rig->context, 8);
		frame_add(frame, 0, 8);
		return frame;
	case ENG_KIND_BUFFER:
		return frame_buffer(rig->context, 64, 1, HOST, USAGE_ALL);
	case ENG_KIND_IMAGE:
		return frame_program(rig->context, VACC_REF_OP_FILL, 1);
	default:
		return submit_frame(rig);
	}
}

static void begin(struct rig *rig)
{
	rig_make(rig, NULL);
	ids[ENG_KIND_BUFFER] = rig_buffer(rig, 64, USAGE_ALL);
	ids[ENG_KIND_IMAGE] = rig_program(rig, VACC_REF_OP_FILL, 0x21);
}

TEST(fault_create)
{
	static const enum eng_method creates[ENG_KIND_COUNT] = {
		[ENG_KIND_CONTEXT] = ENG_CONTEXT_CREATE,
		[ENG_KIND_BUFFER] = ENG_BUFFER_CREATE,
		[ENG_KIND_IMAGE] = ENG_IMAGE_LOAD,
		[ENG_KIND_QUEUE] = ENG_QUEUE_CREATE,
		[ENG_KIND_EVENT] = ENG_SUBMIT,
	};
	struct snapshot before, after;
	static struct reply reply;
	struct rig rig;
	u32 kind, how;

	begin(&rig);
	RULE("error of the backend while creating: no object, no charge");
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		for (how = ENG_FAULT_BEFORE; how <= ENG_FAULT_AFTER; how++) {
			NOTE("%s %s", eng_method_name(creates[kind]),
			     eng_fault_name(how));
			rig_snapshot(&rig, &before);
			rig_fault(&rig, creates[kind], how, 6);
			EXPECT_EQ(rig_send(&rig, create_frame(&rig, kind), NULL,
					   &reply), 6);
			EXPECT_EQ(reply.used, 16);
			rig_unchanged(&rig, &before, true, __FILE__, __LINE__);
			rig_snapshot(&rig, &after);
			EXPECT_EQ(after.audit.calls[creates[kind]] -
				  before.audit.calls[creates[kind]], 1);
			EXPECT_EQ(after.audit.faults[creates[kind]] -
				  before.audit.faults[creates[kind]], 1);
			EXPECT_EQ(after.audit.created[kind] -
				  before.audit.created[kind],
				  how == ENG_FAULT_AFTER);
			EXPECT_EQ(after.audit.released[kind] -
				  before.audit.released[kind],
				  how == ENG_FAULT_AFTER);
			/* It was this one call. */
			EXPECT_EQ(rig_send(&rig, create_frame(&rig, kind), NULL,
					   &reply), OK);
			if (kind == ENG_KIND_EVENT)
				rig_wait(&rig, reply.object, NULL);
			EXPECT_EQ(rig_object(&rig, destroys[kind], reply.object),
				  OK);
		}
	}
	rig_free(&rig);
}

TEST(fault_nth)
{
	struct eng_fault fault = {
		.method = ENG_BUFFER_CREATE,
		.kind = ENG_FAULT_BEFORE,
		.call = 3,
	};
	struct eng_faults *faults;
	struct rig rig;
	u32 i;

	begin(&rig);
	faults = eng_port_faults(rig.port);
	EXPECT_EQ(eng_faults_add(faults, &fault), OK);
	fault.call = 5;
	fault.status = BUSY;
	EXPECT_EQ(eng_faults_add(faults, &fault), OK);
	for (i = 1; i <= 6; i++)
		EXPECT_EQ(rig_send(&rig, create_frame(&rig, ENG_KIND_BUFFER),
				   NULL, NULL),
			  i == 3 ? INTERNAL_ERROR : i == 5 ? BUSY : OK);

	/* What makes no sense is not taken. */
	fault.call = 0;
	EXPECT_EQ(eng_faults_add(faults, &fault), INVALID);
	fault.call = 1;
	fault.kind = ENG_FAULT_REJECT;
	EXPECT_EQ(eng_faults_add(faults, &fault), INVALID);
	fault.kind = ENG_FAULT_STATE;
	EXPECT_EQ(eng_faults_add(faults, &fault), INVALID);
	fault.method = ENG_EVENT_POLL;
	EXPECT_EQ(eng_faults_add(faults, &fault), INVALID);
	fault.method = ENG_METHOD_COUNT;
	fault.kind = ENG_FAULT_BEFORE;
	EXPECT_EQ(eng_faults_add(faults, &fault), INVALID);
	fault.method = ENG_SUBMIT;
	for (i = 0; i < ENG_MAX_FAULTS; i++)
		EXPECT_EQ(eng_faults_add(faults, &fault), OK);
	EXPECT_EQ(eng_faults_add(faults, &fault), RESOURCE_LIMIT);
	eng_faults_clear(faults);
	EXPECT_EQ(eng_faults_add(faults, &fault), OK);
	EXPECT(!eng_method_name(ENG_METHOD_COUNT));
	EXPECT(!eng_fault_name(ENG_FAULT_KINDS));
	rig_free(&rig);
}

static u64 make(struct rig *rig, enum eng_kind kind)
{
	static struct reply reply;

	EXPECT_EQ(rig_send(rig, create_frame(rig, kind), NULL, &reply), OK);
	if (kind == ENG_KIND_EVENT)
		rig_wait(rig, reply.object, NULL);
	return reply.object;
}

TEST(fault_rejected)
{
	struct snapshot before;
	struct rig rig;
	u32 kind;
	u64 id;

	begin(&rig);
	RULE("rejected release: the object lives, and may be released again");
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		id = make(&rig, kind);
		NOTE("kind %u", kind);
		rig_snapshot(&rig, &before);
		rig_fault(&rig, releases[kind], ENG_FAULT_REJECT, INTERNAL_ERROR);
		EXPECT_EQ(rig_object(&rig, destroys[kind], id), INTERNAL_ERROR);
		rig_unchanged(&rig, &before, true, __FILE__, __LINE__);
		EXPECT_EQ(rig_object(&rig, destroys[kind], id), OK);
		EXPECT_EQ(rig_object(&rig, destroys[kind], id), STALE);
	}
	EXPECT_EQ(rig.resets_wanted, 0);

	RULE("rejected submission: no event");
	rig_snapshot(&rig, &before);
	rig_fault(&rig, ENG_SUBMIT, ENG_FAULT_REJECT, BUSY);
	EXPECT_EQ(rig_send(&rig, submit_frame(&rig), NULL, NULL), BUSY);
	rig_unchanged(&rig, &before, true, __FILE__, __LINE__);
	rig_free(&rig);
}

TEST(fault_indeterminate_release)
{
	struct eng_port_stats before, after;
	struct rig rig;
	u32 kind, how;
	u64 id;

	begin(&rig);
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		for (how = ENG_FAULT_AFTER; how <= ENG_FAULT_INDETERMINATE;
		     how += ENG_FAULT_INDETERMINATE - ENG_FAULT_AFTER) {
			NOTE("kind %u, %s", kind, eng_fault_name(how));
			ids[ENG_KIND_BUFFER] = rig_buffer(&rig, 64, USAGE_ALL);
			ids[ENG_KIND_IMAGE] = rig_program(&rig, 2, 1);
			id = make(&rig, kind);
			eng_port_stats(rig.port, &before);

			RULE("indeterminate release: the ID is dead, the charge stays");
			rig_fault(&rig, releases[kind], how, DEVICE_LOST);
			EXPECT_EQ(rig_object(&rig, destroys[kind], id),
				  DEVICE_LOST);
			EXPECT_EQ(rig_object(&rig, destroys[kind], id), STALE);
			eng_port_stats(rig.port, &after);
			EXPECT_EQ(after.quarantined, 1);
			EXPECT_EQ(after.live[kind], before.live[kind] - 1);
			EXPECT_EQ(after.buffer_memory, before.buffer_memory);
			EXPECT_EQ(after.program_memory, before.program_memory);

			RULE("indeterminate release: the device needs a reset");
			EXPECT(after.lost);
			EXPECT_EQ(rig.resets_wanted, 1);
			REFUSED(&rig, frame_buffer(rig.context, 8, 1, HOST,
						   USAGE_ALL), DEVICE_LOST);
			/* What a quarantined event uses stays in use. */
			EXPECT_EQ(rig_object(&rig, 0x0201, ids[ENG_KIND_BUFFER]),
				  kind == ENG_KIND_EVENT ? BUSY : DEVICE_LOST);

			rig_restart(&rig);
			eng_port_stats(rig.port, &after);
			EXPECT_EQ(after.quarantined, 0);
			EXPECT_EQ(after.buffer_memory, 0);
		}
	}
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

TEST(fault_indeterminate_submit)
{
	static struct reply reply;
	struct rig rig;
	u16 error;
	u8 byte;

	begin(&rig);
	rig_hold(&rig, true);
	RULE("indeterminate submission: the status, and an event");
	rig_fault(&rig, ENG_SUBMIT, ENG_FAULT_INDETERMINATE, INTERNAL_ERROR);
	EXPECT_EQ(rig_send(&rig, submit_frame(&rig), NULL, &reply),
		  INTERNAL_ERROR);
	EXPECT_EQ(reply.used, 24);
	EXPECT_EQ(reply.payload_bytes, 8);
	EXPECT(reply.object != 0);
	EXPECT_EQ(rig.resets_wanted, 0);

	RULE("indeterminate submission: the event owns what may be running");
	EXPECT_EQ(rig_object(&rig, 0x0201, ids[ENG_KIND_BUFFER]), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0301, ids[ENG_KIND_IMAGE]), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0401, rig.queue), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0503, reply.object), BUSY);
	EXPECT_EQ(rig_poll(&rig, reply.object, NULL), PENDING);
	rig_hold(&rig, false);
	EXPECT_EQ(rig_wait(&rig, reply.object, &error), COMPLETE);
	EXPECT_EQ(rig_read(&rig, ids[ENG_KIND_BUFFER], 63, &byte, 1), OK);
	EXPECT_EQ(byte, 0x21);
	EXPECT_EQ(rig_object(&rig, 0x0503, reply.object), OK);
	EXPECT_EQ(rig_object(&rig, 0x0201, ids[ENG_KIND_BUFFER]), OK);
	EXPECT_EQ(rig_object(&rig, 0x0301, ids[ENG_KIND_IMAGE]), OK);
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

TEST(fault_transfers)
{
	struct rig rig;
	u8 data[4] = { 1, 2, 3, 4 };
	u64 buffer;

	begin(&rig);
	buffer = ids[ENG_KIND_BUFFER];
	RULE("failed write: the buffer stays usable");
	rig_fault(&rig, ENG_BUFFER_WRITE, ENG_FAULT_BEFORE, 6);
	EXPECT_EQ(rig_write(&rig, buffer, 0, data, 4), 6);
	EXPECT_EQ(rig_read(&rig, buffer, 0, data, 4), OK);
	EXPECT_EQ(data[0] | data[3], 0);
	rig_fault(&rig, ENG_BUFFER_WRITE, ENG_FAULT_AFTER, 6);
	EXPECT_EQ(rig_write(&rig, buffer, 0, "abcd", 4), 6);
	EXPECT_EQ(rig_write(&rig, buffer, 0, "efgh", 4), OK);

	/* That nothing else was written is expected of every answer. */
	RULE("failed read: nothing is published");
	rig_fault(&rig, ENG_BUFFER_READ, ENG_FAULT_BEFORE, 6);
	EXPECT_EQ(rig_read(&rig, buffer, 0, data, 4), 6);
	rig_fault(&rig, ENG_BUFFER_READ, ENG_FAULT_AFTER, 6);
	EXPECT_EQ(rig_read(&rig, buffer, 0, data, 4), 6);
	EXPECT_EQ(rig_read(&rig, buffer, 0, data, 4), OK);
	EXPECT(!memcmp(data, "efgh", 4));
	rig_free(&rig);
}

TEST(fault_events)
{
	static const struct {
		u16 state, status, error;
	} ends[] = {
		{ COMPLETE, 0, OK },
		{ FAILED, 0, INTERNAL_ERROR },
		{ FAILED, DEVICE_LOST, DEVICE_LOST },
		{ CANCELLED, 5, OK },
	};
	struct eng_fault fault = {
		.method = ENG_EVENT_POLL,
		.kind = ENG_FAULT_STATE,
		.call = 2,
	};
	struct rig rig;
	u64 event;
	u16 error;
	u32 i;

	begin(&rig);
	rig_hold(&rig, true);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		NOTE("end %u", i);
		event = rig_submit(&rig, ids[ENG_KIND_IMAGE],
				   ids[ENG_KIND_BUFFER], 64, 0);
		fault.state = ends[i].state;
		fault.status = ends[i].status;
		EXPECT_EQ(eng_faults_add(eng_port_faults(rig.port), &fault), OK);
		EXPECT_EQ(rig_poll(&rig, event, &error), PENDING);
		EXPECT_EQ(rig_poll(&rig, event, &error), ends[i].state);
		EXPECT_EQ(error, ends[i].error);
		/* And so it stays. */
		EXPECT_EQ(rig_poll(&rig, event, &error), ends[i].state);
		EXPECT_EQ(error, ends[i].error);
		EXPECT_EQ(rig_object(&rig, 0x0502, event), BUSY);
		EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	}

	event = rig_submit(&rig, ids[ENG_KIND_IMAGE], ids[ENG_KIND_BUFFER], 64,
			   0);
	rig_fault(&rig, ENG_EVENT_CANCEL, ENG_FAULT_BEFORE, 6);
	EXPECT_EQ(rig_object(&rig, 0x0502, event), 6);
	EXPECT_EQ(rig_poll(&rig, event, NULL), PENDING);
	rig_fault(&rig, ENG_EVENT_POLL, ENG_FAULT_BEFORE, 6);
	EXPECT_EQ(rig_poll(&rig, event, &error), NO_ANSWER);
	EXPECT_EQ(error, 6);
	rig_fault(&rig, ENG_EVENT_CANCEL, ENG_FAULT_AFTER, 6);
	EXPECT_EQ(rig_object(&rig, 0x0502, event), 6);
	EXPECT_EQ(rig_poll(&rig, event, NULL), CANCELLED);

	/* What was reported cannot be forced any more. */
	rig_fault(&rig, ENG_SUBMIT, ENG_FAULT_BEFORE, 1);
	fault.call = 1;
	fault.state = COMPLETE;
	EXPECT_EQ(eng_faults_add(eng_port_faults(rig.port), &fault), OK);
	EXPECT_EQ(rig_poll(&rig, event, NULL), CANCELLED);
	EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	rig_free(&rig);
}

/* What runs is waited for, and ends as the script wants it. */
TEST(fault_running)
{
	struct eng_port_config config = default_config;
	struct eng_fault fault = {
		.method = ENG_EVENT_POLL,
		.kind = ENG_FAULT_STATE,
		.call = 1,
		.state = FAILED,
		.status = DEVICE_LOST,
	};
	const u64 bytes = 16 << 20;
	struct rig rig;
	u64 event, big, program;
	u16 error;
	u32 i;

	config.limits.inline_limit = 0;
	config.limits.max_buffer_bytes = bytes;
	rig_make(&rig, &config);
	big = rig_buffer(&rig, bytes, USAGE_ALL);
	program = rig_program(&rig, VACC_REF_OP_FILL, 0x21);
	for (i = 0; i < 50; i++) {
		event = rig_submit(&rig, program, big, bytes, 0);
		usleep(20 * i);
		EXPECT_EQ(eng_faults_add(eng_port_faults(rig.port), &fault), OK);
		EXPECT_EQ(rig_poll(&rig, event, &error), FAILED);
		EXPECT_EQ(error, DEVICE_LOST);
		EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	}
	rig_free(&rig);
}

/* Misuse is caught, and does not get to the engine. */
TEST(fault_audit)
{
	struct eng_context *context, *again;
	struct eng_node parent = {}, child = {}, never = {};
	struct eng_faults faults;
	struct eng_device *device;
	struct eng_buffer *buffer;
	struct eng_audit audit;
	struct eng_device_config config = {
		.name = "audit",
		.ops = &(struct eng_device_ops){},
		.limits = default_config.limits,
	};
	u64 memory = 0;
	const struct eng_buffer_desc desc = {
		.bytes = 8,
		.alignment = 8,
		.domain = HOST,
		.usage = USAGE_ALL,
		.memory = &memory,
	};
	struct eng_outcome outcome;
	void *reached;
	u16 late;

	eng_faults_init(&faults);
	EXPECT_EQ(eng_device_create(&config, &device), OK);
	EXPECT_EQ(eng_backend_context(&faults, &parent, device, &context), OK);
	EXPECT_EQ(eng_backend_buffer(&faults, &child, &parent, context, &desc,
				     &buffer), OK);

	outcome = eng_backend_release(&faults, &parent, context);
	EXPECT_EQ(outcome.result, ENG_REJECTED);
	EXPECT_EQ(outcome.status, INTERNAL_ERROR);
	outcome = eng_backend_release(&faults, &child, buffer);
	EXPECT_EQ(outcome.result, ENG_DONE);
	outcome = eng_backend_release(&faults, &child, buffer);
	EXPECT_EQ(outcome.result, ENG_REJECTED);
	EXPECT_EQ(eng_backend_reach(&faults, &child, buffer,
				    VIRTIO_ACCEL_USAGE_TRANSFER_DST, 0, 8,
				    &reached, &late), INTERNAL_ERROR);
	EXPECT_EQ(eng_backend_buffer(&faults, &child, &never, context, &desc,
				     &buffer), INTERNAL_ERROR);
	outcome = eng_backend_release(&faults, &parent, context);
	EXPECT_EQ(outcome.result, ENG_DONE);
	EXPECT_EQ(eng_backend_context(&faults, &parent, device, &again), OK);
	outcome = eng_backend_release(&faults, &parent, again);
	EXPECT_EQ(outcome.result, ENG_DONE);

	eng_faults_audit(&faults, &audit);
	EXPECT_EQ(audit.double_release, 1);
	EXPECT_EQ(audit.use_after_release, 2);
	EXPECT_EQ(audit.parent_before_child, 1);
	EXPECT_EQ(audit.calls[ENG_CONTEXT_CREATE], 2);
	EXPECT_EQ(audit.calls[ENG_CONTEXT_DESTROY], 3);
	EXPECT_EQ(audit.calls[ENG_BUFFER_DESTROY], 2);
	EXPECT_EQ(audit.live[ENG_KIND_CONTEXT], 0);
	EXPECT_EQ(audit.live[ENG_KIND_BUFFER], 0);
	eng_device_stop(device);
	eng_device_free(device);
	eng_faults_fini(&faults);
}
