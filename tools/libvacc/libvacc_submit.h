/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Submissions and events of libvacc. */
#ifndef LIBVACC_SUBMIT_H
#define LIBVACC_SUBMIT_H

#include "libvacc_object.h"
#include "libvacc_program.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct vacc_bind - a range of a buffer at a slot of the program
 * @buffer: buffer
 * @slot: slot, each at most once
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @element_type: VACC_TYPE_* that the buffer must have, 0 for any
 * @offset: first byte of the range
 * @bytes: its length, 0 for the rest of the buffer
 */
struct vacc_bind {
	const struct vacc_buffer *buffer;
	__u32 slot;
	__u32 access;
	__u32 element_type;
	__u64 offset;
	__u64 bytes;
};

/**
 * struct vacc_submit_options - how to submit
 * @flags: VACC_SUBMIT_*
 * @timeout_ns: from admission, queueing included; 0 for none
 * @deadline_ns: with VACC_SUBMIT_WAIT: how long to wait, see vacc_deadline()
 * @user_data: comes back in queries
 * @in_fences: what to wait for before executing
 * @in_fence_count: how many, at most VACC_MAX_IN_FENCES
 * @work: what each command does for its caller, or NULL
 * @work_count: number of commands of the program, or 0
 */
struct vacc_submit_options {
	__u32 flags;
	__u64 timeout_ns;
	__u64 deadline_ns;
	__u64 user_data;
	const struct vacc_in_fence *in_fences;
	__u32 in_fence_count;
	const struct vacc_work *work;
	__u32 work_count;
};

/**
 * struct vacc_event - a submission
 * @dev: its device
 * @owner: number of that open of the device, never used again
 * @handle: its handle, 0 for none
 * @admission: VACC_ACCEPTED or VACC_INDETERMINATE
 * @state: VACC_EVENT_* when it was last looked at
 * @status: VIRTIO_ACCEL_S_* then
 * @flags: VACC_EVENT_QUIESCENT, VACC_EVENT_INDETERMINATE then
 * @out_fence_fd: with VACC_SUBMIT_OUT_FENCE a sync_file of the caller's, else -1
 */
struct vacc_event {
	struct vacc_device *dev;
	__u64 owner;
	__u32 handle;
	__u32 admission;
	__u32 state;
	__u32 status;
	__u32 flags;
	int out_fence_fd;
};

/**
 * enum vacc_outcome - what is known of a submission
 * @VACC_OUTCOME_PENDING: it has not ended
 * @VACC_OUTCOME_SUCCEEDED: it completed
 * @VACC_OUTCOME_FAILED: it failed or was cancelled, and the device no longer
 *	touches its buffers
 * @VACC_OUTCOME_INDETERMINATE: nobody knows, or it is of another device
 */
enum vacc_outcome {
	VACC_OUTCOME_PENDING,
	VACC_OUTCOME_SUCCEEDED,
	VACC_OUTCOME_FAILED,
	VACC_OUTCOME_INDETERMINATE,
};

/**
 * vacc_submit() - submit work
 * @queue: where it runs
 * @program: what runs
 * @binds: at least one binding
 * @count: how many
 * @options: how, or NULL for all zero
 * @event: filled in
 *
 * With VACC_SUBMIT_AUTO_DESTROY the event goes by itself when it ends.  With
 * VACC_SUBMIT_WAIT look at @event->state: it is VACC_EVENT_PENDING where the
 * deadline or a signal came first.
 *
 * Return: 0 where there is an event; a negative errno where nothing was submitted.
 */
int vacc_submit(const struct vacc_queue *queue, const struct vacc_program *program,
		const struct vacc_bind *binds, __u32 count,
		const struct vacc_submit_options *options, struct vacc_event *event);

/**
 * vacc_submit_wait() - submit work and wait until it has ended
 * @queue: where it runs
 * @program: what runs
 * @binds: at least one binding
 * @count: how many
 * @timeout_ns: from admission, queueing included; 0 for none
 *
 * Goes on waiting when signals are handled.  Leaves no event behind.
 *
 * Return: 0 where it completed; a negative errno where it was not submitted, or
 * failed (vacc_status_errno()), or was cancelled (-ECANCELED).
 */
int vacc_submit_wait(const struct vacc_queue *queue,
		     const struct vacc_program *program,
		     const struct vacc_bind *binds, __u32 count, __u64 timeout_ns);

/**
 * vacc_event_query() - look at an event without waiting
 * @dev: device to ask
 * @event: event; its state, status and flags are renewed
 * @query: filled in, may be NULL
 *
 * An event of another device, or of another open of this one, never reads as ended:
 * its outcome is VACC_OUTCOME_INDETERMINATE.
 *
 * Return: 0 or a negative errno.
 */
int vacc_event_query(struct vacc_device *dev, struct vacc_event *event,
		     struct vacc_event_query *query);

/**
 * vacc_event_outcome() - what is known of an event since it was last looked at
 * @dev: device to ask
 * @event: event
 *
 * Return: the outcome.
 */
enum vacc_outcome vacc_event_outcome(const struct vacc_device *dev,
				     const struct vacc_event *event);

/**
 * vacc_event_error() - errno that stands for an event's end
 * @event: event
 *
 * Return: 0 where it completed, -EAGAIN where it has not ended, -ECANCELED where it
 * was cancelled, else vacc_status_errno() of its status.
 */
int vacc_event_error(const struct vacc_event *event);

/**
 * vacc_wait() - wait for one event
 * @dev: device to ask
 * @event: event; its state, status and flags are renewed
 * @deadline_ns: absolute, see vacc_deadline()
 *
 * Return: 0 where it has ended, however; -ETIMEDOUT; -ENOENT, also for a foreign
 * event; -EINTR; or another error.
 */
int vacc_wait(struct vacc_device *dev, struct vacc_event *event, __u64 deadline_ns);

/**
 * vacc_wait_many() - wait for one or all of some events
 * @dev: device to ask
 * @events: events, at most VACC_MAX_WAIT; their states, statuses and flags are
 *	renewed, also at -ETIMEDOUT
 * @count: how many
 * @flags: VACC_WAIT_ALL, or 0 for any
 * @deadline_ns: absolute, see vacc_deadline()
 * @first: index of the first that has ended, or ~0; may be NULL
 *
 * Return: as vacc_wait(); where one is foreign nothing is waited for.
 */
int vacc_wait_many(struct vacc_device *dev, struct vacc_event *events, __u32 count,
		   __u32 flags, __u64 deadline_ns, __u32 *first);

/**
 * vacc_event_attribution() - what each command of an event was, and when
 * @dev: device to ask
 * @event: event that has ended, submitted with VACC_SUBMIT_ATTRIBUTION
 * @rows: filled in, one a command, in order; with times where it was submitted with
 *	VACC_SUBMIT_TIMING
 * @room: rows that there is room for
 * @count: commands, which may be more than @room; may be NULL
 *
 * Return: 0; -EOPNOTSUPP where the device does not attribute work; -EBUSY where the
 * event is pending; -EINVAL where it was submitted without; -ENOENT, also for a foreign
 * event; or another error.
 */
int vacc_event_attribution(struct vacc_device *dev, const struct vacc_event *event,
			   struct vacc_attribution_row *rows, __u32 room,
			   __u32 *count);

/**
 * vacc_operation_name() - name of an operation in an attribution
 * @operation: VACC_NATIVE_*
 *
 * Return: a name such as "dense_linear", or "unknown".
 */
const char *vacc_operation_name(__u32 operation);

/**
 * vacc_event_cancel() - cancel an event that does not execute yet
 * @event: event
 *
 * Return: 0; -EBUSY where it is too late; or another error.
 */
int vacc_event_cancel(const struct vacc_event *event);

/**
 * vacc_event_destroy() - forget an event that has ended
 * @event: event; on success its handle becomes 0
 *
 * Return: 0; -EBUSY where it is pending; or another error.
 */
int vacc_event_destroy(struct vacc_event *event);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_SUBMIT_H */
