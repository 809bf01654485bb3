// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "front.h"
#include "test.h"

static struct daemon *running;
static struct daemon last;

static void run(struct daemon *daemon, bool sanitized, const char *more)
{
	const char *program = getenv(sanitized ? "VACCD_ASAN" : "VACCD");
	char words[512], *argv[32], *rest = words, *word;
	int n = 0, fd;

	snprintf(words, sizeof(words),
		 "vaccd --socket %s --control %s --verbose %s %s",
		 daemon->socket, daemon->control,
		 sanitized ? "--no-sandbox" : "", more ? more : "");
	while ((word = strsep(&rest, " ")))
		if (*word)
			argv[n++] = word;
	argv[n] = NULL;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(daemon->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execv(program, argv);
	_exit(127);
}

void daemon_restart(struct daemon *daemon, bool sanitized, const char *more)
{
	daemon->pid = fork();
	if (!daemon->pid)
		run(daemon, sanitized, more);
	REQUIRE(daemon->pid > 0);
	running = daemon;
	daemon_wait_ready(daemon);
}

void daemon_wait_ready(struct daemon *daemon)
{
	int tries, fd;

	/* The last of its sockets; a stale one refuses. */
	for (tries = 0; tries < 1000 && daemon_lives(daemon); tries++) {
		fd = socket_connect(daemon->control);
		if (fd >= 0) {
			close(fd);
			return;
		}
		usleep(10000);
	}
	REQUIRE(!"vaccd is ready");
}

void daemon_start(struct daemon *daemon, bool sanitized, const char *more)
{
	memset(daemon, 0, sizeof(*daemon));
	snprintf(daemon->folder, sizeof(daemon->folder), "/tmp/vaccd-test.XXXXXX");
	REQUIRE(mkdtemp(daemon->folder));
	snprintf(daemon->socket, sizeof(daemon->socket), "%s/socket",
		 daemon->folder);
	snprintf(daemon->control, sizeof(daemon->control), "%s/control",
		 daemon->folder);
	snprintf(daemon->log, sizeof(daemon->log), "%s/log", daemon->folder);
	daemon_restart(daemon, sanitized, more);
}

bool daemon_lives(struct daemon *daemon)
{
	int status;

	if (daemon->pid <= 0)
		return false;
	if (waitpid(daemon->pid, &status, WNOHANG) != daemon->pid)
		return true;
	printf("vaccd has ended, status %#x\n", status);
	daemon->pid = 0;
	return false;
}

bool daemon_said(struct daemon *daemon, const char *text)
{
	static char log[1 << 20];
	int fd = open(daemon->log, O_RDONLY);
	ssize_t n = read(fd, log, sizeof(log) - 1);

	close(fd);
	log[n < 0 ? 0 : n] = '\0';
	return strstr(log, text);
}

void daemon_stop(struct daemon *daemon)
{
	int status = -1, tries;
	pid_t pid = 0;

	REQUIRE(daemon->pid > 0);
	kill(daemon->pid, SIGTERM);
	for (tries = 0; tries < 1000 && !pid; tries++) {
		pid = waitpid(daemon->pid, &status, WNOHANG);
		if (!pid)
			usleep(10000);
	}
	EXPECT(pid == daemon->pid);
	EXPECT_EQ(status, 0);
	if (pid)
		daemon->pid = 0;
	EXPECT(!daemon_said(daemon, "ERROR: "));
	EXPECT(!daemon_said(daemon, "runtime error: "));
}

void daemon_kill(struct daemon *daemon)
{
	if (daemon->pid > 0) {
		kill(daemon->pid, SIGKILL);
		waitpid(daemon->pid, NULL, 0);
	}
	daemon->pid = 0;
}

static bool answered(const char *answer)
{
	const char *line = strrchr(answer, '\n');

	if (!line || line[1])
		return false;
	while (line > answer && line[-1] != '\n')
		line--;
	return !strncmp(line, "ok", 2) || !strncmp(line, "error ", 6);
}

int daemon_control(struct daemon *daemon, const char *line, char *answer,
		   size_t room)
{
	static char mine[65536];
	size_t got = 0;
	ssize_t n = 1;
	char *end;
	int fd;

	if (!answer) {
		answer = mine;
		room = sizeof(mine);
	}
	*answer = '\0';
	fd = socket_connect(daemon->control);
	REQUIRE(fd >= 0);
	REQUIRE(dprintf(fd, "%s\n", line) > 0);
	while (n > 0 && !answered(answer) && got < room - 1) {
		n = read(fd, answer + got, room - 1 - got);
		got += n > 0 ? n : 0;
		answer[got] = '\0';
	}
	close(fd);
	end = strstr(answer, "error ");
	return end ? atoi(end + 6) : answered(answer) ? 0 : -1;
}

long long daemon_counter(struct daemon *daemon, const char *file,
			 const char *name)
{
	static char answer[65536];
	char begin[64];
	char *place;

	EXPECT_EQ(daemon_control(daemon, file, answer + 1, sizeof(answer) - 1), 0);
	answer[0] = '\n';
	snprintf(begin, sizeof(begin), "\n%s ", name);
	place = strstr(answer, begin);
	EXPECT(place);
	return place ? atoll(place + strlen(begin)) : -1;
}

void daemon_cleanup(void)
{
	char command[128];

	if (!running)
		return;
	last = *running;
	running = NULL;
	if (last.pid > 0) {
		kill(last.pid, SIGCONT);
		daemon_kill(&last);
		snprintf(command, sizeof(command), "tail -n 20 %s/log", last.folder);
		if (system(command))
			printf("no log\n");
	}
	snprintf(command, sizeof(command), "rm -rf %s", last.folder);
	if (system(command))
		printf("%s stays\n", last.folder);
}
