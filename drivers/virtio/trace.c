// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of the virtio backend, once.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
