# Every target makes .venv when there is none: Python 3.11 or newer and make are enough.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.stamp-run
DEV := $(VENV)/.stamp-dev
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CODE := ramisim kernels analysis tests $(wildcard benchmarks)

DEALS ?= 10000
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint types format bench tournaments clean

help: ## Show this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1	\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(RUN) ## Play 10,000 duplicate deals, greedy against careful, and write the report
	rm -rf demo-run
	$(BIN)/ramisim simulate --rules rami500 --strategies greedy,careful --deals $(DEALS) --seed $(SEED) --design duplicate --rounds --out demo-run
	$(BIN)/ramisim report demo-run

test: lint types ## Lint, types and tests, without the slow ones
	$(BIN)/python -m pytest -m "not slow"

test-all: lint types ## Lint, types and all tests, the slow ones too
	$(BIN)/python -m pytest

lint: $(DEV) ## Style and form of the code
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(DEV) ## mypy strict and pyright over code, tests and benchmarks
	$(BIN)/mypy
	$(BIN)/mypy tests $(wildcard benchmarks)
	$(BIN)/pyright

format: $(DEV) ## Bring the code into form
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: $(DEV) ## Measure; RAMISIM_PEERS=1 beside OpenSpiel and RLCard where they are installed
	$(BIN)/python -m benchmarks --out bench-run

tournaments: $(RUN) ## Play the tournaments of docs/tournaments.md and write that page anew
	$(BIN)/python docs/make_tournaments.py

clean: ## Remove what was made, .venv too
	rm -rf $(VENV) demo-run docs-runs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ramisim needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e .
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	@touch $@ $(RUN)
