# The front door: thin, everything else is CMake (CMakePresets.json is for building by hand).
# On Debian 12 each target installs what it needs and finds missing (tools/deps).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all configure demo movies test test-long bench install docs format lint clean help

all: configure ## Build the libraries, the command, the examples and talus-bench (release) in build/
	@sed -n 's/^-- talus: //p' build/configure.log
	@cmake --build build --parallel $(JOBS)

configure: DEPS ?= build
configure:
	@tools/deps $(DEPS)
	@mkdir -p build
	@cmake --preset release > build/configure.log || { cat build/configure.log; exit 1; }

# The command with its viewer, and no more: the CUDA backend alone takes minutes to compile.
demo: configure ## Let 16,000 grains flow from a silo and say how to look at the result
	@cmake --build build --parallel $(JOBS) --target talus
	@build/talus run examples/silo.json -o build/silo.h5 --force
	@echo
	@echo "Look at it in the browser:    build/talus view build/silo.h5"
	@echo "Or run it there, and touch it: build/talus view examples/silo.json"
	@echo "For ParaView:                 build/talus export build/silo.h5 -o build/silo.pvd"
	@echo "Another opening:              build/talus run examples/silo.json --set orifice=0.1 -o wide.h5"

movies: SIZE ?= 640x360
movies: configure ## Make movies of the silo, the vehicle on its course and the anchor in build/movies; SIZE=1280x720 draws larger ones
	@tools/deps movies
	@cmake --build build --parallel $(JOBS) --target talus
	@mkdir -p build/movies
	@for name in silo vehicle-course anchor; do \
		test -f build/movies/$$name.h5 || { build/talus run examples/$$name.json -o build/movies/$$name.run.h5 --force && \
			mv build/movies/$$name.run.h5 build/movies/$$name.h5 && rm -f build/movies/$$name.run.h5.checkpoint; } || exit 1; \
		look=examples/looks/$$name.json; \
		build/talus render build/movies/$$name.h5 --look $$look --quality draft --size $(SIZE) --denoise -o build/movies/$$name.mp4 || exit 1; \
	done

test: ## Run all tests: release, address and thread sanitizers, install, documentation
	@tools/deps test
	@tools/test --jobs $(JOBS)

test-long: ## Run the long tests, hours on two cores; FUZZ_SECONDS=3600 fuzzes for an hour each
	@tools/deps test-long
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/test --jobs $(JOBS) long

bench: DEPS := bench
bench: all ## Run the benchmarks, next to Bullet and ODE
	@build/talus-bench pile --peers bullet,ode
	@build/talus-bench shapes --peers bullet,ode
	@build/talus-bench contacts --peers bullet
	@build/talus-bench scaling
	@build/talus-bench convergence

install: all ## Install under PREFIX (/usr/local), inside DESTDIR if that is set
	@cmake --install build --prefix $(PREFIX)

docs: ## Make the API reference in build/docs/api; a warning is an error
	@tools/deps docs
	@tools/docs build/docs

format: ## Format all sources with clang-format
	@tools/deps format
	@tools/format

lint: DEPS := lint
lint: configure ## Check the sources of the libraries, the command, the examples and the bench with clang-tidy
	@find src apps examples bench -name '*.c' -not -path '*/peers/*' -print0 | \
		xargs -0 -n 1 -P $(JOBS) clang-tidy -p build --quiet

clean: ## Remove build/
	@rm -rf build

help: ## Say what the targets do
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
