/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mpi/share.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

enum { AT_ONCE = 1 << 30 }; /* MPI counts in int */

ranks share_ranks(void) {
    ranks self;
    MPI_Comm machine;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &self.size);
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    (void)MPI_Comm_rank(machine, &self.local);
    (void)MPI_Comm_free(&machine);
    return self;
}

bool share_all(bool mine) {
    int fine = mine;
    (void)MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return fine != 0;
}

bool share_equal(int mine) {
    int first = mine;
    (void)MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return share_all(first == mine);
}

static void broadcast(void *bytes, size_t length) {
    for (size_t at = 0; at < length; at += AT_ONCE) {
        size_t part = length - at < AT_ONCE ? length - at : AT_ONCE;
        (void)MPI_Bcast((char *)bytes + at, (int)part, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

/* Rank 0's bytes. On the others *bytes is set; the caller frees them. */
static void share_bytes(const ranks *self, void **bytes, size_t *length) {
    uint64_t size = *length;
    broadcast(&size, sizeof size);
    if (self->rank != 0)
        *bytes = allocate((size_t)size + 1);
    *length = (size_t)size;
    broadcast(*bytes, *length);
}

void share_sums(const ranks *self, uint64_t *numbers, size_t count) {
    for (size_t at = 0; at < count; at += AT_ONCE / sizeof *numbers) {
        size_t part =
            count - at < AT_ONCE / sizeof *numbers ? count - at : AT_ONCE / sizeof *numbers;
        const void *mine = self->rank == 0 ? MPI_IN_PLACE : (const void *)(numbers + at);
        (void)MPI_Reduce(mine, self->rank == 0 ? numbers + at : NULL, (int)part, MPI_UINT64_T,
                         MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

bool share_version(const ranks *self) {
    char version[16] = {0};
    (void)strncpy(version, trawl_version(), sizeof version - 1);
    char *all = self->rank == 0 ? allocate((size_t)self->size * sizeof version) : NULL;
    (void)MPI_Gather(version, sizeof version, MPI_CHAR, all, sizeof version, MPI_CHAR, 0,
                     MPI_COMM_WORLD);
    bool same = true;
    for (int rank = 1; self->rank == 0 && same && rank < self->size; rank++) {
        const char *other = all + (size_t)rank * sizeof version;
        same = memcmp(other, version, sizeof version) == 0;
        if (!same)
            report("rank %d runs trawl %.15s, rank 0 trawl %s; install the same version", rank,
                   other, version);
    }
    free(all);
    return share_all(same);
}

bool share_database(const ranks *self, trawl_db **db) {
    size_t length = 0;
    void *bytes = NULL;
    if (self->rank == 0) {
        const void *block = trawl_db_bytes(*db, &length);
        uint64_t size = length;
        broadcast(&size, sizeof size);
        /* MPI does not change what its root sends. */
        union {
            const void *given;
            void *taken;
        } send = {.given = block};
        broadcast(send.taken, length);
        return share_all(true);
    }
    share_bytes(self, &bytes, &length);
    trawl_error error;
    trawl_status status = trawl_db_load_memory(bytes, length, db, &error);
    free(bytes);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    return share_all(status == TRAWL_OK);
}

bool share_run(const ranks *self, parts_run *run) {
    size_t length = 0;
    void *bytes = self->rank == 0 ? parts_run_write(run, &length) : NULL;
    share_bytes(self, &bytes, &length);
    bool read = self->rank == 0 || parts_run_read(run, bytes, length, "rank 0's list of texts");
    free(bytes);
    return share_all(read);
}

void share_journal(const ranks *self, parts_journal *journal) {
    uint64_t numbers[] = {journal->name, journal->segments, journal->finished, journal->writers};
    broadcast(numbers, sizeof numbers);
    size_t ends = (size_t)numbers[3] * sizeof *journal->ends;
    uint8_t *finished = allocate((size_t)numbers[1] + 1);
    if (self->rank != 0) {
        journal->name = numbers[0];
        journal->segments = (size_t)numbers[1];
        journal->finished = (size_t)numbers[2];
        journal->writers = (unsigned)numbers[3];
        journal->ends = allocate(ends + 1);
        journal->journal_ends = allocate(ends + 1);
        journal->places = allocate(journal->segments * sizeof *journal->places + 1);
        memset(journal->places, 0, journal->segments * sizeof *journal->places);
    }
    for (size_t i = 0; i < journal->segments; i++)
        finished[i] = journal->places[i].finished;
    broadcast(finished, journal->segments);
    for (size_t i = 0; i < journal->segments; i++)
        journal->places[i].finished = finished[i] != 0;
    free(finished);
    broadcast(journal->ends, ends);
    broadcast(journal->journal_ends, ends);
}
