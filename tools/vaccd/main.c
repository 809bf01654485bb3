// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * vaccd: a virtio-accel device for vhost-user front ends.
 *
 * The main thread waits for front ends and handles their messages; serve.h has the
 * threads that serve the ring, the engine those that execute.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "frontend.h"
#include "log.h"
#include "options.h"
#include "sandbox.h"

struct vaccd {
	struct device device;
	struct serve serve;
	struct frontend frontend;
	bool connected;
	struct control_context control;
	int listener;
	int control_listener;
	int signals;
};

static struct vaccd vaccd = { .listener = -1, .control_listener = -1 };

/* A socket that nobody listens at any more is removed. */
static int remove_stale(const struct sockaddr_un *addr)
{
	struct stat stat;
	int fd, err;

	if (lstat(addr->sun_path, &stat))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(stat.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = connect(fd, (const void *)addr, sizeof(*addr)) ? -errno : 0;
	close(fd);
	if (err != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(addr->sun_path) ? -errno : 0;
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = -1, err = -ENAMETOOLONG;
	mode_t mask;

	if (strlen(path) < sizeof(addr.sun_path)) {
		memcpy(addr.sun_path, path, strlen(path));
		err = remove_stale(&addr);
	}
	if (!err) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		/* Whoever connects has the device: nobody but its owner. */
		mask = umask(0177);
		if (fd < 0 || bind(fd, (const void *)&addr, sizeof(addr)) ||
		    listen(fd, 8))
			err = -errno;
		umask(mask);
	}
	if (err) {
		say("%s: %s", path, strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	return fd;
}

static void statistics(void)
{
	struct control_text text = {};
	char *line, *rest;

	control_statistics(&vaccd.control, &text);
	rest = text.bytes;
	while (rest && (line = strsep(&rest, "\n")) && *line)
		say("%s", line);
	free(text.bytes);
}

static void disconnect(bool finish)
{
	if (!vaccd.connected)
		return;
	frontend_end(&vaccd.frontend, finish);
	vaccd.connected = false;
	if (memory_lost()) {
		say("the guest's memory was taken away");
		device_count(&vaccd.device.counters.memory_lost);
		memory_found();
	}
	debug("the front end has gone");
}

static void connected(void)
{
	int fd = accept4(vaccd.listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	frontend_begin(&vaccd.frontend, &vaccd.device, &vaccd.serve, fd,
		       vaccd.frontend.inband);
	vaccd.connected = true;
	debug("a front end has come");
}

static void received(void)
{
	int err = frontend_receive(&vaccd.frontend);

	if (!err)
		return;
	if (err == -ECONNRESET && !vaccd.frontend.message.got)
		debug("the front end ends");
	else
		say("the front end is given up: %s", strerror(-err));
	disconnect(false);
}

/* Whether to go on. */
static bool signalled(void)
{
	struct signalfd_siginfo info;

	if (read(vaccd.signals, &info, sizeof(info)) != sizeof(info))
		return true;
	if (info.ssi_signo == SIGUSR1) {
		statistics();
		return true;
	}
	return false;
}

static void loop(void)
{
	for (;;) {
		struct pollfd fds[4] = {
			{ .fd = vaccd.signals, .events = POLLIN },
			{ .fd = memory_lost_fd(), .events = POLLIN },
			{ .fd = vaccd.connected ? vaccd.frontend.socket : -1,
			  .events = POLLIN },
			{ .fd = vaccd.connected ? -1 : vaccd.listener,
			  .events = POLLIN },
		};

		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[0].revents && !signalled())
			return;
		if (fds[1].revents) {
			disconnect(false);
			memory_found();
		} else if (fds[2].revents) {
			received();
		} else if (fds[3].revents) {
			connected();
		}
	}
}

static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	vaccd.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return vaccd.signals < 0 ? -errno : 0;
}

/* All that needs rights which are given up then. */
static int prepare(struct options *options)
{
	int err = memory_init();

	if (!err)
		err = take_signals();
	if (err) {
		say("%s", strerror(-err));
		return err;
	}
	if (!options->device.workers)
		options->device.workers = sysconf(_SC_NPROCESSORS_ONLN);
	vaccd.listener = listen_at(options->socket);
	if (vaccd.listener < 0)
		return vaccd.listener;
	if (options->control) {
		vaccd.control_listener = listen_at(options->control);
		if (vaccd.control_listener < 0)
			return vaccd.control_listener;
	}
	if (options->user)
		err = sandbox_user(options->user);
	if (!err && options->sandbox)
		err = sandbox_enter();
	return err;
}

static int begin(const struct options *options)
{
	int err = device_init(&vaccd.device, &options->device);

	if (!err)
		err = serve_init(&vaccd.serve, vaccd.device.port);
	vaccd.control.device = &vaccd.device;
	vaccd.control.serve = &vaccd.serve;
	if (!err && vaccd.control_listener >= 0)
		err = control_serve(&vaccd.control, vaccd.control_listener);
	if (err)
		say("cannot make the device: %s", strerror(-err));
	return err;
}

int main(int argc, char **argv)
{
	struct options options;
	int status = options_parse(argc, argv, &options);

	if (status)
		return status - 1;
	if (prepare(&options) || begin(&options))
		return EXIT_FAILURE;
	vaccd.frontend.inband = options.inband;
	debug("ready");
	loop();
	disconnect(true);
	control_stop();
	statistics();
	serve_fini(&vaccd.serve);
	device_fini(&vaccd.device);
	/* Refused where we are confined: whoever comes next finds it stale. */
	unlink(options.socket);
	if (options.control)
		unlink(options.control);
	return EXIT_SUCCESS;
}
