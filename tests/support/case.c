/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "case.h"

#include "pattern/patterns.h"
#include "trawl/trawl_groups.h"

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
        test->conditions = grown(test->conditions, test->capacity * sizeof(*test->conditions));
    }
    test->conditions[test->count] = (trawl_condition)TRAWL_CONDITION;
    test->patterns[test->count++] =
        (trawl_pattern){.bytes = copied(bytes, length), .length = length, .flags = flags};
}

static bool demands(const trawl_condition *condition) {
    return condition->left || condition->right || condition->min_start || condition->max_end ||
           condition->at_start || condition->at_end;
}

static void note_conditions(test_case *test) {
    test->conditioned = false;
    for (size_t id = 0; id < test->count; id++)
        test->conditioned |= demands(&test->conditions[id]);
}

void test_case_remove_pattern(test_case *test, size_t id) {
    free((void *)test->patterns[id].bytes);
    memmove(&test->patterns[id], &test->patterns[id + 1],
            (test->count - id - 1) * sizeof(*test->patterns));
    memmove(&test->conditions[id], &test->conditions[id + 1],
            (test->count - id - 1) * sizeof(*test->conditions));
    test->count--;
    note_conditions(test);
}

void test_case_set_condition(test_case *test, size_t id, const trawl_condition *condition) {
    test->conditions[id] = *condition;
    note_conditions(test);
}

void test_case_search(const test_case *test, trawl_match_kind kind, match_list *found) {
    oracle_search_with(test->patterns, test->conditions, test->count, test->text, test->length,
                       kind, found);
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
    if (from->conditioned)
        for (size_t id = 0; id < from->count; id++)
            test_case_set_condition(to, id, &from->conditions[id]);
    test_case_append_text(to, from->text, from->length);
}

void test_case_free(test_case *test) {
    for (size_t id = 0; id < test->count; id++)
        free((void *)test->patterns[id].bytes);
    free(test->patterns);
    free(test->conditions);
    free(test->text);
    free(test->name);
    for (size_t kind = 0; kind < MATCH_KINDS; kind++)
        match_list_free(&test->expected[kind]);
    *test = (test_case){0};
}

/* Defines the oracle's own classes in the set. */
static bool define_classes(trawl_patterns *patterns, trawl_error *error) {
    static const uint8_t own[] = {ORACLE_VOWELS, ORACLE_ONE_CASE, ORACLE_NOTHING};
    for (size_t i = 0; i < sizeof(own); i++) {
        uint8_t members[32] = {0};
        for (unsigned byte = 0; byte < 256; byte++)
            if (oracle_is_member(own[i], (uint8_t)byte))
                members[byte / 8] |= (uint8_t)(1u << byte % 8);
        if (trawl_patterns_class(patterns, own[i], members, error) != TRAWL_OK)
            return false;
    }
    return true;
}

/* Some sets have groups that patterns share, and values; the runners read them from the database.
 * Groups do not begin at 0, nor do they ascend with the patterns; some patterns have none. */
static bool add_group(const test_case *test, trawl_patterns *patterns, size_t id,
                      trawl_error *error) {
    if ((test->count + test->length) % 3 != 0)
        return true;
    uint32_t group = (uint32_t)(id * 7 % 5 + test->count / 2);
    return (id % 4 == 3 || trawl_patterns_group_last(patterns, group, error) == TRAWL_OK) &&
           (id % 3 != 1 || trawl_patterns_value_last(patterns, "value", id % 6, error) == TRAWL_OK);
}

/* With TRAWL_TEST_WIDE, sets have offsets of 64 bits (pattern/offsets.h), of which the low 32
 * overflow somewhere among the patterns. */
static bool widen(const test_case *test, trawl_patterns *patterns, trawl_error *error) {
    if (!getenv("TRAWL_TEST_WIDE"))
        return true;
    uint32_t before = 0;
    for (size_t id = 0; id < test->count / 2; id++)
        before += (uint32_t)test->patterns[id].length;
    return trawl_patterns_widen(patterns, 0 - before - (uint32_t)(test->length % 3), error) ==
           TRAWL_OK;
}

trawl_patterns *test_case_patterns(const test_case *test, trawl_error *error) {
    trawl_patterns *patterns = NULL;
    if (trawl_patterns_new(&patterns, error) != TRAWL_OK)
        return NULL;
    if (!widen(test, patterns, error)) {
        trawl_patterns_free(patterns);
        return NULL;
    }
    if (test->conditioned && !define_classes(patterns, error)) {
        trawl_patterns_free(patterns);
        return NULL;
    }
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        if (trawl_patterns_add(patterns, pattern->bytes, pattern->length, pattern->flags, error) !=
                TRAWL_OK ||
            (demands(&test->conditions[id]) &&
             trawl_patterns_condition_last(patterns, &test->conditions[id], error) != TRAWL_OK) ||
            !add_group(test, patterns, id, error)) {
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

static const struct {
    const char *name;
    uint8_t number;
} classes[] = {{"word", TRAWL_CLASS_WORD},   {"word-utf8", TRAWL_CLASS_WORD_UTF8},
               {"alnum", TRAWL_CLASS_ALNUM}, {"label", TRAWL_CLASS_LABEL},
               {"vowels", ORACLE_VOWELS},    {"one-case", ORACLE_ONE_CASE},
               {"nothing", ORACLE_NOTHING}};

static bool read_class(const char *name, uint8_t *number) {
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strcmp(name, classes[i].name) == 0) {
            *number = classes[i].number;
            return true;
        }
    return false;
}

static bool read_condition(test_case *test, char *text) {
    trawl_condition condition = TRAWL_CONDITION;
    char *rest = NULL;
    bool good = test->count != 0;
    for (char *word = strtok_r(text, " ", &rest); word && good; word = strtok_r(NULL, " ", &rest)) {
        if (strncmp(word, "left=", 5) == 0)
            good = read_class(word + 5, &condition.left);
        else if (strncmp(word, "right=", 6) == 0)
            good = read_class(word + 6, &condition.right);
        else if (strncmp(word, "start=", 6) == 0)
            condition.min_start = strtoull(word + 6, NULL, 10);
        else if (strncmp(word, "end=", 4) == 0)
            condition.max_end = strtoull(word + 4, NULL, 10);
        else if (strcmp(word, "at-start") == 0)
            condition.at_start = true;
        else if (strcmp(word, "at-end") == 0)
            condition.at_end = true;
        else
            good = false;
    }
    if (good)
        test_case_set_condition(test, test->count - 1, &condition);
    return good;
}

static void print_side(FILE *file, const char *side, uint8_t number) {
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (number == classes[i].number)
            fprintf(file, " %s=%s", side, classes[i].name);
}

void condition_print(FILE *file, const trawl_condition *condition) {
    if (!demands(condition))
        return;
    fputs("condition", file);
    print_side(file, "left", condition->left);
    print_side(file, "right", condition->right);
    if (condition->min_start)
        fprintf(file, " start=%llu", (unsigned long long)condition->min_start);
    if (condition->max_end)
        fprintf(file, " end=%llu", (unsigned long long)condition->max_end);
    fprintf(file, "%s%s\n", condition->at_start ? " at-start" : "",
            condition->at_end ? " at-end" : "");
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
    if ((rest = repeated(line, "condition", &times)))
        return read_condition(test, rest) ? NULL : "condition left=word ... behind a pattern";
    if ((rest = repeated(line, "text", &times)))
        return read_text(test, rest, times) ? NULL : "text BYTES with valid escapes";
    for (size_t kind = 0; kind < MATCH_KINDS; kind++)
        if ((rest = repeated(line, match_kind_names[kind], &times))) {
            test->expects[kind] = true;
            return read_matches(rest, &test->expected[kind]) ? NULL : "ID:START-END ...";
        }
    return "case, pattern, condition, text or a match kind";
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
