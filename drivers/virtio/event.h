/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a device.
 *
 * The session owns them: the core's events, whose private areas point to them, may go as
 * soon as the device has.
 */
#ifndef _VACC_VIRTIO_EVENT_H
#define _VACC_VIRTIO_EVENT_H

#include "virtio.h"

/**
 * struct vacc_vio_event - an event of the device
 * @ref: the session, as long as the event is on its list, and each call
 * @event: the core's, to be used only by who ends it
 * @node: in the session's @events, by its lock
 * @id: the device's; 0 before it is known
 * @timeout_ns: of the submission, 0 for none
 * @deadline_ns: when that is over, CLOCK_MONOTONIC
 * @bound_ns: when the device must have ended it, CLOCK_MONOTONIC
 * @submit: the SUBMIT; NULL once the event is done with, by the session's lock
 * @control: for polls, for a cancellation, and in the end for its destruction; likewise
 * @abort: by the session's lock: it shall be cancelled instead of polled
 * @wanted: counted in the session's @wanted
 * @ended: reported, or going to be
 */
struct vacc_vio_event {
	struct kref ref;
	struct vacc_event *event;
	struct list_head node;
	u64 id;
	u64 timeout_ns;
	u64 deadline_ns;
	u64 bound_ns;
	struct vacc_request *submit;
	struct vacc_request *control;
	bool abort;
	bool wanted;
	bool ended;
};

bool vacc_vio_event_take(struct vacc_session *session,
			 struct vacc_vio_event *event);

#endif /* _VACC_VIRTIO_EVENT_H */
