#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What `trawl grep` has beyond GNU grep: compressed texts, formats of patterns, databases.
source "$(dirname "$0")/harness.sh" "$1"

# ------------------------------------------------------------------ compressed texts
# Directories with the same names: plain/NAME, and the same text compressed.
mkdir plain
printf 'a fox\nno\nthe fox, a Fox\n\nfoxes\n' >plain/small
printf 'no\na fox' >plain/no-end
: >plain/nothing
printf 'fox\nb\0x\nfox\n' >plain/binary
printf 'fox \351\n\377fox\r\n' >plain/bytes
# incompressible lines: more than one block, and enough for a thread that decompresses
awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) { line = i % 7919 ? "" : "fox ";
    for (j = 0; j < 30; j++) line = line sprintf("%c", 33 + int(rand() * 90)); print line } }' >plain/large
{ cat plain/large; printf 'fox\0fox\n'; cat plain/small; } >plain/large-binary
printf 'fox\nxes\n' >words

tools=()
has gzip && tools+=(gzip) && gunzip=(gzip -dc)
has zstd && tools+=("zstd -q") && gunzip=(zstd -qdc)
has xz && tools+=("xz -1") && gunzip=(xz -dc)

# alike FLAGS...: output, messages and status in plain/ and in packed/
alike() {
    local where
    checks=$((checks + 1))
    for where in plain packed; do
        (cd $where && "$trawl" grep "$@" >../$where.out 2>../$where.err; echo $? >>../$where.out)
    done
    if ! cmp -s plain.out packed.out || ! cmp -s plain.err packed.err; then
        cp packed.out .out; cp packed.err .err
        fail "trawl grep $* on compressed texts"
    fi
}

for tool in "${tools[@]}"; do
    rm -rf packed; mkdir packed
    for file in plain/*; do $tool -c <"$file" >"packed/${file#plain/}"; done
    for flags in '' -c -l -L -n -b -o '-o -b' -v '-v -c' -w -x -i '-m 2' '-A 1' '-B 2' '-C 1 -n' -a \
        -I -z '-c -z' -H -h -Z -q '--threads 1' '--color=always' '-s -v -n' '--threads 3 -n'; do
        # shellcheck disable=SC2086
        alike $flags -f ../words ./*
    done
    alike -r -n -f ../words
    alike -r -l -f ../words --exclude=small .
    alike -c fox nothing
    # standard input: a file and a pipe
    for file in small no-end large; do
        expect 0 "$("$trawl" grep -b -f words plain/$file)" "$trawl" grep -b -f words - <packed/$file
        expect 0 "$("$trawl" grep -b -f words plain/$file)" \
            bash -c "cat packed/$file | '$trawl' grep -b -f words"
    done
    # the name of a text in standard input, and of what is wrong with it
    head -c 40 packed/large >cut
    refuse 'trawl: (standard input): the ' "$trawl" grep fox <cut
    refuse 'trawl: log: the ' "$trawl" grep --label=log fox <cut
    # truncated and corrupt: one sentence, what comes before is searched, and so are other files
    half=$(($(stat -c %s packed/large) / 2))
    head -c $half packed/large >packed/cut
    "${gunzip[@]}" packed/cut 2>/dev/null >before
    if [ "$tool" = gzip ]; then zcat packed/cut 2>/dev/null >before; fi
    refuse 'ends too early (truncated?)' "$trawl" grep -c fox packed/cut plain/small
    if [ "$tool" = gzip ]; then
        holds "$tool: text before the end of a truncated file" \
            grep -qx "packed/cut:$(grep -c fox before)" .out
    fi
    holds "$tool: other files are searched" grep -qx 'plain/small:3' .out
    { head -c $half packed/large; head -c 4000 /dev/zero; tail -c +$((half + 4001)) packed/large; } >packed/bad
    refuse 'trawl: packed/bad: the ' "$trawl" grep -c fox packed/bad plain/small
    holds "$tool: one message says what is corrupt" grep -q 'data is corrupt: ' .err
    holds "$tool: other files are searched" grep -qx 'plain/small:3' .out
    expect 2 'plain/small:3' bash -c "'$trawl' grep -s -c fox packed/bad plain/small | tail -n 1; exit \${PIPESTATUS[0]}"
    expect 0 '' "$trawl" grep -q fox plain/small packed/bad
    # a compressed file as it is stored
    "$trawl" grep -c -a '' --no-search-zip packed/small >.want
    check "$tool: --no-search-zip" cmp -s .want <(grep -c -a '' packed/small)
    expect 0 3 "$trawl" grep -c --no-search-zip --search-zip fox packed/small
    # nothing is left behind for the next reader
    expect 0 'a fox' bash -c "{ '$trawl' grep -m 1 fox; cat; } <packed/small"
done

# the name does not matter
cp plain/small small.gz
expect 0 3 "$trawl" grep -c fox small.gz
# several members are one text
if has gzip; then
    { printf 'a f' | gzip -c; printf 'ox\n' | gzip -c; } >members
    expect 0 '1:a fox' "$trawl" grep -n fox members
fi
# a line that begins as a compressed text does is a line at once
if has mkfifo timeout; then
    mkfifo pipe
    { printf 'Q fox\n'; sleep 20; } >pipe &
    writer=$!
    expect 0 'Q fox' timeout 10 "$trawl" grep -m 1 fox pipe
    kill $writer
fi

# ------------------------------------------------------------------ patterns
printf 'the quick brown fox\r\n\tjumps \\ over \000\377 FOX\nend\n' >text
printf '\\tjumps\n\n' >escaped
expect 0 2 "$trawl" grep -c -a --pattern-format escaped -e 'x\r' -f escaped text
expect 0 '2:28:\\' "$trawl" grep -nboa --pattern-format=escaped '\\' text
printf '666F78\n' >hex
expect 0 '1:the quick brown fox\r' "$trawl" grep -na --pattern-format hex -f hex text
expect 0 '1:the quick brown fox\r' "$trawl" grep -na --pattern-format hex 666f78 text
printf 'beast\ti\tFox\nlast\t-\tEND\n' >tsv
expect 0 2 "$trawl" grep -c -a --pattern-format tsv -f tsv text
expect 0 'fox\nFOX' "$trawl" grep -oa --pattern-format tsv -f tsv text
expect 0 3 "$trawl" grep -c -a -i --pattern-format tsv -f tsv -e end text
expect 0 1 "$trawl" grep -c -w -a --pattern-format escaped -e 'x\x66' -e '\x66ox' text
# the same bytes in both cases, and with -i: two patterns
printf 'one\t-\tFOX\ntwo\ti\tfox\n' >tsv
expect 0 'fox\nFOX' "$trawl" grep -oa --pattern-format tsv -f tsv text
printf 'one\ti\tfox\ntwo\t-\tFOX\n' >tsv
expect 0 'fox\nFOX' "$trawl" grep -oa --pattern-format tsv -f tsv text
refuse "pattern file tsv:1: column 1: expected a hexadecimal digit, found 'o'" "$trawl" grep --pattern-format hex -f tsv text
# arguments have no columns; messages say which argument, and which of its lines
expect 0 'fox\n\tjumps' "$trawl" grep -oa --pattern-format map -e fox -e '\tjumps' text
printf 'fox\tcat\n' >map
expect 0 'fox\n\tjumps' "$trawl" grep -oa --pattern-format map -f map -e '\tjumps' text
refuse '-e: column 2: expected n, r, t' "$trawl" grep --pattern-format map -e 'a\q' text
refuse '-e:2: column 2: expected n, r, t' "$trawl" grep --pattern-format tsv -e $'fox\nb\\q' text
refuse 'PATTERNS: column 1: expected a hexadecimal digit' "$trawl" grep --pattern-format hex xyz text
# numbers: as GNU grep takes them, and the flag in messages
refuse "-A: expected a number from 0 on, not '-1'; see 'trawl grep --help'" "$trawl" grep -A -1 fox text
refuse "--context: expected a number from 0 on, not 'x'" "$trawl" grep --context=x fox text
refuse "-m: expected a number, not 'x'" "$trawl" grep -m x fox text
refuse '-P: patterns are strings here, not regular expressions' "$trawl" grep -P fox text
refuse '--extended-regexp: patterns are strings here' "$trawl" grep --extended-regexp fox text
refuse '-NUM: expected at most 21 digits, not 23' "$trawl" grep -99999999999999999999999 fox text
expect 0 "$(cat tsv)" "$trawl" grep -999999999999999999999 fox tsv
expect 0 "$(cat tsv)" "$trawl" grep -0000000000000000000000000001 fox tsv
refuse 'contains a LF, which ends lines' "$trawl" grep --pattern-format escaped 'x\n' text
printf 'end\r\n' >crlf
expect 1 0 "$trawl" grep -c -a -f crlf text
expect 0 1 "$trawl" grep -c -a --crlf -f crlf text
expect 0 'fox' "$trawl" grep -oa --crlf -e fox text
# only in lines an empty line is a pattern
printf 'fox\n\n' >blank
expect 0 3 "$trawl" grep -c -a -f blank text
expect 0 1 "$trawl" grep -c -a --pattern-format escaped -f blank text

# ------------------------------------------------------------------ databases
check 'a database' "$trawl" compile -e fox -e over -i -o words.db
expect 0 'fox\nover\nFOX' "$trawl" grep -oa --db words.db text
expect 0 2 "$trawl" grep -c -a --db words.db --db-copy text
expect 0 2 "$trawl" grep -c -a --threads 2 --db words.db text
for flag in '--engine ac-dfa' '--variant stt' '--pattern-format hex' --crlf; do
    # shellcheck disable=SC2086
    refuse "--db and ${flag% *} exclude each other: a database has its own patterns" \
        "$trawl" grep --db words.db $flag text
done
refuse 'give --db or -e and -f, not both' "$trawl" grep --db words.db -e fox text
refuse '-i has no effect on a database' "$trawl" grep -i --db words.db text

# ------------------------------------------------------------------ notes on a terminal
if has script; then
    script -qec "'$trawl' grep -f crlf text" .terminal </dev/null >/dev/null
    holds 'a note on a terminal, if nothing was found' \
        grep -q 'note: pattern file crlf: every line ends in CR LF' .terminal
    printf 'foxes\rdogs\r' >cr-alone
    script -qec "'$trawl' grep -f cr-alone text" .terminal </dev/null >/dev/null
    holds 'a note on a pattern file whose lines end in CR' \
        grep -q 'note: pattern file cr-alone: lines end in CR alone' .terminal
    script -qec "'$trawl' grep -s -f crlf text" .terminal </dev/null >/dev/null
    holds 'no note with -s' bash -c '! grep -q note .terminal'
fi

# ------------------------------------------------------------------ nested patterns
# a, aa, ... of 1,000 in lines of as many and more: 1,000 matches end at a byte. -x takes the time
# of a cover by the longest of them.
awk 'BEGIN { for (i = 1; i <= 1000; i++) printf "%0" i "d\n", 0 }' >zeros
{ head -c 300000 /dev/zero | tr '\0' 0; echo; tail -n 1 zeros; echo 0001; echo 00; } >lines
expect 0 2 "$trawl" grep -c -x -f zeros lines
expect 0 "2:$(tail -n 1 zeros)\n4:00" "$trawl" grep -n -x -o -f zeros lines
expect 0 "3:0001" "$trawl" grep -n -x -v -f zeros <(tail -n 3 lines | sed '1i 0')

# -o and --color with -w: memory for the parts, not for all matches within each other. `letter` is a
# pattern with which a part may touch the part before. Sanitizers keep freed memory.
if has python3 && ! grep -qaE '__[at]san_init' "$trawl"; then
    cat >peak.py <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open("peak.out", "wb")) # not /dev/null, where grep stops early
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(f"peak of {peak} KiB" if peak > int(sys.argv[1]) else 0)
END
    awk 'BEGIN { for (i = 1; i <= 1000; i++) printf "%" i "s\n", "" }' >blanks
    { cat blanks; echo a; } >letter
    printf '%40500s\n' '' >lines
    python3 -c "print('a ' * 10000000)" >long
    for patterns in blanks letter; do
        for flag in -o --color=always; do
            holds "memory of $flag -w, $patterns" \
                python3 peak.py 400000 "$trawl" grep --threads 1 $flag -w -f $patterns lines
        done
        expect 0 1000,500 bash -c "'$trawl' grep -ow -f $patterns lines | awk '{ print length }' | uniq | paste -sd,"
    done
    # parts are printed while their line is searched
    holds 'memory of -o in a long line' python3 peak.py 120000 "$trawl" grep --threads 1 -o a long
    expect 0 '10000000 1:a' bash -c "'$trawl' grep -on a long | uniq -c | sed 's/^ *//'"
fi

# With -w a part begins right behind another, whatever is before it, only if there are two patterns
# (GNU grep 3.8).
printf ' -a-a-a \n' >touching
expect 0 '1:-a' "$trawl" grep -owb -e -a touching
expect 0 '1:-a' "$trawl" grep -owb -e -a -e -a touching
expect 0 '1:-a' "$trawl" grep -iowb -e -a -e -A touching
expect 0 '1:-a\n3:-a\n5:-a' "$trawl" grep -owb -e -a -e zz touching
expect 0 '1:-a\n3:-a\n5:-a' "$trawl" grep -owb -e -a -e '' touching

finish
