/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Command-line arguments. Each command describes its flags in one table; the parser and --help both
 * read that table, so no flag can lack its help.
 *
 * The syntax is that of GNU getopt_long: -abc, -fFILE, -f FILE, --name VALUE, --name=VALUE,
 * unambiguous beginnings of long names, operands anywhere; `--` ends the flags, `-` is an operand.
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
    const char *value; /* what --help calls the value; NULL: the flag takes none. In brackets, as
                          "[WHEN]": the value is optional and must be written --name=VALUE */
    const char *help;  /* one sentence or more, which --help wraps; NULL: --help omits the flag */
    const char *group; /* heading of --help before this flag; NULL: that of the flag before */
} flag;

/* A flag of another program that users may try, or one of the command's own tables that the command
 * does not take: --help leaves it out. A table ends with a row of zeros. */
typedef struct foreign_flag {
    char letter;      /* 0: none */
    const char *name; /* NULL: none */
    const char *hint; /* what to do instead */
} foreign_flag;

typedef struct command {
    const char *program;         /* NULL: "trawl" */
    const char *name;            /* "scan" */
    const char *summary;         /* one line, without a full stop */
    const char *usage;           /* indented lines are printed as they are, others wrapped */
    const char *examples;        /* printed first: lines "  trawl ...  what for" that end in \n */
    const flag *const *flags;    /* tables in the order of --help; ends with NULL */
    const char *notes;           /* printed last: formats, exit status; as `usage`; or NULL */
    const foreign_flag *foreign; /* or NULL */
} command;

/* "trawl", or what the command calls its program. */
const char *command_program(const command *command);

/* The flags of all tables in their order, without those of command->foreign; NULL past the last
 * one. */
const flag *command_flag(const command *command, size_t index);

typedef struct arguments {
    const command *command;
    int count;
    char **values;
    const char
        *value;       /* value of the flag, or the operand, that arguments_next returned; or NULL */
    const flag *flag; /* the flag that arguments_next returned */
    const flag *compiling; /* the first flag for patterns or engines that flag_groups_next took */
    bool as_letter;        /* the flag was written as a letter, not as a long name */
    int next;              /* private from here on */
    const char *cluster;
    bool flags_ended;
    char digits[22]; /* of -NUM: as many as GNU grep takes */
} arguments;

enum {
    ARGUMENTS_END = 0,
    ARGUMENTS_OPERAND = -1, /* `value` is the operand */
    ARGUMENTS_HELP = -2,    /* --help has been printed: exit with status 0 */
    ARGUMENTS_ERROR = -3    /* an error has been reported: exit with status 2 */
};

/* Starts after argv[0], which is the command's name. Every command understands --help, and -h
 * unless its table has that letter. */
void arguments_begin(arguments *arguments, const command *command, int argc, char **argv);

/* The next flag's id, or one of the values above. */
int arguments_next(arguments *arguments);

/* The current flag as the user wrote it, for messages, in `text`. */
enum { FLAG_SHOWN_BYTES = 64 };
const char *arguments_flag_shown(const arguments *arguments, char text[static FLAG_SHOWN_BYTES]);

/* Read the current value as a number from `least` to `most`; false after reporting that it is none.
 * Sizes take the suffixes K, M, G and T (powers of 1024), in either case. */
bool arguments_number(const arguments *arguments, uint64_t least, uint64_t most, uint64_t *number);
bool arguments_size(const arguments *arguments, uint64_t least, uint64_t most, uint64_t *size);

/* The current value's place among `names`; -1 after reporting that it is none of them, which of
 * them there are, and which one may have been meant. */
int arguments_choose(const arguments *arguments, const char *const *names, size_t count);

/* What functions return that take one flag of a shared table: the flag is of another table, was
 * stored, or has a wrong value, which has been reported. */
enum { FLAG_NOT_MINE = 0, FLAG_TAKEN = 1, FLAG_REFUSED = 2 };

/* Stores the current value as a number from `least` to `most`: FLAG_TAKEN or FLAG_REFUSED. */
int flag_take_uint32(const arguments *arguments, uint32_t least, uint32_t most, uint32_t *number);

/* Prints "trawl: MESSAGE; see 'trawl COMMAND --help'" and returns 2. */
int arguments_misuse(const command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports two flags that exclude each other, written as on the command line, and why (or "").
 * Returns false. */
bool arguments_conflict(const command *command, const char *flag, const char *other,
                        const char *why);

/* A flag as --help writes it first, "-f" or "--engine", in `text`, which has room for 64 bytes. */
const char *flag_written(const flag *row, char *text);

/* Prints the help of a command to standard output. Returns 0, or 2 if that failed. */
int command_print_help(const command *command);

#endif
