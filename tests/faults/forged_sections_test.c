/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Forged databases (forgery.h) with sections that are none of their engine, or of another size:
 * whoever looks for a section finds none that was not checked.
 */
#include "faults/forgery.h"
#include "run/fallback.h"

/* Makes a copy of the block with one section more, whose bytes are 0, and frees the block. All
 * other sections move by one unit of alignment, so that the table has room for an entry. */
static uint8_t *with_section(uint8_t *block, size_t *size, trawl_section_kind kind, uint32_t part,
                             size_t bytes) {
    const size_t unit = TRAWL_IMAGE_ALIGNMENT, table = sizeof(trawl_image_header);
    size_t place = (*size + 2 * unit - 1) / unit * unit, grown = place + bytes;
    uint8_t *copy = calloc(grown, 1);
    assert_non_null(copy);
    trawl_image_header *header = (trawl_image_header *)copy;
    memcpy(copy, block, table);
    trawl_section *sections = (trawl_section *)(header + 1);
    uint32_t count = header->section_count++;
    size_t begin = table + count * sizeof *sections, first = (begin + unit - 1) / unit * unit;
    memcpy(sections, block + table, begin - table);
    memcpy(copy + first + unit, block + first, *size - first);
    for (uint32_t i = 0; i < count; i++)
        sections[i].offset += unit;
    sections[count] = (trawl_section){(uint32_t)kind, part, place, bytes};
    header->size = grown;
    free(block);
    *size = grown;
    return copy;
}

static trawl_status load(uint8_t *block, size_t size, trawl_db **db) {
    ((trawl_image_header *)block)->checksum = trawl_block_checksum(block, size);
    return trawl_db_load_memory(block, size, db, &error);
}

/* One more section that all databases may have does no harm: what these tests refuse is not refused
 * for the way in which it was made. */
static void a_section_that_nobody_reads(void **state) {
    (void)state;
    size_t size;
    trawl_db *db;
    uint8_t *block = compiled("ac-dfa", NULL, &size);
    block = with_section(block, &size, (trawl_section_kind)27, 0, 8); /* no kind has the number */
    assert_int_equal(load(block, size, &db), TRAWL_OK);
    trawl_db_free(db);
    free(block);
}

/* More parts, or fewer, than the engine's tables have. */
static void parts_that_are_not_there(void **state) {
    (void)state;
    static const char *const forged[][2] = {
        {"ac-dfa", NULL},    {"ac-nfa", NULL},        {"ac-split", NULL},
        {"wu-manber", NULL}, {"wu-manber", "paper"},  {"rabin-karp", NULL},
        {"qgram", NULL},     {"rabin-karp", "paper"}, {"rabin-karp", "steps"},
    };
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        for (int change = -1; change <= 1; change += 2) {
            size_t size;
            uint8_t *block = compiled(forged[i][0], forged[i][1], &size);
            trawl_image_header *header = (trawl_image_header *)block;
            header->parts = (uint32_t)((int)header->parts + change);
            assert_refused(block, size);
        }
    }
}

/* A further part with tables of its own that no engine has checked. */
static void tables_of_a_further_part(void **state) {
    (void)state;
    static const trawl_section_kind kinds[] = {TRAWL_SECTION_KEY_LENGTH, TRAWL_SECTION_KEY_IDS,
                                               TRAWL_SECTION_DFA_HEADER, TRAWL_SECTION_NFA_HEADER};
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t e = 0; trawl_engine_describe(e, &engine); e++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            for (int declared = 0; declared < 2; declared++) {
                size_t size;
                uint8_t *block = compiled(engine.name, NULL, &size);
                uint32_t parts = ((trawl_image_header *)block)->parts;
                block = with_section(block, &size, kinds[k], parts, 256);
                ((trawl_image_header *)block)->parts += (uint32_t)declared;
                assert_refused(block, size);
            }
        }
    }
}

/* Tables of another engine in the only part. */
static void tables_of_another_engine(void **state) {
    (void)state;
    static const struct {
        const char *engine, *variant;
        trawl_section_kind kind;
    } forged[] = {
        {"ac-dfa", NULL, TRAWL_SECTION_NFA_HEADER},
        {"ac-nfa", NULL, TRAWL_SECTION_DFA_HEADER},
        {"qgram", NULL, TRAWL_SECTION_DFA_HEADER},
        {"qgram", NULL, TRAWL_SECTION_RABIN_KARP_FILTER},
        {"wu-manber", "paper", TRAWL_SECTION_KEY_LENGTH},
        {"wu-manber", "paper", TRAWL_SECTION_KEY_TOTAL},
        {"rabin-karp", "paper", TRAWL_SECTION_KEY_LENGTH},
        {"rabin-karp", "steps", TRAWL_SECTION_KEY_GATE},
    };
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        size_t size;
        uint8_t *block = compiled(forged[i].engine, forged[i].variant, &size);
        block = with_section(block, &size, forged[i].kind, 0, 256);
        assert_refused(block, size);
    }
}

/* A plan of another size than its record has: guards and reports do without it. */
static void plans_of_another_size(void **state) {
    (void)state;
    static const trawl_section_kind kinds[] = {TRAWL_SECTION_PLAN, TRAWL_SECTION_DEVICE_PLAN};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t bytes = 0; bytes <= 8; bytes += 8) {
            size_t size;
            trawl_db *db;
            uint8_t *block = compiled(NULL, NULL, &size);
            trawl_section *plan = nth_section(block, TRAWL_SECTION_PLAN, 0);
            assert_non_null(plan);
            plan->kind = (uint32_t)kinds[k];
            plan->size = bytes;
            assert_int_equal(load(block, size, &db), TRAWL_OK);
            trawl_walker walker = {.db = db};
            trawl_fallback_offer(&walker);
            assert_true(walker.fallback_step == 0 && walker.fallback_build == 0);
            trawl_study_plan known = TRAWL_STUDY_PLAN;
            assert_int_equal(trawl_study_db_plan(db, &known, &error), TRAWL_OK);
            assert_false(known.planned);
            char *text = NULL;
            assert_int_equal(trawl_db_explain(db, &text, &error), TRAWL_OK);
            trawl_text_free(text);
            trawl_db_free(db);
            free(block);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_that_nobody_reads), cmocka_unit_test(parts_that_are_not_there),
        cmocka_unit_test(tables_of_a_further_part),    cmocka_unit_test(tables_of_another_engine),
        cmocka_unit_test(plans_of_another_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
