#include "cuda/qgram_choose.h"

#include <math.h>
#include <string.h>

#include "common/allocate.h"
#include "common/status.h"
#include "cuda/qgram_anchor.h"
#include "cuda/qgram_price.h"

/* A sample of the text is taken in windows. By three of four of them samples of the set are picked,
 * by the fourth they are judged: else rare ones would seem to be rarer than they are. */
#define WINDOW_BYTES ((size_t)1024)
#define SAMPLE_BYTES ((size_t)TRAWL_CUDA_QGRAM_COMMON_BYTES / 3 * 4)
#define SAMPLE_LEAST TRAWL_CUDA_QGRAM_SAMPLE_LEAST
#define PIECE_BYTES 3u /* that made-up text takes from one place of the patterns */

/* Tiers, besides one for pairs of bytes. */
#define MOST_TIERS 3u
#define MOST_TIERS_BESIDE 2u /* an automaton, which has tiers of its own for records */

/* Samples of the set are held in a large FILTER while they are tried. */
#define SEEN_WORDS (UINT32_C(1) << 19)
#define SEEN_ONES 2u
#define SEEN_FEW (SEEN_WORDS / 16) /* up to so many are taken out again one by one */

/* Lengths at which tiers may begin, besides the shortest. */
static const uint32_t starts[] = {4, 5, 6, 7, 8, 9, 11, 12, 16, 19, 24, 32};
#define STARTS (sizeof starts / sizeof *starts + 1)
/* Sets with more patterns are not divided: trying takes time for each of them. */
#define MOST_DIVIDED ((size_t)300000)

/* Kinds of samples. */
static const struct {
    uint32_t stride, words;
} shapes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 3}, {8, 2}, {8, 3}, {16, 4}};
#define OFFERS (2 * (sizeof shapes / sizeof *shapes))
#define MOST_MARKS TRAWL_CUDA_QGRAM_MOST_STRIDE /* of a pattern: one for each alignment */

/* What one tier may be that has certain classes of lengths, the cheapest first. */
typedef struct offers {
    trawl_cuda_qgram_offer each[OFFERS];
    uint32_t count;
} offers;

typedef struct chooser {
    const trawl_patterns *patterns;
    const uint8_t *walked; /* by pattern: 1: it is none of this division's; or NULL */
    trawl_cuda_qgram_layout *layout;
    uint8_t *text; /* judges samples of the set; layout->common is another part of it */
    size_t length;
    uint32_t *order;               /* patterns of three bytes and more, by class */
    uint32_t begin[STARTS + 1];    /* of each class in it */
    uint32_t least_length[STARTS]; /* its shortest pattern */
    uint32_t most_length[STARTS];  /* its longest one */
    bool folded[STARTS];
    size_t classes;
    uint32_t most_tiers;
    bool direct; /* there are patterns of one and two bytes */
    /* Trying a kind of sample: marks say where one belongs in `seen`. */
    uint32_t *seen; /* SEEN_WORDS */
    trawl_cuda_qgram_counts *counts;
    uint32_t *ends;                /* marks of the text's samples, at all positions */
    uint32_t *asked;               /* those that are asked for, first the ones that have passed */
    uint32_t *marks;               /* of the set's samples, by `order`; NULL: there is one class */
    uint32_t words;                /* of shared memory, for FILTERs */
    offers (*offered)[STARTS + 1]; /* [from][past]: one tier for these classes */
    double least[STARTS + 1];      /* what the classes from this one on cost at least */
    trawl_cuda_qgram_offer *now[MOST_TIERS];
    trawl_cuda_qgram_tier best[MOST_TIERS]; /* of rising lengths */
    size_t best_from[MOST_TIERS + 1];       /* the classes where they begin */
    uint32_t best_count;
    double best_price, best_passing;
} chooser;

/* ------------------------------------------------------------------ the sample */

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Fills self->text: first with all that samples of the set are picked by. */
static void gather(chooser *self, const uint8_t *sample, size_t length) {
    if (sample != NULL && length >= SAMPLE_LEAST) {
        size_t fours = (length < SAMPLE_BYTES ? length : SAMPLE_BYTES) / (4 * WINDOW_BYTES);
        for (size_t i = 0; i < 4 * fours; i++) {
            size_t place = i % 4 == 3 ? 3 * fours + i / 4 : i / 4 * 3 + i % 4;
            memcpy(self->text + place * WINDOW_BYTES,
                   sample + (length - WINDOW_BYTES) / (4 * fours - 1) * i, WINDOW_BYTES);
        }
        self->length = 4 * fours * WINDOW_BYTES;
        return;
    }
    const trawl_patterns *patterns = self->patterns;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    while (patterns->count != 0 && self->length + PIECE_BYTES <= SAMPLE_BYTES) {
        size_t id = (size_t)(random_next(&state) % patterns->count);
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t from = (uint32_t)(random_next(&state) % bytes);
        for (uint32_t i = from; i < bytes && i < from + PIECE_BYTES; i++) {
            self->text[self->length++] = trawl_pattern_bytes(patterns, id)[i];
        }
    }
}

static trawl_status take_sample(chooser *self, const uint8_t *sample, size_t length,
                                trawl_error *error) {
    self->text = trawl_allocate(SAMPLE_BYTES, 1);
    if (self->text == NULL) {
        return trawl_fail_memory(error, "a sample of the text", SAMPLE_BYTES);
    }
    gather(self, sample, length);
    size_t picking = self->length / 4 * 3;
    memcpy(self->layout->common, self->text, picking);
    self->layout->common_length = picking;
    memmove(self->text, self->text + picking, self->length - picking);
    self->length -= picking;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ classes of lengths */

static size_t class_of(const uint32_t *begins, size_t classes, uint32_t length) {
    size_t class = 0;
    while (class + 1 < classes && length >= begins[class + 1]) {
        class ++;
    }
    return class;
}

/* Whether a filter's tier is to have the pattern. */
static bool is_filtered(const chooser *self, size_t id) {
    return (self->walked == NULL || self->walked[id] == 0) &&
           trawl_pattern_length(self->patterns, id) >= 3;
}

static trawl_status divide(chooser *self, trawl_error *error) {
    const trawl_patterns *patterns = self->patterns;
    uint32_t begins[STARTS];
    uint32_t count[STARTS] = {0};
    size_t classes = 1;
    begins[0] = 3;
    for (size_t i = 0; i < STARTS - 1 && patterns->count <= MOST_DIVIDED; i++) {
        begins[classes++] = starts[i];
    }
    self->order = trawl_allocate(patterns->count, sizeof *self->order);
    if (self->order == NULL) {
        return trawl_fail_memory(error, "dividing the patterns",
                                 patterns->count * sizeof *self->order);
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        count[class_of(begins, classes, length)] += is_filtered(self, id);
    }
    uint32_t place[STARTS], sum = 0;
    for (size_t class = 0; class < classes; class ++) {
        place[class] = sum;
        sum += count[class];
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (is_filtered(self, id)) {
            self->order[place[class_of(begins, classes, length)]++] = (uint32_t)id;
        }
    }
    for (size_t class = 0; class < classes; class ++) {
        if (count[class] == 0) {
            continue;
        }
        size_t at = self->classes++;
        self->begin[at] = place[class] - count[class];
        self->begin[at + 1] = place[class];
        self->least_length[at] = UINT32_MAX;
        for (uint32_t i = self->begin[at]; i < self->begin[at + 1]; i++) {
            uint32_t id = self->order[i], length = trawl_pattern_length(patterns, id);
            self->least_length[at] =
                length < self->least_length[at] ? length : self->least_length[at];
            self->most_length[at] = length > self->most_length[at] ? length : self->most_length[at];
            self->folded[at] |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ trying a kind of sample */

/* The word of `seen`, and its two bits. */
static uint32_t mark_of(uint64_t hash) {
    return trawl_cuda_qgram_spot(hash, SEEN_WORDS) << 10 |
           trawl_cuda_qgram_second_bit(hash) % 32 << 5 | trawl_cuda_qgram_first_bit(hash) % 32;
}

static uint32_t ones_of(uint32_t mark) {
    return UINT32_C(1) << mark % 32 | UINT32_C(1) << (mark >> 5) % 32;
}

/* Puts a sample into `seen`; 1: it is new. */
static uint32_t see(const chooser *self, uint32_t mark) {
    uint32_t *word = &self->seen[mark >> 10], ones = ones_of(mark);
    uint32_t new = (~*word & ones) != 0;
    *word |= ones;
    return new;
}

/* Empties `seen`, where the samples of the classes from this one on have been. */
static void forget(const chooser *self, size_t from, uint32_t stride) {
    size_t begin = (size_t)self->begin[from] * stride;
    size_t end = (size_t)self->begin[self->classes] * stride;
    if (self->marks == NULL || end - begin > SEEN_FEW) {
        memset(self->seen, 0, (size_t)SEEN_WORDS * sizeof *self->seen);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        self->seen[self->marks[i] >> 10] = 0;
    }
}

/* Puts all samples of the classes from this one on into `seen`, and their marks aside; returns how
 * many were new. */
static uint32_t take_samples(const chooser *self, const trawl_cuda_qgram_tier *tier, size_t from) {
    const trawl_patterns *patterns = self->patterns;
    uint8_t reversed[TRAWL_CUDA_QGRAM_REACH + TRAWL_CUDA_QGRAM_MOST_GRAM];
    uint64_t hashes[TRAWL_CUDA_QGRAM_REACH];
    uint32_t added = 0;
    for (uint32_t i = self->begin[from]; i < self->begin[self->classes]; i++) {
        uint32_t id = self->order[i], length = trawl_pattern_length(patterns, id);
        const uint8_t *end = trawl_pattern_bytes(patterns, id) + length;
        for (uint32_t j = 0; j < length && j < sizeof reversed; j++) {
            reversed[j] = *--end;
        }
        uint32_t anchor = trawl_cuda_qgram_anchor(tier, self->counts, reversed, length, hashes);
        for (uint32_t j = 0; j < tier->stride; j++) {
            uint32_t mark = mark_of(hashes[anchor + j]);
            added += see(self, mark);
            if (self->marks != NULL) {
                self->marks[(size_t)i * tier->stride + j] = mark;
            }
        }
    }
    return added;
}

/* The same for one class, whose marks are there. */
static uint32_t add_class(const chooser *self, uint32_t stride, size_t class) {
    uint32_t added = 0;
    for (size_t i = (size_t)self->begin[class] * stride;
         i < (size_t)self->begin[class + 1] * stride; i++) {
        added += see(self, self->marks[i]);
    }
    return added;
}

/* Of the first `count` that are asked for, of which so many have passed already: how many pass. */
static size_t pass(const chooser *self, size_t passed, size_t count) {
    for (size_t i = passed; i < count; i++) {
        uint32_t mark = self->asked[i];
        if ((~self->seen[mark >> 10] & ones_of(mark)) == 0) {
            self->asked[i] = self->asked[passed];
            self->asked[passed++] = mark;
        }
    }
    return passed;
}

/* The share of samples of the text that are among `samples` of the set. */
static double rate_of(size_t passed, size_t asked, uint32_t samples) {
    double chance = trawl_cuda_qgram_chance(SEEN_ONES, samples, SEEN_WORDS);
    double rate = asked == 0 ? 0 : ((double)passed / (double)asked - chance) / (1 - chance);
    return rate > 0 ? rate : 0;
}

/* Keeps an offer: a range's are few, and in order; of equal ones the shorter stride is first. */
static void keep(const chooser *self, offers *kept, trawl_cuda_qgram_offer offer) {
    trawl_cuda_qgram_price_alone(&offer, self->words);
    uint32_t at = kept->count++;
    for (; at > 0; at--) {
        const trawl_cuda_qgram_offer *before = &kept->each[at - 1];
        if (before->least < offer.least ||
            (before->least <= offer.least && before->tier.stride <= offer.tier.stride)) {
            break;
        }
        kept->each[at] = *before;
    }
    kept->each[at] = offer;
}

/* What a tier for the classes [from, past) would be, whose samples have been tried. */
static void make_offers(chooser *self, size_t from, size_t past, trawl_cuda_qgram_tier tier,
                        uint32_t samples, double rate) {
    tier.min_length = self->least_length[from];
    if (tier.stride != 1) { /* entries of ALIGN, of which one in eight is used */
        tier.align_bits = 8;
        while (tier.align_bits < 26 && (UINT64_C(1) << tier.align_bits) < 8 * (uint64_t)samples) {
            tier.align_bits++;
        }
    }
    trawl_cuda_qgram_offer offer = {.tier = tier, .samples = samples, .rate = rate};
    offers *kept = &self->offered[from][past];
    keep(self, kept, offer);
    if (tier.stride == 1) {
        offer.tier.filter_ones = 1;
        keep(self, kept, offer);
    } else if (tier.stride >= 4) {
        offer.tier.place = TRAWL_CUDA_QGRAM_GLOBAL;
        keep(self, kept, offer);
    }
}

/* Tries one kind of sample for all tiers that begin with one of these classes, of which `first` is
 * the first one. */
static void try_samples(chooser *self, const trawl_cuda_qgram_tier *tier, size_t first,
                        const bool *begins) {
    const uint32_t stride = tier->stride;
    size_t asked = 0;
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= self->length; end += stride) {
        self->asked[asked++] = self->ends[end - TRAWL_CUDA_QGRAM_MOST_GRAM];
    }
    uint32_t all = take_samples(self, tier, first);
    /* What does not pass now never will: the other tiers have fewer samples. */
    size_t may_pass = pass(self, 0, asked);
    forget(self, first, stride);
    if (first + 1 == self->classes) {
        make_offers(self, first, first + 1, *tier, all, rate_of(may_pass, asked, all));
        return;
    }
    for (size_t from = first; from < self->classes; from++) {
        uint32_t samples = 0;
        size_t passed = 0;
        for (size_t class = from; begins[from] && class < self->classes; class ++) {
            samples += add_class(self, stride, class);
            passed = pass(self, passed, may_pass);
            make_offers(self, from, class + 1, *tier, samples, rate_of(passed, asked, samples));
        }
        if (begins[from]) {
            forget(self, from, stride);
        }
    }
}

/* Counts samples, and looks at those of the text that judges. */
static void read_texts(chooser *self, const trawl_cuda_qgram_tier *tier) {
    trawl_cuda_qgram_count(tier, self->layout->common, self->layout->common_length, self->counts);
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= self->length; end++) {
        self->ends[end - TRAWL_CUDA_QGRAM_MOST_GRAM] =
            mark_of(trawl_cuda_qgram_hash_before(tier, self->text + end));
    }
}

/* The bytes of samples of a shape, in tiers that begin with a class; 0: there are none. */
static uint32_t gram_of(const chooser *self, size_t from, size_t shape) {
    uint32_t stride = shapes[shape].stride, words = shapes[shape].words;
    if (self->least_length[from] < stride + 1) {
        return 0;
    }
    uint32_t gram = self->least_length[from] - stride + 1;
    gram = gram < 4 * words ? gram : 4 * words;
    return gram > 4 * (words - 1) && gram >= 2 ? gram : 0;
}

/* Tries all samples of so many bytes. */
static void try_gram(chooser *self, uint32_t gram, bool folded) {
    trawl_cuda_qgram_tier tier = {
        .place = TRAWL_CUDA_QGRAM_SHARED, .gram = gram, .filter_ones = 2, .folded = folded};
    bool read = false;
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        bool begins[STARTS], any_folded = false;
        size_t first = self->classes;
        for (size_t from = self->classes; from-- > 0;) {
            any_folded |= self->folded[from];
            begins[from] = any_folded == folded && gram_of(self, from, shape) == gram;
            first = begins[from] ? from : first;
        }
        if (first == self->classes) {
            continue;
        }
        if (!read) {
            read_texts(self, &tier);
            read = true;
        }
        tier.stride = shapes[shape].stride;
        try_samples(self, &tier, first, begins);
    }
}

static void try_all(chooser *self) {
    for (uint32_t gram = 2; gram <= TRAWL_CUDA_QGRAM_MOST_GRAM; gram++) {
        try_gram(self, gram, false);
        try_gram(self, gram, true);
    }
}

/* ------------------------------------------------------------------ putting tiers together */

/* Prices the tiers in `now`, which begin with the classes `begins`. */
static void weigh(chooser *self, const size_t *begins, uint32_t count) {
    double price = trawl_cuda_qgram_share(self->now, count, self->direct, self->words);
    if (price < self->best_price) {
        self->best_price = price;
        self->best_passing = trawl_cuda_qgram_passing(self->now, count);
        self->best_count = count;
        for (uint32_t i = 0; i < count; i++) {
            self->best[i] = self->now[i]->tier;
            self->best_from[i] = begins[i];
        }
        self->best_from[count] = self->classes;
    }
}

/* Tries all tiers for the classes from begins[depth] on, behind `depth` tiers that cost `before` at
 * least, leaving out what cannot become the best. */
static void divide_further(chooser *self, size_t *begins, uint32_t depth, double before) {
    size_t from = begins[depth];
    for (size_t past = self->classes; past > from; past--) {
        if (past < self->classes && depth + 1 == self->most_tiers) {
            return;
        }
        offers *offered = &self->offered[from][past];
        for (uint32_t i = 0; i < offered->count; i++) {
            double sum = before + offered->each[i].least;
            if (sum + self->least[past] >= self->best_price) {
                break;
            }
            self->now[depth] = &offered->each[i];
            if (past == self->classes) {
                weigh(self, begins, depth + 1);
            } else if (depth + 1 < MOST_TIERS) { /* always: compilers do not see it from above */
                begins[depth + 1] = past;
                divide_further(self, begins, depth + 1, sum);
            }
        }
    }
}

/* The cheapest division; tiers of longer patterns come first. */
static void put_together(chooser *self, trawl_cuda_qgram_layout *layout) {
    for (size_t from = self->classes; from-- > 0;) {
        self->least[from] = INFINITY;
        for (size_t past = from + 1; past <= self->classes; past++) {
            const offers *offered = &self->offered[from][past];
            double least = offered->count == 0 ? INFINITY : offered->each[0].least;
            self->least[from] = fmin(self->least[from], least + self->least[past]);
        }
    }
    size_t begins[MOST_TIERS] = {0};
    divide_further(self, begins, 0, 0);
    for (uint32_t i = self->best_count; i-- > 0;) {
        trawl_cuda_qgram_tier *tier = &layout->tier[layout->tiers++];
        *tier = self->best[i];
        tier->folded = 0;
        for (size_t class = self->best_from[i]; class < self->best_from[i + 1]; class ++) {
            uint32_t longest = self->most_length[class];
            tier->max_length = longest > tier->max_length ? longest : tier->max_length;
            tier->folded |= self->folded[class];
        }
    }
}

static void release(chooser *self) {
    if (self != NULL) {
        trawl_release(self->text);
        trawl_release(self->order);
        trawl_release(self->seen);
        trawl_release(self->counts);
        trawl_release(self->ends);
        trawl_release(self->asked);
        trawl_release(self->marks);
        trawl_release(self->offered);
        trawl_release(self);
    }
}

static trawl_status fail_shared(size_t needed, size_t shared_bytes, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_LIMIT,
                      "qgram's tables need %zu bytes of the device's shared memory, and there is "
                      "room for %zu; engine ac-dfa needs less",
                      needed, shared_bytes);
}

static trawl_status prepare(chooser *self, const uint8_t *sample, size_t length,
                            trawl_error *error) {
    size_t bytes = STARTS * sizeof *self->offered;
    self->seen = trawl_allocate_zeroed(SEEN_WORDS, sizeof *self->seen);
    self->counts = trawl_allocate(1, sizeof *self->counts);
    self->offered = trawl_allocate_zeroed(1, bytes);
    if (self->seen == NULL || self->counts == NULL || self->offered == NULL) {
        return trawl_fail_memory(error, "choosing tiers", bytes + SEEN_WORDS * sizeof *self->seen);
    }
    self->best_price = INFINITY;
    trawl_status status = take_sample(self, sample, length, error);
    if (status == TRAWL_OK) {
        status = divide(self, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    self->ends = trawl_allocate(self->length + 1, sizeof *self->ends);
    self->asked = trawl_allocate(self->length + 1, sizeof *self->asked);
    size_t marks = self->classes > 1 ? (size_t)self->begin[self->classes] * MOST_MARKS : 0;
    self->marks = marks == 0 ? NULL : trawl_allocate(marks, sizeof *self->marks);
    return self->ends == NULL || self->asked == NULL || (marks != 0 && self->marks == NULL)
               ? trawl_fail_memory(error, "choosing tiers", marks * sizeof *self->marks)
               : TRAWL_OK;
}

static trawl_status choose(chooser *self, const uint8_t *sample, size_t sample_length,
                           size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                           trawl_error *error) {
    bool folded = false;
    for (size_t id = 0; id < self->patterns->count; id++) {
        bool walked = self->walked != NULL && self->walked[id] != 0;
        if (trawl_pattern_length(self->patterns, id) < 3 && !walked) {
            self->direct = true;
            folded |= (self->patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    size_t pairs = self->direct ? 4 * (size_t)TRAWL_CUDA_QGRAM_PAIR_WORDS : 0;
    if (pairs > shared_bytes) {
        return fail_shared(pairs, shared_bytes, error);
    }
    self->words = (uint32_t)((shared_bytes - pairs) / 4);
    trawl_status status = prepare(self, sample, sample_length, error);
    if (status == TRAWL_OK) {
        try_all(self);
    }
    layout->tiers = 0;
    layout->price = trawl_cuda_qgram_share(NULL, 0, self->direct, self->words);
    if (status == TRAWL_OK && self->classes != 0) {
        put_together(self, layout);
        layout->price = self->best_price;
        layout->candidates = self->best_passing;
        if (layout->tiers == 0) {
            return fail_shared(pairs + 4 * TRAWL_CUDA_QGRAM_UNIT_WORDS, shared_bytes, error);
        }
    }
    if (self->direct) {
        layout->tier[layout->tiers++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_DIRECT,
                                                                .min_length = 1,
                                                                .max_length = 2,
                                                                .stride = 1,
                                                                .gram = 2,
                                                                .folded = folded};
    }
    return status;
}

trawl_status trawl_cuda_qgram_divide(const trawl_patterns *patterns, const uint8_t *walked,
                                     const uint8_t *sample, size_t sample_length,
                                     size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                                     trawl_error *error) {
    chooser *self = trawl_allocate_zeroed(1, sizeof *self);
    if (self == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *self);
    }
    self->patterns = patterns;
    self->walked = walked;
    self->most_tiers = walked == NULL ? MOST_TIERS : MOST_TIERS_BESIDE;
    self->layout = layout;
    trawl_status status = choose(self, sample, sample_length, shared_bytes, layout, error);
    layout->sieved = layout->tiers;
    release(self);
    return status;
}
