/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Plans and scans with constants that can be changed while it runs: what tools/bench_constants.py
 * asks. That tool compiles this file, against a library whose constants are variables.
 *
 *     bench_constants PATTERNS TEXT [cuda] [ENGINE]
 *
 * PATTERNS has, for each pattern, a flag (0 or 1, a byte), a length (four bytes) and the bytes.
 * An empty TEXT is no sample. With ENGINE that engine is compiled, without a plan. With "cuda"
 * plans and scans are for a GPU, and plans need none; ENGINE is qgram then, and its kernel filter.
 * Commands are lines on standard input, each with a line as answer (list: one for each constant):
 *
 *     list                     constants: name, kind, element's bytes, values
 *     set NAME INDEX VALUE     changes an element (0 for a single number)
 *     copy NAME FROM TO        overwrites an element of an array with another one
 *     reset                    all constants as they were
 *     plan LENGTH              seconds of planning for a text of LENGTH bytes (0: not known);
 *                              number of what a scan would read; the plan
 *     keep SLOT                compiles; seconds
 *     scan SLOT                counts all matches with that database, until LEAST_SECONDS have
 *                              passed; seconds of the fastest scan, matches
 *
 * Seconds are the process's own, without those in which it waited for others; of scans on a GPU,
 * those between two of its events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/text_pieces.h"
#include "constants_device.h"
#include "costs/costs.h"
#include "costs/varied.h"
#include "database/assemble.h"
#include "database/database.h"
#include "plan/gpu.h"
#include "plan/plan.h"
#include "plan/sample.h"
#include "read_file.h"

enum { SLOTS = 512, SECONDS_OF_A_COMMAND = 60 };
#define LEAST_SECONDS 0.005

/* As trawl scan takes it (cli/target/planning.c). */
enum { SAMPLE_PIECES = 128, SAMPLE_PIECE = 1024, SAMPLE = SAMPLE_PIECES * SAMPLE_PIECE };
_Static_assert(SAMPLE == (int)DEVICE_PIECES * (int)DEVICE_PIECE, "one size for both");

static trawl_patterns *patterns;
static uint8_t *text;
static size_t length;
static uint8_t sample[SAMPLE];
static size_t sample_length;
static trawl_db *slots[SLOTS];
static const char *engine; /* NULL: the planner chooses */
static bool on_device;
static device_text resident; /* the text as a GPU scans it */
static trawl_cuda_db *uploaded[SLOTS];

static void fail(const char *message) {
    (void)fprintf(stderr, "bench_constants: %s\n", message);
    exit(2);
}

static void expect(trawl_status status, const trawl_error *error) {
    if (status != TRAWL_OK) {
        fail(error->message);
    }
}

/* ------------------------------------------------------------------ input */

static void read_patterns(const char *path) {
    trawl_error error;
    size_t bytes = 0;
    uint8_t *file = (uint8_t *)read_file(path, &bytes);
    expect(trawl_patterns_new(&patterns, &error), &error);
    for (size_t at = 0; at + 5 <= bytes;) {
        uint32_t size;
        memcpy(&size, file + at + 1, sizeof size);
        expect(trawl_patterns_add(patterns, file + at + 5, size, file[at], &error), &error);
        at += 5 + size;
    }
    free(file);
}

static void take_sample(size_t pieces, size_t piece) {
    sample_length = length < SAMPLE ? length : SAMPLE;
    if (length <= SAMPLE) {
        memcpy(sample, text, length);
        return;
    }
    for (size_t i = 0; i < pieces; i++) {
        memcpy(sample + i * piece, text + trawl_piece_begin(i, pieces, piece, length), piece);
    }
}

/* ------------------------------------------------------------------ constants */

static trawl_varied *find(const char *name) {
    for (size_t i = 0; i < trawl_varied_count; i++) {
        if (strcmp(trawl_varied_all[i].name, name) == 0) {
            return &trawl_varied_all[i];
        }
    }
    fail(name);
    return NULL;
}

static uint8_t *element(const trawl_varied *of, size_t index) {
    if (index >= of->count) {
        fail("no such element");
    }
    return of->first + index * of->stride;
}

static double value_of(const trawl_varied *of, size_t index) {
    const uint8_t *from = element(of, index);
    float single = 0;
    double wide = 0;
    uint64_t whole = 0;
    switch (of->kind) {
    case 'f':
        memcpy(&single, from, sizeof single);
        return (double)single;
    case 'd':
        memcpy(&wide, from, sizeof wide);
        return wide;
    default: /* little-endian, and not negative */
        memcpy(&whole, from, of->size);
        return (double)whole;
    }
}

static void set(const trawl_varied *of, size_t index, double value) {
    uint8_t *to = element(of, index);
    float single = (float)value;
    uint64_t whole = (uint64_t)value;
    switch (of->kind) {
    case 'f':
        memcpy(to, &single, sizeof single);
        break;
    case 'd':
        memcpy(to, &value, sizeof value);
        break;
    default:
        memcpy(to, &whole, of->size);
        break;
    }
}

static void list(void) {
    for (size_t i = 0; i < trawl_varied_count; i++) {
        const trawl_varied *of = &trawl_varied_all[i];
        (void)printf("%s %c %u", of->name, of->kind, of->size);
        for (size_t index = 0; index < of->count; index++) {
            (void)printf(" %.17g", of->kind == 's' ? 0.0 : value_of(of, index));
        }
        (void)printf("\n");
    }
    (void)printf("end\n");
}

static void reset(void) {
    static uint8_t *kept;
    size_t bytes = 0, at = 0;
    for (size_t i = 0; i < trawl_varied_count; i++) {
        bytes += (size_t)trawl_varied_all[i].count * trawl_varied_all[i].size;
    }
    const bool first = kept == NULL;
    kept = first ? malloc(bytes) : kept;
    for (size_t i = 0; i < trawl_varied_count; i++) {
        const trawl_varied *of = &trawl_varied_all[i];
        for (size_t index = 0; index < of->count; index++, at += of->size) {
            memcpy(first ? kept + at : element(of, index), first ? element(of, index) : kept + at,
                   of->size);
        }
    }
}

/* ------------------------------------------------------------------ plans */

/* A number for everything that scans read of a database. */
static uint64_t number_of(const trawl_db *db) {
    const trawl_section *sections = (const trawl_section *)(db->header + 1);
    XXH3_state_t *state = XXH3_createState();
    (void)XXH3_64bits_reset(state);
    for (uint32_t i = 0; i < db->header->section_count; i++) {
        if (sections[i].kind != TRAWL_SECTION_PLAN && sections[i].kind != TRAWL_SECTION_REASON) {
            (void)XXH3_64bits_update(state, &sections[i].kind, sizeof sections[i].kind);
            (void)XXH3_64bits_update(state, db->block + sections[i].offset, sections[i].size);
        }
    }
    uint64_t number = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    return number;
}

/* Builds with a plan, as trawl_compile would. NULL if the engine refuses the set. */
static trawl_db *build(const trawl_compile_settings *settings, const trawl_plan *plan) {
    const trawl_assembly assembly = {.engine = plan->engine,
                                     .variant = plan->variant,
                                     .choice = plan->divided ? &plan->division : NULL,
                                     .reason = plan->reason,
                                     .records = {{&plan->record, sizeof plan->record}}};
    trawl_error error;
    trawl_db *db = NULL;
    trawl_status status = trawl_assemble(patterns, settings, &assembly, &db, NULL, &error);
    if (status != TRAWL_ERROR_LIMIT) {
        expect(status, &error);
    }
    return db;
}

static void print_plan(const trawl_plan *plan) {
    (void)printf(" %s", plan->engine->description.name);
    bool is_qgram = strcmp(plan->engine->description.name, "qgram") == 0;
    for (uint32_t i = 0; is_qgram && i < plan->division.header.tiers; i++) {
        const trawl_qgram_tier *tier = &plan->division.header.tier[i];
        (void)printf(" %u:%u-%u:%u/%u:%u", tier->kind, tier->min_length, tier->max_length,
                     tier->gram, tier->stride, tier->row_bits);
    }
    (void)printf("\n");
}

/* Makes a text where there is no sample, as trawl_compile does. Returns what is to be released. */
static uint8_t *make_up_text(trawl_compile_settings *settings) {
    trawl_error error;
    uint8_t *made = NULL;
    if (length == 0) {
        expect(trawl_sample_make(patterns, &made, &settings->sample_length, &error), &error);
        settings->sample = made;
    }
    return made;
}

/* The same for a GPU: the number is of what an upload puts there. */
static void make_device_plan(trawl_compile_settings *settings, trawl_plan *plan) {
    trawl_error error;
    char words[1024] = "";
    FILE *written = fmemopen(words, sizeof words, "w");
    uint64_t number = 0;
    settings->device = "cuda";
    double begin = trawl_process_seconds();
    uint8_t *made = make_up_text(settings);
    plan->device.chosen = TRAWL_DEVICE_FILTER;
    if (engine == NULL) {
        expect(trawl_plan_choose_for_device(patterns, patterns, settings, plan, &error), &error);
    }
    double used = trawl_process_seconds() - begin;
    expect(device_plan_describe(patterns, plan, settings->device_costs, &resident, &number, written,
                                &error),
           &error);
    (void)fclose(written);
    trawl_release(made);
    (void)printf("%.9f %016llx%s\n", used, (unsigned long long)number, words);
}

static void make_plan(uint64_t text_bytes) {
    trawl_error error;
    trawl_costs costs;
    trawl_device_costs device_costs;
    expect(trawl_costs_complete(NULL, &costs, &error), &error);
    expect(trawl_device_costs_complete(NULL, &device_costs, &error), &error);
    trawl_compile_settings settings = {.matches = TRAWL_MATCH_ALL,
                                       .max_table_bytes = UINT64_C(8) << 30,
                                       .sample = sample,
                                       .sample_length = sample_length,
                                       .text_bytes = text_bytes,
                                       .costs = &costs,
                                       .device_costs = &device_costs};
    trawl_plan *plan = calloc(1, sizeof *plan);
    plan->record.sample_bytes = sample_length;
    if (on_device) {
        make_device_plan(&settings, plan);
        free(plan);
        return;
    }
    double begin = trawl_process_seconds();
    uint8_t *made = make_up_text(&settings);
    expect(trawl_plan_choose(patterns, &settings, plan, &error), &error);
    double used = trawl_process_seconds() - begin;
    /* Tables of automata do not depend on constants, and take long to build. */
    uint64_t number = 0;
    if (strncmp(plan->engine->description.name, "ac-", 3) != 0) {
        trawl_db *db = build(&settings, plan);
        number = db == NULL ? 1 : number_of(db);
        trawl_db_free(db);
    }
    (void)printf("%.9f %016llx", used, (unsigned long long)number);
    print_plan(plan);
    trawl_release(made);
    free(plan);
}

static trawl_db **slot(size_t number) {
    if (number >= SLOTS) {
        fail("no such slot");
    }
    return &slots[number];
}

/* Compiles into *db; returns the seconds that this took. */
static double compile(trawl_db **db) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.device = on_device ? "cuda" : NULL;
    options.sample = sample;
    options.sample_length = sample_length;
    trawl_error error;
    trawl_db_free(*db);
    double begin = trawl_process_seconds();
    expect(trawl_compile(patterns, &options, db, &error), &error);
    return trawl_process_seconds() - begin;
}

/* Instead of a plan: what the named engine builds. */
static void plan_engine(void) {
    trawl_db *db = NULL;
    double used = compile(&db);
    (void)printf("%.9f %016llx %s\n", used, (unsigned long long)number_of(db), engine);
    trawl_db_free(db);
}

/* Compiles into a slot and, for a GPU, uploads; returns the seconds of compiling. */
static double keep(size_t number) {
    trawl_error error;
    trawl_db **db = slot(number);
    trawl_cuda_db_free(uploaded[number]);
    uploaded[number] = NULL;
    double used = compile(db);
    if (on_device) {
        expect(device_upload(*db, &resident, &uploaded[number], &error), &error);
    }
    return used;
}

static void scan(size_t number) {
    trawl_error error;
    uint64_t total = 0;
    double least = 1e9, all = 0;
    if (on_device) {
        expect(device_scan(uploaded[number], engine, &resident, &least, &total, &error), &error);
        all = LEAST_SECONDS;
    }
    while (all < LEAST_SECONDS) {
        double begin = trawl_process_seconds();
        expect(trawl_count(*slot(number), text, length, NULL, &total, NULL, &error), &error);
        double used = trawl_process_seconds() - begin;
        least = used < least ? used : least;
        all += used;
    }
    (void)printf("%.9f %llu\n", least, (unsigned long long)total);
}

/* ------------------------------------------------------------------ commands */

static void obey(const char *line) {
    char name[80];
    size_t first = 0, second = 0;
    double value = 0;
    if (strcmp(line, "list\n") == 0) {
        list();
    } else if (sscanf(line, "plan %zu", &first) == 1) {
        if (engine == NULL || on_device) {
            make_plan(first);
        } else {
            plan_engine();
        }
    } else if (strcmp(line, "reset\n") == 0) {
        reset();
        (void)printf("done\n");
    } else if (sscanf(line, "set %79s %zu %lf", name, &first, &value) == 3) {
        set(find(name), first, value);
        (void)printf("done\n");
    } else if (sscanf(line, "copy %79s %zu %zu", name, &first, &second) == 3) {
        const trawl_varied *of = find(name);
        memcpy(element(of, second), element(of, first), of->size);
        (void)printf("done\n");
    } else if (sscanf(line, "keep %zu", &first) == 1) {
        (void)printf("%.9f\n", keep(first));
    } else if (sscanf(line, "scan %zu", &first) == 1) {
        scan(first);
    } else {
        fail("unknown command");
    }
}

int main(int count, char **arguments) {
    if (count < 3 || count > 5) {
        fail("expected PATTERNS TEXT [cuda] [ENGINE]");
    }
    on_device = count > 3 && strcmp(arguments[3], "cuda") == 0;
    engine = arguments[3 + on_device]; /* NULL behind the last one */
    read_patterns(arguments[1]);
    text = (uint8_t *)read_file(arguments[2], &length);
    if (on_device) {
        take_sample(DEVICE_PIECES, DEVICE_PIECE);
        expect(device_text_make(text, length, &resident), &(trawl_error){.message = "no memory"});
    } else {
        take_sample(SAMPLE_PIECES, SAMPLE_PIECE);
    }
    reset();
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        (void)alarm(SECONDS_OF_A_COMMAND); /* a value may be one with which planning does not end */
        obey(line);
        (void)fflush(stdout);
    }
    return 0;
}
