#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a scan by many ranks of trawl-mpi takes: a cost model, and a simulation of the counter.

usage: tools/cluster_model.py model [--bytes N] [--nodes N,N...] [CONSTANT=VALUE...]
       tools/cluster_model.py check FILE [CONSTANT=VALUE...]
       tools/cluster_model.py simulate [--ranks N] [--bytes N] [--latency US] [--service US] ...

model prints, for each number of nodes, the seconds of each stage and which one is the bottleneck.
check compares the model with measured runs: lines of ranks, processors and seconds, separated by tabs.
simulate runs every claim of a counter in the memory of rank 0 as an event.
The constants and their defaults are in CONSTANTS; docs/notebook/2026-11-clusters.md says where the measured
ones come from.
"""
import argparse
import heapq
import random
import sys

# Rates are gigabytes (10^9 bytes) a second. Of a node unless said otherwise.
CONSTANTS = {
    "storage": 2.0,      # a node reads from the shared file system (assumed)
    "file_system": 200,  # all nodes together read from it (assumed)
    "copy": 5.0,         # one processor core copies bytes of the page cache into memory (measured)
    "host": 60.0,        # all cores together do (measured on one host; others: 34 to 96)
    "decode": 0.0,       # one core decompresses, counted in decompressed bytes; 0: texts are plain
    "ratio": 2.4,        # decompressed over stored bytes, if decode is not 0 (assumed)
    "scan": 2.4,         # one core scans (measured)
    "cores": 64,         # of a node (assumed)
    "link": 0.0,         # host to one GPU; 0: the CPU scans
    "gpus": 0,           # of a node
    "gpu_scan": 400,     # one GPU scans text in its memory (assumed: less than was measured)
    "matches": 1e-3,     # a byte of text (assumed)
    "record": 30,        # bytes of a match record; 0: matches are counted (assumed)
    "write": 1.0,        # a node writes results (assumed)
    "segment": 1e9,      # bytes: about the most that trawl-mpi chooses
    "claim": 3e-6,       # seconds of a claim, there and back (assumed for a network)
    "sync": 0.01,        # seconds until a segment is on the disk; 0: no journal (assumed)
    "start": 1.0,        # seconds: MPI, compiling, sending the database (assumed)
}


def stages(constants, size, nodes):
    """Seconds of each stage if it were alone. Those of a node overlap; claims and syncs do not."""
    c = constants
    share = size / nodes
    stored = share / c["ratio"] if c["decode"] else share
    segments = max(1.0, share / c["segment"])
    workers = c["gpus"] if c["gpus"] else c["cores"]
    result = {
        "read": max(stored / (c["storage"] * 1e9), stored * nodes / (c["file_system"] * 1e9)),
        "copy": stored / (min(c["copy"] * c["cores"], c["host"]) * 1e9),
        "decode": share / (c["decode"] * 1e9 * c["cores"]) if c["decode"] else 0.0,
    }
    if c["gpus"]:
        result["link"] = share / (c["link"] * 1e9 * c["gpus"])
        result["scan"] = share / (c["gpu_scan"] * 1e9 * c["gpus"])
    else:
        result["scan"] = share / (c["scan"] * 1e9 * c["cores"])
    result["write"] = share * c["matches"] * c["record"] / (c["write"] * 1e9)
    result["claim"] = segments * c["claim"] / workers
    result["sync"] = segments * c["sync"] / workers
    return result


def total(constants, size, nodes):
    """Cores copy, decode and scan; the rest works beside them."""
    stage = stages(constants, size, nodes)
    cores = stage["copy"] + stage["decode"] + (0 if constants["gpus"] else stage["scan"])
    beside = [stage["read"], stage["write"], cores]
    if constants["gpus"]:
        beside += [stage["link"], stage["scan"]]
    return constants["start"] + max(beside) + stage["claim"] + stage["sync"]


def print_model(constants, size, nodes_list):
    names = list(stages(constants, size, 1))
    print("nodes", *names, "total", "bottleneck", sep="\t")
    for nodes in nodes_list:
        stage = stages(constants, size, nodes)
        worst = max(names, key=lambda name: stage[name])
        print(nodes, *(f"{stage[name]:.4g}" for name in names),
              f"{total(constants, size, nodes):.4g}", worst, sep="\t")


def check(constants, path, size):
    """Ranks that share a machine: as many of them work at a time as there are processors."""
    print("ranks", "measured", "model", "error", sep="\t")
    worst = 0.0
    with open(path) as lines:
        for line in lines:
            ranks, processors, seconds = line.split("\t")
            local = dict(constants, cores=min(int(ranks), int(processors)), storage=1e9,
                         file_system=1e9)
            expected = total(local, size, 1)
            error = expected / float(seconds) - 1
            worst = max(worst, abs(error))
            print(ranks, f"{float(seconds):.3f}", f"{expected:.3f}", f"{100 * error:+.0f} %", sep="\t")
    print(f"greatest error: {100 * worst:.0f} %")


def simulate(options):
    """Each rank claims a segment, and the next one while it scans, as trawl-mpi does. The counter
    answers one claim at a time, in the order in which they arrive."""
    source = random.Random(options.seed)
    ranks = options.ranks
    segment = options.segment or min(max(options.bytes / (200 * ranks), 2**24), 2**30)
    count = max(1, round(options.bytes / segment))
    half = options.latency * 1e-6 / 2
    service = options.service * 1e-6
    base = segment / (options.rate * 1e9)
    slow = round(ranks * options.slow_share)
    factor = [options.slow_factor if rank < slow else 1.0 for rank in range(ranks)]
    counter_free = busy = waited = finish = 0.0
    taken = [0] * ranks
    given = 0

    # Events: a claim of a rank arrives at the counter. What the rank has to scan meanwhile was
    # claimed before; `ready` is when it is done with that.
    arrivals = [(half, rank) for rank in range(ranks)]
    heapq.heapify(arrivals)
    ready = [0.0] * ranks
    while arrivals:
        time, rank = heapq.heappop(arrivals)
        counter_free = max(counter_free, time) + service
        busy += service
        answer = counter_free + half
        begin = max(ready[rank], answer)
        waited += begin - ready[rank]
        if given == count:
            continue
        given += 1
        taken[rank] += 1
        length = base * factor[rank] * max(0.1, source.gauss(1.0, options.spread))
        ready[rank] = begin + length
        finish = max(finish, ready[rank])
        heapq.heappush(arrivals, (begin + half, rank))
    capacity = sum(1 / f for f in factor)
    ideal = count * base / capacity
    static = options.bytes / ranks / (options.rate * 1e9) * max(factor)
    print(f"{ranks} ranks, {count} segments of {segment / 2**20:.0f} MiB, {base:.4f} s each")
    print(f"ideal {ideal:.3f} s, dynamic {finish:.3f} s (+{100 * (finish / ideal - 1):.2f} %), "
          f"static {static:.3f} s")
    print(f"counter: busy {100 * busy / finish:.1f} % of the time; waiting for it "
          f"{100 * waited / (finish * ranks):.2f} % of the ranks' time")
    if slow:
        others = f"{sum(taken[slow:]) / (ranks - slow):.1f}" if slow < ranks else "-"
        print(f"segments of a slow rank {sum(taken[:slow]) / slow:.1f}, of another {others}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["model", "check", "simulate"])
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--bytes", type=float, default=1e15)
    parser.add_argument("--nodes", default="10,100,1000")
    parser.add_argument("--ranks", type=int, default=10000)
    parser.add_argument("--latency", type=float, default=3.0, help="microseconds, there and back")
    parser.add_argument("--service", type=float, default=0.5,
                        help="microseconds that the counter takes for each claim")
    parser.add_argument("--rate", type=float, default=1.9, help="GB/s of a rank")
    parser.add_argument("--segment", type=float, default=0, help="bytes; 0: as trawl-mpi chooses")
    parser.add_argument("--spread", type=float, default=0.05,
                        help="standard deviation of a segment's time")
    parser.add_argument("--slow-share", type=float, default=0.0)
    parser.add_argument("--slow-factor", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_intermixed_args()
    constants = dict(CONSTANTS)
    files = []
    for word in options.rest:
        name, sign, value = word.partition("=")
        if not sign:
            files.append(word)
        elif name in constants:
            constants[name] = float(value)
        else:
            sys.exit(f"cluster_model.py: no constant {name}; there are {', '.join(constants)}")
    if constants["gpus"] and not (constants["link"] and constants["gpu_scan"]):
        sys.exit("cluster_model.py: gpus=N needs link=GB/s and gpu_scan=GB/s")
    if options.what == "check" and len(files) != 1:
        sys.exit("cluster_model.py: check: expected one FILE")
    if options.what == "simulate":
        simulate(options)
    elif options.what == "check":
        check(constants, files[0], options.bytes)
    else:
        print_model(constants, options.bytes, [int(n) for n in options.nodes.split(",")])


if __name__ == "__main__":
    main()
