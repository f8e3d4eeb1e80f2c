#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks who calls whom, in the objects of a build: a folder may call what tools/layers.sh allows it to
# include, and calls between folders form no circle. An include can hide behind the public header or a
# declaration; a call cannot. Whoever needs something from above is given a function pointer, as walkers are
# given open_fallback (src/scan/contract.h).
# usage: tools/check_calls.sh [BUILD_DIR]       default: build/release; exit status 1 and a list on a violation
# The CUDA module takes part if the build has its objects: by nvcc, or by the tests' emulator.
set -euo pipefail
shopt -s inherit_errexit
build=$(realpath "${1:-build/release}")
cd "$(dirname "$0")/.."
source tools/layers.sh
: "${NM:=nm}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# "OBJECT SOURCE" for each object of the library and the command whose source still exists.
list_objects() {
    find "$build" -name '*.o' | sort | while IFS= read -r object; do
        case $object in
            */trawl-core.dir/* | */trawl-cuda.dir/* | */trawl-io.dir/* | */trawl.dir/* | */trawl-commands.dir/* | */trawl-emulated.dir/*) ;;
            *) continue ;;
        esac
        source=${object#*.dir/}
        source=${source//__\//}
        source=${source%.o}
        [[ -f $source ]] && printf '%s %s\n' "$object" "$source"
    done
    return 0
}
list_objects >"$work/objects"

missing=$(comm -13 <(awk '{ print $2 }' "$work/objects" | sort -u) \
    <(git ls-files -- 'src/*.c' 'cli/*.c' ':!src/*absent.c' | sort))
if [[ -n $missing ]]; then
    printf 'tools/check_calls.sh: %s has no objects of these files; build the target trawl first:\n%s\n' \
        "$build" "$missing" >&2
    exit 1
fi
grep -q '\.cu$' "$work/objects" ||
    echo "tools/check_calls.sh: no objects of the CUDA module here: calls of its files are not checked"

# "SYMBOL TYPE SOURCE" for each global symbol. Weak ones are inline functions and templates of headers,
# which every file that needs them has; absent.c stands in for the CUDA module where that is missing.
symbols() {
    awk '{ print $1 }' "$work/objects" | xargs "$NM" -Ag | awk -v objects="$work/objects" '
        BEGIN { while ((getline line < objects) > 0) { split(line, f, " "); source_of[f[1]] = f[2] } }
        {
            colon = index($0, ".o:")
            object = substr($0, 1, colon + 1)
            n = split(substr($0, colon + 3), f, " ")
            print f[n], f[n - 1], source_of[object]
        }' | sort -u
}
symbols >"$work/symbols"

# "USER OWNER SYMBOL TYPE", one symbol for each pair of files, for files of different folders.
uses() {
    awk '
        function folder(path) { sub("/[^/]*$", "", path); return path }
        $2 ~ /^[TDBRGSC]$/ && (!($1 in owner) || owner[$1] ~ /\/gpu\/absent.c$/) {
            owner[$1] = $3
            type[$1] = $2
        }
        $2 == "U" { user[++count] = $3; symbol[count] = $1 }
        END {
            for (i = 1; i <= count; i++) {
                to = owner[symbol[i]]
                if (to != "" && folder(to) != folder(user[i]) && !seen[user[i], to, type[symbol[i]]]++)
                    print user[i], to, symbol[i], type[symbol[i]]
            }
        }' "$work/symbols" | sort
}
uses >"$work/uses"
[[ -s $work/uses ]] || { echo "tools/check_calls.sh: no calls found; is $NM the right tool?" >&2; exit 1; }

# Public functions, which cli/ and src/io see through include/trawl.
public=$(cat include/trawl/*.h | tr '\n' ' ' | grep -oE 'TRAWL_API [^;(]*\(' | grep -oE 'trawl_[a-z0-9_]+\($' |
    tr -d '(' | sort -u)
is_public() { [[ $'\n'$public$'\n' == *$'\n'$1$'\n'* ]]; }

# Whether the file $1 may use the symbol $3 of the file $2, of nm's type $4.
may_call() {
    local from
    from=$(folder_of "$1")
    case $from in
        cli)
            [[ $2 != cli/* ]] || { may_use_command "${1#cli/}" "${2#cli/}"; return; }
            is_public "$3" || may_use "$from" "$2"
            ;;
        src/io) is_public "$3" || may_use "$from" "$2" ;;
        # The list of engines refers to the engines' descriptions, which are data, and calls none of them.
        src/engines) may_use "$from" "$2" || [[ $2 == src/engines/* && $4 != T ]] ;;
        *) may_use "$from" "$2" ;;
    esac
}

while read -r user owner symbol type; do
    if ! may_call "$user" "$owner" "$symbol" "$type"; then
        printf '%s: uses %s of %s, which tools/layers.sh does not allow\n' "$user" \
            "$(c++filt "$symbol")" "$owner"
        status=1
    fi
    echo "$(folder_of "$user") $(folder_of "$owner")" >>"$work/arrows"
done <"$work/uses"

# Circles between folders of the table; tsort prints one on its standard error.
if ! sort -u "$work/arrows" | awk '$1 != $2' | tsort >/dev/null 2>"$work/circle"; then
    echo "calls between these folders form a circle:"
    sed 's/^tsort: -: *//; s/^tsort: */  /; /contains a loop/d' "$work/circle"
    status=1
fi
exit $status
