# Mujina: everything a person types. `make help` prints this page.
.DEFAULT_GOAL := help
.PHONY: help run test check format bench schema docs screenshots matrix lock packages

VENV ?= .venv
PYTHON := $(VENV)/bin/python
INSTALLED := $(VENV)/installed
UV ?= uv

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

help: ## print this page
	@awk -F ' *## *' '/^[a-z-]+:.*##/ { split($$1, target, ":"); printf "  make %-11s %s\n", target[1], $$2 }' Makefile

run: $(INSTALLED) ## serve on this machine, from ./data, until interrupted
	$(PYTHON) -m mujina serve

test: $(INSTALLED) check packages ## check everything, then run every test on SQLite and on PostgreSQL
	$(PYTHON) -m pytest -n 3

check: $(INSTALLED) ## lint, formatting, types, generated files
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/basedpyright --pythonpath $(PYTHON)
	$(PYTHON) -m mujina.migrations.generate --check
	$(PYTHON) -m docs.generate --check

format: $(INSTALLED) ## put the code into its form
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

bench: $(INSTALLED) ## measure against the floor, print the table; with AGAINST=COMMIT, beside that commit
	tests/system_packages wrk:wrk nginx:nginx fcgiwrap:fcgiwrap
	$(PYTHON) -m bench $(if $(AGAINST),--against '$(AGAINST)')

schema: $(INSTALLED) ## write mujina/migrations/schema.*.sql from the tables
	$(PYTHON) -m mujina.migrations.generate

docs: $(INSTALLED) ## write the pages that are made from the code
	$(PYTHON) -m docs.generate

screenshots: $(INSTALLED) packages ## take a picture of every page, for docs/screenshots
	$(PYTHON) -m docs.screenshots

matrix: $(INSTALLED) ## write the table of who may do what
	$(PYTHON) -m pytest -q tests/architecture/test_permissions.py --rewrite

lock: ## choose the newest versions that fit, write requirements.lock (needs uv)
	$(UV) pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--python-version 3.11 --extra dev pyproject.toml --output-file requirements.lock

packages: # what the tests need from the system: installed where we may, named where we may not
	tests/system_packages

# Every dependency by its hash, as a wheel; then ourselves, built by the hatchling of the lock. Instant the second time.
$(INSTALLED): requirements.lock pyproject.toml
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --only-binary :all: --require-hashes --requirement requirements.lock
	$(PYTHON) -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@touch $@
