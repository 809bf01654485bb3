// SPDX-License-Identifier: GPL-2.0
/*
 * Statuses and errnos.
 */
#include "../drivers/core.h"
#include "rig.h"

struct error_pair {
	const char *name;
	u16 status;
	int error;
};

static const struct error_pair error_pairs[] = {
	{ "OK", VIRTIO_ACCEL_S_OK, 0 },
	{ "UNSUPPORTED", 1, -EOPNOTSUPP },
	{ "INCOMPATIBLE", 2, -ENOEXEC },
	{ "INVALID_ARGUMENT", 3, -EINVAL },
	{ "OUT_OF_BOUNDS", 4, -ERANGE },
	{ "BUSY", 5, -EBUSY },
	{ "OUT_OF_MEMORY", 6, -ENOMEM },
	{ "RESOURCE_LIMIT", 7, -ENOSPC },
	{ "DEADLINE_EXPIRED", 8, -ETIME },
	{ "DEVICE_LOST", 9, -EIO },
	{ "PERMISSION_DENIED", 10, -EACCES },
	{ "STALE_OBJECT", 11, -ENOENT },
	{ "INTERNAL_ERROR", 0xffff, -EREMOTEIO },
	{ "the first unknown one", 12, -EREMOTEIO },
	{ "an unknown one", 0x1234, -EREMOTEIO },
	{ "try again", VACC_S_TRY_AGAIN, -EAGAIN },
	{ "restart", VACC_S_RESTART, -ERESTARTSYS },
	{ "killed", VACC_S_KILLED, -EINTR },
};

KUNIT_ARRAY_PARAM_DESC(error_pair, error_pairs, name);

static void error_of_status(struct kunit *test)
{
	const struct error_pair *pair = test->param_value;

	KUNIT_EXPECT_EQ(test, vacc_errno(pair->status), pair->error);
}

/* A failure always fails: only OK is 0. */
static void error_of_every_status(struct kunit *test)
{
	u32 status;

	for (status = 1; status <= 0xffff; status++)
		if (vacc_errno(status) >= 0)
			KUNIT_FAIL(test, "status %#x", status);
}

static void error_text_is_kept(struct kunit *test)
{
	struct vacc_call call = {};

	KUNIT_EXPECT_EQ(test, vacc_fail(&call, -EBUSY, "because"), -EBUSY);
	KUNIT_EXPECT_STREQ(test, call.reason.text, "because");
}

/* What VACC_LAST_ERROR has are numbers that userspace knows. */
static void error_of_a_signal(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_last_error last = {};
	struct vacc_call call;

	rig_call(rig, &call);
	vacc_error_note(&call, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0L);
	KUNIT_EXPECT_EQ(test, last.error, (u32)EINTR);
}

static struct kunit_case error_cases[] = {
	KUNIT_CASE_PARAM(error_of_status, error_pair_gen_params),
	KUNIT_CASE(error_of_every_status),
	KUNIT_CASE(error_text_is_kept),
	KUNIT_CASE(error_of_a_signal),
	{}
};

static struct kunit_suite error_suite = {
	.name = "virtio_accel_error",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = error_cases,
};

kunit_test_suite(error_suite);
