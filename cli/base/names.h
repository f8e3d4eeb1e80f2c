/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How names of files and patterns are written. */
#ifndef TRAWL_CLI_BASE_NAMES_H
#define TRAWL_CLI_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a name as a column of a table: as it is, or in the escaped format (io/pattern_file.h) if
 * it has a backslash or bytes that separate columns or lines. Different names are written
 * differently. Returns the number of bytes, at most 4 * length, for which `text` has room. No NUL
 * is added. The name of standard input is "-" there. */
size_t name_in_table(const char *name, size_t length, char *text);

/* The name of a file in messages: "(standard input)" for "-". */
const char *name_in_message(const char *path);

/* Replaces control characters by ?. A name may contain escape sequences, which a terminal would
 * execute. */
void name_hide_controls(char *text);

/* Whether the message of an error (trawl_error) begins with the name of a file. */
bool name_begins_message(const char *path, const char *message);

#endif
