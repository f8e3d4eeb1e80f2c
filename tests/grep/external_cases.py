# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs cases of `grep -F` that were recorded elsewhere.

TRAWL_GREP_CASES names a JSON file, gzip or not: {"cases": [case, ...]} where a case has tool,
locale, args, pat_b64 (the file named pat), stdin_b64, files_b64 (name -> bytes; when set, they are
the operands), stdout_b64 and rc. Cases of other tools than grep, and of other locales than C, are
counted but not run: the locale changes what a letter is.

Exit status: 0 all agree, 1 some do not, 77 nothing to do.
"""
import base64
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def read_cases(path):
    opener = gzip.open if pathlib.Path(path).read_bytes()[:2] == b"\x1f\x8b" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)["cases"]


def run(command, case):
    """What the command prints for a case, and its exit status."""
    files = case["files_b64"] or {}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {"pat": case["pat_b64"], **files}.items():
            pathlib.Path(folder, name).write_bytes(base64.b64decode(content))
        done = subprocess.run([*command, *case["args"], *files], cwd=folder,
                              input=base64.b64decode(case["stdin_b64"] or ""),
                              capture_output=True, timeout=20, check=False,
                              env={**os.environ, "LC_ALL": case["locale"]})
    return done.stdout, done.returncode


def main():
    path = os.environ.get("TRAWL_GREP_CASES")
    if not path:
        print("skipped: TRAWL_GREP_CASES does not name a file of recorded cases")
        return SKIPPED
    counts = collections.Counter()
    for case in read_cases(path):
        expected = base64.b64decode(case["stdout_b64"]), case["rc"]
        if case["tool"] != "grep":
            counts["of another tool"] += 1
            continue
        same = run([sys.argv[1], "grep"], case) == expected
        if case["locale"] != "C":
            counts["of another locale, " + ("the same" if same else "different")] += 1
            continue
        counts["agree" if same else "DISAGREE"] += 1
        if not same:
            print("DISAGREE:", case["name"], case["args"], "got", run([sys.argv[1], "grep"], case),
                  "expected", expected)
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["DISAGREE"] else 0


if __name__ == "__main__":
    sys.exit(main())
