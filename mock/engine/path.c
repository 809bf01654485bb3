// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which instructions dense linear is computed with.
 */
#include <linux/vacc.h>
#include <linux/virtio_accel.h>

#include "integer.h"
#include "lzcnt.h"
#include "path.h"
#include "program.h"

struct eng_path {
	const char *name;
	const struct eng_simd_kernels *kernels;
	bool (*present)(void);
};

#ifdef __x86_64__

#include "simd/fpu.h"

/* NULL for the integer path.  Set before there is a device. */
static const struct eng_simd_kernels *eng_simd;

/* The best first. */
static const struct eng_path eng_paths[] = {
	{ "avx512", &eng_simd_avx512, eng_cpu_has_avx512 },
	{ "avx2", &eng_simd_avx2, eng_cpu_has_avx2 },
	{ "integer", NULL, NULL },
};

static void eng_use(const struct eng_simd_kernels *kernels)
{
	eng_simd = kernels;
}

#else /* __x86_64__ */

#define eng_simd	((const struct eng_simd_kernels *)NULL)

static bool eng_cpu_has_not(void)
{
	return false;
}

static const struct eng_path eng_paths[] = {
	{ "avx512", NULL, eng_cpu_has_not },
	{ "avx2", NULL, eng_cpu_has_not },
	{ "integer", NULL, NULL },
};

static void eng_use(const struct eng_simd_kernels *kernels)
{
}

#endif /* __x86_64__ */

/**
 * eng_linear_choose() - choose the instructions, the same for all devices
 * @name: integer, avx2, avx512, or auto for the best that there is
 *
 * Context: any, while there is no device.
 * Return: OK, INVALID_ARGUMENT for another name, or UNSUPPORTED where the processor,
 * or the kernel, does not have them: nothing is changed then.
 */
u16 eng_linear_choose(const char *name)
{
	bool best = !strcmp(name, "auto");
	u32 i;

	eng_integer_choose(eng_cpu_has_lzcnt());
	for (i = 0; i < ARRAY_SIZE(eng_paths); i++) {
		const struct eng_path *path = &eng_paths[i];

		if (!best && strcmp(name, path->name))
			continue;
		if (!path->present || path->present()) {
			eng_use(path->kernels);
			return VIRTIO_ACCEL_S_OK;
		}
		if (!best)
			return VIRTIO_ACCEL_S_UNSUPPORTED;
	}
	return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
}

/**
 * eng_path_simd() - the kernels that are chosen
 *
 * Context: any.
 * Return: them, or NULL for the integer path.
 */
const struct eng_simd_kernels *eng_path_simd(void)
{
	return eng_simd;
}

/**
 * eng_linear_path() - what is chosen, the integer path where nothing was
 *
 * Context: any.
 * Return: VACC_ENGINE_*.
 */
u32 eng_linear_path(void)
{
	return eng_simd ? eng_simd->path : VACC_ENGINE_INTEGER;
}

/**
 * eng_linear_rate() - how fast that is
 *
 * Context: any.
 * Return: products that take as long as moving a byte, for budgets.
 */
u64 eng_linear_rate(void)
{
	return eng_simd ? eng_simd->rate : ENG_MACS_PER_BYTE;
}

/**
 * eng_linear_work_bytes() - size of the work area that steps need
 *
 * Context: any.
 * Return: the bytes, for what is chosen.
 */
size_t eng_linear_work_bytes(void)
{
	return eng_simd ? eng_simd_work_bytes() : eng_integer_work_bytes();
}
