/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A vaccd that runs, with its sockets in a folder of its own. */
#ifndef TEST_VACCD_DAEMON_H
#define TEST_VACCD_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct daemon {
	pid_t pid;
	char folder[64];
	char socket[96];
	char control[96];
	char log[96];
};

/* Whether the one under sanitizers is meant, by turns. */
void daemon_start(struct daemon *daemon, bool sanitized, const char *more);
/* The same sockets, after an end of whatever kind. */
void daemon_restart(struct daemon *daemon, bool sanitized, const char *more);
void daemon_wait_ready(struct daemon *daemon);
/* SIGTERM; it must end well and have nothing to report. */
void daemon_stop(struct daemon *daemon);
void daemon_kill(struct daemon *daemon);
bool daemon_lives(struct daemon *daemon);
bool daemon_said(struct daemon *daemon, const char *text);
/* A line to the harness; the last line of the answer is 0 or an errno. */
int daemon_control(struct daemon *daemon, const char *line, char *answer,
		   size_t room);
/* A number of "counters" or "ring". */
long long daemon_counter(struct daemon *daemon, const char *file,
			 const char *name);
/* What a test has left. */
void daemon_cleanup(void);

#endif /* TEST_VACCD_DAEMON_H */
