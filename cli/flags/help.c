/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* --help, from a command's table: what the command does, examples, usage, then every flag. Prose is
 * wrapped here, so that a command need not care for the width of a terminal. */
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/base/words.h"
#include "cli/flags/arguments.h"

enum { HELP_COLUMN = 30 };

/* The length of the paragraph at `text`: lines up to an empty or an indented one. An indented line
 * is a paragraph of its own. */
static size_t paragraph_length(const char *text) {
    const char *end = text;
    do {
        end += strcspn(end, "\n");
        end += *end == '\n';
    } while (*text != ' ' && *end != ' ' && *end != '\n' && *end != '\0');
    return (size_t)(end - text);
}

/* Prints notes or usage: empty and indented lines as they are, paragraphs wrapped. */
static void print_prose(const char *text) {
    while (*text != '\0') {
        size_t length = *text == '\n' ? 1 : paragraph_length(text);
        if (*text == ' ' || *text == '\n')
            (void)printf("%.*s%s", (int)length, text, text[length - 1] == '\n' ? "" : "\n");
        else
            words_print(text, length, 0, 0);
        text += length;
    }
}

/* Prints examples. Their purpose stands behind them, or above if the line is too long. */
static void print_examples(const char *text) {
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t line = 0; /* length of the example itself, if what it is for stands above it */
        for (size_t i = 2; length > WORDS_WIDTH && line == 0 && i + 2 < length; i++) {
            if (text[i] == ' ' && text[i + 1] == ' ')
                line = i;
        }
        if (line == 0) {
            (void)printf("%.*s\n", (int)length, text);
        } else {
            size_t note = line + strspn(text + line, " ");
            (void)printf("  # %.*s\n", (int)(length - note), text + note);
            (void)printf("%.*s\n", (int)line, text);
        }
        text += length;
        text += *text == '\n';
    }
}

static void print_flag(const flag *row) {
    int column = 0;
    if (row->letter == '#')
        column = printf("  -NUM");
    else if (row->letter != 0)
        column = printf("  -%c", row->letter);
    else
        column = printf("    ");
    if (row->name != NULL)
        column += printf("%s --%s", row->letter != 0 ? "," : " ", row->name);
    if (row->value != NULL && row->letter != '#')
        column += printf(row->value[0] == '[' ? "[=%s" : " %s",
                         row->value[0] == '[' ? row->value + 1 : row->value);
    if (column + 2 > HELP_COLUMN) {
        (void)putchar('\n');
        column = 0;
    }
    words_print(row->help, strlen(row->help), (size_t)column, HELP_COLUMN);
}

static void print_summary(const command *command_) {
    char line[512];
    int length = snprintf(line, sizeof line, "%s %s: %s", command_program(command_), command_->name,
                          command_->summary);
    if (length > 0 && (size_t)length < sizeof line)
        words_print(line, (size_t)length, 0, 0);
}

int command_print_help(const command *command_) {
    print_summary(command_);
    if (command_->examples != NULL) {
        (void)fputs("\nExamples:\n", stdout);
        print_examples(command_->examples);
    }
    (void)fputs("\nUsage:\n", stdout);
    print_prose(command_->usage);
    const flag *row = NULL;
    const char *group = "";
    for (size_t i = 0; (row = command_flag(command_, i)) != NULL; i++) {
        if (row->group != NULL && strcmp(row->group, group) != 0) {
            group = row->group;
            (void)printf("\n%s:\n", group);
        }
        if (row->help != NULL)
            print_flag(row);
    }
    if (command_->notes != NULL) {
        (void)putchar('\n');
        print_prose(command_->notes);
    }
    return finish_output(EXIT_MATCHED);
}
