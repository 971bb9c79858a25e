# Mujina: everything a person types. `make help` prints this page.
.DEFAULT_GOAL := help
.PHONY: help run test fresh check format bench soak docs screenshots pictures matrix container lock packages pytest

PYTHON3 ?= python3
VENV ?= .venv
PYTHON := $(VENV)/bin/python
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
INSTALLED_RUNNERS := $(VENV)/runners/installed
UV ?= uv

# Compiled modules are kept, beside the installed packages, even where the environment says otherwise: the tests start
# hundreds of processes, and each would compile the whole program.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX ?= $(abspath $(VENV))/pycache

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

help: ## print this page
	@awk -F ' *## *' '/^[a-z-]+:.*##/ { split($$1, target, ":"); printf "  make %-11s %s\n", target[1], $$2 }' Makefile

run: $(INSTALLED) ## serve on this machine, from ./data, until interrupted
	$(PYTHON) -m mujina serve

test: packages $(INSTALLED_DEV) ## check everything and run every test on SQLite and on PostgreSQL
	@$(MAKE) --no-print-directory --jobs 2 check pytest

# The type checker uses one core, and the tests wait now and then: side by side, with more workers than cores, they end sooner.
pytest: $(INSTALLED_DEV) $(INSTALLED_RUNNERS)
	$(PYTHON) -m pytest --workers 4

fresh: ## the two commands above on a new Debian that knows nothing of this machine (root; about 20 minutes)
	tests/fresh_machine

check: $(INSTALLED_DEV) ## lint, formatting, types, generated files
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/basedpyright --pythonpath $(PYTHON)
	$(PYTHON) -m docs.generate --check

format: $(INSTALLED_DEV) ## put the code into its form
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

bench: $(INSTALLED_DEV) ## measure against the floor, print the table; with AGAINST=COMMIT, beside that commit
	tests/system_packages wrk:wrk nginx:nginx fcgiwrap:fcgiwrap
	$(PYTHON) -m bench $(if $(AGAINST),--against '$(AGAINST)')

soak: $(INSTALLED_DEV) $(INSTALLED_RUNNERS) packages ## run the long form of tests; measure hooks beside sick receivers and over restarts, replication, power cuts and moves, write the table of docs/reliability.md
	tests/system_packages buildah:buildah mmdebstrap:mmdebstrap npm:npm go:golang-go go:golang-github-xanzy-go-gitlab-dev nginx:nginx patroni:patroni etcd:etcd-server haproxy:haproxy /usr/lib/postgresql/15/bin/postgres:postgresql-15
	$(PYTHON) -m pytest --workers 2 --thorough
	$(PYTHON) -m tests.soak

docs: $(INSTALLED_DEV) ## write the pages that are made from the code
	$(PYTHON) -m docs.generate

site: $(INSTALLED_DEV) ## build the documentation site in site/, with every link checked
	$(PYTHON) -m docs.site

screenshots: $(INSTALLED_DEV) packages ## take a picture of every page, for docs/screenshots
	tests/system_packages fc-list:fontconfig font=Inter:fonts-inter "font=JetBrains Mono:fonts-jetbrains-mono" \
		"font=Noto Color Emoji:fonts-noto-color-emoji"
	$(PYTHON) -m docs.screenshots

pictures: $(INSTALLED_DEV) packages ## take the pictures of the guides from an instance with the demo, for docs/pictures
	tests/system_packages fc-list:fontconfig font=Inter:fonts-inter "font=JetBrains Mono:fonts-jetbrains-mono" \
		"font=Noto Color Emoji:fonts-noto-color-emoji"
	$(PYTHON) -m docs.pictures

matrix: $(INSTALLED_DEV) ## write the table of who may do what
	$(PYTHON) -m pytest -q tests/architecture/test_permissions.py tests/web/test_page_permissions.py --rewrite

container: ## build the image of Containerfile with podman, buildah or docker, and print its size
	@builder=$$(command -v podman || command -v buildah || command -v docker) || \
		{ echo "Install podman, buildah or docker to build images."; exit 1; }; \
	BUILDAH_FORMAT=docker $$builder build --file Containerfile --tag mujina . && $$builder images mujina

lock: ## choose the newest versions that fit, write both requirements*.lock (needs uv)
	$(COMPILE) --upgrade --extra build --extra dev --output-file requirements-dev.lock
	$(COMPILE) --upgrade --extra build --constraint requirements-dev.lock --output-file requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --only-binary :all: \
		--python-version 3.11 --upgrade requirements-runners.in --output-file requirements-runners.lock

COMPILE = $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	--python-version 3.11 pyproject.toml

packages: # what the tests need from the system: installed where we may, named where we may not
	tests/system_packages

# What running needs, and no more. Every dependency by its hash, as a wheel; then ourselves, built by the hatchling of
# the lock. Instant the second time. Nothing is compiled ahead: the first start compiles the part that it imports.
$(INSTALLED): requirements.lock pyproject.toml
	$(PYTHON3) -m venv $(VENV)
	$(INSTALL) --only-binary :all: --require-hashes --requirement requirements.lock
	$(INSTALL) --no-index --no-deps --no-build-isolation --editable .
	@touch $@

# What checking and testing need beside that.
$(INSTALLED_DEV): $(INSTALLED) requirements-dev.lock
	$(INSTALL) --only-binary :all: --require-hashes --requirement requirements-dev.lock
	@touch $@

# The runners that the tests start, and python-gitlab 6, in an environment of their own: their dependencies are not ours.
$(INSTALLED_RUNNERS): requirements-runners.lock
	$(PYTHON3) -m venv $(VENV)/runners
	$(VENV)/runners/bin/python -m pip install --quiet --no-compile --only-binary :all: --require-hashes \
		--requirement requirements-runners.lock
	@touch $@

INSTALL = $(PYTHON) -m pip install --quiet --no-compile
