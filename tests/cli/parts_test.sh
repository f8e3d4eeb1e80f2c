#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Lists of texts, shards, journals and trawl cat: the same bytes as one scan, whatever happens.
# usage: parts_test.sh TRAWL; TRAWL_TEST_EFFORT=full: all cuts, 200 kills, each byte damaged
[ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm # fsync is slow elsewhere
source "$(dirname "$0")/harness.sh" "$1"
export TRAWL_TEST_SEGMENT=1 # small segments
effort=${TRAWL_TEST_EFFORT:-short}
step=1
[ "$effort" = full ] || step=11

# same WHAT: .got is .want
same() {
    checks=$((checks + 1))
    cmp -s got want || { cp got .out; cp want .err; fail "$1"; }
}

# random BYTES SEED: letters a and b, and line ends
random() { awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%s", substr("aab\nb", int(rand() * 5) + 1, 1) }'; }

: >empty
random 1000 1 >b
printf a >one
random 37 2 >d
random 3000 3 >e
: >last
gzip -c e >e.gz
texts=(empty b one d e last e.gz)
printf '%s\n' a ab bba abab aaabab bbbb abaabaabba >p
random 40 3 | tr -d '\n' >>p # as long as no piece of the smallest segments

# ------------------------------------------------------------------ lists
$trawl scan -f p "${texts[@]}" >want
printf '%s\n' "${texts[@]}" >list
$trawl scan -f p --files-from list >got
same "--files-from"
printf '%s\0' "${texts[@]}" | "$trawl" scan -f p --files0-from - >got
same "--files0-from -"
printf '%s\n' "${texts[@]:2}" | "$trawl" scan -f p --files-from - "${texts[@]:0:2}" >got
same "a list behind operands"
refuse 'standard input cannot be both the patterns and the names of the texts' \
    "$trawl" scan -f - --files-from - <p
refuse 'standard input cannot be both a text and the names of the texts' \
    "$trawl" scan -f p --files0-from - one - <p
refuse '/dev/zero:1: a name has a NUL byte' bash -c "ulimit -t 5; exec '$trawl' scan -e a --files-from /dev/zero"
expect 0 'one:1' "$trawl" scan -c -e a --files-from <(echo one)
refuse 'such-list: No such file' "$trawl" scan -e a --files-from such-list
refuse 'a name has a NUL byte' "$trawl" scan -e a --files-from <(printf 'b\0one\n')
refuse 'no-text: No such file' "$trawl" scan -e a --files-from <(printf 'no-text\n')

# ------------------------------------------------------------------ shards and segments
segments=(1 100)
shards=(3)
kinds=(all)
if [ "$effort" = full ]; then
    segments=(1 3 9 10 11 39 40 41 1000 100000)
    shards=(1 2 3 7 40)
    kinds=(all leftmost-first leftmost-longest)
fi
for kind in "${kinds[@]}"; do
    for format in "--format tsv" "--format jsonl --no-pattern" "-c" "-c --format jsonl" "--top 3"; do
        scan=("$trawl" scan -f p --matches "$kind" $format)
        "${scan[@]}" "${texts[@]}" >want
        for bytes in "${segments[@]}"; do
            rm -rf j
            "${scan[@]}" --threads 2 --journal j --journal-segment "$bytes" "${texts[@]}"
            "$trawl" cat j >got
            same "$kind $format, segments of $bytes bytes"
        done
        for n in "${shards[@]}"; do
            rm -rf j
            : >got
            for ((k = 1; k <= n; k++)); do
                "${scan[@]}" --shard "$k/$n" --journal j --journal-segment 50 "${texts[@]}"
                "${scan[@]}" --shard "$k/$n" "${texts[@]}" >>got
            done
            [ "${format#--format}" = "$format" ] || same "$kind $format, $n shards one behind the other"
            "$trawl" cat j/shard-* >got
            same "$kind $format, $n shards"
        done
    done
done
# every cut of a text with matches everywhere
printf 'aaaaaaaaaaaaaaaaaaaaaaaa' >cuts
for ((n = 1; n <= 26; n += step)); do
    : >got
    $trawl scan -e aaaa -e a -e aaaaaaaaaaaaaaaa cuts >want
    for ((k = 1; k <= n; k++)); do "$trawl" scan -e aaaa -e a -e aaaaaaaaaaaaaaaa --shard "$k/$n" cuts >>got; done
    same "$n shards of 24 bytes"
done
# whole words: the byte behind a shard decides, and the one before a match
printf 'aa aa a_a aa\naa' >cuts
"$trawl" scan -w -e aa -e a cuts >want
"$trawl" scan -c -w -e aa -e a cuts >counted
for ((n = 1; n <= 17; n++)); do
    : >got
    count=0
    for ((k = 1; k <= n; k++)); do
        "$trawl" scan -w -e aa -e a --shard "$k/$n" cuts >>got
        count=$((count + $("$trawl" scan -c -w -e aa -e a --shard "$k/$n" cuts | paste -sd+ | sed 's/^$/0/')))
    done
    same "$n shards, whole words"
    expect 0 "$count" cat counted
done
rm -rf j
expect 1 '' "$trawl" scan -e x --journal j empty
expect 1 '' "$trawl" cat j
rm -rf j
expect 0 '' "$trawl" scan -c -e a --journal j --journal-segment 1 one
expect 0 1 "$trawl" cat j
rm -rf j
expect 1 '' "$trawl" scan -e a --journal j --files-from empty
expect 1 '' "$trawl" cat j

# ------------------------------------------------------------------ what is refused
rm -rf j
truncate -s 1G of-holes # no blocks: as many segments as bytes are too many
scan=("$trawl" scan -f p --journal-segment 100)
"${scan[@]}" --journal j "${texts[@]}"
refuse 'has a scan already; --resume' "${scan[@]}" --journal j "${texts[@]}"
refuse 'begun with other patterns' "${scan[@]}" --journal j --resume -e more "${texts[@]}"
refuse 'begun with other patterns' "${scan[@]}" --journal j --resume -i "${texts[@]}"
refuse 'another kind of matches' "${scan[@]}" --matches leftmost-first --journal j --resume "${texts[@]}"
refuse 'other options for the output' "${scan[@]}" -c --journal j --resume "${texts[@]}"
refuse 'another --journal-segment' "$trawl" scan -f p --journal-segment 7 --journal j --resume "${texts[@]}"
refuse 'begun with 7 texts, now there are 6' "${scan[@]}" --journal j --resume "${texts[@]:1}"
refuse 'begun with other texts' "${scan[@]}" --journal j --resume p "${texts[@]:1}"
expect 0 '' "$trawl" scan -f p --journal j --resume "${texts[@]}"
cp -p d d.old && printf a >>d
refuse 'text d has changed' "${scan[@]}" --journal j --resume "${texts[@]}"
cp -p d.old d && touch -d '2001-01-01' d
refuse 'text d has changed' "${scan[@]}" --journal j --resume "${texts[@]}"
cp -p d.old d
expect 0 '' "${scan[@]}" --journal j --resume "${texts[@]}"
# Another version of trawl, made of this one.
version=$("$trawl" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
sed "s/\x00$version\x00/\x00${version%.*}.9\x00/g" "$trawl" >other && chmod +x other
if [ "${version##*.}" != 9 ] && ./other --version 2>/dev/null | grep -qF "${version%.*}.9"; then
    refuse "was begun by trawl $version, this is ${version%.*}.9" ./other "${scan[@]:1}" --journal j --resume "${texts[@]}"
fi
refuse '--journal-segment' "$trawl" scan -e a --journal k --journal-segment 1 of-holes
refuse 'another scan writes' flock j/lock "${scan[@]}" --journal j --resume "${texts[@]}"
refuse 'is not a regular file' "$trawl" scan -e a --journal k -
refuse 'text no-text: No such file or directory' "$trawl" scan -e a --shard 1/2 one no-text
refuse 'text no-text: No such file or directory' "$trawl" scan -e a --journal m one no-text
check 'a scan with a text that is missing has not begun' test ! -e m
refuse 'text /dev/null: is not a regular file; shards' "$trawl" scan -e a --journal m one /dev/null
for size in 16 1k 65535; do
    refuse "--journal-segment: expected a whole number of bytes, or one with K, M, G or T (powers of 1024), from 64K to 1024T" \
        env -u TRAWL_TEST_SEGMENT "$trawl" scan -e a --journal m --journal-segment $size one
done
check 'a scan in segments that are too small has not begun' test ! -e m
expect 0 '' env -u TRAWL_TEST_SEGMENT "$trawl" scan -e a --journal m --journal-segment 64k one
rm -rf m
refuse 'Not a directory' "$trawl" scan -e a --journal one/k one
refuse 'expected K/N' "$trawl" scan -e a --shard 0/3 one
refuse 'expected K/N' "$trawl" scan -e a --shard 4/3 one
refuse 'expected K/N' "$trawl" scan -e a --shard 2 one
refuse '--resume needs --journal' "$trawl" scan -e a --resume one
refuse '-o' "$trawl" scan -e a --journal k -o out one
refuse 'expected a folder that' "$trawl" cat .
refuse 'No such file' "$trawl" cat nothing
refuse 'expected the folder' "$trawl" cat
rm -rf k
"${scan[@]}" --journal k --shard 1/3 "${texts[@]}"
"${scan[@]}" --journal k --shard 3/3 "${texts[@]}"
refuse 'shard 2 of 3 is missing' "$trawl" cat k
refuse 'is there twice' "$trawl" cat k/shard-1-of-3 k
refuse 'begun with another division' "$trawl" cat j k/shard-1-of-3

# ------------------------------------------------------------------ a folder among the texts
mkdir corpus
cp one b corpus
for command in "scan -e a" "grep -e a"; do
    expect 0 '' "$trawl" $command -r corpus --journal corpus/parts
    "$trawl" $command -r corpus --exclude-dir parts >want
    "$trawl" cat corpus/parts >got
    same "a journal beside the texts: $command"
    warns 0 'trawl: corpus/parts: not searched, since it is the folder of the journal' \
        "$trawl" $command -r corpus --journal ./corpus/parts --resume
    "$trawl" cat corpus/parts >got
    same "a journal beside the texts, continued: $command"
    rm -r corpus/parts
    refuse 'corpus: not searched, since it is the folder of the journal' "$trawl" $command -r corpus --journal corpus
    expect 0 '' "$trawl" $command -r --journal parts corpus --shard 1/2
    rm -r parts
done
check 'nothing has begun among the texts' test "$(ls corpus | tr '\n' ' ')" = 'b one '

# ------------------------------------------------------------------ what goes wrong
# A disk that is full, and then is not.
rm -rf j
yes ab | head -n 200000 >big
$trawl scan -e a -e b big >want
refuse 'File too large' bash -c "ulimit -f 1000; trap '' XFSZ; '$trawl' scan --threads 1 -e a -e b --journal j --journal-segment 40000 big"
refuse 'segments are not finished' "$trawl" cat j
expect 0 '' "$trawl" scan -e a -e b --journal j --resume big
"$trawl" cat j >got
same "a disk that was full"

# Whatever a scan makes is on the disk with its name: the folder and those above it, the files of a writer, also of one
# whose number is below that of another.
if has strace && strace -o /dev/null true 2>/dev/null; then
    # syncs FOLDER COMMAND...: the command writes the entries of the folder to the disk
    syncs() {
        local folder=$1
        shift
        checks=$((checks + 1))
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -f -y -o calls -e trace=fsync "$@" >.out 2>.err
        grep -qF "<$(readlink -f "$folder")>) = 0" calls || { cp calls .err; fail "the entries of $folder are not on the disk: $*"; }
    }
    rm -rf j k
    syncs . "$trawl" scan -e a --journal j one
    syncs . "$trawl" scan -e a --journal k/l/m one
    rm -r k
    syncs k "$trawl" scan -e a --journal k/l/m one
    rm -r k
    syncs k/l "$trawl" scan -e a --journal k/l/m one
    rm j/part-0 j/journal-0
    : >j/part-1
    : >j/journal-1
    syncs j "$trawl" scan -e a --journal j --resume one
    rm -rf j k
fi

# damage FILE BYTE: one byte of a copy of the folder is another one
damage() {
    local byte
    rm -rf k && cp -r j k
    byte=$(od -An -tu1 -j "$2" -N 1 "k/$1")
    printf "\\x$(printf %x $((byte ^ (1 << $2 % 8))))" | dd of="k/$1" bs=1 seek="$2" conv=notrunc status=none
}
rm -rf j
scan=("$trawl" scan --threads 1 -e ab --journal-segment 20)
"${scan[@]}" --journal j d
"$trawl" cat j >want
for file in run journal-0 part-0; do
    for ((at = 0; at < $(stat -c %s j/$file); at += step)); do
        damage $file $at
        refuse 'k' "$trawl" cat k
        # What is damaged is told, or scanned again.
        if [ $file = journal-0 ] && "${scan[@]}" --journal k --resume d 2>/dev/null; then
            "$trawl" cat k >got
            same "$file with byte $at damaged, then resumed"
        fi
    done
    cp j/$file whole
    rm -rf k && cp -r j k && head -c -1 whole >k/$file
    refuse 'k' "$trawl" cat k
    rm k/$file
    refuse 'k' "$trawl" cat k
done

# Killed at random moments, and resumed each time.
kills=8
[ "$effort" = full ] && kills=200
random 60000 9 >text
scan=("$trawl" scan --threads 2 -f p --journal-segment 150 text e.gz)
"$trawl" scan -f p text e.gz >want
killed=0
for ((run = 0; killed < kills && run < 10 * kills; run++)); do
    rm -rf j
    while :; do
        rm -rf before
        [ ! -e j ] || cp -r j before
        "${scan[@]}" --journal j --resume &
        pid=$!
        sleep "$(printf 0.%03d $((RANDOM % 40 + 2)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        got=$?
        continued before j
        [ $got -eq 137 ] || break
        killed=$((killed + 1))
        [ $killed -lt $kills ] || break
    done
    check "resumed after kill $killed" "${scan[@]}" --journal j --resume
    "$trawl" cat j >got
    same "killed and resumed"
done
[ $killed -gt 0 ] || fail "none of $run scans was killed"
echo "$killed kills in $run scans"

# A text that shrinks meanwhile is told once, whatever the number of threads that read it.
make_shrinking() { random 3000000 4 >shrinking; }
for threads in 1 6; do
    shrinks make_shrinking "$trawl" scan --threads $threads -f p --journal j --journal-segment 5000 shrinking
done

# ------------------------------------------------------------------ a folder that somebody else prepared
printf 'a fox\n' >text
printf 'precious\n' >precious
$trawl scan -e fox --journal sound text
for name in part-0 journal-0 lock run; do
    cp -r sound fifo && rm fifo/$name && mkfifo fifo/$name
    [ $name = lock ] || refuse "fifo/$name: is no regular file" timeout 20 "$trawl" cat fifo
    [ $name != part-0 ] || : >fifo/journal-0 # else nothing is left to do
    refuse "fifo/$name: is no regular file" timeout 20 "$trawl" scan -e fox --journal fifo --resume text
    cp -r sound link && rm link/$name && ln -s ../precious link/$name
    [ $name != part-0 ] || : >link/journal-0
    if [ $name != run ]; then
        refuse "link/$name: is a symbolic link" "$trawl" scan -e fox --journal link --resume text
        mkdir empty.d && ln -s ../precious empty.d/$name
        refuse '' "$trawl" scan -e fox --journal empty.d text
        rm -r empty.d
    fi
    checks=$((checks + 1))
    [ "$(cat precious)" = precious ] || fail "a link to a file of the user's as $name: it was overwritten"
    rm -r fifo link
done
for name in journal-0 run; do
    cp -r sound huge && truncate -s 1T huge/$name
    refuse "huge/$name: is damaged: 1099511627776 bytes long, at most" "$trawl" cat huge
    refuse "huge/$name: is damaged: 1099511627776 bytes long, at most" \
        "$trawl" scan -e fox --journal huge --resume text
    rm -r huge
done
# Files with large numbers: told where no writer can have the number, else read without a look for all
# the numbers before.
for name in part-1048576 journal-9999999; do
    cp -r sound many.d && : >many.d/$name
    refuse "many.d/$name: is no file of this scan: expected numbers below 1048576" "$trawl" cat many.d
    refuse "many.d/$name: is no file of this scan: expected numbers below 1048576" \
        "$trawl" scan -e fox --journal many.d --resume text
    rm -r many.d
done
cp -r sound many.d && : >many.d/journal-1048575
check 'a journal with a large number' timeout 2 "$trawl" cat many.d
cmp -s .out <("$trawl" cat sound) || fail 'a journal with a large number: other results'
mkdir empty.d && : >empty.d/part-9999999
refuse 'empty.d/part-9999999: is no file of this scan' "$trawl" scan -e fox --journal empty.d text
# A record that was not complete when the machine stopped is cut off by --resume, also if its writer
# has nothing left to do: else cat would refuse it for ever.
for damage in '-10 torn.d/journal-0' '+30 torn.d/journal-0' '13 torn.d/journal-1'; do
    rm -rf torn.d && cp -r sound torn.d
    truncate -s $damage
    expect 0 '' "$trawl" scan -e fox --journal torn.d --resume text
    cmp -s <("$trawl" cat torn.d) <("$trawl" cat sound) || fail "a journal cut by $damage: other results"
done
rm -r torn.d
finish
