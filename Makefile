# SPDX-License-Identifier: GPL-2.0
#
# The front doors. The modules themselves are built by Kbuild, see there.

KERNEL  ?= 6.1
BACKEND ?= direct
BUILD   := $(CURDIR)/build
KERNELS := 6.1 6.12 uml debug clang

all: tools help

help:
	@echo 'make demo       a neural network on 10 000 images, on the reference device in a VM'
	@echo 'make check      the tests on four kernels, with a table'
	@echo 'make check-full    what that leaves out, for hours, with a table'
	@echo ''
	@echo 'make tools      libvacc and the vacc command, into build/tools'
	@echo 'make modules    the modules for KERNEL, into build/modules/KERNEL;'
	@echo '                KDIR=/lib/modules/.../build: for that kernel, into build/modules/custom'
	@echo "make vm         boot KERNEL with BACKEND and run CMD='...' in it"
	@echo '                (the exit status passes unchanged by tools/vm/vm, see its --help)'
	@echo 'make selftest   the selftests in such a VM (TESTS="name..." or TAGS="race..." for some of them;'
	@echo '                M32=1: as 32-bit programs, which the UML cannot run)'
	@echo 'make kunit      the unit tests of the modules (UML)'
	@echo 'make engine     the unit tests of the engine (userspace, ASan and UBSan)'
	@echo 'make engine-objects, engine-wire   the same of its objects, of its wire'
	@echo 'make tools-check   the tests of libvacc and vacc that need no device'
	@echo 'make device-check  those that need one, in a VM of KERNEL with BACKEND'
	@echo 'make vaccd-check   the device in a process of its own'
	@echo 'make vaccd-faults  faults between it and a VM of KERNEL'
	@echo 'make ring-check    some selftests over the smallest ring (loopback)'
	@echo 'make cli-check     the vacc command in such a VM'
	@echo 'make examples   the programs of Documentation, into build/examples'
	@echo 'make examples-check   the programs of Documentation in such a VM'
	@echo 'make sample-check   the device of Documentation, tested as one'
	@echo 'make guest-check    the guests of Documentation, with QEMU and UML'
	@echo 'make lint       checkpatch, sparse, gcc, clang, kernel-doc, headers, shellcheck'
	@echo 'make bench      the device against its peers, in a plain UML (BENCH="linear submit...")'
	@echo 'make bench-check   the engine against its peers, in a process: bits, and half of each goal'
	@echo 'make fuzz       fuzzers, FUZZ_SECONDS=60 each (FUZZERS="ring hostile" for some)'
	@echo 'make soak       mixed load, faults and little memory for MINUTES=60 a backend (UML)'
	@echo 'make coverage   what tests execute of the modules, as text and HTML (UML)'
	@echo 'make mutate     which test notices which small mistake (MUTATE="-s user" for some)'
	@echo 'make docs       Documentation/ as HTML'
	@echo 'make clean      remove build/ (prepared kernels stay in ~/.cache/virtio-accel)'
	@echo ''
	@echo 'KERNEL=6.1|6.12 (stock Debian in QEMU), uml (debug kernel), debug (x86 debug kernel in QEMU);'
	@echo 'now $(KERNEL). BACKEND=direct|loopback|vaccd|none; now $(BACKEND).'

tools: packages-build
	$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools

selftests: tools
	$(MAKE) --no-print-directory -C selftests O=$(BUILD)/selftests

# The same as 32-bit programs, for 64-bit kernels that run those.
CC32 := gcc -m32 -msse2 -mfpmath=sse

selftests32: packages-m32
	$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools32 CC='$(CC32)' \
		$(BUILD)/tools32/libvacc.a
	$(MAKE) --no-print-directory -C selftests O=$(BUILD)/selftests32 TOOLS=$(BUILD)/tools32 \
		CC='$(CC32)'

ifdef KDIR
modules:
	tools/kernels/kmod --kdir $(KDIR)
else
modules: modules-$(KERNEL)
endif

$(KERNELS:%=modules-%): modules-%:
	tools/kernels/kmod $*

# CMD goes to the shell of the guest as it was written.
vm: export VM_CMD := $(value CMD)
vm: packages-vm modules-$(KERNEL) tools
	@[ -n "$$VM_CMD" ] || { echo "usage: make vm [KERNEL=] [BACKEND=] [VMFLAGS=] CMD='vacc info'" >&2; exit 2; }
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) $(VMFLAGS) -- "$$VM_CMD"

# In UML the device in a process has sanitizers.
ifeq ($(KERNEL)-$(BACKEND),uml-vaccd)
selftest: vaccd-sanitized
endif
selftest: packages-vm modules-$(KERNEL) selftests$(M32:1=32)
	@$(M32:1=VACC_SELFTESTS=$(BUILD)/selftests32) tools/ci/selftest $(KERNEL) $(BACKEND) \
		$(TAGS:%=-t %) $(TESTS)

kunit: packages-vm modules-uml
	@tools/ci/conformance driver tools/ci/kunit

engine:
	@$(MAKE) --no-print-directory -C mock/engine/test O=$(BUILD)/engine check

tools-check: packages-build
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools check

engine-objects:
	@$(MAKE) --no-print-directory -C mock/engine/test_objects O=$(BUILD)/engine-objects check

engine-wire:
	@$(MAKE) --no-print-directory -C mock/engine/test_wire O=$(BUILD)/engine-wire check

vaccd-check: tools
	@$(MAKE) --no-print-directory -C tools/vaccd O=$(BUILD)/tools check

vaccd-sanitized:
	@$(MAKE) --no-print-directory -C tools/vaccd O=$(BUILD)/tools sanitized

vaccd-faults: packages-vm modules-$(KERNEL) tools
	@$(MAKE) --no-print-directory -C tools/vaccd O=$(BUILD)/tools KERNEL=$(KERNEL) check-machine

# Frames of two descriptors, one at a time: the smallest ring that there can be.
ring-check: packages-vm modules-$(KERNEL) selftests
	@tools/vm/vm --kernel $(KERNEL) --backend loopback \
		--modparam virtio_accel_mock:ring_size=2 --modparam virtio_accel_mock:max_chain=2 \
		-- 'selftests/run.sh submit transfer fence program' </dev/null

cli-check: packages-vm modules-$(KERNEL) tools
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) -- tools/vacc/test/cli.sh </dev/null

examples: tools
	@$(MAKE) --no-print-directory -C Documentation/examples

examples-check: packages-vm modules-$(KERNEL) examples
	@Documentation/examples/check.sh
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) \
		--modparam virtio_accel_mock:devices=2 -- Documentation/examples/run.sh </dev/null

sample-check: packages-vm modules-uml selftests examples
	@Documentation/examples/device.sh

guest-check: packages-vm modules-uml modules-6.1 tools
	@Documentation/examples/vm/check.sh

device-check: packages-vm modules-$(KERNEL) tools
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) -- libvacc-test </dev/null

demo:
	@tools/demo/run.sh

check:
	@tools/ci/check

check-full:
	@tools/ci/check --full

lint:
	@tools/lint/lint

docs:
	@$(MAKE) -C Documentation O=$(BUILD)/docs

bench:
	@tools/bench/run $(BENCH)

bench-check:
	@tools/bench/run --check --rounds 5 engine

FUZZ_SECONDS ?= 60
fuzz:
	@tools/fuzz/run -t $(FUZZ_SECONDS) $(FUZZERS)

MINUTES ?= 60
soak: packages-vm
	@tools/fuzz/run -t $$((60 * $(MINUTES))) soak-direct soak-loopback

coverage: packages-vm
	@tools/coverage/run

mutate: packages-vm
	@tools/mutate/run $(MUTATE)

packages-%:
	@tools/kernels/packages $*

clean:
	rm -rf $(BUILD)

.PHONY: all help tools selftests modules $(KERNELS:%=modules-%) vm selftest kunit engine tools-check \
	engine-objects engine-wire vaccd-check vaccd-sanitized vaccd-faults ring-check cli-check \
	examples examples-check sample-check guest-check device-check demo check check-full lint docs \
	bench bench-check fuzz soak coverage mutate selftests32 clean
