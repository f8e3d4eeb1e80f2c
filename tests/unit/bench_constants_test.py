#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/bench_constants.py without measuring: which values are tried, which constants become
variables, and that changed plans are found in groups.

    bench_constants_test.py path/to/tools/bench_constants.py
"""

import contextlib
import io
import os
import random
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv.pop(1))))
import bench_constants
import constants_tree


class Values(unittest.TestCase):
    def test_half_and_double(self):
        for name, kind, value, expected in [
                ("TRAWL_X", "u", 100, (50, 200)), ("TRAWL_X", "d", 0.3, (0.15, 0.6)),
                ("TRAWL_X", "u", 3, (2, 4)), ("TRAWL_X_BITS", "u", 17, (16, 18)),
                ("TRAWL_RABIN_KARP_FILTER_BITS", "u", 64, (32, 128)),
                ("TRAWL_FALLBACK_MARGIN", "d", 1.5, (1.25, 2.0)),
                ("TRAWL_GPU_CLEARLY_LESS", "d", 0.9, (0.8, 0.95))]:
            self.assertEqual(bench_constants.values_of(name, kind, value), expected, name)

    def test_lists_lose_an_element(self):
        made = bench_constants.variations([("lengths", "u", [1, 2, 5])], "")
        self.assertEqual([commands for _, _, commands in made],
                         [["copy lengths 0 1"], ["copy lengths 1 2"]])


class Header(unittest.TestCase):
    def test_every_constant_is_a_variable_or_fixed(self):
        for device, of in constants_tree.OF.items():
            with self.subTest(device):
                text = constants_tree.given_constants(bench_constants.ROOT, of)
                varied = constants_tree.vary_header(text, of)
                left = set(re.findall(r"^#define (TRAWL_\w+) (?!\(trawl_varied_)\S", varied, re.M))
                self.assertEqual(left, of.fixed | of.kept)
                self.assertNotIn("static const", varied)
                table = constants_tree.definitions(text, of)
                for name in re.findall(r"trawl_varied_(\w+)", varied):
                    self.assertIn(name, table)

    def test_names_are_constants(self):
        names = {}
        for device, of in constants_tree.OF.items():
            text = constants_tree.given_constants(bench_constants.ROOT, of)
            names[device] = {name for name, _ in constants_tree.numbers(text)}
            names[device].update(name for _, name, _, _ in constants_tree.arrays(text))
            names[device].update(name for _, name in of.elsewhere)
        self.assertLessEqual(set(bench_constants.UPLOADS), names["cuda"])
        self.assertLessEqual(set(bench_constants.SCANS), names["cpu"])
        for listed in (bench_constants.MARGINS, bench_constants.GIVEN, bench_constants.SKIPPED):
            self.assertLessEqual(set(listed), names["cpu"] | names["cuda"])


class FakeProgram:
    """Its plan depends on three of the constants, and one of them makes it fail."""

    def __init__(self):
        self.asked = 0

    def plan(self, commands):
        self.asked += 1
        numbers = {int(command.split()[1][1:]) for command in commands}
        return None if 40 in numbers else [0.1, str(sorted(numbers & {3, 77}))]


class Groups(unittest.TestCase):
    def test_finds_what_changes(self):
        wanted = [["X%d" % i, "1", ["set X%d 0 1" % i]] for i in range(100)]
        program, changed = FakeProgram(), {}
        for group in bench_constants.groups_of(wanted, random.Random(1)):
            changed.update(bench_constants.find_changed(program, ["[]"], wanted, group))
        self.assertEqual(changed, {3: ["[3]"], 77: ["[77]"], 40: None})
        self.assertLess(program.asked, 50)

    def test_a_constant_is_once_in_a_group(self):
        wanted = [["X%d" % (i // 2), str(i), []] for i in range(100)]
        wanted = [[name, value, ["set"]] for name, value, _ in wanted]
        for group in bench_constants.groups_of(wanted, random.Random(1)):
            names = [wanted[at][0] for at in group]
            self.assertEqual(len(names), len(set(names)))


class Report(unittest.TestCase):
    def test_what_was_not_timed_has_no_number(self):
        output = io.StringIO()
        results = [{"seconds": 1, "changed": [], "times": None}]
        with contextlib.redirect_stdout(output):
            bench_constants.print_report(results, {}, [["X", "1", []]])
        self.assertIn("the same plan again: speed -, - to -", output.getvalue())
        self.assertIn("| X | 1 | 0 | - | 0 | - | - | - |", output.getvalue())


if __name__ == "__main__":
    unittest.main()
