// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Prints every frame of a fill, as the kernel's driver sends them and the reference device
 * answers: the example of Documentation/protocol/frames.rst. Here the device is the engine,
 * in this very program, behind a ring that main() is the driver of.
 *
 * Lines begin with "=" for the configuration space and memory of the ring, ">" for what the
 * device reads, and "<" for what it has written. check.sh compares them with the page.
 */
#include <stdarg.h>
#include <stdio.h>

#include "port.h"
#include "ring.h"

#define RING_SIZE	256
#define ROOM		4096	/* for each piece of a frame */
#define PIECES		4
#define ADDRESS(piece)	(0x10000 + (u64)(piece) * ROOM)

static u8 memory[PIECES][ROOM];	/* what addresses mean to the device */
static struct eng_ring_desc desc[RING_SIZE] __attribute__((aligned(16)));
static u8 avail_memory[4 + 2 * RING_SIZE] __attribute__((aligned(4)));
static u8 used_memory[4 + 8 * RING_SIZE] __attribute__((aligned(4)));
static struct eng_ring_avail *const avail = (void *)avail_memory;
static struct eng_ring_used *const used = (void *)used_memory;

static struct eng_port *port;
static struct eng_chain *chain;
static struct eng_ring ring;
static u16 turn;		/* chains offered so far */
static u32 next_id = 1;		/* upper half of the next request ID */

static u32 length[PIECES];	/* of the pieces of the frame that is being made */
static u32 pieces;
static u64 request_id;
static const u8 *answer;	/* what the device has written and was not shown yet */
static u32 answer_left;

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "frames: %s\n", what);
	exit(1);
}

/* At most 16 bytes of a field, and what they are. */
static void line(char prefix, const u8 *bytes, u32 count, const char *what)
{
	int width = 0;
	u32 i;

	putchar(prefix);
	for (i = 0; i < count; i++)
		width += printf(i == 8 ? "  %02x" : " %02x", bytes[i]);
	if (*what)
		printf("%*s%s", 52 - width, "", what);
	putchar('\n');
}

static void show(char prefix, const void *bytes, u32 count, const char *format, ...)
{
	char what[128];
	va_list args;
	u32 i;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	for (i = 0; i < count; i += 16)
		line(prefix, (const u8 *)bytes + i, min_t(u32, count - i, 16), i ? "" : what);
}

static void title(const char *text)
{
	printf("\n# %s\n", text);
}

/* The driver's side: a frame is a header, fields, and pieces of writable memory. */

static void add(const void *bytes, u32 count)
{
	memcpy(memory[pieces - 1] + length[pieces - 1], bytes, count);
	length[pieces - 1] += count;
}

static void begin(u16 opcode, const char *name, u32 payload_bytes, u32 tag)
{
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(opcode),
		.payload_bytes = cpu_to_le32(payload_bytes),
	};

	request_id = (u64)next_id++ << 32 | tag;
	header.request_id = cpu_to_le64(request_id);
	memset(memory, 0, sizeof(memory));
	memset(length, 0, sizeof(length));
	pieces = 1;
	add(&header, sizeof(header));
	show('>', &header, sizeof(header), "%s, payload of %u", name, payload_bytes);
}

static void field(u64 value, u32 bytes, const char *what)
{
	__le64 wire = cpu_to_le64(value);

	add(&wire, bytes);
	show('>', &wire, bytes, "%s", what);
}

static void raw(const void *bytes, u32 count, const char *what)
{
	add(bytes, count);
	show('>', bytes, count, "%s", what);
}

static void piece(u32 bytes)
{
	length[pieces++] = bytes;
}

static void describe(u32 readable)
{
	u32 i;

	for (i = 0; i < pieces; i++) {
		u16 flags = (i >= readable ? ENG_DESC_WRITE : 0) |
			    (i + 1 < pieces ? ENG_DESC_NEXT : 0);

		desc[i] = (struct eng_ring_desc){
			.addr = cpu_to_le64(ADDRESS(i)),
			.len = cpu_to_le32(length[i]),
			.flags = cpu_to_le16(flags),
			.next = cpu_to_le16(i + 1 < pieces ? i + 1 : 0),
		};
	}
}

static void show_ring(u32 readable)
{
	u32 i;

	for (i = 0; i < pieces; i++)
		show('=', &desc[i], sizeof(*desc), "descriptor %u: %u %s%s", i, length[i],
		     i < readable ? "readable" : "writable", i + 1 < pieces ? ", next" : "");
	show('=', &avail->ring[(turn - 1) % RING_SIZE], 2, "available ring: head 0");
	show('=', &avail->idx, 2, "available ring: its index, then");
}

static const char *const statuses[] = {
	"OK", "UNSUPPORTED", "INCOMPATIBLE", "INVALID_ARGUMENT", "OUT_OF_BOUNDS", "BUSY",
	"OUT_OF_MEMORY", "RESOURCE_LIMIT", "DEADLINE_EXPIRED", "DEVICE_LOST",
	"PERMISSION_DENIED", "STALE_OBJECT",
};

/* Hands the frame to the device, whose writable pieces begin after @readable others. */
static u32 send(u32 readable, bool with_ring)
{
	const struct eng_ring_used_elem *element = &used->ring[turn % RING_SIZE];
	const u8 *header = memory[readable];
	u32 bytes;
	u16 status;

	describe(readable);
	avail->ring[turn % RING_SIZE] = 0;
	eng_store_release(avail->idx, cpu_to_le16(++turn));
	if (with_ring)
		show_ring(readable);
	if (eng_ring_process(&ring, port, chain, 64) & ENG_RING_BROKEN ||
	    eng_load_acquire(used->idx) != cpu_to_le16(turn))
		fail("the device has not returned the chain");
	bytes = le32_to_cpu(element->len);
	if (with_ring) {
		show('=', element, sizeof(*element), "used ring: head 0, %u bytes", bytes);
		show('=', &used->idx, 2, "used ring: its index, then");
	}
	if (!bytes)
		return 0;
	status = eng_get_le16(header);
	if (le64_to_cpu(eng_get_u64(header + 8)) != request_id || status >= ARRAY_SIZE(statuses))
		fail("an answer that makes no sense");
	show('<', header, 16, "%s, payload of %u", statuses[status], bytes - 16);
	answer = length[readable] == 16 ? memory[readable + 1] : header + 16;
	answer_left = bytes - 16;
	return bytes;
}

static u64 got(u32 bytes, const char *what)
{
	u64 value = 0;

	if (bytes > answer_left)
		fail("an answer that is too short");
	memcpy(&value, answer, min_t(u32, bytes, sizeof(value)));
	show('<', answer, bytes, "%s", what);
	answer += bytes;
	answer_left -= bytes;
	return le64_to_cpu(value);
}

static void about(u16 opcode, const char *name, u64 object, const char *what)
{
	begin(opcode, name, 8, 0);
	field(object, 8, what);
}

static void destroy(u16 opcode, const char *name, u64 object, const char *what)
{
	title(name);
	about(opcode, name, object, what);
	piece(16);
	send(1, false);
}

/* The frames, in the order of the page. */

static void configuration(void)
{
	struct virtio_accel_config config;

	title("configuration space");
	eng_port_wire_config(port, &config);
	show('=', &config.protocol_major, 2, "protocol_major");
	show('=', &config.protocol_minor, 2, "protocol_minor");
	show('=', &config.command_queue_count, 2, "command_queue_count");
	show('=', &config.max_chain_descriptors, 2, "max_chain_descriptors: 256");
	show('=', &config.max_request_bytes, 4, "max_request_bytes: 16 MiB");
	show('=', &config.max_response_bytes, 4, "max_response_bytes: 16 MiB");
}

static void info(void)
{
	title("GET_DEVICE_INFO");
	begin(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, "GET_DEVICE_INFO", 0, 0);
	piece(16 + sizeof(struct virtio_accel_device_info));
	send(1, true);
	got(16, "uuid");
	got(2, "class: NPU");
	got(2, "reserved");
	got(4, "vendor");
	got(4, "device");
	got(8, "capabilities: host, device, shared; cancel");
	got(4, "max_contexts: 64");
	got(4, "max_buffers_per_context: 1024");
	got(4, "max_programs_per_context: 256");
	got(4, "max_queues_per_context: 16");
	got(4, "max_events_per_context: 4096");
	got(4, "max_bindings_per_submission: 256");
	got(8, "max_buffer_bytes: 1 GiB");
	got(8, "max_artifact_bytes: 1 GiB");
}

static u64 create_context(void)
{
	title("CREATE_CONTEXT");
	begin(VIRTIO_ACCEL_OP_CREATE_CONTEXT, "CREATE_CONTEXT", 8, 0);
	field(0, 4, "flags");
	field(0, 4, "reserved");
	piece(24);
	send(1, false);
	return got(8, "the context");
}

static u64 create_queue(u64 context)
{
	title("CREATE_QUEUE");
	begin(VIRTIO_ACCEL_OP_CREATE_QUEUE, "CREATE_QUEUE", 16, 0);
	field(context, 8, "context");
	field(0, 4, "flags");
	field(0, 4, "reserved");
	piece(24);
	send(1, false);
	return got(8, "the queue");
}

static u64 allocate_buffer(u64 context)
{
	title("ALLOCATE_BUFFER");
	begin(VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, "ALLOCATE_BUFFER", 40, 0);
	field(context, 8, "context");
	field(1 << 20, 8, "bytes: 1 MiB");
	field(64, 8, "alignment");
	field(VIRTIO_ACCEL_DOMAIN_SHARED, 1, "domain: shared");
	field(0, 7, "reserved");
	field(VIRTIO_ACCEL_USAGE_MASK, 4, "usage: all of them");
	field(0, 4, "reserved");
	piece(24);
	send(1, false);
	return got(8, "the buffer");
}

static u64 load_program(u64 context)
{
	static const u8 artifact[VACC_REF_BYTES] = {
		'V', 'A', 'M', 'K', 1, 0, VACC_REF_OP_FILL, VACC_REF_BINDING_ABI,
		0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xa5,
	};
	const __le32 target[12] = {
		cpu_to_le32(VACC_REF_TARGET0), cpu_to_le32(VACC_REF_TARGET1),
		cpu_to_le32(VACC_REF_TARGET2), cpu_to_le32(VACC_REF_TARGET3),
	};

	title("LOAD_PROGRAM");
	begin(VIRTIO_ACCEL_OP_LOAD_PROGRAM, "LOAD_PROGRAM", 80 + sizeof(artifact), 0);
	field(context, 8, "context");
	field(VACC_REF_FORMAT, 4, "format");
	field(0, 4, "flags");
	raw(target, sizeof(target), "target: 12 words");
	field(sizeof(artifact), 8, "payload_bytes");
	field(VACC_REF_RESIDENT, 8, "resident_bytes");
	piece(0);
	raw(artifact, sizeof(artifact), "the artifact: fill slot 0 with 0xa5");
	piece(24);
	send(2, false);
	return got(8, "the program");
}

static u64 submit(u64 queue, u64 program, u64 buffer)
{
	title("SUBMIT");
	begin(VIRTIO_ACCEL_OP_SUBMIT, "SUBMIT", 32 + 32, 5);
	field(queue, 8, "queue");
	field(program, 8, "program");
	field(1, 4, "binding_count");
	field(0, 4, "flags");
	field(30000000000, 8, "timeout_ns: 30 s");
	piece(0);
	field(buffer, 8, "binding: buffer");
	field(0, 8, "offset");
	field(1 << 20, 8, "bytes");
	field(0, 4, "slot");
	field(VIRTIO_ACCEL_ACCESS_WRITE, 1, "access: write");
	field(0, 3, "reserved");
	piece(24);
	send(2, false);
	return got(8, "the event");
}

static void poll_event(u64 event, const char *state)
{
	title("POLL_EVENT");
	about(VIRTIO_ACCEL_OP_POLL_EVENT, "POLL_EVENT", event, "event");
	piece(24);
	send(1, false);
	got(2, state);
	got(2, "error: OK");
	got(4, "reserved");
}

static void read_buffer(u64 buffer)
{
	title("READ_BUFFER");
	begin(VIRTIO_ACCEL_OP_READ_BUFFER, "READ_BUFFER", 24, 0);
	field(buffer, 8, "buffer");
	field((1 << 20) - 1, 8, "offset");
	field(1, 8, "bytes");
	piece(16);
	piece(1);
	send(1, true);
	got(1, "the data");
}

static void refusals(u64 context)
{
	title("stale");
	about(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, "DESTROY_CONTEXT", context, "context, again");
	piece(16);
	send(1, false);

	title("trailing byte");
	begin(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, "GET_DEVICE_INFO", 1, 0);
	field(0, 1, "what should not be there");
	piece(92);
	send(1, false);

	title("unknown");
	begin(0x7777, "0x7777", 0, 0);
	piece(16);
	send(1, false);

	title("no room");
	begin(VIRTIO_ACCEL_OP_CREATE_CONTEXT, "CREATE_CONTEXT", 8, 0);
	field(0, 4, "flags");
	field(0, 4, "reserved");
	piece(23);
	show('=', &(__le32){ cpu_to_le32(send(1, false)) }, 4, "used ring: 0 bytes");
}

/* Where the device sees memory of the driver. */
static void *map(void *owner, u64 address, u32 *bytes)
{
	u64 offset = address - ADDRESS(0);

	(void)owner;
	if (address < ADDRESS(0) || offset >= sizeof(memory))
		return NULL;
	*bytes = min_t(u64, *bytes, sizeof(memory) - offset);
	return (u8 *)memory + offset;
}

static void start(void)
{
	static const struct eng_ring_ops ops = { .map = map };
	const struct eng_port_config config = {
		.name = "frames",
		.limits = {
			.max_contexts = ENG_MAX_CONTEXTS,
			.max_buffers = ENG_MAX_BUFFERS,
			.max_images = ENG_MAX_IMAGES,
			.max_queues = ENG_MAX_QUEUES,
			.max_events = ENG_MAX_EVENTS,
			.max_bindings = ENG_MAX_BINDINGS,
			.max_buffer_bytes = ENG_MAX_BUFFER_BYTES,
			.max_artifact_bytes = ENG_MAX_ARTIFACT_BYTES,
			.max_scratch_bytes = 1 << 20,
		},
		.workers = 1,
		.hold = true,
		.uuid = "virtio-accelmock",
		.device_class = VIRTIO_ACCEL_CLASS_NPU,
		.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY | VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
				VIRTIO_ACCEL_CAP_SHARED_MEMORY | VIRTIO_ACCEL_CAP_EVENT_CANCEL,
		.max_chain = VIRTIO_ACCEL_MAX_CHAIN,
		.max_request = VIRTIO_ACCEL_MAX_FRAME,
		.max_response = VIRTIO_ACCEL_MAX_FRAME,
		.max_buffer_memory = 1 << 24,
		.max_program_memory = 1 << 20,
	};
	const struct eng_ring_config place = {
		.desc = desc,
		.avail = avail,
		.used = used,
		.size = RING_SIZE,
		.max_chain = VIRTIO_ACCEL_MAX_CHAIN,
		.ops = &ops,
	};

	chain = eng_chain_alloc(ENG_CHAIN_SEGS);
	eng_ring_init(&ring);
	if (!chain || eng_port_create(&config, &port) || eng_ring_start(&ring, &place))
		fail("no device");
}

static void execute(void)
{
	struct eng_device *engine = eng_port_engine_get(port);
	u64 sequence;

	if (!engine || eng_harness_oldest(engine, &sequence) ||
	    eng_harness_complete(engine, sequence))
		fail("nothing to execute");
	eng_port_engine_put(port);
}

int main(void)
{
	u64 context, queue, buffer, program, event;

	start();
	configuration();
	info();
	context = create_context();
	queue = create_queue(context);
	buffer = allocate_buffer(context);
	program = load_program(context);
	event = submit(queue, program, buffer);
	poll_event(event, "state: pending");
	execute();
	poll_event(event, "state: complete");
	read_buffer(buffer);
	destroy(VIRTIO_ACCEL_OP_DESTROY_EVENT, "DESTROY_EVENT", event, "event");
	destroy(VIRTIO_ACCEL_OP_DESTROY_QUEUE, "DESTROY_QUEUE", queue, "queue");
	destroy(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, "UNLOAD_PROGRAM", program, "program");
	destroy(VIRTIO_ACCEL_OP_FREE_BUFFER, "FREE_BUFFER", buffer, "buffer");
	destroy(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, "DESTROY_CONTEXT", context, "context");
	refusals(context);

	eng_ring_stop(&ring);
	eng_ring_fini(&ring);
	eng_chain_free(chain);
	eng_port_free(port);
	return 0;
}
