/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "case.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

const char *const match_kind_names[MATCH_KINDS] = {"all", "leftmost-first", "leftmost-longest"};

static void *grown(void *memory, size_t size) {
    void *result = realloc(memory, size ? size : 1);
    if (!result)
        abort();
    return result;
}

static uint8_t *copied(const void *bytes, size_t length) {
    uint8_t *copy = grown(NULL, length);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

void test_case_add_pattern(test_case *test, const void *bytes, size_t length, unsigned flags) {
    if (test->count == test->capacity) {
        test->capacity = test->capacity ? test->capacity * 2 : 8;
        test->patterns = grown(test->patterns, test->capacity * sizeof(*test->patterns));
    }
    test->patterns[test->count++] =
        (trawl_pattern){.bytes = copied(bytes, length), .length = length, .flags = flags};
}

void test_case_remove_pattern(test_case *test, size_t id) {
    free((void *)test->patterns[id].bytes);
    memmove(&test->patterns[id], &test->patterns[id + 1],
            (test->count - id - 1) * sizeof(*test->patterns));
    test->count--;
}

void test_case_append_text(test_case *test, const void *bytes, size_t length) {
    if (!test->text || test->length + length > test->text_capacity) {
        test->text_capacity = 2 * (test->length + length);
        test->text = grown(test->text, test->text_capacity);
    }
    if (length)
        memcpy(test->text + test->length, bytes, length);
    test->length += length;
}

void test_case_copy(test_case *to, const test_case *from) {
    *to = (test_case){0};
    if (from->name)
        to->name = (char *)copied(from->name, strlen(from->name) + 1);
    for (size_t id = 0; id < from->count; id++)
        test_case_add_pattern(to, from->patterns[id].bytes, from->patterns[id].length,
                              from->patterns[id].flags);
    test_case_append_text(to, from->text, from->length);
}

void test_case_free(test_case *test) {
    for (size_t id = 0; id < test->count; id++)
        free((void *)test->patterns[id].bytes);
    free(test->patterns);
    free(test->text);
    free(test->name);
    for (size_t kind = 0; kind < MATCH_KINDS; kind++)
        match_list_free(&test->expected[kind]);
    *test = (test_case){0};
}

trawl_patterns *test_case_patterns(const test_case *test, trawl_error *error) {
    trawl_patterns *patterns = NULL;
    if (trawl_patterns_new(&patterns, error) != TRAWL_OK)
        return NULL;
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        if (trawl_patterns_add(patterns, pattern->bytes, pattern->length, pattern->flags, error) !=
            TRAWL_OK) {
            trawl_patterns_free(patterns);
            return NULL;
        }
    }
    return patterns;
}

/* ------------------------------------------------------------------ reading the table */

/* Decodes escapes in place; returns the length or -1. */
static long decode(char *text) {
    static const char digits[] = "0123456789abcdef";
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (*in != '\\') {
            *out++ = *in;
            continue;
        }
        switch (*++in) {
        case 'n':
            *out++ = '\n';
            break;
        case 'r':
            *out++ = '\r';
            break;
        case 't':
            *out++ = '\t';
            break;
        case '0':
            *out++ = '\0';
            break;
        case '\\':
            *out++ = '\\';
            break;
        case 'x': {
            const char *high = in[1] ? strchr(digits, in[1]) : NULL;
            const char *low = high && in[2] ? strchr(digits, in[2]) : NULL;
            if (!low)
                return -1;
            *out++ = (char)((high - digits) * 16 + (low - digits));
            in += 2;
            break;
        }
        default:
            return -1;
        }
    }
    return out - text;
}

/* Reads "ID:START-END ..." with `{ ... }+STEP*N` groups. */
static bool read_matches(char *text, match_list *list) {
    size_t group = SIZE_MAX; /* where the open group begins */
    char *rest = NULL;
    for (char *token = strtok_r(text, " ", &rest); token; token = strtok_r(NULL, " ", &rest)) {
        unsigned id, used = 0;
        unsigned long long start, end, step, times;
        if (strcmp(token, "{") == 0 && group == SIZE_MAX) {
            group = list->count;
        } else if (sscanf(token, "}+%llu*%llu%n", &step, &times, (int *)&used) == 2 &&
                   !token[used] && group != SIZE_MAX) {
            size_t stop = list->count;
            for (unsigned long long time = 1; time < times; time++)
                for (size_t i = group; i < stop; i++) {
                    trawl_match match = list->items[i];
                    match_list_add(list, match.pattern, match.start + time * step,
                                   match.end + time * step);
                }
            group = SIZE_MAX;
        } else if (sscanf(token, "%u:%llu-%llu%n", &id, &start, &end, (int *)&used) == 3 &&
                   !token[used]) {
            match_list_add(list, id, start, end);
        } else {
            return false;
        }
    }
    return group == SIZE_MAX;
}

/* "KEY*N rest" -> N and rest; 1 when there is no *N. Returns NULL when the line is another one. */
static char *repeated(char *line, const char *key, unsigned long *times) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    *times = 1;
    if (*line == '*')
        *times = strtoul(line + 1, &line, 10);
    return *line == ' ' ? line + 1 : !*line ? line : NULL;
}

static bool read_pattern(test_case *test, char *rest, unsigned long times) {
    if ((rest[0] != '-' && rest[0] != 'i') || rest[1] != ' ')
        return false;
    unsigned flags = rest[0] == 'i' ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
    long length = decode(rest + 2);
    if (length <= 0)
        return false;
    uint8_t *bytes = grown(NULL, (size_t)length * times);
    for (unsigned long time = 0; time < times; time++)
        memcpy(bytes + time * (size_t)length, rest + 2, (size_t)length);
    test_case_add_pattern(test, bytes, (size_t)length * times, flags);
    free(bytes);
    return true;
}

static bool read_text(test_case *test, char *rest, unsigned long times) {
    long length = decode(rest);
    for (unsigned long time = 0; length > 0 && time < times; time++)
        test_case_append_text(test, rest, (size_t)length);
    return length >= 0;
}

/* Returns what was expected instead, or NULL when the line was read. */
static const char *read_line(test_case_list *list, char *line) {
    unsigned long times;
    char *rest;
    if (strncmp(line, "case ", 5) == 0) {
        list->items = grown(list->items, (list->count + 1) * sizeof(*list->items));
        test_case *added = &list->items[list->count++];
        *added = (test_case){.name = (char *)copied(line + 5, strlen(line + 5) + 1)};
        return NULL;
    }
    if (!list->count)
        return "a line `case NAME` first";
    test_case *test = &list->items[list->count - 1];
    if ((rest = repeated(line, "pattern", &times)))
        return read_pattern(test, rest, times) ? NULL : "pattern FLAGS BYTES, FLAGS being - or i";
    if ((rest = repeated(line, "text", &times)))
        return read_text(test, rest, times) ? NULL : "text BYTES with valid escapes";
    for (size_t kind = 0; kind < MATCH_KINDS; kind++)
        if ((rest = repeated(line, match_kind_names[kind], &times))) {
            test->expects[kind] = true;
            return read_matches(rest, &test->expected[kind]) ? NULL : "ID:START-END ...";
        }
    return "case, pattern, text or a match kind";
}

bool test_cases_read(test_case_list *list, const char *path, char *message, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(message, size, "%s: cannot be opened", path);
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    const char *expected = NULL;
    for (size_t number = 1; !expected && (length = getline(&line, &capacity, file)) >= 0;
         number++) {
        if (length && line[length - 1] == '\n')
            line[--length] = '\0';
        if (!length || line[0] == '#')
            continue;
        expected = read_line(list, line);
        if (expected)
            snprintf(message, size, "%s:%zu: expected %s", path, number, expected);
    }
    free(line);
    fclose(file);
    return !expected;
}

static int is_case_file(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0;
}

bool test_cases_read_all(test_case_list *list, char *message, size_t size) {
    struct dirent **entries = NULL;
    int count = scandir(TRAWL_TEST_CASES_DIR, &entries, is_case_file, alphasort);
    if (count <= 0) {
        snprintf(message, size, "%s: no .txt files", TRAWL_TEST_CASES_DIR);
        return false;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", TRAWL_TEST_CASES_DIR, entries[i]->d_name);
        good = good && test_cases_read(list, path, message, size);
        free(entries[i]);
    }
    free(entries);
    return good;
}

void test_cases_free(test_case_list *list) {
    for (size_t i = 0; i < list->count; i++)
        test_case_free(&list->items[i]);
    free(list->items);
    *list = (test_case_list){0};
}
