/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl: every occurrence of every pattern of a large set in a large text.
 *
 * The whole public interface of libtrawl. The idea in three steps:
 *
 *     trawl_patterns *patterns;    bytes, ids, flags        (mutable, one thread)
 *     trawl_db *db;                the compiled set         (immutable, any number of threads)
 *     trawl_scan(db, text, ...)    matches, in one order    (scratch is private to each call)
 *
 * Conventions
 *  - Functions that can fail return a trawl_status; TRAWL_OK is 0. They take a caller-owned
 *    `trawl_error *` as their last argument (NULL is allowed), which receives one clear sentence.
 *  - The library never prints, never exits, never aborts and has no mutable global state. A scan
 *    starts its threads itself and ends them before it returns, a stream when it is closed; if the
 *    system refuses to create some, the scan runs with fewer. Ask for as many as there are CPUs.
 *  - Offsets and counts of text bytes are 64 bits wide everywhere.
 *  - A match is (pattern, start, end) with the half-open byte range [start, end).
 *  - Option structures begin with their own size, so that old programs keep working with a newer
 *    library: initialise them with the macro beside each. A NULL option pointer means "defaults";
 *    a zero field means "the library chooses".
 */
#ifndef TRAWL_TRAWL_H
#define TRAWL_TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRAWL_VERSION_MAJOR 0
#define TRAWL_VERSION_MINOR 1
#define TRAWL_VERSION_PATCH 0

#if defined(TRAWL_BUILDING_LIBRARY) && defined(__GNUC__)
#define TRAWL_API __attribute__((visibility("default")))
#else
#define TRAWL_API
#endif

/* The version of the library that is running, as "major.minor.patch". Never NULL. */
TRAWL_API const char *trawl_version(void);

/* ------------------------------------------------------------------ status and errors */

typedef enum trawl_status {
    TRAWL_OK = 0,
    TRAWL_STOPPED = 1,        /* the caller's callback asked to stop; not an error */
    TRAWL_ERROR_ARGUMENT = 2, /* a value that no call may have: NULL, unknown name, empty pattern */
    TRAWL_ERROR_MEMORY = 3,   /* out of memory */
    TRAWL_ERROR_LIMIT = 4,    /* a documented limit: the engine refuses this set, with its reason */
    TRAWL_ERROR_UNAVAILABLE = 5, /* a device or feature that this machine or build does not have */
    TRAWL_ERROR_IO = 6,          /* the operating system failed to read or write */
    TRAWL_ERROR_FORMAT = 7,      /* not a database, or a damaged, truncated or foreign one */
    TRAWL_ERROR_DEVICE = 8       /* a device failed; the library goes on working on the CPU */
} trawl_status;

/* Filled by a failing call; the caller owns it. `message` is one sentence without a line end. */
typedef struct trawl_error {
    trawl_status status;
    char message[508];
} trawl_error;

/* A few words for a status, for example "out of memory". Never NULL. */
TRAWL_API const char *trawl_status_text(trawl_status status);

/* ------------------------------------------------------------------ pattern sets */

typedef struct trawl_patterns trawl_patterns;

enum {
    TRAWL_PATTERN_MAX_LENGTH = 65536,   /* bytes in one pattern */
    TRAWL_PATTERN_CASE_INSENSITIVE = 1u /* flag: ASCII letters match either case */
};
#define TRAWL_PATTERNS_MAX_COUNT UINT32_C(0x7ffffff0) /* patterns in one set */
#define TRAWL_PATTERNS_MAX_BYTES (UINT64_C(2) << 30)  /* bytes of all patterns together */

/* Makes an empty set. Free it with trawl_patterns_free (NULL is allowed there). */
TRAWL_API trawl_status trawl_patterns_new(trawl_patterns **patterns, trawl_error *error);
TRAWL_API void trawl_patterns_free(trawl_patterns *patterns);

/* Appends one pattern of `length` bytes (copied; any byte values; 1 to TRAWL_PATTERN_MAX_LENGTH).
 * Its id is the number of patterns added before it: 0, 1, 2, ... Equal patterns may be added any
 * number of times; each keeps its id. `flags` is 0 or TRAWL_PATTERN_CASE_INSENSITIVE.
 * A failing call leaves the set as it was. */
TRAWL_API trawl_status trawl_patterns_add(trawl_patterns *patterns, const void *bytes,
                                          size_t length, unsigned flags, trawl_error *error);

/* Gives the pattern that was added last a name (copied, `length` bytes, no NUL), which a database
 * carries along for reports. */
TRAWL_API trawl_status trawl_patterns_name_last(trawl_patterns *patterns, const char *name,
                                                size_t length, trawl_error *error);

TRAWL_API size_t trawl_patterns_count(const trawl_patterns *patterns);

/* One pattern of a set or of a database. Pointers live as long as the set (and until the next
 * addition to it) or the database. `name` is NULL when the pattern has none. */
typedef struct trawl_pattern {
    const uint8_t *bytes;
    size_t length;
    unsigned flags;
    const char *name;
    size_t name_length;
} trawl_pattern;

/* Returns false when `id` is not below trawl_patterns_count. */
TRAWL_API bool trawl_patterns_get(const trawl_patterns *patterns, uint32_t id,
                                  trawl_pattern *pattern);

/* What a set looks like. Lengths in bytes. */
typedef struct trawl_statistics {
    size_t count;            /* patterns, duplicates included */
    size_t distinct;         /* patterns that differ in bytes or in case sensitivity */
    size_t case_insensitive; /* patterns with that flag */
    uint64_t total_bytes;
    size_t min_length; /* 0 when the set is empty */
    size_t max_length;
    double mean_length;
    size_t median_length;
    size_t alphabet;       /* distinct byte values over all patterns */
    uint64_t states;       /* nodes of the trie with the root: goto states */
    size_t levels;         /* levels of the trie, the root's not counted = max_length */
    double prefix_sharing; /* 1 - (states - 1) / bytes of the distinct patterns */
} trawl_statistics;

TRAWL_API trawl_status trawl_patterns_statistics(const trawl_patterns *patterns,
                                                 trawl_statistics *statistics, trawl_error *error);

/* ------------------------------------------------------------------ engines */

/* One matching algorithm, for lists and help texts. Strings are static. */
typedef struct trawl_engine_description {
    const char *name;                     /* "ac-dfa" */
    const char *summary;                  /* one line */
    const char *source;                   /* the paper and section it comes from */
    const char *const *variants;          /* NULL-terminated names; the first is the default */
    const char *const *variant_summaries; /* one line for each variant, in the same order */
} trawl_engine_description;

/* Describes engine `index` (0, 1, ...); returns false past the last one. */
TRAWL_API bool trawl_engine_describe(size_t index, trawl_engine_description *description);

/* One way in which a GPU walks an engine's tables: a kernel. Strings are static. */
typedef struct trawl_kernel_description {
    const char *name;    /* "ac3" */
    const char *summary; /* one line */
    const char *source;  /* the paper and section it comes from */
} trawl_kernel_description;

/* Describes kernel `index` (0, 1, ...; the first is the default, but for qgram, where the set and
 * the text decide) of the engine of that name, in every build, with or without a CUDA module;
 * returns false past the last one. */
TRAWL_API bool trawl_kernel_describe(const char *engine, size_t index,
                                     trawl_kernel_description *description);

/* ------------------------------------------------------------------ compiling */

typedef enum trawl_match_kind {
    TRAWL_MATCH_ALL = 0,             /* every occurrence, overlapping ones too: the default */
    TRAWL_MATCH_LEFTMOST_FIRST = 1,  /* non-overlapping; of those that start first, the lowest id */
    TRAWL_MATCH_LEFTMOST_LONGEST = 2 /* non-overlapping; of those that start first, the longest */
} trawl_match_kind;

/* What steps of a scan cost on a machine, in nanoseconds, for the planner. A zero means the
 * built-in value; trawl_measure_costs measures them all. Members with an index depend on the size
 * of a table: 4 KiB for the first, four times as much for each one after it; between them the
 * planner interpolates. */
enum { TRAWL_COST_SIZES = 8 };
typedef struct trawl_costs {
    size_t size;                      /* sizeof(trawl_costs) */
    double sample[TRAWL_COST_SIZES];  /* qgram: a sample tested in a filter of that size */
    double sample_again;              /* not used any more */
    double end;                       /* a sample that passed, until it is known for which ends */
    double look_up[TRAWL_COST_SIZES]; /* an end that passed too, looked up in tables of that size */
    double direct;                    /* a byte in the table for patterns of 1 and 2 bytes */
    double match;                     /* an end of matches found by qgram */
    double dfa_step[TRAWL_COST_SIZES]; /* ac-dfa: a byte, in states of that size together */
    double dfa_match; /* an end of matches found by an automaton, one in fifteen bytes or fewer */
    double nfa_step[TRAWL_COST_SIZES]; /* ac-nfa */
    double shift[TRAWL_COST_SIZES];    /* wu-manber: a window tested in a table of that size */
    double shift_zero;                 /* a window looked up */
    double sample_wide;     /* what one of more than eight bytes takes besides: a share */
    double memory;          /* a byte of text that is only fetched */
    double teddy;           /* qgram, few patterns: a byte of text in one shuffle of vectors */
    double teddy_candidate; /* a position that passes all of them and ends a pattern */
    double
        register_bloom; /* qgram, hundreds of patterns: a byte of text whose last four are hashed */
    double dfa_match_often;          /* as dfa_match, where matches end at half of all bytes */
    double register_bloom_candidate; /* a position that passes all hashes, or shuffles, and ends no
                                        pattern */
} trawl_costs;
#define TRAWL_COSTS                                                                                \
    { .size = sizeof(trawl_costs) }

/* Measures all of them on the calling thread's CPU, which takes some twenty seconds and 256 MB of
 * memory. Set costs->size before the call. Other work on the machine disturbs it. */
TRAWL_API trawl_status trawl_measure_costs(trawl_costs *costs, trawl_error *error);

/* What steps of a scan cost a GPU, in picoseconds of the whole device, for the planner; counting a
 * long text that is in device memory. A zero means the built-in value, which is an H200's. */
typedef struct trawl_device_costs {
    size_t size;         /* sizeof(trawl_device_costs) */
    double filter;       /* qgram, kernel filter: how many times what an H200 takes */
    double packed;       /* qgram, kernel packed: a byte */
    double hot_step;     /* ac-dfa, kernel hot: a byte, in rows of states in shared memory */
    double hot_conflict; /* besides, at most, where the rows' size makes them share banks */
    double hot_wait;     /* besides, while a thread of each warp waits for another row */
    double hot_cached;   /* a step that needs such a row, out of the L2 cache */
    double hot_memory;   /* the same besides, for each doubling of the table beyond the cache */
    double hot_verified; /* an end of matches whose letters are compared with the text */
} trawl_device_costs;
#define TRAWL_DEVICE_COSTS                                                                         \
    { .size = sizeof(trawl_device_costs) }

typedef struct trawl_compile_options {
    size_t size;         /* sizeof(trawl_compile_options) */
    const char *engine;  /* NULL or "auto": the planner chooses; else a name, never replaced */
    const char *variant; /* NULL: the engine's default (needs `engine`) */
    trawl_match_kind matches;
    uint64_t max_table_bytes; /* an engine whose tables would be larger refuses; 0: 8 GiB */
    unsigned threads;         /* reserved: every build runs on the calling thread */
    uint32_t split_parts;     /* ac-split: number m of parts; 0: from the set's size */
    double split_threshold;   /* ac-split: max/min - 1 allowed; 0: 0.15 below 20,000 patterns, else
                                 0.10 */
    uint32_t wu_manber_block; /* wu-manber: block length B, 1 to 4; 0: the variant's */
    uint32_t rabin_karp_base; /* rabin-karp: d; 0: the variant's */
    uint32_t rabin_karp_modulus; /* rabin-karp: q, a prime; 0: the variant's */
    /* Pieces of text like those to be scanned, 64 to 256 KiB of them, from which the planner
     * measures what filters would let through; NULL: it guesses from the patterns. They are read
     * during the call only, and never change which matches are found. */
    const void *sample;
    size_t sample_length;
    const trawl_costs *costs; /* read during the call only; NULL: the built-in ones */
    /* Which device the planner chooses for, as in trawl_scan_options: NULL or "cpu"; "cuda",
     * "cuda:N"; "auto": a GPU that can be used, else the CPU. Where there is no such GPU, it plans
     * for an H200. The database can be scanned on any device. */
    const char *device;
    const trawl_device_costs *device_costs; /* as costs, for a GPU */
} trawl_compile_options;
#define TRAWL_COMPILE_OPTIONS                                                                      \
    { .size = sizeof(trawl_compile_options) }

typedef struct trawl_db trawl_db;

/* Compiles a set (at least one pattern) into a database; the set may be freed afterwards. The
 * caller owns *db. Thread safety: any number of compilations at once, of different sets or of one.
 */
TRAWL_API trawl_status trawl_compile(const trawl_patterns *patterns,
                                     const trawl_compile_options *options, trawl_db **db,
                                     trawl_error *error);

/* The exact size that the block of trawl_compile with these options would have, in bytes, without
 * building its tables. Fails as trawl_compile would. */
TRAWL_API trawl_status trawl_compile_size(const trawl_patterns *patterns,
                                          const trawl_compile_options *options, uint64_t *bytes,
                                          trawl_error *error);

TRAWL_API void trawl_db_free(trawl_db *db);

/* ------------------------------------------------------------------ databases */

/* A database is one position-independent block of bytes in the machine's (little-endian) order.
 * trawl_db_bytes lends it, for as long as the database lives; it may be written anywhere, sent to
 * another process and loaded there. */
TRAWL_API const void *trawl_db_bytes(const trawl_db *db, size_t *size);

/* Writes atomically: a temporary file beside `path`, fsync, rename. On failure nothing named `path`
 * has changed and the temporary file is gone. */
TRAWL_API trawl_status trawl_db_save(const trawl_db *db, const char *path, trawl_error *error);

/* Maps a file / copies a block, and validates all of it: magic, version, sizes, checksum, every
 * offset, id and state. Whatever the bytes are, the result is a usable database or a status with a
 * sentence, never undefined behaviour later. A mapped file must not be changed in place while it is
 * in use (trawl_db_save never does). */
TRAWL_API trawl_status trawl_db_load(const char *path, trawl_db **db, trawl_error *error);
TRAWL_API trawl_status trawl_db_load_memory(const void *bytes, size_t size, trawl_db **db,
                                            trawl_error *error);

typedef struct trawl_db_information {
    const char *engine; /* strings live as long as the database */
    const char *variant;
    const char *reason; /* why this engine, in words */
    trawl_match_kind matches;
    size_t patterns;
    size_t min_length, max_length;
    uint64_t states;      /* of all automata in it together; 0 for engines without one */
    size_t parts;         /* automata or tables side by side (ac-split); else 1 */
    size_t byte_classes;  /* columns of a state's row; 0 for engines without an automaton */
    size_t state_bytes;   /* 2 or 4; 0 for engines without an automaton */
    uint64_t table_bytes; /* the engine's own tables */
    uint64_t total_bytes; /* the whole block, patterns and names included */
    double build_seconds; /* as measured by the trawl_compile that made it */
} trawl_db_information;

TRAWL_API void trawl_db_info(const trawl_db *db, trawl_db_information *information);

/* What the planner expected when it compiled the database. */
typedef struct trawl_plan_information {
    double gb_per_second;  /* 10^9 bytes of text a second: one thread of the CPU, or all of a GPU,
                              of text in its memory, counting */
    double match_ends;     /* share of bytes of text at which a match ends; 0: not looked at */
    uint64_t sample_bytes; /* of text that it planned with; 0: made up from the patterns */
    size_t filters;        /* for trawl_db_filter */
    size_t engines;        /* for trawl_db_expected */
    bool for_cuda;         /* the plan is for a GPU */
    size_t device_filters; /* for trawl_db_device_filter; 0 unless it chose qgram for a GPU */
} trawl_plan_information;

/* Returns false when nothing was planned: an engine other than qgram was asked for by name. */
TRAWL_API bool trawl_db_plan(const trawl_db *db, trawl_plan_information *information);

/* What it expected of an engine. */
typedef struct trawl_expected_engine {
    const char *engine; /* static */
    double gb_per_second;
    uint64_t table_bytes;  /* about */
    const char *kernel;    /* static; of a GPU, else "" */
    uint64_t shared_bytes; /* of them, how many are in shared memory of each block of threads */
} trawl_expected_engine;

/* Engine `index` (0, 1, ...); returns false past the last one. */
TRAWL_API bool trawl_db_expected(const trawl_db *db, size_t index, trawl_expected_engine *expected);

enum { TRAWL_MOST_FILTERS = 8 };

/* One of the filters of a qgram database, for patterns of some lengths. */
typedef struct trawl_filter_information {
    const char *kind; /* static: "direct", "hashed", "shuffle", "packed", "resident" */
    size_t min_length, max_length;
    uint64_t patterns; /* 0: not known */
    uint32_t
        window;    /* bytes of each pattern that it looks at: the last ones, or see anchor_slack */
    uint32_t gram; /* bytes of a sample */
    uint32_t stride; /* bytes of text from one sample to the next */
    uint32_t
        anchor_slack; /* windows end up to so many bytes before patterns, where they are rare */
    uint64_t table_bytes;
    double pass;          /* expected: share of samples that pass; 0: not known, as what follows */
    double look_ups;      /* expected: ends to be looked up, for a byte of text */
    double gb_per_second; /* expected: of this filter alone, with what passes it */
} trawl_filter_information;

/* Filter `index` (0, 1, ...); returns false past the last one. */
TRAWL_API bool trawl_db_filter(const trawl_db *db, size_t index, trawl_filter_information *filter);

/* The same of the filters that a GPU was expected to get; `kind`: "direct", "shared" (in shared
 * memory), "global" (behind the L2 cache), or "automaton": no filter, but an automaton that counts
 * short patterns, runs of one byte and what is frequent in the text beside the filters. They are
 * chosen anew when the database is uploaded, by the text and the device then. `pass`, `look_ups`
 * and what follows are 0. */
TRAWL_API bool trawl_db_device_filter(const trawl_db *db, size_t index,
                                      trawl_filter_information *filter);

/* Returns false when `id` is not below the number of patterns. */
TRAWL_API bool trawl_db_pattern(const trawl_db *db, uint32_t id, trawl_pattern *pattern);

/* ------------------------------------------------------------------ scanning */

typedef struct trawl_match {
    uint64_t start;
    uint64_t end;      /* one past the last byte */
    uint32_t pattern;  /* id */
    uint32_t reserved; /* 0 */
} trawl_match;

typedef enum trawl_placement {
    TRAWL_PLACEMENT_NONE = 0,   /* the operating system moves threads as it likes */
    TRAWL_PLACEMENT_SPREAD = 1, /* as far apart as the allowed CPUs permit ("scatter") */
    TRAWL_PLACEMENT_CLOSE = 2   /* on neighbouring CPUs ("compact") */
} trawl_placement;

#define TRAWL_THREADS_ALL UINT32_MAX

/* How a CUDA kernel reads the tables of an automaton. Texture references, which the papers used,
 * no longer exist; texture objects take their place. */
typedef enum trawl_table_path {
    TRAWL_TABLES_CHOSEN = 0,   /* as the kernel's paper has it */
    TRAWL_TABLES_TEXTURE = 1,  /* texture objects */
    TRAWL_TABLES_READ_ONLY = 2 /* read-only loads (the __ldg path) */
} trawl_table_path;

/* What a scan did, for reports. */
typedef struct trawl_scan_report {
    char device[16];         /* "cpu", "cuda:0" */
    char kernel[32];         /* CUDA: the kernel; else empty */
    char transfer[16];       /* CUDA: how the text travelled: "ring", "a", "b", "zero-copy" */
    char reason[192];        /* with device "auto": why this one */
    uint32_t block_threads;  /* CUDA: T, threads of a block */
    uint32_t thread_bytes;   /* CUDA: S_thread, bytes of text that a thread owns */
    double overlap_overhead; /* CUDA: (max_length - 1) / S_thread: the share of extra work (Zha &
                                Sahni 2011, IV-A) */
    uint64_t segments;       /* CUDA: transfers of text */
    uint64_t segment_bytes;  /* CUDA: text of one of them, without the overlap */
    uint32_t in_flight;      /* CUDA: segments under way at the same time */
    double copy_in_seconds;  /* CUDA: summed over segments, as the device's clock has it; they */
    double scan_seconds;     /* overlap each other */
    double copy_out_seconds;
    uint32_t filters;                      /* CPU, qgram: filters side by side (trawl_db_filter) */
    uint64_t look_ups[TRAWL_MOST_FILTERS]; /* ends that each let through, to be looked up */
    uint64_t filtered_bytes;               /* text that they read */
    uint64_t automaton_bytes; /* text that an automaton read in their stead, as it defeats them */
    double read_wait_seconds; /* CUDA: waiting for text to be read, or copied to pinned memory */
} trawl_scan_report;

typedef struct trawl_scan_options {
    size_t size;        /* sizeof(trawl_scan_options) */
    const char *device; /* NULL or "cpu"; "auto": a GPU that can be used, else the CPU; "cuda": the
                           first GPU; "cuda:N" */
    uint32_t threads; /* 0 or 1: the calling thread; TRAWL_THREADS_ALL: one for each allowed CPU */
    trawl_placement placement;
    bool copy_tables;   /* each thread scans with its own copy of the database (threads > 1) */
    size_t chunk_bytes; /* text that a thread takes at a time; 0: chosen. Never changes results */
    /* CUDA devices; on the CPU they are ignored. None of them changes results. */
    const char *kernel;     /* NULL: the default for the engine and transfer; else a name
                               (trawl_kernel_describe) */
    const char *transfer;   /* NULL or "ring"; "a", "b" (Zha & Sahni 2011, V); "zero-copy", which
                               page-locks the text while it is scanned, unless the caller has done so
                               (trawl_cuda_pin), as scans of one text with several databases at
                               once need */
    uint64_t segment_bytes; /* text of one transfer; 0: chosen */
    uint32_t segments_in_flight; /* ring; 0: chosen */
    uint32_t block_threads;      /* T, a multiple of 32; 0: the kernel's */
    uint32_t block_bytes;        /* S_block, text that a block owns; 0: the kernel's */
    trawl_table_path table_path;
    trawl_scan_report *report; /* NULL, or filled in while the scan runs; owned by the caller */
} trawl_scan_options;
#define TRAWL_SCAN_OPTIONS                                                                         \
    { .size = sizeof(trawl_scan_options) }

/* Receives one match; returns 0 to go on, anything else to stop. It is never called by two threads
 * at once, but with threads > 1 not always by the same one. It may not scan with the same stream.
 */
typedef int (*trawl_on_match)(const trawl_match *match, void *context);

/* Calls on_match for every match of the database's kind in canonical order: by end, then start,
 * then pattern id. Memory is bounded whatever the number of matches. `text` may be NULL when length
 * is 0. Returns TRAWL_STOPPED when on_match asked to stop. Thread safety: any number of calls at
 * once on one database. */
TRAWL_API trawl_status trawl_scan(const trawl_db *db, const void *text, size_t length,
                                  const trawl_scan_options *options, trawl_on_match on_match,
                                  void *context, trawl_error *error);

/* Receives matches many at a time, 1 to a few hundred thousand: the next `count` ones in canonical
 * order. The array is valid only during the call. Returns 0 to go on, anything else to stop after
 * this batch; how matches are divided into batches may differ from call to call. Otherwise as
 * trawl_on_match. */
typedef int (*trawl_on_matches)(const trawl_match *matches, size_t count, void *context);

/* trawl_scan with a call for each batch instead of each match, which is faster where matches are
 * frequent. */
TRAWL_API trawl_status trawl_scan_batches(const trawl_db *db, const void *text, size_t length,
                                          const trawl_scan_options *options,
                                          trawl_on_matches on_matches, void *context,
                                          trawl_error *error);

/* Counts the matches that trawl_scan would report: (pattern, position) pairs. `per_pattern` is NULL
 * or an array of one counter for each pattern, which is overwritten. */
TRAWL_API trawl_status trawl_count(const trawl_db *db, const void *text, size_t length,
                                   const trawl_scan_options *options, uint64_t *total,
                                   uint64_t *per_pattern, trawl_error *error);

/* All matches as one array, in canonical order. The caller owns it: trawl_matches_free. */
typedef struct trawl_matches {
    trawl_match *items;
    size_t count;
} trawl_matches;

TRAWL_API trawl_status trawl_collect(const trawl_db *db, const void *text, size_t length,
                                     const trawl_scan_options *options, trawl_matches *matches,
                                     trawl_error *error);
/* The same into the memory of an earlier result, which is replaced: for many texts one after the
 * other. `matches` must come from one of these two functions, or be { NULL, 0 }; also after a
 * failure it is to be freed. */
TRAWL_API trawl_status trawl_collect_again(const trawl_db *db, const void *text, size_t length,
                                           const trawl_scan_options *options,
                                           trawl_matches *matches, trawl_error *error);

TRAWL_API void trawl_matches_free(trawl_matches *matches);

/* ------------------------------------------------------------------ texts that are read by offset
 */

/* Stores bytes of a text from `offset` on: at least one, at most `capacity`, which is never more
 * than the text has left, and sets *length to their number, as pread does. It may be called by
 * several threads at once, for different parts of the text, in any order, and twice for some bytes.
 * Returns TRAWL_OK, or the status with which the scan is to end, with a sentence in *error (never
 * NULL); bytes that were stored before the failure count. TRAWL_OK with *length 0 says that the
 * text has become shorter than it was said to be, with which the scan fails too. */
typedef trawl_status (*trawl_read_at)(void *context, uint64_t offset, void *buffer, size_t capacity,
                                      size_t *length, trawl_error *error);

/* A text that need not be in memory: a file, an object of a store. It must not change while it is
 * scanned. */
typedef struct trawl_source {
    size_t size;     /* sizeof(trawl_source) */
    uint64_t length; /* bytes of the text */
    trawl_read_at read;
    void *context; /* of read */
} trawl_source;
#define TRAWL_SOURCE                                                                               \
    { .size = sizeof(trawl_source) }

/*
 * trawl_scan_batches and trawl_count over a text that is read while it is scanned, whose length
 * memory does not limit. With a CUDA device up to `threads` threads read, directly into the memory
 * that is copied to the device, while other parts of the text are copied, scanned, and handed to
 * on_matches; transfer "zero-copy" is refused. On the CPU the calling thread reads piece by piece.
 *
 * When reading fails, what could be read up to there without a gap is scanned as if the text ended
 * there, and the result is the status of the failure.
 */
TRAWL_API trawl_status trawl_scan_source(const trawl_db *db, const trawl_source *source,
                                         const trawl_scan_options *options,
                                         trawl_on_matches on_matches, void *context,
                                         trawl_error *error);
TRAWL_API trawl_status trawl_count_source(const trawl_db *db, const trawl_source *source,
                                          const trawl_scan_options *options, uint64_t *total,
                                          uint64_t *per_pattern, trawl_error *error);

/* ------------------------------------------------------------------ streaming */

/* A text that comes in pieces of any size: the same matches, in the same order, with offsets from
 * the start of the stream. Large pieces are scanned where they are; small ones are gathered first
 * (at most a few hundred kilobytes), so that a match may be reported by a later write, by
 * trawl_stream_flush or by trawl_stream_close. A stream is used by one thread at a time; its
 * options may ask for several threads inside each write. */
typedef struct trawl_stream trawl_stream;

TRAWL_API trawl_status trawl_stream_open(const trawl_db *db, const trawl_scan_options *options,
                                         trawl_on_match on_match, void *context,
                                         trawl_stream **stream, trawl_error *error);

/* The same with batches of matches. */
TRAWL_API trawl_status trawl_stream_open_batches(const trawl_db *db,
                                                 const trawl_scan_options *options,
                                                 trawl_on_matches on_matches, void *context,
                                                 trawl_stream **stream, trawl_error *error);

/* Without a callback (NULL) a stream only counts, which is faster. If `per_pattern` is wanted, hand
 * over an array of one counter for each pattern before the first write: the stream adds to it, it
 * must outlive the stream, and it is complete when trawl_stream_finish or _close returns TRAWL_OK.
 */
TRAWL_API trawl_status trawl_stream_count_patterns(trawl_stream *stream, uint64_t *per_pattern,
                                                   trawl_error *error);

/* Matches reported or counted so far. */
TRAWL_API uint64_t trawl_stream_matches(const trawl_stream *stream);

/* After TRAWL_STOPPED or an error, further writes do nothing and return the same status. */
TRAWL_API trawl_status trawl_stream_write(trawl_stream *stream, const void *bytes, size_t length,
                                          trawl_error *error);

/* Scans what has been gathered. With TRAWL_MATCH_ALL, every match that ends in the bytes written
 * so far has been reported when it returns; the leftmost kinds may have to see more text first. */
TRAWL_API trawl_status trawl_stream_flush(trawl_stream *stream, trawl_error *error);

/* Bytes written so far. */
TRAWL_API uint64_t trawl_stream_offset(const trawl_stream *stream);

/* Ends the text and reports what is left; trawl_stream_matches and the counters of
 * trawl_stream_count_patterns are final when it returns TRAWL_OK. Nothing can be written
 * afterwards. */
TRAWL_API trawl_status trawl_stream_finish(trawl_stream *stream, trawl_error *error);

/* Finishes the stream, if that has not been done, and frees it, whatever it returns. */
TRAWL_API trawl_status trawl_stream_close(trawl_stream *stream, trawl_error *error);

/* Frees a stream without ending its text: nothing more is reported. NULL is allowed. */
TRAWL_API void trawl_stream_abandon(trawl_stream *stream);

/* ------------------------------------------------------------------ devices */

typedef struct trawl_device {
    char name[16];         /* as --device takes it: "cpu", "cuda:0" */
    char description[112]; /* the maker's name, instruction sets or architecture */
    uint64_t memory_bytes; /* main memory of the device; 0 when not known */
    uint32_t units;        /* CPUs that may be used, or multiprocessors */
} trawl_device;

/* Fills at most `capacity` entries and sets *count to the number of devices there are. */
TRAWL_API trawl_status trawl_devices(trawl_device *devices, size_t capacity, size_t *count,
                                     trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
