/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl: finds every occurrence of every pattern of a large set in a text.
 *
 * A program takes three steps:
 *
 *     trawl_patterns    a set of byte strings with flags and names    one thread fills it
 *     trawl_db          the compiled set, never changed               any number of threads use it
 *     trawl_scan        reports the matches in a text                 any number of calls at once
 *
 * Ten headers:
 *     trawl.h             patterns, databases, scans: all that most programs need
 *     trawl_conditions.h  where, and between which bytes, patterns count: whole words
 *     trawl_groups.h      numbers that patterns share, and values that come back with a match
 *     trawl_scanner.h     short texts that come one by one
 *     trawl_records.h     many texts in one call
 *     trawl_replace.h     texts with their matches replaced
 *     trawl_index.h       indexes, for texts that stay while patterns come
 *     trawl_cuda.h        texts and results in the memory of a GPU
 *     trawl_cuda_rows.h   many texts in the memory of a GPU in one call
 *     trawl_study.h       for research: parameters, costs, measurements; may change at any time
 *
 * Conventions
 *  - A function that can fail returns a trawl_status; TRAWL_OK is 0. Its last argument is a
 *    trawl_error of the caller, or NULL, and gets a sentence if the call fails. Calls for each text
 *    (of scanners, flows, replacers) have the status alone: trawl_status_text puts it into words.
 *  - Offsets and counts of text bytes have 64 bits. A match is a pattern and the half-open range
 *    [start, end) of bytes.
 *  - Structures of options, and structures that the library fills in, begin with their size: that
 *    is how a program works with a newer library of the same minor version. Initialise such a
 *    structure with the macro beside it. The library reads and writes at most `size` bytes of it,
 *    and sets members that it does not know to 0. A size of 0 is refused. Structures without a size
 *    never change their layout. For options, NULL means the defaults, and so does a member of 0.
 *  - Any function may be called by any thread. Calls that only read an object (const) may run at
 *    once; calls that change an object, such as a pattern set or a stream, must not run while
 *    another call uses the same object.
 *  - Pointers given to a function must stay valid until it returns, unless its comment says more.
 *  - The library never prints, never ends the process and has no mutable global state (except that
 *    scans with kernel `constant` of ac-nfa take turns: a program has constant memory once).
 *  - A scan starts its own threads and ends them before it returns; a stream, a scanner of records
 *    and a replacer end theirs when they are closed. If the system refuses to create some, there
 *    are fewer. Ask for as many as there are CPUs.
 *  - The child of a fork has all objects, but none of their threads. It may use and free each
 *    object that no call was changing at the time of the fork; calls with several threads start new
 *    ones there. If a callback of such a call forks, the child must not return from it. Objects
 *    that have used a GPU are an exception: CUDA does not work in the child of a process that has
 *    used it.
 */
#ifndef TRAWL_TRAWL_H
#define TRAWL_TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a structure that begins with its size is initialised with: its size, and 0 for every other
 * member. C++ has designated initialisers only since C++20. */
#ifndef __cplusplus
#define TRAWL_SIZED(type)                                                                          \
    { .size = sizeof(type) }
#else
#define TRAWL_SIZED(type) trawl_sized<type>()
extern "C++" {
template <typename structure> structure trawl_sized() {
    structure empty = structure();
    empty.size = sizeof empty;
    return empty;
}
}
extern "C" {
#endif

#define TRAWL_VERSION_MAJOR 0
#define TRAWL_VERSION_MINOR 2
#define TRAWL_VERSION_PATCH 0

#if defined(TRAWL_BUILDING_LIBRARY) && defined(__GNUC__)
#define TRAWL_API __attribute__((visibility("default")))
#else
#define TRAWL_API
#endif

/* The version of the running library, "major.minor.patch". Static, never NULL. */
TRAWL_API const char *trawl_version(void);

/* ------------------------------------------------------------------ status and errors */

typedef enum trawl_status {
    TRAWL_OK = 0,
    TRAWL_STOPPED = 1,           /* the caller's callback asked to stop: not an error */
    TRAWL_ERROR_ARGUMENT = 2,    /* wrong in every call: NULL, an unknown name, an empty pattern */
    TRAWL_ERROR_MEMORY = 3,      /* out of memory */
    TRAWL_ERROR_LIMIT = 4,       /* beyond a documented limit, for example max_table_bytes */
    TRAWL_ERROR_UNAVAILABLE = 5, /* this machine or build has no such device or feature */
    TRAWL_ERROR_IO = 6,          /* the operating system failed to read or write */
    TRAWL_ERROR_FORMAT = 7,      /* not a database or index, or damaged, or of another version */
    TRAWL_ERROR_DEVICE = 8       /* a GPU failed; the library goes on working on the CPU */
} trawl_status;

/* Filled in by a failing call; the caller owns it. `message` is one sentence without a line end,
 * terminated by NUL. Its layout never changes, so it has no size. */
typedef struct trawl_error {
    trawl_status status;
    char message[508];
} trawl_error;

/* A few words for a status, such as "out of memory". Static, never NULL. */
TRAWL_API const char *trawl_status_text(trawl_status status);

/* ------------------------------------------------------------------ pattern sets */

/* A set of patterns that grows. Only one thread at a time may add to it. */
typedef struct trawl_patterns trawl_patterns;

enum {
    TRAWL_PATTERN_MAX_LENGTH = 65536,   /* bytes in one pattern */
    TRAWL_PATTERN_CASE_INSENSITIVE = 1u /* flag: ASCII letters match in either case */
};
#define TRAWL_PATTERNS_MAX_COUNT UINT32_C(0xffffffff) /* patterns in one set */
#define TRAWL_PATTERNS_MAX_BYTES (UINT64_C(64) << 30) /* bytes of all patterns together */
/* Equal patterns in one set that is compiled: with a case-insensitive pattern in the set, also
 * those that differ in letter case alone. */
#define TRAWL_PATTERNS_MAX_EQUAL UINT32_C(0x7fffffff)

/* Makes an empty set. The caller owns *patterns; free it with trawl_patterns_free.
 * Errors: TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_patterns_new(trawl_patterns **patterns, trawl_error *error);

/* Frees a set; NULL is allowed. Databases that were compiled from it are not affected. */
TRAWL_API void trawl_patterns_free(trawl_patterns *patterns);

/* Appends a pattern of `length` bytes: any byte values, 1 to TRAWL_PATTERN_MAX_LENGTH bytes, which
 * are copied. Its id is the number of patterns added before it: 0, 1, 2, ... Equal patterns may be
 * added more than once; each has its own id. `flags` is 0 or TRAWL_PATTERN_CASE_INSENSITIVE.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY; the set is then unchanged.
 */
TRAWL_API trawl_status trawl_patterns_add(trawl_patterns *patterns, const void *bytes,
                                          size_t length, unsigned flags, trawl_error *error);

/* Names the pattern that was added last, in place of any earlier name. The name (`length` bytes,
 * copied, without a NUL) is kept in databases, for reports. All names together have at most 4 GiB.
 * Errors: as trawl_patterns_add, with the set unchanged. */
TRAWL_API trawl_status trawl_patterns_name_last(trawl_patterns *patterns, const char *name,
                                                size_t length, trawl_error *error);

/* The number of patterns. */
TRAWL_API size_t trawl_patterns_count(const trawl_patterns *patterns);

/* One pattern of a set or of a database. Its pointers are valid as long as the database, or as the
 * set until the next pattern is added. */
typedef struct trawl_pattern {
    size_t size; /* sizeof(trawl_pattern) */
    const uint8_t *bytes;
    size_t length; /* bytes */
    unsigned flags;
    const char *name;   /* NULL: none. Without a NUL at its end */
    size_t name_length; /* bytes */
    /* trawl_groups.h */
    const uint8_t *value; /* NULL: none. With a NUL at its end */
    size_t value_length;  /* bytes, without this NUL */
    uint32_t group;       /* its id, unless it has one */
    uint32_t reserved;    /* 0 */
} trawl_pattern;
#define TRAWL_PATTERN TRAWL_SIZED(trawl_pattern)

/* Reads pattern `id`. False if `id` is not below trawl_patterns_count, or pattern->size is 0. */
TRAWL_API bool trawl_patterns_get(const trawl_patterns *patterns, uint32_t id,
                                  trawl_pattern *pattern);

/* What a set looks like. Lengths are in bytes. */
typedef struct trawl_statistics {
    size_t size;             /* sizeof(trawl_statistics) */
    size_t count;            /* patterns, duplicates included */
    size_t distinct;         /* patterns that differ in bytes or in flags */
    size_t case_insensitive; /* patterns with that flag */
    uint64_t total_bytes;    /* of all patterns */
    size_t min_length;       /* 0 if the set is empty */
    size_t max_length;
    double mean_length;
    size_t median_length;
    size_t alphabet;       /* distinct byte values in all patterns */
    uint64_t states;       /* nodes of the trie of the set, with the root */
    size_t levels;         /* levels of the trie below the root: max_length */
    double prefix_sharing; /* 1 - (states - 1) / bytes of the distinct patterns: 0 if no two
                              patterns begin alike */
} trawl_statistics;
#define TRAWL_STATISTICS TRAWL_SIZED(trawl_statistics)

/* Computes the statistics of a set, in time proportional to its bytes.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_patterns_statistics(const trawl_patterns *patterns,
                                                 trawl_statistics *statistics, trawl_error *error);

/* ------------------------------------------------------------------ compiling */

/* A compiled set: immutable, so that any number of threads may scan with it at once. */
typedef struct trawl_db trawl_db;

typedef enum trawl_match_kind {
    TRAWL_MATCH_ALL = 0,             /* every occurrence, also those that overlap: the default */
    TRAWL_MATCH_LEFTMOST_FIRST = 1,  /* no overlaps: of the earliest to start, the lowest id */
    TRAWL_MATCH_LEFTMOST_LONGEST = 2 /* no overlaps: of the earliest to start, the longest */
} trawl_match_kind;

typedef struct trawl_compile_options {
    size_t size;         /* sizeof(trawl_compile_options) */
    const char *engine;  /* NULL or "auto": the planner chooses; else a name
                            (trawl_engine_describe), which is then used or refused */
    const char *variant; /* NULL: the engine's default. Needs an engine */
    trawl_match_kind matches;
    uint64_t max_table_bytes; /* an engine whose tables would be larger is refused; 0: 8 GiB */
    /* Text like that to be scanned: 64 to 256 KiB, for a GPU 1 MiB, in pieces from all over it.
     * The planner measures on it how many positions each filter would leave as candidates. NULL:
     * the planner makes up a text from the patterns. A sample never changes which matches are
     * found. */
    const void *sample;
    size_t sample_length; /* bytes; a sample of less than 4,096 is not used */
    /* The device that the planner chooses for: NULL or "cpu"; "cuda", "cuda:N", or the first one of
     * several GPUs ("cuda:0,2"); "auto": a GPU if one can be used, else the CPU. Plans for "cuda"
     * on a machine without a GPU assume an H200. The database can be scanned on any device all the
     * same. */
    const char *device;
    const struct trawl_study_compile_options *study; /* NULL, or see trawl_study.h */
    /* About how many bytes of text will be scanned with the database. For a short text the planner
     * prefers tables that are built fast, and tries no more filters than the scan can repay. 0: not
     * known: building is not weighed, and everything is tried. */
    uint64_t text_bytes;
} trawl_compile_options;
#define TRAWL_COMPILE_OPTIONS TRAWL_SIZED(trawl_compile_options)

/* Compiles a set into a database. The set may be freed afterwards. The caller owns *db; free it
 * with trawl_db_free. Runs on the calling thread; any number of threads may compile the same set at
 * once. A set without patterns gives a database that finds nothing.
 * Errors: TRAWL_ERROR_ARGUMENT, also if the environment variable TRAWL_CPU names an instruction set
 * that is not there; TRAWL_ERROR_LIMIT if the set is beyond the limits of the engine asked for, or
 * of all engines; TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_compile(const trawl_patterns *patterns,
                                     const trawl_compile_options *options, trawl_db **db,
                                     trawl_error *error);

/* Sets *bytes to the size that trawl_db_bytes would report for a database compiled with these
 * options, without building its tables. Errors: those of trawl_compile. */
TRAWL_API trawl_status trawl_compile_size(const trawl_patterns *patterns,
                                          const trawl_compile_options *options, uint64_t *bytes,
                                          trawl_error *error);

/* Frees a database; NULL is allowed. No scan, stream or GPU copy may still be using it. */
TRAWL_API void trawl_db_free(trawl_db *db);

/* ------------------------------------------------------------------ scanning */

/* One occurrence of a pattern. Its layout never changes, so it has no size. */
typedef struct trawl_match {
    uint64_t start;    /* offset of its first byte in the text */
    uint64_t end;      /* one past its last byte */
    uint32_t pattern;  /* id */
    uint32_t reserved; /* 0 */
} trawl_match;

typedef enum trawl_placement {
    TRAWL_PLACEMENT_NONE = 0,   /* the operating system places threads */
    TRAWL_PLACEMENT_SPREAD = 1, /* as far apart as the allowed CPUs permit ("scatter") */
    TRAWL_PLACEMENT_CLOSE = 2   /* on neighbouring CPUs ("compact") */
} trawl_placement;

#define TRAWL_THREADS_ALL UINT32_MAX

/* Where a scan ran. Strings end with NUL. */
typedef struct trawl_scan_report {
    size_t size;       /* sizeof(trawl_scan_report) */
    char device[16];   /* "cpu", "cuda:0", "cuda:0-7" */
    char kernel[32];   /* of a GPU: the kernel; else empty */
    char transfer[16]; /* of a GPU: how the text travelled (trawl_scan_options); else empty */
    char reason[192];  /* with device "auto": why this device */
    /* Of "auto" and of names of several GPUs. */
    uint32_t devices;   /* GPUs that took part at the same time, at most */
    uint32_t left_out;  /* GPUs that failed and were left out */
    uint64_t cpu_bytes; /* bytes of text that the CPU scanned in their place */
    char failure[192];  /* why the first of them was left out; else empty */
} trawl_scan_report;
#define TRAWL_SCAN_REPORT TRAWL_SIZED(trawl_scan_report)

/* No option changes which matches are found, nor their order. */
typedef struct trawl_scan_options {
    size_t size; /* sizeof(trawl_scan_options) */
    /* NULL or "cpu"; "cuda", the first GPU, or "cuda:N"; "cuda:all", or "cuda:0,2" and "cuda:0-3":
     * several GPUs, which share each long text; if some fail, the others go on, or else the CPU;
     * "cuda:auto": all GPUs, but more than one only for texts of many gigabytes; "auto": the same
     * if a GPU can be used, else the CPU. */
    const char *device;
    uint32_t threads; /* 0 or 1: the calling thread; TRAWL_THREADS_ALL: one for each allowed CPU */
    trawl_placement placement;
    /* For GPUs; ignored on the CPU. */
    const char *kernel;   /* NULL: the best for the engine and the transfer; else a name
                             (trawl_kernel_describe) */
    const char *transfer; /* how the text reaches the GPU. NULL or "ring": in segments, several at
                             a time. "a", "b": the strategies of Zha & Sahni 2011, section V.
                             "zero-copy": the GPU reads the host's memory, which is page-locked
                             for the scan unless it is already (trawl_cuda_pin). Several scans of
                             one text at once with "zero-copy" need trawl_cuda_pin */
    trawl_scan_report *report; /* NULL, or filled in when the scan ends, also if it fails. For a
                                  stream it must outlive the stream, which fills it in when it is
                                  closed or abandoned */
    const struct trawl_study_scan_options *study; /* NULL, or see trawl_study.h */
} trawl_scan_options;
#define TRAWL_SCAN_OPTIONS TRAWL_SIZED(trawl_scan_options)

/* Receives one match. Returns 0 to go on, anything else to stop. It is never called by two threads
 * at once, but with several threads it may be called by different ones in turn. It may start other
 * scans, but must not use the stream that calls it. */
typedef int (*trawl_on_match)(const trawl_match *match, void *context);

/* Scans text[0, length) and calls on_match(match, context) for every match, ordered by end, then
 * start, then pattern id. `text` may be NULL if length is 0. Memory is bounded whatever the number
 * of matches.
 * The calls over a text in memory keep what they have prepared: for texts of up to 1 MiB on one
 * thread (of less than 64 KiB with several threads), and without device, report or study options, a
 * database keeps at most 16 scanners, no more than there were calls at once, of 25 KB to 1 MB each
 * (none if its longest pattern has more than 4,096 bytes). trawl_db_free frees them. Such calls
 * take no lock (but for the first ones with sets of mixed letter case or with conditions, while
 * automata are made for these), may overlap and nest, and work in the child of a fork. They do not
 * read TRAWL_CPU again. A database also keeps the automata that it needs for texts full of
 * candidates, and what a scan on a GPU has copied there; trawl_db_free frees these too. Returns
 * TRAWL_STOPPED if on_match asked to stop. Errors: TRAWL_ERROR_ARGUMENT, also if the environment
 * variable TRAWL_CPU names an instruction set that is not there; TRAWL_ERROR_MEMORY;
 * TRAWL_ERROR_LIMIT for more than 1,024 threads; TRAWL_ERROR_UNAVAILABLE if the GPU cannot be used;
 * TRAWL_ERROR_DEVICE. Matches reported before an error are correct. */
TRAWL_API trawl_status trawl_scan(const trawl_db *db, const void *text, size_t length,
                                  const trawl_scan_options *options, trawl_on_match on_match,
                                  void *context, trawl_error *error);

/* Receives the next `count` matches in order, 1 to a few hundred thousand. The array is valid only
 * during the call. Returns 0 to go on, anything else to stop after these. How matches are divided
 * into calls may differ from scan to scan. Otherwise as trawl_on_match. */
typedef int (*trawl_on_matches)(const trawl_match *matches, size_t count, void *context);

/* trawl_scan with one call for many matches: faster where matches are frequent. */
TRAWL_API trawl_status trawl_scan_batches(const trawl_db *db, const void *text, size_t length,
                                          const trawl_scan_options *options,
                                          trawl_on_matches on_matches, void *context,
                                          trawl_error *error);

/* Sets *total to the number of matches that trawl_scan would report. `per_pattern` is NULL or an
 * array of one counter for each pattern, which is overwritten. Faster than reporting matches.
 * Errors: those of trawl_scan. */
TRAWL_API trawl_status trawl_count(const trawl_db *db, const void *text, size_t length,
                                   const trawl_scan_options *options, uint64_t *total,
                                   uint64_t *per_pattern, trawl_error *error);

/* Matches in an array. The caller owns it; free it with trawl_matches_free. Its layout never
 * changes, so it has no size. */
typedef struct trawl_matches {
    trawl_match *items;
    size_t count;
} trawl_matches;

/* Sets *matches to all matches, in the order of trawl_scan; whatever it held is not freed.
 * Errors: those of trawl_scan; *matches is then empty. */
TRAWL_API trawl_status trawl_collect(const trawl_db *db, const void *text, size_t length,
                                     const trawl_scan_options *options, trawl_matches *matches,
                                     trawl_error *error);

/* As trawl_collect, into the memory of an earlier result, which is replaced: for many texts, one
 * after the other. *matches must be {NULL, 0} or come from trawl_collect or trawl_collect_into.
 * Free it at the end, also after a failure. */
TRAWL_API trawl_status trawl_collect_into(const trawl_db *db, const void *text, size_t length,
                                          const trawl_scan_options *options, trawl_matches *matches,
                                          trawl_error *error);

/* Frees the array and makes *matches empty. NULL is allowed. */
TRAWL_API void trawl_matches_free(trawl_matches *matches);

/* ------------------------------------------------------------------ texts read by offset */

/* Reads the text from `offset` on into buffer[0, capacity), as pread does: at least one byte. Sets
 * *length to the number of bytes. `capacity` never exceeds the rest of the text. Several threads
 * may call it at once, for different parts of the text in any order, and twice for some bytes.
 * Returns TRAWL_OK, or the status with which the scan is to fail, with a sentence in *error, which
 * is never NULL; bytes that were read before the failure count. TRAWL_OK with *length 0 says that
 * the text has become shorter, which also makes the scan fail. */
typedef trawl_status (*trawl_read_at)(void *context, uint64_t offset, void *buffer, size_t capacity,
                                      size_t *length, trawl_error *error);

/* A text that need not be in memory, such as a file. It must not change during a scan. */
typedef struct trawl_source {
    size_t size;     /* sizeof(trawl_source) */
    uint64_t length; /* bytes of the text */
    trawl_read_at read;
    void *context; /* first argument of `read` */
} trawl_source;
#define TRAWL_SOURCE TRAWL_SIZED(trawl_source)

/*
 * trawl_scan_batches and trawl_count for a text that is read while it is scanned: texts larger than
 * memory are possible. On the CPU the calling thread reads piece by piece. With a GPU up to
 * `threads` threads read at once, into the memory that is copied to the GPU, while other pieces are
 * copied, scanned and reported; transfer "zero-copy" is refused.
 *
 * If reading fails, the text is scanned up to the first missing byte, and the result is the status
 * of the failure. Other errors: those of trawl_scan.
 */
TRAWL_API trawl_status trawl_scan_source(const trawl_db *db, const trawl_source *source,
                                         const trawl_scan_options *options,
                                         trawl_on_matches on_matches, void *context,
                                         trawl_error *error);
TRAWL_API trawl_status trawl_count_source(const trawl_db *db, const trawl_source *source,
                                          const trawl_scan_options *options, uint64_t *total,
                                          uint64_t *per_pattern, trawl_error *error);

/* ------------------------------------------------------------------ streams */

/* A text that comes in pieces. The matches are those of one scan of the whole text, in the same
 * order, with offsets from the start of the stream. Small pieces are gathered first (up to 64 KiB;
 * with several threads 256 KiB, with a GPU 4 MiB; with long patterns four times the longest one if
 * that is more), so a match may be reported by a later write, flush, finish or close. One thread at
 * a time may use a stream; its options may ask for several threads inside each write. */
typedef struct trawl_stream trawl_stream;

/* Opens a stream; `on_match` NULL: the stream only counts, which is faster. The database and
 * `context` must outlive the stream. The caller owns *stream; end it with trawl_stream_close or
 * trawl_stream_abandon. Errors: those of trawl_scan. */
TRAWL_API trawl_status trawl_stream_open(const trawl_db *db, const trawl_scan_options *options,
                                         trawl_on_match on_match, void *context,
                                         trawl_stream **stream, trawl_error *error);

/* The same with one call for many matches. */
TRAWL_API trawl_status trawl_stream_open_batches(const trawl_db *db,
                                                 const trawl_scan_options *options,
                                                 trawl_on_matches on_matches, void *context,
                                                 trawl_stream **stream, trawl_error *error);

/* For a stream without a callback, before the first write: also counts the matches of each pattern.
 * The stream adds to per_pattern[0, patterns), which must outlive it and is complete when
 * trawl_stream_finish or trawl_stream_close has returned TRAWL_OK.
 * Errors: TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_stream_count_patterns(trawl_stream *stream, uint64_t *per_pattern,
                                                   trawl_error *error);

/* Appends `length` bytes to the text; they may be changed or freed afterwards.
 * Errors: those of trawl_scan. After an error or TRAWL_STOPPED, further writes do nothing and
 * return the same status. */
TRAWL_API trawl_status trawl_stream_write(trawl_stream *stream, const void *bytes, size_t length,
                                          trawl_error *error);

/* Scans the bytes gathered so far. Afterwards, with TRAWL_MATCH_ALL, every match that ends in the
 * bytes written has been reported, of patterns with conditions those that end before the last byte;
 * the leftmost kinds may depend on text still to come. Errors: those of trawl_stream_write. */
TRAWL_API trawl_status trawl_stream_flush(trawl_stream *stream, trawl_error *error);

/* Matches reported or counted so far. */
TRAWL_API uint64_t trawl_stream_matches(const trawl_stream *stream);

/* Bytes written so far. */
TRAWL_API uint64_t trawl_stream_offset(const trawl_stream *stream);

/* Ends the text and reports the last matches. After TRAWL_OK trawl_stream_matches is final.
 * Nothing can be written afterwards. Errors: those of trawl_stream_write. */
TRAWL_API trawl_status trawl_stream_finish(trawl_stream *stream, trawl_error *error);

/* Finishes the stream if that has not been done, and frees it whatever the result.
 * Errors: those of trawl_stream_finish; TRAWL_ERROR_ARGUMENT if the stream is NULL. */
TRAWL_API trawl_status trawl_stream_close(trawl_stream *stream, trawl_error *error);

/* Frees a stream without ending its text: nothing more is reported. NULL is allowed. */
TRAWL_API void trawl_stream_abandon(trawl_stream *stream);

/* ------------------------------------------------------------------ saving and loading */

/* A database is one block of bytes without pointers, little-endian: it may be written to a file,
 * sent to another process or kept in shared memory, and loaded there. Sets *size to its bytes. The
 * block is valid as long as the database. */
TRAWL_API const void *trawl_db_bytes(const trawl_db *db, size_t *size);

/* Writes the block to a file, or changes nothing: a temporary file beside `path`, fsync, rename.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_IO, TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_db_save(const trawl_db *db, const char *path, trawl_error *error);

/* Loads a database from a file or from `size` bytes in memory, which are copied. The file is mapped
 * if the effective user or root owns it and no one else may write to it, as trawl_db_save makes
 * files, else read: another user could change it later. All of it is checked: header,
 * checksum, every offset, id and state. Whatever the bytes are, the result is a usable database or
 * an error. Do not change a file in place while a database is mapped from it (trawl_db_save never
 * does). The caller owns *db; free it with trawl_db_free. Errors: TRAWL_ERROR_FORMAT,
 * TRAWL_ERROR_IO, TRAWL_ERROR_MEMORY, TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_db_load(const char *path, trawl_db **db, trawl_error *error);
TRAWL_API trawl_status trawl_db_load_memory(const void *bytes, size_t size, trawl_db **db,
                                            trawl_error *error);

/* ------------------------------------------------------------------ what is in a database */

typedef struct trawl_db_information {
    size_t size;        /* sizeof(trawl_db_information) */
    const char *engine; /* strings are valid as long as the database */
    const char *variant;
    const char *reason; /* why this engine, in words */
    trawl_match_kind matches;
    size_t patterns;
    size_t min_length, max_length; /* of patterns, in bytes; 0 without patterns */
    uint64_t states;               /* of all its automata; 0: the engine has none */
    size_t parts;                  /* automata side by side (ac-split); else 1 */
    size_t byte_classes;  /* columns of an automaton's table; 0: the engine has no automaton */
    size_t state_bytes;   /* bytes of an entry there, 2 or 4; 0: the engine has no automaton */
    uint64_t table_bytes; /* the engine's tables */
    uint64_t total_bytes; /* the whole block, with patterns and names */
    double build_seconds; /* that trawl_compile took */
} trawl_db_information;
#define TRAWL_DB_INFORMATION TRAWL_SIZED(trawl_db_information)

/* Describes a database. Errors: TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_db_info(const trawl_db *db, trawl_db_information *information,
                                     trawl_error *error);

/* Reads pattern `id`. False if `id` is not below the number of patterns, or pattern->size is 0. */
TRAWL_API bool trawl_db_pattern(const trawl_db *db, uint32_t id, trawl_pattern *pattern);

/*
 * Explains the planner's choice as JSON: one object, UTF-8, terminated by NUL. The caller owns
 * *json; free it with trawl_text_free. Speeds are 10^9 bytes of text a second: of one thread of the
 * CPU, or of a whole GPU that counts a text in its memory. Tables are in bytes.
 *
 *     engine, variant, reason    the choice, and the reason in words
 *     table_bytes, total_bytes   of the database
 *     filters                    of engine qgram on a CPU, one for each group of lengths: kind,
 *                                min_length, max_length, window, gram, stride, table_bytes,
 *                                patterns, pass_rate, candidates, gb_per_second.
 *                                The last four are 0 if nothing was planned. Terms:
 *                                docs/internals/glossary.md
 *     automata                   of engines ac-dfa and ac-nfa one, of ac-split one for each part,
 *                                else none: patterns, pattern_bytes, states, next_bytes (bytes of
 *                                goto and failure, or of a DFA's rows)
 *     imbalance                  ac-split: by how much the part with most pattern_bytes exceeds
 *                                the one with least; 0.1 means 10 %
 *     plan                       null if nothing was planned: an engine other than qgram was named
 *       device                   "cpu" or "cuda": the device that the plan is for
 *       sample_bytes             of the caller's sample; 0: a text made up from the patterns
 *       match_ends               share of the bytes at which a match ends
 *       gb_per_second            expected speed of the choice
 *       engines                  those that were compared, each with its expected table_bytes and
 *                                gb_per_second; for a GPU also kernel and shared_bytes, the
 *                                tables in the shared memory of each block
 *       device_filters           filters of engine qgram expected on a GPU: kind (where the table
 *                                is), min_length, max_length, window, gram, stride, table_bytes
 *
 * Later versions may add members. Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY; *json is then
 * NULL.
 */
TRAWL_API trawl_status trawl_db_explain(const trawl_db *db, char **json, trawl_error *error);

/* Frees a text that trawl_db_explain made; NULL is allowed. */
TRAWL_API void trawl_text_free(char *text);

/* ------------------------------------------------------------------ devices, engines, kernels */

typedef struct trawl_device {
    size_t size;           /* sizeof(trawl_device) */
    char name[16];         /* for options: "cpu", "cuda:0" */
    char description[112]; /* name of the product; instruction sets or architecture */
    uint64_t memory_bytes; /* main memory of the device; 0: not known */
    uint32_t units;        /* CPUs that may be used, or multiprocessors of a GPU */
} trawl_device;
#define TRAWL_DEVICE TRAWL_SIZED(trawl_device)

/* Sets *count to the number of devices, the CPU included, and describes the first `capacity` of
 * them: the CPU first, then GPUs, the best first. devices[0].size must be set: it is the size of
 * every element of the array. `devices` may be NULL if capacity is 0.
 * Errors: TRAWL_ERROR_ARGUMENT, also if the environment variable TRAWL_CPU names an instruction set
 * that is not there. */
TRAWL_API trawl_status trawl_devices(trawl_device *devices, size_t capacity, size_t *count,
                                     trawl_error *error);

/* A matching algorithm. Strings are static. */
typedef struct trawl_engine_description {
    size_t size;                          /* sizeof(trawl_engine_description) */
    const char *name;                     /* "ac-dfa" */
    const char *summary;                  /* one line */
    const char *source;                   /* the paper, with the section */
    const char *const *variants;          /* names, ended by NULL; the first is the default */
    const char *const *variant_summaries; /* a line for each variant, in the same order */
} trawl_engine_description;
#define TRAWL_ENGINE_DESCRIPTION TRAWL_SIZED(trawl_engine_description)

/* Describes engine `index` (0, 1, ...). False past the last one, or if the size is 0. */
TRAWL_API bool trawl_engine_describe(size_t index, trawl_engine_description *description);

/* A GPU's way to scan with the tables of an engine. Strings are static. */
typedef struct trawl_kernel_description {
    size_t size;         /* sizeof(trawl_kernel_description) */
    const char *name;    /* "ac3" */
    const char *summary; /* one line */
    const char *source;  /* the paper, with the section */
} trawl_kernel_description;
#define TRAWL_KERNEL_DESCRIPTION TRAWL_SIZED(trawl_kernel_description)

/* Describes kernel `index` (0, 1, ...) of an engine, also in builds without CUDA. The first is the
 * default, except with engine qgram, where the set and the text decide. False past the last one,
 * for an unknown engine, or if the size is 0. */
TRAWL_API bool trawl_kernel_describe(const char *engine, size_t index,
                                     trawl_kernel_description *description);

#ifdef __cplusplus
}
#endif
#endif
