/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the virtio backend: frames on their way there and back.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM virtio_accel

#if !defined(_VACC_VIRTIO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _VACC_VIRTIO_TRACE_H

#include <linux/tracepoint.h>

#include "virtio.h"

#define vacc_trace_opcode(opcode)					\
	__print_symbolic(opcode,					\
			 { VIRTIO_ACCEL_OP_GET_DEVICE_INFO, "GET_DEVICE_INFO" }, \
			 { VIRTIO_ACCEL_OP_CREATE_CONTEXT, "CREATE_CONTEXT" }, \
			 { VIRTIO_ACCEL_OP_DESTROY_CONTEXT, "DESTROY_CONTEXT" }, \
			 { VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, "ALLOCATE_BUFFER" }, \
			 { VIRTIO_ACCEL_OP_FREE_BUFFER, "FREE_BUFFER" }, \
			 { VIRTIO_ACCEL_OP_WRITE_BUFFER, "WRITE_BUFFER" }, \
			 { VIRTIO_ACCEL_OP_READ_BUFFER, "READ_BUFFER" }, \
			 { VIRTIO_ACCEL_OP_LOAD_PROGRAM, "LOAD_PROGRAM" }, \
			 { VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, "UNLOAD_PROGRAM" }, \
			 { VIRTIO_ACCEL_OP_CREATE_QUEUE, "CREATE_QUEUE" }, \
			 { VIRTIO_ACCEL_OP_DESTROY_QUEUE, "DESTROY_QUEUE" }, \
			 { VIRTIO_ACCEL_OP_SUBMIT, "SUBMIT" },		\
			 { VIRTIO_ACCEL_OP_POLL_EVENT, "POLL_EVENT" },	\
			 { VIRTIO_ACCEL_OP_CANCEL_EVENT, "CANCEL_EVENT" }, \
			 { VIRTIO_ACCEL_OP_DESTROY_EVENT, "DESTROY_EVENT" })

TRACE_EVENT(vacc_frame_sent,
	TP_PROTO(const struct vacc_request *request),
	TP_ARGS(request),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, id)
		__field(u16, opcode)
		__field(u32, bytes)
	),
	TP_fast_assign(
		__entry->dev = request->session->vdev->index;
		__entry->id = request->id;
		__entry->opcode = request->opcode;
		__entry->bytes = request->out_bytes;
	),
	TP_printk("dev=virtio%d id=%#llx opcode=%s bytes=%u",
		  __entry->dev, __entry->id,
		  vacc_trace_opcode(__entry->opcode), __entry->bytes)
);

/* The status is what the driver made of the answer; the bytes are the device's claim. */
TRACE_EVENT(vacc_frame_answered,
	TP_PROTO(const struct vacc_request *request, u32 used),
	TP_ARGS(request, used),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, id)
		__field(u16, opcode)
		__field(u16, status)
		__field(u32, bytes)
	),
	TP_fast_assign(
		__entry->dev = request->session->vdev->index;
		__entry->id = request->id;
		__entry->opcode = request->opcode;
		__entry->status = request->status;
		__entry->bytes = used;
	),
	TP_printk("dev=virtio%d id=%#llx opcode=%s bytes=%u status=%u",
		  __entry->dev, __entry->id,
		  vacc_trace_opcode(__entry->opcode), __entry->bytes,
		  __entry->status)
);

TRACE_EVENT(vacc_frame_lost,
	TP_PROTO(const struct vacc_request *request),
	TP_ARGS(request),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, id)
		__field(u16, opcode)
	),
	TP_fast_assign(
		__entry->dev = request->session->vdev->index;
		__entry->id = request->id;
		__entry->opcode = request->opcode;
	),
	TP_printk("dev=virtio%d id=%#llx opcode=%s",
		  __entry->dev, __entry->id,
		  vacc_trace_opcode(__entry->opcode))
);

#endif /* _VACC_VIRTIO_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH virtio
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
