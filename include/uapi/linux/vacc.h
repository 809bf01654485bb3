/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The ioctls of /dev/virtio-accelN.
 *
 * Every argument begins with its size, as the caller knows it.  A caller may be
 * older than the kernel (what it does not know reads as zero) or newer (bytes
 * that the kernel does not know must be zero, else E2BIG).  @size is input only;
 * what comes back is as long as the smaller of the two, and bytes that only the
 * caller knows come back as zero.  Fields marked "out" are ignored on input.
 *
 * Errors.  Every ioctl returns 0 or -1 with errno set to one of these:
 *
 *   EOPNOTSUPP  a flag, field or operation that this kernel, device or backend
 *               does not have
 *   E2BIG       the argument is longer than the kernel knows, and not zero there;
 *               or it, or a stride, is longer than a page
 *   EINVAL      a bad count, length, value or combination; an object of another
 *               context of the same file; an element type that does not match
 *   ENOENT      no such object in this file, or it is of another kind
 *   ERANGE      a range leaves its buffer
 *   EACCES      the buffer's usage does not allow it
 *   ENOEXEC     the program does not fit the device, or the bindings the program
 *   EBUSY       in use by pending work; or too late to cancel
 *   ENOSPC      does not fit a limit of the device, whatever is reaped
 *   EAGAIN      does not fit now; waiting for events or destroying some helps
 *   ENOMEM      out of memory
 *   ETIME       a deadline of the device ran out
 *   EIO         the device is lost, or was reset since this file was opened
 *   ENODEV      the device is gone
 *   EREMOTEIO   the device failed in a way that it does not explain
 *   ETIMEDOUT   a wait ran out
 *   ECANCELED   the work was cancelled
 *   EFAULT      an address of the caller is bad
 *   EINTR       a signal arrived and the call could not be restarted
 *   ENOTTY      no such ioctl
 *   EBADF, EMFILE  of file descriptors that come in or go out
 *
 * Checks come in this order: size, then flags and reserved fields (EOPNOTSUPP
 * before EINVAL), counts and zero lengths, handles (ENOENT), contexts (EINVAL),
 * ranges (ERANGE), usage and access (EACCES), duplicates and element types
 * (EINVAL), and last the device itself.
 */
#ifndef _UAPI_LINUX_VACC_H
#define _UAPI_LINUX_VACC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define VACC_IOC_MAGIC	0xD6
#define VACC_ABI_VERSION 1

#define VACC_GET_INFO		_IO(VACC_IOC_MAGIC, 0x00)
#define VACC_STATS		_IO(VACC_IOC_MAGIC, 0x01)
#define VACC_LAST_ERROR		_IO(VACC_IOC_MAGIC, 0x02)
#define VACC_CONTEXT_CREATE	_IO(VACC_IOC_MAGIC, 0x08)
#define VACC_CONTEXT_DESTROY	_IO(VACC_IOC_MAGIC, 0x09)
#define VACC_BUFFER_CREATE	_IO(VACC_IOC_MAGIC, 0x10)
#define VACC_BUFFER_DESTROY	_IO(VACC_IOC_MAGIC, 0x11)
#define VACC_BUFFER_QUERY	_IO(VACC_IOC_MAGIC, 0x12)
#define VACC_BUFFER_WRITE	_IO(VACC_IOC_MAGIC, 0x13)
#define VACC_BUFFER_READ	_IO(VACC_IOC_MAGIC, 0x14)
#define VACC_BUFFER_EXPORT	_IO(VACC_IOC_MAGIC, 0x15)	/* reserved */
#define VACC_BUFFER_SEAL	_IO(VACC_IOC_MAGIC, 0x16)	/* reserved */
#define VACC_PROGRAM_LOAD	_IO(VACC_IOC_MAGIC, 0x20)
#define VACC_PROGRAM_UNLOAD	_IO(VACC_IOC_MAGIC, 0x21)
#define VACC_PROGRAM_QUERY	_IO(VACC_IOC_MAGIC, 0x22)
#define VACC_QUEUE_CREATE	_IO(VACC_IOC_MAGIC, 0x28)
#define VACC_QUEUE_DESTROY	_IO(VACC_IOC_MAGIC, 0x29)
#define VACC_QUEUE_QUERY	_IO(VACC_IOC_MAGIC, 0x2a)
#define VACC_QUEUE_SYNC		_IO(VACC_IOC_MAGIC, 0x2b)
#define VACC_SUBMIT		_IO(VACC_IOC_MAGIC, 0x30)
#define VACC_SUBMIT_MANY	_IO(VACC_IOC_MAGIC, 0x31)
#define VACC_EVENT_QUERY	_IO(VACC_IOC_MAGIC, 0x38)
#define VACC_EVENT_WAIT		_IO(VACC_IOC_MAGIC, 0x39)
#define VACC_EVENT_CANCEL	_IO(VACC_IOC_MAGIC, 0x3a)
#define VACC_EVENT_DESTROY	_IO(VACC_IOC_MAGIC, 0x3b)
#define VACC_EVENT_EXPORT	_IO(VACC_IOC_MAGIC, 0x3c)
#define VACC_EVENT_ATTRIBUTION	_IO(VACC_IOC_MAGIC, 0x3d)

/* A deadline that never comes; an absolute CLOCK_MONOTONIC time otherwise. */
#define VACC_NO_DEADLINE	0x7fffffffffffffffULL

/**
 * struct vacc_array - an array of the caller's
 * @count: number of elements
 * @stride: bytes from element to element, as the caller knows the element
 * @ptr: address of the first
 *
 * Elements follow the rule of all arguments: longer ones must be zero where the
 * kernel does not know them.
 */
struct vacc_array {
	__u32 count;
	__u32 stride;
	__aligned_u64 ptr;
};

/* struct vacc_get_info: features. */
#define VACC_FEATURE_QUEUE_IN_ORDER	(1 << 0)
#define VACC_FEATURE_MMAP		(1 << 1)
#define VACC_FEATURE_ATTRIBUTION	(1 << 2)
#define VACC_FEATURE_TIMING		(1 << 3)
#define VACC_FEATURE_SYNC_FILE		(1 << 4)
#define VACC_FEATURE_IN_FENCE		(1 << 5)
#define VACC_FEATURE_RECORD		(1 << 6)
#define VACC_FEATURE_SUBMIT_MANY	(1 << 7)

/* struct vacc_get_info: backends. */
#define VACC_BACKEND_DIRECT		0
#define VACC_BACKEND_VIRTIO		1

/* struct vacc_get_info: how the reference device computes. */
#define VACC_ENGINE_UNKNOWN		0
#define VACC_ENGINE_INTEGER		1
#define VACC_ENGINE_AVX2		2
#define VACC_ENGINE_AVX512		3

/**
 * struct vacc_format - a program format that the device is known to take
 * @format: number of the format
 * @reserved: 0
 * @target: what its artifacts are built for
 */
struct vacc_format {
	__u32 format;
	__u32 reserved;
	__u32 target[12];
};

/**
 * struct vacc_get_info - VACC_GET_INFO: what the device is and takes
 * @size: sizeof(struct vacc_get_info)
 * @flags: 0
 * @uuid: out: identity of the device model
 * @device_class: out: VIRTIO_ACCEL_CLASS_*
 * @vendor: out: vendor number
 * @device: out: device number
 * @features: out: VACC_FEATURE_*
 * @capabilities: out: VIRTIO_ACCEL_CAP_*
 * @max_contexts: out: contexts of the device
 * @max_buffers_per_context: out: buffers of one context
 * @max_programs_per_context: out: programs of one context
 * @max_queues_per_context: out: queues of one context
 * @max_events_per_context: out: events of one context, until destroyed
 * @max_bindings: out: bindings of one submission
 * @max_buffer_bytes: out: bytes of one buffer
 * @max_artifact_bytes: out: bytes of one program's payload
 * @effective_bindings: out: bindings that also fit one frame of the transport
 * @max_inflight_per_file: out: pending events of one file
 * @effective_artifact_bytes: out: payload that also fits one frame
 * @total_bytes_limit: out: quota of bytes of buffers, programs and attributions
 * @total_bytes_used: out: how much of it is charged now
 * @scratch_bytes_limit: out: quota of working memory of submissions
 * @scratch_bytes_used: out: how much of it is charged now
 * @max_contexts_per_file: out: share of the contexts that one file may hold
 * @inflight: out: pending events of this file
 * @command_timeout_ms: out: how long a command of the device may take
 * @hang_limit_ms: out: how long work may stand still before it is failed
 * @inline_limit: out: bytes that work may move to be run in the caller
 * @binding_offset_align: out: power of two that suits every binding's offset
 * @poll_latency_max_us: out: how late an event may be seen, 0 where pushed
 * @instance: out: number in the name of the node
 * @backend: out: VACC_BACKEND_*
 * @engine_path: out: VACC_ENGINE_*
 * @abi_version: out: VACC_ABI_VERSION
 * @reserved: out: 0
 * @parent: out: name of the parent device, zero-terminated
 * @formats: array of struct vacc_format, out; @count is the room on input and
 *	the number of known formats on output
 */
struct vacc_get_info {
	__u32 size;
	__u32 flags;
	__u8 uuid[16];
	__u32 device_class;
	__u32 vendor;
	__u32 device;
	__u32 features;
	__aligned_u64 capabilities;
	__u32 max_contexts;
	__u32 max_buffers_per_context;
	__u32 max_programs_per_context;
	__u32 max_queues_per_context;
	__u32 max_events_per_context;
	__u32 max_bindings;
	__aligned_u64 max_buffer_bytes;
	__aligned_u64 max_artifact_bytes;
	__u32 effective_bindings;
	__u32 max_inflight_per_file;
	__aligned_u64 effective_artifact_bytes;
	__aligned_u64 total_bytes_limit;
	__aligned_u64 total_bytes_used;
	__aligned_u64 scratch_bytes_limit;
	__aligned_u64 scratch_bytes_used;
	__u32 max_contexts_per_file;
	__u32 inflight;
	__u32 command_timeout_ms;
	__u32 hang_limit_ms;
	__u32 inline_limit;
	__u32 binding_offset_align;
	__u32 poll_latency_max_us;
	__u32 instance;
	__u32 backend;
	__u32 engine_path;
	__u32 abi_version;
	__u32 reserved;
	__u8 parent[32];
	struct vacc_array formats;
};

/**
 * struct vacc_object_counts - how many objects there are
 * @contexts: contexts
 * @buffers: buffers
 * @programs: programs
 * @queues: queues
 * @events: events
 * @reserved: 0
 */
struct vacc_object_counts {
	__u32 contexts;
	__u32 buffers;
	__u32 programs;
	__u32 queues;
	__u32 events;
	__u32 reserved;
};

/**
 * struct vacc_stats - VACC_STATS: counters of the device since it was added
 * @size: sizeof(struct vacc_stats)
 * @flags: 0
 * @live: out: objects that open files hold
 * @zombie: out: objects of closed files that are not reaped yet
 * @live_bytes: out: bytes charged for buffers, programs and attributions
 * @scratch_bytes: out: working memory charged for submissions
 * @submitted: out: submissions that were admitted
 * @completed: out: of these, how many completed
 * @failed: out: how many failed
 * @cancelled: out: how many were cancelled
 * @rejected: out: submissions that the device refused
 * @direct_bindings: out: bindings that execution reaches without staging
 * @allocations: out: buffers created
 * @live_allocations: out: buffers not destroyed yet
 * @commands: out: commands executed
 * @uploaded_bytes: out: bytes of executed uploads
 * @launches: out: dense-linear launches executed
 * @readback_bytes: out: bytes that BUFFER_READ returned
 * @written_bytes: out: bytes that BUFFER_WRITE took
 * @busy_ns: out: time that queues spent executing, in ns
 *
 * Counters that a backend does not have read as zero.  When the device is quiet,
 * @submitted is the sum of @completed, @failed and @cancelled.
 */
struct vacc_stats {
	__u32 size;
	__u32 flags;
	struct vacc_object_counts live;
	struct vacc_object_counts zombie;
	__aligned_u64 live_bytes;
	__aligned_u64 scratch_bytes;
	__aligned_u64 submitted;
	__aligned_u64 completed;
	__aligned_u64 failed;
	__aligned_u64 cancelled;
	__aligned_u64 rejected;
	__aligned_u64 direct_bindings;
	__aligned_u64 allocations;
	__aligned_u64 live_allocations;
	__aligned_u64 commands;
	__aligned_u64 uploaded_bytes;
	__aligned_u64 launches;
	__aligned_u64 readback_bytes;
	__aligned_u64 written_bytes;
	__aligned_u64 busy_ns;
};

/**
 * struct vacc_last_error - VACC_LAST_ERROR: why this thread's last call failed
 * @size: sizeof(struct vacc_last_error)
 * @flags: 0
 * @tid: out: thread that failed, 0 where nothing is known
 * @nr: out: number of the ioctl
 * @error: out: its errno, positive
 * @command: out: index of the command that is to blame, or ~0
 * @launch: out: index of the launch, or ~0
 * @binding: out: index of the binding, or ~0
 * @text: out: a sentence, zero-terminated
 *
 * For people: no program should depend on @text.  A file keeps the last errors of
 * 16 threads.
 */
struct vacc_last_error {
	__u32 size;
	__u32 flags;
	__u32 tid;
	__u32 nr;
	__u32 error;
	__u32 command;
	__u32 launch;
	__u32 binding;
	__u8 text[128];
};

/**
 * struct vacc_context_create - VACC_CONTEXT_CREATE
 * @size: sizeof(struct vacc_context_create)
 * @flags: 0
 * @handle: out: the context
 * @reserved: 0
 */
struct vacc_context_create {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/**
 * struct vacc_handle_arg - destroys or unloads one object
 * @size: sizeof(struct vacc_handle_arg)
 * @flags: 0
 * @handle: the object
 * @reserved: 0
 *
 * Argument of VACC_CONTEXT_DESTROY, VACC_BUFFER_DESTROY, VACC_PROGRAM_UNLOAD,
 * VACC_QUEUE_DESTROY, VACC_EVENT_CANCEL and VACC_EVENT_DESTROY.
 */
struct vacc_handle_arg {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/* VACC_EVENT_CANCEL and VACC_EVENT_DESTROY flags, both reserved. */
#define VACC_CANCEL_ABORT_RUNNING	(1 << 0)
#define VACC_DESTROY_DEFER		(1 << 0)

/* Buffer flags. */
#define VACC_BUFFER_NO_WRITE_MAP	(1 << 0)	/* in: mappings are read-only */
#define VACC_BUFFER_PANELS_POSSIBLE	(1 << 16)	/* out: weights may be kept packed */

/* Where a buffer's memory comes from. */
#define VACC_SOURCE_NEW			0
#define VACC_SOURCE_DMA_BUF		1	/* reserved */
#define VACC_SOURCE_USER_PAGES		2	/* reserved */

/* Buffer properties. */
#define VACC_PROP_HOST_VISIBLE		(1 << 0)
#define VACC_PROP_DEVICE_LOCAL		(1 << 1)
#define VACC_PROP_DIRECT_BINDING	(1 << 2)
#define VACC_PROP_MAPPABLE		(1 << 3)

/**
 * struct vacc_buffer_create - VACC_BUFFER_CREATE
 * @size: sizeof(struct vacc_buffer_create)
 * @flags: VACC_BUFFER_NO_WRITE_MAP or 0
 * @context: where the buffer belongs
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @usage: VIRTIO_ACCEL_USAGE_*, nonzero
 * @element_type: VACC_TYPE_* (vacc_reference.h)
 * @source_kind: VACC_SOURCE_NEW
 * @source_fd: 0
 * @bytes: length, nonzero
 * @alignment: a power of two
 * @source_addr: 0
 * @source_offset: 0
 * @allocation_bytes: out: bytes that the buffer charges
 * @actual_alignment: out: alignment of its address in the device
 * @mmap_offset: out: offset for mmap(2), 0 where it cannot be mapped
 * @handle: out: the buffer, its contents zero
 * @properties: out: VACC_PROP_*
 */
struct vacc_buffer_create {
	__u32 size;
	__u32 flags;
	__u32 context;
	__u32 domain;
	__u32 usage;
	__u32 element_type;
	__u32 source_kind;
	__s32 source_fd;
	__aligned_u64 bytes;
	__aligned_u64 alignment;
	__aligned_u64 source_addr;
	__aligned_u64 source_offset;
	__aligned_u64 allocation_bytes;
	__aligned_u64 actual_alignment;
	__aligned_u64 mmap_offset;
	__u32 handle;
	__u32 properties;
};

/**
 * struct vacc_buffer_query - VACC_BUFFER_QUERY
 * @size: sizeof(struct vacc_buffer_query)
 * @flags: 0
 * @handle: the buffer
 * @context: out: where it belongs
 * @domain: out: VIRTIO_ACCEL_DOMAIN_*
 * @usage: out: VIRTIO_ACCEL_USAGE_*
 * @element_type: out: VACC_TYPE_*
 * @properties: out: VACC_PROP_*
 * @buffer_flags: out: VACC_BUFFER_*
 * @pending: out: pending events that use it
 * @bytes: out: length
 * @alignment: out: actual alignment
 * @allocation_bytes: out: bytes that it charges
 * @mmap_offset: out: offset for mmap(2), 0 where it cannot be mapped
 */
struct vacc_buffer_query {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 context;
	__u32 domain;
	__u32 usage;
	__u32 element_type;
	__u32 properties;
	__u32 buffer_flags;
	__u32 pending;
	__aligned_u64 bytes;
	__aligned_u64 alignment;
	__aligned_u64 allocation_bytes;
	__aligned_u64 mmap_offset;
};

/**
 * struct vacc_iov - a piece of the caller's memory
 * @addr: its address
 * @len: its length, may be zero
 */
struct vacc_iov {
	__aligned_u64 addr;
	__aligned_u64 len;
};

#define VACC_MAX_IOV	1024

/**
 * struct vacc_buffer_transfer - VACC_BUFFER_WRITE, VACC_BUFFER_READ
 * @size: sizeof(struct vacc_buffer_transfer)
 * @flags: 0
 * @buffer: the buffer
 * @element_type: VACC_TYPE_* that the caller asserts, 0 for none
 * @offset: first byte in the buffer
 * @iov: 1 to VACC_MAX_IOV pieces of struct vacc_iov; together not empty
 *
 * A write needs usage TRANSFER_DST, a read TRANSFER_SRC, else EACCES.  What a
 * failed write leaves in the range is unspecified; so is the caller's memory after
 * a failed read, within the pieces.
 */
struct vacc_buffer_transfer {
	__u32 size;
	__u32 flags;
	__u32 buffer;
	__u32 element_type;
	__aligned_u64 offset;
	struct vacc_array iov;
};

/**
 * struct vacc_program_load - VACC_PROGRAM_LOAD
 * @size: sizeof(struct vacc_program_load)
 * @flags: 0
 * @context: where the program belongs
 * @format: number of the artifact's format
 * @target: what it was built for
 * @payload: address of the artifact, read once
 * @payload_bytes: its length, nonzero
 * @resident_bytes: what it declares to charge while loaded
 * @handle: out: the program
 * @reserved: 0
 */
struct vacc_program_load {
	__u32 size;
	__u32 flags;
	__u32 context;
	__u32 format;
	__u32 target[12];
	__aligned_u64 payload;
	__aligned_u64 payload_bytes;
	__aligned_u64 resident_bytes;
	__u32 handle;
	__u32 reserved;
};

/* struct vacc_program_query: a slot flag: the bound length must be exact. */
#define VACC_SLOT_EQUAL_LENGTHS		(1 << 0)

/**
 * struct vacc_program_slot - a slot of a program
 * @slot: its number
 * @access: VIRTIO_ACCEL_ACCESS_* that a binding must have, 0 for any
 * @element_type: VACC_TYPE_*
 * @flags: VACC_SLOT_EQUAL_LENGTHS where all such slots want one length, or 0
 * @offset_align: what a binding's offset must be a multiple of
 * @reserved: 0
 * @min_bytes: least bound length
 * @row_unit: bytes of one row where rows are taken from this slot, else 0
 */
struct vacc_program_slot {
	__u32 slot;
	__u32 access;
	__u32 element_type;
	__u32 flags;
	__u32 offset_align;
	__u32 reserved;
	__aligned_u64 min_bytes;
	__aligned_u64 row_unit;
};

/**
 * struct vacc_program_query - VACC_PROGRAM_QUERY
 * @size: sizeof(struct vacc_program_query)
 * @flags: 0
 * @handle: the program
 * @context: out: where it belongs
 * @format: out: its format
 * @known: out: 1 where the backend knows the fields below, else 0
 * @command_count: out: commands
 * @launch_count: out: dense-linear launches
 * @resident_bytes: out: bytes that it charges
 * @max_scratch_bytes: out: most working memory of one submission
 * @slots: array of struct vacc_program_slot, out; @count is the room on input
 *	and the number of slots on output
 */
struct vacc_program_query {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 context;
	__u32 format;
	__u32 known;
	__u32 command_count;
	__u32 launch_count;
	__aligned_u64 resident_bytes;
	__aligned_u64 max_scratch_bytes;
	struct vacc_array slots;
};

/**
 * struct vacc_queue_create - VACC_QUEUE_CREATE
 * @size: sizeof(struct vacc_queue_create)
 * @flags: 0
 * @context: where the queue belongs
 * @priority: 0 (others are reserved)
 * @handle: out: the queue
 * @reserved: 0
 */
struct vacc_queue_create {
	__u32 size;
	__u32 flags;
	__u32 context;
	__u32 priority;
	__u32 handle;
	__u32 reserved;
};

/* Queue states. */
#define VACC_QUEUE_READY	0	/* nothing pending, nothing failed */
#define VACC_QUEUE_SUBMITTED	1	/* something is pending, nothing failed */
#define VACC_QUEUE_FAILED	2	/* an event failed since the last SYNC */

/**
 * struct vacc_queue_query - VACC_QUEUE_QUERY
 * @size: sizeof(struct vacc_queue_query)
 * @flags: 0
 * @handle: the queue
 * @context: out: where it belongs
 * @state: out: VACC_QUEUE_*
 * @status: out: VIRTIO_ACCEL_S_* of the first failure since the last SYNC
 * @pending: out: pending events
 * @queue_flags: out: VACC_FEATURE_QUEUE_IN_ORDER or 0
 * @submitted: out: submissions admitted
 * @completed: out: of these, how many completed
 * @failed: out: how many failed
 * @cancelled: out: how many were cancelled
 * @commands: out: commands executed
 * @uploaded_bytes: out: bytes of executed uploads
 * @launches: out: dense-linear launches executed
 * @busy_ns: out: time spent executing, in ns
 *
 * @submitted is @pending + @completed + @failed + @cancelled at every moment.  What
 * has been executed is counted apart from that, in one consistent picture of its own.
 */
struct vacc_queue_query {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 context;
	__u32 state;
	__u32 status;
	__u32 pending;
	__u32 queue_flags;
	__aligned_u64 submitted;
	__aligned_u64 completed;
	__aligned_u64 failed;
	__aligned_u64 cancelled;
	__aligned_u64 commands;
	__aligned_u64 uploaded_bytes;
	__aligned_u64 launches;
	__aligned_u64 busy_ns;
};

/**
 * struct vacc_queue_sync - VACC_QUEUE_SYNC: wait until what is pending has ended
 * @size: sizeof(struct vacc_queue_sync)
 * @flags: 0
 * @handle: the queue
 * @status: out: VIRTIO_ACCEL_S_* of the first failure since the last SYNC
 * @deadline_ns: absolute CLOCK_MONOTONIC time, or VACC_NO_DEADLINE
 *
 * Waits for the events that are pending at the time of the call, not for later
 * ones.  Then the queue forgets failures.  ETIMEDOUT leaves the queue as it is.
 */
struct vacc_queue_sync {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 status;
	__aligned_u64 deadline_ns;
};

/**
 * struct vacc_binding - a range of a buffer at a slot of the program
 * @buffer: the buffer
 * @slot: the slot, each at most once
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @element_type: VACC_TYPE_* that the caller asserts, 0 for none
 * @offset: first byte of the range
 * @bytes: its length, nonzero
 */
struct vacc_binding {
	__u32 buffer;
	__u32 slot;
	__u32 access;
	__u32 element_type;
	__aligned_u64 offset;
	__aligned_u64 bytes;
};

/* Kinds of in-fences. */
#define VACC_FENCE_SYNC_FILE	0	/* value: file descriptor */
#define VACC_FENCE_EVENT	1	/* value: an event of this file */
#define VACC_FENCE_INDEX	2	/* value: earlier element of this SUBMIT_MANY */
#define VACC_FENCE_SYNCOBJ	3	/* reserved */

#define VACC_MAX_IN_FENCES	64

/**
 * struct vacc_in_fence - what a submission waits for before it executes
 * @kind: VACC_FENCE_*
 * @value: what @kind says
 * @point: 0
 *
 * A fence that ends with an error cancels the submission, unless that has
 * IGNORE_FENCE_ERRORS.  Fences of which others are made count by themselves; what
 * had signalled when they were merged is not seen, nor is its error.  Fences may
 * be waited for as long as hang_limit_ms, and what was submitted to the queue
 * later waits behind.  A refusal by the device that comes after the wait ends the
 * event as failed.  An open file that is no sync_file is EINVAL.
 */
struct vacc_in_fence {
	__u32 kind;
	__u32 value;
	__aligned_u64 point;
};

/**
 * struct vacc_work - what a command of a submission does for its caller
 * @participant_start: first participant
 * @participant_count: participants; of a dense-linear nonzero
 * @token_count: tokens; of a dense-linear nonzero
 * @phase: the caller's phase number
 * @node_index: the caller's node, or ~0
 * @batching_form: the caller's batching form
 * @reserved: 0
 *
 * Nothing of it changes what is executed: it comes back in the attribution.  The
 * participants have to end within 32 bits.
 */
struct vacc_work {
	__u32 participant_start;
	__u32 participant_count;
	__aligned_u64 token_count;
	__u32 phase;
	__u32 node_index;
	__u32 batching_form;
	__u32 reserved;
};

#define VACC_MAX_WORK	65536

/* Kinds of submissions. */
#define VACC_SUBMIT_PROGRAM	0
#define VACC_SUBMIT_WRITE	1	/* reserved */
#define VACC_SUBMIT_READ	2	/* reserved */
#define VACC_SUBMIT_INLINE	3	/* reserved */

/* Submission flags. */
#define VACC_SUBMIT_AUTO_DESTROY	(1 << 0)
#define VACC_SUBMIT_RECORD		(1 << 1)
#define VACC_SUBMIT_WAIT		(1 << 2)
#define VACC_SUBMIT_IGNORE_FENCE_ERRORS	(1 << 3)
#define VACC_SUBMIT_ATTRIBUTION		(1 << 4)
#define VACC_SUBMIT_TIMING		(1 << 5)
#define VACC_SUBMIT_OUT_FENCE		(1 << 6)
#define VACC_SUBMIT_REPLAY_ONLY		(1 << 7)	/* reserved */
#define VACC_SUBMIT_CAPTURED		(1 << 8)	/* reserved */

/* Admission of a submission. */
#define VACC_NOT_SUBMITTED	0
#define VACC_ACCEPTED		1
#define VACC_INDETERMINATE	2

/* Event states: those of the protocol. */
#define VACC_EVENT_PENDING	0
#define VACC_EVENT_COMPLETE	1
#define VACC_EVENT_FAILED	2
#define VACC_EVENT_CANCELLED	3

/* Event flags. */
#define VACC_EVENT_QUIESCENT	(1 << 0)	/* the device no longer touches the buffers */
#define VACC_EVENT_INDETERMINATE (1 << 1)	/* nobody knows whether it ran */

/**
 * struct vacc_submit - VACC_SUBMIT
 * @size: sizeof(struct vacc_submit)
 * @flags: VACC_SUBMIT_*: AUTO_DESTROY: the handle goes by itself when the event
 *	ends, and without RECORD or WAIT its outcome is lost.  RECORD: read(2)
 *	returns a record when it ends.  WAIT: return when it has ended or at
 *	@deadline_ns.  IGNORE_FENCE_ERRORS: run although an in-fence failed.
 *	ATTRIBUTION: VACC_EVENT_ATTRIBUTION tells what each command was.  TIMING:
 *	times are taken, and the work is not executed in the call.  OUT_FENCE:
 *	@out_fence_fd.  REPLAY_ONLY: run only what was captured and is replayed.
 *	CAPTURED: run as part of a capture.  What the device does not have of these
 *	is EOPNOTSUPP, and nothing was submitted
 * @queue: where it runs
 * @program: what runs
 * @kind: VACC_SUBMIT_PROGRAM
 * @priority: 0 (others are reserved)
 * @bindings: struct vacc_binding, at least one
 * @timeout_ns: from admission, queueing included; 0 for none
 * @in_fences: up to VACC_MAX_IN_FENCES of struct vacc_in_fence
 * @work: with ATTRIBUTION: struct vacc_work, one for each command of the program,
 *	or none
 * @user_data: comes back in queries and records
 * @deadline_ns: with WAIT: absolute CLOCK_MONOTONIC time, or VACC_NO_DEADLINE;
 *	else 0
 * @data: 0 (reserved)
 * @data_bytes: 0 (reserved)
 * @event: out: handle of the event
 * @admission: out: VACC_NOT_SUBMITTED, VACC_ACCEPTED or VACC_INDETERMINATE
 * @state: out: VACC_EVENT_*
 * @status: out: VIRTIO_ACCEL_S_*
 * @event_flags: out: VACC_EVENT_QUIESCENT, VACC_EVENT_INDETERMINATE
 * @out_fence_fd: out: with OUT_FENCE a sync_file, else -1
 *
 * If the call fails, nothing was submitted.  If it returns 0, there is an event.
 * With WAIT it returns 0 also where the deadline passed or a signal came first:
 * @state is then VACC_EVENT_PENDING.
 */
struct vacc_submit {
	__u32 size;
	__u32 flags;
	__u32 queue;
	__u32 program;
	__u32 kind;
	__u32 priority;
	struct vacc_array bindings;
	__aligned_u64 timeout_ns;
	struct vacc_array in_fences;
	struct vacc_array work;
	__aligned_u64 user_data;
	__aligned_u64 deadline_ns;
	__aligned_u64 data;
	__aligned_u64 data_bytes;
	__u32 event;
	__u32 admission;
	__u32 state;
	__u32 status;
	__u32 event_flags;
	__s32 out_fence_fd;
};

#define VACC_MAX_SUBMITS	4096

/**
 * struct vacc_submit_many - VACC_SUBMIT_MANY: submissions in order
 * @size: sizeof(struct vacc_submit_many)
 * @flags: 0
 * @submits: 1 to VACC_MAX_SUBMITS of struct vacc_submit
 * @done: out: how many were submitted
 * @reserved: 0
 *
 * Stops at the first failure and returns 0 if any was submitted.  The admission
 * of each element says whether it was: it is written for all of them, also for
 * those that were not looked at.  The size of each is at most the stride.
 */
struct vacc_submit_many {
	__u32 size;
	__u32 flags;
	struct vacc_array submits;
	__u32 done;
	__u32 reserved;
};

/**
 * struct vacc_event_query - VACC_EVENT_QUERY
 * @size: sizeof(struct vacc_event_query)
 * @flags: 0
 * @handle: the event
 * @queue: out: handle of its queue, which may be gone
 * @admission: out: VACC_ACCEPTED or VACC_INDETERMINATE
 * @state: out: VACC_EVENT_*
 * @status: out: VIRTIO_ACCEL_S_*
 * @event_flags: out: VACC_EVENT_QUIESCENT, VACC_EVENT_INDETERMINATE
 * @user_data: out: of the submission
 * @start_ns: out: with TIMING: start of execution, CLOCK_MONOTONIC
 * @end_ns: out: with TIMING: end of execution, CLOCK_MONOTONIC
 *
 * Times are 0 until the event has ended, and where nothing was executed.
 */
struct vacc_event_query {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 queue;
	__u32 admission;
	__u32 state;
	__u32 status;
	__u32 event_flags;
	__aligned_u64 user_data;
	__aligned_u64 start_ns;
	__aligned_u64 end_ns;
};

/**
 * struct vacc_wait_entry - one event of a wait
 * @handle: the event, may stand here more than once
 * @state: out: VACC_EVENT_*
 * @status: out: VIRTIO_ACCEL_S_*; of a handle that another thread destroyed
 *	meanwhile STALE_OBJECT, with state FAILED
 * @event_flags: out: VACC_EVENT_QUIESCENT, VACC_EVENT_INDETERMINATE
 */
struct vacc_wait_entry {
	__u32 handle;
	__u32 state;
	__u32 status;
	__u32 event_flags;
};

#define VACC_MAX_WAIT	1024

/* VACC_EVENT_WAIT flags. */
#define VACC_WAIT_ALL	(1 << 0)

/**
 * struct vacc_event_wait - VACC_EVENT_WAIT: wait for one or all of some events
 * @size: sizeof(struct vacc_event_wait)
 * @flags: VACC_WAIT_ALL, or 0 for any
 * @events: 1 to VACC_MAX_WAIT of struct vacc_wait_entry, in and out
 * @deadline_ns: absolute CLOCK_MONOTONIC time, or VACC_NO_DEADLINE
 * @ended: out: entries that have ended
 * @first: out: index of the first that has, or ~0
 *
 * At ETIMEDOUT the entries and @ended are filled in too.
 */
struct vacc_event_wait {
	__u32 size;
	__u32 flags;
	struct vacc_array events;
	__aligned_u64 deadline_ns;
	__u32 ended;
	__u32 first;
};

/**
 * struct vacc_event_export - VACC_EVENT_EXPORT: the event's fence as a sync_file
 * @size: sizeof(struct vacc_event_export)
 * @flags: 0
 * @handle: the event
 * @fd: out: a sync_file, close-on-exec
 */
struct vacc_event_export {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__s32 fd;
};

/* Native operations in attributions. */
#define VACC_NATIVE_BARRIER		0
#define VACC_NATIVE_COPY		1
#define VACC_NATIVE_FILL		2
#define VACC_NATIVE_XOR			3
#define VACC_NATIVE_ZERO		4
#define VACC_NATIVE_UPLOAD		5
#define VACC_NATIVE_DENSE_LINEAR	6

/* Execution paths in attributions. */
#define VACC_PATH_EAGER			0

/**
 * struct vacc_attribution_row - what one command of a submission did
 * @command: its index
 * @operation: VACC_NATIVE_*
 * @path: VACC_PATH_*
 * @dispatches: compute dispatches: of a dense-linear its launches, of an xor 1
 * @transfers: transfer commands: of a copy, fill, zero or upload 1
 * @reserved: 0
 * @work: what the submission said of it; zeros, with node ~0, where it said nothing
 * @start_ns: with TIMING: start, CLOCK_MONOTONIC
 * @end_ns: with TIMING: end, CLOCK_MONOTONIC
 *
 * Of an event that failed or was cancelled, the row tells what the command is.  With
 * TIMING, one that was not begun has no times, and one that was stopped ends there.
 */
struct vacc_attribution_row {
	__u32 command;
	__u32 operation;
	__u32 path;
	__u32 dispatches;
	__u32 transfers;
	__u32 reserved;
	struct vacc_work work;
	__aligned_u64 start_ns;
	__aligned_u64 end_ns;
};

/**
 * struct vacc_event_attribution - VACC_EVENT_ATTRIBUTION
 * @size: sizeof(struct vacc_event_attribution)
 * @flags: 0
 * @handle: an event that has ended and was submitted with ATTRIBUTION
 * @reserved: 0
 * @rows: array of struct vacc_attribution_row, out; @count is the room on input
 *	and the number of rows on output
 *
 * One row for each command, in order.  An event without ATTRIBUTION is EINVAL, one
 * that is pending EBUSY.
 */
struct vacc_event_attribution {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
	struct vacc_array rows;
};

/* Types of records that read(2) returns. */
#define VACC_RECORD_EVENT	1

/**
 * struct vacc_record - what read(2) returns for an event that asked for RECORD
 * @type: VACC_RECORD_EVENT; skip others
 * @length: bytes of this record; the next one begins there
 * @user_data: of the submission
 * @event: handle of the event, its identity also after its destruction
 * @state: VACC_EVENT_*
 * @status: VIRTIO_ACCEL_S_*
 * @start_ns: with TIMING: start of execution, CLOCK_MONOTONIC
 * @end_ns: with TIMING: end of execution, CLOCK_MONOTONIC
 *
 * In the order in which events end, whole records only: EINVAL where not even one
 * fits.  Room for a record is taken by the submission, EAGAIN where the file has
 * as many unread ones as max_inflight_per_file.  When the device has gone, read(2)
 * returns what is left, then ENODEV or EIO.
 */
struct vacc_record {
	__u32 type;
	__u32 length;
	__aligned_u64 user_data;
	__aligned_u64 event;
	__u32 state;
	__u32 status;
	__s64 start_ns;
	__s64 end_ns;
};

#endif /* _UAPI_LINUX_VACC_H */
