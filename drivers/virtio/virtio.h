/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the virtio backend share.
 *
 * A session is the life of a registered device between two resets.  A frame travels in
 * a request, which owns all memory that the device sees and lives as long as the ring
 * or a waiter needs it.
 *
 * Locks: vacc_vio.lock is outside of everything here; vacc_session.lock is a spinlock
 * with interrupts off, inside the locks of the core, and nothing is taken under it.
 * Waits hold neither.
 */
#ifndef _VACC_VIRTIO_H
#define _VACC_VIRTIO_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/virtio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../backend.h"

/* Descriptors that only polls, cancellations and destructions of events may take. */
#define VACC_VIO_RESERVE	4

/* Data of one frame where chains of two descriptors leave none for them. */
#define VACC_VIO_LINEAR_BYTES	8192

/* The largest fixed part of a request and of an answer. */
#define VACC_VIO_OUT_BYTES	(sizeof(struct virtio_accel_req_hdr) + \
				 sizeof(struct virtio_accel_load_program))
#define VACC_VIO_IN_BYTES	(sizeof(struct virtio_accel_resp_hdr) + \
				 sizeof(struct virtio_accel_device_info))

/**
 * struct vacc_vio_config - configuration of a device, checked
 * @max_chain: descriptors of one chain
 * @max_request: readable bytes of one chain
 * @max_response: writable bytes of one chain
 */
struct vacc_vio_config {
	u32 max_chain;
	u32 max_request;
	u32 max_response;
};

/**
 * struct vacc_vio - a virtio device that the driver is bound to
 * @vdev: the device
 * @config: its configuration
 * @lock: protects @session and @removing, and orders their changes
 * @session: the current one, NULL where the device could not be brought back
 * @removing: no session shall come any more
 * @reset_work: ends a session that failed and begins another
 * @last_reset: jiffies of the last reset that the driver decided on
 * @resets: how many there were
 */
struct vacc_vio {
	struct virtio_device *vdev;
	struct vacc_vio_config config;
	struct mutex lock; /* session and removing */
	struct vacc_session *session;
	bool removing;
	struct work_struct reset_work;
	unsigned long last_reset;
	u32 resets;
};

/**
 * struct vacc_session - the life of a device between two resets
 * @vio: where it belongs
 * @vdev: the device
 * @vq: the command virtqueue, NULL once it is gone; by @lock
 * @dev: the registered device
 * @info: what the device said of itself
 * @chain: descriptors that one frame may take
 * @reserve: descriptors that ordinary frames leave free
 * @lock: protects @vq, what follows, and the states of requests
 * @dying: nobody shall wait any more
 * @failed: the device is to be reset
 * @next_id: upper half of the next request's ID
 * @inflight: requests that the ring has, the oldest first
 * @unsent: requests that nobody waits for, until the ring has room; they go first
 * @watch: looks for requests about events that are not answered in time, and sends what
 *	could not be mapped
 * @objects: handles that exist, for the end of the session
 * @room: for who waits for descriptors
 * @turns: of these, in the order in which they came
 * @returned: what the device has returned so far, to see whether it goes on
 * @events: events whose private areas hold requests
 * @pending: how many of them have not ended
 * @polls: answers to polls that are awaited
 * @poll_due: a round of polls shall begin when the last one is over
 * @wanted: events of @events that somebody waits for
 * @spins: rounds of polls that follow each other at once
 * @poll_us: pause before the next round, in us
 * @poll_timer: that pause
 * @orphans: requests whose answers nobody waits for, to be undone
 * @orphan_work: undoes them
 * @doubted: a question whether the device is lost is under way
 * @doubt_work: asks it
 */
struct vacc_session {
	struct vacc_vio *vio;
	struct virtio_device *vdev;
	struct virtqueue *vq;
	struct vacc_device *dev;
	struct vacc_backend_info info;
	u32 chain;
	u32 reserve;
	spinlock_t lock; /* all below, and requests */
	bool dying;
	bool failed;
	u32 next_id;
	struct list_head inflight;
	struct list_head unsent;
	struct timer_list watch;
	struct list_head objects;
	wait_queue_head_t room;
	struct list_head turns;
	u32 returned;
	struct list_head events;
	u32 pending;
	u32 polls;
	bool poll_due;
	u32 wanted;
	u32 spins;
	u32 poll_us;
	struct hrtimer poll_timer;
	struct list_head orphans;
	struct work_struct orphan_work;
	bool doubted;
	struct work_struct doubt_work;
};

/**
 * enum vacc_request_state - where a request is
 * @VACC_REQUEST_IDLE: nobody else has it
 * @VACC_REQUEST_SENT: the ring has it
 * @VACC_REQUEST_ANSWERED: the device has returned it
 * @VACC_REQUEST_LOST: it will not be answered
 */
enum vacc_request_state {
	VACC_REQUEST_IDLE,
	VACC_REQUEST_SENT,
	VACC_REQUEST_ANSWERED,
	VACC_REQUEST_LOST,
};

/**
 * struct vacc_request - one frame and its answer
 * @ref: the maker, and the ring
 * @node: in the session's @inflight, @unsent or @orphans
 * @session: where it belongs
 * @done: when it is answered or lost, or waits end
 * @state: by the session's lock
 * @abandoned: by the session's lock: nobody waits for it
 * @finished: nobody but its owner has it
 * @sent: jiffies when the ring got it
 * @id: what the answer must repeat
 * @tag: lower half of @id: of a SUBMIT the event's handle, for who watches a device
 * @opcode: VIRTIO_ACCEL_OP_*
 * @status: of the answer, once answered
 * @payload_bytes: of the answer, once answered
 * @used: what the device claims to have written, between ring and answer
 * @expected: payload bytes of an OK answer
 * @answered: called when it is answered or lost, under no lock; may be NULL
 * @owner: the callback's
 * @out_bytes: of the frame
 * @in_bytes: writable
 * @out: readable segments
 * @out_count: how many
 * @in: writable segments
 * @in_count: how many
 * @fixed: where @out and @in are for frames without data
 * @table: where they are otherwise
 * @extra: copy of what follows the fixed part, or of all of it, or NULL
 * @header: the frame's header, where the device reads it
 * @answer: the answer's header, where the device writes it
 * @pages: references that the frame holds, or NULL
 * @page_count: how many
 * @request: fixed part of the frame
 * @response: fixed part of the answer
 */
struct vacc_request {
	struct kref ref;
	struct list_head node;
	struct vacc_session *session;
	struct completion done;
	enum vacc_request_state state;
	bool abandoned;
	bool finished;
	unsigned long sent;
	u64 id;
	u32 tag;
	u16 opcode;
	u16 status;
	u32 payload_bytes;
	u32 used;
	u32 expected;
	void (*answered)(struct vacc_request *request);
	void *owner;
	u32 out_bytes;
	u32 in_bytes;
	struct scatterlist *out;
	u32 out_count;
	struct scatterlist *in;
	u32 in_count;
	struct scatterlist fixed[2];
	struct scatterlist *table;
	void *extra;
	struct virtio_accel_req_hdr *header;
	void *answer;
	struct page **pages;
	u32 page_count;
	u8 request[VACC_VIO_OUT_BYTES] ____cacheline_aligned;
	u8 response[VACC_VIO_IN_BYTES] ____cacheline_aligned;
};

/* How long it takes to be done with a request once its state says so, in us. */
#define VACC_FINISH_US		10

static inline bool vacc_request_finished(const struct vacc_request *request)
{
	/* Pairs with vacc_request_finish(). */
	return smp_load_acquire(&request->finished);
}

/**
 * struct vacc_object - the backend's handle of everything but events
 * @node: in the session's @objects
 * @id: of the device
 */
struct vacc_object {
	struct list_head node;
	u64 id;
};

/* Chains of two descriptors have no room for data beside the fixed parts. */
static inline bool vacc_session_linear(const struct vacc_session *session)
{
	return session->chain < 3;
}

/* ../main.c */
extern struct workqueue_struct *vacc_slow_wq;
extern struct workqueue_struct *vacc_reset_wq;

/* driver.c */
u32 vacc_vio_command_timeout_ms(void);
u32 vacc_vio_hang_limit_ms(void);
void vacc_vio_schedule_reset(struct vacc_vio *vio);
int vacc_virtio_check(void);
int vacc_virtio_init(void);
void vacc_virtio_exit(void);

/* config.c */
int vacc_vio_read_config(struct virtio_device *vdev,
			 struct vacc_vio_config *config);
int vacc_vio_check_features(struct virtio_device *vdev);
int vacc_vio_decode_info(const struct virtio_accel_device_info *wire,
			 struct vacc_backend_info *info);

/* session.c */
int vacc_session_begin(struct vacc_vio *vio);
void vacc_session_end(struct vacc_vio *vio, bool lost);
void vacc_session_fail(struct vacc_session *session);
void vacc_session_interrupt(void *priv);
void vacc_session_stop(void *priv);
void vacc_session_forget(struct vacc_session *session,
			 struct vacc_object *object);
struct vacc_object *vacc_session_object(struct vacc_session *session);

/* request.c */
struct vacc_request *vacc_request_alloc(struct vacc_session *session,
					u16 opcode, const void *payload,
					u32 payload_bytes, u32 expected,
					gfp_t gfp);
int vacc_request_extra(struct vacc_request *request, const void *extra,
		       u32 bytes);
void *vacc_request_linear_in(struct vacc_request *request, u32 bytes);
void vacc_request_put(struct vacc_request *request);
void vacc_request_reuse(struct vacc_request *request, u16 opcode, u64 object,
			u32 expected);
void *vacc_request_payload(struct vacc_request *request);
void *vacc_request_fixed(struct vacc_request *request);
u16 vacc_request_wait(struct vacc_request *request);
u16 vacc_request_call(struct vacc_request *request);
void vacc_request_answer(struct vacc_request *request, u32 used);
void vacc_request_lose(struct vacc_request *request);

/* ring.c */
int vacc_ring_add(struct vacc_request *request, u32 reserve, bool *kick);
int vacc_ring_add_in_turn(struct vacc_request *request, u32 reserve,
			  const struct list_head *turn, bool *kick);
void vacc_ring_kick(struct vacc_session *session);
void vacc_ring_post(struct vacc_request *request);
bool vacc_ring_unpost(struct vacc_request *request);
void vacc_ring_watch_init(struct vacc_session *session);
void vacc_ring_watch_stop(struct vacc_session *session);
u16 vacc_ring_send(struct vacc_request *request, bool interruptible);
u16 vacc_ring_send_control(struct vacc_request *request);
void vacc_ring_callback(struct virtqueue *vq);

/* object.c */
u16 vacc_vio_destroy(struct vacc_session *session, u16 opcode, u64 id);
extern const struct vacc_backend_ops vacc_vio_ops;

/* doubt.c */
void vacc_doubt_init(struct vacc_session *session);
void vacc_doubt(struct vacc_session *session);
void vacc_doubt_stop(struct vacc_session *session);

/* linear.c and transfer.c */
u16 vacc_vio_linear_transfer(struct vacc_session *session, u64 buffer,
			     u64 offset, struct iov_iter *iter, bool write);
u16 vacc_vio_buffer_write(void *priv, void *buffer, u64 offset,
			  struct iov_iter *from);
u16 vacc_vio_buffer_read(void *priv, void *buffer, u64 offset,
			 struct iov_iter *to);

/* event.c */
size_t vacc_vio_event_bytes(void *priv, void *program, u32 bindings);
u16 vacc_vio_event_prepare(void *priv, const struct vacc_submission *work);
struct vacc_result vacc_vio_event_submit(void *priv, struct vacc_event *event);
void vacc_vio_event_admit(void *priv, struct vacc_event *event);
void vacc_vio_event_discard(void *priv, struct vacc_event *event);
struct vacc_result vacc_vio_event_cancel(void *priv, struct vacc_event *event);
void vacc_vio_event_abort(void *priv, struct vacc_event *event);
void vacc_vio_event_destroy(void *priv, struct vacc_event *event);
void vacc_vio_event_wanted(void *priv, struct vacc_event *event);
void vacc_vio_events_lose(struct vacc_session *session);

/* poll.c */
struct vacc_vio_event;
void vacc_poll_init(struct vacc_session *session);
void vacc_poll_soon(struct vacc_session *session);
void vacc_poll_run(struct vacc_session *session);
void vacc_poll_answered(struct vacc_request *request);
void vacc_poll_stop(struct vacc_session *session);

#endif /* _VACC_VIRTIO_H */
