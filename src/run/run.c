/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/run.h"

#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/status.h"
#include "engines/engines.h"
#include "gpu/module.h"
#include "run/case_pair.h"
#include "run/fallback.h"
#include "run/gpu/walkers.h"
#include "run/stretches.h"

static const trawl_walker_type *walker_type(const trawl_db *db, const char *device) {
    trawl_device_set devices = {.shared = false};
    if (db->engine == &trawl_engine_empty) {
        return db->engine->walker; /* on any device: no text has to be sent there */
    }
    if (device == NULL) {
        return trawl_case_pair_walker_of(db);
    }
    (void)trawl_cuda_devices_read(device, &devices);
    return devices.shared ? trawl_cuda_group_walker() : trawl_cuda_walker();
}

trawl_status trawl_run_open(trawl_run *run, const trawl_db *db, const trawl_scan_options *options,
                            const trawl_receiver *receiver, uint64_t *per_pattern,
                            trawl_error *error) {
    memset(run, 0, sizeof *run);
    if (db == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "db is NULL");
    }
    trawl_status status = trawl_options_read(db, options, &run->options, &run->report, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (run->options.device != NULL) {
        (void)snprintf(run->device, sizeof run->device, "%s", run->options.device);
        run->options.device = run->device;
    } else {
        trawl_cpu_set cpu; /* a wrong TRAWL_CPU is an error with every engine */
        status = trawl_cpu_choose(&cpu, error);
        if (status != TRAWL_OK) {
            return status;
        }
        if (db->rare_bytes != NULL) {
            run->rare_bytes = trawl_byte_finder_for(db->rare_bytes, cpu);
        }
    }
    trawl_match_kind kind = (trawl_match_kind)db->header->match_kind;
    run->db = db;
    run->type = walker_type(db, run->options.device);
    run->conditions = db->conditions.records != NULL;
    run->count_only = receiver->on_match == NULL && receiver->on_matches == NULL &&
                      kind == TRAWL_MATCH_ALL && !run->conditions;
    run->per_pattern = per_pattern;
    run->own_threads = run->type->own_threads != NULL && run->type->own_threads(db);
    run->divides = db->rare_bytes != NULL && run->options.device == NULL && !run->own_threads;
    run->workers = trawl_allocate_zeroed(run->options.threads, sizeof *run->workers);
    if (run->workers == NULL) {
        return trawl_fail_memory(error, "threads", run->options.threads * sizeof *run->workers);
    }
    return trawl_delivery_open(&run->delivery, db, receiver, run->count_only ? NULL : per_pattern,
                               error);
}

void trawl_run_collect(trawl_run *run, trawl_collector *collector) {
    if (run->delivery.kind == TRAWL_MATCH_ALL && !run->conditions) {
        run->collector = collector;
        run->count_only = false;
    } else {
        run->delivery.receiver =
            (trawl_receiver){.on_matches = trawl_collector_append, .context = collector};
    }
}

trawl_status trawl_run_open_team(trawl_run *run, trawl_error *error) {
    return run->team != NULL ? TRAWL_OK : trawl_team_open(&run->team, run->options.threads, error);
}

static trawl_status copy_database(const trawl_db *db, trawl_db **copy, trawl_error *error) {
    uint8_t *block = trawl_allocate_table(db->size);
    if (block == NULL) {
        return trawl_fail_memory(error, "a thread's copy of the tables", db->size);
    }
    memcpy(block, db->block, db->size);
    return trawl_db_adopt(block, db->size, TRAWL_BLOCK_ALLOCATED, db->engine, copy, error);
}

trawl_status trawl_worker_prepare(trawl_run *run, trawl_worker *worker, trawl_error *error) {
    if (worker->walker != NULL) {
        return TRAWL_OK;
    }
    trawl_status status = TRAWL_OK;
    /* No copy for a single thread, which shares the tables with no other one, nor for a pair of
     * automata, which a copy of the database does not contain. */
    if (run->options.copy_tables && run->options.threads > 1 && worker->copy == NULL &&
        run->type != trawl_case_pair_walker(run->db)) {
        status = copy_database(run->db, &worker->copy, error);
    }
    if (status == TRAWL_OK && run->count_only && run->per_pattern != NULL &&
        worker->counts.per_pattern == NULL) {
        worker->counts.per_pattern =
            run->options.threads == 1 || run->own_threads
                ? run->per_pattern
                : trawl_allocate_zeroed(run->db->patterns.count, sizeof(uint64_t));
        if (worker->counts.per_pattern == NULL) {
            status = trawl_fail_memory(error, "counting patterns",
                                       run->db->patterns.count * sizeof(uint64_t));
        }
    }
    if (status == TRAWL_OK) {
        status = run->type->open(worker->copy != NULL ? worker->copy : run->db, &run->options,
                                 &worker->walker, error);
    }
    /* Walkers for a GPU start their threads themselves. */
    if (status == TRAWL_OK && run->own_threads && run->options.threads > 1 &&
        run->options.device == NULL) {
        status = trawl_run_open_team(run, error);
        worker->walker->team = run->team;
    }
    if (status == TRAWL_OK) {
        worker->walker->threads = run->own_threads ? run->options.threads : 1;
        trawl_fallback_offer(worker->walker);
    }
    return status;
}

trawl_window trawl_window_part(const trawl_run *run, const trawl_window *window, size_t begin,
                               size_t end) {
    trawl_window part = trawl_window_cut(window, trawl_db_overlap(run->db), begin, end);
    part.one_text = run->conditions || part.one_text;
    return part;
}

static trawl_status walk(const trawl_run *run, trawl_worker *worker, const trawl_window *window,
                         trawl_sink *sink, trawl_error *error) {
    return run->count_only ? run->type->count(worker->walker, window, &worker->counts, error)
                           : run->type->scan(worker->walker, window, sink, error);
}

trawl_status trawl_worker_walk(trawl_run *run, trawl_worker *worker, const trawl_window *window,
                               trawl_sink *sink, trawl_error *error) {
    if (!run->divides || !trawl_stretches_divide(run->db, window)) {
        return walk(run, worker, window, sink, error);
    }
    trawl_stretches stretches = trawl_stretches_of(run->db, &run->rare_bytes, window);
    trawl_status status = TRAWL_OK;
    size_t begin, end;
    while (status == TRAWL_OK && trawl_stretches_next(&stretches, &begin, &end)) {
        const trawl_window part = trawl_window_part(run, window, begin, end);
        status = walk(run, worker, &part, sink, error);
    }
    return status;
}

trawl_status trawl_run_finish(trawl_run *run) {
    if (!run->count_only) {
        return trawl_delivery_finish(&run->delivery);
    }
    if (run->per_pattern == NULL) {
        return TRAWL_OK;
    }
    for (uint32_t thread = 0; thread < run->options.threads; thread++) {
        trawl_worker *worker = &run->workers[thread];
        if (worker->walker == NULL) {
            continue;
        }
        if (run->type->settle != NULL) {
            run->type->settle(worker->walker, &worker->counts);
        }
        if (worker->counts.per_pattern != run->per_pattern) {
            for (uint32_t id = 0; id < run->db->patterns.count; id++) {
                run->per_pattern[id] += worker->counts.per_pattern[id];
                worker->counts.per_pattern[id] = 0;
            }
        }
    }
    return TRAWL_OK;
}

uint64_t trawl_run_total(const trawl_run *run) {
    uint64_t total = run->delivery.delivered;
    for (uint32_t thread = 0; run->workers != NULL && thread < run->options.threads; thread++) {
        total += run->workers[thread].counts.total;
    }
    return total;
}

/* Also after trawl_run_open has failed. */
void trawl_run_close(trawl_run *run) {
    trawl_team_close(run->team);
    for (uint32_t thread = 0; run->workers != NULL && thread < run->options.threads; thread++) {
        trawl_worker *worker = &run->workers[thread];
        if (worker->walker != NULL) {
            if (run->type->describe != NULL && run->options.report != NULL) {
                run->type->describe(worker->walker, &run->options.report->study);
            }
            run->type->close(worker->walker);
        }
        if (worker->counts.per_pattern != run->per_pattern) {
            trawl_release(worker->counts.per_pattern);
        }
        trawl_release(worker->matches);
        trawl_db_free(worker->copy);
    }
    trawl_report_hand_out(&run->report);
    trawl_release(run->workers);
    trawl_delivery_close(&run->delivery);
    memset(run, 0, sizeof *run);
}
