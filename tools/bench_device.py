#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures trawl on a GPU over the workloads of docs/guide/benchmarks.md, and prints Markdown.

For each row of TABLE below: one run of `trawl bench --device cuda --on-device --format json`, with
the text in device memory, CUDA events, and beside each speed its share of the rate at which the card
reads its memory, measured in the same run. Every row counts on the CPU too and compares. Everything
measured is kept as JSON in a directory, from which the tables can be printed again (--report), and
with --record as one file, from which tools/bench_report.py makes a page of docs/results.

    tools/bench_device.py build/gpu/trawl
    tools/bench_device.py --rows 'rare-*,dna8-1000' --sizes 64M,1G build/gpu/trawl
    tools/bench_device.py --engines ac-dfa --all build/gpu/trawl -- --kernel ac2
    tools/bench_device.py --forms count,matches --out results build/gpu/trawl

Exit status: 0; 1 when a row could not be measured or differs from the CPU; 2 for wrong usage.
"""

import argparse
import json
import math
import os
import sys
import time

sys.dont_write_bytecode = True  # leaves nothing in tools/
import bench_report
import bench_targets
import bench_workloads as workloads
import tool_main

TABLE = workloads.TABLE
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
    return {"name": row.name, "form": form, "bytes": size, "rows": lines, "problems": problems,
            "seconds": time.monotonic() - begin}


def parse_arguments(given):
    arguments, flags = workloads.split_flags(given)
    parser = argparse.ArgumentParser(
        prog="bench_device.py",
        description="Measures trawl on a GPU over the workloads of docs/guide/benchmarks.md.",
        epilog="Flags after -- go to trawl bench (--kernel hot). Texts and sets are in $WORKLOADS "
               "(./workloads) and $TRAWL_DATA (./data); shorter texts are repeated.")
    parser.add_argument("trawl", nargs="?", help="the command to measure, built with CUDA")
    workloads.add_row_arguments(parser)
    parser.add_argument("--device", default="cuda", metavar="NAME", help="as trawl has it (cuda)")
    parser.add_argument("--engines", default="auto,qgram,ac-dfa:classes+hot", metavar="LIST",
                        help="as trawl bench --engine takes them (auto,qgram,ac-dfa:classes+hot)")
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
    workloads.add_record_arguments(parser)
    options = parser.parse_args(arguments)
    options.flags = flags
    options.command = workloads.plain_command("bench_device.py", given, options.trawl)
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


def combinations(options, rows):
    return [(row, form, size) for row in rows for form in options.forms for size in options.sizes]


def result_path(options, row, form, size):
    return os.path.join(options.out, "%s-%s-%d.json" % (row.name, form, size))


def describe_machine(options):
    machine = workloads.describe_machine(options.trawl, options.commit)
    devices = workloads.output_of(options.trawl, "devices").splitlines()
    gpus = [line.split("\t") for line in devices if line.startswith("cuda")]
    machine["GPU"] = gpus[0][-1] if gpus else "?"
    machine["driver"] = workloads.output_of("nvidia-smi", "--query-gpu=driver_version",
                                            "--format=csv,noheader").split("\n")[0]
    machine["command"] = options.command
    return machine


def measure_rows(options, rows):
    os.makedirs(options.out, exist_ok=True)
    workloads.write_whole(os.path.join(options.out, "machine.json"),
                          json.dumps(describe_machine(options), indent=1))
    for row, form, size in combinations(options, rows):
        result = measure(options, row, form, size)
        workloads.write_whole(result_path(options, row, form, size), json.dumps(result, indent=1))
        best = bench_report.planned_row(result)
        print("%s, %s, %s: %.0f s, %s%s" % (
            row.name, bench_report.size_text(size), form, result["seconds"],
            "%s %.4g GB/s" % (bench_report.title(best), best["gb_per_second"]["median"])
            if best else "not measured",
            "".join("; " + problem for problem in result["problems"])),
            file=sys.stderr, flush=True)


def main(arguments):
    options = parse_arguments(arguments)
    rows = workloads.choose_rows(options.rows, TABLE)
    if options.list:
        for row in rows:
            print("%-18s %-34s %-24s %s" % (*row, bench_targets.H200.get(row.name, "-")))
        return 0
    if not options.report:
        measure_rows(options, rows)
    paths = [result_path(options, *what) for what in combinations(options, rows)]
    results = [workloads.read_json(path) for path in paths if os.path.isfile(path)]
    if not results:
        raise workloads.Trouble("%s: expected results of a run before" % options.out)
    machine = workloads.read_json(os.path.join(options.out, "machine.json"))
    if options.record:
        bench_report.record(options.record, "gpu", machine, machine["command"], results,
                            workloads.private_places(options.flags))
    bench_report.print_device_report(results, options.all, machine["GPU"])
    return 1 if any(result["problems"] or not bench_report.device_rows(result)
                    for result in results) else 0


if __name__ == "__main__":
    tool_main.run(main, workloads.Trouble)
