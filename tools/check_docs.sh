#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks that what the documents name is there: relative links and their headings, files and folders in
# backticks or in blocks. Also the documents that code, scripts and manual pages name, and the source files
# that comments name. What is below docs/results is generated, and has a check of its own
# (tools/bench_report.py --check).
# usage: tools/check_docs.sh [ROOT]       exit status 1 and a list on a violation
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
status=0
violation() {
    echo "$1: $2"
    status=1
}

# The anchors of a document's headings, as GitHub makes them.
anchors() {
    awk '/^```/ { open = !open } !open && /^#+ /' "$1" | sed -E 's/^#+ //; s/\[([^]]*)\]\([^)]*\)/\1/g' |
        tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Links of a document outside code, one a line.
# shellcheck disable=SC2016  # backticks of Markdown
links() {
    awk '/^```/ { open = !open } !open' "$1" | sed -E 's/`[^`]*`//g' | grep -oE '\]\([^) ]+\)' |
        sed -E 's/^\]\((.*)\)$/\1/'
}

# Paths of this repository that a document names: in backticks, and in blocks.
paths() {
    awk '/^```/ { open = !open; next }
         open { print; next }
         { while (match($0, /`[^`]+`/)) { print substr($0, RSTART + 1, RLENGTH - 2)
                                          $0 = substr($0, RSTART + RLENGTH) } }' "$1" |
        grep -oE '(^|[[:space:]"(])(src|cli|include|tests|tools|docs|fuzz|cmake|completions)/[A-Za-z0-9_.*/-]*' |
        sed -E 's/^[[:space:]"(]//; s/[.,]+$//; s,/$,,'
}

while IFS= read -r file; do
    while IFS= read -r link; do
        case $link in http://* | https://* | mailto:*) continue ;; esac
        target=${link%%#*}
        target=${target:+$(dirname "$file")/$target}
        target=${target:-$file}
        if [[ ! -e $target ]]; then
            violation "$file" "the link $link leads nowhere"
        elif [[ $link == *'#'* && $target == *.md ]]; then
            anchors "$target" | grep -qxF -- "${link#*#}" ||
                violation "$file" "$target has no heading for the link $link"
        fi
    done < <(links "$file")
    while IFS= read -r path; do
        [[ $path == docs/results/* ]] && continue
        compgen -G "$path" >/dev/null || violation "$file" "there is no $path"
    done < <(paths "$file")
done < <(git ls-files -co --exclude-standard -- '*.md')

while IFS=: read -r file line path; do
    [[ $path == docs/results/* || -e $path ]] || violation "$file:$line" "there is no $path"
done < <(git ls-files -co --exclude-standard -- ':!*.md' ':!*.svg' ':!*.json' |
    xargs grep -noIE 'docs/[A-Za-z0-9_/-]+\.md' /dev/null)

# Source files that comments name, from any of their folders on: run/scan.c, scan.c. Placeholders are in
# capitals: engines/NAME/build.c.
declare -A known
while IFS= read -r file; do
    until [[ $file != */* ]]; do
        known[$file]=1
        file=${file#*/}
    done
    known[$file]=1
done < <(git ls-files -co --exclude-standard)
while IFS=: read -r file line name; do
    name=${name##[!a-z0-9_/]}
    [[ -v "known[$name]" ]] || violation "$file:$line" "there is no $name"
done < <(git ls-files -co --exclude-standard -- 'src/*.c' 'src/*.h' 'src/*.cu' 'src/*.cuh' 'cli/*.c' 'cli/*.h' \
    'include/*.h' | xargs grep -noIE '(^|[^A-Za-z0-9_/.<"%])[a-z0-9_]+(/[a-z0-9_]+)*\.(c|h|cu|cuh)\b' /dev/null)

exit $status
