/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Many open flows whose pieces come interleaved, on one thread:
 *
 *     bench_flows DATABASE TEXT [FLOWS [PIECE]]
 *
 * Each of FLOWS texts (1,000,000) gets three pieces of PIECE bytes (1,000) of TEXT, in an order in
 * which the next piece is hardly ever of a flow whose state is in a cache. Prints the bytes of all
 * states, and GB/s of processor time beside a scanner that gets the same pieces as texts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "read_file.h"
#include "trawl/trawl_scanner.h"

enum { PIECES = 3 };

int main(int argc, char **argv) {
    trawl_error error = {.message = ""};
    trawl_db *db = NULL;
    trawl_scanner *scanner = NULL;
    size_t length = 0;
    const uint8_t *text = argc > 2 ? read_file(argv[2], &length) : NULL;
    if (text == NULL || trawl_db_load(argv[1], &db, &error) != TRAWL_OK ||
        trawl_scanner_open(db, NULL, &scanner, &error) != TRAWL_OK) {
        (void)fprintf(stderr, "usage: bench_flows DATABASE TEXT [FLOWS [PIECE]]\n%s\n",
                      error.message);
        return 2;
    }
    size_t flows = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000000;
    size_t piece = argc > 4 ? strtoul(argv[4], NULL, 10) : 1000;
    size_t bytes = trawl_flow_bytes(db);
    uint8_t *states = calloc(flows, bytes);
    if (states == NULL || piece * PIECES >= length)
        return 2;
    for (size_t i = 0; i < flows; i++)
        trawl_flow_start(states + i * bytes);
    uint64_t found[2] = {0, 0};
    double seconds[2];
    for (int way = 0; way < 2; way++) {
        double start = trawl_thread_seconds();
        for (size_t part = 0; part < PIECES; part++)
            for (size_t i = 0; i < flows; i++) {
                size_t flow = i * 7919 % flows;
                const uint8_t *at = text + flow * 104729 % (length - PIECES * piece) + part * piece;
                found[way] +=
                    way == 0 ? trawl_flow_count(scanner, states + flow * bytes, at, piece, NULL)
                             : trawl_scanner_count(scanner, at, piece, NULL);
            }
        seconds[way] = trawl_thread_seconds() - start;
    }
    double scanned = (double)flows * (double)piece * PIECES * 1e-9;
    printf(
        "%zu flows of %zu bytes: %.1f MB; %.3f GB/s, as texts %.3f GB/s; %llu and %llu matches\n",
        flows, bytes, (double)flows * (double)bytes * 1e-6, scanned / seconds[0],
        scanned / seconds[1], (unsigned long long)found[0], (unsigned long long)found[1]);
    trawl_scanner_close(scanner);
    trawl_db_free(db);
    free(states);
    return 0;
}
