/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* --help, from a command's table: what the command does, examples, usage, then every flag. */
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"

enum { HELP_COLUMN = 30, HELP_WIDTH = 90 };

/* Prints words wrapped between HELP_COLUMN and HELP_WIDTH. The cursor is at `column`. */
static void print_wrapped(const char *text, size_t column) {
    if (column + 2 > HELP_COLUMN) {
        (void)putchar('\n');
        column = 0;
    }
    (void)printf("%*s", (int)(HELP_COLUMN - column), "");
    column = HELP_COLUMN;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH) {
            (void)printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            (void)putchar(' ');
            column++;
        }
        (void)printf("%.*s", (int)word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
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
    print_wrapped(row->help, (size_t)column);
}

int command_print_help(const command *command_) {
    (void)printf("trawl %s: %s\n", command_->name, command_->summary);
    if (command_->examples != NULL)
        (void)printf("\nExamples:\n%s", command_->examples);
    (void)printf("\nUsage:\n%s\n", command_->usage);
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
    if (command_->notes != NULL)
        (void)printf("\n%s", command_->notes);
    return finish_output(EXIT_MATCHED);
}
