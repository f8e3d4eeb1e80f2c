/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/nearest.h"
#include "cli/base/report.h"

const char *command_program(const command *command_) {
    return command_->program == NULL ? "trawl" : command_->program;
}

int arguments_misuse(const command *command_, const char *format, ...) {
    char message[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(message, sizeof message, format, values);
    va_end(values);
    size_t length = strlen(message);
    bool is_question = length != 0 && message[length - 1] == '?';
    report("%s%s '%s %s --help'", message, is_question ? " See" : "; see",
           command_program(command_), command_->name);
    return EXIT_ERROR;
}

bool arguments_conflict(const command *command_, const char *flag_, const char *other,
                        const char *why) {
    (void)arguments_misuse(command_, "%s and %s exclude each other%s%s", flag_, other,
                           *why == '\0' ? "" : ": ", why);
    return false;
}

const char *flag_written(const flag *row, char *text) {
    if (row->letter != 0)
        (void)snprintf(text, 64, "-%c", row->letter);
    else
        (void)snprintf(text, 64, "--%s", row->name);
    return text;
}

void arguments_begin(arguments *args, const command *command_, int argc, char **argv) {
    *args = (arguments){.command = command_, .count = argc, .values = argv, .next = 1};
}

/* ------------------------------------------------------------------ finding flags */

/* The hint for a flag that the command does not take: what to do instead. NULL: it is no such flag.
 * Either `letter` or `name` is given; the other is 0. */
static const char *foreign_hint(const command *command_, char letter, const char *name) {
    const foreign_flag *row = command_->foreign;
    for (; row != NULL && row->hint != NULL; row++) {
        bool same_name = name != NULL && row->name != NULL && strcmp(row->name, name) == 0;
        if (same_name || (letter != 0 && row->letter == letter))
            return row->hint;
    }
    return NULL;
}

const flag *command_flag(const command *command_, size_t index) {
    for (const flag *const *table = command_->flags; *table != NULL; table++) {
        for (const flag *row = *table; row->id != 0; row++) {
            if (foreign_hint(command_, 0, row->name) == NULL && index-- == 0)
                return row;
        }
    }
    return NULL;
}

static const flag *find_letter(const command *command_, char letter) {
    const flag *row = NULL;
    for (size_t i = 0; (row = command_flag(command_, i)) != NULL; i++) {
        if (row->letter == letter)
            return row;
    }
    return NULL;
}

/* The command's flag whose long name is nearest, or NULL. */
static const char *nearest_flag(const arguments *args, const char *name) {
    nearest search = {.unknown = name};
    const flag *row = NULL;
    for (size_t i = 0; (row = command_flag(args->command, i)) != NULL; i++) {
        if (row->name != NULL && row->help != NULL)
            nearest_offer(&search, row->name);
    }
    return search.name;
}

/* Reports an unknown flag, written as `shown`, whose name may have been meant to be `name`. */
static int unknown_flag(const arguments *args, const char *shown, const char *name) {
    const char *meant = nearest_flag(args, name);
    (void)arguments_misuse(args->command, "unknown flag %s%s%s%s", shown,
                           meant == NULL ? "" : "; did you mean --", meant == NULL ? "" : meant,
                           meant == NULL ? "" : "?");
    return ARGUMENTS_ERROR;
}

static int refuse_foreign(const arguments *args, const char *shown, const char *hint) {
    (void)arguments_misuse(args->command, "unknown flag %s: %s", shown, hint);
    return ARGUMENTS_ERROR;
}

static int unknown_name(const arguments *args, const char *name) {
    char shown[256];
    (void)snprintf(shown, sizeof shown, "--%s", name);
    const char *hint = foreign_hint(args->command, 0, name);
    if (hint != NULL)
        return refuse_foreign(args, shown, hint);
    return unknown_flag(args, shown, name);
}

/* A letter. The whole word after one dash may have been meant to be a long name. */
static int unknown_letter(const arguments *args, const char *cluster) {
    const char shown[] = {'-', cluster[0], '\0'};
    const char *hint = foreign_hint(args->command, cluster[0], NULL);
    if (hint != NULL)
        return refuse_foreign(args, shown, hint);
    return unknown_flag(args, shown, cluster);
}

/* Finds a flag by its long name or the beginning of one. Two names of the same flag are not
 * ambiguous. */
static const flag *find_name(const arguments *args, const char *name, bool *ambiguous) {
    const flag *found = NULL;
    size_t length = strlen(name);
    const flag *row = NULL;
    *ambiguous = false;
    for (size_t i = 0; (row = command_flag(args->command, i)) != NULL; i++) {
        if (row->name == NULL || strncmp(row->name, name, length) != 0)
            continue;
        if (row->name[length] == '\0') {
            *ambiguous = false;
            return row;
        }
        if (found != NULL && found->id != row->id)
            *ambiguous = true;
        found = row;
    }
    return found;
}

/* ------------------------------------------------------------------ taking flags */

static bool takes_value(const flag *row) {
    return row->value != NULL && row->value[0] != '[';
}

/* Whether the value of a flag is the name of a file or folder. */
static bool names_file(const flag *row) {
    static const char *const values[] = {"FILE", "DB", "DIR", "LIST", "X.tix"};
    for (size_t i = 0; row->value != NULL && i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(row->value, values[i]) == 0)
            return true;
    }
    return false;
}

static int accept(arguments *args, const flag *row, bool as_letter) {
    args->flag = row;
    args->as_letter = as_letter;
    if (args->value != NULL && args->value[0] == '\0' && names_file(row)) {
        char name[FLAG_SHOWN_BYTES];
        (void)arguments_misuse(args->command, "%s: the file name is empty",
                               arguments_flag_shown(args, name));
        return ARGUMENTS_ERROR;
    }
    return row->id;
}

static int take_long(arguments *args, const char *text) {
    char name[64];
    const char *equals = strchr(text, '=');
    size_t length = equals == NULL ? strlen(text) : (size_t)(equals - text);
    if (length >= sizeof name)
        return unknown_name(args, text);
    memcpy(name, text, length);
    name[length] = '\0';
    bool ambiguous = false;
    const flag *row = find_name(args, name, &ambiguous);
    if (row == NULL && strcmp(name, "help") == 0) {
        return command_print_help(args->command) == 0 ? ARGUMENTS_HELP : ARGUMENTS_ERROR;
    }
    if (ambiguous) {
        (void)arguments_misuse(args->command, "--%s is the beginning of several flags", name);
        return ARGUMENTS_ERROR;
    }
    if (row == NULL)
        return unknown_name(args, name);
    args->value = equals == NULL ? NULL : equals + 1;
    if (row->value == NULL && equals != NULL) {
        (void)arguments_misuse(args->command, "--%s takes no value", row->name);
        return ARGUMENTS_ERROR;
    }
    if (takes_value(row) && equals == NULL) {
        if (args->next >= args->count) {
            (void)arguments_misuse(args->command, "--%s needs a value: %s", row->name, row->value);
            return ARGUMENTS_ERROR;
        }
        args->value = args->values[args->next++];
    }
    return accept(args, row, false);
}

/* Takes the digits of -NUM at the beginning of args->cluster. */
static int take_digits(arguments *args, const flag *row) {
    const char *first = args->cluster;
    size_t length = strspn(first, "0123456789");
    args->cluster += length;
    for (; length > 1 && *first == '0'; length--)
        first++;
    if (length >= sizeof args->digits) {
        (void)arguments_misuse(args->command, "-NUM: expected at most %zu digits, not %zu",
                               sizeof args->digits - 1, length);
        return ARGUMENTS_ERROR;
    }
    memcpy(args->digits, first, length);
    args->digits[length] = '\0';
    args->value = args->digits;
    return accept(args, row, true);
}

/* Takes the flag of the first letter in args->cluster. */
static int take_letter(arguments *args) {
    char letter = *args->cluster;
    const flag *digits = isdigit((unsigned char)letter) ? find_letter(args->command, '#') : NULL;
    if (digits != NULL)
        return take_digits(args, digits);
    /* In a table '#' stands for a number; on the command line it is no flag. */
    const flag *row = letter == '#' ? NULL : find_letter(args->command, letter);
    if (row == NULL && letter == 'h')
        return command_print_help(args->command) == 0 ? ARGUMENTS_HELP : ARGUMENTS_ERROR;
    if (row == NULL)
        return unknown_letter(args, args->cluster);
    args->cluster++;
    args->value = NULL;
    if (takes_value(row)) {
        if (*args->cluster != '\0') {
            args->value = args->cluster;
            args->cluster = "";
        } else if (args->next < args->count) {
            args->value = args->values[args->next++];
        } else {
            (void)arguments_misuse(args->command, "-%c needs a value: %s", letter, row->value);
            return ARGUMENTS_ERROR;
        }
    }
    return accept(args, row, true);
}

int arguments_next(arguments *args) {
    args->value = NULL;
    args->flag = NULL;
    if (args->cluster != NULL && *args->cluster != '\0')
        return take_letter(args);
    if (args->next >= args->count)
        return ARGUMENTS_END;
    const char *text = args->values[args->next++];
    if (args->flags_ended || text[0] != '-' || text[1] == '\0') {
        args->value = text;
        return ARGUMENTS_OPERAND;
    }
    if (text[1] != '-') {
        args->cluster = text + 1;
        return take_letter(args);
    }
    if (text[2] == '\0') {
        args->flags_ended = true;
        return arguments_next(args);
    }
    return take_long(args, text + 2);
}

/* ------------------------------------------------------------------ values */

const char *arguments_flag_shown(const arguments *args, char text[static FLAG_SHOWN_BYTES]) {
    if (args->flag == NULL)
        (void)snprintf(text, FLAG_SHOWN_BYTES, "the value");
    else if (args->as_letter && args->flag->letter == '#')
        (void)snprintf(text, FLAG_SHOWN_BYTES, "-NUM");
    else if (args->as_letter)
        (void)snprintf(text, FLAG_SHOWN_BYTES, "-%c", args->flag->letter);
    else
        (void)snprintf(text, FLAG_SHOWN_BYTES, "--%s", args->flag->name);
    return text;
}

int arguments_choose(const arguments *args, const char *const *names, size_t count) {
    nearest search = {.unknown = args->value};
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(args->value, names[i]) == 0)
            return (int)i;
        nearest_offer(&search, names[i]);
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
    }
    char name[FLAG_SHOWN_BYTES];
    (void)arguments_misuse(args->command, "%s: expected %s, not '%s'%s%s%s",
                           arguments_flag_shown(args, name), list, args->value,
                           search.name == NULL ? "" : "; did you mean ",
                           search.name == NULL ? "" : search.name, search.name == NULL ? "" : "?");
    return -1;
}

/* The number at the beginning of `text`, and where it ends; NULL: there is none of 64 bits. */
static const char *read_digits(const char *text, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    *value = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    return errno == 0 ? end : NULL;
}

bool arguments_number(const arguments *args, uint64_t least, uint64_t most, uint64_t *number) {
    const char *text = args->value == NULL ? "" : args->value;
    uint64_t value = 0;
    const char *end = read_digits(text, &value);
    if (end != NULL && *end == '\0' && value >= least && value <= most) {
        *number = value;
        return true;
    }
    char name[FLAG_SHOWN_BYTES];
    if (most == UINT64_MAX && errno != ERANGE)
        (void)arguments_misuse(args->command,
                               "%s: expected a number of at least %" PRIu64 ", not '%s'",
                               arguments_flag_shown(args, name), least, text);
    else
        (void)arguments_misuse(args->command,
                               "%s: expected a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                               arguments_flag_shown(args, name), least, most, text);
    return false;
}

static const char size_letters[] = "KMGT"; /* each 1,024 times the one before it */

/* A limit of sizes as a user would write it: 64K. The greatest number has the greatest letter. */
static const char *size_written(uint64_t size, char text[static 32]) {
    unsigned steps = 0;
    if (size == UINT64_MAX) {
        steps = sizeof size_letters - 1;
        size >>= 10 * steps;
    }
    for (; size != 0 && size % 1024 == 0 && steps + 1 < sizeof size_letters; steps++)
        size /= 1024;
    (void)snprintf(text, 32, "%" PRIu64 "%.1s", size, steps == 0 ? "" : &size_letters[steps - 1]);
    return text;
}

bool arguments_size(const arguments *args, uint64_t least, uint64_t most, uint64_t *size) {
    const char *text = args->value == NULL ? "" : args->value;
    uint64_t value = 0;
    const char *end = read_digits(text, &value);
    if (end != NULL && *end != '\0') {
        const char *letter = strchr(size_letters, toupper((unsigned char)*end));
        unsigned shift = letter == NULL ? 0 : 10 * (unsigned)(letter - size_letters + 1);
        bool fits = letter != NULL && value <= UINT64_MAX >> shift;
        value <<= shift;
        end = fits ? end + 1 : NULL;
    }
    if (end != NULL && *end == '\0' && value >= least && value <= most) {
        *size = value;
        return true;
    }
    char name[FLAG_SHOWN_BYTES], from[32], to[32];
    (void)arguments_misuse(args->command,
                           "%s: expected a whole number of bytes, or one with K, M, G or T (powers "
                           "of 1024), from %s to %s, not '%s'",
                           arguments_flag_shown(args, name), size_written(least, from),
                           size_written(most, to), text);
    return false;
}

int flag_take_uint32(const arguments *args, uint32_t least, uint32_t most, uint32_t *number) {
    uint64_t value = 0;
    if (!arguments_number(args, least, most, &value))
        return FLAG_REFUSED;
    *number = (uint32_t)value;
    return FLAG_TAKEN;
}
