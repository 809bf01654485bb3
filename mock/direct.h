/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices whose backend is the engine itself, called directly.
 */
#ifndef _MOCK_DIRECT_H
#define _MOCK_DIRECT_H

#include <linux/types.h>

#include "backend.h"
#include "engine/engine.h"

/**
 * struct direct_config - how devices shall be
 * @limits: what they take
 * @workers: how many queues, or parts of big products, of one execute at a time, 0 for what
 *	is usual
 * @hang_limit_ms: how long pending work may stand still
 * @command_timeout_ms: bound of one command
 * @hold: begin in hold mode
 */
struct direct_config {
	struct eng_limits limits;
	u32 workers;
	u32 hang_limit_ms;
	u32 command_timeout_ms;
	bool hold;
};

/**
 * struct direct_device - a device
 * @engine: what executes
 * @vacc: what userspace sees
 * @instance: number of its node
 * @name: its name as a parent
 */
struct direct_device {
	struct eng_device *engine;
	struct vacc_device *vacc;
	int instance;
	char name[32];
};

struct direct_device *direct_add(struct device *parent, const char *name,
				 const struct direct_config *config);
void direct_unplug(struct direct_device *direct);
void direct_free(struct direct_device *direct);
void direct_hold(struct direct_device *direct, bool hold);

#endif /* _MOCK_DIRECT_H */
