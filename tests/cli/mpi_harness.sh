# SPDX-License-Identifier: MIT OR Apache-2.0
# Sourced by the tests of trawl-mpi: `source mpi_harness.sh TRAWL TRAWL_MPI`, after which the names of further programs
# must be absolute. Ends the test, as skipped, where there is no mpirun for this trawl-mpi.
[ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm # fsync is slow elsewhere
mpi=$(readlink -f "$2")
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh" "$1"
export TRAWL_TEST_SEGMENT=1 # small segments
seed=${TRAWL_TEST_SEED:-$RANDOM}
# Programs of one MPI do not start under the mpirun of another.
options=()
case $(ldd "$mpi") in
    *libmpich*) mpirun=mpirun.mpich ;;
    *) mpirun=mpirun.openmpi ;;
esac
has "$mpirun" || mpirun=mpirun
if ! has "$mpirun" || ! "$mpirun" --version >/dev/null 2>&1; then
    echo "skipped: there is no mpirun here"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI refuses more ranks than cores unless it is told; MPICH has no such flag.
if "$mpirun" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then options=(--oversubscribe); fi

# ranks N COMMAND...: what trawl-mpi writes, in got; its status is that of rank 0
ranks() {
    local n=$1
    shift
    "$mpirun" "${options[@]}" -n "$n" "$mpi" "$@" >got 2>messages </dev/null
}

# same WHAT: got is want
same() {
    checks=$((checks + 1))
    cmp -s got want || { diff want got | head -n 20 >.out; cp messages .err; fail "$1 (seed $seed)"; }
}

# mentions STATUS MESSAGE: of the last call of ranks
mentions() {
    local got=$?
    checks=$((checks + 1))
    if [ $got -ne "$1" ] || [ "$(grep -c '^trawl: ' messages)" -ne 1 ] || ! grep -qF -- "$2" messages; then
        cp messages .err
        fail "status $got, expected $1 and one message with: $2"
    fi
}

# The processes of the scan in this folder.
ranks_of_scan() {
    local pid
    for pid in $(pgrep -f 'trawl-mpi scan'); do
        [ "$(readlink "/proc/$pid/exe")" != "$mpi" ] || [ "$(readlink "/proc/$pid/cwd")" != "$work" ] || echo "$pid"
    done
}
