/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A temporary directory in which tests put files and run commands, in the C locale.
 */
#ifndef TRAWL_TESTS_GREP_SANDBOX_H
#define TRAWL_TESTS_GREP_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sandbox {
    char path[256];
} sandbox;

/* All of these end the test program with a message when the system does not let them work. */
void sandbox_open(sandbox *box);
void sandbox_write(const sandbox *box, const char *name, const void *bytes, size_t length);
void sandbox_directory(const sandbox *box, const char *name);
void sandbox_link(const sandbox *box, const char *name, const char *target);
/* The full path of a name in it; static memory, valid until the next call. */
const char *sandbox_path(const sandbox *box, const char *name);
void sandbox_remove(const sandbox *box);

typedef struct outcome {
    char *output; /* what it wrote to standard output; a NUL follows that is not counted */
    size_t output_length;
    char *errors;
    size_t errors_length;
    int status; /* exit status, or 128 + signal */
} outcome;

enum { ARGUMENTS_MAX = 64 };

/* Runs argv[0] in the sandbox. `input` names the file in it that is standard input; NULL: it is
 * empty. With `piped` it comes through a pipe (at most 60,000 bytes). Free the outcome. */
outcome sandbox_run(const sandbox *box, const char *const argv[], const char *input, bool piped);
void outcome_free(outcome *result);

/* The words of `text` at single blanks become argv[count..]; 'x y' quotes, and '' is an empty
 * word. Returns the new count; argv ends with NULL. `copy` keeps the words (as long as text + 1).
 */
size_t split_words(const char *text, char *copy, const char *argv[ARGUMENTS_MAX], size_t count);

/* Prints bytes with C escapes. */
void print_bytes(const char *bytes, size_t length);

#endif
