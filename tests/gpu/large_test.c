/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A text of more than 4 GiB in device memory, and one in host memory that is copied there. Both
 * repeat 4,096 bytes with a match across the seam, so that whatever sizes the library cuts a text
 * into, matches lie across every cut and at every offset above 4 GiB.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD = 4096, TAIL = 13 };
#define BLOCK ((size_t)64 << 20)
#define BLOCKS ((uint64_t)65)
#define LENGTH (BLOCKS * BLOCK + TAIL)
#define PERIODS (BLOCKS * BLOCK / PERIOD)
#define BASE (UINT64_C(1) << 40)

/* "needles" with its last four bytes behind the seam. At offset 0 stands "dles". */
static const char needles[] = "needles";
enum { NEEDLES = 7, BEFORE_SEAM = 3 };

static test_case patterns;   /* with a short text of a few periods */
static expectation expected; /* of the short text */
static uint8_t *block;       /* BLOCK bytes in host memory */
static uint8_t *text;        /* in device memory, at an odd address */
static uint8_t *text_memory;
static trawl_error error;

static void make_block(void) {
    block = malloc(BLOCK);
    for (size_t i = 0; i < BLOCK; i += PERIOD) {
        memset(block + i, '.', PERIOD);
        memcpy(block + i, needles + BEFORE_SEAM, NEEDLES - BEFORE_SEAM);
        memcpy(block + i + PERIOD - BEFORE_SEAM, needles, BEFORE_SEAM);
    }
}

static int setup(void **state) {
    (void)state;
    make_block();
    test_case_add_pattern(&patterns, needles, NEEDLES, 0);
    test_case_add_pattern(&patterns, "dle", 3, 0);
    test_case_add_pattern(&patterns, needles, NEEDLES, 0);
    test_case_append_text(&patterns, block, 4 * PERIOD);
    expectation_make(&expected, &patterns);
    text_memory = device_allocate(LENGTH + 5);
    if (!text_memory)
        return -1;
    text = text_memory + 5;
    for (uint64_t i = 0; i < BLOCKS; i++)
        if (!device_write(text + i * BLOCK, block, BLOCK, NULL))
            return -1;
    return device_write(text + BLOCKS * BLOCK, block, TAIL, NULL) && device_wait(NULL) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    device_release(text_memory);
    free(block);
    expectation_free(&expected);
    test_case_free(&patterns);
    return 0;
}

/* At each seam "dle" and twice "needles", at offset 0 only "dle"; the one in the tail is whole. */
#define MATCHES (1 + 3 * PERIODS)

static trawl_match match_at(uint64_t index) {
    if (index == 0)
        return (trawl_match){.start = 0, .end = 3, .pattern = 1};
    uint64_t seam = (index - 1) / 3 * PERIOD + PERIOD;
    switch ((index - 1) % 3) {
    case 0:
        return (trawl_match){.start = seam, .end = seam + 3, .pattern = 1};
    default:
        return (trawl_match){.start = seam - BEFORE_SEAM,
                             .end = seam - BEFORE_SEAM + NEEDLES,
                             .pattern = (index - 1) % 3 == 1 ? 0 : 2};
    }
}

/* One scan of the large text; the form's results are left in device memory. */
typedef struct large_scan {
    uint64_t *total;
    void *results; /* per_pattern, matches, ends or states */
    void *workspace;
} large_scan;

static bool begin_scan(large_scan *scan, const device_database *database, const char *kernel,
                       trawl_cuda_form form, size_t bytes) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_results results = {.total = NULL};
    size_t workspace_bytes = 0;
    options.form = form;
    options.kernel = kernel;
    options.base = BASE;
    memset(scan, 0, sizeof(*scan));
    trawl_status status =
        trawl_cuda_workspace(database->uploaded, &options, LENGTH, &workspace_bytes, &error);
    if (status != TRAWL_OK) {
        char complaint[640];
        device_scan how = {.kernel = kernel, .form = form};
        if (!device_may_refuse(database, &how, status, &error, complaint, sizeof(complaint)))
            fail_msg("%s/%s, kernel %s: %s", database->which.engine, database->which.variant,
                     kernel, complaint);
        return false;
    }
    scan->total = device_allocate(sizeof(*scan->total));
    scan->results = device_allocate(bytes);
    scan->workspace = device_allocate(workspace_bytes);
    assert_non_null(scan->total);
    assert_non_null(scan->results);
    assert_non_null(scan->workspace);
    results.total = scan->total;
    results.per_pattern = scan->results;
    results.matches = scan->results;
    results.capacity = bytes / sizeof(trawl_cuda_match);
    results.ends = scan->results;
    results.states = scan->results;
    status = trawl_cuda_scan(database->uploaded, &options, text, LENGTH, &results, scan->workspace,
                             workspace_bytes, NULL, &error);
    if (status != TRAWL_OK || !device_wait(NULL))
        fail_msg("%s/%s, kernel %s, %s: %s", database->which.engine, database->which.variant,
                 kernel, form_names[form], status != TRAWL_OK ? error.message : device_complaint());
    return true;
}

static void end_scan(large_scan *scan) {
    device_release(scan->total);
    device_release(scan->results);
    device_release(scan->workspace);
}

static void expect_total(const large_scan *scan) {
    uint64_t total = 0;
    assert_true(device_read(&total, scan->total, sizeof(total), NULL));
    assert_int_equal(total, MATCHES);
}

static void check_matches(const device_database *database, const char *kernel) {
    size_t bytes = (size_t)MATCHES * sizeof(trawl_cuda_match);
    large_scan scan;
    if (!begin_scan(&scan, database, kernel, TRAWL_CUDA_MATCHES, bytes))
        return;
    trawl_cuda_match *found = malloc(bytes);
    expect_total(&scan);
    assert_true(device_read(found, scan.results, bytes, NULL));
    for (uint64_t i = 0; i < MATCHES; i++) {
        trawl_match want = match_at(i);
        if (found[i].end != want.end + BASE || found[i].pattern != want.pattern ||
            found[i].length != want.end - want.start)
            fail_msg("%s/%s, kernel %s: match %llu is %u, end %llu, expected %u, %llu",
                     database->which.engine, database->which.variant, kernel, (unsigned long long)i,
                     found[i].pattern, (unsigned long long)found[i].end, want.pattern,
                     (unsigned long long)(want.end + BASE));
    }
    free(found);
    end_scan(&scan);
}

/* Every variant with the engine's default kernel, every kernel with the default variant. */
static void matches_beyond_4_gib(void **state) {
    (void)state;
    combination which;
    const char *kernel, *engine = "";
    for (size_t c = 0; device_combination(c, &which); c++) {
        bool first = strcmp(engine, which.engine) != 0;
        device_database database;
        engine = which.engine;
        if (!device_open(&database, which, &patterns))
            continue;
        for (size_t k = 0; (kernel = device_kernel_at(engine, k)) && (first || k == 0); k++)
            check_matches(&database, kernel);
        device_database_close(&database);
    }
}

static void check_ends(const device_database *database) {
    size_t words = (size_t)((LENGTH + 31) / 32), wanted = 0;
    large_scan scan;
    if (!begin_scan(&scan, database, NULL, TRAWL_CUDA_ENDS, words * sizeof(uint32_t)))
        return;
    uint32_t *bits = malloc(words * sizeof(uint32_t));
    assert_true(device_read(bits, scan.results, words * sizeof(uint32_t), NULL));
    uint64_t last = UINT64_MAX, set = 0;
    for (uint64_t i = 0; i < MATCHES; i++) {
        uint64_t bit = match_at(i).end - 1;
        if (!(bits[bit / 32] >> (bit % 32) & 1))
            fail_msg("%s: nothing ends with byte %llu", database->which.engine,
                     (unsigned long long)bit);
        wanted += bit != last;
        last = bit;
    }
    for (size_t i = 0; i < words; i++)
        set += (uint64_t)__builtin_popcount(bits[i]);
    assert_int_equal(set, wanted);
    free(bits);
    end_scan(&scan);
}

/* Behind the first period the text repeats, and so do the states. */
static void check_states(device_database *database) {
    enum { WINDOW = 4 * PERIOD };
    size_t width = database->state_bytes;
    large_scan scan;
    if (!width || !begin_scan(&scan, database, NULL, TRAWL_CUDA_STATES, (size_t)LENGTH * width))
        return;
    uint8_t *states = malloc(WINDOW * width);
    for (uint64_t at = 0; at + WINDOW <= LENGTH; at += BLOCK / 4 - PERIOD) {
        const uint8_t *from = (const uint8_t *)scan.results + at * width;
        assert_true(device_read(states, from, WINDOW * width, NULL));
        for (size_t i = 0; i < WINDOW; i++) {
            uint32_t got = 0;
            memcpy(&got, states + i * width, width);
            uint64_t same_byte = at + i < PERIOD ? at + i : (at + i) % PERIOD + PERIOD;
            if (!state_names_agree(&database->names, got, expected.strings[same_byte]))
                fail_msg("%s: wrong state %u after byte %llu", database->which.engine, got,
                         (unsigned long long)(at + i));
        }
    }
    free(states);
    end_scan(&scan);
}

static void check_counts(const device_database *database) {
    uint64_t each[3];
    large_scan scan;
    if (!begin_scan(&scan, database, NULL, TRAWL_CUDA_PATTERNS, sizeof(each)))
        return;
    expect_total(&scan);
    assert_true(device_read(each, scan.results, sizeof(each), NULL));
    assert_int_equal(each[0], PERIODS);
    assert_int_equal(each[1], PERIODS + 1);
    assert_int_equal(each[2], PERIODS);
    end_scan(&scan);
    assert_true(begin_scan(&scan, database, NULL, TRAWL_CUDA_COUNT, 1));
    expect_total(&scan);
    end_scan(&scan);
}

static void other_forms_beyond_4_gib(void **state) {
    (void)state;
    combination which;
    const char *engine = "";
    for (size_t c = 0; device_combination(c, &which); c++) {
        device_database database;
        if (strcmp(engine, which.engine) == 0 || !device_open(&database, which, &patterns))
            continue;
        engine = which.engine;
        check_counts(&database);
        check_ends(&database);
        check_states(&database);
        device_database_close(&database);
    }
}

/* The text in host memory: one block of memory, mapped again and again. */
static uint8_t *map_text(void) {
    int file = memfd_create("trawl-test", 0);
    if (file < 0 || ftruncate(file, (off_t)BLOCK) != 0)
        return NULL;
    uint8_t *range =
        mmap(NULL, BLOCK * BLOCKS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t i = 0; range != MAP_FAILED && i < BLOCKS; i++)
        if (mmap(range + i * BLOCK, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                 0) == MAP_FAILED)
            range = MAP_FAILED;
    close(file);
    if (range == MAP_FAILED)
        return NULL;
    memcpy(range, block, BLOCK);
    return range;
}

static int expect_next(const trawl_match *match, void *context) {
    uint64_t *index = context;
    trawl_match want = match_at((*index)++);
    return match->pattern != want.pattern || match->start != want.start || match->end != want.end;
}

static void a_host_text_of_4_gib(void **state) {
    (void)state;
    uint8_t *mapped = map_text();
    trawl_patterns *set = test_case_patterns(&patterns, &error);
    trawl_db *db = NULL;
    trawl_compile_options with_kernels = TRAWL_COMPILE_OPTIONS;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    uint64_t seen = 0;
    with_kernels.engine = "ac-dfa";
    options.device = "cuda";
    options.threads = TRAWL_THREADS_ALL;
    assert_non_null(mapped);
    assert_int_equal(trawl_compile(set, &with_kernels, &db, &error), TRAWL_OK);
    trawl_status status =
        trawl_scan(db, mapped, BLOCK * BLOCKS, &options, expect_next, &seen, &error);
    if (status != TRAWL_OK)
        fail_msg("match %llu: %s: %s", (unsigned long long)seen, trawl_status_text(status),
                 error.message);
    assert_int_equal(seen, MATCHES - 3); /* the last seam is the end of this text */
    trawl_db_free(db);
    trawl_patterns_free(set);
    munmap(mapped, BLOCK * BLOCKS);
}

int main(void) {
    if (!device_tests_begin("large_test"))
        return TEST_SKIPPED;
    if (device_is_emulated() || device_free_bytes() < (size_t)32 << 30) {
        printf("large_test: skipped: %zu bytes of device memory are free, 32 GiB are needed\n",
               device_free_bytes());
        return TEST_SKIPPED;
    }
    if (device_cases_are_limited()) {
        printf("large_test: skipped: TRAWL_TEST_CASES asks for a short run\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_beyond_4_gib),
        cmocka_unit_test(other_forms_beyond_4_gib),
        cmocka_unit_test(a_host_text_of_4_gib),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    device_tests_end();
    return failed;
}
