// SPDX-License-Identifier: GPL-2.0
/* What is done with events, and waiting for them. */
#include <unistd.h>
#include "call.h"

void do_cancel(struct thread *t)
{
	struct vacc_handle_arg *c = arena(t, sizeof(*c));

	c->handle = some(t, EVENT);
	call(t, VACC_EVENT_CANCEL, c, sizeof(*c));
}

void do_sync(struct thread *t)
{
	struct vacc_queue_sync *c = arena(t, sizeof(*c));

	c->handle = some(t, QUEUE);
	c->deadline_ns = vt_deadline(rng_below(&t->r, 20));
	call(t, VACC_QUEUE_SYNC, c, sizeof(*c));
}

void do_wait(struct thread *t)
{
	struct vacc_event_wait *c = arena(t, sizeof(*c));
	unsigned int n = 1 + rng_below(&t->r, 5), i;
	struct vacc_wait_entry *e = arena(t, n * sizeof(*e));

	for (i = 0; i < n; i++)
		e[i].handle = some(t, EVENT);
	c->flags = rng_below(&t->r, 2);
	c->events = (struct vacc_array){ n, sizeof(*e), address(e) };
	c->deadline_ns = vt_deadline(rng_below(&t->r, 10));
	call(t, VACC_EVENT_WAIT, c, sizeof(*c));
}

void do_export(struct thread *t)
{
	struct vacc_event_export *c = arena(t, sizeof(*c));

	c->handle = some(t, EVENT);
	if (call(t, VACC_EVENT_EXPORT, c, sizeof(*c)) || c->fd < 3)
		return;
	if (t->fence >= 0)
		close(t->fence);
	t->fence = c->fd;
}

void do_attribution(struct thread *t)
{
	struct vacc_event_attribution *c = arena(t, sizeof(*c));

	c->handle = some(t, EVENT);
	c->rows = (struct vacc_array){
		4, sizeof(struct vacc_attribution_row),
		address(arena(t, 4 * sizeof(struct vacc_attribution_row))),
	};
	call(t, VACC_EVENT_ATTRIBUTION, c, sizeof(*c));
}
