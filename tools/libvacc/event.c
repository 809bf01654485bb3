// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Events. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define ENTRIES_ON_STACK	16

int vacc_event_query(struct vacc_device *dev, struct vacc_event *event,
		     struct vacc_event_query *query)
{
	struct vacc_event_query local;
	int err;

	if (!query)
		query = &local;
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = event->handle;
	if (!vacc_check_owner(dev, event->dev, event->owner)) {
		query->admission = VACC_INDETERMINATE;
		query->state = VACC_EVENT_PENDING;
		query->status = VIRTIO_ACCEL_S_STALE_OBJECT;
		query->event_flags = VACC_EVENT_INDETERMINATE;
		return 0;
	}
	err = vacc_ioctl(dev, VACC_EVENT_QUERY, query);
	if (err)
		return err;
	event->admission = query->admission;
	event->state = query->state;
	event->status = query->status;
	event->flags = query->event_flags;
	return 0;
}

enum vacc_outcome vacc_event_outcome(const struct vacc_device *dev,
				     const struct vacc_event *event)
{
	if (!vacc_check_owner(dev, event->dev, event->owner))
		return VACC_OUTCOME_INDETERMINATE;
	switch (event->state) {
	case VACC_EVENT_PENDING:
		return VACC_OUTCOME_PENDING;
	case VACC_EVENT_COMPLETE:
		return VACC_OUTCOME_SUCCEEDED;
	case VACC_EVENT_FAILED:
	case VACC_EVENT_CANCELLED:
		if (event->flags & VACC_EVENT_INDETERMINATE)
			return VACC_OUTCOME_INDETERMINATE;
		return event->flags & VACC_EVENT_QUIESCENT ?
		       VACC_OUTCOME_FAILED : VACC_OUTCOME_INDETERMINATE;
	default:
		return VACC_OUTCOME_INDETERMINATE;
	}
}

int vacc_event_error(const struct vacc_event *event)
{
	int err;

	switch (event->state) {
	case VACC_EVENT_PENDING:
		return -EAGAIN;
	case VACC_EVENT_COMPLETE:
		return 0;
	case VACC_EVENT_CANCELLED:
		return -ECANCELED;
	default:
		err = vacc_status_errno(event->status);
		return err ? err : -EREMOTEIO;
	}
}

/* Wait for events that are all of @dev. */
static int wait_entries(struct vacc_device *dev, struct vacc_event *events,
			struct vacc_wait_entry *entries, __u32 count, __u32 flags,
			__u64 deadline_ns, __u32 *first)
{
	struct vacc_event_wait arg = {
		.size = sizeof(arg),
		.flags = flags,
		.events = vacc_array_of(entries, count, sizeof(*entries)),
		.deadline_ns = deadline_ns,
		.first = ~0U,
	};
	int err;

	for (__u32 i = 0; i < count; i++)
		entries[i] = (struct vacc_wait_entry) { .handle = events[i].handle };
	err = vacc_ioctl(dev, VACC_EVENT_WAIT, &arg);
	if (err && err != -ETIMEDOUT)
		return err;
	for (__u32 i = 0; i < count; i++) {
		events[i].state = entries[i].state;
		events[i].status = entries[i].status;
		events[i].flags = entries[i].event_flags;
	}
	*first = arg.first;
	return err;
}

int vacc_wait_many(struct vacc_device *dev, struct vacc_event *events, __u32 count,
		   __u32 flags, __u64 deadline_ns, __u32 *first)
{
	struct vacc_wait_entry few[ENTRIES_ON_STACK], *entries = few;
	__u32 none = ~0U;
	int err;

	if (!first)
		first = &none;
	*first = ~0U;
	for (__u32 i = 0; i < count; i++) {
		if (!vacc_check_owner(dev, events[i].dev, events[i].owner))
			return vacc_fail(ENOENT, "event %u is of another device", i);
	}
	if (count > VACC_MAX_WAIT)
		return vacc_fail(EINVAL, "%u events are too many for one wait", count);
	if (count > ENTRIES_ON_STACK) {
		entries = calloc(count, sizeof(*entries));
		if (!entries)
			return vacc_fail(ENOMEM, "out of memory");
	}
	err = wait_entries(dev, events, entries, count, flags, deadline_ns, first);
	if (entries != few)
		free(entries);
	return err;
}

int vacc_wait(struct vacc_device *dev, struct vacc_event *event, __u64 deadline_ns)
{
	return vacc_wait_many(dev, event, 1, VACC_WAIT_ALL, deadline_ns, NULL);
}

int vacc_event_attribution(struct vacc_device *dev, const struct vacc_event *event,
			   struct vacc_attribution_row *rows, __u32 room,
			   __u32 *count)
{
	struct vacc_event_attribution arg = {
		.size = sizeof(arg),
		.handle = event->handle,
		.rows = vacc_array_of(rows, room, sizeof(*rows)),
	};
	int err;

	if (!vacc_check_owner(dev, event->dev, event->owner))
		return vacc_fail(ENOENT, "the event is of another device");
	err = vacc_ioctl(dev, VACC_EVENT_ATTRIBUTION, &arg);
	if (!err && count)
		*count = arg.rows.count;
	return err;
}

int vacc_event_cancel(const struct vacc_event *event)
{
	__u32 handle = event->handle;

	return vacc_drop(event->dev, VACC_EVENT_CANCEL, &handle, "event");
}

int vacc_event_destroy(struct vacc_event *event)
{
	return vacc_drop(event->dev, VACC_EVENT_DESTROY, &event->handle, "event");
}
