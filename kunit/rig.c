// SPDX-License-Identifier: GPL-2.0
/*
 * What tests stand on.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "rig.h"

/*
 * For an mm of the test's own.  What MODULE_IMPORT_NS() stands for in every version,
 * while its argument has become a string.
 */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");

/*
 * User memory for the task that runs the test.  kunit_vm_mmap() would do as much, but
 * keeps a reference to the mm for ever, which is a leak to be found for each test.
 */
static void rig_attach_mm(struct rig *rig)
{
	struct mm_struct *mm;

	KUNIT_ASSERT_NULL(rig->test, current->mm);
	mm = mm_alloc();
	KUNIT_ASSERT_NOT_NULL(rig->test, mm);
	mm->task_size = TASK_SIZE;
	arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
	kthread_use_mm(mm);
	/* From here on the task is a user of it like any other, and drops it at exit. */
	mmdrop(mm);
}

static unsigned long rig_mmap(struct rig *rig, struct file *filp,
			      unsigned long bytes, unsigned long prot,
			      unsigned long flags)
{
	unsigned long addr = vm_mmap(filp, 0, bytes, prot, flags, 0);

	KUNIT_ASSERT_FALSE(rig->test, IS_ERR_VALUE(addr));
	return addr;
}

static void rig_map_user(struct rig *rig)
{
	struct kunit *test = rig->test;

	rig_attach_mm(rig);
	rig->user = rig_mmap(rig, NULL, RIG_USER_BYTES, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE);
	rig->twin = shmem_file_setup("virtio_accel_kunit", PAGE_SIZE,
				     VM_NORESERVE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rig->twin));
	rig->twin_rw = rig_mmap(rig, rig->twin, PAGE_SIZE,
				PROT_READ | PROT_WRITE, MAP_SHARED);
	rig->twin_ro = rig_mmap(rig, rig->twin, PAGE_SIZE, PROT_READ,
				MAP_SHARED);
}

static void rig_later_work(struct work_struct *work)
{
	struct rig *rig = container_of(work, struct rig, later);

	rig->later_fn(rig);
}

/* A rig whose fake may still be changed: rig_register() comes next. */
int rig_init_bare(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	if (!rig)
		return -ENOMEM;
	rig->test = test;
	test->priv = rig;
	fake_init(&rig->fake);
	INIT_WORK(&rig->later, rig_later_work);
	rig_map_user(rig);
	return 0;
}

int rig_init(struct kunit *test)
{
	int err = rig_init_bare(test);

	if (err)
		return err;
	rig_register(test->priv);
	return 0;
}

void rig_register(struct rig *rig)
{
	struct vacc_device *dev;

	dev = vacc_device_register(NULL, "the parent of a fake accelerator",
				   &rig->fake.info, &rig->fake.ops, &rig->fake);
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(dev));
	/* Kept to look at it after it was unregistered. */
	kref_get(&dev->ref);
	rig->fake.dev = dev;
	rig_open(rig, 0);
}

void rig_unregister(struct rig *rig)
{
	rig->unregistered = true;
	vacc_device_unregister(rig->fake.dev);
}

void rig_lose(struct rig *rig)
{
	rig->unregistered = true;
	vacc_device_lose(rig->fake.dev);
}

/* What misc_open() and the file operations make of an open(2). */
struct file *rig_open(struct rig *rig, unsigned int index)
{
	struct kunit *test = rig->test;
	struct file *filp;
	int err;

	filp = anon_inode_getfile("virtio_accel_kunit", &vacc_fops,
				  &rig->fake.dev->misc, O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filp));
	err = vacc_fops.open(file_inode(filp), filp);
	KUNIT_ASSERT_EQ(test, err, 0);
	rig->file[index] = filp;
	return filp;
}

/* The last reference: release() is called before this returns. */
void rig_close(struct rig *rig, unsigned int index)
{
	struct file *filp = rig->file[index];

	rig->file[index] = NULL;
	__fput_sync(filp);
}

static bool rig_settled(struct vacc_device *dev)
{
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		if (atomic_read(&dev->zombie[kind]))
			return false;
	return true;
}

/* What runs on one of the workqueues may put something on the other. */
void rig_flush(void)
{
	int turns = 4;

	while (turns--) {
		flush_workqueue(vacc_wq);
		flush_workqueue(vacc_slow_wq);
		flush_workqueue(vacc_reset_wq);
	}
}

/* Waits for what runs on the workqueues, and what that puts there. */
void rig_settle(struct rig *rig)
{
	int turns = 8;

	do {
		flush_delayed_fput();
		rig_flush();
	} while (!rig_settled(rig->fake.dev) && --turns);
	rig_flush();
}

/*
 * Calls a function from another task.  On one CPU that is when this task sleeps, for
 * which it is meant: what the test waits for next, this makes happen.
 */
void rig_later(struct rig *rig, void (*fn)(struct rig *rig))
{
	flush_work(&rig->later);
	rig->later_fn = fn;
	schedule_work(&rig->later);
}

static void rig_check_end(struct rig *rig)
{
	struct vacc_device *dev = rig->fake.dev;
	struct kunit *test = rig->test;
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&dev->live[kind]), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&dev->zombie[kind]), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->pinned), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->contexts), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&dev->queues));
	KUNIT_EXPECT_EQ(test, kref_read(&dev->ref), 1);
	KUNIT_EXPECT_EQ(test, rig->fake.misuses, 0);
	KUNIT_EXPECT_EQ(test, rig->fake.prepared, 0);
	KUNIT_EXPECT_EQ(test, rig_nodes, 0);
}

static void rig_end_device(struct rig *rig)
{
	bool was_gone = rig->unregistered;
	int kind;

	rig_settle(rig);
	if (!was_gone)
		rig_unregister(rig);
	rig_settle(rig);
	for (kind = 0; kind < VACC_KIND_COUNT && !was_gone; kind++)
		KUNIT_EXPECT_EQ(rig->test, rig->fake.live[kind], 0);
	if (!rig->dirty)
		rig_check_end(rig);
	fake_cleanup(&rig->fake);
	vacc_device_put(rig->fake.dev);
}

/* Nothing may be left of a test, whatever it did. */
void rig_exit(struct kunit *test)
{
	struct rig *rig = test->priv;
	int i;

	if (!rig)
		return;
	flush_work(&rig->later);
	rig->fake.hook = NULL;
	rig->fake.executing = false;
	for (i = 0; i < RIG_FILES; i++)
		if (rig->file[i])
			rig_close(rig, i);
	if (!IS_ERR_OR_NULL(rig->twin))
		fput(rig->twin);
	if (rig->fake.dev)
		rig_end_device(rig);
	rig_quota_reset();
	rig_node_error = 0;
}

void rig_put(struct rig *rig, unsigned long where, const void *from,
	     size_t bytes)
{
	unsigned long missed = copy_to_user((void __user *)(rig->user + where),
					    from, bytes);

	KUNIT_ASSERT_EQ(rig->test, missed, 0);
}

void rig_get(struct rig *rig, unsigned long where, void *to, size_t bytes)
{
	unsigned long missed = copy_from_user(to,
					      (void __user *)(rig->user + where),
					      bytes);

	KUNIT_ASSERT_EQ(rig->test, missed, 0);
}

long rig_ioctl_at(struct rig *rig, struct file *filp, unsigned int cmd,
		  unsigned long uarg)
{
	return filp->f_op->unlocked_ioctl(filp, cmd, uarg);
}

/* The argument goes through user memory and comes back. */
long rig_ioctl_file(struct rig *rig, struct file *filp, unsigned int cmd,
		    void *arg, u32 bytes)
{
	long ret;

	memcpy(arg, &bytes, sizeof(bytes));
	rig_put(rig, RIG_ARG, arg, bytes);
	ret = rig_ioctl_at(rig, filp, cmd, rig->user + RIG_ARG);
	rig_get(rig, RIG_ARG, arg, bytes);
	return ret;
}

struct vacc_array rig_array(struct rig *rig, unsigned long where, u32 count,
			    u32 stride)
{
	return (struct vacc_array){ count, stride, rig->user + where };
}

long rig_handle_call(struct rig *rig, unsigned int cmd, u32 handle)
{
	struct vacc_handle_arg arg = { .handle = handle };

	return RIG_CALL(rig, cmd, &arg);
}

u32 rig_context(struct rig *rig)
{
	struct vacc_context_create arg = {};

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &arg), 0);
	return arg.handle;
}

u32 rig_buffer_usage(struct rig *rig, u32 context, u64 bytes, u32 usage)
{
	struct vacc_buffer_create arg = {
		.context = context,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = usage,
		.bytes = bytes,
		.alignment = 1,
	};

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_BUFFER_CREATE, &arg), 0);
	return arg.handle;
}

u32 rig_buffer(struct rig *rig, u32 context)
{
	return rig_buffer_usage(rig, context, RIG_BUFFER_BYTES, RIG_USAGE_ALL);
}

u32 rig_program(struct rig *rig, u32 context)
{
	struct vacc_program_load arg = {
		.context = context,
		.format = VACC_REF_FORMAT,
		.payload = rig->user + RIG_DATA,
		.payload_bytes = 24,
		.resident_bytes = 64,
	};

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &arg), 0);
	return arg.handle;
}

u32 rig_queue(struct rig *rig, u32 context)
{
	struct vacc_queue_create arg = { .context = context };

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_QUEUE_CREATE, &arg), 0);
	return arg.handle;
}

void rig_bench(struct rig *rig, struct rig_bench *bench)
{
	bench->context = rig_context(rig);
	bench->queue = rig_queue(rig, bench->context);
	bench->program = rig_program(rig, bench->context);
	bench->buffer = rig_buffer(rig, bench->context);
}

/* Fills in what is zero; one binding of the whole buffer unless there is an array. */
long rig_submit(struct rig *rig, const struct rig_bench *bench,
		struct vacc_submit *submit)
{
	struct vacc_binding binding = {
		.buffer = bench->buffer,
		.access = VIRTIO_ACCEL_ACCESS_READ_WRITE,
		.bytes = RIG_BUFFER_BYTES,
	};

	submit->queue = submit->queue ? submit->queue : bench->queue;
	submit->program = submit->program ? submit->program : bench->program;
	if (!submit->bindings.ptr) {
		rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
		submit->bindings = rig_array(rig, RIG_ARRAY, 1,
					     sizeof(binding));
	}
	return RIG_CALL(rig, VACC_SUBMIT, submit);
}

u32 rig_event(struct rig *rig, const struct rig_bench *bench)
{
	struct vacc_submit submit = {};

	KUNIT_ASSERT_EQ(rig->test, rig_submit(rig, bench, &submit), 0);
	KUNIT_ASSERT_EQ(rig->test, submit.admission, (u32)VACC_ACCEPTED);
	return submit.event;
}

void rig_call(struct rig *rig, struct vacc_call *call)
{
	*call = (struct vacc_call){
		.file = rig_file(rig, 0),
		.dev = rig->fake.dev,
		.fd = -1,
	};
}

/* With a reference, for vacc_event_put(). */
struct vacc_event *rig_event_of(struct rig *rig, u32 handle)
{
	struct vacc_event *event;
	struct vacc_call call;

	rig_call(rig, &call);
	event = vacc_event_get(&call, handle);
	KUNIT_ASSERT_NOT_NULL(rig->test, event);
	return event;
}

/* What a handle names, without a use. */
struct vacc_obj *rig_obj(struct rig *rig, u32 handle)
{
	return xa_load(&rig_file(rig, 0)->objects, handle);
}

struct vacc_file *rig_file(struct rig *rig, unsigned int index)
{
	return rig->file[index]->private_data;
}

void rig_query(struct rig *rig, u32 event, struct vacc_event_query *query)
{
	memset(query, 0, sizeof(*query));
	query->handle = event;
	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_EVENT_QUERY, query), 0);
}

void rig_queue_query(struct rig *rig, u32 queue, struct vacc_queue_query *query)
{
	memset(query, 0, sizeof(*query));
	query->handle = queue;
	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_QUEUE_QUERY, query), 0);
}

void rig_stats(struct rig *rig, struct vacc_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_STATS, stats), 0);
}
