/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness in debugfs, for root.
 */
#ifndef _MOCK_CONTROL_H
#define _MOCK_CONTROL_H

#include <linux/types.h>

struct dentry;
struct eng_device;

/**
 * struct control_target - a device as the harness sees it
 * @owner: first argument of what follows
 * @get: its engine, which stays until @put; NULL where there is none just now
 * @put: may be absent
 * @hold: begins or ends hold mode
 * @dir: its directory
 */
struct control_target {
	void *owner;
	struct eng_device *(*get)(void *owner);
	void (*put)(void *owner);
	void (*hold)(void *owner, bool hold);
	struct dentry *dir;
};

void control_init(void);
void control_stop(void);
void control_exit(void);
void control_add(struct control_target *target, const char *name);
void control_remove(struct control_target *target);
char *control_word(char **text);

/* What main.c does for the files "add" and "remove". */
int mock_add(void);
int mock_remove(u32 instance);
void mock_taint(void);

#endif /* _MOCK_CONTROL_H */
