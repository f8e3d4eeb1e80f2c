/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/teddy/format.h"

#include "base/fold.h"
#include "base/status.h"
#include "base/text_pieces.h"
#include "constants/cpu.h"

/* Usual frequencies of bytes, in ten-thousandths: the averages over English text, C source and
 * x86-64 machine code, 64 MB each. They are mixed with those of the sample of the text, and used
 * alone if there is none. */
static const uint16_t usual_frequencies[256] = {
    712, 54,  23,  17,  20,  18,  8,   11, 32,  136, 216, 7,  7,   8,   22,  62,  // 0x00
    24,  6,   5,   4,   6,   6,   3,   4,  16,  3,   3,   3,  4,   3,   4,   18,  // 0x10
    999, 5,   30,  15,  64,  10,  10,  8,  64,  56,  47,  8,  85,  59,  62,  25,  // 0x20
    85,  60,  29,  23,  18,  18,  14,  10, 22,  23,  22,  50, 14,  41,  25,  4,   // 0x30
    16,  79,  27,  52,  64,  72,  27,  21, 187, 73,  5,   11, 69,  40,  35,  31,  // 0x40
    45,  5,   45,  56,  59,  26,  14,  16, 18,  8,   4,   23, 22,  24,  4,   198, // 0x50
    11,  272, 71,  171, 171, 473, 126, 76, 122, 281, 6,   35, 165, 107, 264, 247, // 0x60
    121, 13,  273, 264, 366, 138, 56,  46, 51,  52,  9,   27, 12,  28,  4,   3,   // 0x70
    13,  5,   4,   32,  25,  30,  4,   3,  6,   92,  2,   68, 4,   38,  3,   3,   // 0x80
    10,  2,   2,   2,   4,   3,   2,   2,  4,   2,   1,   1,  2,   2,   2,   2,   // 0x90
    5,   1,   1,   2,   2,   2,   2,   2,  4,   2,   2,   2,  3,   2,   1,   2,   // 0xa0
    4,   2,   2,   2,   3,   2,   6,   3,  6,   3,   6,   3,  4,   4,   7,   6,   // 0xb0
    25,  8,   6,   14,  7,   7,   8,   19, 5,   5,   2,   2,  2,   2,   2,   2,   // 0xc0
    8,   3,   6,   3,   2,   2,   2,   2,  7,   3,   3,   4,  2,   3,   4,   8,   // 0xd0
    8,   3,   4,   2,   4,   3,   4,   5,  50,  19,  4,   8,  6,   4,   5,   9,   // 0xe0
    9,   3,   4,   5,   4,   3,   9,   6,  15,  5,   7,   7,  7,   8,   14,  147, // 0xf0
};

/* A set of bytes: those whose low nibble is in `low` and whose high nibble is in `high`. Bit i: the
 * nibble i is in the set. */
typedef struct nibbles {
    uint16_t low, high;
} nibbles;

typedef struct bucket {
    nibbles accepted[TRAWL_TEDDY_SUFFIX]; /* by distance from the pattern's end */
    double share[TRAWL_TEDDY_PROBES];     /* of the text's bytes, that the probe accepts */
    double pass;                          /* the product of the shares; 0 if the bucket is empty */
} bucket;

/* What is read of the sample of the text: pieces of equal length from all over it. */
typedef struct sample_pieces {
    const uint8_t *sample;
    size_t count, bytes; /* of each piece */
    size_t room;         /* the greatest offset of a piece */
} sample_pieces;

static const uint8_t *piece_at(const sample_pieces *pieces, size_t index) {
    return pieces->sample + trawl_sample_place(index, pieces->count, pieces->room);
}

typedef struct chooser {
    uint32_t count; /* patterns */
    uint32_t suffix_bytes;
    nibbles pattern[TRAWL_TEDDY_PATTERNS][TRAWL_TEDDY_SUFFIX];
    bool high_bytes[TRAWL_TEDDY_SUFFIX]; /* by distance: a pattern has a byte from 0x80 on there */
    bool ascii;                          /* no pattern has a byte from 0x80 on anywhere */
    double frequency[256];
    double low_frequency[16]; /* by low nibble */
    uint32_t probes;
    uint32_t distance[TRAWL_TEDDY_PROBES];
    bool both[TRAWL_TEDDY_PROBES]; /* the probe tests both nibbles, not only the low one */
    uint8_t bucket_of[TRAWL_TEDDY_PATTERNS]; /* TRAWL_TEDDY_BUCKETS: none so far */
    bucket buckets[TRAWL_TEDDY_BUCKETS];
} chooser;

/* ------------------------------------------------------------------ shares of text */

static sample_pieces choose_pieces(const uint8_t *sample, size_t length) {
    if (length <= TRAWL_TEDDY_SAMPLE_BYTES) {
        return (sample_pieces){.sample = sample, .count = length != 0, .bytes = length};
    }
    const size_t count = TRAWL_TEDDY_SAMPLE_BYTES / TRAWL_TEDDY_SAMPLE_PIECE;
    return (sample_pieces){.sample = sample,
                           .count = count,
                           .bytes = TRAWL_TEDDY_SAMPLE_PIECE,
                           .room = length - TRAWL_TEDDY_SAMPLE_PIECE};
}

static void count_frequencies(chooser *self, const sample_pieces *sample) {
    /* A sample may lack bytes that the text has: the usual frequencies are always mixed in. */
    double length = (double)(sample->count * sample->bytes), total = 0;
    double weight = length / (length + TRAWL_TEDDY_USUAL_BYTES);
    double counts[256] = {0};
    for (size_t piece = 0; piece < sample->count; piece++) {
        const uint8_t *bytes = piece_at(sample, piece);
        for (size_t i = 0; i < sample->bytes; i++) {
            counts[bytes[i]]++;
        }
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        total += usual_frequencies[byte];
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        double counted = length == 0 ? 0 : counts[byte] / length;
        self->frequency[byte] = weight * counted + (1 - weight) * usual_frequencies[byte] / total;
        if (!self->ascii || byte < 0x80) {
            self->low_frequency[byte & 15] += self->frequency[byte];
        }
    }
}

/* The share of text bytes that are in the set; without `both`, that have one of its low nibbles. */
static double share_of(const chooser *self, nibbles set, bool both) {
    double share = 0;
    if (!both) {
        for (uint32_t low = set.low; low != 0; low &= low - 1) {
            share += self->low_frequency[__builtin_ctz(low)];
        }
        return share;
    }
    for (uint32_t high = set.high; high != 0; high &= high - 1) {
        const double *row = self->frequency + 16 * __builtin_ctz(high);
        for (uint32_t low = set.low; low != 0; low &= low - 1) {
            share += row[__builtin_ctz(low)];
        }
    }
    return share;
}

static nibbles united(nibbles a, nibbles b) {
    return (nibbles){.low = a.low | b.low, .high = a.high | b.high};
}

/* ------------------------------------------------------------------ buckets */

/* The pass rate that a bucket would have with this pattern added. */
static double pass_with(const chooser *self, const bucket *into, uint32_t pattern) {
    double pass = 1;
    for (uint32_t probe = 0; probe < self->probes; probe++) {
        nibbles accepted = into->accepted[self->distance[probe]];
        nibbles all = united(accepted, self->pattern[pattern][self->distance[probe]]);
        bool same = all.low == accepted.low && all.high == accepted.high;
        pass *= same ? into->share[probe] : share_of(self, all, self->both[probe]);
    }
    return pass;
}

/* Adds the pattern to the bucket's sets of bytes. */
static void add_to_bucket(chooser *self, uint32_t pattern, uint32_t to) {
    bucket *into = &self->buckets[to];
    self->bucket_of[pattern] = (uint8_t)to;
    for (uint32_t distance = 0; distance < self->suffix_bytes; distance++) {
        into->accepted[distance] =
            united(into->accepted[distance], self->pattern[pattern][distance]);
    }
}

/* Computes the bucket's shares and pass rate. */
static void update_pass_rate(const chooser *self, bucket *one) {
    one->pass = one->accepted[0].low == 0 ? 0 : 1;
    for (uint32_t probe = 0; probe < self->probes; probe++) {
        one->share[probe] = share_of(self, one->accepted[self->distance[probe]], self->both[probe]);
        one->pass *= one->share[probe];
    }
}

/* Removes the pattern from its bucket, which is built again from the patterns that are left. */
static void remove_from_bucket(chooser *self, uint32_t pattern) {
    uint32_t to = self->bucket_of[pattern];
    self->buckets[to] = (bucket){.pass = 0};
    self->bucket_of[pattern] = TRAWL_TEDDY_BUCKETS;
    for (uint32_t other = 0; other < self->count; other++) {
        if (self->bucket_of[other] == to) {
            add_to_bucket(self, other, to);
        }
    }
    update_pass_rate(self, &self->buckets[to]);
}

/* Puts each pattern into the bucket whose pass rate rises least by it. Further rounds take each
 * pattern out and choose again, now that all others are in place. */
static void assign_buckets(chooser *self) {
    memset(self->buckets, 0, sizeof self->buckets);
    memset(self->bucket_of, TRAWL_TEDDY_BUCKETS, sizeof self->bucket_of);
    for (uint32_t round = 0; round < TRAWL_TEDDY_BUCKET_ROUNDS; round++) {
        for (uint32_t pattern = 0; pattern < self->count; pattern++) {
            if (round != 0) {
                remove_from_bucket(self, pattern);
            }
            uint32_t best = 0;
            double least = 2;
            for (uint32_t i = 0; i < TRAWL_TEDDY_BUCKETS; i++) {
                double more = pass_with(self, &self->buckets[i], pattern) - self->buckets[i].pass;
                if (more < least) {
                    least = more;
                    best = i;
                }
            }
            add_to_bucket(self, pattern, best);
            update_pass_rate(self, &self->buckets[best]);
        }
    }
}

static double total_pass(const chooser *self) {
    double pass = 0;
    for (uint32_t i = 0; i < TRAWL_TEDDY_BUCKETS; i++) {
        pass += self->buckets[i].pass;
    }
    return pass < 1 ? pass : 1;
}

/* ------------------------------------------------------------------ probes */

static double work(uint32_t probes, uint32_t both) {
    return probes + TRAWL_TEDDY_HIGH_WORK * both;
}

/* The work for a byte of text with this pass rate, in tests of a low nibble. With less work than
 * that of one probe of both nibbles a filter does not become faster: with 4.5, in which time text
 * comes from memory, as the least work, texts in caches were 1.12 times slower where the filter
 * differs, and of 99 texts of 64 MiB none was more than 5 % faster. */
static double cost(const chooser *self, double pass) {
    uint32_t both = 0;
    for (uint32_t probe = 0; probe < self->probes; probe++) {
        both += self->both[probe];
    }
    const double filtering = work(self->probes, both), least = work(1, 1);
    return (filtering > least ? filtering : least) + TRAWL_TEDDY_CANDIDATE_WORK * pass;
}

/* The pass rate of all buckets after a change of this probe. Either it now tests both nibbles, or
 * it is the last probe, tests low nibbles and is new. */
static double pass_if(chooser *self, uint32_t probe) {
    double pass = 0;
    for (uint32_t i = 0; i < TRAWL_TEDDY_BUCKETS; i++) {
        const bucket *one = &self->buckets[i];
        double share = share_of(self, one->accepted[self->distance[probe]], self->both[probe]);
        bool is_new = probe + 1 == self->probes && !self->both[probe];
        double before = is_new ? 1 : one->share[probe];
        pass += before > 0 ? one->pass * share / before : 0;
    }
    return pass < 1 ? pass : 1;
}

/* Makes the cheapest next change: a new probe of low nibbles, or the high nibbles for one that
 * exists. Returns false if all probes are in use with both nibbles. */
static bool add_probe_or_nibbles(chooser *self) {
    double least = 1e300;
    uint32_t best_distance = 0, best_probe = 0;
    bool tested[TRAWL_TEDDY_SUFFIX] = {false};
    for (uint32_t probe = 0; probe < self->probes; probe++) {
        tested[self->distance[probe]] = true;
        if (!self->both[probe]) {
            self->both[probe] = true;
            double offered = cost(self, pass_if(self, probe));
            self->both[probe] = false;
            if (offered < least) {
                least = offered;
                best_probe = probe;
            }
        }
    }
    uint32_t added = self->probes;
    for (uint32_t distance = 0; added < TRAWL_TEDDY_PROBES && distance < self->suffix_bytes;
         distance++) {
        if (tested[distance]) {
            continue;
        }
        self->distance[added] = distance;
        self->both[added] = false;
        self->probes = added + 1;
        double pass;
        if (added ==
            0) { /* without probes all patterns are alike: buckets are assigned by this one */
            assign_buckets(self);
            pass = total_pass(self);
        } else {
            pass = pass_if(self, added);
        }
        self->probes = added;
        double offered = cost(self, pass) + TRAWL_TEDDY_NEW_PROBE_WORK;
        if (offered < least) {
            least = offered;
            best_probe = added;
            best_distance = distance;
        }
    }
    if (least == 1e300) {
        return false;
    }
    if (best_probe == added) {
        self->distance[added] = best_distance;
        self->both[added] = false;
        self->probes = added + 1;
    } else {
        self->both[best_probe] = true;
    }
    assign_buckets(self);
    return true;
}

/* ------------------------------------------------------------------ the filter */

static void write_filter(const chooser *self, trawl_teddy *filter) {
    *filter = (trawl_teddy){.ascii = 1};
    for (uint32_t round = 0; round < 2; round++) { /* probes of both nibbles come first */
        for (uint32_t probe = 0; probe < self->probes; probe++) {
            if (self->both[probe] != (round == 0)) {
                continue;
            }
            uint32_t at = filter->probes++, distance = self->distance[probe];
            filter->both += round == 0;
            filter->distance[at] = distance;
            filter->ascii &= !self->high_bytes[distance];
            for (uint32_t i = 0; i < TRAWL_TEDDY_BUCKETS; i++) {
                nibbles accepted = self->buckets[i].accepted[distance];
                for (uint32_t nibble = 0; nibble < 16; nibble++) {
                    filter->low[at][nibble] |=
                        (uint8_t)(((uint32_t)accepted.low >> nibble & 1) << i);
                    filter->high[at][nibble] |=
                        (uint8_t)(((uint32_t)accepted.high >> nibble & 1) << i);
                }
            }
        }
    }
}

/* Whether all patterns have the same byte, and no other, at this distance. */
static bool find_shared_byte(const chooser *self, uint32_t distance, uint8_t *byte) {
    nibbles all = {.low = 0};
    for (uint32_t i = 0; i < self->count; i++) {
        all = united(all, self->pattern[i][distance]);
    }
    if (__builtin_popcount(all.low) != 1 || __builtin_popcount(all.high) != 1) {
        return false;
    }
    *byte = (uint8_t)(__builtin_ctz(all.high) << 4 | __builtin_ctz(all.low));
    return true;
}

/* Keeps of each byte value the least and the greatest distance, as a pair of two neighbours of one
 * value stands at nearly every position of a run of this value. If `byte` is listed with two
 * distances, replaces the greater one and returns true. */
static bool replace_greater_distance(uint8_t byte, uint32_t distance, uint8_t *distances,
                                     const uint8_t *bytes, uint32_t count) {
    uint32_t listed = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == byte) {
            listed++;
            last = i;
        }
    }
    if (listed < 2) {
        return false;
    }
    distances[last] = (uint8_t)distance;
    return true;
}

/* Finds up to TRAWL_TEDDY_PAIR_CHOICES distances at which all patterns have the same byte, those
 * with the rarest bytes first. */
static uint32_t find_shared_bytes(const chooser *self, uint8_t *distances, uint8_t *bytes) {
    uint32_t count = 0;
    for (uint32_t distance = 0; distance < self->suffix_bytes; distance++) {
        uint8_t byte;
        if (!find_shared_byte(self, distance, &byte) ||
            replace_greater_distance(byte, distance, distances, bytes, count)) {
            continue;
        }
        uint32_t at = count;
        for (; at > 0 && self->frequency[byte] < self->frequency[bytes[at - 1]]; at--) {
            if (at < TRAWL_TEDDY_PAIR_CHOICES) {
                bytes[at] = bytes[at - 1];
                distances[at] = distances[at - 1];
            }
        }
        if (at < TRAWL_TEDDY_PAIR_CHOICES) {
            bytes[at] = byte;
            distances[at] = (uint8_t)distance;
            count += count < TRAWL_TEDDY_PAIR_CHOICES;
        }
    }
    return count;
}

/* The share of the sample's positions at which both bytes stand. */
static double count_pair(const trawl_teddy_pair *pair, const sample_pieces *sample) {
    size_t found = 0, positions = 0;
    for (size_t piece = 0; piece < sample->count; piece++) {
        const uint8_t *bytes = piece_at(sample, piece);
        for (size_t i = TRAWL_TEDDY_SUFFIX; i < sample->bytes; i++) {
            found += (bytes[i + 1 - pair->before[0]] == pair->byte[0]) &
                     (bytes[i + 1 - pair->before[1]] == pair->byte[1]);
            positions++;
        }
    }
    return positions == 0 ? 0 : (double)found / (double)positions;
}

/* Chooses the pair of bytes with the least candidates. Returns its pass rate; leaves *pair as it is
 * if there is none. */
static double choose_pair(const chooser *self, const sample_pieces *sample,
                          trawl_teddy_pair *pair) {
    uint8_t distances[TRAWL_TEDDY_PAIR_CHOICES] = {0}, bytes[TRAWL_TEDDY_PAIR_CHOICES] = {0};
    const uint32_t count = find_shared_bytes(self, distances, bytes);
    double least = 1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = count == 1 ? i : i + 1; k < count; k++) {
            trawl_teddy_pair offered = {
                .before = {(uint8_t)(distances[i] + 1), (uint8_t)(distances[k] + 1)},
                .byte = {bytes[i], bytes[k]}};
            double pass = self->frequency[bytes[i]] * (i == k ? 1 : self->frequency[bytes[k]]);
            double counted = count_pair(&offered, sample);
            pass = counted > pass ? counted : pass;
            if (pass < least) {
                least = pass;
                *pair = offered;
            }
        }
    }
    return least;
}

/* The pass rate of the sample; 0 where its pieces are too short to say. */
static double count_candidates(const trawl_teddy *filter, const sample_pieces *sample) {
    size_t found = 0, positions = 0;
    uint8_t sets[TRAWL_TEDDY_PROBES][256];
    for (uint32_t probe = 0; probe < filter->probes; probe++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            sets[probe][byte] = trawl_teddy_test(filter, probe, (uint8_t)byte);
        }
    }
    for (size_t piece = 0; piece < sample->count; piece++) {
        const uint8_t *bytes = piece_at(sample, piece);
        for (size_t i = TRAWL_TEDDY_SUFFIX; i < sample->bytes; i++) {
            uint8_t left = 0xff; /* buckets */
            for (uint32_t probe = 0; probe < filter->probes; probe++) {
                left &= sets[probe][bytes[i - filter->distance[probe]]];
            }
            found += left != 0;
            positions++;
        }
    }
    return positions == 0 ? 0 : (double)found / (double)positions;
}

static void read_patterns(chooser *self, const trawl_patterns *patterns, const uint32_t *ids) {
    for (uint32_t i = 0; i < self->count; i++) {
        const uint8_t *past = trawl_pattern_end(patterns, ids[i]);
        bool folds = (patterns->flags[ids[i]] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        uint32_t length = trawl_pattern_length(patterns, ids[i]);
        for (uint32_t distance = 0; distance < self->suffix_bytes; distance++) {
            if (distance >= length) { /* before the pattern any byte is accepted */
                self->pattern[i][distance] = (nibbles){.low = 0xffff, .high = 0xffff};
                self->high_bytes[distance] = true;
                continue;
            }
            uint8_t byte = *(past - 1 - distance);
            uint8_t folded = trawl_fold(byte);
            nibbles *set = &self->pattern[i][distance];
            set->low = (uint16_t)(1u << (byte & 15));
            set->high = (uint16_t)(1u << (byte >> 4));
            if (folds && trawl_is_letter(byte)) {
                set->high |= (uint16_t)(1u << (folded >> 4) | 1u << ((folded ^ 0x20) >> 4));
            }
            self->high_bytes[distance] |= byte >= 0x80;
            self->ascii &= byte < 0x80;
        }
    }
}

double trawl_teddy_make(const trawl_patterns *patterns, const uint32_t *ids, uint32_t count,
                        uint32_t suffix_bytes, const uint8_t *sample, size_t length,
                        trawl_teddy *filter) {
    chooser self = {.count = count,
                    .suffix_bytes =
                        suffix_bytes < TRAWL_TEDDY_SUFFIX ? suffix_bytes : TRAWL_TEDDY_SUFFIX,
                    .ascii = true};
    const sample_pieces pieces = choose_pieces(sample, length);
    read_patterns(&self, patterns, ids);
    count_frequencies(&self, &pieces);
    double least = 1e300, expected = 1;
    for (bool gains = true; gains && add_probe_or_nibbles(&self);) {
        trawl_teddy offered;
        write_filter(&self, &offered);
        /* Neighbouring bytes of a text depend on each other, which the product of shares ignores:
         * so candidates are counted too. */
        double pass = total_pass(&self), counted = count_candidates(&offered, &pieces);
        pass = counted > pass ? counted : pass;
        double all = cost(&self, pass);
        gains = all < least;
        if (gains) {
            least = all;
            expected = pass;
            *filter = offered;
        }
    }
    trawl_teddy_pair pair = {.before = {0}};
    double pass = choose_pair(&self, &pieces, &pair);
    if (pair.before[0] != 0 &&
        TRAWL_TEDDY_PAIR_WORK + TRAWL_TEDDY_CANDIDATE_WORK * pass <
            trawl_teddy_work(filter) + TRAWL_TEDDY_CANDIDATE_WORK * expected) {
        filter->pair = pair;
        expected = pass;
    }
    return expected;
}

double trawl_teddy_work(const trawl_teddy *filter) {
    return trawl_teddy_has_pair(filter) ? TRAWL_TEDDY_PAIR_WORK
                                        : work(filter->probes, filter->both);
}

/* ------------------------------------------------------------------ the tier */

trawl_status trawl_teddy_make_tier(const trawl_patterns *patterns, trawl_qgram_header *header,
                                   trawl_error *error) {
    if (patterns->count > TRAWL_TEDDY_PATTERNS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "qgram: variant teddy takes at most %u patterns, and these are %zu; "
                          "variant mixed takes them, and engine ac-dfa does",
                          TRAWL_TEDDY_PATTERNS, patterns->count);
    }
    uint32_t least = (uint32_t)patterns->min_length;
    header->tiers = 1;
    header->tier[0] =
        (trawl_qgram_tier){.kind = TRAWL_TIER_TEDDY,
                           .min_length = least,
                           .max_length = (uint32_t)patterns->max_length,
                           .window = least < TRAWL_TEDDY_SUFFIX ? least : TRAWL_TEDDY_SUFFIX,
                           .gram = 1, /* candidates are last bytes */
                           .stride = 1,
                           .folded = patterns->case_insensitive != 0};
    return TRAWL_OK;
}

bool trawl_teddy_is_valid(const trawl_teddy *filter, uint64_t size, uint32_t suffix_bytes) {
    if (size != sizeof *filter || filter->probes == 0 || filter->probes > TRAWL_TEDDY_PROBES ||
        filter->both > filter->probes || filter->ascii > 1) {
        return false;
    }
    bool valid = true;
    for (uint32_t probe = 0; probe < filter->probes; probe++) {
        valid = valid && filter->distance[probe] < suffix_bytes &&
                filter->distance[probe] < TRAWL_TEDDY_SUFFIX;
    }
    const uint8_t *before = filter->pair.before;
    valid = valid && (before[0] == 0) == (before[1] == 0);
    for (uint32_t i = 0; i < 2; i++) {
        valid = valid && before[i] <= suffix_bytes && before[i] <= TRAWL_TEDDY_SUFFIX;
    }
    return valid;
}
