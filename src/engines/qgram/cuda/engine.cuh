/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The arguments of the q-gram engine's kernels, and the structures that one kernel leaves for the
 * next.
 *
 *     text ─► filter.cu ──► candidate words ─► verify.cu, verify_anchors.cu ─► counts, ends
 *                                                  └─────► noted hits ─► order_hits.cu
 *
 *     noted hits, in order ────────► records.cu ────────────► records
 *     these and automaton's states ► automaton_records.cu ──► records
 *     too many hits ───────────────► full_strips.cu ────────► records
 *
 * Kernel sparse notes hits by itself (sparse_scan.cu); kernel packed has none (packed.cuh).
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_ENGINE_CUH

extern "C" {
#include "engines/qgram/gpu/format.h"
}

#include "engines/qgram/cuda/tuning.cuh"
#include "gpu/endings.cuh"
#include "gpu/uploader.cuh"

/* The kernels, in the order of `kernels` in build.c. */
enum { TRAWL_CUDA_QGRAM_FILTER, TRAWL_CUDA_QGRAM_PACKED, TRAWL_CUDA_QGRAM_SPARSE };

/*
 * A warp tests its strip batch by batch. A batch is 2 KiB: 4 vectors of 512 bytes, 16 bytes for
 * each thread of the warp.
 *
 *               thread 0   thread 1         thread 31
 *     vector 0  [16 bytes] [16 bytes]  ...  [16 bytes]
 *     vector 1  [16 bytes] [16 bytes]  ...  [16 bytes]
 *     ...
 */
#define TRAWL_QGRAM_VECTOR_BYTES (32u * 16u) /* bytes that the threads of a warp load at once */
#define TRAWL_QGRAM_BATCH (trawl_qgram_tuned::vectors * TRAWL_QGRAM_VECTOR_BYTES)

/* Shared memory of a warp that writes records of a full strip: for each tier a bitmap of the ends
 * in a round of batches and two words behind it; and a queue of candidates. At most 31 candidates
 * remain in the queue before each of 32 threads adds one. */
#define TRAWL_QGRAM_QUEUE 64u

/* Words behind the round: keys end up to so many bits behind their samples. */
#define TRAWL_QGRAM_BEHIND (TRAWL_CUDA_QGRAM_REACH / 32)

/* A tier with its tables in device memory. */
typedef struct trawl_cuda_qgram_tables {
    trawl_cuda_qgram_tier tier;
    uint32_t mask, case_bits;
    const uint32_t *filter; /* GLOBAL */
    const uint16_t *end_offsets;
    const uint8_t *anchor_offsets;
    const uint4 *buckets;        /* free anchors: trawl_anchors_entry, two of each bucket */
    const uint8_t *anchor_ends;  /* free anchors (trawl_cuda_qgram_arrays) */
    const uint32_t *pattern_end; /* of each key: where its first pattern ends in `bytes` of all */
    const uint32_t *heads;
    const uint4 *ranges;    /* trawl_ending_range */
    const uint32_t *direct; /* DIRECT */
    trawl_cuda_endings endings;
} trawl_cuda_qgram_tables;

/* The tables of all tiers; passed to kernels by value. */
typedef struct trawl_cuda_qgram_view {
    uint32_t tiers;
    uint32_t anchors;      /* nonzero: some tiers have free anchors */
    uint32_t image_words;  /* a multiple of 4 */
    uint32_t bitmap_words; /* of a warp, for each tier */
    uint32_t unused;
    const uint4 *image;
    trawl_cuda_qgram_tables table[TRAWL_CUDA_QGRAM_TIERS];
} trawl_cuda_qgram_view;

/* Size of the view in 32-bit words, a multiple of 4. Blocks have a copy of it in shared memory,
 * behind the image. */
#define TRAWL_QGRAM_VIEW_WORDS ((uint32_t)(sizeof(trawl_cuda_qgram_view) + 15) / 16 * 4)

/* A key that ends at a position of the text. */
typedef struct trawl_cuda_qgram_hit {
    uint32_t end; /* one past its last byte, in the slice */
    uint32_t key; /* its number, and above it that of its tier, in two bits */
} trawl_cuda_qgram_hit;

/* Where the tier's number begins in trawl_cuda_qgram_hit.key and in queues of candidates. */
#define TRAWL_QGRAM_TIER_SHIFT 30u

/* The hits of each strip, in no order at first. They are noted while matches are counted, so that
 * the text is not filtered again for records, but for strips with more than `capacity` hits
 * (full_strips.cu). */
typedef struct trawl_cuda_qgram_noted_hits {
    trawl_cuda_qgram_hit *hits; /* `capacity` for each strip; NULL: none are noted */
    uint32_t *overflown;        /* one word: the number of strips with more hits than that */
    uint32_t *count; /* follows that word: hits of each strip, also those beyond `capacity` */
    uint32_t capacity;
} trawl_cuda_qgram_noted_hits;

/*
 * The filter step's candidates, as a list of 64-bit words for each strip. A word has the candidates
 * of one thread in a batch (at a stride of 1, in half of a batch) for one tier:
 *
 *     63     48 47  46 45      32 31                           0
 *     | stride | tier | offset  | samples, the last one lowest |
 *
 * `stride` is its binary logarithm. `offset` is that of the thread's first byte in the strip. A
 * sample's bit is set if the sample is a candidate. A list has room for all words that a strip can
 * have. Dense strips (tuning.cuh) are listed separately, in pieces, because verifying one takes
 * long, and candidates often stand close together: a warp that had all of them would be the last.
 */
typedef struct trawl_cuda_qgram_candidates {
    uint64_t *words;        /* `capacity` for each strip */
    uint32_t *count;        /* of each strip; 0 for dense ones */
    uint2 *dense;           /* pieces of dense strips, in no order: strip; first word and, from
                               TRAWL_QGRAM_PIECE_COUNT_SHIFT on, number of words */
    uint32_t *dense_pieces; /* first of five words of memory: the number of these */
    uint32_t *listed;       /* second word: the number of candidate words of all other strips */
    uint32_t *longest;      /* third word: the largest number of words of one of these strips */
    uint32_t *taken;        /* fourth word: how many shares of the verify step warps have taken */
    uint32_t *taken_of_anchors; /* fifth word: the same for verify_anchors.cu */
    uint32_t capacity;
} trawl_cuda_qgram_candidates;

#define TRAWL_QGRAM_PIECE_COUNT_SHIFT 16u

/* The upper half of a candidate word, and the bytes of the longest strip: what `offset` holds. */
#define TRAWL_QGRAM_WORD_TIER_SHIFT 14u
#define TRAWL_QGRAM_WORD_STRIDE_SHIFT 16u
#define TRAWL_QGRAM_MOST_STRIP (1u << TRAWL_QGRAM_WORD_TIER_SHIFT)

/* The largest number of samples in a candidate word of a tier. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_samples_of_word(uint32_t stride_shift) {
    return stride_shift == 0 ? 32 : 64 >> stride_shift;
}

typedef struct trawl_cuda_qgram_call {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    trawl_cuda_qgram_candidates candidates;
    trawl_cuda_qgram_noted_hits noted;
    uint32_t strip_bytes; /* a multiple of TRAWL_QGRAM_BATCH */
    uint32_t blocks, threads, shared_bytes;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_qgram_call;

/* The filter step, for all passes but RECORDS and STATES: lists candidates. Pass COUNT also counts
 * most patterns of one and two bytes here. */
trawl_status trawl_cuda_qgram_filter_text(const trawl_cuda_qgram_call *call, trawl_error *error);

/* Bytes of shared memory that the filter step needs besides tables. */
uint32_t trawl_cuda_qgram_filter_shared(void);

/* The verify step, for all listed candidates. Pass SIZES also notes hits. */
trawl_status trawl_cuda_qgram_verify(const trawl_cuda_qgram_call *call, trawl_error *error);

/* Its part for tiers of free anchors without crowded buckets. */
trawl_status trawl_cuda_qgram_verify_anchors(const trawl_cuda_qgram_call *call, trawl_error *error);

/* Pass RECORDS: puts the hits of each strip in order, which are of the first `tiers` tiers; writes
 * the records of strips whose hits are all noted; then those of full strips, and puts these in
 * order if tiers do not follow each other by length. `first_of_automaton`: at an end, only the
 * longest key of the tiers from this one on is written; the number of tiers: none is left out. */
trawl_status trawl_cuda_qgram_order_hits(const trawl_cuda_qgram_call *call, uint32_t tiers,
                                         trawl_error *error);
trawl_status trawl_cuda_qgram_write_records(const trawl_cuda_qgram_call *call, trawl_error *error);
trawl_status trawl_cuda_qgram_write_full_strips(const trawl_cuda_qgram_call *call,
                                                uint32_t first_of_automaton, trawl_error *error);
trawl_status trawl_cuda_qgram_sort_full_strips(const trawl_cuda_qgram_call *call,
                                               trawl_error *error);

/* Batches of a round of full_strips.cu: fewer for more tiers, which share the memory for
 * bitmaps. */
static inline uint32_t trawl_cuda_qgram_round(uint32_t tiers) {
    return tiers == 1   ? trawl_qgram_tuned::most_round
           : tiers == 2 ? trawl_qgram_tuned::most_round / 2
                        : 1;
}

static inline uint32_t trawl_cuda_qgram_shared_bytes(const trawl_cuda_qgram_view *view,
                                                     uint32_t threads) {
    uint32_t warp_words = view->tiers * view->bitmap_words + TRAWL_QGRAM_QUEUE;
    return 4 * (view->image_words + TRAWL_QGRAM_VIEW_WORDS + threads / 32 * warp_words);
}

/* Uploads the records of keys (trawl_key_record), by arrays->longest those of one match. */
static inline const trawl_key_record *
trawl_cuda_put_key_records(trawl_cuda_uploader *self, const trawl_cuda_qgram_arrays *arrays) {
    const uint64_t count = arrays->keys.count;
    trawl_key_record *records = NULL;
    if (self->memory != NULL && count != 0) { /* else bytes are only added up */
        records = (trawl_key_record *)trawl_allocate(count, sizeof *records);
        if (records == NULL) {
            self->code = cudaErrorMemoryAllocation;
            return NULL;
        }
    }
    for (uint64_t key = 0; records != NULL && key < count; key++) {
        const uint32_t first = arrays->first[key];
        const uint32_t patterns = arrays->longest ? 1 : arrays->first[key + 1] - first;
        const bool verify = (arrays->verify[key] & TRAWL_VERIFY_OWN) != 0;
        records[key] = {arrays->length[key], arrays->longest ? TRAWL_NO_KEY : arrays->link[key],
                        patterns | (verify ? TRAWL_RECORD_VERIFY : 0),
                        patterns == 1 ? arrays->ids[first] : first};
    }
    const void *place = trawl_cuda_put(self, records, count * sizeof *records);
    trawl_release(records);
    return (const trawl_key_record *)place;
}

/* Uploads the counts of keys whose patterns' case has to be compared. */
static inline trawl_case_counts trawl_cuda_put_case_counts(trawl_cuda_uploader *self,
                                                           const trawl_cuda_qgram_arrays *arrays) {
    trawl_outputs outputs = {};
    outputs.keys = arrays->keys.count;
    outputs.link = arrays->link;
    outputs.first = arrays->first;
    outputs.ids = arrays->ids;
    if (self->uploaded->flags == NULL || outputs.keys == 0) {
        return {};
    }
    const uint64_t count = trawl_case_words(&outputs, self->uploaded->flags);
    uint32_t *words = NULL;
    if (self->memory != NULL) { /* else bytes are only added up */
        words = (uint32_t *)trawl_allocate(count, sizeof *words);
        if (words == NULL) {
            self->code = cudaErrorMemoryAllocation;
            return {};
        }
        trawl_case_write(&outputs, &self->uploaded->db->patterns, self->uploaded->flags, words);
    }
    const void *place = trawl_cuda_put(self, words, count * sizeof *words);
    trawl_release(words);
    return place == NULL ? trawl_case_counts{}
                         : trawl_case_view((const uint32_t *)place, count, outputs.keys);
}

/* Uploads the outputs of keys, and sets all of *keys but first_hit. */
static inline void trawl_cuda_put_outputs(trawl_cuda_uploader *self,
                                          const trawl_cuda_qgram_arrays *arrays,
                                          trawl_cuda_keys *keys) {
    const uint64_t count = arrays->keys.count;
    trawl_outputs *outputs = &keys->outputs;
    outputs->keys = (uint32_t)count;
    outputs->length = (const uint32_t *)trawl_cuda_put(self, arrays->length, count * 4);
    outputs->link = (const uint32_t *)trawl_cuda_put(self, arrays->link, count * 4);
    outputs->total = (const uint32_t *)trawl_cuda_put(self, arrays->total, count * 4);
    outputs->first = (const uint32_t *)trawl_cuda_put(self, arrays->first, (count + 1) * 4);
    outputs->ids = (const uint32_t *)trawl_cuda_put(self, arrays->ids,
                                                    (uint64_t)arrays->keys.pattern_count * 4);
    outputs->verify = (const uint8_t *)trawl_cuda_put(self, arrays->verify, count);
    outputs->records = trawl_cuda_put_key_records(self, arrays);
    keys->case_counts = trawl_cuda_put_case_counts(self, arrays);
    keys->longest = arrays->longest;
}

#endif
