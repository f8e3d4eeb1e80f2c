/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `packed` (gpu/packed_tables.h): its arguments, and what a thread does with a vector of 16
 * bytes, in as few instructions as possible. Without a filter that excludes most positions, the
 * number of instructions decides the speed.
 *
 *     packed_launch.cu     uploads tables, starts the kernels
 *     packed_filter.cu     a warp tests its strip
 *     packed_records.cu    records of the positions that the test has marked
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_PACKED_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_PACKED_CUH

#include "engines/qgram/cuda/engine.cuh"
#include "gpu/uploader.cuh"

extern "C" {
#include "engines/qgram/gpu/packed_tables.h"
}

/* The tables; passed to kernels by value. All pointers are to device memory. */
typedef struct trawl_cuda_packed_view {
    uint32_t shift;         /* the index of a byte is (byte >> shift) & 3 */
    uint32_t mask;          /* selects the index bits in each byte of a word */
    uint32_t pack_factor;   /* masked word * pack_factor: the four indices in the top byte */
    uint32_t nibble_factor; /* masked word * nibble_factor: bytes 1 and 3 have two indices each, in
                               a nibble each */
    uint32_t min_length, max_length;
    uint32_t planes;        /* 0: matches are counted by key_of */
    bool folded;            /* a letter may be of either case */
    bool verify;            /* some matches have to be compared with the text */
    const uint4 *image;     /* the planes */
    const uint4 *ends;      /* a plane that says whether any match ends */
    const uint4 *tables;    /* trawl_packed_tables */
    const uint32_t *key_of; /* the longest key that ends with each 8-mer, or TRAWL_NO_KEY */
    const uint2 *singles;   /* of each 8-mer: (id, length) of the only match that ends with it; else
                               (key_of, 0) */
    trawl_cuda_keys keys;
} trawl_cuda_packed_view;

typedef struct trawl_cuda_packed_call {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_packed_view *view;
    uint32_t strip_bytes; /* a multiple of TRAWL_QGRAM_BATCH */
    uint32_t *marks;      /* for records: a bit for each byte of a strip; NULL: none are wanted */
    uint32_t blocks, threads;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_packed_call;

/* Uploads the tables, and sets *view and all of *keys but first_hit, which the caller has set. */
void trawl_cuda_packed_put(trawl_cuda_uploader *upload, const trawl_cuda_packed_layout *layout,
                           trawl_cuda_packed_view *view, trawl_cuda_keys *keys);

/* Shared memory of a block in bytes, at most. */
uint32_t trawl_cuda_packed_shared_bytes(const trawl_cuda_packed_view *view, trawl_cuda_form form);

/* Bytes of the marks of a slice: `strips` strips. */
static inline uint64_t trawl_cuda_packed_marks_bytes(uint64_t strips, uint32_t strip_bytes) {
    return trawl_cuda_aligned(strips * (strip_bytes / 8));
}

/* `marks`: of the slice, for passes SIZES and RECORDS. */
trawl_status trawl_cuda_packed_launch(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_launch_plan *plan,
                                      const trawl_cuda_packed_view *view,
                                      const trawl_cuda_reporter *reporter, uint32_t *marks,
                                      cudaStream_t stream, trawl_error *error);

/* Tests a slice, for any pass except RECORDS and STATES; pass SIZES also leaves marks. */
trawl_status trawl_cuda_packed_scan(const trawl_cuda_packed_call *call, trawl_error *error);

/* Pass RECORDS: writes the records of all marks. */
trawl_status trawl_cuda_packed_write_records(const trawl_cuda_packed_call *call,
                                             trawl_error *error);

/* ------------------------------------------------------------------ letters to indices */

/* Tables of four bytes, by letter index. Threads load them from memory: as kernel arguments they
 * would be moved into a register for each use. */
typedef struct trawl_packed_tables {
    uint32_t letters, folds;
    uint32_t bits; /* byte i is 1 << i */
    uint32_t
        hundred; /* 0x100; a product with a constant would become shifts, whose units are busier */
} trawl_packed_tables;

/* Looks up four bytes of `table` by the four nibbles in the lower half of `selector`, all below 4.
 * CUDA's __byte_perm takes one more instruction, which clears the upper bit of nibbles. */
static __device__ __forceinline__ uint32_t trawl_packed_select(uint32_t table, uint32_t selector) {
#ifdef __CUDA_ARCH__
    uint32_t bytes;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(bytes) : "r"(table), "r"(selector));
    return bytes;
#else
    return __byte_perm(table, 0, selector);
#endif
}

/*
 * Packs 16 bytes to 32 bits, two for each letter, the first one lowest:
 *
 *     bytes      a  c  g  t ...     16 bytes
 *     indices    0  1  2  3 ...     2 bits each: ...11 10 01 00
 *
 * Each index is turned back into its letter and compared with the text: a byte outside the alphabet
 * leaves a nonzero byte in `differences`.
 */
template <bool FOLDED>
static __device__ __forceinline__ uint32_t trawl_packed_pack(const trawl_cuda_packed_view &view,
                                                             const trawl_packed_tables &tables,
                                                             const uint4 &vector,
                                                             uint32_t (&differences)[4]) {
    const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
    uint32_t top[4], nibbles[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t indices = words[i] & view.mask;
        top[i] = indices * view.pack_factor;
        nibbles[i] = indices * view.nibble_factor;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t pair = __byte_perm(nibbles[i / 2 * 2], nibbles[i / 2 * 2 + 1], 0x7531);
        uint32_t selector = i % 2 == 0 ? pair : pair >> 16;
        uint32_t word = FOLDED ? words[i] | trawl_packed_select(tables.folds, selector) : words[i];
        differences[i] = word ^ trawl_packed_select(tables.letters, selector);
    }
    return __byte_perm(__byte_perm(top[0], top[1], 0x73), __byte_perm(top[2], top[3], 0x73),
                       0x5410);
}

/* Moves the bits 0, 8, 16 and 24 into four neighbouring bits. All other bits must be 0. */
static __device__ __forceinline__ uint32_t trawl_packed_gather(uint32_t bits) {
    return bits * 0x10204080u >> 28;
}

/* Returns a bit for each of the 16 bytes: 1 if it is outside the alphabet. */
static __device__ __forceinline__ uint32_t trawl_packed_outside(const uint32_t (&differences)[4]) {
    uint32_t outside = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t some = ((differences[i] & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differences[i];
        outside |= trawl_packed_gather(some >> 7 & 0x01010101u) << (4 * i);
    }
    return outside;
}

/* ------------------------------------------------------------------ look-ups */

/* The entries of a plane for a thread's 16 positions. Byte i of word j is the entry for the
 * positions 8 * j + 2 * i and 8 * j + 2 * i + 1; bits for other letters before the 8-mer are
 * cleared. */
typedef struct trawl_packed_found {
    uint32_t words[2];
} trawl_packed_found;

/* The 8-mers that end at odd positions: number[i] ends at position 2 * i + 1. */
typedef struct trawl_packed_kmers {
    uint32_t number[8];
    uint32_t kept[2]; /* for each byte of trawl_packed_found, the bits that are not cleared */
} trawl_packed_kmers;

static __device__ __forceinline__ trawl_packed_kmers
trawl_packed_kmers_of(const trawl_packed_tables &tables, uint32_t before, uint32_t own) {
    /* The letters' bits from 12 and from 8 bits before the thread's own: some 8-mers are two whole
     * bytes of these. */
    const uint32_t from_12 = __funnelshift_r(before, own, 20);
    const uint32_t from_8 = __funnelshift_r(before, own, 24);
    /* The letters before the 8-mers (at odd positions, from 7 letters before the own ones on), one
     * in each nibble. */
    const uint32_t letters = __funnelshift_r(before, own, 18) & 0x33333333u;
    trawl_packed_kmers kmers;
    kmers.number[0] = from_12 & 0xffff;
    kmers.number[1] = from_8 & 0xffff;
    kmers.number[2] = __byte_perm(from_12, 0, 0x4421);
    kmers.number[3] = own & 0xffff;
    kmers.number[4] = from_12 >> 16;
    kmers.number[5] = __byte_perm(own, 0, 0x4421);
    kmers.number[6] = own >> 12 & 0xffff;
    kmers.number[7] = own >> 16;
    kmers.kept[0] = trawl_packed_select(tables.bits, letters) | 0x10101010u;
    kmers.kept[1] = trawl_packed_select(tables.bits, letters >> 16) | 0x10101010u;
    return kmers;
}

static __device__ __forceinline__ trawl_packed_found trawl_packed_look_up(
    const trawl_packed_tables &tables, const uint8_t *plane, const trawl_packed_kmers &kmers) {
    trawl_packed_found found;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        uint32_t entries = 0;
#pragma unroll
        for (int i = 3; i >= 0; i--) {
            entries = entries * tables.hundred + plane[kmers.number[4 * j + i]];
        }
        found.words[j] = entries & kmers.kept[j];
    }
    return found;
}

/* Returns a bit for each of the 16 positions: 1 if its entry has a bit. */
static __device__ __forceinline__ uint32_t trawl_packed_positions(const trawl_packed_found &found) {
    uint32_t positions = 0;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        uint32_t word = found.words[j];
        uint32_t first = word | word >> 2;
        first |= first >> 1;
        uint32_t test_pairs = (first & 0x01010101u) | (word >> 3 & 0x02020202u);
        positions |= (test_pairs * 0x01041040u >> 24) << (8 * j);
    }
    return positions;
}

#endif
