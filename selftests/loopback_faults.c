// SPDX-License-Identifier: GPL-2.0
/*
 * Row M14: every method of the engine fails once in each way, and afterwards nothing
 * is left over and nothing was released twice.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "gate.h"
#include "hostile.h"

#define FAULT(...)	ASSERT_OK(vt_control(self->node, "faults", __VA_ARGS__))

/* What a call gives for a method: 0 or -errno. */
static int call(const struct bad_file *f, const char *method, __u32 *handle)
{
	struct vacc_wait_entry entry;
	__u32 *h = handle;
	int r;

	if (!strcmp(method, "context_create"))
		return vt_context(f->fd, h);
	if (!strcmp(method, "context_destroy"))
		return vt_handle(f->fd, VACC_CONTEXT_DESTROY, *h);
	if (!strcmp(method, "buffer_create"))
		return vt_buffer(f->fd, f->context, 64, VT_USAGE_ALL, h);
	if (!strcmp(method, "buffer_destroy"))
		return vt_handle(f->fd, VACC_BUFFER_DESTROY, *h);
	if (!strcmp(method, "buffer_write"))
		return vt_set(f->fd, f->buffer, 0, 0x33, 64);
	if (!strcmp(method, "buffer_read"))
		return vt_read(f->fd, f->buffer, 0, &entry, 1);
	if (!strcmp(method, "program_load"))
		return vt_load_fill(f->fd, f->context, 1, h);
	if (!strcmp(method, "program_unload"))
		return vt_handle(f->fd, VACC_PROGRAM_UNLOAD, *h);
	if (!strcmp(method, "queue_create"))
		return vt_queue(f->fd, f->context, h);
	if (!strcmp(method, "queue_destroy"))
		return vt_handle(f->fd, VACC_QUEUE_DESTROY, *h);
	if (!strcmp(method, "submit")) {
		r = bad_start(f, h);
		return r ?: vt_event_wait(f->fd, *h, VT_PATIENCE_MS, NULL);
	}
	return -ENOTTY;
}

static int clean(int node)
{
	return bad_number(node, "audit", "double_release ") ||
	       bad_number(node, "audit", "use_after_release ") ||
	       bad_number(node, "audit", "parent_before_child ") ? -EILSEQ : 0;
}

/* An error before anything was done, or after it, of what does not release. */
TEST_F(bad, m14_calls)
{
	static const char * const methods[] = {
		"context_create", "buffer_create", "buffer_write", "buffer_read",
		"program_load", "queue_create", "submit",
	};
	static const char * const kinds[] = { "before", "after" };
	unsigned int i, j;
	__u32 handle;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		for (j = 0; j < ARRAY_SIZE(kinds); j++) {
			long long live = bad_number(self->node, "audit", "buffers created=");

			/* What was submitted and failed after it is another test's. */
			if (!strcmp(methods[i], "submit") && j)
				break;
			FAULT("%s %s status=%u", methods[i], kinds[j],
			      VIRTIO_ACCEL_S_OUT_OF_MEMORY);
			EXPECT_ERRNO(ENOMEM, call(&self->f, methods[i], &handle))
				TH_LOG("%s %s", methods[i], kinds[j]);
			EXPECT_OK(call(&self->f, methods[i], &handle))
				TH_LOG("%s %s", methods[i], kinds[j]);
			EXPECT_LE(live, bad_number(self->node, "audit", "buffers created="));
			EXPECT_OK(clean(self->node));
		}
	}
	EXPECT_OK(bad_works(&self->f));
}

/* A release that is refused: the object lives, and can be released later. */
TEST_F(bad, m14_rejected_releases)
{
	static const char * const methods[][2] = {
		{ "context_create", "context_destroy" }, { "buffer_create", "buffer_destroy" },
		{ "program_load", "program_unload" }, { "queue_create", "queue_destroy" },
	};
	static const char * const kinds[] = { "before", "reject" };
	unsigned int i, j;
	__u32 handle;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		for (j = 0; j < ARRAY_SIZE(kinds); j++) {
			ASSERT_OK(call(&self->f, methods[i][0], &handle));
			FAULT("%s %s status=%u", methods[i][1], kinds[j], VIRTIO_ACCEL_S_BUSY);
			EXPECT_ERRNO(EBUSY, call(&self->f, methods[i][1], &handle))
				TH_LOG("%s %s", methods[i][1], kinds[j]);
			EXPECT_OK(call(&self->f, methods[i][1], &handle));
			EXPECT_ERRNO(ENOENT, call(&self->f, methods[i][1], &handle));
			EXPECT_OK(clean(self->node));
		}
	}
	EXPECT_OK(bad_works(&self->f));
}

/* A release of which nobody knows: the handle is gone, and the device is reset. */
TEST_F(bad, m14_indeterminate_releases)
{
	static const char * const methods[][2] = {
		{ "context_create", "context_destroy" }, { "buffer_create", "buffer_destroy" },
		{ "program_load", "program_unload" }, { "queue_create", "queue_destroy" },
	};
	static const char * const kinds[] = { "after", "indeterminate" };
	unsigned int i, j, tries;
	__u32 handle;
	int r;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		for (j = 0; j < ARRAY_SIZE(kinds); j++) {
			ASSERT_OK(call(&self->f, methods[i][0], &handle));
			FAULT("%s %s", methods[i][1], kinds[j]);
			r = call(&self->f, methods[i][1], &handle);
			EXPECT_TRUE(r == -EREMOTEIO || r == -EIO)
				TH_LOG("%s %s: %d", methods[i][1], kinds[j], r);
			for (tries = 0; tries < 500; tries++) {
				r = call(&self->f, methods[i][0], &handle);
				if (r)
					break;
				vt_sleep_ms(10);
			}
			EXPECT_EQ(-EIO, r) TH_LOG("%s %s", methods[i][1], kinds[j]);
			close(self->f.fd);
			bad_reset(self->vdev);
			ASSERT_OK(bad_back(self->node));
			ASSERT_OK(bad_open(self->node, &self->f));
			EXPECT_EQ(0, bad_number(self->node, "audit", "quarantined "));
			EXPECT_OK(clean(self->node));
		}
	}
}

/* One that waited is the device's to refuse then: so its event ends. */
TEST_F(bad, m14_late_refusals)
{
	static const __u32 reasons[] = {
		VIRTIO_ACCEL_S_OUT_OF_MEMORY, VIRTIO_ACCEL_S_RESOURCE_LIMIT,
		VIRTIO_ACCEL_S_BUSY,
	};
	struct vacc_wait_entry entry;
	struct vacc_in_fence fence;
	struct vacc_submit s;
	__u32 queue, gate, next;
	unsigned int i;

	ASSERT_OK(vt_queue(self->f.fd, self->f.context, &queue));
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		ASSERT_OK(vt_control(self->node, "hold", "1"));
		ASSERT_OK(vt_start(self->f.fd, queue, self->f.fill, &self->f.bind, 1, &gate));
		fence = vt_in_fence(VACC_FENCE_EVENT, gate);
		s = vt_submit_desc(self->f.queue, self->f.fill, &self->f.bind, 1);
		s.in_fences = (struct vacc_array) { 1, sizeof(fence), VT_PTR(&fence) };
		ASSERT_OK(vt_submit(self->f.fd, &s));
		EXPECT_EQ(VACC_ACCEPTED, s.admission);
		ASSERT_OK(bad_start(&self->f, &next));
		FAULT("submit before status=%u", reasons[i]);
		vt_release_all(self->node);
		ASSERT_OK(vt_event_wait(self->f.fd, s.event, VT_PATIENCE_MS, &entry));
		EXPECT_EQ(VACC_EVENT_FAILED, entry.state);
		EXPECT_EQ(reasons[i], entry.status);
		EXPECT_EQ(VACC_EVENT_QUIESCENT, entry.event_flags);
		ASSERT_OK(vt_event_wait(self->f.fd, next, VT_PATIENCE_MS, &entry));
		EXPECT_EQ(VACC_EVENT_COMPLETE, entry.state);
		EXPECT_OK(clean(self->node));
	}
	EXPECT_OK(bad_works(&self->f));
}

/* A submission of which nobody knows has an event, that tells. */
TEST_F(bad, m14_indeterminate_submission)
{
	static const char * const kinds[] = { "after", "indeterminate" };
	struct vacc_wait_entry entry;
	struct vacc_submit s;
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		FAULT("submit %s status=%u", kinds[i], VIRTIO_ACCEL_S_INTERNAL_ERROR);
		s = vt_submit_desc(self->f.queue, self->f.fill, &self->f.bind, 1);
		r = vt_submit(self->f.fd, &s);
		EXPECT_TRUE(r == 0 || r == -EREMOTEIO);
		if (!r) {
			EXPECT_EQ(VACC_INDETERMINATE, s.admission);
			EXPECT_OK(vt_event_wait(self->f.fd, s.event, VT_PATIENCE_MS, &entry));
			EXPECT_NE(VACC_EVENT_PENDING, entry.state);
		}
		EXPECT_OK(clean(self->node));
	}
}

/* Events: polls and cancellations that fail, and ends that a script decides. */
TEST_F(bad, m14_events)
{
	struct vacc_wait_entry entry;
	unsigned int state;
	__u32 event;

	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(bad_start(&self->f, &event));
	FAULT("event_cancel before status=%u", VIRTIO_ACCEL_S_BUSY);
	EXPECT_ERRNO(EBUSY, vt_handle(self->f.fd, VACC_EVENT_CANCEL, event));
	EXPECT_OK(vt_handle(self->f.fd, VACC_EVENT_CANCEL, event));
	for (state = VIRTIO_ACCEL_EVENT_COMPLETE; state <= VIRTIO_ACCEL_EVENT_CANCELLED; state++) {
		FAULT("event_poll state state=%u status=%u", state, VIRTIO_ACCEL_S_OUT_OF_MEMORY);
		ASSERT_OK(bad_start(&self->f, &event));
		ASSERT_OK(vt_event_wait(self->f.fd, event, VT_PATIENCE_MS, &entry));
		EXPECT_EQ(state, entry.state);
		EXPECT_EQ(state == VIRTIO_ACCEL_EVENT_FAILED ? VIRTIO_ACCEL_S_OUT_OF_MEMORY : 0,
			  entry.status);
		EXPECT_OK(vt_handle(self->f.fd, VACC_EVENT_DESTROY, event));
		EXPECT_OK(clean(self->node));
	}
	vt_release_all(self->node);
	EXPECT_OK(bad_works(&self->f));
}

/* After all of it, and a close, the device has nothing left. */
TEST_F(bad, m14_nothing_left)
{
	static const char * const kinds[] = {
		"contexts", "buffers", "programs", "queues", "events",
	};
	char text[64];
	unsigned int i, tries;

	EXPECT_OK(bad_works(&self->f));
	close(self->f.fd);
	self->f.fd = -1;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		char audit[4096], *at = NULL;

		snprintf(text, sizeof(text), "%s created=", kinds[i]);
		for (tries = 0; tries < 500; tries++) {
			ASSERT_LT(0, vt_control_read(self->node, "audit", audit, sizeof(audit)));
			at = strstr(audit, text);
			ASSERT_NE(NULL, at);
			at = strstr(at, "live=");
			ASSERT_NE(NULL, at);
			if (atoi(at + 5) == 0)
				break;
			vt_sleep_ms(10);
		}
		EXPECT_EQ(0, atoi(at + 5)) TH_LOG("%s", kinds[i]);
	}
	EXPECT_OK(clean(self->node));
	EXPECT_EQ(0, bad_number(self->node, "audit", "buffer_memory "));
	EXPECT_EQ(0, bad_number(self->node, "audit", "program_memory "));
}

/* What it costs: a large write is one notification and one interrupt. */
TEST_F(bad, kicks)
{
	unsigned int kib;
	__u32 buffer, event;
	long long kicks, interrupts;

	ASSERT_OK(vt_buffer(self->f.fd, self->f.context, 1 << 20, VT_USAGE_ALL, &buffer));
	for (kib = 64; kib <= 512; kib *= 2) {
		kicks = bad_number(self->node, "ring", "kicks ");
		interrupts = bad_number(self->node, "ring", "interrupts ");
		ASSERT_OK(vt_set(self->f.fd, buffer, 0, 0x77, kib << 10));
		EXPECT_EQ(kicks + 1, bad_number(self->node, "ring", "kicks "))
			TH_LOG("%u KiB", kib);
		EXPECT_EQ(interrupts + 1, bad_number(self->node, "ring", "interrupts "));
	}
	/* Nothing to do costs nothing, and what nobody waits for little. */
	kicks = bad_number(self->node, "ring", "kicks ");
	vt_sleep_ms(300);
	EXPECT_EQ(kicks, bad_number(self->node, "ring", "kicks "));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(bad_start(&self->f, &event));
	vt_sleep_ms(300);
	kicks = bad_number(self->node, "ring", "kicks ");
	vt_sleep_ms(500);
	EXPECT_GE(kicks + 200, bad_number(self->node, "ring", "kicks "));
	vt_release_all(self->node);
}

/* Of a ring of 256, four are for others, and two for the frame's own bytes. */
#define PAGES_A_FRAME	250
/* What is pinned at a time. */
#define PAGES_PINNED	4095

/* As often as the ring is full, where each page takes a descriptor. */
static unsigned int ring_fulls(unsigned int pages)
{
	unsigned int n = 0, part;

	for (; pages; pages -= part) {
		part = pages < PAGES_PINNED ? pages : PAGES_PINNED;
		n += (part + PAGES_A_FRAME - 1) / PAGES_A_FRAME;
	}
	return n;
}

/* Memory backwards: no page lies behind the one before it. */
static unsigned char *scattered_memory(unsigned int pages)
{
	int fd = memfd_create("scattered", MFD_CLOEXEC);
	unsigned char page[4096], *map;
	unsigned int i;

	map = mmap(NULL, pages * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || map == MAP_FAILED)
		return NULL;
	for (i = 0; i < pages; i++) {
		memset(page, i % 251, sizeof(page));
		if (pwrite(fd, page, sizeof(page), i * 4096ul) != sizeof(page) ||
		    mmap(map + (pages - 1 - i) * 4096ul, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, i * 4096ul) == MAP_FAILED)
			return NULL;
	}
	close(fd);
	return map;
}

/*
 * A write is one notification and one interrupt for all that the ring holds, and so is a
 * read.  Where pages are neighbours, that is more than here.
 */
TEST_F(bad, kicks_of_ring_fulls)
{
	const unsigned int table[] = { 16, 128, 250, 251, 500, 4095, 5120 }, most = 5120;
	unsigned char *memory = scattered_memory(most), *back = malloc(most * 4096ul);
	long long taken, kicks, interrupts;
	unsigned int i, fulls;
	__u32 buffer;
	bool write;

	ASSERT_TRUE(memory && back);
	ASSERT_OK(vt_buffer(self->f.fd, self->f.context, most * 4096ul, VT_USAGE_ALL, &buffer));
	for (i = 0; i < 2 * ARRAY_SIZE(table); i++) {
		unsigned int pages = table[i / 2];

		write = i % 2 == 0;
		fulls = ring_fulls(pages);
		taken = bad_number(self->node, "ring", "taken ");
		kicks = bad_number(self->node, "ring", "kicks ");
		interrupts = bad_number(self->node, "ring", "interrupts ");
		if (write) {
			ASSERT_OK(vt_write(self->f.fd, buffer, 0, memory, pages * 4096ul));
		} else {
			ASSERT_OK(vt_read(self->f.fd, buffer, 0, memory, pages * 4096ul));
		}
		taken = bad_number(self->node, "ring", "taken ") - taken;
		kicks = bad_number(self->node, "ring", "kicks ") - kicks;
		interrupts = bad_number(self->node, "ring", "interrupts ") - interrupts;
		EXPECT_TRUE(taken >= 1 && taken <= fulls);
		EXPECT_TRUE(kicks >= 1 && kicks <= fulls);
		EXPECT_TRUE(interrupts >= 1 && interrupts <= fulls);
		TH_LOG("%s, %u pages, %u ring-fulls: %lld frames, %lld kicks, %lld interrupts",
		       write ? "write" : "read", pages, fulls, taken, kicks, interrupts);
	}
	ASSERT_OK(vt_read(self->f.fd, buffer, 0, back, most * 4096ul));
	for (i = 0; i < most; i++) {
		ASSERT_EQ((most - 1 - i) % 251, back[i * 4096ul]);
		ASSERT_EQ((most - 1 - i) % 251, back[i * 4096ul + 4095]);
	}
	munmap(memory, most * 4096ul);
	free(back);
}

TEST_HARNESS_MAIN
