/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/pattern_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/condition_text.h"
#include "io/hex.h"
#include "io/pattern_first_line.h"
#include "io/text_file.h"
#include "trawl/trawl_groups.h"

/* A longer line is refused before all of it has been read. */
enum { LINE_LIMIT = PATTERN_LINE_LIMIT };

/* The reader of lines of one input. */
typedef struct line_reader {
    const pattern_reading *reading;
    trawl_patterns *patterns;
    const char *origin;
    pattern_counts *counts; /* of the lines of a file; NULL: the text has no lines */
    uint64_t line;          /* number of the current line; 0: the text has no lines */
    bool one_line;          /* an argument without a LF: messages leave out the number */
    uint8_t *scratch;       /* LINE_LIMIT bytes, for a line after its escapes are resolved */
    trawl_error *error;
} line_reader;

bool pattern_format_find(const char *name, pattern_format *format) {
    static const char *const names[] = {"lines", "escaped", "hex", "tsv", "map"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (pattern_format)i;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ errors */

static trawl_status refuse(const line_reader *reader, trawl_status status, const char *expected) {
    if (reader->line == 0 || reader->one_line)
        return trawl_fail(reader->error, status, "%s: %s", reader->origin, expected);
    return trawl_fail(reader->error, status, "%s:%" PRIu64 ": %s", reader->origin, reader->line,
                      expected);
}

/* Writes one byte of the input as it is shown in a message. */
static void show_byte(uint8_t byte, char text[8]) {
    if (byte > 0x20 && byte < 0x7f)
        (void)snprintf(text, 8, "'%c'", byte);
    else
        (void)snprintf(text, 8, "\\x%02X", byte);
}

/* Puts "pattern file " before a message of text_file, which begins with the name of the file. */
static trawl_status say_pattern_file(trawl_status status, trawl_error *error) {
    if (error == NULL)
        return status;
    const trawl_error cause = *error;
    return trawl_fail(error, status, "pattern file %s", cause.message);
}

/* ------------------------------------------------------------------ escapes */

/* Resolves the escapes of `bytes` into reader->scratch. `column`: the column of the first byte in
 * the line, for messages. */
static trawl_status unescape(const line_reader *reader, const uint8_t *bytes, size_t length,
                             size_t column, size_t *result_length) {
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\\') {
            reader->scratch[out++] = bytes[i];
            continue;
        }
        char message[128];
        if (i + 1 == length) {
            (void)snprintf(message, sizeof message,
                           "column %zu: expected a character after \\, which ends the pattern; "
                           "a backslash is written \\\\",
                           column + i);
            return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
        }
        uint8_t kind = bytes[++i];
        uint8_t value = 0;
        if (kind == 'n') {
            value = '\n';
        } else if (kind == 'r') {
            value = '\r';
        } else if (kind == 't') {
            value = '\t';
        } else if (kind == '\\') {
            value = '\\';
        } else if (kind == '0') {
            value = 0;
        } else if (kind == 'x') {
            int high = i + 1 < length ? hex_value(bytes[i + 1]) : -1;
            int low = i + 2 < length ? hex_value(bytes[i + 2]) : -1;
            if (high < 0 || low < 0) {
                (void)snprintf(message, sizeof message,
                               "column %zu: expected two hexadecimal digits after \\x",
                               column + i - 1);
                return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
            }
            value = (uint8_t)(high * 16 + low);
            i += 2;
        } else {
            char shown[8];
            show_byte(kind, shown);
            (void)snprintf(message, sizeof message,
                           "column %zu: expected n, r, t, \\, 0 or xNN after \\, found %s",
                           column + i - 1, shown);
            return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
        }
        reader->scratch[out++] = value;
    }
    *result_length = out;
    return TRAWL_OK;
}

/* Decodes pairs of hexadecimal digits into reader->scratch. Blanks may stand between two pairs. */
static trawl_status decode_hex(const line_reader *reader, const uint8_t *bytes, size_t length,
                               size_t *result_length) {
    char message[128];
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == ' ' && digits % 2 == 0)
            continue;
        int value = hex_value(bytes[i]);
        if (value < 0) {
            char shown[8];
            show_byte(bytes[i], shown);
            bool may_be_header =
                reader->line == 1 && pattern_is_header(PATTERN_FORMAT_HEX, bytes, length);
            (void)snprintf(message, sizeof message,
                           "column %zu: expected a hexadecimal digit, found %s%s", i + 1, shown,
                           bytes[i] == '\r' && i + 1 == length ? " (--crlf drops it)"
                           : bytes[i] == '?'                   ? "; patterns have no wildcards"
                           : may_be_header ? " (a line of headings is a pattern too)"
                                           : "");
            return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
        }
        if (digits % 2 == 0)
            reader->scratch[digits / 2] = (uint8_t)(value << 4);
        else
            reader->scratch[digits / 2] = (uint8_t)(reader->scratch[digits / 2] | value);
        digits++;
    }
    if (digits % 2 != 0) {
        (void)snprintf(message, sizeof message,
                       "expected an even number of hexadecimal digits, found %zu", digits);
        return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
    }
    *result_length = digits / 2;
    return TRAWL_OK;
}

size_t pattern_escape(const uint8_t *bytes, size_t length, char *text) {
    static const char digits[] = "0123456789ABCDEF";
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
            text[out++] = (char)byte;
            continue;
        }
        text[out++] = '\\';
        if (byte == '\n') {
            text[out++] = 'n';
        } else if (byte == '\r') {
            text[out++] = 'r';
        } else if (byte == '\t') {
            text[out++] = 't';
        } else if (byte == '\\') {
            text[out++] = '\\';
        } else {
            text[out++] = 'x';
            text[out++] = digits[byte >> 4];
            text[out++] = digits[byte & 15];
        }
    }
    return out;
}

/* ------------------------------------------------------------------ one pattern */

static trawl_status add_bytes(const line_reader *reader, const uint8_t *bytes, size_t length,
                              unsigned flags) {
    char message[128];
    if (length == 0)
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      "the pattern is empty; expected a byte or more");
    if (length > TRAWL_PATTERN_MAX_LENGTH) {
        (void)snprintf(message, sizeof message, "the pattern has %zu bytes; expected %d or fewer",
                       length, TRAWL_PATTERN_MAX_LENGTH);
        return refuse(reader, TRAWL_ERROR_LIMIT, message);
    }
    if (reader->reading->case_insensitive)
        flags |= TRAWL_PATTERN_CASE_INSENSITIVE;
    if (reader->reading->exact && flags != 0)
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      "the pattern ignores case, but an index compares bytes; 'trawl scan' finds "
                      "it");
    trawl_error cause;
    trawl_status status = trawl_patterns_add(reader->patterns, bytes, length, flags, &cause);
    if (status == TRAWL_OK && reader->reading->whole_words)
        status = condition_add_boundary(reader->patterns, TRAWL_CLASS_WORD, &cause);
    return status == TRAWL_OK ? status : refuse(reader, status, cause.message);
}

static trawl_status add_escaped(const line_reader *reader, const uint8_t *bytes, size_t length,
                                size_t column, unsigned flags) {
    size_t decoded = 0;
    trawl_status status = unescape(reader, bytes, length, column, &decoded);
    return status == TRAWL_OK ? add_bytes(reader, reader->scratch, decoded, flags) : status;
}

/* What helps where the last column of a line is refused: the CR of a CR LF looks like a part of it.
 */
static const char *hint_at_end(const uint8_t *text, size_t length) {
    return length != 0 && text[length - 1] == '\r' ? "; --crlf drops the CR at the end of the line"
                                                   : "";
}

/* Gives the last pattern the conditions of a column. */
static trawl_status add_condition(const line_reader *reader, const uint8_t *text, size_t length) {
    char expected[CONDITION_MESSAGE], message[CONDITION_MESSAGE + 64];
    trawl_error cause;
    if (reader->reading->exact && !(length == 1 && *text == '-'))
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      "the pattern has a condition, but an index finds all occurrences; 'trawl "
                      "scan' tests conditions");
    const uint8_t boundary = reader->reading->whole_words
                                 ? TRAWL_CLASS_WORD
                                 : TRAWL_CLASS_NONE; /* added with the bytes */
    if (!condition_add_text(reader->patterns, text, length, boundary, expected)) {
        (void)snprintf(message, sizeof message, "fourth column: %s%s", expected,
                       hint_at_end(text, length));
        return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
    }
    if (boundary == TRAWL_CLASS_NONE)
        return TRAWL_OK;
    trawl_status status = condition_add_boundary(reader->patterns, TRAWL_CLASS_WORD, &cause);
    return status == TRAWL_OK ? status : refuse(reader, status, cause.message);
}

/* The columns of a line of tsv. */
enum { NAME, FLAGS, PATTERN, CONDITION, GROUP, VALUE, COLUMNS };

typedef struct column {
    const uint8_t *text; /* NULL: the line does not have this column */
    size_t length;
} column;

/* Divides a line at its tabs; returns the number of columns, which may be more than COLUMNS. */
static size_t divide(const uint8_t *line, size_t length, column columns[COLUMNS]) {
    const uint8_t *end = line + length;
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        columns[i] = (column){NULL, 0};
    for (const uint8_t *at = line; at != NULL; count++) {
        const uint8_t *tab = memchr(at, '\t', (size_t)(end - at));
        if (count < COLUMNS)
            columns[count] = (column){at, (size_t)((tab == NULL ? end : tab) - at)};
        at = tab == NULL ? NULL : tab + 1;
    }
    return count;
}

static bool is_dash(column text) {
    return text.length == 1 && text.text[0] == '-';
}

/* Gives the last pattern the group of a column. */
static trawl_status add_group(const line_reader *reader, column text) {
    uint64_t group = 0;
    bool good = text.length != 0 && text.length <= 10;
    for (size_t i = 0; good && i < text.length; i++) {
        good = text.text[i] >= '0' && text.text[i] <= '9';
        group = group * 10 + (uint64_t)(text.text[i] - '0');
    }
    if (!good || group > UINT32_MAX) {
        char message[128];
        (void)snprintf(message, sizeof message,
                       "expected a group (0 to 4294967295) or - (none) in the fifth column%s",
                       hint_at_end(text.text, text.length));
        return refuse(reader, TRAWL_ERROR_ARGUMENT, message);
    }
    trawl_error cause;
    trawl_status status = trawl_patterns_group_last(reader->patterns, (uint32_t)group, &cause);
    reader->counts->grouped++;
    return status == TRAWL_OK ? status : refuse(reader, status, cause.message);
}

/* Gives the last pattern a value, which is written escaped. `at`: its column in the line. */
static trawl_status add_value(const line_reader *reader, column text, size_t at) {
    size_t decoded = 0;
    trawl_status status = unescape(reader, text.text, text.length, at, &decoded);
    if (status != TRAWL_OK)
        return status;
    trawl_error cause;
    status = trawl_patterns_value_last(reader->patterns, reader->scratch, decoded, &cause);
    return status == TRAWL_OK ? status : refuse(reader, status, cause.message);
}

/* Handles the columns behind the pattern, which are optional, and the name. */
static trawl_status add_details(const line_reader *reader, const column columns[COLUMNS]) {
    const column name = columns[NAME], condition = columns[CONDITION];
    trawl_status status = TRAWL_OK;
    if (condition.text != NULL)
        status = add_condition(reader, condition.text, condition.length);
    if (status == TRAWL_OK && columns[GROUP].text != NULL && !is_dash(columns[GROUP]))
        status = add_group(reader, columns[GROUP]);
    if (status == TRAWL_OK && columns[VALUE].text != NULL)
        status = add_value(reader, columns[VALUE], (size_t)(columns[VALUE].text - name.text) + 1);
    if (status != TRAWL_OK || name.length == 0)
        return status;
    trawl_error cause;
    status =
        trawl_patterns_name_last(reader->patterns, (const char *)name.text, name.length, &cause);
    return status == TRAWL_OK ? status : refuse(reader, status, cause.message);
}

static trawl_status add_tsv(const line_reader *reader, const uint8_t *line, size_t length) {
    column columns[COLUMNS];
    size_t count = divide(line, length, columns);
    if (count < 3)
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      count == 1 ? "expected three columns (name, flags, pattern) with tabs "
                                   "between, found one"
                                 : "expected three columns (name, flags, pattern) with tabs "
                                   "between, found two");
    if (count > COLUMNS)
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      "expected three columns, or up to six with conditions, group and value, "
                      "found more; a tab in a pattern is written \\t");
    const column flags = columns[FLAGS], pattern = columns[PATTERN];
    unsigned bits = 0;
    if (flags.length == 1 && flags.text[0] == 'i')
        bits = TRAWL_PATTERN_CASE_INSENSITIVE;
    else if (!is_dash(flags))
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      "expected i (case-insensitive) or - (none) in the second column");
    trawl_status status =
        add_escaped(reader, pattern.text, pattern.length, (size_t)(pattern.text - line) + 1, bits);
    return status == TRAWL_OK ? add_details(reader, columns) : status;
}

static trawl_status add_map(const line_reader *reader, const uint8_t *line, size_t length) {
    column columns[COLUMNS];
    size_t count = divide(line, length, columns);
    if (count != 2)
        return refuse(reader, TRAWL_ERROR_ARGUMENT,
                      count == 1 ? "expected a pattern and its replacement with a tab between, "
                                   "found no tab"
                                 : "expected a pattern and its replacement with a tab between, "
                                   "found more; a tab in either is written \\t");
    trawl_status status = add_escaped(reader, columns[0].text, columns[0].length, 1, 0);
    return status == TRAWL_OK ? add_value(reader, columns[1], columns[0].length + 2) : status;
}

static trawl_status add_pattern(line_reader *reader, const uint8_t *line, size_t length) {
    size_t decoded = 0;
    trawl_status status = TRAWL_OK;
    switch (reader->reading->format) {
    case PATTERN_FORMAT_LINES:
        return add_bytes(reader, line, length, 0);
    case PATTERN_FORMAT_ESCAPED:
        return add_escaped(reader, line, length, 1, 0);
    case PATTERN_FORMAT_HEX:
        status = decode_hex(reader, line, length, &decoded);
        return status == TRAWL_OK ? add_bytes(reader, reader->scratch, decoded, 0) : status;
    case PATTERN_FORMAT_TSV:
        return add_tsv(reader, line, length);
    case PATTERN_FORMAT_MAP:
        return add_map(reader, line, length);
    }
    return refuse(reader, TRAWL_ERROR_ARGUMENT, "unknown pattern format");
}

static trawl_status add_line(line_reader *reader, const uint8_t *line, size_t length) {
    pattern_counts *counts = reader->counts;
    reader->line++;
    counts->lines++;
    bool ends_in_cr = length != 0 && line[length - 1] == '\r';
    if (reader->reading->strip_cr && ends_in_cr)
        length--;
    if (length == 0) {
        counts->empty_lines++;
        return TRAWL_OK;
    }
    counts->cr_lines += ends_in_cr && !reader->reading->strip_cr;
    counts->inner_crs += memchr(line, '\r', length - 1) != NULL;
    const uint8_t *tab = memchr(line, '\t', length), *end = line + length;
    counts->tab_lines += tab != NULL;
    counts->two_columns += tab != NULL && memchr(tab + 1, '\t', (size_t)(end - tab) - 1) == NULL;
    counts->greater_lines += line[0] == '>';
    counts->marks += reader->line == 1 && pattern_has_mark(line, length);
    counts->wide += reader->line == 1 && pattern_is_wide(line, length);
    trawl_status status = add_pattern(reader, line, length);
    if (status == TRAWL_ERROR_ARGUMENT && reader->line == 1 &&
        reader->reading->format == PATTERN_FORMAT_TSV &&
        pattern_is_header(PATTERN_FORMAT_TSV, line, length))
        return refuse(reader, status,
                      "this looks like a header line; expected name, flags (i or -) and pattern "
                      "from the first line on");
    return status;
}

/* ------------------------------------------------------------------ whole inputs */

static trawl_status refuse_long_line(line_reader *reader) {
    reader->line++;
    return refuse(reader, TRAWL_ERROR_LIMIT,
                  "the line is longer than 1 MiB, the limit of a line; a pattern has at most "
                  "65536 bytes");
}

/* Adds the complete lines of `bytes`; *used is the offset of the incomplete line behind them. */
static trawl_status add_lines(line_reader *reader, const uint8_t *bytes, size_t length,
                              size_t *used) {
    size_t begin = 0;
    const uint8_t *end = NULL;
    while (begin < length && (end = memchr(bytes + begin, '\n', length - begin)) != NULL) {
        size_t line_length = (size_t)(end - bytes) - begin;
        trawl_status status = TRAWL_OK;
        if (line_length > LINE_LIMIT) {
            status = refuse_long_line(reader);
        } else {
            status = add_line(reader, bytes + begin, line_length);
        }
        if (status != TRAWL_OK)
            return status;
        begin += line_length + 1;
    }
    *used = begin;
    return TRAWL_OK;
}

/* Adds the last line of an input, if it has no LF. */
static trawl_status add_last_line(line_reader *reader, const uint8_t *bytes, size_t length) {
    if (length == 0)
        return TRAWL_OK;
    if (length > LINE_LIMIT)
        return refuse_long_line(reader);
    return add_line(reader, bytes, length);
}

/* Whether a file is a database or an index that trawl has written, although each of its bytes could
 * be a pattern's, by its eight magic bytes and the eight behind: numbers with bytes that no text
 * has. */
static bool is_own_file(const uint8_t *bytes, size_t length) {
    return length >= PATTERN_FILE_BEGIN && memchr(bytes + 8, 0, 8) != NULL &&
           (memcmp(bytes, "TRAWLDB\n", 8) == 0 || memcmp(bytes, "TRAWLIX\n", 8) == 0);
}

bool pattern_file_is_misread(const void *bytes, size_t length) {
    return text_file_bytes_are_compressed(bytes, length) || is_own_file(bytes, length);
}

static trawl_status refuse_own_file(const line_reader *reader, const uint8_t *bytes,
                                    size_t length) {
    if (!is_own_file(bytes, length))
        return TRAWL_OK;
    if (bytes[5] == 'D')
        return refuse(reader, TRAWL_ERROR_FORMAT,
                      "this is a database, made by 'trawl compile': give it with --db");
    return refuse(reader, TRAWL_ERROR_FORMAT,
                  "this is an index of texts, for 'trawl index query'; expected patterns");
}

static trawl_status add_file(line_reader *reader, text_file *file, uint8_t *buffer) {
    size_t held = 0; /* bytes of the line whose end has not been read yet */
    for (;;) {
        size_t length = 0;
        trawl_status status = text_file_read(file, buffer + held, 2 * (size_t)LINE_LIMIT - held,
                                             &length, reader->error);
        if (status != TRAWL_OK)
            return say_pattern_file(status, reader->error);
        if (length == 0)
            return add_last_line(reader, buffer, held);
        size_t used = 0;
        if (reader->line == 0)
            status = refuse_own_file(reader, buffer, held + length);
        if (status == TRAWL_OK)
            status = add_lines(reader, buffer, held + length, &used);
        if (status != TRAWL_OK)
            return status;
        held = held + length - used;
        if (held > LINE_LIMIT)
            return add_last_line(reader, buffer, held);
        memmove(buffer, buffer + used, held);
    }
}

trawl_status pattern_file_add(const char *path, const pattern_reading *reading,
                              trawl_patterns *patterns, pattern_counts *counts,
                              trawl_error *error) {
    pattern_counts ignored = {0};
    text_file *file = NULL;
    trawl_status status = text_file_open(path, TEXT_DECOMPRESS, &file, error);
    if (status != TRAWL_OK)
        return say_pattern_file(status, error);
    char origin[sizeof error->message];
    (void)snprintf(origin, sizeof origin, "pattern file %s",
                   strcmp(path, "-") == 0 ? "(standard input)" : path);
    uint8_t *buffer = malloc(3 * (size_t)LINE_LIMIT);
    if (buffer == NULL) {
        status = trawl_fail_memory(error, "reading patterns", 3 * (uint64_t)LINE_LIMIT);
    } else {
        line_reader reader = {.reading = reading,
                              .patterns = patterns,
                              .origin = origin,
                              .counts = counts == NULL ? &ignored : counts,
                              .scratch = buffer + 2 * (size_t)LINE_LIMIT,
                              .error = error};
        status = add_file(&reader, file, buffer);
    }
    free(buffer);
    text_file_close(file);
    return status;
}

trawl_status pattern_memory_add(const void *bytes, size_t length, const char *origin,
                                const pattern_reading *reading, trawl_patterns *patterns,
                                pattern_counts *counts, trawl_error *error) {
    pattern_counts ignored = {0};
    uint8_t *scratch = malloc(LINE_LIMIT);
    if (scratch == NULL)
        return trawl_fail_memory(error, "reading patterns", LINE_LIMIT);
    line_reader reader = {.reading = reading,
                          .patterns = patterns,
                          .origin = origin,
                          .counts = counts == NULL ? &ignored : counts,
                          .scratch = scratch,
                          .one_line = length < 2 || memchr(bytes, '\n', length - 1) == NULL,
                          .error = error};
    size_t used = 0;
    trawl_status status = add_lines(&reader, bytes, length, &used);
    if (status == TRAWL_OK && used < length)
        status = add_last_line(&reader, (const uint8_t *)bytes + used, length - used);
    free(scratch);
    return status;
}

trawl_status pattern_text_add(const char *text, const char *origin, const pattern_reading *reading,
                              trawl_patterns *patterns, trawl_error *error) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = strlen(text);
    uint8_t *scratch = malloc(length + 1);
    if (scratch == NULL)
        return trawl_fail_memory(error, "reading a pattern", length + 1);
    line_reader reader = {.reading = reading,
                          .patterns = patterns,
                          .origin = origin,
                          .scratch = scratch,
                          .error = error};
    trawl_status status = TRAWL_OK;
    size_t decoded = 0;
    if (reading->format == PATTERN_FORMAT_LINES) {
        status = add_bytes(&reader, bytes, length, 0);
    } else if (reading->format == PATTERN_FORMAT_HEX) {
        status = decode_hex(&reader, bytes, length, &decoded);
        if (status == TRAWL_OK)
            status = add_bytes(&reader, scratch, decoded, 0);
    } else {
        status = add_escaped(&reader, bytes, length, 1, 0);
    }
    free(scratch);
    return status;
}
