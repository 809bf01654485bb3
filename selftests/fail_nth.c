// SPDX-License-Identifier: GPL-2.0
/*
 * Calls in which one allocation or user copy fails: the first, the second, and so on
 * until there is none left that could.  What has failed has left nothing, what has
 * succeeded is there, and the device goes on.
 */
#include <dirent.h>
#include <sys/mman.h>
#include "fail.h"
#include "gate.h"
#include "vacc_test.h"

#define BYTES		8192
#define LARGE		0x100000
#define SEGMENTS	30
#define MOST		3000	/* more places than any sequence has */

/* A file, what is in it by the results of the calls, and what was submitted. */
struct state {
	struct _test_data_dev *self;
	int fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
	__u64 deadline;		/* taken before, as reading the clock may fail too */
	struct vacc_object_counts made;
	unsigned int submitted, records;
	void *artifact;		/* of a product of two matrices */
	size_t artifact_bytes;
	unsigned char *memory;	/* LARGE, and a page */
	struct vacc_iov *iov;
};

static int prepare_nothing(struct state *s)
{
	s->fd = -1;
	return 0;
}

static int prepare_file(struct state *s)
{
	s->fd = vt_open_node(s->self->node);
	return s->fd < 0 ? s->fd : 0;
}

static int prepare_work(struct state *s)
{
	int r = prepare_file(s);

	r = r ?: vt_context(s->fd, &s->context) ?: vt_queue(s->fd, s->context, &s->queue) ?:
	    vt_buffer(s->fd, s->context, LARGE, VT_USAGE_ALL, &s->buffer) ?:
	    vt_load_fill(s->fd, s->context, 0x5a, &s->fill);
	s->made = (struct vacc_object_counts) {
		.contexts = 1, .queues = 1, .buffers = 1, .programs = 1,
	};
	s->bind = vt_bind(s->buffer, 0, VT_WRITE, 0, BYTES);
	return r;
}

/* The C library takes its memory before any fails: the calls are about the device. */
static int prepare_artifact(struct state *s)
{
	struct vt_batch *b = calloc(1, sizeof(*b));
	int r = prepare_work(s);

	vt_batch_slot(b, 0, VT_READ, BYTES);
	vt_batch_slot(b, 1, VT_READ, BYTES);
	vt_batch_slot(b, 2, VT_WRITE, BYTES);
	vt_batch_launch(b, 0, 1, 2, 64, 64, 64);
	vt_batch_linear(b, 0, 1);
	s->artifact = vt_batch_encode(b, &s->artifact_bytes);
	free(b);
	return r;
}

static int load_artifact(struct state *s, __u32 *program)
{
	struct vacc_program_load load = vt_batch_load_desc(s->context, s->artifact,
							   s->artifact_bytes);
	int r = vt_program_load(s->fd, &load);

	*program = load.handle;
	s->made.programs += !r;
	return r;
}

static int calls_open(struct state *s)
{
	struct vacc_get_info info;
	struct vacc_stats stats;
	int r;

	r = prepare_file(s);
	return r ?: vt_get_info(s->fd, &info) ?: vt_get_stats(s->fd, &stats);
}

/* A buffer that was destroyed cannot be mapped any more. */
static int map_and_destroy(struct state *s, struct vacc_buffer_create *desc)
{
	void *map;
	int r;

	if (desc->mmap_offset) {
		map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, s->fd, desc->mmap_offset);
		if (map == MAP_FAILED)
			return -errno;
		munmap(map, BYTES);
	}
	r = vt_handle(s->fd, VACC_BUFFER_DESTROY, desc->handle);
	if (r)
		return r;
	s->made.buffers--;
	if (!desc->mmap_offset)
		return 0;
	map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, s->fd, desc->mmap_offset);
	return map == MAP_FAILED ? 0 : -EILSEQ;
}

static int calls_objects(struct state *s)
{
	struct vacc_buffer_query buffer_query;
	struct vacc_queue_query queue_query;
	struct vacc_buffer_create desc;
	__u32 context, queue, program;
	int r;

	r = vt_context(s->fd, &context);
	if (r)
		return r;
	s->made.contexts++;
	r = vt_queue(s->fd, context, &queue);
	if (r)
		return r;
	s->made.queues++;
	/* Two pages in a row, or two alone, and one for which there is nothing smaller. */
	desc = vt_buffer_desc(context, BYTES + 4096, VT_USAGE_ALL);
	r = vt_buffer_create(s->fd, &desc);
	if (r)
		return r;
	s->made.buffers++;
	r = vt_load_fill(s->fd, context, 1, &program);
	if (r)
		return r;
	s->made.programs++;
	r = vt_buffer_query(s->fd, desc.handle, &buffer_query) ?:
	    vt_queue_query(s->fd, queue, &queue_query) ?:
	    vt_queue_sync(s->fd, queue, 0, NULL) ?: map_and_destroy(s, &desc) ?:
	    vt_handle(s->fd, VACC_PROGRAM_UNLOAD, program);
	if (r)
		return r;
	s->made.programs--;
	r = vt_handle(s->fd, VACC_QUEUE_DESTROY, queue);
	if (r)
		return r;
	s->made.queues--;
	r = vt_handle(s->fd, VACC_CONTEXT_DESTROY, context);
	s->made.contexts -= !r;
	return r;
}

static int calls_programs(struct state *s)
{
	struct vacc_program_slot slots[4];
	struct vacc_program_query query;
	__u32 program;
	int r;

	r = load_artifact(s, &program) ?:
	    vt_program_query(s->fd, program, &query, slots, ARRAY_SIZE(slots));
	if (r)
		return r;
	r = vt_handle(s->fd, VACC_PROGRAM_UNLOAD, program);
	s->made.programs -= !r;
	return r;
}

/* Copied, in pieces, and pinned. */
static int calls_transfers(struct state *s)
{
	unsigned char *m = s->memory;
	const __u32 lengths[] = { 64, 8193, LARGE };
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		m[0] = 0x30 + i;
		m[lengths[i] - 1] = 0x40 + i;
		r = vt_write(s->fd, s->buffer, 0, m, lengths[i]);
		m[0] = 0;
		m[lengths[i] - 1] = 0;
		r = r ?: vt_read(s->fd, s->buffer, 0, m, lengths[i]);
		if (r)
			return r;
		if (m[0] != 0x30 + i || m[lengths[i] - 1] != 0x40 + i)
			return -EILSEQ;
	}
	return vt_transfer(s->fd, VACC_BUFFER_WRITE, s->buffer, 0, 0, s->iov, SEGMENTS) ?:
	       vt_transfer(s->fd, VACC_BUFFER_READ, s->buffer, 0, 0, s->iov, SEGMENTS);
}

static int submit(struct state *s, struct vacc_submit *submit)
{
	int r = vt_submit(s->fd, submit);

	s->submitted += !r;
	s->records += !r && (submit->flags & VACC_SUBMIT_RECORD);
	return r;
}

/* 0 once it has completed. */
static int complete(struct state *s, __u32 event)
{
	struct vacc_wait_entry entry = { .handle = event };
	int r;

	r = vt_event_waits(s->fd, 0, &entry, 1, s->deadline, NULL);
	return r ?: entry.state == VACC_EVENT_COMPLETE ? 0 : -EILSEQ;
}

/* One at a time: plain, waited for, with a record that is read. */
static int calls_submissions(struct state *s)
{
	struct vacc_submit plain = vt_submit_desc(s->queue, s->fill, &s->bind, 1);
	struct vacc_submit wait = plain, record = plain;
	struct vacc_event_query query;
	struct vacc_record got;
	int r;

	wait.flags = VACC_SUBMIT_WAIT | VACC_SUBMIT_AUTO_DESTROY;
	wait.deadline_ns = s->deadline;
	record.flags = VACC_SUBMIT_RECORD | VACC_SUBMIT_AUTO_DESTROY;
	r = submit(s, &plain) ?:
	    complete(s, plain.event) ?:
	    vt_event_query(s->fd, plain.event, &query) ?:
	    vt_handle(s->fd, VACC_EVENT_DESTROY, plain.event) ?: submit(s, &wait) ?:
	    submit(s, &record);
	if (r)
		return r;
	r = vt_read_records(s->fd, &got, 1);
	if (r != 1)
		return r < 0 ? r : -EILSEQ;
	s->records--;
	return got.state == VACC_EVENT_COMPLETE ? 0 : -EILSEQ;
}

static int calls_many(struct state *s)
{
	struct vacc_submit submits[4];
	__u32 done;
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(submits); i++) {
		submits[i] = vt_submit_desc(s->queue, s->fill, &s->bind, 1);
		submits[i].flags = VACC_SUBMIT_RECORD | VACC_SUBMIT_AUTO_DESTROY;
	}
	r = vt_submit_many(s->fd, submits, ARRAY_SIZE(submits), &done);
	if (r)
		return r;
	s->submitted += done;
	s->records += done;
	return done ? 0 : -EILSEQ;
}

/* Events and sync_files to wait for, and to be waited for. */
static int submit_fenced(struct state *s, __u32 *event)
{
	struct vacc_submit first = vt_submit_desc(s->queue, s->fill, &s->bind, 1);
	struct vacc_submit second = first;
	struct vacc_in_fence fences[2];
	int r;

	first.flags = VACC_SUBMIT_OUT_FENCE;
	r = submit(s, &first);
	if (r)
		return r;
	fences[0] = vt_in_fence(VACC_FENCE_SYNC_FILE, first.out_fence_fd);
	fences[1] = vt_in_fence(VACC_FENCE_EVENT, first.event);
	second.in_fences = (struct vacc_array) { 2, sizeof(fences[0]), VT_PTR(fences) };
	r = submit(s, &second);
	close(first.out_fence_fd);
	*event = second.event;
	return r;
}

static int calls_fences(struct state *s)
{
	__u32 event;
	int r, fence;

	if (!(s->self->info.features & VACC_FEATURE_SYNC_FILE))
		return calls_submissions(s);
	r = submit_fenced(s, &event);
	if (r)
		return r;
	fence = vt_export(s->fd, event);
	if (fence < 0)
		return fence;
	r = complete(s, event);
	close(fence);
	return r;
}

/* Work that needs memory of its own: the output lies over the input. */
static int calls_scratch(struct state *s)
{
	struct vacc_binding binds[3] = {
		vt_bind(s->buffer, 0, VT_READ, 0, BYTES),
		vt_bind(s->buffer, 1, VT_READ, 4 * BYTES, BYTES),
		vt_bind(s->buffer, 2, VT_WRITE, 64, BYTES),
	};
	struct vacc_submit submission;
	__u32 program;
	int r = load_artifact(s, &program);

	if (r)
		return r;
	submission = vt_submit_desc(s->queue, program, binds, 3);
	submission.flags = VACC_SUBMIT_WAIT;
	submission.deadline_ns = s->deadline;
	return submit(s, &submission) ?: complete(s, submission.event);
}

static unsigned int open_files(void)
{
	unsigned int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int make_memory(struct state *s)
{
	unsigned int i;

	s->memory = mmap(NULL, LARGE + 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	s->iov = calloc(SEGMENTS, sizeof(*s->iov));
	if (s->memory == MAP_FAILED || !s->iov)
		return -ENOMEM;
	for (i = 0; i < SEGMENTS; i++)
		s->iov[i] = (struct vacc_iov) { VT_PTR(s->memory + 3000 * i), 1 + i };
	return 0;
}

static void free_memory(struct state *s)
{
	munmap(s->memory, LARGE + 4096);
	free(s->iov);
}

/* Reads what is left: each submission that wanted a record has left one. */
static unsigned int left_records(struct state *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct vacc_record records[8];
	unsigned int n = 0;
	int r;

	while (n < s->records && poll(&p, 1, 5000) == 1) {
		r = vt_read_records(s->fd, records, ARRAY_SIZE(records));
		if (r <= 0)
			break;
		n += r;
	}
	return n;
}

/* The file is as the results of the calls say, and useful. */
static void check_file(struct __test_metadata *_metadata, struct state *s,
		       const struct vacc_stats *before)
{
	struct vacc_queue_query q;
	struct vacc_stats now;

	ASSERT_OK(vt_get_stats(s->fd, &now));
	EXPECT_EQ(before->live.contexts + s->made.contexts, now.live.contexts);
	EXPECT_EQ(before->live.buffers + s->made.buffers, now.live.buffers);
	EXPECT_EQ(before->live.programs + s->made.programs, now.live.programs);
	EXPECT_EQ(before->live.queues + s->made.queues, now.live.queues);
	if (!s->queue)
		return;
	EXPECT_EQ(s->records, left_records(s));
	EXPECT_OK(vt_queue_sync(s->fd, s->queue, vt_deadline(VT_PATIENCE_MS), NULL));
	ASSERT_OK(vt_queue_query(s->fd, s->queue, &q));
	EXPECT_EQ(s->submitted, q.submitted);
	EXPECT_EQ(s->submitted, q.completed);
	EXPECT_OK(vt_run(s->fd, s->queue, s->fill, &s->bind, 1));
}

/* Once for each place that can fail, and once more without a failure. */
static void each_failure(struct __test_metadata *_metadata, struct _test_data_dev *self,
			 int (*prepare)(struct state *s), int (*calls)(struct state *s))
{
	unsigned int nth, files = open_files(), no_memory = 0, faults = 0;
	struct vacc_stats before, after;
	struct vacc_last_error last = {};
	struct state kept = {};
	bool struck = true;
	int r;

	if (vt_fail_init())
		SKIP(return, "this kernel injects no faults");
	files = open_files();
	ASSERT_OK(make_memory(&kept));
	ASSERT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (nth = 1; struck; nth++) {
		struct state s = { .self = self, .memory = kept.memory, .iov = kept.iov };

		ASSERT_GT(MOST, nth);
		s.deadline = vt_deadline(VT_PATIENCE_MS);
		ASSERT_OK(prepare(&s));
		ASSERT_OK(vt_fail_arm(nth));
		r = calls(&s);
		struck = vt_fail_disarm();
		EXPECT_TRUE(!r || (struck && (r == -ENOMEM || r == -EFAULT)))
			TH_LOG("%u: %d", nth, r);
		no_memory += r == -ENOMEM;
		faults += r == -EFAULT;
		if (s.fd >= 0) {
			vt_last_error(s.fd, &last);
			check_file(_metadata, &s, &before);
			close(s.fd);
		}
		free(s.artifact);
		ASSERT_OK(vt_settle(self->fd, &before)) TH_LOG("%u: %d", nth, r);
		ASSERT_EQ(files, open_files()) TH_LOG("%u: %d", nth, r);
		if (!_metadata->exit_code)
			continue;
		TH_LOG("at place %u, result %d: %s", nth, r, last.text);
		break;
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(after.submitted, after.completed + after.failed + after.cancelled);
	TH_LOG("%u places: %u without memory, %u faults", nth - 2, no_memory, faults);
	/* That there are places says that faults are injected at all. */
	EXPECT_LT(0, no_memory);
	EXPECT_LT(0, faults);
	free_memory(&kept);
}

TEST_F_TIMEOUT(dev, open, 900)
{
	each_failure(_metadata, self, prepare_nothing, calls_open);
}

TEST_F_TIMEOUT(dev, objects, 900)
{
	each_failure(_metadata, self, prepare_file, calls_objects);
}

#define LARGEST_ORDER	9

/* Memory as it should be, in a buffer that is as good as any. */
static void check_pages(struct __test_metadata *_metadata, int fd,
			const struct vacc_buffer_create *desc)
{
	unsigned char *map;
	__u64 i;

	EXPECT_EQ(1, vt_all(fd, desc->handle, 0, 0, desc->bytes));
	ASSERT_OK(vt_set(fd, desc->handle, 0, 0x4b, desc->bytes));
	EXPECT_EQ(1, vt_all(fd, desc->handle, 0, 0x4b, desc->bytes));
	if (!desc->mmap_offset)
		return;
	map = mmap(NULL, desc->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, desc->mmap_offset);
	ASSERT_NE(MAP_FAILED, (void *)map);
	for (i = 0; i < desc->bytes; i += 4096) {
		ASSERT_EQ(0x4b, map[i]);
		map[i + 4095] = i >> 12;
	}
	munmap(map, desc->bytes);
	for (i = 0; i < desc->bytes; i += 64 * 4096) {
		ASSERT_EQ(1, vt_all(fd, desc->handle, i + 4095, (i >> 12) & 0xff, 1));
	}
}

/* Large pages that are not there: each order in turn is the largest that is. */
TEST_F(dev, large_pages)
{
	const __u64 bytes = (4 << 20) + 3 * 4096;
	struct vacc_stats before;
	unsigned int order;
	int r, failures;

	if (vt_fail_init())
		SKIP(return, "this kernel injects no faults");
	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (order = LARGEST_ORDER; order; order--) {
		struct vacc_buffer_create desc = vt_buffer_desc(self->context, bytes, VT_USAGE_ALL);

		ASSERT_OK(vt_fail_large(order));
		r = vt_buffer_create(self->fd, &desc);
		failures = vt_fail_large_end();
		ASSERT_OK(r) TH_LOG("order %u", order);
		TH_LOG("order %u and above: failed %d times", order, failures);
		/* Each is asked for once: what is not there is not there for the next piece. */
		if (desc.mmap_offset) {
			EXPECT_LE(LARGEST_ORDER + 1 - order, failures);
			EXPECT_GE(LARGEST_ORDER + 1 - order + 4, failures);
		}
		check_pages(_metadata, self->fd, &desc);
		ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, desc.handle));
		ASSERT_OK(vt_settle(self->fd, &before));
	}
}

TEST_F_TIMEOUT(dev, programs, 900)
{
	each_failure(_metadata, self, prepare_artifact, calls_programs);
}

TEST_F_TIMEOUT(dev, transfers, 900)
{
	each_failure(_metadata, self, prepare_work, calls_transfers);
}

TEST_F_TIMEOUT(dev, submissions, 900)
{
	each_failure(_metadata, self, prepare_work, calls_submissions);
}

TEST_F_TIMEOUT(dev, many, 900)
{
	each_failure(_metadata, self, prepare_work, calls_many);
}

TEST_F_TIMEOUT(dev, fences, 900)
{
	each_failure(_metadata, self, prepare_work, calls_fences);
}

TEST_F_TIMEOUT(dev, scratch, 900)
{
	each_failure(_metadata, self, prepare_artifact, calls_scratch);
}

/* How many nodes there are, also for a moment without one in /dev. */
static unsigned int count_entries(const char *path, const char *begin)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned int n = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += !strncmp(entry->d_name, begin, strlen(begin));
	closedir(dir);
	return n;
}

static unsigned int nodes(void)
{
	return count_entries("/sys/class/misc", "virtio-accel");
}

static unsigned int bound(void)
{
	return count_entries("/sys/bus/virtio/drivers/virtio_accel", "virtio");
}

static unsigned int on_the_bus(void)
{
	return count_entries("/sys/bus/virtio/devices", "virtio");
}

/* Writes to a file that was opened before; whether one has failed. */
static int armed_write(int file, const char *text, unsigned int nth, bool *struck)
{
	ssize_t n;
	int r;

	lseek(file, 0, SEEK_SET);
	r = vt_fail_arm(nth);
	if (r)
		return r;
	n = write(file, text, strlen(text));
	r = n < 0 ? -errno : 0;
	*struck = vt_fail_disarm();
	return r;
}

/* The node that is there besides the first does its work. */
static int second_works(int above, int *node)
{
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
	int fd = -ENOENT, r;

	for (*node = above + 1; fd < 0 && *node < above + 4; ++*node)
		fd = vt_open_node(*node);
	--*node;
	if (fd < 0)
		return fd;
	r = vt_context(fd, &context) ?: vt_queue(fd, context, &queue) ?:
	    vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer) ?:
	    vt_load_fill(fd, context, 1, &fill);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	r = r ?: vt_run(fd, queue, fill, &bind, 1);
	close(fd);
	return r;
}

/* A device without a node has no number of its own. */
static int remove_device(int node)
{
	return vt_control(-1, "remove", "%u", node);
}

/* A device that is added: there is a node exactly where all of it has succeeded. */
TEST_F_TIMEOUT(dev, add, 900)
{
	unsigned int nth, failed = 0, n = nodes(), b = bound(), v = on_the_bus();
	int refs = vt_module_refs("virtio_accel"), file, node, r;
	bool virtio = !strcmp(vt_backend(), "loopback"), struck = true;

	if (!strcmp(vt_backend(), "vaccd"))
		SKIP(return, "the daemon's devices are always on the bus");
	if (vt_fail_init())
		SKIP(return, "this kernel injects no faults");
	file = open("/sys/kernel/debug/virtio_accel_mock/add", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	for (nth = 1; struck; nth++) {
		ASSERT_GT(MOST, nth);
		r = armed_write(file, "1", nth, &struck);
		failed += r != 0;
		EXPECT_TRUE(!r || (struck && (r == -ENOMEM || r == -EFAULT)))
			TH_LOG("%u: %d", nth, r);
		if (virtio) {
			/* What has no driver is a device still. */
			ASSERT_EQ(v + !r, on_the_bus()) TH_LOG("%u: %d", nth, r);
			ASSERT_EQ(nodes() - n, bound() - b) TH_LOG("%u: %d", nth, r);
		} else {
			ASSERT_EQ(n + !r, nodes()) TH_LOG("%u: %d", nth, r);
		}
		if (r)
			continue;
		node = -1;
		if (nodes() > n) {
			r = second_works(self->node, &node);
			/* The kernel may have failed to make its node in /dev. */
			EXPECT_TRUE(!r || (struck && r == -ENOENT)) TH_LOG("%u: %d", nth, r);
			node = r ? self->node + 1 : node;
		}
		failed += node < 0;
		ASSERT_OK(remove_device(node)) TH_LOG("%u", nth);
		ASSERT_EQ(n, nodes());
	}
	close(file);
	TH_LOG("%u places, %u failures", nth - 2, failed);
	EXPECT_LT(10, failed);
	EXPECT_EQ(v, on_the_bus());
	EXPECT_EQ(refs, vt_module_refs("virtio_accel"));
}

/* The driver of a virtio device: it is bound exactly where there is a node. */
TEST_F_TIMEOUT(dev, probe, 900)
{
	unsigned int nth, failed = 0, n = nodes(), b = bound();
	int refs = vt_module_refs("virtio_accel"), file, node, seen, r;
	bool struck = true;
	char vdev[32];

	if (!strcmp(vt_backend(), "direct"))
		SKIP(return, "there is no virtio device that could be probed");
	if (!strcmp(vt_backend(), "vaccd"))
		SKIP(return, "virtio_uml's own failures leave its device unusable");
	if (vt_fail_init())
		SKIP(return, "this kernel injects no faults");
	node = vt_mock_add();
	ASSERT_LE(0, node);
	ASSERT_OK(vt_virtio_name(node, vdev, sizeof(vdev)));
	file = open("/sys/bus/virtio/drivers/virtio_accel/bind", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	for (nth = 1; struck; nth++) {
		ASSERT_GT(MOST, nth);
		ASSERT_OK(vt_driver_off(vdev));
		ASSERT_EQ(n, nodes());
		r = armed_write(file, vdev, nth, &struck);
		failed += r != 0;
		EXPECT_TRUE(!r || struck) TH_LOG("%u: %d", nth, r);
		ASSERT_EQ(n + !r, nodes()) TH_LOG("%u: %d", nth, r);
		ASSERT_EQ(b + !r, bound()) TH_LOG("%u: %d", nth, r);
		if (r) {
			ASSERT_OK(vt_driver_on(vdev)) TH_LOG("%u: %d", nth, r);
		}
		r = second_works(self->node, &seen);
		EXPECT_TRUE(!r || (struck && r == -ENOENT)) TH_LOG("%u: %d", nth, r);
	}
	close(file);
	TH_LOG("%u places, %u failures", nth - 2, failed);
	EXPECT_LT(10, failed);
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_EQ(refs, vt_module_refs("virtio_accel"));
}

TEST_HARNESS_MAIN
