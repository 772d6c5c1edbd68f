# README's two commands are `make demo` and `make test`; everything runs in .venv, which the first target makes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

QUESTION := Is the ledger database healthy? I don't remember which operator manages it

.PHONY: demo test check format lint types contract docs nightly dist krew lock sbom licences test-archive report bench clean

demo: $(VENV)/.app
	@echo "make demo pins --engine rules: no model is asked and nothing is spent, whatever keys are exported." >&2
	@$(BIN)/kubectl-berth ask "$(QUESTION)" --scenario crd-operator-discovery --engine rules

test: $(STAMP)
	$(BIN)/pytest -n 2 -m "not nightly and not archive"

nightly: $(STAMP)
	$(BIN)/pytest -n 2

check: format lint types contract test

format: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

contract: $(STAMP)
	$(BIN)/lint-imports

# the pages and manual pages whose text comes from the code; tests say when they are stale
docs: $(STAMP)
	$(BIN)/python docs/generate.py

# the archive for this machine, and the manifest over the archives in dist/
dist: $(STAMP)
	@$(BIN)/python krew/dist.py

krew: $(STAMP)
	@$(BIN)/python krew/render.py

# the versions that a release installs and is built with, for every platform, with hashes; the bill of materials and the
# licences of what is in it
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-header
lock: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.13,<0.14'
	$(BIN)/uv pip compile $(LOCK) --extra bedrock --extra eval --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile $(LOCK) --output-file krew/requirements.lock krew/requirements.txt

sbom: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7.5,<8'
	@mkdir -p dist
	$(BIN)/cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml -o dist/kubectl-berth.cdx.json \
	  requirements.lock

licences: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip-licenses>=5,<6'
	$(BIN)/pip-licenses --order=license --format=markdown --packages \
	  $$(sed -n 's/^\([a-z0-9._-]*\)==.*/\1/p' requirements.lock) > docs/licences.md

test-archive: $(STAMP)
	$(BIN)/pytest tests/krew -m archive

# the rules engine over all scenarios, from the beginning
report: $(STAMP)
	@rm -rf build/report-rules
	@$(BIN)/kubectl-berth eval run --engine rules --results build/report-rules
	@$(BIN)/kubectl-berth eval report build/report-rules > docs/report-rules.md

bench: $(STAMP)
	$(BIN)/python -m tests.bench

# what a user needs: the package and what it imports
$(VENV)/.app: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) (the first time takes a minute)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# what a developer needs on top
$(STAMP): $(VENV)/.app requirements-dev.txt krew/requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
