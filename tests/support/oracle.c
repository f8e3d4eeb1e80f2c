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

bool oracle_is_member(uint8_t number, uint8_t byte) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    bool alnum = byte && strchr(letters, byte);
    switch (number) {
    case TRAWL_CLASS_WORD:
        return alnum || byte == '_';
    case TRAWL_CLASS_WORD_UTF8:
        return alnum || byte == '_' || byte > 127;
    case TRAWL_CLASS_ALNUM:
        return alnum;
    case TRAWL_CLASS_LABEL:
        return alnum || byte == '-';
    case ORACLE_VOWELS:
        return byte && strchr("aeiouAEIOU", byte);
    case ORACLE_ONE_CASE:
        return byte == 'a' || byte == 'B' || byte == 'c';
    default:
        return false;
    }
}

bool oracle_holds(const trawl_condition *condition, const uint8_t *text, size_t length,
                  size_t start, size_t end) {
    if (!condition)
        return true;
    if (start > 0 && oracle_is_member(condition->left, text[start - 1]))
        return false;
    if (end < length && oracle_is_member(condition->right, text[end]))
        return false;
    if (condition->at_start && start != 0)
        return false;
    if (condition->at_end && end != length)
        return false;
    return start >= condition->min_start && (!condition->max_end || end <= condition->max_end);
}

/* The patterns, with their conditions, in a text. */
typedef struct search {
    const trawl_pattern *patterns;
    const trawl_condition *conditions;
    size_t count;
    const uint8_t *text;
    size_t length;
} search;

static bool occurs(const search *in, size_t id, size_t start) {
    return oracle_matches_at(&in->patterns[id], in->text, in->length, start) &&
           oracle_holds(in->conditions ? &in->conditions[id] : NULL, in->text, in->length, start,
                        start + in->patterns[id].length);
}

static void search_all(const search *in, match_list *found) {
    for (size_t start = 0; start < in->length; start++)
        for (size_t id = 0; id < in->count; id++)
            if (occurs(in, id, start))
                match_list_add(found, (uint32_t)id, start, start + in->patterns[id].length);
    match_list_sort(found);
}

static void search_leftmost(const search *in, bool longest, match_list *found) {
    size_t start = 0;
    while (start < in->length) {
        size_t best = in->count;
        for (size_t id = 0; id < in->count; id++) {
            if (!occurs(in, id, start))
                continue;
            if (best == in->count ||
                (longest && in->patterns[id].length > in->patterns[best].length))
                best = id;
        }
        if (best == in->count) {
            start++;
        } else {
            match_list_add(found, (uint32_t)best, start, start + in->patterns[best].length);
            start += in->patterns[best].length;
        }
    }
}

void oracle_search(const trawl_pattern *patterns, size_t count, const uint8_t *text, size_t length,
                   trawl_match_kind kind, match_list *found) {
    oracle_search_with(patterns, NULL, count, text, length, kind, found);
}

void oracle_search_with(const trawl_pattern *patterns, const trawl_condition *conditions,
                        size_t count, const uint8_t *text, size_t length, trawl_match_kind kind,
                        match_list *found) {
    const search in = {patterns, conditions, count, text, length};
    match_list_clear(found);
    if (kind == TRAWL_MATCH_ALL)
        search_all(&in, found);
    else
        search_leftmost(&in, kind == TRAWL_MATCH_LEFTMOST_LONGEST, found);
}
