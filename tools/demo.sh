#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds trawl and shows its main job: the lines of a 100 MB log that contain one of 10,000 words as a
# whole word, or one of 100,000 host names, beside GNU grep and ripgrep. Everything is measured here and
# now; a peer that takes too long gets a shorter part of the log, and the table says so.
# usage: tools/demo.sh TRAWL DIRECTORY COMMAND...
# COMMAND builds TRAWL. DIRECTORY keeps the log of the build, and the inputs for a second look.
set -euo pipefail
export LC_ALL=C
trawl=$1 directory=$2
shift 2
log_bytes=100000000 words_wanted=10000 hosts_wanted=100000
# Seconds that a peer gets for the whole log, and for each shorter part of it.
whole_seconds=10 part_seconds=4

fail() {
    printf '\ndemo: %s\n' "$*" >&2
    exit 1
}
# stage TITLE COMMAND...: a line for each stage, with its seconds.
stage() {
    local begin=$EPOCHREALTIME title=$1
    shift
    printf '%-66s' "$title"
    "$@"
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%8.1f s\n", b - a }'
}
# timed COMMAND...: leaves in $took the seconds that it took, in $status how it ended.
timed() {
    local begin=$EPOCHREALTIME
    status=0
    "$@" || status=$?
    took=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
}
group() { sed -E ':a; s/([0-9])([0-9]{3})($|[^0-9])/\1,\2\3/; ta' <<<"$1"; }

# ------------------------------------------------------------------ build and input

build() {
    "$@" >"$directory/build.log" 2>&1 </dev/null && return
    printf '\n' >&2
    tail -n 40 "$directory/build.log" >&2
    fail "the build failed; all of its output: $directory/build.log"
}

# Words of a dictionary; without one, words made of syllables.
vocabulary() {
    local file
    for file in /usr/share/dict/american-english /usr/share/dict/words; do
        [[ -r $file ]] && grep -E '^[a-z]{4,}$' "$file" && return
    done
    awk 'BEGIN {
        split("ba co di fu ge hi jo ka lu me ni po qua ra si to vu wa xe zi", syllable, " ")
        for (i = 0; i < 60000; i++)
            print syllable[i % 20 + 1] syllable[int(i / 20) % 20 + 1] syllable[int(i / 400) % 20 + 1] \
                (i < 8000 ? "" : syllable[int(i / 8000) + 1])
    }'
}

# A server's log, the same on each machine with the same dictionary; into the file `hosts`, mail hosts.
write_log() {
    awk -v vocabulary="$directory/vocabulary" -v limit="$log_bytes" -v hosts="$directory/hosts" \
        -v hosts_wanted="$hosts_wanted" '
        function random(n) { seed = seed * 16807 % 2147483647; return seed % n }
        function word() { return words[random(count)] }
        function address() { return "10." random(256) "." random(256) "." random(256) }
        function host() { return words[random(3000) * 19 % count] words[random(3000) * 19 % count] ".example" }
        BEGIN {
            while ((getline line < vocabulary) > 0) words[count++] = line
            seed = 20261123
            while (made < hosts_wanted) {
                name = host()
                if (!(name in known)) { known[name]; print name > hosts; made++ }
            }
            while (written < limit) {
                now += random(3)
                kind = random(8)
                if (kind < 4)
                    line = "nginx: " address() " \"GET /" word() "/" word() "?id=" random(1000000) \
                        " HTTP/1.1\" 200 " random(50000) " \"Mozilla/5.0\""
                else if (kind < 6)
                    line = "postfix/smtpd[" random(30000) "]: connect from mail." host() "[" address() "]"
                else if (kind < 7)
                    line = "sshd[" random(30000) "]: Failed password for invalid user " word() " from " \
                        address() " port " 1024 + random(60000) " ssh2"
                else
                    line = "sshd[" random(30000) "]: Accepted publickey for " word() random(100) " from " address()
                line = sprintf("Nov %02d %02d:%02d:%02d web%02d ", 1 + now / 86400, now / 3600 % 24,
                    now / 60 % 60, now % 60, random(40)) line
                print line
                written += length(line) + 1
            }
        }'
}

make_input() {
    [[ ! -s $directory/log ]] || return 0
    vocabulary >"$directory/vocabulary"
    # Every sixth word or so, so that the list is spread over the alphabet.
    awk -v wanted="$words_wanted" -v all="$(wc -l <"$directory/vocabulary")" \
        'int(NR * wanted / all) > int((NR - 1) * wanted / all)' "$directory/vocabulary" >"$directory/words"
    write_log >"$directory/log.part"
    mv "$directory/log.part" "$directory/log"
}

# ------------------------------------------------------------------ measurements

# row TITLE BYTES LINES
row() {
    awk -v title="$1" -v bytes="$2" -v seconds="$took" -v lines="$(group "$3")" 'BEGIN {
        speed = bytes / 1e6 / seconds
        printf "%-38s %5.1f MB %7.2f s %7.*f MB/s %8s\n", title, bytes / 1e6, seconds, speed < 1 ? 3 : 1,
            speed, lines }' >>"$table"
}

# own TITLE [FLAG...]
own() {
    timed "$trawl" grep "${@:2}" "${flags[@]}" "$directory/log" >"$directory/trawl.out"
    ((status == 0)) || fail "trawl grep ended with status $status"
    row "$1" "$(stat -c %s "$directory/log")" "$(wc -l <"$directory/trawl.out")"
}

# peer TITLE LOCALE COMMAND...: the first of the parts of the log on which the peer ends in time. It must
# print what trawl prints.
peer() {
    local title=$1 locale=$2 seconds=$whole_seconds part=$directory/log bytes
    shift 2
    for bytes in "$log_bytes" 10000000 1000000 100000; do
        if ((bytes < log_bytes)); then
            part=$directory/part seconds=$part_seconds
            head -c "$bytes" "$directory/log" >"$part"
        fi
        timed env LC_ALL="$locale" timeout "$seconds" "$@" -F "${flags[@]}" "$part" \
            >"$directory/peer.out" 2>"$directory/peer.log"
        ((status == 124)) || break
    done
    if ((status == 124)); then
        printf '%-38s not finished with 0.1 MB after %s s\n' "$title" "$part_seconds" >>"$table"
        return 0
    fi
    if ((status > 1)); then
        printf '%-38s ended with status %s: %.60s\n' "$title" "$status" "$(head -n 1 "$directory/peer.log")" \
            >>"$table"
        return 0
    fi
    row "$title" "$bytes" "$(wc -l <"$directory/peer.out")"
    if ((bytes < log_bytes)); then
        printf '    not finished with the whole log after %s s\n' "$whole_seconds" >>"$table"
        "$trawl" grep "${flags[@]}" "$directory/part" >"$directory/part.out"
        cmp -s "$directory/part.out" "$directory/peer.out" || fail "trawl grep and $1 differ on $directory/part"
    else
        cmp -s "$directory/trawl.out" "$directory/peer.out" || fail "trawl grep and $1 differ on $directory/log"
    fi
}

# compare FILE [FLAG]: trawl, grep and ripgrep with the patterns of the file; the rows go to table.FILE.
compare() {
    local table=$directory/table.$1 flags=(${2:+"$2"} -f "$directory/$1") shown="${2:+$2 }-f $1 log"
    : >"$table"
    own "trawl grep $shown"
    # The peers have one thread, so trawl is also measured with one.
    own "trawl grep --threads 1 $shown" --threads 1
    [[ -z $utf8 ]] || peer "grep -F $shown" "$utf8" grep
    peer "LC_ALL=C grep -F $shown" C grep
    if command -v rg >/dev/null; then
        peer "rg -F $shown" C rg --no-config
    else
        echo 'rg -F: ripgrep is not here; as root: apt-get install ripgrep' >>"$table"
    fi
}

# ------------------------------------------------------------------ the demonstration

mkdir -p "$directory"
begin=$SECONDS
utf8=$(locale -a 2>/dev/null | grep -iE '\.utf-?8$' | sort -f | head -n 1 || true)
stage "Building trawl" build "$@"
stage "Writing a log of $((log_bytes / 1000000)) MB" make_input
words="$(group "$(wc -l <"$directory/words")") words" hosts="$(group "$(wc -l <"$directory/hosts")") host names"
stage "Searching it for $words, as whole words" compare words -w
stage "Searching it for $hosts" compare hosts

header() {
    printf '\n%s\n%-38s %8s %9s %12s %8s\n' "$1" command text time speed lines
}
header "Lines that contain one of $words as a whole word"
cat "$directory/table.words"
header "Lines that contain one of $hosts"
cat "$directory/table.hosts"
timed "$trawl" scan --stats -c -f "$directory/words" "$directory/log" >"$directory/count" \
    2>"$directory/statistics"
((status == 0)) || fail "trawl scan ended with status $status"
threads=$(sed -nE 's/.*"threads": *([0-9]+).*/\1/p' "$directory/statistics")
cat <<TEXT

Each output is that of trawl, byte for byte. Threads: trawl $threads, or 1 where the row says so; grep and rg 1.
trawl scan finds what grep and rg do not list: all occurrences, also those inside
other words and those that overlap. Counted (trawl scan -c -f words log):
$(group "$(<"$directory/count")") in $(printf '%.2f' "$took") s.

The inputs are in $directory. The demonstration took $((SECONDS - begin)) s.
TEXT
rm -f "$directory"/{trawl.out,peer.out,part.out,part,peer.log}
