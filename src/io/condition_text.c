/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/condition_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/hex.h"
#include "pattern/conditions.h"
#include "pattern/patterns.h"

static const struct {
    const char *name;
    uint8_t number;
} classes[] = {{"word", TRAWL_CLASS_WORD},
               {"word-utf8", TRAWL_CLASS_WORD_UTF8},
               {"alnum", TRAWL_CLASS_ALNUM},
               {"label", TRAWL_CLASS_LABEL}};

enum { CLASSES = sizeof classes / sizeof classes[0] };

/* A word of the text: text[0 .. length). */
typedef struct words {
    const char *text;
    size_t length;
} words;

/* ------------------------------------------------------------------ reading */

static bool is_word(words word, const char *name) {
    return word.length == strlen(name) && memcmp(word.text, name, word.length) == 0;
}

/* Removes `name` from the beginning of the word; false: the word does not begin with it. */
static bool strip(words *word, const char *name) {
    size_t length = strlen(name);
    if (word->length < length || memcmp(word->text, name, length) != 0)
        return false;
    word->text += length;
    word->length -= length;
    return true;
}

/* Takes the first byte of a class from the text, which may be written as an escape. -1: it is not
 * written correctly. */
static int take_member(words *rest) {
    static const char letters[] = "nrt0\\", bytes[] = "\n\r\t\0\\";
    if (rest->length == 0)
        return -1;
    int byte = (uint8_t)rest->text[0];
    size_t used = 1;
    if (byte == '\\' && rest->length >= 4 && rest->text[1] == 'x') {
        int high = hex_value((uint8_t)rest->text[2]), low = hex_value((uint8_t)rest->text[3]);
        byte = high < 0 || low < 0 ? -1 : high * 16 + low;
        used = 4;
    } else if (byte == '\\') {
        const char *found =
            rest->length < 2 || rest->text[1] == '\0' ? NULL : strchr(letters, rest->text[1]);
        byte = found == NULL ? -1 : (uint8_t)bytes[found - letters];
        used = 2;
    }
    if (byte >= 0) {
        rest->text += used;
        rest->length -= used;
    }
    return byte;
}

/* Reads the members between the brackets. */
static bool read_members(words inside, uint8_t members[32]) {
    memset(members, 0, 32);
    while (inside.length != 0) {
        int first = take_member(&inside), last = first;
        if (inside.length > 1 && inside.text[0] == '-') {
            inside.text++;
            inside.length--;
            last = take_member(&inside);
        }
        if (first < 0 || last < first)
            return false;
        for (int byte = first; byte <= last; byte++)
            members[byte / 8] |= (uint8_t)(1u << byte % 8);
    }
    return true;
}

/* What has been read of a column. */
typedef struct reading {
    trawl_patterns *patterns;
    trawl_condition condition;
    bool start_given, end_given;
    bool is_single;   /* the column is one word */
    uint8_t boundary; /* whose members classes [BYTES] get; TRAWL_CLASS_NONE: no further ones */
} reading;

/* Reads the name or the members of a class. */
static bool read_class(const reading *of, words word, uint8_t *number,
                       char message[CONDITION_MESSAGE]) {
    for (size_t i = 0; i < CLASSES; i++)
        if (is_word(word, classes[i].name)) {
            *number = classes[i].number;
            return true;
        }
    uint8_t members[32];
    trawl_error error;
    if (is_word(word, "[]")) {
        (void)snprintf(message, CONDITION_MESSAGE, "expected a byte or more in a class, found []");
        return false;
    }
    if (word.length < 2 || word.text[0] != '[' || word.text[word.length - 1] != ']' ||
        !read_members((words){word.text + 1, word.length - 2}, members)) {
        (void)snprintf(message, CONDITION_MESSAGE,
                       "expected word, word-utf8, alnum, label or [BYTES] as a class, found '%.*s'",
                       word.length < 24 ? (int)word.length : 24, word.text);
        return false;
    }
    for (unsigned i = 0; of->boundary != TRAWL_CLASS_NONE && i < sizeof members; i++)
        members[i] |= of->patterns->conditions->classes[of->boundary][i];
    if (trawl_set_class(of->patterns, members, number, &error) != TRAWL_OK) {
        (void)snprintf(message, CONDITION_MESSAGE, "%.190s", error.message);
        return false;
    }
    return true;
}

/* Reads the number behind start= or end=. */
static bool read_number(words word, const char *name, bool *given, uint64_t *number,
                        char message[CONDITION_MESSAGE]) {
    if (*given) {
        (void)snprintf(message, CONDITION_MESSAGE, "expected %s= once, found it twice", name);
        return false;
    }
    *given = true;
    *number = 0;
    bool good = word.length != 0;
    for (size_t i = 0; good && i < word.length; i++) {
        const uint64_t digit = (uint64_t)(word.text[i] - '0');
        good = word.text[i] >= '0' && word.text[i] <= '9' && *number <= (UINT64_MAX - digit) / 10;
        *number = *number * 10 + digit;
    }
    if (!good)
        (void)snprintf(message, CONDITION_MESSAGE, "expected an offset, such as %s=64", name);
    return good;
}

/* Reads the class of one side. Two different classes of the same side contradict each other. */
static bool read_side(reading *of, words word, const char *side, uint8_t *number,
                      char message[CONDITION_MESSAGE]) {
    uint8_t read = TRAWL_CLASS_NONE;
    if (!read_class(of, word, &read, message))
        return false;
    bool good = *number == TRAWL_CLASS_NONE || *number == read;
    if (!good)
        (void)snprintf(message, CONDITION_MESSAGE, "expected one class on the %s, found two", side);
    *number = read;
    return good;
}

static bool refuse_word(const reading *of, words word, char message[CONDITION_MESSAGE]) {
    bool is_blank = word.text[0] == ' ' || word.text[word.length - 1] == ' ';
    bool ends_in_cr = word.text[word.length - 1] == '\r';
    (void)snprintf(message, CONDITION_MESSAGE,
                   "expected a condition (word, word-utf8, alnum, label, [BYTES], left=, right=, "
                   "start=, end=, at-start, at-end), found '%.*s'%s",
                   word.length < 16 ? (int)word.length : 16, word.text,
                   is_blank                       ? "; commas stand between, without blanks"
                   : of->is_single && !ends_in_cr ? "; a tab in a pattern is written \\t"
                                                  : "");
    return false;
}

/* Adds one word to the condition. */
static bool read_word(reading *of, words word, char message[CONDITION_MESSAGE]) {
    trawl_condition *condition = &of->condition;
    words whole = word;
    if (is_word(word, "at-start"))
        return condition->at_start = true;
    if (is_word(word, "at-end"))
        return condition->at_end = true;
    if (strip(&word, "left="))
        return read_side(of, word, "left", &condition->left, message);
    if (strip(&word, "right="))
        return read_side(of, word, "right", &condition->right, message);
    if (strip(&word, "start="))
        return read_number(word, "start", &of->start_given, &condition->min_start, message);
    if (strip(&word, "end=")) {
        if (!read_number(word, "end", &of->end_given, &condition->max_end, message))
            return false;
        if (condition->max_end == 0)
            (void)snprintf(message, CONDITION_MESSAGE, "end=0: no match ends there");
        return condition->max_end != 0;
    }
    for (size_t i = 0; i < CLASSES; i++)
        if (is_word(whole, classes[i].name) || whole.text[0] == '[')
            return read_side(of, whole, "left", &condition->left, message) &&
                   read_side(of, whole, "right", &condition->right, message);
    return refuse_word(of, word, message);
}

/* Whether a match of `length` bytes may fulfil a condition. */
static bool can_hold(size_t length, const trawl_condition *condition,
                     char message[CONDITION_MESSAGE]) {
    uint64_t start = condition->min_start, end = condition->max_end;
    if (end != 0 && start >= end)
        (void)snprintf(message, CONDITION_MESSAGE,
                       "no match starts at start or later and ends at end or before: start=%" PRIu64
                       ",end=%" PRIu64,
                       start, end);
    else if (condition->at_start && start != 0)
        (void)snprintf(message, CONDITION_MESSAGE,
                       "no match starts with the text and at start=%" PRIu64, start);
    else if (end != 0 && length > end - start)
        (void)snprintf(message, CONDITION_MESSAGE,
                       "no match of %zu bytes starts at %" PRIu64
                       " or later and ends at end=%" PRIu64 " or before",
                       length, start, end);
    else
        return true;
    return false;
}

bool condition_add_text(trawl_patterns *patterns, const uint8_t *text, size_t length,
                        uint8_t boundary, char message[CONDITION_MESSAGE]) {
    reading of = {.patterns = patterns, .condition = TRAWL_CONDITION, .boundary = boundary};
    words rest = {(const char *)text, length};
    if (is_word(rest, "-"))
        return true;
    for (;;) {
        words word = {rest.text, 0};
        bool bracket = false;
        while (word.length < rest.length && (bracket || word.text[word.length] != ',')) {
            bracket = (bracket || word.text[word.length] == '[') && word.text[word.length] != ']';
            word.length++;
        }
        if (word.length == 0) {
            (void)snprintf(message, CONDITION_MESSAGE,
                           "expected a condition, or - for none, in each place");
            return false;
        }
        of.is_single = word.length == length;
        if (!read_word(&of, word, message))
            return false;
        if (word.length == rest.length)
            break;
        rest = (words){rest.text + word.length + 1, rest.length - word.length - 1};
    }
    trawl_pattern pattern = TRAWL_PATTERN;
    (void)trawl_patterns_get(patterns, (uint32_t)(trawl_patterns_count(patterns) - 1), &pattern);
    if (!can_hold(pattern.length, &of.condition, message))
        return false;
    trawl_error error;
    if (trawl_patterns_condition_last(patterns, &of.condition, &error) == TRAWL_OK)
        return true;
    (void)snprintf(message, CONDITION_MESSAGE, "%.190s", error.message);
    return false;
}

/* Adds the members of class `number` to a boundary: *boundary becomes the class of both. */
static trawl_status unite(trawl_patterns *patterns, uint8_t *boundary, uint8_t number,
                          trawl_error *error) {
    if (*boundary == TRAWL_CLASS_NONE || *boundary == number) {
        *boundary = number;
        return TRAWL_OK;
    }
    uint8_t members[32];
    const uint8_t *own = patterns->conditions->classes[*boundary];
    const uint8_t *added = patterns->conditions->classes[number];
    for (unsigned i = 0; i < sizeof members; i++) {
        members[i] = own[i] | added[i];
    }
    if (memcmp(members, own, sizeof members) == 0) {
        return TRAWL_OK;
    }
    if (memcmp(members, added, sizeof members) == 0) {
        *boundary = number;
        return TRAWL_OK;
    }
    return trawl_set_class(patterns, members, boundary, error);
}

trawl_status condition_add_boundary(trawl_patterns *patterns, uint8_t number, trawl_error *error) {
    trawl_condition condition = TRAWL_CONDITION;
    (void)trawl_patterns_condition(patterns, (uint32_t)(trawl_patterns_count(patterns) - 1),
                                   &condition);
    trawl_status status = unite(patterns, &condition.left, number, error);
    if (status == TRAWL_OK) {
        status = unite(patterns, &condition.right, number, error);
    }
    return status == TRAWL_OK ? trawl_patterns_condition_last(patterns, &condition, error) : status;
}

/* ------------------------------------------------------------------ writing */

/* Writes a byte of a class, escaped unless it is a letter, a digit or an underscore. */
static char *write_member(char *to, unsigned byte) {
    bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                 (byte >= 'a' && byte <= 'z') || byte == '_' || byte == '.' || byte == ' ';
    return to + (plain ? sprintf(to, "%c", (int)byte) : sprintf(to, "\\x%02X", byte));
}

static bool is_member(const uint8_t members[32], unsigned byte) {
    return byte < 256 && (members[byte / 8] >> byte % 8 & 1) != 0;
}

static char *write_class(const trawl_db *db, uint8_t number, char *to) {
    for (size_t i = 0; i < CLASSES; i++)
        if (number == classes[i].number)
            return to + sprintf(to, "%s", classes[i].name);
    uint8_t members[32] = {0};
    (void)trawl_db_class(db, number, members);
    *to++ = '[';
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned last = byte;
        if (!is_member(members, byte))
            continue;
        while (is_member(members, last + 1))
            last++;
        to = write_member(to, byte);
        if (last > byte + 1)
            *to++ = '-';
        if (last > byte)
            to = write_member(to, last);
        byte = last;
    }
    *to++ = ']';
    *to = '\0';
    return to;
}

static bool has_members(const trawl_db *db, uint8_t number) {
    static const uint8_t none[32];
    uint8_t members[32] = {0};
    (void)trawl_db_class(db, number, members);
    return number < TRAWL_CLASS_OWN || memcmp(members, none, sizeof none) != 0;
}

bool condition_has_text(const trawl_db *db, uint32_t id) {
    char message[CONDITION_MESSAGE];
    trawl_pattern pattern = TRAWL_PATTERN;
    trawl_condition condition = TRAWL_CONDITION;
    (void)trawl_db_pattern(db, id, &pattern);
    return !trawl_db_condition(db, id, &condition) ||
           (has_members(db, condition.left) && has_members(db, condition.right) &&
            can_hold(pattern.length, &condition, message));
}

void condition_write_text(const trawl_db *db, uint32_t id, char *text) {
    trawl_condition condition = TRAWL_CONDITION;
    char *to = text;
    if (!trawl_db_condition(db, id, &condition)) {
        (void)strcpy(text, "-");
        return;
    }
    if (condition.left != TRAWL_CLASS_NONE && condition.left == condition.right) {
        to = write_class(db, condition.left, to);
        *to++ = ',';
    } else {
        const struct {
            const char *name;
            uint8_t number;
        } sides[] = {{"left=", condition.left}, {"right=", condition.right}};
        for (size_t i = 0; i < 2; i++)
            if (sides[i].number != TRAWL_CLASS_NONE) {
                to = write_class(db, sides[i].number, to + sprintf(to, "%s", sides[i].name));
                *to++ = ',';
            }
    }
    if (condition.min_start != 0)
        to += sprintf(to, "start=%" PRIu64 ",", condition.min_start);
    if (condition.max_end != 0)
        to += sprintf(to, "end=%" PRIu64 ",", condition.max_end);
    to += sprintf(to, "%s%s", condition.at_start ? "at-start," : "",
                  condition.at_end ? "at-end," : "");
    to[-1] = '\0'; /* the last comma: a condition demands something */
}
