/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The harness: steering the device, and looking into it, by lines of text.
 *
 *	hold 0|1		end or begin hold mode
 *	hold			1 in hold mode, else 0
 *	release			end hold mode
 *	complete EVENT|all	execute it now
 *	fail EVENT|all STATUS	fail it
 *	lose EVENT|all		fail it with DEVICE_LOST
 *	reorder EVENT...	execute them in this order
 *	events			unfinished events
 *	counters		what there is and what was done
 *	hostile WHAT [value=V] [opcode=O] [skip=S] [count=C] | clear | flush
 *	hostile			how many replies were met
 *	mute [opcode=O] [skip=S] [count=C]	the same as hostile mute
 *	faults METHOD KIND [call=N] [status=S] [state=T] | clear
 *	audit			what the engine was asked, and what lives
 *	ring			what went over the ring
 *	config [HEX|default]	the configuration space, for the next driver
 *	features [BITS]		device-type features that are offered besides
 *	limits [default] [LIMIT=N]...	of the options of that name, for the next driver
 *	needs_reset		lose the device until it is reset
 *
 * EVENT, and the words, are those of the reference device in the kernel.  The answer
 * is lines of what was asked for, and then "ok", or "error ERRNO NAME".
 */
#ifndef VACCD_CONTROL_H
#define VACCD_CONTROL_H

#include "device.h"
#include "serve.h"

#define CONTROL_LINE	65536

struct control_context {
	struct device *device;
	struct serve *serve;
};

/**
 * struct control_text - text that grows
 * @bytes: it, zero-terminated, or NULL
 * @length: without the zero
 * @room: allocated
 */
struct control_text {
	char *bytes;
	size_t length;
	size_t room;
};

void text_add(struct control_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void control_line(struct control_context *context, char *line,
		  struct control_text *answer);
void control_statistics(struct control_context *context,
			struct control_text *text);

/* The tables of hostility and faults, in control_fault.c. */
int control_hostile(struct control_context *context, char *arguments,
		    struct control_text *answer);
int control_mute(struct control_context *context, char *arguments,
		 struct control_text *answer);
int control_faults(struct control_context *context, char *arguments,
		   struct control_text *answer);
int control_audit(struct control_context *context, char *arguments,
		  struct control_text *answer);

char *control_word(char **text);
int control_number(const char *word, u64 max, u64 *number);

/* Listening and talking, in a thread of its own. */
int control_serve(struct control_context *harness, int socket);
void control_stop(void);

#endif /* VACCD_CONTROL_H */
