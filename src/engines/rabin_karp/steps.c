/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/rabin_karp/steps.h"

#include "base/allocate.h"
#include "base/clock.h"

/* Bytes of text whose sums are computed at once: 256 MiB, twice the paper's largest text. */
#define MOST_OWNED ((size_t)1 << 28)
/* The same for a walker that must not allocate while it searches: 64 KiB, whose sums (256 KiB) fit
 * the second-level cache of a core. Chosen, not measured. */
#define MOST_OWNED_RESERVED ((size_t)1 << 16)

/* ------------------------------------------------------------------ steps 1 and 2 */

void trawl_steps_fill_powers(uint64_t base, uint32_t modulus, uint32_t *power) {
    uint64_t value = 1 % modulus;
    for (uint32_t i = 0; i < modulus; i++) {
        power[i] = (uint32_t)value;
        value = value * (base % modulus) % modulus;
    }
}

/* The arithmetic of hashes of whole patterns, of any length: what a byte adds when it enters does
 * not depend on the window's length. */
typedef struct pattern_hashing {
    trawl_rolling rolling;
    trawl_rolling_table table;
} pattern_hashing;

static uint64_t pattern_hash(const trawl_pattern_view *patterns, uint32_t id,
                             const pattern_hashing *hashing) {
    uint64_t hash =
        trawl_rolling_hash(&hashing->rolling, &hashing->table, trawl_view_begin(patterns, id),
                           patterns->offsets[id + 1] - patterns->offsets[id]);
    return trawl_rolling_reduce(&hashing->rolling, hash);
}

trawl_status trawl_rabin_karp_fill_table(const trawl_pattern_view *patterns,
                                         const trawl_rabin_karp_header *header, bool folded,
                                         uint32_t *heads, uint32_t *ids, trawl_error *error) {
    uint64_t modulus = header->modulus;
    pattern_hashing hashing = {.rolling = trawl_rolling_make(header->base, modulus, 1)};
    trawl_rolling_table_make(&hashing.rolling, 1, folded, &hashing.table);
    uint32_t *hashes = trawl_allocate(patterns->count, sizeof *hashes);
    if (hashes == NULL) {
        return trawl_fail_memory(error, "hashing the patterns", patterns->count * sizeof *hashes);
    }
    memset(heads, 0, (modulus + 1) * sizeof *heads);
    for (uint32_t id = 0; id < patterns->count; id++) {
        hashes[id] = (uint32_t)pattern_hash(patterns, id, &hashing);
        heads[hashes[id]]++;
    }
    uint32_t sum = 0;
    for (uint64_t hash = 0; hash <= modulus; hash++) {
        sum += heads[hash];
        heads[hash] = sum; /* the end of the list, which is filled from its end on */
    }
    for (uint32_t id = patterns->count; id-- > 0;) {
        ids[--heads[hashes[id]]] = id;
    }
    trawl_release(hashes);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ steps 3 and 4 */

void trawl_steps_fill_terms(const trawl_steps_powers *powers, const uint8_t *text, size_t length,
                            bool folded, uint32_t *terms) {
    uint32_t period = powers->modulus - 1;
    for (size_t i = 0; i < length; i++) {
        uint64_t byte = folded ? trawl_fold(text[i]) : text[i];
        uint64_t power = powers->power[(length - 1 - i) % period];
        terms[i] = (uint32_t)(power * byte % powers->modulus);
    }
}

void trawl_steps_sum(uint32_t modulus, uint32_t *terms, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (sum + terms[i]) % modulus;
        terms[i] = (uint32_t)sum;
    }
}

/* ------------------------------------------------------------------ step 5 */

trawl_status trawl_rabin_karp_verify(const trawl_pattern_view *patterns, const uint32_t *heads,
                                     const uint32_t *ids, uint64_t hash, const trawl_window *window,
                                     size_t start, size_t length, const trawl_consumer *consumer) {
    for (uint32_t i = heads[hash]; i < heads[hash + 1]; i++) {
        uint32_t id = ids[i];
        if (patterns->offsets[id + 1] - patterns->offsets[id] != length ||
            !trawl_pattern_matches(patterns, id, window->text + start)) {
            continue;
        }
        trawl_status status = trawl_consume(consumer, window, start, start + length, id);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

/* Looks up all windows of `length` bytes that end in text[owned .. past). The sums are those of
 * text[begin .. past). */
static trawl_status look_up(const trawl_db *db, const trawl_steps_walk *walk,
                            const trawl_window *window, size_t begin, size_t owned, size_t past,
                            size_t length, const trawl_consumer *consumer) {
    size_t count = past - begin;
    size_t start = owned + 1 < begin + length ? 0 : owned + 1 - length - begin;
    for (; start + length <= count; start++) {
        uint32_t hash = trawl_steps_window_hash(&walk->powers, walk->sums, count, start, length);
        if (walk->heads[hash] != walk->heads[hash + 1]) {
            trawl_status status =
                trawl_rabin_karp_verify(&db->patterns, walk->heads, walk->ids, hash, window,
                                        begin + start, length, consumer);
            if (status != TRAWL_OK) {
                return status;
            }
        }
    }
    return TRAWL_OK;
}

static trawl_status make_room(trawl_steps_walk *walk, size_t count, trawl_error *error) {
    if (count <= walk->sums_capacity) {
        return TRAWL_OK;
    }
    trawl_release(walk->sums);
    walk->sums = trawl_allocate(count, sizeof *walk->sums);
    walk->sums_capacity = walk->sums == NULL ? 0 : count;
    return walk->sums != NULL ? TRAWL_OK
                              : trawl_fail_memory(error, "prefix sums", count * sizeof *walk->sums);
}

trawl_status trawl_steps_reserve(const trawl_db *db, trawl_steps_walk *walk, trawl_error *error) {
    walk->most_owned = MOST_OWNED_RESERVED;
    return make_room(walk, walk->most_owned + db->header->max_length - 1, error);
}

trawl_status trawl_steps_walk_window(const trawl_db *db, trawl_steps_walk *walk,
                                     const trawl_window *window, const trawl_consumer *consumer,
                                     trawl_error *error) {
    const trawl_rabin_karp_header *header =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    const uint32_t *lengths = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, NULL);
    size_t overlap = lengths[header->passes - 1] - 1;
    trawl_status status = TRAWL_OK;
    for (size_t owned = window->owned; status == TRAWL_OK && owned < window->length;) {
        size_t left = window->length - owned;
        size_t past = owned + (left < walk->most_owned ? left : walk->most_owned);
        size_t begin = owned < overlap ? 0 : owned - overlap;
        status = make_room(walk, past - begin, error);
        if (status != TRAWL_OK) {
            break;
        }
        double at[4] = {trawl_seconds()};
        trawl_steps_fill_terms(&walk->powers, window->text + begin, past - begin,
                               db->header->folded != 0, walk->sums);
        at[1] = trawl_seconds();
        trawl_steps_sum(walk->powers.modulus, walk->sums, past - begin);
        at[2] = trawl_seconds();
        for (uint32_t pass = 0; status == TRAWL_OK && pass < header->passes; pass++) {
            status = look_up(db, walk, window, begin, owned, past, lengths[pass], consumer);
        }
        at[3] = trawl_seconds();
        for (size_t step = 0; step < 3; step++) {
            walk->seconds[1 + step] += at[step + 1] - at[step];
        }
        owned = past;
    }
    return status;
}

/* ------------------------------------------------------------------ opening */

trawl_status trawl_steps_open(const trawl_db *db, trawl_steps_walk *walk, trawl_error *error) {
    const trawl_rabin_karp_header *header =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    uint32_t modulus = (uint32_t)header->modulus;
    size_t numbers = (size_t)modulus + ((size_t)modulus + 1) + db->patterns.count;
    walk->memory = trawl_allocate(numbers, sizeof *walk->memory);
    if (walk->memory == NULL) {
        return trawl_fail_memory(error, "tables of powers and hashes",
                                 numbers * sizeof *walk->memory);
    }
    trawl_steps_fill_powers(header->base, modulus, walk->memory);
    walk->powers = (trawl_steps_powers){.modulus = modulus, .power = walk->memory};
    walk->heads = walk->memory + modulus;
    walk->ids = walk->heads + modulus + 1;
    walk->most_owned = MOST_OWNED;
    double begin = trawl_seconds();
    trawl_status status = trawl_rabin_karp_fill_table(
        &db->patterns, header, db->header->folded != 0, walk->heads, walk->ids, error);
    walk->seconds[0] += trawl_seconds() - begin;
    return status;
}

void trawl_steps_close(trawl_steps_walk *walk) {
    trawl_release(walk->memory);
    trawl_release(walk->sums);
}
