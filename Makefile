# The commands of the README: each sets up what it needs, builds, and runs.
build := build/release
python := .venv/bin/python

.PHONY: demo test format clean set-up

demo: $(build)/build.ninja
	cmake --build $(build) --target train_digits mithril_python
	$(build)/examples/train_digits

test: $(build)/build.ninja
	cmake --build $(build)
	$(python) tools/run_tests $(build)

format: set-up
	$(python) tools/check_format --fix

clean:
	rm -rf build .venv

set-up:
	@tools/setup

# Written by the set-up where it had to do something.
.venv/set-up: set-up
	@:

$(build)/build.ninja: CMakePresets.json .venv/set-up
	cmake --preset release

# Which cases, on which backend, and how near the numbers must come.
FILES ?= $(wildcard tests/conformance/cases/*.json)
BACKEND ?= cpu
TOLERANCE ?= 1e-12

.PHONY: conformance
conformance: $(build)/build.ninja
	cmake --build $(build) --target mithril_python
	$(python) tests/conformance/conformance.py --backend $(BACKEND) --tolerance $(TOLERANCE) $(FILES)
