/*
 * The second and the third question (qgram.h): what the two ways over a text have in common, the
 * one in two steps (qgram_tally.cu, or qgram_verify.cu where order matters) and the one in a single
 * step for parts where too much passes (qgram_walk.cu).
 */
#ifndef TRAWL_CUDA_QGRAM_SETTLE_CUH
#define TRAWL_CUDA_QGRAM_SETTLE_CUH

#include "cuda/qgram_filter.cuh"

#define FULL 0xffffffffu

/* What the bits of a window are for. */
enum after {
    COUNT,  /* matches are counted; what pairs say is not looked up */
    REPORT, /* matches are counted and reported, in any order */
    NOTE,   /* matches are counted, and hits noted in their order */
    WRITE   /* records are written, in their order */
};

/* What a warp works with. */
typedef struct surroundings {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    const trawl_cuda_qgram_notes *notes;
    const uint32_t *image; /* in shared memory */
    uint32_t *bitmaps;     /* in shared memory: the warp's, tier after tier */
    uint32_t *queue;       /* likewise */
    uint32_t bitmap_words; /* of each tier */
} surroundings;

/* A warp's place in its part. */
typedef struct place {
    int32_t round;        /* where the round begins, in the piece; may be negative */
    uint32_t from;        /* where the window begins in it */
    uint32_t first, past; /* owned bytes: matches' last bytes are among them */
    uint32_t part;
    uint32_t queued;      /* samples in the queue */
    uint32_t bits;        /* the thread has set bits; other threads may have too */
    uint32_t pairs;       /* COUNT: matches of one and two bytes that the thread has counted */
    uint32_t noted;       /* NOTE: hits of the part */
    trawl_counter cursor; /* emit.cuh */
} place;

/* ------------------------------------------------------------------ the second question */

/* The eight bytes before text[end], the last one highest, zeros where the text has none: what those
 * let through fails the third question. By loads of aligned words where the text has them. */
static __device__ __forceinline__ uint64_t eight_before(const trawl_cuda_piece &piece,
                                                        int32_t end) {
    if (end >= 16 && end + 8 <= (int32_t)piece.length) {
        uintptr_t last = (uintptr_t)(piece.text + end - 1);
        const unsigned long long *words = (const unsigned long long *)(last & ~(uintptr_t)7);
        uint32_t behind = 8 * (7 - (uint32_t)(last & 7));
        uint64_t below = behind == 0 ? 0 : __ldg(words - 1) >> (64 - behind);
        return (uint64_t)__ldg(words) << behind | below;
    }
    uint64_t bytes = 0;
#pragma unroll 1
    for (int32_t at = end - 8; at < end; at++) {
        uint64_t byte = at >= 0 && at < (int32_t)piece.length ? piece.text[at] : 0;
        bytes = bytes >> 8 | byte << 56;
    }
    return bytes;
}

/* The hash of the sample that ends before text[end]. */
static __device__ __forceinline__ uint32_t sample_hash(const trawl_cuda_piece &piece,
                                                       const trawl_cuda_qgram_tables &table,
                                                       int32_t end) {
    const uint32_t oldest = trawl_cuda_qgram_words(&table.tier) - 1, oldest_mask = table.mask;
    uint64_t near = eight_before(piece, end);
    uint64_t far = oldest < 2 ? 0 : eight_before(piece, end - 8);
    uint32_t words[4] = {(uint32_t)(near >> 32), (uint32_t)near, (uint32_t)(far >> 32),
                         (uint32_t)far};
#pragma unroll
    for (uint32_t word = 0; word < 4; word++) {
        uint32_t mask = word < oldest ? UINT32_MAX : word == oldest ? oldest_mask : 0;
        words[word] = (words[word] | table.case_bits) & mask;
    }
    return trawl_cuda_qgram_hash(words);
}

/* At which distances behind a sample, which ends before text[end], keys may end: a bit for each. */
static __device__ __forceinline__ uint32_t alignments_of(const trawl_cuda_piece &piece,
                                                         const trawl_cuda_qgram_tables &table,
                                                         int32_t end) {
    uint32_t hash = sample_hash(piece, table, end);
    return __ldg(table.align + trawl_cuda_qgram_entry(hash, table.tier.align_bits));
}

/* Sets the bits of the ends that a sample of tier `number` may belong to, which ends `at` bytes
 * behind the beginning of the round, or before it. Returns 0 where there are none. */
static __device__ __forceinline__ uint32_t ask_align(const surroundings &around, int32_t round,
                                                     uint32_t number, int32_t at) {
    const trawl_cuda_qgram_tables &table = around.view->table[number];
    uint32_t alignments = alignments_of(around.reporter->piece, table, round + at);
    uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
    uint32_t some = alignments;
    while (alignments != 0) {
        uint32_t alignment = (uint32_t)__ffs((int)alignments) - 1;
        alignments &= alignments - 1;
        uint32_t last = (uint32_t)at + alignment - 1; /* of the match; wraps before the round */
        if (last < 32 * around.bitmap_words) {
            atomicOr(&bitmap[last / 32], 1u << (last % 32));
        }
    }
    return some;
}

/* Samples that end where a part begins, or before it, and reach into it: each tier has at most
 * BEFORE of them, and a thread asks for one. */
static_assert(TRAWL_CUDA_QGRAM_TIERS * TRAWL_CUDA_QGRAM_BEFORE <= 32, "one for each thread");

static __device__ __forceinline__ uint32_t ask_before(const surroundings &around, int32_t begin) {
    uint32_t lane = threadIdx.x % 32, number = lane / TRAWL_CUDA_QGRAM_BEFORE;
    if (number >= around.view->tiers) {
        return 0;
    }
    uint32_t stride = around.view->table[number].tier.stride;
    uint32_t distance = lane % TRAWL_CUDA_QGRAM_BEFORE * stride;
    return stride == 1 || distance >= TRAWL_CUDA_QGRAM_REACH
               ? 0
               : ask_align(around, begin, number, -(int32_t)distance);
}

/* ------------------------------------------------------------------ the third question */

/* The longest of the keys first .. last - 1, which end as the text before text[end] does, that ends
 * there, or TRAWL_NO_KEY: trawl_endings_find_in, but that patterns' bytes are looked at for keys of
 * more than eight bytes alone. */
static __device__ __forceinline__ uint32_t find_among(const trawl_cuda_reporter &reporter,
                                                      const trawl_cuda_qgram_tables &table,
                                                      uint32_t first, uint32_t last, uint32_t end,
                                                      uint64_t ending) {
    const uint64_t *endings = table.endings.endings;
    uint32_t key = first;
    for (uint32_t count = last - first; count > 1;) {
        uint32_t half = count / 2;
        key += endings[key + half] <= ending ? half : 0;
        count -= half;
    }
    uint64_t nearest = endings[key];
    if (nearest > ending) {
        return TRAWL_NO_KEY;
    }
    const trawl_outputs &outputs = table.endings.keys.outputs;
    if (nearest != ending) {
        uint32_t common = trawl_leading_zeros(nearest ^ ending) / 8;
        return trawl_ending_suffix(&outputs, key, common);
    }
    uint32_t length = outputs.length[key];
    if (length <= 8) {
        return length <= end ? key : trawl_ending_suffix(&outputs, key, end);
    }
    trawl_endings_view view;
    view.outputs = outputs;
    view.endings = endings;
    view.patterns = reporter.patterns;
    view.folded = table.endings.folded;
    return trawl_endings_find_by_bytes(&view, first, key + 1, table.tier.tail, reporter.piece.text,
                                       end);
}

/* The longest key of a tier that ends before text[end], or TRAWL_NO_KEY. */
static __device__ __forceinline__ uint32_t key_before(const trawl_cuda_reporter &reporter,
                                                      const trawl_cuda_qgram_tables &table,
                                                      uint32_t end) {
    if (table.tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        const uint8_t *text = reporter.piece.text;
        uint32_t pair = (uint32_t)text[end - 1] << 8 | (end < 2 ? 0 : text[end - 2]);
        uint32_t key = __ldg(table.direct + pair);
        return key == 0 ? TRAWL_NO_KEY
                        : trawl_ending_suffix(&table.endings.keys.outputs, key - 1, end);
    }
    uint32_t tail = table.tier.tail;
    uint64_t ending = eight_before(reporter.piece, (int32_t)end);
    ending = table.tier.folded != 0 ? trawl_fold_word(ending) : ending;
    uint64_t word = ending & ~UINT64_C(0) << (64 - 8 * tail);
    size_t slot = trawl_ending_slot(word, table.tier.hash_bits);
    uint32_t past = __ldg(table.heads + slot + 1);
    for (uint32_t i = __ldg(table.heads + slot); i < past; i++) {
        uint4 range = __ldg(table.ranges + i); /* word, first, last */
        if (((uint64_t)range.y << 32 | range.x) != word) {
            continue;
        }
        if (end < tail) {
            break;
        }
        /* Where all keys have the bytes that were looked up, there is but one with these. */
        return table.tier.max_length == tail
                   ? range.z
                   : find_among(reporter, table, range.z, range.w, end, ending);
    }
    return TRAWL_NO_KEY;
}

/* The same, where registers are few. */
static __device__ __noinline__ uint32_t find_key(const trawl_cuda_reporter &reporter,
                                                 const trawl_cuda_qgram_tables &table,
                                                 uint32_t end) {
    return key_before(reporter, table, end);
}

/* The sum of the values of all threads before this one; *sum becomes that of all. */
static __device__ __forceinline__ uint32_t sum_before(uint32_t value, uint32_t *sum) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t inclusive = value;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(FULL, inclusive, distance);
        inclusive += lane < distance ? 0 : other;
    }
    *sum = __shfl_sync(FULL, inclusive, 31);
    return inclusive - value;
}

/* What a settled round adds. */
typedef struct settled {
    trawl_counter cursor;
    uint32_t noted;
    uint32_t behind; /* bits behind the round, which belong to the next one: some tier has any */
} settled;

/* Bits of the round as a list, in the order of matches: which tier, which byte of the round. It
 * takes the queue's place, and may be made in several pieces. */
#define LIST (2 * TRAWL_QGRAM_QUEUE)
#define LISTED_TIER_SHIFT 14

/* Lists a thread's bits from number `begin` of all on, as many as there is room for; the thread's
 * first one is number `rank`. */
static __device__ __forceinline__ void list_bits(const surroundings &around, uint32_t rank,
                                                 uint32_t begin) {
    uint16_t *list = (uint16_t *)around.queue;
    uint32_t each = around.bitmap_words / 32, tiers = around.view->tiers;
    for (uint32_t i = 0; i < each; i++) {
        uint32_t word = each * (threadIdx.x % 32) + i, either = 0;
        for (uint32_t number = 0; number < tiers; number++) {
            either |= around.bitmaps[number * around.bitmap_words + word];
        }
        while (either != 0) {
            uint32_t bit = (uint32_t)__ffs((int)either) - 1;
            either &= either - 1;
            for (uint32_t number = 0; number < tiers; number++) {
                if ((around.bitmaps[number * around.bitmap_words + word] >> bit & 1) != 0) {
                    if (rank - begin < LIST) {
                        list[rank - begin] =
                            (uint16_t)(number << LISTED_TIER_SHIFT | (32 * word + bit));
                    }
                    rank++;
                }
            }
        }
    }
}

/* What is done with the key of one listed bit: all threads of the warp call it, those without a key
 * with TRAWL_NO_KEY. */
template <int AFTER>
static __device__ __forceinline__ void take_key(const surroundings &around, const place &place,
                                                uint32_t number, uint32_t end, uint32_t key,
                                                uint32_t rank, settled *result) {
    const trawl_cuda_reporter &reporter = *around.reporter;
    const trawl_cuda_keys &keys = around.view->table[number].endings.keys;
    if (AFTER == REPORT) {
        if (key != TRAWL_NO_KEY) {
            trawl_cuda_report_key(reporter, keys, end, key, &result->cursor);
        }
        return;
    }
    uint32_t total = key == TRAWL_NO_KEY ? 0 : trawl_cuda_qgram_total(reporter, keys, end, key);
    if (AFTER == WRITE) {
        uint32_t all;
        trawl_counter at = result->cursor + sum_before(total, &all);
        if (total != 0) {
            trawl_cuda_report_key(reporter, keys, end, key, &at);
        }
        result->cursor += all;
        return;
    }
    result->cursor += total;
    if (AFTER == NOTE && rank < around.notes->capacity) {
        trawl_cuda_qgram_hit hit = {end, total == 0 ? TRAWL_NO_KEY
                                                    : key | number << TRAWL_QGRAM_TIER_SHIFT};
        around.notes->hits[(size_t)place.part * around.notes->capacity + rank] = hit;
    }
}

/* Asks the third question for the bits of a round, and takes them away. */
template <int AFTER>
static __device__ __noinline__ settled settle(const surroundings &around, const place place) {
    uint32_t lane = threadIdx.x % 32, each = around.bitmap_words / 32;
    uint32_t tiers = around.view->tiers, bits = 0, all;
    const uint16_t *list = (const uint16_t *)around.queue;
    settled result = {place.cursor, place.noted, 0};
    __syncwarp();
    for (uint32_t number = 0; number < tiers; number++) {
        const uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
        for (uint32_t i = 0; i < each; i++) {
            bits += (uint32_t)__popc(bitmap[each * lane + i]);
        }
    }
    uint32_t rank = sum_before(bits, &all);
    for (uint32_t begin = 0; begin < all; begin += LIST) {
        if (rank < begin + LIST && rank + bits > begin) {
            list_bits(around, rank, begin);
        }
        __syncwarp();
        uint32_t listed = all - begin < LIST ? all - begin : LIST;
        for (uint32_t i = lane; i - lane < listed; i += 32) {
            uint32_t number = 0, end = 0, key = TRAWL_NO_KEY;
            if (i < listed) {
                number = list[i] >> LISTED_TIER_SHIFT;
                int32_t last = place.round + (int32_t)(list[i] & ((1u << LISTED_TIER_SHIFT) - 1));
                end = (uint32_t)last + 1;
                if (last >= (int32_t)place.first && last < (int32_t)place.past) {
                    key = find_key(*around.reporter, around.view->table[number], end);
                }
            }
            uint32_t noted =
                i < listed && place.noted != UINT32_MAX ? place.noted + begin + i : UINT32_MAX;
            take_key<AFTER>(around, place, number, end, key, noted, &result);
        }
        __syncwarp();
    }
    if (AFTER == NOTE && place.noted != UINT32_MAX) {
        uint32_t sum = place.noted + all;
        result.noted = sum <= around.notes->capacity ? sum : UINT32_MAX;
    }
    for (uint32_t number = 0; number < tiers; number++) {
        uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
        uint32_t behind = bitmap[around.bitmap_words - 1];
        __syncwarp();
        for (uint32_t i = 0; i < each; i++) {
            bitmap[each * lane + i] = lane == 0 && i == 0 ? behind : 0;
        }
        if (lane == 0) {
            bitmap[around.bitmap_words - 1] = 0;
        }
        result.behind |= behind;
    }
    __syncwarp();
    return result;
}

/* ------------------------------------------------------------------ a part */

/* The 16 bytes at text[at], zeros where the text has none. */
static __device__ __forceinline__ uint4 load_vector(const trawl_cuda_piece &piece, int32_t at) {
    if (at >= 0 && at + 16 <= (int32_t)piece.length) {
        return __ldg((const uint4 *)(piece.text + at));
    }
    uint32_t words[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < 16; i++) {
        if (at + i >= 0 && at + i < (int32_t)piece.length) {
            words[i / 4] |= (uint32_t)piece.text[at + i] << (8 * (i % 4));
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

static __device__ __forceinline__ void load_window(const trawl_cuda_piece &piece, int32_t window,
                                                   uint4 *own) {
    int32_t at = window + (int32_t)(threadIdx.x % 32 * 16);
    if (window >= 0 && window + (int32_t)TRAWL_QGRAM_WINDOW <= (int32_t)piece.length) {
        const uint4 *vectors = (const uint4 *)(piece.text + at);
#pragma unroll
        for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
            own[i] = __ldg(vectors + i * (TRAWL_QGRAM_VECTOR_BYTES / 16));
        }
    } else {
#pragma unroll
        for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
            own[i] = load_vector(piece, at + (int32_t)(i * TRAWL_QGRAM_VECTOR_BYTES));
        }
    }
}

/* NOTE: hands in how many matches and hits a part has. */
static __device__ __forceinline__ void hand_in_part(const trawl_cuda_output &output,
                                                    const trawl_cuda_qgram_notes &notes,
                                                    const place &place) {
    trawl_counter sum = place.cursor;
    for (uint32_t offset = 16; offset != 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (threadIdx.x % 32 == 0) {
        output.sizes[place.part] = sum;
        notes.count[place.part] = place.noted;
        if (place.noted > notes.capacity) {
            atomicAdd(notes.overflown, 1u);
        }
    }
}

/* Adds up what the threads of a block have counted. */
static __device__ __forceinline__ void add_total(const trawl_cuda_output &output,
                                                 trawl_counter counted, uint32_t *shared) {
    for (uint32_t offset = 16; offset != 0; offset /= 2) {
        counted += __shfl_down_sync(FULL, counted, offset);
    }
    trawl_counter *sums = (trawl_counter *)shared;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = counted;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        trawl_counter sum = 0;
        for (uint32_t i = 0; i < blockDim.x / 32; i++) {
            sum += sums[i];
        }
        if (sum != 0) {
            atomicAdd(output.total, sum);
        }
    }
}

#endif
