/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The places where kernels cut a text: strips of threads, tiles and blocks. For every alignment of
 * the text and every length, for matches across every boundary, and for patterns that are longer
 * than a strip or a block: no match is lost, and none is found twice.
 *
 * TRAWL_TEST_CASES=N thins the lengths out to about N.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A case that is scanned in many pieces, with what is expected of all of it. */
typedef struct fixture {
    test_case test;
    expectation expected;
} fixture;

static fixture dense[2];  /* matches everywhere; without and with letter case ignored */
static fixture sparse[2]; /* the same patterns, long texts */

static void add_patterns(test_case *test, bool insensitive) {
    static const char *const patterns[] = {"needles", "eed", "s", "needles", "s.n", "dles.needles"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        test_case_add_pattern(test, patterns[i], strlen(patterns[i]), 0);
    if (insensitive)
        test_case_add_pattern(test, "NEEDLE", 6, TRAWL_PATTERN_CASE_INSENSITIVE);
}

/* Needles, whole and broken, with up to `space` dots between them. */
static void make_fixture(fixture *made, bool insensitive, size_t length, size_t space) {
    static const char *const pieces[] = {"needles", "needles", "nEEDLEs", "needle", "eedles", "s"};
    random_source random = random_for_case(1, length);
    memset(made, 0, sizeof(*made));
    add_patterns(&made->test, insensitive);
    while (made->test.length < length) {
        const char *piece = pieces[random_below(&random, sizeof(pieces) / sizeof(pieces[0]))];
        test_case_append_text(&made->test, piece, strlen(piece));
        for (size_t dots = random_below(&random, space + 1); dots; dots--)
            test_case_append_text(&made->test, ".", 1);
    }
    made->test.length = length;
    expectation_make(&made->expected, &made->test);
}

static void free_fixture(fixture *made) {
    expectation_free(&made->expected);
    test_case_free(&made->test);
}

static size_t longest_dense(void) {
    return device_is_emulated() ? 5000 : 12000;
}

static size_t longest_sparse(void) {
    return device_is_emulated() ? 40000 : 3 << 20;
}

/* Every combination and kernel, with a database for each of two fixtures. */
typedef void (*with_kernel)(device_database databases[2], const fixture fixtures[2],
                            const char *kernel);

/* Divergence-free walks take a failure step for every byte of the longest pattern at every byte of
 * the text. */
static bool is_divergence_free(combination which) {
    return which.variant && strstr(which.variant, "divergence-free");
}

typedef enum variants {
    VARIANTS_ALL,
    VARIANTS_SOME, /* of an engine's variants all but the first two go with a third of the kernels
                      only: how a kernel cuts a text hardly depends on the tables */
    VARIANTS_WITH_FAILURE_WALK,
    VARIANTS_DIVERGENCE_FREE
} variants;

static bool is_one_of(combination which, variants wanted) {
    return wanted == VARIANTS_ALL || wanted == VARIANTS_SOME ||
           (wanted == VARIANTS_DIVERGENCE_FREE) == is_divergence_free(which);
}

static void for_every_kernel(const fixture fixtures[2], variants wanted, with_kernel function) {
    combination which;
    const char *kernel, *engine = "";
    size_t variant = 0;
    for (size_t c = 0; device_combination(c, &which); c++) {
        device_database databases[2] = {{.db = NULL}, {.db = NULL}};
        variant = strcmp(engine, which.engine) == 0 ? variant + 1 : 0;
        engine = which.engine;
        if (!is_one_of(which, wanted))
            continue;
        if (device_open(&databases[0], which, &fixtures[0].test) &&
            device_open(&databases[1], which, &fixtures[1].test))
            for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++)
                if (wanted != VARIANTS_SOME || variant < 2 || (c + k) % 3 == 0)
                    function(databases, fixtures, kernel);
        device_database_close(&databases[0]);
        device_database_close(&databases[1]);
    }
}

/* Tests form MATCHES and one of the other forms, in turn, with the two fixtures in turn. */
static void check_two_forms(device_database databases[2], const fixture fixtures[2],
                            device_scan scan, uint64_t length) {
    static const trawl_cuda_form others[] = {TRAWL_CUDA_ENDS, TRAWL_CUDA_STATES, TRAWL_CUDA_COUNT,
                                             TRAWL_CUDA_PATTERNS};
    static size_t turn;
    size_t which = turn++ % 2;
    device_database *database = &databases[which];
    const fixture *from = &fixtures[which];
    scan.form = TRAWL_CUDA_MATCHES;
    device_check(database, &scan, &from->test, length, &from->expected, NULL);
    scan.form = others[turn / 2 % 4];
    device_check(database, &scan, &from->test, length, &from->expected, NULL);
}

/* The layout of scans for matches, or of those that write states if the kernel has no other form.
 * All zeros if these are refused too. */
static trawl_cuda_layout layout_of(const device_database *database, const device_scan *scan) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    trawl_error error = {.message = ""};
    options.study = &study;
    options.form = scan->form;
    options.kernel = scan->kernel;
    study.block_threads = scan->block_threads;
    study.block_bytes = scan->block_bytes;
    if (trawl_study_cuda_layout(database->uploaded, &options, 0, &layout, &error) != TRAWL_OK) {
        options.form = TRAWL_CUDA_STATES;
        (void)trawl_study_cuda_layout(database->uploaded, &options, 0, &layout, &error);
    }
    return layout;
}

/* ------------------------------------------------------------------ lengths and alignments */

static bool is_near(uint64_t length, uint64_t multiple) {
    return multiple && (length % multiple <= 1 || length % multiple == multiple - 1);
}

static void lengths_of(device_database databases[2], const fixture fixtures[2],
                       const char *kernel) {
    device_scan scan = {.kernel = kernel};
    trawl_cuda_layout layout = layout_of(&databases[0], &scan);
    size_t stride = 4096 / (device_cases(600, 60) + 1) + 1;
    for (uint64_t length = 0; length <= 4096; length++) {
        if (length % stride != 0 && (device_cases_are_limited() || length > 4096 / stride ||
                                     !is_near(length, layout.thread_bytes)))
            continue;
        scan.alignment = (uint32_t)(length * 7 % 32);
        scan.place = device_is_emulated() ? PLACE_EXACT : PLACE_BETWEEN;
        check_two_forms(databases, fixtures, scan, length);
    }
}

static void every_length(void **state) {
    (void)state;
    for_every_kernel(dense, VARIANTS_SOME, lengths_of);
}

/* All alignments, with lengths at the edges of the kernel's own parts and blocks. */
static void alignments_of(device_database databases[2], const fixture fixtures[2],
                          const char *kernel) {
    device_scan scan = {.kernel = kernel};
    trawl_cuda_layout layout = layout_of(&databases[0], &scan);
    uint64_t part = layout.thread_bytes, block = part * layout.block_threads;
    uint64_t lengths[] = {
        1, 15, 33, part - 1, part + 1, 3 * part, block - 3, block + 1, 2 * block + part + 5};
    size_t count = sizeof(lengths) / sizeof(lengths[0]);
    uint32_t step = device_cases_are_limited() ? 11 : device_is_emulated() ? 7 : 3;
    for (size_t i = 0; i < count; i++)
        for (uint32_t alignment = 0; alignment < 32; alignment += step) {
            scan.alignment = alignment;
            if (lengths[i] <= fixtures[0].test.length)
                check_two_forms(databases, fixtures, scan, lengths[i]);
        }
}

static void every_alignment(void **state) {
    (void)state;
    for_every_kernel(sparse, VARIANTS_SOME, alignments_of);
}

/* ------------------------------------------------------------------ owned parts */

static void owned_parts_of(device_database databases[2], const fixture fixtures[2],
                           const char *kernel) {
    device_scan scan = {.kernel = kernel};
    trawl_cuda_layout layout = layout_of(&databases[0], &scan);
    uint64_t length = 1500;
    uint64_t step = device_is_emulated() || device_cases_are_limited() ? 97 : 7;
    for (uint64_t owned = 0; owned <= length; owned += owned < 20 ? 1 + step / 19 : step) {
        uint64_t behind = owned + layout.thread_bytes; /* both ends at an edge now and then */
        scan.owned = owned;
        scan.base = owned * UINT64_C(0x123456789);
        scan.alignment = (uint32_t)(owned * 5 % 32);
        check_two_forms(databases, fixtures, scan,
                        owned % 3 == 0 && behind < length ? behind : length);
    }
}

static void every_owned_part(void **state) {
    (void)state;
    for_every_kernel(dense, VARIANTS_SOME, owned_parts_of);
}

/* ------------------------------------------------------------------ shapes of blocks */

/* Small blocks, so that a short text has many boundaries of each kind. */
static const struct {
    uint32_t threads, bytes;
} shapes[] = {{32, 0},         {64, 0},       {128, 0},      {256, 0},      {1024, 0},
              {32, 32 * 16},   {32, 32 * 20}, {32, 32 * 48}, {64, 64 * 36}, {96, 96 * 16},
              {128, 128 * 64}, {0, 4096},     {0, 16384},    {64, 14592}};

static void shapes_of(device_database databases[2], const fixture fixtures[2], const char *kernel) {
    size_t accepted = 0;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        device_scan scan = {
            .kernel = kernel, .block_threads = shapes[i].threads, .block_bytes = shapes[i].bytes};
        trawl_cuda_layout layout = layout_of(&databases[0], &scan);
        /* every_alignment tests all alignments; here some are enough. */
        uint32_t step = device_is_emulated() || device_cases_are_limited() ? 13 : 5;
        for (uint32_t alignment = 0; alignment < 32; alignment += step) {
            scan.alignment = alignment;
            check_two_forms(databases, fixtures, scan, fixtures[0].test.length - alignment % 5);
        }
        if (layout.block_threads == 0)
            continue;
        accepted++;
        /* A chosen shape is used exactly, or refused. */
        if (shapes[i].threads)
            assert_int_equal(layout.block_threads, shapes[i].threads);
        if (shapes[i].bytes)
            assert_int_equal((uint64_t)layout.block_threads * layout.thread_bytes, shapes[i].bytes);
    }
    device_scan plain = {.kernel = kernel};
    if (layout_of(&databases[0], &plain).block_threads && !accepted)
        fail_msg("%s/%s, kernel %s takes no shape at all", databases[0].which.engine,
                 databases[0].which.variant, kernel);
}

static void shapes_of_blocks(void **state) {
    (void)state;
    for_every_kernel(dense, device_cases_are_limited() ? VARIANTS_SOME : VARIANTS_ALL, shapes_of);
}

/* ------------------------------------------------------------------ blocks of several tiles */

/* More tiles of the smallest blocks than run at the same time, so that blocks take several. */
static void make_many_tiles(fixture *made) {
    size_t length = device_is_emulated() ? 160000 : 6000000;
    uint8_t *bytes = malloc(length);
    random_source random = random_for_case(3, length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)('a' + random_below(&random, 7));
    memset(made, 0, sizeof(*made));
    for (size_t i = 0; i < 12; i++)
        test_case_add_pattern(&made->test, bytes + length / 13 * i, 5 + i, 0);
    test_case_append_text(&made->test, bytes, length);
    free(bytes);
    expectation_make(&made->expected, &made->test);
}

static void many_tiles_of(device_database databases[2], const fixture fixtures[2],
                          const char *kernel) {
    static const trawl_cuda_form forms[] = {TRAWL_CUDA_COUNT, TRAWL_CUDA_MATCHES};
    for (size_t i = 0; i < 2; i++) {
        device_scan scan = {
            .kernel = kernel, .form = forms[i], .block_threads = 32, .block_bytes = 512};
        device_check(&databases[0], &scan, &fixtures[0].test, fixtures[0].test.length,
                     &fixtures[0].expected, NULL);
    }
}

static void many_tiles(void **state) {
    (void)state;
    static fixture fixtures[2];
    make_many_tiles(&fixtures[0]);
    make_fixture(&fixtures[1], true, longest_dense(), 4);
    for_every_kernel(fixtures, VARIANTS_SOME, many_tiles_of);
    free_fixture(&fixtures[0]);
    free_fixture(&fixtures[1]);
}

/* ------------------------------------------------------------------ long patterns */

/* Patterns cut out of one string without structure, and of runs; a text with all of it, twice. */
static void make_long(fixture *made, size_t longest) {
    uint8_t *bytes = malloc(longest);
    random_source random = random_for_case(2, longest);
    for (size_t i = 0; i < longest; i++)
        bytes[i] = (uint8_t)('a' + random_below(&random, 4));
    memset(made, 0, sizeof(*made));
    test_case_add_pattern(&made->test, bytes, longest, 0);
    test_case_add_pattern(&made->test, bytes + longest / 7, longest / 3, 0);
    test_case_add_pattern(&made->test, bytes + longest - 300, 300, 0);
    test_case_add_pattern(&made->test, bytes, 9, 0);
    test_case_append_text(&made->test, bytes, longest / 2);
    test_case_append_text(&made->test, bytes, longest);
    test_case_append_text(&made->test, "zzzzz", 5);
    test_case_append_text(&made->test, bytes + longest / 9, longest / 2);
    memset(bytes, 'z', longest);
    test_case_add_pattern(&made->test, bytes, longest / 5, 0);
    test_case_append_text(&made->test, bytes, longest / 4);
    free(bytes);
    expectation_make(&made->expected, &made->test);
}

static void long_patterns_of(device_database databases[2], const fixture fixtures[2],
                             const char *kernel) {
    /* The first set with the kernel's own blocks, the second with small ones. On a device patterns
     * of the greatest length take long, and forms go by turns. */
    static int turn;
    bool in_turn = !device_is_emulated();
    for (uint32_t i = 0; i < (in_turn ? 4 : 2); i++)
        for (int form = in_turn ? turn++ % FORMS : 0; form < FORMS; form += in_turn ? FORMS : 1) {
            device_scan scan = {.kernel = kernel,
                                .form = (trawl_cuda_form)form,
                                .block_threads = i % 2 ? 32 : 0,
                                .block_bytes = i % 2 ? 512 : 0,
                                .alignment = 3 * i};
            const fixture *from = &fixtures[i % 2];
            device_check(&databases[i % 2], &scan, &from->test, from->test.length, &from->expected,
                         NULL);
        }
}

static void check_long_patterns(size_t longest, size_t shorter, variants wanted) {
    static fixture fixtures[2];
    make_long(&fixtures[0], longest);
    make_long(&fixtures[1], shorter);
    for_every_kernel(fixtures, wanted, long_patterns_of);
    free_fixture(&fixtures[0]);
    free_fixture(&fixtures[1]);
}

static void long_patterns(void **state) {
    (void)state;
    if (device_is_emulated()) {
        size_t longest = device_cases_are_limited() ? 700 : 1500;
        check_long_patterns(longest, 700, VARIANTS_WITH_FAILURE_WALK);
        check_long_patterns(400, 310, VARIANTS_DIVERGENCE_FREE);
    } else {
        check_long_patterns(TRAWL_PATTERN_MAX_LENGTH, 20000, VARIANTS_WITH_FAILURE_WALK);
        check_long_patterns(1500, 700, VARIANTS_DIVERGENCE_FREE);
    }
}

int main(void) {
    if (!device_tests_begin("tiles_test"))
        return TEST_SKIPPED;
    for (int i = 0; i < 2; i++) {
        make_fixture(&dense[i], i != 0, longest_dense(), 4);
        make_fixture(&sparse[i], i != 0, longest_sparse(), 200);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_length, device_tests_after_a_crash),
        cmocka_unit_test_teardown(every_alignment, device_tests_after_a_crash),
        cmocka_unit_test_teardown(every_owned_part, device_tests_after_a_crash),
        cmocka_unit_test_teardown(shapes_of_blocks, device_tests_after_a_crash),
        cmocka_unit_test_teardown(many_tiles, device_tests_after_a_crash),
        cmocka_unit_test_teardown(long_patterns, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        free_fixture(&dense[i]);
        free_fixture(&sparse[i]);
    }
    device_tests_end();
    return failed;
}
