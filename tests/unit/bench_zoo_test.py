#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/bench_zoo.py and the workloads it makes: every source and text, the same ones for the same
seed, files that mean the same bytes, figures from results.

    bench_zoo_test.py path/to/tools/bench_zoo.py
"""

import argparse
import json
import os
import random
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv.pop(1))))
import bench_workloads
import bench_zoo
import zoo_workloads

SIZE = 20000


class SmallCorpora(zoo_workloads.Corpora):
    """Files that every machine has."""

    def read(self, kind):
        made = random.Random(kind)
        if kind == "binary":
            return made.randbytes(100000)
        words = ["".join(made.choices("etaoinshrdlu", k=made.randint(3, 9))) for _ in range(3000)]
        return " ".join(made.choices(words, k=30000)).encode()


class KeptCorpora(unittest.TestCase):
    def test_a_folder_decides(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = SmallCorpora(1, folder)["binary"]
            self.assertEqual(kept, SmallCorpora(1)["binary"])
            os.rename(os.path.join(folder, "1-binary.xz"), os.path.join(folder, "1-code.xz"))
            self.assertEqual(SmallCorpora(1, folder)["code"], kept)
            self.assertEqual(os.listdir(folder), ["1-code.xz"])


def contestant(kind, name, speed, matches=10, table_bytes=0):
    return {"kind": kind, "name": "auto" if kind == "auto" else name, "chosen": name,
            "table_bytes": table_bytes, "matches": matches, "speed": speed and {"median": speed / 2, "max": speed}}


class Workloads(unittest.TestCase):
    def setUp(self):
        self.corpora = SmallCorpora(1)

    def test_every_text_has_the_size(self):
        for name, function in zoo_workloads.TEXTS.items():
            text = function(random.Random(name), self.corpora, SIZE)
            self.assertEqual(len(text), SIZE, name)

    def test_every_source_gives_patterns(self):
        text = self.corpora["english"][:SIZE]
        for name, (function, homes) in zoo_workloads.PATTERNS.items():
            self.assertTrue(set(homes) <= set(zoo_workloads.TEXTS), name)
            for count in (1, 2000, 20000):
                patterns = function(random.Random(name), self.corpora, count, text)
                self.assertEqual(len(patterns), count, name)
                self.assertTrue(all(isinstance(pattern, bytes) for pattern in patterns), name)

    def test_a_seed_makes_the_same_again(self):
        for number in range(12):
            one = zoo_workloads.make(self.corpora, 5, number, SIZE)
            other = zoo_workloads.make(self.corpora, 5, number, SIZE)
            self.assertEqual(one, other)
            self.assertEqual(len(one.text), SIZE)
            self.assertTrue(one.patterns and all(pattern for _, pattern in one.patterns))
        self.assertNotEqual(zoo_workloads.make(self.corpora, 5, 1, SIZE),
                            zoo_workloads.make(self.corpora, 6, 1, SIZE))

    def test_sets_are_bounded(self):
        self.assertEqual(zoo_workloads.within([b"abc", b"de", b"f"], 5), [b"abc", b"de"])
        self.assertEqual(zoo_workloads.within([b"abcdef", b"g"], 5), [b"abcdef"])

    def test_planted_patterns_are_found(self):
        text = zoo_workloads.plant(random.Random(1), bytes(SIZE), [b"abc", b"xy"], 0.1)
        self.assertEqual(len(text), SIZE)
        self.assertGreater(text.count(b"abc") + text.count(b"xy"), SIZE // 40)

    def test_files_mean_the_same(self):
        every = bytes(range(256))
        workload = zoo_workloads.Workload("w", [("-", every), ("i", b"a\tb\\")], b"text")
        with tempfile.TemporaryDirectory() as folder:
            paths = os.path.join(folder, "p"), os.path.join(folder, "t")
            zoo_workloads.write(workload, *paths)
            with open(paths[0], "rb") as file:
                lines = [line.rstrip(b"\n").split(b"\t") for line in file]
            with open(paths[1], "rb") as file:
                self.assertEqual(file.read(), b"text")
        read = [(flags.decode(), re.sub(rb"\\x(..)", lambda m: bytes([int(m[1], 16)]), escaped))
                for _, flags, escaped in lines]
        self.assertEqual(read, workload.patterns)


class Figures(unittest.TestCase):
    def test_regret_and_ratio(self):
        result = {"number": 3, "name": "w", "bytes": 100, "contestants": [
            contestant("auto", "qgram", 2.0), contestant("engine", "ac-dfa", 3.0),
            contestant("engine", "wu-manber", None), contestant("peer", "hyperscan", 4.0),
            contestant("peer", "daachorse", None)]}
        judged = bench_zoo.judge(result)
        self.assertEqual((judged["regret"], judged["best"]), (1.5, "ac-dfa"))
        self.assertEqual((judged["ratio"], judged["peer"]), (0.5, "hyperscan"))
        self.assertEqual(judged["matches"], 0.1)

    def test_choice_measured_twice(self):
        """A forced engine is the choice only with the same variant and tables."""
        for table_bytes, expected in ((7, (3, 1, "auto", 0.75)), (8, (2, 1.5, "qgram", 0.5))):
            judged = bench_zoo.judge({"number": 3, "name": "w", "bytes": 100, "contestants": [
                contestant("auto", "qgram", 2.0, table_bytes=7),
                contestant("engine", "qgram", 3.0, table_bytes=table_bytes),
                contestant("peer", "hyperscan", 4.0)]})
            self.assertEqual(tuple(map(judged.get, ("auto", "regret", "best", "ratio"))), expected)

    def test_copies_are_out_of_step(self):
        strips = [1 << shift for shift in range(10, 30)] + [3 << shift for shift in range(10, 28)]
        for copies, size in ((1, 4 << 20), (64, 4 << 20), (64, 1 << 20), (2, 6 << 20)):
            options = argparse.Namespace(text=size, copies=copies)
            length = bench_zoo.text_bytes(options)
            self.assertGreater(length, 0.98 * size)
            self.assertLessEqual(length, size)
            if copies > 1:
                steps = [max(strip, length) % min(strip, length) for strip in strips]
                self.assertNotIn(0, steps)

    def test_without_a_peer(self):
        result = {"number": 3, "name": "w", "bytes": 100,
                  "contestants": [contestant("auto", "qgram", 2.0)]}
        judged = bench_zoo.judge(result)
        self.assertEqual((judged["regret"], judged["best"], judged["ratio"]), (1, "auto", None))

    def test_quantiles(self):
        self.assertEqual(bench_zoo.quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(bench_zoo.quantile(range(1, 101), 0.95), 95)
        self.assertEqual(bench_zoo.quantile([7], 0.05), 7)

    def test_rows_of_a_gpu(self):
        rows = [{"engine": "qgram", "variant": "mixed", "device": "cpu"},
                {"engine": "qgram", "variant": "mixed", "device": "cuda:0", "kernel": "filter"},
                {"engine": "ac-dfa", "variant": "classes", "device": "cuda:0", "kernel": "hot"}]
        output = "note\n" + "\n".join(map(json.dumps, rows))
        found = bench_workloads.parse_rows(bench_zoo.rows_of_devices(output), "auto,all")
        self.assertEqual([(one["kind"], one["chosen"] or one["name"]) for one in found],
                         [("auto", "qgram:mixed:filter"), ("engine", "ac-dfa:classes:hot")])

    def test_only_the_peers_to_measure(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "all", "programs"))
            for name in ("hyperscan", "vectorscan", "programs/aho-corasick-dfa", "programs/daachorse"):
                open(os.path.join(folder, "all", name), "w", encoding="utf-8").close()
            place = bench_zoo.link_peers(os.path.join(folder, "all"), os.path.join(folder, "some"))
            self.assertEqual(sorted(os.listdir(place)), ["hyperscan", "programs"])
            self.assertEqual(os.listdir(os.path.join(place, "programs")), ["aho-corasick-dfa"])
            bench_zoo.link_peers(os.path.join(folder, "none"), os.path.join(folder, "empty"))


if __name__ == "__main__":
    unittest.main()
