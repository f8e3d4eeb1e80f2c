/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A scanner (trawl_scanner.h): the walker, sink and delivery of one thread, kept from text to text.
 */
#ifndef TRAWL_RUN_SCANNER_H
#define TRAWL_RUN_SCANNER_H

#include <string.h>

#include "base/byte_set.h"
#include "run/delivery.h"
#include "scan/contract.h"
#include "trawl/trawl_scanner.h"

/* The sink of a scanner's walks. */
typedef struct trawl_scanner_sink {
    trawl_sink sink; /* its array is the scanner's, TRAWL_SCANNER_BATCH matches */
    trawl_scanner *scanner;
    const trawl_window *window; /* that the matches behind the first `tested` ones are of */
    size_t tested;              /* matches whose conditions hold */
    bool untested;              /* the receiver tests conditions itself */
} trawl_scanner_sink;

/* Matches of a sink: 24 KB, which the first-level cache holds. No measurement chose the number. */
#define TRAWL_SCANNER_BATCH ((size_t)1024)

struct trawl_scanner {
    trawl_idle_scanner idle;
    trawl_idle_slot *slot; /* that it belongs to (run/idle.h), or NULL */
    const trawl_db *db;
    trawl_walker *walker;
    trawl_match *matches;         /* TRAWL_SCANNER_BATCH */
    trawl_byte_finder rare_bytes; /* if the database has some */
    /* The rest of memory is NULL in a scanner that reserves nothing. */
    uint8_t *joint; /* flows: the bytes that a flow has kept, and the beginning of a piece */
    trawl_delivery delivery;
    /* trawl_scanner_which: seen[index] == turn if the group has been seen in this text. Records use
     * it for patterns. */
    uint32_t *seen;
    uint32_t turn;
    uint32_t *ids;
    size_t capacity, found;
};

/* Forgets which groups or patterns have been seen. */
static inline void trawl_scanner_new_turn(trawl_scanner *scanner) {
    if (++scanner->turn == 0) {
        memset(scanner->seen, 0, scanner->db->patterns.count * sizeof *scanner->seen);
        scanner->turn = 1;
    }
}

/* Opens a scanner for trawl_scanner_text and trawl_scanner_count_window alone. It reserves no
 * memory: these allocate what they first need, and may fail. Close it after a failure. */
trawl_status trawl_scanner_open_unreserved(const trawl_db *db, trawl_scanner **scanner,
                                           trawl_error *error);

/* For an open scanner that may allocate once after all: when a text is slow, the fallback automaton
 * of a set with more than TRAWL_FALLBACK_RESERVED_BYTES of patterns is opened. No memory for it is
 * no error. */
void trawl_scanner_allow_fallback(trawl_scanner *scanner);

/* Walks the owned bytes of a text, which may be of any length and has its complete overlap. Ends
 * early if the sink's flush asks to stop. The last matches are left in the sink. Only scanners that
 * reserve nothing can fail. */
trawl_status trawl_scanner_walk(const trawl_scanner *scanner, const trawl_window *text,
                                trawl_scanner_sink *into, trawl_error *error);

/* `flush` of the sink of such a walk: hands its matches to the delivery. */
trawl_status trawl_scanner_deliver(trawl_sink *sink);

/* Hands the matches of a text to scanner->delivery.receiver, which the caller sets in place: a
 * receiver that is copied from where it has just been made is loaded as a vector, which waits 20
 * cycles for the stores of its fields. scanner->delivery.delivered is then their number.
 * `per_pattern`: NULL, or counters to add to. */
trawl_status trawl_scanner_text(trawl_scanner *scanner, const trawl_window *text,
                                uint64_t *per_pattern, trawl_error *error);

/* Adds to *total the matches that end in the owned bytes of such a text, with TRAWL_MATCH_ALL. */
trawl_status trawl_scanner_count_window(const trawl_scanner *scanner, const trawl_window *text,
                                        uint64_t *total, trawl_error *error);

/* The receiver that writes the groups of patterns, each once, into ids[0, capacity), and into
 * scanner->found how many they are. */
trawl_receiver trawl_scanner_note_ids(trawl_scanner *scanner, uint32_t *ids, size_t capacity);

#endif
