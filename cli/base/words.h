/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prose and numbers for people: words wrapped to the width of a terminal, digits in groups. */
#ifndef CLI_BASE_WORDS_H
#define CLI_BASE_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WORDS_WIDTH = 80, WORDS_NUMBER_BYTES = 32 };

/* Prints words to standard output, wrapped between the columns `indent` and WORDS_WIDTH, then a
 * line end. A LF is a blank. No line ends between a number and the word after it. The cursor is at
 * `column`, which is at most `indent`. */
void words_print(const char *text, size_t length, size_t column, size_t indent);

/* The same to `file`. */
void words_write(FILE *file, const char *text, size_t length, size_t column, size_t indent);

/* Prints words to standard output, wrapped at WORDS_WIDTH, each line after `mark`. */
void words_print_marked(const char *mark, const char *text);

/* Writes 1234567 as "1,234,567"; returns `text`. */
const char *words_grouped(uint64_t value, char text[static WORDS_NUMBER_BYTES]);

/* Writes a number of bytes with three digits and a decimal unit, as "7.88 kB"; returns `text`. */
const char *words_bytes(uint64_t bytes, char text[static WORDS_NUMBER_BYTES]);

#endif
