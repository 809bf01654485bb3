// SPDX-License-Identifier: GPL-2.0
/*
 * What a submission waits for.
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "submit.h"

/* More than this many fences inside composite ones are refused. */
#define VACC_MAX_UNWRAPPED	1024

static struct dma_fence *vacc_in_fence_sync_file(struct vacc_call *call, int fd)
{
#if IS_ENABLED(CONFIG_SYNC_FILE)
	struct dma_fence *fence;
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(vacc_fail(call, -EBADF,
					 "an in-fence is no open file"));
	fput(file);
	fence = sync_file_get_fence(fd);
	return fence ? fence :
		       ERR_PTR(vacc_fail(call, -EINVAL,
					 "an in-fence is no sync_file"));
#else
	return ERR_PTR(vacc_fail(call, -EOPNOTSUPP,
				 "this kernel has no sync_file"));
#endif
}

/* Somebody waits for the event now. */
static struct dma_fence *vacc_in_fence_of(struct vacc_event *event)
{
	vacc_event_want(event);
	return dma_fence_get(&event->fence->base);
}

static struct dma_fence *vacc_in_fence_event(struct vacc_call *call, u32 handle)
{
	struct vacc_event *event = vacc_event_get(call, handle);
	struct dma_fence *fence;

	if (!event)
		return ERR_PTR(-ENOENT);
	fence = vacc_in_fence_of(event);
	vacc_event_put(event);
	return fence;
}

static struct dma_fence *vacc_in_fence_index(struct vacc_submit_state *state,
					     u32 index)
{
	if (!state->many || index >= state->many->index)
		return ERR_PTR(vacc_fail(state->call, -EINVAL,
					 "no earlier element of this call"));
	return vacc_in_fence_of(state->many->events[index]);
}

static struct dma_fence *vacc_in_fence_get(struct vacc_submit_state *state,
					   const struct vacc_in_fence *in)
{
	switch (in->kind) {
	case VACC_FENCE_SYNC_FILE:
		return vacc_in_fence_sync_file(state->call, in->value);
	case VACC_FENCE_EVENT:
		return vacc_in_fence_event(state->call, in->value);
	default:
		return vacc_in_fence_index(state, in->value);
	}
}

/* Composite fences are taken apart, so that the error of each is seen. */
static u32 vacc_in_fence_count(struct dma_fence **fences, u32 count)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *fence;
	u32 total = 0;
	u32 i;

	for (i = 0; i < count; i++)
		dma_fence_unwrap_for_each(fence, &cursor, fences[i])
			total++;
	return total;
}

static void vacc_in_fence_unwrap(struct vacc_submit_state *state,
				 struct dma_fence *composite, u32 room)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *fence;

	/* A chain may have become shorter since it was counted, never longer. */
	dma_fence_unwrap_for_each(fence, &cursor, composite) {
		if (state->wait_count == room)
			continue;
		INIT_LIST_HEAD(&state->waits[state->wait_count].cb.node);
		state->waits[state->wait_count++].fence = dma_fence_get(fence);
	}
}

static int vacc_in_fence_take(struct vacc_submit_state *state,
			      struct dma_fence **fences, u32 count)
{
	u32 total = vacc_in_fence_count(fences, count);
	u32 i;

	if (total > VACC_MAX_UNWRAPPED)
		return vacc_fail(state->call, -EINVAL,
				 "in-fences are made of too many others");
	if (!total)
		return 0;
	state->waits = kvcalloc(total, sizeof(*state->waits),
				GFP_KERNEL_ACCOUNT);
	if (!state->waits)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		vacc_in_fence_unwrap(state, fences[i], total);
	return 0;
}

static int vacc_in_fence_collect(struct vacc_submit_state *state,
				 const struct vacc_in_fence *in, u32 count)
{
	struct dma_fence *fences[VACC_MAX_IN_FENCES];
	u32 found;
	int err = 0;

	for (found = 0; found < count; found++) {
		fences[found] = vacc_in_fence_get(state, &in[found]);
		if (!IS_ERR(fences[found]))
			continue;
		err = PTR_ERR(fences[found]);
		break;
	}
	if (!err)
		err = vacc_in_fence_take(state, fences, found);
	while (found--)
		dma_fence_put(fences[found]);
	return err;
}

/**
 * vacc_in_fence_read() - read the records of a submission's in-fences
 * @state: the submission
 *
 * Context: process, holding no lock.
 * Return: 0; -EOPNOTSUPP for a reserved kind; -EINVAL; -E2BIG; -EFAULT; -ENOMEM.
 */
int vacc_in_fence_read(struct vacc_submit_state *state)
{
	u32 count = state->arg->in_fences.count;
	struct vacc_in_fence *in;
	u32 i;
	int err;

	if (!count)
		return 0;
	in = kvmalloc_array(count, sizeof(*in), GFP_KERNEL_ACCOUNT);
	if (!in)
		return -ENOMEM;
	state->in_fences = in;
	err = vacc_copy_array_in(&state->arg->in_fences, in, sizeof(*in),
				 sizeof(*in));
	if (err)
		return err;
	for (i = 0; i < count; i++)
		if (in[i].kind > VACC_FENCE_INDEX)
			return vacc_fail(state->call, -EOPNOTSUPP,
					 "a kind of in-fence that is reserved");
	for (i = 0; i < count; i++)
		if (in[i].point)
			return vacc_fail(state->call, -EINVAL,
					 "a reserved field is not zero");
	return 0;
}

/**
 * vacc_in_fence_find() - find the fences of a submission
 * @state: the submission, whose records have been read
 *
 * Context: process.
 * Return: 0; -EBADF; -EINVAL; -ENOENT; -EOPNOTSUPP; -ENOMEM.
 */
int vacc_in_fence_find(struct vacc_submit_state *state)
{
	if (!state->in_fences)
		return 0;
	return vacc_in_fence_collect(state, state->in_fences,
				     state->arg->in_fences.count);
}

/**
 * vacc_in_fence_release() - let go of what an event has not taken over
 * @state: the submission
 *
 * Context: process.
 */
void vacc_in_fence_release(struct vacc_submit_state *state)
{
	u32 i;

	for (i = 0; i < state->wait_count; i++)
		dma_fence_put(state->waits[i].fence);
	kvfree(state->waits);
	kvfree(state->in_fences);
}
