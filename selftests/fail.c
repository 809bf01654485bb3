// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "control.h"
#include "fail.h"

#define DEBUGFS	"/sys/kernel/debug/"

static int nth_file = -1;
static int task_file = -1;	/* whether this task is meant; open while pages fail */

int vt_fail_init(void)
{
	/* What can sleep, or lies in high memory, fails like the rest; without a word. */
	static const struct { const char *file, *value; } settings[] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
		{ NULL, NULL },
	};
	unsigned int i;
	int r;

	if (nth_file >= 0)
		return 0;
	for (i = 0; settings[i].file; i++) {
		r = vt_sysfs(settings[i].value, DEBUGFS "%s", settings[i].file);
		if (r)
			return r;
	}
	nth_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return nth_file < 0 ? -errno : 0;
}

int vt_fail_arm(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(nth_file, text, n, 0) == n ? 0 : -errno;
}

/* Reading how many are left, and writing, may be what fails; then nothing else has. */
unsigned int vt_fail_left(void)
{
	unsigned int left = 1;
	char text[16] = "";
	ssize_t n = pread(nth_file, text, sizeof(text) - 1, 0);

	if (n > 0)
		left = atoi(text);
	while (pwrite(nth_file, "0", 1, 0) != 1 && errno == EFAULT)
		;
	return left;
}

bool vt_fail_disarm(void)
{
	return !vt_fail_left();
}

#define MANY_TIMES	1000000

static int page_setting(const char *file, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	return vt_sysfs(text, DEBUGFS "fail_page_alloc/%s", file);
}

int vt_fail_large(unsigned int order)
{
	int r = page_setting("min-order", order) ?: page_setting("times", MANY_TIMES) ?:
		page_setting("task-filter", 1) ?: page_setting("probability", 100);

	if (r)
		return r;
	task_file = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	if (task_file < 0)
		return -errno;
	return pwrite(task_file, "1", 1, 0) == 1 ? 0 : -errno;
}

int vt_fail_large_end(void)
{
	int left = -ENODATA;
	FILE *file;

	/* To open a file may take a large page, to write to one does not. */
	if (pwrite(task_file, "0", 1, 0) != 1)
		return -EIO;
	close(task_file);
	file = fopen(DEBUGFS "fail_page_alloc/times", "re");
	if (!file || fscanf(file, "%d", &left) != 1)
		left = MANY_TIMES + 1;
	if (file)
		fclose(file);
	return page_setting("probability", 0) ?: page_setting("times", 1) ?:
	       page_setting("task-filter", 0) ?: page_setting("min-order", 0) ?:
	       MANY_TIMES - left;
}
