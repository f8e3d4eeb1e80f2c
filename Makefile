# SPDX-License-Identifier: MIT OR Apache-2.0
# The short way in; CMakeLists.txt does the work. `make help` lists what there is.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF
# Empty: as in the build directory that is there, and OFF in a new one.
CUDA ?=
# Empty: the MPI that CMake finds, or found before.
MPICC ?=

build = build/release
ifneq ($(origin CC),default)
export CC
endif

.PHONY: all mpi demo check check-all check-gpu peers papers install clean help configure

all: configure
	cmake --build $(build) -j $(JOBS) --target trawl trawl-shared trawl-static

# The command for clusters, with the MPI that is found, or that of MPICC (mpicc.mpich, mpicc.openmpi).
mpi:
	@tools/install.sh $(if $(findstring mpich,$(MPICC)),mpich,mpi)
	@$(MAKE) --no-print-directory configure
	cmake $(build) -DTRAWL_MPI=ON $(if $(MPICC),-U 'MPI_*' -DMPI_C_COMPILER=$(MPICC))
	cmake --build $(build) -j $(JOBS) --target trawl-mpi

# Plain `make` installs nothing by itself: it says what is missing.
configure:
	@TRAWL_NO_INSTALL=1 tools/install.sh build
	cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DTRAWL_WERROR=$(WERROR) \
	    $(if $(CUDA),-DTRAWL_CUDA=$(CUDA))

demo:
	@tools/install.sh demo
	+@tools/demo.sh $(build)/trawl build/demo $(MAKE) --no-print-directory all

check:
	@tools/install.sh check
	@$(MAKE) --no-print-directory configure
	cmake --build $(build) -j $(JOBS)
	ctest --preset release -j $(JOBS) -L '^check$$' --no-label-summary

# The rest too: other instruction sets, the long forms of tests, a minute of new random cases.
check-all: check
	ctest --preset release -j $(JOBS) -L '^full$$' --no-label-summary
	@tests/property/random_cases.sh $(build)/tests/property_test 60 $(JOBS)

# The tests of the CUDA module on this machine's GPU; `make check` runs them on the CPU.
check-gpu:
	@tools/check_gpu.sh $(JOBS)

# What `trawl bench --peers` measures beside trawl; installs nothing.
peers:
	@tools/peers.sh build/peers

# The tables and figures of the papers, measured here; QUICK=--quick: shorter texts.
papers: all
	$(build)/trawl reproduce $(QUICK) -o build/papers
	@echo 'A page with plots: build/papers/reproduce.html'

install: all
	DESTDIR="$(DESTDIR)" cmake --install $(build)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build

help:
	@echo 'make            build the command trawl and libtrawl in $(build)'
	@echo 'make mpi        build trawl-mpi, for clusters; MPICC=mpicc.mpich: with this MPI'
	@echo 'make demo       build, then search a 100 MB log beside grep and ripgrep: a minute'
	@echo 'make check      build everything and run the tests: minutes'
	@echo 'make check-all  ... and the long ones: about 20 minutes in all on 2 CPUs'
	@echo 'make check-gpu  build with CUDA and run its tests on a GPU; says why where it cannot'
	@echo 'make peers      fetch Hyperscan and other matchers for trawl bench --peers'
	@echo 'make papers     measure the tables of the papers: minutes; QUICK=--quick: fewer'
	@echo 'make install    install below PREFIX ($(PREFIX)); DESTDIR is put before it'
	@echo 'make clean      remove build/'
	@echo
	@echo 'demo and check install missing Debian packages (TRAWL_NO_INSTALL=1 forbids it).'
	@echo 'JOBS=N, CC=compiler, WERROR=ON (warnings are errors) and CUDA are understood. CUDA=ON also'
	@echo 'builds the CUDA module, which takes minutes; CUDA=AUTO where there is nvcc; CUDA=OFF not.'
	@echo 'Other builds: cmake --list-presets'
