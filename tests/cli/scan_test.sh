#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl scan: output formats, many texts, directories, compressed texts, flags.
source "$(dirname "$0")/harness.sh" "$1"

printf 'one fox, two foxes\n' >a
printf 'no animals here\n' >b
printf 'a fox' >c

# formats
expect 0 'a\t4\t7\t0\tfox\na\t13\t16\t0\tfox' "$trawl" scan -e fox a
expect 0 'a\t4\t7\t0\na\t13\t16\t0' "$trawl" scan --no-pattern -e fox a
expect 0 '{"file":"a","start":4,"end":7,"id":0}\n{"file":"a","start":13,"end":16,"id":0}' \
    "$trawl" scan --format jsonl --no-pattern -e fox a
expect 0 '2' "$trawl" scan -c -e fox a
expect 0 'a:2\nb:0\nc:1' "$trawl" scan -c -e fox a b c
expect 1 '0' "$trawl" scan --format=count -e fox b
expect 1 '' "$trawl" scan -e fox b
expect 0 '3\t0\tfox\n1\t1\ttwo' "$trawl" scan --top 2 -e fox -e two -e a a c
expect 0 '3\t0\n1\t1\n1\t2' "$trawl" scan --format top --no-pattern -e fox -e two -e a a c

# --top takes time for the text, not for each of 2 * 10^9 nested matches
head -c 1000000 /dev/zero | tr '\0' a >t
awk 'BEGIN { for (p = "a"; length(p) <= 2000; p = p "a") print p }' >nested
for threads in 1 2; do
    expect 0 '1000000\t0\n999999\t1' \
        bash -c "ulimit -t 4; '$trawl' scan --top 2 --no-pattern --threads $threads -f nested t"
done
expect 0 '2000000\t0\n1999998\t1' bash -c "ulimit -t 4; '$trawl' scan --top 2 --no-pattern -f nested t t"
rm t nested

# records
printf 'fox\n\nfoxfox\nfo' >r
expect 0 'r\t0\t0\t3\t0\tfox\nr\t2\t0\t3\t0\tfox\nr\t2\t3\t6\t0\tfox' "$trawl" scan --records lines -e fox r
expect 0 'r\t0\t1\nr\t2\t2' "$trawl" scan -c --records lines -e fox r
expect 0 '{"file":"r","record":0,"count":1}\n{"file":"r","record":2,"count":2}' \
    "$trawl" scan -c --format jsonl --records lines -e fox r
expect 0 '{"file":"r","record":0,"start":0,"end":3,"id":0}\n{"file":"r","record":1,"start":1,"end":4,"id":0}\n{"file":"r","record":2,"start":0,"end":3,"id":0}' \
    "$trawl" scan --format jsonl --no-pattern --records 4 -e fox r
expect 0 'c\t0\t2\t5\t0\tfox' "$trawl" scan --records nul -e fox c
expect 1 '' "$trawl" scan --records lines --pattern-format hex -e 6f0a r
refuse "--records: expected lines, nul or a number of bytes, not 'words'" "$trawl" scan --records words -e fox r
refuse '--records and --top exclude each other' "$trawl" scan --records lines --top 3 -e fox r
seq 3000000 >s # more than is read at a time
awk '{ n = gsub(/78/, "&"); if (n) print "s\t" NR - 1 "\t" n }' s >s.expected
for threads in 1 3; do
    "$trawl" scan -c --records lines --threads $threads -e 78 s >s.found
    cmp s.expected s.found || fail "records of s with $threads threads"
done
rm s s.expected s.found r

# what is written and how it is written combine
expect 0 'a\t2\nb\t0' "$trawl" scan -c --format tsv -e fox a b
expect 0 'a\t2' "$trawl" scan --format tsv --count -e fox a
expect 0 '{"file":"a","count":2}\n{"file":"b","count":0}' "$trawl" scan -c --format jsonl -e fox a b
expect 1 '{"file":"-","count":0}' bash -c "'$trawl' scan -c --format jsonl -e fox <b"
expect 0 '3\t0\tfox\n1\t1\ttwo' "$trawl" scan --top 2 --format tsv -e fox -e two -e a a c
expect 0 '{"count":3,"id":0,"pattern":"fox"}\n{"count":1,"id":1,"pattern":"two"}' \
    "$trawl" scan --format jsonl --top 2 -e fox -e two -e a a c
expect 0 '{"count":3,"id":0}' "$trawl" scan --format jsonl --top 1 --no-pattern -e fox -e two a c
printf 'beast\t-\tfox\n' >rules
expect 0 '{"count":2,"id":0,"name":"beast","pattern":"fox"}' \
    "$trawl" scan --top 1 --format jsonl --pattern-format tsv -f rules a
expect 0 'a\t4\t7\t0\tfox\na\t13\t16\t0\tfox' "$trawl" scan --format count --format tsv -e fox a
expect 0 '2' "$trawl" scan -c --format count -e fox a
expect 0 '2\t0\tfox' "$trawl" scan --top 5 --format top -e fox a
refuse '-c and --top exclude each other' "$trawl" scan --top 5 -c -e fox a
refuse '-c and --format top exclude each other' "$trawl" scan --format top -c -e fox a
refuse '--top and --format count exclude each other' "$trawl" scan --format count --top 5 -e fox a

# order and overlap: end, start, id; duplicates
printf 'aaa' >aaa
expect 0 'aaa\t0\t1\t1\ta\naaa\t0\t2\t0\taa\naaa\t1\t2\t1\ta\naaa\t1\t3\t0\taa\naaa\t2\t3\t1\ta' \
    "$trawl" scan -e aa -e a aaa
expect 0 'aaa\t0\t2\t0\taa\naaa\t2\t3\t1\ta' "$trawl" scan --matches leftmost-longest -e aa -e a aaa
expect 0 'aaa\t0\t1\t0\ta\naaa\t1\t2\t0\ta\naaa\t2\t3\t0\ta' \
    "$trawl" scan --matches leftmost-first -e a -e aa aaa
expect 0 2 "$trawl" scan -c --matches leftmost-longest -e aa -e a aaa
expect 0 '1\t0\taa\n1\t1\ta' "$trawl" scan --top 0 --matches leftmost-longest -e aa -e a aaa

# names that would break a table or JSON
printf 'fox' >$'tab\tname'
expect 0 'tab\\tname\t0\t3\t0\tfox' "$trawl" scan -e fox $'tab\tname'
expect 0 'tab\\tname\t1' "$trawl" scan -c --format tsv -e fox $'tab\tname'
# Another file, whose name must not look the same.
printf 'fox' >'tab\tname'
expect 0 'tab\\\\tname\t0\t3\t0\tfox' "$trawl" scan -e fox 'tab\tname'
expect 0 'tab\\\\tname\t1' "$trawl" scan -c --format tsv -e fox 'tab\tname'
expect 0 'tab\\\\tname\t0\t0\t3\t0\tfox' "$trawl" scan --records lines -e fox 'tab\tname'
printf 'foxafoxb' >numbered
expect 0 'numbered\t0\t1' "$trawl" scan --records 1K -c -e foxafox numbered
refuse '--records: expected a whole number of bytes' "$trawl" scan --records 0 -e fox numbered
expect 0 'tab\\tname:1\ntab\\\\tname:1' "$trawl" scan -c -e fox $'tab\tname' 'tab\tname'
printf 'fox' >$'bad\xff'
expect 0 '{"file":{"bytes":"YmFk/w=="},"count":1}' "$trawl" scan -c --format jsonl -e fox $'bad\xff'
expect 0 '{"file":{"bytes":"YmFk/w=="},"start":0,"end":3,"id":0,"pattern":"fox"}' \
    "$trawl" scan --format jsonl -e fox $'bad\xff'
printf '\001"\\\303\251\377' >odd
expect 0 '{"file":"odd","start":0,"end":5,"id":0,"pattern":"\\u0001\\"\\\\\303\251"}\n{"file":"odd","start":4,"end":6,"id":1,"pattern":{"bytes":"qf8="}}' \
    "$trawl" scan --format jsonl --pattern-format hex -e 01225cc3a9 -e a9ff odd

# standard input
expect 0 '-\t2\t5\t0\tfox' bash -c "'$trawl' scan -e fox <c"
expect 0 '-\t2\t5\t0\tfox' bash -c "cat c | '$trawl' scan -e fox -"
expect 0 'a:2\n-:1' bash -c "cat c | '$trawl' scan -c -e fox a -"
refuse 'standard input cannot be both' "$trawl" scan -f - <c
expect 1 '' bash -c ": | '$trawl' scan -e fox"
: >nothing
expect 1 '0' "$trawl" scan -c -e fox nothing
expect 1 '' "$trawl" scan -e 'longer than the text' c

# matches appear while the text is still coming
checks=$((checks + 1))
mkfifo pipe
"$trawl" scan -e fox <pipe >live 2>&1 &
reader=$!
exec 3>pipe
printf 'a fox' >&3
for ((i = 0; i < 100; i++)); do [ -s live ] && break; sleep 0.05; done
[ -s live ] || fail 'matches of a slow pipe appear at once'
exec 3>&-
wait "$reader"

# directories
mkdir -p tree/sub/.git tree/skip
printf 'fox' >tree/z.txt
printf 'fox fox' >tree/sub/a.log
printf 'fox' >tree/sub/.hidden
printf 'fox' >tree/sub/.git/x
printf 'fox' >tree/skip/y.txt
ln -s ../a tree/link
ln -s . tree/loop
mkfifo tree/fifo
expect 0 'tree/skip/y.txt:1\ntree/sub/.git/x:1\ntree/sub/.hidden:1\ntree/sub/a.log:2\ntree/z.txt:1' \
    "$trawl" scan -c -r -e fox tree
expect 0 'tree/skip/y.txt:1\ntree/z.txt:1' "$trawl" scan -c -r --include '*.txt' -e fox tree
expect 0 'tree/sub/.git/x:1\ntree/sub/.hidden:1\ntree/sub/a.log:2' \
    "$trawl" scan -c -r --exclude '*.txt' -e fox tree/
expect 0 'tree/sub/.hidden:1\ntree/sub/a.log:2\ntree/z.txt:1' \
    "$trawl" scan -c -r --exclude-dir .git --exclude-dir=skip -e fox tree
warns 0 'trawl: tree/loop: warning: recursive directory loop' "$trawl" scan -R -c --include '*.txt' -e fox tree
expect 0 'tree/link:2' "$trawl" scan -c -r -e fox tree/link
expect 0 'z.txt:1' bash -c "cd tree && '$trawl' scan -c -r --include 'z*' -e fox"
refuse 'tree: is a directory; -r takes the files below it' "$trawl" scan -e fox tree

# many texts side by side: the same bytes in the same order as one after the other
mkdir many
for ((i = 0; i < 300; i++)); do
    head -c $((i * 97 % 5000)) /dev/zero | tr '\0' 'ab' | sed "s/aaaaaaa/fox$i/g" >"many/$i"
done
"$trawl" scan --threads 1 -r -e fox -e a -e aa many >serial
"$trawl" scan --threads 7 -r -e fox -e a -e aa many >parallel
check 'records do not depend on threads' cmp serial parallel
"$trawl" scan --threads 1 -c -r -e fox many >serial
"$trawl" scan --threads 7 -c -r -e fox many >parallel
check 'counts do not depend on threads' cmp serial parallel
check 'texts were scanned' grep -q 'many/299:[1-9]' serial

# larger than every buffer, matches everywhere
yes 'a fox and a dog' | head -c 40000000 >large
expect 0 2500000 "$trawl" scan -c -e fox large
"$trawl" scan --threads 1 -e fox -e 'dog' large >serial
"$trawl" scan --threads 3 --chunk-bytes 99991 -e fox -e dog large >parallel
check 'records of a large text do not depend on threads' cmp serial parallel
check 'its last record' grep -q "^large	39999996	39999999	1	dog$" serial
check 'a piped text is the same' cmp <(cut -f2- serial) <("$trawl" scan -e fox -e dog <large | cut -f2-)

# lines of dense matches, formatted by several threads; labels that fill their buffers soon
head -c 6000000 large >dense
{ printf 'f\no\n' && head -c 60000 large | tr '\n' '\001' && printf '\n'; } >long.pat
head -c 61000 large | tr '\n' '\001' >>dense
for flags in '' '--format jsonl' '--no-pattern --matches leftmost-longest'; do
    # shellcheck disable=SC2086 # flags: none or some
    "$trawl" scan --threads 1 $flags --pattern-format lines -f long.pat dense large >by_one
    for threads in 2 5; do
        # shellcheck disable=SC2086
        "$trawl" scan --threads $threads $flags --pattern-format lines -f long.pat dense large -o by_many
        check "dense matches with $threads threads $flags" cmp by_one by_many
    done
done
check 'dense matches, and a reader that goes away' \
    test "$("$trawl" scan --threads 3 -e o dense | head -n 1 | wc -l)" = 1
rm -f dense by_one by_many

# compressed texts, several members in a row
# formats that are not decompressed: one note, for a text and for several
printf 'BZh91AY&SY fox' >z.bz2
printf '\004\042\115\030 fox' >z.lz4
printf 'BZh9 fox' >no.bz2
for text in z.bz2 z.lz4 'z.lz4 z.bz2 z.lz4'; do
    # shellcheck disable=SC2086 # a list of names
    check "$text" "$trawl" scan --threads 2 -e fox $text
    holds 'its bytes are searched' grep -q 'fox$' .out
    holds 'a note' grep -qE '^trawl: note: text z\.(bz2: looks like bzip2|lz4: looks like lz4), which' .err
    holds 'one note' test "$(wc -l <.err)" -eq 1
done
for command in 'scan -c -e fox z.lz4 --shard 1/1' 'replace -e fox --with x z.lz4' 'index build z.lz4 -o z.tix'; do
    # shellcheck disable=SC2086 # a list of words
    check "$command" "$trawl" $command
    holds 'a note' grep -q 'note: text z.lz4: looks like lz4' .err
done
expect 0 'no.bz2\t5\t8\t0\tfox' "$trawl" scan -e fox no.bz2
if has gzip; then
    gzip -c a >z.gz
    cat z.gz z.gz >zz
    expect 0 4 "$trawl" scan -c -e fox zz
    expect 0 4 bash -c "cat zz | '$trawl' scan -c -e fox"
    gzip -c large >large.gz
    expect 0 2500000 "$trawl" scan -c -e fox large.gz
    expect 0 2500000 "$trawl" scan --threads 1 -c -e fox large.gz
fi
if has zstd; then
    zstd -q -c a >z.zst
    cat z.zst z.zst >zz
    expect 0 4 "$trawl" scan -c -e fox zz
fi
if has xz; then
    xz -c a >z.xz
    cat z.xz z.xz >zz
    expect 0 4 "$trawl" scan -c -e fox zz
fi

# --stats: one JSON object with these keys, on standard error; then what was planned, if it was
checks=$((checks + 1))
"$trawl" scan --stats -c -e fox --engine ac-dfa a >.out 2>.err
keys=$(grep -o '"[a-z_]*":' .err | tr -d '":\n')
[ "$(wc -l <.err)" -eq 1 ] &&
    [ "$keys" = "bytespatternsmatchesenginevariantdevicethreadsbuild_secondsscan_secondsgb_per_secondtable_bytesreason" ] ||
    fail '--stats'
for engine in wu-manber rabin-karp ac-dfa; do
    checks=$((checks + 1))
    "$trawl" scan --stats -c -e fox --engine $engine a >.out 2>.err
    says=0 && [ $engine != ac-dfa ] && says=1
    [ "$(grep -c '"reason":"[^"]*no bound on its time for a byte' .err)" -eq $says ] ||
        fail "--stats says whether the time of $engine is bounded"
done
checks=$((checks + 1))
"$trawl" scan --stats -c -e fox --engine qgram --sample a a >.out 2>.err
[ "$(wc -l <.err)" -eq 1 ] && grep -q '"expected_gb_per_second":[0-9]' .err &&
    grep -q '"filtered_bytes":19,"automaton_bytes":0,"filters":\[{"kind":"' .err ||
    fail '--stats of a plan'
checks=$((checks + 1))
"$trawl" scan --stats -c -e fox --sample a a >.out 2>.err
grep -q '"reason":"The text is so short' .err || fail '--stats says why an engine was chosen'
refuse 'missing: No such file' "$trawl" scan -e fox --sample missing a
# a sample must not take the beginning of what is scanned
once="cat a | '$trawl' scan -c -e fox --sample"
refuse 'standard input cannot be both the sample and the text' bash -c "$once -"
refuse 'standard input cannot be both the sample and the text' bash -c "$once - a -"
refuse '/dev/stdin: cannot be both the sample and a text' bash -c "$once /dev/stdin"
refuse '/dev/stdin: cannot be both the sample and a text' bash -c "$once /dev/stdin /dev/stdin"
refuse '-: cannot be both the sample and a text' bash -c "$once - /dev/stdin"
for command in scan info compile; do
    operands=''
    [ $command = scan ] && operands=a
    [ $command = compile ] && operands='-o x.db'
    refuse 'standard input cannot be both the sample and the patterns' \
        bash -c "echo fox | '$trawl' $command -f - --sample - $operands"
    refuse '/dev/stdin: cannot be both the sample and a file of patterns' \
        bash -c "echo fox | '$trawl' $command -f /dev/stdin --sample /dev/stdin $operands"
done
refuse 'both the sample and the names' bash -c "echo a | '$trawl' scan -e fox --sample - --files-from -"
check 'a sample in a pipe' bash -c "cat a | '$trawl' scan -c -e fox --sample - a"
check 'a sample beside a text' bash -c "'$trawl' scan -c -e fox --sample /dev/stdin <a"

# what is wrong, where, and what was expected
refuse "--device: expected cuda, cuda:N or cpu, not 'nosuch'" \
    "$trawl" tune --device nosuch
refuse "a: Not a directory; expected a folder that 'trawl scan --journal' has written" \
    "$trawl" cat a
refuse "missing: No such file or directory; expected a folder that" "$trawl" cat missing
refuse 'a: expected a folder for the journal, found a file' "$trawl" scan -e fox --journal a a
refuse ' bytes, beyond the limit of 10; raise it: max_table_bytes, --max-tables' \
    "$trawl" scan -e fox --max-tables 10 a
refuse 'leave out the block length (wu_manber_block, --wm-block), so that one is chosen' \
    "$trawl" scan -e fox --engine wu-manber --wm-block 4 a
refuse "variant 'paper': expected an engine's name with it" \
    "$trawl" scan -e fox --variant paper a
refuse 'expected patterns: -e PATTERNS, -f FILE, or the first operand' "$trawl" grep

# -o
expect 0 '' "$trawl" scan -e fox a -o out.tsv
expect 0 'a\t4\t7\t0\tfox\na\t13\t16\t0\tfox' cat out.tsv
ln -s out.tsv out-link
expect 0 '' "$trawl" scan -e fox c -o out-link
expect 0 'c\t2\t5\t0\tfox' cat out.tsv
check '-o keeps a symbolic link' test -L out-link
for flags in '' -c '--top 2'; do # after an error the file is as it was
    # shellcheck disable=SC2086 # flags: none or some
    refuse 'nosuch: No such file' "$trawl" scan $flags -e fox a nosuch -o out.tsv
    expect 0 'c\t2\t5\t0\tfox' cat out.tsv
    # shellcheck disable=SC2086
    refuse 'nosuch: No such file' "$trawl" scan $flags -e fox a nosuch -o new.tsv
    check 'no file after an error' test -z "$(ls new.tsv* out.tsv.* 2>.err)"
done
"$trawl" scan -e fox a nosuch -o /dev/stdout 2>.err | cat >piped
expect 0 'a\t4\t7\t0\tfox\na\t13\t16\t0\tfox' cat piped

# what users of grep type
refuse "unknown flag -n: scan prints offsets; 'trawl grep -n'" "$trawl" scan -n -e fox a
refuse "unknown flag -l: scan prints matches; 'trawl grep -l'" "$trawl" scan -cl -e fox a
refuse "unknown flag --files-without-match: scan prints" "$trawl" scan --files-without-match -e fox a
refuse 'unknown flag -F: patterns are always strings' "$trawl" scan -F -e fox a
refuse "unknown flag -E: patterns are strings, never" "$trawl" scan -Ei -e fox a
refuse "-o: expected the file to write to, not '-e'" "$trawl" scan -o -e fox a
check 'no file of that name' test ! -e ./-e

# every engine and variant gives the same; flags are checked
"$trawl" scan -e fox -e ox -e animals a b c >expected
"$trawl" engines | sed -n 's/^\([a-z-]*\): .*/\1/p' >engines
while read -r engine; do
    check "engine $engine" cmp expected \
        <("$trawl" scan --engine "$engine" -e fox -e ox -e animals a b c)
done <engines
refuse "'nonsense'" "$trawl" scan --engine nonsense -e fox a
refuse 'expected none, spread or close' "$trawl" scan --placement here -e fox a
refuse 'expected a number from 0 to 1024' "$trawl" scan --threads many -e fox a
refuse 'expected all, leftmost-first or leftmost-longest' "$trawl" scan --matches some -e fox a
refuse '--device cuda' "$trawl" scan --device cuda:77 -e fox a
refuse "expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto" "$trawl" scan --device gpu -e fox a
refuse 'unknown flag --formt; did you mean --format?' "$trawl" scan --formt tsv -e fox a
refuse 'unknown flag -Z' "$trawl" scan -Z -e fox a
refuse '--top needs a value: N' "$trawl" scan -e fox a --top
refuse 'expected patterns: -f FILE, -e PATTERN or --db DATABASE' "$trawl" scan a
refuse "there is no text 'fox', and no pattern: patterns come by -e PATTERN or -f FILE" \
    "$trawl" scan fox a

# conditions: -w, the fourth column of tsv files, databases
printf 'cat concat cat_ scatter-cat\n' >cats
expect 0 'cats\t0\t3\t0\tcat\ncats\t24\t27\t0\tcat' "$trawl" scan -w -e cat cats
expect 0 2 "$trawl" scan -c --word -e cat cats
expect 1 0 "$trawl" scan -c -w -e ca cats
expect 0 3 "$trawl" scan -c -w -i -e CAT -e Concat --engine ac-dfa cats
# -w holds also where a pattern has boundaries of its own.
printf 'n\t-\tab\tleft=[x],right=[y]\nm\t-\tab\tleft=alnum\n' >own.tsv
expect 0 '-\t1\t3\t0\tn\n-\t1\t3\t1\tm' bash -c "printf ' ab ' | '$trawl' scan -w --pattern-format tsv -f own.tsv"
for text in zabz xab aby _ab_ _ab; do
    expect 1 0 bash -c "printf '$text' | '$trawl' scan -c -w --pattern-format tsv -f own.tsv"
done
# A match that ends with the text, in a pipe, in a long file and in a compressed one.
printf 'scat cat' >last
{ head -c 4194304 /dev/zero; cat last; } >long_last
gzip -k long_last
expect 0 1 bash -c "cat last | '$trawl' scan -c -w -e cat"
expect 0 '1\t0\tcat' bash -c "cat last | '$trawl' scan --top 0 -w -e cat"
for kind in all leftmost-first leftmost-longest; do
    expect 0 1 "$trawl" scan -c -w --matches $kind -e cat long_last
    expect 0 1 "$trawl" scan -c -w --matches $kind --threads 2 -e cat long_last.gz
done
expect 0 1 bash -c "'$trawl' scan -c -w -e cat --journal last_parts long_last && '$trawl' cat last_parts"
printf 'a\t-\tcat\tword\nb\ti\tCAT\tleft=[a-r.],end=20\nc\t-\tat\t-\nd\t-\tcat\tat-start\n' >conditions.tsv
expect 0 11 "$trawl" scan -c --pattern-format tsv -f conditions.tsv cats
"$trawl" compile --pattern-format tsv -f conditions.tsv -o conditions.db
expect 0 11 "$trawl" scan -c --db conditions.db cats
# The group may not write to a database, which is mapped for that reason, whatever the umask says.
(umask 002 && "$trawl" compile -e fox -o shared.db)
expect 0 644 stat -c %a shared.db
expect 0 11 "$trawl" scan -c --db conditions.db <cats
expect 0 'a\t-\tcat\tword\nb\ti\tCAT\tleft=[.a-r],end=20\nc\t-\tat\t-\nd\t-\tcat\tat-start' \
    "$trawl" info conditions.db --patterns
refuse 'pattern 0 has a condition, which only --pattern-format tsv can say' \
    "$trawl" info conditions.db --patterns --pattern-format lines
for wrong in words left= 'left=[' start=x end=0 word, '[z-a]' ''; do
    printf 'a\t-\tcat\t%s\n' "$wrong" >wrong.tsv
    refuse 'trawl: pattern file wrong.tsv:1: ' "$trawl" scan --pattern-format tsv -f wrong.tsv cats
done

# flags for another engine
refuse '--split-parts is for engine ac-split: expected --engine ac-split' \
    "$trawl" scan -e fox --split-parts 2 a
refuse '--split-threshold is for engine ac-split' "$trawl" compile -e fox --split-threshold 1 -o x.db
refuse '--wm-block is for engine wu-manber' "$trawl" scan -e fox --engine ac-dfa --wm-block 2 a
refuse '--rk-base is for engine rabin-karp' "$trawl" replace -e fox --with x --rk-base 2 a
refuse '--rk-modulus is for engine rabin-karp' "$trawl" scan -e fox --engine qgram --rk-modulus 7 a
refuse '--rk-base is for engine rabin-karp' "$trawl" bench --engine ac-dfa,qgram -e fox --rk-base 2 a
refuse '--split-parts: expected a number from 1 to 256' \
    "$trawl" scan -e fox --engine ac-split --split-parts 257 a
expect 0 2 "$trawl" scan -ce fox --split-parts 2 --engine ac-split a
expect 0 2 "$trawl" scan -ce fox --engine rabin-karp --rk-base 2 --rk-modulus 7 a

# what is not read from standard input
for command in scan grep replace info; do
    flags=(--db -)
    [ "$command" != replace ] || flags+=(--with x)
    [ "$command" != info ] || flags=(-)
    refuse 'a database is not read from standard input; expected a file' \
        "$trawl" "$command" "${flags[@]}" </dev/null
done

# a database that is cut off, and a damaged one
"$trawl" compile -e fox -o whole.db
for bytes in 8 12 100; do
    head -c "$bytes" whole.db >cut.db
    for copy in '' --db-copy; do
        # shellcheck disable=SC2086  # one flag or none
        refuse "cut.db: a trawl database that is cut off: $bytes bytes long, should be at least 160" \
            "$trawl" scan --db cut.db $copy a
    done
done
head -c -1 whole.db >cut.db
whole=$(stat -c %s whole.db)
refuse "cut.db: a trawl database that is cut off: $((whole - 1)) bytes long, should be $whole; compile it anew" \
    "$trawl" scan --db cut.db a
cp whole.db damaged.db
printf x | dd of=damaged.db bs=1 seek=200 conv=notrunc 2>.err
refuse 'damaged.db: damaged, its checksum does not agree; compile it anew' \
    "$trawl" scan --db damaged.db a

# a database has its own patterns, engine and kind of matches
"$trawl" compile -e fox -o fox.db
expect 0 2 "$trawl" scan -c --db fox.db a
for given in '-e a' '-f a' -i -w --crlf '--engine ac-dfa' '--variant stt' '--pattern-format hex' \
    '--matches all' '--max-tables 1G' '--split-parts 2'; do
    # shellcheck disable=SC2086  # a flag and its value
    refuse "--db and ${given%% *} exclude each other" "$trawl" scan -c --db fox.db $given a
done
expect 0 2 "$trawl" scan --thr 1 --placement spread --copy-tables --chunk-bytes 64k -ce fox -- a

# a file that is named - is no standard input, and -o - is standard output
mkdir dash
printf 'a fox' >dash/-
expect 0 './-\t2\t5\t0' bash -c "cd dash && '$trawl' scan --no-pattern -e fox -r <../a"
printf 'fox\n' >self
refuse 'text self: not scanned, since it is the output too' bash -c "'$trawl' scan -e fox -o - self >>self"
expect 0 '2' "$trawl" scan -c -e fox -o - a

# standard input is read once
printf 'a\n-\n' >names
refuse 'standard input cannot be both the patterns and the text' \
    bash -c "printf 'fox\n' | '$trawl' scan -f - --files-from names"
refuse 'standard input cannot be both a text and the names of the texts' \
    bash -c "'$trawl' grep fox --files-from - - <names"
expect 0 'a\t4\t7\t0\na\t13\t16\t0\n-\t0\t3\t0' \
    bash -c "printf 'fox\n' | '$trawl' scan --no-pattern -e fox --files-from names"

# records of a pipe are shown as they come: the first one before the second is written
mkfifo come shown
"$trawl" scan --records lines --no-pattern -e fox <come >shown &
exec 8>come 9<shown
printf 'fox\n' >&8
checks=$((checks + 1))
read -r -t 20 line <&9 || fail 'no record of a pipe before its end'
[ "$line" = $'-\t0\t0\t3\t0' ] || fail "the first record of a pipe: $line"
printf 'a fox' >&8
exec 8>&-
read -r -t 20 line <&9 || fail 'no last record of a pipe'
[ "$line" = $'-\t1\t2\t5\t0' ] || fail "the last record of a pipe: $line"
exec 9<&-
wait

finish
