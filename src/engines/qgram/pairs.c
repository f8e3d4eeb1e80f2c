/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/pairs.h"

#include <string.h>

#include "base/fold.h"

void trawl_qgram_fill_pairs(const trawl_keys *keys, uint32_t *pairs) {
    uint32_t single[256] = {0};
    memset(pairs, 0, TRAWL_QGRAM_PAIRS * sizeof *pairs);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        if (trawl_key_length(keys, key) == 1) {
            single[reversed[0]] = key + 1;
        } else {
            pairs[reversed[1] | (uint32_t)reversed[0] << 8] = key + 1;
        }
    }
    for (uint32_t pair = TRAWL_QGRAM_PAIRS; pair-- > 0;) {
        uint8_t before = (uint8_t)pair, last = (uint8_t)(pair >> 8);
        if (keys->folded) {
            before = trawl_fold(before);
            last = trawl_fold(last);
        }
        /* A lower-case letter is the greater of its two cases, so the folded pair's entry has an
         * index above this one, or is this one: it is complete already. */
        uint32_t key = pairs[before | (uint32_t)last << 8];
        pairs[pair] = key != 0 ? key : single[last];
    }
}
