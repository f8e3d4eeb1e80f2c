/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/scan.h"

#include <sched.h>
#include <unistd.h>

const flag device_flags[] = {
    {FLAG_DEVICE, 0, "device", "NAME",
     "cpu (the default), cuda (the first GPU), cuda:N, several GPUs (cuda:all, cuda:0,2, "
     "cuda:0-3), "
     "or auto: GPUs if one can be used, else the CPU.",
     "Scanning"},
    {FLAG_THREADS, 0, "threads", "N",
     "Number of threads (0, the default: one for each CPU allowed).", NULL},
    {0},
};

const flag thread_flags[] = {
    {FLAG_THREADS, 0, "threads", "N",
     "Number of threads (0, the default: one for each CPU allowed).", "Execution"},
    {0},
};

const flag scan_detail_flags[] = {
    {FLAG_PLACEMENT, 0, "placement", "HOW",
     "On which CPUs threads run: none (the default: the system decides), spread or close.", NULL},
    {FLAG_COPY_TABLES, 0, "copy-tables", NULL, "Give each thread its own copy of the tables.",
     NULL},
    {FLAG_CHUNK_BYTES, 0, "chunk-bytes", "SIZE",
     "Bytes of text that a thread takes at a time. Results do not depend on it.", NULL},
    {0},
};

static int take_placement(const arguments *args, trawl_placement *placement) {
    static const char *const names[] = {"none", "spread", "close"};
    static const trawl_placement placements[] = {TRAWL_PLACEMENT_NONE, TRAWL_PLACEMENT_SPREAD,
                                                 TRAWL_PLACEMENT_CLOSE};
    int choice = arguments_choose(args, names, sizeof names / sizeof names[0]);
    if (choice < 0)
        return FLAG_REFUSED;
    *placement = placements[choice];
    return FLAG_TAKEN;
}

int scan_options_take(trawl_scan_options *options, trawl_study_scan_options *study,
                      const arguments *args, int id) {
    uint64_t bytes = 0;
    switch (id) {
    case FLAG_DEVICE:
        options->device = args->value;
        return FLAG_TAKEN;
    case FLAG_THREADS:
        if (flag_take_uint32(args, 0, 1024, &options->threads) == FLAG_REFUSED)
            return FLAG_REFUSED;
        if (options->threads == 0)
            options->threads = TRAWL_THREADS_ALL;
        return FLAG_TAKEN;
    case FLAG_PLACEMENT:
        return take_placement(args, &options->placement);
    case FLAG_COPY_TABLES:
        study->copy_tables = true;
        options->study = study;
        return FLAG_TAKEN;
    case FLAG_CHUNK_BYTES:
        if (!arguments_size(args, 1, UINT64_C(1) << 40, &bytes))
            return FLAG_REFUSED;
        study->chunk_bytes = (size_t)bytes;
        options->study = study;
        return FLAG_TAKEN;
    default:
        return FLAG_NOT_MINE;
    }
}

unsigned scan_options_threads(const trawl_scan_options *options) {
    if (options->threads != TRAWL_THREADS_ALL)
        return options->threads == 0 ? 1 : options->threads;
    /* More CPUs than a cpu_set_t holds make the first call fail. */
    cpu_set_t allowed;
    long count = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                     ? CPU_COUNT(&allowed)
                     : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}
