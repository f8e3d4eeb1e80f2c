/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/names.h"

#include <string.h>

#include "io/pattern_file.h"

/* Whether a name has a byte that separates columns or lines, or a backslash: one that stood as it
 * is could not be told from an escaped byte. */
static bool needs_escape(const char *text, size_t length) {
    static const char bytes[] = "\t\n\r\\";
    for (const char *byte = bytes; *byte != '\0'; byte++) {
        if (memchr(text, *byte, length) != NULL)
            return true;
    }
    return false;
}

size_t name_in_table(const char *name, size_t length, char *text) {
    if (needs_escape(name, length))
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
