/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the daemon says, on standard error. */
#ifndef VACCD_LOG_H
#define VACCD_LOG_H

#include <stdbool.h>

extern bool log_verbose;

/* Something that its owner should know. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Something for who looks for a fault. */
void debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* VACCD_LOG_H */
