// SPDX-License-Identifier: GPL-2.0
/* BUFFER_CREATE, BUFFER_DESTROY and BUFFER_QUERY. */
#include "vacc_test.h"

#define MIB	(1ULL << 20)

/* Sizes: within the limit the last byte is really there, and none after it. */
TEST_F(dev, sizes)
{
	const __u64 sizes[] = {
		1, 2, 4095, 4096, 4097, 65537, 16 * MIB + 1, self->info.max_buffer_bytes,
		self->info.max_buffer_bytes + 1, 1ULL << 31, 1ULL << 32, (1ULL << 32) + 1,
		1ULL << 63, ~0ULL - 4095, ~0ULL,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		bool fits = sizes[i] <= self->info.max_buffer_bytes &&
			    sizes[i] <= self->info.total_bytes_limit -
					self->info.total_bytes_used - MIB;
		struct vacc_buffer_create desc =
			vt_buffer_desc(self->context, sizes[i], VT_USAGE_ALL);
		unsigned char byte = 0xc3, back = 0xff;
		int r = vt_buffer_create(self->fd, &desc);

		if (!fits || r == -ENOMEM) {
			EXPECT_EQ(fits ? -ENOMEM : -ENOSPC, r)
				TH_LOG("%llu bytes", (unsigned long long)sizes[i]);
			continue;
		}
		ASSERT_EQ(0, r) TH_LOG("%llu bytes", (unsigned long long)sizes[i]);
		EXPECT_LE(sizes[i], desc.allocation_bytes);
		EXPECT_GE(sizes[i] + 4095, desc.allocation_bytes);
		EXPECT_OK(vt_read(self->fd, desc.handle, sizes[i] - 1, &back, 1));
		EXPECT_EQ(0, back);
		EXPECT_OK(vt_write(self->fd, desc.handle, sizes[i] - 1, &byte, 1));
		EXPECT_OK(vt_read(self->fd, desc.handle, sizes[i] - 1, &back, 1));
		EXPECT_EQ(0xc3, back);
		EXPECT_ERRNO(ERANGE, vt_write(self->fd, desc.handle, sizes[i], &byte, 1));
		EXPECT_ERRNO(ERANGE, vt_read(self->fd, desc.handle, sizes[i], &back, 1));
		EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, desc.handle));
	}
}

/* R2: no size, no alignment, no power of two. */
TEST_F(dev, r2_refused)
{
	const __u64 alignments[] = { 0, 3, 6, 4097, ~0ULL, (1ULL << 63) + 1 };
	struct vacc_buffer_create desc;
	unsigned int i;

	desc = vt_buffer_desc(self->context, 0, VT_USAGE_ALL);
	EXPECT_ERRNO(EINVAL, vt_buffer_create(self->fd, &desc));
	/* The length comes before the handle. */
	desc.context = 0;
	EXPECT_ERRNO(EINVAL, vt_buffer_create(self->fd, &desc));
	for (i = 0; i < ARRAY_SIZE(alignments); i++) {
		desc = vt_buffer_desc(self->context, 64, VT_USAGE_ALL);
		desc.alignment = alignments[i];
		EXPECT_ERRNO(EINVAL, vt_buffer_create(self->fd, &desc))
			TH_LOG("alignment %llx", (unsigned long long)alignments[i]);
	}
}

/* R2: alignments 1 to 2 MiB are honoured, larger ones are beyond the limit. */
TEST_F(dev, r2_alignments)
{
	struct vacc_buffer_create desc;
	struct vacc_buffer_query query;
	__u64 alignment;

	for (alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
		desc = vt_buffer_desc(self->context, 100, VT_USAGE_ALL);
		desc.alignment = alignment;
		ASSERT_OK(vt_buffer_create(self->fd, &desc));
		EXPECT_LE(alignment, desc.actual_alignment);
		EXPECT_EQ(0, desc.actual_alignment & (desc.actual_alignment - 1));
		ASSERT_OK(vt_buffer_query(self->fd, desc.handle, &query));
		EXPECT_EQ(desc.actual_alignment, query.alignment);
		EXPECT_EQ(100, query.bytes);
		EXPECT_OK(vt_set(self->fd, desc.handle, 0, 0x77, 100));
		EXPECT_EQ(1, vt_all(self->fd, desc.handle, 0, 0x77, 100));
		EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, desc.handle));
	}
	for (alignment = 4 * MIB; alignment; alignment *= 2) {
		desc = vt_buffer_desc(self->context, 100, VT_USAGE_ALL);
		desc.alignment = alignment;
		EXPECT_ERRNO(ENOSPC, vt_buffer_create(self->fd, &desc))
			TH_LOG("alignment %llx", (unsigned long long)alignment);
	}
}

TEST_F(dev, domains_usages_and_types)
{
	const __u32 domains[] = { 0, 4, 5, 1u << 31, ~0u };
	struct vacc_buffer_create desc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(domains); i++) {
		desc = vt_buffer_desc(self->context, 64, VT_USAGE_ALL);
		desc.domain = domains[i];
		EXPECT_ERRNO(EINVAL, vt_buffer_create(self->fd, &desc))
			TH_LOG("domain %x", domains[i]);
	}
	desc = vt_buffer_desc(self->context, 64, 0);
	EXPECT_ERRNO(EINVAL, vt_buffer_create(self->fd, &desc));
	for (i = 0; i < 32; i++) {
		desc = vt_buffer_desc(self->context, 64, 1u << i);
		EXPECT_EQ(i < 5 ? 0 : -EOPNOTSUPP, vt_buffer_create(self->fd, &desc))
			TH_LOG("usage bit %u", i);
		desc = vt_buffer_desc(self->context, 64, VT_USAGE_ALL);
		desc.element_type = i;
		EXPECT_EQ(i < VACC_TYPE_COUNT ? 0 : -EINVAL, vt_buffer_create(self->fd, &desc))
			TH_LOG("element type %u", i);
	}
}

/* M3: what the properties say, for each domain and usage. */
TEST_F(dev, m3_properties)
{
	const __u32 program = VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_OUTPUT |
			      VIRTIO_ACCEL_USAGE_MUTABLE;
	bool can_map = self->info.features & VACC_FEATURE_MMAP;
	__u32 domain, usage;

	for (domain = 1; domain <= 3; domain++) {
		for (usage = 1; usage <= VT_USAGE_ALL; usage++) {
			bool local = domain == VIRTIO_ACCEL_DOMAIN_DEVICE;
			struct vacc_buffer_create desc =
				vt_buffer_desc(self->context, 64, usage);
			struct vacc_buffer_query query;
			__u32 want = local ? VACC_PROP_DEVICE_LOCAL : VACC_PROP_HOST_VISIBLE;

			if ((usage & program) || domain == VIRTIO_ACCEL_DOMAIN_SHARED)
				want |= VACC_PROP_DIRECT_BINDING;
			if (can_map && !local)
				want |= VACC_PROP_MAPPABLE;
			desc.domain = domain;
			ASSERT_OK(vt_buffer_create(self->fd, &desc));
			EXPECT_EQ(want, desc.properties)
				TH_LOG("domain %u, usage %x", domain, usage);
			EXPECT_EQ(can_map && !local, !!desc.mmap_offset);
			ASSERT_OK(vt_buffer_query(self->fd, desc.handle, &query));
			EXPECT_EQ(want, query.properties);
			EXPECT_EQ(domain, query.domain);
			EXPECT_EQ(usage, query.usage);
			EXPECT_EQ(desc.mmap_offset, query.mmap_offset);
			ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, desc.handle));
		}
	}
}

/* M3: contents start as zero, also where another buffer's bytes were. */
TEST_F(dev, m3_contents_start_as_zero)
{
	__u32 buffer, domain, round;
	struct vacc_buffer_create desc;
	size_t bytes = 300001;

	for (round = 0; round < 4; round++) {
		for (domain = 1; domain <= 3; domain++) {
			desc = vt_buffer_desc(self->context, bytes, VT_USAGE_ALL);
			desc.domain = domain;
			ASSERT_OK(vt_buffer_create(self->fd, &desc));
			buffer = desc.handle;
			EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0, bytes));
			ASSERT_OK(vt_set(self->fd, buffer, 0, 0xa5, bytes));
			ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
		}
	}
}

TEST_F(dev, query)
{
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, 5000, VT_USAGE_TRANSFER);
	struct vacc_buffer_query query;

	desc.element_type = VACC_TYPE_F16;
	desc.flags = VACC_BUFFER_NO_WRITE_MAP;
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	memset(&query, 0xff, sizeof(query));
	query.size = sizeof(query);
	query.flags = 0;
	query.handle = desc.handle;
	ASSERT_OK(vt_ioctl(self->fd, VACC_BUFFER_QUERY, &query));
	EXPECT_EQ(desc.handle, query.handle);
	EXPECT_EQ(self->context, query.context);
	EXPECT_EQ(VIRTIO_ACCEL_DOMAIN_HOST, query.domain);
	EXPECT_EQ(VT_USAGE_TRANSFER, query.usage);
	EXPECT_EQ(VACC_TYPE_F16, query.element_type);
	EXPECT_EQ(desc.properties, query.properties);
	EXPECT_EQ(VACC_BUFFER_NO_WRITE_MAP, query.buffer_flags);
	EXPECT_EQ(0, query.pending);
	EXPECT_EQ(5000, query.bytes);
	EXPECT_EQ(desc.actual_alignment, query.alignment);
	EXPECT_EQ(desc.allocation_bytes, query.allocation_bytes);
	EXPECT_EQ(desc.mmap_offset, query.mmap_offset);
}

/* Pending events that use a buffer are counted, and keep it. */
TEST_F(dev, pending)
{
	struct vacc_buffer_query query;
	struct vacc_binding b;
	__u32 program, buffer, events[3];
	unsigned int i;

	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 1, &program));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_start(self->fd, self->queue, program, &b, 1, &events[i]));
		ASSERT_OK(vt_buffer_query(self->fd, buffer, &query));
		EXPECT_EQ(i + 1, query.pending);
	}
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, events[i]));
		ASSERT_OK(vt_buffer_query(self->fd, buffer, &query));
		EXPECT_EQ(2 - i, query.pending);
	}
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
}

TEST_F(dev, bad_handles)
{
	const __u32 bad[] = { 0, ~0u, 1u << 31, self->queue };
	struct vacc_buffer_query query;
	unsigned int i;
	__u32 buffer;
	char byte = 0;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_BUFFER_DESTROY, bad[i]));
		EXPECT_ERRNO(ENOENT, vt_buffer_query(self->fd, bad[i], &query));
		EXPECT_ERRNO(ENOENT, vt_write(self->fd, bad[i], 0, &byte, 1));
		EXPECT_ERRNO(ENOENT, vt_read(self->fd, bad[i], 0, &byte, 1));
		EXPECT_ERRNO(ENOENT, vt_buffer(self->fd, bad[i], 64, VT_USAGE_ALL, &buffer));
	}
	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VT_USAGE_ALL, &buffer));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	EXPECT_ERRNO(ENOENT, vt_read(self->fd, buffer, 0, &byte, 1));
}

/* M1: create until refused, destroy one, create one. */
TEST_F(dev, m1_limit_of_buffers)
{
	unsigned int n = 0;
	__u32 buffer, last = 0;
	int r;

	while (!(r = vt_buffer(self->fd, self->context, 1, VT_USAGE_ALL, &buffer))) {
		last = buffer;
		ASSERT_GE(self->info.max_buffers_per_context, ++n);
	}
	EXPECT_ERRNO(ENOSPC, r);
	EXPECT_EQ(self->info.max_buffers_per_context, n);
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, last));
	EXPECT_OK(vt_buffer(self->fd, self->context, 1, VT_USAGE_ALL, &buffer));
	EXPECT_ERRNO(ENOSPC, vt_buffer(self->fd, self->context, 1, VT_USAGE_ALL, &buffer));
}

/* The quota of bytes: refused, and served again when one is gone. */
TEST_F(dev, quota_of_bytes)
{
	struct vacc_last_error last;
	struct vacc_get_info info;
	__u64 bytes, room;
	__u32 buffer, first = 0;
	unsigned int n = 0;
	char old[32], limit[32];
	int r;

	bytes = 8 * MIB;
	snprintf(limit, sizeof(limit), "%llu",
		 (unsigned long long)(self->info.total_bytes_used + 40 * MIB));
	ASSERT_OK(vt_parameter("virtio_accel", "max_total_bytes", old, limit));
	ASSERT_OK(vt_get_info(self->fd, &info));
	room = (info.total_bytes_limit - info.total_bytes_used) / bytes;
	EXPECT_LE(4, room);
	while (!(r = vt_buffer(self->fd, self->context, bytes, VT_USAGE_ALL, &buffer))) {
		first = first ?: buffer;
		if (++n > room)
			break;
	}
	EXPECT_ERRNO(ENOSPC, r);
	EXPECT_EQ(room, n);
	EXPECT_OK(vt_last_error(self->fd, &last));
	EXPECT_EQ(ENOSPC, last.error);
	EXPECT_TRUE(strstr((char *)last.text, "max_total_bytes"));
	EXPECT_OK(vt_get_info(self->fd, &info));
	EXPECT_LE(info.total_bytes_used, info.total_bytes_limit);
	EXPECT_LE(n * bytes, info.total_bytes_used);
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, first));
	EXPECT_OK(vt_buffer(self->fd, self->context, bytes, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_parameter("virtio_accel", "max_total_bytes", NULL, old));
}

/* What a closed file leaves makes room without the next one failing. */
TEST_F(dev, leftovers_make_room)
{
	unsigned int round;
	__u32 context, buffer;
	char old[32], limit[32];

	snprintf(limit, sizeof(limit), "%llu",
		 (unsigned long long)(self->info.total_bytes_used + 12 * MIB));
	ASSERT_OK(vt_parameter("virtio_accel", "max_total_bytes", old, limit));
	for (round = 0; round < 10; round++) {
		int fd = vt_open_node(self->node);

		EXPECT_LE(0, fd);
		EXPECT_OK(vt_context(fd, &context));
		EXPECT_OK(vt_buffer(fd, context, 8 * MIB, VT_USAGE_ALL, &buffer));
		close(fd);
	}
	ASSERT_OK(vt_parameter("virtio_accel", "max_total_bytes", NULL, old));
}

TEST_HARNESS_MAIN
