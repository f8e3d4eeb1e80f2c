#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl grep with lists of texts, shards and journals: trawl cat writes what one trawl grep writes.
# usage: grep_parts_test.sh TRAWL; TRAWL_TEST_CASES (default 60), TRAWL_TEST_SEED, TRAWL_TEST_KILLS (4)
[ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm # fsync is slow elsewhere
source "$(dirname "$0")/harness.sh" "$1"
export TRAWL_TEST_SEGMENT=1 # small segments
cases=${TRAWL_TEST_CASES:-60}
seed=${TRAWL_TEST_SEED:-$RANDOM}
kills=${TRAWL_TEST_KILLS:-4}
RANDOM=$seed

# one_of WORD...: one of them, in $one
one_of() {
    shift $((RANDOM % $#))
    one=$1
}

# text NAME BYTES KIND: lines of the letters a and b; binary: with a NUL somewhere; many: with many
text() {
    awk -v n="$2" -v kind="$3" -v seed="$RANDOM" 'BEGIN {
        srand(seed)
        nul = kind == "binary" ? int(rand() * n) : -1
        for (i = 0; i < n; i++) {
            if (i == nul || (kind == "many" && rand() < 0.02)) printf "%c", 0
            else printf "%s", substr("aaabbb \nc", int(rand() * 9) + 1, 1)
        }
    }' >"$1"
}

# compare WHAT ARGUMENTS...: grep once, and grep in parts, then cat: output, messages and status
compare() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$trawl" grep "$@" </dev/null >want 2>want.err
    local status=$?
    rm -rf j
    if [ "$shards" -eq 1 ]; then
        "$trawl" grep --journal j --journal-segment "$segment" --threads "$threads" "$@" </dev/null >out 2>out.err
        local journaled=$?
        # -I counts lines before the first NUL of a text until its pieces are joined
        [[ " $* " == *' -I '* ]] || [ $journaled -eq $status ] ||
            fail "status $journaled with a journal, expected $status: grep $* (seed $seed)"
    else
        for ((k = 1; k <= shards; k++)); do
            "$trawl" grep --journal j --shard "$k/$shards" --journal-segment "$segment" "$@" </dev/null >out 2>out.err
        done
    fi
    "$trawl" cat j >got 2>got.err
    local got=$?
    if [ $got -ne $status ] || ! cmp -s got want || ! cmp -s got.err want.err || [ -s out ] || [ -s out.err ]; then
        cp got .out
        cat out.err got.err want >.err
        fail "$what: segments of $segment, $shards shards: grep $* (seed $seed; status $got, expected $status)"
    fi
}

mkdir folder
text folder/a 300 plain
printf 'no line end: ab' >folder/b
: >folder/c
gzip -c folder/a >folder/d.gz
for ((i = 0; i < cases; i++)); do
    one_of plain plain binary many; kind=$one
    text one $((RANDOM % 400)) $kind
    text two $((RANDOM % 40)) plain
    one_of 1 1 3 7; shards=$one
    one_of 1 2 17 100 1000; segment=$one
    threads=$((RANDOM % 2 + 1))
    flags=()
    for flag in -n -b -i -w -x -v -o -a -z -I -H -h -T -Z --color=always --no-search-zip; do
        [ $((RANDOM % 6)) -ne 0 ] || flags+=("$flag")
    done
    [ $((RANDOM % 6)) -ne 0 ] || flags+=(-m $((RANDOM % 4)))
    [ $((RANDOM % 5)) -ne 0 ] || flags+=(-C $((RANDOM % 3)))
    [ $((RANDOM % 9)) -ne 0 ] || flags+=(--group-separator=++)
    one_of '' '' '' -c -l -L; [ -z "$one" ] || flags+=("$one")
    one_of ab 'bba' 'c' ' ' 'A' 'aab
bb' 'a
'; patterns=$one
    compare "case $i" "${flags[@]}" -e "$patterns" one two one
    one_of one folder; operand=$one
    compare "case $i, recursive" "${flags[@]}" -r -e "$patterns" $operand
done

# Files longer than the pieces by which GNU grep decides what is binary, and with holes.
shards=1 threads=2
yes 'a line with words' | head -c 400000 >large
for at in 0 98303 98304 250000 399999; do
    cp large large.nul
    printf '\0' | dd of=large.nul bs=1 seek=$at conv=notrunc status=none
    for segment in 30000 98304 98305 131072; do
        compare "a NUL at $at" -n -e words large.nul large
        compare "a NUL at $at" -c -I -e words large.nul
        compare "a NUL at $at" -c -e words large.nul
    done
done
cp large holes && truncate -s 2000000 holes && cat large >>holes
segment=200000
compare 'holes' -b -e words holes
compare 'holes' -c -e words holes
head -c 300000 /dev/zero | tr '\0' x >long-line
printf '\nwords\n' >>long-line
segment=1000
compare 'a line longer than segments' -n -b -e words long-line
compare 'no texts' -r -e words --include=nothing .
printf a >byte
compare 'one byte' -n -e a byte
compare 'a pattern longer than a segment' -c -e "$(head -c 5000 long-line)" long-line
printf 'fox\0\n' >nul; printf 'fox\n' >fox
compare 'a binary text, then a group' -A1 -e fox nul fox nul fox
compare 'no pattern' -c -f /dev/null large
compare 'the empty pattern' -n -f folder/c folder/b folder/c large

# Lists without a journal.
printf '%s\n' one two >list
expect 0 'one:1\ntwo:1' bash -c "printf 'x\n' | tee one >two; '$trawl' grep -c --files-from list x"
expect 0 'one:x' "$trawl" grep --files0-from <(printf 'one\0') x
expect 0 'two:1\none:1' "$trawl" grep -c --files-from <(echo one) x two
refuse 'standard input cannot be both the patterns and the names of the texts' \
    "$trawl" grep -f - --files-from - <two
refuse 'such-list: No such file' "$trawl" grep --files-from such-list x
expect 1 '' "$trawl" grep --files-from /dev/null x

# The status with a journal is that without one, also when nothing is left to search.
printf 'a fox\nno\n' >fox
for flag in -n -c -o -v -l -L -m1; do
    rm -rf j k
    expect 0 '' "$trawl" grep $flag fox --journal j fox
    expect 0 '' "$trawl" grep $flag fox --journal j --resume fox
    [ $flag = -v ] && continue
    expect 1 '' "$trawl" grep $flag cat --journal k fox
    expect 1 '' "$trawl" grep $flag cat --journal k --resume fox
done

# What is refused.
rm -rf j
grep=("$trawl" grep --journal-segment 100)
expect 0 '' "${grep[@]}" -n x --journal j one two
refuse 'has a scan already; --resume' "${grep[@]}" -n x --journal j one two
refuse 'begun with other patterns' "${grep[@]}" -n y --journal j --resume one two
refuse 'begun with other patterns' "${grep[@]}" -ni x --journal j --resume one two
refuse 'other options of grep' "${grep[@]}" x --journal j --resume one two
refuse 'other options of grep' "${grep[@]}" -c x --journal j --resume one two
refuse "was begun with 'trawl grep'" "$trawl" scan -e x --journal j --resume one two
refuse 'begun with 2 texts, now there are 3' "${grep[@]}" -n x --journal j --resume one two one
expect 0 '' "$trawl" grep -n x --journal j --resume one two
expect 0 'one:1:x\ntwo:1:x' "$trawl" cat j
touch -d 2001-01-01 two
refuse 'text two has changed' "${grep[@]}" -n x --journal j --resume one two
refuse '--shard needs --journal' "$trawl" grep --shard 1/2 x one
refuse '-q has no results to write' "$trawl" grep -q --journal k x one
refuse 'is not a named file' "$trawl" grep --journal k x -
refuse 'is not a regular file' "$trawl" grep --journal k x /dev/null
refuse 'Is a directory' "$trawl" grep --journal k x folder
refuse 'no-text: No such file' "$trawl" grep -s --journal k x no-text
rm -rf j
"$trawl" scan -e x --journal j one
refuse "was begun with 'trawl scan'" "$trawl" grep x --journal j --resume one

# Damaged files: told, or searched again.
rm -rf j
text damaged 200 plain
grep=("$trawl" grep --threads 1 -n -e ab --journal-segment 70 damaged)
"${grep[@]}" --journal j
"$trawl" cat j >want
for file in run journal-0 part-0; do
    for ((at = 0; at < $(stat -c %s j/$file); at += 5)); do
        rm -rf k && cp -r j k
        byte=$(od -An -tu1 -j $at -N 1 k/$file)
        printf "\\x$(printf %x $((byte ^ (1 << at % 8))))" | dd of=k/$file bs=1 seek=$at conv=notrunc status=none
        refuse 'k' "$trawl" cat k
        if [ $file = journal-0 ] && "${grep[@]}" --journal k --resume 2>/dev/null; then
            "$trawl" cat k >got
            checks=$((checks + 1))
            cmp -s got want || fail "$file with byte $at damaged, then resumed"
        fi
    done
done

# A disk that is full, and then is not.
yes 'ab a line' | head -n 200000 >dense
"$trawl" grep -n -e ab dense >want
rm -rf j
refuse 'File too large' bash -c "ulimit -f 1000; trap '' XFSZ; '$trawl' grep -n --threads 1 -e ab --journal j --journal-segment 100000 dense"
expect 0 '' "$trawl" grep -n -e ab --journal j --resume dense
"$trawl" cat j >got
checks=$((checks + 1))
cmp -s got want || fail 'a disk that was full'

# A file that shrinks meanwhile is told once, whatever the number of threads that read it.
make_shrinking() { text shrinking 3000000 plain; }
for threads in 1 6; do
    shrinks make_shrinking "$trawl" grep -n --threads $threads -e ab --journal j --journal-segment 5000 shrinking
done

# With -I a NUL behind the end of the search counts no more than without a journal.
{ yes x | head -60000; printf '\0\n'; } >late.nul
for flags in '-I -l' '-I -L' '-I -m1 -c' '-I -m1' '-I -c'; do
    rm -rf j
    # shellcheck disable=SC2086  # flags
    "$trawl" grep $flags x late.nul >want
    # shellcheck disable=SC2086
    "$trawl" grep $flags --journal j x late.nul
    "$trawl" cat j >got
    checks=$((checks + 1))
    cmp -s got want || fail "a late NUL, $flags"
done

# Killed at random moments, and resumed each time.
text big 3000000 plain
grep=("$trawl" grep --threads 2 -n -e aaab --journal-segment 5000 big one)
"$trawl" grep -n -e aaab big one >want
killed=0
for ((run = 0; killed < kills && run < 10 * kills; run++)); do
    rm -rf j
    while :; do
        rm -rf before
        [ ! -e j ] || cp -r j before
        "${grep[@]}" --journal j --resume &
        pid=$!
        sleep "$(printf 0.%03d $((RANDOM % 60 + 2)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        got=$?
        continued before j
        [ $got -eq 137 ] || break
        killed=$((killed + 1))
        [ $killed -lt "$kills" ] || break
    done
    check "resumed after kill $killed" "${grep[@]}" --journal j --resume
    "$trawl" cat j >got
    checks=$((checks + 1))
    cmp -s got want || fail "killed and resumed"
done
[ $killed -gt 0 ] || fail "none of $run searches was killed"
echo "$killed kills in $run searches (seed $seed)"
finish
