// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

#include "env.h"
#include "log.h"
#include "sandbox.h"

/**
 * sandbox_user() - become another user for good
 * @name: who
 *
 * Return: 0 or a negative errno.
 */
int sandbox_user(const char *name)
{
	const struct passwd *user;

	errno = 0;
	user = getpwnam(name);
	if (!user) {
		say("there is no user %s", name);
		return errno ? -errno : -ENOENT;
	}
	if (setgroups(0, NULL) || setgid(user->pw_gid) ||
	    setuid(user->pw_uid)) {
		say("cannot become %s: %s", name, strerror(errno));
		return -errno;
	}
	/* There is no way back. */
	if (user->pw_uid && !setuid(0)) {
		say("root is not left behind");
		return -EPERM;
	}
	return 0;
}

/*
 * Landlock, by numbers: headers may be older than the kernel.  All rights over files
 * and networks, and signals to others, are taken; none is given.
 */
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset	444
#define __NR_landlock_restrict_self	446
#endif

#define LANDLOCK_VERSION	1

static const struct {
	u64 fs;
	u64 net;
	u64 scoped;
} landlock_abis[] = {
	{},
	{ 0x1fff, 0, 0 },
	{ 0x3fff, 0, 0 },
	{ 0x7fff, 0, 0 },
	{ 0x7fff, 0x3, 0 },
	{ 0xffff, 0x3, 0 },
	{ 0xffff, 0x3, 0x3 },
};

static void sandbox_landlock(void)
{
	struct {
		u64 fs;
		u64 net;
		u64 scoped;
	} rules;
	size_t bytes;
	long abi, fd;

	abi = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
	if (abi < 1) {
		debug("this kernel has no Landlock: %s", strerror(errno));
		return;
	}
	abi = min_t(long, abi, ARRAY_SIZE(landlock_abis) - 1);
	memcpy(&rules, &landlock_abis[abi], sizeof(rules));
	bytes = abi < 4 ? 8 : abi < 6 ? 16 : 24;
	fd = syscall(__NR_landlock_create_ruleset, &rules, bytes, 0);
	if (fd < 0 || syscall(__NR_landlock_restrict_self, fd, 0))
		debug("Landlock does not work: %s", strerror(errno));
	else
		debug("confined by Landlock, version %ld", abi);
	if (fd >= 0)
		close(fd);
}

#ifdef HAVE_SECCOMP

/* What a kernel says that is older than a system call. */
#define NO_SUCH_CALL	38

static const int allowed[] = {
	/* Sockets and what comes over them. */
	SCMP_SYS(accept4), SCMP_SYS(recvmsg), SCMP_SYS(recvfrom),
	SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(getsockopt),
	SCMP_SYS(shutdown), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(close), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(fcntl),
	SCMP_SYS(fstat), SCMP_SYS(fstatfs), SCMP_SYS(newfstatat),
	SCMP_SYS(preadv2), SCMP_SYS(eventfd2),
	SCMP_SYS(memfd_create), SCMP_SYS(ftruncate),
	/* Memory. */
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
	/* Threads and time. */
	SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(restart_syscall), SCMP_SYS(gettid),
	SCMP_SYS(getpid), SCMP_SYS(getrandom), SCMP_SYS(membarrier),
	SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* Signals; to whom they go is looked at below. */
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
};

/* Memory that can be executed would be the first thing an attacker needs. */
static int allow_memory(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp plain = SCMP_A2(SCMP_CMP_MASKED_EQ,
						  PROT_EXEC, 0);

	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				plain) ?:
	       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				plain);
}

/* Threads only. The flags of clone3() cannot be seen: the library tries the other. */
static int allow_threads(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD,
					CLONE_THREAD)) ?:
	       seccomp_rule_add(filter, SCMP_ACT_ERRNO(NO_SUCH_CALL),
				SCMP_SYS(clone3), 0);
}

/* abort() and what the library does for its threads: others of the same user are none. */
static int allow_own_signals(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				SCMP_A0(SCMP_CMP_EQ, getpid()));
}

static int sandbox_seccomp(void)
{
	/* What a library tries and can do without is refused, not deadly. */
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	u32 i;
	int err;

	if (!filter)
		return -ENOMEM;
	err = allow_memory(filter) ?: allow_threads(filter) ?: allow_own_signals(filter);
	for (i = 0; !err && i < ARRAY_SIZE(allowed); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	if (err)
		say("seccomp: %s; --no-sandbox goes without", strerror(-err));
	else
		debug("confined by seccomp");
	return err;
}

#else /* HAVE_SECCOMP */

static int sandbox_seccomp(void)
{
	debug("built without libseccomp");
	return 0;
}

#endif /* HAVE_SECCOMP */

/**
 * sandbox_enter() - confine the process
 *
 * Return: 0 or a negative errno.
 */
int sandbox_enter(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	sandbox_landlock();
	return sandbox_seccomp();
}
