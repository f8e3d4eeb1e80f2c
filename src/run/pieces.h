/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How texts and records are divided among threads: numbers that several files share. */
#ifndef TRAWL_RUN_PIECES_H
#define TRAWL_RUN_PIECES_H

/* Chunks of a text, or shares of records, that are searched or wait for their turn to be handed
 * out, for each thread at most: with fewer a thread waits for others that are slow, with more
 * memory is needed for results that wait. No measurement chose it. */
#define TRAWL_RUN_IN_FLIGHT 4

/* Bytes of a text that are read at a time from a source, at least: enough for several threads to
 * share, where a chunk has up to 1 MiB. And for each byte of overlap, which is walked twice. */
#define TRAWL_RUN_PIECE ((size_t)8 << 20)
#define TRAWL_RUN_PIECE_FACTOR ((size_t)8)

#endif
