// SPDX-License-Identifier: GPL-2.0
/* Waits and signals: deadlines are absolute, so that calls can be restarted. */
#include "vacc_test.h"

static volatile int caught;

static void handler(int sig)
{
	(void)sig;
	caught++;
}

static void catch_usr1(int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGUSR1, &sa, NULL);
}

struct helper {
	pthread_t target;
	int node;
	__u32 event;
};

/* Signals, and 200 ms later completes. */
static void *signal_then_complete(void *arg)
{
	struct helper *h = arg;

	vt_sleep_ms(200);
	pthread_kill(h->target, SIGUSR1);
	vt_sleep_ms(200);
	vt_control(h->node, "complete", "%u", h->event);
	return NULL;
}

enum how { WAIT, SYNC, SUBMIT };

struct wait {
	int result;
	__u64 took_ms;
	struct vacc_submit submit;
	__u32 event;
};

static int do_wait(struct _test_data_dev *self, enum how how, int flags, struct wait *w)
{
	struct helper h = { .target = pthread_self(), .node = self->node };
	__u32 buffer, program, other;
	struct vacc_binding b;
	pthread_t thread;
	__u64 begin;
	int r;

	caught = 0;
	catch_usr1(flags);
	r = vt_buffer(self->fd, self->context, 64, VT_USAGE_ALL, &buffer) ?:
	    vt_load_fill(self->fd, self->context, 0x42, &program) ?:
	    vt_queue(self->fd, self->context, &other) ?:
	    vt_control(self->node, "hold", "1");
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	if (how != SUBMIT)
		r = r ?: vt_start(self->fd, self->queue, program, &b, 1, &h.event);
	else
		/* The next handle is the event's: nothing is created in between. */
		h.event = other + 1;
	if (r || pthread_create(&thread, NULL, signal_then_complete, &h))
		return -ECHILD;
	begin = vt_now();
	switch (how) {
	case WAIT:
		w->result = vt_event_wait(self->fd, h.event, VT_PATIENCE_MS, NULL);
		break;
	case SYNC:
		w->result = vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS),
					  NULL);
		break;
	case SUBMIT:
		w->submit = vt_submit_desc(self->queue, program, &b, 1);
		w->submit.flags = VACC_SUBMIT_WAIT;
		w->submit.deadline_ns = vt_deadline(VT_PATIENCE_MS);
		w->result = vt_submit(self->fd, &w->submit);
		break;
	}
	w->took_ms = (vt_now() - begin) / 1000000;
	w->event = how == SUBMIT ? w->submit.event : h.event;
	pthread_join(thread, NULL);
	vt_release_all(self->node);
	return 0;
}

/* With SA_RESTART a signal is not noticed. */
TEST_F(dev, wait_restarts)
{
	struct wait w;

	ASSERT_OK(do_wait(self, WAIT, SA_RESTART, &w));
	EXPECT_OK(w.result);
	EXPECT_EQ(1, caught);
	EXPECT_LE(390, w.took_ms);
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, w.event));
}

TEST_F(dev, wait_is_interrupted)
{
	struct wait w;

	ASSERT_OK(do_wait(self, WAIT, 0, &w));
	EXPECT_ERRNO(EINTR, w.result);
	EXPECT_EQ(1, caught);
	EXPECT_GT(390, w.took_ms);
	ASSERT_OK(vt_event_wait(self->fd, w.event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, w.event));
}

TEST_F(dev, sync_restarts)
{
	struct wait w;

	ASSERT_OK(do_wait(self, SYNC, SA_RESTART, &w));
	EXPECT_OK(w.result);
	EXPECT_EQ(1, caught);
	EXPECT_LE(390, w.took_ms);
}

TEST_F(dev, sync_is_interrupted)
{
	struct wait w;

	ASSERT_OK(do_wait(self, SYNC, 0, &w));
	EXPECT_ERRNO(EINTR, w.result);
	EXPECT_EQ(1, caught);
	EXPECT_OK(vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS), NULL));
}

/* SUBMIT with WAIT has submitted: it returns 0, once, and the event is pending. */
TEST_F(dev, submit_is_not_restarted)
{
	const int flags[] = { 0, SA_RESTART };
	struct vacc_queue_query q;
	struct wait w;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_OK(do_wait(self, SUBMIT, flags[i], &w));
		EXPECT_OK(w.result);
		EXPECT_EQ(1, caught);
		EXPECT_EQ(VACC_ACCEPTED, w.submit.admission);
		EXPECT_EQ(VACC_EVENT_PENDING, w.submit.state);
		EXPECT_GT(390, w.took_ms);
		ASSERT_OK(vt_event_wait(self->fd, w.event, VT_PATIENCE_MS, NULL));
		EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, w.event));
		ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
		EXPECT_EQ(i + 1, q.submitted);
	}
}

static void *signal_often(void *arg)
{
	struct helper *h = arg;
	int i;

	for (i = 0; i < 2000 && !__atomic_load_n(&h->event, __ATOMIC_RELAXED); i++) {
		pthread_kill(h->target, SIGUSR1);
		vt_sleep_ms(1);
	}
	return NULL;
}

/* Under a rain of signals everything still happens exactly once. */
TEST_F(dev, everything_once_under_signals)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 1 << 20), xor, i;
	struct vacc_binding b = vt_bind(buffer, 0, VT_READ_WRITE, 0, 1 << 20);
	struct helper h = { .target = pthread_self(), .node = self->node };
	unsigned int n = vt_scale(1000) & ~1;
	struct vacc_queue_query q;
	pthread_t thread;

	catch_usr1(SA_RESTART);
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT,
			      0xff, &xor));
	ASSERT_EQ(0, pthread_create(&thread, NULL, signal_often, &h));
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_run(self->fd, self->queue, xor, &b, 1));
	}
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0, 1 << 20));
	ASSERT_OK(vt_run(self->fd, self->queue, xor, &b, 1));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0xff, 1 << 20));
	__atomic_store_n(&h.event, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(n + 1, q.submitted);
	EXPECT_EQ(n + 1, q.completed);
}

TEST_HARNESS_MAIN
