/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The planner's fixed numbers for CPUs: prices, limits and choices that are not measured on each
 * machine. What `trawl tune --device cpu` measures is in trawl_costs (costs/costs.c).
 *
 * Each number stands here once, with its meaning, its unit and its origin. "Half" and "double" is
 * what 140 random workloads say about the number (docs/notebook/2026-11-constants.md): with half of
 * it and with twice as much (a power of two: one less and one more) how many plans or tables
 * change, and how many times as fast scans of these are. Gains of less than five changed plans may
 * be chance. "Policy" is what users should not be surprised by; no speed decides it.
 */
#ifndef TRAWL_CONSTANTS_CPU_H
#define TRAWL_CONSTANTS_CPU_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ the choice of an engine
 * (plan/cpu.c) */

/* ac-dfa is not chosen if its tables are larger than TRAWL_PLAN_MAX_DFA_BYTES, and larger than one
 * part in TRAWL_PLAN_DFA_MEMORY_SHARE of the memory (of the process, or of the GPU): a program
 * would spend that memory without having been asked. Policy; no other part was tried. Of 188 random
 * workloads on a Xeon with 128 GiB, seven had automata of 1.2 to 4.3 GB that were 1.6 to 3.7 times
 * as fast as the engine chosen (docs/notebook/2026-11-regret.md). */
#define TRAWL_PLAN_MAX_DFA_BYTES ((uint64_t)1 << 30)
#define TRAWL_PLAN_DFA_MEMORY_SHARE 32u

/* A step of ac-nfa is expected to take at least this many times as long as one of ac-dfa: it waits
 * for failure links and for the search of a child, where ac-dfa does not. The median over the
 * workloads of docs/guide/benchmarks.md. */
#define TRAWL_PLAN_NFA_STEPS 3

/* The two shares of bytes with the end of a match for which trawl_costs has prices: dfa_match for
 * the first share and below, dfa_match_often for the second. Prices between are interpolated. The
 * shares are those of the measurement in calibrate/cpu.c. */
#define TRAWL_PLAN_FEW_ENDS (1.0 / 15)
#define TRAWL_PLAN_OFTEN_ENDS (1.0 / 2)

/* Nanoseconds after which text without any of the rare bytes, of which every pattern contains one,
 * is passed over rather than walked: about twice what it takes to begin a walk behind it (a
 * walker's call for 64 bytes takes 50 to 200 ns: docs/notebook/2026-11-one-calls.md). And bytes,
 * where no time is known. */
#define TRAWL_PLAN_BEGIN_NANOSECONDS 400.0
#define TRAWL_PLAN_USUAL_GAP 4096.0

/* What wu-manber and rabin-karp do with a window that is not excluded, in units of
 * trawl_costs.shift_zero: list it and find that no pattern has its last bytes (rabin-karp: 1); find
 * a pattern's last bytes. And a step of the binary search among keys that end alike, in look-ups
 * (trawl_look_up_cost), also of qgram: its two loads mostly meet lines that earlier searches have
 * read. Fitted to 285 random workloads on a Zen 4 (docs/notebook/2026-11-regret.md). One number for
 * both engines, 0.8: 1 plan of 124 changes, to rabin-karp. */
#define TRAWL_PLAN_WU_MANBER_ZERO 0.4
#define TRAWL_PLAN_WU_MANBER_LOOK_UP 0.8
#define TRAWL_PLAN_RABIN_KARP_LOOK_UP 1.3
#define TRAWL_PLAN_SEARCH_STEP 0.25

/* A position in a pass of rabin-karp, in steps of ac-dfa with a table in the nearest cache: a
 * product and a load from its filter, and no load that depends on the one before. From the same
 * workloads. */
#define TRAWL_PLAN_RABIN_KARP_STEPS 1.34

/* Nanoseconds that building takes for each byte of tables, of qgram, ac-dfa, ac-nfa, wu-manber and
 * rabin-karp; and what a DFA takes besides for each byte that the NFA of the same set would have:
 * both are made from one trie. Medians of 18 sets on a Zen 4; qgram is taken to be like
 * wu-manber (docs/notebook/2026-11-planning-time.md). */
static const double trawl_plan_build_byte_costs[] = {2.5, 0.35, 2.4, 2.5, 2.5};
#define TRAWL_PLAN_TRIE_BYTE_COST 1.7

/* One byte in EXAMINED of patterns and text is examined to price automata, where the text's length
 * is known. Fewer bytes plan short texts faster, more make prices more exact. With 64, pricing
 * takes a few percent of a scan of 8 MB (docs/notebook/2026-11-planning-time.md); others were not
 * measured. */
#define TRAWL_EFFORT_EXAMINED 64u

/* Nanoseconds that trials are expected to take, on a Zen 4: of free anchors, for a byte of sample
 * and for a place in a pattern; of other trials, for a byte of sample (of rabin-karp in each pass)
 * and for what is entered in a table or looked up there: a q-gram, a block, the end of a pattern;
 * of Teddy, for a pattern. Fitted to six sets (docs/notebook/2026-11-planning-time.md). */
#define TRAWL_EFFORT_ANCHORS_BYTE 4.0
#define TRAWL_EFFORT_ANCHORS_PLACE 20.0
#define TRAWL_EFFORT_BYTE 8.0
#define TRAWL_EFFORT_ENTRY 30.0
#define TRAWL_EFFORT_TEDDY_PATTERN 10e3

/* Bytes of qgram's tables for each pattern, its filters not counted: key look-up, suffix filter,
 * outputs and endings. An estimate, for the limit of tables. */
#define TRAWL_PLAN_QGRAM_PATTERN_BYTES 90u

/* Tables are small up to SMALL_BYTES plus SMALL_PATTERN_BYTES for each pattern. Larger tables are
 * taken only for a speed that is this factor higher. An aim, not a measurement: memory, and the
 * time in which tables are built and loaded, are worth something too. */
#define TRAWL_COST_SMALL_PATTERN_BYTES 64.0
#define TRAWL_COST_SMALL_BYTES 2e6
#define TRAWL_COST_LARGE_TABLES_FACTOR 1.2

/* ------------------------------------------------------------------ a text that is made up
 * (plan/sample.c), where there is no sample */

/* Bytes of the text that is made. Chosen, not measured. */
#define TRAWL_MADE_UP_TEXT_BYTES ((size_t)32768)

/* Bytes of the patterns that are counted, at most: counting takes time for each. Chosen, not
 * measured. */
#define TRAWL_MADE_UP_PATTERN_BYTES ((size_t)131072)

/* A context is used if contexts of its length occur this often on average. With rarer contexts the
 * text would consist of whole patterns, and every set would seem to match all the time. Chosen, not
 * measured. */
#define TRAWL_MADE_UP_CONTEXT_COUNT 128u

/* ------------------------------------------------------------------ automata: walk of the sample
 * (costs/automata.c) */

/* Bytes of the longest prefixes that are kept; number of prefixes that are kept (of larger sets,
 * some patterns are left out); bytes of the sample that are walked, at most, and if the patterns
 * are few; and bytes of both that are examined for the shortest texts. They bound the time of
 * planning, at the cost of less exact prices; no measurement chose them. */
#define TRAWL_WALK_DEPTH 16u
#define TRAWL_WALK_MOST_BEGINNINGS ((uint64_t)3 << 19)
#define TRAWL_WALK_MOST_TEXT ((size_t)131072)
#define TRAWL_WALK_LEAST_TEXT ((size_t)32768)
#define TRAWL_WALK_LEAST_EXAMINED ((size_t)8192)

/* Bytes of patterns longer than TRAWL_WALK_DEPTH that are compared with the sample, at most: about
 * a millisecond. Without a limit, many patterns that are runs of one byte would take long in a text
 * of that byte. */
#define TRAWL_WALK_MOST_COMPARED ((uint64_t)1 << 20)

/* Automata with larger tables than this have their states counted, if the patterns have at most so
 * many bytes: it takes 5 ns for a byte. 814,237 periodic strings were expected to need 6,053 MB,
 * and need 2,632 (docs/notebook/2026-11-gpu-zoo.md). Building
 * 256 MB takes 0.7 s and more by the same page, counting 64 MB of patterns 0.3 s. */
#define TRAWL_COUNTED_TABLE_BYTES ((uint64_t)256 << 20)
#define TRAWL_COUNTED_MOST_BYTES ((uint64_t)64 << 20)

/* Pages whose addresses a processor keeps (its second-level TLB): 1,536 of a Skylake, 2,048 of a
 * Zen 3 and a Golden Cove, 3,072 of a Zen 4, by their manuals. Pages are taken to have 4 KiB: where
 * a host gives a virtual machine its memory in small pages, the machine's own huge pages are small
 * ones to the processor (docs/notebook/2026-11-pages.md). */
#define TRAWL_TLB_PAGES 2048.0
#define TRAWL_PAGE_BYTES 4096.0

/* Bytes of a state of ac-nfa with its transitions: an estimate. */
#define TRAWL_WALK_NFA_STATE_BYTES 24.0

/* ------------------------------------------------------------------ qgram: blocks and prefetching
 */

/* Bytes of text that all tiers of qgram take through all their steps before the next ones: the text
 * and the lists fit the caches near a core. 64 KiB were as fast, 1.03 and 1.04 times within noise
 * (docs/notebook/2026-11-register-filter-candidates.md, first round). */
#define TRAWL_QGRAM_BLOCK ((size_t)16384)

/* How many bytes ahead of a loop text is prefetched: as many as the loop scans while a line comes
 * from memory. Hardware prefetchers stop at the end of a page. Sample filter: 1.4 times as fast
 * from memory (docs/notebook/2026-11-sample-filter.md). Teddy, which is the fastest, looks twice as
 * far. Half of it on a Zen 5: 0.85 to 0.9 times as fast from memory; on another machine 1.05 times
 * for sample filters, 0.99 to 1.02 times for others (docs/notebook/2026-11-constants.md). */
#define TRAWL_QGRAM_PREFETCH 4096

/* ------------------------------------------------------------------ qgram: survey
 * How much of a set and of the sample of the text is examined (engines/qgram/survey.h). */

/* Number of classes of length into which patterns are divided (a tier takes neighbouring classes),
 * and the shortest length of each, in bytes. There is a class for each length up to where one more
 * byte allows a longer q-gram, and wide ones for long patterns. More classes allow more divisions,
 * and take more time to try. Without one of them up to 5 plans change, 0.85 to 1.34 times as fast.
 */
#define TRAWL_SURVEY_CLASSES 10u
static const uint32_t trawl_survey_class_begins[TRAWL_SURVEY_CLASSES] = {1, 3, 4,  5,  6,
                                                                         7, 8, 12, 16, 32};

/* Number of patterns of a large set that are examined, in proportion to their classes, and the
 * least number of each class. More exact pass rates against planning time. Half of the first: 10
 * plans change, 1.06 and 0.93 times as fast; of the second none. */
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
 * one more for every two patterns, up to the maximum, which grows with the slots. Half of the
 * minimum: 12 plans change, 0.95 and 0.99 times as fast; the maximum for all: 6 plans, 1.08 and
 * 0.94. Half of the maximum: 3 plans, 1.05 and 0.98. */
#define TRAWL_SURVEY_MIN_GROUPS 256u
#define TRAWL_SURVEY_MAX_GROUPS 1024u

/* Where chance alone would give fewer candidates than this in the survey, their number says little,
 * and the share of candidates is at least what chance gives with all patterns. The standard
 * deviation of a count of 16 is 4; with and without: docs/notebook/2026-11-fifty-million.md. */
#define TRAWL_SURVEY_FEW_HITS 16.0

/* Number of patterns whose last bytes are looked up in the sample, at most; of larger sets some. A
 * million takes 35 ms of a Zen 3. Chosen by that time alone. */
#define TRAWL_SURVEY_ENDINGS ((size_t)1 << 20)

/* How much the text repeats itself: the least share of different q-grams that is believed. Half: 6
 * plans change, 0.93 and 1.00 times as fast; double: 6, 1.22 and 1.00. Pricing tables by this share
 * gained 1.36 to 1.68 times for rare-100000 (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_SURVEY_LEAST_SPREAD 0.05

/* ------------------------------------------------------------------ qgram: prices of a tier with a
 * sample filter (engines/qgram/cost.c) */

/* By how much a cost by size of table grows at most for each factor of four beyond 64 MiB, where
 * costs are not measured; up to it, as between the last two sizes. */
#define TRAWL_COST_MOST_GROWTH 1.6

/* The least size of a filter by samples that is tried, as a power of two of its rows of 32 bits: 4
 * KiB, which any first-level cache has room for. And the rows for each q-gram above which no larger
 * one is tried, as it excludes hardly more; twice as many: 6 plans change, 0.96 times as fast. */
#define TRAWL_COST_LEAST_ROW_BITS 10u
#define TRAWL_COST_MAX_ROWS_PER_GRAM 32

/* ------------------------------------------------------------------ qgram: division into tiers
 * (engines/qgram/divide.c) */

/* The lengths of q-grams that are tried, in bytes. Each is tried with the longest
 * possible stride: shorter strides changed one plan in 102 (docs/notebook/2026-11-ablation.md).
 * Those that are chosen most often come first, since planning may end before the last one. More
 * lengths take more planning time. Without one of these 2 to 15 plans change, 0.73 to 1.14 times as
 * fast; without 16 two sets of long patterns are 0.44 and 0.65 times as fast. */
static const uint32_t trawl_divide_grams[] = {4, 6, 3, 8, 5, 12, 16, 2, 1};

/* The largest sample filter in bytes. With 32 MiB, a filter for 10,000,000 patterns of 16 bytes had
 * eleven q-grams in each row of 32 bits, and 29 % of the samples passed by chance; with 256 MiB,
 * one for 50,000,000 had eight (docs/notebook/2026-11-fifty-million.md): so four times that. */
#define TRAWL_DIVIDE_MAX_FILTER_BYTES (UINT64_C(1) << 30)

/* Each further tier adds this share of the price of all: tiers evict each other's tables from the
 * nearest caches, and events are merged. Fitted to whole scans on a Zen 3, first as 0.15, then as
 * 0.10; no table of these runs is on record. */
#define TRAWL_DIVIDE_FURTHER_TIER 0.10

/* What a tier of free anchors is expected to cost more than its price: a gain by anchors that were
 * chosen by a sample has to be clear (docs/notebook/2026-11-anchor-offsets.md). 1.1: 9 plans
 * change, 0.93 and 0.95 times as fast; 1.0 is not better. */
#define TRAWL_DIVIDE_ANCHOR_MARGIN 1.05

/* Register Bloom filters: the time of whole scans divided by that of the filter alone, which is
 * what trawl_costs has. CANDIDATE multiplies the price of candidates, since real texts have more
 * candidates that have to be compared. Fitted to code-100, code-1000, english-100 and gitleaks
 * (docs/notebook/2026-11-register-filter-candidates.md, second round). 1.5 for a filter beside
 * others, as fitted there: one plan of 124 changes. */
#define TRAWL_DIVIDE_REGISTERS_WHOLE 1.1
#define TRAWL_DIVIDE_REGISTERS_CANDIDATE 1.7

/* The largest pass rate with which a register Bloom filter is used, or Teddy in front of a table of
 * byte pairs. Half: 4 plans change, 1.13 and 0.88 times as fast; double: none. Prices are too low
 * beyond: a register Bloom filter with 8.8 % took 1.5 times the time of ac-dfa, though its price
 * was lower (docs/notebook/2026-11-newcomer.md). */
#define TRAWL_DIVIDE_MAX_PASS_RATE 0.08

/* The most patterns for which Teddy is priced, if they are the shortest or the longest of a set: up
 * to 80 of the shortest ones took 1.5 ms more and changed no plan
 * (docs/notebook/2026-11-sample-filter.md); double: 3 plans change, 0.91 times as fast. */
#define TRAWL_DIVIDE_TEDDY_PART 32u

/* The price of a candidate of Teddy in a tier of byte pairs, as a share of the usual price of a
 * candidate: it takes one load from the table of pairs instead of a comparison with keys. Half: no
 * plan changes; double: 3, 0.87 times as fast. */
#define TRAWL_DIVIDE_PAIR_CANDIDATE 0.5

/* ------------------------------------------------------------------ qgram: free anchors
 * (engines/qgram/anchors) */

/* Bytes of sample that weigh as much as the built-in frequencies of byte pairs. A sample of a few
 * kilobytes must not exclude pairs that it lacks and other texts have, and a long sample must
 * decide. Half and double: 18 sets of tables change, 1.00 times as fast. */
#define TRAWL_ANCHORS_PRIOR_BYTES 16384.0F

/* The cost of an anchor at a q-gram that other keys already have, as a share of the cost of a new
 * q-gram: one more entry to compare, a fifth of a candidate. Half and double: 20 sets of tables
 * change, 1.01 and 1.02 times as fast. */
#define TRAWL_ANCHORS_SHARED_WEIGHT 0.2F

/* From this number of keys at one q-gram on, the q-gram costs more with each further key: a bucket
 * takes 64. Measured with 16: half and double: 14 and 10 sets of tables change, 0.99 and 1.00 times
 * as fast; without: 10, 1.03 and 0.97. */
#define TRAWL_ANCHORS_MANY_KEYS 8u

/* Shapes of tiers that are tried: bytes of a q-gram, and stride. Short q-grams, because the freedom
 * to choose a rare one in each pattern excludes more than a longer q-gram does. Without one of
 * these up to 3 plans change, mostly 0.69 to 0.95 times as fast. */
static const struct {
    uint8_t gram, stride;
} trawl_anchors_shapes[] = {{8, 16}, {4, 16}, {8, 8}, {4, 8}, {4, 6}, {8, 4}, {4, 4},
                            {3, 4},  {4, 3},  {4, 2}, {3, 2}, {5, 1}, {4, 1}, {3, 1}};

/* Bytes of a piece of the sample: even pieces choose anchors, odd ones validate the choice. Number
 * of anchors that are chosen for a trial, as a power of two; rows of its filter at least, as a
 * power of two. And one pattern in this many may be left to other tiers because it is short. Exact
 * prices against the time of a trial, which is about a millisecond. Half and double: 2 to 5 plans
 * change for each of them, 0.83 to 1.16 times as fast; of the piece half is 0.58 times as fast. */
#define TRAWL_ANCHORS_PIECE ((size_t)4096)
#define TRAWL_ANCHORS_TRIAL_BITS 14u
#define TRAWL_ANCHORS_LEAST_TRIAL_ROW_BITS 6u
#define TRAWL_ANCHORS_FEW_BEFORE 8u

/* Patterns that are runs of one byte but for a few bytes are all part of a trial, up to so many.
 * A trial takes longer, but such patterns decide: two of 35,387 patterns, with 64
 * zeros at their ends, made 14 % of a program candidates where the others made 2 %
 * (docs/notebook/2026-11-free-anchors.md). */
#define TRAWL_ANCHORS_RUNS 256u

/* Nanoseconds of a step where tables are in the first-level cache: a candidate (listing it, and
 * testing its tag), a bucket, or one of its entries. And the time of comparing a key whose value
 * was found, as a share of the price of a look-up. Estimated from a sketch on a Zen 3, as 4, 5 and
 * 1; the entry became 3 after runs on a Xeon (docs/notebook/2026-11-free-anchors.md). With 3.5 for
 * all three no plan of 124 changes, with 4 four of 100. */
#define TRAWL_ANCHORS_STEP_COST 3.5
#define TRAWL_ANCHORS_KEY_SHARE 0.4

/* The largest filter, as a power of two of its rows of 32 bits: 512 KiB. Larger ones wait for the
 * third-level cache, and few keys share a bit by then. */
#define TRAWL_ANCHORS_MAX_ROW_BITS 17u

/* ------------------------------------------------------------------ qgram: sparse tiers
 * (engines/qgram/sparse) */

/* Bits of the filter for each anchor: half, once and twice as many are tried. By chance 6, 2 and
 * 0.5 % of the samples pass. */
#define TRAWL_SPARSE_BITS_PER_ANCHOR 16.0

/* The shortest stride that is tried: below, all lines of the text are read. */
#define TRAWL_SPARSE_LEAST_STRIDE 48u

/* The largest tables of a sparse tier that the planner makes. Policy: memory against speed, for
 * sets of millions of long patterns. */
#define TRAWL_SPARSE_MAX_BYTES (UINT64_C(512) << 20)

/* Bytes of a block of a sparse tier that is the only one. With 16 KiB a block took 160 to 290 ns
 * more than its samples: it has 16 to 68 of them (docs/notebook/2026-11-long-strides.md). */
#define TRAWL_SPARSE_BLOCK (4 * TRAWL_QGRAM_BLOCK)

/* Slots of a trial's table of anchors, as a power of two; a quarter as many anchors are chosen.
 * Exact prices against the time of a trial, which is about a millisecond. Half and double: 1 and 2
 * plans change. */
#define TRAWL_SPARSE_TRIAL_BITS 16u

/* Slots of the table that counts the q-grams of the sample, as a power of two: it fits a
 * second-level cache, and has 16 for each position of a sample of 64 KiB. Half: no plan of 110
 * changes; a quarter: 10. */
#define TRAWL_SPARSE_COUNT_BITS 20u

/* The time of waiting for the cache line of a sample, as the bytes that are read in that time
 * (trawl_costs.memory). A Xeon takes 8.5 to 10.5 ns at strides of 112 to 1,008, in which it reads
 * 140 to 190 bytes; a Zen 3 takes 7 to 8.5 ns, 140 to 160 bytes. Sample filters at strides of 60
 * reach only 0.7 to 0.9 of the read rate that their prices assume, so the number is lower here:
 * with it both kinds cost the same for patterns of 128 bytes, as measured
 * (docs/notebook/2026-11-long-strides.md). */
#define TRAWL_SPARSE_LINE_BYTES 104.0

/* ------------------------------------------------------------------ qgram: rows of the sample
 * filter by fields (engines/qgram/bloom/fields.c) */

/* The price of a sample whose row is a product, divided by that of one whose row is a field
 * extraction: 7 instructions to 5 (docs/notebook/2026-11-sample-filter.md, "Later steps": 0.67 to
 * 0.52 ns a sample in a sketch). 1.15: 3 plans change, 1.21 and 1.10 times as fast, but 0.80 times
 * with another seed; 1.6: 2, 0.87. */
#define TRAWL_FIELDS_PRODUCT_WORK 1.3

/* What a product takes besides where letters alone are folded, two instructions, as a share of the
 * price of a sample whose row is in the first-level cache: 0.14 of 0.48 ns,
 * measured with one set (docs/notebook/2026-11-zeros-and-neighbours.md). */
#define TRAWL_FIELDS_LETTERS_WORK 0.3

/* Number of bits that fields may have more than the product would. With up to four, rare-10000 was
 * 14 % slower; two gained 2 to 6 % (the same table). */
#define TRAWL_FIELDS_MAX_MORE_BITS 2u

/* Without a sample of the text, fields are used only if each byte gets at least this number of
 * bits. Fields of fewer bits may meet letters that differ in other bits only. Half and double:
 * nothing changes, as all workloads have a sample. */
#define TRAWL_FIELDS_LEAST_BLIND_BITS 3u

/* Number of samples of the text that are examined, as a power of two; and the q-grams of the keys
 * that are looked up, at most. Exact choices against planning time; half and double of the latter:
 * no tables change. */
#define TRAWL_FIELDS_SAMPLES_LOG 13u
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

/* From one candidate in 512 bytes on, candidates are listed without a branch for each group of
 * vectors; below, the branch is predicted (docs/notebook/2026-11-teddy.md). */
#define TRAWL_TEDDY_DENSE_BYTES 512u

/* In units of work: the test of a high nibble as well; a candidate (a mispredicted branch and two
 * tests). Both were measured on a Zen 3 when Teddy was written (docs/notebook/2026-11-teddy.md);
 * half of a candidate: 8 filters change, 1.07 and 1.01 times as fast, but 0.8 times with other
 * seeds. */
#define TRAWL_TEDDY_HIGH_WORK 1.6
#define TRAWL_TEDDY_CANDIDATE_WORK 700.0

/* The work of comparing a pair of bytes that all patterns have: 2.0 and 2.4 by the speed of two
 * patterns before and after on a Zen 4 (docs/notebook/2026-11-teddy.md). The pair is chosen among
 * so many of their rarest common bytes. */
#define TRAWL_TEDDY_PAIR_WORK 2.0
#define TRAWL_TEDDY_PAIR_CHOICES 4u

/* The work that a new probe must save beyond its price, so that the smaller of two filters that are
 * nearly equal is preferred. Half: 4 filters change, 1.01 and 0.82 times as fast; double: 9, 1.04
 * and 0.92. */
#define TRAWL_TEDDY_NEW_PROBE_WORK 1.0

/* Bytes of the sample whose candidates are counted, also those of register Bloom filters, and of
 * the pieces, from all over the sample, that they are taken in; and the bytes of sample that weigh
 * as much as the usual frequencies of bytes. Planning time and chance in short samples against the
 * text's own frequencies. By the first 4,096 bytes of the sample alone, plans for 65 to 128
 * patterns were 0.9 times as fast where they differed (docs/notebook/2026-11-regret.md); other
 * lengths of pieces were not measured. Half and double of the bytes and of the weight: 12 to 16
 * filters change; of the first 1.02 and 1.00 times as fast, of the second 1.01 and 0.95. */
#define TRAWL_TEDDY_SAMPLE_BYTES ((size_t)32768)
#define TRAWL_TEDDY_SAMPLE_PIECE ((size_t)512)
#define TRAWL_TEDDY_USUAL_BYTES 1000

/* Number of rounds in which patterns are put into buckets; in later rounds all other patterns are
 * in place. One less and one more: 5 and 2 filters change, 1.00 times as fast. */
#define TRAWL_TEDDY_BUCKET_ROUNDS 3u

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
 * measures a filter of four bytes with narrow banks: its number of instructions is the unit of
 * trawl_costs. Counted in the loop. */
#define TRAWL_REGISTER_BLOOM_BYTE_WORK 4.5
#define TRAWL_REGISTER_BLOOM_NARROW_WORK 20
#define TRAWL_REGISTER_BLOOM_WIDE_WORK 32

/* ------------------------------------------------------------------ qgram: packed filter
 * (engines/qgram/packed/cost.c). Nanoseconds on a Zen 3 with the AVX2 loops. With these the choices
 * for measured sets are within 8 % of the best ones found by trying
 * (docs/notebook/2026-11-packed-filter.md). */

#define TRAWL_PACKED_LETTER_COST 0.05   /* packing a letter */
#define TRAWL_PACKED_PAIR_COST 0.20     /* testing a position by pairs, table in L1 */
#define TRAWL_PACKED_SAMPLE_COST 0.8    /* testing a sample, table in L1 */
#define TRAWL_PACKED_UNALIGNED_COST 0.3 /* more, for a sample inside a byte of letters */
#define TRAWL_PACKED_CANDIDATE_COST 1.2 /* listing a candidate, or testing an end */
#define TRAWL_PACKED_LOOK_UP_COST 40.0  /* looking up an end that passed it */

/* What a load costs beyond one from the first-level cache, by the bytes of the table, interpolated
 * by the logarithm of the size. Larger tables than the last one cost as much. */
static const struct {
    double bytes, nanoseconds;
} trawl_packed_load_costs[] = {{16 << 10, 0}, {64 << 10, 0.5}, {512 << 10, 1.2},
                               {2 << 20, 4},  {32 << 20, 10},  {128 << 20, 40}};

/* The fewest letters of a sample. Half and double: no plan changes. */
#define TRAWL_PACKED_LEAST_SAMPLE 3u

/* Matches in 64 positions, on average, from which on AVX-512 writes records 16 at a time: with
 * two 1.4 to 1.7 times as fast, with one 0.95 to 0.97 times
 * (docs/notebook/2026-11-dense-records.md). */
#define TRAWL_PACKED_DENSE_MATCHES 2u

/* ------------------------------------------------------------------ wu-manber */

/* Bytes of a pattern's end by which trials of wu-manber and rabin-karp tell patterns apart, at
 * most. wu-manber had 32: 1 plan of 110 changes; with 32 for rabin-karp too one goes to it. */
#define TRAWL_TRIAL_END_BYTES 64u

/* The work of looking up a search window whose shift is 0, in reads of SHIFT. An estimate from the
 * loads that a look-up makes. Of 30 workloads with this engine, half: 4 change, 1.15 times as fast
 * (0.87 to 1.84); double: 1, 0.86. Where the planner chooses it: half 0.95, double 0.72. */
#define TRAWL_WU_MANBER_LOOK_UP_WORK 8

/* SHIFT has at least ENTRIES_PER_BLOCK entries for each block of the patterns, unless it would
 * exceed this fraction of the memory for all tables. One entry in 8 is then occupied, which gives
 * about 12 % false positives, as in a Bloom filter with one hash. Longer shifts against cache
 * misses; of 30 workloads with this engine, half: 0.92 times as fast, double: 1.02. The fraction is
 * policy. */
#define TRAWL_WU_MANBER_ENTRIES_PER_BLOCK 8
#define TRAWL_WU_MANBER_MEMORY_DIVISOR 4

/* The most blocks of patterns with which the planner moves a window over the sample, and the bits
 * among which it counts different ends of patterns, as a power of two. It takes a millisecond. Half
 * and double: 1 plan changes. */
#define TRAWL_WU_MANBER_TRIAL_BLOCKS ((uint64_t)1 << 17)
#define TRAWL_WU_MANBER_ENDING_BITS 18u

/* If wu-manber would be taken, it is tried with so many times as many blocks, again and again,
 * until there are at most so many patterns for each one that was tried: a fourth of a set is
 * estimated to take some 8 % of the time of building (docs/notebook/2026-11-regret.md). Chosen, not
 * measured. */
#define TRAWL_WU_MANBER_TRIAL_RATIO 16
#define TRAWL_WU_MANBER_FEW_OTHERS 4

/* ------------------------------------------------------------------ rabin-karp */

/* Patterns longer than twice the hashed window get a pass of their own only if otherwise more than
 * one position in this many would lead to a look-up. A pass costs time at every position, a look-up
 * only where it happens. Of 30 workloads with this engine, half: none changes; double: 1, 1.20
 * times as fast. */
#define TRAWL_RABIN_KARP_SELECTIVITY 32.0

/* Bits of the filter for each range of keys, which is one hash in the filter: 1.6 % of random
 * windows are candidates. Candidates against cache misses: of 30 workloads with this engine, half:
 * 0.91 times as fast, double: 1.07; 16 bits for filters above 32 KiB: 0.88 to 0.91, and 0.84 for
 * 15,000 to 400,000 patterns. */
#define TRAWL_RABIN_KARP_FILTER_BITS 64

/* The most patterns of a pass with which the planner searches the sample, as a power of two. It
 * takes a millisecond for each pass. Half and double: no plan changes. */
#define TRAWL_RABIN_KARP_TRIAL_LOG 14u

/* ------------------------------------------------------------------ ac-split */

/* The number of parts, if the caller does not set it: the fewest for which the table of a part has
 * about this many bytes, the share of a core in a last-level cache; at most 8, as in the paper.
 * More parts pay on GPUs with small caches; on a CPU every part is another walk over the text
 * (docs/notebook/2026-11-dfa-or-nfa.md). */
#define TRAWL_SPLIT_PART_TABLE_BYTES ((uint64_t)8 << 20)
#define TRAWL_SPLIT_MOST_PARTS 8u

#endif
