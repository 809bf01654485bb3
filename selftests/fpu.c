// SPDX-License-Identifier: GPL-2.0
/*
 * Dense linear uses vector registers in the kernel, and nobody's in userspace: what
 * processes hold in theirs stays, and how they round does not matter to the results.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "registers.h"
#include "vacc_test.h"

#define ROWS	5
#define TERMS	100
#define OUTPUTS	33

/* More than is done in the caller. */
#define FILL	(256 << 10)

/* Products of a section, and of the block that it ends with: see mock/engine/simd. */
#define SECTION_MACS	((4 << 20) + (384 + 128) * 128 * (8 + 14))

/* A product with everything that it needs, twice: for the caller and for workers. */
struct product {
	int fd;
	__u32 queue;
	__u32 program, in, weight, out, fill;
	struct vacc_binding bind[4];
	unsigned int bindings;
	__u16 want[ROWS * OUTPUTS];
};

static __u32 random_word(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 32;
}

/* Any patterns at all, or numbers whose sums are rounded at nearly every term. */
static void matrix(__u16 *m, unsigned int count, bool wild, __u64 seed)
{
	while (count--)
		*m++ = wild ? random_word(&seed) :
		       (random_word(&seed) & 0x83ff) | (9 + random_word(&seed) % 10) << 10;
}

static int make(struct product *p, int fd, __u32 context, __u32 queue, bool wild, bool worker)
{
	static __u16 in[ROWS * TERMS], weight[OUTPUTS * TERMS];
	struct vt_batch b = {};
	int r;

	matrix(in, ROWS * TERMS, wild, 1);
	matrix(weight, OUTPUTS * TERMS, wild, 2);
	vt_linear(in, weight, p->want, ROWS, TERMS, OUTPUTS);
	vt_batch_slot(&b, 0, VT_READ, sizeof(in));
	vt_batch_slot(&b, 1, VT_READ, sizeof(weight));
	vt_batch_slot(&b, 2, VT_WRITE, sizeof(p->want));
	if (worker) {
		vt_batch_slot(&b, 3, VT_WRITE, FILL);
		vt_batch_set(&b, VACC_BATCH_OP_FILL, 3, 0, FILL, 0x5a);
	}
	vt_batch_launch(&b, 0, 1, 2, ROWS, TERMS, OUTPUTS);
	vt_batch_linear(&b, 0, 1);
	p->fd = fd;
	p->queue = queue;
	r = vt_load_batch(fd, context, &b, &p->program) ?:
	    vt_buffer(fd, context, sizeof(in), VT_USAGE_ALL, &p->in) ?:
	    vt_buffer(fd, context, sizeof(weight), VT_USAGE_ALL, &p->weight) ?:
	    vt_buffer(fd, context, sizeof(p->want), VT_USAGE_ALL, &p->out) ?:
	    vt_write(fd, p->in, 0, in, sizeof(in)) ?:
	    vt_write(fd, p->weight, 0, weight, sizeof(weight));
	if (!r && worker)
		r = vt_buffer(fd, context, FILL, VT_USAGE_ALL, &p->fill);
	p->bind[0] = vt_bind(p->in, 0, VT_READ, 0, sizeof(in));
	p->bind[1] = vt_bind(p->weight, 1, VT_READ, 0, sizeof(weight));
	p->bind[2] = vt_bind(p->out, 2, VT_WRITE, 0, sizeof(p->want));
	p->bind[3] = vt_bind(p->fill, 3, VT_WRITE, 0, FILL);
	p->bindings = worker ? 4 : 3;
	return r;
}

/* What is wrong with a run: a failed call, or VT_DIFFERS_* and WRONG_RESULT. */
#define WRONG_RESULT	16
static_assert(WRONG_RESULT == 1 << VT_DIFFERS_COUNT, "the bit after those");

/* Submit while the registers hold h->want, and look at the result. */
static int run(struct product *p, struct vt_hold *h)
{
	struct vacc_submit s = vt_submit_desc(p->queue, p->program, p->bind, p->bindings);
	__u16 got[ROWS * OUTPUTS];
	unsigned int wrong;
	int r;

	r = vt_set(p->fd, p->out, 0, 0xee, sizeof(got)) ?:
	    vt_hold_ioctl(h, p->fd, VACC_SUBMIT, &s);
	if (r)
		return r;
	wrong = vt_registers_compare(&h->want, &h->got);
	r = vt_event_wait(p->fd, s.event, VT_PATIENCE_MS, NULL) ?:
	    vt_handle(p->fd, VACC_EVENT_DESTROY, s.event) ?:
	    vt_read(p->fd, p->out, 0, got, sizeof(got));
	if (r)
		return r;
	return wrong | (memcmp(p->want, got, sizeof(got)) ? WRONG_RESULT : 0);
}

/* Control words unlike those that a process begins with. */
static void unusual(struct vt_registers *r, unsigned int number)
{
	__u32 rounding = number % 4;
	__u32 mxcsr = VT_MXCSR_ROUNDING(rounding);
	__u16 precision = number / 8 % 2 ? 0 : 0x300;

	if (number / 4 % 2)
		mxcsr |= VT_MXCSR_FTZ_DAZ;
	/* Nothing here divides. */
	mxcsr |= VT_MXCSR_MASKS & ~VT_MXCSR_DIVIDE_MASK;
	vt_registers_fill(r, number, mxcsr, 0x7b | precision | rounding << 10);
}

/* How often each thing was wrong. */
struct wrong {
	unsigned int rounds;
	unsigned int differed[VT_DIFFERS_COUNT];
	unsigned int results;
};

static void note(struct wrong *w, unsigned int bits)
{
	unsigned int i;

	w->rounds++;
	for (i = 0; i < VT_DIFFERS_COUNT; i++)
		w->differed[i] += bits >> i & 1;
	w->results += !!(bits & WRONG_RESULT);
}

static void add(struct wrong *sum, const struct wrong *w)
{
	unsigned int i;

	sum->rounds += w->rounds;
	for (i = 0; i < VT_DIFFERS_COUNT; i++)
		sum->differed[i] += w->differed[i];
	sum->results += w->results;
}

static bool right(const struct wrong *w)
{
	unsigned int i, sum = w->results;

	for (i = 0; i < VT_DIFFERS_COUNT; i++)
		sum += w->differed[i];
	return !sum;
}

static void show(const char *who, const struct wrong *w)
{
	fprintf(stderr, "# %s, %u times: x87 %u, MXCSR %u, XMM %u, YMM %u, results %u wrong\n",
		who, w->rounds, w->differed[0], w->differed[1], w->differed[2], w->differed[3],
		w->results);
}

/* What is done in the caller leaves the caller's registers alone, and takes none. */
TEST_F(dev, calls_keep_registers)
{
	unsigned int i, n = vt_scale(2000);
	struct wrong wrong = {};
	struct product p[2];
	struct vt_hold h;
	int r;

	if (!vt_registers_known())
		SKIP(return, "registers of another architecture");
	ASSERT_OK(make(&p[0], self->fd, self->context, self->queue, false, false));
	ASSERT_OK(make(&p[1], self->fd, self->context, self->queue, true, false));
	for (i = 0; i < n; i++) {
		unusual(&h.want, i);
		r = run(&p[i / 16 % 2], &h);
		ASSERT_LE(0, r);
		note(&wrong, r);
	}
	show(vt_engine_name(&self->info), &wrong);
	EXPECT_TRUE(right(&wrong));
}

#define HOLDERS		2	/* of a processor */
#define MOST_CPUS	4
#define LOADS		2
#define ENOUGH		100	/* times that each holder is preempted */

struct shared {
	int stop;
	struct {
		struct wrong wrong;
		long preempted;
		int failed;
	} children[MOST_CPUS * HOLDERS + LOADS];
};

static bool stopped(const struct shared *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_RELAXED);
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static void hold(struct shared *s, unsigned int number, int cpu)
{
	struct vt_hold h = { .loops = 200000 };
	struct rusage usage;
	unsigned int i;

	s->children[number].failed = pin(cpu);
	for (i = 0; !stopped(s); i++) {
		unusual(&h.want, number * 100 + i);
		vt_hold_spin(&h);
		note(&s->children[number].wrong, vt_registers_compare(&h.want, &h.got));
		getrusage(RUSAGE_SELF, &usage);
		__atomic_store_n(&s->children[number].preempted, usage.ru_nivcsw,
				 __ATOMIC_RELAXED);
	}
}

/* Workers compute while others hold their registers, and this one too. */
static void load(struct shared *s, unsigned int number, int node)
{
	int fd = vt_open_node(node), r;
	struct product p[2];
	struct vt_hold h;
	__u32 context, queue;
	unsigned int i;

	r = fd < 0 ? fd : vt_context(fd, &context) ?: vt_queue(fd, context, &queue) ?:
	    make(&p[0], fd, context, queue, false, true) ?:
	    make(&p[1], fd, context, queue, true, true);
	for (i = 0; !r && !stopped(s); i++) {
		unusual(&h.want, i);
		r = run(&p[i % 2], &h);
		if (r >= 0) {
			note(&s->children[number].wrong, r);
			r = 0;
		}
	}
	s->children[number].failed = r;
	close(fd);
}

/* All children have compared something, and the holders were preempted. */
static bool worked_enough(const struct shared *s, unsigned int holders, unsigned int children)
{
	unsigned int i;

	for (i = 0; i < children; i++) {
		if (!__atomic_load_n(&s->children[i].wrong.rounds, __ATOMIC_RELAXED))
			return false;
		if (i < holders &&
		    __atomic_load_n(&s->children[i].preempted, __ATOMIC_RELAXED) < ENOUGH)
			return false;
	}
	return true;
}

/* What workers do leaves those alone whom they take the processor from. */
TEST_F(dev, preempted_processes_keep_registers)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), holders, children, i;
	struct wrong held = {}, loaded = {};
	pid_t pids[MOST_CPUS * HOLDERS + LOADS];
	long preempted = 0;
	struct shared *s;
	__u64 deadline;
	int status;

	if (!vt_registers_known())
		SKIP(return, "registers of another architecture");
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)s);
	holders = HOLDERS * (cpus < MOST_CPUS ? cpus : MOST_CPUS);
	children = holders + LOADS;
	for (i = 0; i < children; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			if (i < holders)
				hold(s, i, i / HOLDERS);
			else
				load(s, i, self->node);
			_exit(0);
		}
	}
	deadline = vt_deadline(3 * VT_PATIENCE_MS);
	while (!worked_enough(s, holders, children) && vt_now() < deadline)
		vt_sleep_ms(20);
	EXPECT_TRUE(worked_enough(s, holders, children));
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < children; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_EQ(0, s->children[i].failed);
		EXPECT_LT(0, s->children[i].wrong.rounds);
		add(i < holders ? &held : &loaded, &s->children[i].wrong);
		preempted += s->children[i].preempted;
	}
	TH_LOG("preempted %ld times", preempted);
	show("held", &held);
	show(vt_engine_name(&self->info), &loaded);
	EXPECT_TRUE(right(&held));
	EXPECT_TRUE(right(&loaded));
	munmap(s, sizeof(*s));
}

/* How long a section may take, 0 where that says nothing of the code. */
static long long most_ns(void)
{
	/* A process of the host, which may not run for a while itself. */
	if (!strcmp(vt_kernel(), "uml"))
		return 1000000000;
	/* A machine of its own. */
	if (!strcmp(vt_kernel(), "unknown"))
		return 2000000;
	return 0;
}

/* A product of many sections: none of them does more than it may. */
TEST_F(dev, sections_are_short)
{
	enum { SIDE = 512, FEW = 64 };
	const __u64 bytes = 2 * SIDE * SIDE;
	struct vacc_binding b[3];
	struct vt_batch batch = {};
	long long ns, macs;
	__u32 program, i, buffer;

	if (vt_counter(self->node, "fpu_section_macs") < 0)
		SKIP(return, "a process keeps no processor from anybody");
	for (i = 0; i < 3; i++) {
		vt_batch_slot(&batch, i, i < 2 ? VT_READ : VT_WRITE, bytes);
		buffer = vt_any_buffer(self->fd, self->context, bytes);
		ASSERT_NE(0, buffer);
		ASSERT_OK(vt_set(self->fd, buffer, 0, 0x3c, bytes));
		b[i] = vt_bind(buffer, i, i < 2 ? VT_READ : VT_WRITE, 0, bytes);
	}
	vt_batch_launch(&batch, 0, 1, 2, FEW, SIDE, SIDE);
	vt_batch_linear(&batch, 0, 1);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &batch, &program));
	ASSERT_OK(vt_run(self->fd, self->queue, program, b, 3));
	macs = vt_counter(self->node, "fpu_section_macs");
	ns = vt_counter(self->node, "fpu_section_ns");
	TH_LOG("%s: at most %lld products and %lld ns at once", vt_engine_name(&self->info), macs,
	       ns);
	EXPECT_GE(SECTION_MACS, macs);
	EXPECT_EQ(macs > 0, ns > 0);
	if (self->info.engine_path != VACC_ENGINE_UNKNOWN) {
		EXPECT_EQ(self->info.engine_path != VACC_ENGINE_INTEGER, macs > 0);
	}
	if (most_ns()) {
		EXPECT_GE(most_ns(), ns);
	}
}

/* What would trap there is for the process alone; without a guard, the kernel traps. */
TEST_F(dev, exceptions_of_the_caller)
{
	unsigned int i, n = vt_scale(400);
	struct wrong wrong = {};
	struct product p[4];
	struct vt_hold h;
	int r;

	if (!vt_registers_known())
		SKIP(return, "registers of another architecture");
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		ASSERT_OK(make(&p[i], self->fd, self->context, self->queue, i % 2, i / 2));
	}
	for (i = 0; i < n; i++) {
		vt_registers_fill(&h.want, i, VT_MXCSR & ~VT_MXCSR_MASKS, VT_X87_CONTROL & ~0x3f);
		r = run(&p[i % ARRAY_SIZE(p)], &h);
		ASSERT_LE(0, r);
		note(&wrong, r);
	}
	show(vt_engine_name(&self->info), &wrong);
	EXPECT_TRUE(right(&wrong));
}

TEST_HARNESS_MAIN
