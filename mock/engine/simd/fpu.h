/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Vector instructions: whether they are there, and where they may be used.
 */
#ifndef _VACC_ENGINE_FPU_H
#define _VACC_ENGINE_FPU_H

#include "../env.h"

#ifdef __KERNEL__

#include <linux/ktime.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#ifndef CONFIG_UML
#include <asm/fpu/xcr.h>
#endif

#ifdef CONFIG_UML

/* It runs as a process, whose states are switched below it. */
static inline bool eng_fpu_saves(u64 states)
{
	return true;
}

#else

static inline bool eng_fpu_saves(u64 states)
{
	return cpu_has_xfeatures(states, NULL);
}

#endif

static inline bool eng_cpu_has_avx2(void)
{
	return boot_cpu_has(X86_FEATURE_AVX2) && boot_cpu_has(X86_FEATURE_FMA) &&
	       boot_cpu_has(X86_FEATURE_F16C) && eng_fpu_saves(0x6);
}

static inline bool eng_cpu_has_avx512(void)
{
	return eng_cpu_has_avx2() && boot_cpu_has(X86_FEATURE_AVX512F) &&
	       eng_fpu_saves(0xe6);
}

/* Nothing sleeps between these two, and no task gets the processor. */
static inline void eng_fpu_begin(void)
{
	kernel_fpu_begin();
}

static inline void eng_fpu_end(void)
{
	kernel_fpu_end();
}

/* How long that is. */
static inline u64 eng_fpu_now_ns(void)
{
	return ktime_get_ns();
}

#else /* __KERNEL__ */

#include <cpuid.h>

static inline bool eng_cpu_has_avx2(void)
{
	unsigned int a, b, c = 0, d;

	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}

static inline bool eng_cpu_has_avx512(void)
{
	return eng_cpu_has_avx2() && __builtin_cpu_supports("avx512f");
}

static inline void eng_fpu_begin(void)
{
}

static inline void eng_fpu_end(void)
{
}

/* Nobody is kept waiting. */
static inline u64 eng_fpu_now_ns(void)
{
	return 0;
}

#endif /* __KERNEL__ */

#endif /* _VACC_ENGINE_FPU_H */
