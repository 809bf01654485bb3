/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What random calls are made of: files that threads share, handles of which some
 * are good, memory for arguments, and the calls by subject.
 */
#ifndef FUZZ_CALL_H
#define FUZZ_CALL_H

#include "round.h"

#define POOL		24
#define ARENA_BYTES	(1 << 20)

enum object { CONTEXT, BUFFER, PROGRAM, QUEUE, EVENT, KINDS };

/* A file and handles of it that may be good.  Races between threads are wanted. */
struct shared {
	int fd;
	__u32 pool[KINDS][POOL];
	__u64 mmap_offset[POOL];
};

struct thread {
	struct rng r;
	struct shared *file;
	unsigned char *arena;		/* of this thread */
	unsigned int used;
	int fence;			/* a sync_file, or -1 */
	bool honest;			/* nothing is spoiled */
};

extern int node;		/* the device of the round, or -1 */
extern bool may_fork;

int known_errno(int error);
/* Memory for arguments, zeroed; at the end of it is none. */
void *arena(struct thread *t, unsigned int bytes);
__u64 address(const void *p);
/* Returns 0 or a negative errno; the first word of the argument is its size. */
int call(struct thread *t, unsigned long nr, void *arg, unsigned int bytes);
/* A handle of that kind, most probably; and one that is remembered, at the index. */
__u32 some(struct thread *t, enum object kind);
unsigned int keep(struct thread *t, enum object kind, __u32 handle);

/* objects.c */
void do_context(struct thread *t);
void do_buffer(struct thread *t);
void do_queue(struct thread *t);
void do_program(struct thread *t);
void do_destroy(struct thread *t);
void do_query(struct thread *t);

/* submit.c */
void do_submit(struct thread *t);
void do_submit_many(struct thread *t);

/* events.c */
void do_cancel(struct thread *t);
void do_sync(struct thread *t);
void do_wait(struct thread *t);
void do_export(struct thread *t);
void do_attribution(struct thread *t);

/* memory.c */
void do_transfer(struct thread *t);
void do_map(struct thread *t);

/* files.c */
void do_info(struct thread *t);
void do_read(struct thread *t);
void do_fork(struct thread *t);
void do_close(struct thread *t);
void open_file(struct thread *t);

/* others.c: threads */
void *disturb(void *arg);
void *judge(void *arg);

#endif /* FUZZ_CALL_H */
