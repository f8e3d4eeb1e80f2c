/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Reading the results of a scan that is complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/parts/files.h"
#include "cli/parts/journal.h"

enum { BLOCK = 1 << 20 };

/* The part that was read last. */
typedef struct open_part {
    const parts_journal *journal;
    unsigned writer;
    int descriptor; /* -1: none */
    char *path;
} open_part;

static void close_part(open_part *part) {
    if (part->descriptor >= 0)
        (void)close(part->descriptor);
    free(part->path);
    part->descriptor = -1;
    part->path = NULL;
}

/* Opens the part of a writer unless it is open. */
static bool turn_to(open_part *part, unsigned writer) {
    if (part->descriptor >= 0 && part->writer == writer)
        return true;
    close_part(part);
    part->writer = writer;
    part->path = parts_numbered(part->journal->folder, "part-", writer);
    part->descriptor = parts_open(part->path, O_RDONLY);
    return part->descriptor >= 0;
}

/* Reads the result of one segment in blocks, and compares it with its checksum. */
static bool read_result(open_part *part, size_t segment, XXH3_state_t *state, uint8_t *block,
                        journal_on_bytes on_bytes, void *context) {
    const journal_place *place = &part->journal->places[segment];
    if (place->record.length != 0 && !turn_to(part, place->writer))
        return false;
    uint64_t end = place->record.begin + place->record.length;
    (void)XXH3_64bits_reset(state);
    for (uint64_t at = place->record.begin; at < end;) {
        size_t length = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        int error = parts_read_at(part->descriptor, at, block, length);
        if (error != 0) {
            report("%s: %s", part->path,
                   error < 0 ? "is shorter than its journal says" : strerror(error));
            return false;
        }
        (void)XXH3_64bits_update(state, block, length);
        if (on_bytes != NULL && !on_bytes(context, block, length))
            return false;
        at += length;
    }
    if (XXH3_64bits_digest(state) == place->record.result)
        return true;
    report("%s: is damaged: the result of segment %zu, bytes %llu to %llu, has another checksum",
           part->path == NULL ? part->journal->folder : part->path, segment,
           (unsigned long long)place->record.begin, (unsigned long long)end);
    return false;
}

bool journal_copy_parts(const parts_journal *journal, journal_on_bytes on_bytes, void *context) {
    open_part part = {.journal = journal, .descriptor = -1};
    XXH3_state_t *state = XXH3_createState();
    uint8_t *block = allocate(BLOCK);
    bool sound = state != NULL;
    for (size_t i = 0; sound && i < journal->segments; i++)
        sound = read_result(&part, i, state, block, on_bytes, context);
    free(block);
    (void)XXH3_freeState(state);
    close_part(&part);
    return sound;
}

bool journal_check_parts(const parts_journal *journal) {
    if (journal->finished != journal->segments) {
        report("%s: %zu of %zu segments are not finished; the command that began it continues "
               "with --resume",
               journal->folder, journal->segments - journal->finished, journal->segments);
        return false;
    }
    return journal_copy_parts(journal, NULL, NULL);
}

/* Bytes that are gathered. */
typedef struct gathering {
    uint8_t *bytes;
    size_t length;
} gathering;

static bool gather(void *context, const uint8_t *bytes, size_t length) {
    gathering *all = context;
    memcpy(all->bytes + all->length, bytes, length);
    all->length += length;
    return true;
}

uint8_t *journal_result(const parts_journal *journal, size_t segment) {
    open_part part = {.journal = journal, .descriptor = -1};
    XXH3_state_t *state = XXH3_createState();
    uint8_t *block = allocate(BLOCK);
    gathering all = {.bytes = allocate((size_t)journal->places[segment].record.length + 1)};
    bool sound = state != NULL && read_result(&part, segment, state, block, gather, &all);
    free(block);
    (void)XXH3_freeState(state);
    close_part(&part);
    if (sound)
        return all.bytes;
    free(all.bytes);
    return NULL;
}
