#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs cases collected from other matchers' tests through every engine and runner.

    TRAWL_PEER_CASES=cases.json.gz peer_cases.py path/to/cases_test

The file is JSON (may be gzip): an object whose `cases` are objects with `source`, `name`,
`semantics`, `patterns_b64`, `nocase`, `haystack_b64` and `matches` ([pattern, start, end]). They are
converted into the format of tests/cases and given to cases_test. Exit status 77 means skipped.
"""

import base64
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

KINDS = {
    "all-overlapping": "all",
    "all/overlapping": "all",
    "leftmost-first/leftmost": "leftmost-first",
    "leftmost-longest": "leftmost-longest",
    "all/leftmost": "leftmost-longest",
}


def escape(data):
    return "".join(
        "\\\\" if byte == 0x5C else chr(byte) if 0x20 <= byte < 0x7F else "\\x%02x" % byte
        for byte in data
    )


def convert(case, number):
    """Returns (lines, None) or (None, why the case cannot be asked of a literal matcher)."""
    kind = KINDS.get(case["semantics"])
    if kind is None:
        return None, "semantics " + case["semantics"]
    if case.get("anchored") or case.get("match_limit"):
        return None, "anchored or limited search"
    patterns = [base64.b64decode(text) for text in case["patterns_b64"]]
    if b"" in patterns:
        return None, "an empty pattern: refused when the set is made"
    text = base64.b64decode(case["haystack_b64"])
    begin, end = case.get("range") or case.get("bounds") or (0, len(text))
    if case.get("report_from"):  # matches that end later than that are listed
        begin = 0
    if any(flag and any(byte >= 0x80 for byte in pattern)
           for flag, pattern in zip(case["nocase"], patterns)):
        return None, "letters outside ASCII do not fold"
    matches = [(stop - begin, start - begin, pattern) for pattern, start, stop in case["matches"]]
    if kind == "all":
        matches.sort()
    lines = ["case %d %s" % (number, escape(case["name"].encode()))]
    for flag, pattern in zip(case["nocase"], patterns):
        lines.append("pattern %s %s" % ("i" if flag else "-", escape(pattern)))
    lines.append("text " + escape(text[begin:end]))
    if not case.get("report_from"):
        lines.append(kind + "".join(" %d:%d-%d" % (p, s, e) for e, s, p in matches))
    return lines, None


def main():
    path = os.environ.get("TRAWL_PEER_CASES")
    if not path:
        print("skipped: TRAWL_PEER_CASES names no file of cases")
        return 77
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        cases = json.load(file)["cases"]
    skipped = collections.Counter()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as table:
        for number, case in enumerate(cases):
            lines, why = convert(case, number)
            if lines:
                table.write("\n".join(lines) + "\n")
            else:
                skipped[why] += 1
        table.flush()
        print("%d of %d cases; not asked:" % (len(cases) - sum(skipped.values()), len(cases)))
        for why, count in skipped.most_common():
            print("  %4d %s" % (count, why))
        sys.stdout.flush()
        return subprocess.run([sys.argv[1], table.name], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
