// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of the driver.
 *
 * Without an IOMMU they are physical ones.  A device that is told a wrong one must
 * not touch registers of others, nor memory that is not there: only plain RAM is
 * accepted, as far as the kernel's linear mapping of it goes.
 */
#include <linux/highmem.h>
#include <linux/ioport.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

#include "loopback.h"

/* Pages that are looked at before others may run. */
#define PAGES_TURN	4096

static bool loopback_is_ram(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	if (!page || PageHighMem(page))
		return false;
	/* Reserved is what firmware has, and holes; but also the kernel itself. */
	return !PageReserved(page) || is_zero_pfn(pfn) || page_is_ram(pfn);
}

static void *loopback_map(void *owner, u64 addr, u32 *bytes)
{
	unsigned long pfn = addr >> PAGE_SHIFT;
	u32 offset = offset_in_page(addr);
	u64 wanted = *bytes;
	u64 found = 0, pages = 0;

	/* An address that no pfn can have. */
	if (addr >> PAGE_SHIFT != pfn)
		return NULL;
	while (found < offset + wanted && loopback_is_ram(pfn++)) {
		found += PAGE_SIZE;
		/* A driver may say that it is 4 GiB. */
		if (++pages % PAGES_TURN == 0)
			cond_resched();
	}
	if (!found)
		return NULL;
	*bytes = min(wanted, found - offset);
	return phys_to_virt(addr);
}

const struct eng_ring_ops loopback_ring_ops = {
	.map = loopback_map,
};
