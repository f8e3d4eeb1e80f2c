/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/stats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/words.h"

enum { VALUE_COLUMN = 24 };

void stats_begin(stats *stats_) {
    *stats_ = (stats){0};
    stats_->file = open_memstream(&stats_->text, &stats_->length);
    if (stats_->file == NULL)
        memory_exhausted();
}

/* The length of the token at `text`: a string with its quotes, a number or name, or one other
 * character. */
static size_t token_length(const char *text) {
    size_t length = 1;
    if (*text != '"') {
        length = strcspn(text, "{}[],:\"");
        return length == 0 ? 1 : length;
    }
    while (text[length] != '"' && text[length] != '\0')
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    return text[length] == '\0' ? length : length + 1;
}

/* Writes a token for people: a string without its quotes, digits of a whole number in groups. */
static void write_token(FILE *file, const char *text, size_t length) {
    char grouped[WORDS_NUMBER_BYTES];
    if (*text == '"')
        (void)fwrite(text + 1, 1, length - 2, file);
    else if (strspn(text, "0123456789") == length)
        (void)fputs(words_grouped(strtoull(text, NULL, 10), grouped), file);
    else
        (void)fwrite(text, 1, length, file);
}

/* Writes the value at `text`, a token or an array of objects, as "kind bloom, candidates
 * 0.1; kind ...". Returns what follows it. */
static const char *write_value(FILE *file, const char *text) {
    size_t depth = 0;
    do {
        size_t length = token_length(text);
        bool is_string_or_number = strchr("{}[],:", *text) == NULL;
        if (is_string_or_number)
            write_token(file, text, length);
        else if (*text == ':')
            (void)fputc(' ', file);
        else if (*text == ',')
            (void)fputs(depth == 1 ? "; " : ", ", file);
        depth += *text == '{' || *text == '[';
        depth -= *text == '}' || *text == ']';
        text += length;
    } while (depth != 0 && *text != '\0');
    return text;
}

/* Writes the object to standard error, a line for each member. */
static void write_members(const char *text) {
    while (*text == '{' || *text == ',') {
        char *value = NULL;
        size_t value_length = 0;
        const char *key = ++text;
        size_t key_length = token_length(key);
        FILE *file = open_memstream(&value, &value_length);
        if (file == NULL)
            memory_exhausted();
        text = write_value(file, key + key_length + 1);
        if (fclose(file) != 0)
            memory_exhausted();
        (void)fprintf(stderr, "%-*.*s", VALUE_COLUMN, (int)key_length - 2, key + 1);
        words_write(stderr, value, value_length, VALUE_COLUMN, VALUE_COLUMN);
        free(value);
    }
}

void stats_end(stats *stats_) {
    if (fclose(stats_->file) != 0)
        memory_exhausted();
    if (isatty(STDERR_FILENO) == 1)
        write_members(stats_->text);
    else
        (void)fprintf(stderr, "%s\n", stats_->text);
    free(stats_->text);
}
