#include "engine/qgram_tiers.h"

#include "common/status.h"

/* Lengths from which on a tier may begin. */
static const uint32_t bounds[] = {1, 3, 4, 8};

static uint32_t row_bits(uint64_t grams) {
    uint32_t bits = 10;
    while (bits < 22 && (UINT64_C(1) << bits) < 4 * grams) {
        bits++;
    }
    return bits;
}

trawl_status trawl_qgram_choose(const trawl_build *build, trawl_qgram_header *header) {
    const trawl_patterns *patterns = build->patterns;
    enum { BOUNDS = sizeof bounds / sizeof *bounds };
    for (size_t i = BOUNDS; i-- > 0;) {
        uint32_t least = UINT32_MAX, most = 0;
        uint64_t count = 0, folded = 0;
        for (size_t id = 0; id < patterns->count; id++) {
            uint32_t length = trawl_pattern_length(patterns, id);
            if (length < bounds[i] || (i + 1 < BOUNDS && length >= bounds[i + 1])) {
                continue;
            }
            least = length < least ? length : least;
            most = length > most ? length : most;
            folded += (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
            count++;
        }
        if (count == 0) {
            continue;
        }
        trawl_qgram_tier *tier = &header->tier[header->tiers++];
        *tier = (trawl_qgram_tier){.kind = bounds[i] == 1 ? TRAWL_TIER_DIRECT : TRAWL_TIER_HASHED,
                                   .min_length = least,
                                   .max_length = most,
                                   .window = least < 32 ? least : 32,
                                   .folded = folded != 0};
        uint32_t gram = count < 300 ? 3 : count < 20000 ? 4 : 5;
        gram = count > 2000 && tier->window >= 16 ? 8 : gram;
        tier->gram = tier->kind == TRAWL_TIER_DIRECT ? 2
                     : gram < tier->window           ? gram
                                                     : tier->window;
        tier->stride = tier->kind == TRAWL_TIER_DIRECT ? 1 : tier->window - tier->gram + 1;
        tier->row_bits = tier->kind == TRAWL_TIER_DIRECT ? 0 : row_bits(count * tier->stride);
    }
    return TRAWL_OK;
}
