// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Numbers of objects.
 */
#include "ids.h"
#include "rig.h"

TEST(ids_resolve)
{
	struct eng_ids buffers, queues;
	u64 a, b, q;
	u32 slot = 0;
	int x, y;

	EXPECT_EQ(eng_ids_init(&buffers, ENG_KIND_BUFFER, 1000, 0), OK);
	EXPECT_EQ(eng_ids_init(&queues, ENG_KIND_QUEUE, 1000, 0), OK);
	EXPECT_EQ(eng_ids_reserve(&buffers, NULL, &a), OK);
	EXPECT_EQ(eng_ids_reserve(&buffers, NULL, &b), OK);
	EXPECT_EQ(eng_ids_reserve(&queues, NULL, &q), OK);
	EXPECT(a && b && q && a != b && a != q && b != q);

	RULE("a number resolves only while its object is published");
	EXPECT(!eng_ids_find(&buffers, a));
	eng_ids_publish(&buffers, a, &x);
	EXPECT(eng_ids_find(&buffers, a) == &x);
	EXPECT(!eng_ids_find(&queues, a));
	EXPECT(!eng_ids_find(&buffers, b));
	eng_ids_publish(&buffers, b, &y);
	EXPECT(eng_ids_next(&buffers, &slot) == &x);
	EXPECT(eng_ids_next(&buffers, &slot) == &y);
	EXPECT(!eng_ids_next(&buffers, &slot));
	eng_ids_drop(&buffers, a);
	EXPECT(!eng_ids_find(&buffers, a));
	eng_ids_drop(&buffers, a);
	EXPECT(eng_ids_find(&buffers, b) == &y);
	EXPECT(!eng_ids_find(&buffers, 0));
	EXPECT(!eng_ids_find(&buffers, U64_MAX));

	RULE("an epoch makes all numbers stale");
	eng_ids_restart(&buffers, 2);
	EXPECT(!eng_ids_find(&buffers, b));
	EXPECT_EQ(eng_ids_reserve(&buffers, NULL, &q), OK);
	EXPECT(q != a && q != b);
	eng_ids_publish(&buffers, q, &x);
	EXPECT(!eng_ids_find(&buffers, a) && !eng_ids_find(&buffers, b));
	eng_ids_fini(&buffers);
	eng_ids_fini(&queues);
}

TEST(ids_retire)
{
	u64 seen[3 * 5 + 1], id;
	struct eng_ids ids;
	u32 i, j;

	RULE("a slot with no generation left is retired");
	EXPECT_EQ(eng_ids_init(&ids, ENG_KIND_EVENT, 3, 5), OK);
	for (i = 0; i < 3 * 5; i++) {
		EXPECT_EQ(eng_ids_reserve(&ids, NULL, &seen[i]), OK);
		eng_ids_drop(&ids, seen[i]);
		for (j = 0; j < i; j++)
			EXPECT(seen[j] != seen[i]);
	}
	EXPECT_EQ(eng_ids_reserve(&ids, NULL, &id), RESOURCE_LIMIT);
	EXPECT_EQ(eng_ids_reserve(&ids, NULL, &id), RESOURCE_LIMIT);
	eng_ids_restart(&ids, 2);
	EXPECT_EQ(eng_ids_reserve(&ids, NULL, &id), OK);
	for (j = 0; j < i; j++)
		EXPECT(seen[j] != id);
	eng_ids_fini(&ids);
}

TEST(ids_many)
{
	static u64 list[5000];
	struct eng_ids ids;
	u32 i;

	EXPECT_EQ(eng_ids_init(&ids, ENG_KIND_BUFFER, 5000, 0), OK);
	for (i = 0; i < 5000; i++) {
		EXPECT_EQ(eng_ids_reserve(&ids, NULL, &list[i]), OK);
		eng_ids_publish(&ids, list[i], &list[i]);
	}
	EXPECT_EQ(eng_ids_reserve(&ids, NULL, &list[0]), RESOURCE_LIMIT);
	for (i = 1; i < 5000; i++)
		EXPECT(eng_ids_find(&ids, list[i]) == &list[i]);
	eng_ids_fini(&ids);
}

/* Over the wire: a device whose slots wear out refuses, and a reset helps. */
TEST(ids_worn_port)
{
	struct eng_port_config config = default_config;
	struct eng_port_stats stats;
	struct rig rig;
	u64 id;
	u32 i;

	config.limits.max_contexts = 1;
	config.limits.max_buffers = 2;
	config.id_generations = 4;
	rig_make(&rig, &config);
	for (i = 0; i < 2 * 4; i++) {
		id = rig_buffer(&rig, 64, USAGE_ALL);
		EXPECT(id != 0);
		EXPECT_EQ(rig_object(&rig, 0x0201, id), OK);
	}
	EXPECT_EQ(rig_send(&rig, frame_buffer(rig.context, 64, 1, HOST,
					      USAGE_ALL), NULL, NULL),
		  RESOURCE_LIMIT);
	eng_port_stats(rig.port, &stats);
	EXPECT_EQ(stats.buffer_memory, 0);
	rig_restart(&rig);
	EXPECT(rig_buffer(&rig, 64, USAGE_ALL) != 0);
	rig_free(&rig);
}
