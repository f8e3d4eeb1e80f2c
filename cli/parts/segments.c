/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/segments.h"

#include <stdlib.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "io/text_file.h"

/* ------------------------------------------------------------------ shards */

static uint64_t all_bytes(const parts_run *run) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < run->count; i++)
        bytes += run->texts[i].bytes;
    return bytes;
}

/* The position where shard k ends and the next one begins, 0 <= k <= shards; without overflow. */
static uint64_t cut(const parts_identity *identity, uint64_t bytes, uint64_t k) {
    uint64_t share = bytes / identity->shards;
    uint64_t rest = bytes % identity->shards;
    if (k == identity->shards)
        return bytes;
    return share * k + (identity->division == PARTS_PAPER ? 0 : rest * k / identity->shards);
}

static bool is_whole(const parts_run *run, const parts_text *text) {
    return text->whole || run->identity.whole != 0;
}

bool segments_mark_whole(parts_run *run) {
    const parts_identity *identity = &run->identity;
    uint64_t bytes = all_bytes(run);
    uint64_t position = 0;
    uint64_t k = 1;
    for (size_t i = 0; identity->whole == 0 && i < run->count; i++) {
        parts_text *text = &run->texts[i];
        while (k < identity->shards && cut(identity, bytes, k) <= position)
            k++;
        bool is_cut = (k < identity->shards && cut(identity, bytes, k) < position + text->bytes) ||
                      text->bytes > identity->segment;
        position += text->bytes;
        if (!is_cut)
            continue;
        text_file *file = NULL;
        trawl_error error;
        if (text_file_open(text->name, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
            report("%s%s", error.status == TRAWL_ERROR_MEMORY ? "" : "text ", error.message);
            return false;
        }
        text->whole = text_file_is_compressed(file);
        text_file_close(file);
    }
    return true;
}

/* ------------------------------------------------------------------ segments */

static void add_piece(segment_list *list, size_t text, uint64_t begin, uint64_t end) {
    if (list->piece_count == list->capacity) {
        list->capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        list->pieces = reallocate(list->pieces, list->capacity * sizeof *list->pieces);
    }
    list->pieces[list->piece_count++] = (parts_piece){text, begin, end};
}

/* Ends a segment, even one without pieces. */
static void end_segment(segment_list *list) {
    if (list->count == list->end_capacity) {
        list->end_capacity = list->end_capacity == 0 ? 64 : 2 * list->end_capacity;
        list->ends = reallocate(list->ends, list->end_capacity * sizeof *list->ends);
    }
    list->ends[list->count++] = list->piece_count;
}

static bool has_pieces(const segment_list *list) {
    return list->piece_count > (list->count == 0 ? 0 : list->ends[list->count - 1]);
}

/* Adds bytes [begin, end) of a text to the segment of *used bytes. */
static void add(segment_list *list, const parts_piece *all, bool whole, uint64_t segment,
                uint64_t *used) {
    parts_piece rest = *all;
    if (has_pieces(list) && rest.end - rest.begin > segment - (*used < segment ? *used : segment)) {
        end_segment(list);
        *used = 0;
    }
    while (!whole && rest.end - rest.begin > segment) {
        add_piece(list, rest.text, rest.begin, rest.begin + segment);
        end_segment(list);
        rest.begin += segment;
    }
    add_piece(list, rest.text, rest.begin, rest.end);
    *used += rest.end - rest.begin;
}

/* The bytes of one text that are in the shard at [from, to); false if there are none. */
static bool part_of(const parts_text *text, size_t index, bool whole, bool last, uint64_t position,
                    uint64_t from, uint64_t to, parts_piece *piece) {
    *piece = (parts_piece){index, 0, text->bytes};
    if (whole || text->bytes == 0)
        return position >= from && (position < to || last);
    if (position + text->bytes <= from || position >= to)
        return false;
    piece->begin = from > position ? from - position : 0;
    if (to - position < text->bytes)
        piece->end = to - position;
    return piece->begin < piece->end;
}

static void divide_shard(const parts_run *run, uint64_t shard, uint64_t segment,
                         segment_list *list) {
    uint64_t bytes = all_bytes(run);
    uint64_t from = cut(&run->identity, bytes, shard - 1);
    uint64_t to = cut(&run->identity, bytes, shard);
    uint64_t position = 0;
    uint64_t used = 0;
    for (size_t i = 0; i < run->count; i++) {
        const parts_text *text = &run->texts[i];
        bool whole = is_whole(run, text);
        parts_piece piece;
        if (part_of(text, i, whole, shard == run->identity.shards, position, from, to, &piece))
            add(list, &piece, whole, segment, &used);
        position += text->bytes;
    }
}

void segments_divide(const parts_run *run, segment_list *list) {
    *list = (segment_list){.failed = allocate_zeros(run->count * sizeof *list->failed + 1)};
    if (run->identity.division == PARTS_PAPER && run->identity.shard == 0) {
        for (uint64_t shard = 1; shard <= run->identity.shards; shard++) {
            divide_shard(run, shard, UINT64_MAX, list);
            end_segment(list);
        }
        return;
    }
    divide_shard(run, run->identity.shard, run->identity.segment, list);
    if (has_pieces(list))
        end_segment(list);
}

uint64_t segments_at_least(const parts_run *run) {
    const parts_identity *identity = &run->identity;
    if (identity->division == PARTS_PAPER && identity->shard == 0)
        return identity->shards;
    uint64_t bytes = all_bytes(run);
    uint64_t from = cut(identity, bytes, identity->shard - 1);
    uint64_t to = cut(identity, bytes, identity->shard);
    uint64_t position = 0;
    uint64_t cut_bytes = 0;
    for (size_t i = 0; i < run->count; i++) {
        parts_piece piece;
        bool whole = is_whole(run, &run->texts[i]);
        if (!whole && part_of(&run->texts[i], i, false, identity->shard == identity->shards,
                              position, from, to, &piece))
            cut_bytes += piece.end - piece.begin;
        position += run->texts[i].bytes;
    }
    return cut_bytes / identity->segment;
}

void segments_release(segment_list *list) {
    free(list->pieces);
    free(list->ends);
    free(list->failed);
    *list = (segment_list){0};
}

const parts_piece *segment_pieces(const segment_list *list, size_t i, size_t *count) {
    size_t first = i == 0 ? 0 : list->ends[i - 1];
    *count = list->ends[i] - first;
    return *count == 0 ? list->pieces : list->pieces + first; /* NULL if nothing is to be scanned */
}

uint64_t segment_bytes(const segment_list *list, size_t i) {
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(list, i, &count);
    uint64_t bytes = 0;
    for (size_t p = 0; p < count; p++)
        bytes += pieces[p].end - pieces[p].begin;
    return bytes;
}

void segment_text_failed(const segment_list *list, size_t text) {
    atomic_store_explicit(&list->failed[text], true, memory_order_relaxed);
}

bool segment_has_failed(const segment_list *list, size_t i) {
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(list, i, &count);
    bool failed = false;
    for (size_t p = 0; p < count && !failed; p++)
        failed = atomic_load_explicit(&list->failed[pieces[p].text], memory_order_relaxed);
    return failed;
}
