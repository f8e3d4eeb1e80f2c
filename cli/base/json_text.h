/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Bytes as JSON: a string if they are valid UTF-8, else {"bytes":"BASE64"}, as ripgrep has it. */
#ifndef CLI_BASE_JSON_TEXT_H
#define CLI_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes at most json_text_bound(length) characters to `text`; returns their number. */
size_t json_text(const void *bytes, size_t length, char *text);

static inline size_t json_text_bound(size_t length) {
    return 6 * length + 16;
}

/* Copies a string, as a key of JSON, to text[at] without its NUL; returns the place behind it. */
size_t text_append(char *text, size_t at, const char *addition);

/* Writes "KEY":VALUE, the value being a string without NUL in it. */
void json_print_member(FILE *file, const char *key, const char *value);

#endif
