// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log.h"
#include "message.h"
#include "serve.h"

/* Chains that are taken before the driver hears of what was answered. */
#define SERVE_BUDGET	64

/* A driver that waits hears of answers no later than this. */
#define SERVE_DELAY_NS	1000000

/* How often a ring is looked at whose driver cannot notify. */
#define SERVE_POLL_MS	1

static void *serve_map(void *owner, u64 addr, u32 *bytes)
{
	struct serve *serve = owner;

	return memory_guest(serve->memory, addr, bytes);
}

static const struct eng_ring_ops serve_ring_ops = {
	.map = serve_map,
};

static struct serve_chain *serve_take(struct serve *serve,
				      struct list_head *from)
{
	struct serve_chain *chain = NULL;

	pthread_mutex_lock(&serve->lock);
	if (!list_empty(from)) {
		chain = list_first_entry(from, struct serve_chain, node);
		list_del_init(&chain->node);
	}
	pthread_mutex_unlock(&serve->lock);
	return chain;
}

static void serve_give(struct serve *serve, struct serve_chain *chain,
		       struct list_head *to)
{
	pthread_mutex_lock(&serve->lock);
	list_add_tail(&chain->node, to);
	if (to == &serve->objects)
		pthread_cond_broadcast(&serve->changed);
	pthread_mutex_unlock(&serve->lock);
}

/*
 * Where there is no room, an interrupt is under way already.  Waits for nobody but a front
 * end that has made its own file wait and fills it at this moment.
 */
static void serve_signal(int fd, bool socket)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	const u64 one = 1;

	if (fd < 0)
		return;
	if (socket) {
		if (send(fd, &one, sizeof(one), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			return;
	} else if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT)) {
		if (write(fd, &one, sizeof(one)) < 0)
			return;
	}
}

static void serve_interrupt(struct serve *serve)
{
	if (!eng_ring_interrupt(&serve->ring))
		return;
	pthread_mutex_lock(&serve->lock);
	serve->counters.interrupts++;
	if (serve->call < 0 && serve->inband >= 0)
		message_send_call(serve->inband);
	else
		serve_signal(serve->call, serve->call_socket);
	pthread_mutex_unlock(&serve->lock);
}

static void serve_handle(struct serve *serve, struct serve_chain *chain)
{
	u32 used = eng_port_handle(serve->port, chain->chain);

	pthread_mutex_lock(&serve->push);
	/* What was read may be zeros that never were the driver's. */
	if (!memory_lost())
		inflight_push(serve->page, &serve->ring, chain->chain, used);
	pthread_mutex_unlock(&serve->push);
	serve_give(serve, chain, &serve->idle);
}

static enum eng_pop serve_fetch_one(struct serve *serve)
{
	struct serve_chain *chain = serve_take(serve, &serve->idle);
	enum eng_pop pop;

	/* There are as many as the ring lets be under way. */
	if (!chain)
		return ENG_POP_BROKEN;
	pop = eng_ring_pop(&serve->ring, chain->chain);
	if (pop != ENG_POP_CHAIN) {
		serve_give(serve, chain, &serve->idle);
		return pop;
	}
	inflight_taken(serve->page, chain->chain->head);
	if (eng_port_open(serve->port, chain->chain) == ENG_LANE_EVENT)
		serve_handle(serve, chain);
	else
		serve_give(serve, chain, &serve->objects);
	return pop;
}

static void serve_break(struct serve *serve)
{
	pthread_mutex_lock(&serve->lock);
	if (!serve->broken)
		say("the driver has made its ring meaningless");
	serve->broken = true;
	serve_signal(serve->err, false);
	pthread_mutex_unlock(&serve->lock);
	eng_port_lose(serve->port);
}

/* Whether there is more. */
static bool serve_fetch(struct serve *serve)
{
	enum eng_pop pop = ENG_POP_CHAIN;
	u32 budget = SERVE_BUDGET;

	if (serve->broken || memory_lost())
		return false;
	eng_ring_quiet(&serve->ring);
	while (budget-- && pop == ENG_POP_CHAIN) {
		pop = serve_fetch_one(serve);
		if (pop == ENG_POP_EMPTY && eng_ring_rest(&serve->ring)) {
			eng_ring_quiet(&serve->ring);
			pop = ENG_POP_CHAIN;
		}
	}
	serve_interrupt(serve);
	if (pop == ENG_POP_BROKEN && !memory_lost())
		serve_break(serve);
	return pop == ENG_POP_CHAIN;
}

/*
 * Never waits, though the front end has the same file and may change its flags, or read
 * first: it says so in each call where the file knows that.
 */
static ssize_t serve_read_now(int fd, void *to, size_t bytes)
{
	struct iovec iov = { .iov_base = to, .iov_len = bytes };
	ssize_t n = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);

	if (n >= 0 || errno != EOPNOTSUPP)
		return n;
	n = recv(fd, to, bytes, MSG_DONTWAIT);
	if (n >= 0 || errno != ENOTSOCK)
		return n;
	return read(fd, to, bytes);
}

/* Until there may be something to do. */
static void serve_sleep(struct serve *serve)
{
	struct pollfd fds[2] = {
		{ .fd = serve->wake, .events = POLLIN },
		{ .fd = serve->kick, .events = POLLIN },
	};
	ssize_t n;
	u64 count;

	if (serve->broken || memory_lost())
		fds[1].fd = -1;
	if (poll(fds, 2, serve->poll && !serve->broken ? SERVE_POLL_MS : -1) < 0)
		return;
	if (fds[0].revents && read(serve->wake, &count, sizeof(count)) < 0)
		debug("wake: %s", strerror(errno));
	if (!fds[1].revents)
		return;
	/* Anything may be behind it; what does not notify is asked no more. */
	n = serve_read_now(serve->kick, &count, sizeof(count));
	if (n > 0) {
		pthread_mutex_lock(&serve->lock);
		serve->counters.kicks++;
		pthread_mutex_unlock(&serve->lock);
	} else if (!n || errno != EAGAIN || (fds[1].revents & ~POLLIN)) {
		debug("the driver's notifications have ended");
		close(serve->kick);
		serve->kick = -1;
	}
}

static void *serve_fetcher(void *arg)
{
	struct serve *serve = arg;

	pthread_mutex_lock(&serve->lock);
	while (!serve->quit) {
		if (!serve->fetch) {
			pthread_cond_wait(&serve->changed, &serve->lock);
			continue;
		}
		serve->fetching = true;
		pthread_mutex_unlock(&serve->lock);
		if (!serve_fetch(serve))
			serve_sleep(serve);
		pthread_mutex_lock(&serve->lock);
		serve->fetching = false;
		pthread_cond_broadcast(&serve->changed);
	}
	pthread_mutex_unlock(&serve->lock);
	return NULL;
}

static bool serve_wanted(struct serve *serve)
{
	bool wanted;

	pthread_mutex_lock(&serve->lock);
	wanted = serve->handle;
	pthread_mutex_unlock(&serve->lock);
	return wanted;
}

static void serve_objects(struct serve *serve)
{
	struct serve_chain *chain;
	u64 told = eng_now_ns();

	while (serve_wanted(serve) &&
	       (chain = serve_take(serve, &serve->objects))) {
		serve_handle(serve, chain);
		if (eng_now_ns() - told < SERVE_DELAY_NS)
			continue;
		serve_interrupt(serve);
		told = eng_now_ns();
	}
	serve_interrupt(serve);
}

static void *serve_objector(void *arg)
{
	struct serve *serve = arg;

	pthread_mutex_lock(&serve->lock);
	while (!serve->quit) {
		if (!serve->handle || list_empty(&serve->objects)) {
			pthread_cond_wait(&serve->changed, &serve->lock);
			continue;
		}
		serve->handling = true;
		pthread_mutex_unlock(&serve->lock);
		serve_objects(serve);
		pthread_mutex_lock(&serve->lock);
		serve->handling = false;
		pthread_cond_broadcast(&serve->changed);
	}
	pthread_mutex_unlock(&serve->lock);
	return NULL;
}

static void serve_wake(struct serve *serve)
{
	const u64 one = 1;

	if (write(serve->wake, &one, sizeof(one)) < 0)
		debug("wake: %s", strerror(errno));
}

/**
 * serve_init() - make the threads
 * @serve: receives them
 * @port: who handles requests
 *
 * Return: 0 or a negative errno.
 */
int serve_init(struct serve *serve, struct eng_port *port)
{
	static void *(*const run[])(void *) = { serve_fetcher, serve_objector };
	u32 i;

	memset(serve, 0, sizeof(*serve));
	serve->port = port;
	serve->kick = -1;
	serve->call = -1;
	serve->inband = -1;
	serve->err = -1;
	INIT_LIST_HEAD(&serve->idle);
	INIT_LIST_HEAD(&serve->objects);
	pthread_mutex_init(&serve->push, NULL);
	pthread_mutex_init(&serve->lock, NULL);
	pthread_cond_init(&serve->changed, NULL);
	eng_hostile_init(&serve->hostile);
	eng_ring_init(&serve->ring);
	serve->ring.hostile = &serve->hostile;
	serve->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (serve->wake < 0)
		return -errno;
	for (i = 0; i < ARRAY_SIZE(run); i++) {
		if (pthread_create(&serve->threads[i], NULL, run[i], serve))
			return -EAGAIN;
	}
	return 0;
}

/**
 * serve_fini() - end the threads
 * @serve: which does not serve
 */
void serve_fini(struct serve *serve)
{
	u32 i;

	pthread_mutex_lock(&serve->lock);
	serve->quit = true;
	pthread_cond_broadcast(&serve->changed);
	pthread_mutex_unlock(&serve->lock);
	for (i = 0; i < ARRAY_SIZE(serve->threads); i++)
		pthread_join(serve->threads[i], NULL);
	close(serve->wake);
	eng_ring_fini(&serve->ring);
	eng_hostile_fini(&serve->hostile);
	pthread_cond_destroy(&serve->changed);
	pthread_mutex_destroy(&serve->lock);
	pthread_mutex_destroy(&serve->push);
}

static void serve_free_chains(struct serve *serve)
{
	INIT_LIST_HEAD(&serve->idle);
	INIT_LIST_HEAD(&serve->objects);
	while (serve->chain_count)
		eng_chain_free(serve->chains[--serve->chain_count].chain);
	free(serve->chains);
	serve->chains = NULL;
}

static int serve_alloc_chains(struct serve *serve, u16 size)
{
	const u32 max_chain = eng_port_config(serve->port)->max_chain;
	const u32 segs = max_chain + ENG_CHAIN_SEGS - VIRTIO_ACCEL_MAX_CHAIN;
	/* One to look with, and one that each thread has just returned. */
	const u32 count = size + 3;
	struct serve_chain *chain;

	serve->chains = calloc(count, sizeof(*chain));
	if (!serve->chains)
		return -ENOMEM;
	for (chain = serve->chains; chain < serve->chains + count; chain++) {
		chain->chain = eng_chain_alloc(segs);
		if (!chain->chain) {
			serve_free_chains(serve);
			return -ENOMEM;
		}
		serve->chain_count++;
		list_add_tail(&chain->node, &serve->idle);
	}
	return 0;
}

/* Chains that the process before us took come back without an answer. */
static u16 serve_recover(struct serve *serve, const struct serve_ring *where)
{
	u16 used_idx = serve->ring.next_used;
	u16 heads[SERVE_MAX_RING];
	u32 count, i;

	count = inflight_recover(serve->page, used_idx, where->size, heads);
	for (i = 0; i < count; i++) {
		struct eng_chain chain = {
			.head = heads[i],
			.era = serve->ring.era,
		};

		inflight_push(serve->page, &serve->ring, &chain, 0);
	}
	memset(serve->page->out, 0, sizeof(serve->page->out));
	if (count)
		say("%u requests were lost", count);
	return used_idx + count;
}

/**
 * serve_start() - begin to serve a ring
 * @serve: which does not serve; memory, page and descriptors are set
 * @where: the ring, which is where it should be
 *
 * Return: 0 or a negative errno.
 */
int serve_start(struct serve *serve, const struct serve_ring *where)
{
	struct eng_ring_config config = {
		.desc = where->desc,
		.avail = where->avail,
		.used = where->used,
		.size = where->size,
		.next_avail = where->next_avail,
		.max_chain = eng_port_config(serve->port)->max_chain,
		.ops = &serve_ring_ops,
		.owner = serve,
	};
	int err = serve_alloc_chains(serve, where->size);

	if (err)
		return err;
	if (eng_ring_start(&serve->ring, &config)) {
		serve_free_chains(serve);
		return -EINVAL;
	}
	if (serve->page && where->goes_on)
		serve->ring.next_avail = serve_recover(serve, where);
	pthread_mutex_lock(&serve->lock);
	serve->broken = false;
	serve->fetch = true;
	serve->handle = true;
	pthread_cond_broadcast(&serve->changed);
	pthread_mutex_unlock(&serve->lock);
	return 0;
}

/**
 * serve_stop() - do not touch the guest's memory any more
 * @serve: to be stopped twice does no harm
 * @finish: what was taken is answered first
 *
 * Return: where to go on.
 */
u16 serve_stop(struct serve *serve, bool finish)
{
	pthread_mutex_lock(&serve->lock);
	if (!serve->handle) {
		pthread_mutex_unlock(&serve->lock);
		return serve->ring.next_avail;
	}
	serve->fetch = false;
	serve_wake(serve);
	while (serve->fetching)
		pthread_cond_wait(&serve->changed, &serve->lock);
	while (finish && (serve->handling || !list_empty(&serve->objects)))
		pthread_cond_wait(&serve->changed, &serve->lock);
	serve->handle = false;
	while (serve->handling)
		pthread_cond_wait(&serve->changed, &serve->lock);
	pthread_mutex_unlock(&serve->lock);

	eng_ring_stop(&serve->ring);
	serve_free_chains(serve);
	return serve->ring.next_avail;
}

/**
 * serve_running() - whether a ring is served
 * @serve: what may serve it
 *
 * Return: whether it is, though it may be broken.
 */
bool serve_running(struct serve *serve)
{
	return serve_wanted(serve);
}

/**
 * serve_kick() - there may be something on the ring
 * @serve: what may serve it
 */
void serve_kick(struct serve *serve)
{
	pthread_mutex_lock(&serve->lock);
	serve->counters.kicks++;
	pthread_mutex_unlock(&serve->lock);
	serve_wake(serve);
}

/**
 * serve_set_call() - change how the driver is interrupted
 * @serve: what interrupts
 * @fd: ours from now on, or -1
 *
 * An interrupt may have been lost meanwhile: there is one in any case.
 */
void serve_set_call(struct serve *serve, int fd)
{
	struct stat stat;

	pthread_mutex_lock(&serve->lock);
	if (serve->call >= 0)
		close(serve->call);
	serve->call = fd;
	serve->call_socket = fd >= 0 && !fstat(fd, &stat) &&
			     S_ISSOCK(stat.st_mode);
	if (serve->handle)
		serve_signal(fd, serve->call_socket);
	pthread_mutex_unlock(&serve->lock);
}

/**
 * serve_set_inband() - change where messages that interrupt go
 * @serve: what interrupts
 * @fd: stays the caller's, or -1
 */
void serve_set_inband(struct serve *serve, int fd)
{
	pthread_mutex_lock(&serve->lock);
	serve->inband = fd;
	pthread_mutex_unlock(&serve->lock);
}

/**
 * serve_set_err() - change where the front end hears of a broken ring
 * @serve: what tells
 * @fd: ours from now on, or -1
 */
void serve_set_err(struct serve *serve, int fd)
{
	pthread_mutex_lock(&serve->lock);
	if (serve->err >= 0)
		close(serve->err);
	serve->err = fd;
	pthread_mutex_unlock(&serve->lock);
}

/**
 * serve_flush() - return what hostility has held back
 * @serve: what may serve a ring
 */
void serve_flush(struct serve *serve)
{
	pthread_mutex_lock(&serve->push);
	eng_ring_push_held(&serve->ring);
	pthread_mutex_unlock(&serve->push);
	serve_interrupt(serve);
}

/**
 * serve_counters() - what went over the ring
 * @serve: what serves it
 * @counters: one consistent picture
 */
void serve_counters(struct serve *serve, struct serve_counters *counters)
{
	pthread_mutex_lock(&serve->lock);
	*counters = serve->counters;
	pthread_mutex_unlock(&serve->lock);
}
