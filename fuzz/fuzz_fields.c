/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Databases in which a few fields were changed and the checksum was made right: by all engines,
 * kinds of filters and kinds of matches. What loads must be usable, in a time that its size bounds.
 *
 * Input: two bytes that choose a database, then changes of six bytes each (see `change`).
 */
#include "base/clock.h"
#include "combinations.h"
#include "forged_fields.h"
#include "seal.h"

#include "trawl/trawl_study.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum {
    MOST_DATABASES = 1024,
    MOST_CHANGES = 8,
    TOGETHER = 224, /* an eighth of the changes is one of several fields */
    CHANGE_BYTES = 6,
    SMALL_SECTION = 1024, /* the header of an engine, a plan */
    LARGEST = 400000,
    MATCHES_ENOUGH = 20000,
    MOST_SECONDS = 10 /* with sanitizers, for texts of a few hundred bytes */
};

/* ------------------------------------------------------------------ databases */

static struct {
    uint8_t *bytes;
    size_t size;
} databases[MOST_DATABASES];
static size_t database_count;

static void keep(trawl_db *db) {
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    if (size <= LARGEST && database_count < MOST_DATABASES) {
        uint8_t *copy = malloc(size);
        if (!copy)
            abort();
        memcpy(copy, bytes, size);
        databases[database_count].bytes = copy;
        databases[database_count++].size = size;
    }
    trawl_db_free(db);
}

static void compile_all(const test_case *test) {
    for (size_t i = 0; i < combination_count(); i++) {
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination_failure failure;
            trawl_db *db;
            if (combination_compile(combination_at(i), test, (trawl_match_kind)kind, &db,
                                    &failure) == COMBINATION_COMPILED)
                keep(db);
        }
    }
}

/* One with a plan for a GPU. */
static void compile_for_device(const test_case *test) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_patterns *patterns;
    trawl_db *db;
    options.device = "cuda";
    if (trawl_patterns_new(&patterns, NULL) != TRAWL_OK)
        abort();
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        if (trawl_patterns_add(patterns, pattern->bytes, pattern->length, pattern->flags, NULL) !=
            TRAWL_OK)
            abort();
    }
    if (trawl_compile(patterns, &options, &db, NULL) == TRAWL_OK)
        keep(db);
    trawl_patterns_free(patterns);
}

/* `count` patterns of the letters, every `folded`-th without regard to case (0: none). */
static void add_set(size_t count, size_t shortest, size_t longest, const char *letters,
                    size_t folded) {
    random_source random = random_for_case(count, shortest);
    test_case test = {0};
    for (size_t id = 0; id < count; id++) {
        uint8_t bytes[64];
        size_t length = random_between(&random, shortest, longest);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)letters[random_below(&random, strlen(letters))];
        test_case_add_pattern(&test, bytes, length,
                              folded && id % folded == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    compile_all(&test);
    compile_for_device(&test);
    test_case_free(&test);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    add_set(6, 1, 4, "ehirs", 3);     /* nested, folded in part */
    add_set(20, 3, 9, "abcehirs", 0); /* Teddy */
    add_set(300, 5, 12, "abcdefghijklmnopqrstuvwxyz", 0);
    add_set(30, 3, 3, "acgt", 0); /* packed, direct */
    add_set(30, 12, 24, "acgt", 5);
    add_set(12, 2, 40, "ab", 0);                          /* tiers of several lengths */
    add_set(20, 30, 60, "abcdefghijklmnopqrstuvwxyz", 0); /* sparse */
    return 0;
}

/* ------------------------------------------------------------------ changes */

static void change_value(uint8_t *at, size_t width, uint8_t how, uint8_t operand) {
    uint64_t value = 0;
    memcpy(&value, at, width);
    switch (how % 8) {
    case 0:
        value = operand;
        break;
    case 1:
        value = ~(uint64_t)operand;
        break;
    case 2:
        value += 1 + operand % 4u;
        break;
    case 3:
        value -= 1 + operand % 4u;
        break;
    case 4:
        value ^= UINT64_C(1) << operand % (8 * width);
        break;
    case 5:
        value *= 2;
        break;
    case 6:
        value /= 2;
        break;
    default:
        value = UINT64_C(1) << operand % (8 * width);
    }
    memcpy(at, &value, width);
}

/* Changes fields that agree with each other: byte 1 chooses which, byte 2 a part, byte 5 their
 * value.
 */
static void change_together(uint8_t *block, size_t size, const uint8_t *input) {
    static const uint32_t shifts[] = {0xffffffff, 0xfffffff0, 0x7fffffff, 0x80000000};
    uint32_t part = input[2] % 4u, value = input[5];
    switch (input[1] % 4) {
    case 0:
        forge_anchors_reach(block, size, part, value % 10);
        break;
    case 1:
        forge_sparse_reach(block, size, part, value % 20);
        break;
    case 2:
        forge_key_without_pattern(block, size, part);
        break;
    default:
        forge_shifts(block, size, value < 128 ? value : shifts[value % 4]);
    }
}

/* Changes a field: byte 0 chooses where, byte 1 a section, bytes 2 and 3 a place in it, byte 4 how,
 * byte 5 with what. */
static void change(uint8_t *block, size_t size, const uint8_t *input) {
    static const size_t widths[] = {4, 1, 8, 2};
    trawl_image_header header;
    memcpy(&header, block, sizeof header);
    if (input[0] >= TOGETHER) {
        change_together(block, size, input);
        return;
    }
    size_t begin = TRAWL_IMAGE_UNCHECKED, length = sizeof header - begin;
    size_t width = widths[input[4] / 8 % 4], place = input[2] | (size_t)input[3] << 8;
    const size_t table = header.section_count * sizeof(trawl_section);
    if (input[0] % 8 == 1 && table <= size - sizeof header) {
        begin = sizeof header;
        length = table;
    } else if (input[0] % 8 != 0 && header.section_count != 0 && table <= size - sizeof header) {
        trawl_section section;
        bool small = input[0] % 8 < 6; /* most of all, the headers of engines */
        for (uint32_t i = 0; i < header.section_count; i++) {
            uint32_t index = (input[1] + i) % header.section_count;
            memcpy(&section, block + sizeof header + index * sizeof section, sizeof section);
            if (!small || section.size <= SMALL_SECTION)
                break;
        }
        if (section.offset >= size || section.size == 0 || section.size > size - section.offset)
            return; /* changed before */
        begin = section.offset;
        length = section.size;
    }
    if (length >= width)
        change_value(block + begin + place * width % (length - width + 1), width, input[4],
                     input[5]);
}

/* ------------------------------------------------------------------ use */

static const uint8_t text[] =
    "ushers USHERS \0\xff\0\xff\0 his abcabcabcabcabcabcabcabcabc SheR iiiiiiii rrrsss"
    "acgtacgtacgtacgtacgtacg AACCggttaaccggttaaccgca tactacacg abababababababababababababab"
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaaa";

static int enough(const trawl_match *match, void *context) {
    size_t *count = context;
    (void)match;
    return ++*count >= MATCHES_ENOUGH;
}

/* Texts about as long as the shortest match, each alone in its memory, and a stream that gets one
 * byte at a time. */
static void use_short_texts(const trawl_db *db, size_t shortest) {
    trawl_error error;
    trawl_stream *stream;
    size_t calls = 0;
    for (size_t length = shortest; length <= shortest + 8 && length < sizeof text; length++) {
        uint8_t *copy = malloc(length);
        if (!copy)
            abort();
        memcpy(copy, text, length);
        trawl_scan(db, copy, length, NULL, enough, &calls, &error);
        free(copy);
    }
    calls = 0;
    if (trawl_stream_open(db, NULL, enough, &calls, &stream, &error) == TRAWL_OK) {
        for (size_t i = 0; i <= shortest + 8 && i < sizeof text; i++)
            trawl_stream_write(stream, text + i, 1, &error);
        trawl_stream_close(stream, &error);
    }
}

static void use(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_error error;
    uint64_t total;
    size_t calls = 0, sum = 0;
    (void)trawl_db_info(db, &information, NULL);
    sum += trawl_study_db_plan(db, &plan, &error) != TRAWL_OK;
    for (size_t i = 0; i < plan.engines; i++)
        sum += strlen(plan.engine[i].engine) + strlen(plan.engine[i].kernel);
    for (size_t i = 0; i < plan.filters; i++)
        sum += strlen(plan.filter[i].kind);
    for (size_t i = 0; i < plan.device_filters; i++)
        sum += strlen(plan.device_filter[i].kind);
    char *json = NULL;
    if (trawl_db_explain(db, &json, &error) == TRAWL_OK)
        sum += strlen(json);
    trawl_text_free(json);
    uint64_t *each = calloc(information.patterns + 1, sizeof *each);
    if (!each || sum == SIZE_MAX)
        abort();
    trawl_scan(db, text, sizeof text - 1, NULL, enough, &calls, &error);
    trawl_count(db, text, sizeof text - 1, NULL, &total, each, &error);
    trawl_count(db, text, sizeof text - 1, NULL, &total, NULL, &error);
    trawl_stream *stream;
    calls = 0;
    if (trawl_stream_open(db, NULL, enough, &calls, &stream, &error) == TRAWL_OK) {
        trawl_stream_write(stream, text, 20, &error);
        trawl_stream_flush(stream, &error);
        trawl_stream_write(stream, text + 20, sizeof text - 21, &error);
        trawl_stream_close(stream, &error);
    }
    use_short_texts(db, information.min_length);
    free(each);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 + CHANGE_BYTES || database_count == 0)
        return -1;
    size_t index = (data[0] | (size_t)data[1] << 8) % database_count;
    size_t block_size = databases[index].size;
    uint8_t *block = malloc(block_size);
    if (!block)
        return -1;
    memcpy(block, databases[index].bytes, block_size);
    size_t changes = (size - 2) / CHANGE_BYTES;
    for (size_t i = 0; i < changes && i < MOST_CHANGES; i++)
        change(block, block_size, data + 2 + i * CHANGE_BYTES);
    seal_block(block, block_size);
    trawl_db *db = NULL;
    trawl_error error;
    double begin = trawl_process_seconds();
    trawl_status status = trawl_db_load_memory(block, block_size, &db, &error);
    if (status == TRAWL_OK) {
        use(db);
        trawl_db_free(db);
    } else if (db || !error.message[0] || status != error.status) {
        abort();
    }
    if (trawl_process_seconds() - begin > MOST_SECONDS) {
        fprintf(stderr, "a database of %zu bytes takes too long\n", block_size);
        abort();
    }
    free(block);
    return 0;
}
