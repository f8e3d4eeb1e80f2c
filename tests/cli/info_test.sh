#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl info: what it says of sets and databases, on one screen, and the patterns of a database.
source "$(dirname "$0")/harness.sh" "$1"

printf 'fox\nox\n' >words
printf 'beast\ti\tFOX\n\t-\ta\\nb\\\\\nend\t-\t\\x00\\xFF\\t\n' >rules.tsv
seq 100000 105000 >numbers
: >empty
echo 'a single line' >one
yes 'a fox and a dog, 100001' | head -n 5000 >text
for base in words numbers; do "$trawl" compile -f $base --sample text -o $base.db; done
"$trawl" compile --pattern-format tsv -f rules.tsv -o rules.db
"$trawl" compile --engine ac-dfa -f words -o named.db

# fits WHAT: .out has at most 22 lines of 80 columns, which leaves room for two prompts.
fits() {
    holds "$1: one screen" awk 'length > 80 { bad = 1 } END { exit bad || NR > 22 }' .out
}
# figure LABEL: the text beside a label of .out, in one line.
figure() {
    awk -v label="$1" '/^  [a-z]/ { on = $1 == label } /^$/ { on = 0 }
        on { sub("^  " label " *", ""); sub("^ +", ""); printf "%s ", $0 }' .out
}

# a share of all positions and more has no exponent
awk 'BEGIN { for (p = "a"; length(p) <= 300; p = p "a") print p }' >nested
check 'info of nested patterns' "$trawl" info -f nested
holds 'no exponents' bash -c '! grep -q "[0-9]e+[0-9]" .out'

# names are shown without what a terminal would execute
printf 'fox\nox\n' >$'two\n\e[7m'
check 'info of a file with control characters in its name' "$trawl" info -f $'two\n\e[7m'
holds 'which are not printed' grep -qFx 'two??[7m' .out

# what a user asks: which set, which plan, how fast, how large, why
for set in words numbers one; do
    for flags in '' '-i' '--sample text' '--matches leftmost-longest' '--device cuda'; do
        # shellcheck disable=SC2086
        check "info -f $set $flags" "$trawl" info -f $set $flags
        fits "info -f $set $flags"
        for label in set plan speed size why; do
            holds "info -f $set $flags: $label" test -n "$(figure $label)"
        done
    done
done
check 'info of two patterns' "$trawl" info -e fox -e ox --sample text
holds 'the set' grep -q '^  set  *2 patterns of 2 to 3 bytes ' .out
holds 'the reason is words' bash -c 'grep -q "^  why  *[A-Z0-9].*[a-z]" .out'
holds 'all engines' bash -c 'for engine in qgram ac-dfa ac-nfa wu-manber; do
    tr -s " \n" " " <.out | grep -qE "$engine (none|[0-9.]+ GB/s)" || exit 1; done'
holds 'the text' grep -q 'in texts like' <(tr -s ' \n' ' ' <.out)
check 'no sample' "$trawl" info -f words
holds 'it says so' bash -c 'tr -s " \n" " " <.out | grep -q "made up of the patterns, .*--sample FILE"'
check 'an empty sample' "$trawl" info -f words --sample empty
holds 'it says so, and asks for none' bash -c 'tr -s " \n" " " <.out |
    grep "made up of the patterns, .* the sample empty has fewer than 4,096 bytes" | grep -vq -e "--sample"'
check 'a short sample' "$trawl" info -f words --sample words
holds 'it says so' bash -c 'tr -s " \n" " " <.out | grep -q "the sample words has fewer than 4,096 bytes"'
check 'one pattern' "$trawl" info -f one
holds 'its set' grep -q '^  set  *1 pattern of 13 bytes, 13 bytes in all, ' .out
check 'either case' "$trawl" info -i -f words
holds 'it says so' grep -q 'letters match either case' <(tr -s ' \n' ' ' <.out)
check 'a byte of every pattern' "$trawl" info -e one@fox -e two@ox --sample text
holds 'it says so' grep -q "Text without '@', which every pattern contains" <(tr -s ' \n' ' ' <.out)
check 'of either case' "$trawl" info -i -e foxq -e oxq --sample text
holds 'letters do not count' bash -c '! grep -q "Text without" .out'
check 'duplicates' "$trawl" info -e fox -e fox
holds 'it says so' grep -qE '1 duplicate( |$)' <(tr -s ' \n' ' ' <.out)

# engines that compare patterns with the text say where nothing bounds this, and how many nested ones
awk 'BEGIN { for (i = 0; i < 100; i++) print s = s "a" }' >nested
for engine in wu-manber rabin-karp ac-dfa; do
    for set in nested words; do
        "$trawl" compile --engine $engine -f $set -o nested.db
        check "info of $set, $engine" "$trawl" info nested.db
        says=0 && [ $set = nested ] && [ $engine != ac-dfa ] && says=1
        holds 'how many are nested' test $says = \
            "$(figure why | grep -c '[0-9]* of them can end at one position.*an automaton takes over')"
        says=0 && [ $engine != ac-dfa ] && says=1
        holds 'whether its time is bounded' test $says = \
            "$(figure why | grep -c 'no bound on its time for a byte')"
    done
done

# the same figures as scan --stats: size of tables, candidates
check 'info' "$trawl" info -f numbers --sample text
size=$(figure size | sed -E 's/^tables ([0-9,]*) bytes.*/\1/' | tr -d ,)
"$trawl" scan -c --threads 1 --stats -f numbers --sample text text >/dev/null 2>stats
holds 'the size of --stats' grep -q "\"table_bytes\":$size," stats
check 'info in JSON' "$trawl" info --format json -f numbers --sample text
holds 'the size in JSON' grep -q "\"plan\":{[^}]*\"table_bytes\":$size," .out
check 'info of a database' "$trawl" info numbers.db
holds 'its size' grep -q "^  size  *tables $(figure size | sed -E 's/^tables ([0-9,]*).*/\1/') " .out
holds 'the same as of the set' \
    test "$(figure size | sed -E 's/^tables ([0-9,]*) bytes.*/\1/' | tr -d ,)" = "$size"
check 'filters' "$trawl" info -e fox -e dog -e cat -e mouse --sample text
holds 'candidates of the reason and of the table' bash -c '
    share=$(tr -s " \n" " " <.out | sed -nE "s/.*1 filter leaves ([0-9.e-]+) % of the positions.*/\1/p")
    [ -z "$share" ] || grep -qE " $share %  *[0-9.]+$" .out'

# the plan for a text of a given size is the one that scan makes
check 'a short text' "$trawl" info --text-size "$(stat -c %s text)" --sample text -f numbers
engine=$(figure plan | sed -E 's/^engine ([a-z-]*),.*/\1/')
"$trawl" scan -c --stats -f numbers --sample text text >/dev/null 2>stats
holds 'the engine of --stats' grep -q "\"engine\":\"$engine\"" stats
holds 'why this engine' bash -c 'grep -q "^  why  *The text is so short" .out'
refuse '--text-size' "$trawl" info --text-size 0 -f numbers
refuse '--patterns prints nothing but patterns' "$trawl" info --patterns --text-size 1k numbers.db

# a large set: what takes long is announced, and a terminal says what is being measured
awk 'BEGIN { srand(7); for (i = 0; i < 80; i++) { s = ""; while (length(s) < 60000)
    s = s sprintf("%c", 97 + int(26 * rand())); print s } }' >large
for flags in '--papers --build-limit 1' --no-build; do
    # shellcheck disable=SC2086
    "$trawl" info $flags -f large >.out 2>.err
    holds "info $flags: what takes long" grep -qE \
        '^trawl: note: sizing.* [0-9]+ variants of engines for 80 patterns of 4,800,000 bytes' .err
    # shellcheck disable=SC2086
    check "info $flags" "$trawl" info $flags -f words
    holds "info $flags: what takes no time" test ! -s .err
done
if command -v script >/dev/null; then
    check 'info on a terminal' script -qec "'$trawl' info --papers -f words" /dev/null
    holds 'each row' grep -qE '[0-9]+ of [0-9]+: ac-nfa packed' .out
fi

# what is for papers and for programs
check 'info --papers' "$trawl" info --papers -f words
holds 'the formulas' grep -q 'N\*256\*log N' .out
holds 'every engine' test "$(grep -cE '^  (ac-dfa|ac-nfa|ac-split|qgram|wu-manber|rabin-karp) ' .out)" -ge 20
holds '80 columns' awk 'length > 80 { wide = 1 } END { exit wide }' .out
check 'info' "$trawl" info -f words
holds 'no formulas without --papers' bash -c '! grep -q "log N" .out'
check 'info without building' "$trawl" info --no-build -f words
holds 'sizes' grep -qE '^  ac-dfa  *classes  *[0-9.]+ k?B not built' .out
check 'a limit' "$trawl" info --papers --build-limit 4096 -f numbers
holds 'large ones are not built' grep -q 'not built: larger than --build-limit' .out
check 'info --format json' "$trawl" info --format json -f words
holds 'info: JSON' grep -q '"statistics":{"patterns":2,' .out
if has python3; then
    check 'info: JSON parses' bash -c "'$trawl' info --format json --sample text words.db | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert {\"source\", \"statistics\", \"database\", \"plan\", \"expected\", \"engines\", \"formulas\"} <= report.keys()
assert report[\"plan\"][\"table_bytes\"] == report[\"database\"][\"table_bytes\"]
assert report[\"new_expected\"].keys() == report[\"expected\"].keys()
assert len(report[\"new_expected\"][\"engines\"]) > 1'"
    # what --papers prints is in JSON too
    check 'for papers' "$trawl" info --papers -f numbers
    cp .out papers
    check 'for programs' bash -c "'$trawl' info --format json -f numbers | python3 -c '
import json, re, sys
report = json.load(sys.stdin)
papers = open(\"papers\").read()
split = [row for row in report[\"engines\"] if row.get(\"asked_parts\") == 4][0]
assert len(split[\"part_states\"]) == 4 and sum(split[\"part_states\"]) == split[\"states\"]
assert \" \".join(map(str, split[\"part_states\"])) in papers
for formula in report[\"formulas\"]:
    assert formula[\"trawl_bytes\"] > 0 and formula[\"output_bytes\"] > 0, formula
assert \"new_expected\" not in report'"
fi

# databases
for db in words rules named; do
    check "info $db.db" "$trawl" info $db.db
    fits "info $db.db"
    cp .out operand
    check "info --db $db.db" "$trawl" info --db $db.db
    holds "$db: --db is the operand" cmp -s .out operand
done
holds 'an engine by name' bash -c "'$trawl' info named.db | grep -q '^  why  *the engine was named, so no other'"
check 'a new plan' "$trawl" info words.db --sample text
holds 'a new plan' grep -q '^Compiled now' .out
fits 'a new plan'

# a forged plan: numbers that are none are null in JSON, and no speed in the report
if [ -n "${FORGE_PLAN:-}" ]; then # as CTest has it
    for numbers in '1e-320 nan' '1 inf'; do
        # shellcheck disable=SC2086
        check "a forged plan: $numbers" "$FORGE_PLAN" numbers.db forged.db $numbers
        check 'in JSON' "$trawl" info --format json forged.db
        holds 'what is no number' grep -q '"expected":.*:null,' .out
        holds 'nor its time' grep -q '"database":.*"build_seconds":null,' .out
        holds 'JSON has neither' bash -c '! grep -qE ":-?(nan|inf)" .out'
        if has python3; then holds 'it parses' python3 -c 'import json; json.load(open(".out"))'; fi
        check 'as text' "$trawl" info forged.db
        holds 'no control characters' bash -c '! LC_ALL=C grep -q "[^ -~]" .out'
        holds 'but what is behind them' grep -qE '^  why  *[?][[]31m[?]' .out
        holds 'no speed' test -n "$(figure speed | grep 'unknown, as the plan of this database')"
        holds 'no numbers that are none' bash -c '! grep -qwE "nan|inf" .out'
        check 'for papers' "$trawl" info --papers forged.db
        holds 'neither there' bash -c '! grep -qwE "nan|inf" .out'
    done
fi

# flags that a database leaves no use for
for flag in -i -w --crlf '--matches all' '--matches leftmost-longest'; do
    # shellcheck disable=SC2086
    refuse "DB and ${flag% *} exclude each other: a database has its own patterns and kind of matches" \
        "$trawl" info $flag words.db
done
for flag in '--text-size 5' '--device cuda' '--device cpu'; do
    # shellcheck disable=SC2086
    refuse "${flag% *}: a database has the plan by which it was compiled; give --sample FILE or --papers too" \
        "$trawl" info $flag words.db
    # shellcheck disable=SC2086
    check "a new plan with $flag" "$trawl" info $flag --sample text words.db
done
refuse '--build-limit: expected --papers or --format json with it' "$trawl" info --build-limit 1M -f words
refuse '--build-limit: expected --papers' "$trawl" info --no-build --build-limit 1M -f words
"$trawl" compile --engine qgram -f words -o qgram.db
check 'a database, all engines' "$trawl" info --papers qgram.db
holds 'a new plan' grep -q '^Compiled now' .out
holds 'an unknown size of tables is not 0' grep -qE '^  qgram  *-  *-  *-  *[0-9.]+$' .out
check 'a database, nothing built' "$trawl" info --no-build words.db
holds 'no plan that is not made' bash -c '! grep -q "^Compiled now" .out && grep -q "classes .* not built" .out'

# patterns: what is written is read again, as the same set
expect 0 'beast\ti\tFOX\n\t-\ta\\nb\\\\\nend\t-\t\\x00\\xFF\\t' "$trawl" info --db rules.db --patterns
"$trawl" info --patterns rules.db >again.tsv
"$trawl" compile --pattern-format tsv -f again.tsv -o again.db
expect 0 "$(sed 's/\\/\\\\/g' again.tsv)" "$trawl" info --patterns again.db
for format in lines escaped hex tsv; do
    "$trawl" info --db numbers.db --patterns --pattern-format $format >listed
    check "$format: read again" "$trawl" compile --pattern-format $format -f listed -o listed.db
    check "$format: lines" "$trawl" info --db listed.db --patterns --pattern-format lines
    holds "$format: the same patterns" cmp -s .out numbers
done
refuse 'pattern 0 is case-insensitive, which only' \
    "$trawl" info --db rules.db --patterns --pattern-format escaped
"$trawl" compile --pattern-format escaped -e 'a\nb' -o lf.db
refuse 'pattern 0 holds a line end' "$trawl" info --db lf.db --patterns --pattern-format lines
# patterns that -f would take for a compressed file or a database
for first in '\x1f\x8b\x08abc' '\x28\xb5\x2f\xfdabc'; do
    "$trawl" compile --pattern-format escaped -e "$first" -o first.db
    refuse 'pattern 0 begins as a compressed file' "$trawl" info --db first.db --patterns --pattern-format lines
done
"$trawl" compile --pattern-format escaped -e 'TRAWLDB' -e 'ab' -e 'c\0abcdefghi' -o first.db
refuse 'pattern 0 begins as a compressed file or a database' "$trawl" info first.db --patterns --pattern-format lines
expect 0 'TRAWLDB\nab\nc\\x00abcdefghi' "$trawl" info first.db --patterns --pattern-format escaped
# a line that -f would refuse: bytes of the value become four characters each
{ printf 'n\t-\tfox\t-\t-\t'; head -c 262141 /dev/zero | tr '\0' '\200'; } >longest.tsv
"$trawl" compile -f longest.tsv --pattern-format tsv -o longest.db
"$trawl" info --patterns longest.db >again.tsv
check 'the longest line: read again' "$trawl" compile -f again.tsv --pattern-format tsv -o again.db
printf '\200' >>longest.tsv
"$trawl" compile -f longest.tsv --pattern-format tsv -o longest.db
refuse 'pattern 0 has a line of more than 1 MiB in this format, which -f refuses' \
    "$trawl" info --patterns longest.db
holds 'nothing is written' test ! -s .out
refuse 'give --db DB' "$trawl" info -f words --patterns
refuse 'leave out the other flags' "$trawl" info words.db --patterns --papers
if [ -w /dev/full ]; then refuse '(standard output)' bash -c "'$trawl' info --patterns words.db >/dev/full"; fi

# errors
refuse 'expected patterns (-f FILE, -e PATTERN) or a database' "$trawl" info
refuse 'not both' "$trawl" info -f words words.db
refuse 'expected one database' "$trawl" info --db words.db words.db
refuse 'words' "$trawl" info words
"$trawl" info -f empty >out && grep -q '0 patterns, 0 bytes in all' out || fail 'the plan of no pattern'
"$trawl" info --papers -f empty >out || fail 'all engines without a pattern'
"$trawl" info --format json -f empty >out && ! grep -qiE '[^a-z](nan|inf)' out || fail 'no pattern as JSON'
refuse '--pattern-format is for' "$trawl" info words.db --pattern-format hex
refuse 'gone' "$trawl" info -f words --sample gone

# a damaged profile of the CPU is ignored, but told; what is no regular file is not read
export XDG_CONFIG_HOME=$work/config
name=$("$trawl" devices | sed -nE 's/^cpu\t.*\t([^\t]*) \(.*/\1/p' | tr -c 'A-Za-z0-9.\n' -)
profile=$XDG_CONFIG_HOME/trawl/$name.profile
mkdir -p "$XDG_CONFIG_HOME/trawl"
# tells WHAT: info and --stats say why they ignore the profile
tells() {
    check "$1: info" timeout 60 "$trawl" info -f words
    holds "$1: info says it" bash -c "tr -s ' \n' '  ' <.out | grep -qF 'ignored: $profile$2'"
    check "$1: info in JSON" timeout 60 "$trawl" info --no-build --format json -f words
    holds "$1: JSON says it" grep -qF "\"profile_ignored\":\"$profile$2" .out
    check "$1: scan" timeout 60 "$trawl" scan --stats -c -f words text
    holds "$1: scan says it" grep -qF "\"profile_ignored\":\"$profile$2" .err
    check "$1: compile" timeout 60 "$trawl" compile --stats -f words -o other.db
    holds "$1: compile says it" grep -qF "\"profile_ignored\":\"$profile$2" .err
}
printf '[cpu costs]\nsample = x\n' >"$profile"
tells 'a damaged profile' ':2: not a line of a profile'
rm "$profile"
mkfifo "$profile"
tells 'a FIFO' ': is not a regular file'
rm "$profile"
ln -s /dev/zero "$profile"
tells 'a device' ': is not a regular file'
rm "$profile"
truncate -s 2M "$profile"
tells 'a large file' ': is longer than 1 MiB'
refuse 'is not a regular file' timeout 60 "$trawl" scan --device auto --profile /dev/zero -c -f words text
rm "$profile"
check 'no profile' "$trawl" scan --stats -c -f words text
holds 'nothing is ignored' bash -c '! grep -q ignored .err'

# conditions come back as they were written, with the largest offset
printf 'n\t-\tab\tleft=[x-z],start=18446744073709551615\n' >largest.tsv
"$trawl" compile -f largest.tsv --pattern-format tsv -o largest.db
expect 0 'n\t-\tab\tleft=[x-z],start=18446744073709551615' \
    "$trawl" info --db largest.db --patterns --pattern-format tsv
printf 'n\t-\tab\tstart=18446744073709551616\n' >larger.tsv
refuse 'expected an offset, such as start=64' "$trawl" compile -f larger.tsv --pattern-format tsv -o largest.db

finish
