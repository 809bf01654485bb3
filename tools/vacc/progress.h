/* SPDX-License-Identifier: GPL-2.0 */
/* A progress bar on standard error, where that is a terminal. */
#ifndef VACC_PROGRESS_H
#define VACC_PROGRESS_H

#include <stdint.h>

/* Show that @done of @total are done; draws at most ten times a second. */
void progress_show(const char *what, uint64_t done, uint64_t total);

/* Take the bar away. */
void progress_clear(void);

#endif /* VACC_PROGRESS_H */
