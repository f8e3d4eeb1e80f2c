/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/wu_manber/format.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "engines/engines.h"

static const char *const variants[] = {"tuned", "paper", NULL};
static const char *const variant_summaries[] = {
    "compares the ends of patterns; block length and table sizes fit the set",
    "as in the paper: blocks of 3 bytes, prefixes of 2; compares the beginnings of patterns", NULL};

#define INSTEAD TRAWL_RAISE_LIMIT_FURTHER

/* B and B' in bytes (Kouzinopoulos et al. 2015, 3.2). */
#define PAPER_BLOCK 3u
#define PAPER_PREFIX 2u

typedef struct planned_wu_manber {
    trawl_wu_manber_header header;
    trawl_keys keys; /* tuned: of the reversed patterns */
} planned_wu_manber;

/* ------------------------------------------------------------------ tuned: parameters */

uint32_t trawl_wu_manber_largest_shift(uint32_t window, uint32_t block) {
    uint32_t shift = window - block + 1;
    return shift < TRAWL_WU_MANBER_MAX_SHIFT ? shift : TRAWL_WU_MANBER_MAX_SHIFT;
}

/* The number of entries of SHIFT as a power of two. Blocks of 1 and 2 bytes have at most as many
 * entries as they have values; for longer ones 1 << 27 entries (128 MiB) are the most: chosen, not
 * measured. */
uint32_t trawl_wu_manber_shift_bits(uint32_t endings, uint32_t window, uint32_t block,
                                    uint64_t memory) {
    uint64_t blocks = (uint64_t)endings * trawl_wu_manber_largest_shift(window, block);
    uint32_t most = block == 1 ? 8 : block == 2 ? 16 : 27;
    uint32_t bits = 8;
    while (bits < most && (UINT64_C(1) << bits) < TRAWL_WU_MANBER_ENTRIES_PER_BLOCK * blocks &&
           (UINT64_C(1) << (bits + 1)) <= memory) {
        bits++;
    }
    return bits;
}

/*
 * Returns the block length with the least expected work for each byte of text.
 *
 * With probability p, a block of random text stands at a given distance from the end of some
 * pattern, or hashes to the entry of one that does. The shift is the first such distance; its
 * expected value is the sum over all distances d of (1 - p)^d. The work for each position at which
 * SHIFT is read is 1, and TRAWL_WU_MANBER_LOOK_UP_WORK more if the shift is 0.
 */
uint32_t trawl_wu_manber_choose_block(uint32_t endings, uint32_t window, double alphabet,
                                      uint64_t memory) {
    uint32_t best = 1;
    double least = INFINITY;
    double blocks = 1;
    for (uint32_t block = 1; block <= TRAWL_WU_MANBER_MAX_BLOCK && block <= window; block++) {
        blocks *= alphabet;
        double entries =
            (double)(UINT64_C(1) << trawl_wu_manber_shift_bits(endings, window, block, memory));
        double none = exp(-(double)endings / blocks - (double)endings / entries);
        double shift = 0, at_none = 1;
        for (uint32_t distance = 1; distance <= trawl_wu_manber_largest_shift(window, block);
             distance++) {
            at_none *= none;
            shift += at_none;
        }
        double zero = 1 - none;
        double cost = (1 + TRAWL_WU_MANBER_LOOK_UP_WORK * zero) / (shift + zero);
        if (cost < least) {
            least = cost;
            best = block;
        }
    }
    return best;
}

static trawl_status plan_tuned(trawl_build *build, planned_wu_manber *planned) {
    trawl_wu_manber_header *header = &planned->header;
    trawl_patterns reversed;
    trawl_status status = trawl_endings_reverse(build->patterns, &reversed, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = trawl_keys_make(&reversed, NULL, 0, &planned->keys, build->error);
    trawl_release(reversed.bytes);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_keys *keys = &planned->keys;
    uint32_t endings = trawl_endings_count(keys, header->window);
    uint64_t memory = build->max_table_bytes / TRAWL_WU_MANBER_MEMORY_DIVISOR;
    if (header->block == 0) {
        header->block = trawl_wu_manber_choose_block(
            endings, header->window, trawl_endings_alphabet(build->patterns), memory);
    }
    header->tail = header->window < TRAWL_WU_MANBER_TAIL ? header->window : TRAWL_WU_MANBER_TAIL;
    header->shift_bits = trawl_wu_manber_shift_bits(endings, header->window, header->block, memory);
    uint32_t ranges = trawl_endings_count(keys, header->tail);
    header->hash_bits = trawl_ending_bits(ranges);
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_WU_MANBER_HEADER, 1, sizeof *header},
        {TRAWL_SECTION_WU_MANBER_SHIFT, UINT64_C(1) << header->shift_bits, 1},
        {TRAWL_SECTION_WU_MANBER_HASH, (UINT64_C(1) << header->hash_bits) + 1, 4},
        {TRAWL_SECTION_WU_MANBER_PREFIX, ranges, sizeof(trawl_ending_range)},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        status = trawl_build_reserve(build, sections[i].kind, 0, sections[i].count,
                                     sections[i].object, INSTEAD);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    trawl_endings_remark(build, keys);
    return trawl_endings_reserve(build, 0, keys, INSTEAD);
}

/* ------------------------------------------------------------------ tuned: tables */

static void fill_shift(const planned_wu_manber *planned, uint8_t *shift) {
    const trawl_wu_manber_header *header = &planned->header;
    const trawl_keys *keys = &planned->keys;
    uint32_t most = trawl_wu_manber_largest_shift(header->window, header->block);
    uint64_t case_bits = trawl_wu_manber_case_bits(keys->folded);
    memset(shift, (int)most, (size_t)1 << header->shift_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        if (key != 0 && keys->common[key] >= header->window) {
            continue;
        }
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        for (uint32_t distance = 0; distance < most; distance++) {
            uint8_t bytes[TRAWL_WU_MANBER_MAX_BLOCK]; /* in the order of the text */
            for (uint32_t i = 0; i < header->block; i++) {
                bytes[header->block - 1 - i] = reversed[distance + i];
            }
            uint64_t value =
                trawl_wu_manber_block(bytes + header->block - 1, header->block, case_bits);
            size_t slot = trawl_wu_manber_slot(value, header->shift_bits);
            shift[slot] = shift[slot] < distance ? shift[slot] : (uint8_t)distance;
        }
    }
}

static uint64_t tail_word(const uint8_t *reversed, uint32_t tail, const void *context) {
    (void)context;
    return trawl_ending_number(reversed, tail);
}

static void fill_tuned(trawl_build *build, const planned_wu_manber *planned) {
    const trawl_wu_manber_header *header = &planned->header;
    fill_shift(planned, trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_SHIFT, 0));
    trawl_endings_fill(build, 0, &planned->keys);
    trawl_endings_hash(&planned->keys, header->tail, tail_word, NULL, header->hash_bits,
                       trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_HASH, 0),
                       trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_PREFIX, 0));
}

/* ------------------------------------------------------------------ paper */

static trawl_status plan_paper(trawl_build *build, trawl_wu_manber_header *header) {
    trawl_unbounded_remark(build);
    if (header->block == 0) {
        header->block = header->window < PAPER_BLOCK ? header->window : PAPER_BLOCK;
    }
    header->prefix = header->window < PAPER_PREFIX ? header->window : PAPER_PREFIX;
    /* A hash is the sum of bytes times 4^i, and so below the sum of 256 * 4^i. */
    header->entries = 0;
    for (uint32_t i = 0; i < header->block; i++) {
        header->entries += UINT32_C(256) << (2 * i);
    }
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_WU_MANBER_HEADER, 1, sizeof *header},
        {TRAWL_SECTION_WU_MANBER_SHIFT, header->entries, 4},
        {TRAWL_SECTION_WU_MANBER_HASH, header->entries + 1, 4},
        {TRAWL_SECTION_WU_MANBER_PREFIX, build->patterns->count, 2},
        {TRAWL_SECTION_WU_MANBER_IDS, build->patterns->count, 4},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        trawl_status status = trawl_build_reserve(build, sections[i].kind, 0, sections[i].count,
                                                  sections[i].object, INSTEAD);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static uint32_t paper_hash(const uint8_t *bytes, uint32_t count, bool folded) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = trawl_wu_manber_add(hash, folded ? trawl_fold(bytes[i]) : bytes[i]);
    }
    return hash;
}

/* Fills all tables (Algorithm 4). */
static void fill_paper(trawl_build *build, const trawl_wu_manber_header *header) {
    const trawl_patterns *set = build->patterns;
    bool folded = set->case_insensitive != 0;
    uint32_t *shift = trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_SHIFT, 0);
    uint32_t *heads = trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_HASH, 0);
    uint16_t *prefix = trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_PREFIX, 0);
    uint32_t *ids = trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_IDS, 0);
    uint32_t window = header->window, block = header->block;
    for (uint32_t entry = 0; entry < header->entries; entry++) {
        shift[entry] = window - block + 1;
        heads[entry] = 0;
    }
    for (uint32_t id = 0; id < set->count; id++) {
        const uint8_t *bytes = trawl_pattern_bytes(set, id);
        for (uint32_t end = block; end <= window; end++) {
            uint32_t hash = paper_hash(bytes + end - block, block, folded);
            shift[hash] = shift[hash] < window - end ? shift[hash] : window - end;
        }
        prefix[id] = (uint16_t)paper_hash(bytes, header->prefix, folded);
        heads[paper_hash(bytes + window - block, block, folded)]++;
    }
    uint32_t sum = 0;
    for (uint32_t entry = 0; entry < header->entries; entry++) {
        sum += heads[entry];
        heads[entry] = sum; /* the end of the list, which is filled from behind */
    }
    heads[header->entries] = sum;
    for (uint32_t id = (uint32_t)set->count; id-- > 0;) {
        const uint8_t *bytes = trawl_pattern_bytes(set, id);
        ids[--heads[paper_hash(bytes + window - block, block, folded)]] = id;
    }
}

/* ------------------------------------------------------------------ the engine */

static trawl_status plan(trawl_build *build) {
    planned_wu_manber *planned = trawl_allocate_zeroed(1, sizeof *planned);
    if (planned == NULL) {
        return trawl_fail_memory(build->error, "planning wu-manber", sizeof *planned);
    }
    build->state = planned;
    uint32_t block = build->options->wu_manber_block;
    uint32_t window = (uint32_t)build->patterns->min_length;
    if (block > TRAWL_WU_MANBER_MAX_CHOSEN_BLOCK) {
        return trawl_fail(build->error, TRAWL_ERROR_ARGUMENT,
                          "wu-manber: block length %u is not one of 1 to %u", block,
                          TRAWL_WU_MANBER_MAX_CHOSEN_BLOCK);
    }
    if (block > window) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "wu-manber: block length %u exceeds the shortest pattern's %u; leave out "
                          "the block length (wu_manber_block, --wm-block), so that one is chosen",
                          block, window);
    }
    planned->header =
        (trawl_wu_manber_header){.variant = build->variant, .window = window, .block = block};
    if (build->variant == TRAWL_WU_MANBER_PAPER) {
        return plan_paper(build, &planned->header);
    }
    return plan_tuned(build, planned);
}

static trawl_status fill(trawl_build *build) {
    const planned_wu_manber *planned = build->state;
    memcpy(trawl_image_section(build->image, TRAWL_SECTION_WU_MANBER_HEADER, 0), &planned->header,
           sizeof planned->header);
    if (build->variant == TRAWL_WU_MANBER_PAPER) {
        fill_paper(build, &planned->header);
    } else {
        fill_tuned(build, planned);
    }
    return TRAWL_OK;
}

static void release(trawl_build *build) {
    planned_wu_manber *planned = build->state;
    if (planned != NULL) {
        trawl_keys_release(&planned->keys);
        trawl_release(planned);
    }
}

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's wu-manber %s", what);
}

static trawl_status validate_paper(const trawl_db *db, const trawl_wu_manber_header *header,
                                   trawl_error *error) {
    uint64_t shift_size, heads_size, prefix_size, ids_size;
    uint64_t patterns = db->patterns.count;
    uint32_t entries = 0;
    for (uint32_t i = 0; i < header->block && i < TRAWL_WU_MANBER_MAX_CHOSEN_BLOCK; i++) {
        entries += UINT32_C(256) << (2 * i);
    }
    const uint32_t *shift = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_SHIFT, 0, &shift_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HASH, 0, &heads_size);
    (void)trawl_db_section(db, TRAWL_SECTION_WU_MANBER_PREFIX, 0, &prefix_size);
    const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_IDS, 0, &ids_size);
    if (header->block > TRAWL_WU_MANBER_MAX_CHOSEN_BLOCK || header->entries != entries ||
        header->prefix == 0 || header->prefix > PAPER_PREFIX || header->prefix > header->window ||
        trawl_outputs_are_present(db) || shift_size != (uint64_t)entries * 4 ||
        heads_size != ((uint64_t)entries + 1) * 4 || prefix_size != patterns * 2 ||
        ids_size != patterns * 4 || heads[entries] != patterns) {
        return damaged(error, "tables have inconsistent sizes");
    }
    bool sound = true;
    uint32_t most = header->window - header->block + 1; /* positions of 32 bits must not wrap */
    for (uint32_t entry = 0; entry < entries; entry++) {
        sound = sound && heads[entry] <= heads[entry + 1] && heads[entry + 1] <= patterns &&
                shift[entry] <= most;
    }
    for (uint64_t i = 0; i < patterns; i++) {
        sound = sound && ids[i] < patterns;
    }
    return sound ? TRAWL_OK : damaged(error, "table has an entry out of range");
}

static trawl_status validate_tuned(const trawl_db *db, const trawl_wu_manber_header *header,
                                   trawl_error *error) {
    uint64_t shift_size, heads_size, ranges_size;
    uint32_t tail = header->window < TRAWL_WU_MANBER_TAIL ? header->window : TRAWL_WU_MANBER_TAIL;
    (void)trawl_db_section(db, TRAWL_SECTION_WU_MANBER_SHIFT, 0, &shift_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HASH, 0, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_WU_MANBER_PREFIX, 0, &ranges_size);
    if (header->tail != tail || header->shift_bits == 0 || header->shift_bits > 31 ||
        shift_size != UINT64_C(1) << header->shift_bits) {
        return damaged(error, "tables have inconsistent sizes");
    }
    return trawl_endings_validate(db, 0, tail, header->hash_bits, heads, heads_size, ranges,
                                  ranges_size, error);
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    uint64_t size;
    const trawl_wu_manber_header *header =
        trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HEADER, 0, &size);
    if (header == NULL || size != sizeof *header || db->header->parts != 1 ||
        header->variant > TRAWL_WU_MANBER_PAPER || header->block == 0 ||
        header->block > TRAWL_WU_MANBER_MAX_BLOCK || header->block > header->window ||
        header->window > TRAWL_PATTERN_MAX_LENGTH) {
        return damaged(error, "header is damaged");
    }
    if ((int)header->variant != trawl_engine_variant(db->engine, db->header->variant)) {
        return damaged(error, "tables are of another variant");
    }
    const trawl_pattern_view *patterns = &db->patterns;
    for (uint32_t id = 0; id < patterns->count; id++) {
        if (patterns->offsets[id + 1] - patterns->offsets[id] < header->window) {
            return damaged(error, "window is longer than a pattern");
        }
    }
    return header->variant == TRAWL_WU_MANBER_PAPER ? validate_paper(db, header, error)
                                                    : validate_tuned(db, header, error);
}

#define KOUZINOPOULOS "Kouzinopoulos et al. 2015"

static const trawl_kernel_entry kernels[] = {
    {"cw", "r16 with coalesced writes", KOUZINOPOULOS ", 4.2.2, Fig. 4"},
    {"u", "text and tables in device memory, a counter for each thread",
     KOUZINOPOULOS ", Algorithm 7"},
    {"tc", "u with SHIFT, HASH, PREFIX and patterns through the texture path",
     KOUZINOPOULOS ", 4.2.2"},
    {"cr", "tc with the text read together into shared memory", KOUZINOPOULOS ", Algorithm 9"},
    {"r16", "cr with 16 bytes per read", KOUZINOPOULOS ", 4.2.2"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_wu_manber = {
    .description = {.name = "wu-manber",
                    .summary = "Wu-Manber: skips text where no pattern can end; for long patterns",
                    .source = "Kouzinopoulos et al. 2015, 3.2, Algorithms 4-5; Wu & Manber 1994",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_WU_MANBER_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_wu_manber,
    .kernels = kernels,
    .zero_copy_kernel = "cw",
};
