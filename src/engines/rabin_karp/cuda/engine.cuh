/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the kernels of rabin-karp have in common: the tables of a pass, its filter, and the look-up
 * of candidates. A candidate is a search window whose hash the filter contains.
 */
#ifndef TRAWL_ENGINES_RABIN_KARP_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_RABIN_KARP_CUDA_ENGINE_CUH

extern "C" {
#include "engines/rabin_karp/format.h"
}

#include "gpu/endings.cuh"

/* The kernels, in the order of `kernels` in ../build.c. */
enum {
    TRAWL_CUDA_RABIN_KARP_ROLLING,
    TRAWL_CUDA_RABIN_KARP_PREFIX_SUMS,
    TRAWL_CUDA_RABIN_KARP_STEPS
};

/* Filters of up to 1 << 18 bits (32 KiB) are copied to shared memory by each block; larger ones are
 * read from device memory. Chosen, not measured. */
#define TRAWL_CUDA_RABIN_KARP_SHARED_BITS 18u

/* One pass over the text: windows of one length. Passed to kernels by value; pointers are to device
 * memory. */
typedef struct trawl_cuda_rabin_karp_pass {
    uint32_t window;
    bool folded;
    trawl_rolling rolling;
    uint64_t power; /* base^window */
    /*
     * The filter: bit b is bit b % 32 of filter[b / 32]. In `paper` it is followed by a second one.
     *
     *     | 1 << filter_bits bits: hashes | paper: 1 << filter_bits bits: samples of the bytes |
     */
    const uint32_t *filter;
    uint32_t filter_bits;
    /* grouped: the table of ranges */
    uint32_t hash_bits;
    const uint32_t *heads; /* paper: HT */
    const trawl_ending_range *ranges;
    trawl_cuda_endings endings;
    /* paper: the lists of HT */
    const uint32_t *ids;
    const uint2 *beginnings; /* of the same patterns: first four bytes, length */
} trawl_cuda_rabin_karp_pass;

/*
 * Powers of d modulo q, indexed by their exponent modulo q - 1 (Nunes et al. 2018, Corollary 2).
 * Passed to kernels by value.
 *
 *     q up to 65,536    d^e = narrow[e]                       numbers of 16 bits
 *     larger q          d^e = low[e % 65,536] * high[e / 65,536]
 *
 * The tables reach up to e = q - 1, whose power is 1 again.
 */
typedef struct trawl_cuda_powers {
    uint32_t modulus;         /* q, or 0 if there are no such powers */
    uint32_t period;          /* q - 1 */
    uint32_t modulus_inverse; /* floor((2^32 - 1) / q) */
    uint32_t period_inverse;
    uint64_t wide_inverse;  /* floor((2^64 - 1) / q) */
    const uint16_t *narrow; /* NULL if q is larger than 65,536 */
    const uint32_t *low;
    const uint32_t *high;
} trawl_cuda_powers;

typedef struct trawl_cuda_rabin_karp_tables {
    bool paper;
    uint32_t passes;
    uint32_t longest;                 /* longest window of all passes */
    trawl_cuda_rabin_karp_pass *each; /* in host memory */
    uint32_t *filters;                /* paper: of all passes */
    uint2 *beginnings;                /* paper */
    trawl_cuda_powers powers;
} trawl_cuda_rabin_karp_tables;

/* The number of bits of a filter of the paper's hashes, as a power of two: one bit for each hash
 * below q, from 128 up to 1 << 17 bits (16 KiB; two of them fit a block's shared memory). The
 * limits are chosen, not measured. */
static inline uint32_t trawl_cuda_rabin_karp_filter_bits(uint64_t modulus) {
    uint32_t bits = 7;
    while (bits < 17 && (UINT64_C(1) << bits) < modulus) {
        bits++;
    }
    return bits;
}

/* Returns the bit of a pass's filter for a hash. */
template <bool PAPER>
static inline __host__ __device__ uint32_t
trawl_cuda_rabin_karp_bit(const trawl_cuda_rabin_karp_pass &pass, uint64_t hash) {
    return PAPER ? (uint32_t)hash & ((1u << pass.filter_bits) - 1)
                 : (uint32_t)trawl_rabin_karp_bit(pass.rolling.vanishing, hash, pass.filter_bits);
}

template <bool PAPER>
static inline __host__ __device__ bool
trawl_cuda_rabin_karp_shares(const trawl_cuda_rabin_karp_pass &pass) {
    return PAPER || pass.filter_bits <= TRAWL_CUDA_RABIN_KARP_SHARED_BITS;
}

static inline uint32_t trawl_cuda_rabin_karp_filter_bytes(const trawl_cuda_rabin_karp_pass *pass) {
    if (pass->beginnings != NULL) { /* paper */
        return (2u << pass->filter_bits) / 8;
    }
    return trawl_cuda_rabin_karp_shares<false>(*pass) ? (1u << pass->filter_bits) / 8 : 0;
}

/* Copies the filter to shared memory, unless it is too large. All threads of a block must call it;
 * the caller puts a barrier behind it. */
template <bool PAPER>
static __device__ __forceinline__ void
trawl_cuda_rabin_karp_load_filter(const trawl_cuda_rabin_karp_pass &pass, uint32_t *shared) {
    if (trawl_cuda_rabin_karp_shares<PAPER>(pass)) {
        uint32_t words = ((PAPER ? 2u : 1u) << pass.filter_bits) / 32;
        for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
            shared[i] = __ldg(&pass.filter[i]);
        }
    }
}

/* Whether the filter contains the hash: false if no pattern of the pass has it. */
template <bool PAPER>
static __device__ __forceinline__ bool
trawl_cuda_rabin_karp_passes(const trawl_cuda_rabin_karp_pass &pass, const uint32_t *shared,
                             uint64_t hash) {
    uint32_t bit = trawl_cuda_rabin_karp_bit<PAPER>(pass, hash);
    uint32_t word = trawl_cuda_rabin_karp_shares<PAPER>(pass) ? shared[bit / 32]
                                                              : __ldg(&pass.filter[bit / 32]);
    return (word >> bit % 32 & 1) != 0;
}

/* Returns the first four bytes (or `length`, if that is less) as a number, folded if `folded`. */
static inline __host__ __device__ uint32_t trawl_cuda_rabin_karp_beginning(const uint8_t *bytes,
                                                                           uint32_t length,
                                                                           bool folded) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < (length < 4 ? length : 4); i++) {
        word |= (uint32_t)(folded ? trawl_fold(bytes[i]) : bytes[i]) << 8 * i;
    }
    return word;
}

/* Returns the first eight bytes (or `length`, if that is less) as a number, folded if `folded`. */
static inline __host__ __device__ uint64_t trawl_cuda_rabin_karp_word(const uint8_t *bytes,
                                                                      uint32_t length,
                                                                      bool folded) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < (length < 8 ? length : 8); i++) {
        word |= (uint64_t)(folded ? trawl_fold(bytes[i]) : bytes[i]) << 8 * i;
    }
    return word;
}

/* Returns the bit of the second filter for a window: a hash of its first eight bytes and, if it has
 * at least 16, of eight bytes from its middle. The first eight alone do not suffice: texts have
 * long runs of one byte, of blanks for example, and where some pattern begins with such a run, all
 * windows in them would be candidates. */
static inline __host__ __device__ uint32_t trawl_cuda_rabin_karp_sample_bit(
    const trawl_cuda_rabin_karp_pass &pass, const uint8_t *bytes, uint32_t length) {
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = trawl_cuda_rabin_karp_word(bytes, length, pass.folded) * odd;
    if (length >= 16) {
        word = (word ^ word >> 32 ^
                trawl_cuda_rabin_karp_word(bytes + length / 2, length, pass.folded)) *
               odd;
    }
    return (uint32_t)(word >> (64 - pass.filter_bits));
}

/* paper: whether the second filter contains the window that ends before text[end]. Of k patterns,
 * about k / q of all windows have the hash of one by chance. This test of the text's bytes excludes
 * nearly all of them before anything is read from HT. */
static __device__ __forceinline__ bool
trawl_cuda_rabin_karp_may_stand(const trawl_cuda_rabin_karp_pass &pass, const uint32_t *shared,
                                const uint8_t *text, uint32_t end) {
    uint32_t bit = trawl_cuda_rabin_karp_sample_bit(pass, text + (end - pass.window), pass.window);
    return (shared[((1u << pass.filter_bits) + bit) / 32] >> bit % 32 & 1) != 0;
}

/* Looks up the hash of the window that ends before text[end], compares the patterns that have it,
 * and reports those that match. */
template <bool PAPER>
static __device__ __noinline__ void
trawl_cuda_rabin_karp_look_up(const trawl_cuda_reporter &reporter,
                              const trawl_cuda_rabin_karp_pass &pass, uint64_t hash, uint32_t end,
                              trawl_counter *cursor) {
    const uint8_t *text = reporter.slice.text;
    if (PAPER) {
        /* Compares the patterns of the pass's length in the entry of HT. About k / q of all windows
         * are compared because of a hash that is equal by chance; the first four bytes, which lie
         * in a list beside the ids, exclude nearly all of those. */
        uint32_t start = end - pass.window;
        uint32_t first = __ldg(&pass.heads[hash]), past = __ldg(&pass.heads[hash + 1]);
        uint32_t beginning =
            trawl_cuda_rabin_karp_beginning(text + start, pass.window, pass.folded);
        for (uint32_t i = first; i < past; i++) {
            uint2 listed = __ldg(&pass.beginnings[i]);
            if (listed.x == beginning && listed.y == pass.window) {
                uint32_t id = __ldg(&pass.ids[i]);
                if (trawl_cuda_pattern_matches(reporter.patterns, id, text + start)) {
                    trawl_cuda_report(reporter, id, end, pass.window, cursor);
                }
            }
        }
        return;
    }
    size_t slot = trawl_ending_slot(hash, pass.hash_bits);
    uint32_t past = __ldg(&pass.heads[slot + 1]);
    for (uint32_t i = __ldg(&pass.heads[slot]); i < past; i++) {
        uint4 range = __ldg((const uint4 *)&pass.ranges[i]); /* word, first, last */
        if (((uint64_t)range.y << 32 | range.x) != hash) {
            continue;
        }
        uint64_t ending = trawl_ending_load(text, end, pass.folded);
        if (trawl_cuda_report_ending(reporter, pass.endings, range.z, range.w, 0, end, ending,
                                     cursor)) {
            return; /* ranges differ in the bytes that were hashed: no other one can match */
        }
    }
}

/* rolling.cu */
trawl_status trawl_cuda_rabin_karp_roll_plan(const trawl_cuda_db *uploaded,
                                             const trawl_cuda_launch_request *request,
                                             trawl_cuda_launch_plan *plan, trawl_error *error);
trawl_status trawl_cuda_rabin_karp_roll(const trawl_cuda_rabin_karp_tables *tables,
                                        const trawl_cuda_launch_plan *plan,
                                        const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                        trawl_error *error);

/* sums.cu */
trawl_status trawl_cuda_rabin_karp_sum_plan(const trawl_cuda_db *uploaded,
                                            const trawl_cuda_launch_request *request,
                                            trawl_cuda_launch_plan *plan, trawl_error *error);
trawl_status trawl_cuda_rabin_karp_sum(const trawl_cuda_db *uploaded,
                                       const trawl_cuda_launch_plan *plan,
                                       const trawl_cuda_reporter *reporter, void *workspace,
                                       cudaStream_t stream, trawl_error *error);

/* steps.cu */
trawl_status trawl_cuda_rabin_karp_steps_plan(const trawl_cuda_db *uploaded,
                                              const trawl_cuda_launch_request *request,
                                              trawl_cuda_launch_plan *plan, trawl_error *error);
trawl_status trawl_cuda_rabin_karp_steps(const trawl_cuda_db *uploaded,
                                         const trawl_cuda_launch_plan *plan,
                                         const trawl_cuda_reporter *reporter, void *workspace,
                                         cudaStream_t stream, trawl_error *error);

/* powers.cu */

/* Makes the tables of powers. Without a q, or if it divides d, there are none, and powers->modulus
 * is 0. */
trawl_status trawl_cuda_powers_make(uint64_t base, uint64_t modulus, trawl_cuda_powers *powers,
                                    trawl_error *error);
void trawl_cuda_powers_release(trawl_cuda_powers *powers);

/* Hashes on the device what the tables of the database have the hashes of, and compares. Returns
 * TRAWL_ERROR_FORMAT if a pattern is not listed under its hash. */
trawl_status trawl_cuda_rabin_karp_check(const trawl_cuda_db *uploaded,
                                         const trawl_cuda_powers *powers, trawl_error *error);

#endif
