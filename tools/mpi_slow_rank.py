#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What trawl-mpi takes with --split static and dynamic when one rank is slowed down.

usage: tools/mpi_slow_rank.py TRAWL_MPI TEXT PATTERNS [--ranks N] [--rounds N] [--factor F] [FLAG...]

The last rank is stopped whenever it has used more than 1/F of the time that has passed; rank 0 has the
counter. Prints for each round and way of splitting the seconds of the slowest rank (loading and
searching), and how many times as long a slow rank makes it take. FLAGs go to trawl-mpi scan.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time


def processor_seconds(pid):
    """Of all threads."""
    used = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as file:
            used += int(file.read().split()[0])
    return used / 1e9


def run_slowly(factor, command):
    child = subprocess.Popen(command)
    begin = time.monotonic()
    stopped = False
    while child.poll() is None:
        try:
            much = processor_seconds(child.pid) > (time.monotonic() - begin) / factor
        except OSError:
            break
        if much != stopped:
            child.send_signal(signal.SIGSTOP if much else signal.SIGCONT)
            stopped = much
        time.sleep(0.001)
    sys.exit(child.wait())


def measure(options, how, slow):
    scan = [options.program, "scan", "-c", "--threads", "1", "--stats", "--split", how, *options.flags,
            "-f", options.patterns, options.text]
    last = [sys.executable, __file__, "--slow", str(options.factor), *scan] if slow else scan
    mpirun = ["mpirun"]
    if "Open" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        mpirun.append("--oversubscribe")
    command = [*mpirun, "-n", str(options.ranks - 1), *scan, ":", "-n", "1", *last]
    output = subprocess.run(command, capture_output=True, text=True).stderr
    found = re.search(r'\{"ranks".*\}', output)
    if found is None:
        sys.exit(output)
    run = json.loads(found.group())
    return run["load_seconds"]["max"] + run["search_seconds"]["max"]


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--slow":
        run_slowly(float(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("text")
    parser.add_argument("patterns")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--factor", type=float, default=4.0)
    options, options.flags = parser.parse_known_args()
    print("round", "split", "even", "one slow", "times", sep="\t")
    for number in range(1, options.rounds + 1):
        for how in ("static", "dynamic"):
            even = measure(options, how, False)
            slow = measure(options, how, True)
            print(number, how, f"{even:.3f}", f"{slow:.3f}", f"{slow / even:.2f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
