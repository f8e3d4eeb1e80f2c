#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The libraries that trawl and its tests need, for 64-bit Arm: Debian's packages, unpacked into a
# folder for the compiler gcc-aarch64-linux-gnu (cmake/aarch64.cmake). Nothing is installed, and this
# machine's own list of architectures stays as it is. Does nothing where they are there already.
#
# usage: tools/arm_libraries.sh FOLDER
set -euo pipefail
folder=${1:?usage: tools/arm_libraries.sh FOLDER}
packages=(libxxhash0 libxxhash-dev libcmocka0 libcmocka-dev zlib1g zlib1g-dev libzstd1 libzstd-dev
    liblzma5 liblzma-dev)

[[ -f $folder/complete && $(<"$folder/complete") == "${packages[*]}" ]] && exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/packages"
folder=$(cd "$folder" && pwd)

# apt as if on an Arm machine with nothing installed, with lists and archives of its own.
apt() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$folder/apt" -o APT::Sandbox::User="$(id -un)" "$@" >>"$folder/log" 2>&1
}
echo "Downloading ${#packages[@]} packages for Arm into $folder" >&2
if ! apt update || ! (cd "$folder/packages" && apt download "${packages[@]}"); then
    tail -n 20 "$folder/log" >&2
    echo "tools/arm_libraries.sh: apt-get failed (above)" >&2
    exit 1
fi
for package in "$folder"/packages/*.deb; do
    dpkg-deb -x "$package" "$folder"
done

# All libraries in one folder, where links lead to files beside them.
cp -a "$folder/lib/." "$folder/usr/lib/"
find "$folder/usr/lib" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sf "$(basename "$(readlink "$link")")" "$link"
done
rm -rf "${folder:?}/lib" "$folder/apt" "$folder/packages"
echo "${packages[*]}" >"$folder/complete"
