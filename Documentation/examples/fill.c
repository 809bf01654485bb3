// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <libvacc.h>
#include <stdio.h>

int main(void)
{
	struct vacc_device *dev = NULL;
	struct vacc_context context;
	struct vacc_queue queue;
	struct vacc_buffer buffer;
	struct vacc_program program;
	struct vacc_ref_artifact fill;
	struct vacc_bind bind = { &buffer, 0, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, 0 };
	unsigned char byte;

	vacc_ref_fill(&fill, 0, 0xa5);
	if (vacc_open(NULL, &dev) || vacc_context_create(dev, &context) ||
	    vacc_queue_create(&context, &queue) ||
	    vacc_buffer_create(&context, 1 << 20, NULL, &buffer) ||
	    vacc_program_load(&context, &fill, sizeof(fill), &program) ||
	    vacc_submit_wait(&queue, &program, &bind, 1, 0) ||
	    vacc_buffer_read(&buffer, (1 << 20) - 1, &byte, 1))
		return fprintf(stderr, "fill: %s\n", vacc_last_error(dev)), 1;
	return printf("complete, the last byte is 0x%02x\n", byte) < 0;
}
