// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For guests whose device is vaccd: has the harness where the reference device of the
 * kernel has it, so that the same programs steer both.
 *
 *	LD_PRELOAD=vaccd-control.so VACCD_CONTROL=/dev/ttyS1 PROGRAM
 *
 * What is written to /sys/kernel/debug/virtio_accel_mock/N/NAME goes as a line to the
 * control socket of vaccd, which VACCD_CONTROL leads to: a serial line, or a unix
 * socket.  What is read there is its answer.  Where VACCD_DEVICES names the devices, as
 * virtio3,virtio4, a line begins with the place of one in that list and a colon.  "remove"
 * takes the driver off a device; "add" puts it on the first that has none, which is like
 * new then, but for what it has counted, and for limits that are written: "max-contexts=2".
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#define ROOT	"/sys/kernel/debug/virtio_accel_mock"
#define DRIVER	"/sys/bus/virtio/drivers/virtio_accel"
#define DEVICES	"/sys/bus/virtio/devices"
#define CLASS	"/sys/class/misc"
#define ANSWER	(1 << 20)
#define NAME	32
#define NODES	128

/* What a control that is open for writing is called, also after dup() and exec(). */
#define MARK	"vaccd-control:"

static int (*real_openat)(int folder, const char *path, int flags, ...);
static ssize_t (*real_write)(int fd, const void *bytes, size_t count);
static DIR *(*real_opendir)(const char *path);

static void __attribute__((constructor)) find_real(void)
{
	real_openat = dlsym(RTLD_NEXT, "openat");
	real_write = dlsym(RTLD_NEXT, "write");
	real_opendir = dlsym(RTLD_NEXT, "opendir");
}

/* One at a time has the line, also in kernels without file locks. */
static int take_turn(void)
{
	const struct sockaddr_un addr = {
		.sun_family = AF_UNIX,
		.sun_path = "\0vaccd-control",
	};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	while (fd >= 0 && bind(fd, (const void *)&addr, sizeof(addr))) {
		if (errno != EADDRINUSE) {
			close(fd);
			return -1;
		}
		usleep(1000);
	}
	return fd;
}

static int connect_tty(const char *path)
{
	int fd = real_openat(AT_FDCWD, path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;

	if (fd < 0)
		return -1;
	if (tcgetattr(fd, &raw)) {
		close(fd);
		return -1;
	}
	/* Nothing that the line adds of its own. */
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(fd, TCSANOW, &raw);
	return fd;
}

static int connect_control(void)
{
	const char *path = getenv("VACCD_CONTROL");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat stat;
	int fd;

	if (!path || strlen(path) >= sizeof(addr.sun_path) ||
	    lstat(path, &stat)) {
		errno = ENOENT;
		return -1;
	}
	if (!S_ISSOCK(stat.st_mode))
		return connect_tty(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(addr.sun_path, path, strlen(path));
	if (fd >= 0 && connect(fd, (const void *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether the last line says how it went; it is cut off then. */
static bool last_line(char *text, size_t length, int *error)
{
	char *line;

	if (!length || text[length - 1] != '\n')
		return false;
	text[length - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!strcmp(line, "ok")) {
		*error = 0;
	} else if (!strncmp(line, "error ", 6)) {
		*error = -atoi(line + 6);
	} else {
		text[length - 1] = '\n';
		return false;
	}
	*line = '\0';
	return true;
}

/* A line and its answer; 0 or a negative errno. */
static int ask(const char *line, size_t length, char *answer, size_t room)
{
	int turn = take_turn();
	int fd = connect_control();
	size_t got = 0;
	int error = -EIO;
	ssize_t n;

	if (turn < 0 || fd < 0) {
		error = -errno;
		if (turn >= 0)
			close(turn);
		return error;
	}
	n = real_write(fd, line, length);
	while (n > 0 && got < room - 1) {
		n = read(fd, answer + got, room - 1 - got);
		if (n <= 0)
			break;
		got += n;
		answer[got] = '\0';
		if (last_line(answer, got, &error))
			break;
	}
	close(fd);
	close(turn);
	return error;
}

static int write_file(const char *path, const char *text)
{
	int fd = real_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (real_write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* The number of the virtio device behind a node that there is, or a negative errno. */
static int find_device(int node)
{
	char path[128], target[PATH_MAX];
	const char *last;
	ssize_t n;
	int number;

	snprintf(path, sizeof(path), CLASS "/virtio-accel%d/device", node);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -ENOENT;
	target[n] = '\0';
	last = strrchr(target, '/');
	return sscanf(last ? last + 1 : target, "virtio%d", &number) == 1 ?
	       number : -ENOENT;
}

/* Devices that nodes were of: a harness stays while the driver is off its device. */
static int known[NODES];

static int find_harness(int node)
{
	int device = find_device(node);

	if (node < 0 || node >= NODES)
		return device;
	if (device >= 0)
		known[node] = device + 1;
	return known[node] ? known[node] - 1 : device;
}

static void forget_device(int node)
{
	if (node >= 0 && node < NODES)
		known[node] = 0;
}

/* The place of a virtio device among those of vaccd, or a negative errno. */
static int place_of(int device)
{
	const char *at = getenv("VACCD_DEVICES");
	int number, place;

	for (place = 0; at; place++) {
		if (sscanf(at, "virtio%d", &number) == 1 && number == device)
			return place;
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return -ENOENT;
}

/* The first device of ours without a driver, or a negative errno. */
static int find_spare(void)
{
	const char *at = getenv("VACCD_DEVICES");
	char path[128];
	int number;

	while (at && sscanf(at, "virtio%d", &number) == 1) {
		snprintf(path, sizeof(path), DEVICES "/virtio%d/driver", number);
		if (access(path, F_OK))
			return number;
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return -ENOSPC;
}

static int ask_device(int device, const char *text)
{
	char line[512], answer[256];
	int n = snprintf(line, sizeof(line), "%d:%s\n", place_of(device), text);

	if (n >= (int)sizeof(line))
		return -EINVAL;
	return ask(line, n, answer, sizeof(answer));
}

/* A device that is added is like new. */
static int renew(int device, const char *limits)
{
	static const char * const lines[] = {
		"hold 0", "hostile clear", "faults clear", "config default",
		"features 0",
	};
	char line[512];
	int error = 0;
	size_t i;

	for (i = 0; !error && i < sizeof(lines) / sizeof(lines[0]); i++)
		error = ask_device(device, lines[i]);
	if (error)
		return error;
	/* As for "add" of the kernel's own, anything may be written. */
	snprintf(line, sizeof(line), "limits default %s",
		 strchr(limits, '=') ? limits : "");
	return ask_device(device, line);
}

static int plug(const char *name, const char *text)
{
	bool add = !strcmp(name, "add");
	char word[32];
	int device, error;

	device = add ? find_spare() : find_device(atoi(text));
	if (device < 0)
		return device;
	error = add ? renew(device, text) : 0;
	if (error)
		return error;
	snprintf(word, sizeof(word), "virtio%d", device);
	if (!add)
		forget_device(atoi(text));
	return write_file(add ? DRIVER "/bind" : DRIVER "/unbind", word);
}

/* N/NAME or NAME behind ROOT, or NULL. */
static const char *control_name(const char *path)
{
	size_t length = strlen(ROOT "/");

	if (strncmp(path, ROOT "/", length) || !getenv("VACCD_CONTROL"))
		return NULL;
	path += length;
	return *path && strlen(path) < NAME ? path : NULL;
}

/* What a line for N/NAME begins with, up to NAME; 0 or a negative errno. */
static int control_begin(const char **name, char *begin, size_t room)
{
	const char *slash = strchr(*name, '/');
	int node = atoi(*name);
	int device;

	*begin = '\0';
	if (!slash)
		return 0;
	*name = slash + 1;
	if (!getenv("VACCD_DEVICES"))
		return 0;
	device = find_harness(node);
	if (device >= 0)
		device = place_of(device);
	if (device < 0)
		return device;
	snprintf(begin, room, "%d:", device);
	return 0;
}

static int open_read(const char *name)
{
	char line[64], begin[16];
	int error = control_begin(&name, begin, sizeof(begin));
	char *answer;
	int fd;

	answer = malloc(ANSWER);
	if (!answer)
		return -1;
	*answer = '\0';
	snprintf(line, sizeof(line), "%s%s\n", begin, name);
	if (!error)
		error = ask(line, strlen(line), answer, ANSWER);
	fd = error ? -1 : memfd_create(name, MFD_CLOEXEC);
	if (fd >= 0 && real_write(fd, answer, strlen(answer)) >= 0)
		lseek(fd, 0, SEEK_SET);
	free(answer);
	if (error)
		errno = -error;
	return fd;
}

static int open_write(const char *name)
{
	char mark[sizeof(MARK) + NAME];
	char *slash;

	/* No slash in such a name. */
	snprintf(mark, sizeof(mark), MARK "%s", name);
	slash = strchr(mark, '/');
	if (slash)
		*slash = '.';
	return memfd_create(mark, MFD_CLOEXEC);
}

/* N/NAME of the control that is open as a descriptor. */
static bool control_find(int fd, char *name)
{
	static const char begin[] = "/memfd:" MARK;
	char path[64], target[sizeof(begin) + NAME + sizeof(" (deleted)")];
	int error = errno;
	char *dot;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	errno = error;
	if (n < 0)
		return false;
	target[n] = '\0';
	if (strncmp(target, begin, sizeof(begin) - 1))
		return false;
	snprintf(name, NAME, "%.*s", (int)strcspn(target + sizeof(begin) - 1, " "),
		 target + sizeof(begin) - 1);
	dot = strchr(name, '.');
	if (dot)
		*dot = '/';
	return true;
}

static ssize_t control_write(const char *name, const void *bytes, size_t count)
{
	char answer[4096], begin[16], *line, *text, *c;
	int error = control_begin(&name, begin, sizeof(begin));

	/* One line, whatever was written. */
	line = strndup(bytes, count);
	for (c = line; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	if (!line) {
		error = -ENOMEM;
	} else if (!error && (!strcmp(name, "add") || !strcmp(name, "remove"))) {
		error = plug(name, line);
	} else if (!error && asprintf(&text, "%s%s %s\n", begin, name, line) >= 0) {
		error = ask(text, strlen(text), answer, sizeof(answer));
		free(text);
	}
	free(line);
	if (!error)
		return count;
	errno = -error;
	return -1;
}

static int control_open(int folder, const char *path, int flags, mode_t mode)
{
	const char *name = control_name(path);

	if (!name)
		return real_openat(folder, path, flags, mode);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return open_read(name);
	return open_write(name);
}

static mode_t mode_of(int flags, va_list args)
{
	if ((flags & O_CREAT) || (flags & __O_TMPFILE) == __O_TMPFILE)
		return va_arg(args, mode_t);
	return 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return control_open(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return control_open(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return control_open(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return control_open(folder, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
	char name[NAME];

	if (!getenv("VACCD_CONTROL") || !control_find(fd, name))
		return real_write(fd, bytes, count);
	return control_write(name, bytes, count);
}

/* A folder with the number of the first node; what is in there nobody looks at. */
static DIR *fake_folder(void)
{
	char path[PATH_MAX] = "/tmp/vaccd-control.XXXXXX";
	int node;
	DIR *dir;

	if (!mkdtemp(path))
		return NULL;
	for (node = 0; node < 1024; node++) {
		char name[64];

		snprintf(name, sizeof(name), "/dev/virtio-accel%d", node);
		if (access(name, F_OK))
			continue;
		snprintf(name, sizeof(name), "%s/%d", path, node);
		mkdir(name, 0700);
		break;
	}
	dir = real_opendir(path);
	return dir;
}

DIR *opendir(const char *path)
{
	if (!strcmp(path, ROOT) && getenv("VACCD_CONTROL"))
		return fake_folder();
	return real_opendir(path);
}
