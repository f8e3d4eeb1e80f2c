/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/flags/device.h"
#include "cli/reproduce/notes.h"
#include "cli/reproduce/paper.h"
#include "cli/target/planning.h"

enum {
    SHORTEST_TEXT = 4096,        /* bytes, however much texts are shrunk */
    SHORTEST_OF_BYTES = 1 << 22, /* the shortest text of Nunes et al. 2018 */
    TEXT_KINDS = TEXT_BYTES + 1,
    NAME_BYTES = 160
};

typedef struct held_set {
    set_kind kind;
    size_t count;
    trawl_patterns *patterns;
} held_set;

typedef struct held_database {
    run_recipe recipe;
    run_database database;
    char *refusal; /* owned; NULL: it was compiled */
} held_database;

typedef struct held_values {
    char name[NAME_BYTES];
    double *values;
} held_values;

struct reproduction {
    run_settings settings;
    bool has_cuda;
    char cuda_absence[PAPER_WHY_BYTES];
    made_text *texts;
    size_t text_count;
    held_set *sets;
    size_t set_count;
    held_database **databases;
    size_t database_count;
    held_values *values;
    size_t value_count;
    run_notes notes;
    size_t mismatches;
};

/* ------------------------------------------------------------------ beginning and end */

static void find_cuda(reproduction *run) {
    trawl_error error;
    trawl_device found = TRAWL_DEVICE;
    trawl_cuda_ceilings unused = TRAWL_CUDA_CEILINGS;
    run->has_cuda = !run->settings.cpu_only && device_find(run->settings.cuda, &found);
    if (run->has_cuda)
        return;
    if (run->settings.cpu_only || trawl_study_cuda_ceilings(0, &unused, &error) == TRAWL_OK)
        (void)snprintf(error.message, sizeof error.message, "--device leaves it out");
    (void)run_failed(&error, run->cuda_absence);
}

const char *run_cuda_absence(const reproduction *run) {
    return run->has_cuda ? NULL : run->cuda_absence;
}

reproduction *run_begin(const run_settings *settings) {
    reproduction *run = allocate(sizeof *run);
    *run = (reproduction){.settings = *settings};
    find_cuda(run);
    return run;
}

void run_forget(reproduction *run) {
    for (size_t i = 0; i < run->database_count; i++) {
        trawl_cuda_db_free(run->databases[i]->database.uploaded);
        trawl_db_free(run->databases[i]->database.db);
        free(run->databases[i]->refusal);
        free(run->databases[i]);
    }
    for (size_t i = 0; i < run->set_count; i++)
        trawl_patterns_free(run->sets[i].patterns);
    for (size_t i = 0; i < run->text_count; i++) {
        free(run->texts[i].bytes);
        run->texts[i].bytes = NULL;
        run->texts[i].length = 0;
    }
    run->database_count = run->set_count = 0;
}

void run_end(reproduction *run) {
    run_forget(run);
    free(notes_take(&run->notes));
    for (size_t i = 0; i < run->value_count; i++)
        free(run->values[i].values);
    free(run->values);
    free(run->texts);
    free(run->sets);
    free(run->databases);
    free(run);
}

const run_settings *run_settings_of(const reproduction *run) {
    return &run->settings;
}

void run_show_nothing(reproduction *run) {
    if (run->settings.progress && isatty(STDERR_FILENO)) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}

void run_show(reproduction *run, const char *format, ...) {
    if (!run->settings.progress || !isatty(STDERR_FILENO))
        return;
    va_list values;
    va_start(values, format);
    (void)fputs("\r\033[K", stderr);
    (void)vfprintf(stderr, format, values);
    (void)fflush(stderr);
    va_end(values);
}

bool run_has_cuda(const reproduction *run, char *why) {
    if (!run->has_cuda)
        (void)snprintf(why, PAPER_WHY_BYTES, "needs a CUDA device");
    return run->has_cuda;
}

/* The number of the GPU that is measured. */
static uint32_t cuda_number(const reproduction *run) {
    uint32_t number = 0;
    (void)device_number(run->settings.cuda, &number);
    return number;
}

double run_failed(const trawl_error *error, char *why) {
    (void)snprintf(why, PAPER_WHY_BYTES, "%.*s", PAPER_WHY_BYTES - 1, error->message);
    return PAPER_NONE;
}

/* ------------------------------------------------------------------ texts and sets */

size_t run_bytes(const reproduction *run, uint64_t bytes) {
    uint64_t here = bytes / run->settings.shrink;
    return here < SHORTEST_TEXT ? SHORTEST_TEXT : (size_t)here;
}

/* Half of the machine's memory. */
static uint64_t most_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page <= 0 ? UINT64_MAX : (uint64_t)pages * (uint64_t)page / 2;
}

const uint8_t *run_text(reproduction *run, const workload *data, char *why) {
    size_t length = run_bytes(run, data->bytes);
    size_t patterns = data->text == TEXT_DICTIONARY ? data->patterns : 0;
    if (length > most_bytes()) {
        (void)snprintf(why, PAPER_WHY_BYTES, "needs %zu MB of memory for the text", length >> 20);
        return NULL;
    }
    size_t i = 0;
    while (i < run->text_count &&
           (run->texts[i].kind != data->text || run->texts[i].patterns != patterns))
        i++;
    if (i == run->text_count) {
        run->texts = reallocate(run->texts, ++run->text_count * sizeof *run->texts);
        run->texts[i] = (made_text){.kind = data->text, .patterns = patterns};
    }
    made_text_extend(&run->texts[i], length);
    return run->texts[i].bytes;
}

size_t run_files(const reproduction *run, bool *repeated) {
    for (size_t i = 0; i < run->text_count; i++) {
        if (run->texts[i].kind == TEXT_FILES) {
            *repeated = run->texts[i].repeated;
            return run->texts[i].files;
        }
    }
    return 0;
}

const trawl_patterns *run_patterns(reproduction *run, set_kind set, size_t patterns) {
    for (size_t i = 0; i < run->set_count; i++) {
        if (run->sets[i].kind == set && run->sets[i].count == patterns)
            return run->sets[i].patterns;
    }
    run->sets = reallocate(run->sets, (run->set_count + 1) * sizeof *run->sets);
    run->sets[run->set_count] =
        (held_set){set, patterns, make_patterns(set, patterns, run_bytes(run, SHORTEST_OF_BYTES))};
    return run->sets[run->set_count++].patterns;
}

/* ------------------------------------------------------------------ databases */

static bool same_name(const char *left, const char *right) {
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static bool same_recipe(const run_recipe *left, const run_recipe *right) {
    return left->set == right->set && left->patterns == right->patterns &&
           same_name(left->engine, right->engine) && same_name(left->variant, right->variant) &&
           left->parts == right->parts && left->for_cuda == right->for_cuda &&
           left->text == right->text;
}

static void compile(reproduction *run, held_database *held) {
    const run_recipe *recipe = &held->recipe;
    workload sampled = {recipe->set, recipe->patterns, recipe->text, UINT64_C(16) << 20};
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    char why[PAPER_WHY_BYTES];
    trawl_error error;
    planning plan = {.sample = NULL};
    study.split_parts = recipe->parts;
    options.engine = recipe->engine;
    options.variant = recipe->variant;
    options.device = recipe->for_cuda ? run->settings.cuda : NULL;
    options.study = &study;
    const uint8_t *text = recipe->engine == NULL ? run_text(run, &sampled, why) : NULL;
    if (text != NULL)
        planning_begin_with_text(&plan, text, run_bytes(run, sampled.bytes), &options);
    const trawl_patterns *patterns = run_patterns(run, recipe->set, recipe->patterns);
    double begin = seconds_now();
    if (trawl_compile(patterns, &options, &held->database.db, &error) != TRAWL_OK) {
        held->database.db = NULL;
        held->refusal = string_copy(error.message);
    }
    held->database.build_seconds = seconds_now() - begin;
    if (text != NULL)
        planning_end(&plan);
}

run_database *run_compile(reproduction *run, const run_recipe *recipe, char *why) {
    size_t i = 0;
    while (i < run->database_count && !same_recipe(&run->databases[i]->recipe, recipe))
        i++;
    if (i == run->database_count) {
        run->databases = reallocate(run->databases, (i + 1) * sizeof *run->databases);
        run->databases[i] = allocate(sizeof *run->databases[i]);
        *run->databases[i] = (held_database){.recipe = *recipe};
        run->database_count++;
        compile(run, run->databases[i]);
    }
    if (run->databases[i]->refusal == NULL)
        return &run->databases[i]->database;
    (void)snprintf(why, PAPER_WHY_BYTES, "%s", run->databases[i]->refusal);
    return NULL;
}

double run_compile_again(reproduction *run, const run_recipe *recipe) {
    held_database held = {.recipe = *recipe};
    compile(run, &held);
    bool failed = held.refusal != NULL;
    trawl_db_free(held.database.db);
    free(held.refusal);
    return failed ? PAPER_NONE : held.database.build_seconds;
}

bool run_upload(reproduction *run, run_database *database, char *why) {
    if (database->uploaded != NULL)
        return true;
    trawl_error error;
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.device = cuda_number(run);
    if (trawl_cuda_upload(database->db, &options, &database->uploaded, &error) == TRAWL_OK)
        return true;
    database->uploaded = NULL;
    (void)run_failed(&error, why);
    return false;
}

/* ------------------------------------------------------------------ what is known already */

const double *run_recall(const reproduction *run, const char *name) {
    for (size_t i = 0; i < run->value_count; i++) {
        if (strcmp(run->values[i].name, name) == 0)
            return run->values[i].values;
    }
    return NULL;
}

const double *run_remember(reproduction *run, const char *name, const double *values,
                           size_t count) {
    run->values = reallocate(run->values, (run->value_count + 1) * sizeof *run->values);
    held_values *held = &run->values[run->value_count++];
    (void)snprintf(held->name, sizeof held->name, "%s", name);
    held->values = allocate(count * sizeof *values);
    memcpy(held->values, values, count * sizeof *values);
    return held->values;
}

void run_note(reproduction *run, const char *heading, const char *format, ...) {
    char text[NAME_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    notes_add(&run->notes, heading, text);
}

char *run_take_notes(reproduction *run) {
    return notes_take(&run->notes);
}

bool run_expected(reproduction *run, const workload *data, const char *engine, uint64_t *matches,
                  char *why) {
    bool is_qgram = engine == NULL || strcmp(engine, "qgram") == 0;
    run_recipe recipe = {
        .set = data->set, .patterns = data->patterns, .engine = is_qgram ? "ac-dfa" : "qgram"};
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "matches %s %d %zu %d %" PRIu64, recipe.engine,
                   (int)data->set, data->patterns, (int)data->text, data->bytes);
    const double *known = run_recall(run, name);
    if (known == NULL) {
        trawl_error error;
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.threads = TRAWL_THREADS_ALL;
        const uint8_t *text = run_text(run, data, why);
        const run_database *database = text == NULL ? NULL : run_compile(run, &recipe, why);
        if (database == NULL)
            return false;
        uint64_t total = 0;
        if (trawl_count(database->db, text, run_bytes(run, data->bytes), &options, &total, NULL,
                        &error) != TRAWL_OK) {
            (void)run_failed(&error, why);
            return false;
        }
        known = run_remember(run, name, &(double){(double)total}, 1);
    }
    *matches = (uint64_t)*known;
    return true;
}

double run_mismatch(reproduction *run, uint64_t found, uint64_t expected, char *why) {
    run->mismatches++;
    (void)snprintf(why, PAPER_WHY_BYTES,
                   "MISMATCH: %" PRIu64 " matches, where another engine finds %" PRIu64, found,
                   expected);
    return PAPER_NONE;
}

double run_states_mismatch(reproduction *run, char *why) {
    run->mismatches++;
    (void)snprintf(why, PAPER_WHY_BYTES, "MISMATCH: states differ from the CPU's");
    return PAPER_NONE;
}

size_t run_mismatches(const reproduction *run) {
    return run->mismatches;
}
