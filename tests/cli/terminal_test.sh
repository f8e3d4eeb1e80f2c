#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What is written to a terminal: the progress line and tables fit its width, messages keep their
# reason however long a file's name is.
source "$(dirname "$0")/harness.sh" "$1"

# a name of 900 bytes in directories
long=$(printf 'd%.0s' {1..200})
long=$long/$long/$long/$long/$(printf 'f%.0s' {1..90})
refuse "$(printf 'f%.0s' {1..90}): No such file or directory" "$trawl" scan -e fox "missing/$long"
refuse 'trawl: text ...' "$trawl" scan -e fox "missing/$long"
refuse "trawl: missing/$long: No such file or directory" "$trawl" grep fox "missing/$long"
refuse ': No such file or directory' "$trawl" scan -f "missing/$long" "$0"
mkdir -p "$(dirname "$long")"
printf '\37\213\10' >"$long"
refuse ': the gzip data ends too early (truncated?)' "$trawl" scan -e fox "$long"
refuse "trawl: $long: the gzip data ends too early (truncated?)" "$trawl" grep fox "$long"

if ! has script stty; then finish; exit; fi

# terminal COLUMNS COMMAND: what the command writes to a terminal of so many columns, in .terminal
terminal() {
    script -qec "stty cols $1; $2" .terminal </dev/null >/dev/null
    tr -d '\r' <.terminal | grep -v '^Script ' >.lines
    checks=$((checks + 1))
}

# --top: patterns are cut, but only on a terminal
printf 'p%.0s' {1..300} >pattern
printf 'a\351\200\200b\n' >>pattern
printf 'word %.0s' {1..2000} >text
cat pattern >>text
terminal 60 "'$trawl' scan --top 5 -e word -f pattern text"
holds '--top: a short pattern is whole' grep -qx "$(printf '2000\t0\tword')" .lines
holds '--top: a long one is cut' grep -qx "$(printf '1\t1\t')p\{41\}\.\.\." .lines
terminal 60 "'$trawl' scan --top 5 --format tsv -e word -f pattern text"
holds '--top --format tsv: nothing is cut' grep -q 'p\{300\}' .lines
"$trawl" scan --top 5 -f pattern text >.lines
holds '--top: nothing is cut in a pipe or file' grep -q 'p\{300\}' .lines
terminal 3 "'$trawl' scan --top 5 -f pattern text"
holds '--top on a narrow terminal' grep -q '^1' .lines

# the progress line: as many parts as fit, digits in groups
printf 'fox\n%.0s' {1..2000} >foxes
slow="{ cat foxes; sleep 1.3; echo fox; sleep 0.1; } | '$trawl' scan -c -e fox"
terminal 80 "$slow"
holds 'progress with grouped digits' grep -q '8.0 kB  [0-9.]* kB/s  2,00[01] matches' .terminal
terminal 20 "$slow"
holds 'progress on a narrow terminal: bytes and rate' grep -q '8.0 kB  [0-9.]* kB/s' .terminal
holds 'progress on a narrow terminal: not more' bash -c '! grep -q match .terminal'
terminal 80 "$slow --no-progress"
holds '--no-progress' bash -c '! grep -q kB .terminal'

# --stats: a line for each figure within 80 columns; one JSON object elsewhere
terminal 80 "'$trawl' scan --stats -c -e fox -e word -e pattern --sample text --engine qgram text"
holds '--stats on a terminal' grep -qx 'bytes  *[0-9]*,[0-9]*' .lines
holds '--stats on a terminal: filters' grep -qE '^filters +kind [a-z]+, min_length 3, max_length' .lines
holds '--stats on a terminal: 80 columns' bash -c '! grep -qE ".{81}" .lines'
terminal 80 "'$trawl' compile -e fox -e word -e pattern --sample text -o db"
holds 'compile on a terminal: 80 columns' bash -c '! grep -qE ".{81}" .lines'
holds 'compile on a terminal: what was built' grep -q '^3 patterns, engine ' .lines
terminal 80 "'$trawl' compile --stats -e fox -o db"
holds 'compile --stats on a terminal' grep -qx 'engine  *[a-z-]*' .lines
"$trawl" compile --stats -e fox -o db 2>.lines
holds 'compile --stats in a file' grep -qx '{"patterns":1,.*}' .lines

finish
