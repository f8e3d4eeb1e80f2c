/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/common_byte.h"

#include <string.h>

#include "base/fold.h"

/* The bytes that all patterns seen so far contain. */
typedef struct byte_list {
    uint8_t bytes[256];
    size_t count;
} byte_list;

static bool contains(const trawl_patterns *patterns, size_t id, uint8_t byte) {
    bool either_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    return !(either_case && trawl_is_letter(byte)) &&
           memchr(trawl_pattern_bytes(patterns, id), byte, trawl_pattern_length(patterns, id)) !=
               NULL;
}

static void keep_common(byte_list *list, const trawl_patterns *patterns, size_t id) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (contains(patterns, id, list->bytes[i])) {
            list->bytes[kept++] = list->bytes[i];
        }
    }
    list->count = kept;
}

uint16_t trawl_patterns_common_byte(const trawl_patterns *patterns, const uint8_t *text,
                                    size_t length, size_t *occurrences) {
    byte_list list = {.count = 256};
    for (size_t byte = 0; byte < 256; byte++) {
        list.bytes[byte] = (uint8_t)byte;
    }
    for (size_t id = 0; id < patterns->count && list.count != 0; id++) {
        keep_common(&list, patterns, id);
    }
    if (patterns->count == 0 || list.count == 0) {
        return 0;
    }
    size_t counts[256] = {0};
    for (size_t i = 0; i < length; i++) {
        counts[text[i]]++;
    }
    uint8_t rarest = list.bytes[0];
    for (size_t i = 1; i < list.count; i++) {
        rarest = counts[list.bytes[i]] < counts[rarest] ? list.bytes[i] : rarest;
    }
    *occurrences = counts[rarest];
    return (uint16_t)(1 + rarest);
}
