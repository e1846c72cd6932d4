# RAG++: `make run` shows it, `make test` proves it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# what tests start as processes would read its own sources anew each time
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SITE   := .venv-docs

LINTED := shared services infra tests benchmarks examples
# a file is one process's: what its tests share is made once
NO_SERVER := -m "not server and not exhaustive" -n 2 --dist loadfile --no-loadscope-reorder --durations=10
PROCESSES ?= 2
SUITES := tests/contract tests/integration tests/e2e
# a file is one process's, and files come as they are collected: those that need the stack first, so that the many short
# ones that need none even out the end
# what CI sums up: a report a run, in the folder REPORT
REPORTED = $(if $(REPORT),--junitxml=$(REPORT)/$@.xml)
ALL_TESTS := --durations=20 -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

.PHONY: help install check check-alerts lint test test-containers run demo demo-chat demo-validity demo-catalog demo-agents demo-traces docs learn eval eval-agents eval-catalog eval-curve eval-extraction eval-facts eval-faq eval-instructions eval-lives eval-marks eval-redaction eval-relevance eval-scripts bench beside count reference-vectors train prove-agents prove-backup prove-bounds prove-cases prove-containers prove-crash prove-echo prove-erasure prove-files prove-forget prove-install prove-large prove-learning prove-linear prove-llm prove-mutants prove-observability prove-outage prove-packing prove-pauses prove-properties prove-scale prove-sentence-transformers prove-stops prove-views prove-workers lock wheels env-example clean prove-growth prove-seeding

help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## a virtual environment in .venv with everything pinned; skipped when nothing changed

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "RAG++ needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing)."; \
		echo "Install one, or name it: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python cannot make virtual environments: its modules venv and ensurepip are missing."; \
		echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV) …"; $(PYTHON) -m venv $(VENV); }
	@echo "installing $$(grep -c == requirements.lock) packages; the first time this takes a minute or two …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
	@$(if $(filter install,$(MAKECMDGOALS)),echo "done; next: source $(BIN)/activate && ragpp up")

lint: install
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint ## everything that needs no server: style, types, imports, unit and architecture tests
	$(BIN)/pytest $(NO_SERVER) $(REPORTED)

check-alerts: install ## the rules for Prometheus and the dashboard's expressions, by promtool, and what rules say of made-up histories
	@command -v promtool >/dev/null || { echo "promtool is not on the path: docs/monitoring.md tells how to get it"; exit 1; }
	promtool check rules infra/grafana/alerts.yml
	cd infra/grafana && promtool test rules alerts_test.yml
	$(BIN)/pytest -q tests/architecture/test_monitoring.py

test: install ## every test but what prove-cases has, in two processes with an embedded stack each; PROCESSES=0 does all in one
	$(BIN)/pytest $(ALL_TESTS) $(REPORTED)

test-containers: install ## contract, integration and end-to-end tests, the stores in containers of a Docker engine; TESTS="file …": a part
	@$(BIN)/python -m tests.support.containers
	$(BIN)/pytest $(or $(TESTS),$(SUITES)) --stores=containers -rs $(ALL_TESTS) $(REPORTED)

run: install ## start the stack, load the sample conversation, ask it five questions, serve until Ctrl-C
	@$(BIN)/ragpp demo --serve

demo: install ## the same, and exit
	@$(BIN)/ragpp demo

demo-chat: install ## a chat over three sessions, a day between them: the third uses what the first said
	@$(BIN)/python infra/scripts/chat_transcript.py

demo-validity: install ## a changed mind through the API: before the move, after it, and as of before it
	$(BIN)/python infra/scripts/validity_demo.py

demo-catalog: install ## curated knowledge: a conversation and a note, the facts taken out, asked in three modes, a page, and a recall
	$(BIN)/python infra/scripts/catalog_demo.py

demo-agents: install ## two agents of one user choose their memories: what is shared is found, what is private stays so, budgets hold
	$(BIN)/python infra/scripts/agents_demo.py

demo-traces: install ## a write with its digestion and a recall as traces: their spans as trees, from a stack of its own
	@$(BIN)/python infra/scripts/show_traces.py

docs: $(SITE)/.installed ## the documentation as a site in build/site; SERVE=1: at http://127.0.0.1:8000, anew with each change
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs $(if $(SERVE),serve,build --strict --quiet)

$(SITE)/.installed: infra/site/requirements.txt
	@test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

learn: install ## LoCoMo lived through day by day with a reflection each night: OUT=folder for the sample to judge
	$(BIN)/python -m benchmarks.learn_locomo --out $(or $(OUT),.ragpp/learned)

eval: install ## all evaluation sets through the API: recall, ranking and latency by category, with each tier switched off; CATALOG=1: sessions are resources, too
	$(BIN)/python -m benchmarks.eval_locomo $(if $(CATALOG),--catalog --rows all "without catalog" "catalog alone")
	$(BIN)/python -m benchmarks.eval_locomo --with-assistant --rows all
	$(BIN)/python -m benchmarks.eval_beam
	$(BIN)/python -m benchmarks.eval_unasked
	$(BIN)/python -m benchmarks.eval_chats

eval-agents: install ## 100 messages to agents, through the API: what is put before them unasked, and which memories an answer used
	$(BIN)/python -m benchmarks.eval_agents

eval-catalog: install ## 100 questions to a catalog of 40 resources, through the API: what is held, and what is found first
	$(BIN)/python -m benchmarks.eval_catalog

eval-curve: install ## evidence against tokens: contexts of 100 to 2,000 tokens, as they are and with all that fits
	$(BIN)/python -m benchmarks.eval_curve

eval-faq: install ## what is asked of manuals, through the API: how many are answered in a context of 500 tokens and by what is retrieved
	$(BIN)/python -m benchmarks.eval_faq

eval-scripts: install ## what words and meaning find in Arabic, Chinese, Japanese, Korean, Russian and Thai
	$(BIN)/python -m benchmarks.scripts_lab
	$(BIN)/python -m benchmarks.scripts_lab --second

train: install ## the models that judge clauses, tell what ends what, move a question to its answers and tell who speaks, anew from labelled chats and plain sentences: how well, and how far each is from the one that is there; WRITE=1: in its place
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps scikit-learn==1.9.1 scipy==1.17.1 joblib==1.6.0 cloudpickle==3.1.3 threadpoolctl==3.8.0 narwhals==2.29.0 \
		jax==0.10.2 jaxlib==0.10.2 ml-dtypes==0.6.0 opt-einsum==3.4.0
	$(BIN)/python -m benchmarks.train_classifier $(if $(WRITE),--write)
	$(BIN)/python -m benchmarks.train_judge $(if $(WRITE),--write)
	$(BIN)/python -m benchmarks.train_ending $(if $(WRITE),--write)
	$(BIN)/python -m benchmarks.train_asking $(if $(WRITE),--write)
	$(BIN)/python -m benchmarks.train_authorship $(if $(WRITE),--write)

eval-extraction: install ## precision and recall of the local extractor, by kind, on the labelled sentences
	$(BIN)/python -m benchmarks.eval_extraction
	$(BIN)/python -m benchmarks.eval_utterances

eval-facts: install ## precision and recall of the facts that are read in labelled resources, by type of resource
	$(BIN)/python -m benchmarks.eval_facts

eval-instructions: install ## of 150 texts that are merely passed on and 150 honest messages, what is learned
	$(BIN)/python -m benchmarks.eval_instructions

eval-lives: install ## whole lives: what is learned of them, and how much of a context is about its question; MODEL=http://…/v1 or a folder of recorded answers: read by a language model (NAME=its name)
	$(BIN)/python -m benchmarks.eval_lives $(if $(MODEL),--model $(MODEL)) $(if $(NAME),--model-name $(NAME))

eval-marks: install ## pairs of messages: which are marked as corrected, and which of these rightly
	$(BIN)/python -m benchmarks.eval_marks

eval-redaction: install ## secrets and personal data in labelled texts: how much of each kind is found, and where nothing is
	$(BIN)/python -m benchmarks.eval_redaction

eval-relevance: install ## questions that a memory answers, nearly answers and knows nothing of, through the API: how often it says so
	$(BIN)/python -m benchmarks.eval_relevance

bench: prove-scale ## latency of every tier and of the whole recall, beside the budgets

beside: install ## RAG++ beside Mem0, LangGraph's store, Hindsight, bare pgvector and BM25, on the same data; USERS=50: fewer users, ONLY="mem0 bm25": some of them
	$(BIN)/python -m benchmarks.beside $(if $(USERS),--users $(USERS)) $(if $(MESSAGES),--messages $(MESSAGES)) $(if $(ONLY),--only $(ONLY))

count: install ## what fixed requests cost in statements, bytes, calls and objects, beside what is recorded; WRITE=1 records it; RUNS=10 for the spread
	$(BIN)/python -m benchmarks.counting $(if $(WRITE),--write) $(if $(RUNS),--runs $(RUNS)) $(if $(SIZES),--sizes $(SIZES))

reference-vectors: install ## make the committed reference vectors again, in an environment of their own
	$(BIN)/python infra/scripts/reference_vectors.py

prove-bounds: install ## recalls tell how fresh they are, also when PostgreSQL hangs; a request of 8 MB, and another tenant's p95 beside it
	$(BIN)/python -m benchmarks.prove_bounds

prove-cases: install ## kills, restarts, restores, whole pages, and each case of what `make test` tries a part of, beside prove-linear
	$(BIN)/pytest -m exhaustive $(SUITES) --timeout=3600
	RAGPP_VIEW_CASES=30 $(BIN)/pytest tests/e2e/test_views_equal.py

prove-containers: install ## each container of a running docker compose is killed and comes back; root, with RAGPP_API_KEY
	$(BIN)/python -m benchmarks.prove_containers --url http://127.0.0.1:$(or $(GATEWAY_PORT),8700)

prove-crash: install ## 10,000 messages while processes and stores are killed: none missing, none twice
	$(BIN)/python -m benchmarks.prove_crash

prove-echo: install ## an assistant is fed its own contexts 500 times: what is known does not grow
	$(BIN)/python -m benchmarks.prove_echo

prove-backup: install ## a backup under writers, restored into containers and back into an embedded stack: counts, 100 recalls, forgotten
	$(BIN)/python -m benchmarks.prove_backup

prove-erasure: install ## a user with 10,000 messages is erased while 8 writers write for others: the report, its time, their p95
	$(BIN)/python -m benchmarks.prove_erasure

prove-files: install ## an agent's file of 500 memories, broken and imported while the gateway is killed; then beside the catalog
	$(BIN)/python -m benchmarks.prove_files

prove-forget: install ## random conversations, forgettings and dying workers: what is left is what a witness has who never heard it
	$(BIN)/python -m benchmarks.prove_forget

prove-growth: install ## 10,000 users cast from 100 that were written: recalls by 1 to 32 clients beside 100 and beside all; USERS=2100 TENANTS=1: each a tenant
	$(BIN)/python -m benchmarks.prove_growth $(if $(USERS),--users $(USERS)) $(if $(TENANTS),--tenants)

prove-install: install ## both wheels built, installed by one command into an empty environment, a memory started, told, asked and stopped: what each takes; PYTHONS="python3.11 …", IMAGES="python:3.11 …" in containers
	$(BIN)/python -m benchmarks.prove_install $(PYTHONS) $(if $(IMAGES),--images $(IMAGES)) $(if $(MOUNT),--mount $(MOUNT))

prove-agents: install ## 100 agents with 1,000 entries each: what a turn takes over HTTP, and that no budget is broken
	$(BIN)/python -m benchmarks.prove_agents

prove-large: install ## 100,000 interactions and 100,000 items of one user: searches over all rows and by segments, over HTTP
	$(BIN)/python -m benchmarks.prove_large

prove-learning: install ## 5,000 interactions digested while the worker is killed 50 times: the same is learned; and how fast
	$(BIN)/python -m benchmarks.prove_learning

prove-linear: install ## what reads texts takes time in proportion to their length, whichever of a hundred pieces they repeat
	$(BIN)/pytest -m exhaustive tests/unit

prove-llm: install ## a real small language model behind a real server: all that one is asked for, and each way to fail; the first time it builds the server, half an hour
	$(BIN)/python -m benchmarks.prove_llm

prove-mutants: install ## 200 small changes to the code and how many the tests notice; OLD=folder: a clone whose tests are asked about what survives
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps cosmic-ray==8.7.0 parso==0.8.7 stevedore==5.10.0 \
		attrs==26.1.0 coverage==7.17.5 pytest-cov==7.1.0
	$(BIN)/python -m benchmarks.prove_mutants . $(if $(OLD),--old $(OLD))

prove-observability: install ## what metrics and traces cost a recall: gateways with and without them on the same stores, asked in turn
	$(BIN)/python -m benchmarks.prove_observability

prove-outage: install ## each store killed in mid-traffic: recalls keep answering, and recover
	$(BIN)/python -m benchmarks.prove_outage

prove-packing: install ## 100,000 random catalogs: what is packed for an agent never has more tokens than its budget
	$(BIN)/python -m benchmarks.packing_lab --prove --catalogs 100000

prove-pauses: install ## the tests three times, while all that they run is stopped for 10 s every 30 s; HOGS=2: beside busy loops, never stopped; TESTS="file …": a part
	$(BIN)/python -m benchmarks.prove_pauses $(if $(HOGS),--hogs $(HOGS) --still 0) $(if $(TESTS),-- $(TESTS))

prove-properties: install ## the property tests on cases that nobody tried yet: other ones with each run
	$(BIN)/pytest -m hypothesis --hypothesis-profile=explore --timeout=3600 -x

prove-scale: install ## 1,000 users x 100 messages: p50 and p95 of each tier
	$(BIN)/python -m benchmarks.prove_scale

prove-sentence-transformers: install ## the library beside the ONNX graph: the same vectors, one memory that both write and read; the first time it downloads some GB
	$(BIN)/python -m benchmarks.prove_sentence_transformers
prove-seeding: install ## users that are cast into the stores beside users that were written and digested, row by row; USERS=10: fewer than 100
	$(BIN)/python -m benchmarks.prove_seeding $(if $(USERS),--users $(USERS))

prove-stops: install ## a worker stopped before each of its statements while something is forgotten: nothing of it comes back
	$(BIN)/pytest -m exhaustive tests/e2e/test_stopped_worker.py

prove-views: install ## what a key that is bound to an agent costs beside one that is bound to none
	$(BIN)/python -m benchmarks.prove_views

prove-workers: install ## one, two, four workers on the same backlog: speed, fairness, queues, and losing the broker
	$(BIN)/python -m benchmarks.prove_workers

wheels: install ## dist/: the wheel of ragpp, and ragpp-minilm with the weights, which one command installs
	$(BIN)/python infra/scripts/build_wheels.py

lock: install ## resolve pyproject.toml into requirements.lock
	$(BIN)/python infra/scripts/refresh_lock.py

env-example: install ## write .env.example from the settings classes
	$(BIN)/python infra/scripts/refresh_env_example.py

clean: ## remove every cache of this folder; the environment and the data in .ragpp stay
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
