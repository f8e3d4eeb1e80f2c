/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a caller asks of trawl_compile, read from the options of both public headers and completed
 * (plan/compile.c). */
#ifndef TRAWL_DATABASE_COMPILE_SETTINGS_H
#define TRAWL_DATABASE_COMPILE_SETTINGS_H

#include "trawl/trawl_study.h"

/* Members are those of trawl_compile_options and trawl_study_compile_options. */
typedef struct trawl_compile_settings {
    const char *engine;
    const char *variant;
    trawl_match_kind matches;
    uint64_t max_table_bytes; /* not 0 */
    const void *sample;       /* while a plan is made, not NULL */
    size_t sample_length;
    const char *device;
    uint64_t text_bytes;
    uint32_t split_parts;
    double split_threshold;
    uint32_t wu_manber_block;
    uint32_t rabin_karp_base;
    uint32_t rabin_karp_modulus;
    const trawl_costs *costs;               /* complete */
    const trawl_device_costs *device_costs; /* complete */
} trawl_compile_settings;

#endif
