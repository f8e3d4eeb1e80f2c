/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The part of a command's options that is for research (trawl_study.h). */
#ifndef CLI_FLAGS_STUDY_H
#define CLI_FLAGS_STUDY_H

#include "trawl/trawl_study.h"

/* It must outlive the options that point to it. */
typedef struct study_options {
    trawl_study_compile_options compile;
    trawl_study_scan_options scan;
} study_options;

/* Sets all to the defaults, and makes the options, which may be NULL, point to those for compiling.
 * Options of scans point to theirs once a flag sets one of them: without them the library scans
 * small texts with a scanner that it keeps. */
static inline void study_options_begin(study_options *study, trawl_compile_options *compile) {
    *study =
        (study_options){.compile = TRAWL_STUDY_COMPILE_OPTIONS, .scan = TRAWL_STUDY_SCAN_OPTIONS};
    if (compile != NULL)
        compile->study = &study->compile;
}

/* Copies of what options point to, or the defaults. */
static inline trawl_study_compile_options study_of_compile(const trawl_compile_options *options) {
    const trawl_study_compile_options defaults = TRAWL_STUDY_COMPILE_OPTIONS;
    return options->study == NULL ? defaults : *options->study;
}

static inline trawl_study_scan_options study_of_scan(const trawl_scan_options *options) {
    const trawl_study_scan_options defaults = TRAWL_STUDY_SCAN_OPTIONS;
    return options->study == NULL ? defaults : *options->study;
}

#endif
