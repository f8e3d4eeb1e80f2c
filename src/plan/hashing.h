/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prices of the engines that look up windows of the text by a hash: wu-manber and rabin-karp. */
#ifndef TRAWL_PLAN_HASHING_H
#define TRAWL_PLAN_HASHING_H

#include "costs/automata.h"
#include "database/compile_settings.h"

/* What the planner knows of a set and a text. */
typedef struct trawl_hashing_input {
    const trawl_patterns *patterns;
    const trawl_compile_settings *options; /* with sample and costs */
    const trawl_automata_estimate *automata;
    double spread;   /* trawl_qgram_survey.spread: different q-grams of four bytes in the text */
    uint64_t blocks; /* of patterns that a search for wu-manber examines, at most */
} trawl_hashing_input;

typedef struct trawl_hashing_price {
    double nanoseconds; /* for a byte of text */
    uint64_t bytes;     /* of tables, about */
    double factor;      /* patterns of the set for each one that was examined */
} trawl_hashing_price;

/* What is known without a search of the sample. */
typedef struct trawl_hashing_trial {
    double least;       /* nanoseconds for a byte of text, at least */
    double bytes;       /* of tables, at least */
    double nanoseconds; /* that the search is expected to take */
} trawl_hashing_trial;

trawl_hashing_trial trawl_try_wu_manber(const trawl_hashing_input *input);
trawl_hashing_trial trawl_try_rabin_karp(const trawl_hashing_input *input);

/* Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_price_wu_manber(const trawl_hashing_input *input, trawl_hashing_price *price,
                                   trawl_error *error);
trawl_status trawl_price_rabin_karp(const trawl_hashing_input *input, trawl_hashing_price *price,
                                    trawl_error *error);

#endif
