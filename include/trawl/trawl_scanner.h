/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Short texts that come one by one: packets, messages. (Many texts that are in memory at once, such
 * as the rows of a column, are records: trawl_records.h.)
 *
 * A scanner is prepared once for a database: afterwards a scan allocates nothing, takes no lock and
 * reads no environment, and touches only as much memory as its text needs. (trawl_scan and the
 * other calls of trawl.h use scanners that the database keeps, but these allocate what they first
 * need, and have no forms that stop at the first match or report each pattern once.)
 *
 *     trawl_scanner *scanner;
 *     if (trawl_scanner_open(db, NULL, &scanner, &error) == TRAWL_OK) {
 *         while (next_packet(&bytes, &length)) {
 *             if (trawl_scanner_any(scanner, bytes, length, NULL)) { ... }
 *         }
 *         trawl_scanner_close(scanner);
 *     }
 *
 * One thread at a time may use a scanner; each thread opens its own. What is found is what
 * trawl_scan finds in that text, by the database's match kind. `text` may be NULL if length is 0.
 * Where the scanner is NULL, or the text is NULL and length is not 0, nothing is found.
 *
 * Limits: scanners work on the CPU, with one thread. trawl_scan answers a text that is full of
 * candidates by compiling an automaton; a scanner has that automaton from the beginning if the
 * patterns have at most 64 KiB together, and with more of them does without it.
 */
#ifndef TRAWL_TRAWL_SCANNER_H
#define TRAWL_TRAWL_SCANNER_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one thread needs to scan many texts with one database. */
typedef struct trawl_scanner trawl_scanner;

/* Opens a scanner. The database must outlive it. The caller owns *scanner; free it with
 * trawl_scanner_close. Of `options` (NULL: the defaults) only the study options for CPUs are used.
 * A GPU, also one that "auto" would take, and several threads are refused with
 * TRAWL_ERROR_ARGUMENT, and a report is not filled in.
 * Errors: TRAWL_ERROR_ARGUMENT, also if the environment variable TRAWL_CPU names an instruction set
 * that is not there; TRAWL_ERROR_MEMORY; those of trawl_scan for wrong options. *scanner is then
 * NULL. */
TRAWL_API trawl_status trawl_scanner_open(const trawl_db *db, const trawl_scan_options *options,
                                          trawl_scanner **scanner, trawl_error *error);

/* Frees a scanner; NULL is allowed. */
TRAWL_API void trawl_scanner_close(trawl_scanner *scanner);

/* Whether the text has a match: the search ends soon behind the first one. `first`: NULL, or where
 * the first match in the order of trawl_scan is written if there is one. */
TRAWL_API bool trawl_scanner_any(trawl_scanner *scanner, const void *text, size_t length,
                                 trawl_match *first);

/* Which patterns match: writes the group of each of them (trawl_groups.h; without groups its id)
 * once, in the order of their first matches, into ids[0, capacity), and returns how many they are.
 * If they are more than `capacity`, only so many are written. `ids` may be NULL if capacity is 0.
 */
TRAWL_API size_t trawl_scanner_which(trawl_scanner *scanner, const void *text, size_t length,
                                     uint32_t *ids, size_t capacity);

/* How many matches there are. `per_pattern`: NULL, or a counter for each pattern of the database,
 * to which its matches are added: the caller sets them to 0, once for many texts. */
TRAWL_API uint64_t trawl_scanner_count(trawl_scanner *scanner, const void *text, size_t length,
                                       uint64_t *per_pattern);

/* Calls on_match for every match, as trawl_scan does, or on_matches with many at once, as
 * trawl_scan_batches does. These must not use the scanner. Returns TRAWL_OK, or TRAWL_STOPPED if
 * one of them asked to stop; TRAWL_ERROR_ARGUMENT if a pointer is NULL. */
TRAWL_API trawl_status trawl_scanner_scan(trawl_scanner *scanner, const void *text, size_t length,
                                          trawl_on_match on_match, void *context);
TRAWL_API trawl_status trawl_scanner_scan_batches(trawl_scanner *scanner, const void *text,
                                                  size_t length, trawl_on_matches on_matches,
                                                  void *context);

/* ------------------------------------------------------------------ flows */

/*
 * A flow is a text that comes in pieces, such as one direction of a connection. Its state is the
 * last max_length - 1 bytes (max_length: of the longest pattern) and 16 to 18 more; everything else
 * belongs to a scanner, which any number of flows share, also of several threads in turn. So a
 * million flows can be open at once. The matches are those of a scan of the whole text, in the same
 * order, with offsets from its beginning.
 *
 *     void *flow = malloc(trawl_flow_bytes(db));
 *     trawl_flow_start(flow);
 *     trawl_flow_scan(scanner, flow, piece, length, on_matches, context);     for each piece
 *     trawl_flow_finish(scanner, flow, on_matches, context);
 *
 * Each piece is searched when it comes. (A trawl_stream gathers 64 KiB first, which is faster for
 * one text in small pieces.) A call allocates nothing.
 */

/* Bytes of the state of a flow. The caller allocates it, with any alignment, and may move it
 * between calls. It holds no pointers. */
TRAWL_API size_t trawl_flow_bytes(const trawl_db *db);

/* Makes `flow` an empty text. */
TRAWL_API void trawl_flow_start(void *flow);

/* Bytes of the text so far. */
TRAWL_API uint64_t trawl_flow_offset(const void *flow);

/* Appends a piece of any length and calls on_matches for the matches that it completes: with
 * TRAWL_MATCH_ALL those that end in it; those of the leftmost kinds that no later text can change.
 * (Patterns with conditions: a match whose last byte is the piece's last one waits for the next.)
 * The scanner is of the same database as the flow. TRAWL_STOPPED if on_matches asked to stop: the
 * piece is part of the text all the same, but no more of its matches are reported.
 * TRAWL_ERROR_ARGUMENT if the scanner, the flow or a piece with bytes is NULL. */
TRAWL_API trawl_status trawl_flow_scan(trawl_scanner *scanner, void *flow, const void *piece,
                                       size_t length, trawl_on_matches on_matches, void *context);

/* The same without a callback: trawl_flow_count returns how many matches the piece completes,
 * trawl_flow_which how many patterns (or groups) these belong to, and writes them into `ids`.
 * `per_pattern`, `ids` and `capacity` are as in trawl_scanner_count and trawl_scanner_which. */
TRAWL_API uint64_t trawl_flow_count(trawl_scanner *scanner, void *flow, const void *piece,
                                    size_t length, uint64_t *per_pattern);
TRAWL_API size_t trawl_flow_which(trawl_scanner *scanner, void *flow, const void *piece,
                                  size_t length, uint32_t *ids, size_t capacity);

/* Ends the text: reports the matches that waited for more text, and makes the flow an empty text
 * again. `on_matches` may be NULL. A flow need not be finished.
 * Returns what trawl_flow_scan returns. */
TRAWL_API trawl_status trawl_flow_finish(trawl_scanner *scanner, void *flow,
                                         trawl_on_matches on_matches, void *context);

#ifdef __cplusplus
}
#endif
#endif
