/* trawl bench: what it found, for people and for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "report.h"

static const char *device_name(const bench_options *options, const bench_row *row) {
    const char *device = options->scan.device;
    if (row->asked_engine == NULL || device == NULL || strcmp(device, "auto") == 0)
        return "cpu";
    return device;
}

/* ------------------------------------------------------------------ agreement */

static bool row_agrees(const bench_row *first, const bench_row *row) {
    if (row->matches != first->matches)
        report("%s (%s) found %" PRIu64 " matches, but %s (%s) found %" PRIu64
               ": one of them is wrong",
               row->engine, row->variant, row->matches, first->engine, first->variant,
               first->matches);
    else if (row->fingerprint != first->fingerprint)
        report("%s (%s) and %s (%s) found %" PRIu64
               " matches each, but not the same ones: one of them is wrong",
               row->engine, row->variant, first->engine, first->variant, row->matches);
    return row->matches == first->matches && row->fingerprint == first->fingerprint;
}

bool bench_rows_agree(const bench_rows *rows) {
    const bench_row *first = NULL;
    bool agree = true;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        if (!row->measured && row->seconds != NULL) {
            report("%s (%s) failed: %s", row->engine, row->variant, row->refusal.message);
            agree = false;
        }
        if (!row->measured)
            continue;
        if (first == NULL)
            first = row;
        agree = row_agrees(first, row) && agree;
    }
    return agree;
}

/* ------------------------------------------------------------------ the table */

static void print_heading(const bench_options *options, const trawl_patterns *patterns,
                          const bench_text *text) {
    static const char *const works[] = {"counting", "counting", "collecting"};
    size_t count = trawl_patterns_count(patterns);
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (size_t id = 0; id < count; id++) {
        trawl_pattern pattern = {0};
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        least = pattern.length < least ? pattern.length : least;
        most = pattern.length > most ? pattern.length : most;
    }
    (void)printf("%zu pattern%s of %zu", count, count == 1 ? "" : "s", least);
    if (most != least)
        (void)printf(" to %zu", most);
    (void)printf(" bytes, %.3f MB of text, %s %s matches%s\n\n", (double)text->length / 1e6,
                 works[options->work], match_kind_name(options->compile.matches),
                 options->work == BENCH_COUNT_EACH_ID ? " of each pattern" : "");
}

/* Widths of the two columns that hold names. */
static void measure_names(const bench_rows *rows, int *engine, int *variant) {
    *engine = (int)strlen("engine");
    *variant = (int)strlen("variant");
    for (size_t i = 0; i < rows->count; i++) {
        int engine_length = (int)strlen(rows->items[i].engine);
        int variant_length = (int)strlen(rows->items[i].variant);
        *engine = engine_length > *engine ? engine_length : *engine;
        *variant = variant_length > *variant ? variant_length : *variant;
    }
}

void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const bench_text *text, const bench_rows *rows) {
    int engine = 0;
    int variant = 0;
    double first = 0;
    measure_names(rows, &engine, &variant);
    print_heading(options, patterns, text);
    (void)printf("%-*s  %-*s  threads      matches  build s   table MB     GB/s      min      max"
                 "   ratio\n",
                 engine, "engine", variant, "variant");
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        (void)printf("%-*s  %-*s  ", engine, row->engine, variant, row->variant);
        if (!row->measured) {
            (void)printf("%s: %s\n", row->seconds == NULL ? "refuses" : "fails",
                         row->refusal.message);
            continue;
        }
        bench_speed speed = bench_row_speed(row, text->length);
        first = first > 0 ? first : speed.median;
        (void)printf("%7u %12" PRIu64 " %8.3f %10.3f %#8.3g %#8.3g %#8.3g %7.2f\n", row->threads,
                     row->matches, row->build_seconds, (double)row->table_bytes / 1e6, speed.median,
                     speed.min, speed.max, speed.median / first);
    }
}

/* ------------------------------------------------------------------ JSON */

void bench_print_json(const bench_options *options, const bench_text *text,
                      const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        if (!row->measured) {
            if (row->seconds == NULL)
                report("%s (%s) refuses: %s", row->engine, row->variant, row->refusal.message);
            continue;
        }
        bench_speed speed = bench_row_speed(row, text->length);
        (void)printf("{\"engine\":\"%s\",\"variant\":\"%s\",\"device\":\"%s\",\"threads\":%u,"
                     "\"matches\":%" PRIu64 ",\"build_seconds\":%.6f,\"table_bytes\":%" PRIu64
                     ",\"gb_per_second\":{\"median\":%.6f,\"min\":%.6f,\"max\":%.6f},"
                     "\"repeats\":%zu}\n",
                     row->engine, row->variant, device_name(options, row), row->threads,
                     row->matches, row->build_seconds, row->table_bytes, speed.median, speed.min,
                     speed.max, row->repeats);
    }
}
