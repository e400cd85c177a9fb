# SPDX-License-Identifier: Apache-2.0
# `make run` shows the main job, `make test` runs all tests. Both install what they need.
BUILD ?= build/release
JOBS ?= $(shell nproc)
# Folder of packages.
DIST ?= build/dist

.PHONY: all run deb wheel image test test-long site structure build-cost setup setup-test setup-long setup-format configure build format format-check clean

all: build

# Installs the Debian packages of packages.txt that are missing; a no-op when all are present.
setup:
	@./cmake/install_packages.sh packages.txt

setup-test:
	@./cmake/install_packages.sh packages.txt test

setup-long:
	@./cmake/install_packages.sh packages.txt long

setup-format:
	@./cmake/install_packages.sh packages.txt format

configure: setup
	@mkdir -p build && cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release > build/configure.log 2>&1 \
	    || { cat build/configure.log; exit 1; }

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

# Builds only the targets that it runs.
run: configure
	@./examples/run.sh $(BUILD) $(JOBS)

# Packages reuse the build folder.
deb: build
	@./cmake/make_deb.sh $(BUILD) $(DIST)

wheel: setup-test build
	@JOBS=$(JOBS) ./cmake/make_wheel.sh $(BUILD) $(DIST)

# A root of Debian 12 with the Debian package. It needs the privileges of root.
image: setup-long deb
	@./cmake/make_image.sh $(DIST)

test: setup-test build
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

# Takes hours: every fuzz target for ten minutes under the sanitizers, every failing call, every mutant.
test-long: setup-long setup-test build
	@./tests/run_long.sh $(BUILD) $(JOBS)

# The documents as a web site with a gallery of pages that the program makes: build/site/site/index.html.
site: setup-test build
	@./docs/site.py $(BUILD)/sim/cli/okksim build/site

# Each measure of the structure and of the words, with its limit.
structure:
	@python3 tests/structure/measure.py

# Hours of CPU time: fresh builds without ccache. COMMITS="61ddf86d HEAD" compares two in one run.
build-cost:
	@./tests/structure/build_cost.sh --headers $(COMMITS)

format: setup-format
	@git ls-files '*.h' '*.cpp' '*.c' | xargs clang-format-14 -i

format-check: setup-format
	@git ls-files '*.h' '*.cpp' '*.c' | xargs clang-format-14 --dry-run --Werror

clean:
	@rm -rf build
