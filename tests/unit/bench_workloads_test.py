#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/bench_workloads.py against a trawl that answers what it is told: rows told apart, ratios,
disagreement, time limit.

    bench_workloads_test.py path/to/tools/bench_workloads.py
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = os.path.abspath(sys.argv.pop(1))

# Stands for the command: prints $ANSWER for bench, and leaves its arguments in $ARGUMENTS.
TRAWL = """#!/bin/sh
case $1 in
--version) echo trawl 0 ;;
devices) echo cpu ;;
bench) echo "$@" >"$ARGUMENTS"; [ -z "$SLEEP" ] || sleep "$SLEEP"; cat "$ANSWER"
    echo "$SAID" >&2; exit $STATUS ;;
esac
"""


def row(engine, median, matches=7, **more):
    kind = "engine" if engine in ("qgram", "ac-dfa") else "peer"
    return dict({"engine": engine, "kind": kind, "variant": "v", "device": "cpu", "threads": 1,
                 "matches": matches, "build_seconds": 0.5, "table_bytes": 1000000,
                 "gb_per_second": {"median": median, "min": median / 2, "max": median * 2},
                 "repeats": 5}, **more)


class Tool(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.write("trawl", TRAWL)
        os.chmod(self.path("trawl"), 0o755)
        self.write("rare-10.pats.txt", "abc\n\ndef\n")
        self.write("rare-100.pats.txt", "abc\n")
        self.write("english.txt", "x" * 1000)
        with gzip.open(self.path("mirna-mature.tsv.gz"), "wt") as file:
            file.write("a\ti\tACGT\n")
        with gzip.open(self.path("ecoli.raw.gz"), "wt") as file:
            file.write("acgt" * 25)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_tool(self, *arguments, answer=(), status=0, sleep="", said=""):
        self.write("answer", "".join(json.dumps(line) + "\n" for line in answer))
        environment = dict(os.environ, WORKLOADS=self.directory.name, SLEEP=sleep, SAID=said,
                           TRAWL_DATA=self.directory.name, STATUS=str(status),
                           ANSWER=self.path("answer"), ARGUMENTS=self.path("arguments"))
        done = subprocess.run([sys.executable, TOOL, "--out", self.path("out"), *arguments],
                              env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def measure(self, rows, answer, *arguments, **more):
        return self.run_tool("--rows", rows, self.path("trawl"), *arguments, answer=answer, **more)

    def test_ratio_to_the_best_peer(self):
        status, output, _ = self.measure("rare-10", [
            row("qgram", 9), row("ac-dfa", 1), row("qgram", 10), row("hyperscan", 2),
            row("daachorse", 3)])
        self.assertEqual(status, 0)
        self.assertIn("| rare-10 | 2 | 0.00011 | qgram:v | 9 | daachorse | 3 | 3.00 (0.75-12.00) "
                      "| 2 | yes | 0.90 | qgram:v |", output)
        self.assertIn("| workload | auto | ac-dfa:v | qgram:v | hyperscan | daachorse |", output)
        self.assertIn("| rare-10 | 9 | 1 | 10 | 2 | **3** |", output)
        self.assertIn("Geometric mean of 1 ratios: 3.00 (target: 5, **not met**)", output)

    def test_what_bench_says_of_its_rows(self):
        ratio = {"median": 0.7, "min": 0.5, "max": 0.9}
        status, output, _ = self.measure("rare-10", [
            row("ac-dfa", 4, asked="ac-dfa"),
            row("ac-dfa", 2, asked="auto", best_peer="twins 1.0", ratio_to_best_peer=ratio),
            row("twins", 4, variant="1.0-small"),
            row("twins", 5, variant="1.0", note="first letters only"),
            row("grep", 99, matches=1, kind="program", variant="3.8"),
            {"engine": "hyperscan", "variant": "5", "kind": "peer", "status": "refused",
             "reason": "too many"}])
        self.assertEqual(status, 0)
        self.assertIn("| ac-dfa:v | 2 | twins | 5 | 0.70 (0.50-0.90) | 2 | **no** | 0.50 |",
                      output)
        self.assertIn("| workload | auto | ac-dfa:v | twins-small | twins |", output)
        self.assertIn("| rare-10 | 2 | 4 | 4 | **5** |", output)
        self.assertIn("| workload | grep |\n|---|---|\n| rare-10 | 99 |", output)
        self.assertIn("- twins: first letters only (rare-10)\n- hyperscan: too many (rare-10)",
                      output)

    def test_mean_over_rows(self):
        self.measure("rare-10", [row("qgram", 2), row("hyperscan", 1)])
        status, output, _ = self.measure("rare-100", [row("qgram", 8), row("hyperscan", 1)])
        self.assertEqual(status, 0)
        _, output, _ = self.run_tool("--report")
        self.assertIn("Geometric mean of 2 ratios: 4.00 (target: 5, **not met**)", output)
        with open(self.path("out/speeds.tsv"), encoding="utf-8") as file:
            self.assertEqual(len(file.read().splitlines()), 5)

    def test_a_wrong_peer_is_no_yardstick(self):
        status, output, _ = self.measure("rare-10", [
            row("qgram", 2), row("hyperscan", 1), row("daachorse", 9, matches=8)], status=2,
            said="trawl: daachorse is wrong")
        self.assertEqual(status, 1)
        self.assertIn("| hyperscan | 1 | 2.00", output)
        self.assertIn("- trawl: daachorse is wrong (rare-10)", output)

    def test_short_and_compressed_texts(self):
        self.measure("mirna-ecoli", [row("qgram", 2)], "--", "--threads", "2")
        with open(self.path("arguments"), encoding="utf-8") as file:
            arguments = file.read()
        self.assertEqual(arguments.count("ecoli.raw.gz"), 64)
        self.assertIn("--pattern-format tsv --threads 2", arguments)

    def test_time_limit(self):
        begin = time.monotonic()
        status, output, _ = self.measure("rare-10", [], "--row-limit", "0.5", sleep="60")
        self.assertEqual(status, 1)
        self.assertIn("ended after 0.5 s", output)
        self.assertLess(time.monotonic() - begin, 30)

    def test_errors(self):
        for arguments, text in (
                (("--rows", "nothing"), "--rows nothing: expected a workload of --list"),
                (("--rows", "dna8-1000"), "dna8-1000.pats.txt: expected this file"),
                (("--report",), "out: expected results of a run before")):
            status, _, errors = self.run_tool(*arguments, self.path("trawl"))
            self.assertEqual(status, 2)
            self.assertIn(text, errors)


if __name__ == "__main__":
    unittest.main()
