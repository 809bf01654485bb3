// SPDX-License-Identifier: GPL-2.0
/*
 * mmap(2) of buffers.
 *
 * Each mappable buffer has a range of page offsets of its own in its file.  A mapping
 * gets all its pages at once and keeps the storage, so that it stays valid memory when
 * the buffer, the device or the file descriptor is gone.
 */
#include <linux/mm.h>

#include "compat.h"
#include "core.h"

/* Offset 0 is "cannot be mapped"; offsets fit 32 bits of pages for 32-bit callers. */
#define VACC_MAP_MIN	1UL
#define VACC_MAP_MAX	((unsigned long)U32_MAX)

static unsigned long vacc_map_pages_of(const struct vacc_buffer *buffer)
{
	return PAGE_ALIGN(buffer->bytes) >> PAGE_SHIFT;
}

/* Not mtree_alloc_range(): on 6.1 its answer for an empty tree is no error code. */
static int vacc_map_find_range(struct vacc_file *file, unsigned long pages,
			       unsigned long *first)
{
	MA_STATE(mas, &file->maps, 0, 0);
	int err;

	lockdep_assert_held(&file->maps_lock);
	mas_lock(&mas);
	err = mas_empty_area(&mas, VACC_MAP_MIN, VACC_MAP_MAX, pages);
	*first = mas.index;
	mas_unlock(&mas);
	return err;
}

/**
 * vacc_map_reserve() - give a buffer a range of page offsets
 * @buffer: the buffer, not published yet, with storage
 *
 * Context: process.
 * Return: 0, -ENOSPC where no range is free, -ENOMEM.
 */
int vacc_map_reserve(struct vacc_buffer *buffer)
{
	struct vacc_file *file = buffer->obj.file;
	unsigned long pages = vacc_map_pages_of(buffer);
	unsigned long first;
	int err;

	mutex_lock(&file->maps_lock);
	err = vacc_map_find_range(file, pages, &first);
	if (!err)
		err = mtree_store_range(&file->maps, first, first + pages - 1,
					buffer, GFP_KERNEL);
	if (!err)
		buffer->map_index = first;
	mutex_unlock(&file->maps_lock);
	return err == -EBUSY ? -ENOSPC : err;
}

/**
 * vacc_map_unreserve() - give the range back
 * @buffer: the buffer, not published any more
 *
 * Context: process.
 */
void vacc_map_unreserve(struct vacc_buffer *buffer)
{
	struct vacc_file *file = buffer->obj.file;

	if (!buffer->map_index)
		return;
	mutex_lock(&file->maps_lock);
	mtree_erase(&file->maps, buffer->map_index);
	mutex_unlock(&file->maps_lock);
}

/*
 * A buffer leaves @maps before it is freed: what is found here is memory until @maps_lock
 * is dropped.  The tree's own lock would not do, as who only reads does not take it.
 */
static struct vacc_buffer *vacc_map_find(struct vacc_file *file,
					 unsigned long index)
{
	struct vacc_buffer *buffer;

	mutex_lock(&file->maps_lock);
	buffer = mtree_load(&file->maps, index);
	xa_lock_irq(&file->objects);
	if (buffer && !buffer->obj.ready)
		buffer = NULL;
	if (buffer)
		atomic_inc(&buffer->obj.users);
	xa_unlock_irq(&file->objects);
	mutex_unlock(&file->maps_lock);
	return buffer;
}

static void vacc_vma_open(struct vm_area_struct *vma)
{
	vacc_storage_get(vma->vm_private_data);
}

static void vacc_vma_close(struct vm_area_struct *vma)
{
	vacc_storage_put(vma->vm_private_data);
}

/* No fault handler: a page that is not there was never the mapping's. */
static const struct vm_operations_struct vacc_vm_ops = {
	.open = vacc_vma_open,
	.close = vacc_vma_close,
};

static int vacc_map_check(const struct vacc_buffer *buffer,
			  struct vm_area_struct *vma)
{
	unsigned long first = vma->vm_pgoff - buffer->map_index;

	if (vma_pages(vma) > vacc_map_pages_of(buffer) - first)
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	if ((buffer->flags & VACC_BUFFER_NO_WRITE_MAP) &&
	    (vma->vm_flags & VM_WRITE))
		return -EACCES;
	return 0;
}

static int vacc_map_mark_written(pte_t *pte, unsigned long addr, void *mm)
{
	set_pte_at(mm, addr, pte, pte_mkdirty(pte_mkyoung(ptep_get(pte))));
	return 0;
}

/*
 * Where it is not the processor that notes in the page table what was written, but the
 * kernel, the first write to each page would be a fault.
 */
static int vacc_map_expect_writes(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_WRITE))
		return 0;
	return apply_to_page_range(vma->vm_mm, vma->vm_start,
				   vma->vm_end - vma->vm_start,
				   vacc_map_mark_written, vma->vm_mm);
}

/* What mprotect(2) may make writable counts, too. */
static int vacc_map_expose(struct vacc_buffer *buffer,
			   const struct vm_area_struct *vma)
{
	struct vacc_device *dev = buffer->obj.file->dev;
	const struct vacc_backend_ops *ops;

	if ((buffer->flags & VACC_BUFFER_NO_WRITE_MAP) ||
	    !(vma->vm_flags & VM_MAYWRITE))
		return 0;
	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	if (ops->buffer_expose)
		ops->buffer_expose(dev->priv, buffer->obj.backend);
	vacc_device_exit(dev);
	return 0;
}

static int vacc_map_insert(struct vacc_buffer *buffer,
			   struct vm_area_struct *vma)
{
	struct vacc_storage *storage = buffer->storage;
	unsigned long first = storage->first + vma->vm_pgoff -
			      buffer->map_index;
	vm_flags_t clear = VM_MAYEXEC;
	unsigned long count = vma_pages(vma);
	int err;

	if (buffer->flags & VACC_BUFFER_NO_WRITE_MAP)
		clear |= VM_MAYWRITE;
	vacc_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, clear);
	err = vm_insert_pages(vma, vma->vm_start, &storage->pages[first],
			      &count);
	if (!err)
		err = vacc_map_expect_writes(vma);
	if (err)
		return err;
	vacc_storage_get(storage);
	vma->vm_private_data = storage;
	vma->vm_ops = &vacc_vm_ops;
	return 0;
}

/**
 * vacc_mmap() - mmap(2)
 * @filp: the open file
 * @vma: what is to be mapped, at the offset that the buffer reported
 *
 * Context: process, under mmap_lock, which is outside all locks of ours.
 * Return: 0; -EOPNOTSUPP where the backend has no mappings; -EINVAL for a bad offset or
 * length, for MAP_PRIVATE and for PROT_EXEC; -EACCES for PROT_WRITE where the buffer
 * refuses it; -ENODEV; -ENOMEM.
 */
int vacc_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct vacc_file *file = filp->private_data;
	struct vacc_buffer *buffer;
	int err;

	if (vacc_device_dead(file->dev))
		return vacc_device_error(file->dev);
	if (!(file->dev->info.features & VACC_FEATURE_MMAP))
		return -EOPNOTSUPP;
	buffer = vacc_map_find(file, vma->vm_pgoff);
	if (!buffer)
		return -EINVAL;
	err = vacc_map_check(buffer, vma);
	if (!err)
		err = vacc_map_expose(buffer, vma);
	if (!err)
		err = vacc_map_insert(buffer, vma);
	vacc_obj_put(&buffer->obj);
	return err;
}
