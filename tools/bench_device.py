#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures trawl on a GPU over the workloads of docs/BENCHMARKS.md, and prints Markdown.

For each row of TABLE below: one run of `trawl bench --device cuda --on-device --format json`, with
the text in device memory, CUDA events, and beside each speed its share of the rate at which the card
reads its memory, measured in the same run. Every row counts on the CPU too and compares. Everything
measured is kept as JSON in a directory, from which the tables can be printed again (--report).

    tools/bench_device.py build/gpu/trawl
    tools/bench_device.py --rows 'rare-*,dna8-1000' --sizes 64M,1G build/gpu/trawl
    tools/bench_device.py --engines auto,qgram,ac-dfa:classes+hot build/gpu/trawl
    tools/bench_device.py --forms count,matches --out results build/gpu/trawl

Exit status: 0; 1 when a row could not be measured or differs from the CPU; 2 for wrong usage.
"""

import argparse
import collections
import fnmatch
import json
import math
import os
import sys
import time

sys.dont_write_bytecode = True  # leaves nothing in tools/
import bench_workloads as workloads

# The target is in GB/s, for counting in 1 GiB on an H200; None: there is none.
Row = collections.namedtuple("Row", "name patterns text target")
TARGETS = {
    "rare-10": 4000, "rare-100": 4000, "rare-1000": 4000, "rare-10000": 4000, "rare-100000": 3000,
    "english-100": 2000, "english-5000": 1000, "english-50000": 600, "dna8-1000": 3000,
    "dna8-8000": 3000, "dna8-16000": 3000, "dna32-10000": 4000, "snort-traffic": 500,
    "yara-programs": 2000,
}
TABLE = [Row(row.name, row.patterns, row.text, TARGETS.get(row.name)) for row in workloads.TABLE]
MAX_COPIES = 2048  # of a text: they are arguments of one command
FORMS = ("count", "patterns", "matches", "ends")


def bench_command(options, row, patterns, text, form, size):
    copies = math.ceil(size / max(1, workloads.text_bytes(text)))
    if copies > MAX_COPIES:
        raise workloads.Trouble("%s: expected at least %d bytes, to be repeated %d times"
                                % (text, size // MAX_COPIES, MAX_COPIES))
    command = [options.trawl, "bench", "--device", options.device, "--on-device", "--no-progress",
               "--format", "json", "--repeat", str(options.repeat), "--limit", str(size),
               "--form", form, "--engine", options.engines, "-f", patterns]
    if ".tsv" in row.patterns:
        command += ["--pattern-format", "tsv"]
    return command + options.flags + [text] * copies


def measure(options, row, form, size):
    patterns, text = workloads.locate(row.patterns), workloads.locate(row.text)
    begin = time.monotonic()
    status, output, errors = workloads.run_limited(
        bench_command(options, row, patterns, text, form, size), options.row_limit)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    problems = [] if status == 0 else [
        "ended after %g s (--row-limit)" % options.row_limit if status is None
        else "trawl bench ended with %d" % status]
    problems += [line.strip() for line in errors.splitlines() if line.strip()]
    return {"name": row.name, "form": form, "bytes": size, "target": row.target, "rows": lines,
            "problems": problems, "seconds": time.monotonic() - begin}


def device_rows(result):
    """The measured ones, the fastest of each engine and kernel first."""
    rows = [row for row in result["rows"] if row.get("device", "cpu") != "cpu" and
            row.get("gb_per_second")]
    return sorted(rows, key=lambda row: -row["gb_per_second"]["median"])


def title(row):
    return ":".join(part for part in (row["engine"], row.get("variant"), row.get("kernel")) if part)


def size_text(size):
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return "%d %s" % (size >> shift, unit)
    return "%d bytes" % size


def print_plans(results):
    """What the planner took where engine auto was measured, against the best of the others."""
    lines = []
    for result in results:
        rows = device_rows(result)
        planned = [row for row in rows if row.get("reason")]
        forced = [row for row in rows if not row.get("reason")]
        if planned and forced:
            speed = planned[0]["gb_per_second"]["median"]
            lines.append("| %s | %s | %s | %s | %.4g | %.4g | %.2f | %s |" % (
                result["name"], size_text(result["bytes"]), result["form"], title(planned[0]),
                planned[0].get("expected_gb_per_second", 0), speed,
                speed / forced[0]["gb_per_second"]["median"], title(forced[0])))
    if lines:
        print("\n| workload | text | form | auto | GB/s expected | GB/s | auto / best | best |\n"
              "|---|---|---|---|---|---|---|---|")
        print("\n".join(lines))


def print_report(results, all_rows):
    print("| workload | text | form | matches | kernel | GB/s | slowest-fastest | share of memory's "
          "rate | target | met |\n|---|---|---|---|---|---|---|---|---|---|")
    for result in results:
        rows = device_rows(result)
        for row in rows if all_rows else rows[:1]:
            speed, share = row["gb_per_second"], row.get("share_of_bandwidth")
            asked = result["target"] if result["form"] == "count" and result["bytes"] == 1 << 30 \
                else None
            print("| %s | %s | %s | %s | %s | %.4g | %.4g-%.4g | %s | %s | %s |" % (
                result["name"], size_text(result["bytes"]), result["form"],
                format(row["matches"], ",") if row.get("matches") is not None else "-", title(row),
                speed["median"], speed["min"], speed["max"],
                "-" if share is None else "%.0f %%" % (100 * share), asked or "-",
                "-" if not asked else "yes" if speed["median"] >= asked else "**no**"))
        if not rows:
            print("| %s | %s | %s | - | - | - | - | - | %s | **no** |" % (
                result["name"], size_text(result["bytes"]), result["form"], result["target"] or "-"))
    print_plans(results)
    print()
    for result in results:
        for problem in result["problems"]:
            print("- %s, %s, %s: %s" % (result["name"], size_text(result["bytes"]), result["form"],
                                        problem))


def parse_arguments(arguments):
    flags = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, flags = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(
        prog="bench_device.py",
        description="Measures trawl on a GPU over the workloads of docs/BENCHMARKS.md.",
        epilog="Flags after -- go to trawl bench (--kernel hot). Texts and sets are in $WORKLOADS "
               "(./workloads) and $TRAWL_DATA (./data); shorter texts are repeated.")
    parser.add_argument("trawl", nargs="?", help="the command to measure, built with CUDA")
    parser.add_argument("--rows", default="*", metavar="LIST",
                        help="workloads, separated by commas; * and ? match any letters")
    parser.add_argument("--list", action="store_true", help="print the workloads and stop")
    parser.add_argument("--device", default="cuda", metavar="NAME", help="as trawl has it (cuda)")
    parser.add_argument("--engines", default="qgram,ac-dfa:classes+hot", metavar="LIST",
                        help="as trawl bench --engine takes them (qgram,ac-dfa:classes+hot)")
    parser.add_argument("--sizes", default="1G", metavar="LIST",
                        help="of the text, separated by commas (1G)")
    parser.add_argument("--forms", default="count", metavar="LIST",
                        help="results, separated by commas: %s (count)" % ", ".join(FORMS))
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="timed runs (7)")
    parser.add_argument("--row-limit", type=float, default=300, metavar="SECONDS",
                        help="end the run of a workload after SECONDS (300)")
    parser.add_argument("--out", default="bench-device", metavar="DIRECTORY",
                        help="where the JSON files go (bench-device)")
    parser.add_argument("--all", action="store_true", help="print all kernels, not the fastest")
    parser.add_argument("--report", action="store_true",
                        help="measure nothing, print what DIRECTORY has")
    options = parser.parse_args(arguments)
    options.flags = flags
    if options.trawl is None and not (options.report or options.list):
        parser.error("expected the path of trawl")
    try:
        options.sizes = [workloads.parse_size(size) for size in options.sizes.split(",")]
    except argparse.ArgumentTypeError as problem:
        parser.error("--sizes: %s" % problem)
    options.forms = options.forms.split(",")
    if any(form not in FORMS for form in options.forms):
        parser.error("--forms: expected some of %s" % ", ".join(FORMS))
    return options


def choose_rows(names):
    rows = [row for row in TABLE
            if any(fnmatch.fnmatchcase(row.name, name) for name in names.split(","))]
    if not rows:
        raise workloads.Trouble("--rows %s: expected a workload of --list" % names)
    return rows


def main(arguments):
    options = parse_arguments(arguments)
    rows = choose_rows(options.rows)
    if options.list:
        for row in rows:
            print("%-18s %-34s %-24s %s" % (row.name, row.patterns, row.text, row.target or "-"))
        return 0
    results = []
    for row in rows:
        for form in options.forms:
            for size in options.sizes:
                path = os.path.join(options.out, "%s-%s-%d.json" % (row.name, form, size))
                if not options.report:
                    os.makedirs(options.out, exist_ok=True)
                    result = measure(options, row, form, size)
                    workloads.write_whole(path, json.dumps(result, indent=1))
                    best = device_rows(result)
                    print("%s, %s, %s: %.0f s, %s%s" % (
                        row.name, size_text(size), form, result["seconds"],
                        "%s %.4g GB/s" % (title(best[0]), best[0]["gb_per_second"]["median"])
                        if best else "not measured",
                        "".join("; " + problem for problem in result["problems"])),
                        file=sys.stderr, flush=True)
                if os.path.isfile(path):
                    results.append(workloads.read_json(path))
    if not results:
        raise workloads.Trouble("%s: expected results of a run before" % options.out)
    print_report(results, options.all)
    return 1 if any(result["problems"] or not device_rows(result) for result in results) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except workloads.Trouble as trouble:
        print("bench_device: %s" % trouble, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
