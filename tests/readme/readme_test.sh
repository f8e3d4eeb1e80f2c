#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What the documents show is true: the commands of README.md and docs/guide/command.md print what stands
# under them, an example of docs/internals/planner.md has the figures that it names, and each program of
# docs/guide/c-api.md and docs/guide/short-texts.md compiles and prints what stands under it.
# usage: readme_test.sh README TRAWL LIBTRAWL.A INCLUDE SCRATCH      environment: CC, LIBRARIES
set -euo pipefail
export LC_ALL=C
readme=$1 trawl=$2 library=$3 include=$4 scratch=$5
guide=$(dirname "$readme")/docs/guide
manual=$(dirname "$readme")/docs/man/libtrawl.3
text=/usr/share/common-licenses/GPL-3 text_bytes=35149 # there are editions of it

# blocks LANGUAGE FILE: the contents of the fenced blocks of that language.
blocks() {
    awk -v fence="\`\`\`$1" '
        /^```/ { open = !open; wanted = open && $0 == fence; next }
        wanted' "$2"
}

rm -rf "$scratch"
mkdir -p "$scratch/bin"
ln -s "$trawl" "$scratch/bin/trawl"
export PATH=$scratch/bin:$PATH
cd "$scratch"

# ---- the programs: programN.c, and in programN.expected the block of text behind it
awk '
    /^```c$/ { file = "program" ++count ".c"; next }
    /^```text$/ { file = "program" count ".expected"; next }
    /^```/ { file = ""; next }
    file != "" { print >file }' "$guide/c-api.md" "$guide/short-texts.md"
count=0
for program in program*.c; do
    name=${program%.c} count=$((count + 1))
    [[ -s $name.expected ]] || { echo "readme_test: $name.c has no output below it" >&2; exit 1; }
    # shellcheck disable=SC2086  # flags are meant to be split
    "$CC" -Wall -Wextra -Werror -I"$include" "$program" "$library" -lxxhash -lpthread -lm \
        ${LIBRARIES-} -o "$name"
    "./$name" | diff -u "$name.expected" -
done
((count >= 12)) || { echo "readme_test: $count programs in the guide, expected 12" >&2; exit 1; }
# The manual page has the first program.
sed -n '/^#include <stdio.h>/,/^\.fi/{/^\.fi/d;s/\\-/-/g;s/\\e/\\/g;p}' "$manual" |
    diff -u program1.c -

# ---- the commands
if [[ ! -r $text || $(stat -L -c %s "$text") != "$text_bytes" ]]; then
    echo "readme_test: the programs are right; the commands need another edition of $text"
    exit 77
fi
for document in "$readme" "$guide/command.md"; do
    blocks console "$document" >console.expected
    sed -n 's/^\$ //p' console.expected >commands
    [[ -s commands ]] || { echo "readme_test: no commands in $document" >&2; exit 1; }
    while IFS= read -r command; do
        printf '$ %s\n' "$command"
        bash -c "$command" 2>&1 </dev/null || true
    done <commands >console.actual
    diff -u console.expected console.actual
done

# ---- the example of docs/internals/planner.md: the price of ac-dfa and the ends of matches, which depend
# neither on the processor nor on a profile
planner=$(dirname "$readme")/docs/internals/planner.md
said=$(sed -nE 's/^trawl info -f gplwords.txt .*# ac-dfa ([0-9.]+) GB.s, .*; match_ends ([0-9.]+)$/\1 \2/p' "$planner")
[[ -n $said ]] || { echo "readme_test: no example in $planner" >&2; exit 1; }
blocks sh "$planner" | grep -m 2 -E '^(cp|tr -cs) ' >prepare
bash prepare
XDG_CONFIG_HOME=$scratch trawl info --format json -f gplwords.txt --sample gpl.txt >plan
sed -nE 's/.*"match_ends":([0-9.]+),.*"engine":"ac-dfa","table_bytes":[0-9]+,"gb_per_second":([0-9.]+)[,}].*/\2 \1/p' plan |
    awk '{ printf "%.2f %.3f\n", $1, $2 }' | diff -u <(echo "$said") - ||
    { echo "readme_test: the example of $planner has other figures" >&2; exit 1; }
echo "readme_test: passed"
