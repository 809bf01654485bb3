/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * virtio-accel protocol 1.0: what goes over the command virtqueue.
 *
 * Everything is little-endian and packed; there is no padding on the wire.
 */
#ifndef _UAPI_LINUX_VIRTIO_ACCEL_H
#define _UAPI_LINUX_VIRTIO_ACCEL_H

#include <linux/types.h>

/*
 * No virtio device ID has been assigned to accelerators.  60 is experimental;
 * the driver takes another one as a module parameter.
 */
#define VIRTIO_ACCEL_ID_EXPERIMENTAL	60

#define VIRTIO_ACCEL_PROTOCOL_MAJOR	1
#define VIRTIO_ACCEL_PROTOCOL_MINOR	0

/* Reserved feature bits: offered by no 1.0 device, accepted by no 1.0 driver. */
#define VIRTIO_ACCEL_F_MULTI_QUEUE	0
#define VIRTIO_ACCEL_F_EVENT_QUEUE	1
#define VIRTIO_ACCEL_F_EXTERNAL_MEMORY	2
#define VIRTIO_ACCEL_F_TIMELINE_FENCES	3
#define VIRTIO_ACCEL_F_SECURE_CONTEXTS	4

/* Bounds that a configuration must keep. */
#define VIRTIO_ACCEL_MIN_CHAIN		2
#define VIRTIO_ACCEL_MAX_CHAIN		256
#define VIRTIO_ACCEL_MIN_REQUEST	97
#define VIRTIO_ACCEL_MIN_RESPONSE	92
#define VIRTIO_ACCEL_MAX_FRAME		16777216
#define VIRTIO_ACCEL_MAX_BINDINGS	4096

/* Opcodes. */
#define VIRTIO_ACCEL_OP_GET_DEVICE_INFO	0x0001
#define VIRTIO_ACCEL_OP_CREATE_CONTEXT	0x0100
#define VIRTIO_ACCEL_OP_DESTROY_CONTEXT	0x0101
#define VIRTIO_ACCEL_OP_ALLOCATE_BUFFER	0x0200
#define VIRTIO_ACCEL_OP_FREE_BUFFER	0x0201
#define VIRTIO_ACCEL_OP_WRITE_BUFFER	0x0202
#define VIRTIO_ACCEL_OP_READ_BUFFER	0x0203
#define VIRTIO_ACCEL_OP_LOAD_PROGRAM	0x0300
#define VIRTIO_ACCEL_OP_UNLOAD_PROGRAM	0x0301
#define VIRTIO_ACCEL_OP_CREATE_QUEUE	0x0400
#define VIRTIO_ACCEL_OP_DESTROY_QUEUE	0x0401
#define VIRTIO_ACCEL_OP_SUBMIT		0x0500
#define VIRTIO_ACCEL_OP_POLL_EVENT	0x0501
#define VIRTIO_ACCEL_OP_CANCEL_EVENT	0x0502
#define VIRTIO_ACCEL_OP_DESTROY_EVENT	0x0503

/* Statuses.  Any other value is a failure. */
#define VIRTIO_ACCEL_S_OK		0
#define VIRTIO_ACCEL_S_UNSUPPORTED	1
#define VIRTIO_ACCEL_S_INCOMPATIBLE	2
#define VIRTIO_ACCEL_S_INVALID_ARGUMENT	3
#define VIRTIO_ACCEL_S_OUT_OF_BOUNDS	4
#define VIRTIO_ACCEL_S_BUSY		5
#define VIRTIO_ACCEL_S_OUT_OF_MEMORY	6
#define VIRTIO_ACCEL_S_RESOURCE_LIMIT	7
#define VIRTIO_ACCEL_S_DEADLINE_EXPIRED	8
#define VIRTIO_ACCEL_S_DEVICE_LOST	9
#define VIRTIO_ACCEL_S_PERMISSION_DENIED 10
#define VIRTIO_ACCEL_S_STALE_OBJECT	11
#define VIRTIO_ACCEL_S_INTERNAL_ERROR	0xffff

/* Event states. */
#define VIRTIO_ACCEL_EVENT_PENDING	0
#define VIRTIO_ACCEL_EVENT_COMPLETE	1
#define VIRTIO_ACCEL_EVENT_FAILED	2
#define VIRTIO_ACCEL_EVENT_CANCELLED	3

/* Accelerator classes. */
#define VIRTIO_ACCEL_CLASS_OTHER	0
#define VIRTIO_ACCEL_CLASS_NPU		1
#define VIRTIO_ACCEL_CLASS_GPU		2
#define VIRTIO_ACCEL_CLASS_DSP		3

/* Capability bits. */
#define VIRTIO_ACCEL_CAP_HOST_MEMORY	(1ULL << 0)
#define VIRTIO_ACCEL_CAP_DEVICE_MEMORY	(1ULL << 1)
#define VIRTIO_ACCEL_CAP_EVENT_CANCEL	(1ULL << 2)
#define VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY (1ULL << 3)	/* reserved */
#define VIRTIO_ACCEL_CAP_SECURE_CONTEXTS (1ULL << 4)	/* reserved */
#define VIRTIO_ACCEL_CAP_SHARED_MEMORY	(1ULL << 5)

/* Memory domains. */
#define VIRTIO_ACCEL_DOMAIN_HOST	1
#define VIRTIO_ACCEL_DOMAIN_DEVICE	2
#define VIRTIO_ACCEL_DOMAIN_SHARED	3

/* Buffer usage bits. */
#define VIRTIO_ACCEL_USAGE_TRANSFER_SRC	0x01
#define VIRTIO_ACCEL_USAGE_TRANSFER_DST	0x02
#define VIRTIO_ACCEL_USAGE_INPUT	0x04
#define VIRTIO_ACCEL_USAGE_OUTPUT	0x08
#define VIRTIO_ACCEL_USAGE_MUTABLE	0x10
#define VIRTIO_ACCEL_USAGE_MASK		0x1f

/* Binding access. */
#define VIRTIO_ACCEL_ACCESS_READ	1
#define VIRTIO_ACCEL_ACCESS_WRITE	2
#define VIRTIO_ACCEL_ACCESS_READ_WRITE	3

/**
 * struct virtio_accel_config - device configuration space
 * @protocol_major: 1
 * @protocol_minor: 0 or higher; a driver uses only what 1.0 has
 * @command_queue_count: 1
 * @max_chain_descriptors: descriptors of one chain, 2 to 256
 * @max_request_bytes: largest readable total of one chain
 * @max_response_bytes: largest writable total that the device uses
 */
struct virtio_accel_config {
	__le16 protocol_major;
	__le16 protocol_minor;
	__le16 command_queue_count;
	__le16 max_chain_descriptors;
	__le32 max_request_bytes;
	__le32 max_response_bytes;
} __attribute__((packed));

/**
 * struct virtio_accel_req_hdr - what every request begins with
 * @opcode: VIRTIO_ACCEL_OP_*
 * @flags: 0
 * @payload_bytes: exactly what follows
 * @request_id: nonzero, unique among outstanding requests
 */
struct virtio_accel_req_hdr {
	__le16 opcode;
	__le16 flags;
	__le32 payload_bytes;
	__le64 request_id;
} __attribute__((packed));

/**
 * struct virtio_accel_resp_hdr - what every response begins with
 * @status: VIRTIO_ACCEL_S_*
 * @flags: 0
 * @payload_bytes: exactly what follows
 * @request_id: that of the request
 */
struct virtio_accel_resp_hdr {
	__le16 status;
	__le16 flags;
	__le32 payload_bytes;
	__le64 request_id;
} __attribute__((packed));

/**
 * struct virtio_accel_object - an object ID as the whole payload
 * @id: opaque and nonzero
 */
struct virtio_accel_object {
	__le64 id;
} __attribute__((packed));

/**
 * struct virtio_accel_device_info - payload of the answer to GET_DEVICE_INFO
 * @uuid: identity of the device model
 * @device_class: VIRTIO_ACCEL_CLASS_*
 * @reserved: 0
 * @vendor: vendor number
 * @device: device number
 * @capabilities: VIRTIO_ACCEL_CAP_*
 * @max_contexts: contexts of the device
 * @max_buffers_per_context: buffers of one context
 * @max_programs_per_context: programs of one context
 * @max_queues_per_context: execution queues of one context
 * @max_events_per_context: events of one context
 * @max_bindings_per_submission: bindings of one submission, 1 to 4096
 * @max_buffer_bytes: bytes of one buffer
 * @max_artifact_bytes: bytes of one program's payload
 */
struct virtio_accel_device_info {
	__u8 uuid[16];
	__le16 device_class;
	__le16 reserved;
	__le32 vendor;
	__le32 device;
	__le64 capabilities;
	__le32 max_contexts;
	__le32 max_buffers_per_context;
	__le32 max_programs_per_context;
	__le32 max_queues_per_context;
	__le32 max_events_per_context;
	__le32 max_bindings_per_submission;
	__le64 max_buffer_bytes;
	__le64 max_artifact_bytes;
} __attribute__((packed));

/**
 * struct virtio_accel_create_context - CREATE_CONTEXT
 * @flags: 0
 * @reserved: 0
 */
struct virtio_accel_create_context {
	__le32 flags;
	__le32 reserved;
} __attribute__((packed));

/**
 * struct virtio_accel_allocate_buffer - ALLOCATE_BUFFER
 * @context: where it belongs
 * @bytes: nonzero
 * @alignment: a power of two
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @reserved0: 0
 * @usage: VIRTIO_ACCEL_USAGE_*, nonzero
 * @reserved1: 0
 */
struct virtio_accel_allocate_buffer {
	__le64 context;
	__le64 bytes;
	__le64 alignment;
	__u8 domain;
	__u8 reserved0[7];
	__le32 usage;
	__le32 reserved1;
} __attribute__((packed));

/**
 * struct virtio_accel_transfer - WRITE_BUFFER (the data follows), READ_BUFFER
 * @buffer: the buffer
 * @offset: first byte in it
 * @bytes: how many, nonzero
 */
struct virtio_accel_transfer {
	__le64 buffer;
	__le64 offset;
	__le64 bytes;
} __attribute__((packed));

/**
 * struct virtio_accel_load_program - LOAD_PROGRAM, the artifact follows
 * @context: where it belongs
 * @format: what the artifact is
 * @flags: 0
 * @target: what it was built for
 * @payload_bytes: bytes of the artifact
 * @resident_bytes: what it charges while loaded
 */
struct virtio_accel_load_program {
	__le64 context;
	__le32 format;
	__le32 flags;
	__le32 target[12];
	__le64 payload_bytes;
	__le64 resident_bytes;
} __attribute__((packed));

/**
 * struct virtio_accel_create_queue - CREATE_QUEUE
 * @context: where it belongs
 * @flags: 0
 * @reserved: 0
 */
struct virtio_accel_create_queue {
	__le64 context;
	__le32 flags;
	__le32 reserved;
} __attribute__((packed));

/**
 * struct virtio_accel_submit - SUBMIT, the bindings follow
 * @queue: execution queue
 * @program: what to run
 * @binding_count: bindings that follow, nonzero
 * @flags: 0
 * @timeout_ns: from admission, 0 for none
 */
struct virtio_accel_submit {
	__le64 queue;
	__le64 program;
	__le32 binding_count;
	__le32 flags;
	__le64 timeout_ns;
} __attribute__((packed));

/**
 * struct virtio_accel_binding - one binding of a SUBMIT
 * @buffer: the buffer
 * @offset: first byte of the range
 * @bytes: length of the range, nonzero
 * @slot: the program's slot, each at most once
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @reserved: 0
 */
struct virtio_accel_binding {
	__le64 buffer;
	__le64 offset;
	__le64 bytes;
	__le32 slot;
	__u8 access;
	__u8 reserved[3];
} __attribute__((packed));

/**
 * struct virtio_accel_event_state - payload of the answer to POLL_EVENT
 * @state: VIRTIO_ACCEL_EVENT_*
 * @error: the reason where @state is FAILED, else OK
 * @reserved: 0
 */
struct virtio_accel_event_state {
	__le16 state;
	__le16 error;
	__le32 reserved;
} __attribute__((packed));

#endif /* _UAPI_LINUX_VIRTIO_ACCEL_H */
