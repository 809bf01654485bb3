/* SPDX-License-Identifier: GPL-2.0 */
/* What submissions are compared with: other calls of the same kernel. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdbool.h>

/* An ioctl that is none of the device's. */
void calls_null_ioctl(void *fd);

/* A byte to another thread and back, over two eventfds. */
struct ping;

struct ping *ping_new(void);
void ping_run(void *ping);
void ping_end(struct ping *ping);

/* Create a fence of sw_sync, signal it, wait for it, all through a timeline's file. */
int sw_sync_open(void);
void sw_sync_run(void *fd);

/* A no-op through an io_uring: submitted and waited for in one call. */
struct ring;

struct ring *ring_new(void);
void ring_run(void *ring);

/* 4096 bytes through AF_ALG's null cipher. */
int alg_open(void);
void alg_run(void *fd);

#endif /* BENCH_CALLS_H */
