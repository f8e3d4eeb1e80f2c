#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# As many random cases of property_test as fit into the time, one process for each CPU. The seed is
# TRAWL_TEST_SEED or, without that, comes from the commit: the first eight hexadecimal digits of its
# id. A failure prints the command that repeats it.
# usage: random_cases.sh PROPERTY_TEST [SECONDS] [PROCESSES]
set -euo pipefail
program=$1
export TRAWL_TEST_SECONDS=${2:-60}
processes=${3:-$(nproc)}
commit=$(git -C "$(dirname "$0")" rev-parse HEAD 2>/dev/null || echo 0)
export TRAWL_TEST_SEED=${TRAWL_TEST_SEED:-$((16#${commit:0:8}))}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

printf 'random cases: seed %s, %s processes, %s s; again: TRAWL_TEST_SEED=%s %s %s %s %s\n' \
    "$TRAWL_TEST_SEED" "$processes" "$TRAWL_TEST_SECONDS" "$TRAWL_TEST_SEED" "$0" "$program" \
    "$TRAWL_TEST_SECONDS" "$processes"
running=()
for ((part = 1; part <= processes; part++)); do
    TRAWL_TEST_SHARD=$part/$processes "$program" >"$logs/$part" 2>&1 &
    running+=($!)
done
status=0
for ((part = 1; part <= processes; part++)); do
    wait "${running[part - 1]}" || {
        status=1
        cat "$logs/$part"
    }
done
awk '/^[0-9]+ cases$/ { cases += $1 } END { printf "random cases: %d were run\n", cases }' "$logs"/*
exit $status
