#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks who includes whom: the folders form layers, and arrows never run backwards.
# usage: tools/check_includes.sh       from anywhere; exit status 1 and a list on a violation
set -euo pipefail
cd "$(dirname "$0")/.."

# folder -> the other folders of src/ that its files may include
declare -A allowed=(
    [src/common]=""
    [src/pattern]="common"
    [src/automaton]="common pattern"
    [src/engine]="common pattern automaton"
    [src/cpu]="common pattern automaton engine"
    [src/cuda]="common pattern automaton engine"
    [src/db]="common pattern automaton engine"
    [src/plan]="common pattern automaton engine cuda"
    [src/run]="common pattern automaton engine cpu cuda db plan"
    [src/source]="common pattern"
    [src/index]="common"
    [cli]="source"
    [mpi]="source"
    [bench]=""
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

while IFS=: read -r file line include; do
    folder=${file%/*}
    [[ $folder == src/* ]] || [[ $folder == include/trawl ]] || folder=${file%%/*}
    include=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*//' <<<"$include")
    case $include in
        '<cuda'* | '<cub/'* | '<thrust/'* | '"cuda_runtime.h"')
            # ... and to the tests that stand in for CUDA or reach device memory.
            [[ $folder == src/cuda || $file == tests/emulator/* || $file == tests/gpu/*.cu ]] ||
                violation "$file:$line" "CUDA headers belong in src/cuda alone: $include"
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
            [[ $folder == tests || $folder == fuzz ]] && continue
            target=${include#\"}
            target=${target%%/*}
            if [[ ! -v "allowed[$folder]" ]]; then
                violation "$file:$line" "folder $folder has no rule in tools/check_includes.sh"
            elif [[ src/$target != "$folder" && " ${allowed[$folder]} " != *" $target "* ]]; then
                violation "$file:$line" "$folder may include [${allowed[$folder]}], not $include"
            fi
            ;;
    esac
done < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.cpp' |
    xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null)

((status == 0)) || echo "tools/check_includes.sh: the layers are described in docs/ARCHITECTURE.md"
exit $status
