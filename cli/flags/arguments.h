/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Command line arguments: the flags of a command are a table, from which both the parser and
 * --help work, so that no flag lacks its help.
 *
 * Syntax as GNU getopt_long: -abc, -fFILE, -f FILE, --name VALUE, --name=VALUE, unambiguous
 * beginnings of long names, operands anywhere, `--` ends the flags, `-` is an operand.
 */
#ifndef CLI_FLAGS_ARGUMENTS_H
#define CLI_FLAGS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One flag. A table ends with a row of zeros. */
typedef struct flag {
    int id;            /* > 0; what arguments_next returns */
    char letter;       /* 0: none. '#': the flag is a number after one dash, as grep's -2 */
    const char *name;  /* long name without dashes; NULL: none */
    const char *value; /* name of its value for the help; NULL: it takes none. In brackets, as
                          "[WHEN]": optional, and then only as --name=VALUE */
    const char *help;  /* a sentence or more, wrapped by --help; NULL: a hidden synonym */
    const char *group; /* heading that stands before this flag in --help; NULL: none */
} flag;

typedef struct command {
    const char *name;     /* "scan" */
    const char *summary;  /* one line, without a full stop */
    const char *usage;    /* without "trawl "; several lines allowed */
    const char *examples; /* shown first; lines as they shall appear, each ending in \n */
    const flag *flags;
    const char *notes; /* shown last: formats, exit status; lines ending in \n; NULL: none */
} command;

typedef struct arguments {
    const command *command;
    int count;
    char **values;
    const char *value; /* of the flag or operand that arguments_next returned; else NULL */
    const flag *flag;  /* of the flag that arguments_next returned */
    bool as_letter;    /* it was written as a letter, not as a long name */
    int next;          /* private from here */
    const char *cluster;
    bool flags_ended;
    char digits[24];
} arguments;

enum {
    ARGUMENTS_END = 0,
    ARGUMENTS_OPERAND = -1, /* `value` is it */
    ARGUMENTS_HELP = -2,    /* --help was asked for and has been printed: exit with status 0 */
    ARGUMENTS_ERROR = -3    /* one line has been printed: exit with status 2 */
};

/* argv[0] is skipped: it is the command's own name. `--help` (and -h where the table has no such
 * letter) is understood for every command. */
void arguments_begin(arguments *arguments, const command *command, int argc, char **argv);

/* The next flag's id, or one of the values above. */
int arguments_next(arguments *arguments);

/* Turn the current value into a number; false after printing one line. Sizes take the suffixes
 * k, M, G (powers of 1024). */
bool arguments_number(const arguments *arguments, uint64_t least, uint64_t most, uint64_t *number);
bool arguments_size(const arguments *arguments, uint64_t least, uint64_t most, uint64_t *size);

/* Prints "trawl: MESSAGE; see 'trawl COMMAND --help'" and returns 2. */
int arguments_misuse(const command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the help of a command to standard output. Returns 0, or 2 when that failed. */
int command_print_help(const command *command);

#endif
