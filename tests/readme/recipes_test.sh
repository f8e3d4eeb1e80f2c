#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The commands of docs/guide/recipes.md print what stands under them. A block with a file name behind its
# language is that file. trawl is installed below $HOME/trawl.
# usage: recipes_test.sh RECIPES BUILD SCRATCH      environment: CC, CMAKE
set -euo pipefail
export LC_ALL=C
recipes=$1 build=$2 scratch=$3

rm -rf "$scratch"
mkdir -p "$scratch/home" "$scratch/bin" "$scratch/work"
export HOME=$scratch/home
"$CMAKE" --install "$build" --prefix "$HOME/trawl" >"$scratch/install.log"
if [[ ! -d $HOME/trawl/lib/pkgconfig ]]; then
    echo "recipes_test: the libraries are not in lib here, but the page says lib"
    exit 77
fi
ln -s "$HOME/trawl/bin/trawl" "$scratch/bin/trawl"
ln -s "$CMAKE" "$scratch/bin/cmake"
ln -s "$(command -v "$CC")" "$scratch/bin/cc"
export PATH=$scratch/bin:$PATH
cd "$scratch/work"

awk '
    /^```/ { file = !open && NF == 2 ? $2 : ""; open = !open; if (file != "") files++; next }
    file != "" { print >file }
    END { if (files < 5) { print "recipes_test: " files " files" >"/dev/stderr"; exit 1 } }' "$recipes"
awk '/^```/ { open = !open; wanted = open && $0 == "```console"; next } wanted' "$recipes" >../expected
sed -n 's/^\$ //p' ../expected >../commands
while IFS= read -r command; do
    printf '$ %s\n' "$command"
    bash -c "$command" 2>&1 </dev/null || true
done <../commands >../actual
diff -u ../expected ../actual
(($(wc -l <../commands) >= 30)) || { echo "recipes_test: too few commands" >&2; exit 1; }
echo "recipes_test: passed"
