#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the CUDA module and its tests and runs them on this machine's GPU. Without nvcc or without
# a GPU it says so in one line and does nothing.
# usage: tools/check_gpu.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

skip() {
    echo "check-gpu: skipped: $1"
    exit 0
}

nvcc=${CUDACXX:-$(command -v nvcc || compgen -G /usr/local/cuda/bin/nvcc || true)}
[[ -n $nvcc ]] || skip "no CUDA compiler (nvcc) in PATH or /usr/local/cuda/bin"
export CUDACXX=$nvcc
# Asks CUDA itself: there are machines with a driver and no device, and with a device and no driver.
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
cat >"$probe/probe.cu" <<'PROBE'
#include <cstdio>
int main() {
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0) {
        puts(code == cudaSuccess ? "no CUDA device" : cudaGetErrorString(code));
        return 1;
    }
    cudaDeviceProp device;
    return cudaGetDeviceProperties(&device, 0) == cudaSuccess ? printf("%s\n", device.name) < 0 : 1;
}
PROBE
"$nvcc" -o "$probe/probe" "$probe/probe.cu" 2>"$probe/log" ||
    skip "nvcc cannot build a program: $(head -n 1 "$probe/log")"
name=$("$probe/probe") || skip "no usable GPU: $name"

echo "check-gpu: $name"
tools/install.sh check
cmake --preset gpu >"$probe/log" || {
    cat "$probe/log"
    exit 1
}
cmake --build build/gpu -j "$jobs" --target trawl trawl-gpu-tests
ctest --preset gpu -j "$((jobs < 4 ? jobs : 4))"
