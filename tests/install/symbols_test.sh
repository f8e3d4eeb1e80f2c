#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks what the libraries show to a linker and what they take from the C library.
# usage: symbols_test.sh SHARED STATIC HEADERS CONFIGURATION     environment: NM, OBJDUMP
set -euo pipefail
shared=$1 static=$2 headers=$3 configuration=$4
status=0

# check MESSAGE COMMAND...: whatever the command prints offends.
check() {
    local message=$1 lines
    shift
    lines=$("$@")
    if [[ -n $lines ]]; then
        printf 'symbols_test: %s:\n%s\n' "$message" "$lines" >&2
        status=1
    fi
}

declared() {
    cat "$headers"/*.h | tr '\n' ' ' | grep -oE 'TRAWL_API [^;(]*\(' |
        grep -oE 'trawl_[a-z0-9_]+\($' | tr -d '(' | sort -u
}
exported() {
    "$NM" -D --defined-only "$shared" | awk '{ print $NF }' | sed 's/@.*//' | sort -u
}
not_declared() { comm -13 <(declared) <(exported); }
not_exported() { comm -23 <(declared) <(exported); }
check "exported, but no header declares it" not_declared
check "declared in a header, but not exported" not_exported

# A static library cannot hide names: a prefix keeps them out of its users' way. (A name that begins
# with a full stop is the compiler's own; templates of CUDA's C++ libraries are weak and have their
# namespace, which holds the version.)
without_prefix() {
    "$NM" -gC --defined-only "$static" | awk '
        NF < 3 || $3 ~ /^(trawl_|[.])/ { next }
        $2 ~ /[WVu]/ && /[ (](cub|cuda|thrust)::/ { next }
        { print }'
}
check "global name without the prefix trawl_" without_prefix

# The library never prints, never ends the process, and leaves locale, environment and signals to
# its user. Assertions are for debug builds.
forbidden='v?f?printf|__v?f?printf_chk|puts|fputs|fputc|putchar|putc|fwrite|perror|stdout|stderr|'
forbidden+='syslog|abort|_?exit|_Exit|quick_exit|v?err|v?errx|error|v?warn|v?warnx|setlocale|'
forbidden+='setenv|putenv|signal|sigaction|raise|kill|system|popen'
[[ $configuration == Debug ]] || forbidden+='|__assert_fail'
# CUDA's C++ libraries call exit where they would throw an exception.
forbidden_calls() {
    "$NM" -u "$static" | awk -v forbidden="^($forbidden)\$" '
        NF == 1 { cuda = $1 ~ /[.]cu[.]o:$/ }
        NF == 2 && $2 ~ forbidden && !(cuda && $2 == "exit") { print $2 }' | sort -u
}
check "the library must not call" forbidden_calls

# No mutable global state. Constant tables of pointers lie in .data.rel.ro and are fine; so is what
# registers kernels with CUDA, what its C++ libraries remember of devices, and constant memory with
# the name of its holder (src/engines/ac_nfa/cuda/constant.cu).
mutable_data() {
    "$OBJDUMP" -tC "$static" | awk '
        !/ O ([.]t?(data|bss)([.]_Z[^[:space:]]*)?|[*]COM[*])[[:space:]]/ || $NF ~ /^[.]/ { next }
        / (__cudaFatCubinHandle|__cudaPrelaunch[a-zA-Z]*)$/ || /__device_stub__/ { next }
        /[ (](cub|cuda|thrust)::/ { next }
        / trawl_nfa_constant(_lock|_holders)?$/ { next }
        { print }'
}
check "mutable global or static data" mutable_data

((status == 0)) && echo "symbols_test: passed"
exit $status
