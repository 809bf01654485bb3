// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Work items in userspace: a few threads that serve one list, in order, as a
 * workqueue of the kernel does.
 */
#include <stdlib.h>
#include <unistd.h>

#include "env_sync.h"

static void *eng_pool_thread(void *arg)
{
	struct eng_pool *pool = arg;
	struct eng_work *work;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (list_empty(&pool->queued) && !pool->stop)
			pthread_cond_wait(&pool->more, &pool->lock);
		if (list_empty(&pool->queued))
			break;

		work = list_first_entry(&pool->queued, struct eng_work, node);
		list_del_init(&work->node);
		work->queued = false;
		work->running = true;
		pthread_mutex_unlock(&pool->lock);

		work->fn(work);

		pthread_mutex_lock(&pool->lock);
		work->running = false;
		if (work->again) {
			work->again = false;
			work->queued = true;
			list_add_tail(&work->node, &pool->queued);
			pthread_cond_signal(&pool->more);
		}
		pthread_cond_broadcast(&pool->idle);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/**
 * eng_pool_start() - start threads that run work items
 * @pool: the pool
 * @name: of no use here
 * @workers: how many threads, 0 for one a processor, and two at least
 *
 * Context: May sleep.
 * Return: whether all is there.
 */
bool eng_pool_start(struct eng_pool *pool, const char *name, u32 workers)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	(void)name;
	if (!workers)
		workers = cpus > 1 ? cpus : 2;

	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->more, NULL);
	pthread_cond_init(&pool->idle, NULL);
	INIT_LIST_HEAD(&pool->queued);
	pool->stop = false;
	pool->threads = calloc(workers, sizeof(*pool->threads));

	for (pool->count = 0; pool->threads && pool->count < workers;
	     pool->count++) {
		if (pthread_create(&pool->threads[pool->count], NULL,
				   eng_pool_thread, pool))
			break;
	}
	if (pool->count == workers)
		return true;

	eng_pool_stop(pool);
	return false;
}

/**
 * eng_pool_stop() - end a pool that nothing is queued on any more
 * @pool: the pool
 *
 * Context: May sleep; waits for work that is running.
 */
void eng_pool_stop(struct eng_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);

	while (pool->count)
		pthread_join(pool->threads[--pool->count], NULL);
	free(pool->threads);
	pthread_cond_destroy(&pool->idle);
	pthread_cond_destroy(&pool->more);
	pthread_mutex_destroy(&pool->lock);
}

/**
 * eng_work_init() - prepare a work item
 * @work: the item
 * @fn: what it does
 *
 * Context: Any.
 */
void eng_work_init(struct eng_work *work, void (*fn)(struct eng_work *work))
{
	INIT_LIST_HEAD(&work->node);
	work->fn = fn;
	work->queued = false;
	work->running = false;
	work->again = false;
}

/**
 * eng_work_queue() - have a work item run
 * @pool: where
 * @work: the item; nothing happens if it waits already
 *
 * Context: Any.  An item never runs twice at once, and may queue itself.
 */
void eng_work_queue(struct eng_pool *pool, struct eng_work *work)
{
	pthread_mutex_lock(&pool->lock);
	if (work->running) {
		work->again = true;
	} else if (!work->queued) {
		work->queued = true;
		list_add_tail(&work->node, &pool->queued);
		pthread_cond_signal(&pool->more);
	}
	pthread_mutex_unlock(&pool->lock);
}

/**
 * eng_work_cancel() - take a work item off and wait for the end of a run
 * @pool: where it was queued
 * @work: the item
 *
 * Context: May sleep.  Not to be called by the item itself.
 */
void eng_work_cancel(struct eng_pool *pool, struct eng_work *work)
{
	pthread_mutex_lock(&pool->lock);
	if (work->queued) {
		list_del_init(&work->node);
		work->queued = false;
	}
	work->again = false;
	while (work->running) {
		pthread_cond_wait(&pool->idle, &pool->lock);
		work->again = false;
	}
	pthread_mutex_unlock(&pool->lock);
}
