/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags of `trawl replace` as one structure. */
#ifndef CLI_REPLACE_OPTIONS_H
#define CLI_REPLACE_OPTIONS_H

#include "cli/flags/files.h"
#include "cli/flags/patterns.h"
#include "cli/flags/study.h"
#include "trawl/trawl_replace.h"

typedef struct replace_options {
    pattern_options patterns;
    const char *database; /* --db; NULL: patterns are compiled */
    trawl_compile_options compile;
    study_options study; /* of `compile` */
    trawl_replace_options replace;
    bool in_place;
    bool dry_run;
    bool count;              /* -c: the texts are not written to standard output */
    const char *output;      /* -o */
    trawl_scan_options scan; /* threads */
    file_options files;
} replace_options;

extern const command replace_command;

/* Reads the arguments. False after --help or an error, which has been reported: *status is then the
 * exit status. Release the options in any case. */
bool replace_options_parse(replace_options *options, int argc, char **argv, int *status);
void replace_options_release(replace_options *options);

#endif
