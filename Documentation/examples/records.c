// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Many fills on eight queues, reaped as they end: epoll says when there are completion
 * records, and read(2) returns them.  Nothing waits for a single event.
 *
 * usage: records [FILLS]	10 000 unless said
 */
#include <libvacc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define QUEUES	8
#define BYTES	4096
#define BATCH	64

struct bench {
	struct vacc_device *dev;
	int epoll;
	struct vacc_queue queues[QUEUES];
	struct vacc_buffer buffers[QUEUES];
	struct vacc_program fill;
	unsigned long submitted, ended, completed;
	unsigned char *seen;	/* one for each fill */
};

static int make(struct bench *b)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT };
	struct vacc_ref_artifact fill;
	struct vacc_context context;
	int fd = vacc_fd(b->dev), err, i;

	vacc_ref_fill(&fill, 0, 0xa5);
	err = vacc_context_create(b->dev, &context) ?:
	      vacc_program_load(&context, &fill, sizeof(fill), &b->fill);
	for (i = 0; i < QUEUES && !err; i++)
		err = vacc_queue_create(&context, &b->queues[i]) ?:
		      vacc_buffer_create(&context, BYTES, NULL, &b->buffers[i]);
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (err || b->epoll < 0 || epoll_ctl(b->epoll, EPOLL_CTL_ADD, fd, &e) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK))
		return -1;
	return 0;
}

/* As many as there is room for. 0, or a negative errno. */
static int submit_some(struct bench *b, unsigned long total)
{
	int err = 0;

	while (b->submitted < total && !err) {
		unsigned int q = b->submitted % QUEUES;
		struct vacc_bind bind = { &b->buffers[q], 0, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, 0 };
		/* The event goes by itself; its record is what is left of it. */
		struct vacc_submit_options options = {
			.flags = VACC_SUBMIT_RECORD | VACC_SUBMIT_AUTO_DESTROY,
			.user_data = b->submitted,
		};
		struct vacc_event event;

		err = vacc_submit(&b->queues[q], &b->fill, &bind, 1, &options, &event);
		b->submitted += !err;
	}
	return err == -EAGAIN ? 0 : err;
}

static void take(struct bench *b, const struct vacc_record *record)
{
	b->ended++;
	b->completed += record->state == VACC_EVENT_COMPLETE &&
			!b->seen[record->user_data]++;
}

/* All records that are there. */
static int reap(struct bench *b)
{
	struct vacc_record records[BATCH];
	ssize_t n, i;

	for (;;) {
		n = read(vacc_fd(b->dev), records, sizeof(records));
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		/* This kernel's records may be longer than ours: go on by their length. */
		for (i = 0; i < n; i += ((struct vacc_record *)((char *)records + i))->length)
			take(b, (struct vacc_record *)((char *)records + i));
	}
}

int main(int argc, char **argv)
{
	unsigned long total = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	struct bench b = { .seen = calloc(total, 1) };
	struct epoll_event e;
	int err;

	if (!b.seen || vacc_open(NULL, &b.dev) || make(&b))
		return fprintf(stderr, "records: %s\n", vacc_last_error(b.dev)), 1;
	while (b.ended < total) {
		err = submit_some(&b, total) ?: reap(&b);
		if (err)
			return fprintf(stderr, "records: %s\n", vacc_strerror(err)), 1;
		/* Room to submit is worth a wake-up only while there is something left to. */
		e = (struct epoll_event) { .events = EPOLLIN };
		if (b.submitted < total)
			e.events |= EPOLLOUT;
		epoll_ctl(b.epoll, EPOLL_CTL_MOD, vacc_fd(b.dev), &e);
		if (b.ended < total && epoll_wait(b.epoll, &e, 1, 60000) != 1)
			return fputs("records: nothing ends\n", stderr), 1;
	}
	printf("%lu fills on %d queues, %lu completed, each once\n", total, QUEUES, b.completed);
	vacc_close(b.dev);
	free(b.seen);
	return b.completed != total;
}
