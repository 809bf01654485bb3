/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the core share.
 *
 * Lock order, outermost first:
 *
 *   mmap_lock                        (nothing of ours is held over user memory)
 *   vacc_device.registration         reading around each call of the backend
 *   vacc_file.maps_lock              which buffer a page offset is of
 *   vacc_file.objects.xa_lock        handles, and what stands beside them
 *   vacc_device.lock                 the lists of files and queues
 *   vacc_queue.lock                  events of a queue and their states
 *   fence locks                      never with one of the spinlocks above
 *
 * The last four are spinlocks, taken with interrupts off.  Waits hold no lock.
 */
#ifndef _VACC_CORE_H
#define _VACC_CORE_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/maple_tree.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "backend.h"
#include "fence/vacc_fence.h"

struct dentry;
struct seq_file;
struct vacc_attribution;
struct vacc_record_entry;

/**
 * enum vacc_kind - what a handle names
 * @VACC_KIND_CONTEXT: struct vacc_context
 * @VACC_KIND_BUFFER: struct vacc_buffer
 * @VACC_KIND_PROGRAM: struct vacc_program
 * @VACC_KIND_QUEUE: struct vacc_queue
 * @VACC_KIND_EVENT: struct vacc_event
 * @VACC_KIND_COUNT: how many
 */
enum vacc_kind {
	VACC_KIND_CONTEXT,
	VACC_KIND_BUFFER,
	VACC_KIND_PROGRAM,
	VACC_KIND_QUEUE,
	VACC_KIND_EVENT,
	VACC_KIND_COUNT,
};

/**
 * struct vacc_device - one registered backend
 * @ref: the registration, each open file and each storage
 * @misc: the node
 * @name: of the node
 * @parent_name: of the device behind the backend
 * @instance: number in the node's name
 * @registration: protects @gone; held for reading around calls of the backend and
 *	over no user memory, no wait and no flush
 * @ops: the backend's operations, valid until it has stopped
 * @gone: by @registration: no call may begin.  What workers have begun then is waited
 *	for before the backend is stopped
 * @priv: argument of the operations
 * @info: what the backend said of itself
 * @dead: set before anything else when the device goes; wakes every wait
 * @dead_error: what calls return from then on, -ENODEV or -EIO; set before @dead
 * @events_polled: the backend wants to know who waits for events
 * @events_linger: the backend wants to be told when an ended event is done with
 * @lock: protects @files, @queues and @retired_counts
 * @files: open files, and closed ones of which something is left, in order of @id
 * @file_ids: last one that was given
 * @queues: all queues, also those of closed files
 * @retired_counts: submitted, completed, failed, cancelled of queues that are gone
 * @live: objects of open files, by kind
 * @zombie: objects of closed files, by kind
 * @bytes: charged for buffers, programs and attributions
 * @pinned: bytes of user memory pinned by transfers that are under way
 * @rejected: submissions that the backend refused
 * @direct_bindings: bindings admitted
 * @allocations: buffers created
 * @read_bytes: bytes that BUFFER_READ returned
 * @written_bytes: bytes that BUFFER_WRITE took
 * @contexts: contexts there are, held below the device's limit
 * @wait: for users of objects and for room: woken when either changes
 * @debug: folder in debugfs
 */
struct vacc_device {
	struct kref ref;
	struct miscdevice misc;
	char name[24];
	char parent_name[32];
	int instance;
	struct rw_semaphore registration;
	const struct vacc_backend_ops *ops;
	bool gone;
	void *priv;
	struct vacc_backend_info info;
	bool dead;
	int dead_error;
	bool events_polled;
	bool events_linger;
	spinlock_t lock; /* the lists and sums above all queues */
	struct list_head files;
	u64 file_ids;
	struct list_head queues;
	u64 retired_counts[4];
	atomic_t live[VACC_KIND_COUNT];
	atomic_t zombie[VACC_KIND_COUNT];
	atomic64_t bytes;
	atomic64_t pinned;
	atomic64_t rejected;
	atomic64_t direct_bindings;
	atomic64_t allocations;
	atomic64_t read_bytes;
	atomic64_t written_bytes;
	atomic_t contexts;
	wait_queue_head_t wait;
	struct dentry *debug;
};

/**
 * struct vacc_error - why a call of a thread failed
 * @tid: thread, 0 for an empty slot
 * @nr: number of the ioctl
 * @error: positive errno
 * @age: larger is newer
 * @reason: whose text lives for ever or is a copy in @text
 * @text: the sentence
 */
struct vacc_error {
	u32 tid;
	u32 nr;
	u32 error;
	u32 age;
	struct vacc_reason reason;
	char text[128];
};

#define VACC_ERRORS	16

/**
 * struct vacc_file - one open file
 * @ref: the open file, each event, the reaper while it is queued, who reads the list of
 *	objects
 * @dev: the device
 * @id: number of the open file, each of a device has its own
 * @pid: process that opened it
 * @objects: handle to struct vacc_obj; an index without one is reserved
 * @next_handle: where the search for a free index begins
 * @maps_lock: protects @maps, reading it too
 * @maps: page offset to the struct vacc_buffer that may be mapped there
 * @closed: protected by @objects' lock: the counts have moved to the zombies
 * @counts: protected by @objects' lock: handles by kind
 * @bytes: protected by @objects' lock: charged for published objects
 * @inflight: events that are pending, or about to be submitted
 * @held: of these, and of events that have ended but that the device has
 * @wait: for room to submit, and poll(2)
 * @reap: takes away what a closed file left
 * @aborted: only the reaper's: pending events have been told to end
 * @reaped: only the reaper's: nothing is left
 * @reap_until: only the reaper's: jiffies when it stops asking the backend, 0 at first
 * @node: in the device's @files, by its lock
 * @records_lock: protects @records; innermost
 * @records: readable completion records
 * @record_count: of these, and of events that will leave one
 * @errors_lock: protects @errors and @errors_age; innermost
 * @errors: of the last threads that had one
 * @errors_age: newest age
 */
struct vacc_file {
	struct kref ref;
	struct vacc_device *dev;
	u64 id;
	pid_t pid;
	struct xarray objects;
	u32 next_handle;
	struct mutex maps_lock; /* maps */
	struct maple_tree maps;
	bool closed;
	u32 counts[VACC_KIND_COUNT];
	u64 bytes;
	atomic_t inflight;
	atomic_t held;
	wait_queue_head_t wait;
	struct delayed_work reap;
	bool aborted;
	bool reaped;
	unsigned long reap_until;
	struct list_head node;
	spinlock_t records_lock; /* the list below */
	struct list_head records;
	atomic_t record_count;
	spinlock_t errors_lock; /* the errors below */
	struct vacc_error errors[VACC_ERRORS];
	u32 errors_age;
};

/**
 * struct vacc_obj - what every object begins with
 * @kind: what it is, enum vacc_kind; as small as the event's memory wants it
 * @ready: protected by the file's @objects lock: lookups find it; false before it is
 *	published and while it is being destroyed
 * @handle: its handle
 * @users: calls under way and events that the device has; it stays while nonzero
 * @pending: pending events that use it
 * @file: where it belongs; lives as long as the object
 * @context: where it belongs, NULL for a context; has this as a child
 * @backend: the backend's handle
 * @bytes: charged for it; set before it is published
 */
struct vacc_obj {
	u8 kind;
	bool ready;
	u32 handle;
	atomic_t users;
	atomic_t pending;
	struct vacc_file *file;
	struct vacc_context *context;
	void *backend;
	u64 bytes;
};

/**
 * struct vacc_context - a context
 * @obj: base
 * @ref: the handle and each event
 * @children: buffers, programs and queues, by the file's @objects lock
 * @counts: children by kind, and handles of events, by the same lock
 */
struct vacc_context {
	struct vacc_obj obj;
	struct kref ref;
	u32 children;
	u32 counts[VACC_KIND_COUNT];
};

/**
 * struct vacc_storage - memory of a buffer
 * @ref: the buffer and each mapping
 * @dev: charged for it
 * @bytes: charged bytes
 * @pages: the pages, zeroed when allocated
 * @page_count: how many
 * @first: page where the aligned part begins
 * @map: kernel mapping of all pages
 * @memory: aligned part of @map
 */
struct vacc_storage {
	struct kref ref;
	struct vacc_device *dev;
	u64 bytes;
	struct page **pages;
	unsigned long page_count;
	unsigned long first;
	void *map;
	void *memory;
};

/**
 * struct vacc_buffer - a buffer
 * @obj: base
 * @storage: memory, or NULL where the backend has its own
 * @bytes: length
 * @alignment: actual alignment
 * @map_index: first page offset in @maps of the file, 0 where it cannot be mapped
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @usage: VIRTIO_ACCEL_USAGE_*
 * @element_type: VACC_TYPE_*
 * @flags: VACC_BUFFER_NO_WRITE_MAP
 * @properties: VACC_PROP_*
 */
struct vacc_buffer {
	struct vacc_obj obj;
	struct vacc_storage *storage;
	u64 bytes;
	u64 alignment;
	unsigned long map_index;
	u32 domain;
	u32 usage;
	u32 element_type;
	u32 flags;
	u32 properties;
};

/**
 * struct vacc_program - a loaded program
 * @obj: base
 * @format: number of its format
 * @resident_bytes: charged
 */
struct vacc_program {
	struct vacc_obj obj;
	u32 format;
	u64 resident_bytes;
};

/* Index of the counts of a queue. */
enum vacc_count {
	VACC_COUNT_SUBMITTED,
	VACC_COUNT_COMPLETED,
	VACC_COUNT_FAILED,
	VACC_COUNT_CANCELLED,
};

/**
 * struct vacc_queue - an execution queue
 * @obj: base
 * @ref: the handle, and each event, so that its lock is there for late comers
 * @node: in the device's @queues
 * @lock: protects what follows, and the state of each of its events
 * @pending: events in order of submission
 * @pending_count: how many
 * @next_seq: number of the next event
 * @counts: submissions by enum vacc_count
 * @failed_status: first failure since the last SYNC, OK for none
 * @progress: jiffies of the last sign of life
 * @wait: for the end of events
 * @deferred: those of @pending that the backend does not have yet, in order
 * @handing: one of them is being handed over
 * @hand_over: does that; has a reference while it is queued
 * @watchdog: fails the event at the head when nothing has moved for the hang limit
 */
struct vacc_queue {
	struct vacc_obj obj;
	struct kref ref;
	struct list_head node;
	spinlock_t lock; /* all below, and its events' states */
	struct list_head pending;
	u32 pending_count;
	u64 next_seq;
	u64 counts[4];
	u16 failed_status;
	unsigned long progress;
	wait_queue_head_t wait;
	struct list_head deferred;
	bool handing;
	struct work_struct hand_over;
	struct delayed_work watchdog;
};

/**
 * enum vacc_cause - why the core ends an event that the backend still has
 * @VACC_CAUSE_NONE: it does not
 * @VACC_CAUSE_CANCEL: cancelled, or its file was closed
 * @VACC_CAUSE_TIMEOUT: the submission's timeout or the hang limit
 */
enum vacc_cause {
	VACC_CAUSE_NONE,
	VACC_CAUSE_CANCEL,
	VACC_CAUSE_TIMEOUT,
};

/**
 * struct vacc_fence_wait - a fence that an event waits for
 * @cb: on the fence
 * @fence: the fence
 * @event: the event
 */
struct vacc_fence_wait {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct vacc_event *event;
};

/**
 * struct vacc_defer - what an event that is held back needs later
 * @node: in the queue's @deferred, by its lock; whoever takes it off has the right to
 *	give the event to the backend, or to have it discarded
 * @waits: fences that it waits for
 * @wait_count: how many
 * @left: fences that have not signalled, and one until it is published
 * @since: low bits of jiffies when it began to wait
 * @error: of a fence that has signalled, 0 for none
 */
struct vacc_defer {
	struct list_head node;
	struct vacc_fence_wait *waits;
	u32 wait_count;
	atomic_t left;
	u32 since;
	int error;
};

/**
 * struct vacc_event_clock - what an event has only with a timeout or with timing
 * @event: whose it is
 * @timer: the submission's timeout
 * @start_ns: the backend's until the event has ended: start of execution, 0 where not timed
 * @end_ns: the backend's until the event has ended: end of execution
 */
struct vacc_event_clock {
	struct vacc_event *event;
	struct timer_list timer;
	u64 start_ns;
	u64 end_ns;
};

/**
 * struct vacc_event - one submission
 * @obj: base; @obj.users and @obj.pending are not used
 * @ref: the handle, the pending state, each call, timer and work
 * @record_steps: what has to happen until @record can be read: its end, its publication
 * @queue: where it runs; its memory is there as long as the event
 * @program: what runs; valid until the device has let go of it
 * @fence: signalled when it ends
 * @node: in the queue's @pending, by its lock
 * @seq: number within the queue
 * @user_data: the caller's
 * @state: VACC_EVENT_*, written under the queue's lock once, with release
 * @flags: VACC_EVENT_*
 * @submit_flags: VACC_SUBMIT_*
 * @queue_handle: of the queue
 * @status: VIRTIO_ACCEL_S_*, valid before @state is terminal
 * @admission: VACC_ACCEPTED or VACC_INDETERMINATE
 * @cause: enum vacc_cause, by the queue's lock
 * @admitted: the backend has, or had, it at the device
 * @handed: by the queue's lock: the backend's calls may be about it
 * @want: somebody waits for it
 * @started: the backend has reported progress
 * @trace_ns: when it was submitted, CLOCK_MONOTONIC, 0 where nobody wanted to know
 * @defer: what it waits for
 * @record: room for its completion record, or NULL
 * @attribution: rows of its commands, or NULL
 * @clock: its timeout and times, or NULL; behind @buffers
 * @abort_work: ends it, or has the backend end it
 * @dismiss_work: tells the device that it is done with
 * @binding_count: bindings of the submission
 * @buffer_count: entries of @buffers
 * @buffers: what it uses; valid until the device has let go of it
 *
 * There may be ten thousand of them, and slabs have few sizes: with one binding and what
 * the engine keeps of it, it has to fit 512 bytes.
 */
struct vacc_event {
	struct vacc_obj obj;
	struct kref ref;
	atomic_t record_steps;
	struct vacc_queue *queue;
	struct vacc_program *program;
	struct vacc_fence *fence;
	struct list_head node;
	u64 seq;
	u64 user_data;
	u32 state;
	u32 flags;
	u32 submit_flags;
	u32 queue_handle;
	u16 status;
	u8 admission;
	u8 cause;
	bool admitted;
	bool handed;
	bool want;
	bool started;
	u64 trace_ns;
	struct vacc_defer defer;
	struct vacc_record_entry *record;
	struct vacc_attribution *attribution;
	struct vacc_event_clock *clock;
	struct work_struct abort_work;
	struct work_struct dismiss_work;
	u32 binding_count;
	u32 buffer_count;
	struct vacc_buffer *buffers[];
};

/**
 * struct vacc_call - an ioctl that is under way
 * @file: its file
 * @dev: its device
 * @nr: its number
 * @nonblock: the file has O_NONBLOCK
 * @uarg: the caller's argument
 * @usize: its size as the caller knows it
 * @created: object to be published when the result has been copied out
 * @fd: descriptor to be installed then, -1 for none
 * @fd_file: what to install
 * @reason: why it failed
 */
struct vacc_call {
	struct vacc_file *file;
	struct vacc_device *dev;
	u32 nr;
	bool nonblock;
	void __user *uarg;
	u32 usize;
	struct vacc_obj *created;
	int fd;
	struct file *fd_file;
	struct vacc_reason reason;
};

/* main.c */
extern struct workqueue_struct *vacc_wq;
extern struct workqueue_struct *vacc_slow_wq;
extern struct workqueue_struct *vacc_reset_wq;

/* device.c */
void vacc_device_put(struct vacc_device *dev);
const struct vacc_backend_ops *vacc_device_enter(struct vacc_device *dev);
const struct vacc_backend_ops *vacc_device_try_enter(struct vacc_device *dev);
void vacc_device_exit(struct vacc_device *dev);
const struct vacc_backend_ops *vacc_device_peek(struct vacc_device *dev);

static inline bool vacc_device_dead(const struct vacc_device *dev)
{
	/* Pairs with vacc_device_end(): the error is there. */
	return smp_load_acquire(&dev->dead);
}

static inline int vacc_device_error(const struct vacc_device *dev)
{
	return dev->dead_error;
}

/* file.c */
extern const struct file_operations vacc_fops;
void vacc_file_put(struct vacc_file *file);
bool vacc_file_enter(struct vacc_file *file);
void vacc_file_leave(struct vacc_file *file);
void vacc_file_release_hold(struct vacc_file *file);
void vacc_file_wait_all(void);

/* reaper.c */
void vacc_file_reap(struct work_struct *work);
void vacc_file_kick_reaper(struct vacc_file *file);

/* ioctl.c */
long vacc_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
int vacc_copy_out(struct vacc_call *call, const void *arg, size_t size);
int vacc_check_array(const struct vacc_array *array, size_t min_size);
int vacc_copy_array_in(const struct vacc_array *array, void *dst, size_t size,
		       size_t min_size);
int vacc_copy_element_out(const struct vacc_array *array, u32 index,
			  const void *src, size_t size);

/* error.c */
int vacc_errno(u16 status);
int vacc_fail(struct vacc_call *call, int error, const char *text);
void vacc_error_note(struct vacc_call *call, int error);
int vacc_last_error(struct vacc_call *call, void *arg);

/**
 * struct vacc_kind_ops - what differs between kinds of objects
 * @release: has the backend release it
 * @free: frees what the core keeps for it; its handle is gone
 */
struct vacc_kind_ops {
	struct vacc_result (*release)(const struct vacc_backend_ops *ops,
				      void *priv, struct vacc_obj *obj);
	void (*free)(struct vacc_obj *obj);
};

extern const struct vacc_kind_ops vacc_context_kind;
extern const struct vacc_kind_ops vacc_buffer_kind;
extern const struct vacc_kind_ops vacc_program_kind;
extern const struct vacc_kind_ops vacc_queue_kind;

/* object.c */
int vacc_obj_reserve(struct vacc_call *call, struct vacc_obj *obj,
		     enum vacc_kind kind, struct vacc_context *context);
void vacc_obj_unreserve(struct vacc_obj *obj);
bool vacc_obj_unpublish(struct vacc_obj *obj);
void vacc_obj_publish(struct vacc_obj *obj);
struct vacc_obj *vacc_obj_get(struct vacc_call *call, u32 handle,
			      enum vacc_kind kind);
void vacc_obj_put(struct vacc_obj *obj);
struct vacc_result vacc_obj_release(struct vacc_obj *obj);
void vacc_obj_forget(struct vacc_obj *obj);
void vacc_obj_abandon(struct vacc_obj *obj);
int vacc_obj_destroy(struct vacc_call *call, void *arg, enum vacc_kind kind);

/* quota.c */
int vacc_quota_charge(struct vacc_call *call, u64 bytes, const char *text);
void vacc_quota_uncharge(struct vacc_device *dev, u64 bytes);
u64 vacc_quota_total(void);
u32 vacc_quota_inflight(void);
u32 vacc_quota_contexts(const struct vacc_device *dev);
int vacc_quota_wait(struct vacc_call *call,
		    bool (*room)(struct vacc_call *call, void *arg), void *arg,
		    const char *text);

/* context.c */
int vacc_context_create(struct vacc_call *call, void *arg);
int vacc_context_destroy(struct vacc_call *call, void *arg);
struct vacc_context *vacc_context_get(struct vacc_call *call, u32 handle);
void vacc_context_put(struct vacc_context *context);
void vacc_context_unref(struct vacc_context *context);

/* storage.c */
struct vacc_storage *vacc_storage_create(struct vacc_call *call, u64 bytes,
					 u64 alignment);
void vacc_storage_get(struct vacc_storage *storage);
void vacc_storage_put(struct vacc_storage *storage);

/* buffer.c */
int vacc_buffer_create(struct vacc_call *call, void *arg);
int vacc_buffer_destroy(struct vacc_call *call, void *arg);
int vacc_buffer_query(struct vacc_call *call, void *arg);

/* map.c */
int vacc_map_reserve(struct vacc_buffer *buffer);
void vacc_map_unreserve(struct vacc_buffer *buffer);
int vacc_mmap(struct file *filp, struct vm_area_struct *vma);

/* transfer.c */
int vacc_buffer_write(struct vacc_call *call, void *arg);
int vacc_buffer_read(struct vacc_call *call, void *arg);

/* program.c */
int vacc_program_load(struct vacc_call *call, void *arg);
int vacc_program_unload(struct vacc_call *call, void *arg);
int vacc_program_query(struct vacc_call *call, void *arg);

/* queue.c */
int vacc_queue_create(struct vacc_call *call, void *arg);
int vacc_queue_destroy(struct vacc_call *call, void *arg);
int vacc_queue_query(struct vacc_call *call, void *arg);
int vacc_queue_sync(struct vacc_call *call, void *arg);
void vacc_queue_unref(struct vacc_queue *queue);
void vacc_queue_totals(struct vacc_device *dev, u64 counts[4]);
struct vacc_event *vacc_queue_any(struct vacc_device *dev,
				  struct vacc_event *(*first)(struct vacc_queue *queue));
void vacc_queue_fail_all(struct vacc_device *dev, u16 status, int error);

/* event.c */
struct vacc_event *vacc_event_alloc(struct vacc_call *call, u32 buffer_count,
				    bool clock, size_t priv_bytes);
void vacc_event_arm(struct vacc_event *event, u64 timeout_ns);
void vacc_event_link(struct vacc_event *event);
void vacc_event_unlink_rejected(struct vacc_event *event);
void vacc_event_put(struct vacc_event *event);
/* event_call.c */
struct vacc_event *vacc_event_get(struct vacc_call *call, u32 handle);
bool vacc_event_end(struct vacc_event *event, u32 state, u16 status, int error);
void vacc_event_queue_abort(struct vacc_event *event);
void vacc_event_abort(struct vacc_event *event, enum vacc_cause cause);
bool vacc_event_drop_handle(struct vacc_event *event);
void vacc_event_publish(struct vacc_event *event);
void vacc_event_let_go(struct vacc_event *event);
int vacc_event_query(struct vacc_call *call, void *arg);
int vacc_event_cancel(struct vacc_call *call, void *arg);
int vacc_event_destroy(struct vacc_call *call, void *arg);
int vacc_event_export(struct vacc_call *call, void *arg);
void vacc_event_want(struct vacc_event *event);
int vacc_event_fd(struct vacc_call *call, struct vacc_event *event);

static inline u32 vacc_event_state(const struct vacc_event *event)
{
	/* Pairs with vacc_event_settle(): what the device wrote is visible. */
	return smp_load_acquire(&event->state);
}

static inline void vacc_event_report(const struct vacc_event *event,
				     u32 *state, u32 *status, u32 *flags)
{
	*state = vacc_event_state(event);
	*status = VIRTIO_ACCEL_S_OK;
	*flags = READ_ONCE(event->flags) & VACC_EVENT_INDETERMINATE;
	if (*state == VACC_EVENT_PENDING)
		return;
	*status = event->status;
	*flags = event->flags;
}

/* wait.c */
int vacc_event_wait(struct vacc_call *call, void *arg);
int vacc_wait_one(struct vacc_event *event, u64 deadline_ns);
bool vacc_deadline_valid(u64 deadline_ns);
int vacc_sleep_until(u64 deadline_ns);

/* defer.c */
bool vacc_defer_begin(struct vacc_event *event);
void vacc_defer_release(struct vacc_event *event);
bool vacc_defer_withdraw(struct vacc_event *event);
void vacc_defer_discard_all(struct vacc_device *dev);
struct vacc_event *vacc_defer_overdue(struct vacc_queue *queue,
				      unsigned long limit, unsigned long *left);
void vacc_defer_cancel(struct vacc_event *event);
void vacc_defer_free(struct vacc_event *event);
void vacc_defer_work(struct work_struct *work);

/* record.c */
int vacc_record_reserve(struct vacc_call *call, struct vacc_event *event);
void vacc_record_cancel(struct vacc_event *event);
void vacc_record_push(struct vacc_event *event);
bool vacc_record_readable(struct vacc_file *file);
bool vacc_record_room(struct vacc_file *file);
void vacc_record_drop_all(struct vacc_file *file);
ssize_t vacc_read(struct file *filp, char __user *buf, size_t count,
		  loff_t *pos);

/* attribution.c */
void vacc_attribution_free(struct vacc_event *event);
int vacc_event_attribution(struct vacc_call *call, void *arg);

/* submit.c */
int vacc_submit_many(struct vacc_call *call, void *arg);
int vacc_submit(struct vacc_call *call, void *arg);

/* info.c */
int vacc_get_info(struct vacc_call *call, void *arg);
int vacc_stats(struct vacc_call *call, void *arg);

/* fdinfo.c */
void vacc_show_fdinfo(struct seq_file *m, struct file *filp);

/* sysfs.c */
extern const struct attribute_group *vacc_sysfs_groups[];
const char *vacc_backend_name(const struct vacc_device *dev);

/* debugfs.c */
void vacc_debug_add(struct vacc_device *dev);
void vacc_debug_remove(struct vacc_device *dev);
void vacc_debug_init(void);
void vacc_debug_exit(void);

#endif /* _VACC_CORE_H */
