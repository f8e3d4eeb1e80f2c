#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Reading patterns: four formats, their ids, and a sentence for everything that is wrong.
source "$(dirname "$0")/harness.sh" "$1"

printf 'the quick brown fox\r\n\tjumps \\ over \000\377 FOX\n' >text

# lines: LF only, CR kept, empty lines skipped and not counted, last line without LF
printf 'fox\n\nquick\n\njumps' >lines
expect 0 'text\t4\t9\t1\tquick\ntext\t16\t19\t0\tfox\ntext\t22\t27\t2\tjumps' "$trawl" scan -f lines text
printf 'fox\r\n' >crlf
expect 0 'text\t16\t20\t0\tfox\\r' "$trawl" scan --pattern-format lines -f crlf text
expect 0 'text\t16\t19\t0\tfox' "$trawl" scan --crlf -f crlf text
printf 'a\r\n\r\n' >crlf-empty
expect 1 '0' "$trawl" scan --crlf -c -f crlf-empty text

# several sources in order; duplicates keep their ids
expect 0 'text\t16\t19\t0\tfox\ntext\t16\t19\t1\tfox\ntext\t16\t19\t4\tfox' \
    "$trawl" scan -e fox -f <(printf 'fox\n') -e zzz -e yyy -e fox text
expect 0 'text\t16\t19\t0\tfox\ntext\t38\t41\t0\tfox' "$trawl" scan -i -e fox --format tsv text
expect 0 'text\t16\t19\t0\tfox' bash -c "printf 'fox' | '$trawl' scan -f - text"

# escaped
printf '\\tjumps\nfox\\r\\n\n\\\\\n\\0\n\\x00\\xfF\n' >escaped
expect 0 'text\t16\t21\t1\tfox\\r\\n\ntext\t21\t27\t0\t\\tjumps\ntext\t28\t29\t2\t\\\\\ntext\t35\t36\t3\t\\x00\ntext\t35\t37\t4\t\\x00\\xFF' \
    "$trawl" scan --pattern-format escaped -f escaped text
printf 'good\nbad\\q\n' >bad
refuse "bad:2: column 4: expected n, r, t, \\, 0 or xNN after \\, found 'q'" \
    "$trawl" scan --pattern-format escaped -f bad text
printf 'x\\x4' >bad
refuse 'bad:1: column 2: expected two hexadecimal digits after \x' \
    "$trawl" scan --pattern-format escaped -f bad text
printf 'x\\' >bad
refuse 'bad:1: column 2: expected a character after \' \
    "$trawl" scan --pattern-format escaped -f bad text

# hex
printf '666F78\n\n00ff\n' >hex
expect 0 'text\t16\t19\t0\tfox\ntext\t35\t37\t1\t\\x00\\xFF' \
    "$trawl" scan --pattern-format hex -f hex text
expect 0 'text\t16\t19\t0\tfox' "$trawl" scan --pattern-format hex -e 666f78 text
printf '66\n666\n' >bad
refuse 'bad:2: expected an even number of hexadecimal digits, found 3' \
    "$trawl" scan --pattern-format hex -f bad text
printf '66 6f  78 \n' >spaced
expect 0 'text\t16\t19\t0\tfox' "$trawl" scan --pattern-format hex -f spaced text
printf '66 ??\n' >bad
refuse "bad:1: column 4: expected a hexadecimal digit, found '?'; patterns have no wildcards" \
    "$trawl" scan --pattern-format hex -f bad text
printf '6 66f\n' >bad
refuse 'bad:1: column 2: expected a hexadecimal digit, found \x20' \
    "$trawl" scan --pattern-format hex -f bad text
printf '66\r\n' >bad
refuse '(--crlf drops it)' "$trawl" scan --pattern-format hex -f bad text
refuse '-e: column 1: expected a hexadecimal digit' "$trawl" scan --pattern-format hex -e zz text

# tsv: name, flags, escaped pattern
printf 'beast\ti\tFOX\ntab "q"\t-\t\\tj\n\t-\tquick\n' >tsv
expect 0 'text\t4\t9\t2\tquick\ntext\t16\t19\t0\tbeast\ntext\t21\t23\t1\ttab "q"\ntext\t38\t41\t0\tbeast' \
    "$trawl" scan --pattern-format tsv -f tsv text
expect 0 '{"file":"text","start":4,"end":9,"id":2,"pattern":"quick"}\n{"file":"text","start":16,"end":19,"id":0,"name":"beast","pattern":"FOX"}\n{"file":"text","start":21,"end":23,"id":1,"name":"tab \\"q\\"","pattern":"\\tj"}\n{"file":"text","start":38,"end":41,"id":0,"name":"beast","pattern":"FOX"}' \
    "$trawl" scan --format jsonl --pattern-format tsv -f tsv text
# groups and values
printf 'f\ti\tFOX\t-\t7\ta\\tb\ng\t-\tfoxes\tword\t7\nq\t-\tquick\t-\t-\t\n' >grouped.tsv
expect 0 'text\t4\t9\t2\tq\t2\t\ntext\t16\t19\t0\tf\t7\ta\\tb\ntext\t38\t41\t0\tf\t7\ta\\tb' \
    "$trawl" scan --pattern-format tsv -f grouped.tsv text
expect 0 '{"file":"text","start":4,"end":9,"id":2,"name":"q","pattern":"quick","group":2,"value":""}' \
    bash -c "'$trawl' scan --format jsonl --pattern-format tsv -f grouped.tsv text | head -n 1"
expect 0 '2\t7\ta\\tb\n1\t2\t' "$trawl" scan --top 0 --by-group --pattern-format tsv -f grouped.tsv text
expect 0 '{"count":2,"group":7,"value":"a\\tb"}' \
    "$trawl" scan --top 1 --by-group --format jsonl --pattern-format tsv -f grouped.tsv text
printf 'a\t-\tquick\t-\t1\nb\t-\tFOX\n' >mixed.tsv
check 'a pattern without a group' \
    "$trawl" scan --top 0 --by-group --pattern-format tsv -f mixed.tsv text
holds 'a note' grep -qF 'group; group 1 has pattern 1 and others' .err
printf 'a\t-\tquick\t-\t1\nb\t-\tFOX\t-\t1\n' >mixed.tsv
check 'all have groups' "$trawl" scan --top 0 --by-group --pattern-format tsv -f mixed.tsv text
holds 'no note' test ! -s .err
refuse '--by-group: expected --top N with it' "$trawl" scan --by-group -e fox text
"$trawl" compile --pattern-format tsv -f grouped.tsv -o grouped.db
expect 0 'f\ti\tFOX\t-\t7\ta\\tb\ng\t-\tfoxes\tword\t7\nq\t-\tquick\t-\t2\t' \
    "$trawl" info --db grouped.db --patterns
refuse 'pattern 0 is case-insensitive' "$trawl" info --db grouped.db --patterns --pattern-format hex
printf 'g\t-\tfoxes\t-\t3\n' >one.tsv
"$trawl" compile --pattern-format tsv -f one.tsv -o one.db
refuse 'pattern 0 has a group or a value' "$trawl" info --db one.db --patterns --pattern-format hex
for group in 4294967296 x 1x '' -1; do
    printf 'g\t-\tfox\t-\t%s\n' "$group" >bad
    refuse 'bad:1: expected a group (0 to 4294967295) or - (none) in the fifth column' \
        "$trawl" scan --pattern-format tsv -f bad text
done
printf 'g\t-\tfox\t-\t4294967295\t\\q\n' >bad
refuse 'bad:1: column 22: expected n, r, t' "$trawl" scan --pattern-format tsv -f bad text
printf 'g\t-\tfox\t-\t-\tv\tw\n' >bad
refuse 'expected three columns, or up to six' "$trawl" scan --pattern-format tsv -f bad text

printf 'a\t-\n' >bad
refuse 'bad:1: expected three columns (name, flags, pattern) with tabs between, found two' \
    "$trawl" scan --pattern-format tsv -f bad text
printf 'a\n' >bad
refuse 'found one' "$trawl" scan --pattern-format tsv -f bad text
printf 'a\t-\tb\tc\n' >bad
refuse 'bad:1: fourth column: expected a condition' "$trawl" scan --pattern-format tsv -f bad text
list='(word, word-utf8, alnum, label, [BYTES], left=, right=, start=, end=, at-start, at-end)'
refuse "expected a condition $list, found 'c'; a tab in a pattern is written \\t" \
    "$trawl" scan --pattern-format tsv -f bad text
printf 'a\t-\tb\tword, at-start\n' >bad
refuse "found ' at-start'; commas stand between, without blanks" \
    "$trawl" scan --pattern-format tsv -f bad text
# what is wrong with a condition; nothing is said about tabs
while IFS='|' read -r condition wrong; do
    printf 'a\t-\tb\t%s\n' "$condition" >bad
    refuse "$wrong" "$trawl" scan --pattern-format tsv -f bad text
    holds "$condition" grep -qxF "trawl: pattern file bad:1: fourth column: $wrong" .err
done <<'END'
start=-1|expected an offset, such as start=64
end=x|expected an offset, such as end=64
start=5,start=9|expected start= once, found it twice
start=0,start=9|expected start= once, found it twice
end=9,at-end,end=9|expected end= once, found it twice
word,label|expected one class on the left, found two
right=word,right=[a]|expected one class on the right, found two
[]|expected a byte or more in a class, found []
left=[]|expected a byte or more in a class, found []
[abc|expected word, word-utf8, alnum, label or [BYTES] as a class, found '[abc'
END
printf 'a\t-\tb\t[\\x\020\021]\n' >bad # control bytes are no digits
refuse 'fourth column: expected word' "$trawl" scan --pattern-format tsv -f bad text
# eight classes of one set, each with the letters of words by -w
for class in + / = '*' '^' % '$' '#'; do printf '\t-\tp\tleft=[%s]\n' "$class"; done >classes.tsv
printf 'p xp +p' >classes
expect 0 15 "$trawl" scan -c -w -f classes.tsv --pattern-format tsv classes
printf 'a\t-\tfox\tword,word,left=word,at-end,at-end\n' >bad
expect 1 0 "$trawl" scan -c --pattern-format tsv -f bad text
printf 'a\tx\tb\n' >bad
refuse 'bad:1: expected i (case-insensitive) or - (none)' \
    "$trawl" scan --pattern-format tsv -f bad text
printf 'ok\t-\tb\na\t-\t\n' >bad
refuse 'bad:2: the pattern is empty' "$trawl" scan --pattern-format tsv -f bad text

# lengths: 64 KiB is the longest
head -c 65536 /dev/zero | tr '\0' a >longest
expect 1 0 "$trawl" scan -c -f longest text
expect 0 1 "$trawl" scan -c -f longest longest
head -c 65537 /dev/zero | tr '\0' a >too-long
refuse 'too-long:1: the pattern has 65537 bytes; expected 65536 or fewer' \
    "$trawl" scan -f too-long text
head -c 3000000 /dev/zero >no-lines
refuse 'no-lines:1: the line is longer than 1 MiB, the limit of a line; a pattern has at most 65536 bytes' \
    "$trawl" scan -f no-lines text
{ echo fox; cat no-lines; echo; } >second-line
refuse 'second-line:2: the line is longer than 1 MiB' "$trawl" scan -f second-line text

# nothing and not files
: >empty
expect 1 '' "$trawl" scan -f empty text
printf '\n\n' >blank
expect 1 '' "$trawl" scan -f blank text
expect 1 0 "$trawl" scan -c -f blank text
refuse '-e: the pattern is empty' "$trawl" scan -e '' text
refuse '.: Is a directory' "$trawl" scan -f . text
refuse 'missing: No such file or directory' "$trawl" scan -f missing text
refuse 'expected lines, escaped, hex, tsv or map' "$trawl" scan --pattern-format csv -f lines text

# a header line is named as such; what only resembles one is not
printf 'id\tflags\tpattern\nx\t-\tfox\n' >bad
refuse 'pattern file bad:1: this looks like a header line; expected name, flags (i or -) and pattern' \
    "$trawl" scan --pattern-format tsv -f bad text
printf 'Name\tPattern\r\nx\t-\tfox\r\n' >bad
refuse 'bad:1: this looks like a header line' "$trawl" scan --pattern-format tsv -f bad text
printf 'name\ti\tfox\\q\n' >bad
refuse 'bad:1: column 11: expected n, r, t' "$trawl" scan --pattern-format tsv -f bad text
printf 'rule\t-\tfox\tsideways\n' >bad
refuse 'bad:1: fourth column: expected' "$trawl" scan --pattern-format tsv -f bad text
printf 'id\t-\n' >bad
refuse 'bad:1: expected three columns' "$trawl" scan --pattern-format tsv -f bad text
printf '# hex_pattern\n666f78\n' >bad
refuse "pattern file bad:1: column 1: expected a hexadecimal digit, found '#' (a line of headings is a pattern too)" \
    "$trawl" scan --pattern-format hex -f bad text
printf 'deadbeeg\n' >bad
refuse "pattern file bad:1: column 8: expected a hexadecimal digit, found 'g' (a line of headings is a pattern too)" \
    "$trawl" scan --pattern-format hex -f bad text
refuse "-e: column 8: expected a hexadecimal digit, found 'g'" "$trawl" scan --pattern-format hex -e deadbeeg text
printf '12345g\n' >bad
warns 2 "trawl: pattern file bad:1: column 6: expected a hexadecimal digit, found 'g'" \
    "$trawl" scan --pattern-format hex -f bad text
printf 'decade\nid\n' >bad
refuse 'bad:2: column 1: expected a hexadecimal digit' \
    "$trawl" scan --pattern-format hex -f bad text
printf 'bad\n' >bad
refuse 'bad:1: expected an even number' "$trawl" scan --pattern-format hex -f bad text
printf 'beast\t*\tfox\n' >bad
refuse 'bad:1: expected i (case-insensitive) or - (none)' \
    "$trawl" scan --pattern-format tsv -f bad text

# messages tell a pattern file from a text
refuse 'trawl: pattern file missing: No such file or directory' "$trawl" scan -f missing text
refuse 'trawl: text missing: No such file or directory' "$trawl" scan -e fox missing
refuse 'trawl: pattern file missing: No such file or directory' "$trawl" grep -f missing text
refuse 'trawl: pattern file (standard input):1: expected three columns' \
    bash -c "echo fox | '$trawl' scan --pattern-format tsv -f - text"

# note WHAT COMMAND...: exit status 0 and one line of messages, the note "trawl: note: WHAT"
note() {
    local what=$1
    shift
    check "$*" "$@"
    holds "$* (one line)" bash -c '[ "$(wc -l <.err)" -eq 1 ]'
    holds "$* (a note with: $what)" grep -qF "trawl: note: $what" .err
}
cr='every line ends in CR LF, and the CR is part of each pattern; --crlf removes it'
printf 'fox\r\n\nquick brown fox\r\n' >crlf
note "pattern file crlf: $cr" "$trawl" scan -f crlf text
note "pattern file (standard input): $cr" bash -c "'$trawl' scan -f - text <crlf"
note "pattern file crlf: $cr" "$trawl" scan --pattern-format escaped -f crlf text
printf '>one\nfox\n>two\nquick\n' >motifs.fa
note 'pattern file motifs.fa: this looks like FASTA' "$trawl" scan -f motifs.fa text
printf 'fox\r\nquick\n' >mixed
expect 0 2 "$trawl" scan -c -f mixed text
expect 0 2 "$trawl" scan -c --crlf -f crlf text
printf 'beast\t-\tfox\n\tjumps\n' >rules.tsv
note 'pattern file rules.tsv: each line is one pattern, tabs included; --pattern-format tsv reads' \
    "$trawl" scan -f rules.tsv text
expect 0 1 "$trawl" scan -c --pattern-format lines -f rules.tsv text
# one tab in each line: a map, also where its values are not needed
printf 'fox\tcat\nquick\tslow\n' >map.tsv
note 'pattern file map.tsv: each line is one pattern, tabs included; --pattern-format map reads pattern and value' \
    bash -c "echo quick | '$trawl' replace -f map.tsv --mask X; test \$? -eq 1"
expect 0 'the XXXXX XXX' bash -c "echo the quick fox | '$trawl' replace --pattern-format map -f map.tsv --mask X"
printf '\xef\xbb\xbffox\nfox\n' >marked
note 'pattern file marked: begins with a byte order mark, which is part of the first pattern' \
    "$trawl" compile -f marked -o marked.db
printf '\xef\xbb\xbfbeast\t-\tfox\n' >marked.tsv
note 'pattern file marked.tsv: begins with a byte order mark, which is part of the first name' \
    "$trawl" scan -c --pattern-format tsv -f marked.tsv text
# CR LF: what the CR is a part of depends on the format
printf 'fox\tcat\r\n' >crlf.map
note "pattern file crlf.map: every line ends in CR LF, and the CR is part of each replacement; --crlf" \
    "$trawl" replace -f crlf.map text
for columns in 'word' '-\t7'; do
    printf "beast\\t-\\tfox\\t$columns\\r\\n" >crlf.tsv
    refuse '; --crlf drops the CR at the end of the line' "$trawl" scan --pattern-format tsv -f crlf.tsv text
    expect 0 1 "$trawl" scan -c --crlf --pattern-format tsv -f crlf.tsv text
done
# CR alone is no CR LF, and --crlf does not help
printf 'fox\rdog\r' >cr
for format in '' '--pattern-format escaped'; do
    check "CR alone, $format" bash -c "'$trawl' scan $format -f cr text; test \$? -eq 1"
    holds "CR alone, $format: the note" grep -q 'note: pattern file cr: lines end in CR alone' .err
done
printf '66\r67\r' >cr
refuse 'cr:1: column 3: expected a hexadecimal digit, found \x0D' "$trawl" scan --pattern-format hex -f cr text
holds 'CR alone in hex: no --crlf' bash -c "! grep -q crlf .err"
# UTF-16 without a mark, in both byte orders
printf 'f\0o\0x\0\n\0d\0o\0g\0\n\0' >little
printf '\0f\0o\0x\0\n\0d\0o\0g\0\n' >big
for file in little big; do
    note "pattern file $file: this looks like UTF-16, of which every other byte is zero; patterns" \
        "$trawl" compile -f $file -o wide.db
done
printf 'f\0\0x\nf\0x\n' >zeros
check 'some zeros' "$trawl" compile -f zeros -o wide.db
holds 'some zeros are not UTF-16' test ! -s .err
printf '666f78\n' >sigs.hex
note 'pattern file sigs.hex: each line is one pattern as it is written; --pattern-format hex' \
    "$trawl" compile -f sigs.hex -o sigs.db
expect 0 1 "$trawl" scan -c --pattern-format hex -f sigs.hex text
refuse 'lines: not a trawl database; patterns come by -f, and trawl compile makes a database' \
    "$trawl" scan --db lines text
cp lines words.tsv
expect 0 3 "$trawl" scan -c -f words.tsv text
note 'pattern file rules.tsv: each line' "$trawl" compile -f rules.tsv -o rules.db

# what trawl itself writes is no list of patterns
"$trawl" compile -e fox -o fox.db
"$trawl" index build -o text.tix text
for command in 'scan -c' 'grep -c' 'compile -o other.db'; do
    # shellcheck disable=SC2086
    refuse "fox.db: this is a database, made by 'trawl compile': give it with --db" \
        "$trawl" $command -f fox.db
    # shellcheck disable=SC2086
    refuse "text.tix: this is an index of texts, for 'trawl index query'" \
        "$trawl" $command -f text.tix
done
printf 'TRAWLDB\nfox\nquick and more\n' >lists
expect 0 1 "$trawl" scan -c -f lists text

# a condition that nothing fulfils
printf 'beast\t-\tfox\tstart=50,end=3\n' >never.tsv
refuse 'never.tsv:1: fourth column: no match starts at start or later and ends at end or before' \
    "$trawl" scan -c --pattern-format tsv -f never.tsv text

printf 'beast\t-\tfox\tat-start,start=5\n' >never.tsv
refuse 'never.tsv:1: fourth column: no match starts with the text and at start=5' \
    "$trawl" scan -c --pattern-format tsv -f never.tsv text
printf 'beast\t-\tfox\tend=2\n' >never.tsv
refuse 'never.tsv:1: fourth column: no match of 3 bytes starts at 0 or later and ends at end=2' \
    "$trawl" scan -c --pattern-format tsv -f never.tsv text
printf 'beast\t-\tfox\tstart=4,end=6\n' >never.tsv
refuse 'no match of 3 bytes starts at 4' "$trawl" scan -c --pattern-format tsv -f never.tsv text
printf 'beast\t-\tfox\tat-start,end=3\n' >first.tsv
expect 0 1 bash -c "printf foxfox | '$trawl' scan -c --pattern-format tsv -f first.tsv"

# compressed patterns, recognised by content
if has gzip; then
    gzip -c lines >lines.gz
    cp lines.gz anything
    expect 0 3 "$trawl" scan -c -f lines.gz text
    expect 0 3 "$trawl" scan -c -f anything text
    head -c 20 lines.gz >cut.gz
    refuse 'cut.gz: the gzip data ends too early' "$trawl" scan -c -f cut.gz text
fi
if has zstd; then
    zstd -q -c lines >lines.zst
    expect 0 3 "$trawl" scan -c -f lines.zst text
fi
if has xz; then
    xz -c lines >lines.xz
    expect 0 3 "$trawl" scan -c -f lines.xz text
fi

finish
