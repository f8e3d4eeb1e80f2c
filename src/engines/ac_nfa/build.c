/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_nfa/variants.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "engines/engines.h"

static const char *const variants[] = {"compact",
                                       "packed",
                                       "array",
                                       "bitmap",
                                       "bitmap-counts",
                                       "array-divergence-free",
                                       "bitmap-divergence-free",
                                       "bitmap-counts-divergence-free",
                                       "thesis-2",
                                       "thesis-3",
                                       "thesis-2-divergence-free",
                                       "thesis-3-divergence-free",
                                       NULL};
static const char *const variant_summaries[] = {
    "16 bytes a state: bitmap where its bits fit, else packed",
    "16 bytes a state, with the bytes of up to seven next states in them",
    "representation 1 of the paper: 256 next states for each state",
    "representation 2: a bit for each class of bytes that has a next state",
    "representation 3: bitmap, with the counts of bits before each word",
    "array, with a fixed number of failure links followed, as on GPUs",
    "bitmap, likewise",
    "bitmap-counts, likewise",
    "as in the paper: 256 bits a state, failure links in a loop, no rows",
    "as in the paper: 256 bits and 32 counts a state, likewise",
    "thesis-2, with a fixed number of failure links followed",
    "thesis-3, with a fixed number of failure links followed",
    NULL};

static const trawl_nfa_variant variant_table[] = {
    {TRAWL_NFA_COMPACT, false, true, false},       {TRAWL_NFA_PACKED, false, true, false},
    {TRAWL_NFA_ARRAY, false, false, false},        {TRAWL_NFA_BITMAP, false, true, false},
    {TRAWL_NFA_BITMAP_COUNTS, false, true, false}, {TRAWL_NFA_ARRAY, true, false, false},
    {TRAWL_NFA_BITMAP, true, false, false},        {TRAWL_NFA_BITMAP_COUNTS, true, false, false},
    {TRAWL_NFA_BITMAP, false, false, true},        {TRAWL_NFA_OFFSETS, false, false, true},
    {TRAWL_NFA_BITMAP, true, false, true},         {TRAWL_NFA_OFFSETS, true, false, true}};

const trawl_nfa_variant *trawl_nfa_variant_at(unsigned index) {
    return &variant_table[index];
}

typedef struct planned_nfa {
    trawl_keys keys;
    trawl_classes classes;
    trawl_trie trie;
    trawl_nfa_header header;
} planned_nfa;

/* A section of an NFA and its exact size, for reserving and for validation. */
typedef struct section_size {
    trawl_section_kind kind;
    uint64_t count, object;
} section_size;

enum { NFA_SECTIONS = 9 };

static void section_sizes(const trawl_nfa_header *header, section_size sizes[NFA_SECTIONS]) {
    bool array = header->representation == TRAWL_NFA_ARRAY;
    uint64_t words = ((uint64_t)header->states + 63) / 64;
    const section_size list[NFA_SECTIONS] = {
        {TRAWL_SECTION_NFA_HEADER, 1, sizeof *header},
        {TRAWL_SECTION_CLASSES, 256, 1},
        {TRAWL_SECTION_NFA_TOP, trawl_nfa_top_entries(header), 4},
        {TRAWL_SECTION_NFA_STATES, header->states, header->record_bytes},
        {TRAWL_SECTION_NFA_FAILURE, array ? header->states : 0, 4},
        {TRAWL_SECTION_NFA_WIDE, (uint64_t)header->wide * trawl_nfa_wide_words(header), 8},
        {TRAWL_SECTION_NFA_MATCHING, words, 8},
        {TRAWL_SECTION_NFA_RANK, words, 4},
        {TRAWL_SECTION_NFA_OUTPUT, header->matching, 4}};
    memcpy(sizes, list, sizeof list);
}

static trawl_status plan(trawl_build *build) {
    static const char instead[] = TRAWL_RAISE_LIMIT;
    planned_nfa *planned = trawl_allocate_zeroed(1, sizeof *planned);
    if (planned == NULL) {
        return trawl_fail_memory(build->error, "planning ac-nfa", sizeof *planned);
    }
    build->state = planned;
    trawl_status status = trawl_keys_make(build->patterns, NULL, 0, &planned->keys, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_nfa_variant *variant = trawl_nfa_variant_at(build->variant);
    if (variant->of_bytes) {
        trawl_classes_of_bytes(&planned->keys, &planned->classes);
    } else {
        trawl_classes_make(&planned->keys, &planned->classes);
    }
    /* Refuses a set that is far too large before the trie is made, which needs much memory too. */
    uint64_t least = variant->representation == TRAWL_NFA_ARRAY
                         ? 256 * 4 + 4 /* next states, and a failure link */
                         : sizeof(trawl_packed_state);
    status = trawl_build_foresee(build, trawl_keys_states(&planned->keys) * least, instead);
    if (status != TRAWL_OK) {
        return status;
    }
    status = trawl_trie_make(&planned->keys, &planned->classes, &planned->trie, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (planned->trie.states > TRAWL_FAILURE_NUMBER) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "ac-nfa: %u states, at most %u are possible; engine wu-manber takes this "
                          "set",
                          planned->trie.states, TRAWL_FAILURE_NUMBER);
    }
    trawl_nfa_measure(&planned->trie, &planned->classes, variant->representation,
                      variant->complete_top, &planned->header);
    section_size sizes[NFA_SECTIONS];
    section_sizes(&planned->header, sizes);
    for (size_t i = 0; i < NFA_SECTIONS; i++) {
        status =
            trawl_build_reserve(build, sizes[i].kind, 0, sizes[i].count, sizes[i].object, instead);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    build->states = planned->trie.states;
    build->byte_classes = planned->classes.count;
    build->state_bytes = 4;
    return trawl_outputs_reserve(build, 0, &planned->keys, instead);
}

static trawl_status fill(trawl_build *build) {
    planned_nfa *planned = build->state;
    const trawl_image *image = build->image;
    trawl_outputs_fill(build, 0, &planned->keys, &planned->trie);
    const uint8_t *verify = trawl_image_section(image, TRAWL_SECTION_KEY_VERIFY, 0);
    for (uint32_t key = 0; key < planned->keys.count; key++) {
        planned->header.verify |= verify[key] != 0;
    }
    memcpy(trawl_image_section(image, TRAWL_SECTION_NFA_HEADER, 0), &planned->header,
           sizeof planned->header);
    memcpy(trawl_image_section(image, TRAWL_SECTION_CLASSES, 0), planned->classes.class_of, 256);
    trawl_nfa_arrays arrays = {.top = trawl_image_section(image, TRAWL_SECTION_NFA_TOP, 0),
                               .states = trawl_image_section(image, TRAWL_SECTION_NFA_STATES, 0),
                               .failure = trawl_image_section(image, TRAWL_SECTION_NFA_FAILURE, 0),
                               .wide = trawl_image_section(image, TRAWL_SECTION_NFA_WIDE, 0),
                               .matching =
                                   trawl_image_section(image, TRAWL_SECTION_NFA_MATCHING, 0),
                               .rank = trawl_image_section(image, TRAWL_SECTION_NFA_RANK, 0),
                               .output = trawl_image_section(image, TRAWL_SECTION_NFA_OUTPUT, 0)};
    trawl_nfa_fill(&planned->trie, &planned->classes, &planned->header, &arrays);
    return TRAWL_OK;
}

static void release(trawl_build *build) {
    planned_nfa *planned = build->state;
    if (planned != NULL) {
        trawl_trie_release(&planned->trie);
        trawl_keys_release(&planned->keys);
        trawl_release(planned);
    }
}

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's NFA has %s", what);
}

static bool top_sound(const trawl_nfa_header *header) {
    return header->top_span != 0 && (header->top_span & (header->top_span - 1)) == 0 &&
           header->top_span <= TRAWL_NFA_TOP_BYTES / 4 &&
           (uint64_t)header->top * header->classes <= header->top_span;
}

/* Whether the header is what plan() makes for the variant. Divergence-free walks take `levels`
 * steps for each byte of text, so a damaged database must not name more levels than the longest
 * pattern has bytes. */
static bool header_sound(const trawl_nfa_header *header, const trawl_nfa_variant *variant,
                         uint32_t max_length) {
    uint32_t words = (header->classes + 63) / 64;
    uint32_t record;
    switch (header->representation) {
    case TRAWL_NFA_PACKED:
        record = sizeof(trawl_packed_state);
        break;
    case TRAWL_NFA_ARRAY:
        record = 1024;
        break;
    case TRAWL_NFA_BITMAP:
        record = 8 + (header->short_words != 0 ? 1 : words) * 8;
        break;
    case TRAWL_NFA_OFFSETS:
        record = 8 + words * 8 + TRAWL_NFA_OFFSET_COUNTS;
        break;
    default:
        record = 16 + words * 8;
        break;
    }
    bool bitmap = header->representation == TRAWL_NFA_BITMAP;
    bool packed = header->representation == TRAWL_NFA_PACKED;
    bool expected = variant->representation == TRAWL_NFA_COMPACT
                        ? bitmap || packed
                        : header->representation == (uint32_t)variant->representation;
    return expected && header->states >= 2 && header->states <= TRAWL_FAILURE_NUMBER &&
           header->classes >= 1 && header->classes <= 256 && header->words == words &&
           header->record_bytes == record && header->top <= header->states && top_sound(header) &&
           header->wide <= header->states && header->matching <= header->states &&
           header->verify <= 1 && header->levels <= max_length &&
           header->short_words <= (bitmap && variant->complete_top ? 1u : 0u) &&
           (!variant->of_bytes || header->classes == 256) &&
           (packed || header->short_words != 0 || header->wide == 0) &&
           /* Only variants with complete rows can follow a failure link that leads to a row. */
           (variant->complete_top ? header->top >= 1 : header->top == 0);
}

static uint32_t count_bits(const uint64_t *bits, uint32_t words) {
    uint32_t count = 0;
    for (uint32_t word = 0; word < words; word++) {
        count += (uint32_t)__builtin_popcountll(bits[word]);
    }
    return count;
}

/* Whether bit TRAWL_FAILURE_MATCHING of a stored failure link agrees with the state's bit in
 * section MATCHING. */
static bool matching_sound(const uint64_t *matching, uint32_t state, uint32_t stored) {
    return ((stored & TRAWL_FAILURE_MATCHING) != 0) ==
           ((matching[state / 64] >> state % 64 & 1) != 0);
}

/* The level (depth) of the state that is being checked. States are checked in the order of their
 * numbers, level by level. A level ends with the last state that a step from the level before leads
 * to. */
typedef struct level_range {
    const trawl_nfa_header *header;
    const uint32_t *top;
    uint32_t begin, end; /* the level of the state that is checked */
    uint32_t next;       /* the end of the next level, as far as it is known */
} level_range;

static level_range first_level(const trawl_nfa_header *header, const trawl_db *db) {
    return (level_range){.header = header,
                         .top = trawl_db_section(db, TRAWL_SECTION_NFA_TOP, 0, NULL),
                         .end = 1,
                         .next = 1};
}

/* Records that a step from this level leads to states below `end`. */
static void reach(level_range *level, uint32_t end) {
    level->next = end > level->next ? end : level->next;
}

/* Whether the links of a state are sound: its children have higher numbers than the state, and
 * exist; its failure link leads to a level nearer to the root, or to the complete row of a state
 * there. Then a step goes at most one level down and a failure step at least one level up, so that
 * a scan takes no more failure steps than the text has bytes. */
static bool links_sound(level_range *level, uint32_t state, uint32_t first_child, uint32_t children,
                        uint32_t stored) {
    const trawl_nfa_header *header = level->header;
    if (state == level->end) {
        level->begin = level->end;
        level->end = level->next;
    }
    if (state >= level->end) {
        return false; /* no step leads to the state */
    }
    for (uint32_t c = 0; state < header->top && c < header->classes; c++) {
        reach(level, level->top[(size_t)state * header->classes + c] + 1);
    }
    if (children != 0) {
        if (first_child <= state || first_child > header->states ||
            children > header->states - first_child) {
            return false;
        }
        reach(level, first_child + children);
    }
    uint32_t failure = stored & TRAWL_FAILURE_NUMBER;
    if ((stored & TRAWL_FAILURE_ROW) != 0) {
        if (header->classes == 0) {
            return false; /* header_sound has refused it, which the static analyser does not see */
        }
        uint32_t row = failure / header->classes;
        return failure % header->classes == 0 && row < header->top &&
               (row == state || row < level->begin);
    }
    return failure < level->begin || (state == 0 && failure == 0 && header->top == 0);
}

static bool array_sound(level_range level, const uint32_t *next, const uint32_t *failure,
                        const uint64_t *matching) {
    bool sound = true;
    for (uint32_t state = 0; sound && state < level.header->states; state++) {
        sound = links_sound(&level, state, 0, 0, failure[state]) &&
                matching_sound(matching, state, failure[state]);
        for (unsigned byte = 0; byte < 256; byte++) {
            uint32_t child = next[(size_t)state * 256 + byte];
            sound = sound && child < level.header->states;
            reach(&level, child + 1);
        }
    }
    return sound;
}

static bool packed_sound(level_range level, const trawl_packed_state *states, const uint64_t *wide,
                         const uint64_t *matching) {
    const trawl_nfa_header *header = level.header;
    for (uint32_t state = 0; state < header->states; state++) {
        const trawl_packed_state *packed = &states[state];
        uint32_t children = packed->count;
        if (packed->count == TRAWL_PACKED_WIDE) {
            uint32_t index;
            memcpy(&index, packed->labels, sizeof index);
            if (index >= header->wide) {
                return false;
            }
            children = count_bits(wide + (size_t)index * header->words, header->words);
        } else if (packed->count > TRAWL_PACKED_LABELS) {
            return false;
        }
        if (!links_sound(&level, state, packed->first_child, children, packed->failure) ||
            !matching_sound(matching, state, packed->failure)) {
            return false;
        }
    }
    return true;
}

static bool offsets_sound(const uint64_t *bits, const uint8_t *counts) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < TRAWL_NFA_OFFSET_COUNTS; i++) {
        if (counts[i] != before) {
            return false;
        }
        before += (uint32_t)__builtin_popcountll(bits[i / 8] >> (i % 8 * 8) & 0xff);
    }
    return true;
}

static bool bitmaps_sound(level_range level, const uint8_t *records, const uint64_t *wide,
                          const uint64_t *matching) {
    const trawl_nfa_header *header = level.header;
    uint32_t wide_used = 0;
    for (uint32_t state = 0; state < header->states; state++) {
        const trawl_bitmap_state *record =
            (const trawl_bitmap_state *)(records + (size_t)state * header->record_bytes);
        const uint64_t *bits = record->bits;
        uint32_t words = header->short_words != 0 ? 1 : header->words;
        if (wide_used < header->wide) {
            const uint64_t *row = wide + (size_t)wide_used * trawl_nfa_wide_words(header);
            if (row[0] == state) { /* if rows do not ascend, wide_used never counts all of them */
                wide_used++;
                bits = row + 1;
                words = header->words;
                if (bits[0] != record->bits[0]) {
                    return false;
                }
            }
        }
        if (!links_sound(&level, state, record->first_child, count_bits(bits, words),
                         record->failure) ||
            !matching_sound(matching, state, record->failure)) {
            return false;
        }
        const uint8_t *counts = (const uint8_t *)(record->bits + header->words);
        for (uint32_t word = 0; header->representation == TRAWL_NFA_BITMAP_COUNTS && word < words;
             word++) {
            if (counts[word] != count_bits(bits, word)) {
                return false;
            }
        }
        if (header->representation == TRAWL_NFA_OFFSETS && !offsets_sound(bits, counts)) {
            return false;
        }
    }
    return wide_used == header->wide;
}

static bool states_sound(const trawl_nfa_header *header, const trawl_db *db) {
    const void *states = trawl_db_section(db, TRAWL_SECTION_NFA_STATES, 0, NULL);
    const uint32_t *failure = trawl_db_section(db, TRAWL_SECTION_NFA_FAILURE, 0, NULL);
    const uint64_t *wide = trawl_db_section(db, TRAWL_SECTION_NFA_WIDE, 0, NULL);
    const uint64_t *matching = trawl_db_section(db, TRAWL_SECTION_NFA_MATCHING, 0, NULL);
    level_range level = first_level(header, db);
    switch ((trawl_nfa_representation)header->representation) {
    case TRAWL_NFA_PACKED:
        return packed_sound(level, states, wide, matching);
    case TRAWL_NFA_ARRAY:
        return array_sound(level, states, failure, matching);
    case TRAWL_NFA_BITMAP:
    case TRAWL_NFA_BITMAP_COUNTS:
    case TRAWL_NFA_OFFSETS:
        return bitmaps_sound(level, states, wide, matching);
    case TRAWL_NFA_COMPACT:
        break;
    }
    return false;
}

static bool outputs_sound(const trawl_nfa_header *header, const uint64_t *matching,
                          const uint32_t *rank, const uint32_t *output, uint64_t keys) {
    uint64_t words = ((uint64_t)header->states + 63) / 64;
    uint32_t used = 0;
    for (uint64_t word = 0; word < words; word++) {
        if (rank[word] != used) {
            return false;
        }
        used += (uint32_t)__builtin_popcountll(matching[word]);
    }
    if (used != header->matching) {
        return false;
    }
    for (uint32_t i = 0; i < used; i++) {
        if (output[i] >= keys) {
            return false;
        }
    }
    return true;
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    int index = trawl_engine_variant(&trawl_engine_ac_nfa, db->header->variant);
    const trawl_nfa_variant *variant = trawl_nfa_variant_at((unsigned)index);
    uint64_t size, keys;
    const trawl_nfa_header *header = trawl_db_section(db, TRAWL_SECTION_NFA_HEADER, 0, &size);
    if (header == NULL || size != sizeof *header || db->header->parts != 1 ||
        !header_sound(header, variant, db->header->max_length)) {
        return damaged(error, "a damaged header");
    }
    section_size sizes[NFA_SECTIONS];
    section_sizes(header, sizes);
    for (size_t i = 0; i < NFA_SECTIONS; i++) {
        if (trawl_db_section(db, sizes[i].kind, 0, &size) == NULL ||
            size != sizes[i].count * sizes[i].object) {
            return damaged(error, "inconsistent sizes");
        }
    }
    trawl_status status = trawl_outputs_validate(db, 0, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const uint8_t *class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, 0, NULL);
    const uint32_t *top = trawl_db_section(db, TRAWL_SECTION_NFA_TOP, 0, NULL);
    const uint8_t *verify = trawl_db_section(db, TRAWL_SECTION_KEY_VERIFY, 0, &keys);
    bool sound = true;
    for (unsigned byte = 0; byte < 256; byte++) {
        sound = sound && class_of[byte] < header->classes;
    }
    for (uint64_t i = 0; i < trawl_nfa_top_entries(header); i++) {
        sound = sound && top[i] < header->states;
    }
    for (uint64_t key = 0; key < keys; key++) {
        sound = sound && (verify[key] == 0 || header->verify == 1);
    }
    if (!sound || !states_sound(header, db) ||
        !outputs_sound(header, trawl_db_section(db, TRAWL_SECTION_NFA_MATCHING, 0, NULL),
                       trawl_db_section(db, TRAWL_SECTION_NFA_RANK, 0, NULL),
                       trawl_db_section(db, TRAWL_SECTION_NFA_OUTPUT, 0, NULL), keys)) {
        return damaged(error, "a state out of range");
    }
    return TRAWL_OK;
}

#define KOUZINOPOULOS "Kouzinopoulos et al. 2015"

static const trawl_kernel_entry kernels[] = {
    {"cw", "r16 with coalesced writes", KOUZINOPOULOS ", 4.2.2, Fig. 4"},
    {"u", "text and tables in device memory, a counter for each thread",
     KOUZINOPOULOS ", Algorithm 6"},
    {"tc", "u with the tables through the texture path", KOUZINOPOULOS ", 4.2.2"},
    {"cr", "tc with the text read together into shared memory", KOUZINOPOULOS ", Algorithm 8"},
    {"r16", "cr with 16 bytes per read", KOUZINOPOULOS ", 4.2.2"},
    {"global", "the automaton in device memory", "Charan 2015, Algorithm 6"},
    {"shared", "the automaton in shared memory", "Charan 2015, Algorithm 6, 4.4"},
    {"constant", "the automaton in constant memory", "Charan 2015, Algorithm 6, 4.4"},
    {"fit", "shared where the automaton fits, else constant, else global", "Charan 2015, 4.4"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_ac_nfa = {
    .description = {.name = "ac-nfa",
                    .summary = "Aho-Corasick with failure links (NFA): small tables, more look-ups",
                    .source = "Kouzinopoulos et al. 2015, Algorithms 1-3; Charan 2015, 4.3.2 and "
                              "Algorithm 5",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_NFA_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_ac_nfa,
    .kernels = kernels,
    .zero_copy_kernel = "cw",
};
