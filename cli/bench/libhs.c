/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/libhs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

/* ------------------------------------------------------------------ interface of libhs
 * The part of the C interface of Hyperscan 5.2 (and later) and Vectorscan that is used here. */

enum { HS_SUCCESS = 0, HS_SCAN_TERMINATED = -3, HS_FLAG_CASELESS = 1, HS_MODE_BLOCK = 1 };

typedef struct hs_error_text {
    char *message;
    int expression; /* the expression that it refuses; < 0: not a single one */
} hs_error_text;

typedef int hs_on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                        void *context);

typedef struct hs_functions {
    const char *(*version)(void);
    int (*valid_platform)(void);
    int (*compile_literals)(const char *const *expressions, const unsigned *flags,
                            const unsigned *ids, const size_t *lengths, unsigned count,
                            unsigned mode, const void *platform, void **database,
                            hs_error_text **error);
    int (*free_error)(hs_error_text *error);
    int (*database_size)(const void *database, size_t *bytes);
    int (*alloc_scratch)(const void *database, void **scratch);
    int (*scan)(const void *database, const char *text, unsigned length, unsigned flags,
                void *scratch, hs_on_match *on_match, void *context);
    int (*free_scratch)(void *scratch);
    int (*free_database)(void *database);
} hs_functions;

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"hs_version", offsetof(hs_functions, version)},
    {"hs_valid_platform", offsetof(hs_functions, valid_platform)},
    {"hs_compile_lit_multi", offsetof(hs_functions, compile_literals)},
    {"hs_free_compile_error", offsetof(hs_functions, free_error)},
    {"hs_database_size", offsetof(hs_functions, database_size)},
    {"hs_alloc_scratch", offsetof(hs_functions, alloc_scratch)},
    {"hs_scan", offsetof(hs_functions, scan)},
    {"hs_free_scratch", offsetof(hs_functions, free_scratch)},
    {"hs_free_database", offsetof(hs_functions, free_database)},
};

/* hs_scan takes 32-bit lengths; streaming mode or several blocks would be different work. */
#define TEXT_LIMIT ((size_t)1 << 30)

struct bench_libhs {
    hs_functions functions;
    void *database;
    void *scratch;
    size_t bytes;
    size_t count;       /* patterns */
    uint32_t *lengths;  /* of each pattern: in its fastest mode libhs reports only ends */
    trawl_match *items; /* collected matches; the memory is reused */
    size_t capacity;
};

static bool refuse(trawl_error *error, trawl_status status, const char *sentence) {
    error->status = status;
    (void)snprintf(error->message, sizeof error->message, "%s", sentence);
    return false;
}

bool bench_libhs_load(const char *library, bench_libhs **result, trawl_error *error) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return refuse(error, TRAWL_ERROR_UNAVAILABLE, dlerror());
    hs_functions functions;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (address == NULL)
            return refuse(error, TRAWL_ERROR_UNAVAILABLE, dlerror());
        memcpy((char *)&functions + symbols[i].offset, &address, sizeof address);
    }
    *result = allocate(sizeof **result);
    **result = (bench_libhs){.functions = functions};
    return true;
}

/* The library has no function for its name. The last open version of Hyperscan is 5.4.2; later ones
 * are of Vectorscan. */
const char *bench_libhs_name(const bench_libhs *libhs) {
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (sscanf(libhs->functions.version(), "%d.%d.%d", &major, &minor, &patch) < 3)
        return "libhs";
    return major == 5 && minor == 4 && patch > 2 ? "vectorscan" : "hyperscan";
}

const char *bench_libhs_version(const bench_libhs *libhs) {
    return libhs->functions.version(); /* "5.4.9 " or "5.4.0 2021-01-26" */
}

static bool compile(bench_libhs *libhs, const trawl_patterns *patterns, trawl_error *error) {
    size_t count = libhs->count;
    const char **expressions = allocate(count * sizeof *expressions);
    unsigned *flags = allocate(count * sizeof *flags);
    unsigned *ids = allocate(count * sizeof *ids);
    size_t *lengths = allocate(count * sizeof *lengths);
    for (size_t i = 0; i < count; i++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        (void)trawl_patterns_get(patterns, (uint32_t)i, &pattern);
        expressions[i] = (const char *)pattern.bytes;
        lengths[i] = pattern.length;
        ids[i] = (unsigned)i;
        flags[i] = (pattern.flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 ? HS_FLAG_CASELESS : 0;
        libhs->lengths[i] = (uint32_t)pattern.length;
    }
    hs_error_text *why = NULL;
    bool compiled = libhs->functions.compile_literals(expressions, flags, ids, lengths,
                                                      (unsigned)count, HS_MODE_BLOCK, NULL,
                                                      &libhs->database, &why) == HS_SUCCESS;
    if (!compiled && why != NULL && why->expression >= 0) {
        error->status = TRAWL_ERROR_LIMIT;
        (void)snprintf(error->message, sizeof error->message, "pattern %d: %s", why->expression,
                       why->message);
    } else if (!compiled) {
        (void)refuse(error, TRAWL_ERROR_LIMIT,
                     why != NULL ? why->message : "the set could not be compiled");
    }
    (void)libhs->functions.free_error(why);
    free(lengths);
    free(ids);
    free(flags);
    free(expressions);
    return compiled;
}

bool bench_libhs_compile(bench_libhs *libhs, const trawl_patterns *patterns,
                         trawl_match_kind matches, trawl_error *error) {
    if (matches != TRAWL_MATCH_ALL)
        return refuse(error, TRAWL_ERROR_ARGUMENT,
                      "it knows only all matches, not the leftmost kinds");
    if (libhs->functions.valid_platform() != HS_SUCCESS)
        return refuse(error, TRAWL_ERROR_UNAVAILABLE, "it does not run on this processor");
    libhs->count = trawl_patterns_count(patterns);
    libhs->lengths = allocate(libhs->count * sizeof *libhs->lengths);
    if (!compile(libhs, patterns, error))
        return false;
    return (libhs->functions.alloc_scratch(libhs->database, &libhs->scratch) == HS_SUCCESS &&
            libhs->functions.database_size(libhs->database, &libhs->bytes) == HS_SUCCESS) ||
           refuse(error, TRAWL_ERROR_MEMORY, "out of memory");
}

uint64_t bench_libhs_bytes(const bench_libhs *libhs) {
    return libhs->bytes;
}

static bool scan(bench_libhs *libhs, const void *text, size_t length, hs_on_match *on_match,
                 void *context, trawl_error *error) {
    if (length > TEXT_LIMIT)
        return refuse(error, TRAWL_ERROR_LIMIT,
                      "the text is longer than 1 GiB, its limit here; see --limit 1G");
    int status = libhs->functions.scan(libhs->database, text, (unsigned)length, 0, libhs->scratch,
                                       on_match, context);
    if (status == HS_SCAN_TERMINATED)
        return refuse(error, TRAWL_ERROR_MEMORY, "out of memory for its matches");
    return status == HS_SUCCESS || refuse(error, TRAWL_ERROR_LIMIT, "its scan failed");
}

static int count_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                       void *context) {
    (void)id;
    (void)from;
    (void)to;
    (void)flags;
    ++*(uint64_t *)context;
    return 0;
}

static int count_pattern(unsigned id, unsigned long long from, unsigned long long to,
                         unsigned flags, void *context) {
    (void)from;
    (void)to;
    (void)flags;
    ++((uint64_t *)context)[id];
    return 0;
}

bool bench_libhs_count(bench_libhs *libhs, const void *text, size_t length, uint64_t *total,
                       uint64_t *per_pattern, trawl_error *error) {
    *total = 0;
    if (per_pattern == NULL)
        return scan(libhs, text, length, count_match, total, error);
    memset(per_pattern, 0, libhs->count * sizeof *per_pattern);
    if (!scan(libhs, text, length, count_pattern, per_pattern, error))
        return false;
    for (size_t i = 0; i < libhs->count; i++)
        *total += per_pattern[i];
    return true;
}

typedef struct collection {
    bench_libhs *libhs;
    size_t count;
} collection;

static int collect_match(unsigned id, unsigned long long from, unsigned long long to,
                         unsigned flags, void *context) {
    collection *found = context;
    (void)from;
    (void)flags;
    bench_libhs *libhs = found->libhs;
    if (found->count == libhs->capacity) {
        size_t capacity = libhs->capacity == 0 ? 4096 : libhs->capacity * 2;
        trawl_match *items = realloc(libhs->items, capacity * sizeof *items);
        if (items == NULL)
            return 1;
        libhs->items = items;
        libhs->capacity = capacity;
    }
    libhs->items[found->count++] =
        (trawl_match){.start = to - libhs->lengths[id], .end = to, .pattern = id};
    return 0;
}

bool bench_libhs_collect(bench_libhs *libhs, const void *text, size_t length,
                         trawl_matches *matches, trawl_error *error) {
    collection found = {.libhs = libhs};
    if (!scan(libhs, text, length, collect_match, &found, error))
        return false;
    *matches = (trawl_matches){.items = libhs->items, .count = found.count};
    return true;
}

void bench_libhs_close(bench_libhs *libhs) {
    if (libhs == NULL)
        return;
    if (libhs->scratch != NULL)
        (void)libhs->functions.free_scratch(libhs->scratch);
    if (libhs->database != NULL)
        (void)libhs->functions.free_database(libhs->database);
    free(libhs->lengths);
    free(libhs->items);
    free(libhs);
}
