# Two commands: `make site` builds the shipped board, `make test` installs what tests need and passes them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FRESH ?=
PEERS ?=
LOCK ?=
# The model that `make model` serves; `nullbench-site model --list` has the names.
NAME ?=
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
# Other tools of evaluation, whose logs of tests/data/logs the tests make again.
TOOLS := inspect lm_eval helm
# What may differ between versions of Python and of the packages, without browsers and sites: about a minute.
CORE := $(addprefix tests/,stats answer_keys checks protocols specs runs scoring cli/test_build.py cli/test_oracle.py)

# Without the files of compiled modules each of the processes that tests start compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: site serve model test test-all test-core lint bench screenshots docs lock clean

site: $(VENV)/.site
	$(BIN)/nullbench-site build $(if $(FRESH),--fresh)

serve: site
	$(BIN)/nullbench-site serve

model: $(VENV)/.site
	$(BIN)/nullbench-site model $(NAME)

test: $(VENV)/.test
	$(PYTEST) -m "not sweep and not nightly"

test-all: $(VENV)/.test $(VENV)-nightly/.nightly $(VENV)-eee/.eee $(TOOLS:%=$(VENV)-%/.tool)
	LITELLM=$(CURDIR)/$(VENV)-nightly/bin/litellm EEE=$(CURDIR)/$(VENV)-eee/bin/every_eval_ever TOOLS=$(CURDIR)/$(VENV)- \
	  $(PYTEST) --hypothesis-profile large

test-core: $(VENV)/.tools
	$(PYTEST) -m "not sweep and not nightly" $(CORE)

lint: $(VENV)/.tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks --large $(if $(PEERS),--peers $(PEERS))

screenshots: $(VENV)/.test site
	PYTHONPATH=tests $(BIN)/python -m support.screenshots site screenshots

docs: $(VENV)/.tools
	PYTHONPATH=tests $(BIN)/python -m support.reference

# Without hashes pip cannot tell a package from an impostor; with them the index it comes from does not matter.
$(VENV)/.site: requirements.txt requirements-reference.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.txt
	$(PIP) install --require-hashes --no-deps -r requirements-reference.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

# The schemas of Every Eval Ever are data: its code, which needs a newer Python, is never imported.
$(VENV)/.tools: $(VENV)/.site requirements-test.txt requirements-schemas.txt
	$(PIP) install --require-hashes -r requirements-test.txt
	$(PIP) install --require-hashes --no-deps --ignore-requires-python -r requirements-schemas.txt
	touch $@

$(VENV)/.test: $(VENV)/.tools
	sh .ci/packages $(BIN)/python
	touch $@

# On its own: LiteLLM wants an older openai than ours.
$(VENV)-nightly/.nightly: BIN := $(VENV)-nightly/bin
$(VENV)-nightly/.nightly: requirements-nightly.txt
	$(PYTHON) -m venv $(VENV)-nightly
	$(PIP) install --require-hashes -r requirements-nightly.txt
	touch $@

# The validator of Every Eval Ever needs Python 3.12 or later; without one its test is skipped.
NEWER := $(PYTHON) python3.14 python3.13 python3.12 $(wildcard $(HOME)/.pyenv/versions/3.1[2-9].*/bin/python)
$(VENV)-eee/.eee: requirements-eee.txt
	for python in $(NEWER); do \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || continue; \
	  $$python -m venv $(VENV)-eee || exit; \
	  exec $(VENV)-eee/bin/python -m pip --disable-pip-version-check -q install --require-hashes -r $< ; \
	done; echo "no Python 3.12 or later found: the validator of Every Eval Ever is not run"
	mkdir -p $(@D) && touch $@

$(VENV)-%/.tool: requirements-%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check -q install --require-hashes --no-deps -r $<
	touch $@

# LOCK=--upgrade takes the newest versions, LOCK="--upgrade --resolution lowest-direct" the lowest that pyproject allows.
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
  --python-version 3.11
lock: $(VENV)/.tools
	$(COMPILE) $(LOCK) --extra build -o requirements.txt pyproject.toml
	$(COMPILE) $(LOCK) --extra build --group test -o requirements-test.txt pyproject.toml
	$(COMPILE) $(LOCK) --no-deps --group pyproject.toml:reference -o requirements-reference.txt
	$(COMPILE:3.11=3.12) $(LOCK) -o requirements-eee.txt requirements-schemas.txt
	$(COMPILE) $(LOCK) --group pyproject.toml:nightly -o requirements-nightly.txt
	for tool in $(TOOLS); do $(COMPILE) $(LOCK) --group pyproject.toml:$$tool -o requirements-$$tool.txt || exit; done
	$(COMPILE) $(LOCK) --no-deps --group pyproject.toml:model -o nullbench_site/data/local-model/requirements.txt

clean:
	rm -rf $(VENV) $(VENV)-* .nullbench site dist
