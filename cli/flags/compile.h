/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flags that say how patterns are compiled. */
#ifndef CLI_FLAGS_COMPILE_H
#define CLI_FLAGS_COMPILE_H

#include "cli/flags/arguments.h"
#include "cli/flags/study.h"
#include "trawl/trawl.h"

enum {
    FLAG_ENGINE = 1100,
    FLAG_VARIANT,
    FLAG_MATCHES,
    FLAG_MAX_TABLES,
    FLAG_SPLIT_PARTS,
    FLAG_SPLIT_THRESHOLD,
    FLAG_WU_MANBER_BLOCK,
    FLAG_RABIN_KARP_BASE,
    FLAG_RABIN_KARP_MODULUS
};

extern const flag engine_flags[];            /* --engine */
extern const flag variant_flags[];           /* --variant */
extern const flag variant_or_kernel_flags[]; /* the same for a command that scans: for a CUDA device
                                                it may name the kernel too */
extern const flag match_kind_flags[];        /* --matches, all by default */
extern const flag compile_detail_flags[];    /* everything else */

/* Takes a flag of these tables. `options` begin as TRAWL_COMPILE_OPTIONS, `study` as
 * TRAWL_STUDY_COMPILE_OPTIONS. */
int compile_options_take(trawl_compile_options *options, trawl_study_compile_options *study,
                         const arguments *arguments, int id);

/* Whether the flags for one engine, such as --wm-block, stand beside an engine that `named` says is
 * named. False after reporting. */
bool study_flags_fit(const trawl_study_compile_options *study,
                     bool (*named)(const char *engine, const void *context), const void *context,
                     const command *command);

/* The same for the engine of the options. */
bool compile_options_fit(const trawl_compile_options *options,
                         const trawl_study_compile_options *study, const command *command);

const char *match_kind_name(trawl_match_kind kind);

#endif
