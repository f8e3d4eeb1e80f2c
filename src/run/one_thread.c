/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans a window on the calling thread; decides whether it is scanned there or by several
 * threads. */
#include "base/allocate.h"
#include "base/status.h"
#include "run/run.h"
#include "scan/conditions.h"

/* Matches that are gathered before they are delivered: enough to make the cost of a call small, and
 * few enough for the first-level cache. */
#define BATCH ((size_t)1024)

typedef struct serial_sink {
    trawl_sink sink;
    trawl_run *run;
    const trawl_window *window; /* that the matches are of */
} serial_sink;

static trawl_status flush_serial(trawl_sink *sink) {
    serial_sink *own = (serial_sink *)sink;
    trawl_conditions_drop(own->run->db, own->window, sink, 0);
    trawl_status status = trawl_delivery_put(&own->run->delivery, sink->matches, sink->count);
    sink->count = 0;
    return status;
}

static trawl_status run_serial(trawl_run *run, const trawl_window *window, trawl_error *error) {
    trawl_worker *worker = &run->workers[0];
    trawl_status status = trawl_worker_prepare(run, worker, error);
    bool gathers = !run->count_only && run->collector == NULL;
    if (status == TRAWL_OK && gathers && worker->matches == NULL) {
        worker->matches = trawl_allocate(BATCH, sizeof *worker->matches);
        if (worker->matches == NULL) {
            status = trawl_fail_memory(error, "scanning", BATCH * sizeof *worker->matches);
        }
    }
    serial_sink batch = {
        .sink = {.matches = worker->matches, .capacity = BATCH, .flush = flush_serial}, .run = run};
    trawl_sink *sink = gathers || run->count_only ? &batch.sink : &run->collector->sink;
    size_t most =
        run->type->long_windows ? SIZE_MAX : TRAWL_WINDOW_MAX - run->db->header->max_length;
    for (size_t begin = window->owned; status == TRAWL_OK && begin < window->length;) {
        size_t end = window->length - begin < most ? window->length : begin + most;
        trawl_window part = trawl_window_part(run, window, begin, end);
        batch.window = &part;
        status = trawl_worker_walk(run, worker, &part, sink, error);
        if (status == TRAWL_OK && batch.sink.count != 0) {
            status = flush_serial(&batch.sink);
        }
        begin = end;
    }
    return status;
}

trawl_status trawl_run_window(trawl_run *run, const trawl_window *window, trawl_error *error) {
    size_t owned = window->length - window->owned;
    if (owned == 0) {
        return TRAWL_OK;
    }
    bool alone = run->options.threads == 1 || run->own_threads ||
                 (run->options.chunk_bytes == 0 && owned < 2 * TRAWL_RUN_SMALLEST_SHARE);
    trawl_status status =
        alone ? run_serial(run, window, error) : trawl_run_threads(run, window, error);
    return run->delivery.leftmost.no_memory ? trawl_fail_memory(error, "selecting matches", 0)
                                            : status;
}
