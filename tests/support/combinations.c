/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "combinations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"

enum { COMBINATION_MAX = 256 };

static struct {
    combination items[COMBINATION_MAX];
    size_t compiled[COMBINATION_MAX];
    size_t refused[COMBINATION_MAX];
    size_t runs[COMBINATION_MAX];
    size_t runs_of_records[COMBINATION_MAX]; /* each with a layout of its own */
    size_t count;
} all;

/* No engine may refuse a small set: few patterns of few bytes. */
enum { SMALL_SET_PATTERNS = 100, SMALL_SET_BYTES = 100000 };

/* Exceptions: engines that may refuse small sets, each with the documented reason. `variant` NULL
 * means every variant, `kind` MATCH_KINDS every kind. */
static const struct {
    const char *engine;
    const char *variant;
    size_t kind;
    const char *reason;
} allowed_refusals[] = {
    {"qgram", "packed", MATCH_KINDS, "more than four letters, or no two adjacent bits for them"},
};

static bool is_wanted(combination which) {
    const char *filter = getenv("TRAWL_TEST_ENGINE");
    if (!filter || !*filter)
        return true;
    size_t length = strlen(which.engine);
    if (strncmp(filter, which.engine, length) != 0)
        return false;
    return !filter[length] || (filter[length] == '/' && which.variant &&
                               strcmp(filter + length + 1, which.variant) == 0);
}

static void add(combination which) {
    if (!is_wanted(which))
        return;
    if (all.count == COMBINATION_MAX) {
        fprintf(stderr, "more than %d engines and variants: raise COMBINATION_MAX\n",
                COMBINATION_MAX);
        abort();
    }
    all.items[all.count++] = which;
}

static void enumerate(void) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    add((combination){.engine = "auto"});
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++)
        for (size_t v = 0; engine.variants[v]; v++)
            add((combination){.engine = engine.name, .variant = engine.variants[v]});
    if (!all.count) { /* else the tests would pass without testing anything */
        fprintf(stderr, "TRAWL_TEST_ENGINE=%s: 'trawl engines' lists no such engine or variant\n",
                getenv("TRAWL_TEST_ENGINE"));
        exit(EXIT_FAILURE);
    }
    if (!runner_is_any_wanted()) {
        fprintf(stderr, "TRAWL_TEST_RUNNER=%s: it is part of no runner's name, such as 'records'\n",
                getenv("TRAWL_TEST_RUNNER"));
        exit(EXIT_FAILURE);
    }
}

size_t combination_count(void) {
    if (!all.count)
        enumerate();
    return all.count;
}

combination combination_at(size_t index) {
    return all.items[index];
}

static size_t index_of(combination which) {
    for (size_t i = 0; i < combination_count(); i++) {
        combination other = all.items[i];
        if (strcmp(other.engine, which.engine) == 0 &&
            (!which.variant || strcmp(other.variant, which.variant) == 0))
            return i;
    }
    return 0;
}

static bool names_another_engine(const char *message, const char *engine) {
    trawl_engine_description other = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &other); i++)
        if (strcmp(other.name, engine) != 0 && strstr(message, other.name))
            return true;
    return false;
}

static bool may_refuse(combination which, const test_case *test, trawl_match_kind kind) {
    size_t bytes = 0;
    for (size_t id = 0; id < test->count; id++)
        bytes += test->patterns[id].length;
    if (test->count > SMALL_SET_PATTERNS || bytes > SMALL_SET_BYTES)
        return true;
    for (size_t i = 0; i < sizeof(allowed_refusals) / sizeof(allowed_refusals[0]); i++)
        if (strcmp(allowed_refusals[i].engine, which.engine) == 0 &&
            (!allowed_refusals[i].variant ||
             (which.variant && strcmp(allowed_refusals[i].variant, which.variant) == 0)) &&
            (allowed_refusals[i].kind == MATCH_KINDS || allowed_refusals[i].kind == (size_t)kind))
            return true;
    return false;
}

/* Checks the status and message of a compilation that failed. */
static combination_outcome outcome_of(combination which, const test_case *test,
                                      trawl_match_kind kind, trawl_status status,
                                      const trawl_error *error, combination_failure *failure) {
    if (status != TRAWL_ERROR_LIMIT) {
        snprintf(failure->what, sizeof(failure->what), "trawl_compile: %s: %s",
                 trawl_status_text(status), error->message);
        return COMBINATION_FAILED;
    }
    if (strcspn(error->message, "0123456789") == strlen(error->message) ||
        !names_another_engine(error->message, which.engine)) {
        snprintf(failure->what, sizeof(failure->what),
                 "a refusal without a number or without another engine: %s", error->message);
        return COMBINATION_FAILED;
    }
    if (!may_refuse(which, test, kind)) {
        snprintf(failure->what, sizeof(failure->what), "refused a small set: %s", error->message);
        return COMBINATION_FAILED;
    }
    all.refused[index_of(which)]++;
    return COMBINATION_REFUSED;
}

static trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;

void combination_set_device_costs(const trawl_device_costs *costs) {
    study.device_costs = costs;
}

static const uint8_t *text_sample;
static size_t text_sample_length;

void combination_set_sample(const uint8_t *sample, size_t length) {
    text_sample = sample;
    text_sample_length = sample == NULL ? 0 : length;
}

void combination_set_costs(const trawl_costs *costs) {
    study.costs = costs;
}

combination_outcome combination_compile(combination which, const test_case *test,
                                        trawl_match_kind kind, trawl_db **db,
                                        combination_failure *failure) {
    trawl_error error = {.message = ""};
    *db = NULL;
    *failure = (combination_failure){.which = which, .kind = kind, .what = "a crash"};
    trawl_patterns *patterns = test_case_patterns(test, &error);
    if (!patterns) {
        snprintf(failure->what, sizeof(failure->what), "trawl_patterns_add: %s", error.message);
        return COMBINATION_FAILED;
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = which.engine;
    options.variant = which.variant;
    options.matches = kind;
    options.study = &study;
    options.sample = text_sample;
    options.sample_length = text_sample_length;
    trawl_status status = trawl_compile(patterns, &options, db, &error);
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK)
        return outcome_of(which, test, kind, status, &error, failure);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(*db, &information, NULL);
    bool forced = strcmp(which.engine, "auto") != 0;
    if ((forced && strcmp(information.engine, which.engine) != 0) ||
        (which.variant && strcmp(information.variant, which.variant) != 0) ||
        information.matches != kind || information.patterns != test->count) {
        snprintf(failure->what, sizeof(failure->what), "asked for %s/%s, the database is %s/%s",
                 which.engine, which.variant ? which.variant : "-", information.engine,
                 information.variant);
        trawl_db_free(*db);
        *db = NULL;
        return COMBINATION_FAILED;
    }
    all.compiled[index_of(which)]++;
    return COMBINATION_COMPILED;
}

static void count_run(combination which, const runner *how) {
    size_t at = index_of(which);
    all.runs[at]++;
    all.runs_of_records[at] += how->call == RUNNER_RECORDS;
}

/* Of the fixed list's runners with several threads, each case uses a random part: starting threads
 * takes nearly all of the time of a case, and an emulator of processors (qemu-user) loses 80 KB
 * with each thread that ends. */
static bool is_spared(const runner *how, random_source *random) {
    return how->threads > 1 && how->device == NULL &&
           !random_chance(random, 1, effort_is_short() ? 16 : 4);
}

combination_outcome combination_check(combination which, const test_case *test,
                                      trawl_match_kind kind, const match_list *expected,
                                      size_t runners, random_source *random,
                                      combination_failure *failure) {
    trawl_db *db;
    combination_outcome outcome = combination_compile(which, test, kind, &db, failure);
    if (outcome != COMBINATION_COMPILED)
        return outcome;
    size_t count = runners ? runners : runner_count();
    for (size_t i = 0; i < count && outcome == COMBINATION_COMPILED; i++) {
        char what[sizeof(failure->what)];
        failure->how = runners ? runner_random(random, test->length) : runner_at(i);
        if (runners == 0 &&
            (!runner_is_wanted(failure->how.call) || is_spared(&failure->how, random)))
            continue;
        failure->scanning = true;
        count_run(which, &failure->how);
        if (runner_check(&failure->how, db, test->text, test->length, expected, random, what,
                         sizeof(what)))
            continue;
        memcpy(failure->what, what, sizeof(what));
        outcome = COMBINATION_FAILED;
    }
    trawl_db_free(db);
    return outcome;
}

void combination_print_failure(FILE *file, const test_case *test,
                               const combination_failure *failure, const char *replay) {
    char words[256] = "compiling", options[64] = "", all_options[256];
    if (failure->scanning) {
        runner_describe(&failure->how, words, sizeof(words));
        runner_options(&failure->how, options, sizeof(options));
    }
    snprintf(all_options, sizeof(all_options), "--engine %s%s%s --matches %s%s",
             failure->which.engine, failure->which.variant ? " --variant " : "",
             failure->which.variant ? failure->which.variant : "", match_kind_names[failure->kind],
             options);
    fprintf(file, "\n%s%s%s, %s, %s:\n  %s\n", failure->which.engine,
            failure->which.variant ? "/" : "", failure->which.variant ? failure->which.variant : "",
            match_kind_names[failure->kind], words, failure->what);
    if (test->length + test->count < 100000) {
        fputs("as a command:\n  ", file);
        test_case_print_command(file, test, all_options);
        fputs("as a case for tests/cases, or for a file that cases_test gets as argument:\n", file);
        test_case_print(file, test);
    }
    if (replay)
        fprintf(file, "the case it was made from:\n  %s\n", replay);
    fflush(file);
}

bool combination_check_all(const test_case *test, size_t runners, random_source *random) {
    bool passed = true;
    for (int kind = 0; kind < MATCH_KINDS && passed; kind++) {
        match_list expected = {0};
        test_case_search(test, (trawl_match_kind)kind, &expected);
        for (size_t c = 0; c < combination_count() && passed; c++) {
            combination_failure failure;
            passed = combination_check(combination_at(c), test, (trawl_match_kind)kind, &expected,
                                       runners, random, &failure) != COMBINATION_FAILED;
            if (!passed)
                combination_print_failure(stdout, test, &failure, NULL);
        }
        match_list_free(&expected);
    }
    return passed;
}

void combination_print_totals(void) {
    for (size_t i = 0; i < combination_count(); i++)
        printf("  %s%s%s: %zu compiled, %zu refused, %zu runs, %zu of them with records\n",
               all.items[i].engine, all.items[i].variant ? "/" : "",
               all.items[i].variant ? all.items[i].variant : "", all.compiled[i], all.refused[i],
               all.runs[i], all.runs_of_records[i]);
}
