/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/choose.h"

#include "base/allocate.h"
#include "constants/cpu.h"

bool trawl_sparse_counts_open(trawl_sparse_counts *self, bool folded) {
    *self = (trawl_sparse_counts){
        .case_bits = trawl_qgram_case_bits(folded),
        .counts = trawl_allocate_zeroed((size_t)1 << TRAWL_SPARSE_COUNT_BITS, 1),
    };
    return self->counts != NULL;
}

static uint8_t *slot_of(const trawl_sparse_counts *self, trawl_sparse_gram gram) {
    return &self->counts[trawl_sparse_hash(gram.first, gram.last) >>
                         (64 - TRAWL_SPARSE_COUNT_BITS)];
}

void trawl_sparse_counts_add(trawl_sparse_counts *self, const uint8_t *text, size_t length) {
    for (size_t i = 0; i + TRAWL_SPARSE_GRAM <= length; i++) {
        uint8_t *count = slot_of(self, trawl_sparse_read(text + i, self->case_bits));
        *count = (uint8_t)(*count + (*count != UINT8_MAX));
    }
}

uint32_t trawl_sparse_cost(const trawl_sparse_counts *self, trawl_sparse_gram gram) {
    bool is_periodic = gram.first == gram.last; /* a period of 1, 2, 4 or 8 bytes */
    return *slot_of(self, gram) + (is_periodic ? UINT8_MAX + 1u : 0);
}
