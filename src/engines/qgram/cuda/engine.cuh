/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The q-gram engine's kernels: what they are given, and what one of their threads sees at once. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_ENGINE_CUH

extern "C" {
#include "engines/qgram/gpu/format.h"
}

#include "gpu/endings.cuh"
#include "gpu/uploader.cuh"

/* The kernels, in the order of kernels.c. */
enum { TRAWL_CUDA_QGRAM_FILTER, TRAWL_CUDA_QGRAM_PACKED };

/* Threads of a block, at most: one block has a multiprocessor for itself. */
#ifndef TRAWL_QGRAM_THREADS
#define TRAWL_QGRAM_THREADS 1024u
#endif

/* A warp goes over its strip in windows: every thread has so many vectors of 16 bytes of one. */
#define TRAWL_QGRAM_VECTORS 4u
#define TRAWL_QGRAM_VECTOR_BYTES (32u * 16u) /* that a warp loads at once */
#define TRAWL_QGRAM_WINDOW (TRAWL_QGRAM_VECTORS * TRAWL_QGRAM_VECTOR_BYTES)

/* Shared memory of a warp: a bit for each byte of a round of windows and of the stride behind it,
 * for each tier: keys of the tier may end with this byte. And samples that wait for the second
 * question. */
#define TRAWL_QGRAM_MOST_ROUND 4u /* windows; tiers share the room */
#define TRAWL_QGRAM_QUEUE 64u

/* A tier; pointers are the device's. */
typedef struct trawl_cuda_qgram_tables {
    trawl_cuda_qgram_tier tier;
    uint32_t mask, case_bits;
    const uint32_t *filter; /* GLOBAL */
    const uint16_t *align;
    const uint8_t *anchors;
    const uint32_t *past; /* of each key: where the bytes of its first pattern end */
    const uint32_t *heads;
    const uint4 *ranges;    /* trawl_ending_range */
    const uint32_t *direct; /* DIRECT */
    trawl_cuda_endings endings;
} trawl_cuda_qgram_tables;

/* Passed to kernels by value. */
typedef struct trawl_cuda_qgram_view {
    uint32_t tiers;
    uint32_t image_words;  /* a multiple of 4 */
    uint32_t bitmap_words; /* of a warp and a tier */
    const uint4 *image;
    trawl_cuda_qgram_tables table[TRAWL_CUDA_QGRAM_TIERS];
} trawl_cuda_qgram_view;

/* Blocks keep a copy of it in shared memory, behind the image. */
#define TRAWL_QGRAM_VIEW_WORDS ((uint32_t)(sizeof(trawl_cuda_qgram_view) + 15) / 16 * 4)

/* A place of the text where a key ends. */
typedef struct trawl_cuda_qgram_hit {
    uint32_t end; /* in the slice */
    uint32_t key; /* with the tier in the upper two bits */
} trawl_cuda_qgram_hit;

#define TRAWL_QGRAM_TIER_SHIFT 30u

/* Hits of each strip in no order, noted while matches are counted, so that records need no second
 * walk. A strip with more than `capacity` is walked again. */
typedef struct trawl_cuda_qgram_notes {
    trawl_cuda_qgram_hit *hits; /* `capacity` for each strip; NULL: none are noted */
    uint32_t *overflown;        /* one word: strips with too many */
    uint32_t *count;            /* behind it, of each strip; may be above `capacity` */
    uint32_t capacity;
} trawl_cuda_qgram_notes;

/*
 * What passes FILTER, strip by strip, in bundles: the samples of one tier that a thread has in a
 * window, or in half of one at a stride of 1. The lower half of a bundle has a bit for each sample
 * that has passed, as the loop has made them (qgram_sieve.cu); the upper one where the thread's
 * first byte of them is, from the strip's first one, the tier, and the stride's logarithm. There is
 * room for all. Strips where much passes are counted apart: asking for all of one takes long.
 */
typedef struct trawl_cuda_qgram_candidates {
    uint64_t *bundles;      /* `capacity` for each strip */
    uint32_t *count;        /* of each strip; 0 for dense ones */
    uint2 *dense;           /* dense strips and their counts, in no order */
    uint32_t *dense_strips; /* the first of four words: how many these are */
    uint32_t *listed;       /* the next one: bundles of all other strips */
    uint32_t *longest;      /* of that among them with the most */
    uint32_t *taken;        /* shares that the second step has given away */
    uint32_t capacity;
} trawl_cuda_qgram_candidates;

/* A strip is dense where one sample passes for fewer bytes than this. */
#define TRAWL_QGRAM_BYTES_PER_SAMPLE 8u

#define TRAWL_QGRAM_BUNDLE_TIER_SHIFT 14u
#define TRAWL_QGRAM_BUNDLE_STRIDE_SHIFT 16u
#define TRAWL_QGRAM_MOST_STRIP (1u << TRAWL_QGRAM_BUNDLE_TIER_SHIFT) /* bytes */

/* Samples that bundles of a tier have at most. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_bundled(uint32_t stride_shift) {
    return stride_shift == 0 ? 32 : 64 >> stride_shift;
}

typedef struct trawl_cuda_qgram_call {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    trawl_cuda_qgram_candidates candidates;
    trawl_cuda_qgram_notes notes;
    uint32_t strip_bytes; /* a multiple of TRAWL_QGRAM_WINDOW */
    uint32_t blocks, threads, shared_bytes;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_qgram_call;

/* All passes but RECORDS and STATES. The first step lists candidates; pass COUNT also counts what
 * pairs of bytes say at once. */
trawl_status trawl_cuda_qgram_filter_text(const trawl_cuda_qgram_call *call, trawl_error *error);

/* What it needs of shared memory besides the tables. */
uint32_t trawl_cuda_qgram_filter_shared(void);

/* The second step, for what is listed. Pass SIZES also notes hits. */
trawl_status trawl_cuda_qgram_verify(const trawl_cuda_qgram_call *call, trawl_error *error);

/* RECORDS of strips whose hits are all noted, and of all others. */
trawl_status trawl_cuda_qgram_write_records(const trawl_cuda_qgram_call *call, trawl_error *error);
trawl_status trawl_cuda_qgram_walk(const trawl_cuda_qgram_call *call, trawl_error *error);

/* Windows of a round. */
static inline uint32_t trawl_cuda_qgram_round(uint32_t tiers) {
    return tiers == 1 ? TRAWL_QGRAM_MOST_ROUND : tiers == 2 ? TRAWL_QGRAM_MOST_ROUND / 2 : 1;
}

static inline uint32_t trawl_cuda_qgram_shared_bytes(const trawl_cuda_qgram_view *view,
                                                     uint32_t threads) {
    uint32_t warp_words = view->tiers * view->bitmap_words + TRAWL_QGRAM_QUEUE;
    return 4 * (view->image_words + TRAWL_QGRAM_VIEW_WORDS + threads / 32 * warp_words);
}

/* The outputs of keys; all of *keys but first_hit. */
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
    outputs->records = NULL;
}

#endif
