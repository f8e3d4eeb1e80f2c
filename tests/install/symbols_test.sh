#!/usr/bin/env bash
# Checks what the libraries show to a linker and what they take from the C library.
# usage: symbols_test.sh SHARED STATIC HEADERS     environment: NM
set -euo pipefail
shared=$1 static=$2 headers=$3
status=0

# fail_if_any MESSAGE: the lines of standard input are offenders.
fail_if_any() {
    local lines
    lines=$(cat)
    if [[ -n $lines ]]; then
        printf 'symbols_test: %s:\n%s\n' "$1" "$lines" >&2
        status=1
    fi
}
functions() {
    awk '{ print $NF }' | sed 's/@.*//' | sort -u
}

# The shared library exports what the headers declare, nothing more and nothing less.
declared=$(cat "$headers"/*.h | tr '\n' ' ' | grep -oE 'TRAWL_API [^;(]*\(' |
    grep -oE 'trawl_[a-z0-9_]+\($' | tr -d '(' | sort -u)
exported=$("$NM" -D --defined-only "$shared" | functions)
comm -13 <(echo "$declared") <(echo "$exported") |
    fail_if_any "exported, but no header declares it"
comm -23 <(echo "$declared") <(echo "$exported") |
    fail_if_any "declared in a header, but not exported"

# A static library cannot hide names: a prefix keeps them out of its users' way.
"$NM" -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 && $3 !~ /^trawl_/ { print $3 }' |
    fail_if_any "global name without the prefix trawl_"

# The library never prints, never ends the process, and leaves locale, environment and signal
# handling to its user. (abort and __assert_fail: no assertion is left in a release build.)
forbidden='^(v?f?printf|__v?f?printf_chk|__vf?printf_chk|puts|fputs|fputc|putchar|putc|fwrite|perror|'
forbidden+='stdout|stderr|syslog|abort|__assert_fail|_?exit|_Exit|quick_exit|err|errx|error|warn|warnx|'
forbidden+='setlocale|setenv|putenv|signal|sigaction|raise|kill|system|popen)$'
"$NM" -u "$static" 2>/dev/null | awk '/ U / { print $2 }' | sort -u | grep -E "$forbidden" |
    fail_if_any "the library must not call"

# No mutable global state: neither .data nor .bss.
"$NM" "$static" 2>/dev/null | awk '$2 ~ /^[bBdDcC]$/ { print $3 }' | sort -u |
    fail_if_any "mutable global or static data"

((status == 0)) && echo "symbols_test: passed"
exit $status
