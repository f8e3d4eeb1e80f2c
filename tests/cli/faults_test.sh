#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What goes wrong outside: full disks, broken pipes, files that vanish or are cut off, signals.
source "$(dirname "$0")/harness.sh" "$1"

yes 'a fox and a dog' | head -c 4000000 >text
printf 'a fox' >small

# a reader that goes away: no message, ended by SIGPIPE
checks=$((checks + 1))
"$trawl" scan -e fox text 2>.err | head -n 1 >.out
status=${PIPESTATUS[0]}
[ "$status" -eq 141 ] && [ ! -s .err ] && [ "$(cat .out)" = "text	2	5	0	fox" ] ||
    fail "SIGPIPE (status $status)"
checks=$((checks + 1))
for ((i = 0; i < 40; i++)); do # whichever thread writes
    "$trawl" scan --threads 3 --chunk-bytes 4096 -e fox text 2>.err | head -n 1 >.out
    status=${PIPESTATUS[0]}
    [ "$status" -eq 141 ] && [ ! -s .err ] || { fail "SIGPIPE of a thread (status $status)"; break; }
done
mkdir many
for ((i = 0; i < 40; i++)); do head -c 400000 text >"many/$i"; done
checks=$((checks + 1))
"$trawl" scan --threads 4 -r -e fox many 2>.err | head -n 1 >.out
status=${PIPESTATUS[0]}
[ "$status" -eq 141 ] && [ ! -s .err ] || fail "SIGPIPE with many texts (status $status)"
checks=$((checks + 1))
(trap '' PIPE; "$trawl" scan -e fox text 2>.err; echo $? >.status) | head -n 1 >.out
[ "$(cat .status)" = 2 ] && grep -q '^trawl: (standard output): Broken pipe$' .err ||
    fail 'SIGPIPE ignored'

# closed streams: their numbers are not those of files that are opened
printf 'fox\n' >words
refuse '(standard input): Bad file descriptor' bash -c "'$trawl' scan -c -f words <&-"
refuse '(standard input): Bad file descriptor' bash -c "'$trawl' grep -c -F -f words <&-"
refuse '(standard output): Bad file descriptor' bash -c "'$trawl' scan -f words small >&-"
refuse '(standard output): Bad file descriptor' bash -c "'$trawl' grep -f words small >&-"
expect 0 '' bash -c "'$trawl' compile -f words -o words.db <&- >&- 2>&-"
expect 0 $'small\t2\t5\t0\tfox' "$trawl" scan --db words.db small

# a full disk
if [ -e /dev/full ]; then
    refuse '(standard output): No space left on device' \
        bash -c "'$trawl' scan -e fox small >/dev/full"
    refuse '(standard output): No space left on device' \
        bash -c "'$trawl' scan -e fox text >/dev/full"
    refuse '(standard output): No space left on device' \
        bash -c "'$trawl' scan -c -e fox text >/dev/full"
    refuse '(standard output): No space left on device' \
        bash -c "'$trawl' scan --threads 3 -r -e fox many >/dev/full"
    refuse '/dev/full: No space left on device' "$trawl" scan -e fox text -o /dev/full
    refuse 'No space left on device' bash -c "'$trawl' scan --help >/dev/full"
    refuse 'No space left on device' bash -c "'$trawl' grep -V >/dev/full"
    refuse '/dev/full: No space left on device' "$trawl" compile -e fox -o /dev/full
fi
# An output never replaces what the command reads, by whatever name.
cp text input
ln -f input linked
ln -sf input symbolic
echo fox >own-words
for name in input ./input linked symbolic; do
    refuse 'is a text, which the output would replace' "$trawl" scan -e fox input -o $name
    refuse 'is a text, which the output would replace' "$trawl" index build input -o $name
done
refuse 'is a file of patterns, which the output' "$trawl" scan -f own-words own -o own-words
refuse 'is a file of patterns, which the output' "$trawl" compile -f own-words -o own-words
expect 0 fox cat own-words
check "a text that would have been replaced" cmp text input
printf 'fox\tcat\n' >map
cp map same-map
ln -f map linked-map
echo input >list
check 'a database to be kept' "$trawl" compile --matches leftmost-longest -e fox -o own.db
cp own.db same.db
for name in map linked-map; do
    refuse 'is a file of patterns, which the output' "$trawl" replace -f map input -o $name
    refuse 'is a file of patterns, which the output' "$trawl" scan -e x -f map -f words input -o $name
    refuse 'is a file of patterns, which the output' \
        bash -c "'$trawl' replace -f - input -o $name <map"
done
refuse 'is the database, which the output' "$trawl" replace --db own.db --with x input -o own.db
refuse 'is the database, which the output' "$trawl" scan --db own.db input -o own.db
refuse 'is a list of texts, which the output' "$trawl" scan -e fox --files-from list -o list
refuse 'is a list of texts, which the output' "$trawl" scan -e fox --files0-from list -o list
refuse 'input: is a text, which the output' "$trawl" scan -e fox --files-from list -o input
refuse 'linked: is a text, which the output' "$trawl" scan -e fox --files-from list text -o linked
refuse 'input: is a text, which the output' bash -c "printf 'text\\0input\\0' | '$trawl' scan -e fox --files0-from - -o input"
refuse 'is the sample, which the output' "$trawl" compile -e fox --sample input -o input
refuse 'is the sample, which the output' "$trawl" scan -e fox text --sample input -o input
refuse 'is a text, which the output' bash -c "'$trawl' scan -e fox -o input <input"
refuse 'is a text, which the output' bash -c "'$trawl' scan -e fox -o input /dev/stdin <input"
refuse 'is a file of patterns, which the output' bash -c "'$trawl' compile -f - -o map <map"
refuse 'not replaced, since it is the output too' \
    bash -c "ulimit -f 1000; '$trawl' replace -f map input >>input"
check "a map that would have been replaced" cmp map same-map
check "a database that would have been replaced" cmp own.db same.db
check "a text that would have been replaced by options" cmp text input
check 'a journal to be kept' "$trawl" scan --journal journal-parts -e fox text
cp -r journal-parts same-parts
for name in part-0 journal-0 run lock; do
    refuse 'is a part of the scan, which the output' \
        "$trawl" cat journal-parts -o ./journal-parts/../journal-parts/$name
done
check "parts that would have been replaced" diff -r journal-parts same-parts
check 'an output beside the parts' "$trawl" cat journal-parts -o journal-parts/result
refuse 'File too large' bash -c "ulimit -f 100; trap '' XFSZ; '$trawl' scan -e fox text -o big"
check 'nothing is left of an output that failed' test -z "$(ls big* 2>/dev/null)"

# -o: the old content stays until the new one is complete
printf 'old\n' >kept
refuse 'cut.gz' bash -c "printf '\037\213\010' >cut.gz; '$trawl' scan -f cut.gz small -o kept"
expect 0 old cat kept
checks=$((checks + 1))
mkfifo pipe
"$trawl" scan -e fox -o kept pipe &
scanner=$!
exec 3>pipe
printf 'a fox' >&3
for ((i = 0; i < 100; i++)); do ls kept.?????? >/dev/null 2>&1 && break; sleep 0.05; done
ls kept.?????? >.out 2>.err || fail 'a temporary file is there while scanning'
kill -TERM "$scanner"
wait "$scanner"
status=$?
exec 3>&-
checks=$((checks + 1))
[ "$status" -eq 143 ] && ! ls kept.?????? >/dev/null 2>&1 && [ "$(cat kept)" = old ] ||
    fail "SIGTERM leaves the old file alone (status $status)"
refuse 'no/such/directory: No such file or directory' \
    "$trawl" scan -e fox small -o no/such/directory
mkdir directory
refuse 'directory: Is a directory' "$trawl" scan -e fox small -o directory
expect 0 '' "$trawl" scan -e fox small -o /dev/null
check '/dev/null is still a device' test -c /dev/null

# whatever signal ends the process, nothing is left
ulimit -c 0
exec 4<>pipe # holds the pipe open without a text
for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE SEGV USR1 USR2 PIPE ALRM TERM XCPU VTALRM PROF \
    RTMIN RTMAX; do
    # The shell starts background commands so that they ignore INT and QUIT.
    ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0 \
        env --default-signal "$trawl" scan -e fox -o kept pipe 2>.err &
    scanner=$!
    for ((i = 0; i < 200; i++)); do ls kept.?????? >/dev/null 2>&1 && break; sleep 0.05; done
    sleep 0.05
    kill -"$signal" "$scanner"
    for ((i = 0; i < 100; i++)); do kill -0 "$scanner" 2>/dev/null || break; sleep 0.05; done
    kill -KILL "$scanner" 2>/dev/null
    wait "$scanner" 2>/dev/null
    status=$?
    checks=$((checks + 1))
    [ "$status" -ge 1 ] && [ "$(ls kept*)" = kept ] && [ "$(cat kept)" = old ] ||
        fail "SIG$signal leaves nothing behind (status $status, $(ls kept*))"
    rm -f kept.??????
done
exec 4>&-

# set-ID bits were given to other content; the owner stays where the system allows
for command in 'scan -e fox small' 'compile -e fox'; do
    printf 'old\n' >other
    if [ "$(id -u)" -eq 0 ]; then chown 65534:65534 other; fi
    chmod 6755 other
    owner=$(stat -c '%u:%g' other)
    # shellcheck disable=SC2086  # words of a command
    check "-o over a set-ID file: $command" "$trawl" $command -o other
    expect 0 "755 $owner" stat -c '%a %u:%g' other
    rm other
done
# a symbolic link to a file is followed, one to nothing is refused
printf 'old\n' >linked
ln -s linked link
expect 0 '' "$trawl" scan -e fox small -o link
check 'the link stays' test -L link
expect 0 'small\t2\t5\t0\tfox' cat linked
ln -s missing loose
refuse 'loose: cannot be written: a symbolic link that leads to no file' \
    "$trawl" scan -e fox small -o loose
refuse 'loose: cannot be written: a symbolic link that leads to no file' \
    "$trawl" compile -e fox -o loose
check 'the loose link is as it was' test -L loose -a ! -e missing

# texts that cannot be read: reported, the others scanned, status 2
refuse 'gone: No such file or directory' "$trawl" scan -c -e fox small gone
expect 2 'small:1' bash -c "'$trawl' scan -c -e fox small gone many/none 2>/dev/null"
ln -s nowhere dangling
refuse 'dangling: No such file or directory' "$trawl" scan -e fox dangling
if has gzip; then
    gzip -c text >text.gz
    head -c 4000 text.gz >cut.gz
    refuse 'cut.gz: the gzip data ends too early' "$trawl" scan -c -e fox cut.gz
    { head -c -8 text.gz; printf '\0\0\0\0\0\0\0\0'; } >broken.gz
    refuse 'broken.gz: the gzip data is corrupt' "$trawl" scan -c -e fox broken.gz
    { cat text.gz; printf 'garbage'; } >trailing.gz
    refuse 'trailing.gz: the gzip data is corrupt' "$trawl" scan -c -e fox trailing.gz
fi
# Compressed texts cannot ask for more than 128 MiB.
if has zstd; then
    head -c 300000000 /dev/zero | zstd -q -1 --long=29 -c >wide.zst
    head -c 200000000 /dev/zero | zstd -q -1 --long=27 -c >long.zst
    refuse 'wide.zst: the zstd data needs more than 128 MiB' "$trawl" scan -c -e fox wide.zst
    expect 1 0 "$trawl" scan -c -e fox long.zst
fi
if has xz; then
    head -c 1000000 /dev/zero | xz --lzma2=preset=0,dict=256MiB -c >wide.xz
    head -c 1000000 /dev/zero | xz --lzma2=preset=0,dict=128MiB -c >long.xz
    refuse 'wide.xz: the xz data needs more than 128 MiB' "$trawl" scan -c -e fox wide.xz
    expect 1 0 "$trawl" scan -c -e fox long.xz
fi
if has zstd; then
    zstd -q -c text >text.zst
    head -c 200 text.zst >cut.zst
    refuse 'cut.zst: the zstd data ends too early' "$trawl" scan -c -e fox cut.zst
fi
if has xz; then
    xz -c text >text.xz
    head -c 300 text.xz >cut.xz
    refuse 'cut.xz: the xz data ends too early' "$trawl" scan -c -e fox cut.xz
fi

# the output is not scanned as a text
mkdir own
printf 'fox' >own/a
refuse 'own/out: not scanned, since it is the output too' bash -c "'$trawl' scan -r -e fox own >own/out"
rm own/out
expect 0 '' "$trawl" scan -r -e fox own -o own/out
expect 0 'own/a\t0\t3\t0\tfox' cat own/out
warns 0 'trawl: own/out: not scanned, since it is the output too' "$trawl" scan -r -e fox own -o own/out
expect 0 'own/a\t0\t3\t0\tfox' cat own/out
echo own >own-list
warns 0 'trawl: own/out: not scanned, since it is the output too' \
    "$trawl" scan -R --files-from own-list -e fox -o own/../own/out
expect 0 'own/a\t0\t3\t0\tfox' cat own/out
warns 0 'trawl: out: not scanned, since it is the output too' bash -c "cd own && '$trawl' scan -r -e fox -o out"
expect 0 'a\t0\t3\t0\tfox' cat own/out
warns 0 'trawl: own/out: not indexed, since it is the output too' "$trawl" index build -r -o own/out own
expect 0 '0\town/a' "$trawl" index query own/out -e f
cp own/out same-index
refuse 'own/out: is the index, which the output' "$trawl" index query own/out -e f -o own/out
refuse 'own-words: is a file of patterns, which the output' \
    "$trawl" index query own/out -f own-words -o own-words
check 'an index that would have been replaced' cmp own/out same-index
expect 0 fox cat own-words

# databases that are none
refuse 'gone.db' "$trawl" scan --db gone.db small
refuse '' "$trawl" scan --db small small
"$trawl" compile -e fox -o fox.db
head -c 200 fox.db >cut.db
refuse '' "$trawl" scan --db cut.db small
refuse '--db and -e exclude each other: a database has its own patterns' "$trawl" scan --db fox.db -e dog small
expect 0 'small\t2\t5\t0\tfox' "$trawl" scan --db fox.db small

# a database that changes while it is used: copied with --db-copy, and always if another user may
# write to it
for copy in --db-copy other-owner g+w o+w; do
    rm -f changing.db
    cp fox.db changing.db
    case $copy in
    other-owner)
        [ "$(id -u)" -eq 0 ] || continue
        chown 65534 changing.db
        copy= ;;
    [go]+w)
        chmod "$copy" changing.db
        copy= ;;
    esac
    for command in scan grep; do
        cp fox.db keep.db
        checks=$((checks + 1))
        # shellcheck disable=SC2086  # no word if there is no flag
        "$trawl" "$command" -c $copy --db changing.db pipe >.out 2>.err &
        scanner=$!
        exec 3>pipe # waits until the command has opened its text
        : >changing.db
        printf 'a fox\n' >&3
        exec 3>&-
        wait "$scanner"
        status=$?
        [ "$status" -eq 0 ] && [ "$(cat .out)" = 1 ] || fail "$command with a changing database, $copy (status $status)"
        cat fox.db >changing.db
    done
done

# a file much longer than its header says takes no memory; messages of a copy name the file
cp fox.db long.db
truncate -s 1T long.db
too_many=$((1099511627776 - $(stat -c %s fox.db)))
refuse "long.db: a trawl database that has $too_many bytes too many; compile it anew" "$trawl" scan -c --db long.db small
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 long.db
    refuse "long.db: a trawl database that has $too_many bytes too many; compile it anew" "$trawl" scan -c --db long.db small
fi
rm long.db
cp fox.db bad.db
printf x | dd of=bad.db bs=1 seek=300 conv=notrunc 2>/dev/null
refuse 'bad.db: damaged, ' "$trawl" scan -c --db-copy --db bad.db small

# a text that becomes shorter while it is read: the command waits for its reader meanwhile
for command in 'scan -e fox' 'scan --threads 2 -e fox' 'grep -F fox' 'grep --threads 2 -n -F fox'; do
    checks=$((checks + 1))
    yes 'a fox' | head -c 60000000 >shrinking
    # shellcheck disable=SC2086  # words of a command
    "$trawl" $command shrinking 2>.err | { read -r _; : >shrinking; cat >/dev/null; }
    status=${PIPESTATUS[0]}
    [ "$status" -eq 2 ] && grep -q '^trawl: \(text \)\?shrinking: became shorter while it was read: expected 60000000 bytes, got [1-9][0-9]*$' .err ||
        fail "$command of a text that becomes shorter (status $status)"
done
rm shrinking
if [ -r /sys/kernel/mm/transparent_hugepage/enabled ]; then # a size that is not that of the content
    check 'a file of /sys' "$trawl" grep -F e /sys/kernel/mm/transparent_hugepage/enabled
fi

finish
