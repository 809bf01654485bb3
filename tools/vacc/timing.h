/* SPDX-License-Identifier: GPL-2.0 */
/* Submissions, and what their commands take. */
#ifndef VACC_TIMING_H
#define VACC_TIMING_H

#include "cli.h"
#include "report.h"

/**
 * struct timing - what the commands of a program have taken so far
 * @wanted: the device shall be asked; else the rest is nothing
 * @runs: submissions
 * @rows: of the last one
 * @ns: of each command, in all submissions
 * @count: commands
 */
struct timing {
	bool wanted;
	uint64_t runs;
	struct vacc_attribution_row *rows;
	uint64_t *ns;
	uint32_t count;
};

/* Submit work and wait for it; 0 or an exit status with the reason said. */
int timing_submit(struct timing *timing, struct session *session,
		  const struct vacc_program *program, const struct vacc_bind *binds,
		  unsigned int count);

/* Report what each command took, if that was wanted. */
void timing_report(const struct timing *timing, struct report *report);

void timing_free(struct timing *timing);

#endif /* VACC_TIMING_H */
