// SPDX-License-Identifier: GPL-2.0
/*
 * A second device that comes and goes, again and again, under users of every kind.
 * Those of the virtio bus lose their driver and get it back; others are removed and
 * added.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include "vacc_test.h"

/* More than is done in the caller: work is pending when the device goes. */
#define BYTES	(256 << 10)

/* Numbers that nodes above the first may have. */
#define NODES	3

struct victim {
	int node;
	char vdev[32];	/* its name on the virtio bus, if it is there */
	bool there;
};

static int victim_add(struct victim *v)
{
	v->vdev[0] = 0;
	v->node = vt_mock_add();
	if (v->node < 0)
		return v->node;
	v->there = true;
	vt_virtio_name(v->node, v->vdev, sizeof(v->vdev));
	return 0;
}

static int victim_take(struct victim *v)
{
	v->there = false;
	return v->vdev[0] ? vt_driver_off(v->vdev) : vt_mock_remove(v->node);
}

static int victim_bring(struct victim *v)
{
	int r;

	if (!v->vdev[0])
		return victim_add(v);
	r = vt_driver_on(v->vdev);
	v->there = !r;
	return r;
}

static int victim_remove(struct victim *v)
{
	int r = v->there ? 0 : victim_bring(v);

	return r ?: vt_mock_remove(v->node);
}

struct work {
	int fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, struct work *w)
{
	int r = vt_context(fd, &w->context) ?: vt_queue(fd, w->context, &w->queue) ?:
		vt_buffer(fd, w->context, BYTES, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, w->context, 0x5a, &w->fill);

	w->fd = fd;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, BYTES);
	return r;
}

/* What a call may say on a file whose device may have gone. */
static bool is_end(int r)
{
	return r == -ENODEV;
}

/* Of a node that may be gone, or about to. */
static bool is_absence(int r)
{
	return r == -ENOENT || r == -ENODEV || r == -ENXIO;
}

static bool stopped(const int *stop)
{
	return __atomic_load_n(stop, __ATOMIC_RELAXED);
}

/* What became of what one file was asked to do. */
struct tally {
	unsigned int accepted;
	unsigned int completed, failed, cancelled;
	unsigned int bad;
	int first;
	unsigned int lives;	/* files that saw the end of their device */
};

struct user {
	const int *stop;
	int above;		/* users stay off this node */
	unsigned int done;
	unsigned int bad;
	int first;		/* the first bad result */
	struct tally tally;	/* of the one that submits */
};

static void user_bad(struct user *u, int result)
{
	if (!u->bad++)
		u->first = result;
}

/* An open during a probe or a removal fails, or gets a device that works. */
static void open_and_use(struct user *u, int node)
{
	const int lost = 1000 + 100 * VACC_EVENT_FAILED + VIRTIO_ACCEL_S_DEVICE_LOST;
	struct vacc_get_info info;
	struct work w;
	int fd = vt_open_node(node), r;

	if (fd < 0) {
		if (!is_absence(fd))
			user_bad(u, fd);
		return;
	}
	r = vt_get_info(fd, &info) ?: make(fd, &w) ?:
	    vt_run(fd, w.queue, w.fill, &w.bind, 1);
	if (!r && vt_all(fd, w.buffer, 0, 0x5a, BYTES) == 0)
		user_bad(u, -EILSEQ);
	if (!r)
		u->done++;
	else if (!is_end(r) && r != lost)
		user_bad(u, r);
	close(fd);
}

/* The beginning of a file, or -errno. */
static int read_some(char *text, size_t room, const char *format, int number,
		     const char *file)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), format, number, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, room - 1);
	text[n < 0 ? 0 : n] = 0;
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

static void read_sysfs(struct user *u, int node)
{
	static const char * const files[] = {
		"dev", "uevent", "device/uevent", "device/status", "device/features",
		"device/modalias", "power/runtime_status",
	};
	char text[4096];
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		r = read_some(text, sizeof(text), "/sys/class/misc/virtio-accel%d/%s", node,
			      files[i]);
		if (r < 0 && !is_absence(r))
			user_bad(u, r);
		if (r > 0 && !i && strncmp(text, "10:", 3))
			user_bad(u, -EILSEQ);
		u->done += r > 0;
	}
}

/* What /proc tells of an open file needs no device. */
static void read_fdinfo(struct user *u, int node)
{
	int fd = vt_open_node(node), i, r;
	char text[512];

	if (fd < 0) {
		if (!is_absence(fd))
			user_bad(u, fd);
		return;
	}
	for (i = 0; i < 5; i++) {
		r = read_some(text, sizeof(text), "/proc/self/fdinfo/%d%s", fd, "");
		if (r <= 0 || !strstr(text, "flags:"))
			user_bad(u, r);
		else
			u->done++;
		vt_sleep_ms(1);
	}
	close(fd);
}

static void tally_bad(struct tally *t, int result)
{
	if (!t->bad++)
		t->first = result;
}

static void tally_records(struct tally *t, const struct vacc_record *records, int n)
{
	const struct vacc_record *r;

	for (r = records; r < records + n; r++) {
		switch (r->state) {
		case VACC_EVENT_COMPLETE:
			t->completed++;
			break;
		case VACC_EVENT_CANCELLED:
			t->cancelled++;
			break;
		case VACC_EVENT_FAILED:
			t->failed++;
			if (r->status != VIRTIO_ACCEL_S_DEVICE_LOST &&
			    r->status != VIRTIO_ACCEL_S_DEADLINE_EXPIRED)
				tally_bad(t, 2000 + r->status);
			break;
		default:
			tally_bad(t, 3000 + r->state);
		}
	}
}

/* Submissions of every kind, some of which are cancelled at once. */
static int submit_one(struct tally *t, struct work *w, unsigned int i)
{
	struct vacc_submit s = vt_submit_desc(w->queue, w->fill, &w->bind, 1);
	int r;

	s.flags = VACC_SUBMIT_RECORD;
	if (i % 3)
		s.flags |= VACC_SUBMIT_AUTO_DESTROY;
	if (i % 5 == 0)
		s.timeout_ns = 1 + i % 7 * 100000;
	r = vt_submit(w->fd, &s);
	if (r)
		return r;
	t->accepted++;
	if (i % 3 == 0) {
		r = vt_handle(w->fd, VACC_EVENT_CANCEL, s.event);
		if (r == -EBUSY || r == -ENOENT)
			r = 0;
	}
	return r;
}

/* Then the next device has its turn, which may be one that goes. */
#define MOST_OF_A_LIFE	256

/*
 * Submits until the device goes, or @stop, or it was enough; then each submission must
 * have left exactly one record.
 */
static void submit_for_a_life(struct tally *t, int fd, const int *stop)
{
	struct vacc_record records[16];
	unsigned int i, left;
	struct work w;
	int r = make(fd, &w);

	for (i = 0; !r && i < MOST_OF_A_LIFE && !stopped(stop); i++) {
		r = submit_one(t, &w, i);
		/* Few enough to be read by and by, and never all of them. */
		left = t->accepted - t->completed - t->failed - t->cancelled;
		if (!r && left >= 16) {
			r = vt_read_records(fd, records, 8);
			tally_records(t, records, r);
			r = r < 0 ? r : 0;
		}
		if (r == -EAGAIN)
			r = 0;
	}
	if (!r)
		r = vt_queue_sync(fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL);
	t->lives += is_end(r);
	if (r && !is_end(r))
		tally_bad(t, r);
	/* A device that is gone ends what it had, and reading ends only then. */
	while (t->accepted != t->completed + t->failed + t->cancelled) {
		r = vt_read_records(fd, records, ARRAY_SIZE(records));
		if (r <= 0) {
			tally_bad(t, r);
			/* The next file's are none of these. */
			t->accepted = t->completed + t->failed + t->cancelled;
			break;
		}
		tally_records(t, records, r);
	}
}

static void submit_to(struct tally *t, int node, const int *stop)
{
	int fd = vt_open_node(node);

	if (fd < 0) {
		if (!is_absence(fd))
			tally_bad(t, fd);
		return;
	}
	submit_for_a_life(t, fd, stop);
	close(fd);
}

static void each_node(struct user *u, void (*use)(struct user *u, int node))
{
	int node;

	while (!stopped(u->stop)) {
		for (node = u->above + 1; node <= u->above + NODES; node++)
			use(u, node);
		vt_sleep_ms(1);
	}
}

static void *opener(void *arg)
{
	each_node(arg, open_and_use);
	return NULL;
}

static void *sysfs_reader(void *arg)
{
	each_node(arg, read_sysfs);
	return NULL;
}

static void *fdinfo_reader(void *arg)
{
	each_node(arg, read_fdinfo);
	return NULL;
}

static void submitter_node(struct user *u, int node)
{
	submit_to(&u->tally, node, u->stop);
	u->done = u->tally.accepted;
	if (u->tally.bad)
		user_bad(u, u->tally.first);
}

static void *submitter(void *arg)
{
	each_node(arg, submitter_node);
	return NULL;
}

/* Until each of @n has got something done, however slow this machine is. */
static void await_work(const struct user *users, unsigned int n)
{
	__u64 deadline = vt_deadline(VT_PATIENCE_MS);
	unsigned int i = 0;

	while (i < n && vt_now() < deadline) {
		if (__atomic_load_n(&users[i].done, __ATOMIC_RELAXED) ||
		    __atomic_load_n(&users[i].tally.accepted, __ATOMIC_RELAXED))
			i++;
		else
			vt_sleep_ms(1);
	}
}

#define MINUTE	60000000000ULL	/* ns */

/* Bind and unbind again and again: who opens fails, or gets a device that works. */
TEST_F_TIMEOUT(dev, under_users, 300)
{
	void *(*const kinds[])(void *) = {
		opener, opener, sysfs_reader, fdinfo_reader, submitter,
	};
	struct user users[ARRAY_SIZE(kinds)];
	pthread_t threads[ARRAY_SIZE(kinds)];
	unsigned int i, n = vt_scale(1000);
	int refs = vt_module_refs("virtio_accel");
	__u64 begin = vt_now();
	int stop = 0;
	struct victim v;

	ASSERT_OK(victim_add(&v));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		users[i] = (struct user) { .stop = &stop, .above = self->node };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, kinds[i], &users[i]));
	}
	/* As often as a minute allows, where that is less. */
	for (i = 0; i < n && vt_now() - begin < MINUTE; i++) {
		vt_sleep_ms(i % 4);
		ASSERT_OK(victim_take(&v));
		if (i % 3 == 0)
			vt_sleep_ms(1);
		ASSERT_OK(victim_bring(&v));
	}
	EXPECT_LE(vt_scale(50), i);
	/* The last one stays until everybody had a chance, also on one processor. */
	await_work(users, ARRAY_SIZE(users));
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, users[i].bad) TH_LOG("user %u: first %d", i, users[i].first);
		EXPECT_LT(0, users[i].done) TH_LOG("user %u", i);
	}
	EXPECT_OK(victim_remove(&v));
	EXPECT_EQ(refs, vt_module_refs("virtio_accel"));
}

#define PROCESSES	4

/* What the processes and the test share. */
struct shared {
	int stop;
	struct tally tallies[PROCESSES];
};

static void process(struct shared *s, unsigned int number, int above)
{
	int node;

	while (!stopped(&s->stop)) {
		for (node = above + 1; node <= above + NODES; node++)
			submit_to(&s->tallies[number], node, &s->stop);
		vt_sleep_ms(1);
	}
}

static unsigned int completed_by(const struct shared *s)
{
	unsigned int i, completed = 0;

	for (i = 0; i < PROCESSES; i++)
		completed += __atomic_load_n(&s->tallies[i].completed, __ATOMIC_RELAXED);
	return completed;
}

static unsigned int lives_seen(const struct shared *s)
{
	unsigned int i, lives = 0;

	for (i = 0; i < PROCESSES; i++)
		lives += __atomic_load_n(&s->tallies[i].lives, __ATOMIC_RELAXED);
	return lives;
}

/*
 * In a minute, also where it is emulated: there it is fewer, but somebody has to see the
 * end of a device.
 */
TEST_F_TIMEOUT(dev, under_processes, 300)
{
	unsigned int i, n = vt_scale(200);
	unsigned long lives = 0, accepted = 0, completed = 0, failed = 0, cancelled = 0;
	int refs = vt_module_refs("virtio_accel"), fd, status;
	pid_t children[PROCESSES];
	struct vacc_stats stats;
	struct shared *s;
	struct victim v;
	__u64 begin;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)s);
	for (i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		ASSERT_LE(0, children[i]);
		if (!children[i]) {
			process(s, i, self->node);
			_exit(0);
		}
	}
	ASSERT_OK(victim_add(&v));
	begin = vt_now();
	for (i = 0; (i < n || !lives_seen(s)) && vt_now() - begin < MINUTE; i++) {
		vt_sleep_ms(20 + i % 8 * 5);
		ASSERT_OK(victim_take(&v));
		ASSERT_OK(victim_bring(&v));
	}
	EXPECT_LE(n, i);
	TH_LOG("%u times in %llu ms", i, (unsigned long long)(vt_now() - begin) / 1000000);
	/* The last one stays until somebody got something out of it. */
	begin = vt_now();
	while (!completed_by(s) && vt_now() - begin < MINUTE)
		vt_sleep_ms(1);
	vt_sleep_ms(100);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < PROCESSES; i++) {
		struct tally *t = &s->tallies[i];

		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_EQ(0, t->bad) TH_LOG("process %u: first %d", i, t->first);
		EXPECT_EQ(t->accepted, t->completed + t->failed + t->cancelled);
		lives += t->lives;
		accepted += t->accepted;
		completed += t->completed;
		failed += t->failed;
		cancelled += t->cancelled;
	}
	TH_LOG("%lu submitted: %lu completed, %lu failed, %lu cancelled; %lu ends seen", accepted,
	       completed, failed, cancelled, lives);
	/* Which of them got in is chance where a device lives for a moment only. */
	EXPECT_LT(0, lives);
	EXPECT_LT(0, completed);
	/* The device that is there now is quiet: its own counters say the same. */
	fd = vt_open_node(v.node);
	ASSERT_LE(0, fd);
	EXPECT_OK(vt_settle(fd, NULL));
	ASSERT_OK(vt_get_stats(fd, &stats));
	EXPECT_EQ(stats.submitted, stats.completed + stats.failed + stats.cancelled);
	EXPECT_EQ(0, stats.live.contexts + stats.live.buffers + stats.live.events);
	EXPECT_EQ(0, stats.live_bytes);
	EXPECT_EQ(0, stats.live_allocations);
	close(fd);
	EXPECT_OK(victim_remove(&v));
	EXPECT_EQ(refs, vt_module_refs("virtio_accel"));
	munmap(s, sizeof(*s));
}

TEST_HARNESS_MAIN
