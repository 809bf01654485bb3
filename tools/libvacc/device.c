// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Devices: opening, information, counters. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define NODE		"/dev/virtio-accel"
#define NODE_BYTES	(sizeof(NODE) + 10)
#define NS_PER_S	1000000000ULL

int vacc_ioctl(struct vacc_device *dev, unsigned long request, void *arg)
{
	if (!ioctl(dev->fd, request, arg))
		return 0;
	return vacc_fail_ioctl(dev, request, errno);
}

int vacc_drop(struct vacc_device *dev, unsigned long request, __u32 *handle,
	      const char *kind)
{
	struct vacc_handle_arg arg = { .size = sizeof(arg), .handle = *handle };
	int err = vacc_check_handle(dev, *handle, kind);

	if (err)
		return err;
	err = vacc_ioctl(dev, request, &arg);
	if (!err || err == -EIO || err == -EREMOTEIO)
		*handle = 0;
	return err;
}

int vacc_list(unsigned int *numbers, size_t room)
{
	char path[NODE_BYTES];
	struct stat st;
	int found = 0;

	for (unsigned int i = 0; i < VACC_MAX_DEVICES; i++) {
		snprintf(path, sizeof(path), NODE "%u", i);
		if (stat(path, &st) || !S_ISCHR(st.st_mode))
			continue;
		if ((size_t)found < room)
			numbers[found] = i;
		found++;
	}
	return found;
}

/* The path that @path of vacc_open() stands for; @buffer has NODE_BYTES. */
static const char *resolve(const char *path, char *buffer)
{
	unsigned int first;

	if (!path) {
		if (vacc_list(&first, 1) <= 0)
			return NULL;
		snprintf(buffer, NODE_BYTES, NODE "%u", first);
		return buffer;
	}
	if (*path && strlen(path) < 10 && strspn(path, "0123456789") == strlen(path)) {
		snprintf(buffer, NODE_BYTES, NODE "%s", path);
		return buffer;
	}
	return path;
}

static int open_node(const char *path)
{
	struct stat st;
	int fd;

	/* Opening a pipe, say, would block. */
	if (!stat(path, &st) && !S_ISCHR(st.st_mode))
		return vacc_fail(ENOTTY, "%s is not the device node of an accelerator",
				 path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
		return vacc_fail(ENODEV, "there is no device %s", path);
	case ENODEV:
	case ENXIO:
		return vacc_fail(ENODEV, "the device behind %s is gone", path);
	case EACCES:
	case EPERM:
		return vacc_fail(errno, "no permission to open %s", path);
	default:
		return vacc_fail(errno, "cannot open %s: %s", path, strerror(errno));
	}
}

int vacc_open(const char *path, struct vacc_device **dev)
{
	static unsigned long opens;
	struct vacc_get_info info;
	struct vacc_device *new;
	char buffer[NODE_BYTES];
	int fd, err;

	*dev = NULL;
	path = resolve(path, buffer);
	if (!path)
		return vacc_fail(ENODEV, "there is no accelerator: no " NODE
				 "N exists");
	fd = open_node(path);
	if (fd < 0)
		return fd;
	new = calloc(1, sizeof(*new) + strlen(path) + 1);
	if (!new) {
		close(fd);
		return vacc_fail(ENOMEM, "out of memory");
	}
	new->fd = fd;
	new->owner = __atomic_add_fetch(&opens, 1, __ATOMIC_RELAXED);
	memcpy(new->path, path, strlen(path) + 1);
	err = vacc_info(new, &info, NULL, 0);
	if (err) {
		if (err == -ENOTTY || err == -EINVAL)
			err = vacc_fail(ENOTTY, "%s is not an accelerator", path);
		else
			err = vacc_fail(-err, "%s does not answer: %s", path,
					vacc_last_error(new));
		vacc_close(new);
		return err;
	}
	new->features = info.features;
	new->capabilities = info.capabilities;
	*dev = new;
	return 0;
}

void vacc_close(struct vacc_device *dev)
{
	if (!dev)
		return;
	close(dev->fd);
	free(dev);
}

int vacc_fd(const struct vacc_device *dev)
{
	return dev->fd;
}

const char *vacc_path(const struct vacc_device *dev)
{
	return dev->path;
}

__u32 vacc_features(const struct vacc_device *dev)
{
	return dev->features;
}

int vacc_info(struct vacc_device *dev, struct vacc_get_info *info,
	      struct vacc_format *formats, __u32 room)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->formats = vacc_array_of(formats, room, sizeof(*formats));
	return vacc_ioctl(dev, VACC_GET_INFO, info);
}

int vacc_stats(struct vacc_device *dev, struct vacc_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	return vacc_ioctl(dev, VACC_STATS, stats);
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

__u64 vacc_deadline(__u64 ns)
{
	__u64 now = now_ns();

	return ns < VACC_NO_DEADLINE - now ? now + ns : VACC_NO_DEADLINE;
}

int vacc_settle(struct vacc_device *dev, __u64 deadline_ns)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct vacc_stats stats;
	int err;

	for (;;) {
		err = vacc_stats(dev, &stats);
		if (err)
			return err;
		if (!stats.zombie.contexts && !stats.zombie.buffers &&
		    !stats.zombie.programs && !stats.zombie.queues &&
		    !stats.zombie.events)
			return 0;
		if (now_ns() >= deadline_ns)
			return vacc_fail(ETIMEDOUT,
					 "objects of closed files are still there");
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 64000000)
			pause.tv_nsec *= 2;
	}
}
