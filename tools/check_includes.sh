#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks who includes whom: the folders form layers, and arrows never run backwards.
# usage: tools/check_includes.sh       from anywhere; exit status 1 and a list on a violation
set -euo pipefail
cd "$(dirname "$0")/.."

# folder -> the folders whose files it may include. The folder of a file is the longest one listed here that
# holds it: src/engines/qgram/cuda/walk.cu is in src/engines/qgram. A folder may always include itself.
declare -A allowed=(
    [src/base]=""
    [src/pattern]="base"
    [src/automaton]="base pattern"
    [src/database]="base pattern automaton"
    [src/scan]="base pattern automaton database"
    [src/costs]="base pattern automaton database scan"
    [src/gpu]="base pattern automaton database scan engines/list.h"
    [src/engines/ac_dfa]="base pattern automaton database scan costs gpu engines/engines.h"
    [src/engines/ac_nfa]="base pattern automaton database scan costs gpu engines/engines.h"
    [src/engines/ac_split]="base pattern automaton database scan costs gpu engines/engines.h engines/ac_dfa"
    [src/engines/wu_manber]="base pattern automaton database scan costs gpu engines/engines.h"
    [src/engines/rabin_karp]="base pattern automaton database scan costs gpu engines/engines.h"
    [src/engines/qgram]="base pattern automaton database scan costs gpu engines/engines.h engines/ac_dfa"
    [src/engines]="base pattern automaton database scan costs gpu"
    [src/plan]="base pattern automaton database costs scan gpu engines"
    [src/run]="base pattern automaton database costs scan gpu engines plan"
    [src/calibrate]="base pattern automaton database costs scan gpu engines plan run"
    [src/io]="base pattern"
    [src/index]="base"
    [cli]="cli io"
    [mpi]="io"
    [python]=""
    [include/trawl]=""
)
# What commands share; other folders of cli/ hold one command each and may include these three.
declare -A cli_allowed=([base]="" [flags]="base" [target]="base flags")
status=0
violation() {
    echo "$1: $2"
    status=1
}

# The longest listed folder that holds the file.
folder_of() {
    local folder=${1%/*}
    while [[ ! -v "allowed[$folder]" && $folder == */* ]]; do
        folder=${folder%/*}
    done
    printf '%s' "$folder"
}

# Whether an include of the path $2 (as written, from src/ or from the root) is allowed in folder $1.
may_include() {
    local folder=$1 path=$2 rule
    local target
    target=$(folder_of "src/$path")
    [[ $target == "$folder" ]] && return 0
    for rule in ${allowed[$folder]}; do
        # A rule that names a file allows that file; `engines` allows all engines' folders.
        [[ $path == "$rule" || $path == "$rule"/* ]] && return 0
    done
    return 1
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
            [[ $folder == cli || $folder == tests || $folder == fuzz ]] ||
                violation "$file:$line" "cli/ is for the command and its tests: $include"
            [[ $folder == cli ]] || continue
            from=${file#cli/}
            to=${include#\"cli/}
            may=${cli_allowed[${from%%/*}]-base flags target}
            [[ $from == main.c || ${to%%/*} == "${from%%/*}" || " $may " == *" ${to%%/*} "* ]] ||
                violation "$file:$line" "cli/${from%%/*} may include cli/[$may], not $include"
            ;;
        '"'*/*)
            [[ $file == tests/* || $file == fuzz/* ]] && continue
            path=${include#\"}
            path=${path%%\"*}
            if [[ ! -v "allowed[$folder]" ]]; then
                violation "$file:$line" "folder $folder has no rule in tools/check_includes.sh"
            elif ! may_include "$folder" "$path"; then
                violation "$file:$line" "$folder may include [${allowed[$folder]}], not $path"
            fi
            ;;
    esac
done < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.cpp' |
    xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null)

# CUDA files live in cuda/ folders and in the GPU's machinery.
while IFS= read -r file; do
    [[ $file == src/gpu/* || $file == src/run/gpu/* || $file == src/engines/*/cuda/* || $file == src/engines/registry.cu* ]] ||
        violation "$file" "CUDA files belong in src/gpu, src/run/gpu, src/engines/*/cuda and src/engines/registry.cu"
done < <(git ls-files -co --exclude-standard -- 'src/*.cu' 'src/*.cuh')

((status == 0)) || echo "tools/check_includes.sh: the layers are described in docs/internals/architecture.md"
exit $status
