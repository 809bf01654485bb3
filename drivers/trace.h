/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the core: objects come and go, submissions begin and end.
 *
 * Those of frames over virtio are in virtio/trace.h.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM virtio_accel

#if !defined(_VACC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _VACC_TRACE_H

#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "core.h"

TRACE_DEFINE_ENUM(VACC_KIND_CONTEXT);
TRACE_DEFINE_ENUM(VACC_KIND_BUFFER);
TRACE_DEFINE_ENUM(VACC_KIND_PROGRAM);
TRACE_DEFINE_ENUM(VACC_KIND_QUEUE);
TRACE_DEFINE_ENUM(VACC_KIND_EVENT);

#define vacc_trace_kind(kind)						\
	__print_symbolic(kind,						\
			 { VACC_KIND_CONTEXT, "context" },		\
			 { VACC_KIND_BUFFER, "buffer" },		\
			 { VACC_KIND_PROGRAM, "program" },		\
			 { VACC_KIND_QUEUE, "queue" },			\
			 { VACC_KIND_EVENT, "event" })

#define vacc_trace_state(state)						\
	__print_symbolic(state,						\
			 { VACC_EVENT_PENDING, "pending" },		\
			 { VACC_EVENT_COMPLETE, "complete" },		\
			 { VACC_EVENT_FAILED, "failed" },		\
			 { VACC_EVENT_CANCELLED, "cancelled" })

DECLARE_EVENT_CLASS(vacc_object,
	TP_PROTO(const struct vacc_obj *obj),
	TP_ARGS(obj),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, file)
		__field(int, pid)
		__field(u32, kind)
		__field(u32, handle)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__entry->dev = obj->file->dev->instance;
		__entry->file = obj->file->id;
		__entry->pid = obj->file->pid;
		__entry->kind = obj->kind;
		__entry->handle = obj->handle;
		__entry->bytes = obj->bytes;
	),
	TP_printk("dev=virtio-accel%d file=%llu pid=%d kind=%s handle=%u bytes=%llu",
		  __entry->dev, __entry->file, __entry->pid,
		  vacc_trace_kind(__entry->kind), __entry->handle,
		  __entry->bytes)
);

DEFINE_EVENT(vacc_object, vacc_object_create,
	TP_PROTO(const struct vacc_obj *obj),
	TP_ARGS(obj)
);

DEFINE_EVENT(vacc_object, vacc_object_destroy,
	TP_PROTO(const struct vacc_obj *obj),
	TP_ARGS(obj)
);

TRACE_EVENT(vacc_submit,
	TP_PROTO(const struct vacc_event *event),
	TP_ARGS(event),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, file)
		__field(int, pid)
		__field(u32, queue)
		__field(u32, event)
		__field(u64, seq)
		__field(u32, program)
		__field(u32, buffers)
		__field(u64, user_data)
	),
	TP_fast_assign(
		__entry->dev = event->obj.file->dev->instance;
		__entry->file = event->obj.file->id;
		__entry->pid = event->obj.file->pid;
		__entry->queue = event->queue_handle;
		__entry->event = event->obj.handle;
		__entry->seq = event->seq;
		__entry->program = event->program->obj.handle;
		__entry->buffers = event->buffer_count;
		__entry->user_data = event->user_data;
	),
	TP_printk("dev=virtio-accel%d file=%llu pid=%d queue=%u event=%u seq=%llu program=%u buffers=%u user_data=%#llx",
		  __entry->dev, __entry->file, __entry->pid, __entry->queue,
		  __entry->event, __entry->seq, __entry->program,
		  __entry->buffers, __entry->user_data)
);

DECLARE_EVENT_CLASS(vacc_event,
	TP_PROTO(const struct vacc_event *event),
	TP_ARGS(event),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, file)
		__field(u32, queue)
		__field(u32, event)
	),
	TP_fast_assign(
		__entry->dev = event->obj.file->dev->instance;
		__entry->file = event->obj.file->id;
		__entry->queue = event->queue_handle;
		__entry->event = event->obj.handle;
	),
	TP_printk("dev=virtio-accel%d file=%llu queue=%u event=%u",
		  __entry->dev, __entry->file, __entry->queue, __entry->event)
);

/* A backend that knows says when it begins; that of virtio does not. */
DEFINE_EVENT(vacc_event, vacc_start,
	TP_PROTO(const struct vacc_event *event),
	TP_ARGS(event)
);

/* The backend refused after all: there is no event, and no vacc_complete follows. */
DEFINE_EVENT(vacc_event, vacc_reject,
	TP_PROTO(const struct vacc_event *event),
	TP_ARGS(event)
);

TRACE_EVENT(vacc_complete,
	TP_PROTO(const struct vacc_event *event, u32 state),
	TP_ARGS(event, state),
	TP_STRUCT__entry(
		__field(int, dev)
		__field(u64, file)
		__field(int, pid)
		__field(u32, queue)
		__field(u32, event)
		__field(u32, state)
		__field(u32, status)
		__field(u64, latency_ns)
	),
	TP_fast_assign(
		__entry->dev = event->obj.file->dev->instance;
		__entry->file = event->obj.file->id;
		__entry->pid = event->obj.file->pid;
		__entry->queue = event->queue_handle;
		__entry->event = event->obj.handle;
		__entry->state = state;
		__entry->status = event->status;
		__entry->latency_ns = event->trace_ns ?
				      ktime_get_ns() - event->trace_ns : 0;
	),
	TP_printk("dev=virtio-accel%d file=%llu pid=%d queue=%u event=%u state=%s status=%u latency_ns=%llu",
		  __entry->dev, __entry->file, __entry->pid, __entry->queue,
		  __entry->event, vacc_trace_state(__entry->state),
		  __entry->status, __entry->latency_ns)
);

#endif /* _VACC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
