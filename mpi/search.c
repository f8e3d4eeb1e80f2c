/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mpi/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "cli/scan/range.h"
#include "io/text_file.h"

/* ------------------------------------------------------------------ dynamic */

/* Asks for the next number, which is at *number after MPI_Win_flush. One-sided: no rank needs to
 * answer, if network and MPI library can do without. */
static void ask(MPI_Win window, uint64_t *number) {
    static const uint64_t one = 1;
    (void)MPI_Fetch_and_op(&one, number, MPI_UINT64_T, 0, 0, MPI_SUM, window);
}

/* Scans number `first` of the `open` segments, and then others until the counter has passed their
 * number. A rank asks for its next segment before it scans one, so that an answer that takes long
 * costs nothing. */
static void scan_claimed(MPI_Win window, segment_worker *worker, const size_t *open, size_t count,
                         uint64_t first, double *times) {
    uint64_t next = first;
    bool going = !worker->failed;
    while (going && next < count) {
        size_t segment = open[next];
        ask(window, &next);
        going = segment_worker_scan(worker, segment);
        double asked = MPI_Wtime();
        (void)MPI_Win_flush(0, window);
        times[TIME_CLAIM] += MPI_Wtime() - asked;
    }
}

/* Lets MPI answer the other ranks: networks without remote atomic operations need the help of the
 * rank that has the counter, which would otherwise be given only between segments. */
static void answer(void) {
    int waiting = 0;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
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
        *counter = (uint64_t)self->size; /* each rank begins with the segment of its number */
        (void)MPI_Win_sync(window);
    }
    (void)MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    /* Texts for a GPU are read by several threads, but MPI is for the main thread alone. */
    if (self->rank == 0 && !device_is_cuda(worker->scanner.options.device))
        worker->scanner.poll = answer;
    scan_claimed(window, worker, open, count, (uint64_t)self->rank, times);
    times[TIME_SEARCH] = MPI_Wtime() - begin;
    worker->scanner.poll = NULL;
    (void)MPI_Barrier(MPI_COMM_WORLD);
    times[TIME_WAIT] = MPI_Wtime() - begin - times[TIME_SEARCH];
    (void)MPI_Win_unlock_all(window);
    (void)MPI_Win_free(&window);
    free(open);
}

/* ------------------------------------------------------------------ static */

/* Opens the text of a piece. NULL after reporting that it cannot be read, or that it has changed in
 * such a way that it no longer has the piece. */
static text_file *open_text(const parts_text *text, const parts_piece *piece) {
    bool all = piece->begin == 0 && piece->end == text->bytes;
    text_file *file = NULL;
    trawl_error error;
    if (text_file_open(text->name, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
        report("text %s", error.message);
        return NULL;
    }
    if (all || (text_file_is_plain(file) && text_file_length(file) >= piece->end))
        return file;
    report("text %s: changed: expected at least %" PRIu64 " bytes, not compressed", text->name,
           piece->end);
    text_file_close(file);
    return NULL;
}

/* Reads what scanning a piece needs: all of a compressed text. False after reporting. */
static bool load(const segment_worker *worker, const parts_piece *piece, loaded_piece *loaded) {
    const parts_text *text = &worker->run->texts[piece->text];
    trawl_error error;
    trawl_status status = TRAWL_OK;
    text_file *file = open_text(text, piece);
    if (file == NULL)
        return false;
    bool plain = text_file_is_plain(file);
    loaded->context = text_scanner_context(&worker->scanner, piece->begin, piece->end, text->bytes);
    size_t wanted = (size_t)(loaded->context.last - loaded->context.first);
    size_t capacity = wanted + 1;
    size_t length = 0;
    size_t got = 0;
    loaded->bytes = allocate(capacity);
    while (status == TRAWL_OK && (plain ? length < wanted : length == 0 || got != 0)) {
        if (length == capacity) {
            capacity *= 2;
            loaded->bytes = reallocate(loaded->bytes, capacity);
        }
        status =
            plain ? text_file_read_at(file, loaded->context.first + length, loaded->bytes + length,
                                      wanted - length, &got, &error)
                  : text_file_read(file, loaded->bytes + length, capacity - length, &got, &error);
        length += got;
        if (length == 0 && got == 0)
            break;
    }
    text_file_close(file);
    loaded->end = piece->end;
    if (!plain)
        loaded->end = loaded->context.last = length;
    if (status != TRAWL_OK)
        report("text %s", error.message);
    return status == TRAWL_OK;
}

void search_static(const ranks *self, segment_worker *worker, const parts_journal *journal,
                   double *times) {
    size_t segment = (size_t)self->rank;
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(worker->segments, segment, &count);
    size_t base = (size_t)(pieces - worker->segments->pieces);
    size_t bytes = worker->segments->piece_count * sizeof(loaded_piece);
    bool wanted = !worker->failed && !journal->places[segment].finished;
    double begin = MPI_Wtime();
    loaded_piece *loaded = allocate(bytes + 1);
    memset(loaded, 0, bytes);
    for (size_t i = 0; wanted && i < count; i++)
        wanted = load(worker, &pieces[i], &loaded[base + i]);
    worker->failed = !wanted && !journal->places[segment].finished;
    worker->loaded = loaded;
    times[TIME_LOAD] = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    if (wanted)
        (void)segment_worker_scan(worker, segment);
    times[TIME_SEARCH] = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    (void)MPI_Barrier(MPI_COMM_WORLD);
    times[TIME_WAIT] = MPI_Wtime() - begin;
    for (size_t i = 0; i < count; i++)
        free(loaded[base + i].bytes);
    free(loaded);
    worker->loaded = NULL;
}
