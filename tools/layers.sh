# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=bash
# The layers: which folder may use which others. tools/check_includes.sh reads this table for includes,
# tools/check_calls.sh for calls; docs/internals/architecture.md has the picture.

# folder -> the folders whose files it may include and whose functions it may call, named from src/. The
# folder of a file is the longest one listed here that holds it: src/engines/qgram/cuda/full_strips.cu is in
# src/engines/qgram. A folder may always use itself; a rule that names a file allows that file alone;
# `engines` allows all engines' folders.
of_engine="base constants pattern automaton database scan costs gpu engines/engines.h engines/engines.cuh" # without a line of its own
declare -A allowed=(
    [src/base]=""
    [src/constants]=""
    [src/pattern]="base"
    [src/automaton]="base pattern"
    [src/database]="base pattern automaton"
    [src/scan]="base constants pattern automaton database"
    [src/costs]="base constants pattern automaton database scan"
    [src/gpu]="base pattern automaton database scan"
    [src/engines]="base constants pattern automaton database scan costs gpu"
    [src/engines/ac_split]="$of_engine engines/ac_dfa"
    [src/engines/qgram]="$of_engine engines/ac_dfa"
    [src/plan]="base constants pattern automaton database costs scan gpu engines"
    [src/run]="base constants pattern automaton database costs scan gpu engines plan"
    [src/calibrate]="base constants pattern automaton database costs scan gpu engines plan run"
    [src/io]="base pattern"
    [src/index]="base"
    [cli]="cli io"
    [mpi]="io cli"
    [python]=""
    [include/trawl]=""
)
for folder in src/engines/*/; do
    folder=${folder%/}
    [[ -v "allowed[$folder]" ]] || allowed[$folder]=$of_engine
done
# cli/base, cli/flags, cli/target and cli/parts are what commands share; every other folder of cli/ holds one
# command and may use these four. cli/main.c may use all.
declare -A cli_allowed=([base]="" [flags]="base" [target]="base flags" [parts]="base flags")

# The longest listed folder that holds the file $1.
folder_of() {
    local folder=${1%/*}
    while [[ ! -v "allowed[$folder]" && $folder == */* ]]; do
        folder=${folder%/*}
    done
    printf '%s' "$folder"
}

# Whether a file in the listed folder $1 may use the file $2.
may_use() {
    local folder=$1 path=${2#src/} rule
    [[ $(folder_of "$2") == "$folder" ]] && return 0
    for rule in ${allowed[$folder]}; do
        [[ $path == "$rule" || $path == "$rule"/* ]] && return 0
    done
    return 1
}

# Which folders of cli/ the file cli/$1 may use, besides its own.
rules_of_command() { printf '%s' "${cli_allowed[${1%%/*}]-base flags target parts}"; }

# Whether the file cli/$1 may use the file cli/$2.
may_use_command() {
    [[ $1 == main.c || ${2%%/*} == "${1%%/*}" || " $(rules_of_command "$1") " == *" ${2%%/*} "* ]]
}
