// SPDX-License-Identifier: GPL-2.0
/* Names, reasons, deadlines, and objects that are not there. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libvacc.h"
#include "test.h"

static void test_errors(void)
{
	static const int closed[] = {
		EOPNOTSUPP, E2BIG, EINVAL, ENOENT, ERANGE, EACCES, ENOEXEC, EBUSY,
		ENOSPC, EAGAIN, ENOMEM, ETIME, EIO, ENODEV, EREMOTEIO, ETIMEDOUT,
		ECANCELED, EFAULT, EINTR, ENOTTY, EBADF, EMFILE, ENFILE,
	};
	const char *none = vacc_strerror(12345);

	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		const char *text = vacc_strerror(closed[i]);

		CHECK_NAMED(text != none && *text, strerror(closed[i]));
		CHECK(text == vacc_strerror(-closed[i]));
	}
	CHECK(!strcmp(vacc_strerror(0), "no error"));
}

static void test_statuses(void)
{
	static const int errors[] = {
		0, -EOPNOTSUPP, -ENOEXEC, -EINVAL, -ERANGE, -EBUSY, -ENOMEM, -ENOSPC,
		-ETIME, -EIO, -EACCES, -ENOENT,
	};

	for (__u32 status = 0; status < 12; status++) {
		CHECK(vacc_status_errno(status) == errors[status]);
		CHECK(strcmp(vacc_status_name(status), "UNKNOWN"));
	}
	CHECK(vacc_status_errno(0xffff) == -EREMOTEIO);
	CHECK(vacc_status_errno(12) == -EREMOTEIO);
	CHECK(!strcmp(vacc_status_name(0xffff), "INTERNAL_ERROR"));
	CHECK(!strcmp(vacc_status_name(12), "UNKNOWN"));
	CHECK(!strcmp(vacc_status_name(4), "OUT_OF_BOUNDS"));
	CHECK(!strcmp(vacc_state_name(VACC_EVENT_CANCELLED), "cancelled"));
	CHECK(!strcmp(vacc_state_name(4), "unknown"));
	CHECK(!strcmp(vacc_operation_name(VACC_NATIVE_BARRIER), "barrier"));
	CHECK(!strcmp(vacc_operation_name(VACC_NATIVE_DENSE_LINEAR), "dense_linear"));
	CHECK(!strcmp(vacc_operation_name(VACC_NATIVE_DENSE_LINEAR + 1), "unknown"));
}

static void test_types(void)
{
	for (__u32 type = 0; type < VACC_TYPE_COUNT; type++) {
		CHECK(vacc_type_parse(vacc_type_name(type)) == (int)type);
		CHECK(vacc_type_bytes(type));
	}
	CHECK(!vacc_type_name(VACC_TYPE_COUNT) && !vacc_type_bytes(VACC_TYPE_COUNT));
	CHECK(vacc_type_bytes(VACC_TYPE_F16) == 2 && vacc_type_bytes(VACC_TYPE_F64) == 8);
	CHECK(vacc_type_parse("f17") == -EINVAL);
}

static void test_deadlines(void)
{
	__u64 now = vacc_deadline(0);

	CHECK(now && vacc_deadline(0) >= now);
	CHECK(vacc_deadline(1000000000) >= now + 1000000000);
	CHECK(vacc_deadline(VACC_NO_DEADLINE) == VACC_NO_DEADLINE);
	CHECK(vacc_deadline(~0ULL) == VACC_NO_DEADLINE);
}

static void test_opening(void)
{
	struct vacc_device *dev = (void *)1;

	CHECK(vacc_open("/dev/no-such-node", &dev) == -ENODEV && !dev);
	CHECK(strstr(vacc_last_error(NULL), "/dev/no-such-node"));
	CHECK(vacc_open("/dev/null", &dev) == -ENOTTY && !dev);
	CHECK(strstr(vacc_last_error(NULL), "not an accelerator"));
	CHECK(vacc_open("/proc/self/exe", &dev) == -ENOTTY && !dev);
	CHECK(vacc_open("/", &dev) == -ENOTTY && !dev);
	CHECK(vacc_open("", &dev) == -ENODEV && !dev);
	CHECK(vacc_open("999", &dev) == -ENODEV && !dev);
	CHECK(strstr(vacc_last_error(NULL), "/dev/virtio-accel999"));
	vacc_close(NULL);
}

/* Objects that were never created, and objects of nobody. */
static void test_nothing(void)
{
	struct vacc_context context = { 0 };
	struct vacc_buffer buffer = { 0 };
	struct vacc_program program = { 0 };
	struct vacc_queue queue = { 0 };
	struct vacc_event event = { 0 };
	struct vacc_queue_query query;
	struct vacc_event_query what;
	struct vacc_bind bind = { .buffer = &buffer };
	__u32 status = 0;
	char byte = 0;

	CHECK(vacc_context_destroy(&context) == -ENOENT);
	CHECK(vacc_queue_create(&context, &queue) == -ENOENT);
	CHECK(vacc_buffer_create(&context, 1, NULL, &buffer) == -ENOENT);
	CHECK(vacc_buffer_destroy(&buffer) == -ENOENT);
	CHECK(vacc_buffer_write(&buffer, 0, &byte, 1) == -ENOENT);
	CHECK(vacc_buffer_read(&buffer, 0, &byte, 1) == -ENOENT);
	CHECK(vacc_buffer_map(&buffer, 1) == -ENOENT);
	CHECK(vacc_program_load_file(&context, "/no-such-file", &program) == -ENOENT);
	CHECK(vacc_program_unload(&program) == -ENOENT);
	CHECK(vacc_queue_destroy(&queue) == -ENOENT);
	CHECK(vacc_submit(&queue, &program, &bind, 1, NULL, &event) == -ENOENT);
	CHECK(vacc_event_destroy(&event) == -ENOENT);
	CHECK(vacc_event_cancel(&event) == -ENOENT);
	/* R10, R9: foreign queues read as failed, foreign events as indeterminate. */
	CHECK(!vacc_queue_query(NULL, &queue, &query));
	CHECK(query.state == VACC_QUEUE_FAILED &&
	      query.status == VIRTIO_ACCEL_S_STALE_OBJECT);
	CHECK(vacc_queue_sync(NULL, &queue, 0, &status) == -ENOENT);
	CHECK(status == VIRTIO_ACCEL_S_STALE_OBJECT);
	event.state = VACC_EVENT_COMPLETE;
	CHECK(vacc_event_outcome(NULL, &event) == VACC_OUTCOME_INDETERMINATE);
	CHECK(!vacc_event_query(NULL, &event, &what));
	CHECK(what.state == VACC_EVENT_PENDING &&
	      what.event_flags == VACC_EVENT_INDETERMINATE);
	CHECK(vacc_wait(NULL, &event, 0) == -ENOENT);
}

static void test_ends(void)
{
	struct vacc_event event = { .state = VACC_EVENT_PENDING };

	CHECK(vacc_event_error(&event) == -EAGAIN);
	event.state = VACC_EVENT_COMPLETE;
	CHECK(vacc_event_error(&event) == 0);
	event.state = VACC_EVENT_CANCELLED;
	CHECK(vacc_event_error(&event) == -ECANCELED);
	event.state = VACC_EVENT_FAILED;
	event.status = VIRTIO_ACCEL_S_DEADLINE_EXPIRED;
	CHECK(vacc_event_error(&event) == -ETIME);
	event.status = VIRTIO_ACCEL_S_OK;
	CHECK(vacc_event_error(&event) == -EREMOTEIO);
}

void test_text(void)
{
	test_errors();
	test_statuses();
	test_types();
	test_deadlines();
	test_opening();
	test_nothing();
	test_ends();
}
