/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Splits a pattern set into parts, whose automata are small (Tran et al., 4.2). */
#ifndef TRAWL_PATTERN_PARTITION_H
#define TRAWL_PATTERN_PARTITION_H

#include "pattern/patterns.h"

/* Patterns of part p: ids[first[p]] .. ids[first[p + 1]], ascending. */
typedef struct trawl_partition {
    uint32_t parts;
    uint32_t *ids;
    uint32_t *first;  /* parts + 1 */
    double imbalance; /* (longest part / shortest part) - 1, by bytes: above the threshold only
                         where no single pattern could be moved to reduce it */
} trawl_partition;

/* The paper's limit of (longest part / shortest part) - 1, by bytes: 0.15 below 20,000 patterns,
 * else 0.10 (4.2). */
double trawl_partition_threshold(size_t patterns);

/* Algorithms 1 and 2 with `parts` parts, at least 1. No part is empty: of fewer patterns than parts
 * each is a part. Free with trawl_partition_release. */
trawl_status trawl_partition_make(const trawl_patterns *patterns, uint32_t parts, double threshold,
                                  trawl_partition *partition, trawl_error *error);
void trawl_partition_release(trawl_partition *partition);

#endif
