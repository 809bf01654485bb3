// SPDX-License-Identifier: GPL-2.0
/* Input files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"

int input_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		bad("cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		bad("%s is a folder", path);
		close(fd);
		return -1;
	}
	return fd;
}

ssize_t input_read(int fd, void *data, size_t bytes, const char *path)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = read(fd, (char *)data + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			bad("cannot read %s: %s", path, strerror(errno));
			return -1;
		}
		if (!n)
			break;
		done += n;
	}
	return done;
}

static int read_open_file(int fd, const char *path, uint64_t max, void **data,
			  size_t *bytes)
{
	size_t room = 0, used = 0;
	char *all = NULL;

	do {
		char *more;
		ssize_t n;

		room = room ? 2 * room : 65536;
		more = realloc(all, room);
		if (!more) {
			free(all);
			return broken("out of memory for %s", path);
		}
		all = more;
		n = input_read(fd, all + used, room - used, path);
		if (n < 0) {
			free(all);
			return EXIT_BAD;
		}
		used += n;
		if (used > max) {
			free(all);
			return bad("%s has more than %llu bytes", path,
				   (unsigned long long)max);
		}
	} while (used == room);
	*data = all;
	*bytes = used;
	return 0;
}

int input_file(const char *path, uint64_t max, void **data, size_t *bytes)
{
	int fd = input_open(path), status;

	*data = NULL;
	*bytes = 0;
	if (fd < 0)
		return EXIT_BAD;
	status = read_open_file(fd, path, max, data, bytes);
	close(fd);
	return status;
}
