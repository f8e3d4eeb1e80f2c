#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/zoo_oracle.py: its naive search, and its report about a trawl that gives prepared answers.

    zoo_oracle_test.py path/to/tools/zoo_oracle.py
"""

import argparse
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest

TOOL = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.dirname(TOOL))
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("zoo_oracle", TOOL)
zoo_oracle = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(zoo_oracle)

WORKLOAD = zoo_oracle.zoo_workloads.Workload(
    "she on ushers", [("-", b"she"), ("i", b"HE"), ("-", b"hers"), ("-", b"he"), ("-", b"HE")],
    b"usHers she")
LINES = ["t\t2\t4\t1", "t\t7\t10\t0", "t\t8\t10\t1", "t\t8\t10\t3"]


class Oracle(unittest.TestCase):
    def compare(self, lines, status=0, said=""):
        with tempfile.TemporaryDirectory() as folder:
            trawl = os.path.join(folder, "trawl")
            with open(trawl, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\ncat <<'END'\n%s\nEND\necho '%s' >&2\nexit %d\n"
                           % ("\n".join(lines), said, status))
            os.chmod(trawl, 0o755)
            options = argparse.Namespace(trawl=trawl, engine="qgram", device="cpu")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                differs = zoo_oracle.compare(options, "7", 3, WORKLOAD, folder)
            return differs, out.getvalue()

    def test_naive_matches(self):
        self.assertEqual(zoo_oracle.naive_matches(WORKLOAD),
                         [(4, 2, 1), (10, 7, 0), (10, 8, 1), (10, 8, 3)])

    def test_equal(self):
        differs, output = self.compare(LINES)
        self.assertFalse(differs)
        self.assertIn("4 matches", output)

    def test_a_match_is_missing_added_or_moved(self):
        for lines, at in ((LINES[:-1], 3), (LINES + LINES[-1:], 4), (LINES[1::-1] + LINES[2:], 0),
                          (LINES[:2] + LINES[:1:-1], 2)):
            differs, output = self.compare(lines)
            self.assertTrue(differs)
            self.assertIn("DIFFERENT: seed 7, workload 3: qgram has %d matches; the first that "
                          "differs is number %d\n" % (len(lines), at), output)

    def test_refusal_and_failure(self):
        differs, output = self.compare([], 2, "trawl: engine qgram refuses the set")
        self.assertFalse(differs)
        self.assertIn("refused by qgram", output)
        with self.assertRaises(zoo_oracle.Trouble):
            self.compare([], 2, "trawl: no such file")


if __name__ == "__main__":
    unittest.main()
