// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A device of one's own, for vhost-user front ends: its data sheet, and the loop of
 * its process. It executes with device_linear.c. Everything between, rings, requests,
 * checks, objects and reset, is libvaccd.a.
 *
 *	device --socket PATH [--control PATH] [--no-sandbox] [--verbose]
 */
#define _GNU_SOURCE
#include <err.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "frontend.h"
#include "log.h"
#include "sandbox.h"

static struct device device;
static struct serve serve;
static struct control_context harness = { &device, &serve };

/* [data sheet] */
static void data_sheet(struct device_options *options)
{
	static const u8 uuid[16] = {
		0x3c, 0x9d, 0x1f, 0x52, 0x8a, 0x07, 0x4e, 0x6b,
		0xb1, 0x64, 0x2f, 0xd8, 0x90, 0xe5, 0x73, 0x0a,
	};

	device_defaults(options);
	options->name = "sample";
	memcpy(options->uuid, uuid, sizeof(uuid));
	options->device_class = VIRTIO_ACCEL_CLASS_DSP;
	options->vendor = 0x5a17;
	options->device = 1;
	options->workers = 2;
	options->limits.max_contexts = 48;
	options->limits.max_bindings = 64;
	options->limits.max_buffer_bytes = 128 << 20;
	options->max_resident = 256 << 20;
	options->max_chain = 64;
}

/* [end] */

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(addr.sun_path))
		errx(1, "%s: too long", path);
	memcpy(addr.sun_path, path, strlen(path));
	unlink(path);
	if (bind(fd, (const void *)&addr, sizeof(addr)) || listen(fd, 8))
		err(1, "%s", path);
	return fd;
}

/* [loop] */
/* One front end after the other, until the process shall end. */
static void serve_front_ends(int listener, int signals)
{
	struct frontend frontend;
	bool connected = false;
	int fd;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = memory_lost_fd(), .events = POLLIN },
			{ .fd = connected ? frontend.socket : listener,
			  .events = POLLIN },
		};

		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[0].revents)
			break;
		if (!connected) {
			fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
			if (fd < 0)
				continue;
			frontend_begin(&frontend, &device, &serve, fd, false);
			connected = true;
		} else if (fds[1].revents || frontend_receive(&frontend)) {
			frontend_end(&frontend, false);
			if (memory_lost())
				device_count(&device.counters.memory_lost);
			memory_found();
			connected = false;
		}
	}
	if (connected)
		frontend_end(&frontend, true);
}

/* [end] */

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'c' },
		{ "no-sandbox", no_argument, NULL, 'n' },
		{ "verbose", no_argument, NULL, 'v' },
		{}
	};
	int option, listener = -1, control = -1, signals;
	struct device_options options;
	bool sandbox = true;
	sigset_t ends;

	umask(0177);		/* who connects has the device */
	while ((option = getopt_long(argc, argv, "", names, NULL)) >= 0) {
		if (option == 's')
			listener = listen_at(optarg);
		else if (option == 'c')
			control = listen_at(optarg);
		else if (option == 'n')
			sandbox = false;
		else if (option == 'v')
			log_verbose = true;
		else
			return 2;
	}
	if (listener < 0)
		errx(2, "--socket is missing");
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);

	data_sheet(&options);
	/* [begin] */
	if (memory_init() || (sandbox && sandbox_enter()) ||
	    device_init(&device, &options) || serve_init(&serve, device.port) ||
	    (control >= 0 && control_serve(&harness, control)))
		errx(1, "cannot make the device");
	serve_front_ends(listener, signals);
	if (control >= 0)
		control_stop();
	serve_fini(&serve);
	device_fini(&device);
	/* [end] */
	return 0;
}
