/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char blanks[] = " \n";

/* The length of the word at `text`, which ends before `end`. A number and the word after it are one
 * word, so that no line ends between a number and its unit. */
static size_t word_length(const char *text, const char *end) {
    size_t rest = (size_t)(end - text);
    size_t length = strcspn(text, blanks);
    if (length >= rest)
        return rest;
    bool is_number = strspn(text, "0123456789.,") == length && text[length - 1] != ',';
    size_t next = strcspn(text + length + 1, blanks);
    if (is_number && text[length] == ' ' && next != 0 && length + 1 + next <= rest)
        length += 1 + next;
    return length;
}

/* Prints words; each line after the first one begins with `mark` and reaches from there to the
 * width. The cursor is at `column`, where the words of a line begin. */
static void print_lines(FILE *file, const char *text, size_t length, size_t begin,
                        const char *mark) {
    const char *end = text + length;
    size_t column = begin;
    while (text < end) {
        size_t word = word_length(text, end);
        if (column > begin && column + 1 + word > WORDS_WIDTH) {
            (void)fprintf(file, "\n%*s", (int)begin, mark);
            column = begin;
        } else if (column > begin) {
            (void)fputc(' ', file);
            column++;
        }
        (void)fprintf(file, "%.*s", (int)word, text);
        column += word;
        text += word;
        text += strspn(text, blanks);
    }
    (void)fputc('\n', file);
}

void words_print(const char *text, size_t length, size_t column, size_t indent) {
    words_write(stdout, text, length, column, indent);
}

void words_write(FILE *file, const char *text, size_t length, size_t column, size_t indent) {
    (void)fprintf(file, "%*s", (int)(indent - column), "");
    print_lines(file, text, length, indent, "");
}

void words_print_marked(const char *mark, const char *text) {
    (void)fputs(mark, stdout);
    print_lines(stdout, text, strlen(text), strlen(mark), mark);
}

const char *words_grouped(uint64_t value, char text[static WORDS_NUMBER_BYTES]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

const char *words_bytes(uint64_t bytes, char text[static WORDS_NUMBER_BYTES]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    /* 999.5 of a unit would be printed as 1000. */
    while (value >= (unit == 0 ? 1000 : 999.5) && unit < 5) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(text, WORDS_NUMBER_BYTES, "%.*f %s",
                   unit == 0        ? 0
                   : value >= 99.95 ? 0
                   : value >= 9.995 ? 1
                                    : 2,
                   value, units[unit]);
    return text;
}
