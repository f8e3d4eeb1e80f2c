/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/info/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "io/condition_text.h"
#include "io/output_file.h"
#include "trawl/trawl_groups.h"

/* Why a pattern cannot be written in a format, or NULL. */
static const char *find_objection(const trawl_db *db, uint32_t id, const trawl_pattern *pattern,
                                  pattern_format format) {
    trawl_condition condition = TRAWL_CONDITION;
    bool conditioned = trawl_db_condition(db, id, &condition);
    bool grouped = trawl_db_has_groups(db);
    if (format == PATTERN_FORMAT_TSV && !condition_has_text(db, id))
        return "has a condition that no match fulfils, or a class without bytes, which no format "
               "can say";
    if (format == PATTERN_FORMAT_TSV)
        return pattern->name != NULL &&
                       (memchr(pattern->name, '\t', pattern->name_length) != NULL ||
                        memchr(pattern->name, '\n', pattern->name_length) != NULL)
                   ? "has a name with a tab or line end, which no format can say"
                   : NULL;
    if ((pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0)
        return "is case-insensitive, which only --pattern-format tsv can say";
    if (conditioned)
        return "has a condition, which only --pattern-format tsv can say";
    if (format == PATTERN_FORMAT_MAP && pattern->value == NULL)
        return "has no value, which --pattern-format map needs";
    if (grouped || (pattern->value != NULL && format != PATTERN_FORMAT_MAP))
        return "has a group or a value, which only --pattern-format tsv can say";
    if (format == PATTERN_FORMAT_LINES && memchr(pattern->bytes, '\n', pattern->length) != NULL)
        return "holds a line end; give --pattern-format escaped, hex or tsv";
    return NULL;
}

/* A line of the file, without its LF. */
typedef struct line {
    char *bytes;
    size_t length;
    size_t room;
} line;

static void add(line *to, const void *bytes, size_t length) {
    if (length != 0)
        memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static void add_text(line *to, const char *text) {
    add(to, text, strlen(text));
}

static void add_escaped(line *to, const uint8_t *bytes, size_t length) {
    to->length += pattern_escape(bytes, length, to->bytes + to->length);
}

static void add_hex(line *to, const trawl_pattern *pattern) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < pattern->length; i++) {
        to->bytes[to->length++] = digits[pattern->bytes[i] >> 4];
        to->bytes[to->length++] = digits[pattern->bytes[i] & 15];
    }
}

/* The columns behind the pattern, as far as a pattern of the database needs them. */
static void add_details(line *to, const trawl_db *db, uint32_t id, const trawl_pattern *pattern) {
    char text[CONDITION_TEXT];
    bool groups = trawl_db_has_groups(db), values = trawl_db_has_values(db);
    if (trawl_db_has_conditions(db) || groups || values) {
        condition_write_text(db, id, text);
        add_text(to, "\t");
        add_text(to, text);
    }
    if (groups || values)
        add_text(to, "\t");
    if (groups)
        add(to, text, output_decimal(pattern->group, text));
    else if (values)
        add_text(to, "-");
    if (pattern->value != NULL) {
        add_text(to, "\t");
        add_escaped(to, pattern->value, pattern->value_length);
    }
}

/* Makes the line of a pattern. */
static void make_line(line *to, const trawl_db *db, uint32_t id, const trawl_pattern *pattern,
                      pattern_format format) {
    /* The longest number of a group, and five tabs and flags. */
    enum { NUMBERS_AND_TABS = 32 };
    size_t bound = pattern->name_length + 4 * (pattern->length + pattern->value_length) +
                   CONDITION_TEXT + NUMBERS_AND_TABS;
    if (bound > to->room) {
        to->bytes = reallocate(to->bytes, 2 * bound);
        to->room = 2 * bound;
    }
    to->length = 0;
    if (format == PATTERN_FORMAT_TSV) {
        bool insensitive = (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        add(to, pattern->name, pattern->name_length);
        add_text(to, insensitive ? "\ti\t" : "\t-\t");
    }
    if (format == PATTERN_FORMAT_HEX)
        add_hex(to, pattern);
    else if (format == PATTERN_FORMAT_LINES)
        add(to, pattern->bytes, pattern->length);
    else
        add_escaped(to, pattern->bytes, pattern->length);
    if (format == PATTERN_FORMAT_MAP) {
        add_text(to, "\t");
        add_escaped(to, pattern->value, pattern->value_length);
    }
    if (format == PATTERN_FORMAT_TSV)
        add_details(to, db, id, pattern);
}

/* The first bytes of the file. */
typedef struct beginning {
    char bytes[PATTERN_FILE_BEGIN];
    size_t length;
} beginning;

static void add_to_beginning(beginning *to, const char *bytes, size_t length) {
    size_t left = sizeof to->bytes - to->length;
    length = length < left ? length : left;
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

/* Whether all patterns can be written in the format, on lines that can be read again. False after
 * reporting. */
static bool can_write(const trawl_db *db, pattern_format format, line *room) {
    trawl_pattern pattern = TRAWL_PATTERN;
    beginning file = {.length = 0};
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        const char *objection = find_objection(db, id, &pattern, format);
        if (objection == NULL) {
            make_line(room, db, id, &pattern, format);
            if (room->length > PATTERN_LINE_LIMIT)
                objection = "has a line of more than 1 MiB in this format, which -f refuses";
            add_to_beginning(&file, room->bytes, room->length);
            add_to_beginning(&file, "\n", 1);
        }
        if (objection != NULL) {
            report("pattern %u %s", id, objection);
            return false;
        }
    }
    if (pattern_file_is_misread(file.bytes, file.length)) {
        report("pattern 0 begins as a compressed file or a database does, for which -f would take "
               "the patterns; give --pattern-format escaped or hex");
        return false;
    }
    return true;
}

static int write_lines(const trawl_db *db, pattern_format format, line *room) {
    trawl_error error;
    output_file *output = NULL;
    trawl_pattern pattern = TRAWL_PATTERN;
    if (output_file_open(NULL, &output, &error) != TRAWL_OK)
        return report_error(&error);
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        make_line(room, db, id, &pattern, format);
        output_file_write(output, room->bytes, room->length);
        output_file_byte(output, '\n');
    }
    return output_file_close(output, &error) == TRAWL_OK ? EXIT_MATCHED : report_error(&error);
}

int info_write_patterns(const trawl_db *db, pattern_format format) {
    enum { USUAL_ROOM = 1 << 16 };
    line room = {.bytes = allocate(USUAL_ROOM), .room = USUAL_ROOM};
    int status = can_write(db, format, &room) ? write_lines(db, format, &room) : EXIT_ERROR;
    free(room.bytes);
    return status;
}
