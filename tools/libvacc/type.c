// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Element types. */
#include <string.h>

#include "internal.h"

static const struct {
	const char *name;
	__u32 bytes;
} types[VACC_TYPE_COUNT] = {
	[VACC_TYPE_UNTYPED] = { "untyped", 1 },
	[VACC_TYPE_U8] = { "u8", 1 },
	[VACC_TYPE_I8] = { "i8", 1 },
	[VACC_TYPE_I32] = { "i32", 4 },
	[VACC_TYPE_F16] = { "f16", 2 },
	[VACC_TYPE_BF16] = { "bf16", 2 },
	[VACC_TYPE_F32] = { "f32", 4 },
	[VACC_TYPE_F64] = { "f64", 8 },
};

const char *vacc_type_name(__u32 type)
{
	return type < VACC_TYPE_COUNT ? types[type].name : NULL;
}

__u32 vacc_type_bytes(__u32 type)
{
	return type < VACC_TYPE_COUNT ? types[type].bytes : 0;
}

int vacc_type_parse(const char *name)
{
	for (int type = 0; type < VACC_TYPE_COUNT; type++) {
		if (!strcmp(types[type].name, name))
			return type;
	}
	return vacc_fail(EINVAL, "there is no element type %s", name);
}
