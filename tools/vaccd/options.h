/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The command line. */
#ifndef VACCD_OPTIONS_H
#define VACCD_OPTIONS_H

#include "device.h"

/**
 * struct options - what the command line says
 * @socket: where front ends connect
 * @control: where the harness is, or NULL
 * @user: who we become, or NULL
 * @sandbox: confine ourselves
 * @inband: offer notifications by messages
 * @device: how the device shall be
 */
struct options {
	const char *socket;
	const char *control;
	const char *user;
	bool sandbox;
	bool inband;
	struct device_options device;
};

/* 0, or an exit status + 1: the program has said what there was to say. */
int options_parse(int argc, char **argv, struct options *options);

/* One of the limits, by its name on the command line; 0 or -EINVAL. */
int options_limit(const char *name, const char *text, struct eng_limits *to);

#endif /* VACCD_OPTIONS_H */
