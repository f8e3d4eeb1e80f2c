/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_records.h"

#include "replace_oracle.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_records.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 300 };

typedef struct check {
    trawl_record_scanner *scanner;
    const trawl_db *db;
    const trawl_scan_options *options;
    bool replaces; /* the kind of matches allows it */
    trawl_records records;
    size_t patterns;
    random_source *random;
    const message *complaint;
    /* the layout's memory */
    uint8_t *bytes, *offsets, *valid;
    trawl_span *spans;
    /* what is expected: the matches of record i are from begin[i] on */
    match_list expected;
    size_t begin[MOST_RECORDS + 1];
    uint8_t *firsts; /* FIRST_OF_... of each match */
} check;

/* A match is the first one in its record of its pattern, or of its pattern's group. */
enum { FIRST_OF_PATTERN = 1, FIRST_OF_GROUP = 2 };

/* ------------------------------------------------------------------ layouts */

static int compare_sizes(const void *left, const void *right) {
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

/* count + 1 places in the text, in ascending order: often equal ones, seldom its ends. */
static void random_cuts(random_source *random, size_t length, size_t count, size_t *cuts) {
    for (size_t i = 0; i <= count; i++)
        cuts[i] = i && random_chance(random, 1, 5) ? cuts[i - 1] : random_below(random, length + 1);
    qsort(cuts, count + 1, sizeof(*cuts), compare_sizes);
    if (random_chance(random, 2, 3)) {
        cuts[0] = 0;
        cuts[count] = length;
    }
}

/* Copies the text into memory that ends with the last record. */
static void lay_out_offsets(check *work, const uint8_t *text, const size_t *cuts) {
    trawl_records *records = &work->records;
    size_t count = (size_t)records->count, before = random_below(work->random, 8);
    records->offset_bytes = random_chance(work->random, 1, 2) ? 4 : 8;
    records->tail = (uint32_t)random_below(work->random, 3);
    work->offsets = malloc((count + 1) * 8 + 8);
    uint8_t *offsets = work->offsets + before;
    for (size_t i = 0; i <= count; i++) {
        uint64_t wide = cuts[i];
        uint32_t narrow = (uint32_t)cuts[i];
        if (records->offset_bytes == 4)
            memcpy(offsets + i * 4, &narrow, 4);
        else
            memcpy(offsets + i * 8, &wide, 8);
    }
    records->offsets = offsets;
    size_t last = cuts[count] - cuts[count - 1];
    size_t end = cuts[count] - (last < records->tail ? last : records->tail);
    work->bytes = malloc(end ? end : 1);
    if (end)
        memcpy(work->bytes, text, end);
    records->bytes = work->bytes;
}

/* Makes spans in any order, some of which overlap. */
static void lay_out_spans(check *work, const uint8_t *text, size_t length, const size_t *cuts) {
    size_t count = (size_t)work->records.count;
    work->spans = malloc(count * sizeof(*work->spans));
    work->bytes = malloc(length ? length : 1);
    if (length)
        memcpy(work->bytes, text, length);
    for (size_t i = 0; i < count; i++) {
        size_t at = cuts[i], until = cuts[i + 1];
        if (random_chance(work->random, 1, 4)) {
            at = random_below(work->random, length + 1);
            until = random_between(work->random, at, length);
        }
        work->spans[i] =
            (trawl_span){.bytes = at == until ? NULL : work->bytes + at, .length = until - at};
    }
    work->records.spans = work->spans;
}

static bool is_there(const check *work, size_t i) {
    uint64_t bit = work->records.valid_offset + i;
    return !work->records.valid || (work->records.valid[bit / 8] >> (bit % 8) & 1);
}

/* Bits of which an eighth are 0. */
static uint8_t mostly_ones(random_source *random) {
    uint8_t zeros = 0xff;
    for (int i = 0; i < 3; i++)
        zeros &= (uint8_t)random_bits(random);
    return (uint8_t)~zeros;
}

static void lay_out_absence(check *work) {
    size_t count = (size_t)work->records.count;
    work->records.valid_offset = random_below(work->random, 20);
    work->valid = malloc((count + 20) / 8 + 1);
    int some = random_chance(work->random, 1, 2);
    for (size_t i = 0; i < (count + 20) / 8 + 1; i++)
        work->valid[i] = some ? (uint8_t)random_bits(work->random) : mostly_ones(work->random);
    work->records.valid = work->valid;
    for (size_t i = 0; work->spans && i < count; i++)
        if (!is_there(work, i))
            work->spans[i].bytes = (const void *)(uintptr_t)1; /* must not be read */
}

static void lay_out(check *work, const uint8_t *text, size_t length) {
    size_t cuts[MOST_RECORDS + 1];
    size_t most = random_chance(work->random, 1, 3) ? 5 : MOST_RECORDS;
    work->records = (trawl_records)TRAWL_RECORDS;
    work->records.count = random_between(work->random, 1, most < length + 2 ? most : length + 2);
    random_cuts(work->random, length, (size_t)work->records.count, cuts);
    if (random_chance(work->random, 1, 3))
        lay_out_spans(work, text, length, cuts);
    else
        lay_out_offsets(work, text, cuts);
    if (random_chance(work->random, 1, 2))
        lay_out_absence(work);
}

/* The bytes of a record, as trawl_records.h defines them. */
static trawl_span record_at(const check *work, size_t i) {
    if (!is_there(work, i))
        return (trawl_span){.length = 0};
    if (work->spans)
        return work->spans[i];
    uint64_t at[2] = {0, 0};
    const uint8_t *offsets = work->records.offsets;
    size_t size = work->records.offset_bytes;
    memcpy(&at[0], offsets + i * size, size);
    memcpy(&at[1], offsets + (i + 1) * size, size);
    uint64_t length = at[1] - at[0];
    length = length < work->records.tail ? 0 : length - work->records.tail;
    return (trawl_span){.bytes = work->bytes + at[0], .length = (size_t)length};
}

/* An array for each pattern and each group holds the last record + 1 that had a match of it: time
 * is linear in the matches, of which a record may have millions. */
static void mark_firsts(check *work) {
    uint64_t *pattern_in = calloc(work->patterns + 1, sizeof(*pattern_in));
    uint64_t *group_in = calloc(work->patterns + 1, sizeof(*group_in));
    work->firsts = calloc(work->expected.count + 1, 1);
    for (size_t i = 0; i < work->records.count; i++)
        for (size_t m = work->begin[i]; m < work->begin[i + 1]; m++) {
            uint32_t id = work->expected.items[m].pattern;
            uint32_t group = trawl_db_group_index(work->db, id);
            if (pattern_in[id] != i + 1)
                work->firsts[m] |= FIRST_OF_PATTERN;
            if (group_in[group] != i + 1)
                work->firsts[m] |= FIRST_OF_GROUP;
            pattern_in[id] = group_in[group] = i + 1;
        }
    free(pattern_in);
    free(group_in);
}

static void expect(check *work, const trawl_db *db, trawl_match_kind kind) {
    trawl_pattern *patterns = calloc(work->patterns + 1, sizeof(*patterns));
    for (uint32_t id = 0; id < work->patterns; id++) {
        patterns[id].size = sizeof(patterns[id]);
        (void)trawl_db_pattern(db, id, &patterns[id]);
    }
    trawl_condition *conditions = NULL;
    if (trawl_db_has_conditions(db)) {
        conditions = calloc(work->patterns + 1, sizeof(*conditions));
        for (uint32_t id = 0; id < work->patterns; id++) {
            conditions[id].size = sizeof(conditions[id]);
            (void)trawl_db_condition(db, id, &conditions[id]);
        }
    }
    match_list found = {.count = 0};
    for (size_t i = 0; i < work->records.count; i++) {
        trawl_span record = record_at(work, i);
        work->begin[i] = work->expected.count;
        oracle_search_with(patterns, conditions, work->patterns, record.bytes, record.length, kind,
                           &found);
        for (size_t m = 0; m < found.count; m++)
            match_list_add(&work->expected, found.items[m].pattern, found.items[m].start,
                           found.items[m].end);
    }
    work->begin[work->records.count] = work->expected.count;
    mark_firsts(work);
    match_list_free(&found);
    free(patterns);
    free(conditions);
}

/* ------------------------------------------------------------------ the questions */

static bool check_any(const check *work) {
    size_t count = (size_t)work->records.count, size = (count + 7) / 8, hits = 0;
    uint8_t bits[MOST_RECORDS / 8 + 2], bytes[MOST_RECORDS + 1];
    memset(bits, 0x5a, sizeof(bits));
    memset(bytes, 0x5a, sizeof(bytes));
    uint64_t found = 99;
    bool with_bits = random_chance(work->random, 2, 3),
         with_bytes = random_chance(work->random, 2, 3);
    trawl_error error = {.message = ""};
    trawl_status status = trawl_records_any(work->scanner, &work->records, with_bits ? bits : NULL,
                                            with_bytes ? bytes : NULL, &found, &error);
    if (status != TRAWL_OK)
        return complain(work->complaint, "records, any: %s", error.message);
    for (size_t i = 0; i < size * 8; i++) {
        bool wanted = i < count && work->begin[i] != work->begin[i + 1];
        hits += wanted;
        if (with_bits && (bits[i / 8] >> (i % 8) & 1) != wanted)
            return complain(work->complaint, "records, any: bit %zu is not %d", i, wanted);
        if (with_bytes && i < count && bytes[i] != wanted)
            return complain(work->complaint, "records, any: byte %zu is not %d", i, wanted);
    }
    if (bits[with_bits ? size : 0] != 0x5a || bytes[with_bytes ? count : 0] != 0x5a)
        return complain(work->complaint, "records, any: more is written than asked for");
    return found == hits || complain(work->complaint, "records, any: %llu records, expected %zu",
                                     (unsigned long long)found, hits);
}

static bool check_count(const check *work) {
    size_t count = (size_t)work->records.count;
    uint64_t per_record[MOST_RECORDS];
    uint64_t *counters = malloc((work->patterns + 1) * 8 * sizeof(*counters));
    uint64_t *per_pattern = counters, *in_records = per_pattern + work->patterns;
    uint64_t *per_group = in_records + work->patterns, *group_in = per_group + work->patterns;
    uint64_t *wanted = group_in + work->patterns, *wanted_in = wanted + work->patterns;
    uint64_t *wanted_group = wanted_in + work->patterns;
    uint64_t *wanted_group_in = wanted_group + work->patterns;
    memset(counters, 0x5a, work->patterns * 4 * sizeof(*counters));
    memset(wanted, 0, work->patterns * 4 * sizeof(*counters));
    memset(per_record, 0x5a, sizeof(per_record));
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    if (random_chance(work->random, 3, 4))
        counts.per_record = per_record;
    if (random_chance(work->random, 1, 2))
        counts.per_pattern = per_pattern;
    if (random_chance(work->random, 1, 2))
        counts.in_records = in_records;
    if (random_chance(work->random, 1, 3))
        counts.per_group = per_group;
    if (random_chance(work->random, 1, 3))
        counts.group_in_records = group_in;
    trawl_error error = {.message = ""};
    trawl_status status = trawl_records_count(work->scanner, &work->records, &counts, &error);
    bool good =
        status == TRAWL_OK || complain(work->complaint, "records, count: %s", error.message);
    if (good && counts.total != work->expected.count)
        good = complain(work->complaint, "records, count: %llu, expected %zu",
                        (unsigned long long)counts.total, work->expected.count);
    for (size_t i = 0; i < count && good; i++) {
        if (counts.per_record && per_record[i] != work->begin[i + 1] - work->begin[i])
            good = complain(work->complaint, "records, count: record %zu has %llu, expected %zu", i,
                            (unsigned long long)per_record[i], work->begin[i + 1] - work->begin[i]);
        for (size_t m = work->begin[i]; m < work->begin[i + 1]; m++) {
            uint32_t id = work->expected.items[m].pattern;
            uint32_t group = trawl_db_group_index(work->db, id);
            wanted[id]++;
            wanted_in[id] += (work->firsts[m] & FIRST_OF_PATTERN) != 0;
            wanted_group_in[group] += (work->firsts[m] & FIRST_OF_GROUP) != 0;
        }
    }
    size_t bytes = work->patterns * sizeof(*counters);
    size_t of_groups = trawl_db_groups(work->db) * sizeof(*counters);
    trawl_db_sum_groups(work->db, wanted, wanted_group);
    if (good && ((counts.per_group && memcmp(per_group, wanted_group, of_groups) != 0) ||
                 (counts.group_in_records && memcmp(group_in, wanted_group_in, of_groups) != 0)))
        good = complain(work->complaint, "records, count: other groups");
    if (good && ((counts.per_pattern && memcmp(per_pattern, wanted, bytes) != 0) ||
                 (counts.in_records && memcmp(in_records, wanted_in, bytes) != 0)))
        good = complain(work->complaint, "records, count: other patterns");
    free(counters);
    return good;
}

static bool check_which(const check *work) {
    trawl_record_ids ids = {.begin = NULL};
    trawl_error error = {.message = ""};
    bool good = true;
    for (int round = 0; round < 2 && good; round++) {
        size_t at = 0;
        if (trawl_records_which(work->scanner, &work->records, &ids, &error) != TRAWL_OK)
            good = complain(work->complaint, "records, which: %s", error.message);
        for (size_t i = 0; i < work->records.count && good; i++) {
            if (ids.begin[i] != at)
                good = complain(work->complaint,
                                "records, which: record %zu begins at %llu, expected %zu", i,
                                (unsigned long long)ids.begin[i], at);
            for (size_t m = work->begin[i]; m < work->begin[i + 1] && good; m++) {
                uint32_t group = trawl_db_group(work->db, work->expected.items[m].pattern);
                if ((work->firsts[m] & FIRST_OF_GROUP) != 0 &&
                    (at == ids.begin[work->records.count] || ids.ids[at++] != group))
                    good = complain(work->complaint, "records, which: record %zu lacks group %u", i,
                                    group);
            }
        }
        if (good && ids.begin[work->records.count] != at)
            good = complain(work->complaint, "records, which: more than expected");
    }
    trawl_record_ids_free(&ids);
    return good;
}

typedef struct receiver {
    const check *work;
    size_t count, stop_after; /* stop_after 0: never */
    bool good;
} receiver;

/* Whether match number `at` is as expected. */
static bool is_expected(const check *work, size_t at, const trawl_record_match *match) {
    const trawl_match *wanted = &work->expected.items[at];
    return at < work->expected.count && match->record < work->records.count &&
           work->begin[match->record] <= at && at < work->begin[match->record + 1] &&
           match->start == wanted->start && match->end == wanted->end &&
           match->pattern == wanted->pattern && match->reserved == 0;
}

static int receive(const trawl_record_match *matches, size_t count, void *context) {
    receiver *to = context;
    to->good = to->good && count != 0 && (!to->stop_after || to->count < to->stop_after);
    for (size_t i = 0; i < count && to->good; i++)
        to->good = is_expected(to->work, to->count++, &matches[i]);
    return to->stop_after && to->count >= to->stop_after;
}

static bool check_scan(const check *work) {
    receiver to = {.work = work, .good = true};
    bool stop = work->expected.count && random_chance(work->random, 1, 3);
    if (stop)
        to.stop_after = random_between(work->random, 1, work->expected.count);
    trawl_error error = {.message = ""};
    trawl_status status = trawl_records_scan(work->scanner, &work->records, receive, &to, &error);
    if (!to.good)
        return complain(work->complaint, "records, scan: not match %zu", to.count);
    if (status != (stop ? TRAWL_STOPPED : TRAWL_OK))
        return complain(work->complaint, "records, scan: %s: %s", trawl_status_text(status),
                        error.message);
    return to.count == work->expected.count || stop ||
           complain(work->complaint, "records, scan: %zu matches, expected %zu", to.count,
                    work->expected.count);
}

static bool check_collect(const check *work) {
    trawl_record_matches matches = {.begin = NULL};
    trawl_error error = {.message = ""};
    if (trawl_records_collect(work->scanner, &work->records, &matches, &error) != TRAWL_OK)
        return complain(work->complaint, "records, collect: %s", error.message);
    bool good = true;
    for (size_t i = 0; i <= work->records.count && good; i++)
        if (matches.begin[i] != work->begin[i])
            good = complain(work->complaint,
                            "records, collect: record %zu begins at %llu, expected %zu", i,
                            (unsigned long long)matches.begin[i], work->begin[i]);
    for (size_t m = 0; m < work->expected.count && good; m++)
        if (!is_expected(work, m, &matches.items[m]))
            good = complain(work->complaint, "records, collect: another match than number %zu", m);
    trawl_record_matches_free(&matches);
    return good;
}

static bool check_replace(const check *work) {
    trawl_error error = {.message = ""};
    trawl_replacer *replacer;
    trawl_replaced_records result = {.bytes = NULL};
    byte_list wanted = {.count = 0};
    uint64_t replaced = 99, wanted_replaced = 0;
    bool good = true;
    if (!work->replaces)
        return true;
    replace_oracle oracle;
    replace_oracle_open(&oracle, work->db, work->random);
    oracle.options.scan = work->options;
    if (trawl_replacer_open(work->db, &oracle.options, &replacer, &error) != TRAWL_OK)
        good = complain(work->complaint, "records, replace: %s", error.message);
    for (int round = 0; round < 2 && good; round++)
        if (trawl_records_replace(replacer, &work->records, &result, &replaced, &error) != TRAWL_OK)
            good = complain(work->complaint, "records, replace: %s", error.message);
    for (size_t i = 0; i < work->records.count && good; i++) {
        trawl_span record = record_at(work, i);
        if (result.offsets[i] != wanted.count)
            good = complain(work->complaint,
                            "records, replace: record %zu begins at %llu, expected %zu", i,
                            (unsigned long long)result.offsets[i], wanted.count);
        size_t count = work->begin[i + 1] - work->begin[i];
        const trawl_match *matches = count ? work->expected.items + work->begin[i] : NULL;
        wanted_replaced += replace_oracle_text(&oracle, record.bytes, record.length, matches, count,
                                               record.length, &wanted);
    }
    if (good &&
        (result.offsets[work->records.count] != wanted.count || replaced != wanted_replaced ||
         (wanted.count && memcmp(result.bytes, wanted.items, wanted.count) != 0)))
        good = complain(work->complaint,
                        "records, replace: %llu replaced, expected %llu; or other bytes",
                        (unsigned long long)replaced, (unsigned long long)wanted_replaced);
    trawl_replacer_close(replacer);
    trawl_replaced_records_free(&result);
    byte_list_free(&wanted);
    replace_oracle_close(&oracle);
    return good;
}

bool runner_records_check(const trawl_db *db, const trawl_scan_options *options,
                          const uint8_t *text, size_t length, random_source *random,
                          const message *complaint) {
    bool (*const questions[])(const check *) = {check_any,  check_count,   check_which,
                                                check_scan, check_collect, check_replace};
    enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };
    trawl_error error = {.message = ""};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    check work = {.db = db,
                  .options = options,
                  .replaces = information.matches != TRAWL_MATCH_ALL,
                  .patterns = information.patterns,
                  .random = random,
                  .complaint = complaint};
    if (trawl_record_scanner_open(db, options, &work.scanner, &error) != TRAWL_OK)
        return complain(complaint, "trawl_record_scanner_open: %s", error.message);
    lay_out(&work, text, length);
    expect(&work, db, information.matches);
    bool good = true;
    for (size_t from = random_below(random, QUESTIONS), i = 0; i < QUESTIONS + 2 && good; i++)
        good = questions[(from + i) % QUESTIONS](&work);
    if (!good)
        message_append(complaint, " (%zu records, %s of %u, tail %u%s)", (size_t)work.records.count,
                       work.records.spans ? "spans" : "offsets", work.records.offset_bytes,
                       work.records.tail, work.records.valid ? ", valid" : "");
    trawl_record_scanner_close(work.scanner);
    match_list_free(&work.expected);
    free(work.bytes);
    free(work.offsets);
    free(work.valid);
    free(work.spans);
    free(work.firsts);
    return good;
}
