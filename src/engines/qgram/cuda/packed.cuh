/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `packed` (qgram_packed.h): what it is given, and what a thread does with a vector of 16
 * bytes, in as few instructions as that takes.
 *
 *     qgram_packed.cu         planned and launched
 *     qgram_packed_walk.cu    a warp's way through its strip
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_PACKED_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_PACKED_CUH

#include "engines/qgram/cuda/engine.cuh"
#include "gpu/uploader.cuh"

extern "C" {
#include "engines/qgram/gpu/packed.h"
}

#define TRAWL_PACKED_THREADS 1024u

/* The tables; passed to kernels by value. Pointers are the device's. */
typedef struct trawl_cuda_packed_view {
    uint32_t mask;          /* the index in each byte of a word, where it stands */
    uint32_t pack_factor;   /* a masked word times this: its four indices in the top byte */
    uint32_t nibble_factor; /* times this: an index in each nibble of bytes 1 and 3 */
    uint32_t min_length, max_length;
    uint32_t planes;        /* 0: counting takes the keys' own numbers */
    bool folded;            /* some letter has two cases */
    bool verify;            /* some matches are to be compared with the text */
    const uint4 *image;     /* the planes */
    const uint4 *ends;      /* a plane: whether any match ends */
    const uint4 *tables;    /* trawl_packed_tables */
    const uint32_t *key_of; /* each window's longest key, or TRAWL_NO_KEY */
    trawl_cuda_keys keys;
} trawl_cuda_packed_view;

typedef struct trawl_cuda_packed_call {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_packed_view *view;
    uint32_t strip_bytes; /* a multiple of TRAWL_QGRAM_WINDOW */
    uint32_t blocks, threads;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_packed_call;

/* Puts the tables, and fills in the view and all of *keys but first_hit, which is set. */
void trawl_cuda_packed_put(trawl_cuda_uploader *upload, const trawl_cuda_packed_layout *layout,
                           trawl_cuda_packed_view *view, trawl_cuda_keys *keys);

/* Shared memory of a block, at most. */
uint32_t trawl_cuda_packed_shared_bytes(const trawl_cuda_packed_view *view, trawl_cuda_form form);

trawl_status trawl_cuda_packed_launch(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_launch_plan *plan,
                                      const trawl_cuda_packed_view *view,
                                      const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                      trawl_error *error);

/* Any pass but STATES. */
trawl_status trawl_cuda_packed_walk(const trawl_cuda_packed_call *call, trawl_error *error);

/* ------------------------------------------------------------------ letters to indices */

/* Tables of four bytes, by index. Threads load them: constants that kernels are given would be
 * moved into a register anew for each use. */
typedef struct trawl_packed_tables {
    uint32_t letters, folds;
    uint32_t bits;    /* bit 0, 1, 2, 3 */
    uint32_t hundred; /* 0x100: as a constant it would be shifts, and units for those are busier */
} trawl_packed_tables;

/* The bytes of `table` that the nibbles of the lower half of `selector` say, all of them below 4.
 * CUDA's own function takes an instruction more, to ignore other nibbles' upper bit. */
static __device__ __forceinline__ uint32_t trawl_packed_select(uint32_t table, uint32_t selector) {
#ifdef __CUDA_ARCH__
    uint32_t bytes;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(bytes) : "r"(table), "r"(selector));
    return bytes;
#else
    return __byte_perm(table, 0, selector);
#endif
}

/* Packs 16 bytes: the first one's index is in the lowest bits. The letters that the indices stand
 * for are the text: bytes that are none leave a difference in their word of `differences`. */
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

/* Four bits, from bits 0, 8, 16, 24, the others of which are 0. */
static __device__ __forceinline__ uint32_t trawl_packed_gather(uint32_t bits) {
    return bits * 0x10204080u >> 28;
}

/* A bit for each of the 16 bytes that is no letter. */
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

/* What the planes say of a thread's 16 positions: byte i of word j is the entry for the positions
 * 8 * j + 2 * i and the next one, of which only the bits that apply are left. */
typedef struct trawl_packed_found {
    uint32_t words[2];
} trawl_packed_found;

/* The windows that end at odd positions: number 2 * i + 1. */
typedef struct trawl_packed_windows {
    uint32_t number[8];
    uint32_t kept[2]; /* the bits of entries that apply */
} trawl_packed_windows;

static __device__ __forceinline__ trawl_packed_windows
trawl_packed_windows_of(const trawl_packed_tables &tables, uint32_t before, uint32_t own) {
    /* Bits from 12 and from 8 before the own ones on: windows then begin at whole bytes. */
    const uint32_t from_12 = __funnelshift_r(before, own, 20);
    const uint32_t from_8 = __funnelshift_r(before, own, 24);
    /* The letters at odd positions from 7 before on, one in each nibble. */
    const uint32_t letters = __funnelshift_r(before, own, 18) & 0x33333333u;
    trawl_packed_windows windows;
    windows.number[0] = from_12 & 0xffff;
    windows.number[1] = from_8 & 0xffff;
    windows.number[2] = __byte_perm(from_12, 0, 0x4421);
    windows.number[3] = own & 0xffff;
    windows.number[4] = from_12 >> 16;
    windows.number[5] = __byte_perm(own, 0, 0x4421);
    windows.number[6] = own >> 12 & 0xffff;
    windows.number[7] = own >> 16;
    windows.kept[0] = trawl_packed_select(tables.bits, letters) | 0x10101010u;
    windows.kept[1] = trawl_packed_select(tables.bits, letters >> 16) | 0x10101010u;
    return windows;
}

static __device__ __forceinline__ trawl_packed_found trawl_packed_look_up(
    const trawl_packed_tables &tables, const uint8_t *plane, const trawl_packed_windows &windows) {
    trawl_packed_found found;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        uint32_t entries = 0;
#pragma unroll
        for (int i = 3; i >= 0; i--) {
            entries = entries * tables.hundred + plane[windows.number[4 * j + i]];
        }
        found.words[j] = entries & windows.kept[j];
    }
    return found;
}

/* A bit for each of the 16 positions. */
static __device__ __forceinline__ uint32_t trawl_packed_positions(const trawl_packed_found &found) {
    uint32_t positions = 0;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        uint32_t word = found.words[j];
        uint32_t first = word | word >> 2;
        first |= first >> 1;
        uint32_t pairs = (first & 0x01010101u) | (word >> 3 & 0x02020202u);
        positions |= (pairs * 0x01041040u >> 24) << (8 * j);
    }
    return positions;
}

#endif
