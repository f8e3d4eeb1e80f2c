/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Variant sparse, and the planner's price of a sparse tier. */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_SPARSE_DIVIDE_H

#include "engines/qgram/divide.h"
#include "engines/qgram/sparse/format.h"

/* Variant sparse: all patterns of a sample's length and more in one sparse tier with the longest
 * stride, shorter ones as in variant anchors. */
void trawl_sparse_divide(const trawl_patterns *patterns, trawl_qgram_header *header);

/* Replaces the choice by one sparse tier for all patterns if that is cheaper. Beside other tiers it
 * would save little, since they read all lines of the text. TRAWL_ERROR_MEMORY. */
trawl_status trawl_sparse_offer(const trawl_qgram_survey *survey,
                                const trawl_compile_settings *options, trawl_effort *effort,
                                trawl_qgram_choice *choice, trawl_error *error);

#endif
