# SPDX-License-Identifier: MIT OR Apache-2.0
# bash completion for trawl. Flags are read from --help, and engines from `trawl engines`, so that
# this file need not list them.

_trawl_words() {
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

# `trawl engines` prints "NAME: summary" for an engine, "  NAME  summary" for its variants and, below
# "  kernels on CUDA devices", "    NAME  summary" for its kernels.
_trawl_engines() {
    "$1" engines 2>/dev/null | sed -nE 's/^([a-z-]+):.*/\1/p'
}

# The variants (with "kernels" as $2: the kernels) of the engine that the command line names, or of
# all engines.
_trawl_variants() {
    local engine
    engine=$(sed -nE 's/.* --engine[ =]+([a-z-]+).*/\1/p' <<<"${COMP_WORDS[*]}")
    "$1" engines 2>/dev/null | awk -v wanted="$engine" -v kernels="$2" '
        /^[a-z-]+:/ { mine = wanted == "" || $1 == wanted ":"; next }
        mine && kernels && /^    [a-z]/ { print $1 }
        mine && !kernels && /^  [a-z]/ && $1 != "source:" && $1 != "kernels" { print $1 }'
}

_trawl_flags() {
    "$1" "$2" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]+' | sort -u
}

_trawl_commands="scan grep replace cat compile index info bench tune reproduce devices engines help"

_trawl() {
    local trawl=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]}
    local previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        _trawl_words "$_trawl_commands --help --version" "$current"
        return
    fi
    # Readline splits at "=": --engine=ac arrives as three words.
    if [[ $current == "=" ]]; then
        current="" previous=${COMP_WORDS[COMP_CWORD - 1]}
    elif [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $previous in
        --engine) _trawl_words "auto $(_trawl_engines "$trawl")" "$current" ;;
        --variant) _trawl_words "$(_trawl_variants "$trawl")" "$current" ;;
        --kernel) _trawl_words "$(_trawl_variants "$trawl" kernels)" "$current" ;;
        --transfer) _trawl_words "ring a b zero-copy" "$current" ;;
        --table-path) _trawl_words "texture read-only" "$current" ;;
        --form) _trawl_words "count patterns matches ends states" "$current" ;;
        --matches) _trawl_words "all leftmost-first leftmost-longest" "$current" ;;
        --pattern-format) _trawl_words "lines escaped hex tsv map" "$current" ;;
        --records) _trawl_words "lines nul" "$current" ;;
        --placement) _trawl_words "none spread close" "$current" ;;
        --device) _trawl_words "auto cpu cuda" "$current" ;;
        --format)
            case $command in
                scan) _trawl_words "tsv jsonl count top" "$current" ;;
                index) _trawl_words "tsv jsonl" "$current" ;;
                info) _trawl_words "text json" "$current" ;;
                *) _trawl_words "table json" "$current" ;;
            esac
            ;;
        --color | --colour) _trawl_words "always never auto" "$current" ;;
        *)
            if [[ $command == help && COMP_CWORD -eq 2 ]]; then
                _trawl_words "$_trawl_commands" "$current"
            elif [[ $command == help && $previous == index ]] || [[ $command == index && COMP_CWORD -eq 2 ]]; then
                _trawl_words "build query" "$current"
            elif [[ $command == index && $current == -* ]]; then
                _trawl_words "$("$trawl" index "${COMP_WORDS[2]}" --help 2>/dev/null |
                    grep -oE -e '--[a-z][a-z-]+' | sort -u)" "$current"
            elif [[ $command == engines && $current != -* ]]; then
                _trawl_words "$(_trawl_engines "$trawl")" "$current"
            elif [[ $command == reproduce && $current != -* && $previous != -o ]]; then
                _trawl_words "$("$trawl" reproduce --list 2>/dev/null | cut -f 1)" "$current"
            elif [[ $current == -* ]]; then
                _trawl_words "$(_trawl_flags "$trawl" "$command")" "$current"
            fi
            ;;
    esac
}

# -o default: if nothing above fits, file names.
complete -o default -F _trawl trawl
