// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include "registers.h"

#ifdef __SSE2__

#include <cpuid.h>

#ifdef __x86_64__
#define XMM_COUNT	16
#else
#define XMM_COUNT	8
#endif

/* Where things lie in struct vt_registers. */
#define AT_CONTROL	0
#define AT_TAGS		4
#define AT_MXCSR	24
#define AT_X87		32
#define X87_BYTES	10
#define X87_STRIDE	16
#define X87_COUNT	8
#define AT_XMM		160
#define XMM_BYTES	16
#define AT_FEATURES	512
#define AT_YMM		576

#define FEATURES	7	/* x87, SSE, AVX */

bool vt_registers_known(void)
{
	return true;
}

bool vt_registers_ymm(void)
{
	unsigned int a, b, c, d, low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
		return false;
	asm("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (low & FEATURES) == FEATURES;
}

void vt_registers_fill(struct vt_registers *r, __u64 seed, __u32 mxcsr, __u16 control)
{
	unsigned int i;

	memset(r, 0, sizeof(*r));
	for (i = AT_X87; i < AT_YMM + XMM_COUNT * XMM_BYTES; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		if (i < AT_XMM + XMM_COUNT * XMM_BYTES || i >= AT_YMM)
			r->area[i] = seed >> 56;
	}
	/* Numbers that are no NaN, with the bit before the point. */
	for (i = 0; i < X87_COUNT; i++) {
		r->area[AT_X87 + i * X87_STRIDE + 7] |= 0x80;
		r->area[AT_X87 + i * X87_STRIDE + 9] = 0x3f;
	}
	memcpy(&r->area[AT_CONTROL], &control, sizeof(control));
	memcpy(&r->area[AT_MXCSR], &mxcsr, sizeof(mxcsr));
	r->area[AT_TAGS] = 0xff;
	r->area[AT_FEATURES] = FEATURES;
}

unsigned int vt_registers_compare(const struct vt_registers *a, const struct vt_registers *b)
{
	unsigned int differs = 0, i;

	/* Control, status and tags; where the last instruction was is no value. */
	if (memcmp(a->area, b->area, AT_TAGS + 1))
		differs |= VT_DIFFERS_X87;
	for (i = 0; i < X87_COUNT; i++)
		if (memcmp(&a->area[AT_X87 + i * X87_STRIDE],
			   &b->area[AT_X87 + i * X87_STRIDE], X87_BYTES))
			differs |= VT_DIFFERS_X87;
	if (memcmp(&a->area[AT_MXCSR], &b->area[AT_MXCSR], 4))
		differs |= VT_DIFFERS_MXCSR;
	if (memcmp(&a->area[AT_XMM], &b->area[AT_XMM], XMM_COUNT * XMM_BYTES))
		differs |= VT_DIFFERS_XMM;
	if (vt_registers_ymm() &&
	    memcmp(&a->area[AT_YMM], &b->area[AT_YMM], XMM_COUNT * XMM_BYTES))
		differs |= VT_DIFFERS_YMM;
	return differs;
}

static_assert(offsetof(struct vt_hold, want) == 1024, "as below");
static_assert(offsetof(struct vt_hold, got) == 2048, "as below");
static_assert(offsetof(struct vt_hold, loops) == 3072, "as below");
static_assert(offsetof(struct vt_hold, result) == 3072 + 5 * sizeof(long), "as below");

/*
 * Nothing but @what happens between the two, and the compiler's own registers are as
 * they were.
 */
#ifdef __x86_64__
#define BASE		"%%rbx"
#define SPIN		"mov 3072(%%rbx), %%rcx\n" \
			"1: dec %%rcx\n" \
			"jnz 1b\n"
#define CALL		"mov 3080(%%rbx), %%rax\n" \
			"mov 3088(%%rbx), %%rdi\n" \
			"mov 3096(%%rbx), %%rsi\n" \
			"mov 3104(%%rbx), %%rdx\n" \
			"syscall\n" \
			"mov %%rax, 3112(%%rbx)\n"
#define HOLD(h, code)	({ asm volatile(code : : "b" (h) : "rax", "rcx", "rdx", "rsi", "rdi", \
					"r11", "memory", "cc"); })
#else
#define BASE		"%%esi"
#define SPIN		"mov 3072(%%esi), %%ecx\n" \
			"1: dec %%ecx\n" \
			"jnz 1b\n"
#define CALL		"mov 3076(%%esi), %%eax\n" \
			"mov 3080(%%esi), %%ebx\n" \
			"mov 3084(%%esi), %%ecx\n" \
			"mov 3088(%%esi), %%edx\n" \
			"int $0x80\n" \
			"mov %%eax, 3092(%%esi)\n"
#define HOLD(h, code)	({ asm volatile(code : : "S" (h) : "eax", "ebx", "ecx", "edx", \
					"memory", "cc"); })
#endif

#define ALL		"mov $7, %%eax\nxor %%edx, %%edx\n"
#define WITH_YMM(what)	ALL "xsave (" BASE ")\nxrstor 1024(" BASE ")\n" what \
			ALL "xsave 2048(" BASE ")\nxrstor (" BASE ")\n"
#define WITHOUT(what)	"fxsave (" BASE ")\nfxrstor 1024(" BASE ")\n" what \
			"fxsave 2048(" BASE ")\nfxrstor (" BASE ")\n"

static void clear(struct vt_hold *h)
{
	/* What XSAVE does not write is a mistake to XRSTOR. */
	memset(&h->before, 0, sizeof(h->before));
	memset(&h->got, 0, sizeof(h->got));
}

void vt_hold_spin(struct vt_hold *h)
{
	clear(h);
	if (vt_registers_ymm())
		HOLD(h, WITH_YMM(SPIN));
	else
		HOLD(h, WITHOUT(SPIN));
}

int vt_hold_ioctl(struct vt_hold *h, int fd, unsigned long request, void *arg)
{
	clear(h);
	h->call = SYS_ioctl;
	h->fd = fd;
	h->request = request;
	h->arg = (long)arg;
	if (vt_registers_ymm())
		HOLD(h, WITH_YMM(CALL));
	else
		HOLD(h, WITHOUT(CALL));
	return h->result;
}

#else

bool vt_registers_known(void)
{
	return false;
}

bool vt_registers_ymm(void)
{
	return false;
}

void vt_registers_fill(struct vt_registers *r, __u64 seed, __u32 mxcsr, __u16 control)
{
}

unsigned int vt_registers_compare(const struct vt_registers *a, const struct vt_registers *b)
{
	return 0;
}

void vt_hold_spin(struct vt_hold *h)
{
}

int vt_hold_ioctl(struct vt_hold *h, int fd, unsigned long request, void *arg)
{
	return -1;
}

#endif
