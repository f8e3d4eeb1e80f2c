#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl's main job on what any Debian machine has: every occurrence of tens of thousands of
# dictionary words in the machine's own documentation and programs.
# usage: tools/demo.sh TRAWL DIRECTORY      DIRECTORY keeps the inputs for a second look
set -euo pipefail
export LC_ALL=C
trawl=$1 directory=$2
words=$directory/words text=$directory/text slice=$directory/slice
text_limit=$((256 << 20)) slice_bytes=$((64 << 20)) grep_seconds=45

fail() {
    echo "demo: $*" >&2
    exit 1
}
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }
# mega BYTES: in millions, with one decimal.
mega() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }
group() { sed -E ':a; s/([0-9])([0-9]{3})($|[^0-9])/\1,\2\3/; ta' <<<"$1"; }
# timed COMMAND...: leaves the seconds that the whole command took in $took.
timed() {
    local begin=$EPOCHREALTIME status=0
    "$@" || status=$?
    took=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
    return $status
}
statistic() { sed -nE "s/.*\"$1\": *\"?([^,\"}]*).*/\1/p" "$directory/statistics"; }

# ------------------------------------------------------------------ the input

mkdir -p "$directory"
dictionary=
for candidate in /usr/share/dict/american-english /usr/share/dict/words; do
    [[ -r $candidate ]] && dictionary=$candidate && break
done
[[ -n $dictionary ]] || fail "no dictionary in /usr/share/dict: install the package wamerican"
grep -E '^[a-z]{5,}$' "$dictionary" >"$words"

# English first, since the slice for grep is cut from the front. Compressed documentation is
# unpacked: zcat -f passes on what is not compressed.
list_files() {
    find /usr/share/wordnet -name 'data.*' -print0 2>/dev/null | sort -z
    find /usr/share/perl /usr/share/doc /usr/share/man -type f ! -name '*.png' -print0 \
        2>/dev/null | sort -z
    find /usr/bin /usr/lib /usr/libexec -type f -size +64k -print0 2>/dev/null | sort -z
}
if [[ ! -s $text ]]; then
    echo "Collecting text from /usr (once) ..."
    # head ends the pipe early: the writers' complaints about that are no news.
    { list_files | xargs -0 zcat -f 2>/dev/null || true; } | head -c "$text_limit" >"$text.part"
    mv "$text.part" "$text"
fi
text_bytes=$(stat -c %s "$text")
((text_bytes >= 100000000)) || echo "note: /usr has only $(mega "$text_bytes") of text to offer"
head -c "$slice_bytes" "$text" >"$slice"
slice_size=$(stat -c %s "$slice")

say "$(group "$(wc -l <"$words")") words of $dictionary in $(mega "$text_bytes") of /usr"
echo "(the words of 5 letters and more; manuals, documentation, then programs and libraries)"

# ------------------------------------------------------------------ the main job

say "\$ trawl scan --stats -c -f words text"
"$trawl" scan --stats -c -f "$words" "$text" 2>"$directory/statistics" >"$directory/count" ||
    fail "trawl scan failed: $(cat "$directory/statistics")"
printf '%s occurrences, overlapping and nested ones too\n' "$(group "$(<"$directory/count")")"
printf 'engine %s (%s), %s threads: tables built in %.2f s, scanned in %.2f s: %.2f GB/s\n' \
    "$(statistic engine)" "$(statistic variant)" "$(statistic threads)" \
    "$(statistic build_seconds)" "$(statistic scan_seconds)" "$(statistic gb_per_second)"

say "\$ trawl scan --no-pattern -f words text | count the records of each word"
"$trawl" scan --no-pattern -f "$words" "$text" |
    awk -F '\t' '{ count[$4]++ } END { for (id in count) print count[id] "\t" id }' |
    sort -k 1,1nr -k 2,2n >"$directory/frequencies"
awk -F '\t' -v words="$words" '
    BEGIN { while ((getline line < words) > 0) word[n++] = line }
    { total += $1 }
    NR <= 30 { cell[NR] = sprintf("%9d  %-14s", $1, word[$2]) }
    END {
        for (row = 1; row <= 10; row++) print cell[row] "  " cell[row + 10] "  " cell[row + 20]
        printf "%d records, %d different words\n", total, NR
    }' "$directory/frequencies"
listed=$(awk '{ total += $1 } END { printf "%d", total }' "$directory/frequencies")
[[ $listed == "$(<"$directory/count")" ]] || fail "$listed records, but the count above differs"

# ------------------------------------------------------------------ grep on a slice

say "The first $(mega "$slice_size"), against grep: the same command, the same output"
timed "$trawl" grep -a -F -o -f "$words" "$slice" >"$directory/trawl.out" ||
    fail "trawl grep failed"
trawl_took=$took
status=0
timed timeout "$grep_seconds" grep -a -F -o -f "$words" "$slice" \
    >"$directory/grep.out" || status=$?
grep_took=$took
row() {
    awk -v name="$1" -v bytes="$slice_size" -v seconds="$2" 'BEGIN {
        printf "  %-30s %8.2f s %9.1f MB/s\n", name, seconds, bytes / 1e6 / seconds }'
}
row "trawl grep -F -o -f words" "$trawl_took"
if ((status == 124)); then
    echo "  grep -F -o -f words            not finished after $grep_seconds s"
elif ((status != 0)); then
    fail "grep ended with status $status"
else
    row "grep -F -o -f words" "$grep_took"
    cmp -s "$directory/trawl.out" "$directory/grep.out" ||
        fail "trawl grep and grep differ: compare $directory/trawl.out and $directory/grep.out"
    awk -v a="$trawl_took" -v b="$grep_took" -v lines="$(wc -l <"$directory/grep.out")" 'BEGIN {
        printf "  identical output, %d lines; trawl is %.1f times as fast\n", lines, b / a }'
fi
rm -f "$directory"/{trawl,grep}.out
echo
echo "The inputs are in $directory: try  $trawl scan --help"
