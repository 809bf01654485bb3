// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of buffers: pages, and a kernel mapping of them.
 *
 * It belongs to the core and outlives the buffer for as long as it is mapped, and the
 * device too.  It stays charged until then.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core.h"

/* Of the largest pages that are asked for: 2 MiB where pages are 4 KiB. */
#define VACC_STORAGE_ORDER	9

static void vacc_storage_free_pages(struct vacc_storage *storage)
{
	unsigned long i;

	for (i = 0; i < storage->page_count; i++)
		__free_page(storage->pages[i]);
	kvfree(storage->pages);
}

static void vacc_storage_free(struct kref *ref)
{
	struct vacc_storage *storage = container_of(ref, struct vacc_storage,
						    ref);

	vunmap(storage->map);
	vacc_storage_free_pages(storage);
	vacc_quota_uncharge(storage->dev, storage->bytes);
	vacc_device_put(storage->dev);
	kfree(storage);
}

/**
 * vacc_storage_get() - keep storage
 * @storage: the storage
 *
 * Context: any.
 */
void vacc_storage_get(struct vacc_storage *storage)
{
	kref_get(&storage->ref);
}

/**
 * vacc_storage_put() - let go of storage
 * @storage: the storage
 *
 * Context: may sleep.
 */
void vacc_storage_put(struct vacc_storage *storage)
{
	kref_put(&storage->ref, vacc_storage_free);
}

/* A large page, and with it all of the smaller orders, may well not be there. */
static gfp_t vacc_storage_gfp(unsigned int order)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_HIGHMEM |
		    __GFP_NOWARN;

	return gfp | (order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL);
}

/*
 * As many pages in a row as there may be, single ones from then on: each has its own life
 * in mappings and with who pins it.  Where there are none, the next are of a smaller order.
 */
static bool vacc_storage_alloc_run(struct vacc_storage *storage,
				   unsigned int *order)
{
	struct page *page;
	unsigned long i;

	while (!(page = alloc_pages(vacc_storage_gfp(*order), *order)))
		if (!(*order)--)
			return false;
	split_page(page, *order);
	for (i = 0; i < 1UL << *order; i++)
		storage->pages[storage->page_count++] = page + i;
	return true;
}

static int vacc_storage_alloc_pages(struct vacc_storage *storage,
				    unsigned long count)
{
	unsigned int order = VACC_STORAGE_ORDER;

	storage->pages = kvcalloc(count, sizeof(*storage->pages),
				  GFP_KERNEL_ACCOUNT);
	if (!storage->pages)
		return -ENOMEM;
	while (storage->page_count < count) {
		order = min_t(unsigned int, order,
			      ilog2(count - storage->page_count));
		if (fatal_signal_pending(current) ||
		    !vacc_storage_alloc_run(storage, &order)) {
			vacc_storage_free_pages(storage);
			return fatal_signal_pending(current) ? -EINTR : -ENOMEM;
		}
		cond_resched();
	}
	return 0;
}

/* Maps the pages and finds the first address that is aligned in the mapping. */
static int vacc_storage_map(struct vacc_storage *storage, u64 alignment)
{
	unsigned long start;

	storage->map = vmap(storage->pages, storage->page_count, VM_MAP,
			    PAGE_KERNEL);
	if (!storage->map)
		return -ENOMEM;
	start = ALIGN((unsigned long)storage->map, (unsigned long)alignment);
	storage->first = (start - (unsigned long)storage->map) >> PAGE_SHIFT;
	storage->memory = (void *)start;
	return 0;
}

/**
 * vacc_storage_create() - allocate zeroed memory
 * @call: the call
 * @bytes: how many, within the device's limit
 * @alignment: of the address that the device sees, a power of two; a larger one than a
 *	page costs as much again as it is large
 *
 * Context: process, holding no lock.
 * Return: the storage, or an error pointer: -ENOSPC, -EAGAIN, -EINTR, -ENODEV of the
 * quota; -ENOMEM.
 */
struct vacc_storage *vacc_storage_create(struct vacc_call *call, u64 bytes,
					 u64 alignment)
{
	u64 total = PAGE_ALIGN(bytes);
	struct vacc_storage *storage;
	int err;

	if (alignment > PAGE_SIZE)
		total += alignment - PAGE_SIZE;
	else
		alignment = PAGE_SIZE;
	if (total > LONG_MAX)
		return ERR_PTR(vacc_fail(call, -ENOSPC,
					 "the buffer is larger than this machine's addresses"));
	storage = kzalloc(sizeof(*storage), GFP_KERNEL_ACCOUNT);
	if (!storage)
		return ERR_PTR(-ENOMEM);
	kref_init(&storage->ref);
	err = vacc_quota_charge(call, total,
				"the buffer does not fit max_total_bytes");
	if (err)
		goto err_free;
	err = vacc_storage_alloc_pages(storage, total >> PAGE_SHIFT);
	if (err)
		goto err_uncharge;
	err = vacc_storage_map(storage, alignment);
	if (err)
		goto err_pages;
	storage->bytes = total;
	storage->dev = call->dev;
	kref_get(&storage->dev->ref);
	return storage;

err_pages:
	vacc_storage_free_pages(storage);
err_uncharge:
	vacc_quota_uncharge(call->dev, total);
err_free:
	kfree(storage);
	return ERR_PTR(err);
}
