// SPDX-License-Identifier: GPL-2.0
/*
 * BUFFER_WRITE and BUFFER_READ.
 *
 * The backend never sees user memory: large pieces are pinned, small ones go through a
 * bounce buffer.  Both happen before the registration lock is taken, so that a page that
 * does not come cannot stall an unplug.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat.h"
#include "core.h"

#define VACC_BOUNCE_BYTES	SZ_64K
/* With a frame's header they are no longer than the longest frame: one where one can be. */
#define VACC_PIN_PAGES		((SZ_16M >> PAGE_SHIFT) - 1)
#define VACC_PIN_BYTES		((u64)VACC_PIN_PAGES << PAGE_SHIFT)
#define VACC_PIN_DEVICE_BYTES	SZ_64M

/**
 * struct vacc_transfer - a transfer under way
 * @call: the call
 * @buffer: the buffer
 * @iov: pieces of the caller's memory that are left; the first is consumed from its front
 * @iov_count: how many
 * @offset: next byte in the buffer
 * @left: bytes that are left
 * @write: into the buffer
 * @bounce: pages in a row, or NULL before they are needed
 * @bounce_bytes: their length
 * @pages: VACC_PIN_PAGES pointers, or NULL before they are needed
 * @bvec: as many, likewise
 */
struct vacc_transfer {
	struct vacc_call *call;
	struct vacc_buffer *buffer;
	struct vacc_iov *iov;
	u32 iov_count;
	u64 offset;
	u64 left;
	bool write;
	struct page *bounce;
	size_t bounce_bytes;
	struct page **pages;
	struct bio_vec *bvec;
};

static int vacc_transfer_backend(struct vacc_transfer *transfer,
				 struct iov_iter *iter)
{
	struct vacc_device *dev = transfer->call->dev;
	void *buffer = transfer->buffer->obj.backend;
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);
	u64 offset = transfer->offset;
	u16 status;

	if (!ops)
		return vacc_device_error(dev);
	if (transfer->write)
		status = ops->buffer_write(dev->priv, buffer, offset, iter);
	else
		status = ops->buffer_read(dev->priv, buffer, offset, iter);
	vacc_device_exit(dev);
	/* What was not moved must not be taken for data. */
	if (status == VIRTIO_ACCEL_S_OK && iov_iter_count(iter))
		status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	return vacc_errno(status);
}

static void vacc_transfer_consume(struct vacc_transfer *transfer, size_t bytes)
{
	transfer->iov->addr += bytes;
	transfer->iov->len -= bytes;
	while (transfer->iov_count && !transfer->iov->len) {
		transfer->iov++;
		transfer->iov_count--;
	}
}

/* Copies between the bounce buffer and as many pieces as it takes. */
static int vacc_transfer_user(struct vacc_transfer *transfer, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		void __user *user = u64_to_user_ptr(transfer->iov->addr);
		size_t part = min_t(u64, bytes - done, transfer->iov->len);
		void *bounce = page_address(transfer->bounce) + done;
		unsigned long missed;

		/* Of a kernel with shorter addresses than the interface has. */
		if (transfer->iov->addr > ULONG_MAX)
			return -EFAULT;
		if (transfer->write)
			missed = copy_from_user(bounce, user, part);
		else
			missed = copy_to_user(user, bounce, part);
		if (missed)
			return -EFAULT;
		vacc_transfer_consume(transfer, part);
		done += part;
	}
	return 0;
}

/* The next bytes, up to a piece that is worth pinning. */
static size_t vacc_transfer_bounce_bytes(const struct vacc_transfer *transfer)
{
	size_t room = transfer->bounce_bytes;
	size_t bytes = 0;
	u32 i;

	for (i = 0; i < transfer->iov_count; i++) {
		u64 len = transfer->iov[i].len;

		if (i && len >= VACC_BOUNCE_BYTES)
			break;
		if (len >= room - bytes)
			return room;
		bytes += len;
	}
	return bytes;
}

/*
 * Whole pages: a device that is late may hold them longer than the call.  Zeroed: what
 * it does not write must not be anybody's.
 */
static int vacc_transfer_alloc_bounce(struct vacc_transfer *transfer)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;
	unsigned int order = get_order(min_t(u64, transfer->left,
					     VACC_BOUNCE_BYTES));

	transfer->bounce = alloc_pages(gfp | __GFP_COMP | __GFP_NORETRY |
				       __GFP_NOWARN, order);
	if (!transfer->bounce && order) {
		order = 0;
		transfer->bounce = alloc_page(gfp);
	}
	transfer->bounce_bytes = PAGE_SIZE << order;
	return transfer->bounce ? 0 : -ENOMEM;
}

static int vacc_transfer_bounce(struct vacc_transfer *transfer, size_t *moved)
{
	struct iov_iter iter;
	struct bio_vec bvec;
	int err = 0;

	if (!transfer->bounce)
		err = vacc_transfer_alloc_bounce(transfer);
	if (err)
		return err;
	bvec.bv_page = transfer->bounce;
	bvec.bv_offset = 0;
	bvec.bv_len = vacc_transfer_bounce_bytes(transfer);
	iov_iter_bvec(&iter, transfer->write ? ITER_SOURCE : ITER_DEST, &bvec,
		      1, bvec.bv_len);
	*moved = bvec.bv_len;
	if (transfer->write) {
		err = vacc_transfer_user(transfer, bvec.bv_len);
		return err ? err : vacc_transfer_backend(transfer, &iter);
	}
	err = vacc_transfer_backend(transfer, &iter);
	return err ? err : vacc_transfer_user(transfer, bvec.bv_len);
}

static bool vacc_transfer_reserve_pins(struct vacc_device *dev, size_t bytes)
{
	if (atomic64_add_return(bytes, &dev->pinned) <= VACC_PIN_DEVICE_BYTES)
		return true;
	atomic64_sub(bytes, &dev->pinned);
	return false;
}

static bool vacc_transfer_alloc_pins(struct vacc_transfer *transfer)
{
	if (!transfer->pages)
		transfer->pages = kvcalloc(VACC_PIN_PAGES,
					   sizeof(*transfer->pages),
					   GFP_KERNEL_ACCOUNT);
	if (!transfer->bvec)
		transfer->bvec = kvcalloc(VACC_PIN_PAGES,
					  sizeof(*transfer->bvec),
					  GFP_KERNEL_ACCOUNT);
	return transfer->pages && transfer->bvec;
}

/* One segment a page; returns the bytes that the pages hold. */
static size_t vacc_transfer_fill_bvec(struct vacc_transfer *transfer, int count,
				      size_t offset, size_t bytes)
{
	size_t filled = 0;
	int i;

	for (i = 0; i < count; i++) {
		size_t part = min_t(size_t, bytes - filled, PAGE_SIZE - offset);

		transfer->bvec[i].bv_page = transfer->pages[i];
		transfer->bvec[i].bv_offset = offset;
		transfer->bvec[i].bv_len = part;
		filled += part;
		offset = 0;
	}
	return filled;
}

/*
 * Moves up to VACC_PIN_BYTES of the first piece through pinned pages.  Moves nothing, and
 * returns 0, where pinning is not possible: bouncing finds the precise error.
 */
static int vacc_transfer_pinned(struct vacc_transfer *transfer, size_t *moved)
{
	unsigned long addr = transfer->iov->addr;
	size_t offset = offset_in_page(addr);
	size_t bytes = min_t(u64, transfer->iov->len, VACC_PIN_BYTES - offset);
	int pages = DIV_ROUND_UP(offset + bytes, PAGE_SIZE);
	unsigned int flags = transfer->write ? 0 : FOLL_WRITE;
	struct iov_iter iter;
	int err = 0;
	int pinned;

	*moved = 0;
	if (transfer->iov->addr > ULONG_MAX ||
	    !vacc_transfer_alloc_pins(transfer))
		return 0;
	pinned = pin_user_pages_fast(addr, pages, flags, transfer->pages);
	if (pinned <= 0)
		return 0;
	bytes = vacc_transfer_fill_bvec(transfer, pinned, offset, bytes);
	iov_iter_bvec(&iter, transfer->write ? ITER_SOURCE : ITER_DEST,
		      transfer->bvec, pinned, bytes);
	err = vacc_transfer_backend(transfer, &iter);
	unpin_user_pages_dirty_lock(transfer->pages, pinned, !transfer->write);
	if (!err) {
		vacc_transfer_consume(transfer, bytes);
		*moved = bytes;
	}
	return err;
}

static int vacc_transfer_try_pinned(struct vacc_transfer *transfer,
				    size_t *moved)
{
	struct vacc_device *dev = transfer->call->dev;
	size_t bytes = min_t(u64, transfer->iov->len, VACC_PIN_BYTES);
	int err;

	*moved = 0;
	if (bytes < VACC_BOUNCE_BYTES || !vacc_transfer_reserve_pins(dev, bytes))
		return 0;
	err = vacc_transfer_pinned(transfer, moved);
	atomic64_sub(bytes, &dev->pinned);
	return err;
}

static int vacc_transfer_run(struct vacc_transfer *transfer)
{
	size_t moved;
	int err;

	vacc_transfer_consume(transfer, 0);
	while (transfer->left) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = vacc_transfer_try_pinned(transfer, &moved);
		if (!err && !moved)
			err = vacc_transfer_bounce(transfer, &moved);
		if (err)
			return err;
		transfer->offset += moved;
		transfer->left -= moved;
		cond_resched();
	}
	return 0;
}

static int vacc_transfer_check(struct vacc_transfer *transfer, u32 element_type)
{
	struct vacc_buffer *buffer = transfer->buffer;
	struct vacc_call *call = transfer->call;
	u32 usage = transfer->write ? VIRTIO_ACCEL_USAGE_TRANSFER_DST :
				      VIRTIO_ACCEL_USAGE_TRANSFER_SRC;

	if (transfer->offset > buffer->bytes ||
	    transfer->left > buffer->bytes - transfer->offset)
		return vacc_fail(call, -ERANGE, "the range leaves the buffer");
	if (!(buffer->usage & usage))
		return vacc_fail(call, -EACCES,
				 "the buffer's usage does not allow this transfer");
	if (element_type && buffer->element_type &&
	    element_type != buffer->element_type)
		return vacc_fail(call, -EINVAL,
				 "the buffer has another element type");
	return 0;
}

/* Adds up the pieces; a sum that overflows is outside of every buffer. */
static u64 vacc_transfer_total(const struct vacc_iov *iov, u32 count)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < count; i++)
		if (check_add_overflow(total, iov[i].len, &total))
			return U64_MAX;
	return total;
}

static int vacc_transfer_buffer(struct vacc_transfer *transfer,
				const struct vacc_buffer_transfer *arg)
{
	struct vacc_call *call = transfer->call;
	struct vacc_obj *obj;
	int err;

	obj = vacc_obj_get(call, arg->buffer, VACC_KIND_BUFFER);
	if (!obj)
		return vacc_fail(call, -ENOENT, "no such buffer in this file");
	transfer->buffer = container_of(obj, struct vacc_buffer, obj);
	err = vacc_transfer_check(transfer, arg->element_type);
	if (!err)
		err = vacc_transfer_run(transfer);
	vacc_obj_put(obj);
	return err;
}

static int vacc_transfer_iov(struct vacc_transfer *transfer,
			     const struct vacc_buffer_transfer *arg)
{
	u64 total = vacc_transfer_total(transfer->iov, arg->iov.count);
	atomic64_t *counter;
	int err;

	if (!total)
		return vacc_fail(transfer->call, -EINVAL,
				 "a transfer cannot be empty");
	transfer->iov_count = arg->iov.count;
	transfer->offset = arg->offset;
	transfer->left = total;
	err = vacc_transfer_buffer(transfer, arg);
	if (transfer->bounce)
		put_page(transfer->bounce);
	kvfree(transfer->pages);
	kvfree(transfer->bvec);
	if (err)
		return err;
	counter = transfer->write ? &transfer->call->dev->written_bytes :
				    &transfer->call->dev->read_bytes;
	atomic64_add(total, counter);
	return 0;
}

static int vacc_transfer_do(struct vacc_call *call,
			    const struct vacc_buffer_transfer *arg, bool write)
{
	struct vacc_transfer transfer = { .call = call, .write = write };
	struct vacc_iov *iov;
	int err;

	if (arg->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (arg->element_type >= VACC_TYPE_COUNT)
		return vacc_fail(call, -EINVAL, "no such element type");
	if (!arg->iov.count || arg->iov.count > VACC_MAX_IOV)
		return vacc_fail(call, -EINVAL, "1 to 1024 pieces");
	iov = kvmalloc_array(arg->iov.count, sizeof(*iov), GFP_KERNEL_ACCOUNT);
	if (!iov)
		return -ENOMEM;
	transfer.iov = iov;
	err = vacc_copy_array_in(&arg->iov, iov, sizeof(*iov), sizeof(*iov));
	if (!err)
		err = vacc_transfer_iov(&transfer, arg);
	kvfree(iov);
	return err;
}

/**
 * vacc_buffer_write() - VACC_BUFFER_WRITE
 * @call: the call
 * @arg: struct vacc_buffer_transfer
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP, -EINVAL, -ENOENT, -ERANGE, -EACCES; -EFAULT; -ENOMEM; -EINTR when
 * killed; -ENODEV; or what the backend says.
 */
int vacc_buffer_write(struct vacc_call *call, void *arg)
{
	return vacc_transfer_do(call, arg, true);
}

/**
 * vacc_buffer_read() - VACC_BUFFER_READ
 * @call: the call
 * @arg: struct vacc_buffer_transfer
 *
 * Context: process.
 * Return: as vacc_buffer_write().
 */
int vacc_buffer_read(struct vacc_call *call, void *arg)
{
	return vacc_transfer_do(call, arg, false);
}
