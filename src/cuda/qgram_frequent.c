#include "cuda/qgram_frequent.h"

#include <string.h>

#include "common/allocate.h"
#include "common/status.h"
#include "cuda/qgram_anchor.h"

#define POSITIONS 1024u /* of so many, one has a sample that is frequent */

/* As in qgram_price.c, which expects so many ends for a sample that passes. */
#define PER_END 30.0
#define ENDS_EXPECTED 1.2

/* More than there are positions in layout->common. */
#define SLOT_BITS 17u
#define SLOTS (1u << SLOT_BITS)
_Static_assert(SLOTS > TRAWL_CUDA_QGRAM_COMMON_BYTES, "a free slot ends every search");

/* A sample of the text. */
typedef struct slot {
    uint64_t hash;
    uint32_t count;      /* 0: the slot is free */
    uint16_t alignments; /* of patterns that have the sample, a bit for each */
} slot;

typedef struct frequent_samples {
    trawl_cuda_qgram_counts counts; /* by which patterns choose their samples */
    uint32_t least;                 /* times that a frequent sample is in the text */
    slot slots[SLOTS];
} frequent_samples;

/* The slot of a sample, or the free one where it would be. */
static slot *find(frequent_samples *samples, uint64_t hash) {
    size_t place = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS));
    while (samples->slots[place].count != 0 && samples->slots[place].hash != hash) {
        place = (place + 1) % SLOTS;
    }
    return &samples->slots[place];
}

static void read_text(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_layout *layout,
                      frequent_samples *samples) {
    memset(samples->slots, 0, sizeof samples->slots);
    trawl_cuda_qgram_count(tier, layout->common, layout->common_length, &samples->counts);
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= layout->common_length; end++) {
        uint64_t hash = trawl_cuda_qgram_hash_before(tier, layout->common + end);
        slot *its = find(samples, hash);
        its->hash = hash;
        its->count++;
    }
}

/* Notes at which alignments a pattern has frequent samples; false: it has none. */
static bool note_samples(const trawl_patterns *patterns, size_t id,
                         const trawl_cuda_qgram_tier *tier, frequent_samples *samples) {
    uint8_t reversed[TRAWL_CUDA_QGRAM_REACH + TRAWL_CUDA_QGRAM_MOST_GRAM];
    uint64_t hashes[TRAWL_CUDA_QGRAM_REACH];
    uint32_t length = trawl_pattern_length(patterns, id);
    const uint8_t *end = trawl_pattern_bytes(patterns, id) + length;
    for (uint32_t i = 0; i < length && i < sizeof reversed; i++) {
        reversed[i] = *--end;
    }
    uint32_t anchor = trawl_cuda_qgram_anchor(tier, &samples->counts, reversed, length, hashes);
    bool frequent = false;
    for (uint32_t i = anchor; i < anchor + tier->stride; i++) {
        if (samples->counts.each[trawl_cuda_qgram_counted(hashes[i])] < samples->least) {
            continue; /* as nearly all; else another sample may be what is frequent */
        }
        slot *its = find(samples, hashes[i]);
        if (its->count >= samples->least) {
            frequent = true;
            its->alignments |= (uint16_t)(1u << i);
        }
    }
    return frequent;
}

/* The ends that frequent samples of all positions lead to, beyond those expected. */
static double ends_beyond(const frequent_samples *samples) {
    double ends = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        const slot *its = &samples->slots[i];
        double more = __builtin_popcount(its->alignments) - ENDS_EXPECTED;
        ends += more > 0 ? its->count * more : 0;
    }
    return ends;
}

trawl_status trawl_cuda_qgram_frequent(const trawl_patterns *patterns,
                                       const trawl_cuda_qgram_layout *layout, uint8_t *marks,
                                       double *surplus, trawl_error *error) {
    frequent_samples *samples = trawl_allocate(1, sizeof *samples);
    if (samples == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *samples);
    }
    const double positions = (double)layout->common_length;
    samples->least = (uint32_t)(layout->common_length / POSITIONS) + 1;
    *surplus = 0;
    for (uint32_t i = 0; i < layout->sieved; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        if (tier->place == TRAWL_CUDA_QGRAM_DIRECT) {
            continue;
        }
        read_text(tier, layout, samples);
        for (size_t id = 0; id < patterns->count; id++) {
            uint32_t length = trawl_pattern_length(patterns, id);
            if (length >= tier->min_length && length <= tier->max_length && marks[id] == 0 &&
                note_samples(patterns, id, tier, samples)) {
                marks[id] = TRAWL_CUDA_QGRAM_FOUND;
            }
        }
        *surplus += ends_beyond(samples) / (positions * tier->stride) * PER_END;
    }
    trawl_release(samples);
    return TRAWL_OK;
}
