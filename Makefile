# A thin front for CMake. Everything ends up in build/.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all setup configure demo check bench bench-hapset bench-races bench-imunit bench-maptest bench-simrt bench-model fuzz install format clean
all: configure
	cmake --build $(BUILD) -j $(JOBS)

setup:
	scripts/setup

configure:
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja

# Installs what is missing, builds, finds the bug in examples/, explains and replays it.
demo: setup
	@$(MAKE) --no-print-directory all
	scripts/demo $(BUILD)

check: setup
	@$(MAKE) --no-print-directory all
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure

bench: setup
	@$(MAKE) --no-print-directory all
	bench/run $(BUILD)

bench-hapset: setup
	@$(MAKE) --no-print-directory all
	bench/hapset/run $(BUILD)

bench-races: setup
	@$(MAKE) --no-print-directory all
	bench/races/compare.sh $(BUILD)

bench-maptest: setup
	@$(MAKE) --no-print-directory all
	RAVEL=$(BUILD)/bin/ravel bench/maptest/run

bench-imunit: setup
	@$(MAKE) --no-print-directory all
	bench/imunit/run $(BUILD)

bench-model: setup
	@$(MAKE) --no-print-directory all
	bench/model/run $(BUILD)

bench-simrt: setup
	@$(MAKE) --no-print-directory all
	bench/simrt/run $(BUILD)

fuzz: setup
	@$(MAKE) --no-print-directory all
	tests/fuzz/run $(BUILD)

install: all
	cmake --install $(BUILD)

format:
	find src include tests examples bench -name '*.[ch]' -not -path 'tests/cc/*' -not -path 'tests/sleep/*/*' | xargs clang-format -i

clean:
	cmake -E rm -rf $(BUILD)
