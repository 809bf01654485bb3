// SPDX-License-Identifier: GPL-2.0
/* Submissions, one and many. */
#include <unistd.h>
#include "call.h"

static void fill_submit(struct thread *t, struct vacc_submit *c)
{
	struct vacc_binding *b = arena(t, 4 * sizeof(*b));
	struct vacc_in_fence *f = arena(t, 4 * sizeof(*f));
	unsigned int n = 1 + rng_below(&t->r, 3), i;

	for (i = 0; i < n; i++) {
		b[i].buffer = some(t, BUFFER);
		b[i].slot = i;
		b[i].access = rng_one_in(&t->r, 2) ? VT_WRITE : 1 + rng_below(&t->r, 3);
		b[i].offset = rng_one_in(&t->r, 3) ? rng_below(&t->r, 64) : 0;
		b[i].bytes = rng_one_in(&t->r, 3) ? 1 + rng_below(&t->r, 4096) : 512;
	}
	c->size = sizeof(*c);
	c->queue = some(t, QUEUE);
	c->program = some(t, PROGRAM);
	c->bindings = (struct vacc_array){ n, sizeof(*b), address(b) };
	if (rng_one_in(&t->r, 3))
		c->flags = rng_below(&t->r, 128);
	if (c->flags & VACC_SUBMIT_WAIT)
		c->deadline_ns = vt_deadline(rng_below(&t->r, 10));
	if (rng_one_in(&t->r, 4))
		c->timeout_ns = rng_below(&t->r, 10000000);
	if (rng_one_in(&t->r, 4)) {
		n = 1 + rng_below(&t->r, 3);
		for (i = 0; i < n; i++) {
			f[i].kind = rng_below(&t->r, 3);
			f[i].value = f[i].kind ? some(t, EVENT) : (__u32)t->fence;
			if (f[i].kind == VACC_FENCE_INDEX)
				f[i].value = rng_below(&t->r, 4);
		}
		c->in_fences = (struct vacc_array){ n, sizeof(*f), address(f) };
	}
	c->user_data = rng_next(&t->r);
}

static void keep_event(struct thread *t, const struct vacc_submit *c)
{
	if (c->admission == VACC_NOT_SUBMITTED)
		return;
	keep(t, EVENT, c->event);
	if (!(c->flags & VACC_SUBMIT_OUT_FENCE) || c->out_fence_fd < 3)
		return;
	if (t->fence >= 0)
		close(t->fence);
	t->fence = c->out_fence_fd;
}

void do_submit(struct thread *t)
{
	struct vacc_submit *c = arena(t, sizeof(*c));

	fill_submit(t, c);
	if (!call(t, VACC_SUBMIT, c, sizeof(*c)))
		keep_event(t, c);
}

void do_submit_many(struct thread *t)
{
	struct vacc_submit_many *c = arena(t, sizeof(*c));
	unsigned int n = 1 + rng_below(&t->r, 5), i;
	struct vacc_submit *s = arena(t, n * sizeof(*s));

	for (i = 0; i < n; i++)
		fill_submit(t, &s[i]);
	c->submits = (struct vacc_array){ n, sizeof(*s), address(s) };
	if (call(t, VACC_SUBMIT_MANY, c, sizeof(*c)))
		return;
	for (i = 0; i < n; i++)
		keep_event(t, &s[i]);
}
