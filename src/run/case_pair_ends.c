/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/case_pair_ends.h"

#include "database/outputs.h"

trawl_status trawl_case_pair_refuse(trawl_sink *sink) {
    (void)sink;
    return TRAWL_ERROR_FORMAT;
}

bool trawl_case_pair_next(const trawl_case_pair *pair, const trawl_sink of[2], size_t at[2],
                          uint64_t *end, uint32_t keys[2]) {
    *end = UINT64_MAX;
    for (unsigned number = 0; number < 2; number++) {
        if (at[number] < of[number].count && of[number].matches[at[number]].end < *end) {
            *end = of[number].matches[at[number]].end;
        }
    }
    for (unsigned number = 0; number < 2; number++) {
        keys[number] = TRAWL_NO_KEY;
        if (at[number] < of[number].count && of[number].matches[at[number]].end == *end) {
            uint32_t pattern = of[number].matches[at[number]++].pattern;
            keys[number] = pair->keys[pair->ids[number][pattern]];
        }
    }
    return *end != UINT64_MAX;
}
