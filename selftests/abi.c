// SPDX-License-Identifier: GPL-2.0
/* What holds for every ioctl: sizes, flags, reserved fields, addresses, numbers. */
#include "vacc_test.h"

#define PAGE	4096u

struct ioctl_case {
	const char *name;
	unsigned long nr;
	size_t size;
	__u32 known_flags;
	__u32 feature;		/* EOPNOTSUPP without it */
	int result;		/* of a prepared argument */
};

#define CASE(op, type, ...) \
	{ .name = #op, .nr = VACC_##op, .size = sizeof(struct type), __VA_ARGS__ }

static const struct ioctl_case cases[] = {
	CASE(GET_INFO, vacc_get_info),
	CASE(STATS, vacc_stats),
	CASE(LAST_ERROR, vacc_last_error),
	CASE(CONTEXT_CREATE, vacc_context_create),
	CASE(CONTEXT_DESTROY, vacc_handle_arg),
	CASE(BUFFER_CREATE, vacc_buffer_create, .known_flags = VACC_BUFFER_NO_WRITE_MAP),
	CASE(BUFFER_DESTROY, vacc_handle_arg),
	CASE(BUFFER_QUERY, vacc_buffer_query),
	CASE(BUFFER_WRITE, vacc_buffer_transfer),
	CASE(BUFFER_READ, vacc_buffer_transfer),
	CASE(PROGRAM_LOAD, vacc_program_load),
	CASE(PROGRAM_UNLOAD, vacc_handle_arg),
	CASE(PROGRAM_QUERY, vacc_program_query),
	CASE(QUEUE_CREATE, vacc_queue_create),
	CASE(QUEUE_DESTROY, vacc_handle_arg),
	CASE(QUEUE_QUERY, vacc_queue_query),
	CASE(QUEUE_SYNC, vacc_queue_sync),
	CASE(SUBMIT, vacc_submit,
	     .known_flags = VACC_SUBMIT_AUTO_DESTROY | VACC_SUBMIT_WAIT),
	CASE(EVENT_QUERY, vacc_event_query),
	CASE(EVENT_WAIT, vacc_event_wait, .known_flags = VACC_WAIT_ALL),
	CASE(EVENT_CANCEL, vacc_handle_arg, .result = -EBUSY),
	CASE(EVENT_DESTROY, vacc_handle_arg),
	CASE(EVENT_EXPORT, vacc_event_export, .feature = VACC_FEATURE_SYNC_FILE),
	CASE(SUBMIT_MANY, vacc_submit_many, .feature = VACC_FEATURE_SUBMIT_MANY),
	CASE(EVENT_ATTRIBUTION, vacc_event_attribution,
	     .feature = VACC_FEATURE_ATTRIBUTION),
};

static int expected(const struct ioctl_case *c, const struct vacc_get_info *info)
{
	return c->feature && !(info->features & c->feature) ? -EOPNOTSUPP : c->result;
}

union arg {
	__u32 size;
	struct { __u32 size, flags; } head;
	struct vacc_get_info info;
	struct vacc_buffer_create buffer_create;
	struct vacc_buffer_query buffer_query;
	struct vacc_buffer_transfer transfer;
	struct vacc_program_load load;
	struct vacc_program_query program_query;
	struct vacc_queue_create queue_create;
	struct vacc_queue_query queue_query;
	struct vacc_queue_sync sync;
	struct vacc_submit submit;
	struct vacc_submit_many submit_many;
	struct vacc_event_query event_query;
	struct vacc_event_wait event_wait;
	struct vacc_event_export export;
	struct vacc_handle_arg handle;
	char bytes[2 * PAGE];
};

/* What prepared arguments point to. */
static char data[16];
static struct vacc_iov iov = { 0, sizeof(data) };
static struct vacc_binding binding;
static struct vacc_submit element;
static struct vacc_wait_entry entry;
static struct vacc_ref_artifact fill;

/* An event with rows, where the device has them. */
static int attributed(int fd, __u32 queue, __u32 program, __u32 *event)
{
	struct vacc_submit s = vt_submit_desc(queue, program, &binding, 1);
	int r;

	s.flags = VACC_SUBMIT_ATTRIBUTION;
	r = vt_submit(fd, &s);
	if (r)
		return r == -EOPNOTSUPP ? 0 : r;
	*event = s.event;
	return vt_event_wait(fd, s.event, VT_PATIENCE_MS, NULL);
}

/* An argument that works, with objects of its own where it uses them up. */
static int prepare(int fd, __u32 context, __u32 queue, const struct ioctl_case *c,
		   union arg *arg)
{
	__u32 buffer = 0, program = 0, event = 0;
	int r = 0;

	memset(arg, 0, sizeof(*arg));
	iov.addr = VT_PTR(data);
	fill = vt_ref(VACC_REF_OP_FILL, 0, VACC_REF_NO_SLOT, 7);
	switch (c->nr) {
	case VACC_GET_INFO:
		arg->info.formats.stride = sizeof(struct vacc_format);
		break;
	case VACC_CONTEXT_DESTROY:
		r = vt_context(fd, &arg->handle.handle);
		break;
	case VACC_BUFFER_CREATE:
		arg->buffer_create = vt_buffer_desc(context, 64, VT_USAGE_ALL);
		break;
	case VACC_BUFFER_DESTROY:
	case VACC_BUFFER_QUERY:
		r = vt_buffer(fd, context, 64, VT_USAGE_ALL, &arg->handle.handle);
		break;
	case VACC_BUFFER_WRITE:
	case VACC_BUFFER_READ:
		r = vt_buffer(fd, context, 64, VT_USAGE_ALL, &arg->transfer.buffer);
		arg->transfer.iov = (struct vacc_array) { 1, sizeof(iov), VT_PTR(&iov) };
		break;
	case VACC_PROGRAM_LOAD:
		arg->load = vt_ref_load(context, &fill, sizeof(fill));
		break;
	case VACC_PROGRAM_UNLOAD:
	case VACC_PROGRAM_QUERY:
		r = vt_load_fill(fd, context, 7, &arg->handle.handle);
		if (c->nr == VACC_PROGRAM_QUERY)
			arg->program_query.slots.stride = sizeof(struct vacc_program_slot);
		break;
	case VACC_QUEUE_CREATE:
		r = vt_context(fd, &arg->queue_create.context);
		break;
	case VACC_QUEUE_DESTROY:
		r = vt_context(fd, &context) ?: vt_queue(fd, context, &arg->handle.handle);
		break;
	case VACC_QUEUE_QUERY:
	case VACC_QUEUE_SYNC:
		arg->handle.handle = queue;
		break;
	case VACC_SUBMIT:
	case VACC_SUBMIT_MANY:
	case VACC_EVENT_QUERY:
	case VACC_EVENT_WAIT:
	case VACC_EVENT_CANCEL:
	case VACC_EVENT_DESTROY:
	case VACC_EVENT_EXPORT:
	case VACC_EVENT_ATTRIBUTION:
		r = vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer) ?:
		    vt_load_fill(fd, context, 7, &program);
		binding = vt_bind(buffer, 0, VT_WRITE, 0, 64);
		if (c->nr == VACC_SUBMIT) {
			arg->submit = vt_submit_desc(queue, program, &binding, 1);
			break;
		}
		if (c->nr == VACC_SUBMIT_MANY) {
			element = vt_submit_desc(queue, program, &binding, 1);
			arg->submit_many.submits =
				(struct vacc_array) { 1, sizeof(element), VT_PTR(&element) };
			break;
		}
		if (c->nr == VACC_EVENT_ATTRIBUTION) {
			r = r ?: attributed(fd, queue, program, &event);
			arg->handle.handle = event;
			break;
		}
		r = r ?: vt_start(fd, queue, program, &binding, 1, &event) ?:
		    vt_event_wait(fd, event, VT_PATIENCE_MS, NULL);
		if (c->nr == VACC_EVENT_WAIT) {
			entry = (struct vacc_wait_entry) { .handle = event };
			arg->event_wait.events =
				(struct vacc_array) { 1, sizeof(entry), VT_PTR(&entry) };
			arg->event_wait.deadline_ns = VACC_NO_DEADLINE;
		} else {
			arg->handle.handle = event;
		}
		break;
	}
	arg->head.size = c->size;
	arg->head.flags = 0;
	return r;
}

static void close_exported(const struct ioctl_case *c, const union arg *arg, int r)
{
	if (!r && c->nr == VACC_EVENT_EXPORT)
		close(arg->export.fd);
}

/* One call at each edge of the size; what is right otherwise works. */
TEST_F(dev, sizes)
{
	const struct ioctl_case *c;
	union arg arg;
	size_t i, n;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		const size_t small[] = { 0, 3, 4, c->size - 4, c->size - 1 };
		const size_t large[] = { c->size, c->size + 1, c->size + 8, PAGE };
		int r;

		for (i = 0; i < ARRAY_SIZE(small); i++) {
			n = small[i];
			ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
			arg.size = n;
			EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, c->nr, &arg))
				TH_LOG("%s, size %zu", c->name, n);
		}
		for (i = 0; i < ARRAY_SIZE(large); i++) {
			n = large[i];
			ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
			arg.size = n;
			memset(arg.bytes + n, 0xee, sizeof(arg) - n);
			r = vt_ioctl(self->fd, c->nr, &arg);
			close_exported(c, &arg, r);
			EXPECT_EQ(expected(c, &self->info), r)
				TH_LOG("%s, size %zu", c->name, n);
			EXPECT_EQ(n, arg.size);
			for (n = c->size; n < large[i]; n++) {
				EXPECT_EQ(0, arg.bytes[n]);
			}
			for (; n < sizeof(arg); n++) {
				ASSERT_EQ((char)0xee, arg.bytes[n])
					TH_LOG("%s wrote past its size", c->name);
			}
		}
	}
}

TEST_F(dev, longer_and_not_zero_is_e2big)
{
	const struct ioctl_case *c;
	union arg arg;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
		arg.size = c->size + 1;
		arg.bytes[c->size] = 1;
		EXPECT_ERRNO(E2BIG, vt_ioctl(self->fd, c->nr, &arg))
			TH_LOG("%s, one byte more", c->name);
		arg.size = PAGE;
		arg.bytes[c->size] = 0;
		arg.bytes[PAGE - 1] = 1;
		EXPECT_ERRNO(E2BIG, vt_ioctl(self->fd, c->nr, &arg))
			TH_LOG("%s, a page", c->name);
		arg.bytes[PAGE - 1] = 0;
		arg.size = PAGE + 1;
		EXPECT_ERRNO(E2BIG, vt_ioctl(self->fd, c->nr, &arg))
			TH_LOG("%s, more than a page", c->name);
		arg.size = ~0u;
		EXPECT_ERRNO(E2BIG, vt_ioctl(self->fd, c->nr, &arg))
			TH_LOG("%s, 4 GiB", c->name);
	}
}

/* EOPNOTSUPP comes before whatever else is wrong with the argument. */
TEST_F(dev, unknown_flags)
{
	const struct ioctl_case *c;
	struct vacc_stats before, after;
	union arg arg;
	int bit;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		for (bit = 0; bit < 32; bit++) {
			memset(&arg, 0, sizeof(arg));
			arg.head.size = c->size;
			arg.head.flags = 1u << bit;
			if (c->known_flags & arg.head.flags)
				continue;
			if (c->nr == VACC_SUBMIT && arg.head.flags < 1u << 7)
				continue;	/* features: see below */
			EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, c->nr, &arg))
				TH_LOG("%s, flag %d", c->name, bit);
		}
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
}

/* The same on an argument that would work: nothing is created. */
TEST_F(dev, unknown_flags_create_nothing)
{
	const struct ioctl_case *c;
	struct vacc_stats before, after;
	union arg arg;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
		arg.head.flags = 1u << 31;
		ASSERT_OK(vt_get_stats(self->fd, &before));
		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, c->nr, &arg))
			TH_LOG("%s", c->name);
		ASSERT_OK(vt_get_stats(self->fd, &after));
		EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
		EXPECT_EQ(before.submitted, after.submitted);
	}
}

/* R8: what a device does not have fails closed, before anything happens. */
TEST_F(dev, r8_flags_of_features_that_are_absent)
{
	const struct { __u32 flag, feature; } table[] = {
		{ VACC_SUBMIT_RECORD, VACC_FEATURE_RECORD },
		{ VACC_SUBMIT_IGNORE_FENCE_ERRORS, VACC_FEATURE_IN_FENCE },
		{ VACC_SUBMIT_ATTRIBUTION, VACC_FEATURE_ATTRIBUTION },
		{ VACC_SUBMIT_TIMING, VACC_FEATURE_TIMING },
		{ VACC_SUBMIT_OUT_FENCE, VACC_FEATURE_SYNC_FILE },
	};
	const struct ioctl_case submit = CASE(SUBMIT, vacc_submit);
	struct vacc_in_fence fence = {};
	struct vacc_work work = {};
	struct vacc_queue_query q;
	unsigned int i;
	union arg arg;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (self->info.features & table[i].feature)
			continue;
		ASSERT_OK(prepare(self->fd, self->context, self->queue, &submit, &arg));
		arg.submit.flags = table[i].flag;
		EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &arg.submit))
			TH_LOG("flag %#x", table[i].flag);
	}
	if (!(self->info.features & VACC_FEATURE_IN_FENCE)) {
		ASSERT_OK(prepare(self->fd, self->context, self->queue, &submit, &arg));
		arg.submit.in_fences = (struct vacc_array) { 1, sizeof(fence), VT_PTR(&fence) };
		EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &arg.submit));
	}
	if (!(self->info.features & VACC_FEATURE_ATTRIBUTION)) {
		ASSERT_OK(prepare(self->fd, self->context, self->queue, &submit, &arg));
		arg.submit.work = (struct vacc_array) { 1, sizeof(work), VT_PTR(&work) };
		EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &arg.submit));
	}
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(0, q.submitted);
}

#define FIELD(op, type, member, value, error) \
	{ CASE(op, type), #member, offsetof(struct type, member), \
	  sizeof(((struct type *)0)->member), value, error }

/* What a later kernel may have is EOPNOTSUPP; what must be zero is EINVAL. */
TEST_F(dev, reserved_fields)
{
	static const struct {
		struct ioctl_case c;
		const char *field;
		size_t offset, bytes;
		__u64 value;
		int error;
	} table[] = {
		FIELD(CONTEXT_CREATE, vacc_context_create, reserved, 1, EINVAL),
		FIELD(CONTEXT_DESTROY, vacc_handle_arg, reserved, 1, EINVAL),
		FIELD(BUFFER_DESTROY, vacc_handle_arg, reserved, 1, EINVAL),
		FIELD(PROGRAM_UNLOAD, vacc_handle_arg, reserved, 1, EINVAL),
		FIELD(QUEUE_DESTROY, vacc_handle_arg, reserved, 1, EINVAL),
		FIELD(EVENT_CANCEL, vacc_handle_arg, reserved, 1, EINVAL),
		FIELD(EVENT_DESTROY, vacc_handle_arg, reserved, 1u << 31, EINVAL),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_kind, VACC_SOURCE_DMA_BUF,
		      EOPNOTSUPP),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_kind, VACC_SOURCE_USER_PAGES,
		      EOPNOTSUPP),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_kind, 3, EOPNOTSUPP),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_fd, 1, EINVAL),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_addr, PAGE, EINVAL),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_addr, 1ULL << 63, EINVAL),
		FIELD(BUFFER_CREATE, vacc_buffer_create, source_offset, 1, EINVAL),
		FIELD(PROGRAM_LOAD, vacc_program_load, reserved, 1, EINVAL),
		FIELD(QUEUE_CREATE, vacc_queue_create, priority, 1, EOPNOTSUPP),
		FIELD(QUEUE_CREATE, vacc_queue_create, reserved, 1, EINVAL),
		FIELD(SUBMIT, vacc_submit, kind, VACC_SUBMIT_WRITE, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, kind, VACC_SUBMIT_READ, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, kind, VACC_SUBMIT_INLINE, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, kind, 4, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, priority, 1, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, data, PAGE, EOPNOTSUPP),
		FIELD(SUBMIT, vacc_submit, data_bytes, 1, EOPNOTSUPP),
		FIELD(SUBMIT_MANY, vacc_submit_many, reserved, 1, EINVAL),
	};
	struct vacc_stats before, after;
	unsigned int i;
	union arg arg;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_OK(prepare(self->fd, self->context, self->queue, &table[i].c, &arg));
		memcpy(arg.bytes + table[i].offset, &table[i].value, table[i].bytes);
		ASSERT_OK(vt_get_stats(self->fd, &before));
		EXPECT_ERRNO(table[i].error, vt_ioctl(self->fd, table[i].c.nr, &arg))
			TH_LOG("%s.%s = %llu", table[i].c.name, table[i].field,
			       (unsigned long long)table[i].value);
		ASSERT_OK(vt_get_stats(self->fd, &after));
		EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	}
}

/* Outputs are outputs: what stands there on input does not matter. */
TEST_F(dev, outputs_are_ignored_on_input)
{
	const struct ioctl_case create = CASE(BUFFER_CREATE, vacc_buffer_create);
	struct vacc_context_create c = { .size = sizeof(c), .handle = 77 };
	union arg arg;

	EXPECT_OK(vt_ioctl(self->fd, VACC_CONTEXT_CREATE, &c));
	EXPECT_NE(77, c.handle);
	EXPECT_EQ(0, c.reserved);
	ASSERT_OK(prepare(self->fd, self->context, self->queue, &create, &arg));
	arg.buffer_create.allocation_bytes = ~0ULL;
	arg.buffer_create.actual_alignment = ~0ULL;
	arg.buffer_create.mmap_offset = ~0ULL;
	arg.buffer_create.handle = ~0u;
	arg.buffer_create.properties = ~0u;
	EXPECT_OK(vt_buffer_create(self->fd, &arg.buffer_create));
	EXPECT_LE(64, arg.buffer_create.allocation_bytes);
	EXPECT_GE(1 << 20, arg.buffer_create.allocation_bytes);
}

TEST_F(dev, reserved_operations)
{
	__u32 arg[16] = { sizeof(arg) };

	EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_BUFFER_EXPORT, arg));
	EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_BUFFER_SEAL, arg));
}

/* Arguments that end with a mapping work; one byte further is EFAULT. */
TEST_F(dev, arguments_at_the_end_of_a_mapping)
{
	const struct ioctl_case *c;
	union arg arg;
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + PAGE, PAGE, PROT_NONE));
	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		char *end = map + PAGE - c->size;
		int r;

		ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
		memcpy(end, &arg, c->size);
		r = vt_ioctl(self->fd, c->nr, end);
		EXPECT_EQ(expected(c, &self->info), r) TH_LOG("%s at the end", c->name);
		memcpy(&arg, end, c->size);
		close_exported(c, &arg, r);

		ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
		memcpy(end + 1, &arg, c->size - 1);
		EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, c->nr, end + 1))
			TH_LOG("%s, one byte too far", c->name);
	}
	munmap(map, 2 * PAGE);
}

TEST_F(dev, bad_addresses)
{
	const __u64 bad[] = { 0, 1, PAGE - 1, 1ULL << 47, ~0ULL - 3, ~0ULL };
	const struct ioctl_case *c;
	unsigned int i;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, c->nr,
						      (void *)(uintptr_t)bad[i]))
				TH_LOG("%s at %llx", c->name, (unsigned long long)bad[i]);
		}
	}
}

/* A result that cannot be written back creates nothing. */
TEST_F(dev, read_only_arguments)
{
	static const struct ioctl_case creating[] = {
		CASE(CONTEXT_CREATE, vacc_context_create),
		CASE(BUFFER_CREATE, vacc_buffer_create),
		CASE(PROGRAM_LOAD, vacc_program_load),
		CASE(QUEUE_CREATE, vacc_queue_create),
	};
	struct vacc_stats before, after;
	unsigned int i;
	union arg arg;
	char *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	for (i = 0; i < ARRAY_SIZE(creating); i++) {
		const struct ioctl_case *c = &creating[i];

		ASSERT_OK(prepare(self->fd, self->context, self->queue, c, &arg));
		ASSERT_EQ(0, mprotect(map, PAGE, PROT_READ | PROT_WRITE));
		memcpy(map, &arg, c->size);
		ASSERT_EQ(0, mprotect(map, PAGE, PROT_READ));
		ASSERT_OK(vt_get_stats(self->fd, &before));
		EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, c->nr, map))
			TH_LOG("%s", c->name);
		ASSERT_OK(vt_get_stats(self->fd, &after));
		EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
		EXPECT_EQ(before.live_bytes, after.live_bytes);
	}
	munmap(map, PAGE);
}

/* Arrays: a stride too small, elements that are longer and not zero, wild addresses. */
TEST_F(dev, arrays)
{
	const struct ioctl_case submit = CASE(SUBMIT, vacc_submit);
	const struct ioctl_case wait = CASE(EVENT_WAIT, vacc_event_wait);
	const struct ioctl_case write = CASE(BUFFER_WRITE, vacc_buffer_transfer);
	struct { struct vacc_binding b; __u64 more; } longer = {};
	union arg arg;

	ASSERT_OK(prepare(self->fd, self->context, self->queue, &submit, &arg));
	longer.b = binding;
	arg.submit.bindings = (struct vacc_array) { 1, sizeof(longer), VT_PTR(&longer) };
	EXPECT_OK(vt_submit(self->fd, &arg.submit));
	longer.more = 1;
	EXPECT_ERRNO(E2BIG, vt_submit(self->fd, &arg.submit));
	arg.submit.bindings.stride = sizeof(binding) - 1;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &arg.submit));
	arg.submit.bindings.stride = 0;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &arg.submit));
	arg.submit.bindings = (struct vacc_array) { 1, sizeof(binding), 8 };
	EXPECT_ERRNO(EFAULT, vt_submit(self->fd, &arg.submit));
	arg.submit.bindings = (struct vacc_array) { 2, sizeof(binding), ~0ULL - 31 };
	EXPECT_ERRNO(EFAULT, vt_submit(self->fd, &arg.submit));

	ASSERT_OK(prepare(self->fd, self->context, self->queue, &wait, &arg));
	arg.event_wait.events.stride = sizeof(entry) - 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_EVENT_WAIT, &arg));
	arg.event_wait.events = (struct vacc_array) { 1, sizeof(entry), 8 };
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_EVENT_WAIT, &arg));

	ASSERT_OK(prepare(self->fd, self->context, self->queue, &write, &arg));
	arg.transfer.iov.stride = sizeof(iov) - 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_BUFFER_WRITE, &arg));
	arg.transfer.iov = (struct vacc_array) { 1, sizeof(iov), 8 };
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_BUFFER_WRITE, &arg));
}

static bool known(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if ((cases[i].nr & 0xff) == nr)
			return true;
	return nr == (VACC_BUFFER_EXPORT & 0xff) || nr == (VACC_BUFFER_SEAL & 0xff);
}

TEST_F(dev, unknown_numbers)
{
	union arg arg = { .size = sizeof(struct vacc_handle_arg) };
	unsigned int nr, i;

	for (nr = 0; nr < 256; nr++) {
		if (!known(nr)) {
			EXPECT_ERRNO(ENOTTY, vt_ioctl(self->fd, _IO(VACC_IOC_MAGIC, nr), &arg))
				TH_LOG("number %#x", nr);
		}
	}
	/* The whole number counts: its magic, direction and size too. */
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		nr = cases[i].nr & 0xff;
		EXPECT_ERRNO(ENOTTY, vt_ioctl(self->fd, _IO(VACC_IOC_MAGIC + 1, nr), &arg));
		EXPECT_ERRNO(ENOTTY, vt_ioctl(self->fd, _IOWR(VACC_IOC_MAGIC, nr, int), &arg));
		EXPECT_ERRNO(ENOTTY, vt_ioctl(self->fd, cases[i].nr | 1u << 31, &arg));
	}
}

/* 100 000 unknown numbers and as many bad addresses: nothing grows. */
TEST_F(dev, bad_calls_cost_nothing)
{
	unsigned int i, wrong = 0, n = vt_scale(100000);
	struct vacc_stats before, after;
	long slab;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	slab = vt_meminfo("Slab");
	for (i = 0; i < n; i++) {
		const struct ioctl_case *c = &cases[i % ARRAY_SIZE(cases)];

		wrong += vt_ioctl(self->fd, _IO(VACC_IOC_MAGIC, 0x40 + i % 192), NULL) != -ENOTTY;
		wrong += vt_ioctl(self->fd, c->nr, (void *)(uintptr_t)(i % 4096)) != -EFAULT;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_GT(slab + 4096, vt_meminfo("Slab"));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
}

TEST_HARNESS_MAIN
