/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The worked examples of the papers, by hand: automata as the figures have them, the tables of
 * Wu-Manber for a small set, powers, prefix sums and hashes of Rabin-Karp. (Fig. 2 of Zha & Sahni
 * 2011 is in states_test.c, Algorithm 1 of Tran et al. in partition_test.c.)
 */
#include "automaton/dfa.h"
#include "automaton/nfa.h"
#include "database/outputs.h"
#include "engines/rabin_karp/steps.h"
#include "engines/wu_manber/format.h"
#include "trawl/trawl_study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_patterns *set_of(const char *const *words) {
    trawl_patterns *set;
    assert_int_equal(trawl_patterns_new(&set, NULL), TRAWL_OK);
    for (size_t i = 0; words[i]; i++)
        assert_int_equal(trawl_patterns_add(set, words[i], strlen(words[i]), 0, NULL), TRAWL_OK);
    return set;
}

static trawl_db *database_of(const char *const *words, const char *engine, const char *variant,
                             const trawl_study_compile_options *study) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.variant = variant;
    options.study = study;
    trawl_patterns *set = set_of(words);
    trawl_db *db;
    assert_int_equal(trawl_compile(set, &options, &db, NULL), TRAWL_OK);
    trawl_patterns_free(set);
    return db;
}

/* The states along a text. */
static void expect_states(const trawl_db *db, const char *text, const uint32_t *expected) {
    uint32_t states[16];
    size_t length = strlen(text);
    assert_true(length <= 16);
    assert_int_equal(trawl_study_walk_states(db, 0, text, length, states, NULL), TRAWL_OK);
    for (size_t i = 0; i < length; i++)
        assert_int_equal(states[i], expected[i]);
}

/* The patterns of a state, as a string of their digits. */
static void expect_outputs(const trawl_db *db, uint32_t state, const char *expected) {
    uint32_t ids[8];
    size_t count;
    assert_int_equal(trawl_study_state_patterns(db, 0, state, ids, 8, &count, NULL), TRAWL_OK);
    assert_int_equal(count, strlen(expected));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ids[i], (uint32_t)(expected[i] - '0'));
}

/* ------------------------------------------------------------------ automata */

/* A trie, and how its states are named. */
typedef struct figure {
    trawl_patterns *set;
    trawl_keys keys;
    trawl_classes classes;
    trawl_trie trie;
} figure;

static figure figure_of(const char *const *words) {
    figure made = {.set = set_of(words)};
    assert_int_equal(trawl_keys_make(made.set, NULL, 0, &made.keys, NULL), TRAWL_OK);
    trawl_classes_make(&made.keys, &made.classes);
    assert_int_equal(trawl_trie_make(&made.keys, &made.classes, &made.trie, NULL), TRAWL_OK);
    return made;
}

static void figure_release(figure *made) {
    trawl_trie_release(&made->trie);
    trawl_keys_release(&made->keys);
    trawl_patterns_free(made->set);
}

/* The state that a word leads to. */
static uint32_t state_of(const figure *made, const char *word) {
    uint32_t state = 0;
    for (; *word; word++) {
        state = trawl_trie_goto(&made->trie, state, made->classes.class_of[(uint8_t)*word]);
        assert_int_not_equal(state, 0);
    }
    return state;
}

static void expect_failure(const figure *made, const char *word, const char *suffix) {
    assert_int_equal(made->trie.failure[state_of(made, word)], state_of(made, suffix));
}

/* Kouzinopoulos et al. 2015, Fig. 1: AAC, AGT, GTA. Supply(4) = 6 and Supply(5) = 7 are those of AG
 * and AGT: G and GT. */
static void kouzinopoulos_automaton(void **state) {
    (void)state;
    static const char *const words[] = {"AAC", "AGT", "GTA", NULL};
    figure made = figure_of(words);
    assert_int_equal(made.trie.states, 9);
    expect_failure(&made, "A", "");
    expect_failure(&made, "AA", "A");
    expect_failure(&made, "AAC", "");
    expect_failure(&made, "AG", "G");
    expect_failure(&made, "AGT", "GT");
    expect_failure(&made, "G", "");
    expect_failure(&made, "GT", "");
    expect_failure(&made, "GTA", "A");
    figure_release(&made);
}

/* Charan 2015, Figs. 2.1 and 4.1: he, hers, his, she, with the figure's numbers. */
static void charan_automaton(void **state) {
    (void)state;
    static const char *const words[] = {"he", "hers", "his", "she", NULL};
    static const char *const names[] = {"",   "h",   "s",   "he",  "hi",
                                        "sh", "her", "his", "she", "hers"};
    static const uint32_t failures[] = {0, 0, 0, 0, 0, 1, 0, 2, 3, 2};
    static const char *const outputs[] = {"", "", "", "0", "", "", "", "2", "30", "1"};
    figure made = figure_of(words);
    assert_int_equal(made.trie.states, 10);
    for (uint32_t number = 0; number < 10; number++) {
        assert_int_equal(state_of(&made, names[number]), number);
        assert_int_equal(made.trie.failure[number], failures[number]);
    }
    figure_release(&made);
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++)
        for (size_t v = 0; strcmp(engine.name, "ac-nfa") == 0 && engine.variants[v]; v++) {
            trawl_db *db = database_of(words, engine.name, engine.variants[v], NULL);
            for (uint32_t number = 0; number < 10; number++)
                expect_outputs(db, number, outputs[number]);
            trawl_db_free(db);
        }
}

/* Charan 2015, 4.2: from state 6 "her" over h the failures are followed up to the root, which has a
 * child by it: all forms of the step lead to state 1. */
static void charan_steps(void **state) {
    (void)state;
    static const char *const words[] = {"he", "hers", "his", "she", NULL};
    static const uint32_t expected[] = {1, 3, 6, 1, 4, 7, 5, 8, 6, 9, 0, 0};
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++)
        for (size_t v = 0; strcmp(engine.name, "ac-nfa") == 0 && engine.variants[v]; v++) {
            trawl_db *db = database_of(words, engine.name, engine.variants[v], NULL);
            expect_states(db, "herhisherszz", expected);
            trawl_db_free(db);
        }
}

/* Tran et al., Figs. 3 and 4: he, she, his, hers on "ushers". The paper's states 3, 4, 5, 8, 9 are
 * here 2 (s), 5 (sh), 8 (she), 6 (her), 9 (hers): numbers go level by level. */
static void tran_automaton(void **state) {
    (void)state;
    static const char *const words[] = {"he", "she", "his", "hers", NULL};
    static const uint32_t expected[] = {0, 2, 5, 8, 6, 9};
    trawl_db *db = database_of(words, "ac-dfa", "stt", NULL);
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    assert_int_equal(trawl_study_db_automaton(db, 0, &automaton, NULL), TRAWL_OK);
    assert_int_equal(automaton.states, 10);
    assert_int_equal(automaton.next_bytes, 10 * 257 * 4); /* Fig. 5: 256 columns, and the outputs */
    expect_states(db, "ushers", expected);
    expect_outputs(db, 8, "10");
    expect_outputs(db, 9, "3");
    trawl_db_free(db);
}

/* ------------------------------------------------------------------ Wu-Manber */

/* Kouzinopoulos et al. 2015, Algorithm 4, for ACGT, GTAC, TACGG: m = 4, B = 3, B' = 2, and h1 and
 * h2 shift by two bits and add: h1(ACG) = 16 * 65 + 4 * 67 + 71. */
static void wu_manber_tables(void **state) {
    (void)state;
    static const char *const words[] = {"ACGT", "GTAC", "TACGG", NULL};
    enum { ACG = 1379, CGT = 1440, GTA = 1537, TAC = 1671, ENTRIES = 256 * (1 + 4 + 16) };
    trawl_db *db = database_of(words, "wu-manber", "paper", NULL);
    const trawl_wu_manber_header *header =
        trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HEADER, 0, NULL);
    assert_int_equal(header->window, 4);
    assert_int_equal(header->block, 3);
    assert_int_equal(header->prefix, 2);
    assert_int_equal(header->entries, ENTRIES);
    const uint32_t *shift = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_SHIFT, 0, NULL);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HASH, 0, NULL);
    const uint16_t *prefix = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_PREFIX, 0, NULL);
    const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_IDS, 0, NULL);
    for (uint32_t hash = 0; hash < ENTRIES; hash++) {
        bool last = hash == ACG || hash == CGT || hash == TAC; /* the window ends so */
        assert_int_equal(shift[hash], last ? 0 : hash == GTA ? 1 : 2);
        assert_int_equal(heads[hash + 1] - heads[hash], last);
    }
    assert_int_equal(ids[heads[CGT]], 0);
    assert_int_equal(ids[heads[TAC]], 1);
    assert_int_equal(ids[heads[ACG]], 2);
    assert_int_equal(prefix[0], 4 * 'A' + 'C');
    assert_int_equal(prefix[1], 4 * 'G' + 'T');
    assert_int_equal(prefix[2], 4 * 'T' + 'A');
    trawl_db_free(db);
}

/* ------------------------------------------------------------------ Rabin-Karp */

/* Nunes et al. 2018, Table I: powers of 2 modulo 13, which repeat after 12. */
static void nunes_powers(void **state) {
    (void)state;
    static const uint32_t table[] = {1, 2, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7, 1};
    uint32_t power[13];
    trawl_steps_fill_powers(2, 13, power);
    assert_memory_equal(power, table, sizeof(table));
    trawl_rolling rolling = trawl_rolling_make(2, 13, 1);
    for (uint32_t i = 0; i <= 24; i++)
        assert_int_equal(trawl_rolling_power(&rolling, i), table[i % 12]);
    /* Corollary 2: 2^15 mod 13 = 2^3 mod 13 = 8. */
    assert_int_equal(trawl_rolling_power(&rolling, 15), 8);
    const trawl_steps_powers powers = {.modulus = 13, .power = power};
    for (size_t i = 0; i <= 24; i++) /* a power times its inverse */
        assert_int_equal(power[i % 12] * trawl_steps_inverse(&powers, i) % 13, 1);
}

/* IV for "abc" (97, 98, 99), d = 2, q = 13: a_0 = 4 * 97 = 388 = 11, a_1 = 2 * 98 = 196 = 1, a_2 =
 * 99 = 8. Equation 4: h(ab) = 12 * 2^-1 = 12 * 7 = 6, as 2 * 97 + 98 = 292 = 6; h(bc) = 7 - 11 = 9,
 * as 2 * 98 + 99 = 295 = 9. */
static void nunes_prefix_sums(void **state) {
    (void)state;
    static const uint32_t terms[] = {11, 1, 8}, expected[] = {11, 12, 7};
    uint32_t power[13], sums[3];
    trawl_steps_fill_powers(2, 13, power);
    const trawl_steps_powers powers = {.modulus = 13, .power = power};
    trawl_steps_fill_terms(&powers, (const uint8_t *)"abc", 3, false, sums);
    assert_memory_equal(sums, terms, sizeof(terms));
    trawl_steps_fill_terms(&powers, (const uint8_t *)"ABC", 3, true, sums);
    assert_memory_equal(sums, terms, sizeof(terms));
    trawl_steps_sum(13, sums, 3);
    assert_memory_equal(sums, expected, sizeof(expected));
    assert_int_equal(trawl_steps_window_hash(&powers, sums, 3, 0, 2), 6);
    assert_int_equal(trawl_steps_window_hash(&powers, sums, 3, 1, 2), 9);
    assert_int_equal(trawl_steps_window_hash(&powers, sums, 3, 2, 1), 99 % 13);
    assert_int_equal(trawl_steps_window_hash(&powers, sums, 3, 0, 3), 7);
}

/* Equation 2: HT lists a pattern under its hash, modulo 13: ab 6, bc 9, and ba (2 * 98 + 97 = 293 =
 * 7), ob (2 * 111 + 98 = 320 = 8), and under 6 again nb (2 * 110 + 98 = 318 = 6). */
static void nunes_table(void **state) {
    (void)state;
    static const char *const words[] = {"ab", "bc", "ba", "ob", "nb", NULL};
    static const uint32_t list[] = {0, 4, 2, 3, 1};
    static const uint32_t sizes[13] = {[6] = 2, [7] = 1, [8] = 1, [9] = 1};
    static const char *const variants[] = {"paper", "single", "steps"};
    for (size_t v = 0; v < 3; v++) {
        trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
        study.rabin_karp_base = 2;
        study.rabin_karp_modulus = 13;
        trawl_db *db = database_of(words, "rabin-karp", variants[v], &study);
        const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, 0, NULL);
        const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, 0, NULL);
        for (uint32_t hash = 0; hash < 13; hash++)
            assert_int_equal(heads[hash + 1] - heads[hash], sizes[hash]);
        assert_memory_equal(ids, list, sizeof(list));
        uint64_t total = 0;
        assert_int_equal(trawl_count(db, "abcbanbobab", 11, NULL, &total, NULL, NULL), TRAWL_OK);
        assert_int_equal(total, 7); /* ab bc ba nb ob ba ab */
        trawl_db_free(db);
    }
}

/* Tables III and IV: the times of the steps, and the matches. */
static void nunes_step_times(void **state) {
    (void)state;
    static const char *const words[] = {"ab", "bc", "ba", "ob", "nb", NULL};
    trawl_db *db = database_of(words, "rabin-karp", "steps", NULL);
    trawl_study_steps steps = TRAWL_STUDY_STEPS;
    trawl_error error;
    assert_int_equal(trawl_study_measure_steps(db, "abcbanbobab", 11, 3, &steps, &error), TRAWL_OK);
    assert_int_equal(steps.total, 7);
    assert_true(steps.hashes > 0 && steps.terms >= 0 && steps.sums >= 0 && steps.windows > 0);
    assert_int_equal(trawl_study_measure_steps(db, "", 0, 3, &steps, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_measure_steps(db, "a", 1, 0, &steps, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_measure_steps(db, "a", 1, 1, NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_db_free(db);
    db = database_of(words, "rabin-karp", "paper", NULL);
    assert_int_equal(trawl_study_measure_steps(db, "a", 1, 1, &steps, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "rabin-karp (paper)"));
    trawl_db_free(db);
}

/* What the two variants refuse, and which variant or engine their sentences name instead. */
static void nunes_refusals(void **state) {
    (void)state;
    trawl_patterns *set;
    trawl_error error;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&set, NULL), TRAWL_OK);
    for (unsigned i = 0; i < 101; i++) {
        uint8_t byte = (uint8_t)i;
        assert_int_equal(trawl_patterns_add(set, &byte, 1, 0, NULL), TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "rabin-karp";
    options.variant = "single";
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "variant paper"));
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    options.variant = "steps";
    options.study = &study;
    study.rabin_karp_base = 26;
    study.rabin_karp_modulus = 13;
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_ERROR_LIMIT);
    study.rabin_karp_base = 2;
    study.rabin_karp_modulus = 16777259;
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "16777216"));
    trawl_patterns_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kouzinopoulos_automaton),
        cmocka_unit_test(charan_automaton),
        cmocka_unit_test(charan_steps),
        cmocka_unit_test(tran_automaton),
        cmocka_unit_test(wu_manber_tables),
        cmocka_unit_test(nunes_powers),
        cmocka_unit_test(nunes_prefix_sums),
        cmocka_unit_test(nunes_table),
        cmocka_unit_test(nunes_step_times),
        cmocka_unit_test(nunes_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
