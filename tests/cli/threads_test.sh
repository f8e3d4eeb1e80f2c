#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The system refuses threads: the same results as with one.
source "$(dirname "$0")/harness.sh" "$1"
without_threads=$2

"$without_threads" /bin/true || exit 77
printf 'fox\ncat\nagain\nslowly\n' >patterns
awk 'BEGIN { for (i = 0; i < 300000; i++) print i, i % 7 ? "a dog" : "a fox and a cat" }' >text
gzip -k text
mkdir many
for ((i = 0; i < 20; i++)); do head -c 100000 text >"many/$i"; done

# same COMMAND...: the output and status of the command are the same without further threads.
same() {
    check "$*" "$@"
    cp .out .with
    check "$* (no threads)" "$without_threads" "$@"
    holds "$* (the same without threads)" cmp .with .out
    holds "$* (no message)" test ! -s .err
}

same "$trawl" grep --threads 4 -c -F -f patterns text
same "$trawl" grep --threads 4 -o -n -F -f patterns text
same "$trawl" scan --threads 4 -f patterns text
same "$trawl" scan --threads 4 -c -f patterns text
same "$trawl" scan --threads 4 -c -f patterns text.gz
same "$trawl" scan --threads 4 -r -f patterns many
same "$trawl" scan --records lines --threads 4 -f patterns text
same "$trawl" scan --records lines --threads 4 -c -f patterns text
same "$trawl" replace --threads 4 -f patterns --with badger text
same "$trawl" replace --threads 4 -f patterns --mask x text.gz
for variant in in-turn in-parallel; do
    same "$trawl" scan --threads 4 --engine ac-split --variant "$variant" -f patterns text
    same "$trawl" scan --threads 4 --engine ac-split --variant "$variant" -c -f patterns text
done
expect 1 '' "$without_threads" "$trawl" grep --threads 4 -F nowhere text
finish
