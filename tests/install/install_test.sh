#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs BUILD into SCRATCH with DESTDIR and uses it as its users would.
# usage: install_test.sh BUILD SCRATCH VERSION     environment: CC, CMAKE
set -euo pipefail
build=$1 scratch=$2 version=$3
dest=$scratch/dest prefix=/opt/trawl
root=$dest$prefix

fail() {
    echo "install_test: $*" >&2
    exit 1
}
expect_file() {
    [[ -f $1 ]] || fail "not installed: ${1#"$dest"}"
}
expect_matches() {
    local output
    output=$("$@") || fail "$1 exited with status $?"
    [[ $output == "3 matches" ]] || fail "$1 printed '$output', not '3 matches'"
}

rm -rf "$scratch"
mkdir -p "$scratch"
DESTDIR=$dest "$CMAKE" --install "$build" --prefix "$prefix" >"$scratch/install.log"

# ---- files
libdir=$(dirname "$(find "$root" -name libtrawl.a)")
expect_file "$root/include/trawl/trawl.h"
expect_file "$root/include/trawl/trawl_conditions.h"
expect_file "$root/include/trawl/trawl_groups.h"
expect_file "$root/include/trawl/trawl_scanner.h"
expect_file "$root/include/trawl/trawl_records.h"
expect_file "$root/include/trawl/trawl_replace.h"
expect_file "$root/include/trawl/trawl_cuda.h"
expect_file "$root/include/trawl/trawl_cuda_rows.h"
expect_file "$root/include/trawl/trawl_study.h"
expect_file "$root/include/trawl/trawl_index.h"
expect_file "$root/bin/trawl"
expect_file "$libdir/libtrawl.so.$version"
expect_file "$libdir/pkgconfig/trawl.pc"
expect_file "$libdir/cmake/trawl/trawl-config.cmake"
expect_file "$root/share/man/man1/trawl.1"
expect_file "$root/share/bash-completion/completions/trawl"
# Versions 0.x promise nothing to each other, so the soname has both numbers.
soname=libtrawl.so.${version%.*}
[[ $(readlink "$libdir/libtrawl.so") == "$soname" ]] ||
    fail "libtrawl.so does not link to the soname"
readelf -d "$libdir/libtrawl.so" | grep -q "SONAME.*\[$soname\]" ||
    fail "libtrawl.so has no soname $soname"
[[ $("$root/bin/trawl" --version) == *"$version"* ]] || fail "trawl --version does not say $version"
[[ $(printf 'ushers' | "$root/bin/trawl" scan -c -e he -e she -e his -e hers) == 3 ]] ||
    fail "the installed command does not count 3 matches in 'ushers'"
bash -n "$root/share/bash-completion/completions/trawl"

# ---- pkg-config, shared and static
consumer=$(cd "$(dirname "$0")" && pwd)/consumer/consumer.c
export PKG_CONFIG_PATH=$libdir/pkgconfig
[[ $(pkg-config --modversion trawl) == "$version" ]] || fail "trawl.pc does not say $version"
# shellcheck disable=SC2046  # flags are meant to be split
"$CC" -Wall -Wextra -Werror "$consumer" $(pkg-config --cflags --libs trawl) -o "$scratch/shared"
LD_LIBRARY_PATH=$libdir expect_matches "$scratch/shared"
# shellcheck disable=SC2046
"$CC" "$consumer" $(pkg-config --cflags trawl) \
    $(pkg-config --static --libs trawl | sed "s,-ltrawl,$libdir/libtrawl.a,") -o "$scratch/static"
expect_matches "$scratch/static"

# ---- find_package, both targets
"$CMAKE" -S "$(dirname "$consumer")" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$root" \
    -DCMAKE_C_COMPILER="$CC" >"$scratch/configure.log"
"$CMAKE" --build "$scratch/consumer" >"$scratch/build.log"
expect_matches "$scratch/consumer/with-trawl"
expect_matches "$scratch/consumer/with-trawl-static"

[[ $(cat "$root"/include/trawl/*.h | grep -c '{ .size =') == 1 ]] ||
    fail "an initialiser in the headers is not TRAWL_SIZED, which is C++ too"

# ---- each header alone is also C++, for the C++ compilers that there are, and its initialisers
for compiler in c++ g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in c++11 c++17; do
        for header in "$root"/include/trawl/*.h; do
            {
                echo "#include <trawl/${header##*/}>"
                sed -nE 's/^#define (TRAWL_[A-Z_]+) .*TRAWL_SIZED\(([a-z_]+)\)$/\2 \1_ = \1;/p' "$header"
            } >"$scratch/header.cpp"
            "$compiler" -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                -I"$root/include" "$scratch/header.cpp" ||
                fail "${header##*/} is not $standard for $compiler"
        done
    done
    (($(cat "$root"/include/trawl/*.h | grep -c 'TRAWL_SIZED(trawl_') > 20)) ||
        fail "few initialisers are TRAWL_SIZED"
    ! grep -n 'size = sizeof(trawl_' "$root"/include/trawl/*.h ||
        fail "these initialisers are not TRAWL_SIZED"
    cat >"$scratch/initialised.cpp" <<'END'
#include <trawl/trawl.h>
int main() {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    return options.size == sizeof options && options.device == nullptr ? 0 : 1;
}
END
    "$compiler" -std=c++11 -I"$root/include" "$scratch/initialised.cpp" -o "$scratch/initialised"
    "$scratch/initialised" || fail "TRAWL_SCAN_OPTIONS is not initialised by $compiler"
done
echo "install_test: passed"
