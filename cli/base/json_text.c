/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/json_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

/* The length of the UTF-8 sequence that begins at bytes[0], or 0 if it is not valid: surrogates,
 * overlong forms and values above U+10FFFF are not. */
static size_t sequence_length(const uint8_t *bytes, size_t length) {
    uint8_t first = bytes[0];
    if (first < 0x80)
        return 1;
    size_t need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || need > length)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
        (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f))
        return 0;
    return need;
}

static bool is_utf8(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t step = sequence_length(bytes + i, length - i);
        if (step == 0)
            return false;
        i += step;
    }
    return true;
}

static size_t base64(const uint8_t *bytes, size_t length, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t out = 0;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned group = (unsigned)bytes[i] << 16;
        if (left > 1)
            group |= (unsigned)bytes[i + 1] << 8;
        if (left > 2)
            group |= bytes[i + 2];
        text[out++] = digits[group >> 18];
        text[out++] = digits[group >> 12 & 63];
        text[out++] = left > 1 ? digits[group >> 6 & 63] : '=';
        text[out++] = left > 2 ? digits[group & 63] : '=';
    }
    return out;
}

size_t json_text(const void *bytes, size_t length, char *text) {
    static const char hex[] = "0123456789abcdef";
    const uint8_t *input = bytes;
    size_t out = 0;
    if (!is_utf8(input, length)) {
        static const char open[] = "{\"bytes\":\"";
        memcpy(text, open, sizeof open - 1);
        out = sizeof open - 1;
        out += base64(input, length, text + out);
        memcpy(text + out, "\"}", 2);
        return out + 2;
    }
    text[out++] = '"';
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = input[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f) {
            text[out++] = (char)byte;
            continue;
        }
        text[out++] = '\\';
        if (byte == '"' || byte == '\\') {
            text[out++] = (char)byte;
        } else if (byte == '\n') {
            text[out++] = 'n';
        } else if (byte == '\r') {
            text[out++] = 'r';
        } else if (byte == '\t') {
            text[out++] = 't';
        } else {
            memcpy(text + out, "u00", 3);
            text[out + 3] = hex[byte >> 4];
            text[out + 4] = hex[byte & 15];
            out += 5;
        }
    }
    text[out++] = '"';
    return out;
}

size_t text_append(char *text, size_t at, const char *addition) {
    size_t length = strlen(addition);
    memcpy(text + at, addition, length);
    return at + length;
}

void json_print_member(FILE *file, const char *key, const char *value) {
    size_t length = strlen(value);
    char *text = allocate(json_text_bound(length));
    size_t written = json_text(value, length, text);
    (void)fprintf(file, "\"%s\":%.*s", key, (int)written, text);
    free(text);
}
