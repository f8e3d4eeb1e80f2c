#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures the planner over workloads that nobody chose: random sets, random texts, from a seed.

For each workload (tools/zoo_workloads.py makes them) one run of `trawl bench`: the planner's choice,
every engine, Hyperscan and aho-corasick. Printed are the regret (the speed of the best engine divided
by that of the planner's choice, each the fastest of its runs: 1 is a perfect choice; an engine by name
with the variant and the tables of the choice is the choice, measured twice) and the ratio to the best
peer, as distributions, and the worst workloads. Their numbers make them again: --only.

    tools/bench_zoo.py build/release/trawl                   15 minutes, a seed of its own
    tools/bench_zoo.py --seed 7 --workloads 50 build/release/trawl
    tools/bench_zoo.py --seed 7 --only 13 --keep zoo build/release/trawl         and keep its files
    tools/bench_zoo.py --device cuda --copies 64 build/gpu/trawl     texts of 256 MiB in a GPU's memory

Every contestant of a workload must count the same matches. Exit status: 0; 1 when they do not, or a
workload could not be measured; 2 for wrong usage.
"""

import argparse
import json
import math
import os
import random
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leaves nothing in tools/
import bench_workloads
import tool_main
import zoo_workloads

PEERS = ("hyperscan", "aho-corasick")  # by the beginning of their names
# The planner chooses between these kernels on a GPU; of the papers' kernels one is a contestant.
GPU_ENGINES = ("auto,qgram:mixed+filter,qgram:mixed+packed,qgram:mixed+sparse,ac-dfa:classes+hot,"
               "ac-dfa:classes+ac2")


# ------------------------------------------------------------------ measuring


def link_peers(directory, place):
    """A directory with links to the peers to measure, without the others of `directory`."""
    os.makedirs(os.path.join(place, "programs"))
    for folder in ("", "programs"):
        source = os.path.join(directory, folder)
        for name in sorted(os.listdir(source)) if os.path.isdir(source) else []:
            if name.startswith(PEERS):
                os.symlink(os.path.abspath(os.path.join(source, name)),
                           os.path.join(place, folder, name))
    return place


def contestants_of(options, peers):
    if options.device:
        return ["--engine", GPU_ENGINES, "--device", options.device, "--on-device"]
    # Peers are in processes of their own, and so is then each engine: one that takes too long ends.
    return ["--engine", "auto,all", "--peers", "--peers-dir", peers, "--time-limit",
            str(options.time_limit), "--run-time", str(options.run_time)]


def bench_command(options, patterns, text, peers):
    return [options.trawl, "bench", "--format", "json", "--no-progress", "--repeat",
            str(options.repeat), "-f", patterns, "--pattern-format", "tsv",
            *contestants_of(options, peers), *options.flags, *[text] * options.copies]


def rows_of_devices(output):
    """bench's lines without those of the CPU, with which it compares a GPU's matches; the kernel is
    part of the variant."""
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return "\n".join(
        json.dumps(dict(row, variant="%s:%s" % (row.get("variant", ""), row.get("kernel", ""))))
        for row in rows if row.get("device", "cpu") != "cpu")


def text_bytes(options):
    """The size of each copy. A GPU cuts the whole text into strips of equal size. Copies as long as
    a strip, or as several, put the same bytes at the same place of every strip: neighbouring threads
    then load from, and meet candidates in, the same places at once. A 61st less (a prime number)
    keeps the copies out of step."""
    return options.text if options.copies == 1 else options.text - options.text // 61


def measure(options, workload, number, folder, peers):
    patterns, text = os.path.join(folder, "patterns.tsv"), os.path.join(folder, "text")
    zoo_workloads.write(workload, patterns, text)
    command = bench_command(options, patterns, text, peers)
    begin = time.monotonic()
    status, output, errors = bench_workloads.run_limited(command, 60 * options.time_limit)
    contestants = bench_workloads.parse_rows(rows_of_devices(output) if options.device else output,
                                             "auto,all")
    problem = ""
    if status != 0:
        said = [line for line in errors.splitlines() if "not found" not in line]
        problem = said[-1] if said else "trawl bench ended with %s" % status
    elif not any(one["kind"] == "auto" and one["speed"] for one in contestants):
        problem = "the planner's choice took longer than --time-limit"
    return {"number": number, "name": workload.name, "patterns": len(workload.patterns),
            "bytes": options.copies * len(workload.text), "seconds": round(time.monotonic() - begin, 1),
            "contestants": contestants, "problem": problem}


def fastest(contestant):
    """Other processes of a machine only make a run slower: the fastest run has least of that."""
    return contestant["speed"]["max"] if contestant["speed"] else 0


def is_choice(engine, auto):
    """Whether an engine given by name has the variant and the tables of the planner's choice: it is
    the same database, measured twice."""
    return engine["name"] == auto["chosen"] and engine["table_bytes"] == auto["table_bytes"]


def judge(result):
    """What a workload says: the regret, and the ratio to the best peer (None: there is none)."""
    ours = {kind: [one for one in result["contestants"] if one["kind"] == kind]
            for kind in ("auto", "engine", "peer")}
    choice = ours["auto"] + [one for one in ours["engine"] if is_choice(one, ours["auto"][0])]
    others = [one for one in ours["engine"] if one not in choice]
    auto = max(map(fastest, choice))
    best = max(others, key=fastest, default=choice[0])
    regret = max(1, fastest(best) / auto)
    peer = max(ours["peer"], key=fastest, default=None)
    return {"number": result["number"], "name": result["name"], "auto": auto,
            "chosen": ours["auto"][0]["chosen"], "regret": regret, "best": best["name"] if regret > 1 else "auto",
            "matches": ours["auto"][0]["matches"] / result["bytes"],
            "peer": peer["name"] if peer and peer["speed"] else "-",
            "ratio": auto / fastest(peer) if peer and peer["speed"] else None}


# ------------------------------------------------------------------ report


def quantile(values, share):
    """The least value that at least `share` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


LINE = "%6d  %-58s %8.3f %7.2f %-18s %6s %s"
HEAD = "%6s  %-58s %8s %7s %-18s %6s %s" % ("number", "workload", "GB/s", "regret", "best engine",
                                          "ratio", "best peer")


def line_of(one):
    ratio = "-" if one["ratio"] is None else "%.2f" % one["ratio"]
    return LINE % (one["number"], one["name"][:58], one["auto"], one["regret"], one["best"], ratio,
                   one["peer"])


def print_summary(results, options, seconds):
    judged = [judge(result) for result in results if not result["problem"]]
    print("seed %s, workloads %d to %d, %.0f s; %d could not be measured"
          % (options.seed, results[0]["number"], results[-1]["number"], seconds,
             len(results) - len(judged)))
    for result in results:
        if result["problem"]:
            print("%6d  %s: %s" % (result["number"], result["name"], result["problem"]))
    if not judged:
        return
    regrets = [one["regret"] for one in judged]
    print("regret: median %.2f, 95th percentile %.2f, worst %.2f"
          % (quantile(regrets, 0.5), quantile(regrets, 0.95), max(regrets)))
    ratios = [one["ratio"] for one in judged if one["ratio"] is not None]
    if ratios:
        print("ratio to the best peer (%d workloads): geometric mean %.2f, 5th percentile %.2f, "
              "worst %.2f; below 1: %d" % (len(ratios), geometric_mean(ratios),
                                           quantile(ratios, 0.05), min(ratios),
                                           sum(ratio < 1 for ratio in ratios)))
    for title, key in (("the largest regrets", lambda one: -one["regret"]),
                       ("the smallest ratios", lambda one: one["ratio"] or math.inf)):
        print("\n%s:\n%s" % (title, HEAD))
        for one in sorted(judged, key=key)[:options.worst]:
            print(line_of(one))


# ------------------------------------------------------------------ the command


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse_arguments(given):
    arguments, flags = bench_workloads.split_flags(given)
    parser = argparse.ArgumentParser(
        prog="bench_zoo.py", description="Measures the planner over random workloads.",
        epilog="Flags after -- go to trawl bench.")
    parser.add_argument("trawl", help="the command to measure")
    parser.add_argument("--seed", type=int, default=None, metavar="N",
                        help="the workloads (a new one, which is printed)")
    parser.add_argument("--workloads", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--only", type=numbers, metavar="LIST", help="the workloads of these numbers")
    parser.add_argument("--minutes", type=float, default=15, metavar="N",
                        help="begin no workload after so long (15)")
    parser.add_argument("--text", type=bench_workloads.parse_size, default=4 << 20,
                        metavar="BYTES", help="bytes of each text (4M)")
    parser.add_argument("--copies", type=int, default=1, metavar="N",
                        help="measure with each text N times, one behind the other (1)")
    parser.add_argument("--corpora", default="", metavar="FOLDER",
                        help="what the texts are made from, kept for other machines")
    parser.add_argument("--device", metavar="DEVICE",
                        help="cuda or cuda:N: measure on this GPU, texts in its memory, no peers")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="timed runs (3)")
    parser.add_argument("--run-time", type=int, default=20, metavar="MS",
                        help="more runs, on a CPU, if they take less time than this together (20)")
    parser.add_argument("--time-limit", type=int, default=4, metavar="SECONDS",
                        help="the time of each contestant, building included (4)")
    parser.add_argument("--peers-dir", default="build/peers", metavar="DIRECTORY",
                        help="as make peers fetches them (build/peers)")
    parser.add_argument("--out", metavar="FILE", help="every result, a JSON object on a line")
    parser.add_argument("--keep", metavar="DIRECTORY", help="keep the files of the last workload")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="lines of each list (10)")
    options = parser.parse_args(arguments)
    options.flags = flags
    options.seed = random.SystemRandom().randrange(10 ** 6) if options.seed is None else options.seed
    if os.sep not in options.trawl and os.path.isfile(options.trawl):
        options.trawl = os.path.join(".", options.trawl)
    return options


def run(options, folder):
    peers = link_peers(options.peers_dir, os.path.join(folder, "peers"))
    os.environ["PATH"] = ""  # without grep and ripgrep, which bench would measure as programs
    corpora = zoo_workloads.Corpora(options.seed, options.corpora)
    results, begin = [], time.monotonic()
    for number in options.only or range(options.workloads):
        if time.monotonic() - begin > 60 * options.minutes:
            break
        workload = zoo_workloads.make(corpora, options.seed, number, text_bytes(options))
        result = measure(options, workload, number, options.keep or folder, peers)
        results.append(result)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(dict(result, seed=options.seed)) + "\n")
        print(line_of(judge(result)) if not result["problem"] else
              "%6d  %s: %s" % (number, result["name"], result["problem"]), file=sys.stderr, flush=True)
    return results, time.monotonic() - begin


def main(arguments):
    options = parse_arguments(arguments)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        results, seconds = run(options, folder)
    if not results:
        raise bench_workloads.Trouble("expected at least one workload")
    print_summary(results, options, seconds)
    return 1 if any(result["problem"] for result in results) else 0


if __name__ == "__main__":
    tool_main.run(main, bench_workloads.Trouble, OSError)
