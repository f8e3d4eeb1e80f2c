/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/agree.h"

#include <inttypes.h>

#include "cli/base/report.h"

bool bench_row_agrees(const bench_row *row, const bench_row *reference) {
    return row->matches == reference->matches && row->fingerprint == reference->fingerprint;
}

const bench_row *bench_rows_reference(const bench_rows *rows) {
    const bench_row *reference = NULL;
    size_t most = 0;
    for (size_t i = 0; i < rows->count; i++) {
        size_t agreeing = 0;
        for (size_t j = 0; rows->items[i].measured && j < rows->count; j++)
            agreeing +=
                rows->items[j].measured && bench_row_agrees(&rows->items[j], &rows->items[i]);
        if (agreeing > most) {
            most = agreeing;
            reference = &rows->items[i];
        }
    }
    return reference;
}

static void report_difference(const bench_row *row, const bench_row *reference) {
    if (row->matches != reference->matches)
        report("%s (%s) found %" PRIu64 " matches, but %s (%s) found %" PRIu64
               ": one of them is wrong",
               row->engine, row->variant, row->matches, reference->engine, reference->variant,
               reference->matches);
    else
        report("%s (%s) and %s (%s) found %" PRIu64
               " matches each, but not the same ones: one of them is wrong",
               row->engine, row->variant, reference->engine, reference->variant, row->matches);
}

bool bench_rows_agree(const bench_rows *rows) {
    const bench_row *reference = bench_rows_reference(rows);
    bool agree = true;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        bool failed = !row->measured && row->seconds != NULL && row->absence == BENCH_REFUSES;
        /* A crash of a peer is listed in its row; a crash of an engine is an error. */
        failed =
            failed || (!row->measured && row->absence == BENCH_ENDED && row->asked_engine != NULL);
        if (failed)
            report("%s (%s) failed: %s", row->engine, row->variant, row->refusal.message);
        bool differs = row->measured && !bench_row_agrees(row, reference);
        if (differs)
            report_difference(row, reference);
        agree = agree && !failed && !differs;
    }
    return agree;
}
