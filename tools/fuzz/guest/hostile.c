// SPDX-License-Identifier: GPL-2.0
/*
 * A device that lies at random, below ordinary load: only loopback devices can.
 *
 * Nothing that the driver can know to be false may be reported as success: what a
 * call says has been done is there.  Lies that no driver could see are not told: an
 * event that is said to be complete and is not, a number that is another object's.
 * At the end the device is honest again, and after a reset all works.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "artifact.h"
#include "round.h"

#define THREADS		3
#define BYTES		8192

struct load {
	struct rng r;
	int fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding b;
};

static int node = -1;
static char device[128];		/* its reset in sysfs */

static int load_open(struct load *l)
{
	int r;

	l->fd = vt_open_node(node);
	if (l->fd < 0)
		return l->fd;
	r = vt_context(l->fd, &l->context) ?: vt_queue(l->fd, l->context, &l->queue) ?:
	    vt_buffer(l->fd, l->context, BYTES, VT_USAGE_ALL, &l->buffer) ?:
	    vt_load_fill(l->fd, l->context, 0x5a, &l->fill);
	l->b = vt_bind(l->buffer, 0, VT_WRITE, 0, BYTES);
	if (r)
		close(l->fd);
	return r;
}

static void expect_all(struct load *l, int byte, const char *what)
{
	static __thread unsigned char back[BYTES];
	unsigned int i;

	if (vt_read(l->fd, l->buffer, 0, back, BYTES))
		return;
	for (i = 0; i < BYTES; i++)
		if (back[i] != byte)
			FAIL("%s succeeded, and byte %u is %#x, not %#x", what, i, back[i],
			     byte);
}

/*
 * One thing after the other, each looked at.  What failed may have been done, or
 * may still be: the queue must be empty before anything is expected.
 */
static int load_step(struct load *l)
{
	__u32 status, event, extra;
	__u8 byte = rng_next(&l->r);
	struct vacc_wait_entry e;
	int r = vt_queue_sync(l->fd, l->queue, vt_deadline(200), &status);

	if (r)
		return r;
	switch (rng_below(&l->r, 4)) {
	case 0:
		r = vt_set(l->fd, l->buffer, 0, byte, BYTES);
		if (!r)
			expect_all(l, byte, "a write");
		return r;
	case 1:
		r = vt_set(l->fd, l->buffer, 0, 0x11, BYTES) ?:
		    vt_start(l->fd, l->queue, l->fill, &l->b, 1, &event);
		if (r)
			return r;
		r = vt_event_wait(l->fd, event, 300, &e);
		if (!r && e.state == VACC_EVENT_COMPLETE)
			expect_all(l, 0x5a, "a fill");
		if (rng_one_in(&l->r, 4))
			vt_handle(l->fd, VACC_EVENT_CANCEL, event);
		vt_handle(l->fd, VACC_EVENT_DESTROY, event);
		return r;
	case 2:
		r = vt_buffer(l->fd, l->context, 1 + byte, VT_USAGE_ALL, &extra);
		return r ?: vt_handle(l->fd, VACC_BUFFER_DESTROY, extra);
	default:
		r = vt_load_fill(l->fd, l->context, byte, &extra);
		return r ?: vt_handle(l->fd, VACC_PROGRAM_UNLOAD, extra);
	}
}

static void *work(void *arg)
{
	struct load *l = arg;
	unsigned int failed;

	while (!round_over()) {
		if (load_open(l)) {
			vt_sleep_ms(10);
			continue;
		}
		/* A file may be dead for ever. */
		for (failed = 0; failed < 8 && !round_over(); ) {
			int r = load_step(l);

			round_called(!r);
			failed += !!r;
		}
		close(l->fd);
	}
	return NULL;
}

/* A lie that the driver can see, about some answers of some kind. */
static void lie(struct rng *r)
{
	static const char * const plain[] = {
		"late", "stale", "duplicate", "swap", "mute", "late", "duplicate", "swap",
	};
	static const char * const numbers[] = {
		"used_length", "payload_length", "used_id", "request_id", "status", "flags",
		"event_state", "event_error",
	};
	static const unsigned int opcodes[] = {
		0, VIRTIO_ACCEL_OP_CREATE_CONTEXT, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
		VIRTIO_ACCEL_OP_FREE_BUFFER, VIRTIO_ACCEL_OP_WRITE_BUFFER,
		VIRTIO_ACCEL_OP_READ_BUFFER, VIRTIO_ACCEL_OP_LOAD_PROGRAM,
		VIRTIO_ACCEL_OP_SUBMIT, VIRTIO_ACCEL_OP_POLL_EVENT,
		VIRTIO_ACCEL_OP_DESTROY_EVENT,
	};
	unsigned int opcode = opcodes[rng_below(r, sizeof(opcodes) / sizeof(opcodes[0]))];
	unsigned int skip = rng_below(r, 6), count = 1 + rng_below(r, 3);
	unsigned long long value = rng_one_in(r, 2) ? rng_edge(r) : rng_below(r, 32);
	const char *what = numbers[rng_below(r, 8)];

	if (rng_one_in(r, 3)) {
		vt_control(node, "hostile", "%s opcode=%u skip=%u count=%u",
			   plain[rng_below(r, 8)], opcode, skip, count);
		return;
	}
	if (!strncmp(what, "event", 5)) {
		opcode = VIRTIO_ACCEL_OP_POLL_EVENT;
		if (value == VACC_EVENT_COMPLETE)
			value = VACC_EVENT_FAILED;
	}
	vt_control(node, "hostile", "%s value=%llu opcode=%u skip=%u count=%u", what, value,
		   opcode, skip, count);
}

static int run(uint64_t seed)
{
	static struct load loads[THREADS];
	struct rng r = rng_of(seed, THREADS);
	pthread_t ids[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		loads[i].r = rng_of(seed, i);
		if (pthread_create(&ids[i], NULL, work, &loads[i]))
			FAIL("no thread");
	}
	while (!round_over()) {
		lie(&r);
		if (rng_one_in(&r, 8))
			vt_control(node, "hostile", "clear");
		if (rng_one_in(&r, 60))
			vt_control(node, "needs_reset", "1");
		vt_sleep_ms(rng_below(&r, 60));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

/* The node goes with a reset, its device on the virtio bus stays. */
static int find_device(void)
{
	char name[64];
	int r = vt_virtio_name(node, name, sizeof(name));

	if (!r)
		snprintf(device, sizeof(device), "/sys/bus/virtio/devices/%s/reset", name);
	return r;
}

static void reset_device(void)
{
	int fd = open(device, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		perror(device);
	if (fd >= 0)
		close(fd);
}

static int works(void)
{
	struct load l = {};
	int r = load_open(&l);

	if (r)
		return r;
	r = vt_set(l.fd, l.buffer, 0, 0x21, BYTES);
	if (!r && vt_all(l.fd, l.buffer, 0, 0x21, BYTES) != 1)
		r = -EILSEQ;
	r = r ?: vt_run(l.fd, l.queue, l.fill, &l.b, 1);
	if (!r && vt_all(l.fd, l.buffer, 0, 0x5a, BYTES) != 1)
		r = -EILSEQ;
	close(l.fd);
	return r;
}

static int begin(uint64_t seed)
{
	(void)seed;
	if (round_limits("300", "2000"))
		return 1;
	node = vt_mock_add();
	return node < 0 || find_device();
}

static int end(uint64_t seed)
{
	int r = -1, tries, fd;

	(void)seed;
	vt_control(node, "hostile", "clear");
	for (tries = 0; r && tries < 50; tries++) {
		reset_device();
		r = works();
		if (r)
			vt_sleep_ms(100);
	}
	if (r)
		fprintf(stderr, "after resets nothing works: %d\n", r);
	fd = vt_open_node(node);
	if (!r && (fd < 0 || vt_settle(fd, NULL)))
		r = -ETIMEDOUT;
	if (fd >= 0)
		close(fd);
	if (vt_mock_remove(node) && !r)
		r = -EIO;
	return r;
}

int main(int argc, char **argv)
{
	static const struct round_ops ops = {
		.begin = begin,
		.run = run,
		.end = end,
		.kill = true,
		.ms = 2000,
	};

	if (strcmp(vt_backend(), "loopback")) {
		fprintf(stderr, "only loopback devices can be told to lie\n");
		return 2;
	}
	return round_main(argc, argv, &ops);
}
