/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The planner's fixed numbers for GPUs: prices, limits and choices that are made before a kernel
 * runs.
 *
 * Times are picoseconds of a whole H200. On a calibrated device, trawl_device_costs replaces the
 * costs of automata and scales the price of filters; the filters' own constants only have to be in
 * the right proportion to each other. Kernels' tuning numbers are in gpu/tuning.h.
 *
 * "Half and double" are figures of docs/notebook/2026-11-constants.md: how many plans of random
 * workloads, or layouts of qgram alone, differ with half the number and with twice as much.
 */
#ifndef TRAWL_CONSTANTS_GPU_H
#define TRAWL_CONSTANTS_GPU_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ the device */

/* The device of a plan that is made without one: an H200, by its data sheet. */
#define TRAWL_GPU_USUAL_MULTIPROCESSORS 132u
#define TRAWL_GPU_USUAL_SHARED_BYTES ((size_t)232448) /* of a block, at most */
#define TRAWL_GPU_USUAL_CACHE_BYTES ((size_t)50 << 20)
#define TRAWL_GPU_USUAL_MEMORY_BYTES ((size_t)139 << 30)

/* The length of text that prices are for, in bytes; the fixed costs of a scan are divided by it. It
 * is the length of the measured texts, 1 GiB. */
#define TRAWL_GPU_PRICED_TEXT_BYTES (UINT64_C(1) << 30)

/* ------------------------------------------------------------------ engines' tables */

/* Bytes of qgram's keys, endings and their hash table on a device, for each pattern: an
 * estimate. */
#define TRAWL_GPU_QGRAM_PATTERN_BYTES 48u

/* Bytes of a block's shared memory that qgram's kernels need besides tables: an estimate, for plans
 * that are made without a device. qgram/cuda/upload.cu computes the exact number. */
#define TRAWL_GPU_QGRAM_WORKING_BYTES ((size_t)43008)

/* If the tables of ac-dfa are larger than TRAWL_PLAN_MAX_DFA_BYTES, it is chosen for a GPU only if
 * every other way is expected to take this many times as long, since building them takes 3 to 5 s
 * for a GB. Policy: no other value was tried. Among random workloads on an H200, automata of 1.4
 * to 5.6 GB were 2.4 to 14 times as fast as filters (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_LARGE_TABLES_GAIN 1.25

/* Bytes of a block's shared memory that an automaton's walk needs besides rows: the byte classes.
 */
#define TRAWL_GPU_CLASS_BYTES 256u

/* ------------------------------------------------------------------ qgram, kernel filter: time */

/*
 * The filter step alone was measured with one tier and nothing verified
 * (docs/notebook/2026-11-gpu-qgram-steps.md): 4,300 GB/s at a stride of 4 with two bits for each
 * sample, 3,600 at a stride of 2 and 2,100 at a stride of 1 with one bit. Three tiers reached 976
 * GB/s, which is why each tier pays TRAWL_GPU_TIER. The constants of the filter step are fitted to
 * these four figures.
 */
#define TRAWL_GPU_READ 0.215 /* a byte of text, read from device memory */

/* Reading and computing overlap, except for this share of the shorter of the two. */
#define TRAWL_GPU_NOT_OVERLAPPED 0.1

#define TRAWL_GPU_TIER 0.08        /* a byte of text, for each tier */
#define TRAWL_GPU_SAMPLE 0.36      /* a sample of up to four bytes with one bit in the filter */
#define TRAWL_GPU_SAMPLE_WORD 0.09 /* each further four bytes of the sample */
#define TRAWL_GPU_SAMPLE_BIT 0.1   /* the second bit */
#define TRAWL_GPU_SAMPLE_CORE 0.2  /* a sample by cores: one word for two of them */
#define TRAWL_GPU_SAMPLE_FUSE 0.6  /* more for one of a fuse filter; an estimate */
#define TRAWL_GPU_PAIR 0.55        /* a byte of text, looked up in the table of all byte pairs */
#define TRAWL_GPU_FOLDED 0.03      /* a byte of text whose letters are lower-cased */

/* A sample of a filter in device memory: the L2 cache of an H200 answers 160 of them in a
 * nanosecond. */
#define TRAWL_GPU_L2_LOOK_UP 6.25

/* Listing the candidates of one warp and tier, for each byte of its batch: 25 instructions. */
#define TRAWL_GPU_CANDIDATE_LIST 0.0135
#define TRAWL_GPU_BATCH_BYTES 2048.0 /* of that batch */

/* A 32-bit word of a filter that all blocks copy into shared memory, for each byte of a text of 1
 * GiB. An estimate: 132 blocks read 4 bytes, at some 5.5 TB/s of the L2 cache. */
#define TRAWL_GPU_FILTER_WORD_COPY 9e-8

/*
 * The verify step, fitted to its times in docs/notebook/2026-11-gpu-qgram-steps.md: 32 ps for a
 * false candidate, of which there are half as many as the model expects, and 41 to 50 where keys or
 * their beginnings are.
 */

/* A look-up in the L2 cache: of a candidate, after bytes of the text have been read, in the table
 * of end offsets; of an end, in the hash table of endings, which does not have it. */
#define TRAWL_GPU_LOOK_UP 10.0
#define TRAWL_GPU_KEY_HIT 30.0 /* an end that the hash table has: mostly a match */

/* A byte of such a key, which is compared with the text: fitted to matches of 6 to 100 bytes
 * (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_KEY_BYTE 2.0

/* A step of the search for a key among those with the same last bytes: two loads, each of which
 * waits for the one before. Of three random workloads with 411,000 to 553,000 different addresses,
 * 33, 37 and 62 (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_SEARCH_STEP 35.0

/* Bytes that a thread compares before it looks at the result, as trawl_cuda_equal does
 * (gpu/emission.cuh). */
#define TRAWL_GPU_COMPARED_TOGETHER 16u

/* Bytes that one trial of free anchors compares at most. A trial needs averages alone, for which a
 * thousand keys of 4,000 bytes suffice. Without a limit planning for two patterns of letters a and
 * a text of letters a took 12 s. */
#define TRAWL_GPU_TRIAL_COMPARED (UINT64_C(1) << 22)

/* Free anchors: the comparison of a whole key. In proportion to the numbers above and to
 * trawl_device_costs.bucket (docs/notebook/2026-11-gpu-free-anchors.md). */
#define TRAWL_GPU_BUCKET_KEY 16.0

/* An entry behind the first one of a bucket. An estimate by instructions: 80 of the 660 that 32
 * candidates take, of 22 ps each (docs/notebook/2026-11-gpu-counted-anchors.md). */
#define TRAWL_GPU_BUCKET_ENTRY 2.7

/* How many times as long a candidate takes in the general kernel, which verifies tiers with a
 * crowded bucket: 55 instead of 22 ps (the same document). */
#define TRAWL_GPU_GENERAL_BUCKET 2.5

/* Entries for each bucket, on average: the first number while all buckets take at most the third
 * number of the L2 cache, since further entries take time; for more anchors up to the second
 * number, with which one bucket in 24 has more than two entries, if anchors are spread by chance.
 * 0.75, 0.5 and 0.25 on an H200, GB/s: 825, 850, 881; 825, 833, 839; 448, 454, 456
 * (docs/notebook/2026-11-gpu-counted-anchors.md). */
#define TRAWL_GPU_BUCKET_LEAST_LOAD 0.25
#define TRAWL_GPU_BUCKET_MOST_LOAD 0.75
#define TRAWL_GPU_BUCKET_CACHE_SHARE 0.25

/* Ends that a true candidate leads to: some samples belong to several keys. An estimate. 1.1 and
 * 1.4: 0 and 1 of 34 layouts. */
#define TRAWL_GPU_ENDS_PER_CANDIDATE 1.2

/* Entries of the table of end offsets for each sample. One entry in eight is used, so one false
 * candidate in eight finds an end offset. Memory in the L2 cache against false ends. Half and
 * double: 13 and 13 of 34 layouts. */
#define TRAWL_GPU_END_OFFSET_ENTRIES_PER_SAMPLE 8u

/* Entries of that table, at least and at most, as powers of two; at most 128 MiB. Chosen, not
 * measured. */
#define TRAWL_GPU_LEAST_END_OFFSET_BITS 8u
#define TRAWL_GPU_MOST_END_OFFSET_BITS 26u

/* ------------------------------------------------------------------ qgram, kernel filter: tiers */

/* Tiers with filters, at most, besides the table of byte pairs: a fourth one never paid (no table
 * of these runs is on record). */
#define TRAWL_GPU_MOST_TIERS 3u

/* Filters in shared memory grow by units of this many 32-bit words: 1 KiB, of about 200 KiB. Exact
 * division against planning time. Half and double: 22 and 25 of 34 layouts. */
#define TRAWL_GPU_FILTER_UNIT_WORDS 256u

/* Units that tiers exchange while shared memory is divided among them: first 64 at a time, then a
 * fourth of that, and finally one: a coarse search first, to save planning time. Half and double:
 * 8 and 6 of 34 layouts; a third and a fifth: 6 and 7 of 34 layouts. */
#define TRAWL_GPU_FIRST_EXCHANGE 64u
#define TRAWL_GPU_EXCHANGE_RATIO 4u

/* Bytes of a fuse filter for each sample: with 1.16 all of 40 random sets of 64,000 to 168,000
 * samples had one, with 1.15 38 (docs/notebook/2026-12-fuse-filters.md). */
#define TRAWL_GPU_FUSE_BYTES 1.16

/* Bits for each sample of filters whose size is not chosen by prices: in device memory, and of
 * frequent patterns of three and more bytes when records are written. Half and double: no layout of
 * 34, and 7 and 8. */
#define TRAWL_GPU_FILTER_BITS 24u

/* A filter in device memory: 32-bit words at most (16 MiB: a third of an H200's L2 cache). False
 * candidates against misses of the L2 cache. Half and double: no layout of 34. */
#define TRAWL_GPU_GLOBAL_FILTER_WORDS (UINT32_C(1) << 22)

/* A sample of the text is taken in pieces of this many bytes from all over the text: long enough
 * for most matches; the number of pieces matters more (docs/notebook/2026-11-gpu-qgram-steps.md).
 * Half and double make another sample, so all layouts differ. */
#define TRAWL_GPU_SAMPLE_PIECE_BYTES ((size_t)1024)

/* Bytes of text by which anchor offsets are chosen: three quarters of 256 KiB
 * (engines/qgram/gpu/samples.c). Chosen, not measured. */
#define TRAWL_GPU_ANCHOR_TEXT_BYTES 196608u

/* Bytes that made-up text takes from one place of a pattern: few, so that the text has the
 * patterns' bytes and pairs of bytes, but no long samples of them. With a sample it is not used;
 * without one, one byte less and one more: 39 and 39 of 52 plans. */
#define TRAWL_GPU_MADE_UP_BYTES 3u

/* Sets with more patterns get one tier for all lengths, since trying divisions takes time for each
 * pattern. No set of the random workloads was that large. */
#define TRAWL_GPU_MOST_DIVIDED_PATTERNS ((size_t)300000)

/* Free anchors that are chosen for the trial of a tier, at most. By cores there are more, since a
 * few patterns that have no choice may set the bits of frequent samples. Exact prices against the
 * time of a trial. Four times as many: one layout of 30, at the same price, and planning takes 1.3
 * times as long (docs/notebook/2026-11-gpu-planner.md). */
#define TRAWL_GPU_TRIAL_ANCHORS 4096u
#define TRAWL_GPU_TRIAL_CORES 32768u

/* The time of all trials of a set, at least, and for each pattern, on a Zen 3: 0.11 to 2.2 s for
 * 1,000 to 200,000 patterns of six sets (docs/notebook/2026-11-gpu-planner.md). */
#define TRAWL_GPU_TRIALS_NANOSECONDS 50e6
#define TRAWL_GPU_TRIALS_PATTERN_NANOSECONDS 5e3

/* A tier that is the cheapest after such a trial is tried with so many times as many anchors, again
 * and again until all patterns are tried or another tier is cheaper: so all trials of a tier
 * together take at most 4/3 of the time of the last one. */
#define TRAWL_GPU_TRIAL_RATIO 4u

/* Tiers of free anchors begin with the shortest patterns, or with a length up to this one: one tier
 * serves all longer patterns, and each further length takes planning time. Half and double:
 * no layout of 34. */
#define TRAWL_GPU_ANCHORS_LAST_BEGIN 6u

/* Bytes of filter addresses that are kept for further divisions of the same set: those of some
 * 80,000 patterns of all lengths. Memory against computing them again; no plan depends on it. */
#define TRAWL_GPU_MOST_KEPT_BYTES ((size_t)32 << 20)

/* ------------------------------------------------------------------ frequent patterns */

/* A sample is frequent if it is at one of this many positions of the text, or more often. With
 * 3,072 and 8,192 fewer ends were tested, but the automaton had more states than shared memory has
 * rows (docs/notebook/2026-11-gpu-qgram-steps.md). */
#define TRAWL_GPU_FREQUENT_POSITIONS 1024u

/* A case-insensitive pattern is in the automaton in every spelling, if it has at most this many
 * letters: 16 spellings. With more letters, candidates of a filter are expected to cost less than
 * that many states. One less and one more: 3 and 2 of 34 layouts. */
#define TRAWL_GPU_MOST_SPELLED_LETTERS 4u

/* Limits of the automaton: bytes of all keys (spellings), and of the longest pattern. Only some
 * hundred states have rows in shared memory, and a thread's walk begins as many bytes before its
 * strip as the longest pattern has. Half and double: no layout of 34, and
 * no layout of 34. */
#define TRAWL_GPU_AUTOMATON_MOST_BYTES ((size_t)1 << 20)
#define TRAWL_GPU_AUTOMATON_MOST_LENGTH 1024u

/* Filters that take less time than this for a byte (picoseconds) have no automaton beside them: its
 * walk alone takes 0.9 (docs/notebook/2026-11-gpu-qgram-steps.md). Scaled with the cost of a
 * step. */
#define TRAWL_GPU_AUTOMATON_WORTH_TRYING 1.0

/* Filters and automaton together must be expected to take less than this share of the time of
 * filters alone, and of an automaton for all patterns: prices are not exact, so the gain has to be
 * clear. 0.8 and 0.95: 1 and 2 of 34 layouts. Against an automaton for all patterns, of 17 random
 * workloads four change, which was 10 and 1.4 and 1.1 times as fast, and as fast
 * (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_CLEARLY_LESS 0.9

/* The filter through which frequent patterns of three and more bytes are found when records are
 * written: 32-bit words at most (16 KiB). Few false candidates against the shared memory of the
 * other filters. Half and double: no layout of 34. */
#define TRAWL_GPU_RECORD_FILTER_MOST_WORDS 4096u

/* ------------------------------------------------------------------ qgram, kernel sparse */

/* A sample: a sector of the text from device memory, and a word of the filter from the L2 cache;
 * and a byte of text, whatever the stride. Fitted to strides of 48 to 1,008 on an H200
 * (docs/notebook/2026-11-long-strides.md). */
#define TRAWL_GPU_SPARSE_SAMPLE 12.5
#define TRAWL_GPU_SPARSE_TEXT 0.075

/* The most samples that may be anchors if the kernel is chosen. With 19, 20 and 66 of 100, sets of
 * 50,000 to 90,000 passages took 55, 62 and 24 times as long as expected, 1.4 to 2.7 times as long
 * as with kernel filter; with 1 of 100 and less 1.2 times as long as expected, and never longer
 * than with kernel filter by more than the spread (docs/notebook/2026-11-long-strides.md). Between,
 * nothing was measured. */
#define TRAWL_GPU_SPARSE_MOST_HITS (1.0 / 64)

/* A look-up that misses the L2 cache, and the share of that cache which tables can fill. */
#define TRAWL_GPU_SPARSE_MISS 30.0
#define TRAWL_GPU_SPARSE_CACHE_SHARE 0.5

/* Tables of this kernel that are made although another kernel is expected to be faster, so that
 * scans may ask for it: at most so many bytes, which take a tenth of a second. Policy. */
#define TRAWL_GPU_SPARSE_NEEDLESS_BYTES (UINT64_C(16) << 20)

/* ------------------------------------------------------------------ qgram, kernel packed */

/* The prices of a byte of text that is none of the letters (docs/notebook/2026-11-gpu-planner.md),
 * and of an end of matches whose letters may be of either case (half and double: no plan of 72),
 * beside trawl_device_costs.packed. */
#define TRAWL_GPU_PACKED_OUTSIDE 33.0
#define TRAWL_GPU_PACKED_VERIFIED 20.0

/* The share of bytes outside the alphabet up to which the kernel is tried: at this limit, those
 * bytes cost seven times as much as the letters. Half and double: no plan of 72. */
#define TRAWL_GPU_PACKED_MOST_OUTSIDE (1.0 / 16)

/* Without a sample: from this number of patterns on, the text is expected to have no other letters
 * than they have, since a few patterns may lack some letters by chance. Half and double, without a
 * sample: 0 and 1 of 52 plans. */
#define TRAWL_GPU_PACKED_LEAST_PATTERNS 32u

/* ------------------------------------------------------------------ ac-dfa, kernel hot */

/* Threads of a block, the most that CUDA has: one block stays on each multiprocessor. */
#define TRAWL_GPU_HOT_THREADS 1024u

/* Bytes of a strip, the text that a thread walks, at least: shorter strips mean mostly walking
 * overlaps. Half and double: no plan of 72. */
#define TRAWL_GPU_HOT_LEAST_STRIP_BYTES 64u

/* Strips for each thread. Fewer and longer strips are used where overlaps would cost more time than
 * that saves. With several strips each, threads wait less for the last strips of the others. One
 * and three: no plan of 72. */
#define TRAWL_GPU_HOT_ROUNDS 2u

/* Time of a block with fewer than 1,024 busy threads, relative to one with 1,024:
 * sqrt(1 + SLOWER * ((1,024 / threads)^2 - 1)). Measured: 768 threads take 1.11 times as long, 512
 * 1.42, and 256 2.6 (docs/notebook/2026-11-gpu-qgram-steps.md). */
#define TRAWL_GPU_HOT_SLOWER 0.4

/* Steps that wait for a thread that reads the full table: three of each of the 32 threads of its
 * warp. The exponent in docs/notebook/2026-11-gpu-planner.md, where it was fitted. */
#define TRAWL_GPU_HOT_STEPS_WAITED 96.0

/* Banks of shared memory, of four bytes each. */
#define TRAWL_GPU_BANKS 32u

/* The fraction of the L2 cache that the full table may have before reads of it miss the cache; each
 * doubling beyond costs hot_memory (trawl_device_costs) more. Fitted to 44 automata, together with
 * hot_wait and hot_cached (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_HOT_CACHE_FRACTION 0.3

/* Picoseconds of the whole device for a byte, in sets of which some matches have to be compared
 * with the text: their number is not known from the state, so another kernel reports each match.
 * With hot_verified fitted to three random workloads on an H100
 * (docs/notebook/2026-11-gpu-zoo.md). */
#define TRAWL_GPU_HOT_REPORT 8.0

/* Bytes of a sample by which this kernel and packed are priced, at most: exact prices against
 * planning time. Half and double: no plan of 72. */
#define TRAWL_GPU_MOST_SAMPLE_BYTES ((size_t)1 << 18)

/* Bytes of a stripe of the sample. Every other stripe ranks the states, and the stripes between
 * validate: states that were ranked by the same text would seem to be visited more often. Long
 * against the depth of states, short enough for many stripes. Half and double:
 * 2 and 0 of 72 plans. */
#define TRAWL_GPU_HOT_STRIPE_BYTES ((size_t)4096)

/* Bits of a state's rank in an entry of 16 bits, at most; those above say how many patterns end
 * there. */
#define TRAWL_GPU_HOT_MOST_RANK_BITS 15u

/* At upload, states are ranked by a walk over this many bytes of the sample, in pieces from all
 * over it: enough to visit all the thousands of states whose rows fit into shared memory. One piece
 * of 1 MiB was worse for binaries (docs/notebook/2026-11-gpu-qgram-steps.md). */
#define TRAWL_GPU_HOT_RANKED_BYTES ((size_t)1 << 20)
#define TRAWL_GPU_HOT_RANKED_PIECES ((size_t)64)

#endif
