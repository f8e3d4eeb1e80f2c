#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl-mpi ended by SIGKILL at random moments: the scan that is continued writes the bytes of one process.
# usage: mpi_kills_test.sh TRAWL TRAWL_MPI; environment: TRAWL_TEST_KILLS (default 3), TRAWL_TEST_SEED
source "$(dirname "$0")/mpi_harness.sh" "$1" "$2"
kills=${TRAWL_TEST_KILLS:-3}
RANDOM=$seed

yes abaab | head -n 80000 | tr -d '\n' >text
printf '%s\n' aba b aabab >patterns
scan=(scan -f patterns text -o parts --resume --journal-segment 50 --threads 1)
"$trawl" scan -f patterns text >want
records() { stat -c %s parts/journal-* 2>/dev/null | awk '{ n += int($1 / 64) } END { print n + 0 }'; }
milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }

# scanning: waits until the scan in the background has a process; finishing N: until it has more than N segments
scanning() { while kill -0 $! 2>/dev/null && [ -z "$(ranks_of_scan)" ]; do sleep 0.005; done; }
finishing() { while kill -0 $! 2>/dev/null && [ "$(records)" -le "$1" ]; do sleep 0.005; done; }

# How long MPI takes to start, and how long the scan itself: a kill comes anywhere within either.
ranks 3 "${scan[@]}" &
scanning
begin=$(milliseconds)
finishing 0
middle=$(milliseconds)
wait $!
starting=$((middle - begin + 1)) searching=$(($(milliseconds) - middle + 1))
all=$(records)
rm -rf parts

# One rank, or one time in four all, are killed; mpirun ends the others. A copy of the folder is then continued to its
# end, by any number of ranks. The folder itself is continued and killed again, until nothing is left to do.
killed=0 none=0 some=0 complete=0 finished=0
for ((run = 0; killed < kills && run < 4 * kills + 12; run++)); do
    ranks $((RANDOM % 3 + 2)) "${scan[@]}" &
    if [ $((RANDOM % 4)) -eq 0 ]; then
        scanning
        pause=$((RANDOM % starting))
    else
        finishing $finished
        pause=$((RANDOM % searching))
    fi
    sleep "$(awk -v n=$pause 'BEGIN { print n / 1000 }')"
    mapfile -t victims < <(ranks_of_scan)
    if [ ${#victims[@]} -ne 0 ] && [ $((RANDOM % 4)) -ne 0 ]; then victims=("${victims[RANDOM % ${#victims[@]}]}"); fi
    if [ ${#victims[@]} -ne 0 ] && kill -9 "${victims[@]}" 2>/dev/null; then killed=$((killed + 1)); fi
    wait $! 2>/dev/null
    # mpirun may end a little earlier than the ranks that it ends.
    while [ -n "$(ranks_of_scan)" ]; do sleep 0.005; done
    finished=$(records)
    case $finished in
        0) none=$((none + 1)) ;;
        "$all") complete=$((complete + 1)) ;;
        *) some=$((some + 1)) ;;
    esac
    mv parts before 2>/dev/null && cp -r before parts
    ranks $((RANDOM % 4 + 1)) "${scan[@]}"
    "$trawl" cat parts >got 2>>messages
    same "killed $killed times, at last with $finished of $all segments, and resumed"
    continued before parts
    rm -rf parts
    if [ "$finished" = "$all" ]; then rm -rf before; fi
    [ -e before ] || finished=0
    mv before parts 2>/dev/null
done
echo "starting $starting ms, searching $searching ms"
[ $killed -gt 0 ] || fail "no rank was killed in $run scans"
echo "$killed kills; $run resumed scans began with no ($none), some ($some), all ($complete) of $all segments finished"

# Where rank 0 alone has ended, others may still write: nobody else may until they have ended too. What would end them,
# their parent, is stopped. A rank that has let go of the folder before it is stopped has finished too early: once more.
holds_lock() { compgen -G "/proc/$1/fd/*" | xargs -r readlink 2>/dev/null | grep -q '/parts/lock$'; }
outlived=0
for ((attempt = 0; outlived == 0 && attempt < 20; attempt++)); do
    rm -rf parts
    ranks 2 "${scan[@]}" 2>/dev/null &
    finishing 0
    first='' second=''
    for pid in $(ranks_of_scan); do
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -qx 'OMPI_COMM_WORLD_RANK=1\|PMI_RANK=1'; then
            second=$pid
        else
            first=$pid
        fi
    done 2>/dev/null
    parent=$(awk '/^PPid/ { print $2 }' "/proc/${second:-none}/status" 2>/dev/null)
    if [ -n "$first" ] && [ "${parent:-1}" -gt 1 ] && kill -STOP "$parent" "$second" 2>/dev/null; then
        kill -9 "$first" 2>/dev/null
        while ranks_of_scan | grep -qx "$first"; do sleep 0.01; done
        if holds_lock "$second"; then
            outlived=1
            refuse 'another scan writes to this folder' "$trawl" scan -f patterns text --journal parts --resume
        fi
        kill -9 "$second"
        kill -CONT "$parent"
    fi
    wait $! 2>/dev/null
    while [ -n "$(ranks_of_scan)" ]; do sleep 0.01; done
done
[ $outlived -eq 1 ] || fail "no rank was seen that outlived rank 0"
ranks 2 "${scan[@]}"
"$trawl" cat parts >got 2>messages
same "a rank that outlived rank 0"
finish
