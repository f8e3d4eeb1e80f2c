/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Steps of the NFA on the device: the counterpart of engines/ac_nfa/step.h. When a walk enters a
 * state it reads the state's record, which says whether keys end there and is needed for the next
 * step.
 */
#ifndef TRAWL_ENGINES_AC_NFA_CUDA_STEP_CUH
#define TRAWL_ENGINES_AC_NFA_CUDA_STEP_CUH

#include "engines/ac_nfa/cuda/engine.cuh"
#include "gpu/read_table.cuh"

/* How tables are read: from device memory by plain or read-only loads or through texture objects
 * (Kouzinopoulos et al. 2015, 4.2.2), or from a copy in shared or constant memory (Charan 2015,
 * 4.4). */
enum trawl_cuda_nfa_path {
    TRAWL_CUDA_NFA_PLAIN = TRAWL_CUDA_PLAIN,
    TRAWL_CUDA_NFA_READ_ONLY = TRAWL_CUDA_READ_ONLY,
    TRAWL_CUDA_NFA_TEXTURE = TRAWL_CUDA_TEXTURE,
    TRAWL_CUDA_NFA_IN_SHARED,
    TRAWL_CUDA_NFA_IN_CONSTANT
};

/* The tables of the array's holder (engine.cuh). */
static __constant__ uint4 trawl_nfa_constant[TRAWL_CUDA_NFA_CONSTANT_BYTES / 16];

/* Element `index` of a table. `copy` are the tables in shared memory. */
template <int PATH, typename T>
static __device__ __forceinline__ T trawl_nfa_read(const trawl_cuda_nfa_table &table,
                                                   const uint4 *copy, size_t index) {
    if (PATH == TRAWL_CUDA_NFA_IN_CONSTANT) {
        return ((const T *)(trawl_nfa_constant + table.place))[(uint32_t)index];
    }
    if (PATH == TRAWL_CUDA_NFA_IN_SHARED) {
        return ((const T *)(copy + table.place))[(uint32_t)index];
    }
    return trawl_cuda_read_table<PATH, T>(table.memory, table.texture, index);
}

/* Reads entry `index` of a table of 4-byte words. */
template <int TABLE, int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_word(const trawl_cuda_nfa &nfa,
                                                          const uint4 *copy, size_t index) {
    return trawl_nfa_read<PATH, uint32_t>(nfa.tables[TABLE], copy, index);
}

/* The current state of a walk, and its record, of which only the members that the representation
 * needs are read:
 *
 *     x               y               z               w
 *     | first child   | failure link, | rest of a record of 16 bytes  |
 *     |               | as stored     |                               | */
typedef struct trawl_nfa_place {
    uint32_t state;
    uint4 record;
} trawl_nfa_place;

template <int FORM, int PATH>
static __device__ __forceinline__ void trawl_nfa_enter(const trawl_cuda_nfa &nfa, const uint4 *copy,
                                                       uint32_t state, trawl_nfa_place *place) {
    place->state = state;
    if (FORM == TRAWL_CUDA_NFA_PACKED || FORM == TRAWL_CUDA_NFA_SHORT) {
        place->record = trawl_nfa_read<PATH, uint4>(nfa.tables[TRAWL_CUDA_NFA_STATES], copy, state);
    } else if (FORM == TRAWL_CUDA_NFA_ARRAY) {
        place->record.y = trawl_nfa_word<TRAWL_CUDA_NFA_FAILURE, PATH>(nfa, copy, state);
    } else {
        place->record.y = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(
            nfa, copy, (size_t)state * nfa.record_words + 1);
    }
}

/* ------------------------------------------------------------------ goto */

/* The number of bits that are set in a 4-byte word of a bitmap below bit `bit`, which is below
 * 32. */
static __device__ __forceinline__ uint32_t trawl_nfa_below(uint32_t word, uint32_t bit) {
    return (uint32_t)__popc(word & ((1u << bit) - 1));
}

/* The child over `label` by the bitmap in `wide` that begins with word `begin`; 0 if there is
 * none. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_wide_child(const trawl_cuda_nfa &nfa,
                                                                const uint4 *copy, size_t begin,
                                                                uint32_t first_child,
                                                                uint32_t label) {
    uint32_t word = trawl_nfa_word<TRAWL_CUDA_NFA_WIDE, PATH>(nfa, copy, begin + label / 32);
    if ((word >> label % 32 & 1) == 0) {
        return 0;
    }
    uint32_t child = first_child + trawl_nfa_below(word, label % 32);
#pragma unroll 1
    for (uint32_t i = 0; i < label / 32; i++) {
        child += (uint32_t)__popc(trawl_nfa_word<TRAWL_CUDA_NFA_WIDE, PATH>(nfa, copy, begin + i));
    }
    return child;
}

/* The child of a state with a record of one word over a class that is not one of the first 64. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_beyond(const trawl_cuda_nfa &nfa,
                                                            const uint4 *copy, uint32_t state,
                                                            uint32_t first_child, uint32_t label) {
    uint32_t low = 0, high = nfa.wide_rows;
#pragma unroll 1
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        size_t row = (size_t)middle * nfa.wide_words;
        /* Owners are stored as 8 bytes, of which the upper four are 0. */
        uint32_t owner = trawl_nfa_word<TRAWL_CUDA_NFA_WIDE, PATH>(nfa, copy, row);
        if (owner == state) {
            return trawl_nfa_wide_child<PATH>(nfa, copy, row + 2, first_child, label);
        }
        if (owner < state) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_short_child(const trawl_cuda_nfa &nfa,
                                                                 const uint4 *copy,
                                                                 const trawl_nfa_place &place,
                                                                 uint32_t label) {
    const uint4 &record = place.record;
    if (label >= 64) { /* classes of rare bytes */
        return trawl_nfa_beyond<PATH>(nfa, copy, place.state, record.x, label);
    }
    bool upper = label >= 32;
    uint32_t word = upper ? record.w : record.z;
    uint32_t child =
        record.x + (upper ? (uint32_t)__popc(record.z) : 0u) + trawl_nfa_below(word, label % 32);
    return (word >> label % 32 & 1) != 0 ? child : 0;
}

/* The labels are bytes 9 to 15 of the record. All are compared at once, as goto_packed in ../step.h
 * does. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_packed_child(const trawl_cuda_nfa &nfa,
                                                                  const uint4 *copy,
                                                                  const trawl_nfa_place &place,
                                                                  uint32_t label) {
    const uint4 &record = place.record;
    uint32_t count = record.z & 0xff;
    if (count == TRAWL_PACKED_WIDE) {
        uint32_t index = record.z >> 8 | record.w << 24;
        return trawl_nfa_wide_child<PATH>(nfa, copy, (size_t)index * nfa.wide_words, record.x,
                                          label);
    }
    /* The lowest byte that is 0 has its high bit set here; higher bytes may have it by mistake. The
     * first byte is the count, which is made to differ. */
    const uint32_t ones = 0x01010101u;
    uint32_t low = (record.z ^ label * ones) | 0xff, high = record.w ^ label * ones;
    uint32_t zero_low = (low - ones) & ~low & (ones << 7);
    uint32_t zero_high = (high - ones) & ~high & (ones << 7);
    uint32_t index = zero_low != 0    ? (uint32_t)__ffs((int)zero_low) / 8 - 2
                     : zero_high != 0 ? (uint32_t)__ffs((int)zero_high) / 8 + 2
                                      : count;
    return index < count ? record.x + index : 0;
}

template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_bitmap_child(const trawl_cuda_nfa &nfa,
                                                                  const uint4 *copy, uint32_t state,
                                                                  uint32_t label) {
    size_t begin = (size_t)state * nfa.record_words;
    uint32_t word = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + label / 32);
    if ((word >> label % 32 & 1) == 0) {
        return 0;
    }
    uint32_t child = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin) +
                     trawl_nfa_below(word, label % 32);
#pragma unroll 1
    for (uint32_t i = 0; i < label / 32; i++) {
        child +=
            (uint32_t)__popc(trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + i));
    }
    return child;
}

/* The child as trawl_nfa_bitmap_child finds it, but by the same instructions for every label,
 * whether there is a child or not. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_bitmap_child_uniform(const trawl_cuda_nfa &nfa,
                                                                          const uint4 *copy,
                                                                          uint32_t state,
                                                                          uint32_t label) {
    size_t begin = (size_t)state * nfa.record_words;
    uint32_t child = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin), found = 0;
    uint32_t below = (1u << label % 32) - 1;
    for (uint32_t i = 0; i < nfa.words; i++) {
        uint32_t word = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + i);
        uint32_t mask = i < label / 32 ? ~0u : i == label / 32 ? below : 0u;
        child += (uint32_t)__popc(word & mask);
        found |= i == label / 32 ? word >> label % 32 & 1 : 0u;
    }
    return found != 0 ? child : 0;
}

/* Bits below the label are counted in its word of 8 bytes; the numbers of bits in the words before
 * are stored. So all labels take the same instructions. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_counts_child(const trawl_cuda_nfa &nfa,
                                                                  const uint4 *copy, uint32_t state,
                                                                  uint32_t label) {
    size_t begin = (size_t)state * nfa.record_words;
    uint32_t first = label / 64 * 2;
    uint32_t low = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + first);
    uint32_t high = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 3 + first);
    uint32_t counts = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + nfa.words);
    bool upper = label % 64 >= 32;
    uint32_t word = upper ? high : low;
    uint32_t child = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin) +
                     (counts >> 8 * (label / 64) & 0xff) + (upper ? (uint32_t)__popc(low) : 0u) +
                     trawl_nfa_below(word, label % 32);
    return (word >> label % 32 & 1) != 0 ? child : 0;
}

/* The label is a byte. The counts (32 in the thesis) say how many bits are set before each group of
 * eight bits. All labels take the same instructions. */
template <int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_offsets_child(const trawl_cuda_nfa &nfa,
                                                                   const uint4 *copy,
                                                                   uint32_t state, uint32_t label) {
    size_t begin = (size_t)state * nfa.record_words;
    uint32_t shift = label % 32 & ~7u;
    uint32_t eight =
        trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + label / 32) >> shift;
    uint32_t counts =
        trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin + 2 + nfa.words + label / 32);
    uint32_t child = trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy, begin) +
                     (counts >> shift & 0xff) + trawl_nfa_below(eight, label % 8);
    return (eight >> label % 8 & 1) != 0 ? child : 0;
}

/* The child of a state over a symbol (arrays: a byte, else its class); 0 if there is none. */
template <int FORM, bool FIXED, int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_child(const trawl_cuda_nfa &nfa,
                                                           const uint4 *copy,
                                                           const trawl_nfa_place &place,
                                                           uint32_t symbol) {
    switch (FORM) {
    case TRAWL_CUDA_NFA_PACKED:
        return trawl_nfa_packed_child<PATH>(nfa, copy, place, symbol);
    case TRAWL_CUDA_NFA_ARRAY:
        return trawl_nfa_word<TRAWL_CUDA_NFA_STATES, PATH>(nfa, copy,
                                                           (size_t)place.state * 256 + symbol);
    case TRAWL_CUDA_NFA_BITMAP:
        return FIXED ? trawl_nfa_bitmap_child_uniform<PATH>(nfa, copy, place.state, symbol)
                     : trawl_nfa_bitmap_child<PATH>(nfa, copy, place.state, symbol);
    case TRAWL_CUDA_NFA_SHORT:
        return trawl_nfa_short_child<PATH>(nfa, copy, place, symbol);
    case TRAWL_CUDA_NFA_OFFSETS:
        return trawl_nfa_offsets_child<PATH>(nfa, copy, place.state, symbol);
    default:
        return trawl_nfa_counts_child<PATH>(nfa, copy, place.state, symbol);
    }
}

/* ------------------------------------------------------------------ steps */

/* The failure walk (Kouzinopoulos et al. 2015, Algorithm 6). It ends at the root, or at a state
 * with a complete row (automaton/nfa.h). Threads take different numbers of iterations. */
template <int FORM, int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_next_by_loop(const trawl_cuda_nfa &nfa,
                                                                  const uint4 *copy,
                                                                  trawl_nfa_place place,
                                                                  uint32_t symbol) {
#pragma unroll 1
    for (;;) {
        uint32_t child = trawl_nfa_child<FORM, false, PATH>(nfa, copy, place, symbol);
        uint32_t failure = place.record.y;
        if (child != 0) {
            return child;
        }
        if (FORM != TRAWL_CUDA_NFA_ARRAY && (failure & TRAWL_FAILURE_ROW) != 0) {
            return trawl_nfa_word<TRAWL_CUDA_NFA_TOP, PATH>(
                nfa, copy, (failure & TRAWL_FAILURE_NUMBER) + symbol);
        }
        if (FORM != TRAWL_CUDA_NFA_PACKED && FORM != TRAWL_CUDA_NFA_SHORT && place.state == 0) {
            return 0; /* without complete rows a walk ends at the root */
        }
        trawl_nfa_enter<FORM, PATH>(nfa, copy, failure & TRAWL_FAILURE_NUMBER, &place);
    }
}

/* The divergence-free step (Charan 2015, Algorithm 5): all threads take as many failure steps as
 * the trie has levels. The paper collects one bit for each step in a mask and takes the first one
 * that is set; keeping the first child in a register is the same, without a limit of levels. */
template <int FORM, int PATH>
static __device__ __forceinline__ uint32_t trawl_nfa_next_fixed(const trawl_cuda_nfa &nfa,
                                                                const uint4 *copy,
                                                                trawl_nfa_place place,
                                                                uint32_t symbol) {
    uint32_t found = 0;
#pragma unroll 1
    for (uint32_t step = 0; step <= nfa.levels; step++) {
        uint32_t child = trawl_nfa_child<FORM, true, PATH>(nfa, copy, place, symbol);
        found = found != 0 ? found : child;
        trawl_nfa_enter<FORM, PATH>(nfa, copy, place.record.y & TRAWL_FAILURE_NUMBER, &place);
    }
    return found;
}

/* Takes the step over a byte. `classes` are in shared memory; NULL: the path reads them. */
template <int FORM, bool FIXED, int PATH>
static __device__ __forceinline__ void trawl_nfa_step(const trawl_cuda_nfa &nfa, const uint4 *copy,
                                                      const uint8_t *classes, uint32_t byte,
                                                      trawl_nfa_place *place) {
    uint32_t symbol = byte;
    if (FORM != TRAWL_CUDA_NFA_ARRAY) {
        symbol = classes != NULL ? classes[byte]
                                 : trawl_nfa_read<PATH, uint8_t>(nfa.tables[TRAWL_CUDA_NFA_CLASSES],
                                                                 copy, byte);
    }
    uint32_t next = FIXED ? trawl_nfa_next_fixed<FORM, PATH>(nfa, copy, *place, symbol)
                          : trawl_nfa_next_by_loop<FORM, PATH>(nfa, copy, *place, symbol);
    trawl_nfa_enter<FORM, PATH>(nfa, copy, next, place);
}

static __device__ __forceinline__ bool trawl_nfa_matches(const trawl_nfa_place &place) {
    return (place.record.y & TRAWL_FAILURE_MATCHING) != 0;
}

/* The longest key that ends in a matching state. */
static __device__ __forceinline__ uint32_t trawl_nfa_key(const trawl_cuda_nfa &nfa,
                                                         uint32_t state) {
    unsigned long long before = __ldg(nfa.matching + state / 64) & ((1ull << state % 64) - 1);
    return __ldg(nfa.output + __ldg(nfa.rank + state / 64) + (uint32_t)__popcll(before));
}

#endif
