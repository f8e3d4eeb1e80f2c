#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl itself, compile, devices, engines.
source "$(dirname "$0")/harness.sh" "$1"

printf 'a fox' >text
printf 'fox\nox\n' >words

check 'help' "$trawl" --help
holds 'help begins with examples' grep -q '^Examples:' .out
for command in scan grep compile index info bench tune reproduce devices engines; do
    check "$command --help" "$trawl" "$command" --help
    holds "$command --help has examples first" bash -c "grep -n -m1 -i '^example' .out |
        { IFS=: read -r line rest; [ \"\${line:-99}\" -lt 6 ]; }"
    check "help $command" "$trawl" help "$command"
done
check 'version' "$trawl" --version
holds 'version' grep -qE '^trawl [0-9]+\.[0-9]+\.[0-9]+$' .out
refuse "there is no command 'fish'" "$trawl" fish
refuse 'expected a command' "$trawl"

# no pattern at all
expect 0 '' "$trawl" compile -f /dev/null -o none.db
expect 1 '' "$trawl" scan --db none.db text
expect 1 0 "$trawl" scan -c --db none.db text
expect 1 '' "$trawl" grep --db none.db text
expect 1 '' "$trawl" grep -o --db none.db text
expect 0 "$(cat text)" "$trawl" grep -v --db none.db text
expect 0 "$(cat text)" "$trawl" grep -v -f /dev/null text
expect 1 '' "$trawl" grep -f /dev/null text
expect 0 '' "$trawl" info --db none.db --patterns
for engine in ac-dfa ac-nfa ac-split wu-manber rabin-karp qgram; do
    expect 1 0 "$trawl" scan -c --engine "$engine" --matches leftmost-first -f /dev/null text
done

# compile
expect 0 '' "$trawl" compile -f words -o words.db
expect 0 'text\t2\t5\t0\tfox\ntext\t3\t5\t1\tox' "$trawl" scan --db words.db text
expect 0 'text\t2\t5\t0\tfox' bash -c "'$trawl' compile --matches leftmost-first -f words -o - >l.db &&
    '$trawl' scan --db l.db text"
printf 'beast\ti\tFOX\n' >names
expect 0 'text\t2\t5\t0\tbeast' bash -c "'$trawl' compile --pattern-format tsv -f names -o n.db &&
    '$trawl' scan --db n.db text"
refuse 'expected -o DB' "$trawl" compile -f words
refuse 'expected patterns' "$trawl" compile -o x.db
refuse 'expected no operand' "$trawl" compile -f words -o x.db more
check 'nothing is written on errors' test ! -e x.db
if has script; then
    checks=$((checks + 1))
    script -qec "'$trawl' compile -f words -o -" /dev/null >.out 2>&1
    grep -q 'a database is not written to a terminal' .out || fail 'compile to a terminal'
fi

check 'devices' "$trawl" devices
holds 'devices: cpu' grep -q '^cpu	[0-9]*	[0-9]*	' .out
holds 'devices: the instruction sets' grep -qE '^cpu	.*\((.*, )?(scalar|avx2|avx512|avx512-vbmi|neon); [a-z0-9-]+ is used\)$' .out
if ! grep -q '^cuda' .out; then
    holds 'devices: why there is no GPU' grep -q '^# no CUDA device is offered: [a-z]' .out
    expect 0 "$(cat .out)" "$trawl" devices --ceilings
fi
refuse 'expected no operand' "$trawl" devices cuda
if has script; then
    check 'devices on a terminal' script -qec "stty cols 80; '$trawl' devices" /dev/null
    tr -d '\r' <.out >terminal
    holds 'devices: a header' grep -qE '^device +units +memory +description$' terminal
    holds 'devices: units' grep -qE '^cpu +[0-9]+ CPUs? +([0-9.]+ [kMGT]B|\?) ' terminal
    holds 'devices: 80 columns' awk 'length > 80 { wide = 1 } END { exit wide }' terminal
fi
check 'devices with TRAWL_CPU' env TRAWL_CPU=scalar "$trawl" devices
holds 'devices: TRAWL_CPU is used' grep -q '; scalar is used)$' .out
expect 0 'text\t2\t5\t0\tfox' env TRAWL_CPU=scalar "$trawl" scan -e fox text
for command in devices 'scan -e fox text' 'scan -c -e fox text' 'grep fox text' \
    'compile -e fox -o sse.db' 'info -e fox'; do
    # shellcheck disable=SC2086
    refuse 'TRAWL_CPU=sse: no such set of instructions is known; here are: scalar' \
        env TRAWL_CPU=sse "$trawl" $command
done
check 'engines' "$trawl" engines
holds 'engines: ac-dfa' grep -q '^ac-dfa: ' .out
holds 'engines: kernels' grep -qE '^    ac3  ' .out
holds 'engines: their paper' grep -q 'Zha & Sahni 2011, IV-B1, Fig. 5' .out
holds 'engines: 80 columns' awk 'length > 80 { wide = 1 } END { exit wide }' .out
holds 'engines: a source for each' test "$(grep -c '^  source: ' .out)" = "$(grep -c '^[a-z]' .out)"
holds 'engines: mixed is explained' grep -q '^  mixed  *groups of patterns by length' .out
sed -n '/^Papers/,$p' .out | sed -nE 's/^  ([A-Z].* [0-9]{4})  .*/\1/p' >papers
holds 'engines: papers' test "$(wc -l <papers)" -ge 9
tr -s ' \n' ' ' <.out >flat
while read -r paper; do
    holds "engines: who is from $paper" test "$(grep -oF "$paper" flat | wc -l)" -ge 1
done <papers
grep -oE "[A-Z][a-z]+ (& [A-Z][a-z]+ |et al\. )?(19|20)[0-9]{2}" flat | sort -u >cited
holds 'engines: every citation is among the papers' test -z "$(grep -vxFf papers cited)"
check 'one engine' "$trawl" engines qgram
holds 'engines: it alone' test "$(grep '^[a-zA-Z]' .out | cut -d: -f1)" = qgram
refuse "unknown engine 'all'; expected one of ac-dfa, ac-nfa, " "$trawl" engines all

finish
