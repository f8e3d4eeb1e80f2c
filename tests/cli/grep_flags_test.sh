#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Random combinations of flags over a tree of files: `trawl grep` against `grep -F` of this machine.
# tests/grep/grep_random_test.c does the same for one text with random bytes. TRAWL_TEST_SEED and
# TRAWL_TEST_CASES choose other and more cases.
source "$(dirname "$0")/harness.sh" "$1"
gnu=$(type -P grep)
if ! "$gnu" -V | head -n 1 | "$gnu" -qE 'GNU grep\) (3\.([5-9]|[1-9][0-9])|[4-9])'; then
    echo 'skipped: no GNU grep 3.5 or later is installed'
    exit 77
fi
RANDOM=${TRAWL_TEST_SEED:-20260101}
cases=${TRAWL_TEST_CASES:-200}

# ------------------------------------------------------------------ files
mkdir -p tree/sub/.hidden tree/empty
words=(fox Fox foxes a_fox fox-1 ox xof quick quicker brown "brown fox" dog dogs '' the The . '*')
line() {
    local text='' count=$((RANDOM % 6)) i
    for ((i = 0; i < count; i++)); do text+="${words[RANDOM % ${#words[@]}]} "; done
    if ((RANDOM % 3)); then text=${text% }; fi
    echo "$text"
}
for file in tree/a tree/b.c tree/sub/c.c tree/sub/.hidden/d tree/-e; do
    for ((i = 0; i < 12; i++)); do line; done >"$file"
done
printf 'the fox' >>tree/a
printf 'dog\r\nfox\r\n' >>tree/b.c
{ line; printf 'fox\0dog\n'; line; } >tree/binary
{ printf 'fox\0dog quick\0\0'; line; } >tree/nul.z
: >tree/nothing
ln -s sub/c.c tree/link
ln -s missing tree/dangling
printf 'fox\ndog\nquick\n' >few
printf 'the\nfox\nfoxes\nbrown fox\nox\nfo\n-1\n' >nested
printf 'fox\n\n' >blank
: >none

# ------------------------------------------------------------------ cases
flags=(-n -b -c -l -L -o -v -x -w -i -H -h -q -s -z -a -I -Z -T -U '-m 0' '-m 1' '-m 2' '-m -1' '-A 1'
    '-B 1' '-C 2' -3 '-A 0' --color=always --color=never --label=in --line-buffered --no-messages
    --null --no-group-separator --group-separator=== --binary-files=text
    --binary-files=without-match --max-count=3 --no-ignore-case --initial-tab --count --only-matching
    '-d skip' '-D skip' '--include=*.c' '--exclude=*.c' --exclude-dir=sub)
sets=('-f few' '-f nested' '-e fox' '-e dog -e qu' '-f blank' '-f none' '-f few -e the' '-e fox -f nested')
operands=('tree/a' 'tree/a tree/b.c' 'tree/binary' 'tree/a tree/binary tree/nothing' 'tree/a tree/missing'
    'tree/nul.z' '-' '' '- tree/a' 'tree' 'tree/dangling tree/link' '-r tree' '-R tree/sub' '-r -h tree'
    'tree/b.c tree/-e' '-r --include=a tree')

# run OUT COMMAND...: output, messages without the program's name, status. With -r GNU grep prints
# files in the order of the file system.
run() {
    local out=$1
    shift
    "$@" <tree/b.c >.raw 2>.err
    echo "status $?" >"$out"
    if [[ $recursive ]]; then tr '\0' '\n' <.raw | sort; else cat .raw; fi >>"$out"
    sed 's/^[^:]*: //' .err | sort >>"$out"
}

for ((case = 0; case < cases; case++)); do
    chosen=()
    for ((i = RANDOM % 5; i >= 0; i--)); do chosen+=(${flags[RANDOM % ${#flags[@]}]}); done
    # shellcheck disable=SC2206
    chosen+=(${sets[RANDOM % ${#sets[@]}]})
    files=${operands[RANDOM % ${#operands[@]}]}
    recursive=
    [[ $files == -r* || $files == -R* ]] && recursive=1
    # differences that the manual names: -w with -x, -v with a negative -m, the order of -r
    all=" ${chosen[*]} "
    [[ $all == *' -x '* && $all == *' -w '* ]] && continue
    [[ $all == *' -v '* && $all == *' -m -1 '* ]] && continue
    [[ $recursive && $all =~ ' '(-A|-B|-C|-3|-m|--max-count) ]] && continue
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    run .theirs "$gnu" -F "${chosen[@]}" $files
    # shellcheck disable=SC2086
    run .ours "$trawl" grep "${chosen[@]}" $files
    if ! cmp -s .theirs .ours; then
        diff -a .theirs .ours >.out
        fail "grep -F ${chosen[*]} $files <tree/b.c (case $case; GNU grep: <, trawl: >)"
    fi
done

finish
