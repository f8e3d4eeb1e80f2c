#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks that every source file names the licence in its first two lines.
# usage: tools/check_licence.sh       from anywhere; exit status 1 and a list on a violation
set -euo pipefail
cd "$(dirname "$0")/.."
status=0
while IFS= read -r file; do
    if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT OR Apache-2.0'; then
        echo "$file: its first lines lack SPDX-License-Identifier: MIT OR Apache-2.0"
        status=1
    fi
done < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' '*.rs' '*.py' '*.sh' '*.cmake' \
    '*CMakeLists.txt' Makefile .ci/run 'docs/man/*')
exit $status
