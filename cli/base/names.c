/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/names.h"

#include <string.h>

#include "io/pattern_file.h"

static bool breaks_table(const char *text, size_t length) {
    return memchr(text, '\t', length) != NULL || memchr(text, '\n', length) != NULL ||
           memchr(text, '\r', length) != NULL;
}

size_t name_in_table(const char *name, size_t length, char *text) {
    if (breaks_table(name, length))
        return pattern_escape((const uint8_t *)name, length, text);
    memcpy(text, name, length);
    return length;
}

const char *name_in_message(const char *path) {
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

void name_hide_controls(char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
}

bool name_begins_message(const char *path, const char *message) {
    const char *name = name_in_message(path);
    for (; *name != '\0'; name++, message++) {
        char byte = (unsigned char)*name < ' ' ? '?' : *name; /* as messages have it */
        if (*message != byte)
            return false;
    }
    return true;
}
