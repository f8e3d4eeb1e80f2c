#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl replace: maps, masks, counts; files that are changed in place, or after a fault not at all.
source "$(dirname "$0")/harness.sh" "$1"

# has_content FILE CONTENT: the file has these bytes (escapes of printf %b), and no other file is left
# beside it by that name
has_content() {
    checks=$((checks + 1))
    printf '%b' "$2" >"$work/.want"
    cmp -s "$1" "$work/.want" || fail "$1: expected $2, is $(head -c 300 "$1")"
    [ -z "$(find "$(dirname "$1")" -name "$(basename "$1").??????")" ] || fail "$1: a temporary file is left"
}

printf 'New York\tNYC\nYork\told\\ttown\ncat\t\n' >map.tsv
printf 'New York, York: cats\n' >text

# what is replaced with what
expect 0 'NYC, old\ttown: s' "$trawl" replace -f map.tsv text
expect 0 'NYC, old\ttown: s' bash -c "'$trawl' replace -f map.tsv <text"
expect 0 'NYC, old\ttown: cats' "$trawl" replace -w -f map.tsv text
expect 1 'fox' bash -c "echo fox | '$trawl' replace -f map.tsv -"
expect 0 'New ****, ****: cats' "$trawl" replace --mask '*' -e York text
expect 0 'New x, x: xts' "$trawl" replace --with x -e york -e CA -i text
expect 0 'New , : cats' "$trawl" replace --with '' -e York text
expect 0 'NYC, NYC: NYCs' "$trawl" replace --with NYC -e 'New York' -e York -e cat text
expect 0 'N old\ttown, old\ttown: s' bash -c "printf 'ew York\t old\\\\ttown\nYork\told\\\\ttown\ncat\t\n' |
    '$trawl' replace -f - text"
expect 0 'N+, ++: cats' "$trawl" replace --with + -e 'ew York' -e Y -e York --matches leftmost-first -e ork text
expect 0 '1\t2\n' bash -c "printf 'x\tx\n' | '$trawl' replace -f <(printf 'x\\\\tx\t1\\\\t2\\\\n\n')"
gzip -c text >text.gz
expect 0 'NYC, old\ttown: s' "$trawl" replace -f map.tsv text.gz
expect 0 'NYC, old\ttown: s\nNYC, old\ttown: s' "$trawl" replace -f map.tsv text text.gz

# names as scan writes them; in messages standard input has the name that errors have
printf 'York\n' >$'two\nlines'
for command in "scan -c -e York" "replace -c --with x -e York"; do
    expect 0 '-:1\ntwo\\nlines:1\ntext:2' bash -c "echo York | '$trawl' $command - 'two
lines' text"
    refuse 'text no?file: No such file or directory' bash -c "'$trawl' $command $'no\nfile'"
done
cp text both
refuse 'text (standard input): not replaced, since it is the output too' \
    bash -c "'$trawl' replace --with x -e York <both >>both"
refuse 'text (standard input): not scanned, since it is the output too' \
    bash -c "'$trawl' scan -e York <both >>both"
rm -f $'two\nlines' both

# databases: values, in map and in tsv; patterns without one stay
"$trawl" compile --pattern-format map -f map.tsv --matches leftmost-longest -o map.db
expect 0 'NYC, old\ttown: s' "$trawl" replace --db map.db text
expect 0 '--------, ----: ---s' "$trawl" replace --db map.db --mask - text
expect 0 'New York\tNYC\nYork\told\\ttown\ncat\t' "$trawl" info --db map.db --patterns --pattern-format map
printf 'n\t-\tNew York\nc\ti\tyork\tword\t-\tOLD\n' >rules.tsv
expect 0 'New York, OLD: cats' "$trawl" replace --pattern-format tsv -f rules.tsv text
"$trawl" compile --pattern-format tsv -f rules.tsv --matches leftmost-first -o rules.db
expect 0 'New York, OLD: cats' "$trawl" replace --db rules.db text
refuse 'pattern 0 has no value' "$trawl" info --db rules.db --patterns --pattern-format map
"$trawl" compile -e York -o all.db
refuse "all.db: matches of a database of kind 'all' may overlap" "$trawl" replace --db all.db text
"$trawl" compile -e York --matches leftmost-longest -o plain.db
printf 'a\t-\tfox\n' >novalues.tsv
refuse 'novalues.tsv: no pattern has a value to be replaced with; expected values in the sixth column, or --with TEXT' \
    "$trawl" replace --pattern-format tsv -f novalues.tsv text
refuse 'novalues.tsv: no pattern has a value to be replaced with; expected --pattern-format map or tsv, or --with' \
    "$trawl" replace --pattern-format lines -f novalues.tsv text
refuse '(standard input): no pattern has a value' \
    bash -c "'$trawl' replace --pattern-format tsv -f - text <novalues.tsv"
refuse 'plain.db: no pattern of the database has a value' "$trawl" replace --db plain.db text

# counts
expect 0 '3' "$trawl" replace -c -f map.tsv text
expect 0 'text:3\nmap.tsv:3\ntext.gz:3' "$trawl" replace -c -f map.tsv text map.tsv text.gz
expect 1 '0' "$trawl" replace -c -e fish --with x text
expect 0 '2\t0\tNew York\tNYC\n2\t1\tYork\told\\ttown\n2\t2\tcat\t' \
    "$trawl" replace --dry-run -f map.tsv text text.gz
expect 0 '1\t1\tc\tOLD' "$trawl" replace --dry-run --db rules.db text
expect 0 '2\t0\tYork\t****' "$trawl" replace --dry-run --mask '*' -e York text
expect 1 '' "$trawl" replace --dry-run -e fish --with x text
has_content text 'New York, York: cats\n'

# in place: content, permissions, links; what has no match is not touched
cp text plain
chmod 640 plain
ln -s plain link
cp map.tsv second
expect 0 'link:3\nsecond:3' "$trawl" replace --in-place -c -f map.tsv link second
has_content plain 'NYC, old\ttown: s\n'
check 'permissions stay' test "$(stat -c %a plain)" = 640
check 'a link stays a link' test -L link
touch -d '2001-02-03' plain
expect 1 '' "$trawl" replace --in-place -f map.tsv plain
check 'a file without matches is not touched' test "$(stat -c %Y plain)" = "$(date -d 2001-02-03 +%s)"
# one file under several names is changed once, and the result does not depend on threads
mkdir -p names/sub
ln -s ../one names/sub/again
ln -s sub names/other
for threads in 1 2; do
    printf 'aaaa\n' >names/one
    rm -f names/hard
    expect 0 'names/one:2' "$trawl" replace --threads $threads -c --in-place -e aa --with aaa \
        names/one names/sub/again ./names/one names/other/again names/one
    has_content names/one 'aaaaaa\n'
    expect 0 '' "$trawl" replace --threads $threads --in-place -e aa --with b -R names
    has_content names/one 'bbb\n'
    ln names/one names/hard
    expect 0 'names/one:3\nnames/hard:3' \
        "$trawl" replace --threads $threads -c --in-place -e b --with c names/one names/hard
    has_content names/one 'ccc\n'
    has_content names/hard 'ccc\n'
done
refuse 'nosuch: No such file' "$trawl" replace --in-place -f map.tsv plain nosuch
mkdir -p tree/sub
cp text tree/one
cp text tree/sub/two.c
cp text tree/sub/.three
expect 0 'tree/sub/.three:3\ntree/sub/two.c:3' "$trawl" replace -c -r --exclude one --in-place -f map.tsv tree
has_content tree/one 'New York, York: cats\n'
has_content tree/sub/two.c 'NYC, old\ttown: s\n'
has_content tree/sub/.three 'NYC, old\ttown: s\n'
expect 0 '' "$trawl" replace -f map.tsv text -o text
has_content text 'NYC, old\ttown: s\n'
printf 'New York, York: cats\n' >text

# An output in the folder that is searched is no text: neither while it is written nor afterwards.
# The texts are longer than the buffer of the output, and the limit ends a text that has no end.
mkdir grown
yes York | head -n 300000 >grown/a
cp grown/a grown/b
yes old | head -n 600000 >grown-want
limited=(bash -c 'ulimit -f 20000; cd grown; exec "$@"' in "$trawl" replace -r -e York --with old)
expect 0 '' "${limited[@]}" -o z
check 'an output beside the texts' cmp grown/z grown-want
warns 0 'trawl: z: not replaced, since it is the output too' "${limited[@]}" -o z
check 'an output that was there before' cmp grown/z grown-want
warns 0 'trawl: ./z: not replaced, since it is the output too' "${limited[@]}" -o ./z .
check 'an output that has another name' cmp grown/z grown-want
rm -r grown

# What the replacements come from is never replaced.
mkdir own
cp map.tsv own/map
ln own/map own/other-name
cp own/map same-map
has_map() { check 'a map that is kept' cmp own/map same-map; }
printf 'York\n' >own/text
warns 0 'trawl: own/map: not replaced, since it is a file of patterns
trawl: own/other-name: not replaced, since it is a file of patterns' \
    "$trawl" replace -f own/map -r --in-place own
has_map
has_content own/text 'old\ttown\n'
rm own/other-name
warns 1 'trawl: own/map: not replaced, since it is a file of patterns' "$trawl" replace -f own/map -r --dry-run own
warns 1 'trawl: own/map: not replaced, since it is a file of patterns' \
    bash -c "'$trawl' replace -f - -r --in-place own <own/map"
refuse 'own/map: is a file of patterns, which --in-place would replace' \
    "$trawl" replace -f own/map --in-place own/text own/map
has_map
"$trawl" compile --pattern-format map -f map.tsv --matches leftmost-longest -o own/db
cp own/db same-db
rm own/map
warns 1 'trawl: own/db: not replaced, since it is the database' "$trawl" replace --db own/db -r --in-place own
refuse 'own/db: is the database, which --in-place would replace' "$trawl" replace --db own/db --in-place own/db
check 'a database that is kept' cmp own/db same-db
rm -r own

# refused
refuse 'text.gz: is compressed' "$trawl" replace --in-place -f map.tsv text.gz
refuse 'missing: No such file' "$trawl" replace --in-place -f map.tsv missing
refuse 'tree: is a directory' "$trawl" replace --in-place -f map.tsv tree
refuse 'is no regular file' "$trawl" replace --in-place -f map.tsv /dev/null
mkfifo fifo
refuse 'fifo: is no regular file' timeout 10 "$trawl" replace --in-place -f map.tsv fifo
refuse 'standard input is none' "$trawl" replace --in-place -f map.tsv
refuse 'standard input is none' "$trawl" replace --in-place -f map.tsv text -
refuse 'cannot be both the patterns and the text' "$trawl" replace -f -
refuse '-e York: expected --with TEXT or --mask CHAR too' "$trawl" replace -e York text
refuse 'expected patterns' "$trawl" replace --with x text
refuse '--with and --mask exclude each other' "$trawl" replace -e York --with x --mask y text
refuse '--mask: expected one character of one byte' "$trawl" replace -e York --mask '' text
refuse '--mask: expected one character of one byte' "$trawl" replace -e York --mask 'é' text
refuse '--in-place and -o exclude each other' "$trawl" replace --in-place -o x -f map.tsv text
refuse '--in-place and --dry-run exclude' "$trawl" replace --in-place --dry-run -f map.tsv text
refuse '-c and --dry-run exclude' "$trawl" replace -c --dry-run -f map.tsv text
refuse '--matches all: matches may overlap' "$trawl" replace --matches all -f map.tsv text
refuse '--db and -f exclude' "$trawl" replace --db map.db -f map.tsv text
printf 'York\n' >bad
refuse 'pattern file bad:1: expected a pattern and its replacement with a tab between, found no tab' \
    "$trawl" replace -f bad text
printf 'x\ty\nYork\tx\ty\n' >bad
refuse 'bad:2: expected a pattern and its replacement with a tab between, found more' \
    "$trawl" replace -f bad text
printf 'York\tx\\q\n' >bad
refuse 'bad:1: column 7: expected n, r, t' "$trawl" replace -f bad text
printf '\tx\n' >bad
refuse 'bad:1: the pattern is empty' "$trawl" replace -f bad text
: >bad
expect 1 'New York, York: cats' "$trawl" replace -f bad text
expect 1 '' "$trawl" replace --with x --dry-run -f bad text
has_content text 'New York, York: cats\n'

# large files: through a temporary file while they are read; a match across two reads
head -c 4194300 /dev/zero | tr '\0' . >large
printf 'New York and more' >>large
head -c 5000000 /dev/zero | tr '\0' - >>large
cp large before
sed 's/New York/NYC/' large >wanted
expect 0 '1' "$trawl" replace --in-place -c -f map.tsv large
check 'a large file is replaced' cmp large wanted
expect 1 '' "$trawl" replace --in-place -f map.tsv large
check 'a large file without matches stays' cmp large wanted
check 'a large file in a pipe' bash -c "cat before | '$trawl' replace -f map.tsv | cmp - wanted"

# threads: the same bytes, of a large text, of many small ones, in place, and their counts
yes 'New York, York: cats and dogs. A line without. ' | head -c 9000000 >lines
"$trawl" replace --threads 1 -f map.tsv lines >by_one
for threads in 2 5; do
    check "a large text with $threads threads" \
        bash -c "'$trawl' replace --threads $threads -f map.tsv lines | cmp - by_one"
    check "a pipe with $threads threads" \
        bash -c "cat lines | '$trawl' replace --threads $threads -f map.tsv - | cmp - by_one"
done
mkdir many
split -b 60000 lines many/part
cp lines many/qlarge
cp text.gz many/text.gz
yes 'York cat' | head -c 3000000 | gzip -1 >many/long.gz
for flags in '' -c --dry-run; do
    # shellcheck disable=SC2086 # flags: none or one
    "$trawl" replace --threads 1 $flags -f map.tsv -r many >by_one
    check "many texts with 4 threads $flags" \
        bash -c "'$trawl' replace --threads 4 $flags -f map.tsv -r many | cmp - by_one"
done
rm many/*.gz
cp -r many changed
cp -r many changed1
"$trawl" replace --in-place --threads 1 -f map.tsv -r changed1
expect 0 '' "$trawl" replace --in-place --threads 4 -f map.tsv -r changed
check 'many texts in place with 4 threads' diff -r changed1 changed
refuse 'many/missing: No such file' "$trawl" replace --threads 3 -c -f map.tsv many/missing many/partaa many/partab
rm -r many changed changed1 lines

# faults: the old file stays, and nothing beside it
cp before large
refuse 'File too large' bash -c "ulimit -f 1000; trap '' XFSZ; '$trawl' replace --in-place -f map.tsv large"
check 'a full disk leaves the file' cmp large before
bash -c "ulimit -c 0; ulimit -f 1000; '$trawl' replace --in-place -f map.tsv large" >.out 2>.err
check 'a signal leaves the file' cmp large before
check 'and no temporary file' test -z "$(find . -name 'large.??????')"
if [ -e /dev/full ]; then
    refuse '/dev/full: No space left on device' "$trawl" replace -f map.tsv -o /dev/full text
    refuse 'No space left on device' bash -c "'$trawl' replace -f map.tsv text >/dev/full"
    refuse 'No space left on device' bash -c "'$trawl' replace -f map.tsv large >/dev/full"
fi
for delay in 0.002 0.01 0.02 0.04; do # killed at some time: the old file or the new one
    cp before large
    checks=$((checks + 1))
    "$trawl" replace --in-place -f map.tsv large &
    sleep "$delay"
    { kill -9 $! && wait $!; } 2>.err
    cmp -s large before || cmp -s large wanted || fail "killed after $delay s: neither old nor new"
    rm -f large.??????
done
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    cp text closed/text
    chmod 555 closed
    refuse 'closed/text: Permission denied' "$trawl" replace --in-place -f map.tsv closed/text
    has_content closed/text 'New York, York: cats\n'
    chmod 755 closed
elif has setpriv; then
    mkdir closed
    cp text closed/text
    chmod 777 .
    refuse 'Permission denied' setpriv --reuid 65534 --clear-groups \
        "$trawl" replace --in-place -f map.tsv closed/text
    has_content closed/text 'New York, York: cats\n'
fi
printf 'x' >text2
: >missing.out
refuse 'missing: No such file' "$trawl" replace -f map.tsv text missing -o missing.out
check 'after an error -o changes nothing' test ! -s missing.out

# What is no file is written even so: its reader has got a part of it already.
expect 2 'NYC, old\ttown: s' bash -c "'$trawl' replace -f map.tsv -o - text missing 2>.err2"
mkfifo pipe
cat pipe >piped &
refuse 'missing: No such file' "$trawl" replace -f map.tsv -o pipe text missing
wait
has_content piped 'NYC, old\ttown: s\n'

# A file that is named - is no standard input.
mkdir dash
printf 'NYC' >dash/-
expect 0 '' bash -c "cd dash && '$trawl' replace --in-place -r -e NYC --with 'New York' <../text"
has_content dash/- 'New York'

finish
