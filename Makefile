# The short way in; CMakeLists.txt does the work. `make help` lists what there is.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF

build = build/release
ifneq ($(origin CC),default)
export CC
endif

.PHONY: all demo check install clean help configure

all: configure
	cmake --build $(build) -j $(JOBS) --target trawl trawl-shared trawl-static

# Plain `make` installs nothing by itself: it says what is missing.
configure:
	@TRAWL_NO_INSTALL=1 tools/install.sh build
	cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DTRAWL_WERROR=$(WERROR)

demo:
	@tools/install.sh demo
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(build)/trawl build/demo

check:
	@tools/install.sh check
	@$(MAKE) --no-print-directory configure
	cmake --build $(build) -j $(JOBS)
	ctest --preset release -j $(JOBS)

install: all
	DESTDIR="$(DESTDIR)" cmake --install $(build)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build

help:
	@echo 'make          build the command trawl and libtrawl in $(build)'
	@echo 'make demo     build, then find the words of a dictionary in 100 MB and more of text'
	@echo 'make check    build everything and run all tests'
	@echo 'make install  install below PREFIX ($(PREFIX)); DESTDIR is put before it'
	@echo 'make clean    remove build/'
	@echo
	@echo 'demo and check install missing Debian packages (TRAWL_NO_INSTALL=1 forbids it).'
	@echo 'JOBS=N, CC=compiler, WERROR=ON (warnings are errors) are understood.'
	@echo 'Other builds: cmake --list-presets'
