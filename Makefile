# `make run` needs nothing but Python and a network on its first call. No target asks anything.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run stop test chromium lint types fmt bench lock clean

# Some images forbid Python to keep what it compiled; every start of every process would then take two seconds more.
unexport PYTHONDONTWRITEBYTECODE

PY := .venv/bin/python
SYNCED := .venv/.synced
UV_VERSION := 0.13.9

# A uv on the PATH may be a version manager's stand-in that refuses to run in this folder; then we take our own.
define FIND_UV
uv="$$(command -v uv || true)"; \
if [ -z "$$uv" ] || ! "$$uv" --version >/dev/null 2>&1; then \
	uv=.uv/bin/uv; \
	for python in python3.13 python3 /usr/bin/python3; do \
		if "$$uv" --version >/dev/null 2>&1; then break; fi; \
		rm -rf .uv; \
		"$$python" -m venv .uv >/dev/null 2>&1 && .uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) || true; \
	done; \
	"$$uv" --version >/dev/null || { echo "uv is missing and could not be installed. Install uv $(UV_VERSION) and start again."; exit 1; }; \
fi
endef

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(SYNCED): requirements.lock .python-version
	@echo "packages    being installed into .venv, which takes a minute the first time"
	@$(FIND_UV); \
	if ! $(PY) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then "$$uv" venv --quiet --clear --python 3.13 .venv; fi; \
	"$$uv" pip sync --quiet --require-hashes --python $(PY) requirements.lock; \
	touch $(SYNCED)

run: $(SYNCED) ## everything, at http://127.0.0.1:8000/ (make run PORT=8001 for another port)
	@exec $(PY) manage.py up

stop: $(SYNCED) ## ends what `make run` started elsewhere
	@$(PY) manage.py up --stop

# Both suites run, even if the first fails: one call tells everything.
test: $(SYNCED) chromium ## unit tests, then browser and whole-product tests
	@status=0; \
	$(PY) -m pytest -m "not e2e" -n 2 || status=1; \
	$(PY) -m pytest -m e2e || status=1; \
	exit $$status

chromium:
	@if ! command -v chromium chromium-browser google-chrome >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			export DEBIAN_FRONTEND=noninteractive; \
			apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
		else \
			echo "The browser tests need Chromium. Install the packages chromium and fonts-dejavu-core, then start again."; exit 1; \
		fi; \
	fi

lint: $(SYNCED) ## style, formatting, and that imports only go down
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check --quiet . || { echo "Some files are not formatted: make fmt"; exit 1; }
	@.venv/bin/lint-imports --no-cache

types: $(SYNCED) ## types
	@$(PY) -m mypy

fmt: $(SYNCED) ## formats the code and fixes what can be fixed
	@$(PY) -m ruff check --fix --quiet . || true
	@$(PY) -m ruff format .

bench: $(SYNCED) ## measures speed, with bare SQL beside it; with DATA=folder also how well things are found
	@$(PY) -m benchmarks
	@$(PY) -m benchmarks.history
	@$(PY) -m benchmarks.inbox
	@$(PY) -m benchmarks.screening $(if $(DATA),--data "$(DATA)")
	@if [ -z "$(DATA)" ]; then \
		echo "What is heard, found and recalled in conversations is measured with make bench DATA=folder, see benchmarks/."; \
	else \
		$(PY) -m benchmarks.pii --data "$(DATA)"; \
		$(PY) -m benchmarks.skills --data "$(DATA)"; \
		$(PY) -m benchmarks.retrieval "$(DATA)"; \
		$(PY) -m benchmarks.detection "$(DATA)/support_turns.jsonl" "$(DATA)/locomo_turns.jsonl"; \
	fi

lock: ## writes requirements.lock anew from pyproject.toml
	@$(FIND_UV); \
	"$$uv" pip compile pyproject.toml --quiet --group dev --generate-hashes --python-version 3.13 --no-header --upgrade -o requirements.lock

clean: ## removes caches and test data; the database stays
	@if [ -x $(PY) ]; then $(PY) -m digitalworker.common.postgres stop .data/test-postgres >/dev/null; fi
	@rm -rf "$$(readlink -f .data/test-postgres)" .data/test-postgres* .data/test .data/ci .data/*.lock
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache test-results
	@find . -name __pycache__ -type d -not -path './.venv/*' -not -path './.uv/*' -prune -exec rm -rf {} +
