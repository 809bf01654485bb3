// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The vectors that are published with the protocol, where they are at hand.
 *
 * They have object IDs of another device in them: those are replaced by the ones
 * that this device gives.
 */
#include "codec.h"
#include "script.h"

struct vector {
	const char *name;
	const char *kind;
	const char *label;
	const char *hex;
	bool edge;
};

static const struct vector vectors[] = {
#include "vectors.inc"
	{},
};

#define FOREACH(v)	for (v = vectors; v->name; v++)

static const struct {
	const char *hex;
	char letter;
} foreign_ids[] = {
	{ "1817161514131211", 'c' },
	{ "2827262524232221", 'b' },
	{ "3837363534333231", 'p' },
	{ "4847464544434241", 'q' },
	{ "5857565554535251", 'e' },
};

static const struct vector *vector_find(const char *name)
{
	const struct vector *v;

	FOREACH(v) {
		if (!strcmp(v->name, name))
			return v;
	}
	printf("no vector %s\n", name);
	exit(1);
}

static u32 vector_bytes(const struct vector *v, u8 *bytes)
{
	const char *const texts[] = { v->hex, NULL };
	u8 wild[2048];

	return script_bytes(&(struct script){}, texts, bytes, wild);
}

/* The text of a vector with letters instead of IDs. */
static const char *vector_text(const char *name)
{
	static char texts[8][1024];
	static u32 turn;
	const char *hex = vector_find(name)->hex;
	char *text = texts[turn++ % 8];
	char *to = text;
	u32 i;

	while (*hex) {
		for (i = 0; i < ARRAY_SIZE(foreign_ids); i++) {
			if (!strncmp(hex, foreign_ids[i].hex, 16))
				break;
		}
		if (i < ARRAY_SIZE(foreign_ids)) {
			to += sprintf(to, "$%c", foreign_ids[i].letter);
			hex += 16;
		} else {
			*to++ = *hex++;
			*to++ = *hex++;
		}
	}
	*to = '\0';
	return text;
}

static void shared_rig(struct rig *rig)
{
	struct eng_port_config config = default_config;

	config.capabilities |= VIRTIO_ACCEL_CAP_SHARED_MEMORY;
	rig_make(rig, &config);
}

TEST(vector_requests)
{
	const struct vector *v;
	struct codec codec;
	u8 bytes[2048], again[2048];
	struct rig rig;
	u32 count;

	shared_rig(&rig);
	FOREACH(v) {
		if (strcmp(v->kind, "request") || v->edge)
			continue;
		RULE("vector %s", v->name);
		count = vector_bytes(v, bytes);
		EXPECT(codec_decode(bytes, count, &codec));
		EXPECT_EQ(codec_encode(&codec, again), count);
		EXPECT(!memcmp(bytes, again, count));
		/* Well-formed, and about objects that nobody has. */
		EXPECT_EQ(rig_send_raw(&rig, bytes, count, NULL, NULL),
			  codec.object ? STALE : OK);
	}
	rig_free(&rig);
}

TEST(vector_edge_cases)
{
	static const struct {
		const char *label;
		u32 status;
	} verdicts[] = {
		{ "Size", NO_ANSWER },
		{ "UNSUPPORTED", UNSUPPORTED },
		{ "INVALID_ARGUMENT", INVALID },
		{ "RESOURCE_LIMIT", RESOURCE_LIMIT },
	};
	const struct vector *v;
	struct snapshot before;
	u8 bytes[2048];
	struct rig rig;
	u32 i, count;

	shared_rig(&rig);
	FOREACH(v) {
		if (strcmp(v->kind, "request") || !v->edge)
			continue;
		RULE("vector %s", v->name);
		for (i = 0; i < ARRAY_SIZE(verdicts); i++) {
			if (!strcmp(v->label, verdicts[i].label))
				break;
		}
		EXPECT(i < ARRAY_SIZE(verdicts));
		if (i == ARRAY_SIZE(verdicts))
			continue;
		rig_snapshot(&rig, &before);
		count = vector_bytes(v, bytes);
		EXPECT_EQ(rig_send_raw(&rig, bytes, count, NULL, NULL),
			  verdicts[i].status);
		EXPECT_UNCHANGED(&rig, &before);
	}
	rig_free(&rig);
}

TEST(vector_configs)
{
	const struct vector *v;

	FOREACH(v) {
		struct eng_port_config config = default_config;
		struct virtio_accel_config wire, again;
		struct eng_port *port;

		if (strcmp(v->kind, "config") ||
		    (v->edge && strcmp(v->label, "ChainDescriptorLimit")))
			continue;
		RULE("vector %s", v->name);
		EXPECT_EQ(vector_bytes(v, (u8 *)&wire), sizeof(wire));
		config.max_chain = le16_to_cpu(wire.max_chain_descriptors);
		config.max_request = le32_to_cpu(wire.max_request_bytes);
		config.max_response = le32_to_cpu(wire.max_response_bytes);
		if (v->edge) {
			EXPECT_EQ(eng_port_create(&config, &port), INVALID);
			continue;
		}
		EXPECT_EQ(eng_port_create(&config, &port), OK);
		eng_port_wire_config(port, &again);
		EXPECT(!memcmp(&wire, &again, sizeof(wire)));
		eng_port_free(port);
	}
}

static void exchange(struct script *script, struct rig *rig,
		     const char *request, const char *response)
{
	const struct script_step step = {
		response, { vector_text(request) }, { vector_text(response) }
	};

	script_run(script, rig, "vector ", &step, 1);
}

/* A program like that of the canonical submission, but one that we can load. */
static void load_xor(struct script *script, struct rig *rig)
{
	const struct script_step step = {
		"response_load_program",
		{ "0003 0000 68000000 0807060504030201 $c 4b4d4156 00000000",
		  "4b4d4156 00000100 54534554 594c4e4f 00000000 00000000",
		  "00000000 00000000 00000000 00000000 00000000 00000000",
		  "1800000000000000 4000000000000000",
		  "56414d4b 01 00 03 01 07000000 ffffffff 5a 00000000000000" },
		{ vector_text("response_load_program") },
	};

	script_run(script, rig, "vector ", &step, 1);
}

static u64 submit_held(struct script *script, struct rig *rig)
{
	struct frame *frame = frame_submit(script->ids['q'], script->ids['p'],
					   1, 0);
	static struct reply reply;

	frame_bind(frame, script->ids['b'], 0, 4096, 7, READ_WRITE);
	EXPECT_EQ(rig_send(rig, frame, NULL, &reply), OK);
	return reply.object;
}

static void poll_vectors(struct script *script, struct rig *rig)
{
	struct eng_device *engine = eng_port_engine_get(rig->port);
	u64 complete = script->ids['e'];
	u64 sequence, failed, cancelled;

	exchange(script, rig, "request_poll_event",
		 "response_poll_event_complete");
	eng_harness_hold(engine, true);
	failed = submit_held(script, rig);
	cancelled = submit_held(script, rig);

	script->ids['e'] = failed;
	exchange(script, rig, "request_poll_event",
		 "response_poll_event_pending");
	EXPECT_EQ(eng_harness_oldest(engine, &sequence), OK);
	EXPECT_EQ(eng_harness_fail(engine, sequence, DEVICE_LOST), OK);
	exchange(script, rig, "request_poll_event",
		 "response_poll_event_failed");

	script->ids['e'] = cancelled;
	exchange(script, rig, "request_cancel_event", "response_cancel_event");
	exchange(script, rig, "request_poll_event",
		 "response_poll_event_cancelled");
	exchange(script, rig, "request_destroy_event",
		 "response_destroy_event");
	script->ids['e'] = failed;
	exchange(script, rig, "request_destroy_event",
		 "response_destroy_event");
	script->ids['e'] = complete;
	exchange(script, rig, "request_destroy_event",
		 "response_destroy_event");
	eng_harness_hold(engine, false);
	eng_port_engine_put(rig->port);
}

static void object_vectors(struct script *script, struct rig *rig)
{
	exchange(script, rig, "request_create_context",
		 "response_create_context");
	exchange(script, rig, "request_allocate_buffer",
		 "response_allocate_buffer");
	exchange(script, rig, "request_free_buffer", "response_free_buffer");

	/* One that may also be written and read. */
	rig->context = script->ids['c'];
	script->ids['b'] = rig_buffer(rig, 4096, USAGE_ALL);
	exchange(script, rig, "request_write_buffer", "response_write_buffer");
	exchange(script, rig, "request_read_buffer", "response_read_buffer");
	load_xor(script, rig);
	exchange(script, rig, "request_create_queue", "response_create_queue");
}

TEST(vector_responses)
{
	struct script script = {};
	struct rig rig;

	if (!vectors->name)
		return;

	rig_make(&rig, NULL);
	exchange(&script, &rig, "request_get_device_info",
		 "response_get_device_info");
	exchange(&script, &rig, "request_unknown_opcode",
		 "response_unknown_opcode");
	rig_free(&rig);

	shared_rig(&rig);
	object_vectors(&script, &rig);
	exchange(&script, &rig, "request_submit", "response_submit_accepted");
	poll_vectors(&script, &rig);

	script.ids['e'] = 0;
	rig_fault(&rig, ENG_SUBMIT, ENG_FAULT_INDETERMINATE, DEVICE_LOST);
	exchange(&script, &rig, "request_submit",
		 "response_submit_indeterminate");
	exchange(&script, &rig, "request_destroy_event",
		 "response_destroy_event");

	exchange(&script, &rig, "request_destroy_queue",
		 "response_destroy_queue");
	exchange(&script, &rig, "request_unload_program",
		 "response_unload_program");
	exchange(&script, &rig, "request_free_buffer", "response_free_buffer");
	exchange(&script, &rig, "request_destroy_context",
		 "response_destroy_context");
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}
