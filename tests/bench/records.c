/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records beside one long text of the same bytes, on one thread:
 *
 *     bench_records DATABASE TEXT
 *
 * TEXT is cut into records of 20, 100, 1,000 and 10,000 bytes (RECORDS_SIZES=... chooses others).
 * For each question a line: GB/s of one call for all records, of a scanner's call for each record,
 * and of a scanner's call for the whole text; and the share that the first has of the last. The
 * three take turns for RECORDS_ROUNDS rounds, in the thread's processor time; the best round
 * counts. RECORDS_KIND=N measures one of the three alone, and RECORDS_QUESTION=count one question,
 * for a profiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "read_file.h"
#include "trawl/trawl_records.h"
#include "trawl/trawl_scanner.h"

enum { QUESTIONS = 5, WAYS = 3 };

typedef struct subject {
    trawl_db *db;
    trawl_scanner *scanner;
    trawl_record_scanner *all;
    uint8_t *text;
    size_t length;
    trawl_records records, as_spans;
    uint32_t *offsets;
    trawl_span *spans;
    uint64_t *per_record;
    uint8_t *bits;
    uint32_t *seen; /* as many as patterns */
    size_t patterns;
    trawl_record_ids ids;
} subject;

static uint64_t found; /* so that nothing is left out */

static int add_records(const trawl_record_match *matches, size_t count, void *context) {
    (void)matches;
    (void)context;
    found += count;
    return 0;
}

static int add_matches(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    (void)context;
    found += count;
    return 0;
}

/* One call for all records. */
static void ask_records(subject *of, int question) {
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    switch (question) {
    case 0:
        (void)trawl_records_any(of->all, &of->records, of->bits, NULL, NULL, NULL);
        break;
    case 1:
        counts.per_record = of->per_record;
        (void)trawl_records_count(of->all, &of->records, &counts, NULL);
        break;
    case 2:
        (void)trawl_records_which(of->all, &of->records, &of->ids, NULL);
        break;
    case 3:
        (void)trawl_records_scan(of->all, &of->records, add_records, NULL, NULL);
        break;
    default: /* spans in place of offsets */
        counts.per_record = of->per_record;
        (void)trawl_records_count(of->all, &of->as_spans, &counts, NULL);
    }
}

static void ask_text(subject *of, int question, const uint8_t *text, size_t length) {
    switch (question) {
    case 0: /* there is no such question for one text: what it would cost to see all matches */
        found += length == of->length ? trawl_scanner_count(of->scanner, text, length, NULL)
                                      : trawl_scanner_any(of->scanner, text, length, NULL);
        break;
    case 2:
        found += trawl_scanner_which(of->scanner, text, length, of->seen, of->patterns);
        break;
    case 3:
        (void)trawl_scanner_scan_batches(of->scanner, text, length, add_matches, NULL);
        break;
    default:
        found += trawl_scanner_count(of->scanner, text, length, NULL);
    }
}

static void ask(subject *of, int question, int way) {
    if (way == 0)
        ask_records(of, question);
    else if (way == 1)
        for (size_t i = 0; i < of->records.count; i++)
            ask_text(of, question, of->text + of->offsets[i], of->offsets[i + 1] - of->offsets[i]);
    else
        ask_text(of, question, of->text, of->length);
}

static void measure(subject *of, size_t size, size_t rounds, const char *only) {
    static const char *const names[QUESTIONS] = {"any", "count", "which", "scan", "count, spans"};
    of->records.count = of->length / size;
    of->as_spans.count = of->records.count;
    for (size_t i = 0; i <= of->records.count; i++) {
        of->offsets[i] = (uint32_t)(i * size);
        of->spans[i] = (trawl_span){.bytes = of->text + i * size, .length = size};
    }
    const char *wanted = getenv("RECORDS_QUESTION");
    for (int question = 0; question < QUESTIONS; question++) {
        if (wanted != NULL && strcmp(wanted, names[question]) != 0)
            continue;
        double best[WAYS] = {0};
        for (size_t round = 0; round < rounds; round++)
            for (int way = 0; way < WAYS; way++) {
                if (only != NULL && strtol(only, NULL, 10) != way)
                    continue;
                double start = trawl_thread_seconds();
                ask(of, question, way);
                double speed = (double)of->length / (trawl_thread_seconds() - start) * 1e-9;
                best[way] = speed > best[way] ? speed : best[way];
            }
        printf("%6zu  %-13s %7.3f %7.3f %7.3f GB/s  %5.2f\n", size, names[question], best[0],
               best[1], best[2], best[0] / best[2]);
    }
}

int main(int argc, char **argv) {
    static subject of;
    trawl_error error = {.message = ""};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    if (argc != 3 || trawl_db_load(argv[1], &of.db, &error) != TRAWL_OK ||
        trawl_scanner_open(of.db, NULL, &of.scanner, &error) != TRAWL_OK ||
        trawl_record_scanner_open(of.db, NULL, &of.all, &error) != TRAWL_OK ||
        (of.text = read_file(argv[2], &of.length)) == NULL) {
        (void)fprintf(stderr, "usage: bench_records DATABASE TEXT\n%s\n", error.message);
        return 2;
    }
    (void)trawl_db_info(of.db, &information, NULL);
    of.patterns = information.patterns;
    of.seen = malloc(of.patterns * sizeof(*of.seen));
    of.records = (trawl_records)TRAWL_RECORDS;
    of.offsets = malloc((of.length + 1) * sizeof(*of.offsets));
    of.per_record = malloc(of.length * sizeof(*of.per_record));
    of.bits = malloc(of.length);
    of.spans = malloc((of.length + 1) * sizeof(*of.spans));
    if (of.spans == NULL || of.seen == NULL || of.offsets == NULL || of.per_record == NULL ||
        of.bits == NULL)
        return 2;
    of.as_spans = (trawl_records)TRAWL_RECORDS;
    of.as_spans.spans = of.spans;
    of.records.bytes = of.text;
    of.records.offsets = of.offsets;
    of.records.offset_bytes = sizeof(*of.offsets);
    const char *sizes = getenv("RECORDS_SIZES"), *rounds = getenv("RECORDS_ROUNDS");
    printf("  size  question      records one by one  one text   share\n");
    for (char *at = (char *)(sizes != NULL ? sizes : "20,100,1000,10000"); *at != '\0';
         at += *at == ',') {
        size_t size = strtoul(at, &at, 10);
        if (size == 0 || size > of.length)
            break;
        measure(&of, size, rounds != NULL ? strtoul(rounds, NULL, 10) : 7, getenv("RECORDS_KIND"));
    }
    return 0;
}
