/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Any bytes as a database: refused with a sentence, or usable. Each input is tried as it is and
 * with its checksum made right, because an attacker can make a right checksum.
 */
#include "read_database.h"
#include "seal.h"

#include "trawl/trawl_scanner.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t text[] = "ushers USHERS \0\xff\0\xff\0 his abcabcabcabcabcabcabcabcabc SheR"
                              "acgtacgtacgtacgtacgtacg AACCggttaaccggttaaccgca tactacacg";
enum { MATCHES_ENOUGH = 20000 };

static int enough(const trawl_match *match, void *context) {
    size_t *count = context;
    (void)match;
    return ++*count >= MATCHES_ENOUGH;
}

static void use(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_error error;
    uint64_t total, sum = read_database(db);
    size_t calls = 0;
    (void)trawl_db_info(db, &information, NULL);
    if (sum == UINT64_MAX) /* never; keeps the reads */
        abort();
    uint64_t *each = calloc(2 * information.patterns + 1, sizeof(*each));
    if (!each)
        return;
    trawl_scan(db, text, sizeof(text) - 1, NULL, enough, &calls, &error);
    trawl_count(db, text, sizeof(text) - 1, NULL, &total, each, &error);
    trawl_count(db, text, sizeof(text) - 1, NULL, &total, NULL, &error);
    trawl_scanner *scanner;
    uint32_t ids[4];
    if (trawl_scanner_open(db, NULL, &scanner, &error) == TRAWL_OK) {
        trawl_scanner_which(scanner, text, sizeof(text) - 1, ids, 4);
        trawl_db_sum_groups(db, each, each + information.patterns);
    }
    trawl_scanner_close(scanner);
    trawl_stream *stream;
    calls = 0;
    if (trawl_stream_open(db, NULL, enough, &calls, &stream, &error) == TRAWL_OK) {
        trawl_stream_write(stream, text, 20, &error);
        trawl_stream_flush(stream, &error);
        trawl_stream_write(stream, text + 20, sizeof(text) - 21, &error);
        trawl_stream_close(stream, &error);
    }
    free(each);
}

static void load(const uint8_t *block, size_t size) {
    trawl_db *db = NULL;
    trawl_error error;
    trawl_status status = trawl_db_load_memory(block, size, &db, &error);
    if (status == TRAWL_OK) {
        use(db);
        trawl_db_free(db);
    } else if (db || !error.message[0] || status != error.status) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    load(data, size);
    uint8_t *sealed = malloc(size + 1);
    if (!sealed)
        return 0;
    memcpy(sealed, data, size);
    seal_block(sealed, size);
    load(sealed, size);
    free(sealed);
    return 0;
}
