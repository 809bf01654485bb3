// SPDX-License-Identifier: GPL-2.0
/* Contexts, buffers, queues and programs: made, asked about, destroyed. */
#include <stdlib.h>
#include <string.h>
#include "artifact.h"
#include "call.h"

void do_context(struct thread *t)
{
	struct vacc_context_create *c = arena(t, sizeof(*c));

	if (!call(t, VACC_CONTEXT_CREATE, c, sizeof(*c)))
		keep(t, CONTEXT, c->handle);
}

void do_buffer(struct thread *t)
{
	struct vacc_buffer_create *c = arena(t, sizeof(*c));

	c->context = some(t, CONTEXT);
	c->domain = 1 + rng_below(&t->r, 3);
	c->usage = rng_one_in(&t->r, 4) ? rng_below(&t->r, 32) : VT_USAGE_ALL;
	c->element_type = rng_one_in(&t->r, 4) ? rng_below(&t->r, 9) : 0;
	c->flags = rng_one_in(&t->r, 8);
	c->bytes = rng_one_in(&t->r, 20) ? rng_edge(&t->r) : 1 + rng_below(&t->r, 20000);
	c->alignment = rng_one_in(&t->r, 30) ? rng_edge(&t->r) :
		       1ULL << rng_below(&t->r, 14);
	if (!call(t, VACC_BUFFER_CREATE, c, sizeof(*c)))
		t->file->mmap_offset[keep(t, BUFFER, c->handle)] = c->mmap_offset;
}

void do_queue(struct thread *t)
{
	struct vacc_queue_create *c = arena(t, sizeof(*c));

	c->context = some(t, CONTEXT);
	if (!call(t, VACC_QUEUE_CREATE, c, sizeof(*c)))
		keep(t, QUEUE, c->handle);
}

/* Two batches: copies and sets, and a launch over three slots. */
static void *some_batch(struct thread *t, size_t *bytes)
{
	static __thread struct vt_batch b;
	unsigned int n;

	memset(&b, 0, sizeof(b));
	vt_batch_slot(&b, 0, VT_READ_WRITE, 64);
	if (rng_one_in(&t->r, 2)) {
		for (n = 1 + rng_below(&t->r, 6); n; n--)
			vt_batch_set(&b, VACC_BATCH_OP_FILL + rng_below(&t->r, 2), 0,
				     rng_below(&t->r, 32), 1 + rng_below(&t->r, 32), n);
	} else {
		vt_batch_slot(&b, 1, VT_READ, 512);
		vt_batch_slot(&b, 2, VT_WRITE, 512);
		vt_batch_launch(&b, 1, 0, 2, 1 + rng_below(&t->r, 8), 8, 4);
		vt_batch_linear(&b, 0, 1);
	}
	return vt_batch_encode(&b, bytes);
}

void do_program(struct thread *t)
{
	struct vacc_program_load *c = arena(t, sizeof(*c));
	__u8 op = rng_below(&t->r, 5);
	struct vacc_ref_artifact a;
	size_t bytes = sizeof(a);
	void *payload = NULL;
	unsigned char *at;

	if (rng_one_in(&t->r, 2)) {
		payload = some_batch(t, &bytes);
		*c = vt_batch_load_desc(some(t, CONTEXT), payload, bytes);
	} else {
		a = vt_ref(op, 0, op == VACC_REF_OP_COPY ? 1 : VACC_REF_NO_SLOT,
			   op > 1 ? rng_next(&t->r) : 0);
		*c = vt_ref_load(some(t, CONTEXT), &a, sizeof(a));
	}
	at = arena(t, bytes);
	memcpy(at, payload ? payload : &a, bytes);
	free(payload);
	if (rng_one_in(&t->r, 8))
		at[rng_below(&t->r, bytes)] ^= 1 << rng_below(&t->r, 8);
	c->payload = address(at);
	if (!call(t, VACC_PROGRAM_LOAD, c, sizeof(*c)))
		keep(t, PROGRAM, c->handle);
}

void do_destroy(struct thread *t)
{
	static const unsigned long numbers[KINDS] = {
		VACC_CONTEXT_DESTROY, VACC_BUFFER_DESTROY, VACC_PROGRAM_UNLOAD,
		VACC_QUEUE_DESTROY, VACC_EVENT_DESTROY,
	};
	struct vacc_handle_arg *c = arena(t, sizeof(*c));
	enum object kind = rng_below(&t->r, KINDS + 3);

	if (kind >= KINDS)
		kind = EVENT;
	if (kind == CONTEXT && !rng_one_in(&t->r, 4))
		return;
	c->handle = some(t, kind);
	call(t, numbers[kind], c, sizeof(*c));
}

void do_query(struct thread *t)
{
	struct vacc_buffer_query *b = arena(t, sizeof(*b));
	struct vacc_program_query *p = arena(t, sizeof(*p));
	struct vacc_queue_query *q = arena(t, sizeof(*q));
	struct vacc_event_query *e = arena(t, sizeof(*e));

	b->handle = some(t, BUFFER);
	call(t, VACC_BUFFER_QUERY, b, sizeof(*b));
	p->handle = some(t, PROGRAM);
	p->slots = (struct vacc_array){
		4, sizeof(struct vacc_program_slot),
		address(arena(t, 4 * sizeof(struct vacc_program_slot))),
	};
	call(t, VACC_PROGRAM_QUERY, p, sizeof(*p));
	q->handle = some(t, QUEUE);
	call(t, VACC_QUEUE_QUERY, q, sizeof(*q));
	e->handle = some(t, EVENT);
	call(t, VACC_EVENT_QUERY, e, sizeof(*e));
}
