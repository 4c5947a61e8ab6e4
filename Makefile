# The first run of a target sets up .venv; every later one starts at once.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
export NO_MKDOCS_2_WARNING := 1
.PHONY: help demo test coverage check site docs conformance matrix reports fuzz mutants fmt bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

demo: $(VENV)/.kit ## run an agent loop on recorded model turns, without a network
	@$(BIN)/cogwire demo

# One more than there are processors: some tests wait for a browser, or for a process that sleeps.
PROCESSES := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses=$(PROCESSES) --maxprocesses=8 --durations=12
# These are long, and no branch needs them.
LONG := test_documents.py test_laws.py test_peer_bugs.py
# These are the same in brief, and nothing in them searches at random, so that once is enough.
SAME := test_aio.py test_bodies_alone.py test_elements_taken.py test_error_messages.py \
	test_fifth_dialect.py test_json_cuts.py test_marker_sets.py test_messages_of_changes.py \
	test_messages_of_elements.py test_messages_of_errors.py test_prompt.py \
	test_prompt_dialects.py test_relax_ng.py test_scanner_soundness.py test_shapes.py
# These run the examples of the pages, before the site is built of them.
EXAMPLES := tests/kit/test_spec.py tests/kit/test_error_examples.py tests/website/test_guides.py

# A file stays in one process, which makes once what its tests share.  The pages come first: a browser
# is waited for, while others have work; then what takes longest.
test: coverage site/.built ## run all tests
	$(PYTEST) --dist=loadfile --no-loadscope-reorder tests/website tests/kit tests $(SAME:%=--ignore=tests/core/%) $(EXAMPLES:%=--ignore=%)

# The core's plain tests must reach every branch of it, without those that search at random;
# measuring is slow, so that they run in brief here.
coverage: $(VENV)/.dev ## see that the tests of the core reach its every branch
	HYPOTHESIS_PROFILE=few $(PYTEST) --cov --cov-fail-under=100 -m 'not hypothesis' \
		tests/core $(LONG:%=--ignore=tests/core/%)

check: $(VENV)/.dev ## lint, check the formatting, the types, and the list of mutants
	$(BIN)/python -m mutation check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

# The site is rendered from pages that are written first, and shows what conformance runs gave.
PAGES := build/pages
RESULTS := build/results
MATRIX := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cogwire conformance matrix
sources = $(shell find $(1) -type f -not -path '*/.*' -not -path '*/node_modules/*' -not -name '*.pyc')

site: site/.built ## build the spec site into site/, with fresh results, and check it

site/.built: $(VENV)/.dev website/node_modules/.package-lock.json $(RESULTS)/.conforming mkdocs.yml \
		$(EXAMPLES) $(call sources,spec website conformance src tests/oracle)
	$(PYTEST) $(EXAMPLES)
	$(BIN)/python -m website build --reports $(RESULTS) --reports conformance/reports $(PAGES)
	$(BIN)/mkdocs build --quiet --strict
	$(BIN)/python -m website check site
	@touch $@

docs: site/.built ## serve the spec site on this machine
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

# What the site draws with and serves, pinned by its lock file.
website/node_modules/.package-lock.json: website/package.json website/package-lock.json
	npm ci --silent --prefix website
	@touch $@

conformance: $(VENV)/.kit ## run the conformance suite on the adapters that are said to conform
	$(MATRIX) --conforming $(RESULTS)
	@touch $(RESULTS)/.conforming

$(RESULTS)/.conforming: $(VENV)/.kit $(call sources,conformance/cases conformance/adapters src)
	$(MATRIX) --conforming $(RESULTS)
	@touch $@

matrix: $(VENV)/.dev ## run the conformance suite on every adapter, and on the broken parsers
	@mkdir -p $(RESULTS)
	$(BIN)/python -m conformance.zoo.kills --out $(RESULTS)/kills.json
	$(MATRIX) --kills $(RESULTS)/kills.json $(RESULTS)

# They change with the corpus alone, and take long.
reports: $(VENV)/.kit ## renew the stored reports of the parsers that come from the package index
	$(MATRIX) --only cogency-3.3.0 --only cogency-3.2.0 $(RESULTS)
	cp $(RESULTS)/cogency-*.jsonl conformance/reports

fuzz: $(VENV)-fuzz/.stamp ## fuzz each target for ten minutes, guided by coverage
	$(VENV)-fuzz/bin/python fuzz/run.py

mutants: $(VENV)/.dev ## see which changes of the core no test would see; takes hours
	$(BIN)/python -m mutation survey

fmt: $(VENV)/.dev ## format, and fix what the linter can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)-bench/.stamp ## measure the parser, beside what it is compared to
	$(VENV)-bench/bin/python benchmarks/run.py

clean: ## remove everything that the targets made
	rm -rf $(VENV) $(VENV)-bench $(VENV)-fuzz site website/node_modules dist build .coverage .coverage.* .hypothesis
	rm -rf conformance/adapters/go/.build conformance/adapters/cogency/.cogency-*
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# requirements-dev.txt constrains the kit too: everyone runs what was tested.
$(VENV)/.kit: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint requirements-dev.txt --editable '.[kit]'
	@touch $@

$(VENV)/.dev: $(VENV)/.kit requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--requirement requirements-dev.txt
	@touch $@

# A fuzzer is compiled, and nothing else needs it.
$(VENV)-fuzz/.stamp: pyproject.toml fuzz/requirements.txt
	$(PYTHON) -m venv $(VENV)-fuzz
	$(VENV)-fuzz/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement fuzz/requirements.txt
	@touch $@

# The parsers that are compared to bring many packages, so they have a place of their own.  The older
# one has the same name as the newer, and stands in a folder beside it.
$(VENV)-bench/.stamp: pyproject.toml benchmarks/requirements.txt benchmarks/requirements-3.2.0.txt
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement benchmarks/requirements.txt --editable .
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
		--no-deps --target $(VENV)-bench/cogency-3.2.0 --requirement benchmarks/requirements-3.2.0.txt
	@touch $@
