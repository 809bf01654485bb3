/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the engine's objects and queues need of the place where they live:
 * locks, waiting, lists, atomic variables, work items and a clock.  One half is
 * for the kernel, one for userspace, where env_user.c belongs to it.
 */
#ifndef _ENG_ENV_SYNC_H
#define _ENG_ENV_SYNC_H

#include "env.h"

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/dma-fence.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct eng_atomic {
	atomic_t v;
};

static inline u32 eng_atomic_get(const struct eng_atomic *a)
{
	return atomic_read_acquire(&a->v);
}

static inline void eng_atomic_set(struct eng_atomic *a, u32 value)
{
	atomic_set_release(&a->v, value);
}

static inline u32 eng_atomic_inc(struct eng_atomic *a)
{
	return atomic_inc_return(&a->v);
}

static inline void eng_atomic_dec(struct eng_atomic *a)
{
	atomic_dec_return_release(&a->v);
}

/* The only way of an event out of a state; a full barrier. */
static inline bool eng_atomic_swap_if(struct eng_atomic *a, u32 from, u32 to)
{
	return (u32)atomic_cmpxchg(&a->v, from, to) == from;
}

struct eng_atomic64 {
	atomic64_t v;
};

static inline u64 eng_atomic64_get(const struct eng_atomic64 *a)
{
	return atomic64_read(&a->v);
}

static inline u64 eng_atomic64_add(struct eng_atomic64 *a, u64 value)
{
	return atomic64_add_return(value, &a->v);
}

struct eng_mutex {
	struct mutex m;	/* see object.h */
};

#define eng_mutex_init(lock)	mutex_init(&(lock)->m)
#define eng_mutex_fini(lock)	mutex_destroy(&(lock)->m)

static inline void eng_mutex_lock(struct eng_mutex *lock)
{
	mutex_lock(&lock->m);
}

static inline void eng_mutex_unlock(struct eng_mutex *lock)
{
	mutex_unlock(&lock->m);
}

/* Taken by tasks only, never by interrupts. */
struct eng_spin {
	spinlock_t s;	/* see object.h */
};

#define eng_spin_init(lock)	spin_lock_init(&(lock)->s)

static inline void eng_spin_fini(struct eng_spin *lock)
{
}

static inline void eng_spin_lock(struct eng_spin *lock)
	__acquires(&lock->s)
{
	spin_lock(&lock->s);
}

static inline void eng_spin_unlock(struct eng_spin *lock)
	__releases(&lock->s)
{
	spin_unlock(&lock->s);
}

struct eng_wait {
	wait_queue_head_t head;
};

#define eng_wait_init(wait)	init_waitqueue_head(&(wait)->head)

static inline void eng_wait_fini(struct eng_wait *wait)
{
}

/* Sleeps until @condition, which is looked at with @lock held, as on return. */
#define eng_wait_for(wait, lock, condition)				\
	do {								\
		struct eng_spin *lock_ = (lock);			\
									\
		wait_event_cmd((wait)->head, condition,			\
			       spin_unlock(&lock_->s),			\
			       spin_lock(&lock_->s));			\
	} while (0)

/* With the lock held under which the conditions change. */
static inline void eng_wait_wake(struct eng_wait *wait)
{
	/* Waiters queue up under that lock as well: none is overlooked. */
	if (waitqueue_active(&wait->head))
		wake_up_all(&wait->head);
}

struct eng_pool {
	struct workqueue_struct *wq;
	u32 width;			/* work items that have a processor each */
};

struct eng_work {
	struct work_struct work;
	void (*fn)(struct eng_work *work);
};

static inline bool eng_pool_start(struct eng_pool *pool, const char *name,
				  u32 workers)
{
	pool->width = min(workers ?: U32_MAX, num_online_cpus());
	pool->wq = alloc_workqueue("%s", WQ_UNBOUND | WQ_MEM_RECLAIM, workers,
				   name);
	return pool->wq;
}

static inline u32 eng_pool_width(const struct eng_pool *pool)
{
	return pool->width;
}

static inline void eng_pool_stop(struct eng_pool *pool)
{
	destroy_workqueue(pool->wq);
}

static inline void eng_work_call(struct work_struct *work)
{
	struct eng_work *w = container_of(work, struct eng_work, work);

	w->fn(w);
}

static inline void eng_work_init(struct eng_work *work,
				 void (*fn)(struct eng_work *work))
{
	work->fn = fn;
	INIT_WORK(&work->work, eng_work_call);
}

/* Never runs twice at once; may be called by the work itself. */
static inline void eng_work_queue(struct eng_pool *pool, struct eng_work *work)
{
	queue_work(pool->wq, &work->work);
}

/* Takes it off the pool and waits for the end of a run. */
static inline void eng_work_cancel(struct eng_pool *pool, struct eng_work *work)
{
	cancel_work_sync(&work->work);
}

static inline u64 eng_now_ns(void)
{
	return ktime_get_ns();
}

/*
 * Between these nothing may wait for a fence, not even by way of memory: the
 * caller is what lets fences signal.
 */
static inline bool eng_signalling_begin(void)
{
	return dma_fence_begin_signalling();
}

static inline void eng_signalling_end(bool cookie)
{
	dma_fence_end_signalling(cookie);
}

#else /* __KERNEL__ */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#ifndef container_of
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *head)
{
	entry->next = head;
	entry->prev = head->prev;
	head->prev->next = entry;
	head->prev = entry;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	INIT_LIST_HEAD(entry);
}

#define list_first_entry(head, type, member)				\
	container_of((head)->next, type, member)

struct eng_atomic {
	u32 v;
};

static inline u32 eng_atomic_get(const struct eng_atomic *a)
{
	return __atomic_load_n(&a->v, __ATOMIC_SEQ_CST);
}

static inline void eng_atomic_set(struct eng_atomic *a, u32 value)
{
	__atomic_store_n(&a->v, value, __ATOMIC_SEQ_CST);
}

static inline u32 eng_atomic_inc(struct eng_atomic *a)
{
	return __atomic_add_fetch(&a->v, 1, __ATOMIC_SEQ_CST);
}

static inline void eng_atomic_dec(struct eng_atomic *a)
{
	__atomic_sub_fetch(&a->v, 1, __ATOMIC_SEQ_CST);
}

static inline bool eng_atomic_swap_if(struct eng_atomic *a, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(&a->v, &from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

struct eng_atomic64 {
	u64 v;
};

static inline u64 eng_atomic64_get(const struct eng_atomic64 *a)
{
	return __atomic_load_n(&a->v, __ATOMIC_SEQ_CST);
}

static inline u64 eng_atomic64_add(struct eng_atomic64 *a, u64 value)
{
	return __atomic_add_fetch(&a->v, value, __ATOMIC_SEQ_CST);
}

struct eng_mutex {
	pthread_mutex_t m;
};

#define eng_mutex_init(lock)	pthread_mutex_init(&(lock)->m, NULL)
#define eng_mutex_fini(lock)	pthread_mutex_destroy(&(lock)->m)

static inline void eng_mutex_lock(struct eng_mutex *lock)
{
	pthread_mutex_lock(&lock->m);
}

static inline void eng_mutex_unlock(struct eng_mutex *lock)
{
	pthread_mutex_unlock(&lock->m);
}

struct eng_spin {
	pthread_mutex_t s;
};

#define eng_spin_init(lock)	pthread_mutex_init(&(lock)->s, NULL)
#define eng_spin_fini(lock)	pthread_mutex_destroy(&(lock)->s)

static inline void eng_spin_lock(struct eng_spin *lock)
{
	pthread_mutex_lock(&lock->s);
}

static inline void eng_spin_unlock(struct eng_spin *lock)
{
	pthread_mutex_unlock(&lock->s);
}

struct eng_wait {
	pthread_cond_t c;
};

#define eng_wait_init(wait)	pthread_cond_init(&(wait)->c, NULL)
#define eng_wait_fini(wait)	pthread_cond_destroy(&(wait)->c)

#define eng_wait_for(wait, lock, condition)				\
	do {								\
		while (!(condition))					\
			pthread_cond_wait(&(wait)->c, &(lock)->s);	\
	} while (0)

static inline void eng_wait_wake(struct eng_wait *wait)
{
	pthread_cond_broadcast(&wait->c);
}

struct eng_pool {
	pthread_mutex_t lock;
	pthread_cond_t more;		/* something to do, or to stop */
	pthread_cond_t idle;		/* a work item has ended */
	struct list_head queued;
	pthread_t *threads;
	u32 count;
	bool stop;
};

struct eng_work {
	struct list_head node;
	void (*fn)(struct eng_work *work);
	bool queued;			/* on the pool's list */
	bool running;
	bool again;			/* queued while it was running */
};

bool eng_pool_start(struct eng_pool *pool, const char *name, u32 workers);

static inline u32 eng_pool_width(const struct eng_pool *pool)
{
	return pool->count;
}

void eng_pool_stop(struct eng_pool *pool);
void eng_work_init(struct eng_work *work, void (*fn)(struct eng_work *work));
void eng_work_queue(struct eng_pool *pool, struct eng_work *work);
void eng_work_cancel(struct eng_pool *pool, struct eng_work *work);

static inline u64 eng_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline bool eng_signalling_begin(void)
{
	return true;
}

static inline void eng_signalling_end(bool cookie)
{
	(void)cookie;
}

#endif /* __KERNEL__ */

#endif /* _ENG_ENV_SYNC_H */
