# Thin: meson does the work. `make demo` and `make test` install what they need (apt).
BUILD = build

.PHONY: all demo test clean deps

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

deps:
	tools/install-deps

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD) -Dwerror=true

test: $(BUILD)/build.ninja
	tools/install-deps test
	ninja -C $(BUILD)
	meson test -C $(BUILD) --no-rebuild --print-errorlogs --timeout-multiplier 5

demo: deps $(BUILD)/build.ninja
	ninja -C $(BUILD) src/cli/tenure
	tools/demo $(BUILD)/src/cli/tenure

clean:
	rm -rf $(BUILD) out
