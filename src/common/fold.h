/* ASCII case folding of bytes: the only notion of letter case that trawl has. */
#ifndef TRAWL_COMMON_FOLD_H
#define TRAWL_COMMON_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool trawl_is_letter(uint8_t byte) {
    return (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* A-Z become a-z; every other byte stays. */
static inline uint8_t trawl_fold(uint8_t byte) {
    return (uint8_t)(byte - 'A') < 26 ? (uint8_t)(byte | 0x20) : byte;
}

static inline bool trawl_equal_folded(const uint8_t *left, const uint8_t *right, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (trawl_fold(left[i]) != trawl_fold(right[i])) {
            return false;
        }
    }
    return true;
}

#endif
