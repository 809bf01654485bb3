// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The process: signals, sockets, the command line. */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "front.h"
#include "test.h"

/* Five seconds without it, and nothing is lost. */
TEST(stopped_for_a_while)
{
	struct daemon daemon;
	struct front front;
	const u64 nothing = 0x1234;
	int status = 0;
	u32 slot;

	daemon_start(&daemon, false, "");
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	kill(daemon.pid, SIGSTOP);
	/* It takes a moment until all its threads stand still. */
	REQUIRE(waitpid(daemon.pid, &status, WUNTRACED) == daemon.pid);
	EXPECT(WIFSTOPPED(status));
	for (slot = 1; slot < FRONT_SLOTS; slot++) {
		drive_send(&front, slot, VIRTIO_ACCEL_OP_POLL_EVENT, &nothing, 8,
			   8);
		drive_kick(&front);
	}
	EXPECT_EQ(drive_wait(&front, 5000, NULL), -1);
	kill(daemon.pid, SIGCONT);
	for (slot = 1; slot < FRONT_SLOTS; slot++)
		EXPECT_EQ(drive_wait(&front, 5000, NULL), slot);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(one_front_end_after_the_other)
{
	struct front front, other = { .kick = -1, .inflight = -1, .next_id = 1 };
	struct message m = { .header = { VHOST_USER_GET_FEATURES,
					 VHOST_USER_VERSION, 0 } };
	struct daemon daemon;
	u32 i;

	daemon_start(&daemon, true, "");
	for (i = 0; i < 20; i++) {
		front_begin(&front, daemon.socket);
		EXPECT(drive_context(&front));
		if (i % 2)
			front_stop(&front);
		front_free(&front);
	}
	/* Who comes while another is there waits, and is served then. */
	front_begin(&front, daemon.socket);
	front_connect(&other, daemon.socket);
	REQUIRE(send(other.socket, &m.header, sizeof(m.header), 0) > 0);
	EXPECT(drive_context(&front));
	front_free(&front);
	EXPECT_EQ(front_read(&other, &m, NULL), 0);
	close(other.socket);
	EXPECT_EQ(daemon_counter(&daemon, "ring", "connections"), 22);
	EXPECT_EQ(daemon_counter(&daemon, "counters", "contexts"), 0);
	daemon_stop(&daemon);
}

/* What was taken is answered before it ends. */
TEST(graceful_end)
{
	struct daemon daemon;
	struct front front;
	const u64 nothing = 0x1234;
	u32 slot;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	for (slot = 1; slot < FRONT_SLOTS; slot++)
		drive_send(&front, slot, VIRTIO_ACCEL_OP_POLL_EVENT, &nothing, 8,
			   8);
	drive_kick(&front);
	daemon_stop(&daemon);
	while (front.next_used != front.used->idx)
		EXPECT(drive_wait(&front, 0, NULL) > 0);
	EXPECT(daemon_said(&daemon, "returned "));
	front_free(&front);
	/* The sockets have gone, or are in nobody's way. */
	daemon_restart(&daemon, false, "");
	daemon_stop(&daemon);
	daemon_restart(&daemon, true, "");
	daemon_stop(&daemon);
}

TEST(statistics_on_demand)
{
	struct daemon daemon;
	int tries;

	daemon_start(&daemon, false, "");
	kill(daemon.pid, SIGUSR1);
	for (tries = 0; tries < 100 && !daemon_said(&daemon, "memory_lost "); tries++)
		usleep(10000);
	EXPECT(daemon_said(&daemon, "memory_lost 0"));
	EXPECT(daemon_lives(&daemon));
	daemon_stop(&daemon);
}

static int status_of(const char *program, const char *arguments)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command), "timeout 5 %s %s >/dev/null 2>&1",
		 getenv(program), arguments);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(command_line)
{
	struct daemon daemon;
	char arguments[256];

	EXPECT_EQ(status_of("VACCD", "--help"), 0);
	EXPECT_EQ(status_of("VACCD_ASAN", "--help"), 0);
	EXPECT_EQ(status_of("VACCD", ""), 2);
	EXPECT_EQ(status_of("VACCD_ASAN", "--socket /tmp/x more"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --threads 0"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --max-chain 257"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --max-buffer-bytes 1x"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --max-resident 99999999999G"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --engine fpu"), 2);
	EXPECT_EQ(status_of("VACCD", "--engine integer --help"), 0);
	EXPECT_EQ(status_of("VACCD", "--engine auto --help"), 0);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/x --nothing"), 2);
	EXPECT_EQ(status_of("VACCD", "--socket /dev/null"), 1);
	EXPECT_EQ(status_of("VACCD", "--socket /nowhere/x"), 1);
	EXPECT_EQ(status_of("VACCD", "--socket /tmp/vaccd-x --user nobody.x"), 1);
	unlink("/tmp/vaccd-x");

	daemon_start(&daemon, false, "");
	snprintf(arguments, sizeof(arguments), "--socket %s", daemon.socket);
	EXPECT_EQ(status_of("VACCD", arguments), 1);
	EXPECT(daemon_lives(&daemon));
	daemon_stop(&daemon);
}

TEST(another_user)
{
	struct daemon daemon;
	struct front front;
	char line[128], path[64];
	FILE *status;
	int uid = -1;

	if (geteuid())
		return;
	daemon_start(&daemon, false, "--user nobody");
	snprintf(path, sizeof(path), "/proc/%d/status", daemon.pid);
	status = fopen(path, "r");
	REQUIRE(status);
	while (fgets(line, sizeof(line), status))
		sscanf(line, "Uid: %d", &uid);
	fclose(status);
	EXPECT(uid > 0);
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}
