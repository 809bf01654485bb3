/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The processors that a queue's big products are spread over.
 */
#ifndef _VACC_ENGINE_TEAM_H
#define _VACC_ENGINE_TEAM_H

#include "env_sync.h"
#include "linear.h"

/* A product on more processors than so many gains little. */
#define ENG_TEAM_MOST	8

/* Products that are worth the way to another processor and back. */
#define ENG_TEAM_MACS	(8 << 20)

struct eng_team;

struct eng_team *eng_team_create(struct eng_pool *pool);
void eng_team_free(struct eng_team *team);
bool eng_team_takes(const struct eng_linear *linear);
u64 eng_team_step(struct eng_team *team, const struct eng_linear *linear,
		  struct eng_linear_cursor *cursor, void *work);

#endif /* _VACC_ENGINE_TEAM_H */
