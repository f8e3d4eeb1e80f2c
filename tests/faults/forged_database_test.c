/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Forged databases (forgery.h) that each check of a field must refuse. */
#include "automaton/nfa.h"
#include "database/outputs.h"
#include "engines/qgram/anchors/format.h"
#include "faults/forgery.h"

/* Complete rows in a variant without them: walkers would use an entry of a failure link as a
 * state. */
static void rows_where_no_walk_expects_them(void **state) {
    (void)state;
    static const char *const variants[] = {"array", "array-divergence-free",
                                           "bitmap-divergence-free",
                                           "bitmap-counts-divergence-free"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t size;
        uint8_t *block = compiled("ac-nfa", variants[i], &size);
        trawl_nfa_header *header = section(block, TRAWL_SECTION_NFA_HEADER, 0);
        /* The section of rows has 1 + 7 entries here; 4 + 4 describe it as well. */
        assert_int_equal(header->classes, 7);
        header->classes = 4;
        header->top_span = 4;
        header->top = 1;
        uint8_t *class_of = section(block, TRAWL_SECTION_CLASSES, 0);
        memset(class_of, 0, 256);
        if (i < 2) {
            *(uint32_t *)section(block, TRAWL_SECTION_NFA_FAILURE, 0) = TRAWL_FAILURE_ROW;
        } else {
            trawl_bitmap_state *root = section(block, TRAWL_SECTION_NFA_STATES, 0);
            root->failure = TRAWL_FAILURE_ROW;
        }
        assert_refused(block, size);
    }
}

/* A header with more levels than the longest pattern has bytes: divergence-free walks would take
 * that many steps for each byte. */
static void more_levels_than_bytes_of_a_pattern(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-nfa", "array-divergence-free", &size);
    trawl_nfa_header *header = section(block, TRAWL_SECTION_NFA_HEADER, 0);
    assert_true(header->levels <= 5);
    header->levels = 6;
    assert_refused(block, size);
}

static void endless_failures(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-nfa", "array", &size);
    uint32_t *failure = section(block, TRAWL_SECTION_NFA_FAILURE, 0);
    failure[2] = (failure[2] & ~TRAWL_FAILURE_NUMBER) | 3;
    failure[3] = (failure[3] & ~TRAWL_FAILURE_NUMBER) | 2;
    assert_refused(block, size);
}

/* Failure links to states of the same depth. Such a link goes no level up, so a walk could follow
 * one for each state of a level at each byte of text. The last states are "hell" and "hers" on one
 * level, then "shell". */
static void failures_to_states_as_deep(void **state) {
    (void)state;
    static const char *const variants[] = {"compact", "packed", "array", "bitmap", "bitmap-counts"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t size;
        uint8_t *block = compiled("ac-nfa", variants[i], &size);
        const trawl_nfa_header *header = section(block, TRAWL_SECTION_NFA_HEADER, 0);
        uint32_t *stored;
        if (header->representation == TRAWL_NFA_ARRAY) {
            stored = (uint32_t *)section(block, TRAWL_SECTION_NFA_FAILURE, 0) + header->states - 1;
        } else {
            /* Both kinds of records have it behind the first child. */
            uint8_t *records = section(block, TRAWL_SECTION_NFA_STATES, 0);
            stored =
                (uint32_t *)(records + (size_t)(header->states - 1) * header->record_bytes + 4);
        }
        *stored = (*stored & TRAWL_FAILURE_MATCHING) | (header->states - 2);
        uint8_t *sound = malloc(size);
        assert_non_null(sound);
        memcpy(sound, block, size);
        ((trawl_image_header *)sound)->checksum = trawl_block_checksum(sound, size);
        trawl_db *db = NULL;
        assert_int_equal(trawl_db_load_memory(sound, size, &db, &error), TRAWL_OK);
        trawl_db_free(db);
        free(sound);
        *(uint32_t *)((uint8_t *)stored - (header->representation == TRAWL_NFA_ARRAY
                                               ? sizeof *stored
                                               : header->record_bytes)) =
            TRAWL_FAILURE_MATCHING | (header->states - 3);
        assert_refused(block, size);
    }
}

/* Links that run in a circle would be followed forever. */
static void endless_outputs(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-dfa", "classes", &size);
    uint32_t *link = section(block, TRAWL_SECTION_KEY_LINK, 0);
    link[1] = 1;
    assert_refused(block, size);
}

/* Key records that differ from the sections that they repeat: walkers read the records. */
static void records_that_lie(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    size_t with_records = 0;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        for (int field = 0; field < 4; field++) {
            size_t size;
            uint8_t *block = compiled(engine.name, NULL, &size);
            trawl_section *found = nth_section(block, TRAWL_SECTION_KEY_RECORD, 0);
            if (found == NULL) {
                free(block);
                break;
            }
            with_records += field == 0;
            trawl_key_record *record = (trawl_key_record *)(block + found->offset);
            uint32_t *fields[] = {&record->length, &record->link, &record->patterns, &record->ids};
            *fields[field] += 1;
            assert_refused(block, size);
        }
    }
    assert_true(with_records >= 6);
}

/* A database without patterns, as bytes that may be changed. */
static uint8_t *compiled_empty(const char *engine, size_t *size) {
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.matches = TRAWL_MATCH_LEFTMOST_LONGEST;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    const void *bytes = trawl_db_bytes(db, size);
    uint8_t *block = malloc(*size);
    assert_non_null(block);
    memcpy(block, bytes, *size);
    trawl_db_free(db);
    assert_int_equal(trawl_db_load_memory(block, *size, &db, &error), TRAWL_OK);
    trawl_db_free(db);
    return block;
}

/* A database without patterns has no tables, and lengths that make overlaps of no bytes. */
static void tables_without_patterns(void **state) {
    (void)state;
    static const trawl_section_kind kinds[] = {
        TRAWL_SECTION_SELECTION_KEY, TRAWL_SECTION_CONDITIONS, TRAWL_SECTION_PATTERN_GROUP,
        TRAWL_SECTION_VALUES, TRAWL_SECTION_QGRAM_HEADER};
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        size_t size;
        for (int field = 0; field < 6; field++) {
            uint8_t *block = compiled_empty(engine.name, &size);
            trawl_image_header *header = (trawl_image_header *)block;
            uint32_t *fields[] = {&header->min_length, &header->max_length,   &header->folded,
                                  &header->parts,      &header->byte_classes, &header->state_bytes};
            *fields[field] += field < 2 && i % 2 != 0 ? UINT32_MAX : 1;
            assert_refused(block, size);
        }
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            uint8_t *block = compiled_empty(engine.name, &size);
            /* The reason stands in for a section that must not be there. */
            trawl_section *names = nth_section(block, TRAWL_SECTION_PATTERN_FLAGS, 0);
            names->kind = (uint32_t)kinds[k];
            assert_refused(block, size);
        }
        uint8_t *block = compiled(engine.name, NULL, &size);
        ((trawl_image_header *)block)->pattern_count = 0;
        assert_refused(block, size);
    }
}

/* A pattern in two parts: threads that scan different parts would count it at the same time. */
static void a_pattern_in_two_parts(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-split", "in-parallel", &size);
    uint32_t *ids[2], *length[2], keys[2];
    for (uint32_t part = 0; part < 2; part++) {
        ids[part] = section(block, TRAWL_SECTION_KEY_IDS, part);
        length[part] = section(block, TRAWL_SECTION_KEY_LENGTH, part);
        keys[part] =
            (uint32_t)(nth_section(block, TRAWL_SECTION_KEY_LENGTH, part)->size / sizeof(uint32_t));
    }
    /* The parts are he, hell, hers, his and she, sell, shell. */
    bool forged = false;
    for (uint32_t i = 0; i < keys[0] && !forged; i++) {
        for (uint32_t j = 0; j < keys[1] && !forged; j++) {
            if (length[0][i] == length[1][j]) {
                ids[1][j] = ids[0][i];
                forged = true;
            }
        }
    }
    if (!forged) {
        free(block);
        fail_msg("the parts have no patterns of one length");
    }
    assert_refused(block, size);
}

/* Entries of a bucket that name bytes far from the sample: the scan reads the value of each entry,
 * whether it has a key or not. */
static void anchor_values_far_from_the_sample(void **state) {
    (void)state;
    static const struct {
        int8_t from;
        uint8_t shift;
    } far[] = {{1, 0}, {127, 0}, {-9, 0}, {-128, 0}, {0, 57}, {0, 255}};
    size_t tried = 0;
    for (size_t f = 0; f < sizeof far / sizeof *far; f++) {
        for (size_t i = 0;; i++) {
            size_t size;
            uint8_t *block = compiled("qgram", "anchors", &size);
            trawl_anchors_header *header = section(block, TRAWL_SECTION_QGRAM_BUCKETS, 0);
            trawl_anchors_entry *entry = (trawl_anchors_entry *)(header + 1) + i;
            if (i == 2 * (size_t)header->buckets + header->further) {
                free(block);
                break;
            }
            entry->from = far[f].from;
            entry->shift = far[f].shift;
            assert_refused(block, size);
            tried++;
        }
    }
    assert_true(tried >= 6 * 2);
}

/* The tables of one variant under the name of another. */
static void wu_manber_of_another_variant(void **state) {
    (void)state;
    static const char *const variants[] = {"tuned", "paper"};
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        uint8_t *block = compiled("wu-manber", variants[i], &size);
        trawl_image_header *header = (trawl_image_header *)block;
        memset(header->variant, 0, sizeof header->variant);
        memcpy(header->variant, variants[1 - i], strlen(variants[1 - i]));
        assert_refused(block, size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_where_no_walk_expects_them),
        cmocka_unit_test(more_levels_than_bytes_of_a_pattern),
        cmocka_unit_test(endless_failures),
        cmocka_unit_test(failures_to_states_as_deep),
        cmocka_unit_test(endless_outputs),
        cmocka_unit_test(records_that_lie),
        cmocka_unit_test(tables_without_patterns),
        cmocka_unit_test(a_pattern_in_two_parts),
        cmocka_unit_test(anchor_values_far_from_the_sample),
        cmocka_unit_test(wu_manber_of_another_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
