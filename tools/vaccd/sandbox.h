/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a process that serves a hostile guest may do: nothing but talk over the
 * sockets that it has, and compute.
 */
#ifndef VACCD_SANDBOX_H
#define VACCD_SANDBOX_H

int sandbox_user(const char *name);
/* To be called while there is one thread. */
int sandbox_enter(void);

#endif /* VACCD_SANDBOX_H */
