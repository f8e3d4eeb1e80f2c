/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/database.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "cli/flags/patterns.h"
#include "io/pattern_file.h"
#include "trawl/trawl_conditions.h"

/* Adds the patterns of an argument, one on each line. As in GNU grep, after a LF at the end of the
 * argument there is one more pattern, the empty one. */
static trawl_status add_text(const grep_pattern_source *source, const pattern_reading *reading,
                             trawl_patterns *patterns, pattern_counts *tally, trawl_error *error) {
    const char *origin = source->is_operand ? "PATTERNS" : "-e";
    size_t length = strlen(source->text);
    char *lines = allocate(length + 1);
    memcpy(lines, source->text, length);
    lines[length] = '\n';
    trawl_status status =
        pattern_memory_add(lines, length + 1, origin, reading, patterns, tally, error);
    free(lines);
    return status;
}

static bool report_failure(const trawl_error *error) {
    report_error(error);
    return false;
}

/* Only in a file of lines an empty line is a pattern, as for grep. In the other formats it
 * separates patterns. */
static bool load_patterns(grep_set *set, const grep_options *options, trawl_patterns **patterns) {
    trawl_error error;
    if (trawl_patterns_new(patterns, &error) != TRAWL_OK) {
        return report_failure(&error);
    }
    pattern_reading argument = options->reading;
    if (argument.format == PATTERN_FORMAT_TSV || argument.format == PATTERN_FORMAT_MAP) {
        argument.format = PATTERN_FORMAT_ESCAPED; /* an argument has no columns */
    }
    set->counts = allocate((options->source_count + 1) * sizeof *set->counts);
    for (size_t i = 0; i < options->source_count; i++) {
        const grep_pattern_source *source = &options->sources[i];
        pattern_counts *counts = &set->counts[i];
        *counts = (pattern_counts){0};
        trawl_status status =
            source->is_file
                ? pattern_file_add(source->text, &options->reading, *patterns, counts, &error)
                : add_text(source, &argument, *patterns, counts, &error);
        if (status != TRAWL_OK) {
            return report_failure(&error);
        }
        set->empty_pattern = set->empty_pattern ||
                             (counts->empty_lines > 0 && argument.format == PATTERN_FORMAT_LINES);
    }
    set->only_empty = set->empty_pattern && trawl_patterns_count(*patterns) == 0;
    return true;
}

void grep_set_note(const grep_set *set, const grep_options *options) {
    for (size_t i = 0; set->counts != NULL && i < options->source_count; i++) {
        if (options->sources[i].is_file) {
            pattern_note(options->sources[i].text, &options->reading, options->format_given,
                         &set->counts[i]);
        }
    }
}

static bool is_word(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_';
}

static uint8_t folded(uint8_t byte, bool fold) {
    return fold && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

static bool is_folded(const trawl_pattern *pattern) {
    return (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
}

static bool same_pattern(const trawl_pattern *left, const trawl_pattern *right) {
    if (left->length != right->length || left->flags != right->flags) {
        return false;
    }
    bool fold = is_folded(left);
    size_t i = 0;
    while (i < left->length && folded(left->bytes[i], fold) == folded(right->bytes[i], fold)) {
        i++;
    }
    return i == left->length;
}

static uint64_t hash_pattern(const trawl_pattern *pattern) {
    bool fold = is_folded(pattern);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a; the last line mixes the low bits */
    for (size_t i = 0; i < pattern->length; i++) {
        hash = (hash ^ folded(pattern->bytes[i], fold)) * UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 32);
}

static bool have_conditions(const trawl_patterns *patterns) {
    trawl_condition condition = TRAWL_CONDITION;
    size_t count = trawl_patterns_count(patterns);
    for (uint32_t id = 0; id < count; id++) {
        if (trawl_patterns_condition(patterns, id, &condition)) {
            return true;
        }
    }
    return false;
}

/* Notes what decides whether a part may begin right behind another although a word character is
 * between the two: one pattern has to end with it, and one to begin with another character. And
 * there have to be two different patterns: with a single one GNU grep tests the byte before. */
static void note_ends(grep_set *set, const trawl_pattern *pattern, const trawl_pattern *first) {
    set->several = set->several || !same_pattern(pattern, first);
    set->ends_in_word = set->ends_in_word || is_word(pattern->bytes[pattern->length - 1]);
    set->begins_outside = set->begins_outside || !is_word(pattern->bytes[0]);
}

static bool parts_may_touch(const grep_set *set) {
    return set->parts && set->ends_in_word && set->begins_outside &&
           (set->several || set->empty_pattern);
}

/* Adds a pattern; with -w as a whole word, so that engines ignore ends within words. Where parts
 * of a line may touch, only the right boundary is given to the library, and grep_parts tests the
 * left one. */
static trawl_status add_pattern(const grep_set *set, const trawl_pattern *pattern,
                                trawl_patterns *patterns, trawl_error *error) {
    trawl_condition condition = TRAWL_CONDITION;
    condition.right = TRAWL_CLASS_WORD;
    condition.left = parts_may_touch(set) ? TRAWL_CLASS_NONE : TRAWL_CLASS_WORD;
    trawl_status status =
        trawl_patterns_add(patterns, pattern->bytes, pattern->length, pattern->flags, error);
    return status == TRAWL_OK && set->whole_words
               ? trawl_patterns_condition_last(patterns, &condition, error)
               : status;
}

/* Removes repeated patterns from a set: each would be reported at every occurrence, and grep does
 * not print which pattern matched. A set with conditions of its own is kept as it is. */
static bool prepare_patterns(grep_set *set, trawl_patterns **patterns) {
    size_t count = trawl_patterns_count(*patterns);
    set->own_conditions = have_conditions(*patterns);
    if (set->own_conditions) {
        return true;
    }
    for (uint32_t id = 0; id < count; id++) {
        trawl_pattern pattern = TRAWL_PATTERN, first = TRAWL_PATTERN;
        trawl_patterns_get(*patterns, 0, &first);
        trawl_patterns_get(*patterns, id, &pattern);
        note_ends(set, &pattern, &first);
    }
    size_t slots = 16;
    while (slots < 2 * count) {
        slots *= 2;
    }
    uint32_t *table = allocate(slots * sizeof *table); /* ids + 1, 0: free */
    memset(table, 0, slots * sizeof *table);
    trawl_patterns *distinct = NULL;
    trawl_error error;
    trawl_status status = trawl_patterns_new(&distinct, &error);
    for (uint32_t id = 0; id < count && status == TRAWL_OK; id++) {
        trawl_pattern pattern = TRAWL_PATTERN, other = TRAWL_PATTERN;
        trawl_patterns_get(*patterns, id, &pattern);
        size_t slot = hash_pattern(&pattern) & (slots - 1);
        bool repeated = false;
        while (table[slot] != 0 && !repeated) {
            trawl_patterns_get(*patterns, table[slot] - 1, &other);
            repeated = same_pattern(&pattern, &other);
            slot = (slot + 1) & (slots - 1);
        }
        if (!repeated) {
            table[slot] = id + 1;
            status = add_pattern(set, &pattern, distinct, &error);
        }
    }
    free(table);
    trawl_patterns_free(*patterns);
    *patterns = distinct;
    return status == TRAWL_OK || report_failure(&error);
}

/* Refuses patterns with the byte that ends lines: they could match across lines. */
static bool check_line_ends(const grep_set *set) {
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0; trawl_db_pattern(set->db, id, &pattern); id++) {
        if (memchr(pattern.bytes, set->line_end, pattern.length) != NULL) {
            report("pattern %u contains a %s, which ends lines: it cannot match within a line", id,
                   set->line_end == '\0' ? "NUL byte" : "LF");
            return false;
        }
    }
    return true;
}

/* Refuses conditions that count offsets: grep searches lines, wherever these are. */
static bool check_places(const grep_set *set) {
    trawl_condition condition = TRAWL_CONDITION;
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0;
         trawl_db_has_conditions(set->db) && trawl_db_pattern(set->db, id, &pattern); id++) {
        if (trawl_db_condition(set->db, id, &condition) &&
            (condition.min_start != 0 || condition.max_end != 0 || condition.at_start ||
             condition.at_end)) {
            report(
                "pattern %u has a condition on its place in the text, which is for 'trawl scan': "
                "grep has boundaries alone, and -x",
                id);
            return false;
        }
    }
    return true;
}

static void set_longest(grep_set *set) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    if (set->db != NULL) {
        (void)trawl_db_info(set->db, &information, NULL);
        set->longest = information.max_length;
    }
}

static bool load_database(grep_set *set, const grep_options *options, bool parts) {
    trawl_error error;
    if (database_load(options->database, options->database_copy, &set->db, &error) != TRAWL_OK) {
        return report_failure(&error);
    }
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(set->db, &information, NULL);
    set->longest = information.max_length;
    if (!check_places(set)) {
        return false;
    }
    bool all_matches = parts || set->whole_words || set->whole_lines;
    if (all_matches && information.matches != TRAWL_MATCH_ALL) {
        report("%s: -o, --color, -w and -x need a database that was compiled with --matches all",
               options->database);
        return false;
    }
    return check_line_ends(set);
}

/* Whether the leftmost-longest matches of the library, which tests boundaries before it selects,
 * are the parts of lines. */
static bool may_choose(const grep_set *set) {
    bool words = !set->own_conditions && !parts_may_touch(set);
    return set->parts && !set->whole_lines && (!set->whole_words || words);
}

/* The bytes of all files together; 0, not known, unless all of them are regular files. */
static uint64_t count_text_bytes(const grep_options *options) {
    uint64_t bytes = 0;
    if (options->list_count != 0) {
        return 0;
    }
    for (size_t i = 0; i < options->files.count; i++) {
        struct stat status;
        if (stat(options->files.items[i], &status) != 0 || !S_ISREG(status.st_mode)) {
            return 0;
        }
        bytes += (uint64_t)status.st_size;
    }
    return bytes;
}

bool grep_set_open(grep_set *set, const grep_options *options, bool parts) {
    *set = (grep_set){.whole_words = options->whole_words && !options->whole_lines,
                      .whole_lines = options->whole_lines,
                      .parts = parts,
                      .line_end = options->line_end,
                      .scan = options->scan};
    if (options->database != NULL) {
        return load_database(set, options, parts);
    }
    trawl_patterns *patterns = NULL;
    bool good = load_patterns(set, options, &patterns) && prepare_patterns(set, &patterns);
    /* If the empty pattern selects every line, the others are needed for the parts only. */
    bool every_line = set->empty_pattern && !set->whole_words && !set->whole_lines;
    if (good && trawl_patterns_count(patterns) > 0 && (parts || !every_line)) {
        trawl_compile_options compile = options->compile;
        compile.text_bytes = set->text_bytes = count_text_bytes(options);
        device_choose_engine(&compile, &options->scan);
        set->chosen = may_choose(set);
        if (set->chosen) {
            compile.matches = TRAWL_MATCH_LEFTMOST_LONGEST;
        }
        trawl_error error;
        good = trawl_compile(patterns, &compile, &set->db, &error) == TRAWL_OK
                   ? check_line_ends(set) && check_places(set)
                   : report_failure(&error);
        set_longest(set);
    }
    trawl_patterns_free(patterns);
    return good;
}

bool grep_set_may_cover(const grep_set *set) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(set->db, &information, NULL);
    return information.matches == TRAWL_MATCH_ALL && !trawl_db_has_conditions(set->db);
}

static void free_database(const grep_set *set) {
    if (!set->borrowed) {
        trawl_db_free(set->db);
    }
}

bool grep_set_cover(grep_set *set) {
    trawl_patterns *patterns = NULL;
    trawl_db *db = NULL;
    trawl_error error;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.text_bytes = set->text_bytes;
    trawl_status status = trawl_patterns_new(&patterns, &error);
    trawl_pattern pattern = TRAWL_PATTERN, first = TRAWL_PATTERN;
    (void)trawl_db_pattern(set->db, 0, &first);
    for (uint32_t id = 0; trawl_db_pattern(set->db, id, &pattern); id++) {
        note_ends(set, &pattern, &first);
    }
    bool chosen = may_choose(set);
    options.matches = chosen || !set->whole_words ? TRAWL_MATCH_LEFTMOST_LONGEST : TRAWL_MATCH_ALL;
    for (uint32_t id = 0; status == TRAWL_OK && trawl_db_pattern(set->db, id, &pattern); id++) {
        status = add_pattern(set, &pattern, patterns, &error);
    }
    if (status == TRAWL_OK) {
        status = trawl_compile(patterns, &options, &db, &error);
    }
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK) {
        return report_failure(&error);
    }
    free_database(set);
    set->db = db;
    set->borrowed = false;
    set->chosen = chosen;
    return true;
}

grep_set grep_set_copy(const grep_set *set, unsigned threads) {
    grep_set copy = *set;
    copy.borrowed = true;
    copy.counts = NULL;
    copy.scan.threads = threads;
    return copy;
}

void grep_set_close(grep_set *set) {
    free_database(set);
    free(set->counts);
    set->db = NULL;
    set->counts = NULL;
}

bool grep_set_accepts_start(const grep_set *set, const uint8_t *text, const uint8_t *start) {
    return !set->whole_words || start == text || !is_word(start[-1]);
}

bool grep_set_accepts(const grep_set *set, const uint8_t *text, const uint8_t *start,
                      const uint8_t *end) {
    if (set->whole_lines) {
        return *end == set->line_end && (start == text || start[-1] == set->line_end);
    }
    return grep_set_accepts_part(set, end) && grep_set_accepts_start(set, text, start);
}

bool grep_set_accepts_part(const grep_set *set, const uint8_t *end) {
    return !set->whole_words || !is_word(*end);
}

bool grep_set_accepts_empty(const grep_set *set, const uint8_t *line, const uint8_t *end) {
    if (set->whole_lines) {
        return end - line == 1;
    }
    if (!set->whole_words) {
        return true;
    }
    /* The empty pattern matches between two bytes that are no part of a word, or beside such a byte
     * at an end of the line. */
    bool after_word = false;
    for (; line < end; line++) {
        bool word = *line != set->line_end && is_word(*line);
        if (!after_word && !word) {
            return true;
        }
        after_word = word;
    }
    return false;
}
