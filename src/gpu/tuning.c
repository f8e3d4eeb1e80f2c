/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/tuning.h"

/* Newest first. The last row also serves older devices, none of which was measured. */
static const trawl_gpu_tuning tunings[] = {
    /* Hopper, measured on an H200 (docs/notebook/2026-11-gpu-papers.md). */
    {
        .capability = 9,
        .resident_threads = 2048,
        .zha = {64, 228}, /* Zha & Sahni 2011, VI-A: T = 64, S_block = 14592, 57 words a thread */
        .hot_table_threads = 256,
        .hot_table_blocks = 4096,
        .nfa_tile_bytes = 16128, /* Kouzinopoulos et al. 2015, 4.2.2: S_memsize */
        .nfa_threads = 256,      /* the paper does not say */
        .nfa_least_bytes = 64,   /* Charan 2015 has no numbers; shorter strips repeat too much */
        .nfa_useful_bytes = 256,
        .split_p1 = {128, 128}, /* Tran et al., 5.2.2: 128 threads; not how much a thread scans */
        .split_p2 = {256, 32},  /* Tran et al., 5.2.2: 256 threads and 8 KB of shared memory */
        .split_block_bytes = 32768,
        .wu_manber_threads = 256,
        .wu_manber_bytes = 16128, /* as nfa_tile_bytes */
        .rolling = {256, 256},
        .rolling_most_bytes = 8192, /* leaves enough threads for a text of some megabytes */
        .sums_threads = 256,
        .sums_rounds = 2,
        .sums_slice = UINT64_C(1) << 26,
        .sort_strip_threads = 128,
        .sort_end_threads = 256,
        .sort_end_blocks = 1024,
        .counter_threads = 256,
        .counter_blocks = 512,
        /* Not measured: with these an H200 runs all threads at the same time. */
        .row_threads = 256,
        .row_blocks = 1024,
    },
};

const trawl_gpu_tuning *trawl_gpu_tuning_for(int capability) {
    const trawl_gpu_tuning *tuning = tunings;
    const trawl_gpu_tuning *last = tunings + sizeof tunings / sizeof *tunings - 1;
    while (tuning != last && capability < tuning->capability) {
        tuning++;
    }
    return tuning;
}
