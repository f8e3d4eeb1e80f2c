#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# A full disk, a real one: a small file system in memory. Each command that writes ends with one clear line and status
# 2, leaves what was there before, and no temporary file; after room has been made, the same command is right.
# usage: full_disk_test.sh TRAWL [TRAWL_MPI]
if [ -z "${TRAWL_TEST_NAMESPACE:-}" ]; then
    # A mount of this test's own, which ends with it: as root, or as root of a user namespace.
    for flags in -m -rm; do
        if unshare $flags mount -t tmpfs -o size=64k tmpfs /mnt 2>/dev/null; then
            TRAWL_TEST_NAMESPACE=1 exec unshare $flags bash "$0" "$@"
        fi
    done
    echo "skipped: a file system cannot be mounted here"
    exit 77
fi
mpi=${2:+$(readlink -f "$2")}
source "$(dirname "$0")/harness.sh" "$1"
export TRAWL_TEST_SEGMENT=1 # small segments

mkdir disk
mount -t tmpfs -o size=16m tmpfs disk || exit 1
trap 'umount "$work/disk"; rm -rf "$work"' EXIT
yes 'ab' | head -n 100000 >text
yes 'ab abab' | head -n 1000 >small
printf 'a\t%s\n' "$(printf "x%.0s" {1..50})" >map.tsv
for ((i = 0; i < 30000; i++)); do echo "pattern $((i * 7919))"; done >patterns
cp small disk/replaced
matches=(-e a -e b)

# Leaves room for a file of KILOBYTES and little more; all of it.
nearly_full() {
    rm -f disk/filler
    fallocate -l $((($(df -k --output=avail disk | tail -n 1) - 32 - ${1:-0}) * 1024)) disk/filler
}
make_room() { rm -f disk/filler; }
listed() { (cd disk && find . ! -name 'part-*' ! -name 'journal-*' ! -name filler -printf '%P %s\n' | sort); }

# full WHAT MESSAGE WANTED FILE COMMAND...: the command fails on a full disk, where FILE and all else stay as they are,
# and writes FILE as WANTED when there is room.
full() {
    local message=$1 wanted=$2 file=$3
    shift 3
    nearly_full
    listed >before
    [ ! -e "$file" ] || cp "$file" kept
    refuse "$message" "$@"
    listed >after
    holds "$1 $2: no other files than before" cmp before after
    if [ -e "$file" ]; then holds "$1 $2: the old file is there" cmp kept "$file"; fi
    make_room
    check "$1 $2: with room" "$@"
    # The first bytes of a database have the seconds that compiling it took.
    holds "$1 $2: with room" cmp -i "$(case $file in *.db) echo 160 ;; *) echo 0 ;; esac)" "$wanted" "$file"
}

"$trawl" scan "${matches[@]}" text >want
full 'disk/out: No space left on device' want disk/out "$trawl" scan "${matches[@]}" -o disk/out text
echo old >disk/old
full 'disk/old: No space left on device' want disk/old "$trawl" scan "${matches[@]}" -o disk/old text
rm -f disk/out disk/old
"$trawl" compile -f patterns -o words.db
full 'disk/words.db: No space left on device' words.db disk/words.db "$trawl" compile -f patterns -o disk/words.db
"$trawl" index build -o index text
full 'disk/index: No space left on device' index disk/index "$trawl" index build -o disk/index text
rm -f disk/words.db disk/index
"$trawl" replace -f map.tsv small >replaced
full 'disk/replaced: No space left on device' replaced disk/replaced "$trawl" replace --in-place -f map.tsv disk/replaced
"$trawl" replace -f map.tsv text >replaced
full 'disk/out: No space left on device' replaced disk/out "$trawl" replace -f map.tsv -o disk/out text
rm -f disk/out

# Scans with a journal: what is finished stays, what is not gives its room back, and a second try says the same.
# journal COMMAND...: with --journal, resumed
journal() {
    nearly_full 400
    rm -rf disk/parts
    refuse 'No space left on device' "$@"
    holds "$1: some segments are finished" test -s disk/parts/journal-0
    holds "$1: an unfinished segment gives its room back" test "$(stat -c %s disk/parts/part-0)" -eq \
        "$(tail -c 64 disk/parts/journal-0 | od -An -j16 -N16 -t u8 | awk '{ print $1 + $2 }')"
    refuse 'not finished' "$trawl" cat disk/parts
    refuse 'No space left on device' "$@" --resume
    make_room
    check "$1: resumed with room" "$@" --resume
    nearly_full
    refuse 'disk/out: No space left on device' "$trawl" cat -o disk/out disk/parts
    refuse '(standard output): No space left on device' bash -c '"$0" cat disk/parts >disk/out' "$trawl"
    rm -f disk/out
    make_room
    check "$1: joined" "$trawl" cat -o disk/out disk/parts
    holds "$1: the same bytes" cmp want disk/out
    rm -rf disk/out disk/parts
}
journal "$trawl" scan "${matches[@]}" text --threads 1 --journal disk/parts --journal-segment 20000
"$trawl" grep -n ab text >want
journal "$trawl" grep -n ab text --threads 1 --journal disk/parts --journal-segment 20000
nearly_full
refuse 'No space left on device' "$trawl" scan "${matches[@]}" text --journal disk/parts
make_room
check "a folder that could not be begun" "$trawl" scan "${matches[@]}" text --journal disk/parts --resume
rm -rf disk/parts

if [ -n "$mpi" ] && has mpirun; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=/tmp
    case $(ldd "$mpi") in *libmpich*) run=(mpirun.mpich -n 2) ;; *) run=(mpirun.openmpi --oversubscribe -n 2) ;; esac
    has "${run[0]}" || run[0]=mpirun
    scan=("${run[@]}" "$mpi" scan "${matches[@]}" text -o disk/parts --journal-segment 20000)
    "$trawl" scan "${matches[@]}" text >want
    nearly_full 400
    "${scan[@]}" >.out 2>.err </dev/null
    holds "trawl-mpi: status 2" test $? -eq 2
    holds "trawl-mpi: a clear line" grep -qx 'trawl: disk/parts/part-[01]: No space left on device' .err
    make_room
    check "trawl-mpi: resumed with room" "${scan[@]}" --resume
    check "trawl-mpi: joined" "$trawl" cat -o got disk/parts
    holds "trawl-mpi: the same bytes" cmp want got
fi
finish
