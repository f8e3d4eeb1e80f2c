/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner's choices for a GPU. No GPU is needed: plans are made by plain C. */
#include "planned_sets.h"

static trawl_study_plan plan_of(const trawl_db *db) {
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    return plan;
}

static trawl_db *planned_for(const char *device, const trawl_patterns *patterns, const char *text,
                             size_t length, const trawl_device_costs *costs) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_db *db = NULL;
    options.device = device;
    options.study = &study;
    study.device_costs = costs;
    options.sample = text;
    options.sample_length = length;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    return db;
}

/* The engine that is chosen for a GPU, and the kernel that its reason begins with. */
static void assert_choice(const trawl_patterns *patterns, const char *text, size_t length,
                          const char *engine, const char *reason) {
    trawl_db *db = planned_for("cuda", patterns, text, length, NULL);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, engine);
    assert_ptr_equal(strstr(information.reason, reason), information.reason);
    trawl_study_plan plan = plan_of(db);
    assert_true(plan.planned && plan.for_cuda);
    assert_int_equal(plan.sample_bytes, length);
    assert_true(plan.gb_per_second > 1 && plan.gb_per_second < 10000);
    assert_int_equal(plan.device_filters != 0,
                     strstr(information.reason, "kernel filter") == information.reason);
    trawl_db_free(db);
}

/* `count` different strings of these letters, of `length` bytes. */
static trawl_patterns *of_letters(const char *letters, unsigned count, size_t length) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 0; i < count; i++) {
        char bytes[400];
        unsigned rest = i * 2654435761u;
        for (size_t j = 0; j < length; j++, rest /= (unsigned)strlen(letters))
            bytes[j] = letters[rest % strlen(letters)];
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
    }
    return patterns;
}

static void a_gpu_gets_the_kernel_that_the_text_calls_for(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    trawl_patterns *words = numbered(300, 8), *letters = of_letters("acgt", 500, 8);
    trawl_patterns *pair = of_letters("ab", 3, 2);
    char *rare = text_of(NULL, SAMPLE), *genome = text_of(letters, SAMPLE);
    char *dense = text_of(pair, SAMPLE);
    assert_choice(words, rare, SAMPLE, "qgram", "kernel filter");
    assert_choice(letters, genome, SAMPLE, "qgram", "kernel packed");
    assert_choice(letters, rare, SAMPLE, "qgram", "kernel filter");
    /* Each of 4,096 strings some ten times: more matches at a position than planes have bits for.
     */
    trawl_patterns *repeated = of_letters("acgt", 40000, 6);
    char *repeats = text_of(repeated, SAMPLE);
    assert_choice(repeated, repeats, SAMPLE, "ac-dfa", "kernel hot");
    free(repeats);
    trawl_patterns_free(repeated);
    /* A few states, all of them in shared memory, against a table of pairs and its candidates. */
    assert_int_equal(trawl_patterns_add(pair, "abc", 3, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(pair, "bcde", 4, 0, &error), TRAWL_OK);
    assert_choice(pair, dense, SAMPLE, "ac-dfa", "kernel hot");
    assert_choice(words, NULL, 0, "qgram", "kernel ");
    free(rare);
    free(genome);
    free(dense);
    trawl_patterns_free(words);
    trawl_patterns_free(letters);
    trawl_patterns_free(pair);
}

/* The plan lists all engines, each with the size of its tables, and the parts of the chosen one. */
static void a_plan_for_a_gpu_explains_itself(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(2000, 9);
    char *text = text_of(NULL, 65536);
    trawl_db *db = planned_for("cuda:3", patterns, text, 65536, NULL);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    assert_non_null(strstr(information.reason, "GB/s expected"));
    assert_non_null(strstr(information.reason, "shared memory"));
    assert_non_null(strstr(information.reason, "ac-dfa, kernel hot: "));
    assert_non_null(strstr(information.reason, "qgram, kernel packed: "));
    trawl_study_plan plan = plan_of(db);
    assert_true(plan.planned);
    assert_int_equal(plan.engines, 2);
    for (size_t i = 0; i < plan.engines; i++) {
        trawl_study_engine engine = plan.engine[i];
        assert_true(engine.gb_per_second > 0 && engine.shared_bytes > 0);
        assert_true(engine.shared_bytes <= 232448 && engine.shared_bytes <= engine.table_bytes);
        assert_true(strlen(engine.kernel) > 0);
    }
    assert_true(plan.device_filters >= 1);
    for (size_t i = 0; i < plan.device_filters; i++) {
        trawl_study_filter filter = plan.device_filter[i];
        assert_string_equal(filter.kind, "shared");
        assert_true(filter.min_length <= 9 && filter.max_length >= 9);
        assert_true(filter.stride >= 1 && filter.gram >= 1 && filter.table_bytes > 0);
    }
    assert_true(plan.filters >= 1); /* the CPU's are there as well */
    trawl_db_free(db);
    free(text);
    trawl_patterns_free(patterns);
}

/* Short patterns and the beginnings of longer ones are frequent in the text, so neither filters nor
 * one automaton suit all patterns: an automaton takes the short ones, and is listed as one of the
 * filters. */
static void a_gpu_gets_an_automaton_beside_filters(void **state) {
    (void)state;
    enum { SAMPLE = 1 << 18 };
    static const char letters[] = "0123456789klmnopqrstuvwxyz";
    trawl_patterns *patterns = of_letters(letters, 20000, 9), *pair = of_letters("ab", 8, 3);
    char *text = text_of(pair, SAMPLE);
    for (unsigned i = 0; i < SAMPLE; i++)
        if (i % 8 < 4)
            text[i] = letters[(i * 2654435761u >> 8) % (sizeof letters - 1)];
    for (unsigned i = 0; i < 8; i++) {
        const char bytes[] = {"ab"[i % 2], "ab"[i / 2 % 2], "ab"[i / 4]};
        assert_int_equal(trawl_patterns_add(patterns, bytes, 3, 0, &error), TRAWL_OK);
    }
    assert_int_equal(trawl_patterns_add(patterns, "b", 1, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "AB", 2, TRAWL_PATTERN_CASE_INSENSITIVE, &error),
                     TRAWL_OK);
    trawl_db *db = planned_for("cuda", patterns, text, SAMPLE, NULL);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "qgram");
    assert_non_null(strstr(information.reason, "an automaton takes 11 patterns"));
    trawl_study_plan plan = plan_of(db);
    assert_true(plan.planned);
    assert_int_equal(plan.device_filters, 2);
    for (size_t i = 0; i < plan.device_filters; i++) {
        trawl_study_filter filter = plan.device_filter[i];
        bool last = i + 1 == plan.device_filters;
        assert_string_equal(filter.kind, last ? "automaton" : "shared");
        assert_int_equal(filter.max_length, 9); /* the first of them is a run of one letter */
    }
    assert_true(plan.engine[0].shared_bytes > 0 && plan.engine[0].shared_bytes <= 232448);
    trawl_db_free(db);
    free(text);
    trawl_patterns_free(patterns);
    trawl_patterns_free(pair);
}

/* A database for a GPU can be saved, loaded, and used for scans on the CPU. */
static void a_database_for_a_gpu_is_a_database(void **state) {
    (void)state;
    trawl_patterns *sets[] = {numbered(500, 6), of_letters("acgt", 300, 8), of_letters("ab", 3, 2)};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char *text = text_of(sets[i], 20000);
        trawl_db *own = planned_for(NULL, sets[i], text, 20000, NULL), *loaded = NULL;
        trawl_db *gpus = planned_for("cuda", sets[i], text, 20000, NULL);
        size_t size = 0;
        const void *bytes = trawl_db_bytes(gpus, &size);
        assert_int_equal(trawl_db_load_memory(bytes, size, &loaded, &error), TRAWL_OK);
        assert_true(plan_of(loaded).planned && plan_of(loaded).for_cuda);
        assert_true(plan_of(own).planned && !plan_of(own).for_cuda);
        trawl_matches expected, found;
        assert_int_equal(trawl_collect(own, text, 20000, NULL, &expected, &error), TRAWL_OK);
        assert_int_equal(trawl_collect(loaded, text, 20000, NULL, &found, &error), TRAWL_OK);
        assert_true(found.count > 0);
        assert_int_equal(found.count, expected.count);
        assert_memory_equal(found.items, expected.items, found.count * sizeof *found.items);
        uint64_t predicted = 0;
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.device = "cuda";
        options.sample = text;
        options.sample_length = 20000;
        assert_int_equal(trawl_compile_size(sets[i], &options, &predicted, &error), TRAWL_OK);
        assert_int_equal(predicted, size);
        trawl_matches_free(&expected);
        trawl_matches_free(&found);
        trawl_db_free(own);
        trawl_db_free(gpus);
        trawl_db_free(loaded);
        trawl_patterns_free(sets[i]);
        free(text);
    }
}

static void the_callers_device_costs_decide(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(500, 8);
    char *text = text_of(NULL, 65536);
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    costs.filter = 1000;
    trawl_db *db = planned_for("cuda", patterns, text, 65536, &costs);
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "ac-dfa");
    trawl_db_free(db);
    /* A structure that ends before the member. */
    costs.size = offsetof(trawl_device_costs, filter);
    db = planned_for("cuda", patterns, text, 65536, &costs);
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "qgram");
    trawl_db_free(db);
    free(text);
    trawl_patterns_free(patterns);
}

/* Building counts where the text is short; filters are not even tried where the automaton is built
 * and the text scanned before the trials could end. */
static void building_counts_where_the_text_is_short(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    costs.filter = 100; /* filters are slow, but their tables are small */
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    study.device_costs = &costs;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.device = "cuda";
    options.study = &study;
    options.sample_length = SAMPLE;
    static const struct {
        unsigned count;
        size_t length;
        uint64_t text_bytes;
        const char *engine;
        bool tried;
    } cases[] = {{3000, 60, 0, "ac-dfa", true},
                 {3000, 60, UINT64_C(1) << 40, "ac-dfa", true},
                 {3000, 60, 1000000, "ac-dfa", false},
                 {10000, 400, 1000000, "qgram", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trawl_patterns *patterns =
            of_letters("abcdefghijklmnopqrstuvwxyz", cases[i].count, cases[i].length);
        char *text = text_of(patterns, SAMPLE);
        trawl_db *db = NULL;
        trawl_db_information information = TRAWL_DB_INFORMATION;
        options.sample = text;
        options.text_bytes = cases[i].text_bytes;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        (void)trawl_db_info(db, &information, NULL);
        assert_string_equal(information.engine, cases[i].engine);
        assert_int_equal(cases[i].tried,
                         strstr(information.reason, "kernel filter: not tried") == NULL);
        trawl_db_free(db);
        free(text);
        trawl_patterns_free(patterns);
    }
}

/* Without a GPU "auto" is the CPU; an engine by name is taken whatever the device; names that no
 * device can have are refused. */
static void devices_to_plan_for(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(100, 8);
    trawl_db *db = planned_for("cpu", patterns, NULL, 0, NULL);
    assert_true(plan_of(db).planned && !plan_of(db).for_cuda);
    trawl_db_free(db);
    trawl_device devices[16] = {TRAWL_DEVICE};
    size_t count = 0;
    assert_int_equal(trawl_devices(devices, 16, &count, &error), TRAWL_OK);
    db = planned_for("auto", patterns, NULL, 0, NULL);
    assert_true(plan_of(db).planned && plan_of(db).for_cuda == (count > 1));
    trawl_db_free(db);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.device = "cuda";
    options.engine = "wu-manber";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_false(plan_of(db).planned);
    trawl_db_free(db);
    static const char *const wrong[] = {"gpu", "", "cuda:", "cuda:x", "cpu:0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.device = wrong[i];
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "cuda:N"));
    }
    trawl_patterns_free(patterns);
}

/* A set that is too large for an automaton gets another engine, and the reason says so. */
static void a_gpus_plan_keeps_within_limits(void **state) {
    (void)state;
    trawl_patterns *pair = of_letters("ab", 3, 2);
    assert_int_equal(trawl_patterns_add(pair, "abcd", 4, 0, &error), TRAWL_OK);
    char *text = text_of(pair, 65536);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    trawl_db *db;
    size_t compiled = 0;
    costs.filter = 1000;
    options.device = "cuda";
    options.study = &study;
    study.device_costs = &costs;
    options.sample = text;
    options.sample_length = 65536;
    for (uint64_t limit = 1 << 20; limit > 100; limit /= 2) {
        options.max_table_bytes = limit;
        trawl_status status = trawl_compile(pair, &options, &db, &error);
        assert_true(status == TRAWL_OK || status == TRAWL_ERROR_LIMIT);
        if (status == TRAWL_OK) {
            trawl_db_information information = TRAWL_DB_INFORMATION;
            (void)trawl_db_info(db, &information, NULL);
            assert_true(information.table_bytes <= limit);
            trawl_db_free(db);
            compiled++;
        }
    }
    assert_true(compiled > 3);
    free(text);
    trawl_patterns_free(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_gets_the_kernel_that_the_text_calls_for),
        cmocka_unit_test(a_plan_for_a_gpu_explains_itself),
        cmocka_unit_test(a_gpu_gets_an_automaton_beside_filters),
        cmocka_unit_test(a_database_for_a_gpu_is_a_database),
        cmocka_unit_test(the_callers_device_costs_decide),
        cmocka_unit_test(building_counts_where_the_text_is_short),
        cmocka_unit_test(devices_to_plan_for),
        cmocka_unit_test(a_gpus_plan_keeps_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
