/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The walker of databases without patterns: finds nothing, and reads no byte of the text. */
#include "base/allocate.h"
#include "base/status.h"
#include "engines/engines.h"

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    (void)options;
    trawl_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    made->type = &trawl_walker_empty;
    made->db = db;
    *walker = made;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    trawl_release(walker);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    (void)walker;
    (void)window;
    (void)sink;
    (void)error;
    return TRAWL_OK;
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    (void)walker;
    (void)window;
    (void)counts;
    (void)error;
    return TRAWL_OK;
}

const trawl_walker_type trawl_walker_empty = {
    .open = open, .close = close, .scan = scan, .count = count};
