// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rings that are used as they should be.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "vring.h"

TEST(ring_simple)
{
	struct rig rig;
	struct vring *v;
	u32 i;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 8, 8);
	RULE("ring: a request and its answer");
	/* Long enough for both indices to wrap. */
	for (i = 0; i < 70000; i++) {
		vring_clear(v);
		vring_expect_alive(v);
	}
	EXPECT_EQ(v->interrupts, 70000);
	vring_free(v);
	rig_free(&rig);
}

TEST(ring_batches)
{
	u32 i, id, len, count;
	struct rig rig;
	struct vring *v;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 64, 64);
	RULE("ring: one interrupt for a batch");
	for (i = 0; i < 32; i++) {
		vring_info(v, 2 * i);
		vring_offer(v, 2 * i);
	}
	EXPECT_EQ(vring_process(v, 0), ENG_RING_INTERRUPT);
	EXPECT_EQ(v->interrupts, 1);
	for (count = 0; vring_collect(v, &id, &len); count++)
		EXPECT(id == 2 * count && len == 92);
	EXPECT_EQ(count, 32);

	RULE("ring: a budget is kept, and more is announced");
	vring_clear(v);
	for (i = 0; i < 10; i++) {
		vring_info(v, 2 * i);
		vring_offer(v, 2 * i);
	}
	EXPECT_EQ(vring_process(v, 4), ENG_RING_MORE | ENG_RING_INTERRUPT);
	EXPECT_EQ(le16_to_cpu(v->used->flags), ENG_USED_NO_NOTIFY);
	EXPECT_EQ(vring_process(v, 6), ENG_RING_MORE | ENG_RING_INTERRUPT);
	EXPECT_EQ(vring_process(v, 1), 0);
	for (count = 0; vring_collect(v, &id, &len); count++)
		;
	EXPECT_EQ(count, 10);

	RULE("ring: notifications are wanted when there is nothing to do");
	EXPECT_EQ(le16_to_cpu(v->used->flags), 0);
	EXPECT(!eng_ring_rest(&v->ring));
	vring_info(v, 0);
	vring_offer(v, 0);
	EXPECT(eng_ring_rest(&v->ring));
	vring_process(v, 0);

	RULE("ring: a driver that wants no interrupts gets none");
	v->avail->flags = cpu_to_le16(ENG_AVAIL_NO_INTERRUPT);
	vring_info(v, 0);
	vring_offer(v, 0);
	EXPECT_EQ(vring_process(v, 0), 0);
	vring_free(v);
	rig_free(&rig);
}

/* A WRITE_BUFFER over @readable one-byte-and-a-rest descriptors from 0 on. */
static void offer_write(struct vring *v, u64 buffer, u32 readable, u32 bytes,
			u32 writable)
{
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(VIRTIO_ACCEL_OP_WRITE_BUFFER),
		.payload_bytes = cpu_to_le32(24 + bytes),
		.request_id = cpu_to_le64(v->rig->next_request++),
	};
	struct virtio_accel_transfer transfer = {
		.buffer = cpu_to_le64(buffer),
		.bytes = cpu_to_le64(bytes),
	};
	u32 total = 40 + bytes, at = 0, i;
	u64 request = vring_alloc(v, total);
	u64 response = vring_alloc(v, 16);
	u8 *memory = vring_at(v, request);

	memcpy(memory, &header, 16);
	memcpy(memory + 16, &transfer, 24);
	for (i = 0; i < bytes; i++)
		memory[40 + i] = i * 7;
	for (i = 0; i < readable; i++) {
		u32 len = i + 1 < readable ? 1 : total - at;

		vring_desc(v, i, request + at, len, NEXT, i + 1);
		at += len;
	}
	for (i = 0; i < writable; i++)
		vring_desc(v, readable + i, response + i,
			   i + 1 < writable ? 1 : 16 - i,
			   i + 1 < writable ? WRITE | NEXT : WRITE,
			   readable + i + 1);
	vring_offer(v, 0);
}

static void expect_written(struct vring *v, u64 buffer, u32 bytes)
{
	static u8 data[4096];
	u32 i, id, len, wrong = 0;

	vring_process(v, 0);
	EXPECT(vring_collect(v, &id, &len));
	EXPECT_EQ(id, 0);
	EXPECT_EQ(len, 16);
	EXPECT_EQ(rig_read(v->rig, buffer, 0, data, bytes), OK);
	for (i = 0; i < bytes; i++)
		wrong += data[i] != (u8)(i * 7);
	EXPECT_EQ(wrong, 0);
}

TEST(ring_chains)
{
	struct rig rig;
	struct vring *v;
	u32 i, id, len;
	u64 buffer;

	rig_make(&rig, NULL);
	buffer = rig_buffer(&rig, 4096, USAGE_ALL);
	v = vring_make(&rig, 512, 256);

	RULE("ring: header split over one-byte descriptors");
	offer_write(v, buffer, 60, 100, 16);
	expect_written(v, buffer, 100);
	vring_clear(v);
	vring_expect_alive(v);

	RULE("ring: a chain of exactly the maximum");
	vring_clear(v);
	offer_write(v, buffer, 240, 1000, 16);
	expect_written(v, buffer, 1000);

	RULE("ring: a chain of one descriptor more than the maximum");
	vring_clear(v);
	offer_write(v, buffer, 241, 4000, 16);
	vring_process(v, 0);
	EXPECT(vring_collect(v, &id, &len));
	EXPECT_EQ(id, 0);
	EXPECT_EQ(len, 0);
	vring_expect_alive(v);
	vring_free(v);

	/* A chain of the whole of a small ring. */
	v = vring_make(&rig, 16, 256);
	offer_write(v, buffer, 12, 77, 4);
	expect_written(v, buffer, 77);
	vring_free(v);

	RULE("ring: memory that is not contiguous for the device");
	v = vring_make(&rig, 16, 16);
	for (i = 1; i < 100; i += 7) {
		NOTE("pieces of %u", i);
		v->piece = 16 + i;
		vring_clear(v);
		offer_write(v, buffer, 3, 900 + i, 2);
		expect_written(v, buffer, 900 + i);
	}
	/* More pieces than can be. */
	v->piece = 1;
	vring_clear(v);
	offer_write(v, buffer, 3, 900, 2);
	vring_process(v, 0);
	EXPECT(vring_collect(v, &id, &len));
	EXPECT_EQ(len, 0);
	v->piece = 0;
	vring_expect_alive(v);
	vring_free(v);
	rig_free(&rig);
}

TEST(ring_stop)
{
	struct eng_chain *chain = eng_chain_alloc(ENG_CHAIN_SEGS);
	struct rig rig;
	struct vring *v;
	u32 id, len;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 8, 8);
	RULE("ring: nothing is returned after a stop, or into the next start");
	vring_info(v, 0);
	vring_offer(v, 0);
	EXPECT_EQ(eng_ring_pop(&v->ring, chain), ENG_POP_CHAIN);
	eng_ring_stop(&v->ring);
	eng_ring_push(&v->ring, chain, 92);
	EXPECT(!vring_collect(v, &id, &len));
	EXPECT(!eng_ring_interrupt(&v->ring));
	vring_restart(v, 8);
	eng_ring_push(&v->ring, chain, 92);
	EXPECT(!vring_collect(v, &id, &len));
	vring_expect_alive(v);

	vring_free(v);
	eng_chain_free(chain);
	rig_free(&rig);
}

TEST(ring_configs)
{
	u64 *memory = aligned_alloc(16, 64 * sizeof(*memory));
	struct eng_ring_config good = {
		.desc = memory,
		.avail = memory + 32,
		.used = memory + 40,
		.size = 8,
		.max_chain = 8,
	};
	struct eng_ring_config bad;
	struct eng_ring ring;

	REQUIRE(memory);
	memset(memory, 0, 64 * sizeof(*memory));
	eng_ring_init(&ring);
#define REFUSED_RING(change)						\
	do {								\
		bad = good;						\
		bad.change;						\
		EXPECT_EQ(eng_ring_start(&ring, &bad), INVALID);	\
	} while (0)
	REFUSED_RING(size = 0);
	REFUSED_RING(size = 7);
	REFUSED_RING(size = 65535);
	REFUSED_RING(max_chain = 1);
	REFUSED_RING(desc = NULL);
	REFUSED_RING(desc = memory + 1);
	REFUSED_RING(avail = NULL);
	REFUSED_RING(avail = (u8 *)memory + 257);
	REFUSED_RING(used = NULL);
	REFUSED_RING(used = (u8 *)memory + 322);
	EXPECT_EQ(eng_ring_start(&ring, &good), OK);
	eng_ring_stop(&ring);
	eng_ring_fini(&ring);
	free(memory);
}

/* Two threads with notifications and interrupts, none of which may be lost. */

#define PINGS	20000

static sem_t kick, interrupt;
static struct eng_atomic finished;

static bool wait_for(sem_t *sem)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	while (sem_timedwait(sem, &until)) {
		if (errno != EINTR)
			return false;
	}
	return true;
}

static void *ring_device(void *arg)
{
	struct vring *v = arg;

	while (wait_for(&kick) && !eng_atomic_get(&finished)) {
		u32 what;

		do {
			what = eng_ring_process(&v->ring, v->rig->port,
						v->chain, 3);
			if (what & ENG_RING_INTERRUPT)
				sem_post(&interrupt);
		} while (what & ENG_RING_MORE);
	}
	return NULL;
}

static void ring_driver_wait(struct vring *v, u32 *seen)
{
	u32 id, len;

	for (;;) {
		eng_store_once(v->avail->flags,
			       cpu_to_le16(ENG_AVAIL_NO_INTERRUPT));
		if (vring_collect(v, &id, &len)) {
			(*seen)++;
			EXPECT_EQ(len, 92);
			return;
		}
		eng_store_once(v->avail->flags, cpu_to_le16(0));
		eng_full_barrier();
		if (le16_to_cpu(eng_load_acquire(v->used->idx)) != v->collected)
			continue;
		if (!wait_for(&interrupt)) {
			EXPECT(!"an interrupt was lost");
			return;
		}
	}
}

TEST(ring_threads)
{
	u32 sent = 0, seen = 0, in_flight;
	pthread_t thread;
	struct rig rig;
	struct vring *v;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 16, 16);
	sem_init(&kick, 0, 0);
	sem_init(&interrupt, 0, 0);
	eng_atomic_set(&finished, 0);
	RULE("ring: no notification and no interrupt is lost");
	EXPECT(!pthread_create(&thread, NULL, ring_device, v));
	while (seen < PINGS) {
		in_flight = 1 + sent % 8;
		while (sent - seen < in_flight && sent < PINGS) {
			if (!(sent % 8))
				vring_clear(v);
			vring_info(v, 2 * (sent % 8));
			vring_offer(v, 2 * (sent++ % 8));
			eng_full_barrier();
			if (!(le16_to_cpu(eng_load_once(v->used->flags)) &
			      ENG_USED_NO_NOTIFY))
				sem_post(&kick);
		}
		ring_driver_wait(v, &seen);
	}
	eng_atomic_set(&finished, 1);
	sem_post(&kick);
	pthread_join(thread, NULL);
	EXPECT_EQ(seen, PINGS);
	vring_free(v);
	rig_free(&rig);
}
