#include "bench_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static bool refuse(trawl_error *error, trawl_status status, const char *sentence) {
    error->status = status;
    (void)snprintf(error->message, sizeof error->message, "%s", sentence);
    return false;
}

#ifdef TRAWL_HAVE_HYPERSCAN

#include <hs.h>

/* hs_scan takes 32-bit lengths, and a text in blocks or as a stream would be other work. */
#define TEXT_LIMIT ((size_t)1 << 30)

struct bench_peer {
    hs_database_t *database;
    hs_scratch_t *scratch;
    uint64_t bytes;
    size_t count;      /* patterns */
    uint32_t *lengths; /* of each pattern: libhs reports ends only, which is its fastest way */
};

bool bench_peer_exists(void) {
    return true;
}

/* The library does not name itself; Hyperscan's last open version is 5.4.2, and Vectorscan goes on
 * from there. The library that runs counts, not the one whose headers were there. */
const char *bench_peer_name(void) {
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (sscanf(hs_version(), "%d.%d.%d", &major, &minor, &patch) < 3)
        return "libhs";
    return major == 5 && minor == 4 && patch > 2 ? "vectorscan" : "hyperscan";
}

const char *bench_peer_version(void) {
    return hs_version(); /* "5.4.9 " or "5.4.0 2021-01-26" */
}

static bool compile(bench_peer *peer, const trawl_patterns *patterns, size_t count,
                    trawl_error *error) {
    const char **expressions = allocate(count * sizeof *expressions);
    unsigned *flags = allocate(count * sizeof *flags);
    unsigned *ids = allocate(count * sizeof *ids);
    size_t *lengths = allocate(count * sizeof *lengths);
    for (size_t i = 0; i < count; i++) {
        trawl_pattern pattern = {0};
        (void)trawl_patterns_get(patterns, (uint32_t)i, &pattern);
        expressions[i] = (const char *)pattern.bytes;
        lengths[i] = pattern.length;
        ids[i] = (unsigned)i;
        flags[i] = (pattern.flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 ? HS_FLAG_CASELESS : 0;
        peer->lengths[i] = (uint32_t)pattern.length;
    }
    hs_compile_error_t *why = NULL;
    hs_error_t status = hs_compile_lit_multi(expressions, flags, ids, lengths, (unsigned)count,
                                             HS_MODE_BLOCK, NULL, &peer->database, &why);
    bool compiled = status == HS_SUCCESS;
    if (!compiled && why != NULL && why->expression >= 0) {
        error->status = TRAWL_ERROR_LIMIT;
        (void)snprintf(error->message, sizeof error->message, "pattern %d: %s", why->expression,
                       why->message);
    } else if (!compiled) {
        (void)refuse(error, TRAWL_ERROR_LIMIT,
                     why != NULL ? why->message : "the set could not be compiled");
    }
    (void)hs_free_compile_error(why);
    free(lengths);
    free(ids);
    free(flags);
    free(expressions);
    return compiled;
}

bool bench_peer_open(const trawl_patterns *patterns, trawl_match_kind matches, bench_peer **result,
                     trawl_error *error) {
    if (matches != TRAWL_MATCH_ALL)
        return refuse(error, TRAWL_ERROR_LIMIT,
                      "it knows only all matches, not the leftmost kinds");
    if (hs_valid_platform() != HS_SUCCESS)
        return refuse(error, TRAWL_ERROR_UNAVAILABLE, "it does not run on this processor");
    size_t count = trawl_patterns_count(patterns);
    bench_peer *peer = allocate(sizeof *peer);
    *peer = (bench_peer){.count = count, .lengths = allocate(count * sizeof *peer->lengths)};
    size_t bytes = 0;
    if (!compile(peer, patterns, count, error)) {
        bench_peer_close(peer);
        return false;
    }
    if (hs_alloc_scratch(peer->database, &peer->scratch) != HS_SUCCESS ||
        hs_database_size(peer->database, &bytes) != HS_SUCCESS) {
        bench_peer_close(peer);
        return refuse(error, TRAWL_ERROR_MEMORY, "out of memory");
    }
    peer->bytes = bytes;
    *result = peer;
    return true;
}

uint64_t bench_peer_bytes(const bench_peer *peer) {
    return peer->bytes;
}

static bool scan(bench_peer *peer, const void *text, size_t length, match_event_handler on_match,
                 void *context, trawl_error *error) {
    if (length > TEXT_LIMIT)
        return refuse(error, TRAWL_ERROR_LIMIT,
                      "the text is longer than 1 GiB, its limit here; see --limit 1G");
    hs_error_t status =
        hs_scan(peer->database, text, (unsigned)length, 0, peer->scratch, on_match, context);
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

bool bench_peer_count(bench_peer *peer, const void *text, size_t length, uint64_t *total,
                      uint64_t *per_pattern, trawl_error *error) {
    *total = 0;
    if (per_pattern == NULL)
        return scan(peer, text, length, count_match, total, error);
    memset(per_pattern, 0, peer->count * sizeof *per_pattern);
    if (!scan(peer, text, length, count_pattern, per_pattern, error))
        return false;
    for (size_t i = 0; i < peer->count; i++)
        *total += per_pattern[i];
    return true;
}

typedef struct collection {
    const uint32_t *lengths;
    trawl_match *items;
    size_t count;
    size_t capacity;
} collection;

static int collect_match(unsigned id, unsigned long long from, unsigned long long to,
                         unsigned flags, void *context) {
    collection *found = context;
    (void)from;
    (void)flags;
    if (found->count == found->capacity) {
        size_t capacity = found->capacity == 0 ? 4096 : found->capacity * 2;
        trawl_match *items = realloc(found->items, capacity * sizeof *items);
        if (items == NULL)
            return 1;
        found->items = items;
        found->capacity = capacity;
    }
    found->items[found->count++] =
        (trawl_match){.start = to - found->lengths[id], .end = to, .pattern = id};
    return 0;
}

bool bench_peer_collect(bench_peer *peer, const void *text, size_t length, trawl_matches *matches,
                        trawl_error *error) {
    collection found = {.lengths = peer->lengths};
    if (!scan(peer, text, length, collect_match, &found, error)) {
        free(found.items);
        return false;
    }
    *matches = (trawl_matches){.items = found.items, .count = found.count};
    return true;
}

void bench_peer_close(bench_peer *peer) {
    if (peer == NULL)
        return;
    (void)hs_free_scratch(peer->scratch);
    (void)hs_free_database(peer->database);
    free(peer->lengths);
    free(peer);
}

#else

/* Without the library there is never a peer, so that only the question whether there is one has an
 * answer that matters. */

bool bench_peer_exists(void) {
    return false;
}

const char *bench_peer_name(void) {
    return "libhs";
}

const char *bench_peer_version(void) {
    return "none";
}

static bool absent(trawl_error *error) {
    return refuse(error, TRAWL_ERROR_UNAVAILABLE, "it was not found when this trawl was built");
}

bool bench_peer_open(const trawl_patterns *patterns, trawl_match_kind matches, bench_peer **peer,
                     trawl_error *error) {
    (void)patterns;
    (void)matches;
    *peer = NULL;
    return absent(error);
}

uint64_t bench_peer_bytes(const bench_peer *peer) {
    (void)peer;
    return 0;
}

bool bench_peer_count(bench_peer *peer, const void *text, size_t length, uint64_t *total,
                      uint64_t *per_pattern, trawl_error *error) {
    (void)peer;
    (void)text;
    (void)length;
    (void)per_pattern;
    *total = 0;
    return absent(error);
}

bool bench_peer_collect(bench_peer *peer, const void *text, size_t length, trawl_matches *matches,
                        trawl_error *error) {
    (void)peer;
    (void)text;
    (void)length;
    *matches = (trawl_matches){0};
    return absent(error);
}

void bench_peer_close(bench_peer *peer) {
    (void)peer;
}

#endif
