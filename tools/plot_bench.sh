#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Draws GB/s by number of patterns, both on logarithmic axes: a line for each of trawl's engines and
# each peer, with bars from its slowest to its fastest run; whole programs are dashed. Needs gnuplot.
# usage: tools/plot_bench.sh [-o FILE.svg] [-t TITLE] [-w WORKLOADS] FILE...
#   FILE     *.tsv: the speeds.tsv of tools/bench_workloads.py; else the output of
#            `trawl bench --peers --format json`, one file for each number of patterns
#   -o FILE  what to write (bench.svg)
#   -t TITLE over the plot
#   -w WORKLOADS  only these of speeds.tsv: a regular expression (^rare-)
set -euo pipefail
export LC_ALL=C
output=bench.svg workloads=. title='Counting all matches, one thread'

fail() {
    echo "plot_bench: $*" >&2
    exit 2
}
usage() { sed -n '/^# usage/,/^[^#]/{s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

while getopts o:t:w: letter; do
    case $letter in
    o) output=$OPTARG ;;
    t) title=$OPTARG ;;
    w) workloads=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[[ $# -ge 1 ]] || usage
command -v gnuplot >/dev/null || fail 'gnuplot is missing: apt-get install gnuplot-nox'
for file in "$@"; do [[ -r $file ]] || fail "$file: cannot be read"; done

work=$(mktemp -d "${TMPDIR:-/tmp}/plot_bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# kind, name, patterns, median, slowest and fastest, separated by tabs.
awk -F '\t' -v workloads="$workloads" '
    function value(key) {
        if (!match($0, "\"" key "\":\"?[^,\"}]*")) return ""
        text = substr($0, RSTART, RLENGTH)
        sub("\"" key "\":\"?", "", text)
        return text
    }
    FILENAME ~ /\.tsv$/ {
        if (FNR == 1) { for (i = 1; i <= NF; i++) column[$i] = i; next }
        if ($column["workload"] !~ workloads || $column["median"] + 0 == 0) next
        kind = $column["kind"]
        name = $column["name"]
        if (kind == "auto") name = "trawl"
        if (kind == "engine") name = "trawl " name
        printf "%s\t%s\t%s\t%s\t%s\t%s\n", kind, name, $column["patterns"], $column["median"],
            $column["min"], $column["max"]
        next
    }
    value("status") == "measured" {
        kind = value("kind")
        name = value("engine") " " value("variant")
        if (value("asked") == "auto") { kind = "auto"; name = "trawl" }
        if (kind == "engine") name = "trawl " name
        printf "%s\t%s\t%s\t%s\t%s\t%s\n", kind, name, value("patterns"), value("median"),
            value("min"), value("max")
    }' "$@" >"$work/rows"
[[ -s $work/rows ]] || fail 'no measured row: expected what trawl bench --peers --format json prints'

# One data file for each line of the plot, engines first.
lines=0 plot=''
while IFS=$'\t' read -r kind name; do
    lines=$((lines + 1))
    awk -F '\t' -v kind="$kind" -v name="$name" '$1 == kind && $2 == name' "$work/rows" |
        sort -t $'\t' -k 3,3n >"$work/line$lines"
    case $kind in
    auto) style='lw 4 pt 7' ;;
    engine) style='lw 2 pt 7' ;;
    peer) style='lw 1.5 pt 5' ;;
    *) style='lw 1 dt 2 pt 6' ;;
    esac
    plot+="${plot:+, }'$work/line$lines' using 3:4:5:6 with yerrorlines lc $lines $style"
    plot+=" title '${name//\'/}'"
done < <(cut -f 1,2 "$work/rows" | sort -u)

gnuplot <<EOF
set terminal svg size 960,600 font "sans-serif,13" background "white" noenhanced
set output '$output'
set datafile separator "\t"
set title '${title//\'/}'
set xlabel 'patterns'
set ylabel 'GB of text a second'
set logscale xy
set format x '%.0f'
set grid
set key outside right
plot $plot
EOF
