/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A page that the front end keeps for us from one start of the ring to the next,
 * also over our own end.
 *
 * It says which life of the device the driver knows: a front end gives a page back
 * where the driver goes on, and asks for a new one where the driver begins anew.
 * And it says which requests were taken off the ring and never returned, for who
 * comes after us.  The front end may write to it: it is believed no further than
 * that chains are returned that may not be out.
 */
#ifndef VACCD_INFLIGHT_H
#define VACCD_INFLIGHT_H

#include "ring.h"

#define INFLIGHT_HEADS	1024		/* the longest ring */
#define INFLIGHT_BYTES	4096

struct inflight_page {
	u64 magic;
	u64 cookie;
	u16 used_idx;			/* of the ring, after the last return */
	u16 last;			/* the chain that is being returned */
	u8 begun;			/* a ring was started with it */
	u8 out[INFLIGHT_HEADS];		/* taken and not returned */
};

int inflight_new(u64 cookie, struct inflight_page **page);
int inflight_open(int fd, u64 offset, u64 bytes, struct inflight_page **page);
void inflight_close(struct inflight_page *page);

void inflight_taken(struct inflight_page *page, u16 head);
void inflight_push(struct inflight_page *page, struct eng_ring *ring,
		   struct eng_chain *chain, u32 used);
u32 inflight_recover(const struct inflight_page *page, u16 used_idx, u16 size,
		     u16 *heads);

#endif /* VACCD_INFLIGHT_H */
