/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One scan of device memory, with every byte checked: its results against the oracle's, and all
 * memory around and between them, which is filled with a pattern before every scan.
 */
#ifndef TRAWL_TESTS_DEVICE_SCAN_H
#define TRAWL_TESTS_DEVICE_SCAN_H

#include "combinations.h"
#include "gpu/expectation.h"
#include "trawl/trawl_study.h"

/* A database on the device, ready for many scans. */
typedef struct device_database {
    combination which;
    trawl_db *db;
    trawl_cuda_db *uploaded;
    size_t patterns;
    size_t state_bytes; /* 0: no states */
    state_names names;
} device_database;

/* Compiles the case's set with the combination and uploads it, with the case's text as a sample. A
 * refused compilation leaves nothing; see combination_compile. */
combination_outcome device_database_open(device_database *database, combination which,
                                         const test_case *test, combination_failure *failure);
void device_database_close(device_database *database);

enum { FORMS = TRAWL_CUDA_STATES + 1, TABLE_PATHS = TRAWL_TABLES_READ_ONLY + 1 };
extern const char *const form_names[FORMS];
extern const char *const table_path_names[TABLE_PATHS];

/* How much room MATCHES gets. */
typedef enum device_room {
    ROOM_EXACT, /* for all matches */
    ROOM_AMPLE, /* for some more */
    ROOM_SHORT, /* for all but one */
    ROOM_ONE,
    ROOM_NONE, /* none, and no memory */
    ROOMS
} device_room;

/* Where the text stands. */
typedef enum device_place {
    PLACE_BETWEEN, /* in the middle of other memory, at `alignment` behind a multiple of 256 */
    PLACE_EXACT,   /* no readable byte behind it; in emulated builds neither before it, and the
                      alignment then follows from that */
    PLACES
} device_place;

typedef struct device_scan {
    const char *kernel; /* NULL: the default */
    trawl_cuda_form form;
    trawl_table_path table_path;
    uint32_t block_threads;
    uint32_t block_bytes;
    uint32_t alignment;
    uint64_t owned;
    uint64_t base;
    device_room room;
    device_place place;
    bool own_stream; /* not the default one */
} device_scan;

typedef enum device_outcome {
    DEVICE_SCANNED,
    DEVICE_REFUSED, /* for a documented reason (refusals.c) */
    DEVICE_FAILED   /* with a complaint */
} device_outcome;

/* Scans the first `length` bytes of the case's text and compares. `expected` is the whole text's.
 * TRAWL_TEST_EXACT=1 makes every place PLACE_EXACT: compute-sanitizer sees no reads from one part
 * of an allocation into another. ROOM_SHORT and ROOM_ONE turn into ROOM_EXACT where there are too
 * few matches. */
device_outcome device_scan_check(device_database *database, const device_scan *scan,
                                 const test_case *test, uint64_t length,
                                 const expectation *expected, char *complaint, size_t size);

/* "kernel ac3, matches, table path texture, ..." */
void device_scan_describe(const device_scan *scan, char *text, size_t size);

/* Whether a refusal is a documented one with a sentence that explains it (refusals.c); else
 * `complaint` says what is wrong. */
bool device_may_refuse(const device_database *database, const device_scan *scan,
                       trawl_status status, const trawl_error *error, char *complaint, size_t size);

/* The kernel `index` of an engine; NULL past the last one. Those that TRAWL_TEST_KERNEL=NAME keeps.
 */
const char *device_kernel_at(const char *engine, size_t index);

/* Frees what checks keep for the next one. */
void device_scan_end(void);

#endif
