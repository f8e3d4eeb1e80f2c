#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl bench --peers: rows in processes of their own, whatever becomes of them. The peers are
# programs that this test writes; real ones are measured too where TRAWL_PEERS_DIR, made by
# tools/peers.sh, names some.
source "$(dirname "$0")/harness.sh" "$1"

printf 'fox\nox\na dog\n' >words
yes 'a fox and a dog' | head -c 100000 >text
matches=$("$trawl" scan -c -f words text)
lines=$("$trawl" grep -a -c -f words text)
bench() { "$trawl" bench -f words --engine ac-dfa --repeat 2 "$@"; }
mkdir -p peers/programs none

# program NAME: a peer's program, read from standard input.
program() {
    { echo '#!/bin/sh'; cat; } >"peers/programs/$1"
    chmod +x "peers/programs/$1"
}
# row ENGINE KEY: a value of a row in bench's JSON.
row() { grep "\"engine\":\"$1\"" .out | sed -E "s/.*\"$2\":\"?([^,\"}]*).*/\1/"; }

# a peer that counts right, with what it is given
program right <<'END'
note=$(od -An -v -tx1 "$1" | tr -d ' \n')
echo "note patterns $note text $(head -c "$3" "$2" | cksum) $4"
echo "built 0.25 4096 right 1.0"
while read -r line; do
    echo "run 0.001 $(head -c "$3" "$2" | "$trawl" scan -c -f "$words" --matches "$4")"
done
END
export trawl words=$work/words
check 'a peer' bench --peers-dir peers --format json text
holds 'matches' test "$(row right matches)" = "$matches"
holds 'status' test "$(row right status)" = measured
holds 'kind' test "$(row right kind)" = peer
holds 'version' test "$(row right variant)" = 1.0
holds 'build' test "$(row right build_seconds)" = 0.250000
holds 'size' test "$(row right table_bytes)" = 4096
holds 'speed' grep -q '"right".*"gb_per_second":{"median":0.100000,"min":0.100000,' .out
holds 'patterns as bytes' grep -q \
    'patterns 0300000000000000666f7802000000000000006f7805000000000000006120646f67 ' .out
holds 'text' grep -q "text $(cksum <text) all" .out
holds 'patterns are told' test "$(row ac-dfa patterns)" = 3
holds 'text is told' test "$(row ac-dfa text_bytes)" = 100000
holds 'what was asked' test "$(row ac-dfa asked)" = ac-dfa
holds 'the engine' test "$(row ac-dfa kind)" = engine
holds 'its matches' test "$(row ac-dfa matches)" = "$matches"
holds 'the best peer' test -n "$(row ac-dfa best_peer)"
holds 'whole programs' test "$(row 'trawl grep -c' matches)" = "$lines"
if has grep; then holds 'grep' test "$(row 'grep -F -c' matches)" = "$lines"; fi
if has python3; then
    holds 'JSON parses' python3 -c 'import json
for line in open(".out"):
    row = json.loads(line)
    if row["status"] == "measured":
        assert len(row["seconds"]) == row["repeats"] == 2
    if "ratio_to_best_peer" in row:
        ratio = row["ratio_to_best_peer"]
        assert 0 < ratio["min"] <= ratio["median"] <= ratio["max"]'
fi
check 'a table' bench --peers-dir peers text
holds 'missing peers, and how to get them' grep -q \
    "^trawl: --peers: daachorse was not found; 'make peers' fetches it" .err
holds 'the peer' grep -qE "^right +1\.0( +1)? +$matches +0\.250 +0\.004 " .out
holds 'ratios' grep -qE "^ac-dfa .* +[0-9.]+ \([0-9.]+-[0-9.]+\)( \*)?$" .out
holds 'to what' grep -q '^ratio: to ' .out
holds 'its note' grep -q '^right 1\.0: patterns' .out
holds '80 columns' awk 'length > 80 && !/MISMATCH/ { wide = 1 } END { exit wide }' .out
holds 'lines' grep -qE "^trawl grep -c +[0-9.]+ +1 +$lines " .out
check 'a part of the text' bench --peers-dir peers --limit 1000 --format json text
holds 'text' grep -q "text $(head -c 1000 text | cksum) all" .out
check 'leftmost' bench --peers-dir peers --matches leftmost-longest --format json text
holds 'its matches' test "$(row right matches)" = "$(row ac-dfa matches)"
check 'from standard input' bash -c "'$trawl' bench -f words --engine ac-dfa --repeat 1 \
    --peers-dir peers --format json - <text"
holds 'its matches' test "$(row right matches)" = "$matches"
check 'threads, auto, all engines' bash -c "cat words | '$trawl' bench -f - --engine all,auto \
    --threads 2 --repeat 1 --peers-dir peers text"
for work_flag in --collect --per-pattern; do
    check "$work_flag" bench --peers-dir peers --variants $work_flag --format json text
    holds 'a program only counts' test "$(row right status)" = 'not asked'
    holds 'engines do it' test "$(row ac-dfa matches | sort -u)" = "$matches"
done
refuse '--worker is for trawl bench itself' bench --worker 0:0:0:1 text

# whole programs are not asked for what a file of lines cannot say
check 'a NUL' "$trawl" bench --pattern-format escaped -e 'a\0' --engine ac-dfa --repeat 1 \
    --peers-dir none text
holds 'why' grep -q '^grep -F -c .* not asked: a pattern holds a CR, LF or NUL' .out
printf 'a\ti\tfox\nb\t-\tdog\n' >mixed
check 'mixed case' "$trawl" bench --pattern-format tsv -f mixed --engine ac-dfa --repeat 1 \
    --peers-dir none text
holds 'why' grep -q '^trawl grep -c .* not asked: some patterns match any case' .out

# programs compare bytes whatever the locale: only ASCII letters have another case
printf '\303\251\n\303\211\n' >accents
check 'a locale' env LC_ALL=C.UTF-8 "$trawl" bench -i -e $'\303\251' --engine ac-dfa --repeat 1 \
    --peers-dir none --format json accents
if has grep; then holds 'lines of grep' test "$(row 'grep -F -c' matches)" = 1; fi

# no patterns
: >nothing
check 'an empty set' "$trawl" bench -f nothing --engine ac-dfa --repeat 1 --peers-dir none \
    --format json text
holds 'nothing matches' test "$(row ac-dfa matches)" = 0
if has grep; then holds 'nor in grep' test "$(row 'grep -F -c' matches)" = 0; fi

# what goes wrong in one row stays there
program crash <<<'kill -SEGV $$'
program empty <<<'exec true'
program memory <<<'echo "something before" >&2; echo "out of memory" >&2; exit 3'
program missing <<<'exec /nonexistent/program'
program chatter <<<'echo hello; exec sleep 61'
program refuses <<<'echo "refused too many patterns"'
program unable <<<'echo "unable it knows no such thing"'
program late <<<'echo built 0 0 late 1; read -r line; exec sleep 61'
program endless <<<'head -c 2000 /dev/zero | tr "\\0" x; exec sleep 61'
program silent <<<'exec >&- 0>&-; exec sleep 61'
program once <<<'echo built 0 0 once 1; read -r line; echo run 5 '"$matches"'; exec sleep 61'
program stops <<<'echo built 0 0 stops 1; read -r line; echo run 0.001 '"$matches"
check 'failing peers' bench --peers-dir peers --time-limit 1 --format json text
holds 'all rows' test "$(grep -c '"kind":"peer"' .out)" -ge 13
holds 'crash' grep -q '"crash".*"status":"ended","reason":"ended by signal 11 (' .out
holds 'empty' grep -q '"empty".*"reason":"ended with status 0"' .out
holds 'last words' grep -q '"memory".*"reason":"ended with status 3: out of memory"' .out
holds 'missing' grep -q '"missing".*"status":"ended"' .out
holds 'chatter' grep -q '"chatter".*"reason":"it does not answer as a peer' .out
holds 'refuses' grep -q '"refuses".*"status":"refused","reason":"too many patterns"' .out
holds 'unable' grep -q '"unable".*"status":"not asked"' .out
holds 'late' grep -q '"late".*"status":"over time","reason":"over 1 s"' .out
holds 'endless' grep -q '"endless".*"reason":"it does not answer as a peer' .out
holds 'silent' grep -q '"silent".*"status":"over time","reason":"over 1 s"' .out
holds 'stops' grep -q '"stops".*"status":"ended"' .out
holds 'one run is kept' test "$(row once repeats)" = 1
holds 'the others' test "$(row right matches)" = "$matches"
check 'in the table' bench --peers-dir peers --time-limit 1 text
holds 'late' grep -qE '^late +1 +over 1 s$' .out
if has pgrep; then holds 'nobody is left' bash -c '! pgrep -fx "sleep 61"'; fi

# whole programs that do not end, in the place of grep
mkdir -p fakes
for ending in 'head -c 2000 /dev/zero | tr "\\0" x' 'exec >&- 0>&-'; do
    printf '#!/bin/sh\n[ "$1" != --version ] || { echo fake 1.0; exit; }\n%s\nexec sleep 61\n' \
        "$ending" >fakes/grep
    chmod +x fakes/grep
    check "a program: $ending" env PATH="$work/fakes:$PATH" timeout 30 "$trawl" bench -f words \
        --engine ac-dfa --repeat 1 --peers-dir none --time-limit 1 --format json text
    holds 'it is not measured' grep -qE '"grep -F -c".*"status":"(over time|ended)"' .out
done

# a library that is none
mkdir -p peers/hyperscan
echo 'not a library' >peers/hyperscan/libhs.so.5
check 'a damaged library' bench --peers-dir peers --time-limit 1 text
holds 'its reason' grep -qE '^hyperscan +refuses: .*libhs' .out
rm -r peers/hyperscan

# one that counts wrong
program wrong <<<'echo built 0 0 wrong 1; while read -r line; do echo run 0.000001 7; done'
bench --peers-dir peers --time-limit 1 text >.out 2>.err
holds 'its status' test $? -eq 2
holds 'it is marked' grep -qE '^wrong +1 .* MISMATCH$' .out
holds 'it is no yardstick' bash -c '! grep -q "^ratio: to wrong" .out'
holds 'it is named' grep -q '^trawl: wrong (1) found 7 matches, but ' .err
refuse '--time-limit: expected a number' bench --peers --time-limit 0 text

# none at all, and real ones
"$trawl" bench -f words --engine ac-dfa --repeat 1 --peers-dir none text >.out 2>.err
holds 'a run without peers' test $? -eq 0
holds 'a row, or how to get one' bash -c \
    'grep -qE "^(hyper|vector)scan +5" .out || grep -q "^trawl: --peers: no peer .*make peers" .err'
if [ -n "${TRAWL_PEERS_DIR:-}" ]; then
    check 'real peers' bench --peers-dir "$TRAWL_PEERS_DIR" --format json text
    holds 'measured' grep -q '"kind":"peer".*"status":"measured"' .out
    holds 'same matches' test "$(grep '"kind":"peer"' .out | grep '"status":"measured"' |
        sed -E 's/.*"matches":([0-9]+).*/\1/' | sort -u)" = "$matches"
fi

finish
