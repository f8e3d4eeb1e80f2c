/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_replace.h"

#include "replace_oracle.h"
#include "trawl/trawl_conditions.h"

#include <stdlib.h>
#include <string.h>

typedef struct check {
    const trawl_db *db;
    trawl_replacer *replacer;
    const replace_oracle *oracle;
    const uint8_t *text;
    size_t length, max_length;
    const match_list *expected;
    byte_list wanted; /* the result */
    size_t replaced;  /* matches */
    random_source *random;
    const message *complaint;
} check;

typedef struct receiver {
    byte_list bytes;
    size_t stop_after; /* bytes after which it stops; 0: never */
    bool called_again, called_without;
} receiver;

static int receive(const void *bytes, size_t length, void *context) {
    receiver *to = context;
    to->called_again |= to->stop_after && to->bytes.count >= to->stop_after;
    to->called_without |= length == 0;
    byte_list_add(&to->bytes, bytes, length);
    return to->stop_after && to->bytes.count >= to->stop_after;
}

/* Whether the bytes received so far are the result, or its beginning. */
static bool is_result(const check *work, const receiver *to, bool whole) {
    return !to->called_again && !to->called_without && to->bytes.count <= work->wanted.count &&
           (!whole || to->bytes.count == work->wanted.count) &&
           (to->bytes.count == 0 ||
            memcmp(to->bytes.items, work->wanted.items, to->bytes.count) == 0);
}

static bool check_whole(const check *work) {
    receiver to = {.stop_after = 0};
    uint64_t replaced = 99;
    bool stops = work->wanted.count && random_chance(work->random, 1, 3);
    if (stops)
        to.stop_after = random_between(work->random, 1, work->wanted.count);
    trawl_status status =
        trawl_replace(work->replacer, work->text, work->length, receive, &to, &replaced);
    bool good = status == (stops ? TRAWL_STOPPED : TRAWL_OK) && is_result(work, &to, !stops) &&
                (stops || replaced == work->replaced);
    if (!good)
        good = complain(work->complaint,
                        "replace: %s, %llu replaced, expected %zu; %zu bytes, expected %zu",
                        trawl_status_text(status), (unsigned long long)replaced, work->replaced,
                        to.bytes.count, work->wanted.count);
    byte_list_free(&to.bytes);
    return good;
}

static bool check_into(const check *work) {
    size_t capacity = random_chance(work->random, 1, 2)
                          ? work->wanted.count
                          : random_below(work->random, work->wanted.count + 3);
    size_t written = capacity < work->wanted.count ? capacity : work->wanted.count;
    uint8_t *out = malloc(capacity + 1);
    memset(out, 0x5a, capacity + 1);
    uint64_t needed = 99, replaced = 99;
    trawl_status status = trawl_replace_into(work->replacer, work->text, work->length, out,
                                             capacity, &needed, &replaced);
    bool good = status == (capacity < work->wanted.count ? TRAWL_ERROR_LIMIT : TRAWL_OK) &&
                needed == work->wanted.count && replaced == work->replaced &&
                out[capacity] == 0x5a &&
                (written == 0 || memcmp(out, work->wanted.items, written) == 0);
    if (!good)
        good = complain(work->complaint, "replace into %zu bytes: %s, %llu bytes, expected %zu",
                        capacity, trawl_status_text(status), (unsigned long long)needed,
                        work->wanted.count);
    free(out);
    return good;
}

/* Whether all bytes have been received that are decided when `written` bytes of the text have been
 * written. */
static bool is_prompt(const check *work, const receiver *to, size_t written) {
    size_t waits = work->max_length - 1 + (trawl_db_has_conditions(work->db) ? 1 : 0);
    byte_list least = {.count = 0};
    if (written > waits)
        (void)replace_oracle_text(work->oracle, work->text, work->length, work->expected->items,
                                  work->expected->count, written - waits, &least);
    bool prompt = to->bytes.count >= least.count;
    byte_list_free(&least);
    return prompt;
}

static bool check_pieces(const check *work) {
    receiver to = {.stop_after = 0};
    size_t least = work->length / 500 + 1; /* of long texts tiny pieces would only take long */
    size_t most =
        random_chance(work->random, 1, 3) ? least : random_below(work->random, 40) + least;
    uint64_t replaced = 99;
    bool good = true, looks = work->length < 300;
    if (random_chance(work->random, 1, 4)) { /* what was written before a start is forgotten */
        (void)trawl_replacer_write(work->replacer, work->text, work->length / 2, receive, &to);
        to.bytes.count = 0;
    }
    trawl_replacer_start(work->replacer);
    for (size_t at = 0; at < work->length && good;) {
        size_t left = work->length - at;
        size_t size = random_below(work->random, most + 1) + (most == least);
        size = size < left ? size : left;
        uint8_t *piece = malloc(size + 1); /* no byte of it may be needed later */
        memcpy(piece, work->text + at, size);
        at += size;
        trawl_status status = trawl_replacer_write(work->replacer, piece, size, receive, &to);
        free(piece);
        good = status == TRAWL_OK && is_result(work, &to, false) &&
               (!looks || is_prompt(work, &to, at));
        if (!good)
            good = complain(work->complaint,
                            "replace in pieces: %s, %zu bytes when %zu were written; or late",
                            trawl_status_text(status), to.bytes.count, at);
    }
    if (good && (trawl_replacer_finish(work->replacer, receive, &to, &replaced) != TRAWL_OK ||
                 !is_result(work, &to, true) || replaced != work->replaced))
        good = complain(work->complaint, "replace in pieces: %zu bytes, expected %zu; or others",
                        to.bytes.count, work->wanted.count);
    byte_list_free(&to.bytes);
    return good;
}

static bool check_stopped_pieces(const check *work) {
    receiver to = {.stop_after = 1};
    uint64_t replaced;
    trawl_replacer_start(work->replacer);
    trawl_status status =
        trawl_replacer_write(work->replacer, work->text, work->length, receive, &to);
    bool stopped = to.bytes.count != 0;
    bool good = status == (stopped ? TRAWL_STOPPED : TRAWL_OK) && is_result(work, &to, false);
    if (good && stopped)
        good = trawl_replacer_write(work->replacer, "x", 1, receive, &to) == TRAWL_STOPPED &&
               trawl_replacer_finish(work->replacer, receive, &to, &replaced) == TRAWL_STOPPED &&
               !to.called_again;
    trawl_replacer_start(work->replacer);
    byte_list_free(&to.bytes);
    return good ||
           complain(work->complaint, "replace in pieces, stopped: %s", trawl_status_text(status));
}

bool runner_replace_check(const trawl_db *db, const trawl_scan_options *options,
                          const uint8_t *text, size_t length, const match_list *expected,
                          random_source *random, const message *complaint) {
    bool (*const forms[])(const check *) = {check_whole, check_into, check_pieces,
                                            check_stopped_pieces};
    enum { FORMS = sizeof(forms) / sizeof(forms[0]) };
    trawl_error error = {.message = ""};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    replace_oracle oracle;
    replace_oracle_open(&oracle, db, random);
    uint64_t *per_pattern = calloc(oracle.patterns + 1, sizeof(*per_pattern)), sum = 0;
    oracle.options.scan = options;
    oracle.options.per_pattern = per_pattern;
    check work = {.db = db,
                  .oracle = &oracle,
                  .text = text,
                  .length = length,
                  .max_length = information.max_length,
                  .expected = expected,
                  .random = random,
                  .complaint = complaint};
    trawl_status status = trawl_replacer_open(db, &oracle.options, &work.replacer, &error);
    bool refuses = information.matches == TRAWL_MATCH_ALL;
    bool good = status == (refuses ? TRAWL_ERROR_ARGUMENT : TRAWL_OK) ||
                complain(complaint, "trawl_replacer_open: %s", error.message);
    if (good && !refuses) {
        work.replaced = replace_oracle_text(&oracle, text, length, expected->items, expected->count,
                                            length, &work.wanted);
        for (size_t from = random_below(random, FORMS), i = 0; i < FORMS + 1 && good; i++)
            good = forms[(from + i) % FORMS](&work);
        memset(per_pattern, 0, oracle.patterns * sizeof(*per_pattern));
        (void)trawl_replace_into(work.replacer, text, length, NULL, 0, NULL, NULL);
        for (size_t id = 0; id < oracle.patterns; id++)
            sum += per_pattern[id];
        if (good && sum != work.replaced)
            good = complain(complaint, "replace: counters of patterns sum up to %llu, expected %zu",
                            (unsigned long long)sum, work.replaced);
    }
    if (!good)
        message_append(complaint, " (kind %d)", oracle.options.kind);
    trawl_replacer_close(work.replacer);
    byte_list_free(&work.wanted);
    replace_oracle_close(&oracle);
    free(per_pattern);
    return good;
}
