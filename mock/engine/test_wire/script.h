/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Exchanges of frames in hexadecimal, with object IDs as variables. */
#ifndef _TEST_WIRE_SCRIPT_H
#define _TEST_WIRE_SCRIPT_H

#include "rig.h"

struct script {
	u64 ids['z' + 1];		/* by letter, 0 for unknown ones */
};

/* Texts in pieces, for the sake of lines. */
struct script_step {
	const char *name;
	const char *request[8];
	const char *response[8];	/* none: no answer */
};

/* Bytes of a text; those of unknown IDs are zero, and @wild says where they are. */
u32 script_bytes(const struct script *script, const char *const *texts,
		 u8 *bytes, u8 *wild);
void script_run(struct script *script, struct rig *rig, const char *rules,
		const struct script_step *steps, u32 count);

#endif /* _TEST_WIRE_SCRIPT_H */
