# Thin: meson does the work. `make demo` and `make test` install what they need (apt).
BUILD = build

.PHONY: all help bench check-fast coverage demo test test-long tidy fuzz clean deps

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

help:
	@echo 'make             build (build/src/cli/tenure)'
	@echo 'make demo        the main job on a shipped model: lint, plan, emit, run on QEMU'
	@echo 'make check-fast  the tests that take seconds'
	@echo 'make test        all tests, with what they need installed; minutes'
	@echo 'make test-long   random shapes, plans and planted faults; hours'
	@echo 'make fuzz        every fuzz target for FUZZ_SECONDS (60) under sanitizers'
	@echo 'make tidy        clang-tidy and cppcheck over src; many minutes'
	@echo 'make coverage    lines of src that the tests reach; many minutes'
	@echo 'make bench       figures beside those of other tools'
	@echo 'make clean'

deps:
	tools/install-deps

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD) -Dwerror=true

# What only tests need is installed while the program is built.
test: $(BUILD)/build.ninja
	tools/install-deps test & installing=$$!; \
	ninja -C $(BUILD); built=$$?; \
	wait $$installing && exit $$built
	meson test -C $(BUILD) --no-rebuild --print-errorlogs --timeout-multiplier 5

check-fast: $(BUILD)/build.ninja
	ninja -C $(BUILD)
	meson test -C $(BUILD) --no-rebuild --no-suite slow --quiet

# Hours: every kernel at many random shapes against its contract, packed ones on emulated
# boards, the verifier against execution, and the verifier with faults planted. TENURE_SHAPES
# and TENURE_PACKED (of each kernel) and TENURE_PAIRS say how much; the states are kept, so a
# run that is cut off goes on, and one that is at its end tells its table again (remove
# build/*.state to start anew).
test-long: $(BUILD)/build.ninja
	tools/install-deps test
	ninja -C $(BUILD)
	TENURE_SHAPES_STATE=$(abspath $(BUILD))/shapes.state \
	TENURE_PAIRS_STATE=$(abspath $(BUILD))/pairs.state \
	TENURE_PACKED=$${TENURE_PACKED:-300} \
	TENURE_SHAPES=$${TENURE_SHAPES:-100000} TENURE_PAIRS=$${TENURE_PAIRS:-1000000} \
	meson test -C $(BUILD) --no-rebuild --benchmark --verbose --timeout-multiplier 0

# Every fuzz target for FUZZ_SECONDS under sanitizers, FUZZ_TARGETS or all; each goes on from
# what it found before (build-fuzz/fuzz), and with FUZZ_TOTAL to so many seconds of CPU in all.
# The seeds alone run in `make test`.
fuzz: deps
	tools/install-deps test
	[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzz=true \
		-Darena_debug=true -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C build-fuzz fuzzers
	tools/fuzz build-fuzz $${FUZZ_SECONDS:-60} $(FUZZ_TARGETS)

# Needs clang-tidy and cppcheck, and says which is missing. A build without coverage or
# sanitizers, whose options clang is given, too.
tidy: $(BUILD)/build.ninja
	ninja -C $(BUILD) src/libtenure.a
	tools/tidy $(BUILD) $(TIDY_FILES)

# Needs gcovr. COVERAGE_TESTS chooses tests; the command line is not counted. Fewer than 90 % of
# the lines are a failure, and so is a test that fails. unreached.txt has the messages that no
# test reached.
coverage: deps
	tools/install-deps test
	[ -f build-coverage/build.ninja ] || meson setup build-coverage \
		-Db_coverage=true -Doptimization=0
	ninja -C build-coverage
	status=0; meson test -C build-coverage --no-rebuild --timeout-multiplier 20 \
		$(COVERAGE_TESTS) || status=$$?; \
	gcovr --root . --object-directory build-coverage --filter src/ --exclude src/cli/ \
		--exclude src/validate/harness/ --print-summary --fail-under-line 90 \
		--txt build-coverage/coverage.txt --json build-coverage/coverage.json && \
	tools/unreached build-coverage/coverage.json >build-coverage/unreached.txt && \
	tail -n 1 build-coverage/unreached.txt && exit $$status

demo: deps $(BUILD)/build.ninja
	ninja -C $(BUILD) src/cli/tenure
	tools/demo $(BUILD)/src/cli/tenure

# Tables of bytes and times beside the peers' figures (bench/); minutes of CPU.
# TENURE_SHARED, or ../shared, may hold more models and problems than the fixtures.
bench: deps $(BUILD)/build.ninja
	ninja -C $(BUILD) src/cli/tenure bench/generate bench/parse
	bench/bench.py $(BUILD)/src/cli/tenure $(BUILD)/bench/generate
	bench/instructions.py $(BUILD)/src/cli/tenure
	bench/sizes.py $(BUILD)/src/cli/tenure
	bench/browser.py $(BUILD)/src/cli/tenure

clean:
	rm -rf $(BUILD) build-coverage build-fuzz out
