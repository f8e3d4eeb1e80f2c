/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/rare_bytes.h"

#include <string.h>

#include "base/fold.h"

/* ------------------------------------------------------------------ one byte of all patterns */

/* The bytes that all patterns seen so far contain. */
typedef struct byte_list {
    uint8_t bytes[256];
    size_t count;
} byte_list;

static bool has_either_case(const trawl_patterns *patterns, size_t id, uint8_t byte) {
    return (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 && trawl_is_letter(byte);
}

static void keep_common(byte_list *list, const trawl_patterns *patterns, size_t id) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint8_t byte = list->bytes[i];
        if (!has_either_case(patterns, id, byte) &&
            memchr(trawl_pattern_bytes(patterns, id), byte, trawl_pattern_length(patterns, id)) !=
                NULL) {
            list->bytes[kept++] = byte;
        }
    }
    list->count = kept;
}

/* The rarest byte that all patterns contain. False: there is none. */
static bool find_common(const trawl_patterns *patterns, const size_t counts[256], uint8_t *rarest) {
    byte_list list = {.count = 256};
    for (size_t byte = 0; byte < 256; byte++) {
        list.bytes[byte] = (uint8_t)byte;
    }
    for (size_t id = 0; id < patterns->count && list.count != 0; id++) {
        keep_common(&list, patterns, id);
    }
    for (size_t i = 0; i < list.count; i++) {
        *rarest = i == 0 || counts[list.bytes[i]] < counts[*rarest] ? list.bytes[i] : *rarest;
    }
    return list.count != 0;
}

/* ------------------------------------------------------------------ a byte of each pattern */

/* Whether the text has a pattern's byte only where it has a byte of the set. */
static bool is_covered(const trawl_byte_set *set, uint8_t byte, bool either_case) {
    return trawl_byte_set_has(set, byte) && (!either_case || trawl_byte_set_has(set, byte ^ 0x20));
}

/* The pattern's rarest byte, one of the set if it has one. */
static uint8_t rarest_of(const trawl_patterns *patterns, size_t id, const size_t counts[256],
                         const trawl_byte_set *set) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    size_t length = trawl_pattern_length(patterns, id), least = SIZE_MAX;
    uint8_t rarest = bytes[0];
    for (size_t i = 0; i < length; i++) {
        const bool either_case = has_either_case(patterns, id, bytes[i]);
        if (is_covered(set, bytes[i], either_case)) {
            return bytes[i];
        }
        const size_t count = counts[bytes[i]] + (either_case ? counts[bytes[i] ^ 0x20] : 0);
        if (count < least) {
            least = count;
            rarest = bytes[i];
        }
    }
    return rarest;
}

/* False: the bytes have more than `most` occurrences. */
static bool choose_set(const trawl_patterns *patterns, const size_t counts[256], size_t most,
                       trawl_byte_set *set, size_t *occurrences) {
    *occurrences = 0;
    memset(set, 0, sizeof *set);
    for (size_t id = 0; id < patterns->count && *occurrences <= most; id++) {
        const uint8_t byte = rarest_of(patterns, id, counts, set);
        const uint8_t cases[2] = {byte, has_either_case(patterns, id, byte) ? (uint8_t)(byte ^ 0x20)
                                                                            : byte};
        for (size_t i = 0; i < 2; i++) {
            *occurrences += trawl_byte_set_has(set, cases[i]) ? 0 : counts[cases[i]];
            trawl_byte_set_add(set, cases[i]);
        }
    }
    return *occurrences <= most;
}

/* ------------------------------------------------------------------ both */

bool trawl_patterns_rare_bytes(const trawl_patterns *patterns, const uint8_t *text, size_t length,
                               size_t most, trawl_byte_set *set, size_t *occurrences) {
    size_t counts[256] = {0};
    uint8_t common = 0;
    if (patterns->count == 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        counts[text[i]]++;
    }
    const bool has_common = find_common(patterns, counts, &common);
    const bool is_good = has_common && counts[common] <= most;
    if (length != 0 && !is_good && choose_set(patterns, counts, most, set, occurrences)) {
        return true;
    }
    memset(set, 0, sizeof *set);
    trawl_byte_set_add(set, common);
    *occurrences = counts[common];
    return has_common;
}
