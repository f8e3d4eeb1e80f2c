/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flags that say how a CUDA device scans. */
#ifndef CLI_FLAGS_CUDA_H
#define CLI_FLAGS_CUDA_H

#include "cli/flags/arguments.h"
#include "cli/flags/study.h"
#include "trawl/trawl.h"

enum {
    FLAG_KERNEL = 1300,
    FLAG_TRANSFER,
    FLAG_SEGMENT_BYTES,
    FLAG_SEGMENTS,
    FLAG_BLOCK_THREADS,
    FLAG_BLOCK_BYTES,
    FLAG_TABLE_PATH,
    FLAG_PROFILE,
    FLAG_NO_PROFILE
};

extern const flag kernel_flags[];   /* how a kernel runs */
extern const flag transfer_flags[]; /* how the text reaches the device */
extern const flag profile_flags[];  /* --profile, --no-profile */

typedef struct profile_options {
    const char *path; /* --profile; NULL: the device's own, if there is one */
    bool ignore;      /* --no-profile */
} profile_options;

/* Takes a flag of these tables. `profile` is NULL for a command without profile_flags. */
int cuda_options_take(trawl_scan_options *options, trawl_study_scan_options *study,
                      profile_options *profile, const arguments *arguments, int id);

/* --variant may be "VARIANT+KERNEL", or "KERNEL" if the engine has no variant of that name: moves
 * the kernel to `scan`. Unknown names stay, for the library to refuse. False after reporting. */
bool cuda_options_from_variant(const command *command, trawl_compile_options *compile,
                               trawl_scan_options *scan);

/* Whether this build and machine have the device, and the flags fit it; `profile` is NULL for a
 * command that takes none. False after reporting. */
bool cuda_options_check(const command *command, const trawl_scan_options *options,
                        const profile_options *profile);

#endif
