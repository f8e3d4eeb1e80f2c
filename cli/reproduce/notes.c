/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/notes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

/* The text and `separator` and `added` behind it; frees the text. */
static char *join(char *text, const char *separator, const char *added) {
    size_t length = text == NULL ? 0 : strlen(text);
    size_t between = strlen(separator);
    size_t more = strlen(added) + 1;
    text = reallocate(text, length + between + more);
    memcpy(text + length, separator, between);
    memcpy(text + length + between, added, more);
    return text;
}

/* What is behind "heading" in a line; NULL: the line has another heading. */
static const char *items_of(const char *line, const char *heading) {
    size_t length = strlen(heading);
    bool same = strncmp(line, heading, length) == 0 && line[length] == ':';
    return same ? line + length : NULL;
}

/* Whether the item is one of those that follow a heading. */
static bool has_item(const char *items, const char *item) {
    size_t length = strlen(item);
    for (const char *at = strstr(items, item); at != NULL; at = strstr(at + 1, item)) {
        bool begins = at[-1] == ' ' && (at[-2] == ':' || at[-2] == ';');
        if (begins && (at[length] == ';' || at[length] == '\0'))
            return true;
    }
    return false;
}

void notes_add(run_notes *notes, const char *heading, const char *item) {
    size_t i = 0;
    while (i < notes->count && items_of(notes->lines[i], heading) == NULL)
        i++;
    if (i == NOTES_HEADINGS)
        return;
    if (i == notes->count)
        notes->lines[notes->count++] = join(join(NULL, "", heading), ": ", item);
    else if (!has_item(items_of(notes->lines[i], heading), item))
        notes->lines[i] = join(notes->lines[i], "; ", item);
}

char *notes_take(run_notes *notes) {
    char *all = NULL;
    for (size_t i = 0; i < notes->count; i++) {
        all = join(join(all, i == 0 ? "" : " ", notes->lines[i]), ".", "");
        free(notes->lines[i]);
        notes->lines[i] = NULL;
    }
    notes->count = 0;
    return all;
}
