// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "frontend.h"
#include "log.h"

/* What a message handler says besides 0 and negative errnos. */
#define REPLY	1			/* the message is its own reply now */

#define FEATURES	(VHOST_USER_F_VERSION_1 | VHOST_USER_F_PROTOCOL_FEATURES)

static u64 offered_protocol(const struct frontend *f)
{
	return VHOST_USER_PROTOCOL_REPLY_ACK | VHOST_USER_PROTOCOL_BACKEND_REQ |
	       VHOST_USER_PROTOCOL_CONFIG | VHOST_USER_PROTOCOL_INFLIGHT_SHMFD |
	       VHOST_USER_PROTOCOL_RESET_DEVICE |
	       (f->inband ? VHOST_USER_PROTOCOL_INBAND : 0);
}

static u64 offered_features(struct frontend *f)
{
	u64 features;

	pthread_mutex_lock(&f->device->lock);
	features = FEATURES | f->device->features;
	pthread_mutex_unlock(&f->device->lock);
	return features;
}

static int on_get_features(struct frontend *f, struct message *m)
{
	m->payload.number = offered_features(f);
	m->header.size = sizeof(m->payload.number);
	return REPLY;
}

static int on_set_features(struct frontend *f, struct message *m)
{
	if (m->payload.number & ~offered_features(f))
		return -EINVAL;
	f->features = m->payload.number;
	return frontend_ring_start(f);
}

static int on_get_protocol_features(struct frontend *f, struct message *m)
{
	m->payload.number = offered_protocol(f);
	m->header.size = sizeof(m->payload.number);
	return REPLY;
}

static int on_set_protocol_features(struct frontend *f, struct message *m)
{
	if (m->payload.number & ~offered_protocol(f))
		return -EINVAL;
	f->protocol = m->payload.number;
	return 0;
}

static int on_set_owner(struct frontend *f, struct message *m)
{
	(void)f;
	(void)m;
	return 0;
}

static int on_reset(struct frontend *f, struct message *m)
{
	(void)m;
	serve_stop(f->serve, false);
	f->stopped_at = -1;
	f->base_set = false;
	f->base = 0;
	f->enabled = false;
	frontend_drop_kick(f);
	inflight_close(f->serve->page);
	f->serve->page = NULL;
	device_reset(f->device);
	device_renew(f->device);
	return 0;
}

/* The old table goes when nobody has an address in it any more. */
static int on_set_mem_table(struct frontend *f, struct message *m)
{
	const struct message_memory *wire = &m->payload.memory;
	struct memory *old = f->serve->memory;
	struct memory *new = NULL;
	u32 size = m->header.size;
	int err;

	/* Some always send room for two. */
	if (size < 8 || wire->count > MEMORY_REGIONS ||
	    size < 8 + wire->count * sizeof(wire->regions[0]) ||
	    m->fd_count != wire->count)
		return -EPROTO;
	err = memory_map(wire->regions, m->fds, wire->count, &new);
	if (err)
		return err;
	frontend_ring_stop(f);
	f->serve->memory = new;
	memory_unmap(old);
	device_count(&f->device->counters.tables);
	return frontend_ring_start(f);
}

static int on_set_vring_num(struct frontend *f, struct message *m)
{
	const struct message_state *state = &m->payload.state;

	if (state->index || !is_power_of_2(state->num) || state->num < 2 ||
	    state->num > SERVE_MAX_RING)
		return -EINVAL;
	if (serve_running(f->serve))
		return -EBUSY;
	f->size = state->num;
	return frontend_ring_start(f);
}

static int on_set_vring_addr(struct frontend *f, struct message *m)
{
	/* The only flag is about logging, which is not offered. */
	if (m->payload.addr.index || m->payload.addr.flags)
		return -EINVAL;
	if (serve_running(f->serve))
		return -EBUSY;
	f->addr = m->payload.addr;
	f->has_addr = true;
	return frontend_ring_start(f);
}

static int on_set_vring_base(struct frontend *f, struct message *m)
{
	const struct message_state *state = &m->payload.state;

	if (state->index || state->num > U16_MAX)
		return -EINVAL;
	if (serve_running(f->serve))
		return -EBUSY;
	f->base = state->num;
	f->base_set = true;
	return 0;
}

static int on_get_vring_base(struct frontend *f, struct message *m)
{
	if (m->payload.state.index)
		return -EINVAL;
	frontend_ring_stop(f);
	frontend_drop_kick(f);
	m->payload.state.num = f->base;
	return REPLY;
}

/* A descriptor for the ring, or -1 where there shall be none. */
static int vring_fd(struct message *m, int *fd)
{
	bool none = m->payload.number & VHOST_USER_VRING_NO_FD;

	if (m->payload.number & ~(u64)(VHOST_USER_VRING_INDEX |
				       VHOST_USER_VRING_NO_FD) ||
	    m->fd_count != !none)
		return -EPROTO;
	if (m->payload.number & VHOST_USER_VRING_INDEX)
		return -EINVAL;
	*fd = message_take_fd(m, 0);
	if (*fd >= 0)
		fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
	return 0;
}

static int on_set_vring_kick(struct frontend *f, struct message *m)
{
	int fd, err = vring_fd(m, &fd);

	if (err)
		return err;
	frontend_ring_stop(f);
	frontend_drop_kick(f);
	f->serve->kick = fd;
	f->serve->poll = fd < 0 && !frontend_inband(f);
	f->has_kick = true;
	return frontend_ring_start(f);
}

static int on_set_vring_call(struct frontend *f, struct message *m)
{
	int fd, err = vring_fd(m, &fd);

	if (!err)
		serve_set_call(f->serve, fd);
	return err;
}

static int on_set_vring_err(struct frontend *f, struct message *m)
{
	int fd, err = vring_fd(m, &fd);

	if (!err)
		serve_set_err(f->serve, fd);
	return err;
}

static int on_get_queue_num(struct frontend *f, struct message *m)
{
	(void)f;
	m->payload.number = 1;
	m->header.size = sizeof(m->payload.number);
	return REPLY;
}

static int on_set_vring_enable(struct frontend *f, struct message *m)
{
	const struct message_state *state = &m->payload.state;

	if (state->index || state->num > 1)
		return -EINVAL;
	f->enabled = state->num;
	if (f->enabled)
		return frontend_ring_start(f);
	frontend_ring_stop(f);
	return 0;
}

static int on_set_backend_fd(struct frontend *f, struct message *m)
{
	if (!(f->protocol & VHOST_USER_PROTOCOL_BACKEND_REQ))
		return -EINVAL;
	serve_set_inband(f->serve, -1);
	if (f->backend >= 0)
		close(f->backend);
	f->backend = message_take_fd(m, 0);
	if (frontend_inband(f))
		serve_set_inband(f->serve, f->backend);
	return 0;
}

static int on_get_config(struct frontend *f, struct message *m)
{
	struct message_config *config = &m->payload.config;
	const u32 fixed = offsetof(struct message_config, data);

	if (m->header.size < fixed || config->size > MESSAGE_CONFIG_BYTES ||
	    m->header.size != fixed + config->size)
		return -EPROTO;
	device_read_config(f->device, config->offset, config->data,
			   config->size);
	return REPLY;
}

/* There is nothing that a driver could set. */
static int on_set_config(struct frontend *f, struct message *m)
{
	(void)f;
	(void)m;
	return -EOPNOTSUPP;
}

static bool inflight_size_good(const struct message *m)
{
	return m->header.size == sizeof(m->payload.inflight) ||
	       m->header.size == offsetof(struct message_inflight, padding);
}

static int on_get_inflight(struct frontend *f, struct message *m)
{
	struct message_inflight *wire = &m->payload.inflight;
	struct inflight_page *page;
	int fd;

	if (!inflight_size_good(m) || wire->queues != 1 ||
	    wire->size > INFLIGHT_HEADS || serve_running(f->serve))
		return -EPROTO;
	/* Whoever has the page of before is not meant any more. */
	device_renew(f->device);
	fd = inflight_new(f->device->cookie, &page);
	if (fd < 0)
		return fd;
	inflight_close(f->serve->page);
	f->serve->page = page;
	wire->bytes = INFLIGHT_BYTES;
	wire->offset = 0;
	/* It goes with the reply, and is closed with the message. */
	m->fds[0] = fd;
	m->fd_count = 1;
	return REPLY;
}

static int on_set_inflight(struct frontend *f, struct message *m)
{
	const struct message_inflight *wire = &m->payload.inflight;
	struct inflight_page *page;
	int err;

	if (!inflight_size_good(m))
		return -EPROTO;
	if (serve_running(f->serve))
		return -EBUSY;
	err = inflight_open(m->fds[0], wire->offset, wire->bytes, &page);
	if (err)
		return err;
	inflight_close(f->serve->page);
	f->serve->page = page;
	return 0;
}

static int on_vring_kick(struct frontend *f, struct message *m)
{
	if (m->payload.state.index || !frontend_inband(f))
		return -EINVAL;
	serve_kick(f->serve);
	return 0;
}

/* Of a payload that may have several lengths. */
#define ANY_SIZE	U32_MAX
/* Of descriptors that are counted by who handles them. */
#define ANY_FDS		U32_MAX

#define NUMBER	sizeof(u64)
#define STATE	sizeof(struct message_state)

/**
 * struct handler - who handles a message
 * @name: for people
 * @size: of the payload
 * @fds: descriptors
 * @answers: there is a reply in any case
 * @handle: the handler
 */
static const struct handler {
	const char *name;
	u32 size;
	u32 fds;
	bool answers;
	int (*handle)(struct frontend *f, struct message *m);
} handlers[] = {
	[VHOST_USER_GET_FEATURES] = {
		"GET_FEATURES", 0, 0, true, on_get_features },
	[VHOST_USER_SET_FEATURES] = {
		"SET_FEATURES", NUMBER, 0, false, on_set_features },
	[VHOST_USER_SET_OWNER] = { "SET_OWNER", 0, 0, false, on_set_owner },
	[VHOST_USER_RESET_OWNER] = { "RESET_OWNER", 0, 0, false, on_reset },
	[VHOST_USER_SET_MEM_TABLE] = {
		"SET_MEM_TABLE", ANY_SIZE, ANY_FDS, false, on_set_mem_table },
	[VHOST_USER_SET_VRING_NUM] = {
		"SET_VRING_NUM", STATE, 0, false, on_set_vring_num },
	[VHOST_USER_SET_VRING_ADDR] = {
		"SET_VRING_ADDR", sizeof(struct message_addr), 0, false,
		on_set_vring_addr },
	[VHOST_USER_SET_VRING_BASE] = {
		"SET_VRING_BASE", STATE, 0, false, on_set_vring_base },
	[VHOST_USER_GET_VRING_BASE] = {
		"GET_VRING_BASE", STATE, 0, true, on_get_vring_base },
	[VHOST_USER_SET_VRING_KICK] = {
		"SET_VRING_KICK", NUMBER, ANY_FDS, false, on_set_vring_kick },
	[VHOST_USER_SET_VRING_CALL] = {
		"SET_VRING_CALL", NUMBER, ANY_FDS, false, on_set_vring_call },
	[VHOST_USER_SET_VRING_ERR] = {
		"SET_VRING_ERR", NUMBER, ANY_FDS, false, on_set_vring_err },
	[VHOST_USER_GET_PROTOCOL_FEATURES] = {
		"GET_PROTOCOL_FEATURES", 0, 0, true, on_get_protocol_features },
	[VHOST_USER_SET_PROTOCOL_FEATURES] = {
		"SET_PROTOCOL_FEATURES", NUMBER, 0, false,
		on_set_protocol_features },
	[VHOST_USER_GET_QUEUE_NUM] = {
		"GET_QUEUE_NUM", 0, 0, true, on_get_queue_num },
	[VHOST_USER_SET_VRING_ENABLE] = {
		"SET_VRING_ENABLE", STATE, 0, false, on_set_vring_enable },
	[VHOST_USER_SET_BACKEND_REQ_FD] = {
		"SET_BACKEND_REQ_FD", ANY_SIZE, 1, false, on_set_backend_fd },
	[VHOST_USER_GET_CONFIG] = {
		"GET_CONFIG", ANY_SIZE, 0, true, on_get_config },
	[VHOST_USER_SET_CONFIG] = {
		"SET_CONFIG", ANY_SIZE, 0, false, on_set_config },
	[VHOST_USER_GET_INFLIGHT_FD] = {
		"GET_INFLIGHT_FD", ANY_SIZE, 0, true, on_get_inflight },
	[VHOST_USER_SET_INFLIGHT_FD] = {
		"SET_INFLIGHT_FD", ANY_SIZE, 1, false, on_set_inflight },
	[VHOST_USER_RESET_DEVICE] = { "RESET_DEVICE", 0, 0, false, on_reset },
	[VHOST_USER_VRING_KICK] = {
		"VRING_KICK", STATE, 0, false, on_vring_kick },
};

/* The reply to a message that has been handled, as far as one is expected. */
static int answer(struct frontend *f, struct message *m, int result,
		  bool answers)
{
	bool wanted = (m->header.flags & VHOST_USER_NEED_REPLY) &&
		      (f->protocol & VHOST_USER_PROTOCOL_REPLY_ACK);

	if (result == REPLY) {
		/* The payload is there. */
	} else if (answers) {
		/* A reply without payload is how an error is said. */
		m->header.size = 0;
	} else if (wanted) {
		m->payload.number = result != 0;
		m->header.size = sizeof(m->payload.number);
	} else {
		return 0;
	}
	m->header.flags = VHOST_USER_VERSION | VHOST_USER_REPLY;
	return message_send(f->socket, m, result == REPLY && m->fd_count ?
			    m->fds[0] : -1);
}

/**
 * frontend_message() - handle a message
 * @f: the front end
 * @m: the whole message; its descriptors stay the caller's but for those taken
 *
 * Return: 0, or a negative errno after which the connection is of no use.
 */
int frontend_message(struct frontend *f, struct message *m)
{
	const struct handler *h = NULL;
	u32 request = m->header.request;
	int result = -EPROTO;

	device_count(&f->device->counters.messages);
	if (request < ARRAY_SIZE(handlers) && handlers[request].handle)
		h = &handlers[request];
	if (h && (h->size == ANY_SIZE || h->size == m->header.size) &&
	    (h->fds == ANY_FDS || h->fds == m->fd_count))
		result = h->handle(f, m);
	if (result < 0) {
		device_count(&f->device->counters.refused);
		debug("%s (%u), %u bytes, %u descriptors: %s",
		      h ? h->name : "unknown message", request, m->header.size,
		      m->fd_count, strerror(-result));
	}
	/* What is not of the protocol cannot be told from what comes after it. */
	if (result == -EPROTO)
		return result;
	return answer(f, m, result, h->answers);
}

/**
 * frontend_begin() - a front end has come
 * @frontend: receives it
 * @device: what it connects to
 * @serve: what serves its ring
 * @socket: the connection, ours from now on
 * @inband: offer notifications by messages
 */
void frontend_begin(struct frontend *frontend, struct device *device,
		    struct serve *serve, int socket, bool inband)
{
	memset(frontend, 0, sizeof(*frontend));
	frontend->device = device;
	frontend->serve = serve;
	frontend->socket = socket;
	frontend->inband = inband;
	frontend->backend = -1;
	frontend->stopped_at = -1;
	device_count(&device->counters.connections);
}

/**
 * frontend_end() - a front end goes
 * @frontend: it
 * @finish: what was taken off its ring is answered first
 *
 * All objects of its driver go, too.
 */
void frontend_end(struct frontend *frontend, bool finish)
{
	struct serve *serve = frontend->serve;

	serve_stop(serve, finish);
	frontend_drop_kick(frontend);
	serve_set_call(serve, -1);
	serve_set_err(serve, -1);
	serve_set_inband(serve, -1);
	if (frontend->backend >= 0)
		close(frontend->backend);
	memory_unmap(serve->memory);
	serve->memory = NULL;
	inflight_close(serve->page);
	serve->page = NULL;
	device_reset(frontend->device);
	device_renew(frontend->device);
	message_end(&frontend->message);
	close(frontend->socket);
}

/**
 * frontend_receive() - read what the front end has sent, and do it
 * @frontend: it
 *
 * Return: 0, or a negative errno: it has gone, or has to.
 */
int frontend_receive(struct frontend *frontend)
{
	struct message *message = &frontend->message;
	int err = message_receive(frontend->socket, message);

	if (err < 0 || !err)
		return err;
	err = frontend_message(frontend, message);
	message_end(message);
	return err;
}
