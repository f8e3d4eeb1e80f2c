#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures trawl beside its peers over the workloads of docs/guide/benchmarks.md, and prints Markdown.

For each row of TABLE below: one run of `trawl bench --peers --format json`, so that the ratios
of a row come from the same minutes of the same machine. Everything measured is kept as JSON in a
directory, from which the tables can be printed again (--report) and plots be made (speeds.tsv), and
with --record as one file, from which tools/bench_report.py makes a page of docs/results.

    tools/bench_workloads.py build/release/trawl
    tools/bench_workloads.py --rows 'rare-*,dna8-1000' --repeat 7 --out results build/release/trawl
    tools/bench_workloads.py build/release/trawl -- --threads 2     flags for trawl bench

Exit status: 0; 1 when a row could not be measured or two contestants disagree; 2 for wrong usage.
"""

import argparse
import collections
import fnmatch
import gzip
import json
import math
import os
import platform
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leaves nothing in tools/
import bench_report
import bench_targets
import tool_main

Workload = collections.namedtuple("Workload", "name patterns text")

# WORKLOADS: the seeded sets and texts; DATA: real sets and texts. Each file may also be there as
# NAME.gz.
LOCATIONS = {
    "WORKLOADS": os.environ.get("WORKLOADS", "workloads"),
    "DATA": os.environ.get("TRAWL_DATA", "data"),
}
MIB = 1 << 20
ENGLISH, CODE = "WORKLOADS/english.txt", "WORKLOADS/code.txt"
DNA, BINARIES = "WORKLOADS/dna.txt", "WORKLOADS/bin.dat"
PROGRAMS = "WORKLOADS/usrbin.dat"
TRAFFIC, DICKENS, ECOLI = "DATA/traffic-a.bin", "DATA/dickens.txt", "DATA/ecoli.raw"


def seeded(name, text):
    return Workload(name, "WORKLOADS/%s.pats.txt" % name, text)


TABLE = [
    seeded("rare-10", ENGLISH),
    seeded("rare-100", ENGLISH),
    seeded("rare-1000", ENGLISH),
    seeded("rare-10000", ENGLISH),
    seeded("rare-100000", ENGLISH),
    seeded("english-100", ENGLISH),
    seeded("english-5000", ENGLISH),
    seeded("english-50000", ENGLISH),
    seeded("code-100", CODE),
    seeded("code-1000", CODE),
    seeded("code-10000", CODE),
    seeded("bin-1000", BINARIES),
    seeded("bin-50000", BINARIES),
    seeded("dna8-1000", DNA),
    seeded("dna8-8000", DNA),
    seeded("dna8-16000", DNA),
    seeded("dna32-10000", DNA),
    Workload("snort-traffic", "DATA/snort-community.tsv", TRAFFIC),
    Workload("snort-programs", "DATA/snort-community.tsv", PROGRAMS),
    Workload("yara-traffic", "DATA/yara-literals.tsv", TRAFFIC),
    Workload("yara-programs", "DATA/yara-literals.tsv", PROGRAMS),
    Workload("phrases-dickens", "DATA/phrases.tsv", DICKENS),
    Workload("gitleaks-code", "DATA/gitleaks-keywords.tsv", CODE),
    Workload("gitleaks-programs", "DATA/gitleaks-keywords.tsv", PROGRAMS),
    Workload("mirna-ecoli", "DATA/mirna-mature.tsv", ECOLI),
    Workload("13grams-dickens", "DATA/gsm8k-13grams.tsv", DICKENS),
]
MAX_COPIES = 64  # of a text: they are arguments of one command


class Trouble(Exception):
    """One sentence for the person who reads it."""


# ------------------------------------------------------------------ files


def locate(place):
    """The path of "WORKLOADS/english.txt", or of the same name with .gz."""
    location, name = place.split("/", 1)
    path = os.path.join(LOCATIONS[location], name)
    for candidate in (path, path + ".gz"):
        if os.path.isfile(candidate):
            return candidate
    variable = "TRAWL_DATA" if location == "DATA" else location
    raise Trouble("%s: expected this file, or %s.gz ($%s)" % (path, name, variable))


def text_bytes(path):
    """Uncompressed size. The last four bytes of a .gz file of one member hold it (below 4 GiB)."""
    if not path.endswith(".gz"):
        return os.path.getsize(path)
    with open(path, "rb") as file:
        file.seek(-4, os.SEEK_END)
        return struct.unpack("<I", file.read(4))[0]


def pattern_count(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return sum(1 for line in file if line.rstrip(b"\n"))


def parse_size(text):
    units = {"K": 10, "M": 20, "G": 30}
    shift = units.get(text[-1:].upper(), 0)
    try:
        size = int(text[:-1] if shift else text) << shift
    except ValueError:
        size = 0
    if size <= 0:
        raise argparse.ArgumentTypeError("expected a size in bytes such as 64M, not '%s'" % text)
    return size


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_results(directory, rows):
    paths = [os.path.join(directory, row.name + ".json") for row in rows]
    return [read_json(path) for path in paths if os.path.isfile(path)]


def write_whole(path, text):
    """Never leaves half a file behind."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


# ------------------------------------------------------------------ the machine


def output_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def describe_machine(trawl, commit=None):
    try:
        fields = {item["field"].rstrip(":"): item["data"]
                  for item in flatten(json.loads(output_of("lscpu", "-J"))["lscpu"])}
    except (ValueError, KeyError, TypeError):
        fields = {}
    sets = {"ssse3", "sse4_2", "popcnt", "bmi2", "avx2", "avx512f", "avx512bw", "avx512vl",
            "avx512vbmi", "gfni", "asimd", "sve", "sve2"}
    here = os.path.dirname(os.path.abspath(__file__))
    return {
        "model": fields.get("Model name") or platform.processor() or platform.machine(),
        "family and model": "%s/%s" % (fields.get("CPU family", "?"), fields.get("Model", "?")),
        "CPUs": os.cpu_count(),
        "threads per core": fields.get("Thread(s) per core", "?"),
        "caches": {name: fields[name + " cache"] for name in ("L1d", "L1i", "L2", "L3")
                   if name + " cache" in fields},
        "instruction sets": sorted(sets & set(fields.get("Flags", "").split())),
        "hypervisor": fields.get("Hypervisor vendor", "none"),
        "kernel": platform.release().split("-")[0],
        "trawl": output_of(trawl, "--version").replace("\n", "; ") or "?",
        "commit": commit or output_of("git", "-C", here, "describe", "--always", "--dirty") or "?",
        "trawl devices": output_of(trawl, "devices").replace("\t", " ").splitlines()[:1],
        "TRAWL_CPU": os.environ.get("TRAWL_CPU", ""),
    }


def plain_command(tool, arguments, trawl):
    """The command line of a run without what concerns only this machine: where things are."""
    words, skipped = ["tools/" + tool], {"--out", "--record", "--commit", "--against"}
    rest = iter(arguments)
    for word in rest:
        if word in skipped:
            next(rest, None)
        elif word == "--peers-dir":
            next(rest, None)
            words += [word, "DIRECTORY"]
        elif word not in (trawl, "--report", "--resume") and not word.startswith(
                tuple(name + "=" for name in skipped)):
            words.append("'%s'" % word if set(word) & set("*?") else word)
    return " ".join(words + ["trawl"] if "--" not in words else
                    words[:words.index("--")] + ["trawl"] + words[words.index("--"):])


def private_places(flags):
    """Folders of this machine that messages may name -> what a recorded run says instead."""
    places = [(path, "$TRAWL_DATA" if name == "DATA" else "$" + name)
              for name, path in LOCATIONS.items()]
    places += [(after, "DIRECTORY") for word, after in zip(flags, flags[1:])
               if word == "--peers-dir"]
    places.append((os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "trawl"))
    return [(path, word) for path, word in places if os.path.isabs(path)]


def flatten(items):
    """Newer versions of lscpu nest their fields."""
    for item in items:
        yield item
        yield from flatten(item.get("children", []))


# ------------------------------------------------------------------ measuring


def run_limited(command, seconds):
    """(status, output, errors); the status is None when it took longer and was ended."""
    # bench starts processes of its own, which must end with it.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
            return process.returncode, output, errors
        except BaseException as reason:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            if isinstance(reason, subprocess.TimeoutExpired):
                return None, output, errors
            raise


def bench_command(options, workload, patterns, text):
    size = text_bytes(text)
    copies = math.ceil(min(options.least, options.limit) / max(1, size))
    copies = min(max(1, copies), MAX_COPIES)
    command = [options.trawl, "bench", "--format", "json", "--no-progress",
               "--repeat", str(options.repeat), "--limit", str(options.limit),
               "--engine", options.engines, "-f", patterns]
    if not options.no_peers:
        command += ["--peers", "--time-limit", str(options.time_limit)]
    if ".tsv" in workload.patterns:
        command += ["--pattern-format", "tsv"]
    return command + options.flags + [text] * copies, copies, min(options.limit, size * copies)


def parse_rows(output, asked):
    """bench's JSON lines -> contestants. Their kind is auto, engine, peer, or program (a whole one,
    which counts lines). The planner's row bears the name of the engine that it chose; without
    "asked" it is known by being the first one."""
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    contestants = []
    for number, row in enumerate(rows):
        kind, variant = row.get("kind", "engine"), row.get("variant", "")
        first = "auto" if number == 0 and asked.split(",")[0] == "auto" else ""
        if kind == "engine" and row.get("asked", first) == "auto":
            kind = "auto"
        ours = kind in ("auto", "engine")
        # A peer's variant is its version, and its form where it has several: 1.1.3-dfa.
        version, _, form = variant.partition("-")
        name = row["engine"] + (":" + variant if ours else "-" + form if form else "")
        contestants.append({
            "name": "auto" if kind == "auto" else name, "kind": kind,
            "chosen": name if kind == "auto" else "", "version": "" if ours else version,
            "title": "%s %s" % (row["engine"], variant),
            "speed": row.get("gb_per_second"), "matches": row.get("matches"),
            "threads": row.get("threads"), "build_seconds": row.get("build_seconds"),
            "table_bytes": row.get("table_bytes"), "status": row.get("status", "measured"),
            "reason": row.get("reason", ""), "note": row.get("note", ""),
            "ratio": row.get("ratio_to_best_peer"), "best_peer": row.get("best_peer"),
        })
    return contestants


def remarks(contestants):
    """What a reader should know of them, a sentence each."""
    notes = []
    for one in contestants:
        if not one["speed"]:
            notes.append("%s: %s" % (one["name"], one["reason"] or one["status"]))
        if one["note"]:
            notes.append("%s: %s" % (one["name"], one["note"]))
    return notes


def measure(options, workload):
    patterns, text = locate(workload.patterns), locate(workload.text)
    command, copies, size = bench_command(options, workload, patterns, text)
    load, begin = os.getloadavg()[0], time.monotonic()
    status, output, errors = run_limited(command, options.row_limit)
    contestants = parse_rows(output, options.engines)
    problems, notes = [], remarks(contestants)
    said = [line.strip() for line in errors.splitlines() if line.strip()]
    if status == 0 and contestants:
        notes += said
    elif status is None:
        problems += ["ended after %g s (--row-limit)" % options.row_limit] + said
    else:
        problems += ["trawl bench ended with %s" % status] + said
    return {
        "name": workload.name, "patterns": pattern_count(patterns),
        "pattern_file": os.path.basename(patterns), "text_file": os.path.basename(text),
        "copies": copies, "bytes": size, "flags": options.flags, "repeat": options.repeat,
        "load_before": load, "seconds": time.monotonic() - begin, "status": status,
        "contestants": contestants, "problems": problems, "notes": notes,
        "bench_output": output,
    }


# ------------------------------------------------------------------ the command


def add_record_arguments(parser):
    parser.add_argument("--record", metavar="FILE",
                        help="also write all results to docs/results/data/DATE-MACHINE.json")
    parser.add_argument("--commit", metavar="ID",
                        help="of the measured code, where git cannot tell")


def split_flags(arguments):
    """What stands before `--`, and the flags of trawl bench behind it."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]


def add_row_arguments(parser):
    parser.add_argument("--rows", default="*", metavar="LIST",
                        help="workloads, separated by commas; * and ? match any letters")
    parser.add_argument("--list", action="store_true", help="print the workloads and stop")


def parse_arguments(given):
    arguments, flags = split_flags(given)
    parser = argparse.ArgumentParser(
        prog="bench_workloads.py",
        description="Measures trawl beside its peers over the workloads of docs/guide/benchmarks.md.",
        epilog="Flags after -- go to trawl bench (--collect, --threads 2). Texts and sets are in "
               "$WORKLOADS (./workloads) and $TRAWL_DATA (./data).")
    parser.add_argument("trawl", nargs="?", help="the command to measure")
    add_row_arguments(parser)
    parser.add_argument("--engines", default="auto,all", metavar="LIST",
                        help="as trawl bench --engine takes them, auto first (auto,all)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="timed runs (5)")
    parser.add_argument("--limit", type=parse_size, default=64 * MIB, metavar="BYTES",
                        help="use the first BYTES of a text (64M)")
    parser.add_argument("--least", type=parse_size, default=32 * MIB, metavar="BYTES",
                        help="repeat shorter texts until they have BYTES (32M)")
    parser.add_argument("--time-limit", type=int, default=60, metavar="SECONDS",
                        help="the time of each contestant, as trawl bench has it (60)")
    parser.add_argument("--row-limit", type=float, default=1800, metavar="SECONDS",
                        help="end the run of a workload after SECONDS (1800)")
    parser.add_argument("--out", default="bench-results", metavar="DIRECTORY",
                        help="where the JSON files go (bench-results)")
    parser.add_argument("--resume", action="store_true",
                        help="leave out workloads that DIRECTORY has already")
    parser.add_argument("--report", action="store_true",
                        help="measure nothing, print what DIRECTORY has")
    add_record_arguments(parser)
    parser.add_argument("--against", metavar="DIRECTORY",
                        help="also print the ratios to trawl's speeds there")
    parser.add_argument("--no-peers", action="store_true", help="measure trawl alone")
    options = parser.parse_args(arguments)
    options.flags = flags
    options.command = plain_command("bench_workloads.py", given, options.trawl)
    if options.trawl is None and not (options.report or options.list):
        parser.error("expected the path of trawl")
    if options.trawl and os.sep not in options.trawl and os.path.isfile(options.trawl):
        options.trawl = os.path.join(".", options.trawl)
    return options


def choose_rows(names, table):
    """The rows of a table whose names are wanted; each name must be that of a row."""
    wanted = [name for name in names.split(",") if name]
    for name in wanted:
        if not any(fnmatch.fnmatchcase(row.name, name) for row in table):
            raise Trouble("--rows %s: expected a workload of --list" % name)
    return [row for row in table if any(fnmatch.fnmatchcase(row.name, name) for name in wanted)]


def measure_rows(options, rows):
    machine_path = os.path.join(options.out, "machine.json")
    if not output_of(options.trawl, "--version").startswith("trawl "):
        raise Trouble("%s: expected the command trawl" % options.trawl)
    machine = describe_machine(options.trawl, options.commit)
    machine["command"] = options.command
    os.makedirs(options.out, exist_ok=True)
    if options.resume and os.path.isfile(machine_path) and read_json(machine_path) != machine:
        raise Trouble("%s: expected this machine and this trawl, --resume cannot mix results"
                      % machine_path)
    for row in rows:  # before hours of work: what would fail in the end
        locate(row.patterns), locate(row.text)
    write_whole(machine_path, json.dumps(machine, indent=1))
    for row in rows:
        path = os.path.join(options.out, row.name + ".json")
        if options.resume and os.path.isfile(path):
            continue
        result = measure(options, row)
        write_whole(path, json.dumps(result, indent=1))
        found = bench_report.summarize(result)
        print("%s: %.0f s, %s GB/s, ratio %s%s"
              % (row.name, result["seconds"], bench_report.speed_text(found["ours"]),
                 "-" if found["ratio"] is None else "%.2f" % found["ratio"],
                 "".join("; " + problem for problem in result["problems"])),
              file=sys.stderr, flush=True)


def main(arguments):
    options = parse_arguments(arguments)
    rows = choose_rows(options.rows, TABLE)
    if options.list:
        for row in rows:
            print("%-18s %-34s %-24s %s" % (*row, bench_targets.RATIOS.get(row.name, "-")))
        return 0
    if not options.report:
        measure_rows(options, rows)
    machine_path = os.path.join(options.out, "machine.json")
    results = read_results(options.out, rows)
    if not results or not os.path.isfile(machine_path):
        raise Trouble("%s: expected results of a run before" % options.out)
    write_whole(os.path.join(options.out, "speeds.tsv"), bench_report.speeds_tsv(results))
    machine = read_json(machine_path)
    if options.record:
        bench_report.record(options.record, "cpu", machine, machine["command"], results,
                            private_places(options.flags))
    bench_report.print_report(machine, results)
    if options.against:
        others = read_results(options.against, rows)
        bench_report.print_against(results, others, options.against)
    return 1 if any(result["problems"] for result in results) else 0


if __name__ == "__main__":
    tool_main.run(main, Trouble)
