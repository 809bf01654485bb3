// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Sums of products with the x86-64 instruction that counts leading zeros.
 *
 * What eng_round24() does takes five instructions less with it, and with tables of
 * what follows from the count: how many bits are cut, the mask that keeps the
 * others, and half of the last one kept, less one.  That half and the bit that
 * makes a tie even are added at once, the bit as the carry.
 */
#ifdef __KERNEL__
#include <asm/cpufeature.h>
#else
#include <cpuid.h>
#endif

#include "lzcnt.h"

/*
 * By the leading zeros of v ^ 2v, whose highest bit is one above those of @v that
 * differ from its sign: 0 to 64.  At least one bit is cut, see eng_round24().
 */
#define COUNTS	65

struct tables {
	u64 half[COUNTS];
	u64 keep[COUNTS];
	u8 cut[COUNTS];
};

/* Written before there is a device. */
static struct tables tables;

/**
 * eng_cpu_has_lzcnt() - can the processor count leading zeros
 *
 * One that cannot takes the instruction for another.
 *
 * Context: any.
 * Return: whether eng_lzcnt_add_products() may be called.
 */
bool eng_cpu_has_lzcnt(void)
{
#ifdef __KERNEL__
	return boot_cpu_has(X86_FEATURE_ABM);
#else
	unsigned int a, b, c = 0, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & 1 << 5;
#endif
}

/**
 * eng_lzcnt_prepare() - fill the tables, before the first sum
 *
 * Context: any, while there is no device.
 */
void eng_lzcnt_prepare(void)
{
	u32 i;

	for (i = 0; i < COUNTS; i++) {
		tables.cut[i] = i < 38 ? 39 - i : 1;
		tables.keep[i] = ~0ULL << tables.cut[i];
		tables.half[i] = ~tables.keep[i] >> 1;
	}
}

/* round24(@sum + @x * @weight) */
static __always_inline u64 add_product(u64 sum, u64 x, const u64 *weight)
{
	u64 t, cut;

	asm("mov %[x], %[t]\n\t"
	    "imul %[weight], %[t]\n\t"
	    "add %[t], %[sum]\n\t"
	    "lea (%[sum], %[sum]), %[t]\n\t"
	    "xor %[sum], %[t]\n\t"
	    "lzcnt %[t], %[t]\n\t"
	    "movzbl %c[to_cut](%[tables], %[t]), %k[cut]\n\t"
	    "bt %[cut], %[sum]\n\t"
	    "adc (%[tables], %[t], 8), %[sum]\n\t"
	    "and %c[to_keep](%[tables], %[t], 8), %[sum]"
	    : [sum] "+r" (sum), [t] "=&r" (t), [cut] "=&r" (cut)
	    : [x] "r" (x), [weight] "m" (*weight), [tables] "r" (&tables),
	      [to_cut] "i" (offsetof(struct tables, cut)),
	      [to_keep] "i" (offsetof(struct tables, keep)), "m" (tables)
	    : "cc");
	return sum;
}

static_assert(!offsetof(struct tables, half), "the assembler takes it for granted");

/**
 * eng_lzcnt_add_products() - add products to sums, in order
 * @sums: ENG_INTEGER_LANES of them
 * @row: @terms factors of them all
 * @weights: for each term a factor of each
 * @terms: how many
 *
 * Each sum is rounded as eng_round24() does after each product, and bounded as
 * that wants.
 *
 * Context: any.
 */
void eng_lzcnt_add_products(u64 *sums, const u64 *row, const u64 *weights, u32 terms)
{
	u64 a = sums[0], b = sums[1], c = sums[2], d = sums[3];
	u64 e = sums[4], f = sums[5], g = sums[6], h = sums[7];
	u32 i;

	for (i = 0; i < terms; i++, weights += ENG_INTEGER_LANES) {
		u64 x = row[i];

		a = add_product(a, x, weights);
		b = add_product(b, x, weights + 1);
		c = add_product(c, x, weights + 2);
		d = add_product(d, x, weights + 3);
		e = add_product(e, x, weights + 4);
		f = add_product(f, x, weights + 5);
		g = add_product(g, x, weights + 6);
		h = add_product(h, x, weights + 7);
	}
	sums[0] = a;
	sums[1] = b;
	sums[2] = c;
	sums[3] = d;
	sums[4] = e;
	sums[5] = f;
	sums[6] = g;
	sums[7] = h;
}
