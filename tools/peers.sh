#!/usr/bin/env bash
# Engines beside the peer library that trawl was built with, over many workloads: for each, one run
# of `trawl bench --peers`, so that ratios come from the same minutes of the same machine. Prints a
# Markdown table: median GB/s of each row, and its ratio to the peer.
# usage: tools/peers.sh [-e ENGINES] [-l BYTES] [-n RUNS] TRAWL DIRECTORY [WORKLOAD...]
#   DIRECTORY   holds NAME.pats.txt (one pattern a line) and the texts english.txt, dna.txt,
#               code.txt, bin.dat; a workload uses the text that its name begins with (rare-*: the
#               English one)
#   WORKLOAD    a NAME; all in DIRECTORY by default
#   -e ENGINES  as `trawl bench --engine` takes them (ac-dfa,ac-nfa)
#   -l BYTES    of each text (64M)
#   -n RUNS     of each row (bench's own choice)
set -euo pipefail
export LC_ALL=C
engines=ac-dfa,ac-nfa limit=64M runs=()

fail() {
    echo "peers: $*" >&2
    exit 2
}
usage() { sed -n '/^# usage/,/^[^#]/{s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

while getopts e:l:n: letter; do
    case $letter in
    e) engines=$OPTARG ;;
    l) limit=$OPTARG ;;
    n) runs=(--repeat "$OPTARG") ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[[ $# -ge 2 ]] || usage
trawl=$1 directory=$2
shift 2
[[ -x $trawl ]] || fail "$trawl: expected the command trawl"
workloads=("$@")
if [[ ${#workloads[@]} -eq 0 ]]; then
    for patterns in "$directory"/*.pats.txt; do
        [[ -e $patterns ]] && workloads+=("$(basename "$patterns" .pats.txt)")
    done
fi
[[ ${#workloads[@]} -gt 0 ]] || fail "$directory: expected files NAME.pats.txt"

# text_of WORKLOAD
text_of() {
    case $1 in
    dna*) echo "$directory/dna.txt" ;;
    code*) echo "$directory/code.txt" ;;
    bin*) echo "$directory/bin.dat" ;;
    *) echo "$directory/english.txt" ;;
    esac
}

# Reads bench's JSON, the peer's row last; $1 is the workload. Writes the heading when $2 is 1.
table_row() {
    awk -v workload="$1" -v heading="$2" '
        function value(key) {
            match($0, "\"" key "\":\"?[^,\"}]*")
            text = substr($0, RSTART, RLENGTH)
            sub("\"" key "\":\"?", "", text)
            return text
        }
        { name[NR] = value("engine") " " value("variant"); speed[NR] = value("median")
          matches = value("matches") }
        END {
            if (name[NR] !~ /^(hyperscan|vectorscan|libhs) /) exit 1
            peer = NR
            if (heading) {
                printf "| workload | matches | %s |", name[peer]
                for (i = 1; i < peer; i++) printf " %s |", name[i]
                printf "\n|---|---|---|"
                for (i = 1; i < peer; i++) printf "---|"
                printf "\n"
            }
            printf "| %s | %s | %.3f |", workload, matches, speed[peer]
            for (i = 1; i < peer; i++) printf " %.3f (%.2fx) |", speed[i], speed[i] / speed[peer]
            printf "\n"
        }'
}

heading=1
for workload in "${workloads[@]}"; do
    rows=$("$trawl" bench -f "$directory/$workload.pats.txt" --engine "$engines" --peers \
        --limit "$limit" "${runs[@]}" --format json "$(text_of "$workload")")
    table_row "$workload" "$heading" <<<"$rows" || fail "$workload: expected the row of a peer, got:
$rows"
    heading=0
done
