#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares the matches of every engine with those of a naive search, over the random workloads of
bench_zoo.py with short texts.

    tools/zoo_oracle.py build/release/trawl                       100 workloads, a seed of its own
    tools/zoo_oracle.py --seed 7 --workloads 20 build/release/trawl
    tools/zoo_oracle.py --engine auto,qgram --device cuda build/gpu/trawl

The naive search looks up every substring of the text that is as long as some pattern in a set of
Python's. Every line of `trawl scan` is compared: start, end, pattern, and their order. Exit status: 0;
1 if some engine differs; 2 for wrong usage.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leaves nothing in tools/
import tool_main
import zoo_workloads

MOST_MATCHES = 1000000  # of a text; Python takes 100 bytes for each
ENGINES = "auto,ac-dfa,ac-nfa,ac-split,wu-manber,rabin-karp,qgram"


class Trouble(Exception):
    """One sentence for the person who reads it."""


def naive_matches(workload):
    """(end, start, id) of all matches, in the order of trawl; None if there are too many."""
    sets = collections.defaultdict(lambda: collections.defaultdict(list))
    for number, (flags, pattern) in enumerate(workload.patterns):
        folds = "i" in flags
        sets[folds, len(pattern)][pattern.lower() if folds else pattern].append(number)
    found = []
    for (folds, length), ids in sets.items():
        text = workload.text.lower() if folds else workload.text
        for start in range(len(text) - length + 1):
            for number in ids.get(text[start:start + length], ()):
                found.append((start + length, start, number))
            if len(found) > MOST_MATCHES:
                return None
    return sorted(found)


def engine_matches(options, engine, patterns, text):
    """Those of `trawl scan`; None if the engine refuses the set."""
    command = [options.trawl, "scan", "-f", patterns, "--pattern-format", "tsv", "--engine", engine,
               "--device", options.device, "--no-pattern", text]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode > 1:
        if b"refuse" in done.stderr or b"beyond the limit" in done.stderr:
            return None
        raise Trouble(done.stderr.decode(errors="replace").strip())
    lines = (line.split(b"\t") for line in done.stdout.splitlines())
    return [(int(end), int(start), int(number)) for _, start, end, number, *_ in lines]


def compare(options, seed, number, workload, folder):
    """The engines that differ, and those that refuse the set."""
    patterns, text = os.path.join(folder, "patterns"), os.path.join(folder, "text")
    wanted = naive_matches(workload)
    while wanted is None:
        workload = workload._replace(text=workload.text[:len(workload.text) // 2])
        wanted = naive_matches(workload)
    zoo_workloads.write(workload, patterns, text)
    wrong, refused = [], []
    for engine in options.engine.split(","):
        found = engine_matches(options, engine, patterns, text)
        if found is None:
            refused.append(engine)
        elif found != wanted:
            at = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]),
                      min(len(found), len(wanted)))
            wrong.append("%s has %d matches; the first that differs is number %d"
                         % (engine, len(found), at))
    print("%6d  %-60s %6d bytes %9d matches%s"
          % (number, workload.name, len(workload.text), len(wanted),
             "; refused by " + ", ".join(refused) if refused else ""), flush=True)
    for line in wrong:
        print("DIFFERENT: seed %s, workload %d: %s" % (seed, number, line))
    return bool(wrong)


def parse_arguments(given):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("trawl", help="the command to test")
    parser.add_argument("--seed", help="of the workloads (default: a random one, printed)")
    parser.add_argument("--workloads", type=int, default=100, metavar="N", help="how many (100)")
    parser.add_argument("--text", type=int, default=65536, metavar="BYTES", help="of a text (65536)")
    parser.add_argument("--engine", default=ENGINES, metavar="LIST", help="(%s)" % ENGINES)
    parser.add_argument("--device", default="cpu", help="(cpu)")
    parser.add_argument("--corpora", default="", metavar="DIRECTORY", help="as for bench_zoo.py")
    return parser.parse_args(given)


def main(arguments):
    options = parse_arguments(arguments)
    seed = options.seed or str(random.SystemRandom().randrange(1 << 32))
    corpora = zoo_workloads.Corpora(seed, options.corpora)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.workloads):
            workload = zoo_workloads.make(corpora, seed, number, options.text)
            wrong += compare(options, seed, number, workload, folder)
    print("seed %s: %d of %d workloads differ" % (seed, wrong, options.workloads))
    return 1 if wrong else 0


if __name__ == "__main__":
    tool_main.run(main, Trouble)
