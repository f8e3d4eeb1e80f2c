/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl on CUDA devices: texts and results in device memory.
 *
 * For texts in host memory set `device = "cuda"` in the options of trawl.h. This header is for
 * programs whose text is in device memory already:
 *
 *     trawl_cuda_upload       copies a database to a device, once
 *     trawl_cuda_workspace    says how much device memory a scan needs besides its results
 *     trawl_cuda_scan         launches a scan in a stream of the caller, any number of times
 *     trawl_cuda_scan_parts   scans a text whose parts are in the memory of several devices
 *
 * trawl_cuda_scan only launches: it allocates nothing, waits for nothing and copies nothing between
 * host and device.
 *
 * Every function exists in every build. Without a CUDA module, driver or device it returns
 * TRAWL_ERROR_UNAVAILABLE. If a call to CUDA fails, the sentence in *error names the call, CUDA's
 * code and the device. CUDA's headers are not needed: `stream` arguments are a cudaStream_t.
 *
 * The conventions of trawl.h hold: sizes at the beginning of structures, errors, threads.
 */
#ifndef TRAWL_TRAWL_CUDA_H
#define TRAWL_TRAWL_CUDA_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ starting */

/* Starts CUDA in this process and makes the device's context, which takes a tenth of a second or
 * more and otherwise happens in the first call that needs it. Call it from a thread of its own
 * while other threads read and compile patterns. Synchronous.
 * Errors: TRAWL_ERROR_UNAVAILABLE, TRAWL_ERROR_DEVICE, as a scan on this device. */
TRAWL_API trawl_status trawl_cuda_start(uint32_t device, trawl_error *error);

/* ------------------------------------------------------------------ a database on a device */

/* A copy of a database in device memory. Any number of threads may start scans of it at once. */
typedef struct trawl_cuda_db trawl_cuda_db;

typedef struct trawl_cuda_upload_options {
    size_t size;     /* sizeof(trawl_cuda_upload_options) */
    uint32_t device; /* CUDA's number */
    /* Typical text in host memory, or NULL: what it needs most is put into the fastest memory.
     * Pieces from all over a text say more than its beginning. */
    const void *sample;
    size_t sample_length; /* bytes */
} trawl_cuda_upload_options;
#define TRAWL_CUDA_UPLOAD_OPTIONS TRAWL_SIZED(trawl_cuda_upload_options)

/* Copies a database to a device and prepares it for all kernels of its engine. `db` must outlive
 * the copy. The caller owns *uploaded; free it with trawl_cuda_db_free. Synchronous.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY (of host or device), TRAWL_ERROR_LIMIT,
 * TRAWL_ERROR_UNAVAILABLE, TRAWL_ERROR_DEVICE. */
TRAWL_API trawl_status trawl_cuda_upload(const trawl_db *db,
                                         const trawl_cuda_upload_options *options,
                                         trawl_cuda_db **uploaded, trawl_error *error);

/* Waits for the device, then frees the copy. NULL is allowed. */
TRAWL_API void trawl_cuda_db_free(trawl_cuda_db *uploaded);

/* ------------------------------------------------------------------ scanning device memory */

/* What a scan writes into device memory. Databases for leftmost matches or with conditions are for
 * trawl.h, and for trawl_cuda_rows.h, where a long text may be a row of its own. */
typedef enum trawl_cuda_form {
    TRAWL_CUDA_COUNT = 0,    /* total */
    TRAWL_CUDA_PATTERNS = 1, /* total, per_pattern */
    TRAWL_CUDA_MATCHES = 2,  /* total and, if all fit, matches ordered as by trawl_scan */
    TRAWL_CUDA_ENDS = 3,     /* ends: a bit for each owned byte of the text */
    TRAWL_CUDA_STATES = 4    /* states: for research, see trawl_study.h */
} trawl_cuda_form;

/* One match in device memory; it starts at end - length. Its layout never changes. */
typedef struct trawl_cuda_match {
    uint64_t end;     /* one past its last byte */
    uint32_t pattern; /* id */
    uint32_t length;  /* bytes */
} trawl_cuda_match;

/*
 * A scan of one text, or of one part of a longer text:
 *
 *     longer text   ... ------------------------------------ ...
 *                       |<- owned ->|                |
 *     this part         |-----------|----------------|
 *                     base          matches that end here are reported
 *
 * The first `owned` bytes overlap the part before: matches that end in them are not reported.
 * max_length - 1 bytes of overlap suffice.
 */
typedef struct trawl_cuda_scan_options {
    size_t size; /* sizeof(trawl_cuda_scan_options) */
    trawl_cuda_form form;
    const char *kernel; /* NULL: the engine's default; else a name (trawl_kernel_describe) */
    uint64_t owned;     /* bytes of overlap at the beginning of the text */
    uint64_t base;      /* added to all offsets: where the text begins in a longer one */
    const struct trawl_study_scan_options *study; /* NULL, or see trawl_study.h */
} trawl_cuda_scan_options;
#define TRAWL_CUDA_SCAN_OPTIONS TRAWL_SIZED(trawl_cuda_scan_options)

/* Device memory of the caller, which the scan overwrites. Pointers that the form does not need may
 * be NULL. Its layout never changes. */
typedef struct trawl_cuda_results {
    uint64_t *total;           /* one counter: matches found, also if `matches` was too short */
    uint64_t *per_pattern;     /* one counter for each pattern */
    trawl_cuda_match *matches; /* written only if total <= capacity; otherwise scan again with more
                                  room, or scan parts of the text */
    uint64_t capacity;         /* matches that there is room for */
    uint32_t *ends;            /* bit i % 32 of word i / 32: a match ends with byte owned + i.
                                  Whole words are written */
    void *states;              /* form STATES: see trawl_study.h */
} trawl_cuda_results;

/* Sets *bytes to the device memory that a scan of `length` bytes needs besides its results; it may
 * be 0. Errors: those of trawl_cuda_scan. */
TRAWL_API trawl_status trawl_cuda_workspace(const trawl_cuda_db *uploaded,
                                            const trawl_cuda_scan_options *options, uint64_t length,
                                            size_t *bytes, trawl_error *error);

/* Launches a scan of text[0, length) in `stream` (a cudaStream_t; NULL is the default stream). The
 * text is in device memory, or in page-locked host memory that the device can read; any alignment
 * and length will do. The results are there when the stream has got so far. The database, the text,
 * the results and the workspace (aligned to 256 bytes) must stay until then; the structures in the
 * arguments need not.
 * Errors: TRAWL_ERROR_ARGUMENT; TRAWL_ERROR_LIMIT if the kernel cannot do what is asked for, with
 * the reason; TRAWL_ERROR_DEVICE. */
TRAWL_API trawl_status trawl_cuda_scan(const trawl_cuda_db *uploaded,
                                       const trawl_cuda_scan_options *options, const void *text,
                                       uint64_t length, const trawl_cuda_results *results,
                                       void *workspace, size_t workspace_bytes, void *stream,
                                       trawl_error *error);

/* ------------------------------------------------------------------ a text on several devices */

/*
 * A part of a text in the memory of one device. Its layout never changes.
 *
 *     text        |---------------------------------------------------|
 *     part 0      |------------------------|               device 0
 *     part 1                        |owned |------------|  device 1
 *                                   base
 *
 * `owned` and `base` are as in trawl_cuda_scan_options: parts that overlap by max_length - 1 bytes,
 * in the order of the text, give the matches of the whole text.
 */
typedef struct trawl_cuda_text_part {
    const trawl_cuda_db *uploaded; /* a copy of the database on the part's device */
    const void *text;              /* memory of that device */
    uint64_t length;               /* bytes of `text` */
    uint64_t owned;                /* of them, bytes that also belong to the part before */
    uint64_t base;                 /* where `text` begins in the whole text */
} trawl_cuda_text_part;

/* The results of all parts together, in host memory. */
typedef struct trawl_cuda_combined {
    size_t size;               /* sizeof(trawl_cuda_combined) */
    uint64_t total;            /* set: matches found */
    uint64_t *per_pattern;     /* NULL, or a counter for each pattern, which is set */
    trawl_cuda_match *matches; /* NULL, or room for `capacity` matches: all of them in the order of
                                  parts, written only if total <= capacity */
    uint64_t capacity;
} trawl_cuda_combined;
#define TRAWL_CUDA_COMBINED TRAWL_SIZED(trawl_cuda_combined)

/* Scans `count` parts at the same time, each on its device, and adds up their results. With
 * `matches` each part is scanned twice: counted, then written with the memory that is needed.
 * The calling thread launches all scans, slices of different parts in turn. Allocates a stream,
 * workspace and results for each part on its device. A copy of the database keeps those of one
 * counting scan for the next call: some hundred MiB where the text is long (trawl_cuda_workspace).
 * `kernel` is NULL or the name of one. Synchronous; any number of threads may call it.
 *
 * Errors: TRAWL_ERROR_ARGUMENT, also if parts have copies of different databases; those of
 * trawl_cuda_scan; TRAWL_ERROR_MEMORY. After a failure `total` is 0 and the other results are
 * undefined. */
TRAWL_API trawl_status trawl_cuda_scan_parts(const trawl_cuda_text_part *parts, size_t count,
                                             const char *kernel, trawl_cuda_combined *combined,
                                             trawl_error *error);

/* ------------------------------------------------------------------ host memory */

/* Page-locks `length` bytes of the caller's memory: copies to a device are faster then, and kernels
 * can read them (transfer "zero-copy"). The memory must stay mapped until trawl_cuda_unpin.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_UNAVAILABLE, TRAWL_ERROR_DEVICE. */
TRAWL_API trawl_status trawl_cuda_pin(const void *bytes, size_t length, trawl_error *error);

/* Ends that. `bytes` is what trawl_cuda_pin got. NULL is allowed. */
TRAWL_API void trawl_cuda_unpin(const void *bytes);

#ifdef __cplusplus
}
#endif
#endif
