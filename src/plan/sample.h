/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A text to plan with if the caller has no sample of the text to be scanned. */
#ifndef TRAWL_PLAN_SAMPLE_H
#define TRAWL_PLAN_SAMPLE_H

#include "pattern/patterns.h"

/* A shorter sample says too little about pass rates, and is not used. */
#define TRAWL_SAMPLE_LEAST ((size_t)4096)

/* Makes a text with a Markov chain of the patterns' bytes: each byte follows the two bytes before
 * it (one, or none, if the patterns are too few for that) as often as in the patterns. The same set
 * always makes the same text. The caller frees *sample with trawl_release.
 * Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_sample_make(const trawl_patterns *patterns, uint8_t **sample, size_t *length,
                               trawl_error *error);

#endif
