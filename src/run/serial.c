#include "common/allocate.h"
#include "common/status.h"
#include "run/run.h"

/* Matches gathered before they are delivered: large enough to amortise the call, small enough to
 * stay in the cache. */
#define BATCH ((size_t)1024)

typedef struct serial_sink {
    trawl_sink sink;
    trawl_delivery *delivery;
} serial_sink;

static trawl_status flush(trawl_sink *sink) {
    trawl_status status =
        trawl_delivery_put(((serial_sink *)sink)->delivery, sink->matches, sink->count);
    sink->count = 0;
    return status;
}

trawl_status trawl_run_serial(trawl_run *run, const trawl_window *window, trawl_error *error) {
    trawl_worker *worker = &run->workers[0];
    trawl_status status = trawl_worker_prepare(run, worker, error);
    if (status == TRAWL_OK && !run->count_only && worker->matches == NULL) {
        worker->matches = trawl_allocate(BATCH, sizeof *worker->matches);
        if (worker->matches == NULL) {
            status = trawl_fail_memory(error, "scanning", BATCH * sizeof *worker->matches);
        }
    }
    serial_sink sink = {.sink = {.matches = worker->matches, .capacity = BATCH, .flush = flush},
                        .delivery = &run->delivery};
    size_t most = TRAWL_WINDOW_MAX - run->db->header->max_length;
    for (size_t begin = window->owned; status == TRAWL_OK && begin < window->length;) {
        size_t end = window->length - begin < most ? window->length : begin + most;
        trawl_window part = trawl_window_part(run, window, begin, end);
        if (run->count_only) {
            status = run->type->count(worker->walker, &part, &worker->counts, error);
        } else {
            status = run->type->scan(worker->walker, &part, &sink.sink, error);
        }
        begin = end;
    }
    if (status == TRAWL_OK && sink.sink.count != 0) {
        status = flush(&sink.sink);
    }
    return status;
}
