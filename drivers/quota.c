// SPDX-License-Identifier: GPL-2.0
/*
 * What users may make the kernel hold.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "core.h"

static unsigned long max_total_bytes;
module_param(max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes,
		 "bytes of buffers, programs and attributions of one device (0: a quarter of the memory)");

static uint max_inflight = 16384;
module_param(max_inflight, uint, 0644);
MODULE_PARM_DESC(max_inflight, "pending events of one open file");

static uint max_contexts_per_file;
module_param(max_contexts_per_file, uint, 0644);
MODULE_PARM_DESC(max_contexts_per_file,
		 "contexts of one open file (0: all that the device has)");

/**
 * vacc_quota_total() - quota of bytes of buffers, programs and attributions
 *
 * Context: any.
 * Return: bytes.
 */
u64 vacc_quota_total(void)
{
	unsigned long limit = READ_ONCE(max_total_bytes);

	return limit ? limit : (u64)totalram_pages() * PAGE_SIZE / 4;
}

/**
 * vacc_quota_inflight() - how many pending events a file may have
 *
 * Context: any.
 * Return: at least 1.
 */
u32 vacc_quota_inflight(void)
{
	return clamp_t(u32, READ_ONCE(max_inflight), 1, INT_MAX);
}

/**
 * vacc_quota_contexts() - how many contexts a file may have
 * @dev: the device
 *
 * Context: any.
 * Return: at most the device's limit.
 */
u32 vacc_quota_contexts(const struct vacc_device *dev)
{
	u32 limit = READ_ONCE(max_contexts_per_file);

	return limit ? min(limit, dev->info.max_contexts) :
		       dev->info.max_contexts;
}

static bool vacc_has_zombies(struct vacc_device *dev)
{
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		if (atomic_read(&dev->zombie[kind]))
			return true;
	return false;
}

/**
 * vacc_quota_wait() - take room, waiting for what closed files left
 * @call: the call
 * @room: takes the room and returns true, if there is any
 * @arg: its second argument
 * @text: what to say where there is none
 *
 * Context: process, holding no lock.
 * Return: 0; -ENOSPC where there is no room although nothing is left to be reaped;
 * -EAGAIN where there is, and the file has O_NONBLOCK or it takes longer than a command
 * may; -EINTR when killed; -ENODEV.
 */
int vacc_quota_wait(struct vacc_call *call,
		    bool (*room)(struct vacc_call *call, void *arg), void *arg,
		    const char *text)
{
	struct vacc_device *dev = call->dev;
	bool taken = false;
	long left;

	if (room(call, arg))
		return 0;
	if (call->nonblock && vacc_has_zombies(dev))
		return vacc_fail(call, -EAGAIN, text);
	left = wait_event_killable_timeout(dev->wait,
					   (taken = room(call, arg)) ||
					   vacc_device_dead(dev) ||
					   !vacc_has_zombies(dev),
					   msecs_to_jiffies(dev->info.command_timeout_ms));
	if (taken)
		return 0;
	if (left < 0)
		return -EINTR;
	if (vacc_device_dead(dev))
		return vacc_device_error(dev);
	/* The last leftover may have gone after the last look. */
	if (room(call, arg))
		return 0;
	return vacc_fail(call, left ? -ENOSPC : -EAGAIN, text);
}

static bool vacc_quota_take(struct vacc_call *call, void *arg)
{
	atomic64_t *used = &call->dev->bytes;
	u64 limit = vacc_quota_total();
	u64 bytes = *(u64 *)arg;
	s64 old = atomic64_read(used);

	do {
		if (bytes > limit || old > limit - bytes)
			return false;
	} while (!atomic64_try_cmpxchg(used, &old, old + bytes));
	return true;
}

/**
 * vacc_quota_charge() - charge bytes to the device
 * @call: the call
 * @bytes: how many
 * @text: what to say where they do not fit
 *
 * Context: process, holding no lock.
 * Return: as vacc_quota_wait().
 */
int vacc_quota_charge(struct vacc_call *call, u64 bytes, const char *text)
{
	if (bytes > vacc_quota_total())
		return vacc_fail(call, -ENOSPC, text);
	return vacc_quota_wait(call, vacc_quota_take, &bytes, text);
}

/**
 * vacc_quota_uncharge() - take bytes off the device's account
 * @dev: the device
 * @bytes: how many were charged
 *
 * Context: any.
 */
void vacc_quota_uncharge(struct vacc_device *dev, u64 bytes)
{
	atomic64_sub(bytes, &dev->bytes);
	if (wq_has_sleeper(&dev->wait))
		wake_up_all(&dev->wait);
}
