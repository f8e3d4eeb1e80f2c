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
        return memchr(pattern->name, '\t', pattern->name_length) != NULL ||
                       memchr(pattern->name, '\n', pattern->name_length) != NULL
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

static void write_hex(output_file *output, const trawl_pattern *pattern) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < pattern->length; i++) {
        output_file_byte(output, digits[pattern->bytes[i] >> 4]);
        output_file_byte(output, digits[pattern->bytes[i] & 15]);
    }
}

static void write_pattern(output_file *output, const trawl_pattern *pattern, pattern_format format,
                          char *room) {
    if (format == PATTERN_FORMAT_TSV) {
        bool insensitive = (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        output_file_write(output, pattern->name, pattern->name_length);
        output_file_text(output, insensitive ? "\ti\t" : "\t-\t");
    }
    if (format == PATTERN_FORMAT_HEX)
        write_hex(output, pattern);
    else if (format == PATTERN_FORMAT_LINES)
        output_file_write(output, pattern->bytes, pattern->length);
    else
        output_file_write(output, room, pattern_escape(pattern->bytes, pattern->length, room));
}

/* The columns behind the pattern, as far as a pattern of the database needs them. `room`: for the
 * longest value, escaped. */
static void write_details(output_file *output, const trawl_db *db, uint32_t id,
                          const trawl_pattern *pattern, char *room) {
    char text[CONDITION_TEXT];
    bool groups = trawl_db_has_groups(db), values = trawl_db_has_values(db);
    if (trawl_db_has_conditions(db) || groups || values) {
        condition_write_text(db, id, text);
        output_file_byte(output, '\t');
        output_file_text(output, text);
    }
    if (groups || values)
        output_file_byte(output, '\t');
    if (groups)
        output_file_write(output, text, output_decimal(pattern->group, text));
    else if (values)
        output_file_byte(output, '-');
    if (pattern->value != NULL) {
        output_file_byte(output, '\t');
        output_file_write(output, room,
                          pattern_escape(pattern->value, pattern->value_length, room));
    }
}

int info_write_patterns(const trawl_db *db, pattern_format format) {
    trawl_error error;
    trawl_pattern pattern = TRAWL_PATTERN;
    trawl_db_information about = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &about, NULL);
    size_t longest = about.max_length;
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        pattern.name = pattern.name == NULL ? "" : pattern.name;
        const char *objection = find_objection(db, id, &pattern, format);
        longest = pattern.value_length > longest ? pattern.value_length : longest;
        if (objection != NULL) {
            report("pattern %u %s", id, objection);
            return EXIT_ERROR;
        }
    }
    output_file *output = NULL;
    if (output_file_open(NULL, &output, &error) != TRAWL_OK)
        return report_error(&error);
    char *room = allocate(4 * longest + 1);
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        write_pattern(output, &pattern, format, room);
        if (format == PATTERN_FORMAT_MAP) {
            output_file_byte(output, '\t');
            output_file_write(output, room,
                              pattern_escape(pattern.value, pattern.value_length, room));
        }
        if (format == PATTERN_FORMAT_TSV)
            write_details(output, db, id, &pattern, room);
        output_file_byte(output, '\n');
    }
    free(room);
    return output_file_close(output, &error) == TRAWL_OK ? EXIT_MATCHED : report_error(&error);
}
