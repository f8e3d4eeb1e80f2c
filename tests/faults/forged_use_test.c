/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Forged databases (forgery.h) that need not be refused. If one is accepted, it can be used for
 * scans without undefined behaviour, whatever it finds.
 */
#include "database/outputs.h"
#include "effort.h"
#include "engines/qgram/anchors/format.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "faults/forgery.h"
#include "forged_fields.h"
#include "random.h"
#include "sanitizers.h"

/* A database as bytes that may be changed, and a text in which it finds something. */
typedef struct forgery {
    uint8_t *original, *block;
    size_t size;
    uint8_t *text;
    size_t length;
    uint32_t window[TRAWL_QGRAM_MAX_TIERS]; /* bytes of the shortest matches */
    size_t windows;
    size_t accepted, tried;
} forgery;

enum {
    FORGED_TEXT = 17000, /* more than one of qgram's blocks */
    BEHIND_WINDOW = 8    /* bytes of the longest of the short texts that are more than a window */
};

/* The windows of a database: qgram has one in each tier. */
static void note_windows(forgery *self) {
    const trawl_image_header *header = (const trawl_image_header *)self->block;
    self->window[self->windows++] = header->min_length;
    if (nth_section(self->block, TRAWL_SECTION_QGRAM_HEADER, 0)) {
        const trawl_qgram_header *tiers = section(self->block, TRAWL_SECTION_QGRAM_HEADER, 0);
        for (self->windows = 0; self->windows < tiers->tiers; self->windows++)
            self->window[self->windows] = tiers->tier[self->windows].window;
    }
}

static void forgery_open(forgery *self, trawl_patterns *patterns, const char *engine,
                         const char *variant) {
    *self = (forgery){.length = FORGED_TEXT};
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.variant = variant;
    trawl_db *db;
    trawl_status status = trawl_compile(patterns, &options, &db, &error);
    if (status != TRAWL_OK)
        fail_msg("%s: %s", engine, error.message);
    const void *bytes = trawl_db_bytes(db, &self->size);
    self->original = malloc(self->size);
    self->block = malloc(self->size);
    self->text = malloc(self->length);
    assert_true(self->original && self->block && self->text);
    memcpy(self->original, bytes, self->size);
    memcpy(self->block, bytes, self->size);
    note_windows(self);
    memset(self->text, '.', self->length);
    size_t count = trawl_patterns_count(patterns), at = 0;
    for (uint32_t id = 0; at < self->length; id = (id + 1) % (uint32_t)count) {
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_true(trawl_patterns_get(patterns, id, &pattern));
        size_t left = self->length - at;
        size_t length = pattern.length < left ? pattern.length : left;
        memcpy(self->text + at, pattern.bytes, length);
        at += length + (id % 3 == 0);
    }
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

static void forgery_close(forgery *self) {
    free(self->original);
    free(self->block);
    free(self->text);
}

static int take_batch(const trawl_match *matches, size_t count, void *context) {
    uint64_t *sum = context;
    for (size_t i = 0; i < count; i++)
        *sum += matches[i].pattern;
    return 0;
}

static int take_match(const trawl_match *match, void *context) {
    return take_batch(match, 1, context);
}

/* Scans texts about as long as one of the windows, each alone in its memory. In such texts the
 * first sample of a filter is also the last one, or beyond it. */
static void use_short_texts(const forgery *self, const trawl_db *db) {
    uint32_t window = self->window[self->tried % self->windows];
    uint64_t sum = 0, total;
    const uint8_t *from = self->text + self->tried * 31 % (FORGED_TEXT / 2);
    for (size_t length = window; length <= window + BEHIND_WINDOW; length++) {
        uint8_t *text = malloc(length);
        assert_non_null(text);
        memcpy(text, from, length);
        (void)trawl_scan_batches(db, text, length, NULL, take_batch, &sum, &error);
        (void)trawl_count(db, text, length, NULL, &total, NULL, &error);
        free(text);
    }
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, take_match, &sum, &stream, &error), TRAWL_OK);
    for (size_t i = 0; i < window + BEHIND_WINDOW; i++)
        (void)trawl_stream_write(stream, from + i, 1, &error);
    (void)trawl_stream_close(stream, &error);
}

/* Loads the changed block, and uses it unless it is refused. Then restores the original bytes. */
static bool forgery_try(forgery *self) {
    trawl_image_header *header = (trawl_image_header *)self->block;
    header->checksum = trawl_block_checksum(self->block, self->size);
    trawl_db *db;
    trawl_status status = trawl_db_load_memory(self->block, self->size, &db, &error);
    self->tried++;
    if (status == TRAWL_OK) {
        self->accepted++;
        uint64_t total, sum = 0;
        uint64_t *each = calloc(header->pattern_count, sizeof *each);
        /* Short texts are shorter than a window and its offset. */
        for (size_t length = self->length; length; length = length / 7) {
            uint8_t *text = malloc(length);
            assert_true(each && text);
            memcpy(text, self->text + (self->length - length), length);
            (void)trawl_scan_batches(db, text, length, NULL, take_batch, &sum, &error);
            (void)trawl_count(db, text, length, NULL, &total, each, &error);
            (void)trawl_count(db, text, length, NULL, &total, NULL, &error);
            free(text);
        }
        free(each);
        use_short_texts(self, db);
        trawl_db_free(db);
    } else {
        assert_int_equal(status, TRAWL_ERROR_FORMAT);
    }
    memcpy(self->block, self->original, self->size);
    return status == TRAWL_OK;
}

static void add(trawl_patterns *patterns, const void *bytes, size_t length, unsigned flags) {
    assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, &error), TRAWL_OK);
}

/* Patterns that are suffixes of each other; some of them have to be verified. */
static trawl_patterns *nested_patterns(void) {
    static const struct {
        const char *bytes;
        unsigned flags;
    } nested[] = {{"Needle", 0},
                  {"eedle", TRAWL_PATTERN_CASE_INSENSITIVE},
                  {"edle", 0},
                  {"edle", TRAWL_PATTERN_CASE_INSENSITIVE},
                  {"dle", TRAWL_PATTERN_CASE_INSENSITIVE},
                  {"in a Needle", TRAWL_PATTERN_CASE_INSENSITIVE},
                  {"le", 0},
                  {"E", TRAWL_PATTERN_CASE_INSENSITIVE},
                  {"123", 0}};
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
        add(patterns, nested[i].bytes, strlen(nested[i].bytes), nested[i].flags);
    return patterns;
}

/* Verify bits of a key that are forged. A key whose bits are 0 is reported together with all
 * shorter ones, unverified. */
static void verification_that_lies(void **state) {
    (void)state;
    static const uint8_t values[] = {0, 1, 2, 3, 4, 0x80, 0xff};
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t e = 0; trawl_engine_describe(e, &engine); e++) {
        forgery forged;
        forgery_open(&forged, nested_patterns(), engine.name, NULL);
        size_t chained = 0;
        uint32_t n = 0;
        for (; nth_section(forged.block, TRAWL_SECTION_KEY_VERIFY, n); n++) {
            const trawl_section *found = nth_section(forged.block, TRAWL_SECTION_KEY_VERIFY, n);
            uint64_t keys = found->size, place = found->offset;
            uint32_t part = found->part;
            for (uint64_t key = 0; key < keys; key++) {
                for (size_t i = 0; i < sizeof values; i++) {
                    uint8_t own = forged.original[place + key];
                    trawl_key_record *record =
                        (trawl_key_record *)section(forged.block, TRAWL_SECTION_KEY_RECORD, part) +
                        key;
                    forged.block[place + key] = values[i];
                    record->patterns &= ~TRAWL_RECORD_VERIFY;
                    if (values[i] & TRAWL_VERIFY_OWN)
                        record->patterns |= TRAWL_RECORD_VERIFY;
                    bool accepted = forgery_try(&forged);
                    if (values[i] == own)
                        assert_true(accepted);
                    if (values[i] == TRAWL_VERIFY_OWN || values[i] > 3 ||
                        (own == TRAWL_VERIFY_CHAIN && values[i] == 0))
                        assert_false(accepted);
                    chained += own == TRAWL_VERIFY_CHAIN;
                }
            }
        }
        assert_true(chained != 0 || n != 1); /* several parts may divide what is nested */
        forgery_close(&forged);
    }
}

/* ------------------------------------------------------------------ qgram */

static void add_random(trawl_patterns *patterns, random_source *source, const char *letters,
                       size_t length, unsigned flags) {
    uint8_t bytes[300];
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)letters[random_below(source, strlen(letters))];
    add(patterns, bytes, length, flags);
}

/* Sets for which the filters are of each kind. */
typedef struct qgram_set {
    const char *variant, *letters;
    size_t count, least, most;
    unsigned insensitive_in; /* of 4 */
} qgram_set;

static const qgram_set qgram_sets[] = {
    {"mixed", "abcdefghijklmnopqrstuvwxyz", 300, 1, 24, 1}, /* direct and hashed */
    {"mixed", "abcdefghijklmnopqrstuvwxyz", 200, 40, 120, 0},
    {"mixed", "abcdefgh", 2000, 5, 5, 4},
    {"teddy", "abcdefghijklmnopqrstuvwxyz", 20, 3, 30, 1},
    {"teddy", "abcdefghijklmnopqrstuvwxyz", 5, 1, 2, 0},
    {"registers", "abcdefghijklmnopqrstuvwxyz", 200, 3, 30, 1},
    {"anchors", "abcdefghijklmnopqrstuvwxyz", 300, 2, 30, 1},
    {"anchors", "ab", 300, 5, 9, 0}, /* crowded buckets */
    {"sparse", "abcdefghijklmnopqrstuvwxyz", 60, 10, 120, 1},
    {"sparse", "a", 100, 40, 160, 0},  /* crowded buckets */
    {"packed", "acgt", 20, 3, 3, 0},   /* exact, with numbers of their own */
    {"packed", "acgt", 100, 4, 9, 1},  /* pairs */
    {"packed", "acgt", 100, 20, 40, 4} /* samples */
};
enum { QGRAM_SETS = sizeof qgram_sets / sizeof *qgram_sets };

static trawl_patterns *qgram_patterns(const qgram_set *set, random_source *source) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < set->count; i++)
        add_random(patterns, source, set->letters, random_between(source, set->least, set->most),
                   random_chance(source, set->insensitive_in, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE
                                                                 : 0);
    return patterns;
}

enum { TIER_FIELDS = sizeof(trawl_qgram_tier) / sizeof(uint32_t) };

static uint32_t *tier_field(uint8_t *block, uint32_t tier, size_t field) {
    trawl_qgram_header *header = section(block, TRAWL_SECTION_QGRAM_HEADER, 0);
    return (uint32_t *)&header->tier[tier] + field;
}

static const uint32_t field_values[] = {
    0,  1,  2,  3,  4,  7,  8,  9,  15,  16,   17,    23,    24,         26,
    27, 28, 31, 32, 33, 63, 64, 65, 100, 1024, 65535, 65536, 0x7fffffff, 0xffffffff};
enum { FIELD_VALUES = sizeof field_values / sizeof *field_values };

/* Random changes of each set. */
static int rounds(void) {
    return TESTS_ARE_SLOW || effort_is_short() ? 600 : 1500;
}

static uint32_t near_value(random_source *source, uint32_t value) {
    switch (random_below(source, 4)) {
    case 0:
        return value + (uint32_t)random_between(source, 1, 3);
    case 1:
        return value - (uint32_t)random_between(source, 1, 3);
    default:
        return field_values[random_below(source, FIELD_VALUES)];
    }
}

/* Changes sizes of tables together with the numbers that name them, and several other numbers of a
 * tier at once. */
static void change_tier(forgery *forged, random_source *source, uint32_t tier) {
    for (size_t changes = random_between(source, 1, 4); changes; changes--) {
        uint32_t *field = tier_field(forged->block, tier, random_below(source, TIER_FIELDS));
        *field = near_value(source, *field);
    }
    static const struct {
        trawl_section_kind kind;
        size_t field;
        uint64_t extra, word;
    } sized[] = {
        {TRAWL_SECTION_QGRAM_SAMPLE_FILTER, offsetof(trawl_qgram_tier, row_bits) / 4, 0, 4},
        {TRAWL_SECTION_QGRAM_SUFFIX_FILTER, offsetof(trawl_qgram_tier, suffix_filter_bits) / 4, 0,
         4},
        {TRAWL_SECTION_QGRAM_TAGS, offsetof(trawl_qgram_tier, suffix_filter_bits) / 4, 0, 2},
        {TRAWL_SECTION_QGRAM_HASH, offsetof(trawl_qgram_tier, hash_bits) / 4, 1, 4},
        {TRAWL_SECTION_QGRAM_END_OFFSETS, offsetof(trawl_qgram_tier, end_offsets_bits) / 4, 0, 4},
        {TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, offsetof(trawl_qgram_tier, hash_bits) / 4, 0,
         sizeof(trawl_prefix_signature) >> TRAWL_QGRAM_SPARSE_BITS},
        {TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, offsetof(trawl_qgram_tier, hash_bits) / 4, 0,
         sizeof(trawl_long_prefix_signature) >> TRAWL_QGRAM_SPARSE_BITS},
    };
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        if (!random_chance(source, 1, 2))
            continue;
        for (uint32_t n = 0; nth_section(forged->block, sized[i].kind, n); n++) {
            trawl_section *found = nth_section(forged->block, sized[i].kind, n);
            uint32_t bits = *tier_field(forged->block, tier, sized[i].field);
            if (found->part != tier || bits > 26)
                continue;
            uint64_t size = sized[i].word * ((UINT64_C(1) << bits) + sized[i].extra);
            if (*tier_field(forged->block, tier, 0) == TRAWL_TIER_PACKED && i == 0)
                size += 64;
            if (found->offset + size <= forged->size)
                found->size = size;
        }
    }
}

static void qgram_fields_together(void **state) {
    (void)state;
    size_t accepted = 0, tried = 0;
    bool kinds[TRAWL_TIER_KINDS] = {false};
    for (size_t s = 0; s < QGRAM_SETS; s++) {
        random_source source = random_for_case(random_seed(), s);
        forgery forged;
        forgery_open(&forged, qgram_patterns(&qgram_sets[s], &source), "qgram",
                     qgram_sets[s].variant);
        const trawl_qgram_header *header = section(forged.original, TRAWL_SECTION_QGRAM_HEADER, 0);
        uint32_t tiers = header->tiers;
        assert_true(forgery_try(&forged));
        for (uint32_t tier = 0; tier < tiers; tier++) {
            kinds[header->tier[tier].kind] = true;
            for (size_t field = 0; field < TIER_FIELDS; field++)
                for (size_t i = 0; i < FIELD_VALUES; i++) {
                    *tier_field(forged.block, tier, field) = field_values[i];
                    (void)forgery_try(&forged);
                }
        }
        for (int round = 0; round < rounds(); round++) {
            change_tier(&forged, &source, (uint32_t)random_below(&source, tiers));
            (void)forgery_try(&forged);
        }
        for (uint32_t count = 0; count < 12; count++) {
            trawl_qgram_header *own = section(forged.block, TRAWL_SECTION_QGRAM_HEADER, 0);
            own->tiers = count;
            assert_true(forgery_try(&forged) == (count == tiers) || (count && count < tiers));
        }
        accepted += forged.accepted;
        tried += forged.tried;
        forgery_close(&forged);
    }
    printf("%zu of %zu forged databases were accepted and used\n", accepted, tried);
    for (size_t kind = 0; kind < TRAWL_TIER_KINDS; kind++)
        assert_true(kinds[kind]);
}

/* Changes words anywhere in the tables of each kind of filter. */
static void qgram_tables(void **state) {
    (void)state;
    static const trawl_section_kind kinds[] = {TRAWL_SECTION_QGRAM_SAMPLE_FILTER,
                                               TRAWL_SECTION_QGRAM_SUFFIX_FILTER,
                                               TRAWL_SECTION_QGRAM_HASH,
                                               TRAWL_SECTION_QGRAM_RANGES,
                                               TRAWL_SECTION_QGRAM_RUNS,
                                               TRAWL_SECTION_QGRAM_END_OFFSETS,
                                               TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES,
                                               TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES,
                                               TRAWL_SECTION_QGRAM_TAGS,
                                               TRAWL_SECTION_QGRAM_BUCKETS,
                                               TRAWL_SECTION_KEY_ENDING,
                                               TRAWL_SECTION_KEY_LINK,
                                               TRAWL_SECTION_KEY_LENGTH};
    size_t accepted = 0, tried = 0;
    for (size_t s = 0; s < QGRAM_SETS; s++) {
        random_source source = random_for_case(random_seed(), 100 + s);
        forgery forged;
        forgery_open(&forged, qgram_patterns(&qgram_sets[s], &source), "qgram",
                     qgram_sets[s].variant);
        for (int round = 0; round < rounds(); round++) {
            for (size_t changes = random_between(&source, 1, 3); changes; changes--) {
                size_t kind = random_below(&source, sizeof kinds / sizeof *kinds);
                uint32_t n = 0;
                while (nth_section(forged.block, kinds[kind], n + 1) &&
                       random_chance(&source, 1, 2))
                    n++;
                const trawl_section *found = nth_section(forged.block, kinds[kind], n);
                if (!found || found->size < 4)
                    continue;
                uint64_t words = found->size / 4;
                uint64_t most = random_chance(&source, 1, 2) && words > 64 ? 64 : words;
                uint32_t *word = (uint32_t *)(forged.block + found->offset) +
                                 random_below(&source, (size_t)most);
                *word = random_chance(&source, 1, 3) ? (uint32_t)random_bits(&source)
                                                     : near_value(&source, *word);
            }
            (void)forgery_try(&forged);
        }
        accepted += forged.accepted;
        tried += forged.tried;
        forgery_close(&forged);
    }
    printf("%zu of %zu forged databases were accepted and used\n", accepted, tried);
}

/* ------------------------------------------------------------------ fields that agree */

/* Keys that end nearer to their anchors than a sample is long: a text that ends there would have
 * its first sample behind its last byte. */
static void keys_that_end_inside_samples(void **state) {
    (void)state;
    size_t forged_tiers = 0;
    for (size_t s = 0; s < QGRAM_SETS; s++) {
        random_source source = random_for_case(random_seed(), 200 + s);
        forgery forged;
        forgery_open(&forged, qgram_patterns(&qgram_sets[s], &source), "qgram",
                     qgram_sets[s].variant);
        const trawl_qgram_header *header = section(forged.original, TRAWL_SECTION_QGRAM_HEADER, 0);
        for (uint32_t part = 0; part < header->tiers; part++) {
            uint32_t gram = header->tier[part].gram;
            for (uint32_t reach = 1; reach <= gram + 2; reach++) {
                if (!forge_anchors_reach(forged.block, forged.size, part, reach) &&
                    !forge_sparse_reach(forged.block, forged.size, part, reach))
                    continue;
                assert_true(forgery_try(&forged) == (reach >= gram));
                forged_tiers += reach == gram;
            }
        }
        forgery_close(&forged);
    }
    assert_true(forged_tiers >= 4);
}

/* An entry alone that ends inside its sample. */
static void an_entry_that_ends_inside_its_sample(void **state) {
    (void)state;
    random_source source = random_for_case(random_seed(), 300);
    const qgram_set set = {"anchors", "abcdefghijklmnopqrstuvwxyz", 300, 8, 30, 0};
    forgery forged;
    forgery_open(&forged, qgram_patterns(&set, &source), "qgram", set.variant);
    const trawl_qgram_header *header = section(forged.original, TRAWL_SECTION_QGRAM_HEADER, 0);
    trawl_anchors_header *anchors = section(forged.block, TRAWL_SECTION_QGRAM_BUCKETS, 0);
    trawl_anchors_bucket *bucket = (trawl_anchors_bucket *)(anchors + 1);
    while (bucket->entry[0].key == TRAWL_NO_KEY)
        bucket++;
    bucket->entry[0].end = (uint8_t)(header->tier[0].gram - 1);
    assert_false(forgery_try(&forged));
    forgery_close(&forged);
}

/* A key without patterns has no bytes with which it could be compared. Automata do not compare,
 * and tiers of anchors compare their keys first of all. Returns how many parts have such a key now:
 * none where the last key of each has several patterns. */
static size_t forget_patterns(forgery *forged) {
    size_t tried = 0;
    for (uint32_t part = 0; part < ((trawl_image_header *)forged->block)->parts; part++) {
        if (!forge_key_without_pattern(forged->block, forged->size, part))
            continue;
        bool compares = forged_tier(forged->block, forged->size, part, TRAWL_TIER_ANCHORS) ||
                        forged_tier(forged->block, forged->size, part, TRAWL_TIER_SPARSE);
        bool accepted = forgery_try(forged);
        assert_false(compares && accepted);
        tried++;
    }
    return tried;
}

static void keys_without_patterns(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    size_t tried = 0;
    for (size_t e = 0; trawl_engine_describe(e, &engine); e++) {
        forgery forged;
        forgery_open(&forged, nested_patterns(), engine.name, NULL);
        tried += forget_patterns(&forged);
        forgery_close(&forged);
    }
    for (size_t s = 0; s < QGRAM_SETS; s++) {
        random_source source = random_for_case(random_seed(), 400 + s);
        forgery forged;
        forgery_open(&forged, qgram_patterns(&qgram_sets[s], &source), "qgram",
                     qgram_sets[s].variant);
        tried += forget_patterns(&forged);
        forgery_close(&forged);
    }
    assert_in_range(tried, QGRAM_SETS, SIZE_MAX);
}

/* Shifts beyond the longest one that a window makes. */
static void shifts_of_any_length(void **state) {
    (void)state;
    static const uint32_t shifts[] = {0, 1, 2, 3, 4, 5, 0x7fffffff, 0xffffffff};
    static const char *const variants[] = {"paper", "tuned"};
    for (size_t v = 0; v < 2; v++) {
        forgery forged;
        trawl_patterns *patterns;
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        add(patterns, "Needle", 6, 0);
        add(patterns, "a Needle", 8, 0);
        forgery_open(&forged, patterns, "wu-manber", variants[v]);
        for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
            assert_true(forge_shifts(forged.block, forged.size, shifts[i]));
            assert_true(forgery_try(&forged) == (v == 1 || shifts[i] <= 4)); /* 6 - 3 + 1 */
        }
        forgery_close(&forged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verification_that_lies),
        cmocka_unit_test(qgram_fields_together),
        cmocka_unit_test(qgram_tables),
        cmocka_unit_test(keys_that_end_inside_samples),
        cmocka_unit_test(an_entry_that_ends_inside_its_sample),
        cmocka_unit_test(keys_without_patterns),
        cmocka_unit_test(shifts_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
