# `make` and `make help` list the targets. For GNU make 3.81 and later.

PARAMETERS ?= parameters/device_r.toml
OLD ?= HEAD:$(PARAMETERS)
NEW ?= $(PARAMETERS)
export PYTHON OLD NEW

# What a user has set for other programs of his must not reach these; the scripts of tools/ see to themselves.
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH PYTHONSTARTUP PYTHONWARNINGS PYTHONOPTIMIZE PYTHONUTF8 PYTHONIOENCODING
unexport PYTEST_ADDOPTS PYTEST_PLUGINS RUFF_CONFIG MYPYPATH CDPATH GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# Scripts in .venv/bin name their Python by its full path, which must not hold a space: hence python -m, here and below.
VENV_PYTHON := .venv/bin/python
RUN := .venv/requirements.stamp
DEV := .venv/requirements-dev.stamp
MUTANTS := .venv/requirements-mutants.stamp
TEX := .build/tex.stamp
LATEXDIFF := .build/latexdiff.stamp

# A parameter file may lie anywhere and have spaces in its name; in the name of a target each takes a backslash.
nothing :=
space := $(nothing) $(nothing)
tab := $(nothing)	$(nothing)
define newline


endef
unusable := $(strip $(foreach character,: ; = % * ? | [ ] " ` \ $$,$(findstring $(character),$(PARAMETERS))))
ifneq ($(unusable),)
$(error PARAMETERS: make cannot handle a file name with $(unusable) in it; rename it, or run generate.py on it)
endif
ifneq ($(findstring $(tab),$(PARAMETERS))$(findstring $(newline),$(PARAMETERS)),)
$(error PARAMETERS: make cannot handle a file name with a tab or a line break in it; rename it)
endif
name := $(basename $(notdir $(subst $(space),<space>,$(PARAMETERS))))
ifeq ($(filter-out .%,$(name)),)
$(error PARAMETERS must name a parameter file whose name can be that of a folder, as in PARAMETERS=parameters/device_r.toml)
endif
PDF := output/$(subst <space>,\ ,$(name))/solution_manual.pdf
INPUTS := .build/$(subst <space>,\ ,$(name)).inputs

# Of the names in parameters/, those that a target can have: no other stops the rest.
DEVICE_PDFS := $(shell cd parameters && ls | LC_ALL=C sed -n -e '/[^A-Za-z0-9_. -]/d' -e '/^[.-]/d' -e 's/ /\\ /g' \
	-e 's|^\(.*\)\.toml$$|output/\1/solution_manual.pdf|p')

.PHONY: help pdf devices test diff diff-pdf golden mutants check clean FORCE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "PARAMETERS=FILE names the parameter file (now $(PARAMETERS)), PYTHON=PROGRAM the Python to set up with."

pdf: $(PDF) ## build output/NAME/solution_manual.pdf from PARAMETERS=.../NAME.toml
	@echo "output/$(subst <space>, ,$(name))/solution_manual.pdf is up to date"

devices: $(DEVICE_PDFS) ## build the manual of every file in parameters/ (with -j2: two at a time)

test: $(DEV) $(TEX) $(LATEXDIFF) ## run every test
	$(VENV_PYTHON) -m pytest -n 2 --dist loadfile

diff: $(RUN) ## say what changed since the last commit of PARAMETERS, or between OLD=FILE and NEW=FILE
	@$(VENV_PYTHON) generate.py diff -- "$$OLD" "$$NEW"

diff-pdf: $(RUN) $(TEX) $(LATEXDIFF) ## mark the same changes in the manual: output/diff/NAME.pdf
	@sh tools/diff_pdf.sh "$$OLD" "$$NEW"

golden: $(DEV) ## rewrite the golden files that the tests compare the templates' text with
	$(VENV_PYTHON) -m pytest tests/templates --rewrite-golden

mutants: $(DEV) $(MUTANTS) ## change derivations/ one operator or number at a time: does a test fail? (half an hour)
	$(VENV_PYTHON) tools/mutants.py $(MODULES)

check: $(DEV) ## look for mistakes of style and type in the code
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy --strict derivations execution
	$(VENV_PYTHON) -m mypy generate.py manual figures

clean: ## remove what builds have made (the set-up in .venv stays)
	rm -rf output .build

# What a manual is made from is known by its sums, in a file that is written only when one of them changes: so a file that
# is gone, is new or lies elsewhere counts too, and no clock does.
$(PDF) $(INPUTS): parameter_file = $(PARAMETERS)
$(PDF): $(INPUTS) | $(RUN) $(TEX)
	$(build_pdf)
$(INPUTS): FORCE
	$(record_inputs)

output/%/solution_manual.pdf: parameter_file = parameters/$*.toml
output/%/solution_manual.pdf: .build/%.inputs | $(RUN) $(TEX)
	$(build_pdf)
.build/%.inputs: parameter_file = parameters/$*.toml
.build/%.inputs: FORCE
	$(record_inputs)

define record_inputs
@sh tools/record_inputs.sh "$(parameter_file)" "$@"
endef
define build_pdf
@sh tools/build_pdf.sh "$(parameter_file)" "$@"
endef

# A PDF is only ever replaced whole, so an interrupted make must not delete it.
.PRECIOUS: $(PDF) output/%/solution_manual.pdf .build/%.inputs

$(RUN): requirements.txt
	@sh tools/make_venv.sh requirements.txt
$(DEV): requirements-dev.txt $(RUN)
	@sh tools/make_venv.sh requirements-dev.txt
$(MUTANTS): requirements-mutants.txt $(DEV)
	@sh tools/make_venv.sh requirements-mutants.txt
# The Python that .venv was made with may be gone.
ifneq ($(shell test -x $(VENV_PYTHON) && echo yes),yes)
.PHONY: $(RUN)
endif

# After $(RUN), for both may call apt-get.
$(TEX): tools/install_tex.sh | $(RUN)
	@sh tools/install_tex.sh
	@mkdir -p .build && touch $@
$(LATEXDIFF): tools/install_tex.sh $(TEX)
	@sh tools/install_tex.sh latexdiff
	@mkdir -p .build && touch $@
