#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# --help of every command fits a terminal, and what is unknown is told with the nearest known name.
completion=$(readlink -f "$(dirname "$0")/../../completions/trawl.bash")
source "$(dirname "$0")/harness.sh" "$1"

printf 'a fox\n' >text

# narrow WHAT: no line of .out is longer than 80 columns
narrow() {
    holds "$1: no line is longer than 80 columns" \
        awk 'length > 80 { wide = 1 } END { exit wide }' .out
}

check 'trawl --help' "$trawl" --help
narrow 'trawl --help'
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' .out | grep -vx help >commands
holds 'the list of commands' grep -qx scan commands
while read -r command; do
    check "$command --help" "$trawl" "$command" --help
    narrow "$command --help"
    # what a flag does begins in column 31, on the line of the flag or below it
    holds "$command --help: flags are aligned" awk '
        /^  -[^ ]/ || /^      --/ { flags = 1; if (length > 30 && substr($0, 30, 2) !~ /^ [^ ]/) bad = 1 }
        /^          / && flags { if (substr($0, 1, 30) !~ /^ *$/ || substr($0, 31, 1) == " ") bad = 1 }
        /^[^ ]/ { flags = 0 }
        END { exit bad }' .out
done <commands
check 'help of flags with long names' "$trawl" scan --help
holds 'a long flag stands on a line of its own' grep -qx '  -R, --dereference-recursive' .out
holds 'paragraphs are wrapped at 80 columns' \
    awk 'length > 75 && /^[^ ]/ { wide = 1 } END { exit !wide }' .out

check 'defaults of replace' "$trawl" replace --help
holds 'map is the default' grep -q 'one on each line: map' .out
holds 'leftmost-longest is the default' grep -q 'are replaced: leftmost-longest' .out
check 'help of bench' "$trawl" bench --help
holds 'what --engine names has one name' bash -c \
    'tr -s " \n" " " <.out | grep -q "that ENGINES names" && ! grep -qw LIST .out'
check 'help of index query' "$trawl" index query --help
holds 'no flags that an index refuses' bash -c "! grep -qE -- '--(ignore-case|word)' .out"

# commands
refuse "there is no command 'scna'; did you mean scan?" "$trawl" scna
refuse "there is no command 'gerp'; did you mean grep?" "$trawl" gerp -c fox text
refuse "there is no command 'comp'; did you mean compile?" "$trawl" help comp
refuse "there is no command 'fish'; see 'trawl --help'" "$trawl" fish
refuse "there is no command ''; see" "$trawl" ''

refuse "unknown flag --nosuch; see 'trawl --help'" "$trawl" --nosuch
refuse "unknown flag --nosuch; see 'trawl --help'" "$trawl" help --nosuch
refuse "unknown flag -X; see 'trawl --help'" "$trawl" -X fox text
refuse "expected a command before --file=words, such as 'trawl scan --file=words'" "$trawl" --file=words text
same() { # same WHAT, as COMMAND: both print the same
    check "trawl $1" bash -c "'$trawl' $1 >help.out"
    holds "trawl $1 prints what trawl $2 does" bash -c "'$trawl' $2 | cmp - help.out"
}
same 'help help' '--help'
same 'help --help' '--help'
same 'help -h' '--help'
same 'help scan' 'scan --help'
same 'help scan text' 'scan --help'
same 'help index' 'index --help'
same 'help index query' 'index query --help'
same 'help index build' 'index build --help'
refuse "expected build or query, found 'make'" "$trawl" help index make
# completes WORDS: what bash offers for the last one
completes() {
    bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trawl; echo "${COMPREPLY[*]}"' \
        "$completion" "$trawl" "$@"
}
expect 0 'help' completes h
expect 0 'index info' completes help in
expect 0 'query' completes help index q
expect 0 'build' completes index b

# flags
refuse 'unknown flag --formt; did you mean --format?' "$trawl" scan --formt tsv -e fox text
refuse "unknown flag --coutn; did you mean --count? See 'trawl scan --help'" "$trawl" scan --coutn -e fox text
refuse 'unknown flag --coutn; did you mean --count?' "$trawl" scan --coutn -e fox text
refuse 'unknown flag --ignorecase; did you mean --ignore-case?' "$trawl" grep --ignorecase fox text
refuse 'unknown flag --peer-dir; did you mean --peers-dir?' "$trawl" bench --peer-dir x
refuse "unknown flag --xyz; see 'trawl scan --help'" "$trawl" scan --xyz -e fox text
refuse "unknown flag --$(printf '%0100d' 1); see" "$trawl" scan "--$(printf '%0100d' 1)" text
refuse "unknown flag -Z; see 'trawl scan --help'" "$trawl" scan -Z -e fox text
refuse 'unknown flag -d; did you mean --db?' "$trawl" scan -db rules.db text

# values: the known ones, and the nearest
engines="auto, $("$trawl" engines | sed -nE 's/^([a-z-]+):.*/\1/p' | sed ':all; N; $!b all; s/\n/, /g; s/\(.*\), /\1 or /')"
check 'the engines are listed' test "$(wc -w <<<"$engines")" -ge 8
for command in "scan -e fox" "grep -e fox" "compile -o db -e fox"; do
    # shellcheck disable=SC2086
    refuse "--engine: expected $engines, not 'acdfa'; did you mean ac-dfa?" \
        "$trawl" $command --engine acdfa
    # shellcheck disable=SC2086
    refuse "--engine: expected $engines, not 'fish'; see" "$trawl" $command --engine=fish
done
refuse "engine ac-dfa has no variant 'fast'; it has classes, stt" \
    "$trawl" grep --engine ac-dfa --variant fast fox text
expect 0 'text\t2\t5\t0\tfox' "$trawl" scan --engine wu-manber:paper -e fox text
refuse "--engine: expected $engines, not 'fish:paper'" "$trawl" scan --engine fish:paper -e fox text
refuse "engine wu-manber has no variant 'fast'; it has" "$trawl" compile --engine wu-manber:fast -e fox -o db
refuse "did you mean scan?" "$trawl" search -e fox text
refuse "expected a command before -f, such as 'trawl scan -f'" "$trawl" -f words text
refuse 'unknown flag --json: JSON is written by' "$trawl" grep --json fox text
refuse 'unknown flag -g: files are chosen by --include' "$trawl" grep -g '*.c' fox text
refuse '--threads: expected a number from 0 to 1024' "$trawl" scan --threads 1025 -e fox text
refuse "--format: expected tsv, jsonl, count or top, not 'json'; did you mean jsonl?" \
    "$trawl" scan --format json -e fox text
refuse "--format: expected tsv, jsonl, count or top, not 'csv'; did you mean tsv?" \
    "$trawl" scan --format csv -e fox text
refuse "--matches: expected all, leftmost-first or leftmost-longest, not 'leftmost-lonegst'; did you" \
    "$trawl" scan --matches leftmost-lonegst -e fox text
refuse "--matches: expected all, leftmost-first or leftmost-longest, not 'some'; see" \
    "$trawl" scan --matches some -e fox text
refuse "--pattern-format: expected lines, escaped, hex, tsv or map, not 'scaped'; did you mean escaped?" \
    "$trawl" grep --pattern-format scaped fox text
refuse "--placement: expected none, spread or close, not 'clos'; did you mean close?" \
    "$trawl" scan --placement clos -e fox text
refuse "--color: expected always, never or auto, not 'alway'; did you mean always?" \
    "$trawl" grep --color=alway fox text
refuse "-d: expected read, skip or recurse, not 'recure'; did you mean recurse?" \
    "$trawl" grep -d recure fox text
refuse "-D: expected read or skip, not 'recurse'; see" "$trawl" grep -D recurse fox text
refuse "--device: expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto, not 'cud'; did you mean cuda?" \
    "$trawl" scan --device cud -e fox text
refuse "not 'gpu'; did you mean cuda?" "$trawl" grep --device gpu fox text

# a pattern where a text is expected
refuse "there is no text 'fox', and no pattern: patterns come by -e PATTERN or -f FILE" \
    "$trawl" scan fox text
refuse 'expected patterns: -f FILE, -e PATTERN or --db DATABASE' "$trawl" scan text

# what cannot be written is told, with the reason
for command in --version --help help 'help scan' 'scan --help' engines devices 'info -e fox' \
    'bench -e fox --engine ac-dfa text'; do
    if [ -w /dev/full ]; then
        refuse '(standard output): No space left on device' bash -c "'$trawl' $command >/dev/full"
    fi
    refuse '(standard output): Bad file descriptor' bash -c "'$trawl' $command >&-"
done

# limits are named
refuse '--top: expected a number from 0 to 18446744073709551615' "$trawl" scan --top 99999999999999999999 -e fox text
bytes='expected a whole number of bytes, or one with K, M, G or T (powers of 1024),'
for size in 99999999999G 1KiB 1.5G -1 0 x ''; do
    refuse "--max-tables: $bytes from 1 to 16777215T, not '$size'; see" \
        "$trawl" scan --max-tables "$size" -e fox text
done
refuse "--chunk-bytes: $bytes from 1 to 1T, not '2T'" "$trawl" scan --chunk-bytes 2T -e fox text
refuse "--journal-segment: $bytes from 64K to 1024T, not '1'" \
    env -u TRAWL_TEST_SEGMENT "$trawl" scan --journal j --journal-segment 1 -e fox text
for size in 1t 1T 8g 8191M 65536k 70000; do
    expect 0 1 "$trawl" scan --max-tables "$size" -c -e fox text
done
for flag in -o --db -f --sample --journal --files-from --profile; do
    refuse "$flag: the file name is empty; see 'trawl scan --help'" "$trawl" scan -e fox $flag '' text
done
refuse '-f: the file name is empty' "$trawl" grep -f '' text
refuse '--db: the file name is empty' "$trawl" grep --db= text
refuse '-o: the file name is empty' "$trawl" compile -e fox -o ''
refuse '-o: the file name is empty' "$trawl" index build -o '' text
refuse 'K from 1 to N, such as 3/16, and N up to 1073741824' "$trawl" scan --shard 1/9999999999 -e fox text
for number in 1000000 0x10 +1 ' 1' nan; do
    refuse 'above 0 and below 1000000' "$trawl" scan --split-threshold "$number" -e fox text
done

finish
