/* SPDX-License-Identifier: GPL-2.0 */
/* Programs as text. */
#ifndef VACC_DUMP_H
#define VACC_DUMP_H

#include <stddef.h>

/* Print a program that vacc_artifact_check() found well-formed. */
void dump_program(const void *artifact, size_t bytes);

#endif /* VACC_DUMP_H */
