/*
 * Peers: libraries by others that answer the same question, measured beside the engines. One is
 * known, libhs, which is Hyperscan or Vectorscan; it is there when it was found at build time.
 */
#ifndef CLI_BENCH_PEER_H
#define CLI_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

typedef struct bench_peer bench_peer;

/* Whether this build has a peer. */
bool bench_peer_exists(void);

/* "vectorscan" or "hyperscan" (without one: "libhs"), and its version. Static strings. */
const char *bench_peer_name(void);
const char *bench_peer_version(void);

/* Compiles the set, whose bytes are needed only here. False with a sentence in `error`. */
bool bench_peer_open(const trawl_patterns *patterns, trawl_match_kind matches, bench_peer **peer,
                     trawl_error *error);

/* Size of its compiled set, in bytes. */
uint64_t bench_peer_bytes(const bench_peer *peer);

/* The same work as trawl_count: all matches, overlapping ones too, by one thread. `per_pattern` is
 * NULL or one counter for each pattern, overwritten. */
bool bench_peer_count(bench_peer *peer, const void *text, size_t length, uint64_t *total,
                      uint64_t *per_pattern, trawl_error *error);

/* The same work as trawl_collect, in the peer's own order. The caller frees matches->items with
 * free(). */
bool bench_peer_collect(bench_peer *peer, const void *text, size_t length, trawl_matches *matches,
                        trawl_error *error);

/* NULL is allowed. */
void bench_peer_close(bench_peer *peer);

#endif
