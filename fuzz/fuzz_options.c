/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Command lines: arguments separated by LF; the first byte picks the command. Every one is
 * understood or refused; nothing is scanned.
 */
#include "cli/base/report.h"
#include "cli/bench/options.h"
#include "cli/grep/options.h"
#include "cli/replace/options.h"
#include "cli/scan/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ARGUMENTS = 64 };

/* Messages and help go nowhere; libFuzzer keeps the stream that it took at its start. Nothing is
 * read from standard input. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w");
    return stderr && freopen("/dev/null", "w", stdout) && freopen("/dev/null", "r", stdin) ? 0 : 1;
}

static void expect_status(int status) {
    if (status < EXIT_MATCHED || status > EXIT_ERROR)
        abort();
}

static void parse(char command, int count, char **values) {
    int status = -1;
    if (command % 4 == 0) {
        scan_options options;
        memset(&options, 0, sizeof(options));
        const struct command *of = command / 4 % 2 == 0 ? &scan_command : &ranks_command;
        if (!scan_options_parse(&options, of, count, values, &status))
            expect_status(status);
        scan_options_release(&options);
    } else if (command % 4 == 1) {
        grep_options options;
        memset(&options, 0, sizeof(options));
        if (!grep_options_parse(&options, count, values, &status))
            expect_status(status);
        grep_options_release(&options);
    } else if (command % 4 == 3) {
        replace_options options;
        memset(&options, 0, sizeof(options));
        if (!replace_options_parse(&options, count, values, &status))
            expect_status(status);
        replace_options_release(&options);
    } else {
        bench_options options;
        memset(&options, 0, sizeof(options));
        if (!bench_options_parse(&options, count, values, &status))
            expect_status(status);
        bench_options_release(&options);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[] = "command", *values[MOST_ARGUMENTS + 2] = {name};
    int count = 1;
    if (size < 1 || memmem(data, size, "/dev/", 5)) /* endless files */
        return -1;
    char *line = malloc(size);
    memcpy(line, data + 1, size - 1);
    line[size - 1] = '\0';
    for (char *rest = line; rest && count <= MOST_ARGUMENTS; count++)
        values[count] = strsep(&rest, "\n");
    values[count] = NULL;
    parse((char)(data[0] & 0x7f), count, values);
    free(line);
    return 0;
}
