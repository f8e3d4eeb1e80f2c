/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/rabin_karp/format.h"

#include "base/allocate.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "engines/engines.h"
#include "engines/rabin_karp/steps.h"

static const char *const variants[] = {"grouped", "paper", "single", "steps", NULL};
static const char *const variant_summaries[] = {
    "groups of lengths, at most 6 passes over the text; a bit filter before the table",
    "as in the paper: base 2, modulus 65521, one pass over the text for each length",
    "the paper's loop for a single pattern, without a table: one pass for each pattern",
    "the steps of kernel steps on the CPU: hashes, terms, prefix sums, windows", NULL};

#define INSTEAD TRAWL_RAISE_LIMIT

/* Nunes et al. 2018. */
#define PAPER_BASE 2u
#define PAPER_MODULUS 65521u
/* `grouped`, if only the modulus is set: the least prime above all bytes. Chosen, not measured. */
#define GROUPED_BASE 257u

typedef struct planned_rabin_karp {
    trawl_rabin_karp_header header;
    uint32_t *length_counts; /* number of patterns of each length, up to the longest */
    /* grouped */
    trawl_rabin_karp_pass passes[TRAWL_RABIN_KARP_MAX_PASSES];
    uint32_t shortest[TRAWL_RABIN_KARP_MAX_PASSES]; /* length of each pass's shortest pattern */
    trawl_keys keys[TRAWL_RABIN_KARP_MAX_PASSES];   /* of the reversed patterns */
} planned_rabin_karp;

static bool is_prime(uint32_t number) {
    if (number < 4 || number % 2 == 0) {
        return number == 2 || number == 3;
    }
    for (uint32_t divisor = 3; (uint64_t)divisor * divisor <= number; divisor += 2) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ grouped */

/* A pass has the lengths from its shortest one to below twice that; if its window is selective
 * enough (TRAWL_RABIN_KARP_SELECTIVITY), it has all longer ones too. */
uint32_t trawl_rabin_karp_group(const trawl_patterns *set, const uint32_t *length_counts,
                                uint32_t *shortest, uint32_t *windows) {
    double alphabet = trawl_endings_alphabet(set);
    uint32_t longest = (uint32_t)set->max_length;
    uint64_t left = set->count;
    uint32_t passes = 0;
    for (uint32_t length = (uint32_t)set->min_length; left != 0;) {
        uint32_t window =
            length < TRAWL_RABIN_KARP_MAX_WINDOW ? length : TRAWL_RABIN_KARP_MAX_WINDOW;
        windows[passes] = window;
        shortest[passes] = length;
        passes++;
        uint32_t twice = 2 * length;
        for (; length < twice && length <= longest; length++) {
            left -= length_counts[length];
        }
        double endings = 1;
        for (uint32_t i = 0; i < window; i++) {
            endings *= alphabet;
        }
        if (window == TRAWL_RABIN_KARP_MAX_WINDOW ||
            endings >= TRAWL_RABIN_KARP_SELECTIVITY * (double)left) {
            break;
        }
        while (left != 0 && length_counts[length] == 0) {
            length++;
        }
    }
    return passes;
}

/* Divides the patterns into passes. */
static void group_lengths(const trawl_patterns *set, planned_rabin_karp *planned) {
    uint32_t windows[TRAWL_RABIN_KARP_MAX_PASSES];
    planned->header.passes =
        trawl_rabin_karp_group(set, planned->length_counts, planned->shortest, windows);
    for (uint32_t pass = 0; pass < planned->header.passes; pass++) {
        planned->passes[pass].window = windows[pass];
    }
}

/* Makes the keys of one pass from the reversed patterns. */
static trawl_status make_keys(const trawl_build *build, const trawl_patterns *reversed,
                              uint32_t pass, planned_rabin_karp *planned) {
    uint32_t count = planned->header.passes;
    if (count == 1) {
        return trawl_keys_make(reversed, NULL, 0, &planned->keys[pass], build->error);
    }
    uint32_t shortest = planned->shortest[pass];
    uint32_t past = pass + 1 < count ? planned->shortest[pass + 1] : UINT32_MAX;
    size_t patterns = 0;
    for (size_t length = shortest; length <= build->patterns->max_length && length < past;
         length++) {
        patterns += planned->length_counts[length];
    }
    uint32_t *subset = trawl_allocate(patterns, sizeof *subset);
    if (subset == NULL) {
        return trawl_fail_memory(build->error, "grouping the patterns", patterns * sizeof *subset);
    }
    size_t used = 0;
    for (uint32_t id = 0; id < build->patterns->count; id++) {
        uint32_t length = trawl_pattern_length(build->patterns, id);
        if (length >= shortest && length < past) {
            subset[used++] = id;
        }
    }
    trawl_status status =
        trawl_keys_make(reversed, subset, patterns, &planned->keys[pass], build->error);
    trawl_release(subset);
    return status;
}

/* The number of bits of the filter for `ranges` hashes, as a power of two from 1,024 (chosen)
 * on. */
uint32_t trawl_rabin_karp_filter_bits(uint32_t ranges) {
    uint32_t bits = 10;
    while (bits < 32 && UINT64_C(1) << bits < TRAWL_RABIN_KARP_FILTER_BITS * (uint64_t)ranges) {
        bits++;
    }
    return bits;
}

static trawl_status reserve_pass(trawl_build *build, uint32_t pass, planned_rabin_karp *planned) {
    trawl_rabin_karp_pass *record = &planned->passes[pass];
    uint32_t ranges = trawl_endings_count(&planned->keys[pass], record->window);
    record->hash_bits = trawl_ending_bits(ranges);
    record->filter_bits = trawl_rabin_karp_filter_bits(ranges);
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_RABIN_KARP_TABLE, (UINT64_C(1) << record->hash_bits) + 1, 4},
        {TRAWL_SECTION_RABIN_KARP_IDS, ranges, sizeof(trawl_ending_range)},
        {TRAWL_SECTION_RABIN_KARP_FILTER, (UINT64_C(1) << record->filter_bits) / 64, 8},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        trawl_status status = trawl_build_reserve(build, sections[i].kind, pass, sections[i].count,
                                                  sections[i].object, INSTEAD);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    trawl_endings_remark(build, &planned->keys[pass]);
    return trawl_endings_reserve(build, pass, &planned->keys[pass], INSTEAD);
}

static trawl_status plan_grouped(trawl_build *build, planned_rabin_karp *planned) {
    group_lengths(build->patterns, planned);
    uint32_t passes = planned->header.passes;
    build->parts = passes;
    trawl_patterns reversed;
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, passes,
                                              sizeof(trawl_rabin_karp_pass), INSTEAD);
    if (status == TRAWL_OK) {
        status = trawl_endings_reverse(build->patterns, &reversed, build->error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    for (uint32_t pass = 0; pass < passes && status == TRAWL_OK; pass++) {
        status = make_keys(build, &reversed, pass, planned);
        if (status == TRAWL_OK) {
            status = reserve_pass(build, pass, planned);
        }
    }
    trawl_release(reversed.bytes);
    return status;
}

typedef struct hash_context {
    trawl_rolling rolling;
    trawl_rolling_table table;
} hash_context;

/* The hash of the bytes that the keys of a range have in common, in the order of the text. */
static uint64_t range_hash(const uint8_t *reversed, uint32_t tail, const void *context) {
    const hash_context *hashing = context;
    uint64_t hash = 0;
    for (uint32_t i = tail; i-- > 0;) {
        hash = trawl_rolling_step(&hashing->rolling, hash, hashing->table.entering[reversed[i]]);
    }
    return trawl_rolling_reduce(&hashing->rolling, hash);
}

static trawl_status fill_grouped(trawl_build *build, const planned_rabin_karp *planned) {
    const trawl_image *image = build->image;
    memcpy(trawl_image_section(image, TRAWL_SECTION_RABIN_KARP_GROUPS, 0), planned->passes,
           planned->header.passes * sizeof *planned->passes);
    for (uint32_t pass = 0; pass < planned->header.passes; pass++) {
        const trawl_rabin_karp_pass *record = &planned->passes[pass];
        hash_context hashing;
        hashing.rolling =
            trawl_rolling_make(planned->header.base, planned->header.modulus, record->window);
        trawl_rolling_table_make(&hashing.rolling, record->window, false, &hashing.table);
        const trawl_keys *keys = &planned->keys[pass];
        trawl_endings_fill(build, pass, keys);
        trawl_ending_range *ranges = trawl_image_section(image, TRAWL_SECTION_RABIN_KARP_IDS, pass);
        trawl_endings_hash(keys, record->window, range_hash, &hashing, record->hash_bits,
                           trawl_image_section(image, TRAWL_SECTION_RABIN_KARP_TABLE, pass),
                           ranges);
        uint64_t *filter = trawl_image_section(image, TRAWL_SECTION_RABIN_KARP_FILTER, pass);
        memset(filter, 0, ((size_t)1 << record->filter_bits) / 8);
        uint32_t count = trawl_endings_count(keys, record->window);
        for (uint32_t i = 0; i < count; i++) {
            size_t bit = trawl_rabin_karp_bit(hashing.rolling.vanishing, ranges[i].word,
                                              record->filter_bits);
            filter[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ paper */

static trawl_status plan_paper(trawl_build *build, planned_rabin_karp *planned) {
    trawl_unbounded_remark(build);
    uint32_t lengths = 0;
    for (size_t length = 1; length <= build->patterns->max_length; length++) {
        lengths += planned->length_counts[length] != 0;
    }
    planned->header.passes = lengths;
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_RABIN_KARP_GROUPS, lengths, 4},
        {TRAWL_SECTION_RABIN_KARP_TABLE, planned->header.modulus + 1, 4},
        {TRAWL_SECTION_RABIN_KARP_IDS, build->patterns->count, 4},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        trawl_status status =
            trawl_build_reserve(build, sections[i].kind, 0, sections[i].count, sections[i].object,
                                "a smaller rabin_karp_modulus needs less, and so does ac-nfa");
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static trawl_status fill_paper(trawl_build *build, const planned_rabin_karp *planned) {
    const trawl_patterns *set = build->patterns;
    uint32_t *lengths = trawl_image_section(build->image, TRAWL_SECTION_RABIN_KARP_GROUPS, 0);
    uint32_t *heads = trawl_image_section(build->image, TRAWL_SECTION_RABIN_KARP_TABLE, 0);
    uint32_t *ids = trawl_image_section(build->image, TRAWL_SECTION_RABIN_KARP_IDS, 0);
    for (uint32_t length = 1; length <= set->max_length; length++) {
        if (planned->length_counts[length] != 0) {
            *lengths++ = length;
        }
    }
    const trawl_pattern_view view = {.offsets = set->offsets,
                                     .bases = set->bases,
                                     .bytes = set->bytes,
                                     .flags = set->flags,
                                     .count = (uint32_t)set->count};
    return trawl_rabin_karp_fill_table(&view, &planned->header, set->case_insensitive != 0, heads,
                                       ids, build->error);
}

/* ------------------------------------------------------------------ the engine */

static trawl_status plan(trawl_build *build) {
    planned_rabin_karp *planned = trawl_allocate_zeroed(1, sizeof *planned);
    if (planned == NULL) {
        return trawl_fail_memory(build->error, "planning rabin-karp", sizeof *planned);
    }
    build->state = planned;
    uint32_t base = build->options->rabin_karp_base;
    uint32_t modulus = build->options->rabin_karp_modulus;
    bool paper = build->variant != TRAWL_RABIN_KARP_GROUPED;
    if (base == 0 && (paper || modulus != 0)) {
        base = paper ? PAPER_BASE : GROUPED_BASE;
    }
    if (modulus == 0 && paper) {
        modulus = PAPER_MODULUS;
    }
    if (base == 1) {
        return trawl_fail(build->error, TRAWL_ERROR_ARGUMENT,
                          "rabin-karp: base 1 would make the hash a sum: it must be 2 or more");
    }
    if (modulus != 0 && !is_prime(modulus)) {
        return trawl_fail(build->error, TRAWL_ERROR_ARGUMENT,
                          "rabin-karp: modulus %u is not a prime number", modulus);
    }
    if (build->variant == TRAWL_RABIN_KARP_STEPS &&
        (base % modulus == 0 || modulus > TRAWL_RABIN_KARP_MOST_POWERS)) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "rabin-karp: variant steps needs the powers of %u modulo %u, and their "
                          "inverses: a modulus of up to %u that does not divide the base; variant "
                          "paper takes any, and so does engine ac-nfa",
                          base, modulus, (unsigned)TRAWL_RABIN_KARP_MOST_POWERS);
    }
    if (build->variant == TRAWL_RABIN_KARP_SINGLE &&
        build->patterns->count > TRAWL_RABIN_KARP_MOST_SINGLE) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "rabin-karp: variant single passes over the text once for each of %zu "
                          "patterns; it takes up to %u, variant paper and engine ac-nfa more",
                          build->patterns->count, TRAWL_RABIN_KARP_MOST_SINGLE);
    }
    planned->header =
        (trawl_rabin_karp_header){.base = base, .modulus = modulus, .variant = build->variant};
    const trawl_patterns *set = build->patterns;
    planned->length_counts =
        trawl_allocate_zeroed(set->max_length + 1, sizeof *planned->length_counts);
    if (planned->length_counts == NULL) {
        return trawl_fail_memory(build->error, "planning rabin-karp",
                                 (set->max_length + 1) * sizeof *planned->length_counts);
    }
    for (size_t id = 0; id < set->count; id++) {
        planned->length_counts[trawl_pattern_length(set, id)]++;
    }
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_RABIN_KARP_HEADER, 0, 1,
                                              sizeof planned->header, INSTEAD);
    if (status != TRAWL_OK) {
        return status;
    }
    return paper ? plan_paper(build, planned) : plan_grouped(build, planned);
}

static trawl_status fill(trawl_build *build) {
    const planned_rabin_karp *planned = build->state;
    memcpy(trawl_image_section(build->image, TRAWL_SECTION_RABIN_KARP_HEADER, 0), &planned->header,
           sizeof planned->header);
    if (build->variant != TRAWL_RABIN_KARP_GROUPED) {
        return fill_paper(build, planned);
    }
    return fill_grouped(build, planned);
}

static void release(trawl_build *build) {
    planned_rabin_karp *planned = build->state;
    if (planned != NULL) {
        for (uint32_t pass = 0; pass < TRAWL_RABIN_KARP_MAX_PASSES; pass++) {
            trawl_keys_release(&planned->keys[pass]);
        }
        trawl_release(planned->length_counts);
        trawl_release(planned);
    }
}

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's rabin-karp %s", what);
}

static trawl_status validate_paper(const trawl_db *db, const trawl_rabin_karp_header *header,
                                   trawl_error *error) {
    uint64_t lengths_size, heads_size, ids_size;
    uint64_t patterns = db->patterns.count;
    uint64_t modulus = header->modulus;
    const uint32_t *lengths =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, &lengths_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, 0, &heads_size);
    const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, 0, &ids_size);
    if (modulus == 0 || header->passes == 0 || db->header->parts != 1 ||
        trawl_outputs_are_present(db) || lengths_size != (uint64_t)header->passes * 4 ||
        heads_size != (modulus + 1) * 4 || ids_size != patterns * 4 || heads[modulus] != patterns) {
        return damaged(error, "tables have inconsistent sizes");
    }
    bool sound = true;
    for (uint32_t pass = 0; pass < header->passes; pass++) {
        /* Ascending, so that their number is bounded and none is searched twice. */
        sound = sound && lengths[pass] > (pass == 0 ? 0 : lengths[pass - 1]) &&
                lengths[pass] <= TRAWL_PATTERN_MAX_LENGTH;
    }
    for (uint64_t hash = 0; hash < modulus; hash++) {
        sound = sound && heads[hash] <= heads[hash + 1] && heads[hash + 1] <= patterns;
    }
    for (uint64_t i = 0; i < patterns; i++) {
        sound = sound && ids[i] < patterns;
    }
    /* `steps` makes a table of the powers of d and needs their inverses. */
    if (header->variant == TRAWL_RABIN_KARP_STEPS &&
        (header->base % modulus == 0 || modulus > TRAWL_RABIN_KARP_MOST_POWERS ||
         !is_prime((uint32_t)modulus))) {
        return damaged(error, "modulus is damaged");
    }
    return sound ? TRAWL_OK : damaged(error, "table has an entry out of range");
}

static trawl_status validate_grouped(const trawl_db *db, const trawl_rabin_karp_header *header,
                                     trawl_error *error) {
    uint64_t size;
    const trawl_rabin_karp_pass *passes =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, &size);
    if (header->passes == 0 || header->passes > TRAWL_RABIN_KARP_MAX_PASSES ||
        header->passes != db->header->parts || size != header->passes * sizeof *passes) {
        return damaged(error, "tables have inconsistent sizes");
    }
    for (uint32_t pass = 0; pass < header->passes; pass++) {
        const trawl_rabin_karp_pass *record = &passes[pass];
        uint64_t heads_size, ranges_size, filter_size;
        const uint32_t *heads =
            trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, pass, &heads_size);
        const trawl_ending_range *ranges =
            trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, pass, &ranges_size);
        (void)trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_FILTER, pass, &filter_size);
        if (record->window == 0 || record->window > TRAWL_RABIN_KARP_MAX_WINDOW ||
            record->filter_bits < 6 || record->filter_bits > 32 ||
            filter_size != (UINT64_C(1) << record->filter_bits) / 8) {
            return damaged(error, "pass is damaged");
        }
        trawl_status status = trawl_endings_validate(db, pass, record->window, record->hash_bits,
                                                     heads, heads_size, ranges, ranges_size, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    uint64_t size;
    const trawl_rabin_karp_header *header =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, &size);
    if (header == NULL || size != sizeof *header || header->variant > TRAWL_RABIN_KARP_STEPS ||
        (int)header->variant != trawl_engine_variant(db->engine, db->header->variant) ||
        header->modulus == 1 || header->modulus > UINT32_MAX) {
        return damaged(error, "header is damaged");
    }
    return header->variant != TRAWL_RABIN_KARP_GROUPED ? validate_paper(db, header, error)
                                                       : validate_grouped(db, header, error);
}

static const trawl_kernel_entry kernels[] = {
    {"rolling", "a rolling hash for each thread", "trawl"},
    {"prefix-sums", "window hashes from prefix sums modulo q; needs a prime modulus",
     "Nunes et al. 2018, IV"},
    {"steps", "the same, each of the paper's steps a launch of its own; HT made on the device",
     "Nunes et al. 2018, IV and V, Tables II to V"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_rabin_karp = {
    .description = {.name = "rabin-karp",
                    .summary = "Rabin-Karp: a rolling hash of every position, looked up in a table",
                    .source = "Nunes et al. 2018, III, Figures 2-3; Karp & Rabin 1987",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_RABIN_KARP_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_rabin_karp,
    .kernels = kernels,
    .zero_copy_kernel = "rolling",
};
