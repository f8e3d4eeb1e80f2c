#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl bench: the rows that are asked for, what they say, and what is refused.
source "$(dirname "$0")/harness.sh" "$1"

printf 'fox\nox\na dog\n' >words
yes 'a fox and a dog' | head -c 100000 >text
matches=$("$trawl" scan -c -f words text)
bench() { "$trawl" bench -f words --repeat 1 "$@"; }
# rows COMMAND...: the columns engine and variant of the table.
rows() { "$@" | sed -n '4,/^$/p' | grep . | awk '{ print $1 ":" $2 }'; }
# in_json KEY [FILE]: its values in the file, else in .out, one a line.
in_json() { sed -E "s/.*\"$1\":\"?([^,\"}]*).*/\1/" "${2:-.out}"; }

# which rows: all engines with their defaults, all variants, lists
engines=$("$trawl" engines | grep -c '^[a-z]')
variants=$("$trawl" engines | grep '^  [a-z]' | grep -cvE '^  (source:|kernels )')
check 'every engine' bench text
holds 'a row for each' test "$(sed -n '4,/^$/p' .out | grep . | wc -l)" -eq "$engines"
check 'every variant' bench --variants text
holds 'a row for each' test "$(sed -n '4,/^$/p' .out | grep -c '^[a-z]')" -eq "$variants"
holds 'all within 80 columns' awk 'length > 80 { wide = 1 } END { exit wide }' .out
check 'every variant' bench --variants --format json text
holds 'all that do it count the same' test "$(in_json matches | sort -u)" = "$matches"
expect 0 'ac-nfa:bitmap\nac-dfa:classes\nac-dfa:stt' \
    rows bench --engine ac-nfa:bitmap,ac-dfa --engine ac-dfa:stt text
expect 0 'ac-dfa:classes\nac-dfa:stt\nac-dfa:stt16' rows bench --engine ac-dfa --variants text
expect 0 'ac-dfa:stt\nac-nfa:bitmap' rows bench --engine ac-dfa,ac-nfa:bitmap --variant stt text
check 'the planned engine' bench --engine auto text
holds 'it is marked' grep -qE ' \*$' .out
plan=$("$trawl" info -f words --sample text | sed -nE 's/^  plan  *engine ([^,]*), variant ([^:]*):.*/\1 \2/p')
check 'every engine again' bench text
holds '80 columns' awk 'length > 80 { wide = 1 } END { exit wide }' .out
holds 'the choice is marked' test "$(awk '/ \*$/ { print $1, $2 }' .out)" = "$plan"
holds 'and the mark explained' grep -qx "\* the planner's choice for this text" .out
check 'the same in JSON' bench --format json text
holds 'one is planned' test "$(grep -c '"planned":true' .out)" -eq 1
refuse "there is no engine 'aho'" bench --engine ac-dfa,aho text
refuse "there is no engine ''" bench --engine '' text
refuse "expected one of its variants (classes, stt, stt16), not 'x'" bench --engine ac-dfa:x text
refuse 'auto takes no variant' bench --engine auto:stt text
refuse 'not both' bench --engine ac-dfa --variant stt --variants text
refuse '--variant: --engine names no engine without a variant' \
    bench --engine auto,ac-dfa:stt --engine auto --variant stt text
refuse '--variants: --engine names no engine without a variant' bench --engine auto --variants text
expect 0 'ac-dfa:stt\nac-dfa:stt\nac-dfa:stt' rows bench --engine ac-dfa:stt --engine ac-dfa:stt,ac-dfa --variant stt text
refuse '--time-limit: expected --peers with it' bench --time-limit 60 text
refuse '--run-time: expected --repeat N with it' "$trawl" bench -f words --run-time 20 text
refuse '--on-device is for CUDA devices' bench --on-device text

# JSON: one object a row, with these keys and no others
check 'JSON' bench --format json --engine ac-dfa,wu-manber --repeat 3 text
keys='^\{"engine":"[^"]+","variant":"[^"]+","device":"cpu","threads":1,"matches":[0-9]+,'
keys+='"build_seconds":[0-9.]+,"table_bytes":[0-9]+,"gb_per_second":\{"median":[0-9.]+,'
keys+='"min":[0-9.]+,"max":[0-9.]+\},"planned":(true|false),"repeats":3\}$'
holds 'keys' test "$(grep -cE "$keys" .out)" -eq 2
holds 'lines' test "$(wc -l <.out)" -eq 2
holds 'matches' test "$(in_json matches | sort -u)" = "$matches"
if has python3; then
    holds 'JSON parses' python3 -c 'import json
for line in open(".out"):
    speed = json.loads(line)["gb_per_second"]
    assert 0 < speed["min"] <= speed["median"] <= speed["max"]'
fi
check 'threads' bench --format json --engine ac-dfa --threads 2 text
holds 'threads are told' test "$(in_json threads)" = 2
check 'run time' bench --format json --engine ac-dfa --repeat 3 --run-time 20 text
holds 'more runs' test "$(in_json repeats)" -gt 3
check 'repeats are chosen' "$trawl" bench -f words --engine ac-dfa --format json text
holds 'at least 5' test "$(in_json repeats)" -ge 5

# what is timed
for mode in --per-pattern --collect; do
    check "$mode" bench $mode --threads 2 --format json text
    holds "$mode: matches" test "$(in_json matches | sort -u)" = "$matches"
done
for kind in leftmost-first leftmost-longest; do
    check "$kind" bench --matches $kind --format json text
    holds "$kind: matches" \
        test "$(in_json matches | sort -u)" = "$("$trawl" scan -c --matches $kind -f words text)"
done
check 'any case' bench -i --format json --engine ac-dfa text
check 'all CPUs' bench --threads 0 --engine ac-dfa text

# texts: several as one, standard input, compressed, a part
count() {
    "$trawl" bench --repeat 1 --engine ac-dfa --format json "$@" >.json && in_json matches .json
}
printf 'a fo' >left
printf 'x' >right
expect 0 2 count -f words left right
expect 0 0 count -f words right left
expect 0 2 count -f words --limit 5 left right text
expect 0 0 count -f words --limit 4 left right text
expect 0 2 count -e fox -e ox < <(printf 'a fox')
expect 0 2 count -e fox -e ox left right - </dev/null
if has gzip; then
    gzip -c text >text.gz
    expect 0 "$matches" count -f words text.gz
fi
refuse 'gone: No such file or directory' bench gone
refuse 'the text is empty' bench /dev/null
"$trawl" bench -f /dev/null text >out && grep -q '^0 patterns of 0 bytes' out || fail 'bench without a pattern'
refuse 'expected patterns' "$trawl" bench text
refuse 'cannot be both' bash -c "'$trawl' bench -f - <words"
refuse '--repeat: expected a number from 1' bench --repeat 0 text
refuse '--run-time: expected a number from 1' bench --run-time 0 text
refuse '--limit: expected a whole number of bytes' bench --limit 1x text
refuse 'expected table or json' bench --format xml text
if ! "$trawl" devices | grep -q '^cuda'; then
    refuse '--device cuda: ' bench --device cuda text
fi
if [ -e /dev/full ]; then
    refuse 'No space left on device' bash -c "'$trawl' bench -f words --repeat 1 text >/dev/full"
fi

# an engine that refuses says why, and the others go on
check 'one refuses' bench --engine ac-nfa,ac-dfa:stt --max-tables 8k text
holds 'its reason' grep -qE '^ac-dfa +stt +refuses: .+' .out
holds 'the other' grep -qE "^ac-nfa .* $matches .* 1\.00$" .out
check 'one refuses, JSON' bench --engine ac-nfa,ac-dfa:stt --max-tables 8k --format json text
holds 'its reason' grep -q '^trawl: ac-dfa (stt) refuses: ' .err
holds 'the other' test "$(wc -l <.out)" -eq 1
refuse 'nothing could be measured' bench --engine ac-dfa:stt --max-tables 1 text

# peers know no conditions
echo a cat >word
"$trawl" bench -w -e cat --peers word 2>.err
holds 'peers refuse conditions' grep -q -e '--peers: pattern 0 has a condition' .err

finish
