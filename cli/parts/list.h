/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The names of texts that a file lists: --files-from and --files0-from. */
#ifndef CLI_PARTS_LIST_H
#define CLI_PARTS_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The names in a file, or in standard input ("-"), each ended by `separator`, LF or NUL; the last
 * one need not be. Empty names are skipped. */
typedef struct text_list {
    char *bytes;        /* owned; names end with NUL */
    const char **names; /* owned */
    size_t count;
} text_list;

/* False after reporting. Release the list in any case. */
bool text_list_read(text_list *list, const char *path, char separator);
void text_list_release(text_list *list);

#endif
