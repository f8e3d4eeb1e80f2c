/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Instruction sets: those that the library finds on this machine, the names that TRAWL_CPU may
 * have, and that a wrong name is an error of every scan on the CPU.
 */
#include "base/cpu.h"
#include "base/memory_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#if TRAWL_HAVE_X86
#include <immintrin.h>
#elif TRAWL_HAVE_NEON
#include <arm_neon.h>
#endif

static trawl_error error;

/* The set chosen with this value of TRAWL_CPU, NULL: without the variable; -1 for an error. */
static int choose(const char *value) {
    trawl_cpu_set set;
    if (value)
        setenv("TRAWL_CPU", value, 1);
    else
        unsetenv("TRAWL_CPU");
    return trawl_cpu_choose(&set, &error) == TRAWL_OK ? (int)set : -1;
}

static void the_best_set_is_the_default(void **state) {
    (void)state;
    int best = 0;
    for (int set = 0; set < TRAWL_CPU_SETS; set++)
        if (trawl_cpu_has((trawl_cpu_set)set))
            best = set;
    assert_int_equal(choose(NULL), best);
    assert_int_equal(choose(""), best);
    assert_true(trawl_cpu_has(TRAWL_CPU_SCALAR));
    assert_int_equal(trawl_cpu_has(TRAWL_CPU_NEON), TRAWL_HAVE_NEON);
    for (int set = 0; set < TRAWL_CPU_SETS; set++)
        if (trawl_cpu_includes((trawl_cpu_set)best, (trawl_cpu_set)set))
            assert_true(trawl_cpu_has((trawl_cpu_set)set));
    printf("best set: %s\n", trawl_cpu_set_name((trawl_cpu_set)best));
}

/* Whether `name` is one of the names of a list with commas. */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (; *list; list += strspn(list, ", ")) {
        size_t item = strcspn(list, ",");
        if (item == length && memcmp(list, name, length) == 0)
            return true;
        list += item;
    }
    return false;
}

static void a_set_is_forced_by_name(void **state) {
    (void)state;
    static const char *const names[TRAWL_CPU_SETS] = {"scalar", "avx2", "avx512", "avx512-vbmi",
                                                      "neon"};
    char list[TRAWL_CPU_LIST_BYTES];
    trawl_cpu_list_sets(list, sizeof(list));
    for (int set = 0; set < TRAWL_CPU_SETS; set++) {
        assert_string_equal(trawl_cpu_set_name((trawl_cpu_set)set), names[set]);
        assert_int_equal(is_listed(list, names[set]), trawl_cpu_has((trawl_cpu_set)set));
        if (trawl_cpu_has((trawl_cpu_set)set)) {
            assert_int_equal(choose(names[set]), set);
            continue;
        }
        char message[sizeof(error.message)];
        snprintf(message, sizeof(message),
                 "TRAWL_CPU=%s: this machine lacks these instructions; here are: %s", names[set],
                 list);
        assert_int_equal(choose(names[set]), -1);
        assert_int_equal(error.status, TRAWL_ERROR_ARGUMENT);
        assert_string_equal(error.message, message);
    }
}

static void a_set_includes_the_weaker_ones_of_its_family(void **state) {
    (void)state;
    for (int set = 0; set < TRAWL_CPU_SETS; set++) {
        assert_true(trawl_cpu_includes((trawl_cpu_set)set, (trawl_cpu_set)set));
        assert_true(trawl_cpu_includes((trawl_cpu_set)set, TRAWL_CPU_SCALAR));
    }
    assert_true(trawl_cpu_includes(TRAWL_CPU_AVX512_VBMI, TRAWL_CPU_AVX512));
    assert_true(trawl_cpu_includes(TRAWL_CPU_AVX512, TRAWL_CPU_AVX2));
    assert_false(trawl_cpu_includes(TRAWL_CPU_AVX512, TRAWL_CPU_AVX512_VBMI));
    assert_false(trawl_cpu_includes(TRAWL_CPU_SCALAR, TRAWL_CPU_AVX2));
    assert_false(trawl_cpu_includes(TRAWL_CPU_NEON, TRAWL_CPU_AVX2));
    assert_false(trawl_cpu_includes(TRAWL_CPU_AVX512_VBMI, TRAWL_CPU_NEON));
}

static void forcing_is_known(void **state) {
    (void)state;
    choose(NULL);
    assert_false(trawl_cpu_is_forced());
    choose("");
    assert_false(trawl_cpu_is_forced());
    choose("scalar");
    assert_true(trawl_cpu_is_forced());
}

static void an_unknown_set_is_an_error(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "AVX2", "avx", "avx2 ", "sse",      "scalar,avx2",
        " ",    "0",   "neon/", "avx512\n", "a_very_long_name_that_does_not_fill_the_sentence_up"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(choose(wrong[i]), -1);
        assert_int_equal(error.status, TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "no such set of instructions is known"));
        assert_non_null(strstr(error.message, "scalar"));
        assert_null(strchr(error.message, '\n'));
    }
}

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

static void every_scan_refuses_a_wrong_set(void **state) {
    (void)state;
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_matches matches;
    trawl_stream *stream;
    trawl_device device = TRAWL_DEVICE;
    size_t count;
    uint64_t found;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "he", 2, 0, &error), TRAWL_OK);
    for (size_t i = 0; i < 100; i++) {
        trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
        if (!trawl_engine_describe(i, &engine))
            break;
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = engine.name;
        choose(NULL);
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        choose("fish");
        assert_int_equal(trawl_scan(db, "hehe", 4, NULL, ignore, NULL, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_count(db, "hehe", 4, NULL, &found, NULL, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_collect(db, "hehe", 4, NULL, &matches, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_stream_open(db, NULL, ignore, NULL, &stream, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "TRAWL_CPU=fish"));
        for (int set = 0; set < TRAWL_CPU_SETS; set++)
            if (trawl_cpu_has((trawl_cpu_set)set)) {
                choose(trawl_cpu_set_name((trawl_cpu_set)set));
                assert_int_equal(trawl_count(db, "hehe", 4, NULL, &found, NULL, &error), TRAWL_OK);
                assert_int_equal(found, 2);
                assert_int_equal(trawl_devices(&device, 1, &count, &error), TRAWL_OK);
                char used[32];
                snprintf(used, sizeof(used), "; %s is used)",
                         trawl_cpu_set_name((trawl_cpu_set)set));
                assert_non_null(strstr(device.description, used));
            }
        trawl_db_free(db);
    }
    choose("fish");
    assert_int_equal(trawl_devices(&device, 1, &count, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_devices(NULL, 0, &count, &error), TRAWL_ERROR_ARGUMENT);
    trawl_patterns_free(patterns);
}

#if TRAWL_HAVE_X86
/* The flags that the operating system reports for the processor; false if it reports none. */
static bool kernel_flags(char *flags, size_t size) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file && !found && fgets(flags, (int)size, file))
        found = strncmp(flags, "flags\t", 6) == 0;
    if (file)
        fclose(file);
    if (found)
        flags[strcspn(flags, "\n")] = ' ';
    return found;
}

static void the_kernel_agrees(void **state) {
    (void)state;
    static const char *const needed[][10] = {
        [TRAWL_CPU_AVX2] = {" avx2 ", " bmi1 ", " bmi2 ", " popcnt ", NULL},
        [TRAWL_CPU_AVX512] = {" avx2 ", " bmi1 ", " bmi2 ", " popcnt ", " avx512f ", " avx512bw ",
                              " avx512vl ", " avx512dq ", NULL},
        [TRAWL_CPU_AVX512_VBMI] = {" avx2 ", " bmi1 ", " bmi2 ", " popcnt ", " avx512f ",
                                   " avx512bw ", " avx512vl ", " avx512dq ", " avx512vbmi ", NULL}};
    static char flags[16384];
    if (!kernel_flags(flags, sizeof(flags)))
        skip();
    for (int set = TRAWL_CPU_AVX2; set <= TRAWL_CPU_AVX512_VBMI; set++) {
        bool all = true;
        for (size_t i = 0; needed[set][i]; i++)
            all = all && strstr(flags, needed[set][i]);
        assert_int_equal(trawl_cpu_has((trawl_cpu_set)set), all);
    }
}

TRAWL_TARGET_AVX2 static unsigned count_avx2(const uint8_t *text, uint8_t wanted) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)wanted));
    uint64_t mask = _pdep_u64((uint32_t)_mm256_movemask_epi8(equal), 0x5555555555555555);
    unsigned count = 0;
    for (; mask; mask = _blsr_u64(mask))
        count++;
    return count;
}

TRAWL_TARGET_AVX512 static unsigned count_avx512(const uint8_t *text, uint8_t wanted) {
    __m512i bytes = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)text));
    __mmask64 equal = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)wanted));
    /* Adds 0, computed with instructions of VL and DQ. */
    __m256i quads = _mm256_maskz_mov_epi64(0xf, _mm256_setzero_si256());
    return (unsigned)__builtin_popcountll((uint32_t)equal) + _mm256_movepi64_mask(quads);
}
#endif

/* Functions with the targets' attributes compile, and run where the set is found. */
static void code_for_each_set_runs(void **state) {
    (void)state;
    static const uint8_t text[33] = "abracadabra abracadabra abracada";
    unsigned expected = 0;
    for (size_t i = 0; i < 32; i++)
        expected += text[i] == 'a';
#if TRAWL_HAVE_X86
    if (trawl_cpu_has(TRAWL_CPU_AVX2))
        assert_int_equal(count_avx2(text, 'a'), expected);
    if (trawl_cpu_has(TRAWL_CPU_AVX512))
        assert_int_equal(count_avx512(text, 'a'), expected);
#elif TRAWL_HAVE_NEON
    uint8x16_t low = vceqq_u8(vld1q_u8(text), vdupq_n_u8('a'));
    uint8x16_t high = vceqq_u8(vld1q_u8(text + 16), vdupq_n_u8('a'));
    assert_int_equal(256 - vaddvq_u8(vaddq_u8(low, high)), expected);
#endif
    assert_int_equal(expected, 14);
}

/* The memory of the machine, or less. */
static void memory_is_known(void **state) {
    (void)state;
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_in_range(trawl_memory_bytes(), 1 << 20, machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_known),
        cmocka_unit_test(the_best_set_is_the_default),
        cmocka_unit_test(a_set_is_forced_by_name),
        cmocka_unit_test(a_set_includes_the_weaker_ones_of_its_family),
        cmocka_unit_test(forcing_is_known),
        cmocka_unit_test(an_unknown_set_is_an_error),
        cmocka_unit_test(every_scan_refuses_a_wrong_set),
#if TRAWL_HAVE_X86
        cmocka_unit_test(the_kernel_agrees),
#endif
        cmocka_unit_test(code_for_each_set_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
