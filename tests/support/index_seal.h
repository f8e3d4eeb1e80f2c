/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Corrects the checksums of a changed index file, so that the checks behind them are tested. An
 * attacker can do that too.
 */
#ifndef TRAWL_TESTS_INDEX_SEAL_H
#define TRAWL_TESTS_INDEX_SEAL_H

#include "index/format.h"

#include <string.h>

#include <xxhash.h>

/* `file` is the layout of the file before it was changed. */
static inline void index_seal(uint8_t *bytes, const trawl_index_layout *file) {
    uint64_t end = file->offsets[TRAWL_INDEX_CHECKSUMS], size = file->sizes[TRAWL_INDEX_CHECKSUMS];
    for (uint64_t at = 0; at < end; at += TRAWL_INDEX_CHECKED) {
        uint64_t left = end - at;
        uint64_t checksum =
            XXH3_64bits(bytes + at, left < TRAWL_INDEX_CHECKED ? left : TRAWL_INDEX_CHECKED);
        memcpy(bytes + end + 8 * (at / TRAWL_INDEX_CHECKED), &checksum, sizeof checksum);
    }
    uint64_t trailer = XXH3_64bits(bytes + end, size);
    memcpy(bytes + file->offsets[TRAWL_INDEX_TRAILER], &trailer, sizeof trailer);
}

static inline int index_seal_position(uint32_t document, uint64_t start, void *context) {
    (void)document;
    (void)start;
    return ++*(uint64_t *)context > 100000;
}

/* Calls all functions on an index: none may crash, whatever is in it. Returns whether all
 * succeeded. */
static inline bool index_use_all(const trawl_index *index) {
    static const char *const patterns[] = {"a", "b", "ab", "pp", "abra", "zz", "", "\xff"};
    trawl_index_search *search = NULL;
    trawl_error error;
    bool sound = trawl_index_verify(index, &error) == TRAWL_OK;
    if (trawl_index_search_open(index, &search, &error) != TRAWL_OK)
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const trawl_index_count *counts = NULL;
        const uint32_t *documents = NULL;
        uint64_t occurrences = 0, calls = 0;
        size_t count = 0, length = i == 6 ? 1 : strlen(patterns[i]);
        sound = trawl_index_find(search, patterns[i], length, &occurrences, &error) == TRAWL_OK &&
                sound;
        sound = trawl_index_documents(search, &documents, &count, &error) == TRAWL_OK && sound;
        for (size_t k = 0; documents != NULL && k < count; k++) {
            trawl_index_document document = TRAWL_INDEX_DOCUMENT;
            sound = trawl_index_get_document(index, documents[k], &document, &error) == TRAWL_OK &&
                    sound;
        }
        sound = trawl_index_document_counts(search, i % 2 ? 2 : 0, &counts, &count, &error) ==
                    TRAWL_OK &&
                sound;
        sound =
            trawl_index_positions(search, index_seal_position, &calls, &error) == TRAWL_OK && sound;
    }
    trawl_index_search_close(search);
    return sound;
}

#endif
