#include "cuda/qgram_mix.h"

#include <math.h>
#include <string.h>

#include "common/allocate.h"
#include "common/fold.h"
#include "common/status.h"
#include "cuda/hot_walk.h"
#include "cuda/qgram_choose.h"
#include "cuda/qgram_price.h"
#include "cuda/state_ranks.h"
#include "engine/outputs.h"

/* Patterns up to one of these lengths are walked, and runs of one byte of any. */
static const uint32_t lengths[] = {3, 4};

/* A pattern of any case with so many letters has a key for each way to write it: verifying each end
 * would cost far more than the rows of those. */
#define MOST_LETTERS 4u
#define MOST_KEYS ((size_t)16384)
#define LONGEST_RUN 1024u

/* What a step costs, in picoseconds of a whole device, as in plan/device.c. */
#define STEP 0.70
#define CONFLICT 0.40
#define WAIT 1.2
#define CACHED 2.5
#define MULTIPROCESSORS 132u

/* Filters that cost less than this are not tried to be relieved: the walk alone costs as much. */
#define WORTH_TRYING 1.0
/* What is expected has to be less than this share of what filters alone take. */
#define CLEARLY 0.9

/* For records, walked patterns of three bytes and more have a tier of samples at every byte. */
#define BITS_PER_PATTERN 24u
#define MOST_WORDS 4096u

/* Of a block's shared memory, what the rows of an automaton are not for: its classes. */
#define CLASS_BYTES 256u

/* ------------------------------------------------------------------ which patterns */

static uint32_t letters_of(const uint8_t *bytes, uint32_t length) {
    uint32_t letters = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t lower = trawl_fold(bytes[i]);
        letters += lower >= 'a' && lower <= 'z';
    }
    return letters;
}

static bool is_run(const uint8_t *bytes, uint32_t length) {
    uint32_t i = 1;
    while (i < length && bytes[i] == bytes[0]) {
        i++;
    }
    return i == length;
}

/* How many keys a pattern has: ways to write it that it matches; 0: it is not walked. */
static size_t keys_of(const trawl_patterns *patterns, size_t id, uint32_t short_length) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    uint32_t length = trawl_pattern_length(patterns, id);
    if (length > short_length && (length > LONGEST_RUN || !is_run(bytes, length))) {
        return 0;
    }
    bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    uint32_t letters = any_case ? letters_of(bytes, length) : 0;
    return letters > MOST_LETTERS ? 0 : (size_t)1 << letters;
}

/* Fills mix->walked and what it says; false: there is nothing to be won. */
static bool pick(const trawl_patterns *patterns, uint32_t short_length, trawl_cuda_qgram_mix *mix) {
    size_t keys = 0;
    mix->short_length = short_length;
    mix->patterns = mix->longest = 0;
    mix->shortest = UINT32_MAX;
    for (size_t id = 0; id < patterns->count; id++) {
        size_t its = keys_of(patterns, id, short_length);
        uint32_t length = trawl_pattern_length(patterns, id);
        mix->walked[id] = its != 0;
        mix->patterns += its != 0;
        mix->longest = its != 0 && length > mix->longest ? length : mix->longest;
        mix->shortest = its != 0 && length < mix->shortest ? length : mix->shortest;
        keys += its;
        if (keys > MOST_KEYS) {
            return false;
        }
    }
    return mix->patterns != 0 && mix->patterns != patterns->count;
}

/* ------------------------------------------------------------------ the automaton */

/* Adds way number `way` to write a pattern: bit i of it says whether its letter i is the other case
 * of the lower one. */
static trawl_status add_key(const trawl_patterns *patterns, size_t id, size_t way, size_t ways,
                            trawl_patterns *keys, trawl_error *error) {
    uint8_t written[LONGEST_RUN];
    uint32_t length = trawl_pattern_length(patterns, id), letter = 0;
    memcpy(written, trawl_pattern_bytes(patterns, id), length);
    for (uint32_t i = 0; i < length && ways > 1; i++) {
        uint8_t lower = trawl_fold(written[i]);
        if (lower >= 'a' && lower <= 'z') {
            written[i] = (way >> letter & 1) != 0 ? (uint8_t)(lower - 'a' + 'A') : lower;
            letter++;
        }
    }
    return trawl_patterns_add(keys, written, length, 0, error);
}

/* The set that the automaton is made of, and for each of its patterns the one that it is of the
 * whole set. */
static trawl_status make_keys(const trawl_patterns *patterns, const trawl_cuda_qgram_mix *mix,
                              trawl_patterns **keys, uint32_t *ids, trawl_error *error) {
    trawl_status status = trawl_patterns_new(keys, error);
    size_t count = 0;
    for (size_t id = 0; status == TRAWL_OK && id < patterns->count; id++) {
        size_t ways = mix->walked[id] == 0 ? 0 : keys_of(patterns, id, mix->short_length);
        for (size_t way = 0; status == TRAWL_OK && way < ways; way++) {
            ids[count++] = (uint32_t)id;
            status = add_key(patterns, id, way, ways, *keys, error);
        }
    }
    return status;
}

/* Patterns of one key are in the order of their ids before and afterwards: ways to write a pattern
 * follow each other. The block is still nobody else's. */
static void rename_patterns(trawl_db *automaton, const uint32_t *ids) {
    uint64_t bytes = 0;
    const void *section = trawl_db_section(automaton, TRAWL_SECTION_KEY_IDS, 0, &bytes);
    uint32_t *names = (uint32_t *)(uintptr_t)section;
    for (uint64_t i = 0; i < bytes / sizeof *names; i++) {
        names[i] = ids[names[i]];
    }
}

static trawl_status make_automaton(const trawl_patterns *patterns, trawl_cuda_qgram_mix *mix,
                                   trawl_error *error) {
    trawl_patterns *keys = NULL;
    uint32_t *ids = trawl_allocate(MOST_KEYS, sizeof *ids);
    if (ids == NULL) {
        return trawl_fail_memory(error, "an automaton beside filters", MOST_KEYS * sizeof *ids);
    }
    trawl_status status = make_keys(patterns, mix, &keys, ids, error);
    if (status == TRAWL_OK) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = "ac-dfa";
        status = trawl_compile(keys, &options, &mix->automaton, error);
    }
    if (status == TRAWL_OK) {
        rename_patterns(mix->automaton, ids);
    }
    trawl_patterns_free(keys);
    trawl_release(ids);
    return status;
}

/* ------------------------------------------------------------------ what it costs */

/* The share of the sample's steps whose rows are not in shared memory, or do not say enough. */
static double share_elsewhere(const trawl_db *automaton, const trawl_state_ranks *ranks,
                              trawl_hot_shape shape) {
    uint32_t see_elsewhere = (UINT32_C(1) << (16 - shape.rank_bits)) - 1;
    uint64_t steps = 0;
    for (uint32_t rank = 0; rank < ranks->visited; rank++) {
        bool said =
            rank < shape.rows && trawl_state_total(automaton, ranks->order[rank]) < see_elsewhere;
        steps += said ? 0 : ranks->visits[rank];
    }
    return (double)steps / (double)ranks->steps;
}

static trawl_status price_automaton(trawl_cuda_qgram_mix *mix, const uint8_t *sample,
                                    size_t sample_length, size_t shared_bytes, trawl_error *error) {
    trawl_state_ranks ranks;
    trawl_status status =
        trawl_state_ranks_make(mix->automaton, sample, sample_length, &ranks, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t classes = mix->automaton->header->byte_classes;
    uint64_t room = (shared_bytes - CLASS_BYTES) / (2 * (uint64_t)classes);
    trawl_hot_shape shape = trawl_hot_shape_choose(mix->automaton, &ranks, (uint32_t)room);
    mix->states = ranks.states;
    mix->rows = shape.rows;
    mix->shared_bytes = CLASS_BYTES + 2 * (uint64_t)shape.rows * classes;
    mix->elsewhere = share_elsewhere(mix->automaton, &ranks, shape);
    mix->price = trawl_hot_bytes_walked(mix->longest, MULTIPROCESSORS) *
                 (STEP + CONFLICT * trawl_hot_bank_conflicts(classes) +
                  WAIT * trawl_hot_waits(mix->elsewhere) + CACHED * mix->elsewhere);
    trawl_state_ranks_release(&ranks);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the tiers */

/* Tiers for walked patterns, for records: pairs of bytes, and one for all that are longer. */
static uint32_t make_tiers(const trawl_patterns *patterns, const trawl_cuda_qgram_mix *mix,
                           trawl_cuda_qgram_tier *tiers) {
    trawl_cuda_qgram_tier direct = {.place = TRAWL_CUDA_QGRAM_DIRECT,
                                    .min_length = 1,
                                    .max_length = 2,
                                    .stride = 1,
                                    .gram = 2,
                                    .walked = 1};
    trawl_cuda_qgram_tier others = {.place = TRAWL_CUDA_QGRAM_SHARED,
                                    .min_length = UINT32_MAX,
                                    .stride = 1,
                                    .filter_ones = 1,
                                    .walked = 1};
    size_t pairs = 0, longer = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        if (mix->walked[id] == 0) {
            continue;
        }
        uint32_t length = trawl_pattern_length(patterns, id);
        bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        if (length < 3) {
            pairs++;
            direct.folded |= any_case;
            continue;
        }
        longer++;
        others.folded |= any_case;
        others.min_length = length < others.min_length ? length : others.min_length;
        others.max_length = length > others.max_length ? length : others.max_length;
    }
    uint32_t count = 0;
    if (longer != 0) {
        size_t words = longer * BITS_PER_PATTERN / 32 / TRAWL_CUDA_QGRAM_UNIT_WORDS + 1;
        words *= TRAWL_CUDA_QGRAM_UNIT_WORDS;
        others.gram = others.min_length < 4 ? others.min_length : 4;
        others.filter_words = (uint32_t)(words < MOST_WORDS ? words : MOST_WORDS);
        tiers[count++] = others;
    }
    if (pairs != 0) {
        tiers[count++] = direct;
    }
    return count;
}

static size_t bytes_of(const trawl_cuda_qgram_tier *tiers, uint32_t count) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += 4 * (size_t)trawl_cuda_qgram_filter_words(&tiers[i]);
    }
    return bytes;
}

/* Filters for what is not walked, in a layout of their own, which takes the mix over if all of it
 * is cheaper than `most`. */
static trawl_status try_filters(const trawl_patterns *patterns, const uint8_t *sample,
                                size_t sample_length, size_t shared_bytes, double most,
                                trawl_cuda_qgram_mix *mix, trawl_cuda_qgram_layout *layout,
                                trawl_error *error) {
    trawl_cuda_qgram_tier walked[2];
    uint32_t count = make_tiers(patterns, mix, walked);
    size_t bytes = bytes_of(walked, count);
    if (bytes >= shared_bytes) {
        return TRAWL_OK;
    }
    trawl_status status = trawl_cuda_qgram_divide(patterns, mix->walked, sample, sample_length,
                                                  shared_bytes - bytes, layout, error);
    if (status != TRAWL_OK) {
        return status;
    }
    layout->price += mix->price;
    if (layout->price < most && layout->tiers + count <= TRAWL_CUDA_QGRAM_TIERS) {
        memcpy(layout->tier + layout->tiers, walked, count * sizeof *walked);
        layout->tiers += count;
        layout->mix = *mix;
        *mix = (trawl_cuda_qgram_mix){.walked = NULL};
    }
    return TRAWL_OK;
}

/* One length. `other` is room for a layout. What is too large for a device is no failure. */
static trawl_status try_length(const trawl_patterns *patterns, const uint8_t *sample,
                               size_t sample_length, size_t shared_bytes, uint32_t short_length,
                               trawl_cuda_qgram_layout *other, trawl_cuda_qgram_layout *layout,
                               trawl_error *error) {
    trawl_cuda_qgram_mix mix = {.walked = trawl_allocate(patterns->count, 1)};
    memset(other, 0, sizeof *other);
    if (mix.walked == NULL) {
        return trawl_fail_memory(error, "choosing tiers", patterns->count);
    }
    const double most = CLEARLY * layout->price;
    trawl_status status = TRAWL_OK;
    if (pick(patterns, short_length, &mix) && mix.patterns != layout->mix.patterns) {
        status = make_automaton(patterns, &mix, error);
        if (status == TRAWL_OK) {
            status = price_automaton(&mix, sample, sample_length,
                                     shared_bytes + TRAWL_CUDA_QGRAM_WORKING_BYTES, error);
        }
        if (status == TRAWL_OK && mix.price < most) {
            status = try_filters(patterns, sample, sample_length, shared_bytes, most, &mix, other,
                                 error);
        }
    }
    trawl_cuda_qgram_mix_release(&mix);
    if (status == TRAWL_ERROR_LIMIT) {
        trawl_clear(error);
        return TRAWL_OK;
    }
    if (status == TRAWL_OK && other->mix.walked != NULL) {
        trawl_cuda_qgram_layout_release(layout);
        *layout = *other;
    }
    return status;
}

/* Replaces the layout, whose tiers are for all patterns, by one with an automaton beside its
 * filters if that is expected to take clearly less time. */
static trawl_status try_all(const trawl_patterns *patterns, const uint8_t *sample,
                            size_t sample_length, size_t shared_bytes,
                            trawl_cuda_qgram_layout *layout, trawl_error *error) {
    if (layout->price < WORTH_TRYING) {
        return TRAWL_OK;
    }
    trawl_cuda_qgram_layout *other = trawl_allocate(1, sizeof *other);
    if (other == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *other);
    }
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < sizeof lengths / sizeof *lengths; i++) {
        status = try_length(patterns, sample, sample_length, shared_bytes, lengths[i], other,
                            layout, error);
    }
    trawl_release(other);
    return status;
}

trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, size_t shared_bytes,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error) {
    layout->mix = (trawl_cuda_qgram_mix){.walked = NULL};
    trawl_status status =
        trawl_cuda_qgram_divide(patterns, NULL, sample, sample_length, shared_bytes, layout, error);
    if (status == TRAWL_OK && sample != NULL && sample_length >= TRAWL_CUDA_QGRAM_SAMPLE_LEAST) {
        status = try_all(patterns, sample, sample_length, shared_bytes, layout, error);
    }
    if (status != TRAWL_OK) {
        trawl_cuda_qgram_mix_release(&layout->mix);
    }
    return status;
}

void trawl_cuda_qgram_mix_release(trawl_cuda_qgram_mix *mix) {
    trawl_release(mix->walked);
    trawl_db_free(mix->automaton);
    *mix = (trawl_cuda_qgram_mix){.walked = NULL};
}
