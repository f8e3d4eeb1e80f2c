/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The planner's fixed numbers for CPUs: prices, limits and choices that are not measured on each
 * machine. What `trawl tune --device cpu` measures is in trawl_costs (costs/costs.c).
 *
 * Each number stands here once, with its meaning, its unit and its origin. "Chosen by hand" means:
 * the sentence says what the number trades off, but no measurement of this number alone is on
 * record. The results of the workloads in docs/results were obtained with all numbers together.
 */
#ifndef TRAWL_COSTS_CPU_CONSTANTS_H
#define TRAWL_COSTS_CPU_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ the choice of an engine
 * (plan/cpu.c) */

/* ac-dfa is not chosen if its tables have this many bytes or more: a program would spend that
 * memory without having been asked. Chosen by hand: memory against the speed of a DFA. */
#define TRAWL_PLAN_MAX_DFA_BYTES ((uint64_t)1 << 30)

/* A step of ac-nfa is expected to take at least this many times as long as one of ac-dfa: it waits
 * for failure links and for the search of a child, where ac-dfa does not. The median over the
 * workloads of docs/guide/benchmarks.md. */
#define TRAWL_PLAN_NFA_STEPS 3

/* The two shares of bytes with the end of a match for which trawl_costs has prices: dfa_match for
 * the first share and below, dfa_match_often for the second. Prices between are interpolated. The
 * shares are those of the measurement in calibrate/cpu.c. */
#define TRAWL_PLAN_FEW_ENDS (1.0 / 15)
#define TRAWL_PLAN_OFTEN_ENDS (1.0 / 2)

/* What wu-manber and rabin-karp do with a window that is not excluded, in units of
 * trawl_costs.shift_zero: list it and find that no pattern has its last bytes; find a pattern's
 * last bytes. And a step of the binary search among keys that end alike, in look-ups
 * (trawl_look_up_cost): its two loads mostly meet lines that earlier searches have read. Fitted to
 * 285 random workloads on a Zen 4 (docs/notebook/2026-11-regret.md). */
#define TRAWL_PLAN_WU_MANBER_ZERO 0.4
#define TRAWL_PLAN_WU_MANBER_LOOK_UP 0.8
#define TRAWL_PLAN_RABIN_KARP_CANDIDATE 1.0
#define TRAWL_PLAN_RABIN_KARP_LOOK_UP 1.3
#define TRAWL_PLAN_SEARCH_STEP 0.25

/* A position in a pass of rabin-karp, in steps of ac-dfa with a table in the nearest cache: a
 * product and a load from its filter, and no load that depends on the one before. From the same
 * workloads. */
#define TRAWL_PLAN_RABIN_KARP_STEPS 1.34

/* Bytes of HASH for each pattern, of which a window with a shift of 0 reads one slot. */
#define TRAWL_PLAN_SLOT_BYTES 8

/* Nanoseconds that building takes for each byte of tables, of qgram, ac-dfa, ac-nfa, wu-manber and
 * rabin-karp, of which the last is taken to be like wu-manber.
 * Medians of 110 to 250 sets on a Xeon; of qgram a half, as the rest is planning
 * (docs/notebook/2026-11-planner-prices.md). */
static const double trawl_plan_build_byte_costs[] = {7, 0.8, 6, 9, 9};

/* Bytes of qgram's tables for each pattern, its filters not counted: key look-up, suffix filter,
 * outputs and endings. An estimate, for the limit of tables. */
#define TRAWL_PLAN_QGRAM_PATTERN_BYTES 90u

/* Tables are small up to SMALL_BYTES plus SMALL_PATTERN_BYTES for each pattern. Larger tables are
 * taken only for a speed that is this factor higher. An aim, not a measurement: memory, and the
 * time in which tables are built and loaded, are worth something too. */
#define TRAWL_COST_SMALL_PATTERN_BYTES 64.0
#define TRAWL_COST_SMALL_BYTES 2e6
#define TRAWL_COST_LARGE_TABLES_FACTOR 1.2

/* ------------------------------------------------------------------ qgram: blocks and prefetching
 */

/* Bytes of text that all tiers of qgram take through all their steps before the next ones: the text
 * and the lists fit the caches near a core. 64 KiB were as fast, 1.03 and 1.04 times within noise
 * (docs/notebook/2026-11-register-filter-candidates.md, first round). */
#define TRAWL_QGRAM_BLOCK ((size_t)16384)

/* How many bytes ahead of a loop text is prefetched. Hardware prefetchers stop at the end of a
 * page. Sample filter: 1.4 times as fast from memory (docs/notebook/2026-11-sample-filter.md).
 * Teddy: 10.6-12 to 14-16 GB/s; 512 bytes gain nothing, 2 KiB most of it
 * (docs/notebook/2026-11-teddy.md). The other two took over Teddy's distance without a measurement
 * of their own. */
#define TRAWL_BLOOM_PREFETCH 2048
#define TRAWL_TEDDY_PREFETCH 4096
#define TRAWL_REGISTER_BLOOM_PREFETCH 4096
#define TRAWL_PACKED_PREFETCH 4096

/* ------------------------------------------------------------------ qgram: survey
 * How much of a set and of the sample of the text is examined (engines/qgram/survey.h). */

/* Number of classes of length into which patterns are divided (a tier takes neighbouring classes),
 * and the shortest length of each, in bytes. There is a class for each length up to where one more
 * byte allows a longer q-gram, and wide ones for long patterns. Chosen by hand: more classes allow
 * more divisions, and take more time to try. */
#define TRAWL_SURVEY_CLASSES 10u
static const uint32_t trawl_survey_class_begins[TRAWL_SURVEY_CLASSES] = {1, 3, 4,  5,  6,
                                                                         7, 8, 12, 16, 32};

/* Number of patterns of a large set that are examined, in proportion to their classes, and the
 * least number of each class. Chosen by hand: more exact pass rates against planning time, which is
 * a few milliseconds with these numbers. */
#define TRAWL_SURVEY_PATTERNS 8192u
#define TRAWL_SURVEY_CLASS_PATTERNS 256u

/* Hash slots for q-grams, as a power of two, for sets of up to TRAWL_SURVEY_MANY_PATTERNS; one bit
 * more each time that the set doubles, up to a maximum. With 2^14 slots for a million random
 * patterns the survey expected 4 % candidates where there are 21 %; with 2^17 another q-gram is
 * chosen, 0.22 to 0.41 GB/s (docs/notebook/2026-11-sample-filter.md, last row of "Later steps"). */
#define TRAWL_SURVEY_SLOT_BITS 14u
#define TRAWL_SURVEY_MAX_SLOT_BITS 17u
#define TRAWL_SURVEY_MANY_PATTERNS ((size_t)1 << 17)

/* Number of groups of eight samples of the text that are tested for one filter: the minimum, and
 * one more for every two patterns, up to the maximum, which grows with the slots. Chosen by hand:
 * planning time against exact pass rates, which small sets gain less from. */
#define TRAWL_SURVEY_MIN_GROUPS 256u
#define TRAWL_SURVEY_MAX_GROUPS 1024u

/* The largest share of samples that the survey computes with: the logarithm of what is left must
 * stay finite. */
#define TRAWL_SURVEY_MAX_SHARE 0.9999

/* Where chance alone would give fewer candidates than this in the survey, their number says little,
 * and the share of candidates is at least what chance gives with all patterns. Chosen by hand: the
 * spread of 16 is 4. */
#define TRAWL_SURVEY_FEW_HITS 16.0

/* Number of bytes of the patterns whose values are counted. Chosen by hand: enough for 256
 * counters, and it takes some tens of microseconds. */
#define TRAWL_SURVEY_PATTERN_BYTES 65536u

/* How much the text repeats itself. Bytes of text that are needed to measure it; hash bits of the
 * count of different 4-grams; and the least share of different 4-grams that is believed. Chosen by
 * hand: a short sample says little, and more hash bits take more memory than the caches have.
 * Pricing tables by this share gained 1.36 to 1.68 times for rare-100000
 * (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_SURVEY_SPREAD_LEAST_TEXT 4096u
#define TRAWL_SURVEY_SPREAD_BITS 18u
#define TRAWL_SURVEY_LEAST_SPREAD 0.05

/* ------------------------------------------------------------------ qgram: prices of a tier with a
 * sample filter (engines/qgram/cost.c) */

/* The share of ends without a key that pass the suffix filter: it has a word of 32 bits for each
 * suffix, and an end needs two of its bits. Estimated; not measured separately. */
#define TRAWL_COST_SUFFIX_FILTER_PASS (1.0 / 150)

/* Bytes that a look-up may touch for each key: its entries in the tables of key look-up, a cache
 * line. And bytes of suffix filter for each key, about two words. Estimated. */
#define TRAWL_COST_KEY_BYTES 64
#define TRAWL_COST_KEY_SUFFIX_BYTES 8

/* What a step of the binary search among keys with the same last eight bytes takes, as a share of a
 * look-up without one: it reads a key and compares bytes, two waits where a look-up has four. */
#define TRAWL_COST_SEARCH_STEP 0.5

/* By how much a cost by size of table grows at most for each factor of four beyond 64 MiB, where
 * costs are not measured; up to it, as between the last two sizes. */
#define TRAWL_COST_MOST_GROWTH 1.6

/* Sizes of sample filter that are tried, as powers of two of its rows of 32 bits: the least; and
 * the size above which no filter is tried with more than MAX_ROWS_PER_GRAM rows for each q-gram.
 * Chosen by hand: they end the search where a larger filter excludes hardly more. */
#define TRAWL_COST_MIN_ROW_BITS 8u
#define TRAWL_COST_FEW_ROW_BITS 10u
#define TRAWL_COST_MAX_ROWS_PER_GRAM 64

/* ------------------------------------------------------------------ qgram: division into tiers
 * (engines/qgram/divide.c) */

/* The lengths of q-grams that are tried, in bytes; lengths below the least one only for patterns
 * that are that short, since such q-grams exclude too little. Each is tried with the longest
 * possible stride: shorter strides changed one plan in 102 (docs/notebook/2026-11-ablation.md).
 * Chosen by hand: more lengths take more planning time. */
#define TRAWL_DIVIDE_GRAMS 9u
static const uint32_t trawl_divide_grams[TRAWL_DIVIDE_GRAMS] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
#define TRAWL_DIVIDE_LEAST_GRAM 3u

/* The longest window in bytes: the longest stride and the longest q-gram, rounded up. */
#define TRAWL_DIVIDE_MAX_WINDOW 80u

/* The largest sample filter in bytes. With 32 MiB, a filter for 10,000,000 patterns of 16 bytes had
 * eleven q-grams in each row of 32 bits, and 29 % of the samples passed by chance; with 256 MiB,
 * one for 50,000,000 had eight (docs/notebook/2026-11-fifty-million.md). */
#define TRAWL_DIVIDE_MAX_FILTER_BYTES (UINT64_C(1) << 30)

/* Each further tier adds this share of the price of all: tiers evict each other's tables from the
 * nearest caches, and events are merged. Fitted to whole scans on a Zen 3, first as 0.15, then as
 * 0.10; no table of these runs is on record. */
#define TRAWL_DIVIDE_FURTHER_TIER 0.10

/* What a tier of free anchors is expected to cost more than its price: a gain by anchors that were
 * chosen by a sample has to be clear (docs/notebook/2026-11-anchor-offsets.md). */
#define TRAWL_DIVIDE_ANCHOR_MARGIN 1.1

/* Register Bloom filters: the time of whole scans divided by that of the filter alone, which is
 * what trawl_costs has: for a filter that is the only tier, and for one beside others, which
 * compete for the caches. The same factor multiplies the price of candidates, since real texts have
 * more candidates that have to be compared. Fitted to code-100, code-1000, english-100 and gitleaks
 * (docs/notebook/2026-11-register-filter-candidates.md, second round). */
#define TRAWL_DIVIDE_REGISTERS_ALONE 1.1
#define TRAWL_DIVIDE_REGISTERS_BESIDE 1.5
#define TRAWL_DIVIDE_REGISTERS_CANDIDATE 1.7

/* Number of pieces of the sample on which a register Bloom filter is tried, and the bytes of each.
 * On the first 8 KiB of the sample 0.05 % of the positions were candidates where 0.30 % are
 * (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_DIVIDE_REGISTERS_PIECES 32u
#define TRAWL_DIVIDE_REGISTERS_PIECE ((size_t)512)

/* Bytes of the sample by which a Teddy filter is priced: making one takes time for each. And the
 * most patterns for which one is priced: a whole set; the shortest or the longest patterns of a
 * set. Up to 80 of the shortest ones took 1.5 ms more and changed no plan
 * (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_DIVIDE_TEDDY_SAMPLE ((size_t)4096)
#define TRAWL_DIVIDE_TEDDY_SET 64u
#define TRAWL_DIVIDE_TEDDY_PART 32u

/* The price of a candidate of Teddy in a tier of byte pairs, as a share of the usual price of a
 * candidate: it takes one load from the table of pairs instead of a comparison with keys. Chosen by
 * hand: an estimate of that ratio. */
#define TRAWL_DIVIDE_PAIR_CANDIDATE 0.5

/* ------------------------------------------------------------------ qgram: free anchors
 * (engines/qgram/anchors) */

/* Bytes of sample that weigh as much as the built-in frequencies of byte pairs. Chosen by hand: a
 * sample of a few kilobytes must not exclude pairs that it lacks and other texts have, and a long
 * sample must decide. */
#define TRAWL_ANCHORS_PRIOR_BYTES 16384.0F

/* The cost of an anchor at a q-gram that other keys already have, as a share of the cost of a new
 * q-gram: one more entry to compare, a fifth of a candidate. And the weight of a q-gram that the
 * sample of the text lacks although its byte pairs are frequent. Chosen by hand, from the range of
 * values that were good in a sketch. */
#define TRAWL_ANCHORS_SHARED_WEIGHT 0.2F
#define TRAWL_ANCHORS_UNSEEN_WEIGHT 0.2F

/* From this number of keys at one q-gram on, the q-gram costs more with each further key: a bucket
 * takes 16. And the cost of a run of one byte, which is more than that of any other q-gram. */
#define TRAWL_ANCHORS_MANY_KEYS 8u
#define TRAWL_ANCHORS_RUN_COST 1e6F

/* Shapes of tiers that are tried: bytes of a q-gram, and stride. Chosen by hand: short q-grams,
 * because the freedom to choose a rare one in each pattern excludes more than a longer q-gram
 * does. */
#define TRAWL_ANCHORS_SHAPES 16u
static const struct {
    uint8_t gram, stride;
} trawl_anchors_shapes[TRAWL_ANCHORS_SHAPES] = {{8, 16}, {4, 16}, {8, 8}, {4, 8}, {4, 6}, {8, 4},
                                                {5, 4},  {4, 4},  {3, 4}, {4, 3}, {3, 3}, {4, 2},
                                                {3, 2},  {5, 1},  {4, 1}, {3, 1}};

/* Bytes of a piece of the sample: even pieces choose anchors, odd ones validate the choice. Number
 * of anchors that are chosen for a trial, as a power of two; rows of its filter at least and at
 * most, as powers of two. And one pattern in this many may be left to other tiers because it is
 * short. Chosen by hand: exact prices against the time of a trial, which is about a millisecond. */
#define TRAWL_ANCHORS_PIECE ((size_t)4096)
#define TRAWL_ANCHORS_TRIAL_BITS 14u
#define TRAWL_ANCHORS_LEAST_TRIAL_ROW_BITS 6u
#define TRAWL_ANCHORS_TRIAL_ROW_BITS 15u
#define TRAWL_ANCHORS_FEW_BEFORE 8u

/* Patterns that end with a run of one byte of at least LONG_RUN bytes are all part of a trial, up
 * to RUNS of them. Chosen by hand: a trial takes longer, but such patterns decide: two of 35,387
 * patterns, with 64 zeros at their ends, made 14 % of a program candidates where the others made 2
 * % (docs/notebook/2026-11-free-anchors.md). */
#define TRAWL_ANCHORS_LONG_RUN 16u
#define TRAWL_ANCHORS_RUNS 256u

/* Nanoseconds where tables are in the first-level cache: for a candidate (listing it, and testing
 * its tag), for a bucket, and for each of its entries. And the time of comparing a key whose value
 * was found, as a share of the price of a look-up. Estimated from a sketch on a Zen 3; the entry
 * changed from 1 to 3 after runs on a Xeon (docs/notebook/2026-11-free-anchors.md). */
#define TRAWL_ANCHORS_CANDIDATE_COST 4.0
#define TRAWL_ANCHORS_BUCKET_COST 5.0
#define TRAWL_ANCHORS_ENTRY_COST 3.0
#define TRAWL_ANCHORS_KEY_SHARE 0.4

/* The smallest and the largest filter, as powers of two of its rows of 32 bits: 4 KiB and 512 KiB.
 * Larger ones wait for the third-level cache, and few keys share a bit by then. */
#define TRAWL_ANCHORS_MIN_ROW_BITS 10u
#define TRAWL_ANCHORS_MAX_ROW_BITS 17u

/* ------------------------------------------------------------------ qgram: sparse tiers
 * (engines/qgram/sparse) */

/* Bits of the filter for each anchor: half, once and twice as many are tried. By chance 6, 2 and
 * 0.5 % of the samples pass. */
#define TRAWL_SPARSE_BITS_PER_ANCHOR 16.0

/* The shortest stride that is tried: below, all lines of the text are read. */
#define TRAWL_SPARSE_LEAST_STRIDE 48u

/* The largest tables of a sparse tier that the planner makes. Chosen by hand: memory against speed,
 * for sets of millions of long patterns. */
#define TRAWL_SPARSE_MAX_BYTES (UINT64_C(512) << 20)

/* Bytes of a block of a sparse tier that is the only one. With 16 KiB a block took 160 to 290 ns
 * more than its samples: it has 16 to 68 of them (docs/notebook/2026-11-long-strides.md). */
#define TRAWL_SPARSE_BLOCK (4 * TRAWL_QGRAM_BLOCK)

/* Slots of a trial's table of anchors, as a power of two; a quarter as many anchors are chosen.
 * Chosen by hand: exact prices against the time of a trial, which is about a millisecond. */
#define TRAWL_SPARSE_TRIAL_BITS 16u

/* The time of waiting for the cache line of a sample, as the bytes that are read in that time
 * (trawl_costs.memory). A Xeon takes 8.5 to 10.5 ns at strides of 112 to 1,008, in which it reads
 * 140 to 190 bytes; a Zen 3 takes 7 to 8.5 ns, 140 to 160 bytes. Sample filters at strides of 60
 * reach only 0.7 to 0.9 of the read rate that their prices assume, so the number is lower here:
 * with it both kinds cost the same for patterns of 128 bytes, as measured
 * (docs/notebook/2026-11-long-strides.md). */
#define TRAWL_SPARSE_LINE_BYTES 104.0

/* Nanoseconds of a candidate, where tables are in the first-level cache: a mispredicted branch, and
 * two loads that hardly overlap with others, since a block has few candidates. Estimated. */
#define TRAWL_SPARSE_CANDIDATE_COST 20.0

/* ------------------------------------------------------------------ qgram: rows of the sample
 * filter by fields (engines/qgram/bloom/fields.c) */

/* The price of a sample whose row is a product, divided by that of one whose row is a field
 * extraction: 7 instructions to 5 (docs/notebook/2026-11-sample-filter.md, "Later steps": 0.67 to
 * 0.52 ns a sample in a sketch). */
#define TRAWL_FIELDS_PRODUCT_WORK 1.3

/* Number of bits that fields may have more than the product would. With up to four, rare-10000 was
 * 14 % slower; two gained 2 to 6 % (the same table). */
#define TRAWL_FIELDS_MAX_MORE_BITS 2u

/* Without a sample of the text, fields are used only if each byte gets at least this number of
 * bits. Chosen by hand: fields of fewer bits may meet letters that differ in other bits only. */
#define TRAWL_FIELDS_LEAST_BLIND_BITS 3u

/* Number of samples of the text that are examined; hash slots for their rows, as a power of two, at
 * least twice as many; bits of a hint that excludes most q-grams of the keys, as a power of two: 16
 * KiB, for the first-level cache; and the q-grams of the keys that are looked up, at most. Chosen
 * by hand: exact choices against planning time. The hint was meant to make trying fields 5 times as
 * fast, and was measured only together with other steps (docs/notebook/2026-11-building.md). */
#define TRAWL_FIELDS_SAMPLES 8192u
#define TRAWL_FIELDS_SLOT_BITS 14u
#define TRAWL_FIELDS_HINT_BITS 17u
#define TRAWL_FIELDS_MAX_GRAMS (UINT64_C(1) << 21)

/* The share of samples that are priced by the cache that holds the lines they share; the others are
 * priced as if all lines of the table were read equally often. Introduced when rare-10000 had
 * become 14 % slower (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_FIELDS_NEAR_SHARE_TENTHS 9u

/* ------------------------------------------------------------------ qgram: Teddy
 * (engines/qgram/teddy/build.c). The unit of work is one test of a low nibble. */

/* The most patterns. With more, eight buckets accept nearly every position: a hundred words have
 * candidates at 2.3 to 2.8 % (docs/notebook/2026-11-teddy.md). */
#define TRAWL_TEDDY_PATTERNS 128u

/* The largest pass rate with which a register Bloom filter is used, or Teddy in front of a table of
 * byte pairs. Chosen by hand, as prices are too low beyond: a register Bloom filter with 8.8 % took
 * 1.5 times the time of ac-dfa, though its price was lower (docs/notebook/2026-11-newcomer.md). */
#define TRAWL_TEDDY_MAX_PASS_RATE 0.08

/* From one candidate in 512 bytes on, candidates are listed without a branch for each group of
 * vectors; below, the branch is predicted (docs/notebook/2026-11-teddy.md). */
#define TRAWL_TEDDY_DENSE_BYTES 512u

/* In units of work: the test of a high nibble as well; a candidate (a mispredicted branch and two
 * tests); and the work that is done in the time in which text comes from memory. Measured on a Zen
 * 3 when Teddy was written; the single runs are not on record (docs/notebook/2026-11-teddy.md has
 * their results). */
#define TRAWL_TEDDY_HIGH_WORK 1.6
#define TRAWL_TEDDY_CANDIDATE_WORK 700.0
#define TRAWL_TEDDY_MEMORY_WORK 4.5

/* The work that a new probe must save beyond its price; and the weight of work that is hidden by
 * waiting for memory. Chosen by hand: both only break ties, so that the smaller of two filters that
 * are otherwise equal is preferred. */
#define TRAWL_TEDDY_NEW_PROBE_WORK 1.0
#define TRAWL_TEDDY_HIDDEN_WORK 0.001

/* Bytes of the sample whose candidates are counted; the number of candidates below which the
 * computed pass rate is believed if it is higher; and the bytes of sample that weigh as much as the
 * usual frequencies of bytes. Chosen by hand: planning time and chance in short samples against the
 * text's own frequencies. */
#define TRAWL_TEDDY_SAMPLE_BYTES ((size_t)32768)
#define TRAWL_TEDDY_FEW_CANDIDATES 8u
#define TRAWL_TEDDY_USUAL_BYTES 1000

/* Number of rounds in which patterns are put into buckets; in later rounds all other patterns are
 * in place. And the number of steps without a gain that ends the search for probes. Chosen by hand:
 * better filters against planning time. */
#define TRAWL_TEDDY_BUCKET_ROUNDS 3u
#define TRAWL_TEDDY_STEPS_IN_VAIN 3u

/* ------------------------------------------------------------------ qgram: register Bloom filter
 * (engines/qgram/registers/format.h) */

/* The most patterns with banks of 1,024 bits, two registers each: 1 position in 220 is a false
 * candidate with 300 patterns, 1 in 100 at the limit. */
#define TRAWL_REGISTER_BLOOM_NARROW 384u

/* The most patterns with banks of 2,048 bits: 1 position in 45 is a false candidate with 1,000
 * patterns, 1 in 22 at the limit. */
#define TRAWL_REGISTER_BLOOM_PATTERNS 1280u

/* Instructions for 64 positions. For each hashed byte: three products, and three sums, half of
 * which are joined with others. For the banks (narrow, wide): bits, test and list. `trawl tune`
 * measures a filter of four bytes with narrow banks; the unit is its number of instructions.
 * Counted in the loop. */
#define TRAWL_REGISTER_BLOOM_BYTE_WORK 4.5
#define TRAWL_REGISTER_BLOOM_NARROW_WORK 20
#define TRAWL_REGISTER_BLOOM_WIDE_WORK 32
#define TRAWL_REGISTER_BLOOM_UNIT_WORK 38

/* ------------------------------------------------------------------ qgram: packed filter
 * (engines/qgram/packed/cost.c). Nanoseconds on a Zen 3 with the AVX2 loops. With these the choices
 * for measured sets are within 8 % of the best ones found by trying
 * (docs/notebook/2026-11-packed-filter.md). */

#define TRAWL_PACKED_LETTER_COST 0.05   /* packing a letter */
#define TRAWL_PACKED_PAIR_COST 0.20     /* testing a position by pairs, table in L1 */
#define TRAWL_PACKED_SAMPLE_COST 0.8    /* testing a sample, table in L1 */
#define TRAWL_PACKED_UNALIGNED_COST 0.3 /* more, for a sample inside a byte of letters */
#define TRAWL_PACKED_CANDIDATE_COST 1.5 /* listing a candidate */
#define TRAWL_PACKED_END_COST 0.9       /* testing an end with the suffix filter */
#define TRAWL_PACKED_LOOK_UP_COST 40.0  /* looking up an end that passed it */

/* What a load costs beyond one from the first-level cache, by the bytes of the table, interpolated
 * by the logarithm of the size; the last row is for all larger tables. */
#define TRAWL_PACKED_LOAD_SIZES 5u
static const struct {
    double bytes, nanoseconds;
} trawl_packed_load_costs[TRAWL_PACKED_LOAD_SIZES] = {
    {16 << 10, 0}, {64 << 10, 0.5}, {512 << 10, 1.2}, {2 << 20, 4}, {32 << 20, 10}};
#define TRAWL_PACKED_FAR_LOAD_COST 40

/* One in SUFFIX_FILTER_BITS ends without a key passes the suffix filter, which has at least this
 * many bits for each ending of a key. FEW_ROW_BITS: row bits up to which filters are tried whatever
 * the limit of table bytes is; MIN_ROW_BITS: of the smallest filter by samples; and the fewest
 * letters of a sample. Chosen by hand: they bound what is tried at sizes that make little
 * difference. */
#define TRAWL_PACKED_SUFFIX_FILTER_BITS 32
#define TRAWL_PACKED_FEW_ROW_BITS 10u
#define TRAWL_PACKED_MIN_ROW_BITS 5u
#define TRAWL_PACKED_LEAST_SAMPLE 3u

/* Variant packed: lengths of patterns at which a tier may begin. Chosen by hand: more lengths allow
 * more divisions, and take more planning time. */
#define TRAWL_PACKED_CLASSES 19u
static const uint32_t trawl_packed_class_begins[TRAWL_PACKED_CLASSES] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 64};

/* Matches in 64 positions, on average, from which on AVX-512 writes records 16 at a time: with
 * two 1.4 to 1.7 times as fast, with one 0.95 to 0.97 times
 * (docs/notebook/2026-11-dense-records.md). */
#define TRAWL_PACKED_DENSE_MATCHES 2u

/* ------------------------------------------------------------------ qgram: fallback automaton
 * (engines/qgram/fallback.h) */

/* Bytes of a stretch of text, after which qgram decides whether its filter goes on. A stretch is
 * timed if at least one end in FEW_BYTES was looked up in it; one in MANY_BYTES ends it at once.
 * Chosen by hand: short stretches react sooner, long ones cost less time for clocks. */
#define TRAWL_FALLBACK_STRETCH (8 * TRAWL_QGRAM_BLOCK)
#define TRAWL_FALLBACK_FEW_BYTES 32u
#define TRAWL_FALLBACK_MANY_BYTES 8u

/* The time for a byte, in seconds, below which the filter goes on: a step of an automaton whose
 * table is outside the caches. Once there is an automaton: its own time for a byte, times this
 * factor. With these, 20 MB of one byte take 0.7 to 1.6 times as long as with ac-dfa alone
 * (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_FALLBACK_STEP_SECONDS 5e-9
#define TRAWL_FALLBACK_MARGIN 1.2

/* Seconds that building the automaton is expected to take: for each byte of the patterns, and at
 * least. The filter has to lose that much time first. Chosen by hand: an estimate. */
#define TRAWL_FALLBACK_BUILD_BYTE_SECONDS 100e-9
#define TRAWL_FALLBACK_BUILD_LEAST_SECONDS 200e-6

/* The most bytes that the automaton scans before the filter is tried again. It begins with one
 * stretch, and twice as much each time that the filter is too slow again. Chosen by hand: long
 * enough that trying costs little, short enough that the filter comes back soon after a dense
 * part. */
#define TRAWL_FALLBACK_MAX_BYTES ((size_t)1 << 23)

/* Bytes of the patterns up to which a scanner (trawl_scanner.h) opens the automaton before the
 * first text. Chosen by hand: opening takes some milliseconds and up to some tens of megabytes,
 * against a bounded time for every text. */
#define TRAWL_FALLBACK_RESERVED_BYTES 65536u

/* ------------------------------------------------------------------ wu-manber */

/* The work of looking up a search window whose shift is 0, in reads of SHIFT. Chosen by hand: an
 * estimate from the loads that a look-up makes. */
#define TRAWL_WU_MANBER_LOOK_UP_WORK 8

/* SHIFT has at least ENTRIES_PER_BLOCK entries for each block of the patterns, unless it would
 * exceed this fraction of the memory for all tables. One entry in 8 is then occupied, which gives
 * about 12 % false positives, as in a Bloom filter with one hash. Both chosen by hand: longer
 * shifts against cache misses and memory. */
#define TRAWL_WU_MANBER_ENTRIES_PER_BLOCK 8
#define TRAWL_WU_MANBER_MEMORY_DIVISOR 4

/* The most blocks of patterns with which the planner moves a window over the sample, and the bits
 * among which it counts different ends of patterns, as a power of two. Chosen by hand: a
 * millisecond. */
#define TRAWL_WU_MANBER_TRIAL_BLOCKS ((uint64_t)1 << 17)
#define TRAWL_WU_MANBER_ENDING_BITS 18u

/* ------------------------------------------------------------------ rabin-karp */

/* Patterns longer than twice the hashed window get a pass of their own only if otherwise more than
 * one position in this many would lead to a look-up. Chosen by hand: a pass costs time at every
 * position, a look-up only where it happens. */
#define TRAWL_RABIN_KARP_SELECTIVITY 32.0

/* Bits of the filter for each range of keys, which is one hash in the filter: 64 while the filter
 * has fewer than 1 << 18 bits (32 KiB, a first-level cache), so that 1.6 % of random windows are
 * candidates; 16 above, which makes that 6 %. Chosen by hand: candidates against cache misses. */
#define TRAWL_RABIN_KARP_SMALL_FILTER_BITS 64
#define TRAWL_RABIN_KARP_LARGE_FILTER_BITS 16
#define TRAWL_RABIN_KARP_SMALL_FILTER_LOG 18u

/* The most patterns of a pass with which the planner searches the sample, and the places of the
 * table of their hashes, as a power of two. Chosen by hand: a millisecond for each pass. */
#define TRAWL_RABIN_KARP_TRIAL_PATTERNS ((uint64_t)1 << 14)
#define TRAWL_RABIN_KARP_KNOWN_BITS 18u

/* ------------------------------------------------------------------ ac-split */

/* The number of parts, if the caller does not set it: the fewest for which the table of a part has
 * about this many bytes, the share of a core in a last-level cache; at most 8, as in the paper.
 * More parts pay on GPUs with small caches; on a CPU every part is another walk over the text
 * (docs/notebook/2026-11-dfa-or-nfa.md). */
#define TRAWL_SPLIT_PART_TABLE_BYTES ((uint64_t)8 << 20)
#define TRAWL_SPLIT_MOST_PARTS 8u

#endif
