/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

static void add_span(grep_spans *spans, const uint8_t *start, const uint8_t *end) {
    if (spans->count == spans->capacity) {
        spans->capacity = spans->capacity * 2 + 64;
        spans->items = reallocate(spans->items, spans->capacity * sizeof spans->items[0]);
    }
    spans->items[spans->count++] = (grep_span){start, end};
}

/* Empties the table of lengths, with room for the starts of one length of the longest pattern. */
static void clear_lengths(grep_parts *parts) {
    if (parts->size <= parts->set->longest) {
        parts->size = 64;
        while (parts->size <= parts->set->longest) {
            parts->size *= 2;
        }
        free(parts->lengths);
        parts->lengths = allocate(parts->size * sizeof parts->lengths[0]);
        parts->undecided = 1;
    }
    if (parts->undecided > 0) { /* else no start has a length */
        memset(parts->lengths, 0, parts->size * sizeof parts->lengths[0]);
        parts->undecided = 0;
    }
}

void grep_parts_begin(grep_parts *parts, const grep_set *set, const uint8_t *line) {
    parts->set = set;
    parts->line = parts->part_end = parts->next = parts->last = line;
    parts->spans.count = 0;
    if (!set->chosen && set->db != NULL) {
        clear_lengths(parts);
    }
}

static bool is_part(const grep_parts *parts, const uint8_t *start) {
    return start == parts->part_end ||
           (start > parts->part_end && grep_set_accepts_start(parts->set, parts->line, start));
}

/* Decides about the matches that begin before `bound`. */
static void decide_before(grep_parts *parts, const uint8_t *bound) {
    for (; parts->next < bound && parts->undecided > 0; parts->next++) {
        const uint8_t *start = parts->next;
        uint32_t *length = &parts->lengths[(size_t)(start - parts->line) & (parts->size - 1)];
        if (*length == 0) {
            continue;
        }
        if (is_part(parts, start)) {
            parts->part_end = start + *length;
            add_span(&parts->spans, start, parts->part_end);
        }
        *length = 0;
        parts->undecided--;
    }
    if (parts->next < bound) {
        parts->next = bound;
    }
}

void grep_parts_add(grep_parts *parts, const uint8_t *start, const uint8_t *end) {
    if (parts->set->chosen) {
        add_span(&parts->spans, start, end);
        return;
    }
    if ((size_t)(end - parts->line) > parts->set->longest) {
        decide_before(parts, end - parts->set->longest);
    }
    parts->last = end;
    if (start < parts->part_end) {
        return;
    }
    uint32_t *length = &parts->lengths[(size_t)(start - parts->line) & (parts->size - 1)];
    parts->undecided += *length == 0;
    *length = (uint32_t)(end - start); /* the longest one yet, since matches come by their ends */
}

void grep_parts_end(grep_parts *parts) {
    decide_before(parts, parts->last);
}

/* ------------------------------------------------------------------ a line by itself */

static int on_match(const trawl_match *match, void *context) {
    grep_parts *parts = context;
    const uint8_t *end = parts->line + match->end;
    if (grep_set_accepts_part(parts->set, end)) {
        grep_parts_add(parts, parts->line + match->start, end);
    }
    return 0;
}

bool grep_parts_find(grep_parts *parts, const grep_set *set, const uint8_t *line,
                     const uint8_t *end) {
    grep_parts_begin(parts, set, line);
    if (set->db == NULL) {
        return true;
    }
    trawl_scan_options options = set->scan;
    options.threads = 1;
    options.device = NULL;
    trawl_error error;
    if (trawl_scan(set->db, line, (size_t)(end - line), &options, on_match, parts, &error) !=
        TRAWL_OK) {
        report_error(&error);
        return false;
    }
    grep_parts_end(parts);
    return true;
}

void grep_parts_release(grep_parts *parts) {
    free(parts->spans.items);
    free(parts->lengths);
}
