/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A peer of trawl bench: libhs, which is Hyperscan or Vectorscan. The library is loaded for the
 * measurement, so a build of trawl needs neither, and one command can measure both.
 */
#ifndef CLI_BENCH_LIBHS_H
#define CLI_BENCH_LIBHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

typedef struct bench_libhs bench_libhs;

/* Its name for the system's loader. */
#define BENCH_LIBHS_SYSTEM "libhs.so.5"

/* Loads the library: a path, or a name for the system's loader. False with the reason in `error`.
 * The library is never unloaded. */
bool bench_libhs_load(const char *library, bench_libhs **libhs, trawl_error *error);

/* "vectorscan" or "hyperscan", and its version; valid as long as the library. */
const char *bench_libhs_name(const bench_libhs *libhs);
const char *bench_libhs_version(const bench_libhs *libhs);

/* Compiles the set, which is not needed afterwards. False with the reason in `error`. */
bool bench_libhs_compile(bench_libhs *libhs, const trawl_patterns *patterns,
                         trawl_match_kind matches, trawl_error *error);

/* Size of the compiled set, in bytes. */
uint64_t bench_libhs_bytes(const bench_libhs *libhs);

/* The same work as trawl_count: all matches, even overlapping ones, with one thread. `per_pattern`
 * is NULL, or one counter for each pattern, which is overwritten. */
bool bench_libhs_count(bench_libhs *libhs, const void *text, size_t length, uint64_t *total,
                       uint64_t *per_pattern, trawl_error *error);

/* The same work as trawl_collect_into, in the order of libhs. The matches are valid until the next
 * call. */
bool bench_libhs_collect(bench_libhs *libhs, const void *text, size_t length,
                         trawl_matches *matches, trawl_error *error);

/* NULL is allowed. */
void bench_libhs_close(bench_libhs *libhs);

#endif
