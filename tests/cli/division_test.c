/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shards and segments of random texts: every byte of every text is in exactly one piece, in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/parts/segments.h"
#include "random.h"

enum { CASES = 5000 };

/* A run with a few texts, of which some are empty and, unless `cut`, some cannot be cut. */
static parts_run random_run(random_source *random, bool cut) {
    parts_run run = {
        .identity = {.shards = 1 + random_below(random, random_below(random, 4) == 0 ? 300 : 12),
                     .segment = 1 + random_below(random, 40)}};
    size_t count = random_below(random, 8);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "text %zu", i);
        parts_text text = {.name = name,
                           .bytes = random_below(random, 3) == 0 ? 0 : random_below(random, 100),
                           .seconds = random_bits(random),
                           .whole = !cut && random_below(random, 4) == 0};
        parts_run_add(&run, &text);
    }
    return run;
}

static uint64_t bytes_of(const segment_list *list) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += segment_bytes(list, i);
    return bytes;
}

/* Where the next piece must begin. */
typedef struct place {
    size_t text;
    uint64_t byte;
} place;

/* Goes on behind the pieces of a list, each of which must begin where the one before has ended. */
static void walk(const parts_run *run, const segment_list *list, place *next) {
    for (size_t i = 0; i < list->piece_count; i++) {
        const parts_piece *piece = &list->pieces[i];
        assert_true(piece->text < run->count);
        const parts_text *text = &run->texts[piece->text];
        assert_int_equal(piece->text, next->text);
        assert_int_equal(piece->begin, next->byte);
        assert_true(piece->end <= text->bytes);
        assert_true(piece->end > piece->begin || text->bytes == 0);
        if (text->whole)
            assert_int_equal(piece->end - piece->begin, text->bytes);
        next->byte = piece->end;
        if (piece->end == text->bytes)
            *next = (place){piece->text + 1, 0};
    }
}

/* No segment is empty, nor longer than it should be but by a text that cannot be cut. */
static void check_sizes(const parts_run *run, const segment_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        size_t count = 0;
        const parts_piece *pieces = segment_pieces(list, i, &count);
        assert_true(count > 0);
        assert_true(segment_bytes(list, i) <= run->identity.segment ||
                    run->texts[pieces[0].text].whole);
    }
}

static void every_byte_is_in_one_shard(void **state) {
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        random_source random = random_for_case(1, i);
        bool cut = i % 2 == 0;
        parts_run run = random_run(&random, cut);
        uint64_t bytes = 0;
        for (size_t t = 0; t < run.count; t++)
            bytes += run.texts[t].bytes;
        place next = {0, 0};
        uint64_t shards = run.identity.shards;
        for (uint64_t k = 1; k <= shards; k++) {
            segment_list list;
            run.identity.shard = k;
            segments_divide(&run, &list);
            walk(&run, &list, &next);
            check_sizes(&run, &list);
            if (cut)
                assert_int_equal(bytes_of(&list), bytes * k / shards - bytes * (k - 1) / shards);
            segments_release(&list);
        }
        assert_int_equal(next.text, run.count);
        parts_run_release(&run);
    }
}

static void the_papers_division(void **state) {
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        random_source random = random_for_case(2, i);
        bool cut = i % 2 == 0;
        parts_run run = random_run(&random, cut);
        run.identity.division = PARTS_PAPER;
        uint64_t bytes = 0;
        for (size_t t = 0; t < run.count; t++)
            bytes += run.texts[t].bytes;
        segment_list list;
        segments_divide(&run, &list);
        place next = {0, 0};
        walk(&run, &list, &next);
        assert_int_equal(next.text, run.count);
        uint64_t shards = run.identity.shards;
        assert_int_equal(list.count, shards);
        for (uint64_t k = 0; cut && k < shards; k++)
            assert_int_equal(segment_bytes(&list, k),
                             k + 1 < shards ? bytes / shards
                                            : bytes - (shards - 1) * (bytes / shards));
        segments_release(&list);
        parts_run_release(&run);
    }
}

/* Offsets of petabytes, and as many shards as there may be. */
static void large_numbers(void **state) {
    (void)state;
    char name[] = "text";
    parts_text text = {.name = name, .bytes = (UINT64_C(1) << 60) + 12345};
    parts_run run = {.identity = {.shards = PARTS_MOST_SHARDS, .segment = UINT64_MAX}};
    parts_run_add(&run, &text);
    uint64_t end = 0;
    for (uint64_t k = PARTS_MOST_SHARDS - 3; k <= PARTS_MOST_SHARDS; k++) {
        segment_list list;
        run.identity.shard = k;
        segments_divide(&run, &list);
        assert_int_equal(list.piece_count, 1);
        if (end != 0)
            assert_int_equal(list.pieces[0].begin, end);
        end = list.pieces[0].end;
        segments_release(&list);
    }
    assert_int_equal(end, text.bytes);
    parts_run_release(&run);
}

static void runs_are_read_as_written(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        random_source random = random_for_case(3, i);
        parts_run run = random_run(&random, false);
        run.identity.shard = 1;
        size_t length = 0;
        uint8_t *bytes = parts_run_write(&run, &length);
        parts_run read;
        assert_true(parts_run_read(&read, bytes, length, "run"));
        assert_true(parts_run_same(&read, &run, "folder", true));
        parts_run_release(&read);
        free(bytes);
        parts_run_release(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_in_one_shard),
        cmocka_unit_test(the_papers_division),
        cmocka_unit_test(large_numbers),
        cmocka_unit_test(runs_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
