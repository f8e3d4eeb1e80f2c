/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* All flags that several commands share. */
#ifndef CLI_FLAGS_GROUPS_H
#define CLI_FLAGS_GROUPS_H

#include "cli/flags/arguments.h"
#include "cli/flags/cuda.h"
#include "cli/flags/files.h"
#include "cli/flags/patterns.h"
#include "cli/flags/study.h"
#include "trawl/trawl.h"

/* Where the values of each group of flags go; NULL: the command does not take that group. */
typedef struct flag_groups {
    pattern_options *patterns;
    trawl_compile_options *compile;
    trawl_scan_options *scan;
    study_options *study; /* never NULL; those of `compile` and `scan` */
    profile_options *profile;
    file_options *files; /* operands too */
} flag_groups;

/* Takes flags of the groups. Returns the id of the next flag that is the command's own, or
 * ARGUMENTS_OPERAND, or ARGUMENTS_END; or ARGUMENTS_ERROR after an error or --help, whose text has
 * been printed: the command then exits with *status. */
int flag_groups_next(const flag_groups *groups, arguments *arguments, int *status);

#endif
