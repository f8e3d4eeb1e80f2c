/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/endings.h"

#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"

trawl_status trawl_endings_reverse(const trawl_patterns *patterns, trawl_patterns *reversed,
                                   trawl_error *error) {
    size_t total = trawl_patterns_bytes(patterns);
    uint8_t *bytes = trawl_allocate(total, 1);
    if (bytes == NULL) {
        return trawl_fail_memory(error, "sorting the patterns by their ends", total);
    }
    for (size_t id = 0; id < patterns->count; id++) {
        const uint8_t *from = trawl_pattern_bytes(patterns, id);
        uint32_t length = trawl_pattern_length(patterns, id);
        uint8_t *to = bytes + (from - patterns->bytes) + length;
        for (uint32_t i = 0; i < length; i++) {
            *--to = from[i];
        }
    }
    *reversed = *patterns; /* everything but the bytes is shared */
    reversed->bytes = bytes;
    return TRAWL_OK;
}

double trawl_endings_alphabet(const trawl_patterns *patterns) {
    uint64_t counts[256] = {0};
    uint64_t total = trawl_patterns_bytes(patterns);
    bool folded = patterns->case_insensitive != 0;
    for (uint64_t i = 0; i < total; i++) {
        uint8_t byte = patterns->bytes[i];
        counts[folded ? trawl_fold(byte) : byte]++;
    }
    double equal = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        double share = (double)counts[byte] / (double)total;
        equal += share * share;
    }
    return 1 / equal;
}

uint32_t trawl_endings_count(const trawl_keys *keys, uint32_t tail) {
    uint32_t ranges = 0;
    for (uint32_t key = 0; key < keys->count; key++) {
        ranges += key == 0 || keys->common[key] < tail;
    }
    return ranges;
}

/* How many patterns of a key trawl_endings_most counts. */
static uint32_t count_own(const trawl_keys *keys, uint32_t key, const trawl_patterns *compared) {
    uint32_t count = 0;
    for (uint32_t i = keys->first[key]; i < keys->first[key + 1]; i++) {
        count += compared == NULL || trawl_outputs_verifies(compared, keys->ids[i]);
    }
    return count;
}

uint32_t trawl_endings_most(const trawl_keys *keys, const trawl_patterns *compared) {
    uint32_t *link = trawl_allocate(keys->count, sizeof *link);
    uint32_t *total = trawl_allocate(keys->count, sizeof *total);
    uint32_t most = 0;
    for (uint32_t key = 0; link != NULL && total != NULL && key < keys->count; key++) {
        uint32_t shorter = trawl_endings_suffix(keys, key, link, sizeof *link);
        link[key] = shorter;
        total[key] =
            count_own(keys, key, compared) + (shorter == TRAWL_NO_KEY ? 0 : total[shorter]);
        most = total[key] > most ? total[key] : most;
    }
    trawl_release(link);
    trawl_release(total);
    return most;
}

void trawl_unbounded_remark(trawl_build *build) {
    (void)snprintf(
        build->remark, sizeof build->remark,
        "no bound on its time for a byte but the patterns: a text made for them may have "
        "up to %zu bytes compared at each position (automata and qgram: a few ns a byte)",
        build->patterns->max_length);
}

/* More patterns than this ending at one position are mentioned in the remark. With fewer, comparing
 * them takes less than 100 ns a byte. */
#define NESTED 64u

void trawl_endings_remark(trawl_build *build, const trawl_keys *keys) {
    if (build->patterns->bases != NULL) { /* run/fallback.h */
        (void)snprintf(build->remark, sizeof build->remark,
                       "no bound on its time for a byte but the patterns: a text made for them may "
                       "have up to %zu bytes compared at each position (an automaton takes over "
                       "for sets of up to 2 GiB alone)",
                       build->patterns->max_length);
        return;
    }
    uint32_t most = trawl_endings_most(keys, NULL);
    if (most > NESTED) {
        (void)snprintf(build->remark, sizeof build->remark,
                       "on a GPU no bound on its time for a byte but the patterns: %u of them can "
                       "end at one position, and the longest one there is compared with the text "
                       "each time (on a CPU an automaton takes over)",
                       most);
    } else if (build->remark[0] == '\0') {
        (void)snprintf(build->remark, sizeof build->remark,
                       "on a GPU no bound on its time for a byte but the patterns: a text made for "
                       "them may have up to %zu bytes compared at each position (on a CPU an "
                       "automaton takes over)",
                       build->patterns->max_length);
    }
}

uint32_t trawl_ending_bits(uint32_t ranges) {
    uint32_t bits = 4;
    while (bits < 31 && (UINT32_C(1) << bits) < 2 * (uint64_t)ranges) {
        bits++;
    }
    return bits;
}

trawl_status trawl_endings_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead) {
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_KEY_ENDING, part, keys->count,
                                              sizeof(uint64_t), instead);
    return status == TRAWL_OK ? trawl_outputs_reserve(build, part, keys, instead) : status;
}

void trawl_endings_write(trawl_outputs_writer *writer, uint64_t *endings) {
    const trawl_keys *keys = writer->keys;
    for (uint32_t key = 0; key < keys->count; key++) {
        trawl_outputs_append(writer, key,
                             trawl_endings_suffix(keys, key, writer->link, sizeof *writer->link));
        endings[key] = trawl_ending_number(trawl_key_bytes(keys, key), trawl_key_length(keys, key));
    }
}

void trawl_endings_fill(trawl_build *build, uint32_t part, const trawl_keys *keys) {
    trawl_outputs_writer writer;
    trawl_outputs_begin(build, part, keys, &writer);
    trawl_endings_write(&writer, trawl_image_section(build->image, TRAWL_SECTION_KEY_ENDING, part));
}

/* Slots and ranges are spread over tables that are larger than the caches. So a slot is prefetched
 * AHEAD ranges before its use, and its place in `ranges` AHEAD / 2 ranges before. */
#define AHEAD 32u

static void count_ranges(const trawl_keys *keys, uint32_t tail, trawl_ending_word word,
                         const void *context, uint32_t bits, uint32_t *heads) {
    size_t waiting[AHEAD];
    uint32_t made = 0;
    for (uint32_t key = 0; key < keys->count; key++) {
        if (key != 0 && keys->common[key] >= tail) {
            continue;
        }
        uint64_t number = word(trawl_key_bytes(keys, key), tail, context);
        size_t slot = trawl_ending_slot(number, bits);
        __builtin_prefetch(&heads[slot], 1);
        if (made >= AHEAD) {
            heads[waiting[made % AHEAD]]++;
        }
        waiting[made++ % AHEAD] = slot;
    }
    for (uint32_t i = 0; i < AHEAD && i < made; i++) {
        heads[waiting[i]]++;
    }
}

void trawl_endings_hash(const trawl_keys *keys, uint32_t tail, trawl_ending_word word,
                        const void *context, uint32_t bits, uint32_t *heads,
                        trawl_ending_range *ranges) {
    size_t slots = (size_t)1 << bits;
    memset(heads, 0, (slots + 1) * sizeof *heads);
    count_ranges(keys, tail, word, context, bits, heads);
    uint32_t sum = 0;
    for (size_t slot = 0; slot <= slots; slot++) {
        sum += heads[slot];
        heads[slot] = sum; /* the end of the slot's list, which is filled backwards */
    }
    trawl_ending_range waiting[AHEAD];
    uint32_t made = 0, last = keys->count;
    for (uint32_t key = keys->count; key-- > 0;) {
        if (key != 0 && keys->common[key] >= tail) {
            continue;
        }
        uint64_t number = word(trawl_key_bytes(keys, key), tail, context);
        __builtin_prefetch(&heads[trawl_ending_slot(number, bits)], 1);
        if (made >= AHEAD / 2) {
            uint64_t near = waiting[(made - AHEAD / 2) % AHEAD].word;
            /* The current end of the slot's list: one or two places from where it will be put. */
            __builtin_prefetch(&ranges[heads[trawl_ending_slot(near, bits)] - 1], 1);
        }
        if (made >= AHEAD) {
            const trawl_ending_range *range = &waiting[made % AHEAD];
            ranges[--heads[trawl_ending_slot(range->word, bits)]] = *range;
        }
        waiting[made++ % AHEAD] = (trawl_ending_range){.word = number, .first = key, .last = last};
        last = key;
    }
    for (uint32_t i = made < AHEAD ? 0 : made - AHEAD; i < made; i++) {
        const trawl_ending_range *range = &waiting[i % AHEAD];
        ranges[--heads[trawl_ending_slot(range->word, bits)]] = *range;
    }
}

bool trawl_endings_can_be_compared(const trawl_outputs *outputs, uint32_t least) {
    bool can = true;
    for (uint32_t key = 0; key < outputs->keys; key++) {
        /* A key is compared through the bytes of its first pattern. */
        can = can && outputs->first[key] < outputs->first[key + 1] && outputs->length[key] >= least;
    }
    return can;
}

trawl_status trawl_endings_validate(const trawl_db *db, uint32_t part, uint32_t tail, uint32_t bits,
                                    const uint32_t *heads, uint64_t heads_size,
                                    const trawl_ending_range *ranges, uint64_t ranges_size,
                                    trawl_error *error) {
    trawl_status status = trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, part, &outputs);
    uint64_t endings_size;
    (void)trawl_db_section(db, TRAWL_SECTION_KEY_ENDING, part, &endings_size);
    bool sound = endings_size == outputs.keys * sizeof(uint64_t) &&
                 trawl_endings_can_be_compared(&outputs, tail);
    uint64_t count = ranges_size / sizeof *ranges;
    if (!sound || bits == 0 || bits > 31 || heads == NULL || ranges == NULL || count == 0 ||
        heads_size != (((uint64_t)1 << bits) + 1) * sizeof *heads ||
        ranges_size != count * sizeof *ranges || heads[(size_t)1 << bits] != count) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "the database's hash table has inconsistent sizes");
    }
    for (size_t slot = 0; slot < (size_t)1 << bits; slot++) {
        sound = sound && heads[slot] <= heads[slot + 1] && heads[slot + 1] <= count;
    }
    for (uint64_t i = 0; i < count; i++) {
        sound = sound && ranges[i].first < ranges[i].last && ranges[i].last <= outputs.keys;
    }
    if (!sound) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "the database's hash table has an entry out of range");
    }
    return TRAWL_OK;
}
