// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Frames cut at every byte, in both directions: the answer is always the same.
 */
#include <time.h>

#include "split.h"

static u64 victim;			/* what the next request is about */

static struct frame *object_frame(u16 opcode, u64 id)
{
	struct frame *frame = frame_new(opcode);

	frame_add(frame, id, 8);
	return frame;
}

static struct frame *build_info(struct rig *rig)
{
	return frame_new(VIRTIO_ACCEL_OP_GET_DEVICE_INFO);
}

static struct frame *build_create_context(struct rig *rig)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);

	frame_add(frame, 0, 8);
	return frame;
}

static struct frame *build_destroy_context(struct rig *rig)
{
	return object_frame(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, rig_context(rig));
}

static struct frame *build_allocate(struct rig *rig)
{
	return frame_buffer(rig->context, 256, 64, HOST, USAGE_ALL);
}

static struct frame *build_free(struct rig *rig)
{
	return object_frame(VIRTIO_ACCEL_OP_FREE_BUFFER,
			    rig_buffer(rig, 256, USAGE_ALL));
}

static struct frame *build_write(struct rig *rig)
{
	struct frame *frame;

	victim = rig_buffer(rig, 256, USAGE_ALL);
	frame = frame_transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER, victim, 3, 5);
	frame_add_bytes(frame, "abcde", 5);
	return frame;
}

static void undo_write(struct rig *rig, const struct reply *reply)
{
	char text[7];

	EXPECT_EQ(rig_read(rig, victim, 2, text, 7), OK);
	EXPECT(!memcmp(text, "\0abcde", 7));
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, victim), OK);
}

static struct frame *build_read(struct rig *rig)
{
	victim = rig_buffer(rig, 256, USAGE_ALL);
	EXPECT_EQ(rig_write(rig, victim, 10, "12345", 5), OK);
	return frame_transfer(VIRTIO_ACCEL_OP_READ_BUFFER, victim, 9, 7);
}

static void undo_read(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(reply->bytes[16], 0);
	EXPECT(!memcmp(reply->bytes + 17, "12345", 6));
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, victim), OK);
}

static struct frame *build_load(struct rig *rig)
{
	return frame_program(rig->context, VACC_REF_OP_FILL, 0x77);
}

static struct frame *build_unload(struct rig *rig)
{
	return object_frame(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
			    rig_program(rig, VACC_REF_OP_FILL, 1));
}

static struct frame *build_create_queue(struct rig *rig)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);

	frame_add(frame, rig->context, 8);
	frame_add(frame, 0, 8);
	return frame;
}

static struct frame *build_destroy_queue(struct rig *rig)
{
	return object_frame(VIRTIO_ACCEL_OP_DESTROY_QUEUE, rig_queue(rig));
}

static u64 program;			/* of the submission */

static struct frame *build_submit(struct rig *rig)
{
	struct frame *frame;

	victim = rig_buffer(rig, 256, USAGE_ALL);
	program = rig_program(rig, VACC_REF_OP_FILL, 0x77);
	frame = frame_submit(rig->queue, program, 1, 0);
	frame_bind(frame, victim, 1, 254, 0, WRITE_ONLY);
	return frame;
}

static void undo_event(struct rig *rig, u64 event)
{
	EXPECT_EQ(rig_wait(rig, event, NULL), COMPLETE);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_DESTROY_EVENT, event), OK);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, victim), OK);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, program), OK);
}

static void undo_submit(struct rig *rig, const struct reply *reply)
{
	undo_event(rig, reply->object);
}

static u64 some_event;

static struct frame *build_poll(struct rig *rig)
{
	static struct reply reply;

	EXPECT_EQ(rig_send(rig, build_submit(rig), NULL, &reply), OK);
	some_event = reply.object;
	rig_wait(rig, some_event, NULL);
	return object_frame(VIRTIO_ACCEL_OP_POLL_EVENT, some_event);
}

static void undo_poll(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(reply->object, COMPLETE);
	undo_event(rig, some_event);
}

static struct frame *build_cancel(struct rig *rig)
{
	static struct reply reply;

	rig_hold(rig, true);
	EXPECT_EQ(rig_send(rig, build_submit(rig), NULL, &reply), OK);
	some_event = reply.object;
	return object_frame(VIRTIO_ACCEL_OP_CANCEL_EVENT, some_event);
}

static void undo_cancel(struct rig *rig, const struct reply *reply)
{
	rig_hold(rig, false);
	EXPECT_EQ(rig_poll(rig, some_event, NULL), CANCELLED);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_DESTROY_EVENT, some_event),
		  OK);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, victim), OK);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, program), OK);
}

static struct frame *build_destroy_event(struct rig *rig)
{
	struct frame *frame = build_poll(rig);

	frame->opcode = VIRTIO_ACCEL_OP_DESTROY_EVENT;
	return frame;
}

static void undo_destroy_event(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(rig_poll(rig, some_event, NULL), NO_ANSWER);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, victim), OK);
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, program), OK);
}

static void undo_context(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
			     reply->object), OK);
}

static void undo_buffer(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_FREE_BUFFER, reply->object),
		  OK);
}

static void undo_program(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, reply->object),
		  OK);
}

static void undo_queue(struct rig *rig, const struct reply *reply)
{
	EXPECT_EQ(rig_object(rig, VIRTIO_ACCEL_OP_DESTROY_QUEUE, reply->object),
		  OK);
}

const struct sample samples[] = {
	{ "get_device_info", 0, 76, build_info, NULL },
	{ "create_context", 8, 8, build_create_context, undo_context },
	{ "destroy_context", 8, 0, build_destroy_context, NULL },
	{ "allocate_buffer", 40, 8, build_allocate, undo_buffer },
	{ "free_buffer", 8, 0, build_free, NULL },
	{ "write_buffer", 29, 0, build_write, undo_write },
	{ "read_buffer", 24, 7, build_read, undo_read },
	{ "load_program", 104, 8, build_load, undo_program },
	{ "unload_program", 8, 0, build_unload, NULL },
	{ "create_queue", 16, 8, build_create_queue, undo_queue },
	{ "destroy_queue", 8, 0, build_destroy_queue, NULL },
	{ "submit", 64, 8, build_submit, undo_submit },
	{ "poll_event", 8, 8, build_poll, undo_poll },
	{ "cancel_event", 8, 0, build_cancel, undo_cancel },
	{ "destroy_event", 8, 0, build_destroy_event, undo_destroy_event },
	{},
};

void sample_send(struct rig *rig, const struct sample *sample,
		 const struct cut *cut)
{
	static struct reply reply;
	struct frame *frame = sample->build(rig);

	EXPECT_EQ(frame->bytes, sample->request_bytes);
	EXPECT_EQ(rig_send(rig, frame, cut, &reply), OK);
	EXPECT_EQ(reply.payload_bytes, sample->answer_bytes);
	if (sample->undo)
		sample->undo(rig, &reply);
}

TEST(split_everywhere)
{
	const struct sample *sample;
	struct rig rig;
	u32 i, request, response;

	rig_make(&rig, NULL);
	for (sample = samples; sample->name; sample++) {
		request = 16 + sample->request_bytes;
		response = 16 + sample->answer_bytes;
		RULE("split request: %s", sample->name);
		for (i = 1; i < request; i++) {
			const struct cut cut = { .first_readable = i };

			NOTE("cut at %u", i);
			sample_send(&rig, sample, &cut);
		}
		RULE("split response: %s", sample->name);
		for (i = 1; i <= response; i++) {
			const struct cut cut = { .first_writable = i };

			NOTE("cut at %u", i);
			sample_send(&rig, sample, &cut);
		}
		RULE("one-byte descriptors: %s", sample->name);
		for (i = 1; i <= 9; i++) {
			const struct cut cut = {
				.readable = i,
				.writable = i,
				.room = response,
			};

			NOTE("pieces of %u", i);
			sample_send(&rig, sample, &cut);
		}
	}
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

/* Room for a success, exactly; and one byte less: nothing happens. */
TEST(split_room)
{
	const struct sample *sample;
	struct snapshot before;
	struct rig rig;
	u32 response;

	rig_make(&rig, NULL);
	for (sample = samples; sample->name; sample++) {
		struct cut cut = {};
		struct frame *frame;

		RULE("room for the answer: %s", sample->name);
		response = 16 + sample->answer_bytes;
		cut.room = response;
		sample_send(&rig, sample, &cut);

		for (cut.room = 1; cut.room < response; cut.room++) {
			NOTE("%u bytes", cut.room);
			frame = sample->build(&rig);
			rig_snapshot(&rig, &before);
			EXPECT_EQ(rig_send(&rig, frame, &cut, NULL), NO_ANSWER);
			EXPECT_UNCHANGED(&rig, &before);
			rig_restart(&rig);
		}
	}
	rig_free(&rig);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* The best of some rounds of 64 KiB in pieces of @each. */
static double transfer_time(struct rig *rig, u16 opcode, u64 buffer, u32 each)
{
	static u8 memory[2][65536 + 64];
	static struct eng_seg segs[512];
	double best = 1e9;
	u32 round;

	for (round = 0; round < 20; round++) {
		struct virtio_accel_req_hdr header = {
			.opcode = cpu_to_le16(opcode),
			.request_id = cpu_to_le64(1),
		};
		struct virtio_accel_transfer t = {
			.buffer = cpu_to_le64(buffer),
			.bytes = cpu_to_le64(65536),
		};
		bool write = opcode == VIRTIO_ACCEL_OP_WRITE_BUFFER;
		u32 total = write ? 40 + 65536 : 16 + 65536;
		struct eng_chain chain = { .segs = segs, .room = 512 };
		u32 at = 0, other = 0;
		double begin;

		header.payload_bytes = cpu_to_le32(write ? 24 + 65536 : 24);
		memcpy(memory[0], &header, 16);
		memcpy(memory[0] + 16, &t, 24);
		if (!write) {
			segs[other++] = (struct eng_seg){ memory[0], 40 };
			chain.readable = 1;
		}
		while (at < total) {
			u32 len = total - at < each ? total - at : each;

			segs[other++] = (struct eng_seg){
				memory[!write] + at, len,
			};
			at += len;
		}
		if (write) {
			chain.readable = other;
			segs[other++] = (struct eng_seg){ memory[1], 16 };
		}
		chain.writable = other - chain.readable;
		chain.descriptors = other;
		begin = seconds();
		EXPECT_EQ(eng_port_handle(rig->port, &chain),
			  write ? 16 : total);
		if (seconds() - begin < best)
			best = seconds() - begin;
	}
	return best;
}

/*
 * The sanitizer looks at every copy, which costs most where copies are short: where
 * it does, another build of this program finds out.
 */
TEST(split_cost)
{
	const char *plain = getenv("PLAIN");
	struct rig rig;
	u64 buffer;
	u32 i;

	RULE("64 KiB in many segments costs less than 4 times as much");
	if (plain && *plain) {
		EXPECT_EQ(system(plain), 0);
		return;
	}
	rig_make(&rig, NULL);
	buffer = rig_buffer(&rig, 65536, USAGE_ALL);
	for (i = 0; i < 2; i++) {
		u16 opcode = i ? VIRTIO_ACCEL_OP_READ_BUFFER :
				 VIRTIO_ACCEL_OP_WRITE_BUFFER;
		/* 255 descriptors, the other one is of the other direction */
		double many = transfer_time(&rig, opcode, buffer, 258);
		double one = transfer_time(&rig, opcode, buffer, 70000);

		NOTE("%.1f us against %.1f us", many * 1e6, one * 1e6);
		EXPECT(many < 4 * one);
	}
	EXPECT_EQ(rig_object(&rig, VIRTIO_ACCEL_OP_FREE_BUFFER, buffer), OK);
	rig_free(&rig);
}
