/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_scanner.h"

#include "runner.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"

#include <stdlib.h>
#include <string.h>

typedef struct check {
    trawl_scanner *scanner;
    const trawl_db *db;
    const uint8_t *text;
    size_t length;
    const match_list *expected;
    size_t patterns;
    random_source *random;
    const message *complaint;
} check;

/* ------------------------------------------------------------------ the forms */

typedef struct receiver {
    match_list found;
    size_t stop_after; /* 0: never */
    bool called_again;
} receiver;

static int receive_batch(const trawl_match *matches, size_t count, void *context) {
    receiver *to = context;
    to->called_again |= to->stop_after && to->found.count >= to->stop_after;
    for (size_t i = 0; i < count; i++)
        match_list_add(&to->found, matches[i].pattern, matches[i].start, matches[i].end);
    return to->stop_after && to->found.count >= to->stop_after;
}

static int receive(const trawl_match *match, void *context) {
    return receive_batch(match, 1, context);
}

static bool check_scan(const check *work, bool batches, bool stop) {
    receiver to = {.called_again = false};
    size_t wanted = work->expected->count;
    if (stop && wanted)
        to.stop_after = random_between(work->random, 1, wanted);
    trawl_status status =
        batches ? trawl_scanner_scan_batches(work->scanner, work->text, work->length, receive_batch,
                                             &to)
                : trawl_scanner_scan(work->scanner, work->text, work->length, receive, &to);
    if (to.stop_after)
        wanted = batches && to.found.count > to.stop_after ? to.found.count : to.stop_after;
    bool good = wanted <= work->expected->count && !to.called_again &&
                status == (to.stop_after ? TRAWL_STOPPED : TRAWL_OK);
    match_list first = *work->expected;
    first.count = wanted;
    if (!good || !match_list_equal(&to.found, &first))
        good = complain(
            work->complaint, "scanner, scan%s: %s, %zu matches, expected %zu; or others",
            batches ? " by batches" : "", trawl_status_text(status), to.found.count, wanted);
    match_list_free(&to.found);
    return good;
}

static bool check_any(const check *work, bool first) {
    trawl_match match = {.pattern = 77};
    bool found = trawl_scanner_any(work->scanner, work->text, work->length, first ? &match : NULL);
    const trawl_match *wanted = work->expected->count ? &work->expected->items[0] : NULL;
    if (found != (wanted != NULL))
        return complain(work->complaint, "scanner, any: %d, expected %zu matches", found,
                        work->expected->count);
    if (first && found &&
        (match.start != wanted->start || match.end != wanted->end ||
         match.pattern != wanted->pattern))
        return complain(work->complaint, "scanner, first: %u:%llu-%llu, expected %u:%llu-%llu",
                        match.pattern, (unsigned long long)match.start,
                        (unsigned long long)match.end, wanted->pattern,
                        (unsigned long long)wanted->start, (unsigned long long)wanted->end);
    return true;
}

static bool check_which(const check *work) {
    size_t capacity = random_below(work->random, work->patterns + 2), wanted = 0;
    uint32_t *ids = malloc((capacity + 1) * sizeof(*ids));
    bool *seen = calloc(work->patterns + 1, sizeof(*seen));
    ids[capacity] = 0x5a5a5a5a;
    size_t found = trawl_scanner_which(work->scanner, work->text, work->length, ids, capacity);
    bool good = ids[capacity] == 0x5a5a5a5a;
    for (size_t i = 0; i < work->expected->count; i++) {
        uint32_t id = work->expected->items[i].pattern;
        uint32_t group = trawl_db_group(work->db, id), index = trawl_db_group_index(work->db, id);
        if (!seen[index]) {
            good = good && (wanted >= capacity || ids[wanted] == group);
            wanted++;
        }
        seen[index] = true;
    }
    if (!good || found != wanted)
        good = complain(work->complaint, "scanner, which: %zu patterns, expected %zu; or others",
                        found, wanted);
    free(ids);
    free(seen);
    return good;
}

static bool check_count(const check *work, bool per_pattern) {
    uint64_t *counts = calloc(work->patterns + 1, sizeof(*counts));
    uint64_t *wanted = calloc(work->patterns + 1, sizeof(*wanted));
    for (size_t i = 0; i < work->patterns; i++)
        counts[i] = wanted[i] = i; /* counts are added to what is there */
    for (size_t i = 0; per_pattern && i < work->expected->count; i++)
        wanted[work->expected->items[i].pattern]++;
    uint64_t total =
        trawl_scanner_count(work->scanner, work->text, work->length, per_pattern ? counts : NULL);
    bool good = memcmp(counts, wanted, (work->patterns + 1) * sizeof(*counts)) == 0;
    if (!good || total != work->expected->count)
        good = complain(work->complaint, "scanner, count%s: %llu, expected %zu; or other patterns",
                        per_pattern ? " per pattern" : "", (unsigned long long)total,
                        work->expected->count);
    free(counts);
    free(wanted);
    return good;
}

static bool check_form(const check *work, size_t form) {
    switch (form) {
    case 0:
        return check_any(work, false);
    case 1:
        return check_any(work, true);
    case 2:
        return check_which(work);
    case 3:
        return check_count(work, false);
    case 4:
        return check_count(work, true);
    case 5:
        return check_scan(work, false, false);
    case 6:
        return check_scan(work, false, true);
    case 7:
        return check_scan(work, true, false);
    default:
        return check_scan(work, true, true);
    }
}

/* ------------------------------------------------------------------ all of them */

/* Nothing of one text may have an effect on the next. So the functions are called in random order,
 * and between them the beginning of the text is searched, with the result ignored. */
bool runner_scanner_check(const trawl_db *db, const trawl_scan_options *options,
                          const uint8_t *text, size_t length, const match_list *expected,
                          random_source *random, const message *complaint) {
    enum { FORMS = 9 };
    trawl_error error = {.message = ""};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    check work = {.db = db,
                  .text = text,
                  .length = length,
                  .expected = expected,
                  .patterns = information.patterns,
                  .random = random,
                  .complaint = complaint};
    if (trawl_scanner_open(db, options, &work.scanner, &error) != TRAWL_OK)
        return complain(complaint, "trawl_scanner_open: %s", error.message);
    bool good = true;
    size_t from = random_below(random, FORMS);
    for (size_t form = 0; form < FORMS && good; form++) {
        size_t beginning = length ? random_below(random, length) : 0;
        switch (random_below(random, 4)) {
        case 0:
            (void)trawl_scanner_any(work.scanner, text, beginning, NULL);
            break;
        case 1:
            (void)trawl_scanner_count(work.scanner, text, beginning, NULL);
            break;
        case 2:
            (void)trawl_scanner_which(work.scanner, text, beginning, NULL, 0);
            break;
        }
        good = check_form(&work, (from + form * 4) % FORMS);
    }
    trawl_scanner_close(work.scanner);
    return good;
}
