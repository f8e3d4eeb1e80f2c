#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/bench_report.py on invented runs: the pages it makes, and that --check notices what is stale.

    bench_report_test.py path/to/tools/bench_report.py
"""

import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.dirname(TOOL))
sys.dont_write_bytecode = True
import bench_report

MACHINE = {"model": "Invented CPU", "family and model": "1/2", "CPUs": 3, "threads per core": "1",
           "caches": {"L1d": "1 KiB"}, "instruction sets": ["none"], "hypervisor": "none",
           "kernel": "0", "trawl": "trawl 0", "trawl devices": ["cpu"], "TRAWL_CPU": "",
           "commit": "abc", "GPU": "Invented GPU", "driver": "1"}
README = "# x\n<!-- speed: begin -->\nold\n<!-- speed: end -->\nrest\n"


def contestant(name, kind, median, ratio=None):
    return {"name": name, "kind": kind, "chosen": "qgram:mixed" if kind == "auto" else "",
            "version": "1" if kind == "peer" else "", "title": name + " 1", "matches": 7,
            "speed": {"median": median, "min": median, "max": median}, "threads": 1,
            "build_seconds": 0.5, "table_bytes": 1000, "status": "measured", "reason": "",
            "note": "", "ratio": ratio, "best_peer": "peer 1" if ratio else None}


def cpu_result(name, ours, peer):
    ratio = {"median": ours / peer, "min": ours / peer, "max": ours / peer}
    return {"name": name, "patterns": 10, "text_file": "t", "copies": 1, "bytes": 1000,
            "flags": [], "repeat": 5, "load_before": 0, "problems": [], "notes": [],
            "bench_output": "/secret/place", "contestants": [
                contestant("auto", "auto", ours, ratio), contestant("peer", "peer", peer)]}


def gpu_result(name, speed):
    return {"name": name, "form": "count", "bytes": 1 << 30, "problems": [],
            "rows": [{"engine": "qgram", "variant": "mixed", "kernel": "filter", "matches": 7,
                      "device": "cuda:0", "reason": "why", "bandwidth_gb_per_second": 4000.0,
                      "share_of_bandwidth": speed / 4000,
                      "gb_per_second": {"median": speed, "min": speed, "max": speed}}]}


class Tool(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        os.makedirs(self.path("docs/results/data"))
        self.write("README.md", README)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def record(self, name, kind, results, **more):
        bench_report.record(self.path("docs/results/data/" + name), kind, dict(MACHINE, **more),
                            "tools/measure", results, [("/secret/place", "$DATA")])

    def run_tool(self, *arguments):
        done = subprocess.run([sys.executable, TOOL, *arguments, self.root], text=True,
                              capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_pages_of_two_machines(self):
        self.record("2026-01-01-box.json", "cpu", [cpu_result("rare-10", 1, 9)])
        self.record("2026-01-02-box.json", "cpu", [cpu_result("rare-10", 8, 2),
                                                   cpu_result("rare-1000", 1, 1)], commit="def")
        self.record("2026-01-02-card.json", "gpu", [gpu_result("rare-10", 1234)])
        self.assertEqual(self.run_tool("--check")[0], 1)
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.run_tool("--check"), (0, ""))
        box = self.read("docs/results/box.md")
        self.assertIn("# Invented CPU (box)\n", box)
        self.assertIn("Date 2026-01-02, commit def.", box)
        self.assertIn("| rare-10 | 10 | 0.007 | qgram:mixed | 8 | peer | 2 | 4.00 (4.00-4.00) | 2 | "
                      "yes |", box)
        self.assertIn("Geometric mean of 2 ratios: 2.00", box)
        self.assertIn("| qgram:mixed:filter | 1234 |", self.read("docs/results/card.md"))
        self.assertIn("| [Invented GPU (card)](card.md) | 2026-01-02 | abc | 1 |",
                      self.read("docs/results/README.md"))
        self.assertIn(">4 times<", self.read("docs/results/box.svg"))
        self.assertIn("memory is read at 4000 GB/s", self.read("docs/results/card.svg"))
        readme = self.read("README.md")
        self.assertTrue(readme.startswith("# x\n") and readme.endswith("\nrest\n"))
        self.assertNotIn("old", readme)
        self.assertIn("| 10 rare strings | English | 8 | 2 (peer) | 4 | 1234 |", readme)
        text = " ".join(readme.split())
        self.assertIn("mean of the ratio over 2 workloads: 2, lowest 1 (1,000 rare strings, English), "
                      "highest 4 (10 rare strings, English).", text)
        self.assertIn("Texts of 1000 bytes. Peers in this run: peer 1, as", text)
        self.assertIn("text of 1 GiB already in GPU memory", text)
        self.assertIn("| 2026-01-02 | def | 2 | peer 1 |", self.read("docs/results/README.md"))

    def test_texts_that_a_cache_holds(self):
        for caches, held in (({"L3": "2 KiB (2 instances)"}, True), ({"L3": "2 KiB (4 instances)"}, False),
                             ({"L3": "unknown"}, False), ({"L2": "1 MiB (1 instance)"}, False)):
            self.record("2026-01-02-box.json", "cpu", [cpu_result("rare-10", 8, 2)], caches=caches)
            self.run_tool()
            text = " ".join(self.read("README.md").split())
            self.assertEqual("Texts of 1000 bytes, which fit in this processor's third-level cache;" in text,
                             held, caches)

    def test_stale_pages(self):
        self.record("2026-01-02-box.json", "cpu", [cpu_result("rare-10", 8, 2)])
        self.run_tool()
        for name in ("docs/results/box.md", "docs/results/box.svg", "README.md"):
            before = self.read(name)
            self.write(name, before.replace("4", "5"))
            status, output = self.run_tool("--check")
            self.assertEqual(status, 1)
            self.assertIn(self.path(name) + ": differs", output)
            self.write(name, before)
        self.write("docs/results/other.md", "by hand\n")
        self.assertIn("other.md: no recorded run makes it", self.run_tool("--check")[1])

    def test_without_runs(self):
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.read("README.md"), README)
        self.assertIn("No run of this version has been recorded.",
                      self.read("docs/results/README.md"))

    def test_a_run_without_peers(self):
        result = cpu_result("rare-10", 8, 2)
        result["contestants"] = [contestant("auto", "auto", 8)]
        self.record("2026-01-02-box.json", "cpu", [result])
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.read("README.md"), README)
        self.assertIn("| rare-10 | 10 | 0.007 | qgram:mixed | 8 | - | - | - | 2 | - |",
                      self.read("docs/results/box.md"))
        self.assertIn(">rare-10<", self.read("docs/results/box.svg"))

    def test_places_of_the_machine_are_not_recorded(self):
        result = dict(cpu_result("rare-10", 8, 2), notes=["/secret/place/x: odd"])
        self.record("2026-01-02-box.json", "cpu", [result])
        text = self.read("docs/results/data/2026-01-02-box.json")
        self.assertNotIn("secret", text)
        self.assertIn("$DATA/x: odd", text)

    def test_errors(self):
        self.write("docs/results/data/today.json", "{}")
        self.assertIn("expected a name like 2026-11-22-xeon.json", self.run_tool()[1])
        os.remove(self.path("docs/results/data/today.json"))
        self.record("2026-01-02-box.json", "cpu", [cpu_result("rare-10", 8, 2)])
        self.write("README.md", "no marks\n")
        self.assertIn("expected the marks", self.run_tool()[1])


if __name__ == "__main__":
    unittest.main()
