#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fetches what `trawl bench --peers` measures beside trawl's engines, and installs nothing:
#   hyperscan/, vectorscan/  libhs.so.5 of Debian's packages, which cannot be installed together
#   ripgrep/                 rg of Debian's package
#   python/                  a virtual environment with the wheels daachorse and, where rustc is
#                            missing, ahocorasick-rs
#   rust/                    aho-corasick, built with rustc from Debian's package of its source
#   programs/                what bench starts: one file for each row; see cli/bench/peers/process.h
# A peer that cannot be had is named with the reason, and the others are fetched.
# usage: tools/peers.sh [DIRECTORY]      build/peers by default; also `make peers`
set -euo pipefail
export LC_ALL=C
source_directory=$(cd "$(dirname "$0")" && pwd)
directory=${1:-$source_directory/../build/peers}
# The first release of Debian whose aho-corasick has the interface of version 1.
crate_suite=trixie

missing=0
say() { echo "peers: $*"; }
lacks() {
    say "without $1: $2"
    missing=$((missing + 1))
}

# unpack PACKAGE [APT OPTION...]: downloads a Debian package and unpacks it into unpacked/PACKAGE.
unpack() {
    local package=$1
    shift
    rm -rf "unpacked/$package"
    mkdir -p "unpacked/$package" && (
        cd "unpacked/$package"
        apt-get "$@" -o APT::Sandbox::User=root download "$package" >apt.log 2>&1 &&
            dpkg-deb -x ./*.deb . && rm ./*.deb
    )
}
# reason PACKAGE: why it could not be downloaded.
reason() { grep -m 1 '^E:' "unpacked/$1/apt.log" 2>/dev/null || echo 'the download failed'; }

# program NAME COMMAND...: a file in programs/ that goes on as the command with bench's arguments.
program() {
    local name=$1
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "$@")" >"programs/$name"
    chmod +x "programs/$name"
}

fetch_library() { # hyperscan or vectorscan
    local library
    if ! command -v apt-get >/dev/null || ! unpack "lib${1}5"; then
        lacks "$1" "$(reason "lib${1}5")"
        return
    fi
    library=$(find "unpacked/lib${1}5" -name 'libhs.so.5.*' -type f | head -n 1)
    mkdir -p "$1"
    cp "$library" "$1/libhs.so.5"
    say "$1: ${library##*/}"
}

fetch_ripgrep() {
    if command -v rg >/dev/null; then
        say "ripgrep: $(command -v rg)"
    elif command -v apt-get >/dev/null && unpack ripgrep; then
        mkdir -p ripgrep
        cp unpacked/ripgrep/usr/bin/rg ripgrep/rg
        say "ripgrep: $(ripgrep/rg --version | sed -n 1p)"
    else
        lacks ripgrep "$(reason ripgrep)"
    fi
}

# Compiles crate $1 with rustc; the other arguments are its own.
crate() {
    local name=$1
    shift
    rustc --edition 2021 -C opt-level=3 -C codegen-units=1 --cap-lints allow --crate-name "$name" \
        -L rust -o "rust/lib$name.rlib" --crate-type rlib "$@"
}

# compile_aho_corasick: with $memchr and $crate_source, the folders of the two crates.
compile_aho_corasick() {
    crate memchr --cfg 'feature="std"' --cfg 'feature="alloc"' "$memchr/src/lib.rs" &&
        crate aho_corasick --cfg 'feature="std"' --cfg 'feature="perf-literal"' \
            --extern memchr=rust/libmemchr.rlib "$crate_source/src/lib.rs" &&
        AHO_CORASICK_VERSION=${crate_source##*-} rustc --edition 2021 -C opt-level=3 -L rust \
            --extern aho_corasick=rust/libaho_corasick.rlib -o rust/aho-corasick \
            "$source_directory/peers/aho_corasick.rs"
}

# Lists of a release that this system does not use are kept apart from its own.
fetch_aho_corasick() {
    local apt mirror registry memchr crate_source
    command -v rustc >/dev/null || { lacks 'aho-corasick in Rust' 'there is no rustc'; return 1; }
    mkdir -p apt/lists/partial apt/archives/partial rust
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Label: Debian' \
        'Component: main' 2>/dev/null | sort -u | sed -n 1p)
    [[ -n $mirror ]] || { lacks 'aho-corasick in Rust' 'apt knows no mirror of Debian'; return 1; }
    echo "deb $mirror $crate_suite main" >apt/sources.list
    apt=(-o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt"
        -o Dir::State::status=/dev/null)
    if ! apt-get "${apt[@]}" -o APT::Sandbox::User=root update >apt/update.log 2>&1 ||
        ! unpack librust-memchr-dev "${apt[@]}" || ! unpack librust-aho-corasick-dev "${apt[@]}"; then
        lacks 'aho-corasick in Rust' "$(reason librust-aho-corasick-dev)"
        return 1
    fi
    registry=usr/share/cargo/registry
    memchr=$(echo unpacked/librust-memchr-dev/$registry/memchr-*)
    crate_source=$(echo unpacked/librust-aho-corasick-dev/$registry/aho-corasick-*)
    if ! compile_aho_corasick; then
        lacks 'aho-corasick in Rust' 'it does not compile'
        return 1
    fi
    for kind in contiguous-nfa dfa; do
        program "aho-corasick-$kind" "$PWD/rust/aho-corasick" "$kind"
    done
    say "aho-corasick: ${crate_source##*/}"
}

# wheel NAME MODULE KIND...: installs a wheel, and makes a program for each kind.
wheel() {
    local name=$1 module=$2 kind
    shift 2
    if ! { [[ -x python/bin/pip ]] || python3 -m venv python; } >python.log 2>&1 ||
        ! python/bin/pip install --quiet --only-binary :all: "$name" >>python.log 2>&1; then
        lacks "$name" "$(tail -n 1 python.log)"
        return
    fi
    for kind in "$@"; do
        program "$name${kind:+-$kind}" "$PWD/python/bin/python" "$PWD/python_peer.py" "$module" \
            "${kind:--}"
    done
    say "$name: $(python/bin/pip list 2>/dev/null | grep -i "^${name//-/.}")"
}

mkdir -p "$directory"
cd "$directory"
rm -rf programs && mkdir programs
cp "$source_directory/peers/python_peer.py" .
fetch_library hyperscan
fetch_library vectorscan
fetch_ripgrep
command -v grep >/dev/null && say "grep: $(grep --version | sed -n 1p)"
fetch_aho_corasick || wheel ahocorasick-rs ahocorasick_rs contiguous-nfa dfa
wheel daachorse daachorse ''
rm -rf unpacked
say "in $PWD; $missing could not be had"
