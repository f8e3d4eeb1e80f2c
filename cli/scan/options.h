/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags of `trawl scan` as one structure. */
#ifndef CLI_SCAN_OPTIONS_H
#define CLI_SCAN_OPTIONS_H

#include "cli/flags/arguments.h"
#include "cli/flags/cuda.h"
#include "cli/flags/files.h"
#include "cli/flags/patterns.h"
#include "cli/flags/study.h"
#include "cli/parts/division.h"
#include "cli/scan/by_record.h"
#include "cli/scan/records.h"
#include "trawl/trawl.h"

typedef struct scan_options {
    pattern_options patterns;
    const char *database; /* --db; NULL: patterns are compiled */
    bool database_copy;   /* --db-copy */
    const char *sample;   /* --sample; NULL: the first text */
    trawl_compile_options compile;
    trawl_scan_options scan;
    study_options study; /* of compile and scan */
    profile_options profile;
    record_kind kind;
    record_format format;
    bool with_pattern;
    record_cut cut; /* --records; with -c `kind` is RECORD_MATCHES all the same */
    uint64_t top;   /* rows of RECORD_TOP; 0: all */
    bool by_group;  /* --by-group: these are groups */
    const char *output;
    bool stats;
    bool progress;
    file_options files;
    division_options division;
} scan_options;

extern const command scan_command;
extern const command ranks_command; /* of trawl-mpi */

/* Reads the arguments of one of these commands. False after --help or an error, which has been
 * reported: *status is then the exit status. Does not check the device, for which there is
 * cuda_options_check. */
bool scan_options_parse(scan_options *options, const command *of, int argc, char **argv,
                        int *status);

void scan_options_release(scan_options *options);

#endif
