// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "control.h"

#define MOCK	"/sys/kernel/debug/virtio_accel_mock"
#define NODES	72	/* more than the mock has devices */

#define MODULE_CORE	"virtio_accel"
#define MODULE_MOCK	"virtio_accel_mock"

static const char *env(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

const char *vt_kernel(void)
{
	return env("VACC_KERNEL", "unknown");
}

const char *vt_backend(void)
{
	return env("VACC_BACKEND", "direct");
}

static bool is_vaccd(void)
{
	return !strcmp(vt_backend(), "vaccd");
}

unsigned int vt_scale(unsigned int count)
{
	bool native = !strcmp(vt_kernel(), "uml");
	const char *usual = !native ? "20" : is_vaccd() ? "10" : "1";
	const char *scale = env("VACC_SCALE", usual);
	unsigned int divisor = strtoul(scale, NULL, 10);

	count /= divisor ? divisor : 1;
	return count ? count : 1;
}

static bool node_exists(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/virtio-accel%d", node);
	return !access(path, F_OK);
}

int vt_node(void)
{
	int node;

	if (getenv("VACC_NODE"))
		return atoi(getenv("VACC_NODE"));
	for (node = 0; node < NODES; node++)
		if (node_exists(node))
			return node;
	return -ENODEV;
}

static void control_path(char *path, size_t room, int node, const char *file)
{
	if (node < 0)
		snprintf(path, room, MOCK "/%s", file);
	else
		snprintf(path, room, MOCK "/%d/%s", node, file);
}

int vt_control(int node, const char *file, const char *format, ...)
{
	char path[128], text[1024];
	int fd, length, r = 0;
	va_list args;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	control_path(path, sizeof(path), node, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, length) != length)
		r = -errno;
	close(fd);
	return r;
}

int vt_control_read(int node, const char *file, char *text, size_t room)
{
	char path[128];
	ssize_t n;
	int fd;

	control_path(path, sizeof(path), node, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, room - 1);
	text[n < 0 ? 0 : n] = 0;
	close(fd);
	return n < 0 ? -errno : n;
}

long long vt_counter(int node, const char *name)
{
	char text[4096], line[64], *at;

	text[0] = '\n';
	if (vt_control_read(node, "counters", text + 1, sizeof(text) - 1) < 0)
		return -1;
	snprintf(line, sizeof(line), "\n%s ", name);
	at = strstr(text, line);
	return at ? strtoll(at + strlen(line), NULL, 10) : -1;
}

int vt_parameter(const char *module, const char *name, char *old, const char *value)
{
	char path[128];
	int fd, r = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (old) {
		n = read(fd, old, 31);
		old[n < 0 ? 0 : n] = 0;
	}
	n = strlen(value);
	if (pwrite(fd, value, n, 0) != n)
		r = -errno;
	close(fd);
	return r;
}

int vt_mock_add(void)
{
	bool before[NODES];
	int node, tries, r;

	for (node = 0; node < NODES; node++)
		before[node] = node_exists(node);
	r = vt_control(-1, "add", "1");
	if (r)
		return r;
	for (tries = 0; tries < 500; tries++) {
		for (node = 0; node < NODES; node++)
			if (!before[node] && node_exists(node))
				return node;
		vt_sleep_ms(10);
	}
	return -ETIMEDOUT;
}

int vt_mock_remove(int node)
{
	return vt_control(-1, "remove", "%d", node);
}

int vt_sysfs(const char *text, const char *format, ...)
{
	char path[256];
	va_list args;
	int fd, r = 0;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		r = -errno;
	close(fd);
	return r;
}

int vt_virtio_name(int node, char *name, size_t room)
{
	char path[64], target[256], *last;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/device", node);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strncmp(last, "virtio", 6) || !isdigit(last[6]))
		return -ENOENT;
	snprintf(name, room, "%s", last);
	return 0;
}

int vt_driver_off(const char *vdev)
{
	return vt_sysfs(vdev, "/sys/bus/virtio/drivers/virtio_accel/unbind");
}

int vt_driver_on(const char *vdev)
{
	return vt_sysfs(vdev, "/sys/bus/virtio/drivers/virtio_accel/bind");
}

void vt_release_all(int node)
{
	vt_control(node, "hold", "0");
	vt_control(node, "release", "1");
}

static const char *difference(const struct vacc_stats *now,
			      const struct vacc_stats *before)
{
	const struct vacc_object_counts *z = &now->zombie;

	if (z->contexts || z->buffers || z->programs || z->queues || z->events)
		return "zombies";
	if (!before)
		return NULL;
	if (memcmp(&now->live, &before->live, sizeof(now->live)))
		return "live objects";
	if (now->live_bytes != before->live_bytes)
		return "live bytes";
	if (now->scratch_bytes != before->scratch_bytes)
		return "scratch bytes";
	if (now->live_allocations != before->live_allocations)
		return "live allocations";
	return NULL;
}

int vt_settle(int fd, const struct vacc_stats *before)
{
	__u64 deadline = vt_deadline(VT_PATIENCE_MS);
	struct vacc_stats now;
	const char *what;
	int r;

	for (;;) {
		r = vt_get_stats(fd, &now);
		if (r)
			return r;
		what = difference(&now, before);
		if (!what)
			return 0;
		if (vt_now() > deadline)
			break;
		vt_sleep_ms(10);
	}
	fprintf(stderr, "# left over: %s\n", what);
	fprintf(stderr, "# live %u %u %u %u %u, zombie %u %u %u %u %u\n",
		now.live.contexts, now.live.buffers, now.live.programs, now.live.queues,
		now.live.events, now.zombie.contexts, now.zombie.buffers,
		now.zombie.programs, now.zombie.queues, now.zombie.events);
	fprintf(stderr, "# %llu bytes, %llu scratch, %llu allocations\n",
		(unsigned long long)now.live_bytes,
		(unsigned long long)now.scratch_bytes,
		(unsigned long long)now.live_allocations);
	return -ETIMEDOUT;
}

bool vt_module_loaded(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return !access(path, F_OK);
}

int vt_module_refs(const char *name)
{
	char path[128];
	int refs = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &refs) != 1)
		refs = -EIO;
	fclose(f);
	return refs;
}

int vt_module_load(const char *name, const char *params)
{
	const char *dir = getenv("VACC_MODDIR");
	bool core = !strcmp(name, MODULE_CORE);
	char path[4096], all[512];
	int fd, r;

	if (!dir)
		return -ENOENT;
	snprintf(all, sizeof(all), "%s", params);
	if (!strcmp(name, MODULE_MOCK) && strcmp(vt_backend(), "direct"))
		snprintf(all, sizeof(all), "backend=%s %s", vt_backend(), params);
	if (core)
		snprintf(all, sizeof(all), "%s %s", env("VACC_CORE_PARAMS", ""), params);
	snprintf(path, sizeof(path), "%s/%s.ko", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = syscall(SYS_finit_module, fd, all, 0) ? -errno : 0;
	close(fd);
	if (!r && core && is_vaccd())
		r = vt_reference_unload();
	return r;
}

int vt_module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

bool vt_reference_loaded(void)
{
	return is_vaccd() ? vt_node() >= 0 : vt_module_loaded(MODULE_MOCK);
}

int vt_reference_unload(void)
{
	int node, r;

	if (!is_vaccd())
		return vt_module_unload(MODULE_MOCK);
	for (node = 0; node < NODES; node++) {
		r = node_exists(node) ? vt_mock_remove(node) : 0;
		if (r)
			return r;
	}
	return 0;
}

/* How many there are: VACCD_DEVICES is their names, with commas. */
static unsigned int vaccd_devices(void)
{
	const char *at = env("VACCD_DEVICES", NULL);
	unsigned int count = !!at;

	for (; at && *at; at++)
		count += *at == ',';
	return count;
}

/* max_contexts=2 is max-contexts=2 for vaccd; what is not its own is the driver's. */
static int vaccd_load(const char *params)
{
	char limits[512] = "", *all = strdup(params), *rest = all, *word, *dash;
	unsigned int devices = 1, i;
	int r = all ? 0 : -ENOMEM;

	while ((word = strsep(&rest, " "))) {
		if (sscanf(word, "devices=%u", &devices) == 1 || strncmp(word, "max_", 4))
			continue;
		while ((dash = strchr(word, '_')))
			*dash = '-';
		snprintf(limits + strlen(limits), sizeof(limits) - strlen(limits), " %s", word);
	}
	free(all);
	if (devices > vaccd_devices())
		r = -EINVAL;
	for (i = 0; !r && i < devices; i++)
		r = vt_control(-1, "add", "%s", *limits ? limits : "1");
	return r;
}

int vt_reference_load(const char *params)
{
	return is_vaccd() ? vaccd_load(params) : vt_module_load(MODULE_MOCK, params);
}

long vt_meminfo(const char *name)
{
	size_t length = strlen(name);
	char line[128];
	long kb = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, length) && line[length] == ':')
			kb = atol(line + length + 1);
	fclose(f);
	return kb;
}
