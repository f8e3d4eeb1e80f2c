/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rabin-Karp's tables and its rolling hash.
 *
 * h(s_0 .. s_{m-1}) = (d^(m-1) s_0 + ... + d s_{m-2} + s_{m-1}) mod q; in folded databases of the
 * lower-cased bytes. Without a given q it is 2^64, and without a given d it is the least power of
 * two for which d^m mod 2^64 is 0: bytes then leave the window by themselves. Such a small d needs
 * larger digits: s_i is then a scattered 64-bit number for each byte value.
 *
 * Variant `paper`: d = 2, q = 65521; every pattern is hashed as a whole, into a table HT of q
 * entries, each a list of patterns; the text is passed once for every distinct length.
 *
 * Variants `single` and `steps` have the tables of `paper` and walk otherwise: `single` compares
 * the window's hash with that of one pattern, in a pass over the text for each pattern (Figure 2);
 * `steps` takes hashes from prefix sums (IV), step after step, as kernels do (steps.h).
 *
 * Variant `grouped`: patterns of similar lengths share a pass, in which the last m bytes of each
 * are hashed, m being the shortest of them (and 32 at most). A bit filter in front of the table
 * drops nearly all windows; a hash leads to the ranges of keys that end alike (database/endings.h),
 * of which a binary search picks the right one however many there are.
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

#define TRAWL_RABIN_KARP_MAX_WINDOW 32u /* bytes that grouped hashes */
/* Lengths of the passes' windows at least double up to the longest window: 1, 2, 4, .. 32. */
#define TRAWL_RABIN_KARP_MAX_PASSES 6u

typedef struct trawl_rabin_karp_header {
    uint64_t base;    /* d, or 0 for a power of two that depends on the window */
    uint64_t modulus; /* q, or 0 for 2^64 */
    uint32_t variant;
    uint32_t passes; /* grouped: 1 to TRAWL_RABIN_KARP_MAX_PASSES; paper: distinct lengths */
} trawl_rabin_karp_header;

/* One pass of `grouped`; its tables are the sections of part `number of the pass`. */
typedef struct trawl_rabin_karp_pass {
    uint32_t window;      /* bytes that are hashed */
    uint32_t filter_bits; /* the filter has 1 << filter_bits bits */
    uint32_t hash_bits;   /* the table has 1 << hash_bits slots */
    uint32_t reserved;
} trawl_rabin_karp_pass;

/* Patterns of `single`, at most: each is a pass over the text. */
#define TRAWL_RABIN_KARP_MOST_SINGLE 100u
/* Powers of d modulo q that `steps` keeps, at most. */
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
    bool vanishing;    /* base^window is 0: nothing has to be taken away */
} trawl_rolling;

/* For windows of `window` bytes; base 0 stands for the power of two described above. */
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

/* hash * base + sum, not fully reduced: with a modulus the result is below 2 * modulus + sum
 * (Shoup: for any 64-bit hash the estimated quotient is at most one too small), so that no
 * division and no comparison stands between one byte and the next. */
TRAWL_BOTH uint64_t trawl_rolling_step(const trawl_rolling *rolling, uint64_t hash, uint64_t sum) {
    if (rolling->modulus == 0) {
        return hash * rolling->base + sum;
    }
    uint64_t estimate = (uint64_t)(((unsigned __int128)hash * rolling->quotient) >> 64);
    return hash * rolling->base - estimate * rolling->modulus + sum;
}

/* The hash proper, when `sum` was below 2 * modulus. */
TRAWL_BOTH uint64_t trawl_rolling_reduce(const trawl_rolling *rolling, uint64_t hash) {
    uint64_t twice = 2 * rolling->modulus;
    if (rolling->modulus != 0) {
        hash = hash >= twice ? hash - twice : hash;
        hash = hash >= rolling->modulus ? hash - rolling->modulus : hash;
    }
    return hash;
}

/* What bytes add when they enter a window and when they leave it. */
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

/* The table's entries for one byte; `power` is base^window (trawl_rolling_power). */
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

/* Fills it for windows of `window` bytes. */
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

/* The bit of the filter for a hash: its highest bits, which depend on all bytes of a window whose
 * bytes vanish, but have to be mixed first where hashes are small or digits are. */
TRAWL_BOTH size_t trawl_rabin_karp_bit(bool vanishing, uint64_t hash, uint32_t filter_bits) {
    return (size_t)((vanishing ? hash : hash * UINT64_C(0xd6e8feb86659fd93)) >> (64 - filter_bits));
}

#endif
