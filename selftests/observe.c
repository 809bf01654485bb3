// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator sees of a device: fdinfo, the list of objects in debugfs, and
 * the attributes of the node.  They must agree with each other and with STATS, and must
 * be readable at any moment of a device's life.
 */
#include "hostile.h"
#include <sys/stat.h>
#include <sys/wait.h>

#define MIB	(1ULL << 20)
#define BYTES	8192

/* A whole file; its length, or -errno. */
static int slurp(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t n;

	text[0] = 0;
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, text + length, room - 1 - length);
		if (n > 0)
			length += n;
	} while (n > 0);
	n = n < 0 ? -errno : (ssize_t)length;
	text[length] = 0;
	close(fd);
	return n;
}

/* The value of a key of fdinfo, with its unit; -1 where there is no such key. */
static int info_text(int fd, const char *key, char *value, size_t room)
{
	char path[64], text[65536], *line, *rest;
	size_t length = strlen(key);

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (slurp(path, text, sizeof(text)) < 0)
		return -1;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, key, length) || strncmp(line + length, ":\t", 2))
			continue;
		snprintf(value, room, "%s", line + length + 2);
		return 0;
	}
	return -1;
}

static long long info(int fd, const char *key)
{
	char value[64];

	return info_text(fd, key, value, sizeof(value)) ? -1 : strtoll(value, NULL, 10);
}

static long long queue_info(int fd, __u32 queue, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "vacc-queue-%u-%s", queue, what);
	return info(fd, key);
}

/* An attribute of a node, without its newline. */
static int node_text(int node, const char *name, char *value, size_t room)
{
	char path[128];
	int n;

	snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/%s", node, name);
	n = slurp(path, value, room);
	if (n > 0 && value[n - 1] == '\n')
		value[n - 1] = 0;
	return n < 0 ? n : 0;
}

static long long node_number(int node, const char *name)
{
	char value[64], *end;
	long long number;

	if (node_text(node, name, value, sizeof(value)))
		return -1;
	number = strtoll(value, &end, 10);
	return *end ? -1 : number;
}

struct line {
	char kind[16], state[16];
	unsigned int handle, refs, pending;
	unsigned long long file, bytes;
	int pid;
};

static int objects_path(int node, char *path, size_t room)
{
	return snprintf(path, room, "/sys/kernel/debug/virtio_accel/vacc%d/objects", node);
}

/* The objects of a file, or of all with 0; how many, or -errno. */
static int objects(int node, unsigned long long file, struct line *lines, int room)
{
	static char text[1 << 20];
	char path[64], *at, *rest;
	int count = 0, n;
	struct line l;

	objects_path(node, path, sizeof(path));
	n = slurp(path, text, sizeof(text));
	if (n < 0)
		return n;
	for (at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		n = sscanf(at, "%15s %u file=%llu pid=%d bytes=%llu refs=%u pending=%u %15s",
			   l.kind, &l.handle, &l.file, &l.pid, &l.bytes, &l.refs, &l.pending,
			   l.state);
		if (n != 8)
			return -EBADMSG;
		if (file && l.file != file)
			continue;
		if (count < room)
			lines[count] = l;
		count++;
	}
	return count;
}

static const struct line *find(const struct line *lines, int count, const char *kind,
			       __u32 handle)
{
	static const struct line none = { .kind = "none", .state = "none" };
	int i;

	for (i = 0; i < count; i++)
		if (lines[i].handle == handle && !strcmp(lines[i].kind, kind))
			return &lines[i];
	return &none;
}

/* Three buffers of 1 MiB are 3 MiB, wherever one looks. */
TEST_F(dev, three_mebibytes)
{
	char name[64], expected[64];
	unsigned long long sum = 0;
	struct vacc_stats stats;
	struct line lines[16];
	long long bytes, count;
	__u32 buffers[3];
	int i, n;

	bytes = node_number(self->node, "stats/bytes");
	count = node_number(self->node, "stats/buffers");
	ASSERT_LE(0, bytes);
	ASSERT_LE(0, count);
	EXPECT_EQ(0, info(self->fd, "vacc-bytes"));
	for (i = 0; i < 3; i++)
		ASSERT_OK(vt_buffer(self->fd, self->context, MIB, VT_USAGE_ALL, &buffers[i]));

	EXPECT_EQ(3 * MIB, info(self->fd, "vacc-bytes"));
	EXPECT_EQ(3, info(self->fd, "vacc-buffers"));
	EXPECT_EQ(bytes + 3 * MIB, node_number(self->node, "stats/bytes"));
	EXPECT_EQ(count + 3, node_number(self->node, "stats/buffers"));
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(self->before.live_bytes + 3 * MIB, stats.live_bytes);
	EXPECT_EQ(self->before.live.buffers + 3, stats.live.buffers);
	n = objects(self->node, info(self->fd, "vacc-client-id"), lines, ARRAY_SIZE(lines));
	ASSERT_EQ(5, n);	/* and a context and a queue */
	for (i = 0; i < n; i++)
		sum += lines[i].bytes;
	EXPECT_EQ(3 * MIB, sum);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(MIB, find(lines, n, "buffer", buffers[i])->bytes);

	ASSERT_OK(info_text(self->fd, "vacc-device", name, sizeof(name)));
	snprintf(expected, sizeof(expected), "virtio-accel%d", self->node);
	EXPECT_STREQ(expected, name);
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffers[1]));
	EXPECT_EQ(2 * MIB, info(self->fd, "vacc-bytes"));
	EXPECT_EQ(2, info(self->fd, "vacc-buffers"));
	EXPECT_EQ(bytes + 2 * MIB, node_number(self->node, "stats/bytes"));
}

TEST_F(dev, fdinfo_keys)
{
	bool direct = self->info.backend == VACC_BACKEND_DIRECT;
	struct vacc_program_query pq;
	__u32 fill, buffer;
	char value[64];

	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	ASSERT_OK(vt_program_query(self->fd, fill, &pq, NULL, 0));
	ASSERT_OK(vt_buffer(self->fd, self->context, BYTES, VT_USAGE_ALL, &buffer));
	EXPECT_EQ(0, info(self->fd, "pos"));
	ASSERT_OK(info_text(self->fd, "vacc-driver", value, sizeof(value)));
	EXPECT_STREQ("virtio_accel", value);
	ASSERT_OK(info_text(self->fd, "vacc-backend", value, sizeof(value)));
	EXPECT_STREQ(direct ? "direct" : "virtio", value);
	ASSERT_OK(info_text(self->fd, "vacc-state", value, sizeof(value)));
	EXPECT_STREQ("live", value);
	EXPECT_LT(0, info(self->fd, "vacc-client-id"));
	EXPECT_EQ(1, info(self->fd, "vacc-contexts"));
	EXPECT_EQ(1, info(self->fd, "vacc-buffers"));
	EXPECT_EQ(1, info(self->fd, "vacc-programs"));
	EXPECT_EQ(1, info(self->fd, "vacc-queues"));
	EXPECT_EQ(0, info(self->fd, "vacc-events"));
	EXPECT_EQ(0, info(self->fd, "vacc-inflight"));
	EXPECT_EQ(BYTES + pq.resident_bytes, info(self->fd, "vacc-bytes"));
	EXPECT_EQ(-1, info(self->fd, "vacc-pid"));
}

/* How deep a queue is, and how long it was busy, where the backend knows. */
TEST_F(dev, fdinfo_queue)
{
	bool known = self->info.backend == VACC_BACKEND_DIRECT;
	struct vacc_queue_query qq;
	struct vacc_binding bind;
	__u32 fill, buffer, events[3], second;
	char key[64], value[64];
	int i;

	if (vt_control(self->node, "hold", "1"))
		SKIP(return, "the device has no hold mode");
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	buffer = vt_any_buffer(self->fd, self->context, MIB);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, MIB);
	ASSERT_OK(vt_queue(self->fd, self->context, &second));
	for (i = 0; i < 3; i++)
		ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &events[i]));
	EXPECT_EQ(3, queue_info(self->fd, self->queue, "depth"));
	EXPECT_EQ(0, queue_info(self->fd, second, "depth"));
	EXPECT_EQ(known ? 0 : -1, queue_info(self->fd, self->queue, "busy"));
	EXPECT_EQ(3, info(self->fd, "vacc-events"));
	EXPECT_EQ(3, info(self->fd, "vacc-inflight"));

	vt_release_all(self->node);
	for (i = 0; i < 3; i++)
		ASSERT_OK(vt_event_wait(self->fd, events[i], VT_PATIENCE_MS, NULL));
	EXPECT_EQ(0, queue_info(self->fd, self->queue, "depth"));
	EXPECT_EQ(3, info(self->fd, "vacc-events"));
	EXPECT_EQ(0, info(self->fd, "vacc-inflight"));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &qq));
	EXPECT_EQ(known ? (long long)qq.busy_ns : -1,
		  queue_info(self->fd, self->queue, "busy"));
	EXPECT_EQ(known ? 0 : -1, queue_info(self->fd, second, "busy"));
	if (known) {
		EXPECT_LT(0, qq.busy_ns);
		snprintf(key, sizeof(key), "vacc-queue-%u-busy", self->queue);
		ASSERT_OK(info_text(self->fd, key, value, sizeof(value)));
		EXPECT_STREQ(" ns", value + strspn(value, "0123456789"));
	}
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, second));
	EXPECT_EQ(-1, queue_info(self->fd, second, "depth"));
}

/* A file tells nothing of another one, not even of the same process. */
TEST_F(dev, fdinfo_is_of_one_file)
{
	int other = vt_open_node(self->node);
	__u32 buffer;

	ASSERT_LE(0, other);
	ASSERT_OK(vt_buffer(self->fd, self->context, MIB, VT_USAGE_ALL, &buffer));
	EXPECT_NE(info(self->fd, "vacc-client-id"), info(other, "vacc-client-id"));
	EXPECT_EQ(0, info(other, "vacc-contexts"));
	EXPECT_EQ(0, info(other, "vacc-buffers"));
	EXPECT_EQ(0, info(other, "vacc-queues"));
	EXPECT_EQ(0, info(other, "vacc-bytes"));
	EXPECT_EQ(-1, queue_info(other, self->queue, "depth"));
	EXPECT_EQ(0, queue_info(self->fd, self->queue, "depth"));
	close(other);
}

TEST_F(dev, fdinfo_after_unplug)
{
	struct bad_file f;
	char value[64];
	int node = vt_mock_add();
	__u32 event;

	if (node < 0)
		SKIP(return, "devices cannot be added");
	ASSERT_OK(bad_open(node, &f));
	ASSERT_OK(bad_start(&f, &event));
	ASSERT_OK(vt_event_wait(f.fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_mock_remove(node));
	ASSERT_OK(info_text(f.fd, "vacc-state", value, sizeof(value)));
	EXPECT_STREQ("gone", value);
	EXPECT_EQ(1, info(f.fd, "vacc-contexts"));
	EXPECT_EQ(1, info(f.fd, "vacc-buffers"));
	EXPECT_EQ(1, info(f.fd, "vacc-events"));
	EXPECT_LE(BAD_BYTES, info(f.fd, "vacc-bytes"));
	EXPECT_EQ(0, queue_info(f.fd, f.queue, "depth"));
	/* There is nobody left to ask. */
	EXPECT_EQ(-1, queue_info(f.fd, f.queue, "busy"));
	close(f.fd);
}

#define EXPECT_LINE(_kind, _handle, _bytes, _refs, _pending, _state) do {	\
	const struct line *_l = find(lines, n, _kind, _handle);			\
	EXPECT_STREQ(_kind, _l->kind);						\
	EXPECT_EQ(_bytes, _l->bytes);						\
	EXPECT_EQ(_refs, _l->refs);						\
	EXPECT_EQ(_pending, _l->pending);					\
	EXPECT_STREQ(_state, _l->state);					\
} while (0)

TEST_F(dev, objects_by_line)
{
	long long id = info(self->fd, "vacc-client-id");
	struct vacc_program_query pq;
	struct vacc_binding bind;
	struct line lines[16];
	__u32 fill, buffer, event;
	int i, n;

	if (vt_control(self->node, "hold", "1"))
		SKIP(return, "the device has no hold mode");
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	ASSERT_OK(vt_program_query(self->fd, fill, &pq, NULL, 0));
	buffer = vt_any_buffer(self->fd, self->context, MIB);
	n = objects(self->node, id, lines, ARRAY_SIZE(lines));
	ASSERT_EQ(4, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(getpid(), lines[i].pid);
		EXPECT_EQ(id, lines[i].file);
	}
	EXPECT_LINE("context", self->context, 0, 0, 0, "live");
	EXPECT_LINE("queue", self->queue, 0, 0, 0, "live");
	EXPECT_LINE("program", fill, pq.resident_bytes, 0, 0, "live");
	EXPECT_LINE("buffer", buffer, MIB, 0, 0, "live");

	bind = vt_bind(buffer, 0, VT_WRITE, 0, MIB);
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &event));
	n = objects(self->node, id, lines, ARRAY_SIZE(lines));
	ASSERT_EQ(5, n);
	EXPECT_LINE("context", self->context, 0, 0, 0, "live");
	EXPECT_LINE("queue", self->queue, 0, 1, 1, "live");
	EXPECT_LINE("program", fill, pq.resident_bytes, 1, 1, "live");
	EXPECT_LINE("buffer", buffer, MIB, 1, 1, "live");
	EXPECT_STREQ("pending", find(lines, n, "event", event)->state);
	EXPECT_EQ(1, find(lines, n, "event", event)->pending);
	EXPECT_LE(1, find(lines, n, "event", event)->refs);

	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	n = objects(self->node, id, lines, ARRAY_SIZE(lines));
	ASSERT_EQ(5, n);
	EXPECT_STREQ("complete", find(lines, n, "event", event)->state);
	EXPECT_EQ(0, find(lines, n, "event", event)->pending);
	EXPECT_EQ(0, find(lines, n, "buffer", buffer)->pending);
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	EXPECT_EQ(3, objects(self->node, id, lines, ARRAY_SIZE(lines)));
}

/* Owners are told apart, and a list that is longer than a page is whole. */
TEST_F(dev, objects_of_many)
{
	long long id = info(self->fd, "vacc-client-id");
	int to[2], from[2], i, n, status;
	struct line lines[520];
	__u32 context, buffer;
	char byte = 0;
	pid_t child;

	for (i = 0; i < 500; i++)
		ASSERT_OK(vt_buffer(self->fd, self->context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(pipe(to));
	ASSERT_OK(pipe(from));
	child = fork();
	if (!child) {
		int fd = vt_open_node(self->node);

		if (vt_context(fd, &context) || write(from[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(to[0], &byte, 1) != 1);
	}
	ASSERT_EQ(1, read(from[0], &byte, 1));
	n = objects(self->node, id, lines, ARRAY_SIZE(lines));
	EXPECT_EQ(502, n);
	for (i = 1; i < n && i < (int)ARRAY_SIZE(lines); i++)
		EXPECT_LT(lines[i - 1].handle, lines[i].handle);
	n = objects(self->node, 0, lines, ARRAY_SIZE(lines));
	EXPECT_EQ(503, n);
	if (n == 503) {
		EXPECT_EQ(child, lines[502].pid);
		EXPECT_LT(id, lines[502].file);
		EXPECT_STREQ("context", lines[502].kind);
	}
	EXPECT_EQ(1, write(to[1], &byte, 1));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	for (i = 0; i < 500; i++) {
		n = objects(self->node, 0, lines, ARRAY_SIZE(lines));
		if (n == 502)
			break;
		vt_sleep_ms(10);
	}
	EXPECT_EQ(502, n);
}

/* Identity and limits are for everybody, what others do is for root. */
TEST_F(dev, objects_are_roots)
{
	char path[64], text[64];
	struct stat st;
	int status;
	pid_t child;

	objects_path(self->node, path, sizeof(path));
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/stats/bytes", self->node);
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/limits/max_contexts",
		 self->node);
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(0444, st.st_mode & 07777);
	child = fork();
	if (!child) {
		if (setresuid(65534, 65534, 65534))
			_exit(10);
		if (slurp(path, text, sizeof(text)) <= 0)
			_exit(11);
		objects_path(self->node, path, sizeof(path));
		if (slurp(path, text, sizeof(text)) != -EACCES)
			_exit(12);
		snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/stats/submitted",
			 self->node);
		_exit(slurp(path, text, sizeof(text)) == -EACCES ? 0 : 13);
	}
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_F(dev, sysfs_identity)
{
	bool direct = self->info.backend == VACC_BACKEND_DIRECT;
	char value[64];

	EXPECT_EQ(VACC_ABI_VERSION, node_number(self->node, "abi_version"));
	EXPECT_EQ(self->info.instance, node_number(self->node, "instance"));
	EXPECT_EQ(self->node, node_number(self->node, "instance"));
	ASSERT_OK(node_text(self->node, "backend", value, sizeof(value)));
	EXPECT_STREQ(direct ? "direct" : "virtio", value);
	if (direct) {
		EXPECT_ERRNO(ENOENT, node_text(self->node, "protocol_version", value,
					       sizeof(value)));
	} else {
		ASSERT_OK(node_text(self->node, "protocol_version", value, sizeof(value)));
		EXPECT_STREQ("1.0", value);
	}
}

#define EXPECT_LIMIT(_name) \
	EXPECT_EQ(self->info._name, node_number(self->node, "limits/" #_name))

TEST_F(dev, sysfs_limits)
{
	EXPECT_LIMIT(max_contexts);
	EXPECT_LIMIT(max_buffers_per_context);
	EXPECT_LIMIT(max_programs_per_context);
	EXPECT_LIMIT(max_queues_per_context);
	EXPECT_LIMIT(max_events_per_context);
	EXPECT_LIMIT(max_bindings);
	EXPECT_LIMIT(max_buffer_bytes);
	EXPECT_LIMIT(max_artifact_bytes);
	EXPECT_LIMIT(effective_bindings);
	EXPECT_LIMIT(effective_artifact_bytes);
	EXPECT_LIMIT(command_timeout_ms);
	EXPECT_LIMIT(hang_limit_ms);
}

#define STATS_SUM(_s) ((_s)->completed + (_s)->failed + (_s)->cancelled)

TEST_F(dev, sysfs_counters)
{
	struct vacc_binding bind, wrong;
	__u32 fill, buffer, event;
	struct vacc_stats stats;
	int i;

	if (vt_control(self->node, "hold", "0"))
		SKIP(return, "the device has no harness");
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	buffer = vt_any_buffer(self->fd, self->context, BYTES);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, BYTES);
	for (i = 0; i < 3; i++)
		ASSERT_OK(vt_run(self->fd, self->queue, fill, &bind, 1));
	wrong = vt_bind(buffer, 1, VT_WRITE, 0, BYTES);
	EXPECT_NE(0, vt_start(self->fd, self->queue, fill, &wrong, 1, &event));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &event));
	EXPECT_EQ(self->before.submitted + 4, node_number(self->node, "stats/submitted"));
	EXPECT_EQ(self->before.live.events + 1, node_number(self->node, "stats/events"));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &event));
	ASSERT_OK(vt_control(self->node, "fail", "all 6"));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));

	EXPECT_EQ(self->before.submitted + 5, node_number(self->node, "stats/submitted"));
	EXPECT_EQ(self->before.completed + 3, node_number(self->node, "stats/completed"));
	EXPECT_EQ(self->before.cancelled + 1, node_number(self->node, "stats/cancelled"));
	EXPECT_EQ(self->before.failed + 1, node_number(self->node, "stats/failed"));
	EXPECT_EQ(self->before.rejected + 1, node_number(self->node, "stats/rejected"));
	EXPECT_EQ(self->before.live.events + 2, node_number(self->node, "stats/events"));
	EXPECT_EQ(self->before.live.contexts + 1, node_number(self->node, "stats/contexts"));
	EXPECT_EQ(self->before.live.programs + 1, node_number(self->node, "stats/programs"));
	EXPECT_EQ(self->before.live.queues + 1, node_number(self->node, "stats/queues"));
	EXPECT_EQ(0, node_number(self->node, "stats/zombies"));
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(stats.submitted, STATS_SUM(&stats));
}

/* The node's folders are those of registered devices, and go with them. */
TEST_F(dev, folders_come_and_go)
{
	char path[64], value[64];
	struct line line;
	int node = vt_mock_add();

	if (node < 0)
		SKIP(return, "devices cannot be added");
	EXPECT_EQ(node, node_number(node, "instance"));
	EXPECT_EQ(0, node_number(node, "stats/submitted"));
	EXPECT_EQ(0, objects(node, 0, &line, 1));
	ASSERT_OK(vt_mock_remove(node));
	EXPECT_ERRNO(ENOENT, node_text(node, "instance", value, sizeof(value)));
	objects_path(node, path, sizeof(path));
	EXPECT_EQ(-1, access(path, F_OK));
	EXPECT_EQ(ENOENT, errno);
}

/* One that is open when the device goes reads nothing more, and closes. */
TEST_F(dev, objects_open_across_unplug)
{
	char path[64], text[256];
	int node = vt_mock_add(), fd;
	struct bad_file f;

	if (node < 0)
		SKIP(return, "devices cannot be added");
	ASSERT_OK(bad_open(node, &f));
	objects_path(node, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_LT(0, read(fd, text, 10));
	ASSERT_OK(vt_mock_remove(node));
	EXPECT_EQ(-1, read(fd, text, sizeof(text)));
	EXPECT_EQ(EIO, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_OK(close(fd));
	EXPECT_OK(close(f.fd));
}

struct reader {
	pthread_t thread;
	int node, kind;
	volatile bool *stop;
	unsigned long long reads;
};

/* Reads what may vanish at any moment; what it gets is of one piece, or an error. */
static void *read_on(void *arg)
{
	static const char *const names[] = {
		"limits/max_contexts", "stats/submitted", "stats/bytes", "backend",
	};
	struct reader *r = arg;
	struct line line;
	char path[64], *text = malloc(65536);
	int i;

	while (!*r->stop && text) {
		for (i = 0; r->kind == 0 && i < 32; i++) {
			snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", i);
			r->reads += slurp(path, text, 65536) > 0;
		}
		for (i = 0; r->kind == 1 && i < 4; i++)
			r->reads += !node_text(r->node, names[i], text, 64);
		if (r->kind == 2)
			r->reads += objects(r->node, 0, &line, 1) >= 0;
		vt_sleep_ms(1);
	}
	free(text);
	return NULL;
}

static int use(int node, __u32 *event)
{
	struct bad_file f;
	int r = bad_open(node, &f), i;

	for (i = 0; i < 3 && !r; i++)
		r = bad_start(&f, event);
	return r ?: f.fd;
}

/* Readers of everything, while files are closed and devices unplugged and unbound. */
TEST_F(dev, readers_against_the_end)
{
	struct reader readers[3];
	volatile bool stop = false;
	unsigned int rounds, i, k;
	char path[64], target[256];
	__u32 event;
	ssize_t n;
	int node = vt_mock_add(), fd;

	if (node < 0)
		SKIP(return, "devices cannot be added");
	for (k = 0; k < 3; k++) {
		readers[k] = (struct reader){ .node = node, .kind = k, .stop = &stop };
		ASSERT_OK(pthread_create(&readers[k].thread, NULL, read_on, &readers[k]));
	}
	rounds = vt_scale(24) + 2;
	for (i = 0; i < rounds; i++) {
		fd = use(node, &event);
		EXPECT_LE(0, fd);
		if (i % 3 == 0) {
			close(fd);
			fd = use(node, &event);
			EXPECT_LE(0, fd);
		}
		snprintf(path, sizeof(path), "/sys/class/misc/virtio-accel%d/device", node);
		n = readlink(path, target, sizeof(target) - 1);
		if (i % 3 == 1 && self->info.backend == VACC_BACKEND_VIRTIO && n > 0) {
			target[n] = 0;
			EXPECT_OK(bad_unbind(basename(target)));
			EXPECT_OK(bad_bind(basename(target)));
			EXPECT_OK(bad_back(node));
		}
		EXPECT_OK(vt_mock_remove(node));
		close(fd);
		EXPECT_EQ(node, vt_mock_add());
	}
	/* There is a device: whoever was not let run until now reads of that. */
	for (i = 0, k = 0; k < 3 && i < 1000; i++) {
		if (__atomic_load_n(&readers[k].reads, __ATOMIC_RELAXED))
			k++;
		else
			vt_sleep_ms(10);
	}
	stop = true;
	for (k = 0; k < 3; k++) {
		pthread_join(readers[k].thread, NULL);
		EXPECT_LT(0, readers[k].reads);
	}
	EXPECT_OK(vt_mock_remove(node));
}

TEST_HARNESS_MAIN
