// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Parts of the daemon, alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "inflight.h"
#include "memory.h"
#include "message.h"
#include "test.h"

#define PAGE	4096ULL

static int file_of(u64 bytes)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && !ftruncate(fd, bytes));
	return fd;
}

TEST(memory_translation)
{
	const struct memory_wire wire[] = {
		{ 0x1000, 2 * PAGE, 0x100000, PAGE },
		{ 0x3000, PAGE, 0x200000, 0 },
		{ 0xffffffffffff0000ULL, PAGE, 0x300000, 8 },
	};
	const int fds[] = { file_of(3 * PAGE), file_of(PAGE), file_of(2 * PAGE) };
	struct memory *memory;
	u32 bytes = 5 * PAGE;
	u8 *at;

	REQUIRE(!memory_init());
	REQUIRE(!memory_map(wire, fds, 3, &memory));
	at = memory_guest(memory, 0x1000, &bytes);
	EXPECT(at);
	EXPECT_EQ(bytes, 2 * PAGE);
	at[2 * PAGE - 1] = 0x5a;
	bytes = 5;
	EXPECT(memory_guest(memory, 0x2fff, &bytes) == at + 2 * PAGE - 1);
	EXPECT_EQ(bytes, 1);
	bytes = 1;
	EXPECT(!memory_guest(memory, 0xfff, &bytes));
	EXPECT(memory_guest(memory, 0x3000, &bytes));
	EXPECT(!memory_guest(memory, 0x4000, &bytes));
	EXPECT(!memory_guest(memory, 0, &bytes));
	EXPECT(!memory_guest(memory, U64_MAX, &bytes));
	EXPECT(!memory_guest(NULL, 0x1000, &bytes));
	EXPECT(memory_user(memory, 0x100000, 2 * PAGE) == at);
	EXPECT(!memory_user(memory, 0x100000, 2 * PAGE + 1));
	EXPECT(!memory_user(memory, 0x100001, 2 * PAGE));
	EXPECT(!memory_user(memory, 0x100001, U64_MAX));
	EXPECT(!memory_user(memory, 0xfffff, 1));
	EXPECT(memory_user(memory, 0x300000, PAGE));
	memory_unmap(memory);
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
}

TEST(memory_tables_that_are_none)
{
	const struct memory_wire good = { 0x10000, PAGE, 0x100000, 0 };
	const struct memory_wire bad[] = {
		{ 0x1000, 0, 0x200000, 0 },
		{ 0x1000, 2 * PAGE, 0x200000, 0 },	/* longer than the file */
		{ 0x1000, PAGE, 0x200000, PAGE },
		{ U64_MAX, PAGE, 0x200000, 0 },
		{ 0x1000, PAGE, U64_MAX - 1, 0 },
		{ 0x1000, PAGE, 0x200000, U64_MAX - 5 },
		{ 0x1000, U64_MAX, 0x200000, 0 },
		{ 0x10fff, PAGE, 0x200000, 0 },		/* overlap */
		{ 0xf001, PAGE, 0x200000, 0 },
		{ 0x20000, PAGE, 0x100fff, 0 },
	};
	const int fds[] = { file_of(PAGE), file_of(PAGE) };
	const int none[] = { fds[0], open("/proc/self/status", O_RDONLY) };
	struct memory_wire wire[2] = { good };
	struct memory *memory;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		wire[1] = bad[i];
		EXPECT(memory_map(wire, fds, 2, &memory) < 0);
	}
	wire[1] = (struct memory_wire){ 0x20000, PAGE, 0x200000, 0 };
	EXPECT(memory_map(wire, none, 2, &memory) < 0);
	/* No window was left open. */
	for (i = 0; i < 100; i++) {
		REQUIRE(!memory_map(wire, fds, 2, &memory));
		memory_unmap(memory);
	}
	REQUIRE(!memory_map(wire, fds, 0, &memory));
	memory_unmap(memory);
	close(fds[0]);
	close(fds[1]);
	close(none[1]);
}

TEST(memory_that_is_taken_away)
{
	const struct memory_wire wire = { 0x1000, 4 * PAGE, 0x100000, 0 };
	int fd = file_of(4 * PAGE);
	struct memory *memory;
	volatile u8 *at;
	u32 bytes = 1;

	REQUIRE(!memory_map(&wire, &fd, 1, &memory));
	at = memory_guest(memory, 0x1000, &bytes);
	at[PAGE] = 1;
	EXPECT(!memory_lost());
	REQUIRE(!ftruncate(fd, PAGE));
	EXPECT_EQ(at[0], 0);
	EXPECT(!memory_lost());
	EXPECT_EQ(at[PAGE], 0);
	EXPECT(memory_lost());
	at[2 * PAGE] = 7;
	EXPECT_EQ(at[2 * PAGE], 7);
	memory_found();
	EXPECT(!memory_lost());
	memory_unmap(memory);
	close(fd);
}

TEST(page_of_what_was_in_flight)
{
	struct inflight_page *page, *again;
	u16 heads[8];
	int fd = inflight_new(42, &page);

	REQUIRE(fd >= 0);
	inflight_taken(page, 3);
	inflight_taken(page, 5);
	inflight_taken(page, INFLIGHT_HEADS);
	page->used_idx = 9;
	REQUIRE(!inflight_open(fd, 0, INFLIGHT_BYTES, &again));
	EXPECT_EQ(again->cookie, 42);
	EXPECT_EQ(inflight_recover(again, 9, 8, heads), 2);
	EXPECT_EQ(heads[0], 3);
	EXPECT_EQ(heads[1], 5);
	/* One was on the ring already when the end came. */
	page->last = 5;
	EXPECT_EQ(inflight_recover(again, 10, 8, heads), 1);
	EXPECT_EQ(heads[0], 3);
	EXPECT_EQ(inflight_recover(again, 9, 4, heads), 1);
	inflight_close(again);
	EXPECT(inflight_open(fd, 8, INFLIGHT_BYTES, &again) < 0);
	EXPECT(inflight_open(fd, 0, INFLIGHT_BYTES / 2, &again) < 0);
	EXPECT(ftruncate(fd, 0) < 0);
	page->magic = 0;
	EXPECT(inflight_open(fd, 0, INFLIGHT_BYTES, &again) < 0);
	inflight_close(page);
	close(fd);
	/* One that could be taken away is not touched. */
	fd = file_of(INFLIGHT_BYTES);
	EXPECT(inflight_open(fd, 0, INFLIGHT_BYTES, &again) < 0);
	close(fd);
}

TEST(messages_in_pieces)
{
	const struct message_header header = { 2, VHOST_USER_VERSION, 8 };
	u8 bytes[sizeof(header) + 8] = {};
	struct message message = {};
	int fds[2];
	u32 i;

	memcpy(bytes, &header, sizeof(header));
	bytes[sizeof(header)] = 7;
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	EXPECT_EQ(message_receive(fds[1], &message), 0);
	for (i = 0; i < sizeof(bytes); i++) {
		REQUIRE(write(fds[0], bytes + i, 1) == 1);
		EXPECT_EQ(message_receive(fds[1], &message),
			  i == sizeof(bytes) - 1);
	}
	EXPECT_EQ(message.payload.number, 7);
	message_end(&message);
	/* Two at once are two. */
	REQUIRE(write(fds[0], bytes, sizeof(bytes)) == sizeof(bytes));
	REQUIRE(write(fds[0], bytes, sizeof(bytes)) == sizeof(bytes));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(message_receive(fds[1], &message), 1);
		EXPECT_EQ(message.payload.number, 7);
		message_end(&message);
	}
	/* And half of one, at the end. */
	REQUIRE(write(fds[0], bytes, 15) == 15);
	close(fds[0]);
	EXPECT_EQ(message_receive(fds[1], &message), -ECONNRESET);
	message_end(&message);
	close(fds[1]);
}

TEST(messages_that_are_none)
{
	const struct message_header bad[] = {
		{ 1, 0, 0 }, { 1, 2, 0 }, { 1, 3, 0 },
		{ 1, VHOST_USER_VERSION | VHOST_USER_REPLY, 0 },
		{ 1, VHOST_USER_VERSION | BIT(4), 0 },
		{ 1, VHOST_USER_VERSION, sizeof(union message_payload) + 1 },
		{ 1, VHOST_USER_VERSION, U32_MAX },
	};
	struct message message = {};
	int fds[2];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
		REQUIRE(write(fds[0], &bad[i], sizeof(bad[i])) ==
			sizeof(bad[i]));
		EXPECT_EQ(message_receive(fds[1], &message), -EPROTO);
		message_end(&message);
		close(fds[0]);
		close(fds[1]);
	}
}

static void expect_line(struct control_context *context, const char *line,
			const char *answer)
{
	struct control_text text = {};
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", line);
	control_line(context, copy, &text);
	if (!text.bytes || strcmp(text.bytes, answer)) {
		printf("\"%s\": \"%s\", not \"%s\"\n", line, text.bytes, answer);
		EXPECT(!"the answer");
	}
	free(text.bytes);
}

TEST(grammar_of_the_harness)
{
	static const char * const wrong[] = {
		"", " ", "nothing", "hold 2", "hold 1 1", "hold x", "complete",
		"complete x", "complete 1 2", "complete #", "fail 1", "fail 1 0",
		"fail all 65534", "fail 1 65536", "fail 1 1 1", "lose",
		"reorder", "reorder 1 x", "hostile x", "hostile mute x",
		"hostile mute x=1", "hostile mute count=", "mute opcode=65536",
		"faults", "faults x before", "faults submit x", "config 0",
		"config 0g", "config 00 00", "features 0x1000000", "features x",
		"limits", "limits x", "limits max-contexts", "limits max-contexts=0",
		"limits max-contexts=65", "limits max-chain=2", "limits threads=1",
		"limits max-contexts=2 max-events=x",
	};
	static const struct {
		const char *line;
		const char *answer;
	} right[] = {
		{ "hold", "0\nok\n" }, { "hold 1", "ok\n" }, { "hold", "1\nok\n" },
		{ "release", "ok\n" }, { "hold", "0\nok\n" }, { "hold 1\r", "ok\n" },
		{ "hold 0", "ok\n" }, { "complete all", "ok\n" },
		{ "complete 1", "error 2 ENOENT\n" },
		{ "complete #1", "error 2 ENOENT\n" },
		{ "fail 0x10 0x5", "error 2 ENOENT\n" },
		{ "lose all", "ok\n" }, { "reorder 1", "error 2 ENOENT\n" },
		{ "events", "ok\n" }, { "hostile", "0\nok\n" },
		{ "mute count=1 opcode=0x500", "ok\n" },
		{ "hostile late value=2 skip=1", "ok\n" },
		{ "hostile clear", "ok\n" }, { "hostile flush", "ok\n" },
		{ "faults submit before status=5", "ok\n" },
		{ "faults clear", "ok\n" }, { "features", "0x0\nok\n" },
		{ "features 1", "ok\n" }, { "features", "0x1\nok\n" },
		{ "config 0100", "ok\n" }, { "config default", "ok\n" },
		{ "limits max-contexts=2 max-artifact-bytes=4K", "ok\n" },
		{ "limits default max-queues=1", "ok\n" },
		{ "limits default", "ok\n" }, { "needs_reset", "ok\n" },
	};
	struct device_options options;
	struct device device;
	struct serve serve;
	struct control_context context = { &device, &serve };
	u32 i;

	device_defaults(&options);
	REQUIRE(!device_init(&device, &options));
	REQUIRE(!serve_init(&serve, device.port));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_line(&context, wrong[i], "error 22 EINVAL\n");
	for (i = 0; i < ARRAY_SIZE(right); i++)
		expect_line(&context, right[i].line, right[i].answer);
	serve_fini(&serve);
	device_fini(&device);
}
