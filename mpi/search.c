/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mpi/search.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/scan/range.h"
#include "io/text_file.h"

/* ------------------------------------------------------------------ dynamic */

/* Takes the next number. One-sided: no rank needs to answer. */
static uint64_t take_number(MPI_Win window) {
    const uint64_t one = 1;
    uint64_t number = 0;
    (void)MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, 0, MPI_SUM, window);
    (void)MPI_Win_flush(0, window);
    return number;
}

void search_dynamic(const ranks *self, segment_worker *worker, const parts_journal *journal,
                    double *times) {
    size_t *open = allocate(journal->segments * sizeof *open + 1);
    size_t count = 0;
    for (size_t i = 0; i < journal->segments; i++) {
        if (!journal->places[i].finished)
            open[count++] = i;
    }
    uint64_t *counter = NULL;
    MPI_Win window;
    (void)MPI_Win_allocate(self->rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL,
                           MPI_COMM_WORLD, &counter, &window);
    (void)MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (self->rank == 0) {
        *counter = 0;
        (void)MPI_Win_sync(window);
    }
    (void)MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    bool going = !worker->failed;
    uint64_t number = 0;
    while (going && (number = take_number(window)) < count)
        going = segment_worker_scan(worker, open[number]);
    times[TIME_SEARCH] = MPI_Wtime() - begin;
    (void)MPI_Barrier(MPI_COMM_WORLD);
    times[TIME_WAIT] = MPI_Wtime() - begin - times[TIME_SEARCH];
    (void)MPI_Win_unlock_all(window);
    (void)MPI_Win_free(&window);
    free(open);
}

/* ------------------------------------------------------------------ static */

/* Reads bytes [first, end) of a file, or all of a compressed one: *length of them. NULL after
 * reporting. */
static uint8_t *load(const parts_text *text, uint64_t first, uint64_t end, uint64_t *length) {
    text_file *file = NULL;
    trawl_error error;
    trawl_status status = text_file_open(text->name, TEXT_DECOMPRESS, &file, &error);
    if (status != TRAWL_OK) {
        report("text %s", error.message);
        return NULL;
    }
    bool plain = text_file_is_plain(file);
    size_t capacity = (size_t)(end - first) + 1;
    uint8_t *bytes = allocate(capacity);
    size_t got = 0;
    *length = 0;
    do {
        if (*length == capacity) {
            capacity *= 2;
            bytes = reallocate(bytes, capacity);
        }
        if (plain && *length == end - first)
            break;
        status =
            plain ? text_file_read_at(file, first + *length, bytes + *length,
                                      (size_t)(end - first - *length), &got, &error)
                  : text_file_fill(file, bytes + *length, capacity - (size_t)*length, &got, &error);
        *length += got;
    } while (status == TRAWL_OK && (plain || *length == capacity));
    text_file_close(file);
    if (status == TRAWL_OK)
        return bytes;
    report("text %s", error.message);
    free(bytes);
    return NULL;
}

void search_static(const ranks *self, segment_worker *worker, const parts_journal *journal,
                   double *times) {
    size_t segment = (size_t)self->rank;
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(worker->segments, segment, &count);
    size_t base = (size_t)(pieces - worker->segments->pieces);
    size_t all = worker->segments->piece_count;
    bool wanted = !worker->failed && !journal->places[segment].finished;
    double begin = MPI_Wtime();
    worker->loaded = allocate(all * sizeof *worker->loaded + 1);
    worker->lengths = allocate(all * sizeof *worker->lengths + 1);
    memset(worker->loaded, 0, all * sizeof *worker->loaded);
    for (size_t i = 0; wanted && i < count; i++) {
        uint64_t first = text_scanner_first(&worker->scanner, pieces[i].begin);
        uint64_t length = 0;
        worker->loaded[base + i] =
            load(&worker->run->texts[pieces[i].text], first, pieces[i].end, &length);
        worker->lengths[base + i] = first + length;
        wanted = worker->loaded[base + i] != NULL;
        worker->failed = !wanted;
    }
    times[TIME_LOAD] = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    if (wanted)
        (void)segment_worker_scan(worker, segment);
    times[TIME_SEARCH] = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    (void)MPI_Barrier(MPI_COMM_WORLD);
    times[TIME_WAIT] = MPI_Wtime() - begin;
    for (size_t i = 0; i < count; i++)
        free(worker->loaded[base + i]);
    free(worker->loaded);
    free(worker->lengths);
}
