#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl-mpi with 1 to 10 ranks finds and writes what one process does: random texts and patterns, with cuts
# around every length of a pattern less one; killed and resumed.
# usage: mpi_test.sh TRAWL TRAWL_MPI; environment: TRAWL_TEST_CASES (default 6), TRAWL_TEST_SEED
[ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm # fsync is slow elsewhere
mpi=$(readlink -f "$2")
source "$(dirname "$0")/harness.sh" "$1"
cases=${TRAWL_TEST_CASES:-6}
seed=${TRAWL_TEST_SEED:-$RANDOM}
if ! has mpirun || ! mpirun --version >/dev/null 2>&1; then
    echo "skipped: there is no mpirun here"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=()
# Open MPI refuses more ranks than cores unless it is told; MPICH has no such flag.
if mpirun --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then options=(--oversubscribe); fi

# ranks N COMMAND...: what trawl-mpi writes, in got; its status is that of rank 0
ranks() {
    local n=$1
    shift
    mpirun "${options[@]}" -n "$n" "$mpi" "$@" >got 2>messages </dev/null
}

# same WHAT: got is want
same() {
    checks=$((checks + 1))
    cmp -s got want || { cp got .out; cat want messages >.err; fail "$1 (seed $seed)"; }
}

# random_case N: texts and patterns; sizes are multiples of the ranks, give or take the overlap
random_case() {
    awk -v seed="$1" -v ranks="$2" 'BEGIN {
        srand(seed)
        m = int(rand() * 12) + 1
        for (p = 0; p < 5; p++) {
            length_ = p == 0 ? m : int(rand() * m) + 1
            for (i = 0; i < length_; i++) printf "%s", substr("ab", int(rand() * 2) + 1, 1) >"patterns"
            printf "\n" >"patterns"
        }
        for (t = 0; t < 3; t++) {
            name = "text" t
            printf "" >name
            size = t == 1 ? int(rand() * 3) : ranks * int(rand() * 30) + int(rand() * (2 * m + 1)) - m
            for (i = 0; i < size; i++) printf "%s", substr("ab", int(rand() * 2) + 1, 1) >name
        }
    }'
}

for ((i = 0; i < cases; i++)); do
    n=$(((seed + i) % 10 + 1))
    random_case $((seed + i)) $n
    scan=(scan -f patterns text0 text1 text2)
    "$trawl" "${scan[@]}" -c >want
    ranks $n "${scan[@]}" -c --split static
    same "case $i: $n ranks, static, counts"
    "$trawl" "${scan[@]}" >want
    rm -rf parts
    split=dynamic
    [ $((i % 2)) -eq 0 ] || split=static
    ranks $n "${scan[@]}" -o parts --split $split --journal-segment $((i % 7 + 1))
    "$trawl" cat parts >got
    same "case $i: $n ranks, $split, matches"
done
"$trawl" "${scan[@]}" --top 3 >want
ranks 3 "${scan[@]}" --top 3
same "3 ranks, the most frequent patterns"
"$trawl" "${scan[@]}" --matches leftmost-longest >want
rm -rf parts
ranks 3 "${scan[@]}" --matches leftmost-longest -o parts
"$trawl" cat parts >got
same "3 ranks, matches that do not overlap"

# mentions STATUS MESSAGE: of the last call of ranks
mentions() {
    local got=$?
    checks=$((checks + 1))
    if [ $got -ne "$1" ] || [ "$(grep -c '^trawl: ' messages)" -ne 1 ] || ! grep -qF -- "$2" messages; then
        cp messages .err
        fail "status $got, expected $1 and one message with: $2"
    fi
}
ranks 3 scan -e a text0
mentions 2 'expected -o DIR for the matches'
ranks 3 scan -c -e a no-text
mentions 2 'no-text'
ranks 3 scan -e a -o parts text0
mentions 2 'has a scan already'
ranks 3 scan -e a -o parts --resume text0
mentions 2 'begun with other patterns'
ranks 2 scan -c --shard 1/2 -e a text0
mentions 2 '--shard: ranks divide'

# One rank is killed at a random moment; mpirun then ends the others. Resumed, nothing is lost.
kills=${TRAWL_TEST_KILLS:-2}
yes abaab | head -n 40000 | tr -d '\n' >text
printf '%s\n' aba b aabab >patterns
scan=(scan -f patterns text)
"$trawl" "${scan[@]}" >want
rm -rf parts
for ((killed = 0, run = 0; killed < kills && run < 5 * kills; run++)); do
    ranks 3 "${scan[@]}" -o parts --resume --journal-segment 100 --threads 1 &
    while [ ! -e parts/journal-1 ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    sleep "0.0$((RANDOM % 10))"
    rank=$(pgrep -P "$(pgrep -P $! mpirun)" -f 'trawl-mpi scan' | sed -n "$((RANDOM % 3 + 1))p")
    if [ -n "$rank" ] && kill -9 "$rank" 2>/dev/null; then killed=$((killed + 1)); fi
    wait
    if "$trawl" cat parts >got 2>/dev/null; then
        same "killed $killed times and resumed"
        rm -rf parts
    fi
done
ranks 2 "${scan[@]}" -o parts --resume --journal-segment 100
"$trawl" cat parts >got
same "killed $killed times and resumed by fewer ranks"
echo "$killed kills"
finish
