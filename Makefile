# Two commands: `make site` builds the shipped board, `make test` installs what tests need and passes them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FRESH ?=
PEERS ?=
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: site serve test lint bench screenshots lock clean

site: $(VENV)/.site
	$(BIN)/nullbench-site build $(if $(FRESH),--fresh)

serve: site
	$(BIN)/nullbench-site serve

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks --large $(if $(PEERS),--peers $(PEERS))

screenshots: $(VENV)/.test site
	PYTHONPATH=tests $(BIN)/python -m support.screenshots site screenshots

# Without hashes pip cannot tell a package from an impostor; with them the index it comes from does not matter.
$(VENV)/.site: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.test: $(VENV)/.site requirements-test.txt
	$(PIP) install --require-hashes -r requirements-test.txt
	sh .ci/chromium
	touch $@

lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build \
	  --python-version 3.11 -o requirements.txt pyproject.toml
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --extra build \
	  --python-version 3.11 --group test -o requirements-test.txt pyproject.toml

clean:
	rm -rf $(VENV) .nullbench site dist
