#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# README.md is true: its commands print what stands under them, and its program compiles and prints
# what stands under it.
# usage: readme_test.sh README TRAWL LIBTRAWL.A INCLUDE SCRATCH      environment: CC, LIBRARIES
set -euo pipefail
export LC_ALL=C
readme=$1 trawl=$2 library=$3 include=$4 scratch=$5
manual=$(dirname "$readme")/docs/man/libtrawl.3
text=/usr/share/common-licenses/GPL-3 text_bytes=35149 # there are editions of it

# blocks LANGUAGE: the contents of the fenced blocks of that language.
blocks() {
    awk -v fence="\`\`\`$1" '
        /^```/ { open = !open; wanted = open && $0 == fence; next }
        wanted' "$readme"
}

rm -rf "$scratch"
mkdir -p "$scratch/bin"
ln -s "$trawl" "$scratch/bin/trawl"
export PATH=$scratch/bin:$PATH
cd "$scratch"

# ---- the program
blocks c >ushers.c
blocks text >ushers.expected
[[ -s ushers.c && -s ushers.expected ]] || { echo "readme_test: no program found" >&2; exit 1; }
# shellcheck disable=SC2086  # flags are meant to be split
"$CC" -Wall -Wextra -Werror -I"$include" ushers.c "$library" -fopenmp -lxxhash -lpthread -lm \
    ${LIBRARIES-} -o ushers
./ushers | diff -u ushers.expected -
# The manual page has the same program.
sed -n '/^#include <stdio.h>/,/^\.fi/{/^\.fi/d;s/\\-/-/g;s/\\e/\\/g;p}' "$manual" | diff -u ushers.c -

# ---- the commands
if [[ ! -r $text || $(stat -L -c %s "$text") != "$text_bytes" ]]; then
    echo "readme_test: the program is right; the commands need another edition of $text"
    exit 77
fi
blocks console >console.expected
sed -n 's/^\$ //p' console.expected >commands
[[ -s commands ]] || { echo "readme_test: no commands found" >&2; exit 1; }
while IFS= read -r command; do
    printf '$ %s\n' "$command"
    bash -c "$command" 2>&1 </dev/null || true
done <commands >console.actual
diff -u console.expected console.actual
echo "readme_test: passed"
