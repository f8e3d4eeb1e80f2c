/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The index file. The documents are one text of n symbols: the bytes of each document that is not
 * empty, then a border. Row i is the i-th suffix of that text (index/suffix_sort.h). W is the
 * number of bytes of a position, 4 or 8; V of a document's number, 1, 2 or 4.
 *
 *     header           trawl_index_header
 *     starts           uint64_t[documents + 1]: position of each document's first symbol
 *     name_offsets     uint64_t[documents + 1], into names
 *     names
 *     suffixes         W[n]: position of the suffix of each row
 *     bwt              uint8_t[n]: the byte before each suffix; `filler` where that is a border
 *     borders          a bit for each row: the symbol before the suffix is a border
 *     counts           W[n / 1024 + 1][letters]: of each byte that occurs, how many are in bwt
 *                      before each block of 1,024 rows; without borders
 *     documents        V[n]: D, the document of each suffix
 *     previous         W[n]: C + 1, one more than the last row before that has the same document;
 *                      0: there is none
 *     minima           W[n / 32 + 1]: the least `previous` of each 32 rows
 *     sparse           W[levels][n / 1024 + 1]: the row with the least `previous` among the
 *                      1,024 << level rows from each block of 1,024 on
 *     checksums        uint64_t for each 16 KiB of all before: XXH3 (64 bits)
 *     trailer          XXH3 (64 bits) of the checksums
 *
 * Every part begins at a multiple of 64 bytes; the gaps are zeros. The sizes in the header decide
 * where parts are. Numbers are in the byte order of the machine.
 */
#ifndef TRAWL_INDEX_FORMAT_H
#define TRAWL_INDEX_FORMAT_H

#include <stdatomic.h>
#include <string.h>

#include "trawl/trawl_index.h"

#define TRAWL_INDEX_MAGIC "TRAWLIX\n"

enum {
    TRAWL_INDEX_VERSION = 1,
    TRAWL_INDEX_BYTE_ORDER = 0x01020304,
    TRAWL_INDEX_CHECKED = 1 << 14, /* bytes under one checksum */
    TRAWL_INDEX_SMALL = 32,        /* rows under one of `minima` */
    TRAWL_INDEX_BLOCK = 1024       /* rows of a block of `counts` and `sparse` */
};

typedef struct trawl_index_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size; /* of the file, in bytes */
    uint64_t rows; /* n */
    uint64_t documents;
    uint64_t text_bytes;
    uint64_t name_bytes;
    uint32_t position_bytes; /* W */
    uint32_t document_bytes; /* V */
    uint32_t filler;
    uint32_t letters;
    uint64_t first[257]; /* the first row whose suffix begins with each byte; [256] is n */
} trawl_index_header;

typedef enum trawl_index_part {
    TRAWL_INDEX_STARTS,
    TRAWL_INDEX_NAME_OFFSETS,
    TRAWL_INDEX_NAMES,
    TRAWL_INDEX_SUFFIXES,
    TRAWL_INDEX_BWT,
    TRAWL_INDEX_BORDERS,
    TRAWL_INDEX_COUNTS,
    TRAWL_INDEX_DOCUMENTS,
    TRAWL_INDEX_PREVIOUS,
    TRAWL_INDEX_MINIMA,
    TRAWL_INDEX_SPARSE,
    TRAWL_INDEX_CHECKSUMS,
    TRAWL_INDEX_TRAILER,
    TRAWL_INDEX_PARTS
} trawl_index_part;

typedef struct trawl_index_layout {
    uint64_t offsets[TRAWL_INDEX_PARTS];
    uint64_t sizes[TRAWL_INDEX_PARTS];
    uint64_t blocks; /* of 1,024 rows: n / 1024 + 1 */
    uint32_t levels; /* of `sparse`: 1 << (levels - 1) <= blocks < 1 << levels */
    uint64_t size;   /* of the file */
} trawl_index_layout;

/* Computes where everything is. The header's rows, documents, name_bytes, position_bytes,
 * document_bytes and letters are set and within their limits. */
void trawl_index_lay_out(const trawl_index_header *header, trawl_index_layout *layout);

/* V for `documents` documents. */
uint32_t trawl_index_document_bytes(uint64_t documents);

typedef enum trawl_index_owner {
    TRAWL_INDEX_BORROWED = 0, /* the caller's memory */
    TRAWL_INDEX_MAPPED,
    TRAWL_INDEX_ALLOCATED
} trawl_index_owner;

struct trawl_index {
    const uint8_t *bytes;
    trawl_index_owner owner; /* of the bytes */
    char *name;              /* for messages */
    trawl_index_header header;
    trawl_index_layout layout;
    uint16_t columns[256];      /* of each byte that occurs: its column in `counts` */
    _Atomic(uint8_t) *verified; /* for each checksum: whether it was compared */
};

/* ------------------------------------------------------------------ reading a file that is open */

/* Whether the bytes of a part may be read: compares their checksums unless that was done. `offset`
 * and `length` are within the part. */
bool trawl_index_check(const trawl_index *index, uint64_t offset, uint64_t length);

/* The address of bytes [at, at + length) of a part; NULL if they are outside of it, or damaged. */
static inline const uint8_t *trawl_index_bytes(const trawl_index *index, trawl_index_part part,
                                               uint64_t at, uint64_t length) {
    uint64_t size = index->layout.sizes[part];
    if (at > size || length > size - at) {
        return NULL;
    }
    uint64_t offset = index->layout.offsets[part] + at;
    return trawl_index_check(index, offset, length) ? index->bytes + offset : NULL;
}

/* Reads W-byte number `at` of a part. False: outside of it, or damaged. */
bool trawl_index_number(const trawl_index *index, trawl_index_part part, uint64_t at,
                        uint64_t *number);

/* W-byte number `at` of those at `bytes`, which trawl_index_bytes gave. */
static inline uint64_t trawl_index_number_of(const uint8_t *bytes, uint32_t width, uint64_t at) {
    uint32_t narrow;
    uint64_t number;
    if (width == sizeof narrow) {
        memcpy(&narrow, bytes + 4 * at, sizeof narrow);
        return narrow;
    }
    memcpy(&number, bytes + 8 * at, sizeof number);
    return number;
}

/* The sentence for a damaged file. */
trawl_status trawl_index_damaged(const trawl_index *index, trawl_error *error);

/* ------------------------------------------------------------------ what a search is made of */

/* Rows [begin, end) whose suffixes begin with the pattern, in O(length): empty if begin == end.
 * False: damaged. */
bool trawl_index_locate(const trawl_index *index, const uint8_t *pattern, size_t length,
                        uint64_t *begin, uint64_t *end);

/* The row in [first, last] with the least `previous`, and that number. False: damaged. */
bool trawl_index_least(const trawl_index *index, uint64_t first, uint64_t last, uint64_t *row,
                       uint64_t *least);

/* The document of a row. False: damaged. */
bool trawl_index_document_of(const trawl_index *index, uint64_t row, uint32_t *document);

#endif
