/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchors/choose.h"

#include <math.h>

#include "base/fold.h"
#include "constants/cpu.h"

/* ------------------------------------------------------------------ pairs of bytes */

/* How often bytes stand in texts: letters by the usual counts of English, in 1,000. */
static const uint8_t letter_shares[26] = {65, 12, 22, 33, 101, 18, 16, 49, 55, 1,  6, 32, 19,
                                          57, 60, 15, 1,  48,  51, 73, 22, 8,  19, 1, 16, 1};

static float share_in_text(unsigned byte) {
    if (byte >= 'a' && byte <= 'z') {
        return 0.75F * (float)letter_shares[byte - 'a'] / 1000;
    }
    if (byte >= 'A' && byte <= 'Z') {
        return 0.05F * (float)letter_shares[byte - 'A'] / 1000;
    }
    return byte == ' '                  ? 0.14F
           : byte == '\n'               ? 0.015F
           : byte >= '0' && byte <= '9' ? 0.002F
           : byte > ' ' && byte < 0x7f  ? 0.001F
                                        : 0.00001F;
}

/* How often bytes stand in programs: zeros, 0xff, else all alike. */
static float share_in_programs(unsigned byte) {
    return byte == 0 ? 0.3F : byte == 0xff ? 0.03F : 0.67F / 254;
}

/* The share of the pair in the prior: half of it is text, three eighths programs, in which zeros
 * stand together, an eighth UTF-16. */
static float share_of_pair(unsigned first, unsigned second) {
    float text = share_in_text(first) * share_in_text(second);
    float programs = share_in_programs(first) * share_in_programs(second);
    programs = first == 0 && second == 0 ? 0.2F : 0.88F * programs;
    float wide = first == 0    ? 0.5F * share_in_text(second)
                 : second == 0 ? 0.5F * share_in_text(first)
                               : 0;
    return 0.5F * text + 0.375F * programs + 0.125F * wide;
}

static uint8_t log_of(float share) {
    float steps = -TRAWL_ANCHORS_LOG_STEPS * log2f(share);
    return steps >= UINT8_MAX ? UINT8_MAX : steps <= 0 ? 0 : (uint8_t)steps;
}

void trawl_anchors_count_pairs(trawl_anchors_pairs *pairs, float *counts, const uint8_t *text,
                               size_t length, bool folded) {
    float firsts[256] = {0}, all = 0;
    for (unsigned second = 0; second < 256; second++) {
        for (unsigned first = 0; first < 256; first++) {
            counts[first + 256 * second] = TRAWL_ANCHORS_PRIOR_BYTES * share_of_pair(first, second);
        }
    }
    for (size_t i = 0; i + 1 < length; i++) {
        uint8_t first = folded ? trawl_fold(text[i]) : text[i];
        uint8_t second = folded ? trawl_fold(text[i + 1]) : text[i + 1];
        counts[first + 256u * second] += 1;
    }
    for (unsigned second = 0; second < 256; second++) {
        for (unsigned first = 0; first < 256; first++) {
            firsts[first] += counts[first + 256 * second];
            all += counts[first + 256 * second];
        }
    }
    for (unsigned second = 0; second < 256; second++) {
        for (unsigned first = 0; first < 256; first++) {
            pairs->follows[first + 256 * second] =
                log_of(counts[first + 256 * second] / firsts[first]);
        }
    }
    for (unsigned i = 0; i < 256; i++) {
        pairs->first[i] = log_of(firsts[i] / all);
        pairs->shares[i] = exp2f(-(float)i / TRAWL_ANCHORS_LOG_STEPS);
    }
}

/* ------------------------------------------------------------------ the choice */

/* Filters of more bytes are not in the near caches. Those of most cores have half a megabyte and
 * more. */
#define LARGE_BYTES ((size_t)512 << 10)

/* Places that are prefetched together: about as many loads as a core has under way. Chosen, not
 * measured against others. */
#define AT_ONCE 16u

/* The cost of a run of one byte: more than that of any other q-gram, which has two places with
 * UINT16_MAX samples and as many keys at most. */
#define RUN_COST (4.0F * (UINT16_MAX + 1))

void trawl_anchors_begin(trawl_anchors_choice *choice, const trawl_qgram_tier *tier,
                         const trawl_anchors_filter *filter, const trawl_anchors_pairs *pairs,
                         trawl_anchors_place *places) {
    *choice = (trawl_anchors_choice){
        .tier = tier,
        .filter = filter,
        .reach = filter != NULL ? filter->reach : TRAWL_ANCHORS_REACH,
        .case_bits = trawl_qgram_case_bits(tier->folded != 0),
        .gram_mask = ~UINT64_C(0) >> (64 - 8 * tier->gram),
        .pairs = pairs,
        .places = places,
    };
    if (filter == NULL) {
        choice->placing = trawl_qgram_placing_of(tier);
    }
    const size_t bytes = trawl_anchors_places(tier, filter) * sizeof *places;
    choice->is_large = bytes > LARGE_BYTES;
    memset(places, 0, bytes);
}

void trawl_anchors_forget_keys(trawl_anchors_choice *choice) {
    size_t places = trawl_anchors_places(choice->tier, choice->filter);
    for (size_t i = 0; i < places; i++) {
        choice->places[i].keys = 0;
    }
}

void trawl_anchors_count(trawl_anchors_choice *choice, const uint8_t *text, size_t length) {
    for (size_t i = 0; i + 8 <= length; i++) {
        uint64_t number;
        memcpy(&number, text + i, sizeof number);
        uint32_t found[2], count = trawl_anchors_find(choice, number, found);
        for (uint32_t each = 0; each < count; each++) {
            uint16_t *samples = &choice->places[found[each]].samples;
            *samples = (uint16_t)(*samples + (*samples != UINT16_MAX));
        }
    }
    choice->samples += length < 8 ? 0 : length - 7;
    float steps = TRAWL_ANCHORS_LOG_STEPS * log2f((float)(choice->samples + 1));
    choice->samples_log = (int32_t)steps;
}

/* How often the q-gram is expected in a text as long as the sample, by its pairs; at most once, as
 * the sample lacks it. */
static float expect(const trawl_anchors_choice *choice, uint64_t number) {
    const trawl_anchors_pairs *pairs = choice->pairs;
    int32_t steps = pairs->first[number & 0xff] - choice->samples_log;
    for (uint32_t i = 1; i < choice->tier->gram; i++, number >>= 8) {
        steps += pairs->follows[number & 0xffff];
    }
    return steps <= 0 ? 1 : steps > UINT8_MAX ? 0 : pairs->shares[steps];
}

/* A q-gram of a key, and its places in the filter. */
typedef struct candidate {
    uint64_t number;
    uint32_t found[2], count;
} candidate;

/* Finds the places of a q-gram, and prefetches them. */
static candidate find(const trawl_anchors_choice *choice, uint64_t number) {
    candidate found = {.number = number};
    found.count = trawl_anchors_find(choice, number, found.found);
    for (uint32_t i = 0; i < found.count; i++) {
        __builtin_prefetch(&choice->places[found.found[i]]);
    }
    return found;
}

/* What an anchor there costs: samples that newly pass, each of which is a candidate with a look-up;
 * or, where the bit is set already, one more comparison for each of these. A run of one byte may be
 * anywhere in another text, so it is taken only where there is nothing else. */
static float cost_of(const trawl_anchors_choice *choice, const candidate *here) {
    uint64_t gram = here->number & choice->gram_mask;
    float cost = 0;
    for (uint32_t i = 0; i < here->count; i++) {
        const trawl_anchors_place *place = &choice->places[here->found[i]];
        float visits = place->samples != 0 ? (float)place->samples : expect(choice, gram);
        cost += visits * (place->keys == 0 ? 1 : TRAWL_ANCHORS_SHARED_WEIGHT);
        cost += place->keys >= TRAWL_ANCHORS_MANY_KEYS ? place->keys : 0;
    }
    bool is_run = gram == ((gram & 0xff) * UINT64_C(0x0101010101010101) & choice->gram_mask);
    return cost + (is_run ? RUN_COST : 0);
}

/* Whether some residue has no place but runs of one byte so far. */
static bool needs_more(const float *least, uint32_t stride) {
    bool more = false;
    for (uint32_t residue = 0; residue < stride; residue++) {
        more = more || least[residue] >= RUN_COST;
    }
    return more;
}

/* Finds the cheapest place for each residue. */
static void find_cheapest(const trawl_anchors_choice *choice, const trawl_anchors_key *key,
                          uint8_t *distances) {
    const trawl_qgram_tier *tier = choice->tier;
    float least[TRAWL_ANCHORS_MAX_STRIDE];
    candidate found[AT_ONCE];
    for (uint32_t residue = 0; residue < tier->stride; residue++) {
        least[residue] = 2 * RUN_COST;
        distances[residue] = 0;
    }
    uint32_t most = key->length < choice->reach ? key->length : choice->reach;
    uint32_t residue = (key->length - tier->gram) % tier->stride, ready = 0;
    const uint32_t at_once = choice->is_large ? AT_ONCE : 1;
    for (uint32_t distance = tier->gram, i = 0; distance <= most; distance++, i++) {
        if (distance > TRAWL_ANCHORS_NEAR && !needs_more(least, tier->stride)) {
            break;
        }
        if (i == ready) {
            ready = most - distance < at_once ? most - distance + 1 : at_once;
            for (i = 0; i < ready; i++) {
                found[i] = find(choice, trawl_anchors_number(key, distance + i));
            }
            i = 0;
        }
        float cost = cost_of(choice, &found[i]);
        if (cost < least[residue]) {
            least[residue] = cost;
            distances[residue] = (uint8_t)distance;
        }
        residue = residue == 0 ? tier->stride - 1 : residue - 1;
    }
}

void trawl_anchors_choose(trawl_anchors_choice *choice, const trawl_anchors_key *key,
                          uint8_t *distances) {
    const trawl_qgram_tier *tier = choice->tier;
    if (tier->stride == 0) { /* no tier has that */
        return;
    }
    find_cheapest(choice, key, distances);
    for (uint32_t residue = 0; residue < tier->stride; residue++) {
        uint64_t number = trawl_anchors_number(key, distances[residue]);
        uint32_t found[2], count = trawl_anchors_find(choice, number, found);
        for (uint32_t i = 0; i < count; i++) {
            uint16_t *keys = &choice->places[found[i]].keys;
            *keys = (uint16_t)(*keys + (*keys != UINT16_MAX));
        }
    }
}
