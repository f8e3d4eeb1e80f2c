/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Every engine and variant that the library lists, each forced by name. A new one is tested by all
 * tests without being named in any.
 */
#ifndef TRAWL_TESTS_COMBINATIONS_H
#define TRAWL_TESTS_COMBINATIONS_H

#include "case.h"
#include "random.h"
#include "runner.h"

typedef struct combination {
    const char *engine;  /* "auto": the planner's choice */
    const char *variant; /* NULL with "auto" */
} combination;

/* The planner and each variant of each engine. TRAWL_TEST_ENGINE=NAME or NAME/VARIANT keeps only
 * those that are so named. */
size_t combination_count(void);
combination combination_at(size_t index);

typedef enum combination_outcome {
    COMBINATION_COMPILED,
    COMBINATION_REFUSED, /* a documented limit, well explained */
    COMBINATION_FAILED   /* anything else: a failure of the test, with a complaint */
} combination_outcome;

/* What a check is doing. Written before it is done, so that it is known after a crash too. */
typedef struct combination_failure {
    combination which;
    trawl_match_kind kind;
    runner how;     /* meaningful once `scanning` */
    bool scanning;  /* false: it was compiling */
    char what[640]; /* the first difference, or a status with its sentence */
} combination_failure;

/* Compiles the set with the engine forced, and checks that no other engine was used. A refusal must
 * be TRAWL_ERROR_LIMIT with a sentence that has a number and another engine's name in it; for a
 * small set it is a failure unless the table in combinations.c gives a reason for it. */
combination_outcome combination_compile(combination which, const test_case *test,
                                        trawl_match_kind kind, trawl_db **db,
                                        combination_failure *failure);

/* Sets the costs of the CPU for all databases that combination_compile makes from now on; NULL: the
 * usual ones. The costs must outlive these calls. */
void combination_set_costs(const trawl_costs *costs);

/* Sets the sample of the text for all databases that combination_compile makes from now on; NULL:
 * none. The sample must outlive these calls. */
void combination_set_sample(const uint8_t *sample, size_t length);

/* Sets the costs of a device for all databases that combination_compile makes from now on; NULL:
 * the usual ones. The costs must outlive these calls. */
void combination_set_device_costs(const trawl_device_costs *costs);

/* Runs one case with one combination and kind through `runners` runners: the fixed list when
 * runners is 0 (those with several threads in part), else random ones. */
combination_outcome combination_check(combination which, const test_case *test,
                                      trawl_match_kind kind, const match_list *expected,
                                      size_t runners, random_source *random,
                                      combination_failure *failure);

/* Runs one case with every combination and kind, each through `runners` random runners, and
 * compares with the oracle. Prints the first failure, and then returns false. */
bool combination_check_all(const test_case *test, size_t runners, random_source *random);

/* Prints the case with what failed, as a case file's text and as commands. `replay` is the line
 * that runs the original case again, or NULL. */
void combination_print_failure(FILE *file, const test_case *test,
                               const combination_failure *failure, const char *replay);

/* Prints for all of them how many databases were compiled and refused, and how many runners have
 * scanned with one, once at the end of a test. */
void combination_print_totals(void);

#endif
