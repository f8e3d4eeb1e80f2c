/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Pattern files in every format: patterns or a sentence with the line's number. What was read is
 * then written escaped and read again, which must give the same bytes.
 */
#include "io/pattern_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_escape(const trawl_pattern *pattern) {
    char *text = malloc(4 * pattern->length + 1);
    trawl_patterns *again = NULL;
    trawl_pattern copy = TRAWL_PATTERN;
    trawl_error error;
    pattern_reading reading = {.format = PATTERN_FORMAT_ESCAPED};
    if (!text || trawl_patterns_new(&again, &error) != TRAWL_OK)
        abort();
    size_t length = pattern_escape(pattern->bytes, pattern->length, text);
    if (length > 4 * pattern->length)
        abort();
    if (pattern_memory_add(text, length, "escaped", &reading, again, NULL, &error) != TRAWL_OK ||
        !trawl_patterns_get(again, 0, &copy) || copy.length != pattern->length ||
        memcmp(copy.bytes, pattern->bytes, copy.length) != 0)
        abort();
    trawl_patterns_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return -1;
    pattern_reading reading = {.format = (pattern_format)(data[0] % 8 % 5),
                               .strip_cr = (data[0] & 0x10) != 0,
                               .case_insensitive = (data[0] & 0x20) != 0};
    trawl_patterns *patterns = NULL;
    pattern_counts tally = {0};
    trawl_pattern pattern = TRAWL_PATTERN;
    trawl_error error;
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK)
        abort();
    trawl_status status =
        pattern_memory_add(data + 1, size - 1, "input", &reading, patterns, &tally, &error);
    if (status != TRAWL_OK && (!error.message[0] || strchr(error.message, '\n')))
        abort();
    if (tally.empty_lines + trawl_patterns_count(patterns) > tally.lines)
        abort();
    for (uint32_t id = 0; trawl_patterns_get(patterns, id, &pattern); id++) {
        if (!pattern.length || (reading.case_insensitive && !pattern.flags))
            abort();
        check_escape(&pattern);
    }
    /* The same bytes as one argument of -e. */
    char *argument = malloc(size);
    memcpy(argument, data + 1, size - 1);
    argument[size - 1] = '\0';
    pattern_text_add(argument, "-e", &reading, patterns, &error);
    free(argument);
    trawl_patterns_free(patterns);
    return 0;
}
