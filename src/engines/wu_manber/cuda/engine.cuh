/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Wu-Manber's walks on the device (Kouzinopoulos et al. 2015, Algorithms 7 and 9), over text in
 * device memory or over a tile of it in shared memory.
 */
#ifndef TRAWL_ENGINES_WU_MANBER_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_WU_MANBER_CUDA_ENGINE_CUH

extern "C" {
#include "engines/wu_manber/format.h"
}

#include "gpu/endings.cuh"
#include "gpu/read_table.cuh"
#include "gpu/strip.cuh"

/* The kernels, in the order of `kernels` in ../build.c. */
enum {
    TRAWL_CUDA_WU_MANBER_CW,
    TRAWL_CUDA_WU_MANBER_U,
    TRAWL_CUDA_WU_MANBER_TC,
    TRAWL_CUDA_WU_MANBER_CR,
    TRAWL_CUDA_WU_MANBER_R16
};

/* A table in device memory, and the texture over it (0 if it has none). */
typedef struct trawl_cuda_lookup {
    const void *memory;
    cudaTextureObject_t texture;
} trawl_cuda_lookup;

/* Passed to kernels by value. */
typedef struct trawl_cuda_wu_manber_tables {
    trawl_wu_manber_header header;
    uint32_t max_length;
    bool folded;
    trawl_cuda_lookup shift;    /* bytes; paper: uint32_t */
    trawl_cuda_lookup hash;     /* uint32_t */
    trawl_cuda_lookup prefix;   /* uint4, that is trawl_ending_range; paper: uint16_t */
    trawl_cuda_lookup ids;      /* paper: uint32_t */
    trawl_cuda_lookup bytes;    /* paper: of all patterns */
    trawl_cuda_endings endings; /* tuned */
} trawl_cuda_wu_manber_tables;

template <int PATH, typename T>
static __device__ __forceinline__ T trawl_cuda_look_up(const trawl_cuda_lookup &table,
                                                       size_t index) {
    return trawl_cuda_read_table<PATH, T>(table.memory, table.texture, index);
}

/*
 * A tile: text that a thread block has in shared memory. bytes[i] is text[first + i], or 0 outside
 * the text.
 *
 *     first            first strip's begin               last strip's end
 *     |                |                                 |
 *     [ 16 or more     | text of the block's strips      | 16 bytes ]
 *
 * The 16 bytes in front are enough for the B <= 16 bytes that end with any byte of a strip.
 * trawl_cuda_tile_word loads aligned words, of which the last ends up to 4 bytes behind that byte.
 */
typedef struct trawl_cuda_tile {
    const uint8_t *bytes;
    int32_t first;
} trawl_cuda_tile;

/* Bytes of a tile before its block's text, at least, and behind it: a load of 16 bytes each. */
#define TRAWL_CUDA_TILE_BEFORE 16u
#define TRAWL_CUDA_TILE_BEHIND 16u

/* Returns the eight bytes of the tile that end with text[last], from aligned loads of words. */
static __device__ __forceinline__ uint64_t trawl_cuda_tile_word(const trawl_cuda_tile &tile,
                                                                uint32_t last) {
    uint32_t begin = (uint32_t)((int32_t)last - 7 - tile.first);
    const uint32_t *words = (const uint32_t *)tile.bytes + begin / 4;
    uint32_t shift = 8 * (begin % 4);
    uint64_t low = (uint64_t)words[1] << 32 | words[0];
    uint64_t high = (uint64_t)words[2] << 32 | words[1];
    return (uint64_t)(uint32_t)(high >> shift) << 32 | (uint32_t)(low >> shift);
}

/* ------------------------------------------------------------------ tuned */

/* Looks up the window that ends with text[position], where SHIFT is 0, and reports its matches. */
template <int PATH>
static __device__ __forceinline__ void
trawl_cuda_wu_manber_candidate(const trawl_cuda_reporter &reporter,
                               const trawl_cuda_wu_manber_tables &tables, uint32_t position,
                               uint64_t ending, trawl_counter *cursor) {
    uint32_t tail = tables.header.tail;
    uint64_t word = ending & ~UINT64_C(0) << (64 - 8 * tail);
    size_t slot = trawl_ending_slot(word, tables.header.hash_bits);
    uint32_t past = trawl_cuda_look_up<PATH, uint32_t>(tables.hash, slot + 1);
    for (uint32_t i = trawl_cuda_look_up<PATH, uint32_t>(tables.hash, slot); i < past; i++) {
        uint4 range = trawl_cuda_look_up<PATH, uint4>(tables.prefix, i); /* word, first, last */
        if (((uint64_t)range.y << 32 | range.x) == word) {
            trawl_cuda_report_ending(reporter, tables.endings, range.z, range.w, tail, position + 1,
                                     ending, cursor);
            return;
        }
    }
}

/* The search of `tuned`, for windows whose last byte is in the range. */
template <int PATH, bool TILED>
static __device__ void trawl_cuda_wu_manber_tuned(const trawl_cuda_reporter &reporter,
                                                  const trawl_cuda_wu_manber_tables &tables,
                                                  const trawl_cuda_tile &tile,
                                                  trawl_cuda_range range, trawl_counter *cursor) {
    const uint8_t *text = reporter.slice.text;
    uint32_t block = tables.header.block;
    uint32_t bits = tables.header.shift_bits;
    uint64_t case_bits = trawl_wu_manber_case_bits(tables.folded);
    uint32_t least = tables.header.window - 1;
    uint32_t position = range.first < least ? least : range.first;
    while (position < range.past) {
        uint64_t word = 0, value;
        if (TILED) {
            word = trawl_cuda_tile_word(tile, position);
            uint64_t before = block > 8 ? trawl_cuda_tile_word(tile, position - 8) : 0;
            value = trawl_wu_manber_block_of(before, word, block, case_bits);
        } else {
            value = trawl_wu_manber_block(text + position, block, case_bits);
        }
        uint32_t by =
            trawl_cuda_look_up<PATH, uint8_t>(tables.shift, trawl_wu_manber_slot(value, bits));
        if (by == 0) {
            uint64_t ending = TILED ? (tables.folded ? trawl_fold_word(word) : word)
                                    : trawl_ending_load(text, position + 1, tables.folded);
            trawl_cuda_wu_manber_candidate<PATH>(reporter, tables, position, ending, cursor);
            by = 1;
        }
        position += by;
    }
}

/* ------------------------------------------------------------------ paper */

/* Returns text[at], folded if `folded`. In a tile, bytes before tile.first are read from device
 * memory: windows of long patterns begin there. */
template <bool TILED>
static __device__ __forceinline__ uint8_t trawl_cuda_text_byte(const uint8_t *text,
                                                               const trawl_cuda_tile &tile,
                                                               uint32_t at, bool folded) {
    uint8_t byte =
        TILED && (int32_t)at >= tile.first ? tile.bytes[(int32_t)at - tile.first] : text[at];
    return folded ? trawl_fold(byte) : byte;
}

/* Whether pattern `id` stands at text[start]. Its bytes are read through PATH as tables are. */
template <int PATH, bool TILED>
static __device__ __forceinline__ bool
trawl_cuda_wu_manber_equal(const trawl_pattern_view &patterns,
                           const trawl_cuda_wu_manber_tables &tables, const uint8_t *text,
                           const trawl_cuda_tile &tile, uint32_t id, uint32_t start) {
    uint32_t begin = patterns.offsets[id];
    uint32_t length = patterns.offsets[id + 1] - begin;
    bool folded = (patterns.flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    for (uint32_t j = 0; j < length; j++) {
        uint8_t byte = trawl_cuda_look_up<PATH, uint8_t>(tables.bytes, (size_t)begin + j);
        if ((folded ? trawl_fold(byte) : byte) !=
            trawl_cuda_text_byte<TILED>(text, tile, start + j, folded)) {
            return false;
        }
    }
    return true;
}

/* The search of Algorithm 7, for matches whose last byte is in the range. The first window begins
 * where such a match may begin. */
template <int PATH, bool TILED>
static __device__ void trawl_cuda_wu_manber_paper(const trawl_cuda_reporter &reporter,
                                                  const trawl_cuda_wu_manber_tables &tables,
                                                  const trawl_cuda_tile &tile,
                                                  trawl_cuda_range range, trawl_counter *cursor) {
    const uint8_t *text = reporter.slice.text;
    const trawl_pattern_view &patterns = reporter.patterns;
    uint32_t overlap = tables.max_length - 1;
    uint32_t last = tables.header.window - 1;
    uint32_t i = (range.first < overlap ? 0 : range.first - overlap) + last;
    while (i < range.past) {
        uint32_t hash = 0;
        for (uint32_t j = i + 1 - tables.header.block; j <= i; j++) {
            hash = trawl_wu_manber_add(hash,
                                       trawl_cuda_text_byte<TILED>(text, tile, j, tables.folded));
        }
        uint32_t shift = trawl_cuda_look_up<PATH, uint32_t>(tables.shift, hash);
        if (shift > 0) {
            i += shift;
            continue;
        }
        uint32_t start = i - last;
        uint32_t prefix = 0;
        for (uint32_t j = start; j < start + tables.header.prefix; j++) {
            prefix = trawl_wu_manber_add(prefix,
                                         trawl_cuda_text_byte<TILED>(text, tile, j, tables.folded));
        }
        uint32_t listed = trawl_cuda_look_up<PATH, uint32_t>(tables.hash, hash + 1);
        for (uint32_t r = trawl_cuda_look_up<PATH, uint32_t>(tables.hash, hash); r < listed; r++) {
            uint32_t id = trawl_cuda_look_up<PATH, uint32_t>(tables.ids, r);
            if (trawl_cuda_look_up<PATH, uint16_t>(tables.prefix, id) != prefix) {
                continue;
            }
            uint32_t length = patterns.offsets[id + 1] - patterns.offsets[id];
            uint32_t end = start + length;
            if (end <= range.past && end > range.first &&
                trawl_cuda_wu_manber_equal<PATH, TILED>(patterns, tables, text, tile, id, start)) {
                trawl_cuda_report(reporter, id, end, length, cursor);
            }
        }
        i++;
    }
}

#endif
