// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two devices that work one after the other, without the program in between: what the
 * first does ends with a sync_file, which the second waits for, and the other way round.
 * Only the last fence is waited for.
 *
 * usage: chain [ROUNDS]	8 unless said; needs two devices
 */
#include <libvacc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES	4096

struct side {
	struct vacc_device *dev;
	struct vacc_queue queue;
	struct vacc_buffer buffer;
	struct vacc_program invert;
};

static int make(struct side *s, unsigned int number)
{
	struct vacc_ref_artifact invert;
	struct vacc_context context;
	char path[16];

	snprintf(path, sizeof(path), "%u", number);
	vacc_ref_xor(&invert, 0, 0xff);
	return vacc_open(path, &s->dev) ?: vacc_context_create(s->dev, &context) ?:
	       vacc_queue_create(&context, &s->queue) ?:
	       vacc_buffer_create(&context, BYTES, NULL, &s->buffer) ?:
	       vacc_program_load(&context, &invert, sizeof(invert), &s->invert);
}

/* Submits behind @fence, if it is one, closes that, and returns the next one. */
static int submit_behind(struct side *s, int fence)
{
	struct vacc_bind bind = { &s->buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 0, 0 };
	struct vacc_in_fence in = { .kind = VACC_FENCE_SYNC_FILE, .value = fence };
	struct vacc_submit_options options = {
		.flags = VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_AUTO_DESTROY,
		.in_fences = &in,
		.in_fence_count = fence >= 0,
	};
	struct vacc_event event;
	int err = vacc_submit(&s->queue, &s->invert, &bind, 1, &options, &event);

	/* The submission has what it needs of it. */
	if (fence >= 0)
		close(fence);
	return err ? err : event.out_fence_fd;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 8, fence = -1, i;
	unsigned char bytes[2] = { 0 };
	unsigned int numbers[2];
	struct side sides[2] = { 0 };

	if (vacc_list(numbers, 2) < 2)
		return fputs("chain: this needs two devices\n", stderr), 1;
	for (i = 0; i < 2; i++)
		if (make(&sides[i], numbers[i]))
			return fprintf(stderr, "chain: %s\n", vacc_last_error(sides[i].dev)), 1;
	for (i = 0; i < 2 * rounds; i++) {
		fence = submit_behind(&sides[i % 2], fence);
		if (fence < 0)
			return fprintf(stderr, "chain: %s\n", vacc_strerror(fence)), 1;
	}
	if (poll(&(struct pollfd) { fence, POLLIN, 0 }, 1, 60000) != 1)
		return fputs("chain: the last fence does not signal\n", stderr), 1;
	close(fence);
	for (i = 0; i < 2; i++)
		if (vacc_buffer_read(&sides[i].buffer, BYTES - 1, &bytes[i], 1))
			return fprintf(stderr, "chain: %s\n", vacc_last_error(sides[i].dev)), 1;
	printf("%d inversions on each of two devices: 0x%02x and 0x%02x\n", rounds, bytes[0],
	       bytes[1]);
	for (i = 0; i < 2; i++)
		vacc_close(sides[i].dev);
	return bytes[0] != bytes[1] || bytes[0] != (rounds % 2 ? 0xff : 0);
}
