// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <ctype.h>

#include "script.h"

#define MAX_BYTES	2048

static u32 script_piece(const struct script *script, const char *text,
			u8 *bytes, u8 *wild)
{
	u32 count = 0, i;

	while (*text) {
		unsigned int byte;

		if (isspace(*text)) {
			text++;
		} else if (*text == '$') {
			u8 name = text[1];

			for (i = 0; i < 8; i++) {
				bytes[count] = script->ids[name] >> (8 * i);
				wild[count++] = script->ids[name] ? 0 : name;
			}
			text += 2;
		} else {
			REQUIRE(sscanf(text, "%2x", &byte) == 1);
			wild[count] = 0;
			bytes[count++] = byte;
			text += 2;
		}
	}
	return count;
}

u32 script_bytes(const struct script *script, const char *const *texts,
		 u8 *bytes, u8 *wild)
{
	u32 count = 0;

	for (; *texts; texts++) {
		REQUIRE(count + strlen(*texts) * 4 <= MAX_BYTES);
		count += script_piece(script, *texts, bytes + count,
				      wild + count);
	}
	return count;
}

/* What an unknown ID turned out to be. */
static void script_learn(struct script *script, const u8 *wild, u32 count,
			 const struct reply *reply)
{
	u32 i;

	for (i = 0; i + 8 <= count; i++) {
		if (!wild[i])
			continue;
		script->ids[wild[i]] = le64_to_cpu(eng_get_u64(reply->bytes + i));
		EXPECT(script->ids[wild[i]] != 0);
		i += 7;
	}
}

static void script_step(struct script *script, struct rig *rig,
			const struct script_step *step)
{
	u8 request[MAX_BYTES], response[MAX_BYTES], wild[MAX_BYTES];
	static struct reply reply;
	u32 i, sent, got, wrong = 0;

	sent = script_bytes(script, step->request, request, wild);
	for (i = 0; i < sent; i++)
		REQUIRE(!wild[i]);
	rig_send_raw(rig, request, sent, NULL, &reply);

	got = script_bytes(script, step->response, response, wild);
	EXPECT_EQ(reply.used, got);
	if (reply.used != got)
		return;
	for (i = 0; i < got; i++)
		wrong += !wild[i] && reply.bytes[i] != response[i];
	EXPECT_EQ(wrong, 0);
	script_learn(script, wild, got, &reply);
}

void script_run(struct script *script, struct rig *rig, const char *rules,
		const struct script_step *steps, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		RULE("%s%s", rules, steps[i].name);
		script_step(script, rig, &steps[i]);
	}
}
