/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Text to plan with, where the caller has none like that to be scanned. */
#ifndef TRAWL_PLAN_SAMPLE_H
#define TRAWL_PLAN_SAMPLE_H

#include "pattern/patterns.h"

/* Fewer bytes than this say too little about pass rates. */
#define TRAWL_SAMPLE_LEAST ((size_t)4096)

/* Makes text in the language of the patterns: each byte follows the one or two before it as it does
 * in the patterns, as far as there are enough of them to know. Sets *sample, which the caller frees
 * with trawl_release, and *length. The same set makes the same text. */
trawl_status trawl_sample_make(const trawl_patterns *patterns, uint8_t **sample, size_t *length,
                               trawl_error *error);

#endif
