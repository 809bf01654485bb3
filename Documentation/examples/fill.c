// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <libvacc.h>
#include <poll.h>
#include <stdio.h>

int main(void)
{
	struct vacc_device *dev = NULL;
	struct vacc_context context;
	struct vacc_queue queue;
	struct vacc_buffer buffer;
	struct vacc_program program;
	struct vacc_event event;
	struct vacc_ref_artifact fill;
	struct vacc_bind bind = { &buffer, 0, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, 0 };
	struct vacc_submit_options fence = { .flags = VACC_SUBMIT_OUT_FENCE };
	unsigned char byte;

	vacc_ref_fill(&fill, 0, 0xa5);
	if (vacc_open(NULL, &dev) || vacc_context_create(dev, &context) ||
	    vacc_queue_create(&context, &queue) ||
	    vacc_buffer_create(&context, 1 << 20, NULL, &buffer) ||
	    vacc_program_load(&context, &fill, sizeof(fill), &program) ||
	    vacc_submit(&queue, &program, &bind, 1, &fence, &event) ||
	    poll(&(struct pollfd){ event.out_fence_fd, POLLIN, 0 }, 1, -1) != 1 ||
	    vacc_event_query(dev, &event, NULL) ||
	    vacc_buffer_read(&buffer, (1 << 20) - 1, &byte, 1))
		return fprintf(stderr, "fill: %s\n", vacc_last_error(dev)), 1;
	printf("%s, the last byte is 0x%02x\n", vacc_state_name(event.state), byte);
	return event.state != VACC_EVENT_COMPLETE;
}
