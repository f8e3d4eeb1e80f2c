/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_flow.h"

#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"

#include <stdlib.h>
#include <string.h>

/* The function that a flow is searched with: each flow uses one, to the end of its text. */
typedef enum question { SCAN, COUNT, COUNT_PATTERNS, WHICH, QUESTIONS } question;

typedef struct flow_check {
    const trawl_db *db;
    trawl_scanner *scanner;
    const uint8_t *text;
    size_t length, patterns;
    random_source *random;
} flow_check;

typedef struct one_flow {
    uint8_t *memory; /* of any alignment: before + the state */
    size_t before;
    const trawl_db *db;
    size_t written;
    question asked;
    match_list found; /* SCAN */
    uint64_t total;   /* COUNT, COUNT_PATTERNS */
    uint64_t *counts; /* COUNT_PATTERNS; WHICH: 1 for groups that were found */
} one_flow;

static int receive(const trawl_match *matches, size_t count, void *context) {
    one_flow *flow = context;
    for (size_t i = 0; i < count; i++) {
        match_list_add(&flow->found, matches[i].pattern, matches[i].start, matches[i].end);
        flow->total++;
        if (flow->asked == WHICH)
            flow->counts[trawl_db_group_index(flow->db, matches[i].pattern)] = 1;
        else if (flow->asked == COUNT_PATTERNS)
            flow->counts[matches[i].pattern]++;
    }
    return 0;
}

/* Moves the state to another address before each call, in memory that ends with it. */
static void move_state(const flow_check *work, one_flow *flow) {
    size_t size = trawl_flow_bytes(work->db), before = random_below(work->random, 9);
    uint8_t *moved = malloc(before + size);
    memcpy(moved + before, flow->memory + flow->before, size);
    memset(flow->memory, 0xa5, flow->before + size);
    free(flow->memory);
    flow->memory = moved;
    flow->before = before;
}

static void open_flow(const flow_check *work, one_flow *flow) {
    *flow = (one_flow){.db = work->db, .asked = (question)random_below(work->random, QUESTIONS)};
    flow->memory = calloc(1, trawl_flow_bytes(work->db));
    flow->counts = calloc(work->patterns + 1, sizeof(*flow->counts));
    trawl_flow_start(flow->memory);
}

static size_t piece_size(const flow_check *work, size_t left) {
    size_t most = random_chance(work->random, 1, 8) ? left : left / 20 + 12;
    size_t size = random_below(work->random, most + 1);
    return size < left ? size : left;
}

static size_t index_of_group(const trawl_db *db, uint32_t group) {
    size_t index = 0;
    while (trawl_db_group_at(db, index) != group)
        index++;
    return index;
}

static void write_piece(const flow_check *work, one_flow *flow) {
    size_t size = piece_size(work, work->length - flow->written);
    uint8_t *piece = malloc(size ? size : 1);
    if (size)
        memcpy(piece, work->text + flow->written, size);
    flow->written += size;
    move_state(work, flow);
    void *state = flow->memory + flow->before;
    const void *bytes = size ? piece : NULL;
    if (flow->asked == SCAN) {
        (void)trawl_flow_scan(work->scanner, state, bytes, size, receive, flow);
    } else if (flow->asked == WHICH) {
        uint32_t *ids = malloc((work->patterns + 1) * sizeof(*ids));
        size_t found = trawl_flow_which(work->scanner, state, bytes, size, ids, work->patterns);
        for (size_t i = 0; i < found; i++)
            flow->counts[index_of_group(work->db, ids[i])] = 1;
        free(ids);
    } else {
        flow->total += trawl_flow_count(work->scanner, state, bytes, size,
                                        flow->asked == COUNT ? NULL : flow->counts);
    }
    free(piece);
}

static bool check_flow(const flow_check *work, one_flow *flow, const match_list *expected,
                       const message *complaint) {
    static const char *const names[QUESTIONS] = {"scan", "count", "count per pattern", "which"};
    uint64_t *wanted = calloc(work->patterns + 1, sizeof(*wanted));
    for (size_t i = 0; i < expected->count; i++) {
        uint32_t id = expected->items[i].pattern;
        if (flow->asked == WHICH)
            wanted[trawl_db_group_index(work->db, id)] = 1;
        else
            wanted[id]++;
    }
    bool counts_right = memcmp(wanted, flow->counts, work->patterns * sizeof(*wanted)) == 0;
    bool good = flow->asked == SCAN ? match_list_equal(&flow->found, expected)
                : flow->asked == WHICH
                    ? counts_right
                    : flow->total == expected->count && (flow->asked == COUNT || counts_right);
    if (!good)
        complain(complaint, "flow, %s: %llu matches, expected %zu; or others", names[flow->asked],
                 (unsigned long long)flow->total, expected->count);
    free(wanted);
    return good;
}

bool runner_flow_check(const trawl_db *db, const trawl_scan_options *options, const uint8_t *text,
                       size_t length, const match_list *expected, random_source *random,
                       const message *complaint) {
    enum { FLOWS = 4 };
    trawl_error error = {.message = ""};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    flow_check work = {.db = db,
                       .text = text,
                       .length = length,
                       .patterns = information.patterns,
                       .random = random};
    if (trawl_scanner_open(db, options, &work.scanner, &error) != TRAWL_OK)
        return complain(complaint, "trawl_scanner_open: %s", error.message);

    one_flow flows[FLOWS];
    size_t open = FLOWS;
    for (size_t i = 0; i < FLOWS; i++)
        open_flow(&work, &flows[i]);
    while (open) {
        one_flow *flow = &flows[random_below(random, FLOWS)];
        if (flow->written < length)
            write_piece(&work, flow);
        open = 0;
        for (size_t i = 0; i < FLOWS; i++)
            open += flows[i].written < length;
    }
    bool good = true;
    for (size_t i = 0; i < FLOWS; i++) {
        void *state = flows[i].memory + flows[i].before;
        if (good && trawl_flow_offset(state) != length)
            good = complain(complaint, "flow: offset %llu, not %zu",
                            (unsigned long long)trawl_flow_offset(state), length);

        (void)trawl_flow_finish(work.scanner, state, receive, &flows[i]);
        good = good && check_flow(&work, &flows[i], expected, complaint);
        free(flows[i].memory);
        free(flows[i].counts);
        match_list_free(&flows[i].found);
    }
    trawl_scanner_close(work.scanner);
    return good;
}
