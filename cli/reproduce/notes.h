/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What is found while a table is measured, and printed with it: a sentence for each heading, which
 * lists what was found under it. Example: "Tables read through textures: ac-dfa ac1; ac-dfa ac2."
 */
#ifndef CLI_REPRODUCE_NOTES_H
#define CLI_REPRODUCE_NOTES_H

#include <stddef.h>

enum { NOTES_HEADINGS = 8 };

/* Begins as zeros. */
typedef struct run_notes {
    char *lines[NOTES_HEADINGS]; /* "heading: item; item"; owned */
    size_t count;
} run_notes;

/* Adds `item` unless it is there already. Without effect where there are too many headings. */
void notes_add(run_notes *notes, const char *heading, const char *item);

/* All sentences; the caller frees them. NULL: none. Nothing remains. */
char *notes_take(run_notes *notes);

#endif
