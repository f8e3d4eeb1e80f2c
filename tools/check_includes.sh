#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks who includes whom: the folders form layers, arrows never run backwards, and files form no circle.
# usage: tools/check_includes.sh       from anywhere; exit status 1 and a list on a violation
set -euo pipefail
cd "$(dirname "$0")/.."

source tools/layers.sh
status=0
violation() {
    echo "$1: $2"
    status=1
}

while IFS=: read -r file line include; do
    folder=$(folder_of "$file")
    include=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*//' <<<"$include")
    case $include in
        '<cuda'* | '<cub/'* | '<thrust/'* | '"cuda_runtime.h"')
            # ... and to the tests that stand in for CUDA or reach device memory.
            [[ $file == src/*.cu || $file == src/*.cuh || $file == tests/emulator/* || $file == tests/gpu/*.cu ]] ||
                violation "$file:$line" "CUDA headers belong in .cu and .cuh files alone: $include"
            ;;
        '<mpi.h>' | '"mpi.h"')
            [[ $folder == mpi ]] || violation "$file:$line" "mpi.h belongs in mpi/ alone"
            ;;
        '"../'* | '"./'*)
            violation "$file:$line" "write the path from src/ or include/: $include"
            ;;
        '"trawl/'*) ;;
        '"cli/'*)
            [[ $folder == cli || $folder == mpi || $folder == tests || $folder == fuzz ]] ||
                violation "$file:$line" "cli/ is for the commands and their tests: $include"
            [[ $folder == cli ]] || continue
            from=${file#cli/}
            to=${include#\"cli/}
            may_use_command "$from" "$to" ||
                violation "$file:$line" "cli/${from%%/*} may include cli/[$(rules_of_command "$from")], not $include"
            ;;
        '"mpi/'*)
            [[ $folder == mpi || $folder == tests ]] || violation "$file:$line" "mpi/ is a program: $include"
            ;;
        '"'*/*)
            [[ $file == tests/* || $file == fuzz/* ]] && continue
            path=${include#\"}
            path=${path%%\"*}
            if [[ ! -v "allowed[$folder]" ]]; then
                violation "$file:$line" "folder $folder has no rule in tools/layers.sh"
            elif ! may_use "$folder" "src/$path"; then
                violation "$file:$line" "$folder may include [${allowed[$folder]}], not $path"
            fi
            ;;
    esac
done < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.cpp' |
    xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null)

# Circles between files; tsort prints one on its standard error. A name is a file of the includer's own folder, or
# a path from src/, include/ or the root.
includes_of_files() {
    git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.cpp' >"$work/files"
    xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null <"$work/files" |
        sed -E 's/^([^:]*):[^"]*"([^"]*)".*/\1 \2/' | awk -v files="$work/files" '
            BEGIN { while ((getline line < files) > 0) known[line] }
            {
                folder = $1
                sub("[^/]*$", "", folder)
                split(folder $2 " src/" $2 " include/" $2 " " $2, places, " ")
                for (i = 1; i <= 4; i++)
                    if (places[i] in known) {
                        print $1, places[i]
                        break
                    }
            }'
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! includes_of_files | tsort >/dev/null 2>"$work/circle"; then
    echo "these files include each other in a circle:"
    sed 's/^tsort: -: *//; s/^tsort: */  /; /contains a loop/d' "$work/circle"
    status=1
fi

# CUDA files live in cuda/ folders and in the GPU's machinery.
while IFS= read -r file; do
    [[ $file == src/gpu/* || $file == src/run/gpu/* || $file == src/engines/*/cuda/* || $file == src/engines/*.cu* ]] ||
        violation "$file" "CUDA files belong in src/gpu, src/run/gpu, src/engines/*/cuda and beside the list of engines"
done < <(git ls-files -co --exclude-standard -- 'src/*.cu' 'src/*.cuh')

((status == 0)) || echo "tools/check_includes.sh: the layers are described in docs/internals/architecture.md"
exit $status
