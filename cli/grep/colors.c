/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The variable GREP_COLORS, "name=value:name:...", as GNU grep reads it. */
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/grep/print.h"

/* Sets the colors with that name. Unknown names are ignored. */
static void set(grep_colors *colors, const char *name, const char *value) {
    const struct {
        const char *name;
        const char **where;
    } names[] = {
        {"ms", &colors->selected_match}, {"mc", &colors->context_match},
        {"sl", &colors->selected_line},  {"cx", &colors->context_line},
        {"fn", &colors->file_name},      {"ln", &colors->line_number},
        {"bn", &colors->byte_offset},    {"se", &colors->separator},
    };
    if (value == NULL) {
        colors->reverse = colors->reverse || strcmp(name, "rv") == 0;
        colors->no_erase = colors->no_erase || strcmp(name, "ne") == 0;
        return;
    }
    if (strcmp(name, "mt") == 0) {
        colors->selected_match = colors->context_match = value;
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *names[i].where = value;
        }
    }
}

void grep_colors_read(grep_colors *colors) {
    *colors = (grep_colors){.selected_match = "01;31",
                            .context_match = "01;31",
                            .selected_line = "",
                            .context_line = "",
                            .file_name = "35",
                            .line_number = "32",
                            .byte_offset = "32",
                            .separator = "36"};
    const char *settings = getenv("GREP_COLORS");
    if (settings == NULL || *settings == '\0') {
        return;
    }
    colors->settings = string_copy(settings);
    for (char *item = colors->settings; item != NULL;) {
        char *next = strchr(item, ':');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(item, '=');
        if (value != NULL) {
            *value++ = '\0';
            if (value[strspn(value, "0123456789;")] != '\0') {
                return; /* as GNU grep: ignore this and what follows */
            }
        }
        set(colors, item, value);
        item = next;
    }
}

void grep_colors_release(grep_colors *colors) {
    free(colors->settings);
    colors->settings = NULL;
}
