// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The paths of dense linear: those of the engine, and one of the shape that the
 * AVX-512 kernels have but with vectors of AVX2, so that their blocks and edges
 * are looked at on processors of any year.
 */
#include <linux/vacc.h>
#include <linux/virtio_accel.h>

#include "lzcnt.h"
#include "paths.h"

/* The integer path of processors that cannot count leading zeros. */
static bool is_plain(const char *name)
{
	return !strcmp(name, "plain");
}

static bool choose_plain(void)
{
	eng_linear_choose("integer");
	eng_integer_choose(false);
	return true;
}

#ifdef __x86_64__

#include "simd/fpu.h"
#include "simd/simd.h"
#include "simd/vector.h"

#define VECTOR		VECTOR_AVX2
#define LANES		16
#define TILE_ROWS	14

typedef v16f vec;

static __always_inline VECTOR vec vector_widen(const u8 *from)
{
	union {
		v8f half[2];
		vec all;
	} u = { { vector_widen8(from), vector_widen8(from + 16) } };

	return u.all;
}

static __always_inline VECTOR void vector_widen16(vec *to, v16h halves)
{
	union {
		v8f half[2];
		vec all;
	} u = { { vector_widen_low(halves), vector_widen_high(halves) } };

	*to = u.all;
}

static __always_inline VECTOR void vector_narrow(u8 *to, vec from)
{
	union {
		vec all;
		v8f half[2];
	} u = { from };

	vector_narrow8(to, u.half[0]);
	vector_narrow8(to + 16, u.half[1]);
}

#include "simd/kernels.h"

static const struct eng_simd_kernels wide = {
	.path = VACC_ENGINE_AVX2,
	.rate = 32,
	SIMD_KERNELS,
};

static bool is_wide;

bool path_choose(const char *name)
{
	is_wide = false;
	if (is_plain(name))
		return choose_plain();
	is_wide = !strcmp(name, "wide");
	if (is_wide)
		return eng_cpu_has_avx2();
	return eng_linear_choose(name) == VIRTIO_ACCEL_S_OK;
}

size_t path_work_bytes(void)
{
	return is_wide ? eng_simd_work_bytes() : eng_linear_work_bytes();
}

u64 path_panel_bytes(u32 in_features, u32 out_features)
{
	return is_wide ? eng_simd_panel_bytes(in_features, out_features) :
			 eng_linear_panel_bytes(in_features, out_features);
}

u64 path_step(const struct eng_linear *linear, struct eng_linear_cursor *cursor,
	      void *work, u64 macs)
{
	if (is_wide)
		return eng_simd_step(&wide, linear, cursor, work, macs);
	return eng_linear_step(linear, cursor, work, macs);
}

#else /* __x86_64__ */

bool path_choose(const char *name)
{
	if (is_plain(name))
		return choose_plain();
	return eng_linear_choose(name) == VIRTIO_ACCEL_S_OK;
}

size_t path_work_bytes(void)
{
	return eng_linear_work_bytes();
}

u64 path_panel_bytes(u32 in_features, u32 out_features)
{
	return eng_linear_panel_bytes(in_features, out_features);
}

u64 path_step(const struct eng_linear *linear, struct eng_linear_cursor *cursor,
	      void *work, u64 macs)
{
	return eng_linear_step(linear, cursor, work, macs);
}

#endif /* __x86_64__ */

const char *path_name(u32 number)
{
	static const char *const names[] = {
		"integer", "plain", "avx2", "avx512", "wide", NULL
	};

	return names[number];
}
