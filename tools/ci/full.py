# SPDX-License-Identifier: GPL-2.0
"""What "make check-full" runs, in the order of its table: what "make check" leaves
out or cuts short. What it builds on is as there."""
from suites import BACKENDS, CHECK, MAKE, PREPARE, built, suite

FULL = tuple(one for one in CHECK if one.name in PREPARE) + (
    # All selftests on the kernel with processors and preemption.
    *(built("selftest", "debug", backend, "selftest", 3000) for backend in BACKENDS),
    # Unit tests and selftests once more in the UML, and what they have executed.
    suite("coverage", "uml", "-", MAKE + ["coverage"], False, needs=["build", "modules uml"],
          cost=1200),
    suite("fuzz", "user uml", "-", MAKE + ["fuzz", "FUZZ_SECONDS=300"], cost=2400),
    suite("soak", "uml", "-", MAKE + ["soak", "MINUTES=30"], cost=3900),
    suite("lint", "-", "-", MAKE + ["lint"], needs=["packages"], cost=500),
    suite("cross", "-", "-", ["tools/lint/lint", "cross-arm64", "cross-s390x"],
          needs=["packages"], cost=400),
    suite("cocci", "-", "-", ["tools/lint/coccicheck"], needs=["packages"], cost=300),
    suite("mutate", "user uml", "-", MAKE + ["mutate"], False, needs=["build"], cost=6000),
)
