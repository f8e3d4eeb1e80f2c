#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl reproduce, with texts of 4 KiB.
# usage: reproduce_test.sh TRAWL [all|device]
#   without a word: a table of each paper. all: every table. device: every table, and there is a GPU
source "$(dirname "$0")/harness.sh" "$1"
extent=${2:-}

# numbers PAPER:TABLE COLUMN: the measured numbers of a column of a table
numbers() {
    awk -F '\t' -v table="$1" -v column="$2" '$1 ":" $2 == table && $4 == column { print $6 }' \
        out/reproduce.tsv
}

# filled PAPER:TABLE COLUMN ROWS: the column has so many numbers, all above 0
filled() {
    holds "$1: $3 numbers in column $2" test "$(numbers "$1" "$2" |
        awk '$1 > 0 { count++ } END { print count + 0 }')" = "$3"
}

tables=(zha:3 zha:4 tran:3 charan:space charan:queries nunes:1 nunes:2 kouzinopoulos:ac-wm kouzinopoulos:cpu)
[ -z "$extent" ] || tables=()
ranks=0 # few: each run starts MPI
if [ "$extent" = all ] && has mpirun && "$(dirname "$trawl")/trawl-mpi" --version >/dev/null 2>&1; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    ranks=2
fi
check 'measuring' "$trawl" reproduce --shrink 1000000 --runs 1 --ranks $ranks -o out "${tables[@]}"
cp .out text
holds 'the text is 80 columns wide' awk 'length > 80 { wide = 1 } END { exit wide }' text
holds 'nothing differs from another engine' bash -c '! grep -q MISMATCH text'
holds 'three sentences for each paper' test "$(grep -c '^Worth today' text)" = 5

filled zha:3 '904 MB' 5
filled zha:4 'quad-core, 4 threads' 8
filled tran:3 '50,000' 2
filled charan:space here 10
filled charan:queries KMP 9
filled charan:queries 'trawl index' 10
filled nunes:2 CPU 6
filled kouzinopoulos:cpu WM 3
holds 'powers of 2 modulo 13' test "$(numbers nunes:1 '2^i mod 13' | tr '\n' ' ')" = \
    '1 2 4 8 3 6 12 11 9 5 10 7 1 '
if [ "$extent" = all ]; then
    filled tran:4 '8 STTs' 11
    filled tran:fig-22 '4 STTs' 15
    filled charan:cpu 'Algorithm 5' 12
    filled tran:ranges ratio 2
    filled nunes:3 CPU 30
    filled nunes:4 CPU 30
fi
if [ $ranks -gt 0 ]; then
    filled kouzinopoulos:2 'WM GPU' 2
    filled kouzinopoulos:4 'AC GPU' 2
    filled kouzinopoulos:5 'AC 16,000' 2
    filled kouzinopoulos:steps 'Load Files' 2
fi
if [ "$extent" = device ]; then
    filled zha:1 '904 MB' 6
    filled zha:4 'GPU, strategy A' 8
    filled tran:fig-12c '8 STTs' 5
    filled tran:fig-19 'with bank conflicts' 3
    tr -s '\n ' ' ' <text >joined
    holds 'bank conflicts are computed' grep -q 'p2-conflicts 8; p2 1\.' joined
    filled tran:grid '8 KB' 5
    filled tran:grid-p1 '512 bytes' 5
    filled tran:bytes '50,000' 5
    filled tran:forms matches 5
    filled tran:forms-p1 'counts by pattern' 5
    filled tran:forms-bytes matches 5
    filled tran:forms-shared ends 5
    filled tran:tables '50,000' 5
    filled charan:shared 'Algorithm 5' 10
    filled nunes:3 GPU 30
    filled nunes:6 theoretical 3
    filled tran:ranges ratio 12
    filled tran:best 'best of Figs. 11 and 12' 2
    filled kouzinopoulos:fig-4 WM 5
    filled kouzinopoulos:node-8000 'AC GPU' 10
fi

# Formats.
holds 'every line of the TSV has 11 columns' \
    awk -F '\t' 'NF != 11 { bad = 1 } END { exit bad || NR < 50 }' out/reproduce.tsv
holds 'the page is complete' grep -q '</html>' out/reproduce.html
holds 'the page needs nothing else' bash -c \
    "! grep -qE '<(script|link|img|iframe)|src=|url\(|@import|https?:' out/reproduce.html"
if has python3; then
    holds 'the JSON is JSON' python3 -c 'import json
run = json.load(open("out/reproduce.json"))
rows = sum(len(t["cells"]) for p in run["papers"] for t in p["tables"])
lines = len(open("out/reproduce.tsv").readlines()) - 1
assert rows == lines and len(run["papers"]) == 5, (rows, lines)
assert all(len(p["worth_today"]) == 3 for p in run["papers"])'
    holds 'the elements of the page are closed' python3 -c 'import html.parser
class Page(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "line", "polyline"):
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open("out/reproduce.html", encoding="utf-8").read())
assert not page.open'
fi

printf '%%PDF -----BEGIN\\040PGP' >document
expect 0 'document\t0\t4\t22\ndocument\t5\t22\t27' \
    "$trawl" scan --no-pattern --pattern-format hex -f out/zha-patterns.hex document

# The command line.
check 'the list' "$trawl" reproduce --list
holds 'the list has tables' grep -q '^tran:fig-22	' .out
check 'the list of some' "$trawl" reproduce --list nunes zha:3
holds 'it has these and no others' test "$(cut -f 1 .out | sed 's/nunes:.*/nunes/' | uniq | xargs)" = \
    'zha:3 nunes'
refuse "expected zha, tran, charan, nunes or kouzinopoulos, not 'zah'; did you mean zha?" \
    "$trawl" reproduce zah
refuse "paper zha has no table '7'; it has 1, ac4, 3" "$trawl" reproduce zha:7
check 'a Roman numeral' "$trawl" reproduce nunes:I --shrink 1000000
holds 'is a number' grep -q '^nunes:1 ' .out
refuse "--shrink" "$trawl" reproduce --shrink 0
refuse "--ranks" "$trawl" reproduce --ranks 11
refuse "--runs" "$trawl" reproduce --runs 65
refuse "--device" "$trawl" reproduce --device gpu
refuse '--device cuda:77: ' "$trawl" reproduce --device cuda:77 --shrink 1000000 -o nowhere nunes:1
holds 'before a folder is made' test ! -e nowhere
refuse 'out/reproduce.tsv/x' "$trawl" reproduce -o out/reproduce.tsv/x nunes:1
# where files and tables go is looked at before anything is measured
refuse "text: Not a directory; expected a folder" "$trawl" reproduce -o text nunes:1
holds 'before anything is measured' test ! -s .out
refuse '(standard output): No space left on device' \
    bash -c "ulimit -t 5; '$trawl' reproduce --no-progress --runs 64 tran:fig-14 >/dev/full"
refuse "--device: expected cpu, cuda or cuda:N, not 'auto'" "$trawl" reproduce --device auto
check 'without the GPU' "$trawl" reproduce --device cpu --shrink 1000000 nunes:6
# The name of the processor, of any length, decides where the line is broken.
tr '\n' ' ' <.out >joined
holds 'which is told' grep -q 'leaves it out' joined

finish
