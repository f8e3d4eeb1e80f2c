#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks that what the documents name is there: relative links and their headings, files and folders in
# backticks or in blocks. Also the documents that code, scripts and manual pages name, and the source files
# that comments name. What is below docs/results is generated, and has a check of its own
# (tools/bench_report.py --check).
# With a command that is built (build/release/trawl, if it is there), also that each flag of its --help is
# in the manual page of the command, or in trawl(1).
# usage: tools/check_docs.sh [ROOT [TRAWL]]       exit status 1 and a list on a violation; 77 where git
#        does not know which files there are
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
git ls-files --error-unmatch README.md >/dev/null 2>&1 || exit 77
trawl=${2:-build/release/trawl}
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

# flags COMMAND...: what --help lists, one a line.
flags() { "$@" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -e '--.*' | sort -u; }
# described PAGE COMMAND...: whether the page, or trawl.1, has each of the command's flags.
described() {
    local page=docs/man/$1 flag
    shift
    [[ -e $page ]] || page=docs/man/trawl.1
    while IFS= read -r flag; do
        # In a page a dash is \- and a name may end before a blank, a quote or a backslash.
        grep -qE -e "${flag//-/\\\\-}([^a-z\\-]|\\\\[^-]|\$)" "$page" docs/man/trawl.1 ||
            violation "$page" "${*:2} has the flag $flag, which is not described"
    done < <(flags "$@")
}
if [[ -x $trawl ]]; then
    while IFS= read -r command; do
        described "trawl-$command.1" "$trawl" "$command"
    done < <("$trawl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help)
    described trawl-index.1 "$trawl" index build
    described trawl-index.1 "$trawl" index query
fi

exit $status
