# Pavage: one-word tasks. Each works as the first command on a bare Debian 12 as root.
#
#   make demo      train on real digits, and show what was compiled
#   make test      build and run every test; ends with `N passed, N failed, N skipped`
#   make build     static LLVM, in build/: build/bin/{pavage,pavage-opt}, and .venv/bin/python imports pavage
#   make dev       shared LLVM, in build-dev/: quick links for day-to-day work (PYTHONPATH=build-dev/python)
#   make check     format, names, layers, sizes, docs; seconds, no build
#   make format    fix the format
#   make bench     figures beside their rivals, also in build/bench.json    (FIGURES='softmax matmul' picks)
#   make fuzz      random tile programs for FUZZ_SECONDS, Interp against cpu
#   make docs      generate docs/reference
#   make asan      AddressSanitizer and UBSan build of the C++ tests, run
#   make tsan      ThreadSanitizer build of the runtime's tests, run
#   make wheel     dist/pavage-*.whl
#   make clean     remove build folders (not .venv)
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory

PYTHON := .venv/bin/python
CONFIGURE := cmake -S . -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 1

.PHONY: help bootstrap package build test dev check format bench fuzz docs asan tsan wheel clean demo
help:
	@sed -n '3,16s/^# *//p' Makefile

bootstrap:
	@scripts/bootstrap.sh

build/build.ninja: | bootstrap
	@$(CONFIGURE) -B build -DPAVAGE_STATIC=ON >build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	mv build.log build/configure.log

# What a user needs: tools and Python package, without the tests.
package: bootstrap build/build.ninja
	@ninja -C build pavage-package

build: bootstrap build/build.ninja
	@ninja -C build

demo: package
	@$(PYTHON) examples/digits.py

test: build
	@$(PYTHON) scripts/run_tests.py build

dev: bootstrap
	@[ -f build-dev/build.ninja ] || $(CONFIGURE) -B build-dev -DPAVAGE_STATIC=OFF
	ninja -C build-dev

check: bootstrap
	@scripts/check.sh

format: bootstrap
	@scripts/format.sh -f

# A kernel forced on OpenBLAS for another program's sake would make the rival slower than it is.
bench: package
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(PYTHON) benchmarks/run.py --json build/bench.json $(FIGURES)

fuzz: bootstrap build/build.ninja
	@ninja -C build pavage-fuzz
	build/bin/pavage-fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

docs: bootstrap
	@$(PYTHON) scripts/gen_docs.py

asan: bootstrap
	@[ -f build-asan/build.ninja ] || $(CONFIGURE) -B build-asan -DPAVAGE_SANITIZE=address,undefined
	ninja -C build-asan
	$(PYTHON) scripts/run_tests.py build-asan --label 'unit|lit'

tsan: bootstrap
	@[ -f build-tsan/build.ninja ] || $(CONFIGURE) -B build-tsan -DPAVAGE_SANITIZE=thread
	ninja -C build-tsan pavage-runtime-tests
	$(PYTHON) scripts/run_tests.py build-tsan --label runtime

# The libraries come from the build; `pip install .` compiles them itself.
wheel: package
	@$(PYTHON) -m pip wheel -q . --no-deps -w dist -C cmake.define.PAVAGE_PREBUILT=$(CURDIR)/build
	ls dist/*.whl

clean:
	@rm -rf build build-dev build-asan build-tsan build-wheel dist build.log
