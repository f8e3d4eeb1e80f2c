/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/expectation.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 0xffffffffu };

static uint8_t lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

static void *allocated(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

static uint32_t numbers_of(const test_case *test) {
    size_t bytes = 1;
    for (size_t id = 0; id < test->count; id++)
        bytes += test->patterns[id].length;
    return (uint32_t)bytes;
}

/* The number of the string text[end - length .. end); 0 if no pattern begins with it. */
static uint32_t number_of(const test_case *folded, const uint8_t *text, size_t end, size_t length) {
    uint32_t before = 0;
    for (size_t id = 0; id < folded->count; id++) {
        const trawl_pattern *pattern = &folded->patterns[id];
        if (pattern->length >= length && memcmp(pattern->bytes, text + end - length, length) == 0)
            return before + (uint32_t)length;
        before += (uint32_t)pattern->length;
    }
    return 0;
}

static void find_strings(expectation *expected, const test_case *test) {
    test_case folded;
    test_case_copy(&folded, test);
    bool fold = false; /* one insensitive pattern folds the whole automaton */
    for (size_t id = 0; id < folded.count; id++)
        fold = fold || folded.patterns[id].flags != 0;
    for (size_t id = 0; fold && id < folded.count; id++)
        for (size_t i = 0; i < folded.patterns[id].length; i++)
            ((uint8_t *)folded.patterns[id].bytes)[i] = lower(folded.patterns[id].bytes[i]);
    for (size_t i = 0; fold && i < folded.length; i++)
        folded.text[i] = lower(folded.text[i]);
    /* One byte makes the suffix longer by one at most. */
    size_t length = 0;
    for (size_t i = 0; i < folded.length; i++) {
        for (length++; length; length--) {
            expected->strings[i] = number_of(&folded, folded.text, i + 1, length);
            if (expected->strings[i])
                break;
        }
    }
    test_case_free(&folded);
}

void expectation_make(expectation *expected, const test_case *test) {
    *expected = (expectation){.numbers = numbers_of(test)};
    oracle_search(test->patterns, test->count, test->text, test->length, TRAWL_MATCH_ALL,
                  &expected->matches);
    expected->strings = allocated(test->length, sizeof(*expected->strings));
    find_strings(expected, test);
}

void expectation_free(expectation *expected) {
    match_list_free(&expected->matches);
    free(expected->strings);
    *expected = (expectation){.numbers = 0};
}

/* Index of the first match that ends behind `offset`. */
static size_t first_behind(const match_list *matches, uint64_t offset) {
    size_t low = 0, high = matches->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matches->items[middle].end > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void expectation_range(const expectation *expected, uint64_t begin, uint64_t end, size_t *first,
                       size_t *last) {
    *first = first_behind(&expected->matches, begin);
    *last = first_behind(&expected->matches, end);
}

void state_names_make(state_names *names, const test_case *test, uint64_t states) {
    *names = (state_names){.strings = numbers_of(test), .states = states};
    names->state_of = allocated(names->strings, sizeof(*names->state_of));
    names->string_of = allocated((size_t)states, sizeof(*names->string_of));
    memset(names->state_of, 0xff, names->strings * sizeof(*names->state_of));
    memset(names->string_of, 0xff, (size_t)states * sizeof(*names->string_of));
}

void state_names_free(state_names *names) {
    free(names->state_of);
    free(names->string_of);
    *names = (state_names){.states = 0};
}

bool state_names_agree(state_names *names, uint32_t state, uint32_t string) {
    if (state >= names->states)
        return false;
    if (names->state_of[string] == UNKNOWN && names->string_of[state] == UNKNOWN) {
        names->state_of[string] = state;
        names->string_of[state] = string;
    }
    return names->state_of[string] == state && names->string_of[state] == string;
}
