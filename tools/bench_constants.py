#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures what the constants of src/constants/cpu.h and fallback.h, or gpu.h, are worth.

Each is halved and doubled (powers of two and small numbers: one less and one more; lists: without
one of the elements). Over random workloads (tools/zoo_workloads.py) this says

- how many plans differ: what a scan would read, tables included;
- the time of planning, as a ratio;
- where plans differ, the speed of scans as a ratio, the fastest of scans in turn.

    tools/bench_constants.py build/constants                  200 workloads, a seed of its own: an hour
    tools/bench_constants.py --seed 7 --names TEDDY build/constants
    tools/bench_constants.py --report build/constants         the table again, measuring nothing
    tools/bench_constants.py --program 'taskset -c 1' build/constants    measures on this core

With --device cuda, plans are made for an H200, without a card. Their speeds need one, and a program
with the CUDA module's object files (--module). The folder can be taken to a machine with a card; with
--corpora it makes the same workloads there:

    tools/bench_constants.py --device cuda --module build/gpu/CMakeFiles/trawl-cuda.dir \
        --corpora build/constants/corpora --only-plans build/constants
    tools/bench_constants.py --device cuda --corpora build/constants/corpora --jobs 12 build/constants

The folder gets a copy of the library whose constants are variables (tools/constants_tree.py), which
takes a minute to compile, and the results: plans.jsonl and speeds.jsonl, a workload a line. Run
again with the same seed, it goes on where it stopped. Exit status: 0; 1 if a variation changes what
is found; 2 for wrong usage.
"""

import argparse
import concurrent.futures
import contextlib
import fcntl
import json
import math
import os
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leaves nothing in tools/
import constants_tree
import tool_main
import zoo_workloads

COMPILED = "program "  # a command: ask this program
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# ------------------------------------------------------------------ variations

# The part above 1 is halved and doubled.
MARGINS = {"TRAWL_COST_LARGE_TABLES_FACTOR", "TRAWL_COST_MOST_GROWTH", "TRAWL_DIVIDE_ANCHOR_MARGIN",
           "TRAWL_DIVIDE_REGISTERS_WHOLE", "TRAWL_FALLBACK_MARGIN",
           "TRAWL_FIELDS_PRODUCT_WORK", "TRAWL_GPU_ENDS_PER_CANDIDATE"}
# Values that the rules below would make senseless.
GIVEN = {"TRAWL_FIELDS_NEAR_SHARE_TENTHS": (8, 10),
         "TRAWL_GPU_CLEARLY_LESS": (0.8, 0.95), "TRAWL_GPU_MOST_TIERS": (2,)}
# Sizes of what is planned only if it is named.
SKIPPED = {"TRAWL_SPLIT_PART_TABLE_BYTES", "TRAWL_SPLIT_MOST_PARTS"}
# What scans read themselves: by the kinds of tiers that do (engines/qgram/format.h; none: all).
SCANS = {"TRAWL_QGRAM_PREFETCH": (1, 2, 3, 4, 5),
         "TRAWL_TEDDY_DENSE_BYTES": (2, 4), "TRAWL_PACKED_DENSE_MATCHES": (3,),
         "TRAWL_SPARSE_BLOCK": (6,), "TRAWL_QGRAM_BLOCK": (), "TRAWL_FALLBACK_STRETCH": (),
         "TRAWL_FALLBACK_FEW_BYTES": (), "TRAWL_FALLBACK_MANY_BYTES": (),
         "TRAWL_FALLBACK_SHORT_TEXTS": (), "TRAWL_FALLBACK_TIMED_TEXTS": (),
         "TRAWL_FALLBACK_STEP_SECONDS": (), "TRAWL_FALLBACK_MARGIN": (),
         "TRAWL_FALLBACK_BUILD_BYTE_SECONDS": (), "TRAWL_FALLBACK_BUILD_LEAST_SECONDS": (),
         "TRAWL_FALLBACK_MAX_BYTES": ()}
# The same for what an upload to a GPU or a scan there reads: by words of the plan.
UPLOADS = {"TRAWL_GPU_HOT_LEAST_STRIP_BYTES": {"hot", "automaton"},
           "TRAWL_GPU_HOT_ROUNDS": {"hot", "automaton"}, "TRAWL_GPU_HOT_SLOWER": {"hot", "automaton"},
           "TRAWL_GPU_HOT_RANKED_BYTES": {"hot", "automaton"},
           "TRAWL_GPU_HOT_RANKED_PIECES": {"hot", "automaton"},
           "TRAWL_GPU_BUCKET_LEAST_LOAD": {"anchors"},
           "TRAWL_GPU_BUCKET_MOST_LOAD": {"anchors"},
           "TRAWL_GPU_BUCKET_CACHE_SHARE": {"anchors"}}


def values_of(name, kind, value):
    """A smaller and a larger value."""
    if name in GIVEN:
        return GIVEN[name]
    if name in MARGINS:
        return 1 + (value - 1) / 2, 1 + (value - 1) * 2
    if kind == "u" and (value <= 4 or re.search("_BITS$|_LOG$", name)) and "FILTER_BITS" not in name:
        return value - 1, value + 1
    return (value // 2, value * 2) if kind == "u" else (value / 2, value * 2)


def variations_of_array(name, kind, values, whole):
    """Prices by element; of a list of shapes or lengths, an element less: a copy of its neighbour."""
    if kind == "s" or (kind == "u" and "." not in name):
        first = 0 if kind == "s" else 1
        return [("%s[%d]" % (name, i), "without", ["copy %s %d %d" % (name, i - 1 if i else 1, i)])
                for i in range(first, len(values))] if name not in whole else []
    if kind == "d" and not name.endswith(".bytes"):
        return [("%s[%d]" % (name, i), "%.6g" % made, ["set %s %d %.17g" % (name, i, made)])
                for i, value in enumerate(values) if value for made in (value / 2, value * 2)]
    return []


def variations(constants, pattern):
    """(constant, value, commands) for all constants whose names the pattern is found in."""
    made = []
    priced = {name.split(".")[0] for name, kind, _ in constants if "." in name and kind == "d"}
    for name, kind, values in constants:
        if name in SKIPPED or not re.search(pattern, name):
            continue
        if len(values) > 1:
            made += variations_of_array(name, kind, values, priced)
            continue
        made += [(name, "%.6g" % value, ["set %s 0 %.17g" % (name, value)])
                 for value in values_of(name, kind, values[0])]
    return made


def compiled_variations(folder, pattern, of, module):
    """The same for constants that need a program each, which is compiled here."""
    made = []
    for name, value in constants_tree.fixed_values(ROOT, of):
        for other in values_of(name, "u", value) if re.search(pattern, name) else ():
            program = constants_tree.build(ROOT, os.path.join(folder, "fixed"), of,
                                           {name: "%du" % other}, module)
            kept = "%s_%d" % (name, other)
            shutil.copy(program, os.path.join(folder, kept))
            made.append((name, "%d" % other, [COMPILED + kept]))
    return made


# ------------------------------------------------------------------ the measuring program


class Program:
    """A running tests/bench/constants.c. It is started when it is asked, and again after it ended."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def ask(self, command):
        """The words of the answer; None if the program ended."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        words = self.process.stdout.readline().split()
        if not words:
            self.close()
            return None
        return words

    def constants(self):
        """(name, kind, values) of each."""
        made, words = [], self.ask("list")
        while words[0] != "end":
            made.append((words[0], words[1], [float(value) for value in words[3:]]))
            words = self.process.stdout.readline().split()
        return made

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


@contextlib.contextmanager
def exclusive(path):
    """Holds the lock of a file, if there is one, as flock(1) does."""
    with open(path, "a", encoding="utf-8") if path else contextlib.nullcontext() as file:
        if file is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Programs:
    """The programs of a workload: with the constants as they are, and compiled with others."""

    def __init__(self, options, base, files):
        self.before, self.base, self.kept = shlex.split(options.program), base, {}
        self.folder, self.length = options.folder, options.length
        self.files = files + [word for word in (options.device, options.engine)
                              if word and word != "cpu"]

    def apply(self, commands):
        """Changes the constants; returns the program to ask."""
        is_compiled = bool(commands) and commands[0].startswith(COMPILED)
        path = commands[0][len(COMPILED):] if is_compiled else self.base
        if path not in self.kept:
            program = os.path.abspath(os.path.join(self.folder, path))
            self.kept[path] = Program(self.before + [program] + self.files)
        for command in ["reset"] + commands[is_compiled:]:
            self.kept[path].ask(command)
        return self.kept[path]

    def plan(self, commands):
        """[seconds, what scans read, the plan in words]; None: it failed."""
        words = self.apply(commands).ask("plan %d" % self.length)
        return [float(words[0]), words[1], " ".join(words[2:])] if words else None

    def close(self):
        for program in self.kept.values():
            program.close()


# ------------------------------------------------------------------ workloads


class Workloads:
    """The workloads of a seed, written into files."""

    def __init__(self, options, seed):
        self.options, self.seed = options, seed
        self.corpora = zoo_workloads.Corpora(seed, options.corpora)

    def write(self, number, folder):
        """The names of a workload's files; None: it has too few patterns."""
        workload = zoo_workloads.make(self.corpora, self.seed, number, self.options.text)
        if len(workload.patterns) < self.options.least:
            return None
        names = os.path.join(folder, "patterns"), os.path.join(folder, "text")
        with open(names[0], "wb") as file:
            file.writelines(struct.pack("<BI", flags == "i", len(pattern)) + pattern
                            for flags, pattern in workload.patterns[:self.options.patterns])
        with open(names[1], "wb") as file:
            file.write(workload.text)
        return [names[0], os.devnull if self.options.no_sample else names[1]]


# ------------------------------------------------------------------ plans

GROUP = 40  # variations of one direction that are tried together first


def find_changed(program, base, wanted, group, some=False):
    """Which variations of a group change the plan: {index: plan}; None for one that fails. Few do,
    so they are tried together, and halves of a group only if it changes the plan. `some`: it is known
    that some do."""
    if not some or len(group) == 1:
        plan = program.plan([command for at in group for command in wanted[at][2]])
        if plan is not None and plan[1:] == base:
            return {}
        if len(group) == 1:
            return {group[0]: plan and plan[1:]}
    half = len(group) // 2
    changed = find_changed(program, base, wanted, group[:half])
    changed.update(find_changed(program, base, wanted, group[half:], not changed))
    return changed


def groups_of(wanted, order):
    """Groups in a random order, so that neighbours, whose effects may cancel out, are seldom in one.
    A constant is at most once in each."""
    seen, directions = {}, {}
    for at, (name, _, commands) in enumerate(wanted):
        seen[name] = seen.get(name, 0) + 1
        compiled = commands[0] if commands[0].startswith(COMPILED) else None
        directions.setdefault((compiled, seen[name]), []).append(at)
    for members in directions.values():
        order.shuffle(members)
        for first in range(0, len(members), GROUP):
            yield members[first:first + GROUP]


def measure_times(program, wanted):
    """Of each variation, the seconds of planning as a ratio to those of the plans beside it."""
    made, before = [], program.plan([])[0]
    for _, _, commands in wanted:
        plan, after = program.plan(commands), program.plan([])[0]
        made.append(2 * plan[0] / (before + after) if plan else None)
        before = after
    return made


def measure_plans(program, wanted, number, timed):
    """A workload's plan, and the plans of the variations that change it."""
    program.plan([])  # the first one meets memory that is not there yet
    base, changed = program.plan([]), {}
    if base is None:
        return None
    for group in groups_of(wanted, random.Random(number)):
        changed.update(find_changed(program, base[1:], wanted, group))
    return {"number": number, "seconds": base[0], "base": base[1:], "changed": sorted(changed.items()),
            "times": measure_times(program, wanted) if timed and number % timed == 0 else None}


# ------------------------------------------------------------------ speeds

ROUNDS = {"cpu": 7, "cuda": 3}  # on a GPU a round has several scans


def is_scanned(name, plan):
    """Whether scans with this plan read the constant."""
    if name in UPLOADS:
        return bool(UPLOADS[name] & set(plan.split()))
    kinds = SCANS.get(name)
    if kinds is None or not plan.startswith("qgram"):
        return False
    return not kinds or any(int(tier.split(":")[0]) in kinds for tier in plan.split()[1:])


def choose_pairs(results, wanted, limit):
    """By workload: the variations whose speed is to be measured, at most `limit` of each."""
    left, chosen = [limit] * len(wanted), {}
    for result in results:
        changed = dict(result["changed"])
        for at in range(len(wanted)):
            if left[at] and (changed.get(at) or is_scanned(wanted[at][0], result["base"][1])):
                left[at] -= 1
                chosen.setdefault(result["number"], []).append(at)
    return chosen


def measure_speeds(program, result, chosen, wanted, rounds, lock):
    """Seconds of scans: [base, the same again, each of the chosen variations]. Variations with the
    same tables are measured once, unless scans read the constant."""
    subjects, of, kinds, changed = [[], []], [], {}, dict(result["changed"])
    for at in chosen:
        key = at if is_scanned(wanted[at][0], result["base"][1]) else tuple(changed[at])
        if key not in kinds:
            kinds[key] = len(subjects)
            subjects.append(wanted[at][2])
        of.append(kinds[key])
    for slot, commands in enumerate(subjects):
        if program.apply(commands).ask("keep %d" % slot) is None:
            return None
    least, matches = [math.inf] * len(subjects), set()
    for _ in range(rounds):
        with exclusive(lock):
            for slot, commands in enumerate(subjects):
                words = program.apply(commands).ask("scan %d" % slot)
                if words is None:
                    return None
                least[slot] = min(least[slot], float(words[0]))
                matches.add(words[1])
    return {"base": least[0], "again": least[1], "of": [[at, least[slot]] for at, slot in zip(chosen, of)],
            "matches": sorted(matches)}


# ------------------------------------------------------------------ report


def describe(of, form, values):
    """What a function says of values; "-" of none."""
    return form % of(values) if values else "-"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_report(results, speeds, wanted):
    noise = [one["base"] / one["again"] for one in speeds.values() if one]
    print("%d workloads, %.1f s of planning; the same plan again: speed %s, %s to %s"
          % (len(results), sum(result["seconds"] for result in results),
             describe(geometric_mean, "%.3f", noise), describe(min, "%.2f", noise),
             describe(max, "%.2f", noise)))
    print("\n| constant | value | plans changed | planning time | measured | speed | least | most |")
    print("|---|---|---|---|---|---|---|---|")
    for at, (name, value, _) in enumerate(wanted):
        plans = [dict(result["changed"]) for result in results]
        failed = sum(at in changed and changed[at] is None for changed in plans)
        times = [result["times"][at] for result in results if result["times"] and result["times"][at]]
        ratios = [one["base"] / seconds for one in speeds.values() if one
                  for index, seconds in one["of"] if index == at]
        print("| %s | %s | %d%s | %s | %d | %s | %s | %s |"
              % (name, value, sum(changed.get(at) is not None for changed in plans),
                 ", %d failed" % failed if failed else "", describe(geometric_mean, "%.2f", times),
                 len(ratios), describe(geometric_mean, "%.3f", ratios),
                 describe(min, "%.2f", ratios), describe(max, "%.2f", ratios)))


# ------------------------------------------------------------------ the command


def pairs(text):
    return [pair.split("=") for pair in text.split(",")]


def parse_arguments(given):
    parser = argparse.ArgumentParser(description="Measures what the planner's constants are worth.")
    parser.add_argument("folder", help="for the copy of the library, and for results")
    parser.add_argument("--device", choices=sorted(constants_tree.OF), default="cpu",
                        help="whose constants: cpu or cuda (cpu)")
    parser.add_argument("--module", default="", metavar="FOLDER",
                        help="with object files of the CUDA module: the program can scan on GPUs")
    parser.add_argument("--corpora", default="", metavar="FOLDER",
                        help="make the workloads from the files there, which are made if they are "
                             "missing: the same workloads on all machines")
    parser.add_argument("--no-sample", action="store_true",
                        help="plans without a text")
    parser.add_argument("--timed", type=int, default=25, metavar="N",
                        help="one workload in so many is planned with each variation by itself, for "
                             "the time (25; 0: none)")
    parser.add_argument("--only-plans", action="store_true", help="measure no speeds")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workloads at a time (1)")
    parser.add_argument("--seed", type=int, default=None, metavar="N",
                        help="the workloads (a new one, which is kept in the folder)")
    parser.add_argument("--workloads", type=int, default=200, metavar="N", help="how many (200)")
    parser.add_argument("--patterns", type=int, default=8000, metavar="N",
                        help="of a workload, at most (8000)")
    parser.add_argument("--text", type=int, default=4 << 20, metavar="BYTES", help="of each text (4 MiB)")
    parser.add_argument("--length", type=int, default=0, metavar="BYTES",
                        help="of the text, as the planner knows it (0: it does not)")
    parser.add_argument("--names", default="", metavar="REGEX", help="only constants with such names")
    parser.add_argument("--limit", type=int, default=25, metavar="N",
                        help="workloads whose speed is measured for each variation (25)")
    parser.add_argument("--program", default="", metavar="WORDS", help="before each command that measures")
    parser.add_argument("--lock", default="", metavar="FILE",
                        help="hold the lock of this file while a workload is measured")
    parser.add_argument("--compiled", action="store_true",
                        help="also those for which a program has to be compiled each")
    parser.add_argument("--also", type=pairs, default=[], metavar="NAME=VALUE,...",
                        help="these values of constants that are single numbers, too")
    parser.add_argument("--engine", default="", metavar="NAME",
                        help="compile this engine instead of the planner's choice; on a GPU qgram, "
                             "of which kernel filter is measured")
    parser.add_argument("--least", type=int, default=1, metavar="N",
                        help="leave out workloads with fewer patterns (1)")
    parser.add_argument("--seconds", type=float, default=0, metavar="N",
                        help="after so long begin no further plans, and then no further speeds")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    return parser.parse_args(given)


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def append_line(path, made):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(made) + "\n")


def begin(options):
    """The program, and what is varied, which is the same each time that the folder is used."""
    path = os.path.join(options.folder, "wanted.json")
    if os.path.exists(path):
        kept = read_lines(path)[0]
        return kept["program"], kept["seed"], kept["wanted"]
    folder, of = os.path.abspath(options.folder), constants_tree.OF[options.device]
    module = options.module and os.path.abspath(options.module)
    program = constants_tree.build(ROOT, folder, of, module=module)
    asked = Program([program, os.devnull, os.devnull])
    seed = random.SystemRandom().randrange(10 ** 6) if options.seed is None else options.seed
    wanted = variations(asked.constants(), options.names)
    asked.close()
    wanted += [(name, value, ["set %s 0 %s" % (name, value)]) for name, value in options.also]
    if options.compiled:
        wanted += compiled_variations(folder, options.names, of, module)
    program = os.path.relpath(program, folder)
    append_line(path, {"program": program, "seed": seed, "wanted": wanted})
    return program, seed, wanted


class Measuring:
    """What the measurements of all workloads share. Each is called with a workload's number."""

    def __init__(self, options, program, seed, wanted):
        self.options, self.program, self.wanted = options, program, wanted
        self.workloads = Workloads(options, seed)

    def plans(self, number):
        """(number, plans); None for plans if there are none."""
        with tempfile.TemporaryDirectory() as folder:
            files = self.workloads.write(number, folder)
            if files is None:
                return number, None
            asked = Programs(self.options, self.program, files)
            with exclusive(self.options.lock):
                made = measure_plans(asked, self.wanted, number, self.options.timed)
                asked.close()
            return number, made

    def speeds(self, result, chosen):
        """(number, speeds). On a GPU only scans are exclusive: compiling takes far longer."""
        whole, scans = self.options.lock, ""
        if self.options.device == "cuda":
            whole, scans = scans, whole
        with tempfile.TemporaryDirectory() as folder:
            files = self.workloads.write(result["number"], folder)
            asked = Programs(self.options, self.program, files)
            with exclusive(whole):
                made = measure_speeds(asked, result, chosen, self.wanted,
                                      ROUNDS[self.options.device], scans)
                asked.close()
            return result["number"], made


measuring = None  # of a process of the pool: it keeps what it has read


def begin_process(*settings):
    global measuring
    measuring = Measuring(*settings)


def measure_plans_of(number):
    return measuring.plans(number)


def measure_speeds_of(result, chosen):
    return measuring.speeds(result, chosen)


def all_done(settings, function, calls):
    """What the function returns for each of the calls, as soon as it is done. Calls that have not begun
    in time are left out."""
    options, begun = settings[0], time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin_process,
                                                initargs=settings) as pool:
        waiting = [pool.submit(function, *call) for call in calls]
        for done in concurrent.futures.as_completed(waiting):
            if not done.cancelled():
                yield done.result()
            if options.seconds and time.monotonic() - begun > options.seconds:
                for call in waiting:
                    call.cancel()


def measure(options, program, seed, wanted, paths):
    results = {one["number"]: one for one in read_lines(paths[0])}
    settings = (options, program, seed, wanted)
    missing = sorted(set(range(options.workloads)) - set(results))
    for number, made in all_done(settings, measure_plans_of, [(number,) for number in missing]):
        if made is not None:
            results[number] = made
            append_line(paths[0], made)
            print("plans of %d: %.4f s" % (number, made["seconds"]), file=sys.stderr, flush=True)
    speeds = {one["number"] for one in read_lines(paths[1])}
    if options.only_plans:
        return
    chosen = choose_pairs([results[number] for number in sorted(results)], wanted, options.limit)
    calls = [(results[number], chosen[number]) for number in sorted(set(chosen) - speeds)]
    for number, made in all_done(settings, measure_speeds_of, calls):
        append_line(paths[1], {"number": number, "speeds": made})
        print("speeds of %d" % number, file=sys.stderr, flush=True)


def main(given):
    options = parse_arguments(given)
    os.makedirs(options.folder, exist_ok=True)
    program, seed, wanted = begin(options)
    paths = [os.path.join(options.folder, name) for name in ("plans.jsonl", "speeds.jsonl")]
    if not options.report:
        measure(options, program, seed, wanted, paths)
    speeds = {one["number"]: one["speeds"] for one in read_lines(paths[1])}
    print("seed %d" % seed)
    print_report(read_lines(paths[0]), speeds, wanted)
    wrong = [number for number, one in speeds.items() if one and len(one["matches"]) != 1]
    if wrong:
        print("bench_constants: other matches in workloads %s" % wrong, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    tool_main.run(main, OSError)
