/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl for research: parameters of the algorithms, launch shapes of kernels, costs that the
 * planner works with, plans in numbers, measurements. The command uses this header to compare, to
 * tune and to report.
 *
 * No promise: names, members and meanings may change with any version. Programs that only search
 * need trawl.h alone. The conventions of trawl.h hold: sizes at the beginning of structures,
 * errors, threads. Nothing here changes which matches are found.
 */
#ifndef TRAWL_TRAWL_STUDY_H
#define TRAWL_TRAWL_STUDY_H

#include "trawl/trawl.h"
#include "trawl/trawl_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ costs */

/* Tables of 4 KiB, 16 KiB, ... 64 MiB: costs that depend on the size of a table are arrays with one
 * element for each of these sizes. The planner interpolates between them. */
enum { TRAWL_COST_SIZES = 8 };

/* Costs of steps of a scan on a CPU, in nanoseconds. 0 stands for the built-in cost
 * (src/costs/costs.c). */
typedef struct trawl_costs {
    size_t size; /* sizeof(trawl_costs) */
    /* qgram: filters in memory */
    double sample[TRAWL_COST_SIZES]; /* a sample of up to four bytes, at most eight behind the one
                                        before, tested in a sample filter of that size */
    double sample_eight;             /* more for a sample of five to eight bytes */
    double sample_apart;             /* or for one of up to eight that is farther behind */
    double sample_sixteen;           /* or for one of nine to sixteen bytes */
    double sample_candidate;         /* a sample that passed: its end offsets, the suffix filter */
    double verify[TRAWL_COST_SIZES]; /* a candidate compared with keys in tables of that size */
    double direct;                   /* a byte in the table for patterns of 1 and 2 bytes */
    double match;                    /* an end of matches */
    /* qgram: filters in registers */
    double teddy;                    /* Teddy: a byte of text in one shuffle of its tables */
    double teddy_candidate;          /* Teddy: a candidate that ends a pattern */
    double register_bloom;           /* register Bloom filter: a byte, with grams of four bytes */
    double register_bloom_candidate; /* a candidate of either filter that ends no pattern */
    /* automata */
    double dfa_step[TRAWL_COST_SIZES]; /* a byte, with a table of that size */
    double nfa_step[TRAWL_COST_SIZES]; /* a byte, with a table of that size */
    double dfa_match; /* an end of matches, if matches end at one byte in fifteen or at fewer */
    double dfa_match_often; /* an end of matches, if matches end at half of all bytes */
    /* wu-manber */
    double shift[TRAWL_COST_SIZES]; /* a window tested in a shift table of that size */
    double shift_zero;              /* a window with shift 0: its patterns are looked up */
    /* every engine */
    double memory; /* a byte of text that is only fetched from memory */
    /* automata with large tables */
    double page_walk; /* more for a byte whose step touches a page of 4 KiB that is not in the TLB,
                         the processor's cache of page addresses */
} trawl_costs;
#define TRAWL_COSTS TRAWL_SIZED(trawl_costs)

/* Costs of steps of a scan on a GPU, in picoseconds of the whole device, for counting a long text
 * in device memory. 0 stands for the built-in cost, which is an H200's. */
typedef struct trawl_device_costs {
    size_t size;     /* sizeof(trawl_device_costs) */
    double filter;   /* qgram, kernel filter: a factor, 1 is the model of an H200 */
    double packed;   /* qgram, kernel packed: a byte */
    double hot_step; /* ac-dfa, kernel hot: a byte, with states whose rows are in shared memory */
    double hot_conflict; /* at most this much more where rows share memory banks */
    double hot_wait;     /* more while a thread of the warp waits for a row outside shared memory */
    double hot_cached;   /* a step with such a row, from the L2 cache */
    double hot_memory;   /* more for each doubling of the table beyond the L2 cache */
    double hot_verified; /* an end of matches whose letters are compared with the text */
    double bucket; /* qgram, kernel filter: a candidate of free anchors, beside the other numbers of
                      that model, to all of which `filter` applies; it is not measured */
} trawl_device_costs;
#define TRAWL_DEVICE_COSTS TRAWL_SIZED(trawl_device_costs)

/* Measures all costs on the CPU of the calling thread: about twenty seconds and 256 MB of memory.
 * Other work on the machine disturbs it. Set costs->size before the call.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_study_measure_costs(trawl_costs *costs, trawl_error *error);

/* Measures the costs of a GPU that can be measured, in seconds, by counting made-up texts of
 * `text_bytes` (0: 512 MiB; shorter texts say less). The others become 0. Set costs->size before
 * the call. Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY, TRAWL_ERROR_UNAVAILABLE,
 * TRAWL_ERROR_DEVICE. */
TRAWL_API trawl_status trawl_study_measure_device_costs(uint32_t device, uint64_t text_bytes,
                                                        trawl_device_costs *costs,
                                                        trawl_error *error);

/* Writes the built-in costs, which the planner uses unless others are given: for comparisons. Set
 * costs->size before the call. Errors: TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_study_built_in_costs(trawl_costs *costs, trawl_error *error);
TRAWL_API trawl_status trawl_study_built_in_device_costs(trawl_device_costs *costs,
                                                         trawl_error *error);

/* ------------------------------------------------------------------ parameters of algorithms */

/* `study` of trawl_compile_options; read during the call only. 0 and NULL stand for the choice of
 * the library. */
typedef struct trawl_study_compile_options {
    size_t size;            /* sizeof(trawl_study_compile_options) */
    uint32_t split_parts;   /* ac-split: m, the number of parts (Tran et al. 2015); 0: by the set's
                               size */
    double split_threshold; /* ac-split: largest max/min - 1 of the parts' sizes; 0: 0.15 below
                               20,000 patterns, else 0.10 */
    uint32_t wu_manber_block;    /* wu-manber: B, bytes of a block, 1 to 4; 0: the variant's */
    uint32_t rabin_karp_base;    /* rabin-karp: d, the base of the hash; 0: the variant's */
    uint32_t rabin_karp_modulus; /* rabin-karp: q, a prime; 0: the variant's */
    const trawl_costs *costs;    /* NULL: the built-in ones */
    const trawl_device_costs *device_costs; /* NULL: the built-in ones */
} trawl_study_compile_options;
#define TRAWL_STUDY_COMPILE_OPTIONS TRAWL_SIZED(trawl_study_compile_options)

/* How a kernel reads the tables of an automaton. The papers used texture references, which CUDA no
 * longer has; texture objects take their place. */
typedef enum trawl_table_path {
    TRAWL_TABLES_CHOSEN = 0,   /* as in the kernel's paper */
    TRAWL_TABLES_TEXTURE = 1,  /* texture objects */
    TRAWL_TABLES_READ_ONLY = 2 /* read-only loads (__ldg) */
} trawl_table_path;

/* Filters side by side in a qgram database, at most. */
enum { TRAWL_MOST_FILTERS = 8 };

/* What a scan did, in numbers. Times overlap each other. */
typedef struct trawl_study_scan_report {
    size_t size; /* sizeof(trawl_study_scan_report) */
    /* GPU */
    uint32_t block_threads;  /* T, threads of a block */
    uint32_t thread_bytes;   /* S_thread, bytes of text that a thread owns */
    double overlap_overhead; /* of the first launch, as in trawl_cuda_layout */
    trawl_table_path table_path;
    uint64_t segments;      /* transfers of text */
    uint64_t segment_bytes; /* of one transfer, without the overlap */
    uint32_t in_flight;     /* segments under way at a time */
    double copy_in_seconds; /* sums over segments, by the clock of the device */
    double scan_seconds;
    double copy_out_seconds;
    double read_wait_seconds; /* waiting for text to be read, or copied to page-locked memory */
    /* CPU, engine qgram */
    uint32_t filters;                        /* side by side */
    uint64_t candidates[TRAWL_MOST_FILTERS]; /* of each filter, that were verified */
    /* CPU; qgram, wu-manber (tuned) and rabin-karp (grouped) */
    uint64_t filtered_bytes; /* bytes of text that the engine itself scanned */
    uint64_t fallback_bytes; /* bytes scanned by the fallback automaton, where candidates are too
                                frequent */
} trawl_study_scan_report;
#define TRAWL_STUDY_SCAN_REPORT TRAWL_SIZED(trawl_study_scan_report)

/* `study` of trawl_scan_options and of trawl_cuda_scan_options, which takes only the launch shape.
 * 0 and NULL stand for the choice of the library. */
typedef struct trawl_study_scan_options {
    size_t size; /* sizeof(trawl_study_scan_options) */
    /* CPU */
    bool copy_tables;   /* several threads: each scans with its own copy of the database */
    bool plain_walk;    /* automata: a thread walks one place of the text, as in the papers, instead
                           of eight in turn */
    size_t chunk_bytes; /* text that a thread takes at a time */
    /* GPU: transfers */
    uint64_t segment_bytes;      /* text of one transfer */
    uint32_t segments_in_flight; /* transfer "ring" */
    /* GPU: launch shape */
    uint32_t block_threads; /* T, a multiple of 32 */
    uint32_t block_bytes;   /* S_block, text that a block owns */
    trawl_table_path table_path;
    trawl_study_scan_report *report; /* NULL, or filled in as trawl_scan_options.report is */
    bool keep_segments; /* GPU: the memory of all segments stays with the database, so that the next
                           scan of this kind allocates nothing. It is freed by a scan without this
                           option, and with the database. False: memory of a few small segments
                           stays */
} trawl_study_scan_options;
#define TRAWL_STUDY_SCAN_OPTIONS TRAWL_SIZED(trawl_study_scan_options)

/* ------------------------------------------------------------------ plans */

/* What the planner expected of one engine. trawl_study_plan has an array of it, so it has no size:
 * with a version that changes its layout, programs have to be compiled again. */
typedef struct trawl_study_engine {
    const char *engine;    /* static */
    const char *kernel;    /* static; "" unless the plan is for a GPU */
    double gb_per_second;  /* as in trawl_study_plan */
    uint64_t table_bytes;  /* about */
    uint64_t shared_bytes; /* of these, bytes in the shared memory of each block; 0 on a CPU */
} trawl_study_engine;

/* One filter of a qgram database, for patterns of some lengths. In trawl_study_plan as an array, so
 * what trawl_study_engine says about versions holds. */
typedef struct trawl_study_filter {
    /* Static. On a CPU: "direct", "bloom", "anchors", "sparse", "teddy", "packed", "registers". On
     * a GPU, where the table is: "direct", "shared" (shared memory), "global" (behind the L2
     * cache), "automaton" (no filter: an automaton counts short patterns and those that are
     * frequent in the text). */
    const char *kind;
    size_t min_length, max_length; /* of the patterns, in bytes */
    uint64_t patterns;             /* 0: not known */
    uint32_t window;               /* bytes of each pattern that the filter looks at */
    uint32_t gram;                 /* bytes of a sample */
    uint32_t stride;               /* bytes of text from one sample to the next */
    uint64_t table_bytes;
    /* Expected; 0: not known, always on a GPU. */
    double pass_rate;     /* share of the samples that pass */
    double candidates;    /* candidates to be verified, for a byte of text */
    double gb_per_second; /* of this filter alone, with its candidates */
} trawl_study_filter;

enum { TRAWL_STUDY_MOST_ENGINES = 5, TRAWL_STUDY_MOST_DEVICE_FILTERS = 4 };

/* What a database keeps of its plan. Speeds are 10^9 bytes of text a second: of one thread of a
 * CPU, or of a whole GPU that counts a text in its memory. */
typedef struct trawl_study_plan {
    size_t size;           /* sizeof(trawl_study_plan) */
    bool planned;          /* false: an engine other than qgram was named, and what follows up to
                              `engine` is 0 */
    bool for_cuda;         /* the plan is for a GPU */
    double gb_per_second;  /* of the choice */
    double match_ends;     /* share of the bytes of text at which a match ends; 0: not counted */
    uint64_t sample_bytes; /* of the caller's sample; 0: a text made up from the patterns */
    size_t engines;
    trawl_study_engine engine[TRAWL_STUDY_MOST_ENGINES];
    size_t filters; /* of the database; 0 unless its engine is qgram */
    trawl_study_filter filter[TRAWL_MOST_FILTERS];
    size_t device_filters; /* that were expected on the GPU; 0 unless qgram was chosen for one. The
                              filters are chosen anew when the database is uploaded, by the text and
                              the GPU then */
    trawl_study_filter device_filter[TRAWL_STUDY_MOST_DEVICE_FILTERS];
} trawl_study_plan;
#define TRAWL_STUDY_PLAN TRAWL_SIZED(trawl_study_plan)

/* Reads the plan of a database, from which trawl_db_explain is written.
 * Errors: TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_study_db_plan(const trawl_db *db, trawl_study_plan *plan,
                                           trawl_error *error);

/* ------------------------------------------------------------------ states of automata */

/* An automaton of a database of engine ac-dfa, ac-nfa or ac-split. Its states are numbered from 0,
 * the root. */
typedef struct trawl_study_automaton {
    size_t size;            /* sizeof(trawl_study_automaton) */
    uint32_t automata;      /* of the database: the parts of ac-split, else 1 */
    uint32_t states;        /* of this automaton */
    uint32_t state_bytes;   /* of an entry of the arrays that GPUs write (form TRAWL_CUDA_STATES): 2
                               if the automaton has at most 65,536 states, else 4 */
    uint32_t patterns;      /* whose ends this automaton finds */
    uint64_t pattern_bytes; /* of these together: what Tran et al., Algorithm 2, balances */
    uint64_t next_bytes; /* of goto and failure, or of the DFA's rows: what the formulas of Charan
                            2015, 4.3 and 4.4, count. Byte classes and outputs are not in it */
} trawl_study_automaton;
#define TRAWL_STUDY_AUTOMATON TRAWL_SIZED(trawl_study_automaton)

/* Reads automaton `part`, from 0 on. Errors: TRAWL_ERROR_ARGUMENT, also where there is no such
 * part; TRAWL_ERROR_LIMIT: the engine has no automaton; TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_study_db_automaton(const trawl_db *db, uint32_t part,
                                                trawl_study_automaton *automaton,
                                                trawl_error *error);

/* Writes to states[i] the number of the state after text[i], for i below `length`: output[i] of Zha
 * & Sahni 2011, IV-A, by the plain loop of one thread. Any thread. Errors: those of
 * trawl_study_db_automaton. */
TRAWL_API trawl_status trawl_study_walk_states(const trawl_db *db, uint32_t part, const void *text,
                                               size_t length, uint32_t *states, trawl_error *error);

/*
 * The patterns that end wherever the walk is in `state`: *count is their number, and the first
 * `capacity` of them are written to ids (NULL: none), longest first, by id among patterns of equal
 * length. In a database with patterns of both kinds of case sensitivity, case-sensitive ones are
 * given for every spelling: the text must be compared with them.
 * Errors: those of trawl_study_db_automaton; TRAWL_ERROR_ARGUMENT: there is no such state.
 */
TRAWL_API trawl_status trawl_study_state_patterns(const trawl_db *db, uint32_t part, uint32_t state,
                                                  uint32_t *ids, size_t capacity, size_t *count,
                                                  trawl_error *error);

/* ------------------------------------------------------------------ kernels */

/*
 * Form TRAWL_CUDA_STATES of trawl_cuda_scan, for engines ac-dfa and ac-nfa: writes the state of the
 * automaton after each owned byte (Zha & Sahni 2011, IV-A) to trawl_cuda_results.states. Entry i is
 * the state after byte owned + i; trawl_study_state_patterns says which patterns end there.
 *
 * This function returns the bytes of an entry: 2 if the automaton has at most 65,536 states, else
 * 4; 0 if the engine has no single automaton.
 */
TRAWL_API size_t trawl_study_cuda_state_bytes(const trawl_cuda_db *uploaded);

/*
 * The ends of matches or the states of a text in host memory, found on a CUDA device: text in,
 * entries out (Zha & Sahni 2011, section 5). `form` is TRAWL_CUDA_ENDS or TRAWL_CUDA_STATES, and
 * `entries` gets what trawl_cuda_results.ends or .states gets for the whole text: `bytes` is the
 * room there, at least 4 for each 32 bytes of text (rounded up) or
 * trawl_study_automaton.state_bytes for each byte of text.
 *
 * `options` are those of trawl_scan: device (one GPU; NULL: "cuda"), kernel, transfer ("a" and "b"
 * are the paper's strategies), study options and reports. Copies are faster where the text and the
 * entries are page-locked (trawl_cuda_pin). Synchronous; any thread.
 * Errors: those of trawl_scan and trawl_cuda_scan, also where trawl_cuda_scan refuses the form.
 */
TRAWL_API trawl_status trawl_study_cuda_entries(const trawl_db *db, const void *text,
                                                uint64_t length, trawl_cuda_form form,
                                                const trawl_scan_options *options, void *entries,
                                                uint64_t bytes, trawl_error *error);

/* The launch shape of a scan. */
typedef struct trawl_cuda_layout {
    size_t size;             /* sizeof(trawl_cuda_layout) */
    char kernel[32];         /* name */
    uint32_t block_threads;  /* T */
    uint32_t thread_bytes;   /* S_thread */
    uint32_t shared_bytes;   /* shared memory of a block */
    double overlap_overhead; /* bytes before a thread's own that it walks too, for each byte of its
                                own: (max_length - 1) / S_thread for automata (Zha & Sahni 2011,
                                IV-A); 0 for kernels that walk no byte twice */
    trawl_table_path table_path; /* how tables are read; CHOSEN: by plain loads */
    uint32_t bank_accesses;      /* kernels p2 and p2-conflicts: accesses of shared memory that one
                                    read of text by a warp takes, computed from the places of its
                                    words in the 32 banks; 1: no conflict. 0: not known */
} trawl_cuda_layout;
#define TRAWL_CUDA_LAYOUT TRAWL_SIZED(trawl_cuda_layout)

/* Says how trawl_cuda_scan would lay out a scan of a text of `length` bytes; 0: of a long text.
 * Errors: those of trawl_cuda_scan. */
TRAWL_API trawl_status trawl_study_cuda_layout(const trawl_cuda_db *uploaded,
                                               const trawl_cuda_scan_options *options,
                                               uint64_t length, trawl_cuda_layout *layout,
                                               trawl_error *error);

/* ------------------------------------------------------------------ measuring */

/* Times scans of a text in host memory, which is copied to device memory first: `repeats` scans
 * after one that is not timed, all in one stream without a pause, each between two CUDA events. So
 * the time that the host takes to launch a scan counts only if the scan takes less. seconds[0,
 * repeats) is sorted; `total` is NULL or gets the number of matches; of databases of leftmost
 * matches those that are selected from. Form MATCHES has room for all of them. Synchronous. Errors:
 * those of trawl_cuda_scan; TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_study_cuda_measure(const trawl_cuda_db *uploaded,
                                                const trawl_cuda_scan_options *options,
                                                const void *text, uint64_t length, uint32_t repeats,
                                                double *seconds, uint64_t *total,
                                                trawl_error *error);

/* Seconds of the steps of Nunes et al. 2018, IV, as in Tables III and IV: the patterns' hashes with
 * the table HT, the terms, their prefix sums, the windows. Step 1, a table of powers, is made
 * before.
 */
typedef struct trawl_study_steps {
    size_t size;         /* sizeof(trawl_study_steps) */
    double hashes;       /* step 2 */
    double terms;        /* step 3 */
    double sums;         /* step 4 */
    double windows;      /* step 5 */
    uint64_t total;      /* matches */
    double occupancy[4]; /* GPU: theoretical occupancy of the kernels of steps 2 to 5 (Table VI),
                            from 0 to 1; 0: not known, as of step 4, a kernel of CUB's own */
} trawl_study_steps;
#define TRAWL_STUDY_STEPS TRAWL_SIZED(trawl_study_steps)

/* Counts the matches of a text, of up to 2^28 bytes, with one thread by a database of engine
 * rabin-karp, variant `steps`: the means of `repeats` runs. Errors: TRAWL_ERROR_ARGUMENT, also for
 * other databases; TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_study_measure_steps(const trawl_db *db, const void *text,
                                                 size_t length, uint32_t repeats,
                                                 trawl_study_steps *steps, trawl_error *error);

/* The same by kernel `steps`, for an uploaded database of that engine, with a text of up to 2^28
 * bytes in host memory, which is copied to device memory first; each step between two CUDA events,
 * after one run that is not timed. Synchronous.
 * Errors: those of trawl_cuda_scan, TRAWL_ERROR_MEMORY; TRAWL_ERROR_ARGUMENT for other engines. */
TRAWL_API trawl_status trawl_study_cuda_measure_steps(const trawl_cuda_db *uploaded,
                                                      const void *text, uint64_t length,
                                                      uint32_t repeats, trawl_study_steps *steps,
                                                      trawl_error *error);

/* Speeds of a device's memory and of its link to the host, in bytes a second: the ceilings that
 * scans are compared with. */
typedef struct trawl_cuda_ceilings {
    size_t size;           /* sizeof(trawl_cuda_ceilings) */
    double memory_read;    /* 16-byte loads of device memory */
    double memory_copy;    /* bytes read plus bytes written */
    double host_to_device; /* from page-locked memory */
    double device_to_host; /* into page-locked memory */
    double zero_copy;      /* a kernel that reads page-locked host memory */
} trawl_cuda_ceilings;
#define TRAWL_CUDA_CEILINGS TRAWL_SIZED(trawl_cuda_ceilings)

/* Measures them, in a second or less. Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY,
 * TRAWL_ERROR_UNAVAILABLE, TRAWL_ERROR_DEVICE. */
TRAWL_API trawl_status trawl_study_cuda_ceilings(uint32_t device, trawl_cuda_ceilings *ceilings,
                                                 trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
