// SPDX-License-Identifier: GPL-2.0
/* Two that play otherwise: one disturbs, one looks whether it matters to it. */
#include <string.h>
#include <unistd.h>
#include "artifact.h"
#include "call.h"

/* The harness, and what happens to devices. */
void *disturb(void *arg)
{
	struct thread *t = arg;
	bool loopback = !strcmp(vt_backend(), "loopback");

	while (!round_over()) {
		switch (rng_below(&t->r, loopback ? 24 : 20)) {
		case 0 ... 3:
			vt_control(node, "hold", "%u", rng_below(&t->r, 2));
			break;
		case 4 ... 7:
			vt_control(node, "complete", "%s",
				   rng_one_in(&t->r, 2) ? "all" : "1");
			break;
		case 8 ... 9:
			vt_control(node, "fail", "all %u", 1 + rng_below(&t->r, 11));
			break;
		case 10:
			if (rng_one_in(&t->r, 4))
				vt_control(node, "lose", "1");
			break;
		case 11 ... 13:
			vt_control(node, "release", "1");
			break;
		case 20:
			if (rng_one_in(&t->r, 4))
				vt_control(node, "needs_reset", "1");
			break;
		default:
			break;
		}
		vt_sleep_ms(rng_below(&t->r, 20));
		if (rng_one_in(&t->r, 100))
			vt_mock_remove(node);
	}
	vt_release_all(node);
	return NULL;
}

/* Whatever succeeds here must be right. */
void *judge(void *arg)
{
	struct thread *t = arg;
	unsigned char *mine = arena(t, 4096), *back = arena(t, 4096);
	__u32 context, queue, buffer, program, i;
	struct vacc_binding b;
	int fd = vt_open_node(node);

	if (fd < 0 || vt_context(fd, &context) || vt_queue(fd, context, &queue) ||
	    vt_buffer(fd, context, 4096, VT_USAGE_ALL, &buffer) ||
	    vt_load_ref(fd, context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT, 0x5a, &program))
		goto out;
	b = vt_bind(buffer, 0, VT_READ_WRITE, 0, 4096);
	while (!round_over()) {
		/* What pends may change the buffer at any moment. */
		if (vt_queue_sync(fd, queue, vt_deadline(100), &i)) {
			vt_sleep_ms(1);
			continue;
		}
		for (i = 0; i < 4096; i++)
			mine[i] = rng_next(&t->r);
		if (vt_write(fd, buffer, 0, mine, 4096))
			continue;
		if (rng_one_in(&t->r, 2)) {
			struct vacc_submit s = vt_submit_desc(queue, program, &b, 1);

			s.flags = VACC_SUBMIT_WAIT | VACC_SUBMIT_AUTO_DESTROY;
			s.deadline_ns = vt_deadline(300);
			if (vt_submit(fd, &s) || s.state != VACC_EVENT_COMPLETE)
				continue;
			for (i = 0; i < 4096; i++)
				mine[i] ^= 0x5a;
		}
		if (vt_read(fd, buffer, 0, back, 4096))
			continue;
		if (memcmp(mine, back, 4096))
			FAIL("what was read is not what is there");
	}
out:
	if (fd >= 0)
		close(fd);
	return NULL;
}
