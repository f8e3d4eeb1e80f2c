/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rabin-Karp by prefix sums (Nunes et al. 2018, IV), on the CPU, one step after the other, as in
 * the CPU columns of the paper's Tables III and IV:
 *
 *     step 1   the powers of d modulo q
 *     step 2   the patterns' hashes, and from them the table HT
 *     step 3   a_i = d^(n-1-i) t_i mod q
 *     step 4   the prefix sums of a, modulo q
 *     step 5   for each j (sums[j + m - 1] - sums[j - 1]) d^(m - n + j) mod q, which is the hash of
 *              the m bytes from j on; if HT lists patterns with that hash, they are compared
 *
 * Example: text "abc", d = 2, q = 13.
 *
 *     i                          0          1          2
 *     t_i                       97         98         99
 *     a_i                  4*97 = 11   2*98 = 1   1*99 = 8    (mod 13)
 *     sums[i]                   11         12          7
 *     hash of the window "ab"   (12 - 0) / 2 = 6          "bc"   (7 - 11) / 1 = 9
 */
#ifndef TRAWL_ENGINES_RABIN_KARP_STEPS_H
#define TRAWL_ENGINES_RABIN_KARP_STEPS_H

#include "base/status.h"
#include "database/database.h"
#include "engines/rabin_karp/format.h"
#include "scan/candidates.h"

/* Step 2: heads (modulus + 1 of them) and ids (one for each pattern) of the table HT. The patterns
 * with hash h are ids[heads[h]] .. ids[heads[h + 1]], ascending. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_rabin_karp_fill_table(const trawl_pattern_view *patterns,
                                         const trawl_rabin_karp_header *header, bool folded,
                                         uint32_t *heads, uint32_t *ids, trawl_error *error);

/* The powers of d modulo q. */
typedef struct trawl_steps_powers {
    uint32_t modulus;      /* q, a prime that does not divide d; 0 < d < q */
    const uint32_t *power; /* q of them; d^(q-1) is 1 again */
} trawl_steps_powers;

/* Step 1. `power` has room for `modulus` numbers. */
void trawl_steps_fill_powers(uint64_t base, uint32_t modulus, uint32_t *power);

/* Step 3. */
void trawl_steps_fill_terms(const trawl_steps_powers *powers, const uint8_t *text, size_t length,
                            bool folded, uint32_t *terms);

/* Step 4, in place. */
void trawl_steps_sum(uint32_t modulus, uint32_t *terms, size_t length);

/* Returns d^-e mod q, for e = `exponent` of any size: d^(q-1) mod q is 1, so that it is d^(q-1 - e
 * mod (q-1)). For a window that ends e bytes before the text's end, the difference of two sums is
 * d^e times its hash (Equation 4). */
static inline uint32_t trawl_steps_inverse(const trawl_steps_powers *powers, size_t exponent) {
    uint32_t period = powers->modulus - 1;
    return powers->power[period - (uint32_t)(exponent % period)];
}

/* Step 5 for one window: the hash of text[start .. start + window), from the sums of a text of
 * `length` bytes. */
static inline uint32_t trawl_steps_window_hash(const trawl_steps_powers *powers,
                                               const uint32_t *sums, size_t length, size_t start,
                                               size_t window) {
    uint32_t before = start == 0 ? 0 : sums[start - 1];
    uint64_t difference = (uint64_t)sums[start + window - 1] + powers->modulus - before;
    uint64_t inverse = trawl_steps_inverse(powers, length - window - start);
    return (uint32_t)(difference % powers->modulus * inverse % powers->modulus);
}

/* A walker of variant `steps`: steps 1 and 2 are done when it opens, the others for each window. */
typedef struct trawl_steps_walk {
    trawl_steps_powers powers;
    uint32_t *memory; /* of powers, heads and ids */
    uint32_t *heads;
    uint32_t *ids;
    uint32_t *sums;       /* of the text that is being searched */
    size_t sums_capacity; /* in numbers */
    size_t most_owned;    /* bytes of text whose sums are computed at once */
    double seconds[4];    /* of steps 2, 3, 4, 5 so far */
} trawl_steps_walk;

trawl_status trawl_steps_open(const trawl_db *db, trawl_steps_walk *walk, trawl_error *error);
/* After this call trawl_steps_walk_window does not allocate: it divides the text into shorter
 * parts. */
trawl_status trawl_steps_reserve(const trawl_db *db, trawl_steps_walk *walk, trawl_error *error);
void trawl_steps_close(trawl_steps_walk *walk);
trawl_status trawl_steps_walk_window(const trawl_db *db, trawl_steps_walk *walk,
                                     const trawl_window *window, const trawl_consumer *consumer,
                                     trawl_error *error);

struct trawl_walker;
/* The seconds of steps 2 to 5 so far, of an open walker of variant `steps`. */
const double *trawl_rabin_karp_step_seconds(const struct trawl_walker *walker);

/* Compares the patterns of `length` bytes in the entry of HT for `hash` with the text from `start`
 * on (EQ in the paper), and reports those that are equal. */
trawl_status trawl_rabin_karp_verify(const trawl_pattern_view *patterns, const uint32_t *heads,
                                     const uint32_t *ids, uint64_t hash, const trawl_window *window,
                                     size_t start, size_t length, const trawl_consumer *consumer);

#endif
