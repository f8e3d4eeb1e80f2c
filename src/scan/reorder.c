/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/reorder.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

/* No measurement chose these numbers. Blocks trade off memory and cache misses (large ones) against
 * bytes that are searched twice (small ones); the others bound memory that is seldom needed. */
#define BLOCK_BYTES ((size_t)64 << 10) /* owned bytes whose matches are sorted together */
#define OVERLAP_FACTOR 8 /* bytes of a block for each byte of overlap, which is searched twice */
#define FIRST_CAPACITY ((size_t)1 << 10) /* matches that the first array has room for */
#define INSERTION_RUN ((size_t)16)       /* up to this many matches are sorted by insertion */
#define RESERVED_LEAST ((size_t)1 << 14) /* matches that a scanner reserves room for, at least */

/* The sink that gathers the matches of one block. When it holds `limit` matches it ends the walk,
 * and smaller blocks follow. */
typedef struct gathering {
    trawl_sink sink;
    size_t limit;
    bool overflow;
    bool no_memory;
} gathering;

typedef struct reordering {
    gathering gathered;
    trawl_match *scratch; /* for sorting */
    size_t scratch_capacity;
    uint32_t *starts; /* bytes of a block + 1: the index of the first match with each end */
    size_t reserved;  /* capacity of both arrays, which do not grow; 0: they do */
} reordering;

/* `flush` of the gathering sink: doubles the array and keeps its matches. */
static trawl_status grow(trawl_sink *sink) {
    gathering *gathered = (gathering *)sink;
    if (sink->capacity >= gathered->limit) {
        gathered->overflow = true;
        return TRAWL_STOPPED;
    }
    size_t capacity = sink->capacity == 0 ? FIRST_CAPACITY : 2 * sink->capacity;
    trawl_match *matches = trawl_reallocate(sink->matches, capacity, sizeof *matches);
    if (matches == NULL) {
        gathered->no_memory = true;
        return TRAWL_ERROR_MEMORY;
    }
    sink->matches = matches;
    sink->capacity = capacity;
    return TRAWL_OK;
}

static inline bool before(const trawl_match *left, const trawl_match *right) {
    if (left->end != right->end) {
        return left->end < right->end;
    }
    if (left->start != right->start) {
        return left->start < right->start;
    }
    return left->pattern < right->pattern;
}

/* Merge sort. It skips merging where the two halves are in order already, as they mostly are.
 * `scratch` has room for half of the matches, rounded up. */
static void merge_sort(trawl_match *matches, size_t count, trawl_match *scratch) {
    if (count <= INSERTION_RUN) {
        for (size_t i = 1; i < count; i++) {
            trawl_match moving = matches[i];
            size_t j = i;
            for (; j > 0 && before(&moving, &matches[j - 1]); j--) {
                matches[j] = matches[j - 1];
            }
            matches[j] = moving;
        }
        return;
    }
    size_t left_count = count / 2;
    merge_sort(matches, left_count, scratch);
    merge_sort(matches + left_count, count - left_count, scratch);
    if (!before(&matches[left_count], &matches[left_count - 1])) {
        return;
    }
    memcpy(scratch, matches, left_count * sizeof *matches);
    size_t left = 0, right = left_count, to = 0;
    while (left < left_count && right < count) {
        matches[to++] =
            before(&matches[right], &scratch[left]) ? matches[right++] : scratch[left++];
    }
    memcpy(matches + to, scratch + left, (left_count - left) * sizeof *matches);
}

static bool ordered(const trawl_match *matches, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (before(&matches[i], &matches[i - 1])) {
            return false;
        }
    }
    return true;
}

/* Distributes the matches by end (counting sort), then sorts those of each end. */
static void sort_by_end(reordering *order, uint64_t first_end, size_t ends) {
    trawl_sink *sink = &order->gathered.sink;
    trawl_match *matches = sink->matches;
    size_t count = sink->count;
    uint32_t *starts = order->starts;
    memset(starts, 0, (ends + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[matches[i].end - first_end + 1]++;
    }
    for (size_t end = 1; end <= ends; end++) {
        starts[end] += starts[end - 1];
    }
    trawl_match *sorted = order->scratch;
    for (size_t i = 0; i < count; i++) {
        sorted[starts[matches[i].end - first_end]++] = matches[i];
    }
    for (size_t begin = 0; begin < count;) {
        size_t past = starts[sorted[begin].end - first_end];
        merge_sort(sorted + begin, past - begin, matches);
        begin = past;
    }
    /* The arrays and their capacities change places. */
    sink->matches = sorted;
    order->scratch = matches;
    size_t capacity = order->scratch_capacity;
    order->scratch_capacity = sink->capacity;
    sink->capacity = capacity;
}

/* Sorts the gathered matches of a block whose ends are first_end .. first_end + ends - 1. */
static trawl_status sort_block(reordering *order, uint64_t first_end, size_t ends,
                               trawl_error *error) {
    trawl_sink *sink = &order->gathered.sink;
    if (ordered(sink->matches, sink->count)) {
        return TRAWL_OK;
    }
    if (order->scratch_capacity < sink->count) {
        trawl_release(order->scratch);
        order->scratch_capacity = 0;
        order->scratch = trawl_allocate(sink->capacity, sizeof *order->scratch);
        if (order->scratch == NULL) {
            return trawl_fail_memory(error, "sorting matches",
                                     (uint64_t)sink->capacity * sizeof *order->scratch);
        }
        order->scratch_capacity = sink->capacity;
    }
    /* A counting sort takes time for each end: not worth it for few matches, or for a single
     * end. */
    if (ends == 1 || sink->count < ends / 32) {
        merge_sort(sink->matches, sink->count, order->scratch);
    } else {
        sort_by_end(order, first_end, ends);
    }
    return TRAWL_OK;
}

static trawl_status hand_on(const trawl_sink *from, trawl_sink *to) {
    for (size_t i = 0; i < from->count;) {
        if (to->count == to->capacity) {
            trawl_status status = to->flush(to);
            if (status != TRAWL_OK) {
                return status;
            }
        }
        size_t room = to->capacity - to->count;
        size_t part = from->count - i < room ? from->count - i : room;
        memcpy(to->matches + to->count, from->matches + i, part * sizeof *from->matches);
        to->count += part;
        i += part;
    }
    return TRAWL_OK;
}

/* Bytes of a block, at most. */
static size_t block_bytes(const trawl_db *db) {
    size_t bytes = OVERLAP_FACTOR * (size_t)db->header->max_length;
    return bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes;
}

trawl_status trawl_reorder_reserve(trawl_reorder_memory *memory, const trawl_db *db,
                                   trawl_error *error) {
    size_t capacity = db->patterns.count < RESERVED_LEAST ? RESERVED_LEAST : db->patterns.count;
    size_t starts = block_bytes(db) + 1;
    memory->matches = trawl_allocate(capacity, sizeof *memory->matches);
    memory->scratch = trawl_allocate(capacity, sizeof *memory->scratch);
    memory->starts = trawl_allocate(starts, sizeof *memory->starts);
    if (memory->matches == NULL || memory->scratch == NULL || memory->starts == NULL) {
        return trawl_fail_memory(error, "sorting matches", 2 * capacity * sizeof(trawl_match));
    }
    memory->capacity = capacity;
    return TRAWL_OK;
}

void trawl_reorder_release(trawl_reorder_memory *memory) {
    trawl_release(memory->matches);
    trawl_release(memory->scratch);
    trawl_release(memory->starts);
}

/* Searches the window block by block; bytes of a block: at most `most`. */
static trawl_status reorder_blocks(reordering *order, trawl_walker *walker,
                                   const trawl_window *window, trawl_sink *sink, trawl_find find,
                                   size_t most, trawl_error *error) {
    size_t overlap = walker->db->header->max_length - 1, bytes = most;
    size_t far = (order->reserved != 0 ? order->reserved : TRAWL_REORDER_MOST) / 4;
    trawl_sink *gathered = &order->gathered.sink;
    trawl_status status = TRAWL_OK;
    for (size_t position = window->owned; status == TRAWL_OK && position < window->length;) {
        size_t left = window->length - position;
        bytes = bytes < left ? bytes : left;
        const trawl_window block = trawl_window_cut(window, overlap, position, position + bytes);
        gathered->count = 0;
        order->gathered.overflow = false;
        /* One byte cannot be halved. It ends at most as many matches as there are patterns. */
        bool one = bytes == 1;
        order->gathered.limit = order->reserved != 0 ? order->reserved
                                : one                ? SIZE_MAX
                                                     : TRAWL_REORDER_MOST;
        status = find(walker, &block, gathered, error);
        if (order->gathered.no_memory) {
            status = trawl_fail_memory(error, "sorting matches",
                                       2 * (uint64_t)gathered->capacity * sizeof(trawl_match));
        }
        if (order->gathered.overflow) {
            if (one) {
                return trawl_fail(
                    error, TRAWL_ERROR_FORMAT,
                    "a byte of text ends more matches than the database has patterns");
            }
            status = TRAWL_OK;
            bytes = (bytes + 1) / 2;
            continue;
        }
        if (status == TRAWL_OK) {
            status = sort_block(order, window->base + position + 1, bytes, error);
        }
        if (status == TRAWL_OK) {
            status = hand_on(gathered, sink);
        }
        position += bytes;
        /* Double the block only if it was far from the limit, so that it does not overflow at once.
         */
        if (gathered->count < far && bytes < most) {
            bytes = 2 * bytes < most ? 2 * bytes : most;
        }
    }
    return status;
}

trawl_status trawl_reorder(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                           trawl_find find, trawl_reorder_memory *memory, trawl_error *error) {
    size_t most = block_bytes(walker->db);
    most = most < window->length ? most : window->length;
    reordering order = {.gathered = {.sink = {.flush = grow}}};
    trawl_sink *gathered = &order.gathered.sink;
    order.reserved = memory->capacity;
    if (order.reserved != 0) {
        gathered->matches = memory->matches;
        gathered->capacity = order.scratch_capacity = memory->capacity;
        order.scratch = memory->scratch;
        order.starts = memory->starts;
        trawl_status status = reorder_blocks(&order, walker, window, sink, find, most, error);
        memory->matches = gathered->matches; /* sorting may have exchanged the two */
        memory->scratch = order.scratch;
        return status;
    }
    order.starts = trawl_allocate(most + 1, sizeof *order.starts);
    trawl_status status =
        order.starts == NULL
            ? trawl_fail_memory(error, "sorting matches", (most + 1) * sizeof *order.starts)
            : reorder_blocks(&order, walker, window, sink, find, most, error);
    trawl_release(order.starts);
    trawl_release(order.scratch);
    trawl_release(gathered->matches);
    return status;
}
