#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl index.
source "$(dirname "$0")/harness.sh" "$1"

mkdir docs
printf 'happy' >docs/0
printf 'puppy' >docs/1
printf 'pup' >docs/2
printf 'hap' >docs/3
: >docs/4
expect 0 '' "$trawl" index build -r -o x.tix docs
expect 0 '0\tdocs/0\n0\tdocs/1\n0\tdocs/2\n0\tdocs/3' "$trawl" index query x.tix -e p
expect 0 '0\tdocs/0\n0\tdocs/1\n2\tdocs/0\n2\tdocs/3' "$trawl" index query x.tix -e pp -e z -e hap
expect 0 '0\t2\t2\n1\t0\t0' "$trawl" index query x.tix --count -e pp -e z
expect 0 '0\t3\tdocs/1\n0\t2\tdocs/0' "$trawl" index query x.tix --top 2 -e p
expect 0 'docs/1\t0\t2\t0\tpu\ndocs/2\t0\t2\t0\tpu' "$trawl" index query x.tix --positions -e pu
expect 0 '{"file":"docs/1","start":1,"end":4,"id":0,"pattern":"upp"}' \
    "$trawl" index query x.tix --positions --format jsonl -e upp
expect 0 '{"id":0,"document":"docs/1"}' "$trawl" index query x.tix --format jsonl -e upp
expect 1 '' "$trawl" index query x.tix -e yp
refuse "unknown flag -i: an index compares bytes; 'trawl scan -i' finds" \
    "$trawl" index query x.tix -i -e p
refuse "unknown flag --word: an index finds all occurrences" "$trawl" index query x.tix --word -e p
printf 'a\t-\tp\n\nb\ti\tp\n' >case.tsv
refuse 'case.tsv:3: the pattern ignores case, but an index compares bytes' \
    "$trawl" index query x.tix --pattern-format tsv -f case.tsv
printf 'a\t-\tp\t-\nb\t-\tp\tword\n' >word.tsv
refuse 'word.tsv:2: the pattern has a condition, but an index finds all occurrences' \
    "$trawl" index query x.tix --pattern-format tsv -f word.tsv
refuse 'an index is not read from standard input; expected a file' "$trawl" index query - -e p
refuse 'expected an index' "$trawl" index query -e p
refuse 'expected patterns' "$trawl" index query x.tix
for flag in '' --documents --count '--top 2'; do
    # shellcheck disable=SC2086
    refuse '--no-pattern: expected --positions with it' "$trawl" index query x.tix --no-pattern $flag -e p
done
refuse 'expected -o X.tix' "$trawl" index build docs/0
refuse 'expected texts' "$trawl" index build -o y.tix
refuse 'is a directory' "$trawl" index build -o y.tix docs
refuse 'not a trawl index' "$trawl" index query docs/0 -e p
for bytes in 8 12 100; do
    head -c "$bytes" x.tix >cut.tix
    refuse "cut.tix: a trawl index that is cut off: $bytes bytes long, should be at least" \
        "$trawl" index query cut.tix -e p
done
whole=$(stat -c %s x.tix)
head -c -1 x.tix >cut.tix
refuse "cut.tix: a trawl index that is cut off: $((whole - 1)) bytes long, should be $whole; build it anew" \
    "$trawl" index query cut.tix -e p
{ cat x.tix; printf 'ab'; } >long.tix
refuse 'long.tix: a trawl index that has 2 bytes too many; build it anew' "$trawl" index query long.tix -e p
mkdir odd
printf p >'odd/tab\tname'
printf p >$'odd/tab\tname'
expect 0 '' "$trawl" index build -r -o odd.tix odd
expect 0 '0\todd/tab\\tname\n0\todd/tab\\\\tname' "$trawl" index query odd.tix -e p
"$trawl" compile -e p -o p.db
refuse 'not a trawl index, but a database of patterns' "$trawl" index query p.db -e p
refuse 'not a trawl database, but an index of texts' "$trawl" scan --db x.tix docs/0
refuse 'not a trawl database, but an index of texts' "$trawl" info x.tix
refuse 'patterns come by -e PATTERN' "$trawl" index query x.tix p
refuse 'expected build or query' "$trawl" index
refuse 'expected build or query' "$trawl" index make
refuse '' "$trawl" index query x.tix --count --positions -e p
holds 'no file after an error' test ! -e y.tix

# The same records as scan, for a pattern at a time.
for word in p pp happy zz; do
    "$trawl" scan -e "$word" -r docs >scan.out
    "$trawl" index query x.tix --positions -e "$word" >index.out
    holds "positions of $word are scan's" cmp scan.out index.out
done

# Groups and values are columns, as in scan.
printf 'a\t-\tpup\t-\t7\tval\\n\nb\t-\thap\t-\t-\t\n\t-\tppy\t-\t9\n' >groups.tsv
printf 'pup\tdog\nhap\t\n' >values.map
for format in 'tsv -f groups.tsv' 'map -f values.map'; do
    for flags in '--format tsv' '--format jsonl' --no-pattern; do
        # shellcheck disable=SC2086
        "$trawl" scan --pattern-format $format $flags -r docs | sort >scan.out
        # shellcheck disable=SC2086
        "$trawl" index query x.tix --positions --pattern-format $format $flags | sort >index.out
        holds "positions of $format $flags are scan's" cmp scan.out index.out
    done
done
holds 'there are some' test -s index.out

# Standard input, standard output, damage.
expect 0 '-\t1\t3\t0\tbc' bash -c "printf abc | '$trawl' index build -o - - >p.tix &&
    '$trawl' index query p.tix --positions -e bc"
printf 'X' | dd of=x.tix bs=1 seek=2500 conv=notrunc 2>/dev/null
refuse 'damaged' "$trawl" index query x.tix -e p

finish
