# SPDX-License-Identifier: GPL-2.0
"""Find reports of trouble in a kernel's log."""
import re

# "[   12.345678] [  T123] " or with the caller's CPU, or nothing.
PREFIX = re.compile(r"^(?:<\d+>)?(?:\[\s*\d+\.\d+\](?:\[\s*[TC]\d+\])?\s?)?")

# Matched at the beginning of a line, after the time stamp.
BEGIN = re.compile("|".join((
    r"WARNING: ",               # WARN_ON and lockdep
    r"BUG: ",                   # KASAN, sleeping function, scheduling while atomic
    r"BUG kmalloc|BUG [\w-]+ \(",  # SLUB
    r"kernel BUG at ",
    r"Kernel panic",
    r"Oops(?:: |$)",
    r"INFO: task \S+ blocked",
    r"INFO: trying to register non-static key",
    r"UBSAN: ",
    r"KASAN: ",
    r"ODEBUG: ",
    r"general protection fault",
    r"(?:stack segment|divide error|invalid opcode|double fault|"
    r"page fault|int3|alignment check): \d{4} ",
    r"list_(?:add|del) corruption",
    r"kmemleak: [1-9]\d* new suspected",
    r"unreferenced object 0x",
    r"rcu: INFO: ",
    r"watchdog: BUG: ",
    r"refcount_t: ",
    r"Segfault with no mm",
    r"Kernel tried to access user memory",
    r"DEBUG_LOCKS_WARN_ON",
    r"Internal error: ",
    r"Unable to handle kernel ",
    r"sysrq: Trigger a crash",
    r"\S+: Objects remaining in ",
)))

# Wherever they stand.
ANYWHERE = re.compile("|".join((
    r"sleeping function called from invalid context",
    r"possible circular locking dependency",
    r"Kernel panic - not syncing",
    r"kernel BUG at ",
    r"Attempted to kill init",
)))


def reports(text, allow=()):
    """Return [(line number from 0, line)] of all lines that tell of trouble,
    except those that a regular expression in allow matches."""
    allowed = [re.compile(a) for a in allow]
    found = []
    for number, line in enumerate(text.splitlines()):
        body = PREFIX.sub("", line.rstrip("\r"))
        if not (BEGIN.match(body) or ANYWHERE.search(body)):
            continue
        if not any(a.search(body) for a in allowed):
            found.append((number, line.rstrip("\r")))
    return found
