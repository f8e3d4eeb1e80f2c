#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/bench_device.py against a trawl that answers what it is told: the fastest kernel, targets,
failures, sizes that repeat a text.

    bench_device_test.py path/to/tools/bench_device.py
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.abspath(sys.argv.pop(1))
TRAWL = """#!/bin/sh
case $1 in
--version) echo trawl 0 ;;
devices) printf 'cpu\\t2\\t1\\tOne\\ncuda:0\\t132\\t5\\t%s\\n' "$CARD" ;;
*) echo "$@" >>"$ARGUMENTS"; cat "$ANSWER"; echo "$SAID" >&2; exit $STATUS ;;
esac
"""


def row(kernel, median, device="cuda:0"):
    return {"engine": "qgram", "variant": "mixed", "kernel": kernel, "device": device, "matches": 7,
            "gb_per_second": {"median": median, "min": median / 2, "max": median * 2},
            "share_of_bandwidth": 0.25, "bandwidth_gb_per_second": 4500}


class Tool(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.write("trawl", TRAWL)
        os.chmod(self.path("trawl"), 0o755)
        self.write("rare-10.pats.txt", "abc\n")
        self.write("english.txt", "x" * (1 << 20))

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_tool(self, *arguments, answer=(), status=0, said="", card="NVIDIA H200"):
        self.write("answer", "".join(json.dumps(line) + "\n" for line in answer))
        self.write("arguments", "")
        environment = dict(os.environ, WORKLOADS=self.directory.name, STATUS=str(status), SAID=said,
                           TRAWL_DATA=self.directory.name, ANSWER=self.path("answer"),
                           ARGUMENTS=self.path("arguments"), CARD=card)
        done = subprocess.run(
            [sys.executable, TOOL, "--out", self.path("out"), "--rows", "rare-10", *arguments],
            env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_the_fastest_kernel_against_the_target(self):
        rows = [row("", 9e9, "cpu"), row("hot", 1000), row("filter", 4100)]
        status, output, _ = self.run_tool(self.path("trawl"), answer=rows)
        self.assertEqual(status, 0)
        self.assertIn("| rare-10 | 1 GiB | count | 7 | qgram:mixed:filter | 4100 | 2050-8200 | 25 % "
                      "| 4050 | yes |", output)
        self.assertNotIn("hot", output)
        status, output, _ = self.run_tool("--report", "--all")
        self.assertEqual(status, 0)
        self.assertIn("qgram:mixed:hot | 1000 | 500-2000 | 25 % | 4050 | **no** |", output)

    def test_another_card_has_no_target(self):
        status, output, _ = self.run_tool(self.path("trawl"), answer=[row("filter", 4100)],
                                          card="NVIDIA H0")
        self.assertEqual(status, 0)
        self.assertIn("qgram:mixed:filter | 4100 | 2050-8200 | 25 % | - | - |", output)

    def test_the_plan_against_the_best(self):
        planned = dict(row("hot", 900), reason="because", expected_gb_per_second=950)
        status, output, _ = self.run_tool(self.path("trawl"),
                                          answer=[planned, row("hot", 890), row("filter", 1000)])
        self.assertEqual(status, 0)
        self.assertIn("| rare-10 | 1 GiB | count | qgram:mixed:hot | 950 | 900 | 0.90 | "
                      "qgram:mixed:filter |", output)

    def test_sizes_and_forms(self):
        self.write("arguments", "")
        status, output, _ = self.run_tool("--sizes", "2500000,1K", "--forms", "count,matches",
                                          self.path("trawl"), "--", "--kernel", "hot",
                                          answer=[row("hot", 5)])
        self.assertEqual(status, 0)
        with open(self.path("arguments"), encoding="utf-8") as file:
            asked = file.read().splitlines()
        self.assertEqual(len(asked), 4)
        self.assertEqual(asked[0].count("english.txt"), 3)
        self.assertIn("--limit 2500000", asked[0])
        self.assertIn("--kernel hot", asked[3])
        self.assertIn("| rare-10 | 1 KiB | matches | 7 | qgram:mixed:hot | 5 | 2.5-10 | 25 % | - | - |",
                      output)

    def test_a_recorded_run(self):
        path = self.path("2026-01-02-h0.json")
        status, _, _ = self.run_tool("--record", path, "--commit", "abc", self.path("trawl"),
                                     answer=[row("hot", 5)], said=self.path("english.txt"))
        self.assertEqual(status, 1)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn(self.directory.name, text)
        run = json.loads(text)
        self.assertEqual(run["head"]["machine"]["GPU"], "NVIDIA H200")
        self.assertEqual(run["head"]["commit"], "abc")
        self.assertEqual(run["head"]["command"], "tools/bench_device.py --rows rare-10 trawl")
        self.assertEqual(run["results"][0]["rows"], [row("hot", 5)])
        self.assertEqual(run["results"][0]["problems"], ["$WORKLOADS/english.txt"])

    def test_failures(self):
        status, output, _ = self.run_tool(self.path("trawl"), status=2, said="trawl: no device")
        self.assertEqual(status, 1)
        self.assertIn("| rare-10 | 1 GiB | count | - | - | - | - | - | - | **no** |", output)
        self.assertIn("trawl bench ended with 2", output)
        self.assertIn("trawl: no device", output)
        status, _, errors = self.run_tool("--forms", "all", self.path("trawl"))
        self.assertEqual(status, 2)
        self.assertIn("--forms: expected some of count", errors)
        status, _, errors = self.run_tool("--rows", "rare-10,unknown", self.path("trawl"))
        self.assertEqual(status, 2)
        self.assertIn("--rows unknown: expected a workload of --list", errors)
        self.assertEqual(self.run_tool("--report", "--sizes", "77")[0], 2)
        status, _, errors = self.run_tool("--sizes", "16G", self.path("trawl"))
        self.assertEqual(status, 2)
        self.assertIn("english.txt: expected at least", errors)


if __name__ == "__main__":
    unittest.main()
