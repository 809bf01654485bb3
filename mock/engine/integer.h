/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Dense linear with integer instructions only.
 */
#ifndef _VACC_ENGINE_INTEGER_H
#define _VACC_ENGINE_INTEGER_H

#include "linear.h"

/* Outputs of a row that are computed together. */
#define ENG_INTEGER_OUTPUTS	32

/* Outputs whose weights lie next to each other. */
#define ENG_INTEGER_LANES	8

void eng_integer_choose(bool lzcnt);
size_t eng_integer_work_bytes(void);
u64 eng_integer_step(const struct eng_linear *linear,
		     struct eng_linear_cursor *cursor, void *work, u64 macs);

#endif /* _VACC_ENGINE_INTEGER_H */
