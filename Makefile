# The commands of docs/install.md: each sets up what it needs, builds, and runs.
build := build/release
python := .venv/bin/python
# The release of PyTorch that `make test` installs in .venv, in place of another that is there; none:
# installs nothing.
TORCH ?= 2.11.0

# MITHRIL_CPU_TARGETS of the build (cmake/MithrilCpuTargets.cmake): `make demo` sets native.
CPU_TARGETS ?= all

.PHONY: demo python test test-all quick generate format clean set-up test-tools torch other-targets

demo:
	@tools/demo

# `import mithril` in .venv/bin/python, with all libraries.
python: $(build)/build.ninja
	cmake --build $(build) --target libraries

# tests/README.md says what each of the two runs.
test:
	@tools/build_tests $(TORCH)
	$(python) tools/run_tests $(build)

test-all: torch
	@$(MAKE) --no-print-directory $(build)/build.ninja
	cmake --build $(build)
	$(python) tools/run_tests --all $(build)

# One op, layer, optimizer or file of tests after a change: make quick OP=gelu, make quick
# LAYER=PReLU, make quick OPTIMIZER=Lion, make quick TEST=python/tests/test_json.py.
quick: $(if $(findstring torch,$(TEST)),torch,test-tools)
	@test -n "$(OP)$(LAYER)$(OPTIMIZER)$(TEST)" || { echo 'make quick OP=gelu, LAYER=PReLU, OPTIMIZER=Lion or TEST=python/tests/test_json.py' >&2; exit 1; }
	@$(MAKE) --no-print-directory $(build)/build.ninja
	@$(python) tools/quick $(build) $(OP:%=--op %) $(LAYER:%=--layer %) $(OPTIMIZER:%=--optimizer %) $(if $(TEST),--test '$(TEST)')

# Files that are made of the records: C++ makers, mithril/models/layers.hpp, Python stubs, docs/ops.md,
# docs/catalog.md, docs/pictures; with torch also references of new layers.
generate: test-tools $(build)/build.ninja
	cmake --build $(build) --target mithril_python
	$(python) tools/make_op_headers
	$(python) tools/make_stubs
	$(python) tools/make_optimizers
	$(python) tools/make_ops_doc
	$(python) tools/make_onnx_doc
	$(python) tools/make_catalog_doc
	$(python) tools/make_api
	$(python) tools/make_pictures
	! $(python) -c 'import torch' 2>/dev/null || $(python) tools/make_torch_references

format: test-tools
	$(python) tools/check_format --fix

clean:
	rm -rf build .venv

set-up:
	@tools/setup

test-tools: set-up
	@tools/setup tests

torch: set-up
	@tools/setup torch $(TORCH)

# Written by the set-up where it had to do something.
.venv/set-up: set-up
	@:

ifeq ($(shell grep -x 'MITHRIL_CPU_TARGETS:STRING=$(CPU_TARGETS)' $(build)/CMakeCache.txt 2>/dev/null),)
$(build)/build.ninja: other-targets
endif

# Configured again where a torch came or went, and where kernels are to be for other processors.
# Configures the dev preset, too, for clangd: it leaves compile_commands.json at the root. That of a
# release build does not name sources that it compiles together. `make demo` leaves that to the next
# command.
$(build)/build.ninja: CMakePresets.json .venv/set-up $(wildcard .venv/torch)
	cmake --preset release -DMITHRIL_CPU_TARGETS=$(CPU_TARGETS)
	@test $(CPU_TARGETS) = native || test -e compile_commands.json || cmake --preset dev

# Which cases, on which backend, and how near the numbers must come.
FILES ?= $(wildcard tests/conformance/cases/*.json)
BACKEND ?= cpu
TOLERANCE ?= 1e-12

# Models of examples/models, models that from_torch converts, and the tests of generation, chat and
# checkpoints, against transformers. Some models alone: make models MODELS="gpt2 bert" IMPORTED="gpt2"
MODELS ?=
IMPORTED ?=

.PHONY: models
models: torch
	@$(MAKE) --no-print-directory $(build)/build.ninja
	cmake --build $(build) --target mithril_python mithril_python_torch mithril_torch mithril_torch_backend mithril_c semantic_search embed train_gpt compose_model chat
	$(python) -m pip install --quiet --disable-pip-version-check --requirement tests/models_agreement/requirements.txt
	$(python) tests/models_agreement/run_all $(if $(MODELS),--models $(MODELS)) $(if $(IMPORTED),--imported $(IMPORTED))

# The tests of the onnx package, in an environment of their own: make onnx ONNX="conv reshape"
ONNX ?=
onnx_environment := build/onnx

.PHONY: onnx
onnx: test-tools
	@$(MAKE) --no-print-directory $(build)/build.ninja
	cmake --build $(build) --target mithril_python
	@test -x $(onnx_environment)/bin/python || $(python) -m venv $(onnx_environment)
	$(onnx_environment)/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/onnx_backend/requirements.txt
	PYTHONPATH=$(build)/python $(onnx_environment)/bin/python tests/onnx_backend/other_values
	PYTHONPATH=$(build)/python $(onnx_environment)/bin/python tests/onnx_backend/run $(ONNX)

# The programs of examples/onnx, and their tests, on the files of published packages; then all 31 files of
# tests/onnx_backend/real_files.json, each on two backends and in ONNX Runtime. Both download packages:
# make onnx-files FILES_OF="silero magika"
onnx_examples := detect_speech read_text name_file_types add_vowels map_atoms
onnx_tools := build/onnx_tools
onnx_packages := $(abspath build/onnx_packages)
onnx_run := MITHRIL_ONNX_PACKAGES=$(onnx_packages) PYTHONPATH=$(build)/python:$(onnx_tools) $(python)
FILES_OF ?=

.PHONY: onnx-tools onnx-examples onnx-files
onnx-tools: torch
	@$(MAKE) --no-print-directory $(build)/build.ninja
	cmake --build $(build) --target mithril_python mithril_python_torch mithril_torch mithril_torch_backend detect_speech
	@test -d $(onnx_tools) || $(python) -m pip install --quiet --disable-pip-version-check --no-deps --target $(onnx_tools) --requirement tests/onnx_backend/real_files_requirements.txt

onnx-examples: onnx-tools
	$(onnx_run) examples/onnx/packages.py
	@for program in $(onnx_examples); do echo "# $$program"; $(onnx_run) examples/onnx/$$program.py || exit 1; done
	$(onnx_run) -m pytest -q python/tests/project/test_onnx_examples.py

onnx-files: onnx-tools
	$(onnx_run) tests/onnx_backend/real_files --download $(FILES_OF)

# Processes that train together, killed, stopped and delayed at random moments: the results must have the
# same bits. Minutes to an hour. make distributed KILLS=20 SEED=2
KILLS ?= 200
SEED ?= 1

.PHONY: distributed
distributed: torch
	@$(MAKE) --no-print-directory $(build)/build.ninja
	cmake --build $(build) --target mithril_python mithril_python_torch mithril_torch mithril_torch_backend
	$(python) tools/test_processes --kills $(KILLS) --seed $(SEED)

# On a machine with a GPU, with the python that has torch: make gpu PYTHON=python3. HEADERS: a folder
# that `tools/gpu --carry` filled, where fmt, nlohmann/json, zlib and utf8proc are not
# installed.
PYTHON ?= $(python)
HEADERS ?=

.PHONY: gpu
gpu:
	$(PYTHON) tools/gpu $(if $(HEADERS),--headers $(HEADERS))

# Distributions in dist/, each tested in a clean root: as root, on Debian, in hours without a cache
# (docs/releasing.md). make release PYTHONS="python3.11" TORCHES="2.11.0"
PYTHONS ?=
TORCHES ?= 2.11.0 2.15.0

.PHONY: release
release: set-up
	python3 tools/release $(PYTHONS:%=--python %) $(TORCHES:%=--torch %)

.PHONY: conformance
conformance: test-tools $(build)/build.ninja
	cmake --build $(build) --target mithril_python
	$(python) tests/conformance/conformance.py --backend $(BACKEND) --tolerance $(TOLERANCE) $(FILES)
