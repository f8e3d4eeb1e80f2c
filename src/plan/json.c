/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"

static void append(trawl_json *json, const char *bytes, size_t count) {
    if (count == 0 || json->needed != 0) {
        return;
    }
    if (json->length + count > json->capacity) {
        size_t capacity = 2 * (json->length + count) + 1024;
        char *grown = trawl_reallocate(json->text, capacity, 1);
        if (grown == NULL) {
            json->needed = capacity;
            return;
        }
        json->text = grown;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, bytes, count);
    json->length += count;
}

static void append_text(trawl_json *json, const char *text) {
    append(json, text, strlen(text));
}

static void append_quoted(trawl_json *json, const char *text) {
    append_text(json, "\"");
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        char escaped[8];
        if (byte < 0x20) {
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            append_text(json, escaped);
        } else {
            append(json, "\\", byte == '"' || byte == '\\');
            append(json, text, 1);
        }
    }
    append_text(json, "\"");
}

/* The comma before a value, and its name. */
static void begin(trawl_json *json, const char *name) {
    append_text(json, json->follows ? "," : "");
    if (name != NULL) {
        append_quoted(json, name);
        append_text(json, ":");
    }
    json->follows = true;
}

void trawl_json_open(trawl_json *json, const char *name, char bracket) {
    begin(json, name);
    append(json, &bracket, 1);
    json->follows = false;
}

void trawl_json_close(trawl_json *json, char bracket) {
    append(json, &bracket, 1);
    json->follows = true;
}

void trawl_json_text(trawl_json *json, const char *name, const char *text) {
    begin(json, name);
    append_quoted(json, text);
}

void trawl_json_integer(trawl_json *json, const char *name, uint64_t value) {
    char digits[24];
    begin(json, name);
    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    append_text(json, digits);
}

/* The process may have a locale with another decimal point, of one byte or more. */
static void use_full_stop(char *digits) {
    size_t whole = strspn(digits, "-0123456789");
    size_t rest = whole + strcspn(digits + whole, "e0123456789");
    if (rest > whole) {
        digits[whole] = '.';
        memmove(digits + whole + 1, digits + rest, strlen(digits + rest) + 1);
    }
}

void trawl_json_number(trawl_json *json, const char *name, double value) {
    char digits[64];
    begin(json, name);
    if (!isfinite(value)) {
        append_text(json, "null");
        return;
    }
    (void)snprintf(digits, sizeof digits, "%.6g", value);
    use_full_stop(digits);
    append_text(json, digits);
}

void trawl_json_null(trawl_json *json, const char *name) {
    begin(json, name);
    append_text(json, "null");
}

char *trawl_json_finish(trawl_json *json) {
    append(json, "", 1);
    if (json->needed != 0) {
        trawl_release(json->text);
        return NULL;
    }
    return json->text;
}
