// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects: numbers that are stale, parents and users, quotas, memory.
 */
#include "class.h"

/* The opcode that destroys each kind. */
static const u16 destroys[ENG_KIND_COUNT] = {
	[ENG_KIND_CONTEXT] = VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
	[ENG_KIND_BUFFER] = VIRTIO_ACCEL_OP_FREE_BUFFER,
	[ENG_KIND_IMAGE] = VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
	[ENG_KIND_QUEUE] = VIRTIO_ACCEL_OP_DESTROY_QUEUE,
	[ENG_KIND_EVENT] = VIRTIO_ACCEL_OP_DESTROY_EVENT,
};

static void make_all(struct rig *rig, u64 *ids)
{
	ids[ENG_KIND_CONTEXT] = rig->context;
	ids[ENG_KIND_QUEUE] = rig->queue;
	ids[ENG_KIND_BUFFER] = rig_buffer(rig, 64, USAGE_ALL);
	ids[ENG_KIND_IMAGE] = rig_program(rig, VACC_REF_OP_FILL, 1);
	ids[ENG_KIND_EVENT] = rig_submit(rig, ids[ENG_KIND_IMAGE],
					 ids[ENG_KIND_BUFFER], 64, 0);
	rig_wait(rig, ids[ENG_KIND_EVENT], NULL);
}

/* Every request that names an object, with every number that is not one. */
static void refuse_everywhere(struct rig *rig, u64 id, enum eng_kind is)
{
	struct frame *frame;
	u32 kind;

	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		if (kind != is)
			REFUSED(rig, frame_object(destroys[kind], id), STALE);
	}
	if (is != ENG_KIND_EVENT) {
		REFUSED(rig, frame_object(VIRTIO_ACCEL_OP_POLL_EVENT, id), STALE);
		REFUSED(rig, frame_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, id),
			STALE);
	}
	if (is != ENG_KIND_BUFFER) {
		frame = frame_transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER, id, 0, 1);
		frame_add(frame, 0, 1);
		REFUSED(rig, frame, STALE);
		REFUSED(rig, frame_transfer(VIRTIO_ACCEL_OP_READ_BUFFER, id, 0,
					    1), STALE);
	}
	if (is != ENG_KIND_CONTEXT) {
		REFUSED(rig, frame_buffer(id, 64, 1, HOST, USAGE_ALL), STALE);
		REFUSED(rig, frame_program(id, VACC_REF_OP_FILL, 1), STALE);
		frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
		frame_add(frame, id, 8);
		frame_add(frame, 0, 8);
		REFUSED(rig, frame, STALE);
	}
}

TEST(object_kinds)
{
	static const u64 never[] = { 1, 2, 0xffffffff, 1ULL << 32, 1ULL << 63,
				     U64_MAX };
	u64 ids[ENG_KIND_COUNT];
	struct rig rig;
	u32 kind, i;

	rig_make(&rig, NULL);
	make_all(&rig, ids);
	RULE("wrong kind of object: STALE_OBJECT");
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		EXPECT(ids[kind] != 0);
		refuse_everywhere(&rig, ids[kind], kind);
	}
	RULE("object that never was: STALE_OBJECT");
	for (i = 0; i < ARRAY_SIZE(never); i++)
		refuse_everywhere(&rig, never[i], ENG_KIND_NONE);
	/* One bit of a good number makes another number, maybe another's. */
	for (i = 0; i < 64; i++) {
		u64 other = ids[ENG_KIND_BUFFER] ^ (1ULL << i);

		for (kind = ENG_KIND_EVENT; kind > ENG_KIND_NONE; kind--) {
			if (ids[kind] == other)
				break;
		}
		refuse_everywhere(&rig, other, kind);
	}
	rig_free(&rig);
}

TEST(object_stale)
{
	static const enum eng_kind order[] = {
		ENG_KIND_EVENT, ENG_KIND_QUEUE, ENG_KIND_IMAGE, ENG_KIND_BUFFER,
		ENG_KIND_CONTEXT,
	};
	u64 old[ENG_KIND_COUNT], new[ENG_KIND_COUNT];
	struct rig rig;
	u32 i, round;

	rig_make(&rig, NULL);
	make_all(&rig, old);
	RULE("destroyed object: STALE_OBJECT");
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		EXPECT_EQ(rig_object(&rig, destroys[order[i]], old[order[i]]),
			  OK);
		refuse_everywhere(&rig, old[order[i]], ENG_KIND_NONE);
	}
	EXPECT_CLEAN(&rig);

	/* Also when the slots have new owners. */
	for (round = 0; round < 300; round++) {
		rig.context = rig_context(&rig);
		rig.queue = rig_queue(&rig);
		make_all(&rig, new);
		for (i = 0; i < ARRAY_SIZE(order); i++) {
			EXPECT(new[order[i]] != old[order[i]]);
			EXPECT_EQ(rig_object(&rig, destroys[order[i]],
					     old[order[i]]), STALE);
		}
		for (i = 0; i < ARRAY_SIZE(order); i++)
			EXPECT_EQ(rig_object(&rig, destroys[order[i]],
					     new[order[i]]), OK);
	}
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

TEST(object_busy)
{
	u64 ids[ENG_KIND_COUNT];
	struct rig rig;
	u32 kind;

	rig_make(&rig, NULL);
	rig_hold(&rig, true);
	ids[ENG_KIND_CONTEXT] = rig.context;
	ids[ENG_KIND_QUEUE] = rig.queue;
	ids[ENG_KIND_BUFFER] = rig_buffer(&rig, 64, USAGE_ALL);
	ids[ENG_KIND_IMAGE] = rig_program(&rig, VACC_REF_OP_FILL, 1);
	ids[ENG_KIND_EVENT] = rig_submit(&rig, ids[ENG_KIND_IMAGE],
					 ids[ENG_KIND_BUFFER], 64, 0);

	RULE("destroying what is referenced or pending: BUSY");
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++)
		REFUSED(&rig, frame_object(destroys[kind], ids[kind]), BUSY);

	/* Terminal is not enough: an event retains until it is destroyed. */
	rig_hold(&rig, false);
	EXPECT_EQ(rig_wait(&rig, ids[ENG_KIND_EVENT], NULL), COMPLETE);
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_EVENT; kind++)
		REFUSED(&rig, frame_object(destroys[kind], ids[kind]), BUSY);

	EXPECT_EQ(rig_object(&rig, 0x0503, ids[ENG_KIND_EVENT]), OK);
	REFUSED(&rig, frame_object(0x0101, rig.context), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0401, rig.queue), OK);
	REFUSED(&rig, frame_object(0x0101, rig.context), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0301, ids[ENG_KIND_IMAGE]), OK);
	REFUSED(&rig, frame_object(0x0101, rig.context), BUSY);
	EXPECT_EQ(rig_object(&rig, 0x0201, ids[ENG_KIND_BUFFER]), OK);
	EXPECT_EQ(rig_object(&rig, 0x0101, rig.context), OK);
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

static struct eng_port_config small_config(void)
{
	struct eng_port_config config = default_config;

	config.limits.max_contexts = 3;
	config.limits.max_buffers = 4;
	config.limits.max_images = 2;
	config.limits.max_queues = 2;
	config.limits.max_events = 3;
	config.limits.max_buffer_bytes = 4096;
	config.limits.max_artifact_bytes = 24;
	config.max_buffer_memory = 5000;
	config.max_program_memory = 150;
	return config;
}

/* Create until refused, destroy one, create one. */
TEST(quota_counts)
{
	struct eng_port_config config = small_config();
	u64 ids[4], extra, program, buffer;
	struct frame *frame;
	struct rig rig;
	u32 i;

	rig_make(&rig, &config);
	RULE("more contexts than max_contexts: RESOURCE_LIMIT");
	ids[0] = rig_context(&rig);
	ids[1] = rig_context(&rig);
	frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	frame_add(frame, 0, 8);
	EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0101, ids[0]), OK);
	ids[0] = rig_context(&rig);
	EXPECT(ids[0] && ids[1]);

	RULE("more buffers than max_buffers: RESOURCE_LIMIT");
	for (i = 0; i < 4; i++)
		ids[i] = rig_buffer(&rig, 8, USAGE_ALL);
	REFUSED(&rig, frame_buffer(rig.context, 8, 1, HOST, USAGE_ALL),
		RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0201, ids[2]), OK);
	buffer = rig_buffer(&rig, 8, USAGE_ALL);
	EXPECT(buffer != 0);

	RULE("more programs than max_programs: RESOURCE_LIMIT");
	extra = rig_program(&rig, VACC_REF_OP_FILL, 1);
	program = rig_program(&rig, VACC_REF_OP_FILL, 2);
	REFUSED(&rig, frame_program(rig.context, VACC_REF_OP_FILL, 3),
		RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0301, extra), OK);
	EXPECT(rig_program(&rig, VACC_REF_OP_FILL, 3) != 0);

	RULE("more queues than max_queues: RESOURCE_LIMIT");
	extra = rig_queue(&rig);
	frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
	frame_add(frame, rig.context, 8);
	frame_add(frame, 0, 8);
	REFUSED(&rig, frame, RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0401, extra), OK);
	EXPECT(rig_queue(&rig) != 0);

	RULE("more events than max_events: RESOURCE_LIMIT");
	for (i = 0; i < 3; i++)
		ids[i] = rig_submit(&rig, program, buffer, 8, 0);
	frame = frame_submit(rig.queue, program, 1, 0);
	frame_bind(frame, buffer, 0, 8, 0, WRITE_ONLY);
	rig_wait(&rig, ids[2], NULL);
	REFUSED(&rig, frame, RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0503, ids[1]), OK);
	EXPECT(rig_submit(&rig, program, buffer, 8, 0) != 0);
	rig_free(&rig);
}

TEST(quota_bytes)
{
	struct eng_port_config config = small_config();
	struct eng_port_stats stats;
	struct frame *frame;
	struct rig rig, second;
	u64 buffer, program;

	rig_make(&rig, &config);
	second = rig;
	second.context = rig_context(&rig);

	RULE("more than max_buffer_bytes: RESOURCE_LIMIT");
	REFUSED(&rig, frame_buffer(rig.context, 4097, 1, HOST, USAGE_ALL),
		RESOURCE_LIMIT);
	REFUSED(&rig, frame_buffer(rig.context, 1ULL << 32, 1, HOST, USAGE_ALL),
		RESOURCE_LIMIT);
	REFUSED(&rig, frame_buffer(rig.context, U64_MAX, 1ULL << 63, HOST,
				   USAGE_ALL), RESOURCE_LIMIT);
	REFUSED(&rig, frame_buffer(rig.context, 1, 1ULL << 22, HOST, USAGE_ALL),
		RESOURCE_LIMIT);

	RULE("aggregate buffer memory: RESOURCE_LIMIT, of all contexts");
	frame = frame_buffer(rig.context, 4096, 1, HOST, USAGE_ALL);
	EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
	REFUSED(&rig, frame_buffer(second.context, 905, 1, HOST, USAGE_ALL),
		RESOURCE_LIMIT);
	buffer = rig_buffer(&second, 840, USAGE_ALL);
	EXPECT(buffer != 0);
	eng_port_stats(rig.port, &stats);
	/* What is retained to align it counts. */
	EXPECT_EQ(stats.buffer_memory, 4096 + 840 + 64);
	REFUSED(&rig, frame_buffer(rig.context, 1, 1, HOST, USAGE_ALL),
		RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	eng_port_stats(rig.port, &stats);
	EXPECT_EQ(stats.buffer_memory, 4096);

	RULE("more than max_artifact_bytes: RESOURCE_LIMIT");
	frame = frame_program(rig.context, VACC_REF_OP_FILL, 1);
	frame_set(frame, LOAD_PAYLOAD, 25, 8);
	frame_add(frame, 0, 1);
	REFUSED(&rig, frame, RESOURCE_LIMIT);

	RULE("aggregate program memory: RESOURCE_LIMIT, of all contexts");
	program = rig_program(&rig, VACC_REF_OP_FILL, 1);
	EXPECT(program && rig_program(&second, VACC_REF_OP_FILL, 1));
	REFUSED(&rig, frame_program(rig.context, VACC_REF_OP_FILL, 1),
		RESOURCE_LIMIT);
	EXPECT_EQ(rig_object(&rig, 0x0301, program), OK);
	REFUSED(&rig, frame_with(frame_program(rig.context, VACC_REF_OP_FILL, 1),
				 LOAD_RESIDENT, U64_MAX, 8), RESOURCE_LIMIT);
	EXPECT(rig_program(&rig, VACC_REF_OP_FILL, 1) != 0);
	rig_free(&rig);
}

TEST(quota_frames)
{
	struct eng_port_config config = default_config;
	struct cut cut = {};
	struct frame *frame;
	struct rig rig;
	u64 buffer;

	config.max_request = 97;
	config.max_response = 92;
	rig_make(&rig, &config);
	buffer = rig_buffer(&rig, 4096, USAGE_ALL);

	RULE("more than max_request_bytes: RESOURCE_LIMIT");
	frame = frame_transfer(0x0202, buffer, 0, 57);
	frame->bytes += 57;
	memset(frame->payload + 24, 0, 57);
	EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
	frame = frame_transfer(0x0202, buffer, 0, 58);
	frame->bytes += 58;
	REFUSED(&rig, frame, RESOURCE_LIMIT);

	RULE("more than max_response_bytes: RESOURCE_LIMIT");
	EXPECT_EQ(rig_send(&rig, frame_transfer(0x0203, buffer, 0, 76), NULL,
			   NULL), OK);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 0, 77), RESOURCE_LIMIT);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 0, 1ULL << 32),
		RESOURCE_LIMIT);
	/* More room than that is no fault. */
	cut.room = 4096;
	EXPECT_EQ(rig_send(&rig, frame_transfer(0x0203, buffer, 0, 76), &cut,
			   NULL), OK);
	rig_free(&rig);
}

TEST(buffer_alignments)
{
	struct eng_port_config config = default_config;
	u64 alignment, buffer, tail;
	static struct reply reply;
	struct rig rig;
	u8 data[8];

	config.max_buffer_memory = 1ULL << 30;
	rig_make(&rig, &config);
	RULE("alignments up to 2 MiB, and memory that is zero");
	for (alignment = 1; alignment <= ENG_MAX_ALIGNMENT; alignment *= 2) {
		NOTE("alignment %llu", (long long)alignment);
		EXPECT_EQ(rig_send(&rig, frame_buffer(rig.context, 4097,
						      alignment, HOST,
						      USAGE_ALL),
				   NULL, &reply), OK);
		buffer = reply.object;
		EXPECT_EQ(rig_read(&rig, buffer, 4089, &tail, 8), OK);
		EXPECT_EQ(tail, 0);
		EXPECT_EQ(rig_write(&rig, buffer, 4089, "12345678", 8), OK);
		EXPECT_EQ(rig_read(&rig, buffer, 4089, data, 8), OK);
		EXPECT(!memcmp(data, "12345678", 8));
		EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	}
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

TEST(port_configs)
{
	const struct eng_port_config good = default_config;
	struct eng_port_config bad;
	struct eng_port *port;

#define REFUSED_CONFIG(change)						\
	do {								\
		bad = good;						\
		bad.change;						\
		EXPECT_EQ(eng_port_create(&bad, &port), INVALID);	\
	} while (0)

	RULE("a device is never worse than the protocol allows");
	REFUSED_CONFIG(max_chain = 1);
	REFUSED_CONFIG(max_chain = 257);
	REFUSED_CONFIG(max_request = 96);
	REFUSED_CONFIG(max_request = 16777217);
	REFUSED_CONFIG(max_response = 91);
	REFUSED_CONFIG(max_response = 16777217);
	REFUSED_CONFIG(capabilities = VIRTIO_ACCEL_CAP_EVENT_CANCEL);
	REFUSED_CONFIG(capabilities |= VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY);
	REFUSED_CONFIG(capabilities |= VIRTIO_ACCEL_CAP_SECURE_CONTEXTS);
	REFUSED_CONFIG(device_class = 4);
	REFUSED_CONFIG(limits.max_contexts = 0);
	REFUSED_CONFIG(limits.max_bindings = 0);
	REFUSED_CONFIG(limits.max_bindings = 4097);
	REFUSED_CONFIG(limits.max_buffer_bytes = 0);
}
