# `make help` lists the targets.  The first use of a target sets up what it needs; every later use
# starts at once.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Compiled files are kept, because hundreds of processes import them.
unexport PYTHONDONTWRITEBYTECODE

define HELP
With Python 3.11 or newer, and make:
  make demo         run an agent loop on recorded model turns, without a network
  make test         run the tests that need nothing else: one to two minutes, once set up

What has to hold before a change is handed in; it first says what it needs, and how to get that:
  make verify       everything; ONLY="lint site" for some of its parts, each a target too:
  make lint         lint, formatting, types
  make coverage     the core's plain tests reach every branch of it
  make conformance  every cut of every case, on all implementations expected to conform
  make site         build the site, with fresh results, and check it
  make rest         all tests that are not in `make coverage`: zoo, laws, browser
  make cogency      cogency's own tests, with our core in place of its functions
  make integrations the kit with the packages it works with, each set in an environment of its own
  make packages     the wheel, the sdist and the zipapp: built twice alike, installed, used
  make pythons      the corpus on every other Python that is there, and the tests of the core on some
  make mutants      which changes to the lines changed since BASE no test detects

Beside them:
  make docs         serve the site on this machine
  make fmt          format, and fix what the linter can fix
  make matrix       every implementation, and the broken parsers, in build/results
  make reports      renew the stored reports of parsers from the package index
  make format-reports  renew those of parsers of formats; fetches and builds those of others
  make engines      cogwire as a plugin of vLLM, whose wheel is fetched: almost a gigabyte
  make spark        the example of the guide on Spark, which needs Java
  make grammars-llama  the grammars with llama.cpp, which is compiled first; takes ten minutes
  make fuzz         fuzz each target for ten minutes, guided by coverage
  make release      build the packages and the zipapp in dist, and check them
  make pictures     draw the pictures of README, guides and previews anew
  make bench        measure cogwire beside other parsers: BENCH=--help; with VOCABULARY=tokenizer.json
                    also engines with our grammars, which make bench-grammars measures alone
  make clean        remove everything that the targets made
endef

.PHONY: help demo test verify lint coverage conformance site rest cogency integrations pythons mutants \
	docs fmt matrix reports format-reports pictures grammars-llama fuzz bench bench-grammars release packages \
	clean setup
help:
	$(info $(HELP))
	@:

VENV ?= .venv
BIN := $(VENV)/bin

# The first Python that is new enough; only targets that set something up look for it.
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$each -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$each && break; done)
NO_PYTHON := Python 3.11 or newer is needed, with venv: apt-get install python3 python3-venv

# What a target needs beside Python is looked for before anything of it runs.
NEEDY := $(filter conformance matrix site docs pictures rest pythons mutants,$(MAKECMDGOALS))
ifneq ($(NEEDY),)
ifneq ($(shell $(or $(PYTHON),$(error $(NO_PYTHON))) -m verify.needs $(NEEDY) >&2 || echo missing),)
$(error Nothing was run)
endif
endif

demo: $(VENV)/.test
	@$(BIN)/cogwire demo

# One more than there are processors: some tests wait for a browser, or for a process that sleeps.
PROCESSES = $(shell expr $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1)
# A process runs whole files, and creates what their tests share only once.  When it has no file
# left, it runs tests of another process.
PYTEST = $(BIN)/python -m pytest --quiet --maxprocesses=8 --dist=worksteal --numprocesses

# What `make coverage` runs besides may be left out.
TEST ?= not verify
test: $(VENV)/.test
	@HYPOTHESIS_PROFILE=few $(PYTEST) auto -m '$(TEST)' tests
	@echo 'These were the tests that need only Python.  Lint, types, coverage, every cut of'
	@echo 'every case on three implementations, the broken parsers, the long laws, the site and its'
	@echo 'browser tests belong to the other tier: make verify'

verify:
	@$(or $(PYTHON),$(error $(NO_PYTHON))) -m verify $(ONLY)

# What the parts of `verify` need; they run in parallel once it is installed.
setup: $(VENV)/.dev website/node_modules/.package-lock.json

lint: $(VENV)/.dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/pyright

# Tests that search at random are left out, because they never measure the same twice.
MEASURED := not hypothesis and not verify
coverage: $(VENV)/.dev
	$(PYTEST) $(PROCESSES) --cov --cov-fail-under=100 -m '$(MEASURED)' tests/core

# What is left after `make coverage`; after `make test` it is less.
REST ?= not core or not ($(MEASURED))
rest: $(VENV)/.dev
	$(PYTEST) $(PROCESSES) --durations=25 --durations-min=2 -m '$(REST)' tests

RESULTS := build/results
MATRIX := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cogwire conformance matrix

conformance: $(VENV)/.test
	$(MATRIX) --conforming $(RESULTS)
	@touch $(RESULTS)/.conforming

matrix: $(VENV)/.dev
	@mkdir -p $(RESULTS)
	$(BIN)/python -m conformance.zoo.kills --out $(RESULTS)/kills.json
	$(MATRIX) --kills $(RESULTS)/kills.json $(RESULTS)

# They change only with the corpus, and take long.
reports: $(VENV)/.test
	$(MATRIX) --only cogency-3.3.0 --only cogency-3.2.0 $(RESULTS)
	cp $(RESULTS)/cogency-*.jsonl conformance/reports

# Other projects' parsers are fetched once, into folders beside their adapters; FORMATS="sglang vllm" for some.
format-reports: $(VENV)/.dev
	$(BIN)/python -m conformance.adapters.formats.renew $(FORMATS)
	$(BIN)/python -m website grid

# The site is rendered from generated pages, and shows the results of conformance runs.
PAGES := build/pages
folders = $(wildcard $(addsuffix /*,$(1)) $(addsuffix /*/*,$(1)) $(addsuffix /*/*/*,$(1)))

$(RESULTS)/.conforming: $(VENV)/.test $(call folders,conformance/cases conformance/adapters src)
	$(MATRIX) --conforming $(RESULTS)
	@touch $@

site: setup $(RESULTS)/.conforming
	$(BIN)/python -m website build --reports $(RESULTS) --reports conformance/reports $(PAGES)
	$(BIN)/python -m mkdocs build --quiet --strict
	$(BIN)/python -m website check site

docs: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

pictures: site
	$(BIN)/python -m website pictures site

# The packages with which the site draws and which it serves, pinned by the lock file.
website/node_modules/.package-lock.json: website/package.json website/package-lock.json
	npm ci --silent --prefix website
	@touch $@

# Python 3.14 runs in node, from the package that the site serves.
pythons: setup
	$(BIN)/python -m verify.pythons

# The example lists which of its tests contradict the specification.
cogency: $(VENV)/.test
	$(BIN)/python examples/cogency/run.py

# A folder for each set of packages: tests with them, and requirements.txt, which pins them;
# requirements-no-deps.txt pins packages that are installed without dependencies, package.json those of npm.
SETS := $(notdir $(patsubst %/,%,$(dir $(wildcard tests/integrations/*/requirements.txt))))
.PHONY: $(SETS)
# The wheels of vLLM, torch and Spark are almost a gigabyte or half of one, so `integrations` leaves them out.
LARGE := engines spark trainers
integrations: $(filter-out $(LARGE),$(SETS))
$(SETS): %: $(VENV)-%/.stamp
	$(VENV)-$*/bin/python -m pytest --quiet tests/integrations/$*

# What `integrations` and `packages` install; continuous integration has it installed beforehand.
.PHONY: environments
environments: $(addprefix $(VENV)-,$(addsuffix /.stamp,release $(filter-out $(LARGE),$(SETS))))

# llama.cpp is distributed only as source and takes minutes to compile, so `integrations` leaves it out.
LLAMA := $(VENV)-grammars-llama
# Only its grammars are used, and these are quick enough as they are compiled quickly.
LLAMA_CMAKE := -DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF \
	-DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1
grammars-llama: $(LLAMA)/.stamp
	COGWIRE_GGUF=$(LLAMA)/ggml-vocab-gpt-2.gguf \
		$(LLAMA)/bin/python -m pytest --quiet tests/integrations/grammars_llama

# The commit since which lines count as changed.
BASE ?= HEAD~1
mutants: $(VENV)/.dev
	$(BIN)/python -m mutation --base $(BASE)

fmt: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

fuzz: $(VENV)-fuzz/.stamp
	$(VENV)-fuzz/bin/python fuzz/run.py

# Options of the benchmarks, such as BENCH="--quick --only whole"; --store renews the report that the site shows.
BENCH ?=
bench: $(VENV)-bench/.stamp $(if $(VOCABULARY),bench-grammars)
	@$(VENV)-bench/bin/python benchmarks/run.py $(BENCH)

# How long engines take for each word of a model, with the vocabulary of VOCABULARY, a tokenizer.json.
bench-grammars: $(VENV)-grammars/.stamp
	@$(VENV)-grammars/bin/python -m benchmarks.grammars $(VOCABULARY)

release: $(VENV)-release/.stamp
	@$(VENV)-release/bin/python -m release

packages: $(VENV)-release/.stamp
	@$(VENV)-release/bin/python -m release --draft

clean:
	rm -rf $(VENV) $(VENV)-* site website/node_modules dist build .coverage .coverage.* .hypothesis
	rm -rf conformance/adapters/go/.build conformance/adapters/cogency/.cogency-* conformance/adapters/formats/.*-[0-9]*
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# Everyone runs what was tested, so everything is pinned, including what builds the package.
# What a package needs is compiled when it is first imported, which is a small part of it.
INSTALL := -m pip install --quiet --no-compile
PIP = $(BIN)/python $(INSTALL)

$(VENV)/.test: pyproject.toml requirements-test.txt
	@echo "setting up $(VENV)"
	@test -x $(BIN)/python || $(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(VENV)
	@$(PIP) --requirement requirements-test.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.test requirements-dev.txt
	@$(PIP) --requirement requirements-dev.txt
	@touch $@

$(VENV)-release/.stamp: requirements-test.txt release/requirements.txt
	@echo "setting up $(VENV)-release"
	@test -x $(VENV)-release/bin/python || $(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(VENV)-release
	@$(VENV)-release/bin/python $(INSTALL) --requirement requirements-test.txt \
		--requirement release/requirements.txt
	@$(VENV)-release/bin/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# The fuzzer is compiled, and nothing else needs it.
$(VENV)-fuzz/.stamp: pyproject.toml fuzz/requirements.txt
	$(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(VENV)-fuzz
	$(VENV)-fuzz/bin/python $(INSTALL) --requirement fuzz/requirements.txt
	@touch $@

# Packages with too many dependencies are in a second file, and are installed without them.
NO_DEPS := requirements-no-deps.txt
$(addprefix $(VENV)-,$(addsuffix /.stamp,$(SETS))): $(VENV)-%/.stamp: pyproject.toml requirements-test.txt \
		tests/integrations/%/requirements.txt $(wildcard tests/integrations/*/$(NO_DEPS))
	@echo "setting up $(VENV)-$*"
	@test -x $(VENV)-$*/bin/python || $(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(VENV)-$*
	@$(VENV)-$*/bin/python $(INSTALL) --requirement requirements-test.txt \
		--requirement tests/integrations/$*/requirements.txt
	@test ! -e tests/integrations/$*/$(NO_DEPS) || $(VENV)-$*/bin/python $(INSTALL) --no-deps \
		--requirement tests/integrations/$*/$(NO_DEPS)
	@$(VENV)-$*/bin/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@! test -f tests/integrations/$*/package.json || npm ci --silent --prefix tests/integrations/$*
	@touch $@

# The source contains the vocabulary, the only part of a model that the tests need.
ENGINES := tests/integrations/grammars
$(LLAMA)/.stamp: pyproject.toml requirements-test.txt $(wildcard $(ENGINES)/*.txt $(ENGINES)_llama/*.txt)
	$(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(LLAMA)
	$(LLAMA)/bin/python $(INSTALL) --requirement requirements-test.txt \
		--requirement $(ENGINES)/requirements.txt --requirement $(ENGINES)_llama/requirements-llama.txt
	$(LLAMA)/bin/python $(INSTALL) --no-deps --requirement $(ENGINES)/$(NO_DEPS)
	$(LLAMA)/bin/python -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest $(LLAMA) \
		--requirement $(ENGINES)_llama/requirements-source.txt
	tar -xzf $(LLAMA)/llama_cpp_python-*.tar.gz -C $(LLAMA) --strip-components=4 \
		--wildcards '*/vendor/llama.cpp/models/ggml-vocab-gpt-2.gguf'
	CMAKE_ARGS="$(LLAMA_CMAKE)" $(LLAMA)/bin/python $(INSTALL) --no-deps $(LLAMA)/llama_cpp_python-*.tar.gz
	$(LLAMA)/bin/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# Only pip: the program installs each package to which cogwire is compared in a separate environment.
$(VENV)-bench/.stamp:
	$(or $(PYTHON),$(error $(NO_PYTHON))) -m venv $(VENV)-bench
	@touch $@
