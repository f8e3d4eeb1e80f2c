/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/suffix_filter.h"

bool trawl_suffix_filter_has_end(const trawl_qgram_filter *filter, const uint8_t *text,
                                 size_t end) {
    uint64_t last = trawl_qgram_fold(trawl_ending_load(text, end, false), filter->case_bits);
    bool has = false;
    for (uint32_t i = 0; i < filter->suffixes.count && filter->suffixes.bytes[i] <= end; i++) {
        uint32_t bytes = filter->suffixes.bytes[i];
        uint64_t first = 0;
        if (bytes > 8) {
            memcpy(&first, text + end - bytes, sizeof first);
        }
        uint64_t number =
            trawl_qgram_suffix(bytes, trawl_qgram_fold(first, filter->case_bits), last);
        has |= trawl_suffix_filter_has(filter, number, TRAWL_SUFFIX_LAST);
    }
    return has;
}
