/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The choice of free anchors (engines/qgram/anchors/format.h): keys choose one after the other,
 * those with the fewest places first, the place at which the fewest samples would newly pass
 * through the filter. Bits that are set already cost no further samples, so keys share q-grams.
 *
 * What a place would cost is counted in a sample of the text. Q-grams that the sample lacks differ
 * too: they are estimated by the pairs of bytes that they consist of, in the sample and in a
 * built-in prior of texts, programs and UTF-16, which has the weight of TRAWL_ANCHORS_PRIOR_BYTES.
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHORS_CHOOSE_H
#define TRAWL_ENGINES_QGRAM_ANCHORS_CHOOSE_H

#include "engines/qgram/anchors/format.h"
#include "engines/qgram/bloom/fields.h"

/* How rare bytes and pairs of bytes are. Of a byte: -8 * log2 of its share of all bytes. Of a pair:
 * -8 * log2 of the probability that its second byte follows its first one. Eight bits are enough
 * for an estimate, and with them the table stays in the second-level cache. */
typedef struct trawl_anchors_pairs {
    uint8_t first[256];
    uint8_t follows[65536]; /* [first + 256 * second] */
    float shares[256];      /* the share that each value stands for */
} trawl_anchors_pairs;

/* Steps of a value for each factor of two. */
#define TRAWL_ANCHORS_LOG_STEPS 8

/* Counts the pairs of the sample, folded if keys are, and adds the prior. `counts`: room for
 * TRAWL_ANCHORS_PAIRS numbers. */
#define TRAWL_ANCHORS_PAIRS 65536u
void trawl_anchors_count_pairs(trawl_anchors_pairs *pairs, float *counts, const uint8_t *text,
                               size_t length, bool folded);

/* One bit of the filter while anchors are chosen. */
typedef struct trawl_anchors_place {
    uint16_t samples; /* of the text that have this bit */
    uint16_t keys;    /* anchors that have it */
} trawl_anchors_place;

/* A filter other than the tier's rows for which anchors are chosen: that of a GPU. */
typedef struct trawl_anchors_filter {
    uint32_t reach;  /* the most bytes from the first one of an anchor to the end of its key */
    uint32_t gram;   /* of the tier */
    uint32_t words;  /* of the filter */
    uint32_t places; /* in which bits of it are counted */
    double load;     /* entries for each bucket on average */
    /* Sets found[] to the places of a q-gram, and returns how many it has: 1 or 2. In folded tiers
     * the letters of `number` are folded (trawl_qgram_fold). */
    uint32_t (*find)(const struct trawl_anchors_filter *self, uint64_t number, uint32_t found[2]);
} trawl_anchors_filter;

typedef struct trawl_anchors_choice {
    const trawl_qgram_tier *tier;       /* all but lengths and window are set */
    const trawl_anchors_filter *filter; /* NULL: the tier's rows */
    uint32_t reach; /* the most bytes from the first one of an anchor to the end of its key */
    trawl_qgram_placing placing;
    uint64_t case_bits, gram_mask;
    uint64_t samples;    /* counted */
    int32_t samples_log; /* 8 * log2 of them */
    const trawl_anchors_pairs *pairs;
    bool is_large;               /* places are waited for, unless they are prefetched */
    trawl_anchors_place *places; /* 1 << (row_bits + 5), or filter->places */
} trawl_anchors_choice;

/* Begins a choice. `filter`: NULL for the rows of the tier. `places` has room for all bits of the
 * filter, and is cleared here. */
void trawl_anchors_begin(trawl_anchors_choice *choice, const trawl_qgram_tier *tier,
                         const trawl_anchors_filter *filter, const trawl_anchors_pairs *pairs,
                         trawl_anchors_place *places);

/* Begins a choice again with the same filter and the samples that it has counted. */
void trawl_anchors_forget_keys(trawl_anchors_choice *choice);

/* The number of its places. */
static inline size_t trawl_anchors_places(const trawl_qgram_tier *tier,
                                          const trawl_anchors_filter *filter) {
    return filter != NULL ? filter->places : (size_t)1 << (tier->row_bits + TRAWL_QGRAM_ROW_BIT);
}

/* Sets found[] to the places of a q-gram, and returns how many it has. */
static inline uint32_t trawl_anchors_find(const trawl_anchors_choice *choice, uint64_t number,
                                          uint32_t found[2]) {
    if (choice->filter != NULL) {
        return choice->filter->find(choice->filter, trawl_qgram_fold(number, choice->case_bits),
                                    found);
    }
    found[0] = (uint32_t)trawl_qgram_place(&choice->placing, number);
    return 1;
}

/* Counts the samples of a piece of text; eight bytes are read from each. */
void trawl_anchors_count(trawl_anchors_choice *choice, const uint8_t *text, size_t length);

/* The last bytes of a key, at most TRAWL_ANCHORS_REACH, with eight readable bytes from each on. */
typedef struct trawl_anchors_key {
    uint8_t bytes[TRAWL_ANCHORS_REACH + 8];
    uint32_t length; /* of the key, which may have more bytes */
} trawl_anchors_key;

/* Chooses the anchors of a key and enters them. distances[r]: from the anchor with residue r (the
 * distance from the key's beginning modulo the stride) to the key's end. The key has at least gram
 * + stride - 1 bytes. */
void trawl_anchors_choose(trawl_anchors_choice *choice, const trawl_anchors_key *key,
                          uint8_t *distances);

/* The number of the q-gram so many bytes before the key's end, as the sample filter has it. */
static inline uint64_t trawl_anchors_number(const trawl_anchors_key *key, uint32_t distance) {
    uint32_t kept = key->length < TRAWL_ANCHORS_REACH ? key->length : TRAWL_ANCHORS_REACH;
    uint64_t number;
    memcpy(&number, key->bytes + kept - distance, sizeof number);
    return number;
}

#endif
