/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam between the core and what executes.
 *
 * The core owns handles, memory, fences, waits and lifetimes.  A backend owns
 * behaviour.  Arguments that reach a backend are validated against the device's
 * limits and against the buffers; handles are the backend's own pointers.
 */
#ifndef _VACC_BACKEND_H
#define _VACC_BACKEND_H

#include <linux/types.h>
#include <linux/virtio_accel.h>
#include <linux/vacc.h>
#include <linux/vacc_reference.h>

struct device;
struct iov_iter;
struct vacc_device;
struct vacc_event;

/*
 * A status of this seam only: it does not fit now, but would once pending work has
 * ended.  Becomes EAGAIN.
 */
#define VACC_S_TRY_AGAIN	0xfffe

/*
 * Statuses of a backend whose calls wait: a signal came before the device could see
 * anything, and the call may start again; or the caller was killed.
 */
#define VACC_S_RESTART		0xfffd
#define VACC_S_KILLED		0xfffc

/**
 * enum vacc_outcome - how a release or a submission ended
 * @VACC_OUTCOME_DONE: released, or admitted
 * @VACC_OUTCOME_REJECTED: nothing changed; the status says why
 * @VACC_OUTCOME_INDETERMINATE: released or admitted as far as the caller goes, but
 *	nobody knows what the device still does; the status says why
 */
enum vacc_outcome {
	VACC_OUTCOME_DONE,
	VACC_OUTCOME_REJECTED,
	VACC_OUTCOME_INDETERMINATE,
};

/**
 * struct vacc_result - outcome and status together
 * @outcome: how it ended
 * @status: VIRTIO_ACCEL_S_*; OK if and only if @outcome is DONE
 */
struct vacc_result {
	enum vacc_outcome outcome;
	u16 status;
};

static inline struct vacc_result vacc_done(void)
{
	return (struct vacc_result){ VACC_OUTCOME_DONE, VIRTIO_ACCEL_S_OK };
}

static inline struct vacc_result vacc_rejected(u16 status)
{
	return (struct vacc_result){ VACC_OUTCOME_REJECTED, status };
}

static inline struct vacc_result vacc_indeterminate(u16 status)
{
	return (struct vacc_result){ VACC_OUTCOME_INDETERMINATE, status };
}

#define VACC_NO_INDEX	0xffffffff

/**
 * struct vacc_reason - why a load or a submission was refused, for people
 * @command: command that is to blame, or VACC_NO_INDEX
 * @launch: launch that is to blame, or VACC_NO_INDEX
 * @binding: binding that is to blame, or VACC_NO_INDEX
 * @text: a sentence that lives as long as the backend, or NULL
 */
struct vacc_reason {
	u32 command;
	u32 launch;
	u32 binding;
	const char *text;
};

/**
 * struct vacc_backend_info - what a device is; does not change while registered
 * @uuid: identity of the device model
 * @device_class: VIRTIO_ACCEL_CLASS_*
 * @vendor: vendor number
 * @device: device number
 * @capabilities: VIRTIO_ACCEL_CAP_*
 * @max_contexts: contexts of the device
 * @max_buffers_per_context: buffers of one context
 * @max_programs_per_context: programs of one context
 * @max_queues_per_context: queues of one context
 * @max_events_per_context: events of one context
 * @max_bindings: bindings of one submission, 1 to VIRTIO_ACCEL_MAX_BINDINGS
 * @max_buffer_bytes: bytes of one buffer
 * @max_artifact_bytes: bytes of one program's payload
 * @effective_bindings: bindings that fit the transport too
 * @effective_artifact_bytes: payload that fits the transport too
 * @kind: VACC_BACKEND_*
 * @features: VACC_FEATURE_* that the backend has; the core adds its own
 * @engine_path: VACC_ENGINE_*
 * @inline_limit: bytes that work may move to be run in the caller
 * @binding_offset_align: power of two that suits every binding's offset
 * @poll_latency_max_us: how late an event may be reported, in us
 * @command_timeout_ms: bound of one command, in ms
 * @hang_limit_ms: how long pending work may stand still, in ms
 * @formats: known program formats
 * @format_count: how many
 */
struct vacc_backend_info {
	u8 uuid[16];
	u32 device_class;
	u32 vendor;
	u32 device;
	u64 capabilities;
	u32 max_contexts;
	u32 max_buffers_per_context;
	u32 max_programs_per_context;
	u32 max_queues_per_context;
	u32 max_events_per_context;
	u32 max_bindings;
	u64 max_buffer_bytes;
	u64 max_artifact_bytes;
	u32 effective_bindings;
	u64 effective_artifact_bytes;
	u32 kind;
	u32 features;
	u32 engine_path;
	u32 inline_limit;
	u32 binding_offset_align;
	u32 poll_latency_max_us;
	u32 command_timeout_ms;
	u32 hang_limit_ms;
	const struct vacc_format *formats;
	u32 format_count;
};

/**
 * struct vacc_buffer_desc - a buffer to be created
 * @bytes: length, 1 to the device's limit
 * @alignment: a power of two
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @usage: VIRTIO_ACCEL_USAGE_*
 * @element_type: VACC_TYPE_*
 * @memory: @bytes of zeroed memory at that alignment, the core's, that outlives
 *	the buffer; NULL for backends without VACC_FEATURE_MMAP, which have their own
 */
struct vacc_buffer_desc {
	u64 bytes;
	u64 alignment;
	u32 domain;
	u32 usage;
	u32 element_type;
	void *memory;
};

/**
 * struct vacc_load - a program to be loaded
 * @format: number of the artifact's format
 * @target: what it was built for
 * @payload: the artifact; gone when the call returns
 * @payload_bytes: its length
 * @resident_bytes: what it declares to charge
 * @reason: filled in where the backend knows why it refuses
 */
struct vacc_load {
	u32 format;
	u32 target[12];
	const void *payload;
	u64 payload_bytes;
	u64 resident_bytes;
	struct vacc_reason *reason;
};

/**
 * struct vacc_program_info - what a backend knows of a loaded program
 * @slot_count: slots
 * @command_count: commands
 * @launch_count: dense-linear launches
 * @max_scratch_bytes: most working memory of one submission
 */
struct vacc_program_info {
	u32 slot_count;
	u32 command_count;
	u32 launch_count;
	u64 max_scratch_bytes;
};

/**
 * struct vacc_bind - one binding of a submission
 * @buffer: the backend's buffer
 * @offset: first byte of the range, inside the buffer
 * @bytes: length of the range, nonzero
 * @slot: slot, each once
 * @access: VIRTIO_ACCEL_ACCESS_*, allowed by the buffer's usage
 * @element_type: type that the caller asserts or the buffer has
 */
struct vacc_bind {
	void *buffer;
	u64 offset;
	u64 bytes;
	u32 slot;
	u8 access;
	u8 element_type;
};

/**
 * struct vacc_submission - work to be prepared
 * @queue: the backend's queue
 * @program: the backend's program, of the same context
 * @bindings: buffers of the same context, which stay until the event has ended; the
 *	array is gone when the call returns
 * @binding_count: how many, nonzero
 * @timeout_ns: from now, 0 for none; the core enforces it too
 * @timed: vacc_event_timed() shall be called, and nothing executed in the call that
 *	gives it to the device; only with VACC_FEATURE_TIMING
 * @event: the core's event, whose private area is the backend's until the event is
 *	reported or discarded; the core holds it until then
 * @reason: filled in where the backend knows why it refuses
 */
struct vacc_submission {
	void *queue;
	void *program;
	const struct vacc_bind *bindings;
	u32 binding_count;
	u64 timeout_ns;
	bool timed;
	struct vacc_event *event;
	struct vacc_reason *reason;
};

/**
 * struct vacc_work_counters - what execution has done so far
 * @commands: commands executed
 * @uploaded_bytes: bytes of executed uploads
 * @launches: dense-linear launches executed
 * @busy_ns: time spent executing, in ns
 */
struct vacc_work_counters {
	u64 commands;
	u64 uploaded_bytes;
	u64 launches;
	u64 busy_ns;
};

/**
 * struct vacc_backend_ops - what a backend does
 *
 * Where nothing else is said, a call comes from a task that may sleep and holds the
 * device's registration lock for reading, so that none is under way once
 * vacc_device_unregister() has passed its first half.  No call waits for execution.  A
 * status is one of VIRTIO_ACCEL_S_*, or VACC_S_*; a handle is stored only with OK.
 * Calls for different objects come concurrently; no object is destroyed while another
 * call uses it.
 *
 * A submission is prepared first, and then exactly one of @event_submit, @event_admit
 * and @event_discard takes it.  The last two, @event_abort and @event_wanted also come
 * from the core's workers, which fences wait for: those calls allocate nothing, take
 * spinlocks only, wait for nobody, and are made without the registration lock.  They may
 * come after @interrupt, and are over before @stop: the end of a device discards what
 * is still prepared and flushes the workers before it.
 *
 * @context_create: makes a context
 * @context_destroy: ends it; it has no children any more
 * @buffer_create: makes a buffer
 * @buffer_destroy: ends it; no event uses it
 * @buffer_write: fills [@offset, @offset + iter's count) from the iterator, which is an
 *	ITER_BVEC and is advanced by what was moved.  A backend whose device holds the
 *	pages for longer than the call takes references to them
 * @buffer_read: the other way round
 * @buffer_panels: whether packed weights of a buffer may be kept; absent where the core
 *	cannot know
 * @buffer_expose: userspace is going to have a mapping that it may write to, or make
 *	writable: from now on the buffer changes without a call.  Comes under mmap_lock;
 *	absent where the backend does not care
 * @program_load: validates an artifact and keeps what execution needs
 * @program_unload: ends it; no event uses it
 * @program_info: what is known of a program; absent where nothing is
 * @program_slot: the slots of a program by index; absent with @program_info
 * @program_command: index, operation, path, dispatches and transfers of a command of a
 *	program, into a row that is zeroed; there, with @program_info, where @features
 *	has VACC_FEATURE_ATTRIBUTION
 * @queue_create: makes an execution queue
 * @queue_destroy: ends it; it has no events
 * @queue_counters: what the queue has executed; absent where not known
 * @counters: what the device has executed; absent where not known
 * @scratch: bytes of working memory: charged now and their limit; may be absent
 * @event_bytes: length of an event's private area, for a program and a number of
 *	bindings
 * @event_prepare: checks work as far as that does not take the device, and takes all
 *	that it needs until it has ended: memory, quotas, frames.  After a refusal
 *	nothing is kept
 * @event_submit: gives prepared work to the device for a caller that waits for what it
 *	says, and may be kept busy for the length of inline_limit.  May report the event
 *	before it returns.  What is REJECTED is discarded, and not reported
 * @event_admit: gives prepared work to the device from a worker.  Cannot fail: where the
 *	device refuses it after all, the event is reported as failed with its status
 * @event_discard: gives up prepared work that no device has seen
 * @event_cancel: ends an event whose execution has not begun and reports it as
 *	cancelled; REJECTED with BUSY where it has begun or has ended
 * @event_abort: ends an event: like @event_cancel, and where execution has begun
 *	stops it at the next chunk and reports it then as cancelled.  Does not wait.
 *	Comes for what was admitted, at any time, and again where that has not helped
 * @event_destroy: tells the device that the event is no longer wanted; comes once,
 *	after the event was reported.  Absent where reporting is the last thing that a
 *	backend does with an event.
 * @event_wanted: somebody begins to wait for an event, or may from now on: report it
 *	soon.  A hint; absent where events are reported at once.  The event was admitted;
 *	it may end, and be destroyed at the device, before or while this runs
 * @interrupt: the device is going: calls under way end soon and no later one waits.
 *	Comes once, without the registration lock, before @stop.  Absent where no call
 *	waits for anything but a lock
 * @stop: ends execution and reporting for good: when it returns, the backend
 *	touches no buffer and no event any more.  Comes once, without the
 *	registration lock, and no call follows it.
 */
struct vacc_backend_ops {
	u16 (*context_create)(void *priv, void **context);
	struct vacc_result (*context_destroy)(void *priv, void *context);
	u16 (*buffer_create)(void *priv, void *context,
			     const struct vacc_buffer_desc *desc, void **buffer);
	struct vacc_result (*buffer_destroy)(void *priv, void *buffer);
	u16 (*buffer_write)(void *priv, void *buffer, u64 offset,
			    struct iov_iter *from);
	u16 (*buffer_read)(void *priv, void *buffer, u64 offset,
			   struct iov_iter *to);
	bool (*buffer_panels)(void *priv, void *buffer);
	void (*buffer_expose)(void *priv, void *buffer);
	u16 (*program_load)(void *priv, void *context,
			    const struct vacc_load *load, void **program);
	struct vacc_result (*program_unload)(void *priv, void *program);
	void (*program_info)(void *priv, void *program,
			     struct vacc_program_info *info);
	void (*program_slot)(void *priv, void *program, u32 index,
			     struct vacc_program_slot *slot);
	void (*program_command)(void *priv, void *program, u32 index,
				struct vacc_attribution_row *row);
	u16 (*queue_create)(void *priv, void *context, void **queue);
	struct vacc_result (*queue_destroy)(void *priv, void *queue);
	void (*queue_counters)(void *priv, void *queue,
			       struct vacc_work_counters *counters);
	void (*counters)(void *priv, struct vacc_work_counters *counters);
	void (*scratch)(void *priv, u64 *used, u64 *limit);
	size_t (*event_bytes)(void *priv, void *program, u32 bindings);
	u16 (*event_prepare)(void *priv, const struct vacc_submission *work);
	struct vacc_result (*event_submit)(void *priv,
					   struct vacc_event *event);
	void (*event_admit)(void *priv, struct vacc_event *event);
	void (*event_discard)(void *priv, struct vacc_event *event);
	struct vacc_result (*event_cancel)(void *priv, struct vacc_event *event);
	void (*event_abort)(void *priv, struct vacc_event *event);
	void (*event_destroy)(void *priv, struct vacc_event *event);
	void (*event_wanted)(void *priv, struct vacc_event *event);
	void (*interrupt)(void *priv);
	void (*stop)(void *priv);
};

struct vacc_device *vacc_device_register(struct device *parent,
					 const char *parent_name,
					 const struct vacc_backend_info *info,
					 const struct vacc_backend_ops *ops,
					 void *priv);
void vacc_device_unregister(struct vacc_device *dev);
void vacc_device_lose(struct vacc_device *dev);
int vacc_device_instance(const struct vacc_device *dev);

void *vacc_event_priv(struct vacc_event *event);
u32 vacc_event_handle(const struct vacc_event *event);
void vacc_event_progress(struct vacc_event *event);
void vacc_event_indeterminate(struct vacc_event *event);
void vacc_event_timed(struct vacc_event *event, u32 command, u64 start_ns,
		      u64 end_ns);
void vacc_event_done(struct vacc_event *event, u32 state, u16 status);

#endif /* _VACC_BACKEND_H */
