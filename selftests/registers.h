/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of x87, SSE and AVX: a process holds known values in all of them at once
 * and finds out what became of these.
 */
#ifndef VT_REGISTERS_H
#define VT_REGISTERS_H

#include <stdbool.h>
#include <linux/types.h>

/* Control words as a process begins with them. */
#define VT_MXCSR	0x1f80
#define VT_X87_CONTROL	0x037f

/* Of MXCSR: rounding (two bits), denormals, and what is masked. */
#define VT_MXCSR_ROUNDING(mode)	((mode) << 13)
#define VT_MXCSR_FTZ_DAZ	0x8040
#define VT_MXCSR_MASKS		0x1f80
#define VT_MXCSR_DIVIDE_MASK	0x0200

/* What differs, in bits. */
#define VT_DIFFERS_X87		1
#define VT_DIFFERS_MXCSR	2
#define VT_DIFFERS_XMM		4
#define VT_DIFFERS_YMM		8
#define VT_DIFFERS_COUNT	4

/* As XSAVE and FXSAVE lay it out, with the upper halves of YMM behind it. */
struct vt_registers {
	__u8 area[1024];
} __attribute__((aligned(64)));

struct vt_hold {
	struct vt_registers before;	/* the caller's own, meanwhile */
	struct vt_registers want;
	struct vt_registers got;
	long loops;
	long call, fd, request, arg, result;
};

/* Whether this processor has such registers, and whether YMM is among them. */
bool vt_registers_known(void);
bool vt_registers_ymm(void);

/* Values that @seed decides about, but for the control words. */
void vt_registers_fill(struct vt_registers *r, __u64 seed, __u32 mxcsr, __u16 control);
/* VT_DIFFERS_* */
unsigned int vt_registers_compare(const struct vt_registers *a, const struct vt_registers *b);

/* Hold h->want and do nothing for h->loops; h->got is what is there then. */
void vt_hold_spin(struct vt_hold *h);
/* The same over an ioctl; returns 0 or -errno. */
int vt_hold_ioctl(struct vt_hold *h, int fd, unsigned long request, void *arg);

#endif /* VT_REGISTERS_H */
