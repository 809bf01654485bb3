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
	@echo 'make check      all tests on all kernels, with a table'
	@echo ''
	@echo 'make tools      libvacc and the vacc command, into build/tools'
	@echo 'make modules    the modules for KERNEL, into build/modules/KERNEL;'
	@echo '                KDIR=/lib/modules/.../build: for that kernel, into build/modules/custom'
	@echo "make vm         boot KERNEL with BACKEND and run CMD='...' in it"
	@echo '                (the exit status passes unchanged by tools/vm/vm, see its --help)'
	@echo 'make selftest   the selftests in such a VM (TESTS="name..." for some of them)'
	@echo 'make kunit      the unit tests of the modules (UML)'
	@echo 'make engine     the unit tests of the engine (userspace, ASan and UBSan)'
	@echo 'make engine-objects, engine-wire   the same of its objects, of its wire'
	@echo 'make tools-check   the tests of libvacc and vacc that need no device'
	@echo 'make device-check  those that need one, in a VM of KERNEL with BACKEND'
	@echo 'make cli-check     the vacc command in such a VM'
	@echo 'make examples-check   the programs of Documentation in such a VM'
	@echo 'make lint       checkpatch, sparse, gcc, clang, kernel-doc, headers, shellcheck'
	@echo 'make bench      measurements'
	@echo 'make fuzz       fuzzers'
	@echo 'make docs       Documentation/ as HTML'
	@echo 'make clean      remove build/ (prepared kernels stay in ~/.cache/virtio-accel)'
	@echo ''
	@echo 'KERNEL=6.1|6.12 (stock Debian in QEMU), uml (debug kernel), debug (x86 debug kernel in QEMU);'
	@echo 'now $(KERNEL). BACKEND=direct|loopback|vaccd|none; now $(BACKEND).'

tools: packages-build
	$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools

selftests: tools
	$(MAKE) --no-print-directory -C selftests O=$(BUILD)/selftests

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

selftest: packages-vm modules-$(KERNEL) selftests
	@tools/ci/selftest $(KERNEL) $(BACKEND) $(TESTS)

kunit: packages-vm modules-uml
	@tools/ci/kunit

engine:
	@$(MAKE) --no-print-directory -C mock/engine/test O=$(BUILD)/engine check

tools-check: packages-build
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools check

engine-objects:
	@$(MAKE) --no-print-directory -C mock/engine/test_objects O=$(BUILD)/engine-objects check

engine-wire:
	@$(MAKE) --no-print-directory -C mock/engine/test_wire O=$(BUILD)/engine-wire check

cli-check: packages-vm modules-$(KERNEL) tools
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) -- tools/vacc/test/cli.sh </dev/null

examples-check: packages-vm modules-$(KERNEL) tools
	@Documentation/examples/check.sh
	@$(MAKE) --no-print-directory -C Documentation/examples
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) -- \
		'build/examples/fill && build/examples/projections 8' </dev/null

device-check: packages-vm modules-$(KERNEL) tools
	@tools/vm/vm --kernel $(KERNEL) --backend $(BACKEND) -- libvacc-test </dev/null

demo:
	@tools/demo/run.sh

check:
	@tools/ci/check

lint:
	@tools/lint/lint

docs:
	@$(MAKE) -C Documentation O=$(BUILD)/docs

bench fuzz:
	@echo 'make $@: not built yet' >&2; exit 1

packages-%:
	@tools/kernels/packages $*

clean:
	rm -rf $(BUILD)

.PHONY: all help tools selftests modules $(KERNELS:%=modules-%) vm selftest kunit engine tools-check \
	engine-objects engine-wire cli-check examples-check device-check demo check lint docs bench fuzz clean
