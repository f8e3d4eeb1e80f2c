/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Shared by tests of calls that must not allocate, lock or read the environment: functions that the
 * linker puts in the place of others (--wrap), which count calls; and small cases. Exactly one file
 * of a program includes this.
 */
#ifndef TRAWL_TESTS_WATCHED_CALLS_H
#define TRAWL_TESTS_WATCHED_CALLS_H

#include "combinations.h"
#include "failing_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Calls of the functions below: locks, looks at the environment, fallback automata. */
static atomic_ulong watched;

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
char *__real_getenv(const char *name);
char *__wrap_getenv(const char *name);
struct trawl_walker;
struct trawl_fork_lock;
void __real_trawl_fork_lock_take(struct trawl_fork_lock *lock);
void __wrap_trawl_fork_lock_take(struct trawl_fork_lock *lock);
trawl_status __real_trawl_fallback_open(const trawl_db *db, struct trawl_walker **walker,
                                        trawl_error *error);
trawl_status __wrap_trawl_fallback_open(const trawl_db *db, struct trawl_walker **walker,
                                        trawl_error *error);

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
    atomic_fetch_add(&watched, 1);
    return __real_pthread_mutex_lock(lock);
}

void __wrap_trawl_fork_lock_take(struct trawl_fork_lock *lock) {
    atomic_fetch_add(&watched, 1);
    __real_trawl_fork_lock_take(lock);
}

char *__wrap_getenv(const char *name) {
    atomic_fetch_add(&watched, 1);
    return __real_getenv(name);
}

trawl_status __wrap_trawl_fallback_open(const trawl_db *db, struct trawl_walker **walker,
                                        trawl_error *error) {
    atomic_fetch_add(&watched, 1);
    return __real_trawl_fallback_open(db, walker, error);
}

/* More allocations than any test makes: `countdown` counts them from here. */
enum { MANY_ALLOCATIONS = 1000000000 };

/* Starts to count calls. */
static void watch(void) {
    atomic_store(&countdown, MANY_ALLOCATIONS);
    atomic_store(&watched, 0);
}

/* Stops counting. Fails the test if a call was counted, or if memory was allocated and must not
 * be. */
static void assert_nothing_watched(combination which, trawl_match_kind kind, bool may_allocate) {
    long allocations = MANY_ALLOCATIONS - atomic_load(&countdown);
    atomic_store(&countdown, -1);
    if ((allocations != 0 && !may_allocate) || atomic_load(&watched) != 0)
        fail_msg("%s/%s, %s: %ld allocations, %lu locks, looks at the environment or automata",
                 which.engine, which.variant ? which.variant : "-", match_kind_names[kind],
                 allocations, atomic_load(&watched));
}

/* `count` patterns of `letters`, of lengths from `shortest` to `longest` (at most 64), and a text
 * of `length` bytes, made of prefixes of some of them and of runs of 64 bytes. */
static test_case random_letters(random_source *random, size_t count, size_t shortest,
                                size_t longest, const char *letters, size_t length) {
    enum { MOST = 64 };
    test_case made = {.name = strdup("letters")};
    uint8_t bytes[MOST], run[MOST];
    memset(run, letters[0], sizeof(run));
    for (size_t id = 0; id < count; id++) {
        size_t size = random_between(random, shortest, longest);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)letters[random_below(random, strlen(letters))];
        test_case_add_pattern(&made, bytes, size,
                              random_chance(random, 1, 9) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    while (made.length < length) {
        size_t left = length - made.length, id = random_below(random, count);
        size_t part = random_between(random, 1, made.patterns[id].length);
        bool is_run = random_chance(random, 1, 10);
        part = is_run ? sizeof(run) : part;
        test_case_append_text(&made, is_run ? run : made.patterns[id].bytes,
                              part < left ? part : left);
    }
    return made;
}

#endif
