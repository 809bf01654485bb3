/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of in-fences share.
 */
#ifndef IN_FENCE_H
#define IN_FENCE_H

#include "gate.h"
#include "vacc_test.h"

#define BYTES	64

struct work {
	int fd;
	__u32 queue, buffer, fill;
	struct vacc_binding bind;
};

static inline int make(int fd, __u32 context, __u32 queue, struct work *w)
{
	int r = vt_buffer(fd, context, BYTES, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, context, 0xa5, &w->fill);

	w->fd = fd;
	w->queue = queue;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, BYTES);
	return r;
}

static inline struct vacc_submit behind(const struct work *w,
					const struct vacc_in_fence *fences, __u32 count)
{
	struct vacc_submit s = vt_submit_desc(w->queue, w->fill, &w->bind, 1);

	s.in_fences = (struct vacc_array) { count, sizeof(*fences), VT_PTR(fences) };
	return s;
}

/* Submit behind one fence. */
static inline int start_behind(const struct work *w, __u32 kind, __u32 value, __u32 *event)
{
	struct vacc_in_fence fence = vt_in_fence(kind, value);
	struct vacc_submit s = behind(w, &fence, 1);
	int r = vt_submit(w->fd, &s);

	*event = s.event;
	return r;
}

static inline int start(const struct work *w, __u32 *event)
{
	return vt_start(w->fd, w->queue, w->fill, &w->bind, 1, event);
}

/* The state of an event that ends; a status other than OK shows too. */
static inline int end_of(int fd, __u32 event)
{
	struct vacc_wait_entry entry;
	int r = vt_event_wait(fd, event, VT_PATIENCE_MS, &entry);

	if (!r && entry.event_flags != VACC_EVENT_QUIESCENT)
		r = -EIO;
	return r ?: (int)(entry.state + 100 * entry.status);
}

#define FAILED(status)	(VACC_EVENT_FAILED + 100 * VIRTIO_ACCEL_S_##status)

/* Nothing happens for a while. */
static inline int stays_pending(int fd, __u32 event)
{
	return vt_event_wait(fd, event, 50, NULL) == -ETIMEDOUT &&
	       vt_state(fd, event) == VACC_EVENT_PENDING;
}

static inline bool no_sync_file(struct __test_metadata *_metadata, struct _test_data_dev *self)
{
	struct vacc_in_fence fence = vt_in_fence(VACC_FENCE_SYNC_FILE, 0);
	struct vacc_submit s;
	struct work w;

	if (self->info.features & VACC_FEATURE_SYNC_FILE)
		return false;
	EXPECT_OK(make(self->fd, self->context, self->queue, &w));
	s = behind(&w, &fence, 1);
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	return true;
}

#endif
