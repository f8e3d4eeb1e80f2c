/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Compares the states that a GPU wrote with those of the CPU. */
#ifndef CLI_REPRODUCE_STATES_H
#define CLI_REPRODUCE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl_study.h"

/* States of a text, one after each byte, as form TRAWL_CUDA_STATES writes them. */
typedef struct written_states {
    const trawl_db *db;
    const uint8_t *text;
    size_t length;
    const void *entries;
    uint32_t entry_bytes; /* 2 or 4 */
} written_states;

/* Whether every state is the one of the CPU's plain loop (trawl_study_walk_states). All CPUs take
 * pieces of the text in turn; memory besides: 4 MiB for each CPU. */
bool states_agree(const written_states *written);

#endif
