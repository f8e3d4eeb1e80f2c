#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs the Debian packages that a task of this project lacks on this machine; says which and
# why; does nothing where all is there. Checks for the things themselves, not for the packages, so
# that tools from elsewhere are as good.
#
# usage: tools/install.sh build|check|demo|ci|arm|mpi|mpich  each includes what it builds upon
# TRAWL_NO_INSTALL=1 forbids installing: what is missing is named, and only what is indispensable
# makes it fail.
set -euo pipefail

# task | needed or useful | package | how to tell that it is there | what it is for
table() {
    cat <<'TABLE'
build | needed | gcc           | compiler                        | the C compiler
build | needed | libc6-dev     | header stdio.h                  | the C library's headers
build | needed | cmake         | command cmake                   | configures the build
build | needed | pkg-config    | command pkg-config              | finds libraries for the build
build | needed | libxxhash-dev | module libxxhash                | checksums of databases
build | useful | zlib1g-dev    | module zlib                     | reading .gz files
build | useful | libzstd-dev   | module libzstd                  | reading .zst files
build | useful | liblzma-dev   | module liblzma                  | reading .xz files
check | needed | libcmocka-dev | module cmocka                   | the test framework
check | useful | g++           | command c++                     | runs CUDA kernels on the CPU
check | needed | zstd          | command zstd                    | tests make .zst files
check | needed | xz-utils      | command xz                      | tests make .xz files
demo  | useful | wamerican     | file /usr/share/dict/american-english | words to search for
demo  | useful | ripgrep       | command rg                      | a program to compare with
ci    | needed | git           | command git                     | lists the files to check
ci    | needed | clang         | command clang                   | second compiler, fuzzers, sanitizers
ci    | needed | libclang-rt-dev | file /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer* | clang's sanitizers and fuzzer
ci    | needed | llvm          | command llvm-symbolizer         | readable reports of sanitizers
ci    | needed | clang-format  | command clang-format            | checks the layout of the code
ci    | useful | ninja-build   | command ninja                   | builds only what is tested
ci    | needed | clang-tidy    | command clang-tidy              | checks the code for likely mistakes
ci    | useful | libhyperscan5 | file /usr/lib/*/libhs.so.5     | a peer for the tests of trawl bench
mpi   | needed | libopenmpi-dev | command mpicc                 | MPI for trawl-mpi
mpi   | needed | openmpi-bin   | command mpirun                  | starts processes of MPI
mpich | needed | libmpich-dev  | command mpicc.mpich             | another MPI for trawl-mpi
mpich | needed | mpich         | command mpirun.mpich            | starts its processes
arm   | needed | gcc-aarch64-linux-gnu | command aarch64-linux-gnu-gcc | the compiler for 64-bit Arm
arm   | needed | libc6-dev-arm64-cross | file /usr/aarch64-linux-gnu/include/stdio.h | its C library's headers
arm   | needed | qemu-user     | command qemu-aarch64            | runs programs for Arm on this machine
TABLE
}

compiler=${CC:-cc}

present() {
    case $1 in
        compiler) command -v "$compiler" >/dev/null ;;
        command) command -v "$2" >/dev/null ;;
        file) compgen -G "$2" >/dev/null ;;
        header) echo "#include <$2>" | try_compile -fsyntax-only ;;
        module) command -v pkg-config >/dev/null && pkg-config --exists "$2" ;;
    esac
}
try_compile() {
    command -v "$compiler" >/dev/null && "$compiler" -x c "$@" - 2>/dev/null
}

case ${1-} in
    build) tasks=" build " ;;
    check) tasks=" build check " ;;
    demo) tasks=" build demo " ;;
    ci) tasks=" build check ci " ;;
    mpi) tasks=" build mpi " ;;
    mpich) tasks=" build mpich " ;;
    arm) tasks=" build arm " ;; # the libraries: tools/arm_libraries.sh
    *)
        echo "usage: tools/install.sh build|check|demo|ci|arm|mpi|mpich" >&2
        exit 2
        ;;
esac

packages=() lines=() indispensable=0
while IFS='|' read -r task need package how why; do
    read -r task <<<"$task"
    [[ $tasks == *" $task "* ]] || continue
    read -r need <<<"$need"
    read -r package <<<"$package"
    read -r how argument <<<"$how"
    read -r why <<<"$why"
    if ! present "$how" "$argument"; then
        packages+=("$package")
        lines+=("$(printf '  %-17s %s%s' "$package" "$why" \
            "$([[ $need == useful ]] && echo ' (optional)')")")
        [[ $need == useful ]] || indispensable=1
    fi
done < <(table)

((${#packages[@]} > 0)) || exit 0

echo "Missing on this machine (task: $1):" >&2
printf '%s\n' "${lines[@]}" >&2
command="apt-get install --no-install-recommends ${packages[*]}"

if [[ ${TRAWL_NO_INSTALL-} == 1 ]]; then
    echo "TRAWL_NO_INSTALL=1: not installed. As root: $command" >&2
    exit $indispensable
fi
if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get here: install the equivalents of these Debian packages." >&2
    exit $indispensable
fi
as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "Installing needs root, and there is no sudo. As root: $command" >&2
        exit $indispensable
    fi
    as_root=(sudo)
fi

echo "Installing them with apt-get (TRAWL_NO_INSTALL=1 forbids this)." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A lock held by another apt is waited for.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=120 "$@" >>"$log" 2>&1 </dev/null
}
# An outdated list of packages is the usual reason for a failure; one unreachable source among
# several is none.
apt update || true
if ! apt install --no-install-recommends "${packages[@]}"; then
    tail -n 20 "$log" >&2
    echo "tools/install.sh: apt-get failed (above). By hand, as root: $command" >&2
    exit 1
fi
