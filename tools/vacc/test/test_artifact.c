// SPDX-License-Identifier: GPL-2.0
/* The 24-byte programs, and telling artifacts apart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libvacc.h"
#include "test.h"

static void test_bytes(void)
{
	static const __u8 barrier[] = "VAMK\1\0\0\1\7\0\0\0\377\377\377\377\0\0\0\0\0\0\0";
	static const __u8 copy[] = "VAMK\1\0\1\1\4\3\2\1\5\0\0\0\0\0\0\0\0\0\0";
	static const __u8 fill[] = "VAMK\1\0\2\1\0\0\0\0\377\377\377\377\245\0\0\0\0\0\0";
	static const __u8 xor[] = "VAMK\1\0\3\1\376\377\377\377\377\377\377\377\377\0\0\0\0\0\0";
	struct vacc_ref_artifact a;

	CHECK(sizeof(a) == 24 && sizeof(xor) == 24);
	vacc_ref_barrier(&a, 7);
	CHECK(!memcmp(&a, barrier, 24));
	vacc_ref_copy(&a, 0x01020304, 5);
	CHECK(!memcmp(&a, copy, 24));
	vacc_ref_fill(&a, 0, 0xa5);
	CHECK(!memcmp(&a, fill, 24));
	vacc_ref_xor(&a, 0xfffffffe, 0xff);
	CHECK(!memcmp(&a, xor, 24));
}

static void test_init(void)
{
	struct vacc_ref_artifact a;
	struct vacc_artifact artifact;

	vacc_ref_fill(&a, 0, 1);
	CHECK(vacc_probe_format(&a, 24) == VACC_REF_FORMAT);
	CHECK(vacc_probe_format(&a, 4) == VACC_REF_FORMAT);
	CHECK(!vacc_probe_format(&a, 3) && !vacc_probe_format(NULL, 0));
	CHECK(vacc_probe_format("VABT", 4) == VACC_BATCH_FORMAT);
	CHECK(!vacc_probe_format("VABU", 4));
	CHECK(!vacc_artifact_init(&artifact, &a, 24));
	CHECK(artifact.format == VACC_REF_FORMAT && artifact.resident_bytes == 64);
	CHECK(artifact.target[0] == 0x56414d4b && artifact.target[1] == 0x00010000 &&
	      artifact.target[2] == 0x54455354 && artifact.target[3] == 0x4f4e4c59 &&
	      !artifact.target[4] && !artifact.target[11]);
	CHECK(artifact.payload == &a && artifact.payload_bytes == 24);
	CHECK(vacc_artifact_init(&artifact, "VABT", 4) == -EINVAL);
	CHECK(strstr(vacc_last_error(NULL), "shorter"));
	CHECK(vacc_artifact_init(&artifact, "ELF!", 4) == -EINVAL);
}

/* The check of a fill with one byte changed. */
static int check_with(size_t at, __u8 value)
{
	struct vacc_ref_artifact a;

	vacc_ref_fill(&a, 3, 9);
	((__u8 *)&a)[at] = value;
	return vacc_artifact_check(&a, sizeof(a), NULL, 0);
}

static void test_rules(void)
{
	struct vacc_ref_artifact a;
	char why[64];

	CHECK(!check_with(6, 2));
	CHECK(check_with(0, 'X') == -EINVAL);
	CHECK(check_with(4, 2) == -ENOEXEC);
	CHECK(check_with(5, 1) == -ENOEXEC);
	CHECK(check_with(6, 4) == -EOPNOTSUPP);
	CHECK(check_with(6, 0) == -EINVAL);	/* a barrier with an operand */
	CHECK(check_with(6, 1) == -EINVAL);	/* a copy with an operand */
	CHECK(check_with(7, 2) == -ENOEXEC);
	CHECK(check_with(12, 1) == -EINVAL);	/* a second slot */
	for (size_t i = 17; i < 24; i++)
		CHECK(check_with(i, 1) == -EINVAL);
	vacc_ref_copy(&a, 5, 5);
	CHECK(vacc_artifact_check(&a, 24, why, sizeof(why)) == -EINVAL);
	CHECK(strstr(why, "both ends"));
	vacc_ref_copy(&a, 5, 6);
	CHECK(!vacc_artifact_check(&a, 24, why, sizeof(why)) && !*why);
	for (size_t bytes = 0; bytes < 24; bytes++) {
		__u8 *prefix = malloc(bytes ? bytes : 1);

		memcpy(prefix, &a, bytes);
		CHECK(vacc_artifact_check(prefix, bytes, NULL, 0) == -EINVAL);
		free(prefix);
	}
	for (size_t bit = 0; bit < 8 * 24; bit++) {
		((__u8 *)&a)[bit / 8] ^= 1 << bit % 8;
		vacc_artifact_check(&a, 24, why, sizeof(why));
		((__u8 *)&a)[bit / 8] ^= 1 << bit % 8;
	}
	CHECK(vacc_artifact_check(&a, 24, why, 5) == 0);
	CHECK(vacc_artifact_check(&a, 23, why, 5) == -EINVAL && strlen(why) == 4);
}

void test_artifact(void)
{
	test_bytes();
	test_init();
	test_rules();
}
