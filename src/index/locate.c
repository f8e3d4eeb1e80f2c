/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Backward search in the FM-index (Ferragina & Manzini 2000). The pattern is read from its last
 * byte to its first. The rows of "byte + suffix" follow from the rows of the suffix in O(1): they
 * are counted by the ranks of the byte in the BWT.
 */
#include <string.h>

#include "index/format.h"

/* Sixteen bytes at a time, as GCC and clang compile it for any instruction set. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* How many of bytes[0, length) are `byte`. `length` is at most TRAWL_INDEX_BLOCK, so that each of
 * the 16 lanes counts to 64 at most and does not overflow. */
static uint64_t count_byte(const uint8_t *bytes, size_t length, uint8_t byte) {
    bytes16 wanted, sums = {0};
    memset(&wanted, byte, sizeof wanted);
    size_t at = 0;
    for (; at + sizeof wanted <= length; at += sizeof wanted) {
        bytes16 some;
        memcpy(&some, bytes + at, sizeof some);
        sums -= (bytes16)(some == wanted);
    }
    uint64_t count = 0;
    for (size_t lane = 0; lane < sizeof sums; lane++) {
        count += sums[lane];
    }
    for (; at < length; at++) {
        count += bytes[at] == byte;
    }
    return count;
}

/* How many rows of [first, row) have a border before them; first is a multiple of 64. */
static bool count_borders(const trawl_index *index, uint64_t first, uint64_t row, uint64_t *count) {
    uint64_t words = (row - first + 63) / 64;
    const uint8_t *bytes = trawl_index_bytes(index, TRAWL_INDEX_BORDERS, first / 8, 8 * words);
    if (bytes == NULL) {
        return false;
    }
    *count = 0;
    for (uint64_t at = 0; at < words; at++) {
        uint64_t word, left = row - first - 64 * at;
        memcpy(&word, bytes + 8 * at, sizeof word);
        word &= left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
        *count += (uint64_t)__builtin_popcountll(word);
    }
    return true;
}

/* How often `byte` is in bwt[0, row). */
static bool rank(const trawl_index *index, uint8_t byte, uint64_t row, uint64_t *count) {
    uint64_t block = row / TRAWL_INDEX_BLOCK, first = block * TRAWL_INDEX_BLOCK, borders = 0;
    const uint8_t *bytes = trawl_index_bytes(index, TRAWL_INDEX_BWT, first, row - first);
    if (bytes == NULL ||
        !trawl_index_number(index, TRAWL_INDEX_COUNTS,
                            block * index->header.letters + index->columns[byte], count) ||
        (byte == index->header.filler && !count_borders(index, first, row, &borders))) {
        return false;
    }
    *count += count_byte(bytes, (size_t)(row - first), byte) - borders;
    return true;
}

bool trawl_index_locate(const trawl_index *index, const uint8_t *pattern, size_t length,
                        uint64_t *begin, uint64_t *end) {
    const uint64_t *first = index->header.first;
    *begin = first[pattern[length - 1]];
    *end = first[pattern[length - 1] + 1];
    for (size_t at = length - 1; at-- > 0 && *begin < *end;) {
        uint8_t byte = pattern[at];
        uint64_t size = first[byte + 1] - first[byte], before = 0, behind = 0;
        if (size != 0 &&
            (!rank(index, byte, *begin, &before) || !rank(index, byte, *end, &behind))) {
            return false;
        }
        if (before > behind || behind > size) {
            return false;
        }
        *begin = first[byte] + before;
        *end = first[byte] + behind;
    }
    *end = *begin < *end ? *end : *begin;
    return true;
}

bool trawl_index_document_of(const trawl_index *index, uint64_t row, uint32_t *document) {
    uint32_t width = index->header.document_bytes;
    const uint8_t *bytes = trawl_index_bytes(index, TRAWL_INDEX_DOCUMENTS, row * width, width);
    if (bytes == NULL) {
        return false;
    }
    uint32_t number = 0;
    uint16_t half;
    switch (width) {
    case 1:
        number = *bytes;
        break;
    case 2:
        memcpy(&half, bytes, sizeof half);
        number = half;
        break;
    default:
        memcpy(&number, bytes, sizeof number);
    }
    *document = number;
    return number < index->header.documents;
}
