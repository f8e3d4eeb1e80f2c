/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

void match_list_add(match_list *list, uint32_t pattern, uint64_t start, uint64_t end) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->items = realloc(list->items, list->capacity * sizeof(*list->items));
        if (!list->items)
            abort();
    }
    list->items[list->count++] = (trawl_match){.start = start, .end = end, .pattern = pattern};
}

void match_list_clear(match_list *list) {
    list->count = 0;
}

void match_list_free(match_list *list) {
    free(list->items);
    *list = (match_list){0};
}

bool match_list_equal(const match_list *a, const match_list *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const trawl_match *x = &a->items[i], *y = &b->items[i];
        if (x->start != y->start || x->end != y->end || x->pattern != y->pattern)
            return false;
    }
    return true;
}

static int compare_matches(const void *a, const void *b) {
    const trawl_match *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    return 0;
}

void match_list_sort(match_list *list) {
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), compare_matches);
}

/* ASCII only, whatever the locale. */
static uint8_t lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

bool oracle_matches_at(const trawl_pattern *pattern, const uint8_t *text, size_t length,
                       size_t start) {
    if (start > length || pattern->length > length - start)
        return false;
    if (!(pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE))
        return memcmp(text + start, pattern->bytes, pattern->length) == 0;
    for (size_t i = 0; i < pattern->length; i++)
        if (lower(text[start + i]) != lower(pattern->bytes[i]))
            return false;
    return true;
}

static void search_all(const trawl_pattern *patterns, size_t count, const uint8_t *text,
                       size_t length, match_list *found) {
    for (size_t start = 0; start < length; start++)
        for (size_t id = 0; id < count; id++)
            if (oracle_matches_at(&patterns[id], text, length, start))
                match_list_add(found, (uint32_t)id, start, start + patterns[id].length);
    match_list_sort(found);
}

static void search_leftmost(const trawl_pattern *patterns, size_t count, const uint8_t *text,
                            size_t length, bool longest, match_list *found) {
    size_t start = 0;
    while (start < length) {
        size_t best = count;
        for (size_t id = 0; id < count; id++) {
            if (!oracle_matches_at(&patterns[id], text, length, start))
                continue;
            if (best == count || (longest && patterns[id].length > patterns[best].length))
                best = id;
        }
        if (best == count) {
            start++;
        } else {
            match_list_add(found, (uint32_t)best, start, start + patterns[best].length);
            start += patterns[best].length;
        }
    }
}

void oracle_search(const trawl_pattern *patterns, size_t count, const uint8_t *text, size_t length,
                   trawl_match_kind kind, match_list *found) {
    match_list_clear(found);
    if (kind == TRAWL_MATCH_ALL)
        search_all(patterns, count, text, length, found);
    else
        search_leftmost(patterns, count, text, length, kind == TRAWL_MATCH_LEFTMOST_LONGEST, found);
}
