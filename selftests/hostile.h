/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of a device that does not do what it should: loopback devices and vaccd
 * can be told so.  The fixture "bad" adds one for each test, with an open file, a
 * context, a queue, a buffer of BAD_BYTES and a program that fills it with 0x5a;
 * everything goes with it.
 */
#ifndef VT_HOSTILE_H
#define VT_HOSTILE_H

#include "vacc_test.h"

#define BAD_BYTES	8192

#define HOSTILE(...)	ASSERT_OK(vt_control(self->node, "hostile", __VA_ARGS__))

struct bad_file {
	int fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
};

FIXTURE(bad) {
	int node;
	char vdev[64];	/* its name on the virtio bus */
	char timeout[32];
	struct bad_file f;
};

static inline int bad_open(int node, struct bad_file *f)
{
	int r;

	f->fd = vt_open_node(node);
	if (f->fd < 0)
		return f->fd;
	r = vt_context(f->fd, &f->context) ?: vt_queue(f->fd, f->context, &f->queue) ?:
	    vt_buffer(f->fd, f->context, BAD_BYTES, VT_USAGE_ALL, &f->buffer) ?:
	    vt_load_fill(f->fd, f->context, 0x5a, &f->fill);
	f->bind = vt_bind(f->buffer, 0, VT_WRITE, 0, BAD_BYTES);
	return r;
}

static inline int bad_start(const struct bad_file *f, __u32 *event)
{
	return vt_start(f->fd, f->queue, f->fill, &f->bind, 1, event);
}

/* Whether the device does what it should. */
static inline int bad_works(const struct bad_file *f)
{
	int r = vt_set(f->fd, f->buffer, 0, 0x21, BAD_BYTES);

	if (!r && vt_all(f->fd, f->buffer, 0, 0x21, BAD_BYTES) != 1)
		return -EILSEQ;
	r = r ?: vt_run(f->fd, f->queue, f->fill, &f->bind, 1);
	if (!r && vt_all(f->fd, f->buffer, 0, 0x5a, BAD_BYTES) != 1)
		return -EILSEQ;
	return r;
}

/* Of a node that came back: a new file works, once there is one. */
static inline int bad_back(int node)
{
	struct bad_file f;
	int tries, r = -ENOENT;

	for (tries = 0; tries < 500; tries++) {
		r = bad_open(node, &f);
		if (f.fd < 0) {
			vt_sleep_ms(10);
			continue;
		}
		r = r ?: bad_works(&f);
		close(f.fd);
		/* It may have been the old node's last moment. */
		if (r != -EIO && r != -ENODEV)
			break;
		vt_sleep_ms(10);
	}
	return r;
}

static inline int bad_reset(const char *vdev)
{
	return vt_sysfs("1", "/sys/bus/virtio/devices/%s/reset", vdev);
}

static inline int bad_unbind(const char *vdev)
{
	return vt_driver_off(vdev);
}

static inline int bad_bind(const char *vdev)
{
	return vt_driver_on(vdev);
}

/* The number behind a word in a file of the harness. */
static inline long long bad_number(int node, const char *file, const char *word)
{
	char text[4096], *at;

	if (vt_control_read(node, file, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, word);
	return at ? strtoll(at + strlen(word), NULL, 10) : -1;
}

/* How many answers were falsified since the harness began, maybe long before the test. */
static inline long long bad_met(int node)
{
	return bad_number(node, "hostile", "");
}

/* Waits until there are more than @met. */
static inline int bad_await(int node, long long met)
{
	__u64 deadline = vt_deadline(VT_PATIENCE_MS);

	while (bad_met(node) <= met) {
		if (vt_now() > deadline)
			return -ETIMEDOUT;
		vt_sleep_ms(1);
	}
	return 0;
}

FIXTURE_SETUP(bad)
{
	if (!strcmp(vt_backend(), "direct"))
		SKIP(return, "only virtio devices can be hostile");
	self->f.fd = -1;
	self->node = vt_mock_add();
	ASSERT_LE(0, self->node);
	ASSERT_OK(vt_virtio_name(self->node, self->vdev, sizeof(self->vdev)));
	ASSERT_OK(vt_parameter("virtio_accel", "command_timeout_ms", self->timeout, "10000"));
	/* From now on the harness is known by the node, also while the driver is off. */
	ASSERT_OK(vt_control(self->node, "hostile", "clear"));
	ASSERT_OK(bad_open(self->node, &self->f));
}

FIXTURE_TEARDOWN(bad)
{
	char *end = strchr(self->timeout, '\n');

	if (end)
		*end = 0;
	EXPECT_OK(vt_control(self->node, "hostile", "clear"));
	if (self->f.fd >= 0)
		close(self->f.fd);
	EXPECT_OK(vt_mock_remove(self->node));
	EXPECT_OK(vt_parameter("virtio_accel", "command_timeout_ms", NULL, self->timeout));
}

#endif /* VT_HOSTILE_H */
