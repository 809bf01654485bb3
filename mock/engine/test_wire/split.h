/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* One good request of each kind. */
#ifndef _TEST_WIRE_SPLIT_H
#define _TEST_WIRE_SPLIT_H

#include "rig.h"

struct sample {
	const char *name;
	u32 request_bytes;		/* without the header */
	u32 answer_bytes;
	struct frame *(*build)(struct rig *rig);
	/* Looks at the answer, and leaves nothing behind. */
	void (*undo)(struct rig *rig, const struct reply *reply);
};

extern const struct sample samples[];

void sample_send(struct rig *rig, const struct sample *sample,
		 const struct cut *cut);

#endif /* _TEST_WIRE_SPLIT_H */
