/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/bench/libhs.h"

struct bench_subject {
    const bench_job *job;
    trawl_db *db; /* NULL: it is libhs */
    bench_libhs *libhs;
    uint64_t *per_pattern; /* NULL unless that is the work */
};

/* Stores the names; of the variant only what comes before a space, after which libhs has a date. */
static void name(bench_subject_facts *facts, const char *engine, const char *variant) {
    (void)snprintf(facts->engine, sizeof facts->engine, "%s", engine);
    (void)snprintf(facts->variant, sizeof facts->variant, "%.*s", (int)strcspn(variant, " "),
                   variant);
}

static bool open_engine(bench_subject *subject, bench_subject_facts *facts, trawl_error *error) {
    const bench_job *job = subject->job;
    if (trawl_compile(job->patterns, &job->compile, &subject->db, error) != TRAWL_OK)
        return false;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(subject->db, &information, NULL);
    name(facts, information.engine, information.variant);
    facts->table_bytes = information.table_bytes;
    facts->held_bytes = information.total_bytes;
    return true;
}

static bool open_library(bench_subject *subject, bench_subject_facts *facts, trawl_error *error) {
    const bench_job *job = subject->job;
    if (!bench_libhs_load(job->library, &subject->libhs, error))
        return false;
    name(facts, bench_libhs_name(subject->libhs), bench_libhs_version(subject->libhs));
    double begin = seconds_now();
    if (!bench_libhs_compile(subject->libhs, job->patterns, job->compile.matches, error))
        return false;
    facts->seconds = seconds_now() - begin;
    facts->table_bytes = facts->held_bytes = bench_libhs_bytes(subject->libhs);
    return true;
}

bool bench_subject_open(const bench_job *job, bench_subject **result, bench_subject_facts *facts,
                        trawl_error *error) {
    bench_subject *subject = allocate(sizeof *subject);
    *subject = (bench_subject){.job = job};
    *facts = (bench_subject_facts){0};
    bool opened = false;
    if (job->library != NULL) {
        opened = open_library(subject, facts, error);
    } else {
        double begin = seconds_now();
        opened = open_engine(subject, facts, error);
        facts->seconds = seconds_now() - begin;
    }
    if (opened && job->work == BENCH_COUNT_EACH_ID)
        subject->per_pattern =
            allocate(trawl_patterns_count(job->patterns) * sizeof *subject->per_pattern);
    if (!opened) {
        bench_subject_close(subject);
        subject = NULL;
    }
    *result = subject;
    return opened;
}

/* ------------------------------------------------------------------ one run */

static bool count(bench_subject *subject, uint64_t *matches, trawl_error *error) {
    const bench_job *job = subject->job;
    if (subject->libhs != NULL)
        return bench_libhs_count(subject->libhs, job->text, job->length, matches,
                                 subject->per_pattern, error);
    return trawl_count(subject->db, job->text, job->length, &job->scan, matches,
                       subject->per_pattern, error) == TRAWL_OK;
}

/* `records` are valid until the next call. */
static bool collect(bench_subject *subject, trawl_matches *records, trawl_error *error) {
    const bench_job *job = subject->job;
    if (subject->libhs != NULL)
        return bench_libhs_collect(subject->libhs, job->text, job->length, records, error);
    bool done = trawl_collect_into(subject->db, job->text, job->length, &job->scan, job->records,
                                   error) == TRAWL_OK;
    *records = *job->records;
    return done;
}

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

/* A sum, which does not depend on the order of the records: a peer has its own order. */
static uint64_t fingerprint(const bench_subject *subject, const trawl_matches *records) {
    uint64_t sum = 0;
    for (size_t i = 0; i < records->count; i++) {
        const trawl_match *match = &records->items[i];
        sum += mix(mix(mix(match->start) + match->end) + match->pattern);
    }
    if (subject->per_pattern != NULL) {
        size_t patterns = trawl_patterns_count(subject->job->patterns);
        for (size_t id = 0; id < patterns; id++)
            sum += mix(mix(id) + subject->per_pattern[id]);
    }
    return sum;
}

bool bench_subject_run(bench_subject *subject, bool wants_fingerprint, bench_run *run,
                       trawl_error *error) {
    trawl_matches records = {0};
    *run = (bench_run){0};
    bool collects = subject->job->work == BENCH_COLLECT;
    double begin = seconds_now();
    bool done = collects ? collect(subject, &records, error) : count(subject, &run->matches, error);
    run->seconds = seconds_now() - begin;
    if (collects)
        run->matches = records.count;
    if (done && wants_fingerprint)
        run->fingerprint = fingerprint(subject, &records);
    return done;
}

void bench_subject_close(bench_subject *subject) {
    if (subject == NULL)
        return;
    trawl_db_free(subject->db);
    bench_libhs_close(subject->libhs);
    free(subject->per_pattern);
    free(subject);
}
