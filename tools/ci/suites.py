# SPDX-License-Identifier: GPL-2.0
"""What "make check" runs, in the order of its table.

Suites run beside each other; each starts as soon as what it needs has ended. Two of
the same kernel and backend do not meet: they would share the log of their VM. Nor do two
demos, which write to one folder.
"""
import collections
import re

MAKE = ["make", "--no-print-directory"]
KERNELS = ("uml", "6.1", "6.12")
BACKENDS = ("direct", "loopback")
MODULES = KERNELS + ("debug",)
# What is done once, and the rest afterwards.
PREPARE = ("packages", "build", "modules")
# Suites that run all selftests, the same number everywhere.
WHOLE_SETS = ("selftest", "m32")
# Packages that some suite would install, all at once.
GROUPS = ["build", "vm", "source", "clang", "fuzz", "m32", "lint", "dataset-fashion-mnist",
          "python3-numpy", "zlib1g-dev", "python3-sphinx"]
# gcc has warned when the modules were built, and sparse then.
LINTERS = ["checkpatch", "kernel-doc", "uapi", "shellcheck", "python", "clang"]

# command prints counts at its end if counted, else it is one test.
# needs: names of suites, "NAME KERNEL" for those that there are several of.
# cost: seconds on two CPUs; what takes long starts early.
Suite = collections.namedtuple("Suite", "name kernel backend command counted needs cost")


def suite(name, kernel, backend, command, counted=True, needs=None, cost=10):
    if needs is None:
        needs = ["build"] + [f"modules {part}" for part in kernel.split() if part in MODULES]
    return Suite(name, kernel, backend, tuple(command), counted, tuple(needs), cost)


def built(name, kernel, backend, target, cost, counted=True, words=()):
    """A target that boots one VM."""
    command = MAKE + [target, f"KERNEL={kernel}", f"BACKEND={backend}", *words]
    return suite(name, kernel, backend, command, counted, cost=cost)


def user(name, target, cost):
    """A target that needs the compiler only."""
    return suite(name, "user", "-", MAKE + [target], needs=["packages"], cost=cost)


CHECK = (
    suite("packages", "-", "-", ["tools/kernels/packages"] + GROUPS, False, needs=[]),
    # All that several suites need: two of them must not make the same file.
    suite("build", "-", "-", MAKE + ["tools", "selftests", "vaccd-sanitized", "examples"], False,
          needs=["packages"], cost=3000),
    *(suite("modules", kernel, "-", ["tools/ci/modules", kernel], False, needs=["packages"],
            cost=3000) for kernel in MODULES),
    user("engine", "engine", 40),
    user("objects", "engine-objects", 30),
    user("wire", "engine-wire", 2000),
    suite("tools", "user", "-", MAKE + ["tools-check"]),
    suite("vaccd", "user", "-", MAKE + ["vaccd-check"], cost=30),
    # Both write the report that "conform" reads.
    suite("kunit", "uml", "-", MAKE + ["kunit"], needs=["build", "modules uml", "wire"]),
    # What wire and kunit have found, in one report: build/conformance.json.
    suite("conform", "-", "-", ["tools/ci/conformance"], needs=["wire", "kunit"]),
    *(built("selftest", kernel, backend, "selftest", cost)
      for backend, costs in (("direct", (390, 75, 70)), ("loopback", (660, 130, 110)),
                             ("vaccd", (500, 250, 250)))
      for kernel, cost in zip(KERNELS, costs)),
    # What kunit and the selftests have executed in the UML.
    suite("coverage", "uml", "-", ["tools/coverage/run", "report"], False,
          needs=["kunit", "selftest"]),
    *(built("races", "debug", backend, "selftest", 240, words=["TAGS=race preempt fpu"])
      for backend in BACKENDS),
    suite("cpus", "6.1", "direct", ["tools/ci/cpus", "6.1"], cost=100),
    suite("runner", "-", "-", ["selftests/test.py"]),
    built("m32", "6.1", "direct", "selftest", 150, words=["M32=1"]),
    suite("fuzz", "user uml", "-", MAKE + ["fuzz", "FUZZ_SECONDS=5"], cost=150),
    *(built("faults", kernel, "vaccd", "vaccd-faults", 75) for kernel in KERNELS),
    *(built("device", kernel, "direct", "device-check", 10) for kernel in KERNELS),
    built("ring", "uml", "loopback", "ring-check", 35),
    *(built("cli", "uml", backend, "cli-check", 40) for backend in BACKENDS),
    *(built("demo", kernel, backend, "demo", 20, False)
      for kernel, backend in (("6.1", "direct"), ("6.1", "loopback"), ("uml", "vaccd"))),
    built("examples", "uml", "direct", "examples-check", 25, False),
    built("sample", "uml", "vaccd", "sample-check", 100),
    built("guest", "uml 6.1", "vaccd", "guest-check", 20),
    suite("docs", "-", "-", MAKE + ["docs"], False),
    suite("vm", "uml 6.1", "none", ["tools/vm/test.py"], cost=220),
    suite("ci", "-", "-", ["tools/ci/test.py"], needs=["packages"]),
    suite("lint", "-", "-", ["tools/lint/lint"] + LINTERS, needs=["packages"], cost=300),
)


def tag(one):
    """What others need, and the names of files."""
    return f"{one.name} {one.kernel}" if one.name == "modules" else one.name


def clash(one, other):
    """Whether two suites use the same VM's log, or the pictures of the demo."""
    if one.name == other.name == "demo":
        return True
    kernels = set(one.kernel.split()) & set(other.kernel.split()) & set(MODULES)
    return bool(kernels) and one.backend == other.backend


def file_name(one):
    words = [word for word in (one.name, one.kernel, one.backend) if word != "-"]
    return re.sub(r"\s", "-", "-".join(words))
