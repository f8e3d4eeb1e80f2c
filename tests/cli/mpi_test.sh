#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl-mpi with 1 to 10 ranks finds and writes what one process does: random cases with cuts through matches
# (mpi_cases.c); ranks that differ; GPUs beside CPUs, on the emulation.
# usage: mpi_test.sh TRAWL TRAWL_MPI MPI_CASES [TRAWL_MPI_EMULATED]
# environment: TRAWL_TEST_CASES (default 6: for each number of ranks), TRAWL_TEST_SEED
mpi_cases=$(readlink -f "$3")
emulated=${4:+$(readlink -f "$4")}
source "$(dirname "$0")/mpi_harness.sh" "$1" "$2"
cases=${TRAWL_TEST_CASES:-6}

# two_kinds COMMAND...: as `ranks` with two ranks, of which the second one is what follows a word +
two_kinds() {
    local first=()
    while [ "$1" != + ]; do first+=("$1"); shift; done
    shift
    "$mpirun" "${options[@]}" -n 1 "${first[@]}" : -n 1 "$@" >got 2>messages </dev/null
}

# Random cases. Messages are those of MPI's own and of the cases that differ.
mkdir cases
for ((n = 1; n <= 10; n++)); do
    checks=$((checks + 1))
    (cd cases && "$mpirun" "${options[@]}" -n $n "$mpi_cases" "$cases" $((seed + n))) >.out 2>.err </dev/null ||
        fail "random cases with $n ranks"
done

printf '%s\n' abaab b ab >patterns
yes 'abaababbab ab' | head -c 1000 >text0
yes abba | head -c 77 >text1
: >text2
scan=(scan -f patterns text0 text1 text2)
"$trawl" "${scan[@]}" --top 3 >want
ranks 3 "${scan[@]}" --top 3
same "3 ranks, the most frequent patterns"
"$trawl" "${scan[@]}" --matches leftmost-longest >want
rm -rf parts
ranks 3 "${scan[@]}" --matches leftmost-longest -o parts
"$trawl" cat parts >got
same "3 ranks, matches that do not overlap"

ranks 3 scan -e a text0
mentions 2 'expected -o DIR for the matches'
ranks 3 scan -c -e a no-text
mentions 2 'no-text'
ranks 3 scan -e a -o parts text0
mentions 2 'has a scan already'
ranks 3 scan -e a -o parts --resume text0
mentions 2 'begun with other patterns'
ranks 2 scan -c --shard 1/2 -e a text0
mentions 2 "unknown flag --shard: ranks divide the texts; see 'trawl-mpi scan --help'"
ranks 2 scan -c --records lines -e a text0
mentions 2 'unknown flag --records: ranks divide texts anywhere'
ranks 2 scan --top 1 --by-group -e a text0
mentions 2 'unknown flag --by-group: ranks count by pattern'
"$mpi" scan --help >help
checks=$((checks + 1))
if grep -qE -e '--(records|shard|by-group) ' help || ! grep -q -e '^  -o, --output DIR' help ||
    ! grep -qF 'trawl-mpi scan [FLAGS] -f FILE|-e PATTERN|--db DB -c|--top N|-o DIR' help; then
    fail 'the help of trawl-mpi has its own flags'
fi

# A rank with another set of instructions has the same matches; one that lacks the set ends all.
"$trawl" scan -c -f patterns text0 >want
two_kinds "$mpi" scan -c -f patterns text0 + env TRAWL_CPU=scalar "$mpi" scan -c -f patterns text0
same "a rank with scalar code"
two_kinds env TRAWL_CPU=scalar "$mpi" scan -c -f patterns text0 + "$mpi" scan -c -f patterns text0
same "rank 0 with scalar code"
two_kinds "$mpi" scan -c --split static -f patterns text0 + env TRAWL_CPU=none "$mpi" scan -c --split static -f patterns text0
mentions 2 'TRAWL_CPU'
# One rank refuses its arguments, or does something else.
two_kinds "$mpi" scan -c -f patterns text0 + "$mpi" scan -c --bogus -f patterns text0
mentions 2 'bogus'
two_kinds "$mpi" scan -c -f patterns text0 + "$mpi" --version
mentions 2 'the same command'
# A rank with another version.
version=$("$trawl" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
sed "s/\x00$version\x00/\x00${version%.*}.9\x00/g" "$mpi" >other && chmod +x other
if [ "${version##*.}" != 9 ] && ./other --version 2>/dev/null | grep -qF "${version%.*}.9"; then
    two_kinds "$mpi" scan -c -f patterns text0 + ./other scan -c -f patterns text0
    mentions 2 "rank 1 runs trawl ${version%.*}.9, rank 0 trawl $version"
fi
# Two at one folder, and a full disk: the limit of a file's size is 1 KiB.
rm -rf parts
mkdir parts
flock parts/lock "$mpirun" "${options[@]}" -n 2 "$mpi" scan -e a -o parts text0 >got 2>messages </dev/null
mentions 2 'another scan writes'
yes ab | head -n 1000000 >dense
rm -rf parts
scan=(scan -e a -e b --no-pattern dense)
"$trawl" "${scan[@]}" >want
# Of each rank alone: MPI has files of its own.
limited=(bash -c "ulimit -f 16384; trap '' XFSZ; exec \"\$@\"" rank "$mpi")
"$mpirun" "${options[@]}" -n 2 "${limited[@]}" "${scan[@]}" -o parts --journal-segment 300000 >got 2>messages </dev/null
got=$?
checks=$((checks + 1))
if [ $got -ne 2 ] || ! grep -q '^trawl: parts/part-[01]: File too large' messages; then
    cp messages .err
    fail "a full disk: status $got"
fi
ranks 3 "${scan[@]}" -o parts --resume
"$trawl" cat parts >got
same "a full disk, and then room"
# No text with a byte; fewer bytes than ranks; a pattern longer than a segment.
ranks 3 scan -c -e a text2
checks=$((checks + 1))
[ ! -s got ] || grep -qx 0 got || { cp got .out; fail "an empty text"; }
printf a >byte
"$trawl" scan -c -e a byte >want
for split in static dynamic; do
    ranks 5 scan -c -e a --split $split byte
    same "one byte, 5 ranks, $split"
done
"$trawl" scan -e "$(head -c 500 text0)" text0 >want
rm -rf parts
ranks 3 scan -e "$(head -c 500 text0)" -o parts --journal-segment 7 text0
"$trawl" cat parts >got
same "a pattern longer than a segment"

# No texts. Rank 0 alone reads the patterns: the file that rank 1 is told is not there.
for result in -c '--top 2' -o; do
    folder=
    [ "$result" != -o ] || folder=parts
    for split in static dynamic; do
        "$trawl" scan ${result#-o} -e a --files-from /dev/null >want
        status=$?
        rm -rf parts
        ranks 3 scan $result $folder -e a --split $split --files-from /dev/null
        holds "no texts, $result, $split: the status" test $? -eq $status
        holds "no texts, $result, $split: no message" test "$(grep -c '^trawl: ' messages)" -eq 0
        [ -z "$folder" ] || "$trawl" cat parts >got
        same "no texts, $result, $split"
    done
done
"$trawl" scan -c -f patterns text0 >want
two_kinds "$mpi" scan -c -f patterns text0 + "$mpi" scan -c -f missing text0
same "one rank compiles"

# A text that shrinks: each rank tells it at most once, however many of its segments are left.
yes ab | head -c 20000000 >long
for split in dynamic static; do
    got=0
    for ((attempt = 0; got == 0 && attempt < 10; attempt++)); do # until it shrinks before the scan has ended
        rm -rf parts
        cp long shrinking
        ranks 2 scan -e a -o parts --split $split --journal-segment 20000 shrinking byte &
        while kill -0 $! 2>/dev/null && [ ! -e parts/journal-1 ]; do :; done
        truncate -s 1000 shrinking
        wait $!
        got=$?
    done
    checks=$((checks + 1))
    lines=$(grep -c '^trawl: ' messages)
    if [ $got -ne 2 ] || [ "$lines" -eq 0 ] || [ "$lines" -gt 2 ] ||
        [ "$(grep -c '^trawl: text shrinking: ' messages)" -ne "$lines" ]; then
        head -n 20 messages >.err
        fail "a text that shrinks, $split: status $got, $lines messages"
    fi
    cp long shrinking
    touch -d 2001-01-01 shrinking
    ranks 2 scan -e a -o parts --split $split --resume --journal-segment 20000 shrinking byte
    mentions 2 'text shrinking has changed'
done
rm long shrinking

# The folder of the parts is no text.
mkdir corpus
cp text0 corpus
"$trawl" scan -r -e a corpus >want
for resume in '' --resume; do
    ranks 2 scan -r -e a corpus -o corpus/parts $resume
    "$trawl" cat corpus/parts >got
    same "parts beside the texts $resume"
done
refuse '--journal-segment: expected a whole number of bytes' env -u TRAWL_TEST_SEGMENT "$mpi" scan -e a -o k --journal-segment 16 text0

# GPUs of a machine go to its ranks in turn; a rank without one takes its CPU if --device auto says so.
if [ -n "$emulated" ]; then
    gpu=(env TRAWL_EMULATOR_DEVICES=2 "$emulated" scan -f patterns text0 text1)
    no_gpu=(env TRAWL_EMULATOR_DEVICES=0 "$emulated" scan -f patterns text0 text1)
    "$trawl" scan -c -f patterns text0 text1 >want
    TRAWL_EMULATOR_DEVICES=2 "$mpirun" "${options[@]}" -n 3 "$emulated" scan -c --device cuda -f patterns text0 text1 \
        >got 2>messages </dev/null
    same "three ranks, two GPUs"
    two_kinds "${gpu[@]}" -c --device cuda + "${no_gpu[@]}" -c --device cpu
    same "a GPU and a CPU"
    two_kinds "${no_gpu[@]}" -c --device cpu + "${gpu[@]}" -c --device cuda
    same "a CPU and a GPU"
    two_kinds "${gpu[@]}" -c --device auto + "${no_gpu[@]}" -c --device auto
    same "a GPU and a CPU, each by itself"
    # A GPU that cannot take the set, with --device auto; one that is too old, which leaves a gap in the numbers.
    # of_emulated SETTING... FLAG...: two ranks, and what --stats says about the first
    of_emulated() { env "$1" "$2" "$mpirun" "${options[@]}" -n 2 "$emulated" scan -c --stats "${@:3}" >got 2>messages </dev/null; }
    scan=(-f patterns text0 text1)
    of_emulated TRAWL_EMULATOR_DEVICES=1 TRAWL_EMULATOR_MEMORY=1000000 --device auto "${scan[@]}"
    same "the CPU instead of a GPU with little memory"
    holds "the CPU was chosen" grep -qF '"device":"cpu"' messages
    holds "without a message" test "$(grep -c '^trawl: ' messages)" -eq 0
    of_emulated TRAWL_EMULATOR_DEVICES=1 TRAWL_EMULATOR_MEMORY=1000000 --device auto --kernel ac1 "${scan[@]}"
    holds "no CPU instead of a kernel" grep -q '^trawl: --kernel ac1: .* took the CPU, which has no kernels: .* memory' messages
    of_emulated TRAWL_EMULATOR_DEVICES=2 TRAWL_EMULATOR_OLD_DEVICES=1 --device cuda "${scan[@]}"
    same "the second GPU, where the first one is too old"
    holds "the second GPU was chosen" grep -qF '"device":"cuda:1"' messages
    "$trawl" scan -f patterns text0 text1 >want
    rm -rf parts
    two_kinds "${gpu[@]}" -o parts --journal-segment 300 --device cuda + "${no_gpu[@]}" -o parts --journal-segment 300
    "$trawl" cat parts >got
    same "parts of a GPU and a CPU"
    two_kinds "${gpu[@]}" -c --device cuda + "${no_gpu[@]}" -c --device cuda
    mentions 2 'cuda'
fi

finish
