/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engines that the flag --engine names. */
#ifndef CLI_BENCH_ENGINES_H
#define CLI_BENCH_ENGINES_H

#include "cli/bench/options.h"

typedef struct bench_named_engine {
    const char *name;    /* "auto" too */
    const char *variant; /* after the colon, or --variant; NULL: none, as always for "auto" */
    bool by_all;         /* it was named by "all" */
} bench_named_engine;

/* Takes an engine; false after reporting. */
typedef bool (*bench_on_engine)(void *context, const bench_named_engine *engine);

/* Calls on_engine for each engine in a list of "all", "auto", "NAME" and "NAME:VARIANT", separated
 * by commas. The list is split in place, and the variants point into it. False after reporting. */
bool bench_engines_each(const bench_options *options, char *list, bench_on_engine on_engine,
                        void *context);

#endif
