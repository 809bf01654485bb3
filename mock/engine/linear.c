// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dense linear by the path that is chosen.
 */
#include "integer.h"
#include "path.h"

/**
 * eng_linear_step() - go on with a product
 * @linear: the product, the same at each step
 * @cursor: how far it has come, not done yet
 * @work: eng_linear_work_bytes(), aligned to 8, with any contents at the first step
 *	of a product, and left alone until its last
 * @macs: how many products may be added up; at least a few are
 *
 * Context: task; takes time, touches nothing but its arguments.
 * Return: how many products were added up, or what took as long.
 */
u64 eng_linear_step(const struct eng_linear *linear,
		    struct eng_linear_cursor *cursor, void *work, u64 macs)
{
#ifdef __x86_64__
	const struct eng_simd_kernels *simd = eng_path_simd();

	if (simd)
		return eng_simd_step(simd, linear, cursor, work, macs);
#endif
	return eng_integer_step(linear, cursor, work, macs);
}

/**
 * eng_linear_panel_bytes() - size of the packed weights of a product with one row
 * @in_features: terms of each sum
 * @out_features: outputs
 *
 * Context: any.
 * Return: the bytes; U64_MAX for too many, or where weights are not packed.
 */
u64 eng_linear_panel_bytes(u32 in_features, u32 out_features)
{
#ifdef __x86_64__
	if (eng_path_simd())
		return eng_simd_panel_bytes(in_features, out_features);
#endif
	return U64_MAX;
}
