/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl on CUDA devices: texts and results that live in device memory.
 *
 * trawl_scan, trawl_count, trawl_collect and the streams (trawl.h) take `device = "cuda"` for texts
 * in host memory. This header is for programs whose text is in device memory already: a database is
 * uploaded once, then any number of scans are put into the caller's own streams. A scan call only
 * launches: it allocates nothing, waits for nothing and copies nothing between host and device.
 *
 * Every function exists in every build; without a CUDA module, a driver or a device they return
 * TRAWL_ERROR_UNAVAILABLE with a sentence. A failing CUDA call becomes a status that names the
 * call, CUDA's code and the device. Nothing here needs CUDA's headers: a stream is a cudaStream_t.
 */
#ifndef TRAWL_TRAWL_CUDA_H
#define TRAWL_TRAWL_CUDA_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ starting */

/* Starts CUDA in this process and makes the device's context, which takes a tenth of a second or
 * more and is done by the first call that needs it otherwise. To be called in a thread of the
 * program's own, while others read and compile patterns. Fails as a scan on this device would. */
TRAWL_API trawl_status trawl_cuda_start(uint32_t device, trawl_error *error);

/* ------------------------------------------------------------------ a database on a device */

typedef struct trawl_cuda_db trawl_cuda_db;

typedef struct trawl_cuda_upload_options {
    size_t size;          /* sizeof(trawl_cuda_upload_options) */
    uint32_t device;      /* CUDA's number of it */
    const void *sample;   /* NULL, or typical text in host memory, by which tables are laid out: */
    size_t sample_length; /* what is used most goes into the fastest memory. Pieces from all over a
                             text, one after the other, say more than its beginning */
} trawl_cuda_upload_options;
#define TRAWL_CUDA_UPLOAD_OPTIONS                                                                  \
    { .size = sizeof(trawl_cuda_upload_options) }

/* Copies a database to a device and prepares it for all kernels of its engine. `db` must outlive
 * the copy; scans of one copy may be started by several threads at once. Synchronous. */
TRAWL_API trawl_status trawl_cuda_upload(const trawl_db *db,
                                         const trawl_cuda_upload_options *options,
                                         trawl_cuda_db **uploaded, trawl_error *error);

/* Waits for the device, then frees the copy. NULL is allowed. */
TRAWL_API void trawl_cuda_free(trawl_cuda_db *uploaded);

/* Bytes of one entry of TRAWL_CUDA_STATES: 2 while the automaton has at most 65,536 states, else 4;
 * 0 when the engine has no single automaton. */
TRAWL_API size_t trawl_cuda_state_bytes(const trawl_cuda_db *uploaded);

/* ------------------------------------------------------------------ scanning device memory */

/* What a scan leaves in device memory. Leftmost match kinds are selected on the host from all
 * matches, so databases compiled for them can only be counted or reported through trawl.h. */
typedef enum trawl_cuda_form {
    TRAWL_CUDA_COUNT = 0,    /* `total` */
    TRAWL_CUDA_PATTERNS = 1, /* `total` and `per_pattern` */
    TRAWL_CUDA_MATCHES = 2,  /* `total` and, when they all fit, `matches` in canonical order */
    TRAWL_CUDA_ENDS = 3,     /* `ends`: a bit for each owned byte of the text */
    TRAWL_CUDA_STATES = 4    /* `states`: the automaton's state after each owned byte (Zha & Sahni
                                2011, IV-A); engines ac-dfa and ac-nfa */
} trawl_cuda_form;

/* One match in device memory; it starts at end - length. */
typedef struct trawl_cuda_match {
    uint64_t end; /* one past its last byte */
    uint32_t pattern;
    uint32_t length;
} trawl_cuda_match;

typedef struct trawl_cuda_scan {
    size_t size; /* sizeof(trawl_cuda_scan) */
    trawl_cuda_form form;
    const char *kernel; /* NULL: the engine's default; else a name (trawl_kernel_describe) */
    uint64_t owned;     /* matches that end at or before this offset are not reported: the text's
                           first bytes are overlap only (max_length - 1 of them suffice) */
    uint64_t base;      /* added to all offsets: where the text begins in a larger one */
    uint32_t block_threads; /* T; 0: the kernel's */
    uint32_t block_bytes;   /* S_block; 0: the kernel's */
    trawl_table_path table_path;
} trawl_cuda_scan;
#define TRAWL_CUDA_SCAN                                                                            \
    { .size = sizeof(trawl_cuda_scan) }

/* Device memory of the caller; pointers that the form does not use may be NULL. All of it is
 * overwritten by the scan. */
typedef struct trawl_cuda_results {
    uint64_t *total;           /* one counter: matches found; with MATCHES also what is needed */
    uint64_t *per_pattern;     /* one counter for each pattern */
    trawl_cuda_match *matches; /* written only when `total` <= `capacity`: else give more room, or
                                  scan the text in parts */
    uint64_t capacity;
    uint32_t
        *ends;    /* bit i % 32 of word i / 32: some match ends with byte owned + i; whole words */
    void *states; /* entry i (trawl_cuda_state_bytes): the state after byte owned + i */
} trawl_cuda_results;

/* Device memory that a scan of `length` bytes needs besides its results; 0 is possible. */
TRAWL_API trawl_status trawl_cuda_workspace(const trawl_cuda_db *uploaded,
                                            const trawl_cuda_scan *scan, uint64_t length,
                                            size_t *bytes, trawl_error *error);

/* Puts the scan of text[0 .. length) (device memory, or pinned host memory that the device can
 * read; any alignment; of any length) into the caller's stream (a cudaStream_t; NULL is the default
 * stream). Results are there when the stream has got so far. The workspace (aligned to 256 bytes)
 * and all memory named in the arguments must stay until then. */
TRAWL_API trawl_status trawl_scan_device(const trawl_cuda_db *uploaded, const trawl_cuda_scan *scan,
                                         const void *text, uint64_t length,
                                         const trawl_cuda_results *results, void *workspace,
                                         size_t workspace_bytes, void *stream, trawl_error *error);

/* How a scan would be laid out. */
typedef struct trawl_cuda_layout {
    char kernel[32];
    uint32_t block_threads;  /* T */
    uint32_t thread_bytes;   /* S_thread */
    uint32_t shared_bytes;   /* of a block */
    double overlap_overhead; /* (max_length - 1) / S_thread */
} trawl_cuda_layout;

TRAWL_API trawl_status trawl_cuda_describe(const trawl_cuda_db *uploaded,
                                           const trawl_cuda_scan *scan, trawl_cuda_layout *layout,
                                           trawl_error *error);

/* ------------------------------------------------------------------ host memory */

/* Page-locks memory of the caller, so that it is copied at full speed without a detour and can be
 * read by kernels (zero-copy). The range must stay mapped until trawl_cuda_unpin. */
TRAWL_API trawl_status trawl_cuda_pin(const void *bytes, size_t length, trawl_error *error);
TRAWL_API void trawl_cuda_unpin(const void *bytes);

/* ------------------------------------------------------------------ measuring */

/* Times a scan of a text that is copied to device memory first: `repeats` runs after one that is
 * not counted, each between two CUDA events. `seconds` receives `repeats` figures in order of time;
 * `total` (NULL is allowed) the matches found. MATCHES has room for as many as there are. */
TRAWL_API trawl_status trawl_cuda_measure(const trawl_cuda_db *uploaded,
                                          const trawl_cuda_scan *scan, const void *text,
                                          uint64_t length, uint32_t repeats, double *seconds,
                                          uint64_t *total, trawl_error *error);

/* What a device's memory and its link to the host do, in bytes a second, measured now (a second or
 * less): the ceilings that scans are compared with. */
typedef struct trawl_cuda_ceilings {
    double memory_read;    /* 16-byte loads of device memory */
    double memory_copy;    /* bytes read plus bytes written */
    double host_to_device; /* pinned */
    double device_to_host; /* pinned */
    double zero_copy;      /* a kernel that reads pinned host memory */
} trawl_cuda_ceilings;

TRAWL_API trawl_status trawl_cuda_measure_ceilings(uint32_t device, trawl_cuda_ceilings *ceilings,
                                                   trawl_error *error);

/* Measures the members of trawl_device_costs that can be, which takes seconds, by counting texts of
 * `text_bytes` that are made up (0: 512 MiB; shorter ones tell less); others become 0. Set
 * costs->size before the call. */
TRAWL_API trawl_status trawl_measure_device_costs(uint32_t device, uint64_t text_bytes,
                                                  trawl_device_costs *costs, trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
