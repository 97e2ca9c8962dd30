# make run: serve. make test: the tests. Both install first; a second install takes seconds.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
LOCKS := requirements.lock installer/llama.lock installer/llama-build.lock

LANGUAGES := en de
TS := $(LANGUAGES:%=resources/translations/ownsona_%.ts)
QM := $(TS:.ts=.qm)

.PHONY: install run test lint wheel lock translations screenshots clean
install: $(STAMP) $(QM)

%.qm: %.ts $(STAMP)
	@$(BIN)/pyside6-lrelease -silent $< -qm $@

$(STAMP): pyproject.toml $(LOCKS) installer/llama_wheel.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "OwnSona needs Python 3.11 or later; call make with PYTHON=/path/to/it")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	wheel="$$($(BIN)/python installer/llama_wheel.py)" && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall "$$wheel"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation --editable .
	@touch $(STAMP)

run: install
	$(BIN)/ownsona serve

test: install
	$(BIN)/python -m pytest --ignore=tests/oauth
	$(BIN)/python -m pytest tests/oauth --cov=server.oauth --cov-branch --cov-fail-under=100 --cov-report=term-missing:skip-covered

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Prints the path of the wheel that `pip install .` finds with --find-links, see README.
wheel: install
	@$(BIN)/python installer/llama_wheel.py

# Needs uv.
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet --custom-compile-command "make lock"
lock:
	$(LOCK) --extra dev --no-emit-package llama-cpp-python pyproject.toml -o requirements.lock
	$(LOCK) installer/llama-build.in -o installer/llama-build.lock
	$(LOCK) --no-deps installer/llama.in -o installer/llama.lock

# Takes new texts of the app into the .ts files; they are translated there, by hand or with Qt Linguist.
translations: $(STAMP)
	$(BIN)/python installer/translations.py

# Pictures of every window in build/screenshots, to be looked at.
screenshots: install
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.ui.screenshots

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
