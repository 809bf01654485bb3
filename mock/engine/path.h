/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which instructions dense linear is computed with.
 */
#ifndef _VACC_ENGINE_PATH_H
#define _VACC_ENGINE_PATH_H

#include "simd/simd.h"

const struct eng_simd_kernels *eng_path_simd(void);

#endif /* _VACC_ENGINE_PATH_H */
