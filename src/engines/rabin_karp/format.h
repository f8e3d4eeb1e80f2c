/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rabin-Karp's tables and its rolling hash.
 *
 * h(s_0 .. s_{m-1}) = (d^(m-1) s_0 + ... + d s_{m-2} + s_{m-1}) mod q, in folded databases of the
 * lower-cased bytes. If q is not set, it is 2^64 (the arithmetic of uint64_t); if d is not set
 * either, it is the least power of two for which d^m mod 2^64 is 0. A byte's term then vanishes
 * after m more bytes have entered, and nothing has to be subtracted when the byte leaves the
 * window. Because such a d is small, s_i is not the byte itself but a pseudo-random 64-bit number
 * for it: sums of small numbers would have many collisions.
 *
 * Variant `paper`: d = 2, q = 65521. Every pattern is hashed as a whole, into a table HT of q
 * entries, each a list of patterns. The text is read once for every distinct length.
 *
 * Variants `single` and `steps` have the tables of `paper` and search differently: `single`
 * compares the window's hash with that of one pattern, and reads the text once for each pattern
 * (Figure 2); `steps` takes hashes from prefix sums (IV), step after step, as kernels do (steps.h).
 *
 * Variant `grouped`: patterns of similar lengths have a common pass over the text, in which the
 * last m bytes of each are hashed, m being the length of the shortest of them (and 32 at most):
 *
 *     window hash -> filter bit --0--> next window
 *                         1
 *                         v
 *                 table: ranges of keys with that hash -> binary search for the key in the range
 *
 * The filter excludes nearly all windows. All keys of a range end with the same m bytes
 * (database/endings.h), so a hash has few ranges, and a search in one has few steps however many
 * keys it has.
 */
#ifndef TRAWL_ENGINES_RABIN_KARP_FORMAT_H
#define TRAWL_ENGINES_RABIN_KARP_FORMAT_H

#include <string.h>

#include "base/fold.h"
#include "database/endings.h"

enum {
    TRAWL_RABIN_KARP_GROUPED = 0,
    TRAWL_RABIN_KARP_PAPER = 1,
    TRAWL_RABIN_KARP_SINGLE = 2,
    TRAWL_RABIN_KARP_STEPS = 3
};

#define TRAWL_RABIN_KARP_MAX_WINDOW 32u /* bytes; grouped. Chosen, not measured. */
/* The length of each pass's window is at least twice that of the one before: 1, 2, 4, .. 32. */
#define TRAWL_RABIN_KARP_MAX_PASSES 6u

typedef struct trawl_rabin_karp_header {
    uint64_t base;    /* d, or 0: the power of two described above, which depends on the window */
    uint64_t modulus; /* q, or 0 for 2^64 */
    uint32_t variant;
    uint32_t passes; /* grouped: 1 to TRAWL_RABIN_KARP_MAX_PASSES; paper: distinct lengths */
} trawl_rabin_karp_header;

/* One pass of `grouped`. Its tables are the sections whose part is the pass's number. */
typedef struct trawl_rabin_karp_pass {
    uint32_t window;      /* bytes that are hashed */
    uint32_t filter_bits; /* the filter has 1 << filter_bits bits */
    uint32_t hash_bits;   /* the table has 1 << hash_bits slots */
    uint32_t reserved;
} trawl_rabin_karp_pass;

/* Patterns of `single`, at most: the text is read once for each. Chosen, not measured. */
#define TRAWL_RABIN_KARP_MOST_SINGLE 100u
/* `grouped`: sets the shortest length of each pass and its window, and returns the number of
 * passes. length_counts: the number of patterns of each length. */
uint32_t trawl_rabin_karp_group(const trawl_patterns *set, const uint32_t *length_counts,
                                uint32_t *shortest, uint32_t *windows);

/* `grouped`: the bits of the filter for `ranges` hashes, as a power of two. */
uint32_t trawl_rabin_karp_filter_bits(uint32_t ranges);

/* Powers of d modulo q that `steps` keeps, at most: 64 MiB. Chosen, not measured. */
#define TRAWL_RABIN_KARP_MOST_POWERS (UINT64_C(1) << 24)

/* Sections        grouped, part p                   paper, single, steps
 * HEADER          header                            header
 * GROUPS          trawl_rabin_karp_pass[passes]     uint32_t[passes]: lengths, ascending
 *                 (part 0 only)
 * TABLE           uint32_t[(1 << hash_bits) + 1]    uint32_t[q + 1]: into IDS
 * IDS             trawl_ending_range[]              uint32_t[patterns]
 * FILTER          uint64_t[]                        -
 * and in `grouped` the outputs. */

/* The arithmetic of one base and modulus. */
typedef struct trawl_rolling {
    uint64_t base;     /* below the modulus */
    uint64_t modulus;  /* below 2^32, or 0 for 2^64 */
    uint64_t quotient; /* floor(base * 2^64 / modulus) */
    bool vanishing;    /* base^window is 0: nothing has to be subtracted */
} trawl_rolling;

/* Makes the arithmetic for windows of `window` bytes. Base 0 is the power of two described
 * above. */
static inline trawl_rolling trawl_rolling_make(uint64_t base, uint64_t modulus, uint32_t window) {
    trawl_rolling rolling = {base, modulus, 0, false};
    if (modulus != 0) {
        rolling.base = base % modulus;
        rolling.quotient = (uint64_t)(((unsigned __int128)rolling.base << 64) / modulus);
    } else if (base == 0) {
        uint32_t bits = (63 + window) / window;
        rolling.base = bits < 64 ? UINT64_C(1) << bits : 0;
        rolling.vanishing = true;
    }
    return rolling;
}

/* Returns hash * base + sum, not fully reduced: with a modulus, the result is below 2 * modulus +
 * sum. It has that bound for any 64-bit hash, because the estimated quotient is at most one too
 * small (Shoup's multiplication by a constant). So the next step can begin without a division or a
 * comparison. */
TRAWL_BOTH uint64_t trawl_rolling_step(const trawl_rolling *rolling, uint64_t hash, uint64_t sum) {
    if (rolling->modulus == 0) {
        return hash * rolling->base + sum;
    }
    uint64_t estimate = (uint64_t)(((unsigned __int128)hash * rolling->quotient) >> 64);
    return hash * rolling->base - estimate * rolling->modulus + sum;
}

/* Reduces the result of trawl_rolling_step fully; its `sum` must have been below 2 * modulus. */
TRAWL_BOTH uint64_t trawl_rolling_reduce(const trawl_rolling *rolling, uint64_t hash) {
    uint64_t twice = 2 * rolling->modulus;
    if (rolling->modulus != 0) {
        hash = hash >= twice ? hash - twice : hash;
        hash = hash >= rolling->modulus ? hash - rolling->modulus : hash;
    }
    return hash;
}

/* What each byte value adds to the hash when it enters a window, and when it leaves it. */
typedef struct trawl_rolling_table {
    uint64_t entering[256];
    uint64_t leaving[256];
} trawl_rolling_table;

static inline uint64_t trawl_rolling_power(const trawl_rolling *rolling, uint32_t exponent) {
    uint64_t power = 1, square = rolling->base;
    for (; exponent != 0; exponent >>= 1) {
        unsigned __int128 product = (unsigned __int128)power * square;
        unsigned __int128 squared = (unsigned __int128)square * square;
        bool reduce = rolling->modulus != 0;
        if ((exponent & 1) != 0) {
            power = (uint64_t)(reduce ? product % rolling->modulus : product);
        }
        square = (uint64_t)(reduce ? squared % rolling->modulus : squared);
    }
    return power;
}

/* Computes the table's entries for one byte; `power` is base^window (trawl_rolling_power). */
TRAWL_BOTH void trawl_rolling_byte(const trawl_rolling *rolling, uint64_t power, bool folded,
                                   uint8_t byte, uint64_t *entering, uint64_t *leaving) {
    uint64_t modulus = rolling->modulus;
    uint64_t value = folded ? trawl_fold(byte) : byte;
    if (rolling->vanishing) {
        value = (value + 1) * UINT64_C(0x9e3779b97f4a7c15);
        value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        *entering = value ^ value >> 32;
        *leaving = 0;
    } else if (modulus == 0) {
        *entering = value;
        *leaving = 0 - power * value;
    } else {
        *entering = value % modulus;
        *leaving = (modulus - power * value % modulus) % modulus;
    }
}

/* Fills the table for windows of `window` bytes. */
static inline void trawl_rolling_table_make(const trawl_rolling *rolling, uint32_t window,
                                            bool folded, trawl_rolling_table *table) {
    uint64_t power = trawl_rolling_power(rolling, window);
    for (unsigned byte = 0; byte < 256; byte++) {
        trawl_rolling_byte(rolling, power, folded, (uint8_t)byte, &table->entering[byte],
                           &table->leaving[byte]);
    }
}

/* The hash of `count` bytes, not fully reduced. */
TRAWL_BOTH uint64_t trawl_rolling_hash(const trawl_rolling *rolling,
                                       const trawl_rolling_table *table, const uint8_t *bytes,
                                       uint32_t count) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = trawl_rolling_step(rolling, hash, table->entering[bytes[i]]);
    }
    return hash;
}

/* Returns the bit of the filter for a hash: the hash's highest bits. If the hash is `vanishing`,
 * they depend on all bytes of the window; else the hash is below a modulus or of small digits, has
 * few bits, and is multiplied first. */
TRAWL_BOTH size_t trawl_rabin_karp_bit(bool vanishing, uint64_t hash, uint32_t filter_bits) {
    return (size_t)((vanishing ? hash : hash * UINT64_C(0xd6e8feb86659fd93)) >> (64 - filter_bits));
}

#endif
