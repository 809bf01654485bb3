// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Those who talk to the harness, in a thread of its own: a command may execute
 * work, and the front end shall not wait for that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "log.h"

#define CONTROL_CLIENTS	16
#define CONTROL_SEND_MS	2000

struct client {
	int fd;
	size_t length;
	char line[CONTROL_LINE + 1];
};

static struct control_context *context;
static struct client *clients[CONTROL_CLIENTS];
static struct pollfd fds[CONTROL_CLIENTS + 2];	/* listener and stop, too */
static pthread_t thread;
static int listener = -1;
static int stop = -1;

static int send_all(int fd, const char *bytes, size_t length)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	while (length) {
		n = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n < 0 && poll(&room, 1, CONTROL_SEND_MS) != 1)
			return -ETIMEDOUT;
		if (n > 0) {
			bytes += n;
			length -= n;
		}
	}
	return 0;
}

static int client_line(struct client *client, char *line)
{
	struct control_text answer = {};
	int err;

	debug("control: %s", line);
	control_line(context, line, &answer);
	err = answer.bytes ? send_all(client->fd, answer.bytes, answer.length) :
			     -ENOMEM;
	free(answer.bytes);
	return err;
}

/* All whole lines there are. */
static int client_lines(struct client *client)
{
	char *begin = client->line;
	char *end;
	int err = 0;

	while (!err && (end = memchr(begin, '\n', client->line +
				     client->length - begin))) {
		*end = '\0';
		err = client_line(client, begin);
		begin = end + 1;
	}
	client->length -= begin - client->line;
	memmove(client->line, begin, client->length);
	return err;
}

static int client_read(struct client *client)
{
	ssize_t n = recv(client->fd, client->line + client->length,
			 CONTROL_LINE - client->length, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	/* At the end, or where a line does not end at all. */
	if (!n)
		return -ECONNRESET;
	client->length += n;
	return client_lines(client);
}

static void client_close(u32 i)
{
	close(clients[i]->fd);
	free(clients[i]);
	clients[i] = NULL;
	fds[i].fd = -1;
}

static void client_accept(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	u32 i;

	for (i = 0; fd >= 0 && i < CONTROL_CLIENTS; i++) {
		if (clients[i])
			continue;
		clients[i] = calloc(1, sizeof(*clients[i]));
		if (!clients[i])
			break;
		clients[i]->fd = fd;
		fds[i].fd = fd;
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void *control_thread(void *unused)
{
	u32 i;

	(void)unused;
	for (i = 0; i < CONTROL_CLIENTS; i++)
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	fds[i++] = (struct pollfd){ .fd = listener, .events = POLLIN };
	fds[i] = (struct pollfd){ .fd = stop, .events = POLLIN };

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[CONTROL_CLIENTS + 1].revents)
			break;
		for (i = 0; i < CONTROL_CLIENTS; i++) {
			if (clients[i] && fds[i].revents &&
			    client_read(clients[i]))
				client_close(i);
		}
		if (fds[CONTROL_CLIENTS].revents)
			client_accept();
	}
	for (i = 0; i < CONTROL_CLIENTS; i++) {
		if (clients[i])
			client_close(i);
	}
	return NULL;
}

/**
 * control_serve() - begin to talk
 * @harness: what is steered
 * @socket: listens
 *
 * Return: 0 or a negative errno.
 */
int control_serve(struct control_context *harness, int socket)
{
	context = harness;
	listener = socket;
	stop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (stop < 0)
		return -errno;
	return -pthread_create(&thread, NULL, control_thread, NULL);
}

/**
 * control_stop() - end it
 */
void control_stop(void)
{
	const u64 one = 1;

	if (listener < 0)
		return;
	if (write(stop, &one, sizeof(one)) < 0)
		return;
	pthread_join(thread, NULL);
	close(stop);
	listener = -1;
}
