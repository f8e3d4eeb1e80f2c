#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The aims of the benchmarks, by the names of their workloads. Workloads that are missing here have
no target."""

# CPU, one thread: trawl's speed over that of the best peer.
RATIOS = {
    "rare-10": 2, "rare-100": 2, "rare-1000": 2, "rare-10000": 1.8, "rare-100000": 4,
    "english-100": 1.2, "english-5000": 3, "english-50000": 2.5, "code-100": 1.2, "code-1000": 2,
    "code-10000": 2.8, "bin-1000": 2, "bin-50000": 4, "dna8-1000": 10, "dna8-8000": 20,
    "dna8-16000": 25, "dna32-10000": 50, "snort-traffic": 4, "snort-programs": 4,
    "yara-traffic": 1.7, "yara-programs": 1.7, "phrases-dickens": 2, "gitleaks-code": 2,
    "gitleaks-programs": 2, "mirna-ecoli": 2, "13grams-dickens": 2,
}
RATIOS_WITH_AVX512 = dict(RATIOS, **{"rare-10000": 3})
RATIO_MEAN = 5  # of the ratios of all rows, geometric
AUTO = 0.9  # the planner's choice over the best engine forced by name

# H200, counting in 1 GiB of its memory: GB/s; or up to 1, a share of the rate at which the same run
# reads that memory.
H200 = {
    "rare-10": 0.9, "rare-100": 0.9, "rare-1000": 0.9, "rare-10000": 3600, "rare-100000": 2500,
    "english-100": 2600, "english-5000": 1500, "english-50000": 640, "code-1000": 2400,
    "code-10000": 1000, "bin-50000": 900, "dna8-1000": 4000, "dna8-8000": 4000,
    "dna8-16000": 4000, "dna32-10000": 3600, "snort-traffic": 600, "yara-programs": 650,
    "phrases-dickens": 900, "mirna-ecoli": 3000, "13grams-dickens": 3000,
}


def ratios(instruction_sets):
    return RATIOS_WITH_AVX512 if "avx512f" in instruction_sets else RATIOS
